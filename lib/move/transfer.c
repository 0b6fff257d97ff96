/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - one copy of rows between host memory and a buffer, for callers outside the pipeline,
 * in the fastest way for the memory.  pipeline.c chooses the way of its own transfers.
 */

#include "move.h"

int clopt__transfer(struct clopt *ctx, cl_command_queue q, const struct transfer *t,
                    struct waits wait, cl_event *event)
{
	const int pinned = clopt__is_pinned(ctx, t->host, clopt__transfer_span(t));
	struct staged b = { .transfer = *t, .q = q };
	const char *call;
	cl_int code;
	int rc = CLOPT_OK;

	if (pinned || !clopt__stages(ctx, t->rows * t->row_bytes, t->down, 1)) {
		code = clopt__copy(q, t, pinned ? CL_FALSE : CL_TRUE, wait, event, &call);
		if (code != CL_SUCCESS)
			rc = clopt__finish(ctx, q, clopt__fail_cl(ctx, code, call));
		return rc;
	}
	clopt__staged_begin(ctx, &b);
	TRY(clopt__staged_wait(ctx, &b, STAGED_DONE));
	if (event)
		TRY_CL(ctx, clEnqueueMarkerWithWaitList(q, 0, NULL, event));
out:
	return rc;
}
