/* SPDX-License-Identifier: MIT */
/*
 * initial.c - the initialisers of the header as functions, for languages without C's macros.
 */
#include <string.h>

#include "api.h"

/* The caller's struct may be shorter or longer than the library's. */
static void fill(void *to, size_t size, const void *from, size_t known)
{
	if (!to || size < sizeof size)
		return;
	memcpy(to, &size, sizeof size);
	clopt__sized_entry(to, 0, from, known);
}

#define INITIALISER(name, initial_value) \
	void name##_init(struct name *to, size_t size) \
	{ \
		static const struct name initial = initial_value; \
		fill(to, size, &initial, sizeof initial); \
	}

INITIALISER(clopt_options, CLOPT_OPTIONS_INIT)
INITIALISER(clopt_gemm_desc, CLOPT_GEMM_DESC_INIT)
INITIALISER(clopt_potential_options, CLOPT_POTENTIAL_OPTIONS_INIT)
INITIALISER(clopt_nbody_options, CLOPT_NBODY_OPTIONS_INIT)
INITIALISER(clopt_points, CLOPT_POINTS_INIT)
INITIALISER(clopt_results, CLOPT_RESULTS_INIT)
INITIALISER(clopt_evolve_options, CLOPT_EVOLVE_OPTIONS_INIT)
INITIALISER(clopt_order, CLOPT_ORDER_INIT)
INITIALISER(clopt_group, CLOPT_GROUP_INIT)
INITIALISER(clopt_map_desc, CLOPT_MAP_DESC_INIT)
INITIALISER(clopt_tune_options, CLOPT_TUNE_OPTIONS_INIT)
INITIALISER(clopt_problem, CLOPT_PROBLEM_INIT)
INITIALISER(clopt_selfcheck_options, CLOPT_SELFCHECK_OPTIONS_INIT)
INITIALISER(clopt_report, CLOPT_REPORT_INIT)
INITIALISER(clopt_plan_info, CLOPT_PLAN_INFO_INIT)
INITIALISER(clopt_resources, CLOPT_RESOURCES_INIT)
INITIALISER(clopt_occupancy_info, CLOPT_OCCUPANCY_INFO_INIT)
