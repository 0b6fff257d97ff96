/* SPDX-License-Identifier: MIT */
/* clopt_device.h likewise. */
#include "clopt_device.h"
#include "clopt_device.h"
#include "value.h"

CONSTANT struct clopt_order order = CLOPT_ORDER_INIT;
CONSTANT struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
CONSTANT struct clopt_selfcheck_options selfcheck = CLOPT_SELFCHECK_OPTIONS_INIT;
LINKED(int (*const call)(struct clopt *) = clopt_finish)
