/* SPDX-License-Identifier: MIT */
/*
 * product.c - both sides of C x = alpha A (B x) + beta C x, for a random x of 1 and
 * -1.  Each matrix is read once, by all of the crew that is free.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "product.h"

/* An operand times a vector; transposed: the vector runs over its lines. */
struct pass {
	struct lines m;
	int across;
	const void *v;
	double *sum, *length;
};

static void run_pass(void *what, unsigned part, size_t first, size_t count)
{
	const struct pass *p = what;

	(void)part;
	(p->across ? clopt__across : clopt__along)(&p->m, first, count, p->v, p->sum, p->length);
}

static void multiply(struct clopt *ctx, const struct operand *o, int across, const void *v,
                     double *sum, double *length)
{
	struct pass p = { { o->host, o->rows, o->columns, o->ld * o->elem_bytes, o->elem_bytes },
		          across,
		          v,
		          sum,
		          length };
	const size_t results = across ? o->columns : o->rows, each = across ? o->rows : o->columns;

	clopt__in_parts(ctx, results, GRAIN / (each ? each : 1) + 1, run_pass, &p);
}

size_t clopt__product_scratch(const struct clopt_problem *problem)
{
	return 3 * problem->dim[2] + problem->dim[0];
}

/* A (B x) and |A_i| |B|. */
static void multiply_both(struct product *p)
{
	const struct clopt_problem *problem = &p->job.problem;
	const size_t m = problem->dim[0], k = problem->dim[2];
	double *const bx = p->scratch, *const b_length = bx + k;
	void *const w = b_length + k; /* B x as the sums with A want it */
	double square = 0;
	size_t i;

	multiply(p->ctx, &p->job.operand[1], problem->transb == CLOPT_TRANS, p->x, bx, b_length);
	for (i = 0; i < k; i++) {
		if (problem->elem_bytes == 8)
			((double *)w)[i] = bx[i];
		else
			((float *)w)[i] = (float)bx[i];
		square += b_length[i] * b_length[i];
	}
	multiply(p->ctx, &p->job.operand[0], problem->transa == CLOPT_TRANS, w, p->want, p->size);
	for (i = 0; i < m; i++)
		p->size[i] *= sqrt(square);
}

void clopt__product_want(struct product *p)
{
	const size_t m = p->job.problem.dim[0], k = p->job.problem.dim[2];
	const double alpha = p->job.real[0], beta = p->job.real[1];
	double *const old = p->scratch + 3 * k;
	size_t i;

	memset(p->want, 0, m * sizeof *p->want);
	memset(p->size, 0, m * sizeof *p->size);
	memset(p->kept, 0, m * sizeof *p->kept);
	if (k)
		multiply_both(p);
	if (p->old)
		multiply(p->ctx, p->old, 0, p->x, old, p->kept);
	for (i = 0; i < m; i++) {
		p->want[i] = alpha * p->want[i] + (p->old ? beta * old[i] : 0);
		p->size[i] *= fabs(alpha);
		p->kept[i] *= fabs(beta);
	}
}

void clopt__product_got(struct product *p)
{
	multiply(p->ctx, &p->job.operand[2], 0, p->x, p->got, NULL);
}

/* ---- What is not finite --------------------------------------------------------- */

#define FIRST 2 /* elements of a row that are looked at */

static double magnitude(const struct operand *o, int turned, size_t i, size_t j)
{
	const size_t at = turned ? j * o->ld + i : i * o->ld + j;

	return fabs(clopt__element((const char *)o->host + at * o->elem_bytes, o->elem_bytes));
}

/* Also where an operand is not finite. */
static int may_leave(const struct product *p, size_t i, size_t j, double most)
{
	const struct clopt_problem *problem = &p->job.problem;
	const double alpha = fabs(p->job.real[0]), beta = fabs(p->job.real[1]);
	const double kept = beta == 0 ? 0 : beta * magnitude(p->old, 0, i, j);
	double sum = 0;
	size_t q;

	for (q = 0; q < problem->dim[2]; q++)
		sum += magnitude(&p->job.operand[0], problem->transa == CLOPT_TRANS, i, q) *
		       magnitude(&p->job.operand[1], problem->transb == CLOPT_TRANS, q, j);
	/* Sums are in float32 at the least, whatever range the results have. */
	return !(sum < (problem->elem_bytes == 8 ? most : FLT_MAX / 4)) ||
	       !(alpha * sum + kept < most);
}

int clopt__product_may_leave(const struct product *p, size_t i, double most)
{
	const struct clopt_problem *problem = &p->job.problem;
	const size_t n = problem->dim[1];
	const size_t end = problem->triangle == CLOPT_LOWER ? i + 1 : n;
	size_t j, seen = 0;

	for (j = problem->triangle == CLOPT_UPPER ? i : 0; j < end && seen < FIRST; j++)
		if (!(magnitude(&p->job.operand[2], 0, i, j) <= DBL_MAX)) {
			seen++;
			if (!may_leave(p, i, j, most))
				return 0;
		}
	return 1;
}
