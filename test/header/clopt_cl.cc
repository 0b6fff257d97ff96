/* SPDX-License-Identifier: MIT */
/* clopt_cl.h as C++: as alone and as safe to include twice as in C. */
#include "clopt_cl.h"
#include "clopt_cl.h"

extern "C" {
int (*const call)(clopt **, cl_context, cl_device_id, const clopt_options *) = clopt_open_cl;
}
