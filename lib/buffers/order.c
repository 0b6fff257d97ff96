/* SPDX-License-Identifier: MIT */
/*
 * order.c - the caller's order for a command: its queue, its wait list and its event.  The device
 * waits for earlier commands, by the queue and the list; copy.c waits for ordinary memory.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"

/* Longest wait list: OpenCL counts events in 32 bits, and the list has to be addressable. */
#define MOST_WAITS \
	((SIZE_MAX / sizeof(cl_event) < UINT32_MAX ? SIZE_MAX / sizeof(cl_event) : \
	                                             (size_t)UINT32_MAX) - \
	 1)

/* ---- Commands that may fail after they were queued -------------------------- */

/*
 * clFinish does not report a command that never ran because an event in its wait list failed.  So
 * the events of commands with a wait list are retained until they end, and then checked.
 */
static void sweep(struct clopt *ctx)
{
	struct watch *w = &ctx->watch;
	size_t i, left = 0;
	cl_int code, status;

	for (i = 0; i < w->count; i++) {
		status = CL_COMPLETE;
		code = clGetEventInfo(w->list[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
		                      &status, NULL);
		if (code == CL_SUCCESS && status > CL_COMPLETE) {
			w->list[left++] = w->list[i];
			continue;
		}
		/* Intel's driver reports commands as complete that never ran.  A wait shows the
		 * failure. */
		if (code == CL_SUCCESS && status == CL_COMPLETE)
			code = clWaitForEvents(1, &w->list[i]);
		status = code == CL_SUCCESS ? status : code;
		if (w->failed == CL_SUCCESS)
			w->failed = status;
		clReleaseEvent(w->list[i]);
	}
	w->count = left;
}

static int keep(struct clopt *ctx, cl_event event)
{
	struct watch *w = &ctx->watch;
	cl_event *list = w->list;
	int rc = CLOPT_OK;

	if (w->count == w->room) {
		sweep(ctx);
		/* Leave at least half free, or each further command would sweep. */
		list = clopt__room(w->list, 2 * w->count, &w->room, sizeof *list);
		if (!list)
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to keep %zu events",
			                   w->count + 1);
		w->list = list;
	}
	TRY_CL(ctx, clRetainEvent(event));
	list[w->count++] = event;
out:
	return rc;
}

cl_int clopt__watch_take(struct clopt *ctx)
{
	cl_int failed;

	sweep(ctx);
	failed = ctx->watch.failed;
	ctx->watch.failed = CL_SUCCESS;
	return failed;
}

void clopt__watch_free(struct clopt *ctx)
{
	while (ctx->watch.count)
		clReleaseEvent(ctx->watch.list[--ctx->watch.count]);
	free(ctx->watch.list);
}

/* ---- Orders --------------------------------------------------------------- */

static int place_waits(struct clopt *ctx, const struct clopt_order *o, struct placed *p)
{
	size_t i;

	if (!o->nwait)
		return CLOPT_OK;
	if (!o->wait)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "order.nwait is %zu and order.wait is NULL: give the events",
		                   o->nwait);
	for (i = 0; i < o->nwait; i++)
		if (!o->wait[i] || o->wait[i]->ctx != ctx)
			return clopt__fail(ctx, CLOPT_EINVAL, "order.wait[%zu] of %zu is %s", i,
			                   o->nwait,
			                   o->wait[i] ? "an event of another context" : "NULL");
	p->list = malloc((o->nwait + 1) * sizeof *p->list);
	if (!p->list)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to wait for %zu events", o->nwait);
	for (i = 0; i < o->nwait; i++)
		p->list[i] = o->wait[i]->event;
	p->wanted = &p->event; /* for keep(): the command may fail by its wait list */
	p->wait.count = p->listed = (cl_uint)o->nwait;
	p->waited = 1;
	p->wait.list = p->list;
	return CLOPT_OK;
}

struct clopt_event **clopt__no_event(const struct clopt_order *order)
{
	struct clopt_event **event = NULL;

	if (clopt__sized_has(order, offsetof(struct clopt_order, event) + sizeof event) &&
	    order->nwait <= MOST_WAITS)
		event = order->event;
	if (event)
		*event = NULL;
	return event;
}

int clopt__place(struct clopt *ctx, const struct clopt_order *order, struct placed *p)
{
	struct clopt_order o = CLOPT_ORDER_INIT;
	int rc = CLOPT_OK;

	memset(p, 0, sizeof *p);
	p->q = ctx->queue[0];
	TRY(clopt__sized_read(ctx, "clopt_order", order, &o, sizeof o));
	if (o.nwait > MOST_WAITS)
		return clopt__fail(ctx, CLOPT_EINVAL, "order.nwait is %zu: it must be at most %zu",
		                   o.nwait, MOST_WAITS);
	if (o.queue && o.queue->ctx != ctx)
		return clopt__fail(ctx, CLOPT_EINVAL, "order.queue belongs to another context");
	if (o.queue)
		p->q = o.queue->q;
	TRY(place_waits(ctx, &o, p));
	if (o.event) {
		p->handle = calloc(1, sizeof *p->handle);
		if (!p->handle)
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for an event");
		p->to = o.event;
		p->wanted = &p->event;
	}
out:
	return rc;
}

int clopt__placed(struct clopt *ctx, struct placed *p, int rc)
{
	cl_int code;

	if (rc == CLOPT_OK) {
		/* Another queue may wait forever for an event whose queue is not flushed. */
		code = clFlush(p->q);
		if (code != CL_SUCCESS)
			rc = clopt__fail_cl(ctx, code, "clFlush");
		if (rc == CLOPT_OK && p->first)
			rc = keep(ctx, p->first);
		if (rc == CLOPT_OK && p->waited && p->event)
			rc = keep(ctx, p->event);
		if (rc != CLOPT_OK)
			rc = clopt__finish(ctx, p->q, rc); /* the caller may free host memory now */
	}
	if (rc == CLOPT_OK && p->to) {
		p->handle->ctx = ctx;
		clopt__hold(ctx);
		p->handle->event = p->event;
		*p->to = p->handle;
	} else {
		if (p->event)
			clReleaseEvent(p->event);
		free(p->handle);
	}
	if (p->first)
		clReleaseEvent(p->first);
	free(p->list);
	memset(p, 0, sizeof *p);
	return rc;
}
