/* SPDX-License-Identifier: MIT */
/* clopt.h as C++: as alone and as safe to include twice as in C, and with names that C++ links. */
#include "clopt.h"
#include "clopt.h"

extern const clopt_options options = CLOPT_OPTIONS_INIT;
extern const clopt_potential_options potential_options = CLOPT_POTENTIAL_OPTIONS_INIT;
extern const clopt_nbody_options nbody_options = CLOPT_NBODY_OPTIONS_INIT;
extern const struct clopt_problem problem = CLOPT_PROBLEM_INIT;
extern const struct clopt_report report = CLOPT_REPORT_INIT;
extern const struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
extern const struct clopt_resources resources = CLOPT_RESOURCES_INIT;
extern const struct clopt_occupancy_info occupancy = CLOPT_OCCUPANCY_INFO_INIT;
extern "C" {
int (*const call)(struct clopt **, const struct clopt_options *) = clopt_open;
}
