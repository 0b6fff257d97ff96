/* SPDX-License-Identifier: MIT */
/*
 * parts.c - sums that memory cuts: where a row may be cut, and what it keeps between parts.
 */
#include "table.h"

/* Work-items that share a target have sums of their own. */
static size_t sharing(const struct variant *v)
{
	return clopt__larger(v->wg[0] / v->out[0], 1);
}

size_t clopt__part_bytes(const struct op *op, const struct variant *v)
{
	const size_t lanes = clopt__option_number(v, "LANES");

	if (v->likes & T_STUDY)
		return 0;
	/* More lanes than 4 are targets: cl/pair/sum.clh. */
	return op->part_bytes * sharing(v) * (lanes <= 4 ? lanes : 1);
}

/* Where kernels end a partial sum. */
#define SUM_TILE 256

size_t clopt__sum_tile(const struct op *op, const struct variant *v)
{
	if (!op->part_bytes)
		return SUM_TILE;
	return clopt__larger(clopt__option_number(v, "TILE"), SUM_TILE) * sharing(v);
}
