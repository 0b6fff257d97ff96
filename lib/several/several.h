/* SPDX-License-Identifier: MIT */
/*
 * several.h - the devices of a context, and what they do together.
 */
#ifndef CLOPT_SEVERAL_SEVERAL_H
#define CLOPT_SEVERAL_SEVERAL_H

#include "../tree/tree.h"

struct share;

/* ---- share.c: who computes what of a box of results */
struct region {
	size_t first[2], count[2]; /* rows, columns */
};
struct partition {
	size_t dim[2], grain[2]; /* what members compute begins at multiples of the grain */
	int alike, fixed; /* members are as fast as each other; their weights decide alone */
	int known; /* the weights come from results of this kind, so blocks need not begin small */
	int by_columns; /* members begin with strips of columns, which share no input of columns */
};
/* weights: the members' speeds beside each other. */
int clopt__share_open(struct clopt *ctx, const struct partition *box, const double *weights,
                      unsigned members, struct share **share);
void clopt__share_close(struct share *s);
/* The next block of a member, of at most so many rows and columns.  fetch: seconds for the inputs
 * of a column; undone: blocks that may be under way, with this one.  *none: nothing is left for
 * this member, or it must first finish what it has. */
int clopt__share_take(struct clopt *ctx, struct share *s, unsigned member, const size_t *most,
                      double fetch, unsigned undone, struct region *r, int *none);
/* The member has done all that it took. */
void clopt__share_idle(struct share *s, unsigned member);
/* From now on there is nothing left: the call is cancelled. */
void clopt__share_stop(struct share *s);
int clopt__share_stopped(struct share *s);
/* A member has ended: what it took is computed; or it failed, and others may take that (*began:
 * there is some, so results may be half written). */
int clopt__share_end(struct clopt *ctx, struct share *s, unsigned member, int failed, int *began);
/* Part i of what a member has taken, for itself or once all have ended; 0: there are no more
 * parts. */
int clopt__share_part(const struct share *s, unsigned member, size_t i, struct region *r);
/* How much is taken, 0 to 1.  Once all have ended: the share of a member; whether anything is
 * left. */
double clopt__share_done(struct share *s);
double clopt__share_of(const struct share *s, unsigned member);
int clopt__share_left(const struct share *s);

/* ---- members.c */
/* Have *ctx's others work for it; they are its own now.  CLOPT_ENOMEM: they are not. */
int clopt__members_open(struct clopt *ctx, struct clopt *const *others, size_t n);
/* End their threads.  Returns the others, malloc'ed, for the caller to close; *n: how many. */
struct clopt **clopt__members_end(struct clopt *ctx, size_t *n);

/* How many share a call that takes ctx alone so many seconds. */
unsigned clopt__members_working(const struct clopt *ctx, double seconds);
/* The members' speeds beside each other, malloc'ed, 0 for one that takes no part; NULL: ctx works
 * alone.  op: CLOPT_OPS stands for clopt_map. */
double *clopt__members_gather(struct clopt *ctx, unsigned op, double seconds);
/* A shared job of a call begins. */
void clopt__members_begin(struct clopt *ctx);
/* What a member does in its thread, as a call of its own context. */
typedef int member_task(struct clopt *member, unsigned index, void *what);
/* Have all but the first that have a weight do it; returns at once. */
void clopt__members_start(struct clopt *ctx, const double *weight, member_task *task, void *what);
/* What the first did meanwhile: the report from before, and its status. */
void clopt__members_did(struct clopt *ctx, const struct clopt_report *before, double seconds,
                        int rc);
/* Wait for all that were started; meanwhile the call can be cancelled and tells how far it is.
 * share: what they do; NULL: something else. */
int clopt__members_wait(struct clopt *ctx, struct share *share);
int clopt__member_status(const struct clopt *ctx, unsigned i);
/* Whether its device is of use; whether it is the same device and driver as the first. */
int clopt__member_works(const struct clopt *ctx, unsigned i);
int clopt__member_alike(const struct clopt *ctx, unsigned i);
int clopt__members_alike(const struct clopt *ctx);
/* A call of so many units ends: which part of the results each has computed. */
void clopt__members_sum_up(struct clopt *ctx, unsigned op, double units, const double *share);
/* The failure of a member, why parts are missing. */
int clopt__members_failed(struct clopt *ctx);
/* Fail, since what the member has computed is wrong. */
int clopt__member_wrong(struct clopt *ctx, unsigned i, const char *why);

/* ---- Runners of the devices of a context; each works alone where others would not pay */
/* shared.c: a result that is wrong for the second time, but not all members' parts:
 * CLOPT_EWRONG. */
int clopt__run_shared(struct clopt *ctx, struct workload *w, workload_maker *make, const void *what,
                      struct guard *guard);
/* Seconds that ctx alone takes for it, roughly. */
double clopt__alone_seconds(const struct clopt *ctx, const struct workload *w);
/* tree.c: sums within a tolerance. */
int clopt__run_shared_within(struct clopt *ctx, const struct job *job);
/* gravity.c: bodies that move; also those of a group of processes. */
int clopt__shared_gravity(struct clopt *ctx, struct stepper *s);

#endif
