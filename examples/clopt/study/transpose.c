/* SPDX-License-Identifier: MIT */
/*
 * study_transpose.c - the transpose of the lectures on OpenCL optimization: three
 * ways to map work-items to elements.  Its arrays are square and of float32.
 */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cases/op.h"

enum {
	SAMPLES = 4096,
	SEED = 1
};

int study_transpose_open(struct study_problem *p, enum case_extent extent, size_t size)
{
	static const size_t sizes[] = { [CASE_SMALL] = 64, [CASE_CPU] = 2048, [CASE_GPU] = 16384 };
	const size_t m = size ? size : sizes[extent];
	size_t i;

	*p = (struct study_problem){ .op = CLOPT_TRANSPOSE, .m = m, .k = m };
	if (m <= SIZE_MAX / m / sizeof *p->a) {
		p->a = calloc(m * m, sizeof *p->a);
		p->out = calloc(m * m, sizeof *p->out);
	}
	if (!p->a || !p->out) {
		fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
		return 1;
	}
	for (i = 0; i < m * m; i++)
		p->a[i] = (float)(i % 8388593);
	return 0;
}

void study_transpose_ask(const struct study_problem *p, struct clopt_problem *problem)
{
	*problem = (struct clopt_problem){ .size = sizeof *problem, .op = CLOPT_TRANSPOSE };
	problem->dim[0] = problem->dim[1] = p->m;
	problem->elem_bytes = sizeof *p->a;
}

int study_transpose_call(struct clopt *ctx, struct study_problem *p)
{
	/* So that no result is another kernel's. */
	memset(p->out, 0xff, p->m * p->m * sizeof *p->out);
	return clopt_transpose(ctx, p->m, p->m, sizeof *p->a, p->a, p->m, p->out, p->m);
}

/* Nothing may be off. */
double study_transpose_error(const struct study_problem *p)
{
	struct rng r = { SEED };
	size_t k, i = p->m - 1, j = i;

	for (k = 0; k < SAMPLES; k++) {
		if (!(p->out[j * p->m + i] == p->a[i * p->m + j]))
			return HUGE_VAL;
		i = (size_t)(case_random(&r) % p->m);
		j = k == 0 ? i : (size_t)(case_random(&r) % p->m);
	}
	return p->out[0] == p->a[0] ? 0.0 : HUGE_VAL;
}
