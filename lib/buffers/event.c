/* SPDX-License-Identifier: MIT */
/*
 * event.c - the caller's events: waits, times, and events from OpenCL.
 */
#include <stdlib.h>

#include "clopt_cl.h"
#include "buffers.h"

/* Wait without the lock: another thread may have to queue the command that ends the wait. */
static int wait_for(const struct clopt_event *event)
{
	cl_int code, status = CL_COMPLETE, asked;
	int rc = CLOPT_OK;

	TRY(clopt__usable(event->ctx));
	clopt__caller_hold();
	clopt__caller_drives();
	code = clWaitForEvents(1, &event->event);
	clopt__caller_back();

	/* clWaitForEvents reports only that some event failed. */
	asked = clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
	                       &status, NULL);
	if (asked == CL_SUCCESS && status < 0) {
		rc = clopt__fail_cl(event->ctx, status, "the event's command");
		return rc == CLOPT_ELOST ? rc : CLOPT_EDEVICE;
	}
	TRY_CODE(event->ctx, code, "clWaitForEvents");
	TRY_CODE(event->ctx, asked, "clGetEventInfo");
out:
	return rc;
}

int clopt_event_wait(struct clopt_event *event)
{
	int rc;

	if (!event)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_event_wait: event is NULL");
	clopt__doing(clopt__words(__func__));
	rc = wait_for(event);
	clopt__done();
	return rc;
}

int clopt_event_seconds(struct clopt_event *event, double *seconds)
{
	cl_ulong start = 0, end = 0;
	int rc = CLOPT_OK;

	if (seconds)
		*seconds = 0;
	if (!event || !seconds)
		return clopt__fail(event ? event->ctx : NULL, CLOPT_EINVAL,
		                   "clopt_event_seconds: %s is NULL", event ? "seconds" : "event");
	clopt__doing(clopt__words(__func__));
	TRY(clopt__usable(event->ctx));
	if (!event->ctx->profile)
		TRY(clopt__fail(
		        event->ctx, CLOPT_EINVAL,
		        "clopt_options.profile is 0: open the context with 1 to time events"));
	TRY(wait_for(event));
	TRY_CL(event->ctx, clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_START,
	                                           sizeof start, &start, NULL));
	TRY_CL(event->ctx, clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_END,
	                                           sizeof end, &end, NULL));
	*seconds = end > start ? 1e-9 * (double)(end - start) : 0;
out:
	clopt__done();
	return rc;
}

int clopt_event_from_cl(struct clopt *ctx, cl_event from, struct clopt_event **event)
{
	struct clopt_event *made = NULL;
	cl_context context = NULL;
	int rc;

	if (event)
		*event = NULL;
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!from || !event)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL", from ? "event" : "from"));
	TRY_CL(ctx, clGetEventInfo(from, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
	if (context != ctx->context)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "the event belongs to another OpenCL context"));
	if (!(made = calloc(1, sizeof *made)))
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory for an event"));
	TRY_CL(ctx, clRetainEvent(from));
	made->ctx = ctx;
	clopt__hold(ctx);
	made->event = from;
	*event = made;
	made = NULL;
out:
	free(made);
	return clopt__leave(ctx, rc);
}

cl_event clopt_event_cl(const struct clopt_event *event)
{
	return event ? event->event : NULL;
}

void clopt_event_free(struct clopt_event *event)
{
	if (!event || clopt__forked(event->ctx))
		return;
	clopt__caller_hold();
	clopt__caller_drives();
	clReleaseEvent(event->event);
	clopt__let_go(event->ctx);
	free(event);
	clopt__caller_back();
}
