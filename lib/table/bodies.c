/* SPDX-License-Identifier: MIT */
/*
 * bodies.c - moving bodies: the operations of a step, and their kernels, best first.
 */
#include "table.h"

/* clang-format off */
static const struct variant leapfrog_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_OP_LEAPFROG, "leapfrog/plain",  "pair/leapfrog.cl",    "",                                           {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_OP_LEAPFROG, "leapfrog/plain-1","pair/leapfrog.cl",    "",                                           {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant step_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_OP_EVOLVE_STEP, "evolve-step/plain", "evolve/step.cl", "",                                           {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_OP_EVOLVE_STEP, "evolve-step/plain-1", "evolve/step.cl", "",                                         {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant sums_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_OP_EVOLVE_SUMS, "evolve-sums/tree",  "evolve/sums.cl", "",                                           {64,1},  {1024,1},  0,          0, .align = 4},
	{CLOPT_OP_EVOLVE_SUMS, "evolve-sums/plain-1", "evolve/sums.cl", "",                                         {1,1},   {1024,1},  0,          0, .align = 4},
	{0}
};
/* clang-format on */

int clopt__bodies_precision(const struct clopt *ctx, int *precision)
{
	const int best = ctx->device.traits & T_FP64 ? CLOPT_PRECISION_DOUBLE :
	                                               CLOPT_PRECISION_DOUBLE_SINGLE;
	char text[ENUM_SIZE];

	if (*precision == CLOPT_PRECISION_DEFAULT || *precision == CLOPT_PRECISION_BEST)
		*precision = best;
	if (*precision == CLOPT_PRECISION_FLOAT || *precision == CLOPT_PRECISION_DOUBLE_SINGLE ||
	    *precision == CLOPT_PRECISION_DOUBLE)
		return CLOPT_OK;
	return clopt__fail(
	        ctx, CLOPT_EINVAL,
	        "precision is %s: bodies move in CLOPT_PRECISION_FLOAT, "
	        "CLOPT_PRECISION_DOUBLE_SINGLE, CLOPT_PRECISION_DOUBLE or CLOPT_PRECISION_BEST",
	        clopt__precision_text(text, *precision));
}

/* Set the element size from the precision.  Arrays of evolve-sums may be float although the sums
 * have more precision. */
static int read(const struct clopt *ctx, struct clopt_problem *p)
{
	const int own = p->op == CLOPT_OP_EVOLVE_SUMS && p->elem_bytes == 4;
	const int rc = clopt__bodies_precision(ctx, &p->precision);

	if (!own)
		p->elem_bytes = p->precision == CLOPT_PRECISION_FLOAT ? 4 : 8;
	return rc;
}

/* Operands: bodies, velocities, accelerations.  Of steps: positions and velocities in one array,
 * then rates, followed by earlier rates.  The last of evolve-sums: sums of each group. */
static struct operand_shape shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t columns[CLOPT_OPS][3] = {
		[CLOPT_OP_LEAPFROG] = { 4, 4, 4 },
		[CLOPT_OP_EVOLVE_STEP] = { 8, 8, 16 },
		[CLOPT_OP_EVOLVE_SUMS] = { 8, 16, 1 },
	};

	return (struct operand_shape){ 0, NO_DIM, columns[p->op][i], 0 };
}

static void say(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%zu bodies", p->dim[0]);
}

/* clang-format off */
#define EVOLVE_COMMON \
	.size = {"n"}, .fields = FIELD_PRECISION, .most_outputs = JERK, .elem_sizes = 4 | 8, .read = read, .shape = shape, .text = say

const struct op clopt__leapfrog_op = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"leapfrog",  {NULL},                                    1, 2, 3, 0, 0, {"bodies", "velocities", "acc"},  {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.size = {"n"}, .rows = leapfrog_rows, .views = 1, .elem_sizes = 4, .shape = shape, .text = say
};

const struct op clopt__evolve_step = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"evolve-step",  {"evolve/real.clh"},                    1, 2, 3, 0, 0, {"state", "next", "rates"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = step_rows, EVOLVE_COMMON
};

const struct op clopt__evolve_sums = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"evolve-sums",  {"evolve/real.clh"},                    1, 1, 3, 0, 0, {"state", "rates", "sums"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = sums_rows, EVOLVE_COMMON
};
/* clang-format on */
