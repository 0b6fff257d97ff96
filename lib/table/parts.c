/* SPDX-License-Identifier: MIT */
/*
 * parts.c - sums that memory cuts: where a row may be cut, and what it keeps between parts.
 */
#include "table.h"

/* Number of work-items that share a target, each with its sums. */
static size_t sharing(const struct variant *v)
{
	return clopt__larger(v->wg[0] / v->out[0], 1);
}

/* An element of C and its kept sums, in at least float32: cl/matmul/common.clh. */
static size_t product_bytes(const struct variant *v, const struct clopt_problem *p)
{
	const size_t lanes = clopt__larger(clopt__option_number(v, "LANES"), 1);

	/* The kernel itself adds parts of k to C, or takes only whole sums.  Integers are exact in
	 * any order. */
	if (v->moduli || clopt__option_number(v, "PART") || p->type == CLOPT_TYPE_INT8)
		return 0;
	return 2 * lanes * clopt__larger(clopt__elem_bytes(p, 2), sizeof(float));
}

size_t clopt__part_bytes(const struct variant *v, const struct clopt_problem *p)
{
	/* In groups of one work-item lanes are targets: cl/pair/sum.clh. */
	const size_t lanes = v->wg[0] == 1 ? 1 : clopt__option_number(v, "LANES");

	if (v->op == CLOPT_OP_MATMUL)
		return product_bytes(v, p);
	if (v->likes & T_STUDY)
		return 0;
	return clopt__ops[v->op]->part_bytes * sharing(v) * lanes;
}

/* Terms after which kernels end a partial sum: a multiple of all tiles of k except KC and PART. */
#define SUM_TILE 256

size_t clopt__sum_tile(const struct variant *v)
{
	const size_t terms =
	        clopt__larger(clopt__option_number(v, "KC"), clopt__option_number(v, "PART"));

	if (v->op == CLOPT_OP_MATMUL)
		return terms ? terms : SUM_TILE;
	return clopt__larger(clopt__option_number(v, "TILE"), SUM_TILE) * sharing(v);
}
