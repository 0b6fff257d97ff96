/* SPDX-License-Identifier: MIT */
/*
 * buffers.h - the caller's buffers, queues and events, and jobs on them, which are queued.
 */
#ifndef CLOPT_BUFFERS_BUFFERS_H
#define CLOPT_BUFFERS_BUFFERS_H

#include "../call/call.h"

struct clopt_queue {
	struct clopt *ctx;
	cl_command_queue q;
	struct clopt_queue *next; /* of ctx's */
};

struct clopt_event {
	struct clopt *ctx;
	cl_event event;
};

/* ---- order.c: an order in OpenCL's terms, checked; NULL stands for the default */
/* Where the order wants its event, which is NULL until the command is queued; NULL: nowhere. Called
 * before anything is refused. */
struct clopt_event **clopt__no_event(const struct clopt_order *order);
/* p->list is malloc'ed and clopt__placed frees it, which is called after failure too. */
int clopt__place(struct clopt *ctx, const struct clopt_order *order, struct placed *p);
/* After queueing (rc): flush, hand the event out or release it, free the list. */
int clopt__placed(struct clopt *ctx, struct placed *p, int rc);
/* The first error of a command that waited for others, once all queues are empty; each is reported
 * once. */
cl_int clopt__watch_take(struct clopt *ctx);
/* At the end of the context. */
void clopt__watch_free(struct clopt *ctx);

/* ---- enqueue.c: the job's last command is queued on return */
int clopt__enqueue(struct clopt *ctx, const struct job *described, const struct clopt_order *order);
/* Choose a row for a complete job and launch it. */
int clopt__enqueue_job(struct clopt *ctx, const struct job *job, struct placed *p);

/* in_place.c: a transpose whose result replaces its input; placed NULL: on host arrays. */
int clopt__in_place(struct clopt *ctx, const struct job *job, struct placed *placed);

/* ---- resident.c: the operand as a kernel takes it: the buffer itself, or (own) a queued copy */
int clopt__buffer_array(struct clopt *ctx, struct placed *p, const struct operand *o,
                        struct layout l, struct array *a, int *own);
/* Copy such an array back to the buffer, after the event of the command that wrote it; *event: that
 * of the copy. */
int clopt__buffer_array_back(struct clopt *ctx, struct placed *p, const struct operand *o,
                             const struct array *a, cl_event *event);
/* The operand has no elements, and may have no buffer. */
int clopt__holds_nothing(const struct operand *o);
/* Release the array after the event; without an event now, after waiting for q. */
void clopt__keep(struct clopt *ctx, cl_command_queue q, cl_event event, struct array *a);
/* Release arrays that queued commands no longer use; with `all`, wait and release all. */
void clopt__kept_free(struct clopt *ctx, int all);

#endif
