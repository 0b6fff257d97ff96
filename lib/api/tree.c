/* SPDX-License-Identifier: MIT */
/*
 * tree.c - reads the tolerance of sums over pairs, and describes sums over a tree's sources.
 */
#include <math.h>

#include "api.h"

int clopt__tree_read(const struct clopt *ctx, double tolerance, double theta, unsigned order,
                     unsigned reserved, int buffers, struct tolerance *t)
{
	int rc = CLOPT_OK;

	TRY(clopt__check_number(ctx, "tree_reserved", (int)reserved, 0, 0));
	if (!(tolerance >= 0 && tolerance < 1))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "tolerance is %g: it must be at least 0 and less than 1",
		                   tolerance);
	if (!(theta >= 0 && theta <= 1))
		return clopt__fail(ctx, CLOPT_EINVAL, "theta is %g: it must be from 0 to 1", theta);
	if (order && (order < TREE_LEAST_ORDER || order > TREE_MOST_ORDER))
		return clopt__fail(ctx, CLOPT_EINVAL, "order is %u: it must be 0, or from %d to %d",
		                   order, TREE_LEAST_ORDER, TREE_MOST_ORDER);
	if (!(tolerance > 0) && (theta > 0) != (order > 0))
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "theta is %g and order is %u: without a tolerance give both or neither",
		        theta, order);
	if (!(tolerance > 0) && !order)
		return CLOPT_OK;
	if (buffers)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "tolerance is %g and order is %u: on buffers they must be 0; "
		                   "use clopt_tree_new_buffers",
		                   tolerance, order);
	*t = (struct tolerance){ tolerance, theta, order };
out:
	return rc;
}

int clopt__tree_operands(const struct clopt *ctx, struct clopt_tree *tree, struct form form,
                         const void *targets, struct job *j)
{
	if (!tree)
		return CLOPT_OK;
	if (!targets && j->problem.dim[1] && j->problem.dim[1] != tree->n)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "ntargets is %zu and targets is NULL: then it must be the "
		                   "number of sources, %zu",
		                   j->problem.dim[1], tree->n);
	j->problem.dim[0] = tree->n;
	j->operand[0] = clopt__buffer_operand(tree->sources, 4, OPERAND_IN);
	j->operand[2] = targets ? clopt__operand(form, targets, 4, OPERAND_IN) : j->operand[0];
	j->run = clopt__run_kept;
	j->what = tree;
	return CLOPT_OK;
}
