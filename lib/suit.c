/* SPDX-License-Identifier: MIT */
/*
 * suit.c - whether a row that could serve a problem is meant for it, by what the table
 * says of sizes, shapes and arrays.  A row that is forced need not be.
 */
#include <stdio.h>

#include "stream.h"

/* Groups for each hundred compute units. */
static size_t filled(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p)
{
	const struct op *op = &clopt__ops[p->op];
	size_t groups = p->batch;
	unsigned i;

	for (i = 0; i < 2; i++)
		if (op->extent[i] != NO_DIM)
			groups *= (p->dim[op->extent[i]] + v->out[i] - 1) / v->out[i];
	return groups * 100 / ctx->device.info.compute_units;
}

/* How many the grid covers. */
static size_t results(const struct clopt_problem *p)
{
	const struct op *op = &clopt__ops[p->op];

	return p->dim[op->extent[0]] * (op->extent[1] == NO_DIM ? 1 : p->dim[op->extent[1]]);
}

/* What the caller's arrays on the device are like is told; ours depend on the row's length,
 * unless the device uses the host's memory. */
int clopt__rows_suit(const struct variant *v, const struct clopt_problem *p, int resident,
                     char *why, size_t size)
{
	const struct layout plain = { 0, 0, 0 };
	struct operand o = { 0 };
	int odd = resident == RESIDENT_ODD;
	unsigned i;

	for (i = 0; v->rows16 && !resident && i + 1 < clopt__ops[p->op].operands; i++) {
		clopt__problem_operand(p, i, &o);
		odd |= clopt__array_pitch(o.columns * o.elem_bytes, plain) % ROW_CHUNK != 0;
	}
	if (!v->rows16 || !odd)
		return 1;
	snprintf(why, size, "for arrays whose rows begin at multiples of %u bytes", ROW_CHUNK);
	return 0;
}

int clopt__suits(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                 int resident, char *why, size_t size)
{
	const struct op *op = &clopt__ops[p->op];
	const size_t units = ctx->device.info.compute_units;
	const size_t sum = op->sum == NO_DIM ? 0 : p->dim[op->sum];

	if (v->shapes && !(v->shapes & clopt__shape(p, (unsigned)units)))
		snprintf(why, size, "for other shapes");
	else if (v->narrow && p->dim[1] > v->narrow)
		snprintf(why, size, "for up to %u columns", v->narrow);
	else if (v->deep && sum < v->deep)
		snprintf(why, size, "for sums of %u terms or more", v->deep);
	else if (v->shallow && sum > v->shallow)
		snprintf(why, size, "for sums of up to %u terms", v->shallow);
	else if (v->uneven && !p->uneven)
		snprintf(why, size, "for rows that begin off 16 bytes");
	else if (v->fill && filled(ctx, v, p) < v->fill)
		snprintf(why, size, "for more groups than %zu %% of the compute units",
		         filled(ctx, v, p));
	else if (v->few && results(p) > v->few * units)
		snprintf(why, size, "for up to %zu results here", v->few * units);
	else
		return clopt__rows_suit(v, p, resident, why, size);
	return 0;
}
