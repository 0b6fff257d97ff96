/* SPDX-License-Identifier: MIT */
/* clopt_tune.h likewise. */
#include "clopt_tune.h"
#include "clopt_tune.h"
#include "value.h"

CONSTANT struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
CONSTANT struct clopt_tune_options tune_options = CLOPT_TUNE_OPTIONS_INIT;
CONSTANT struct clopt_resources resources = CLOPT_RESOURCES_INIT;
CONSTANT struct clopt_occupancy_info occupancy = CLOPT_OCCUPANCY_INFO_INIT;
LINKED(int (*const call)(struct clopt *, const char *) = clopt_force_variants)
