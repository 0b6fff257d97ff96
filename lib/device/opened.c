/* SPDX-License-Identifier: MIT */
/*
 * opened.c - OpenCL's context and queues of a device.
 */
#include <stdlib.h>

#include "device.h"

int clopt__context_create(struct clopt *ctx)
{
	cl_int code;

	ctx->context = clCreateContext(NULL, 1, &ctx->device.id, NULL, NULL, &code);
	if (code != CL_SUCCESS)
		ctx->context = NULL; /* some drivers leave a value there */
	return clopt__code(NULL, code, "clCreateContext");
}

/* *yes: whether device belongs to the context, or is a part of one of its devices.  PoCL lists the
 * whole device in the context of a sub-device. */
static int belongs(cl_context context, cl_device_id device, int *yes)
{
	cl_device_id *ids = NULL;
	size_t size = 0, i;
	int rc = CLOPT_OK;

	*yes = 0;
	TRY_CL(NULL, clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size));
	if (!(ids = malloc(size ? size : 1)))
		return clopt__fail(NULL, CLOPT_ENOMEM, "no memory to list a context's devices");
	TRY_CL(NULL, clGetContextInfo(context, CL_CONTEXT_DEVICES, size, ids, NULL));
	while (device && !*yes) {
		for (i = 0; i < size / sizeof *ids; i++)
			*yes |= ids[i] == device;
		TRY_CL(NULL, clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof device,
		                             &device, NULL));
	}
out:
	free(ids);
	return rc;
}

int clopt__context_adopt(struct clopt *ctx, cl_context context, cl_device_id device,
                         unsigned lifted)
{
	int yes, rc = CLOPT_OK;

	TRY(belongs(context, device, &yes));
	if (!yes)
		TRY(clopt__fail(NULL, CLOPT_EINVAL,
		                "clopt_open_cl: device is not one of the devices of context"));
	TRY(clopt__device_read(device, lifted, &ctx->device));
	TRY_CL(NULL, clRetainContext(context));
	ctx->context = context;
	TRY_CL(NULL, clRetainDevice(device));
	ctx->adopted = 1;
out:
	return rc;
}

/* Number of engines that can work at the same time: two directions of copies, and kernels.  With
 * shared memory: kernels, and the host's copies. */
static unsigned engines(const struct clopt *ctx)
{
	if (ctx->device.traits & T_UNIFIED)
		return 2;
	return ctx->device.info.copy_engines == 1 ? 2 : 3;
}

int clopt__queues_open(struct clopt *ctx, unsigned count)
{
	const cl_command_queue_properties properties = ctx->profile ? CL_QUEUE_PROFILING_ENABLE : 0;
	cl_int code;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < (count ? count : engines(ctx)); i++) {
		ctx->queue[i] =
		        clCreateCommandQueue(ctx->context, ctx->device.id, properties, &code);
		if (code != CL_SUCCESS)
			ctx->queue[i] = NULL; /* as above */
		TRY_CODE(NULL, code, "clCreateCommandQueue");
		ctx->queues = i + 1;
	}
out:
	return rc;
}

void clopt__queues_close(struct clopt *ctx)
{
	unsigned i;

	for (i = 0; i < ctx->queues; i++)
		clReleaseCommandQueue(ctx->queue[i]);
}
