/* SPDX-License-Identifier: MIT */
/*
 * call.h - how a job on host arrays runs, at once or in the context's thread.
 */
#ifndef CLOPT_CALL_CALL_H
#define CLOPT_CALL_CALL_H

#include "../table/table.h"

struct guard; /* verify/verify.h */
struct stepper; /* bodies/bodies.h */

/*
 * begin.c: clopt__enter and clopt__leave for calls that have a report.  `report`, if not NULL, gets
 * it.
 */
int clopt__begin(struct clopt *ctx, struct sentence call);
int clopt__end(struct clopt *ctx, int rc, struct clopt_report *report);

/* ---- Runners: chosen once, at submit ---------------------------------------- */

/* Makes a member's workload from that of the first; alike: with the same variant. */
typedef int workload_maker(struct clopt *member, const void *what, const struct workload *first,
                           int alike, struct workload *w);
/* What runs the parts of a job where not one device sums over all pairs; NULL: it does. */
struct runners {
	/* A job, or a matrix of its batch: clopt__run_job's place. */
	int (*job)(struct clopt *ctx, const struct job *job);
	/* A workload: clopt__run's place.  guard, if not NULL, judges the result. */
	int (*workload)(struct clopt *ctx, struct workload *w, workload_maker *make,
	                const void *what, struct guard *guard);
	/* Sets how a stepper evaluates gravity (bodies/bodies.h). */
	int (*gravity)(struct clopt *ctx, struct stepper *s);
};

/* run.c: choose a row for a complete job and run it in the pipeline. */
int clopt__run_job(struct clopt *ctx, const struct job *job);
/* The same by the job's runner. */
int clopt__run_one(struct clopt *ctx, const struct job *job);
/* Whether the matrices of a batch go together, in one launch. */
int clopt__together(struct clopt *ctx, const struct job *job);

/* call.c: the jobs, all alike, that a complete job is run as: how many, each with a choice and a
 * pipeline of its own.  Only the shapes of `one's arrays are set. */
size_t clopt__jobs(struct clopt *ctx, const struct job *job, struct job *one);
/* report, if not NULL, gets how the call went. */
int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report);

/* async.c */
int clopt__async_start(struct clopt *ctx, const struct job *described, struct clopt_call **call);
void clopt__async_free(struct clopt *ctx);

/* ---- complete.c */
/* Nothing is to be computed, so no array is read or written. */
int clopt__is_empty(const struct job *job);
/* Fill in the operands' shapes and check all arguments. */
int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job);

/* ---- lane.c: a queue of a context and what waits on it ----------------------- */

/* An order in OpenCL's terms (buffers/order.c). */
struct placed {
	cl_command_queue q;
	cl_event *list; /* what the caller has it wait for, and room for one more; NULL: nothing */
	cl_uint listed;
	struct waits wait; /* of the next command: those, or none any more */
	int waited; /* the order has events to wait for, so the command may fail through them */
	cl_event first; /* of several commands, the one that waits */
	cl_event event, *wanted; /* wanted: &event if an event is needed, or NULL */
	struct clopt_event *handle; /* made beforehand, so that a queued command cannot lack it */
	struct clopt_event **to;
};
/* Where the next command gives its event, if it is the first that waits and others follow; else
 * NULL. */
cl_event *clopt__placed_first(struct placed *p);
/* The events that the last command waits for, with the one of a command before it; that may be
 * NULL. */
struct waits clopt__placed_last(struct placed *p, const cl_event *before);

struct lane {
	cl_command_queue q;
	struct placed *placed; /* NULL: on host arrays, which the lane waits for */
};

/* A kernel and the arguments that its launches share. */
struct part {
	struct clopt_problem problem;
	const struct variant *row;
	cl_kernel kernel;
	double real[MAX_REALS];
	const struct array *array[MAX_OPERANDS];
	size_t first, count; /* the results it computes; 0: all */
};

/* Move rows of row_bytes between host memory and an array. */
int clopt__lane_move(struct clopt *ctx, const struct lane *lane, const struct array *a,
                     size_t first, void *host, size_t rows, size_t row_bytes, int down);
/* Wait, and log the times of the commands so far.  rc: an earlier failure, or CLOPT_OK. */
int clopt__lane_settle(struct clopt *ctx, const struct lane *lane, int rc);
/* All rows of an array, malloc'ed. */
int clopt__lane_fetch(struct clopt *ctx, const struct lane *lane, const struct array *a,
                      size_t rows, size_t row_bytes, char **host);
/* last: the last command on the caller's buffers. */
int clopt__lane_launch(struct clopt *ctx, const struct lane *lane, const struct part *p, int last);

#endif
