/* SPDX-License-Identifier: MIT */
/*
 * clopt_cl.h - for programs that have OpenCL objects of their own.
 */
#ifndef CLOPT_CL_H
#define CLOPT_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "clopt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Open a context on the caller's OpenCL context and one of its devices.  Both
 * are retained and stay the caller's; clopt_close gives the references back.
 * options and CLOPT_* hold as for clopt_open, but for the choice of a device.
 *
 * CLOPT_EINVAL: device is not one of context's.
 */
int clopt_open_cl(struct clopt **ctx, cl_context context, cl_device_id device,
                  const struct clopt_options *options);

/* The context and device in use.  They stay the library's: retain them to keep
 * them beyond clopt_close. */
cl_context clopt_cl_context(const struct clopt *ctx);
cl_device_id clopt_cl_device(const struct clopt *ctx);

#ifdef __cplusplus
}
#endif

#endif
