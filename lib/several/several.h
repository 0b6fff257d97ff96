/* SPDX-License-Identifier: MIT */
/*
 * several.h - the devices of a context, and how they share a call.
 */
#ifndef CLOPT_SEVERAL_SEVERAL_H
#define CLOPT_SEVERAL_SEVERAL_H

#include "../tree/tree.h"

struct share;

/* ---- share.c: the partition of a box of results */
struct region {
	size_t first[2], count[2]; /* rows, columns */
};
struct partition {
	size_t dim[2], grain[2]; /* blocks begin at multiples of the grain */
	int alike, fixed; /* equal speeds; weights alone decide */
	int known; /* the weights were measured on results of this kind, so first blocks are not
	              small */
	int by_columns; /* strips of columns, which share no input that depends on columns */
};
/* weights: relative speeds of the members. */
int clopt__share_open(struct clopt *ctx, const struct partition *box, const double *weights,
                      unsigned members, struct share **share);
void clopt__share_close(struct share *s);
/* Take the next block for a member, of at most so many rows and columns. fetch: seconds for the
 * inputs of one column; undone: number of blocks that may be in flight, this one included.  *none:
 * nothing is left for this member, or it must first finish what it has. */
int clopt__share_take(struct clopt *ctx, struct share *s, unsigned member, const size_t *most,
                      double fetch, unsigned undone, struct region *r, int *none);
/* All blocks that the member took are computed. */
void clopt__share_idle(struct share *s, unsigned member);
/* Stop: nothing more is dealt, since the call is cancelled. */
void clopt__share_stop(struct share *s);
int clopt__share_stopped(struct share *s);
/* End a member's work.  On success its blocks are computed.  After a failure others may take them;
 * *began: there are such blocks, so results may be half written. */
int clopt__share_end(struct clopt *ctx, struct share *s, unsigned member, int failed, int *began);
/* Part i of the member's blocks, for the member itself or after all have ended; 0: no more
 * parts. */
int clopt__share_part(const struct share *s, unsigned member, size_t i, struct region *r);
/* Fraction dealt, 0 to 1.  After all have ended: a member's fraction; whether anything is left. */
double clopt__share_done(struct share *s);
double clopt__share_of(const struct share *s, unsigned member);
int clopt__share_left(const struct share *s);

/* ---- members.c */
/* Join the others to *ctx, which owns them from then on.  After CLOPT_ENOMEM it does not. */
int clopt__members_open(struct clopt *ctx, struct clopt *const *others, size_t n);
/* End their threads.  Returns the others, *n of them, malloc'ed; the caller closes them. */
struct clopt **clopt__members_end(struct clopt *ctx, size_t *n);

/* Number of members that share a call which takes ctx alone `seconds`. */
unsigned clopt__members_working(const struct clopt *ctx, double seconds);
/* Relative speeds of the members, malloc'ed; 0 for a member that takes no part.  NULL: ctx works
 * alone. op: CLOPT_OPS stands for clopt_map. */
double *clopt__members_gather(struct clopt *ctx, unsigned op, double seconds);
/* Begin a shared job of a call. */
void clopt__members_begin(struct clopt *ctx);
/* A member's task, run in its thread as a call of its own context. */
typedef int member_task(struct clopt *member, unsigned index, void *what);
/* Start the task on all members but the first that have a weight.  Returns at once. */
void clopt__members_start(struct clopt *ctx, const double *weight, member_task *task, void *what);
/* Wait for all started tasks.  Meanwhile the call can be cancelled. weight, if not NULL, becomes 0
 * for a member that failed. share, if not NULL: what they share, with `whole` all of the call's
 * work, for its progress; *began: as for clopt__share_end. */
int clopt__members_wait(struct clopt *ctx, struct share *share, double *weight, int whole,
                        int *began);
/* All members that have a weight do the task: the first, index 0, in this thread.  Then wait. */
int clopt__members_round(struct clopt *ctx, struct share *share, double *weight, member_task *task,
                         void *what, int whole, int *began);
int clopt__member_status(const struct clopt *ctx, unsigned i);
/* Whether its device works; whether device and driver are the first member's. */
int clopt__member_works(const struct clopt *ctx, unsigned i);
int clopt__member_alike(const struct clopt *ctx, unsigned i);
int clopt__members_alike(const struct clopt *ctx);
/* End a call of `units`: record the fraction that each member has computed. */
void clopt__members_sum_up(struct clopt *ctx, unsigned op, double units, const double *share);
/* The failure of a member, as the reason for missing parts. */
int clopt__members_failed(struct clopt *ctx);
/* Fail, since this member's result is wrong. */
int clopt__member_wrong(struct clopt *ctx, unsigned i, const char *why);

/* ---- Runners of the devices of a context; each works alone where others would not pay */
/* shared.c: workloads.  CLOPT_EWRONG for a result that is wrong again, unless all members' parts
 * are. */
int clopt__run_shared(struct clopt *ctx, struct workload *w, workload_maker *make, const void *what,
                      struct guard *guard);
/* Estimated seconds on ctx alone. */
double clopt__alone_seconds(const struct clopt *ctx, const struct workload *w);
/* tree.c: sums within a tolerance. */
extern const struct tree_team clopt__shared_tree;
/* gravity.c: moving bodies, also those of a group of processes. */
int clopt__shared_gravity(struct clopt *ctx, struct stepper *s);

#endif
