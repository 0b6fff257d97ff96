/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - rows between host memory and a buffer, one command.
 */
#include "move.h"

cl_int clopt__copy(cl_command_queue q, const struct transfer *t, cl_bool blocking, struct wait wait,
                   cl_event *event, const char **call)
{
	const size_t at[3] = { t->offset_bytes, 0, 0 }, zero[3] = { 0, 0, 0 };
	const size_t region[3] = { t->row_bytes, t->rows, 1 };
	const cl_event *list = wait.count ? wait.list : NULL;
	const int linear = t->rows == 1 ||
	                   (t->pitch_bytes == t->row_bytes && t->host_pitch_bytes == t->row_bytes);

	if (linear && t->down) {
		*call = "clEnqueueReadBuffer";
		return clEnqueueReadBuffer(q, t->mem, blocking, t->offset_bytes,
		                           t->rows * t->row_bytes, t->host, wait.count, list,
		                           event);
	}
	if (linear) {
		*call = "clEnqueueWriteBuffer";
		return clEnqueueWriteBuffer(q, t->mem, blocking, t->offset_bytes,
		                            t->rows * t->row_bytes, t->host, wait.count, list,
		                            event);
	}
	if (t->down) {
		*call = "clEnqueueReadBufferRect";
		return clEnqueueReadBufferRect(q, t->mem, blocking, at, zero, region,
		                               t->pitch_bytes, 0, t->host_pitch_bytes, 0, t->host,
		                               wait.count, list, event);
	}
	*call = "clEnqueueWriteBufferRect";
	return clEnqueueWriteBufferRect(q, t->mem, blocking, at, zero, region, t->pitch_bytes, 0,
	                                t->host_pitch_bytes, 0, t->host, wait.count, list, event);
}

size_t clopt__transfer_span(const struct transfer *t)
{
	return (t->rows - 1) * t->host_pitch_bytes + t->row_bytes;
}

int clopt__transfer(struct clopt *ctx, cl_command_queue q, const struct transfer *t,
                    struct wait wait, cl_event *event)
{
	const int pinned = clopt__is_pinned(ctx, t->host, clopt__transfer_span(t));
	struct batch b = { .transfer = *t, .q = q };
	const char *call;
	cl_int code;
	int rc = CLOPT_OK;

	if (pinned || !clopt__stages(ctx, t->rows * t->row_bytes, t->down)) {
		code = clopt__copy(q, t, pinned ? CL_FALSE : CL_TRUE, wait, event, &call);
		TRY_CODE(ctx, code, call);
		return rc;
	}
	/* Then the queue waits, and the threads' commands come behind. */
	if (wait.count)
		TRY_CL(ctx, clEnqueueBarrierWithWaitList(q, wait.count, wait.list, NULL));
	clopt__batch_begin(ctx, &b);
	TRY(clopt__batch_wait(ctx, &b, BATCH_DONE));
	if (event)
		TRY_CL(ctx, clEnqueueMarkerWithWaitList(q, 0, NULL, event));
out:
	return rc;
}
