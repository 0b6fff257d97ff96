/* SPDX-License-Identifier: MIT */
/*
 * finish.c - waits for a queue even if the driver fails.  A clFinish that fails may not have
 * waited; then the device would write to the caller's arrays after the call has returned.
 */
#include "move.h"

static int wait_again(cl_command_queue q)
{
	cl_event end = NULL;
	cl_int code = clEnqueueMarkerWithWaitList(q, 0, NULL, &end);

	if (code == CL_SUCCESS) {
		code = clWaitForEvents(1, &end);
		clReleaseEvent(end);
	}
	return code == CL_SUCCESS || clFinish(q) == CL_SUCCESS;
}

int clopt__finish(const struct clopt *ctx, cl_command_queue q, int rc)
{
	cl_int code;

	clopt__caller_hold();
	clopt__caller_drives();
	code = clFinish(q);
	if (code != CL_SUCCESS && !wait_again(q)) {
		clopt__lose(ctx);
		rc = clopt__fail(
		        ctx, CLOPT_ELOST,
		        "clFinish failed with %s (%d) on %s, and so did waiting for an event: the "
		        "device counts as lost, and may still use arrays of the call",
		        clopt__cl_name(code), (int)code, ctx->device.info.name);
	} else if (code != CL_SUCCESS && rc == CLOPT_OK) {
		rc = clopt__fail_cl(ctx, code, "clFinish");
	}
	clopt__caller_back();
	return rc;
}
