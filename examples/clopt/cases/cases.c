/* SPDX-License-Identifier: MIT */
/*
 * cases.c - problems in words and numbers.
 */
#include "cases.h"

#include <stdio.h>
#include <string.h>

#define F CLOPT_PRECISION_FLOAT
#define DS CLOPT_PRECISION_DOUBLE_SINGLE
#define D CLOPT_PRECISION_DOUBLE

/* The problems that are timed, but for their sizes. */
static const struct clopt_problem bench[] = {
	{ .op = CLOPT_OP_MATMUL, .elem_bytes = 4 },
	{ .op = CLOPT_OP_MATMUL, .elem_bytes = 8 },
	{ .op = CLOPT_OP_MATMUL, .elem_bytes = 8, .type = CLOPT_TYPE_COMPLEX_FLOAT },
	{ .op = CLOPT_OP_MATMUL, .elem_bytes = 16, .type = CLOPT_TYPE_COMPLEX_DOUBLE },
	{ .op = CLOPT_OP_MATMUL, .elem_bytes = 1, .type = CLOPT_TYPE_INT8 },
	{ .op = CLOPT_OP_TRANSPOSE, .elem_bytes = 4 },
	{ .op = CLOPT_OP_TRANSPOSE, .elem_bytes = 8 },
	{ .op = CLOPT_OP_TRANSPOSE, .elem_bytes = 1 },
	{ .op = CLOPT_OP_TRANSPOSE, .elem_bytes = 2 },
	{ .op = CLOPT_OP_TRANSPOSE, .elem_bytes = 16 },
	{ .op = CLOPT_OP_POTENTIAL },
	{ .op = CLOPT_OP_NBODY },
	{ .op = CLOPT_OP_LEAPFROG, .steps = 1 },
	{ .op = CLOPT_OP_EVOLVE_STEP, .precision = F, .steps = 1 },
	{ .op = CLOPT_OP_EVOLVE_STEP, .precision = DS, .steps = 1 },
	{ .op = CLOPT_OP_EVOLVE_STEP, .precision = D, .steps = 1 },
};

static const size_t extents[][3] = {
	[CLOPT_OP_MATMUL] = { 64, 512, 4096 },       [CLOPT_OP_TRANSPOSE] = { 128, 2048, 8192 },
	[CLOPT_OP_POTENTIAL] = { 256, 8192, 65536 }, [CLOPT_OP_NBODY] = { 256, 8192, 65536 },
	[CLOPT_OP_LEAPFROG] = { 256, 4096, 65536 },  [CLOPT_OP_EVOLVE_STEP] = { 256, 4096, 65536 },
};

int case_bench(int op, size_t i, enum case_extent extent, size_t size, struct clopt_problem *p)
{
	size_t at = 0, d;

	while (at < sizeof bench / sizeof *bench && (bench[at].op != op || i--))
		at++;
	if (at == sizeof bench / sizeof *bench)
		return 0;
	*p = bench[at];
	p->size = sizeof *p;
	for (d = 0; d < case_sizes(op); d++)
		p->dim[d] = size ? size : extents[op][extent];
	return 1;
}

size_t case_sizes(int op)
{
	return op == CLOPT_OP_MATMUL ? 3 : op <= CLOPT_OP_NBODY ? 2 : 1;
}

int case_law_op(int law)
{
	return law < CLOPT_LAW_GRAVITY ? CLOPT_OP_POTENTIAL : CLOPT_OP_NBODY;
}

void case_set_law(struct clopt_problem *p, int law)
{
	p->law = law;
	p->normals = law >= CLOPT_LAW_ALPB && law < CLOPT_LAW_GRAVITY;
}

/* -------------------------------------------------------- in words ---- */

const struct case_type case_types[CASE_TYPES] = {
	{ "float16", CLOPT_TYPE_HALF },
	{ "bfloat16", CLOPT_TYPE_BFLOAT16 },
	{ "float32", CLOPT_TYPE_FLOAT },
	{ "float64", CLOPT_TYPE_DOUBLE },
	{ "complex64", CLOPT_TYPE_COMPLEX_FLOAT },
	{ "complex128", CLOPT_TYPE_COMPLEX_DOUBLE },
	{ "int8", CLOPT_TYPE_INT8 },
};

const char *case_element(const struct clopt_problem *p)
{
	const int type = p->type ? p->type : (int)p->elem_bytes;
	size_t i;

	if (p->op == CLOPT_OP_TRANSPOSE)
		return p->elem_bytes == 1 ? "1-byte" :
		       p->elem_bytes == 2 ? "2-byte" :
		       p->elem_bytes == 8 ? "8-byte" :
		       p->elem_bytes > 8  ? "16-byte" :
		                            "4-byte";
	for (i = 0; i < CASE_TYPES && p->op == CLOPT_OP_MATMUL; i++)
		if (case_types[i].type == type)
			return case_types[i].name;
	return p->precision == CLOPT_PRECISION_COMPENSATED   ? "compensated" :
	       p->precision == CLOPT_PRECISION_DOUBLE_SINGLE ? "double-single" :
	       p->precision == CLOPT_PRECISION_DOUBLE        ? "float64" :
	                                                       "float32";
}

static char letter(int trans)
{
	return trans == CLOPT_TRANS_CONJ ? 'C' : trans == CLOPT_TRANS_YES ? 'T' : 'N';
}

void case_describe(const struct clopt_problem *p, char *text, size_t size)
{
	char dims[80] = "";
	size_t d, used = 0;

	for (d = 0; d < case_sizes(p->op); d++)
		used += (size_t)snprintf(dims + used, sizeof dims - used, "%s%zu", d ? "x" : "",
		                         p->dim[d]);
	if (p->op == CLOPT_OP_MATMUL)
		snprintf(text, size, "%s %s %c%c", dims, case_element(p), letter(p->transa),
		         letter(p->transb));
	else
		snprintf(text, size, "%s %s%s%s", dims, case_element(p), p->law ? " " : "",
		         p->law ? clopt_law_name(p->law) : "");
}

/* ------------------------------------------------------------ work ---- */

void case_work(const struct clopt_problem *p, struct case_work *work)
{
	const double x = (double)p->dim[0], y = (double)p->dim[1], z = (double)p->dim[2];
	const int floats = p->op == CLOPT_OP_LEAPFROG;

	memset(work, 0, sizeof *work);
	switch (p->op) {
	case CLOPT_OP_MATMUL:
		work->flops = (p->type >> 8 == 2 ? 8.0 : 2.0) * x * y * z;
		work->bytes = (x * z + z * y + x * y) * (double)p->elem_bytes;
		break;
	case CLOPT_OP_TRANSPOSE:
		work->bytes = 2.0 * x * y * (double)p->elem_bytes;
		break;
	case CLOPT_OP_POTENTIAL:
		work->pairs = x * y;
		work->flops = work->pairs * clopt_law_flops(p->law ? p->law : CLOPT_LAW_COULOMB,
		                                            CLOPT_OUTPUTS_PHI);
		work->bytes = 16.0 * (x + y) + 4.0 * y + (p->normals ? 16.0 * y : 0.0);
		break;
	case CLOPT_OP_NBODY:
		work->pairs = x * y;
		work->flops = 20.0 * work->pairs;
		work->bytes = 16.0 * (x + 2.0 * y);
		break;
	default:
		/* Forces are needed before the first step and after each. */
		work->pairs = x * x * ((double)p->steps + 1.0);
		work->flops = 20.0 * work->pairs;
		work->bytes = 2.0 * (floats ? 32.0 : 64.0) * x;
	}
}

double case_rate(const struct clopt_problem *p, double seconds)
{
	struct case_work work;
	double amount;

	case_work(p, &work);
	amount = p->op == CLOPT_OP_MATMUL    ? work.flops :
	         p->op == CLOPT_OP_TRANSPOSE ? work.bytes :
	                                       work.pairs;
	return seconds > 0.0 ? amount / seconds / 1e9 : 0.0;
}

const char *case_unit(int op)
{
	return op == CLOPT_OP_MATMUL ? "GFLOP/s" : op == CLOPT_OP_TRANSPOSE ? "GB/s" : "Gpairs/s";
}
