/* SPDX-License-Identifier: MIT */
/*
 * table.c - the table: the operations, each with its rows.
 *
 * The choice, tests, bench, `clopt list` and the docs walk the table; no other code names a
 * variant.  The geometry of a row lives only here: it becomes the build options WG0 WG1 OUT0 OUT1
 * and the launch.  The last row of each operation needs and likes nothing, so there is always a
 * row.
 */
#include "table.h"

/* clang-format off */
const struct op *const clopt__ops[CLOPT_OPS] = {
	[CLOPT_OP_MATMUL] = &clopt__matmul,
	[CLOPT_OP_TRANSPOSE] = &clopt__transpose,
	[CLOPT_OP_POTENTIAL] = &clopt__potential,
	[CLOPT_OP_NBODY] = &clopt__nbody,
	[CLOPT_OP_LEAPFROG] = &clopt__leapfrog_op,
	[CLOPT_OP_EVOLVE_STEP] = &clopt__evolve_step,
	[CLOPT_OP_EVOLVE_SUMS] = &clopt__evolve_sums,
	[CLOPT_OP_TREE_KEYS] = &clopt__tree_keys,
	[CLOPT_OP_TREE_SORT] = &clopt__tree_sort,
	[CLOPT_OP_TREE_CELLS] = &clopt__tree_cells,
	[CLOPT_OP_TREE_POTENTIAL] = &clopt__tree_potential,
	[CLOPT_OP_TREE_NBODY] = &clopt__tree_nbody,
};
/* clang-format on */

const struct variant *clopt__variant(size_t i)
{
	const struct variant *v = clopt__ops[0]->rows;

	while (v && i--)
		v = clopt__next_variant(v);
	return v;
}

const struct variant *clopt__next_variant(const struct variant *v)
{
	if (v[1].name)
		return v + 1;
	return v->op + 1 < CLOPT_OPS ? clopt__ops[v->op + 1]->rows : NULL;
}

const char *clopt_op_name(int op)
{
	return op >= 0 && op < CLOPT_OPS ? clopt__ops[op]->name : NULL;
}

const char *clopt_variant_name(size_t i)
{
	const struct variant *v = clopt__variant(i);

	return v ? v->name : NULL;
}

int clopt_variant_op(size_t i)
{
	const struct variant *v = clopt__variant(i);

	return v ? (int)v->op : -1;
}
