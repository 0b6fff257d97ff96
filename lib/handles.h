/* SPDX-License-Identifier: MIT */
/*
 * handles.h - buffers, queues and events as the public API has them.
 *
 * Each is one OpenCL object, retained, and the context it belongs to.
 */
#ifndef CLOPT_HANDLES_H
#define CLOPT_HANDLES_H

#include "stream.h"

struct clopt_buffer {
	struct clopt *ctx;
	cl_mem mem; /* of the part, where it is one */
	size_t bytes;
	cl_mem root; /* what it is part of, retained; or mem itself, not retained again */
	size_t offset_bytes; /* in root */
};

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

/* An order in OpenCL's terms; handles.c.  NULL stands for the default.  Checks
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

/* Release the array when the event has come, or now, after waiting for q. */
void clopt__keep(struct clopt *ctx, cl_command_queue q, cl_event event, struct array *a);

#endif
