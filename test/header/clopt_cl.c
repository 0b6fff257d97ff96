/* SPDX-License-Identifier: MIT */
/* clopt_cl.h needs no other header before it, and may be included twice. */
#include "clopt_cl.h"
#include "clopt_cl.h"
#include "value.h"

LINKED(int (*const call)(struct clopt **, cl_context, cl_device_id,
                         const struct clopt_options *) = clopt_open_cl)
