/* SPDX-License-Identifier: MIT */
/*
 * call.h - how a job runs: at once, started, on buffers, step by step.
 */
#ifndef CLOPT_CALL_CALL_H
#define CLOPT_CALL_CALL_H

#include "../table/table.h"

/*
 * call.c: all that a routine does after describing its job.  begin locks the
 * context; end unlocks it and returns rc.  They stand round everything that
 * touches the context.
 */
int clopt__begin(struct clopt *ctx, struct sentence call);
int clopt__end(struct clopt *ctx, struct sentence call, int rc, struct clopt_report *report);
/* Choose a row for a complete job and run it over the pipeline. */
int clopt__run_job(struct clopt *ctx, const struct job *job);
/* halves.c: whether it is a product of halves that is too deep for the device; that product. */
int clopt__halves_apart(const struct clopt *ctx, const struct job *job);
int clopt__halves(struct clopt *ctx, const struct job *job);
/* report, if not NULL, gets how it went. */
int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report);

/* in_place.c: a transpose whose result takes the place of its input. */
int clopt__in_place(struct clopt *ctx, const struct job *job, struct placed *placed);

/* How a routine is called: on the caller's arrays, at once or by the context's
 * thread, or on buffers. */
struct form {
	struct clopt_call **call; /* not NULL: started */
	int buffers;
	const struct clopt_order *order;
};
struct form clopt__at_once(void);
struct form clopt__async(struct clopt_call **call); /* *call becomes NULL */
struct form clopt__on_buffers(const struct clopt_order *order);
int clopt__submit(struct clopt *ctx, const struct job *described, const struct form *form);

/* call.c: whether a job's matrices, one or a batch of them, go together. */
int clopt__together(struct clopt *ctx, const struct job *job);

int clopt__no_call(const struct clopt *ctx, const char *name); /* there is no place for it */
int clopt__async_start(struct clopt *ctx, const struct job *described, struct clopt_call **call);
void clopt__async_free(struct clopt *ctx);

/* enqueue.c: on buffers.  The job's last command is queued when it returns. */
int clopt__enqueue(struct clopt *ctx, const struct job *described, const struct clopt_order *order);
/* The choice and the launch for a complete job. */
int clopt__enqueue_job(struct clopt *ctx, const struct job *job, struct placed *p);
/* Arrays that queued commands no longer use; or, after waiting, all of them. */
void clopt__kept_free(struct clopt *ctx, int all);
/* Nothing is to be computed, so nothing will be looked at. */
int clopt__is_empty(const struct job *job);
/* Fill in the operands' shapes and check all arguments. */
int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job);

struct clopt_queue {
	struct clopt *ctx;
	cl_command_queue q;
	struct clopt_queue *next; /* of ctx's */
};

struct clopt_event {
	struct clopt *ctx;
	cl_event event;
};

/* They stand round each of the calls: the lock, and the name that failures are
 * prefixed with.  Unlike clopt__begin they leave the report alone.  leave returns
 * rc; where enter fails it is not called. */
int clopt__enter(struct clopt *ctx, const char *name);
int clopt__leave(struct clopt *ctx, int rc);

/* An order in OpenCL's terms; order.c.  NULL stands for the default.  Checks
 * it; list (in wait) is malloc'ed and the caller's to free, after failure too. */
struct placed {
	cl_command_queue q;
	cl_event *list;
	struct wait wait;
	int waited; /* it may fail by what it waits for, after it was queued */
	cl_event first; /* of several commands, the one that waits */
	cl_event event, *wanted; /* wanted: &event if somebody wants it, or NULL */
	struct clopt_event *handle; /* made beforehand, so that a queued command cannot lack one */
	struct clopt_event **to;
};
int clopt__place(struct clopt *ctx, const struct clopt_order *order, struct placed *p);
/* The command is queued (rc), or not: flush, hand the event out or let it go, free the list. */
int clopt__placed(struct clopt *ctx, struct placed *p, int rc);

/* The first code by which a command that waited for others has failed, once all
 * queues are empty; it is told once. */
cl_int clopt__watch_take(struct clopt *ctx);

/* The operand as a kernel wants it: the buffer itself, or (own) a copy of it
 * that is queued, in the layout of an image; enqueue.c. */
int clopt__buffer_array(struct clopt *ctx, struct placed *p, const struct operand *o,
                        struct layout l, struct array *a, int *own);

/* There is nothing of it, so its buffer may overlap others. */
int clopt__holds_nothing(const struct operand *o);

/* Release the array when the event has come, or now, after waiting for q. */
void clopt__keep(struct clopt *ctx, cl_command_queue q, cl_event event, struct array *a);

/* order.c: at the end of the context. */
void clopt__watch_free(struct clopt *ctx);

/* ---- Bodies that stay on the device over all steps -------------------------- */

/* Steps, or sums alone.  The precision is one that the device has. */
struct evolution {
	size_t n, steps;
	double *bodies, *velocities; /* evolve.c: the caller's; not written to for sums alone */
	double dt;
	struct clopt_evolve_options options;
};

/* A kernel, and all that its launches have in common. */
struct part {
	struct clopt_problem problem;
	const struct variant *row;
	cl_kernel kernel;
	double real[MAX_REALS];
	const struct array *array[MAX_OPERANDS];
};

struct stepper {
	struct evolution e;
	cl_command_queue q;
	struct placed *placed; /* NULL: on host arrays, which it waits for */
	int jerk; /* JERK with Hermite's steps, 0 with leapfrog's */
	struct part force, phi, step, sum; /* phi: force with the potential too */
	struct array state, velocities, next, rates, sums;
	int own_state; /* state is no buffer of the caller's */
	size_t point_bytes, points, largest; /* a body's, in all arrays and in the largest */
	/* The rest is evolve.c's.  Show the bodies to the caller; *stop: he has seen enough. */
	int (*show)(struct clopt *ctx, const struct stepper *s, size_t step, int *stop);
	void *raw; /* malloc'ed: the bodies as the device has them */
	size_t groups; /* of sums */
};

/* stepper.c */
/* Whether the arrays fit; *bytes on the device, as struct cut has them. */
int clopt__stepper_fits(struct clopt *ctx, const struct stepper *s, size_t *bytes);
/* rows of row_bytes between host memory and the beginning of an array. */
int clopt__stepper_move(struct clopt *ctx, const struct stepper *s, const struct array *a,
                        void *host, size_t rows, size_t row_bytes, int down);
/* Wait, and take the times of what has run.  rc: what has failed already. */
int clopt__stepper_settle(struct clopt *ctx, const struct stepper *s, int rc);
/* last: of all commands on the caller's buffers. */
int clopt__stepper_launch(struct clopt *ctx, const struct stepper *s, const struct part *p,
                          int last);
int clopt__stepper_run(struct clopt *ctx, struct stepper *s);
/* rc: how it went.  Where that is well, on host arrays, all has been waited for before, and
 * nothing may fail now that the caller has his bodies. */
int clopt__stepper_close(struct clopt *ctx, struct stepper *s, int rc);
/* Whether the caller is to see the bodies at this step. */
int clopt__is_due(const struct evolution *e, size_t step);

/* leapfrog.c, evolve.c: the first part of opening a zeroed stepper: sizes and kernels.  Nothing
 * has to be closed.  sums: whether any will be asked for. */
int clopt__leapfrog_choose(struct clopt *ctx, const struct job *job, struct stepper *s);
int clopt__evolve_choose(struct clopt *ctx, const struct evolution *e, int sums, struct stepper *s);

struct clopt_problem clopt__leapfrog_gravity(const struct clopt_problem *step);
int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *placed);
int clopt__evolve(struct clopt *ctx, const struct evolution *e);
int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums);

#endif
