/* SPDX-License-Identifier: MIT */
/*
 * clopt_cl.h - the library in an OpenCL program, on its context, queues and buffers.  A context on
 * the OpenCL context of a program, and a buffer on its cl_mem:
 *
 *	rc = clopt_open_cl(&ctx, context, device, NULL);
 *	...
 *	rc = clopt_buffer_from_cl(ctx, mem, &buffer);
 */
#ifndef CLOPT_CL_H
#define CLOPT_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#include "clopt_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Open a context on the caller's OpenCL context and one of its devices.  Both are retained and stay
 * the caller's; clopt_close releases the references.  options and CLOPT_* hold as for clopt_open,
 * except the choice of a device.
 *
 * CLOPT_EINVAL: the device is not in the OpenCL context.
 */
CLOPT_API int clopt_open_cl(struct clopt **ctx, cl_context context, cl_device_id device,
                            const struct clopt_options *options);

/* The context and device in use.  They belong to the library: retain them to keep them beyond
 * clopt_close. */
CLOPT_API cl_context clopt_cl_context(const struct clopt *ctx);
CLOPT_API cl_device_id clopt_cl_device(const struct clopt *ctx);

/*
 * Make clopt objects of the caller's OpenCL objects, for the commands of clopt_device.h.  Each
 * OpenCL object is retained until its clopt object is freed.  CLOPT_EINVAL if it belongs to another
 * OpenCL context.  A queue has to be in order and of ctx's device.
 */
CLOPT_API int clopt_buffer_from_cl(struct clopt *ctx, cl_mem mem, struct clopt_buffer **buffer);
CLOPT_API int clopt_queue_from_cl(struct clopt *ctx, cl_command_queue from,
                                  struct clopt_queue **queue);
CLOPT_API int clopt_event_from_cl(struct clopt *ctx, cl_event from, struct clopt_event **event);

/* The OpenCL object of a clopt object, which owns it: retain it to keep it.  A view has that of the
 * whole buffer. */
CLOPT_API cl_mem clopt_buffer_cl(const struct clopt_buffer *buffer);
CLOPT_API cl_command_queue clopt_queue_cl(const struct clopt_queue *queue);
CLOPT_API cl_event clopt_event_cl(const struct clopt_event *event);

/* clopt_map with the caller's kernel: map's source, name and build_options are ignored.  The call
 * sets the kernel's arguments, so no other thread may use it at the same time. */
CLOPT_API int clopt_map_cl(struct clopt *ctx, cl_kernel kernel, const struct clopt_map_desc *map);

#ifdef __cplusplus
}
#endif

#endif
