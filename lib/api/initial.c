/* SPDX-License-Identifier: MIT */
/*
 * initial.c - the initialisers of the header as functions, for languages without C's macros.
 */
#include <string.h>

#include "api.h"

/* The caller's struct may be shorter or longer than ours.  If it is longer, its routine refuses it
 * by its size. */
static void fill(void *to, size_t size, const void *from, size_t known)
{
	if (!to || size < sizeof size)
		return;
	memset(to, 0, size);
	memcpy(to, from, size < known ? size : known);
	memcpy(to, &size, sizeof size);
}

void clopt_options_init(struct clopt_options *options, size_t size)
{
	static const struct clopt_options initial = CLOPT_OPTIONS_INIT;

	fill(options, size, &initial, sizeof initial);
}

void clopt_gemm_init(struct clopt_gemm *g, size_t size)
{
	static const struct clopt_gemm initial = CLOPT_GEMM_INIT;

	fill(g, size, &initial, sizeof initial);
}

void clopt_potential_options_init(struct clopt_potential_options *options, size_t size)
{
	static const struct clopt_potential_options initial = CLOPT_POTENTIAL_OPTIONS_INIT;

	fill(options, size, &initial, sizeof initial);
}

void clopt_nbody_options_init(struct clopt_nbody_options *options, size_t size)
{
	static const struct clopt_nbody_options initial = CLOPT_NBODY_OPTIONS_INIT;

	fill(options, size, &initial, sizeof initial);
}

void clopt_evolve_options_init(struct clopt_evolve_options *options, size_t size)
{
	static const struct clopt_evolve_options initial = CLOPT_EVOLVE_OPTIONS_INIT;

	fill(options, size, &initial, sizeof initial);
}

void clopt_order_init(struct clopt_order *order, size_t size)
{
	static const struct clopt_order initial = CLOPT_ORDER_INIT;

	fill(order, size, &initial, sizeof initial);
}

void clopt_map_init(struct clopt_map *map, size_t size)
{
	static const struct clopt_map initial = CLOPT_MAP_INIT;

	fill(map, size, &initial, sizeof initial);
}

void clopt_tune_options_init(struct clopt_tune_options *options, size_t size)
{
	static const struct clopt_tune_options initial = CLOPT_TUNE_OPTIONS_INIT;

	fill(options, size, &initial, sizeof initial);
}

void clopt_problem_init(struct clopt_problem *problem, size_t size)
{
	static const struct clopt_problem initial = CLOPT_PROBLEM_INIT;

	fill(problem, size, &initial, sizeof initial);
}

void clopt_report_init(struct clopt_report *report, size_t size)
{
	static const struct clopt_report initial = CLOPT_REPORT_INIT;

	fill(report, size, &initial, sizeof initial);
}

void clopt_plan_init(struct clopt_plan *plan, size_t size)
{
	static const struct clopt_plan initial = CLOPT_PLAN_INIT;

	fill(plan, size, &initial, sizeof initial);
}

void clopt_resources_init(struct clopt_resources *use, size_t size)
{
	static const struct clopt_resources initial = CLOPT_RESOURCES_INIT;

	fill(use, size, &initial, sizeof initial);
}

void clopt_occupancy_init(struct clopt_occupancy *result, size_t size)
{
	static const struct clopt_occupancy initial = CLOPT_OCCUPANCY_INIT;

	fill(result, size, &initial, sizeof initial);
}
