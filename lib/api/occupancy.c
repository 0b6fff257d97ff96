/* SPDX-License-Identifier: MIT */
/*
 * occupancy.c - how much of a compute unit the kernel chosen for a problem fills.
 */

#include "../choose/choose.h"
#include "../device/device.h"
#include "../kernel/kernel.h"
#include "api.h"

int clopt_occupancy_of(struct clopt *ctx, const struct clopt_problem *problem,
                       struct clopt_resources *use, struct clopt_occupancy_info *result)
{
	struct clopt_resources asked = { 0 };
	const struct variant *v;
	struct clopt_problem p;
	char arch[sizeof result->arch];
	cl_kernel kernel;
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!result)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "result is NULL"));
	asked.size = sizeof asked;
	TRY(clopt__problem_asked(ctx, problem, &p));
	TRY(clopt__arch(ctx, arch, sizeof arch));
	TRY(clopt__choose(ctx, &p, 0, &v, &kernel));
	if (!kernel)
		TRY(clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                "%s is computed on the host: it has no kernel", v->name));
	TRY(clopt__registers(ctx, v, kernel, &asked));
	TRY(clopt__occupancy(ctx, &asked, result));
	if (use)
		TRY(clopt__sized_give(ctx, "clopt_resources", use, &asked, sizeof *use));
out:
	return clopt__leave(ctx, rc);
}
