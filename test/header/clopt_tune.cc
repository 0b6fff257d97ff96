/* SPDX-License-Identifier: MIT */
/* clopt_tune.h as C++. */
#include "clopt_tune.h"
#include "clopt_tune.h"

extern const clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
extern const clopt_tune_options tune_options = CLOPT_TUNE_OPTIONS_INIT;
extern const clopt_resources resources = CLOPT_RESOURCES_INIT;
extern const clopt_occupancy_info occupancy = CLOPT_OCCUPANCY_INFO_INIT;
extern "C" {
int (*const call)(clopt *, const char *) = clopt_force_variants;
}
