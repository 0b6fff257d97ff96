/* SPDX-License-Identifier: MIT */
/*
 * call.h - runs a job on host arrays, at once or in the context's thread.
 */
#ifndef CLOPT_CALL_CALL_H
#define CLOPT_CALL_CALL_H

#include "../table/table.h"

struct guard; /* verify/verify.h */
struct host_product; /* host/host.h */
struct stepper; /* bodies/bodies.h */
struct tree_team; /* tree/tree.h */

/*
 * begin.c: clopt__enter and clopt__leave for calls that have a report. report, if not NULL, is
 * filled in.
 */
int clopt__begin(struct clopt *ctx, struct sentence call);
int clopt__end(struct clopt *ctx, int rc, struct clopt_report *report);

/* ---- Runners: chosen once, at submit */

/* Makes a member's workload from the first member's. alike: with the same variant. */
typedef int workload_maker(struct clopt *member, const void *what, const struct workload *first,
                           int alike, struct workload *w);
/* What runs the parts of a job; NULL: one device, over all pairs. */
struct runners {
	/* Runs a job, or a matrix of its batch, in place of clopt__run_job. */
	int (*job)(struct clopt *ctx, const struct job *job);
	/* Runs a workload in place of clopt__run. guard, if not NULL, judges the result. */
	int (*workload)(struct clopt *ctx, struct workload *w, workload_maker *make,
	                const void *what, struct guard *guard);
	/* Sets how a stepper evaluates gravity (bodies/bodies.h). */
	int (*gravity)(struct clopt *ctx, struct stepper *s);
	/* Other devices of a sum within a tolerance (tree/tree.h); NULL: none. */
	const struct tree_team *team;
};

/* run.c: choose a row for a complete job and run it in the pipeline. */
int clopt__run_job(struct clopt *ctx, const struct job *job);
/* The report of a call that a row on the host computed. */
void clopt__by_host(struct clopt *ctx, const struct variant *v);
/* As clopt__run_job, by the job's runner. */
int clopt__run_one(struct clopt *ctx, const struct job *job);
/* Whether one launch computes all matrices of a batch. */
int clopt__together(struct clopt *ctx, const struct job *job);

/* call.c: whether the job has no results, so that no array is read or written. */
int clopt__is_empty(const struct job *job);
/* Check all arguments and fill in the operands' shapes. */
int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job);
/* report, if not NULL, is filled in. */
int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report);

/* matmul.c: a product of reals, if the host computes it; *status is that of the call.  h has the
 * caller's arguments, and as turned_a and turned_b enum clopt_trans; it changes.  0: nothing was
 * done.  Take clopt__call, which also refuses bad arguments. */
int clopt__small_product(struct clopt *ctx, int type, int layout, int math, struct host_product *h,
                         int *status);

/* async.c */
int clopt__async_start(struct clopt *ctx, const struct job *described, struct clopt_call **call);
void clopt__async_free(struct clopt *ctx);

/* ---- lane.c: a queue of a context and what waits on it */

/* The caller's order (buffers/order.c) in terms of OpenCL. */
struct placed {
	cl_command_queue q;
	cl_event *list; /* events that the caller waits for, with room for one more; NULL: none */
	cl_uint listed;
	struct waits wait; /* for the next command: those events, or none */
	int waited; /* the order has a wait list, so the command may fail by its events */
	cl_event first; /* the event of the first of several commands */
	cl_event event, *wanted; /* wanted: &event if an event is needed, or NULL */
	struct clopt_event *handle; /* allocated before the command is queued */
	struct clopt_event **to;
};
/* Where the next command stores its event, if it waits for the order and other commands follow;
 * else NULL. */
cl_event *clopt__placed_first(struct placed *p);
/* Wait list of the last command, with the event of an earlier command; that may be NULL. */
struct waits clopt__placed_last(struct placed *p, const cl_event *before);

struct lane {
	cl_command_queue q;
	struct placed *placed; /* NULL: on host arrays; the lane waits */
};

/* A kernel, and the arguments common to its launches. */
struct part {
	struct clopt_problem problem;
	const struct variant *row;
	cl_kernel kernel;
	double real[MAX_REALS];
	const struct array *array[MAX_OPERANDS];
};

/* Copy rows of row_bytes between host memory and an array. */
int clopt__lane_move(struct clopt *ctx, const struct lane *lane, const struct array *a,
                     size_t first, void *host, size_t rows, size_t row_bytes, int down);
/* Wait, and log the times of the commands so far. rc: an earlier failure, or CLOPT_OK. */
int clopt__lane_settle(struct clopt *ctx, const struct lane *lane, int rc);
/* Copy all rows of an array to memory that is malloc'ed. */
int clopt__lane_fetch(struct clopt *ctx, const struct lane *lane, const struct array *a,
                      size_t rows, size_t row_bytes, char **host);
/* last: the last command on the caller's buffers. */
int clopt__lane_launch(struct clopt *ctx, const struct lane *lane, const struct part *p, int last);

#endif
