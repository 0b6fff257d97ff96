/* SPDX-License-Identifier: MIT */
/*
 * enqueue.c - sets an argument of a kernel, and queues one of its commands.
 */
#include "../device/device.h"
#include "program.h"

int clopt__argument(struct clopt *ctx, cl_kernel kernel, cl_uint n, size_t bytes, const void *value)
{
	return clopt__code(ctx, clSetKernelArg(kernel, n, bytes, value), "clSetKernelArg");
}

int clopt__log_kernel(struct clopt *ctx, cl_command_queue q, const char *name, cl_event event)
{
	unsigned i = ctx->queues;

	while (i > 1 && ctx->queue[i - 1] != q)
		i--;
	return clopt__log_add(ctx, COMMAND_KERNEL, i - 1, 0, name, event);
}

int clopt__enqueue_kernel(struct clopt *ctx, cl_command_queue q, cl_kernel kernel, cl_uint axes,
                          const size_t *offset, const size_t *global, const size_t *local,
                          struct waits wait, cl_event *event)
{
	const int apart = clopt__works_around(ctx, KEEPS_APART);
	struct flight f = {
		.ctx = ctx,
		.q = q,
		.width = axes > 1 && global[1] > global[0] ? global[1] : global[0],
		.local = local ? local[0] : 0,
		.offset = offset && offset[0],
	};
	cl_event own = NULL, *const to = event || !apart ? event : &own;
	int rc = CLOPT_OK;

	if (apart) {
		f.kernel = clopt__kernel_of(ctx, kernel);
		clopt__flight_begin(&f);
	}
	TRY_CL(ctx, clEnqueueNDRangeKernel(q, kernel, axes, offset, global, local, wait.count,
	                                   wait.count ? wait.list : NULL, to));
	f.event = to ? *to : NULL;
out:
	if (apart)
		clopt__flight_end(&f);
	if (own)
		clReleaseEvent(own);
	return rc;
}

int clopt__enqueue_first(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                         const struct first *first, struct waits wait)
{
	cl_event event = NULL;
	int rc = CLOPT_OK;

	TRY(clopt__enqueue_kernel(ctx, q, first->kernel, 3, NULL, first->global, first->local, wait,
	                          ctx->profile && l->logged ? &event : NULL));
	if (event)
		TRY(clopt__log_kernel(ctx, q, l->v->name, event));
out:
	return rc;
}
