/* SPDX-License-Identifier: MIT */
/*
 * study_matmul.c - the products of NVIDIA's OpenCL Best Practices Guide (2011),
 * sections 3.2.2.2 and 3.2.2.3: an outer product of columns of tiles, C = A B or
 * C = A A^T, so that most of what moves is C.
 */
#include "study.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cases/op.h"

enum {
	TILE = 16, /* the guide's k */
	SAMPLES = 64,
	SEED = 1
};

static int turned(const struct study_problem *p)
{
	return p->part == 1;
}

int study_matmul_open(struct study_problem *p, enum case_extent extent, size_t size)
{
	static const size_t sizes[] = { [CASE_SMALL] = 64, [CASE_CPU] = 2048, [CASE_GPU] = 16384 };
	const size_t m = size ? size : sizes[extent];
	struct rng r = { SEED };
	size_t i;

	*p = (struct study_problem){ .op = CLOPT_MATMUL, .m = m, .k = TILE };
	p->a = calloc(m, TILE * sizeof *p->a);
	p->b = calloc(m, TILE * sizeof *p->b);
	p->out = m <= SIZE_MAX / m / sizeof *p->out ? calloc(m * m, sizeof *p->out) : NULL;
	if (!p->a || !p->b || !p->out) {
		fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
		return 1;
	}
	for (i = 0; i < m * TILE; i++) {
		p->a[i] = (float)(case_uniform(&r) - 0.5);
		p->b[i] = (float)(case_uniform(&r) - 0.5);
	}
	return 0;
}

void study_matmul_ask(const struct study_problem *p, struct clopt_problem *problem)
{
	*problem = (struct clopt_problem){ .size = sizeof *problem, .op = CLOPT_MATMUL };
	problem->dim[0] = problem->dim[1] = p->m;
	problem->dim[2] = p->k;
	problem->elem_bytes = sizeof(float);
	problem->transa = CLOPT_NO_TRANS;
	problem->transb = turned(p) ? CLOPT_TRANS : CLOPT_NO_TRANS;
}

int study_matmul_call(struct clopt *ctx, struct study_problem *p)
{
	/* NaN: so that no result is another kernel's. */
	memset(p->out, 0xff, p->m * p->m * sizeof *p->out);
	return clopt_sgemm(ctx, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS,
	                   turned(p) ? CLOPT_TRANS : CLOPT_NO_TRANS, p->m, p->m, p->k, 1.0f, p->a,
	                   p->k, turned(p) ? p->a : p->b, turned(p) ? p->k : p->m, 0.0f, p->out,
	                   p->m);
}

static double off_by(const struct study_problem *p, size_t i, size_t j)
{
	double sum = 0.0, terms = 0.0, t;
	size_t k;

	for (k = 0; k < p->k; k++) {
		t = (double)p->a[i * p->k + k] *
		    (double)(turned(p) ? p->a[j * p->k + k] : p->b[k * p->m + j]);
		sum += t;
		terms += fabs(t);
	}
	return case_off((double)p->out[i * p->m + j], sum,
	                (double)FLT_EPSILON * (4.0 * sqrt((double)p->k) + 8.0) * terms);
}

/* Some anywhere, and the corners. */
double study_matmul_error(const struct study_problem *p)
{
	const size_t end = p->m - 1;
	struct rng r = { SEED };
	double worst = fmax(fmax(off_by(p, 0, 0), off_by(p, 0, end)),
	                    fmax(off_by(p, end, 0), off_by(p, end, end)));
	size_t k;

	for (k = 0; k < SAMPLES; k++)
		worst = fmax(worst, off_by(p, (size_t)(case_random(&r) % p->m),
		                           (size_t)(case_random(&r) % p->m)));
	return worst;
}
