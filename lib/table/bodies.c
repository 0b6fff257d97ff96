/* SPDX-License-Identifier: MIT */
/*
 * bodies.c - moving bodies: the operations of a step, and their kernels, best first.
 */
#include "table.h"

/* clang-format off */
#define FORCE     CLOPT_OP_EVOLVE_FORCE
#define FLOATS    (1u << CLOPT_PRECISION_FLOAT)
#define DOUBLE_SINGLES (1u << CLOPT_PRECISION_DOUBLE_SINGLE)
#define MIDDLE    {92, 93, 96, 96} /* costs of AMD's rows with groups of 32, and of 8 */
#define SMALLEST  {100, 100, 100, 100}

static const struct variant leapfrog_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_OP_LEAPFROG, "leapfrog/plain",  "pair/leapfrog.cl",    "",                                           {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_OP_LEAPFROG, "leapfrog/plain-1","pair/leapfrog.cl",    "",                                           {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant force_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{FORCE,    "evolve-force/wide-16",  "evolve/plain.cl",     "-DLANES=16 -DUNROLL=1",                      {1,1},   {16,1},    0,          T_CPU | T_WIDE16, .align = 4},
	{FORCE,    "evolve-force/wide-8",   "evolve/plain.cl",     "-DLANES=8 -DUNROLL=1",                       {1,1},   {8,1},     0,          T_CPU, .align = 4},
	/* AMD's GPUs: a work-item computes two bodies, and all lanes of a wave share a source.  Waves of 32 have 64 bodies a group, waves of 64 have 128.
	 * With fewer bodies smaller groups end sooner.  CDNA 2 and 3 (T_MFMA) have instructions for two floats and compute two bodies there, too: each such row stands before the row for one body. */
	{FORCE,    "evolve-force/packed-split-64x8","evolve/plain.cl", "-DLANES=2 -DUNROLL=2",                   {256,1}, {64,1},    0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_WAVE32, .align = 4, .precisions = FLOATS | DOUBLE_SINGLES, .cost = {68, 74, 76, 85}},
	{FORCE,    "evolve-force/packed-split-128x4","evolve/plain.cl", "-DLANES=2 -DUNROLL=2",                  {256,1}, {128,1},   0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .precisions = FLOATS | DOUBLE_SINGLES, .cost = {87, 88, 94, 95}},
	{FORCE,    "evolve-force/packed-split-32x16","evolve/tile.cl", "-DLANES=2 -DUNROLL=8",                   {256,1}, {32,1},    0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .precisions = FLOATS | DOUBLE_SINGLES, .cost = MIDDLE},
	{FORCE,    "evolve-force/split-32x8-amd","evolve/tile.cl", "-DLANES=1 -DUNROLL=4",                       {256,1}, {32,1},    0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .cost = MIDDLE},
	{FORCE,    "evolve-force/packed-split-8x64","evolve/tile.cl", "-DLANES=2 -DUNROLL=4",                    {256,1}, {8,1},     0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .precisions = FLOATS | DOUBLE_SINGLES, .cost = SMALLEST},
	{FORCE,    "evolve-force/split-8x32-amd","evolve/tile.cl", "-DLANES=1 -DUNROLL=4",                       {256,1}, {8,1},     0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .cost = SMALLEST},
	{FORCE,    "evolve-force/split-8x32","evolve/tile.cl",     "-DLANES=1 -DUNROLL=4",                       {256,1}, {8,1},     0,          T_GPU | T_LOCAL, .align = 4, .few = 32},
	{FORCE,    "evolve-force/split-32x8","evolve/tile.cl",     "-DLANES=1 -DUNROLL=4",                       {256,1}, {32,1},    0,          T_GPU | T_LOCAL, .align = 4},
	{FORCE,    "evolve-force/tile-64",  "evolve/tile.cl",      "-DLANES=1 -DUNROLL=4",                       {64,1},  {64,1},    0,          T_LOCAL, .align = 4},
	{FORCE,    "evolve-force/plain",    "evolve/plain.cl",     "-DLANES=1 -DUNROLL=1",                       {64,1},  {64,1},    0,          0, .align = 4},
	{FORCE,    "evolve-force/plain-1",  "evolve/plain.cl",     "-DLANES=1 -DUNROLL=1",                       {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant step_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_OP_EVOLVE_STEP, "evolve-step/plain", "evolve/step.cl", "-DLANES=1",                                  {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_OP_EVOLVE_STEP, "evolve-step/plain-1", "evolve/step.cl", "-DLANES=1",                                {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant sums_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_OP_EVOLVE_SUMS, "evolve-sums/tree",  "evolve/sums.cl", "-DLANES=1",                                  {64,1},  {1024,1},  0,          0, .align = 4},
	{CLOPT_OP_EVOLVE_SUMS, "evolve-sums/plain-1", "evolve/sums.cl", "-DLANES=1",                                {1,1},   {1024,1},  0,          0, .align = 4},
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
	int rc = CLOPT_OK;

	TRY(clopt__bodies_precision(ctx, &p->precision));
	if (!own)
		p->elem_bytes = p->precision == CLOPT_PRECISION_FLOAT ? 4 : 8;
out:
	return rc;
}

/* Operands: bodies, velocities, accelerations.  Of steps: positions and velocities in one array,
 * then rates, followed by earlier rates.  The last of evolve-sums: sums of each group. */
static struct operand_shape shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t columns[CLOPT_OPS][3] = {
		[CLOPT_OP_LEAPFROG] = { 4, 4, 4 },
		[CLOPT_OP_EVOLVE_FORCE] = { 8, 16 },
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
	.size = {"n"}, .fields = FIELD_PRECISION, .most_outputs = JERK | PHI, .elem_sizes = 4 | 8, .read = read, .shape = shape, .text = say

const struct op clopt__leapfrog_op = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"leapfrog",  {NULL},                                    1, 2, 3, 0, 0, {"bodies", "velocities", "acc"},  {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.size = {"n"}, .rows = leapfrog_rows, .views = 1, .elem_sizes = 4, .shape = shape, .text = say
};

const struct op clopt__evolve_force = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"evolve-force", {"evolve/real.clh", "evolve/rates.clh"}, 1, 2, 2, 0, 0, {"state", "rates"},            {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = force_rows, .parts_of_all = 1, .sliced = 1, .all_pairs = 1, EVOLVE_COMMON
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
