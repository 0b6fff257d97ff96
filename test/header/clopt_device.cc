/* SPDX-License-Identifier: MIT */
/* clopt_device.h as C++. */
#include "clopt_device.h"
#include "clopt_device.h"

extern const clopt_order order = CLOPT_ORDER_INIT;
extern const clopt_map_desc map = CLOPT_MAP_DESC_INIT;
extern const clopt_selfcheck_options selfcheck = CLOPT_SELFCHECK_OPTIONS_INIT;
extern "C" {
int (*const call)(clopt *) = clopt_finish;
}
