/* SPDX-License-Identifier: MIT */
/*
 * tree.c - the tolerance of sums over pairs, as options have it.
 */
#include <math.h>

#include "api.h"

int clopt__tree_read(const struct clopt *ctx, double tolerance, double theta, unsigned order,
                     unsigned reserved, int alone, struct job *j)
{
	int rc = CLOPT_OK;

	TRY(clopt__check_number(ctx, "tree_reserved", (int)reserved, 0, 0));
	if (!(tolerance >= 0 && tolerance < 1))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "tolerance is %g, it is from 0 to less than 1", tolerance);
	if (!(theta >= 0 && theta <= 1))
		return clopt__fail(ctx, CLOPT_EINVAL, "theta is %g, it is from 0 to 1", theta);
	if (order && (order < TREE_LEAST_ORDER || order > TREE_MOST_ORDER))
		return clopt__fail(ctx, CLOPT_EINVAL, "order is %u, there are %d to %d, and 0",
		                   order, TREE_LEAST_ORDER, TREE_MOST_ORDER);
	if (!(tolerance > 0) && (theta > 0) != (order > 0))
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "theta is %g, order %u: without a tolerance both are given or none", theta,
		        order);
	if (!(tolerance > 0) && !order)
		return CLOPT_OK;
	if (alone)
		return clopt__fail(ctx, CLOPT_EINVAL, "tolerance is %g, order %u: not %s",
		                   tolerance, order, "on buffers, in leapfrog, or with a group");
	j->tree.tolerance = tolerance;
	j->tree.theta = theta;
	j->tree.order = order;
out:
	return rc;
}
