/* SPDX-License-Identifier: MIT */
/*
 * buffers.h - the caller's buffers, queues and events, and jobs that are queued on buffers.
 */
#ifndef CLOPT_BUFFERS_BUFFERS_H
#define CLOPT_BUFFERS_BUFFERS_H

#include "../call/call.h"

struct clopt_queue {
	struct clopt *ctx;
	cl_command_queue q;
	struct clopt_queue *next; /* in the context's list */
};

struct clopt_event {
	struct clopt *ctx;
	cl_event event;
};

/* ---- order.c: checks the caller's order and converts it to OpenCL's terms; NULL: the default */
/* Where the order wants its event, or NULL. Sets that event to NULL, so call it before anything can
 * be refused. */
struct clopt_event **clopt__no_event(const struct clopt_order *order);
/* p->list is malloc'ed.  Call clopt__placed also after failure: it frees the list. */
int clopt__place(struct clopt *ctx, const struct clopt_order *order, struct placed *p);
/* After queueing, with its rc: flush, hand out the event or release it, free the list. */
int clopt__placed(struct clopt *ctx, struct placed *p, int rc);
/* The first error of a command with a wait list.  Call it once all queues are empty.  Each error is
 * reported once. */
cl_int clopt__watch_take(struct clopt *ctx);
/* Release the watched events, when the context closes. */
void clopt__watch_free(struct clopt *ctx);

/* ---- enqueue.c: the job's last command is queued on return */
int clopt__enqueue(struct clopt *ctx, const struct job *described, const struct clopt_order *order);
/* Choose a row for a complete job and launch it. */
int clopt__enqueue_job(struct clopt *ctx, const struct job *job, struct placed *p);

/* in_place.c: a transpose whose result replaces its input; placed NULL: on host arrays. */
int clopt__in_place(struct clopt *ctx, const struct job *job, struct placed *placed);

/* ---- resident.c: the operand for a kernel: the buffer itself, or (own) a queued copy */
int clopt__buffer_array(struct clopt *ctx, struct placed *p, const struct operand *o,
                        struct layout l, struct array *a, int *own);
/* Copy such an array back to the buffer, after the command that wrote it.  *event: in, the event of
 * that command; out, the event of the copy. */
int clopt__buffer_array_back(struct clopt *ctx, struct placed *p, const struct operand *o,
                             const struct array *a, cl_event *event);
/* An array for commands of q: one that earlier commands of q use, or an idle one, or a new one. */
int clopt__scratch(struct clopt *ctx, cl_command_queue q, size_t rows, size_t row_bytes,
                   struct layout l, struct array *a);
/* Leave the array to clopt__kept_free.  Without an event, wait for q and release it now. */
void clopt__keep(struct clopt *ctx, cl_command_queue q, cl_event event, struct array *a);
/* Release arrays that queued commands no longer use, or make those of clopt__scratch idle arrays;
 * with `all`, wait and release all. */
void clopt__kept_free(struct clopt *ctx, int all);

#endif
