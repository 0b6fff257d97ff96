/* SPDX-License-Identifier: MIT */
/*
 * verify_product.c - whether a call's product is right: C x = alpha A (B x) + beta C x for
 * a random x of 1 and -1, row by row.
 *
 * An element of row i that is wrong by d makes that row's sum wrong by d.  Rounding makes
 * it wrong by the root of the sum of squares of the elements' errors, times 8 with a
 * chance of 2 exp(-32), and those by what verify.h says of |A_i| |B_j|: together a share of
 * |A_i| |B|.  A matrix is read once, by all processors.
 *
 * Source: Freivalds, "Probabilistic machines can use less running time", IFIP (1977).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify_product.h"

/* Elements that a thread is worth. */
#define GRAIN ((size_t)1 << 17)

struct product {
	const struct job *job;
	const struct operand *before; /* C as it was; NULL: it was not read */
	void *x, *w; /* signs; B x as the sums with A want it */
	double *bx, *b_length; /* k of each */
	double *sum, *length, *c_sum, *c_length, *old_sum, *old_length; /* m of each */
	double b; /* |B| */
};

static struct lines lines_of(const struct operand *o)
{
	return (struct lines){ o->host, o->rows, o->columns, o->ld * o->elem_bytes, o->elem_bytes };
}

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

static void multiply(const struct operand *o, int across, const void *v, double *sum,
                     double *length)
{
	struct pass p = { lines_of(o), across, v, sum, length };
	const size_t results = across ? o->columns : o->rows, each = across ? o->rows : o->columns;

	clopt__in_parts(results, GRAIN / (each ? each : 1) + 1, run_pass, &p);
}

static void put(void *v, size_t i, double x, size_t elem_bytes)
{
	if (elem_bytes == 8)
		((double *)v)[i] = x;
	else
		((float *)v)[i] = (float)x;
}

static void draw_signs(struct product *p, uint64_t seed)
{
	const size_t n = p->job->problem.dim[1];
	size_t j;

	for (j = 0; j < n; j++)
		put(p->x, j, clopt__random(&seed) < 0 ? -1 : 1, p->job->problem.elem_bytes);
}

static int open_product(struct clopt *ctx, struct product *p)
{
	const size_t m = p->job->problem.dim[0], n = p->job->problem.dim[1];
	const size_t k = p->job->problem.dim[2];
	double *all = malloc((n + 3 * k + 6 * m) * sizeof *all);

	if (!all)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check the result");
	p->bx = all;
	p->b_length = all + k;
	p->w = all + 2 * k;
	p->sum = all + 3 * k;
	p->length = p->sum + m;
	p->c_sum = p->length + m;
	p->c_length = p->c_sum + m;
	p->old_sum = p->c_length + m;
	p->old_length = p->old_sum + m;
	p->x = p->old_length + m;
	memset(p->sum, 0, 2 * m * sizeof *p->sum);
	memset(p->old_sum, 0, 2 * m * sizeof *p->old_sum);
	return CLOPT_OK;
}

/* B x, A (B x), C x, and C x as it was. */
static void multiply_all(struct product *p)
{
	const struct operand *o = p->job->operand;
	const struct clopt_problem *problem = &p->job->problem;
	const size_t k = problem->dim[2];
	double square = 0;
	size_t i;

	if (k) {
		multiply(&o[1], problem->transb == CLOPT_TRANS, p->x, p->bx, p->b_length);
		for (i = 0; i < k; i++) {
			put(p->w, i, p->bx[i], problem->elem_bytes);
			square += p->b_length[i] * p->b_length[i];
		}
		multiply(&o[0], problem->transa == CLOPT_TRANS, p->w, p->sum, p->length);
	}
	p->b = sqrt(square);
	multiply(&o[2], 0, p->x, p->c_sum, p->c_length);
	if (p->before && p->job->real[1] != 0)
		multiply(p->before, 0, p->x, p->old_sum, p->old_length);
}

/* Of |A_i| |B|, for one row.  Matrix units cut off, and three products of parts lose a
 * few units more.  Terms that are all alike make errors that are all alike: up to k / 4
 * units for each element of a sum that runs on, and the host's sums run on too; with
 * random signs they are 8 times their mean at most. */
static double share(const struct variant *v, size_t k, size_t elem_bytes)
{
	const int matrix_unit = (v->needs & T_PTX) != 0;
	const double sum = 4 * (double)k + 8 * sqrt((double)k) * (matrix_unit ? 2 : 1) +
	                   8 * (matrix_unit ? 16 : 4);
	const double halves = elem_bytes == 2 ? 1 + clopt__half_roundings(k) : 0;

	return (sum + 3 * HOST_UNITS) * (elem_bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT) +
	       8 * (halves + (v->math ? 4 : 0)) * ROUND_HALF;
}

/* By how much a row's sum may be off; infinite: it may have left the range. */
static double bound(const struct job *job, const struct variant *v, const struct row *r)
{
	const size_t bytes = job->problem.elem_bytes, k = job->problem.dim[2];
	const double most = bytes == 8 ? DBL_MAX : bytes == 4 ? FLT_MAX : 65504;
	const double least = bytes == 8 ? DBL_MIN : bytes == 4 ? FLT_MIN : 0x1p-24;
	const double kept = 8 * (bytes == 8 ? 4 * ROUND_DOUBLE :
	                         bytes == 4 ? 4 * ROUND_FLOAT :
	                                      2 * ROUND_HALF);

	if (!(r->size + r->kept < most / 4))
		return (double)INFINITY;
	return share(v, k, bytes) * r->size + kept * r->kept +
	       8 * (double)job->problem.dim[1] * least * (1 + fabs(job->real[0]));
}

int clopt__row_right(const struct job *job, const struct variant *v, size_t i, const struct row *r,
                     char *why)
{
	const double off = bound(job, v, r);
	const size_t *dim = job->problem.dim;

	if (!(off <= DBL_MAX) || !(fabs(r->want) <= DBL_MAX) || fabs(r->got - r->want) <= off)
		return 1;
	snprintf(why, WHY_SIZE,
	         "gave a wrong result: row %zu of c, %zu x %zu x %zu, adds up to %.9g with random "
	         "signs, right is %.9g, give or take %.2g",
	         i, dim[0], dim[1], dim[2], r->got, r->want, off);
	return 0;
}

static int judge_rows(const struct product *p, const struct variant *v, char *why)
{
	const double alpha = p->job->real[0], beta = p->job->real[1];
	size_t i;

	for (i = 0; i < p->job->problem.dim[0]; i++) {
		const struct row r = { p->c_sum[i], alpha * p->sum[i] + beta * p->old_sum[i],
			               fabs(alpha) * p->length[i] * p->b,
			               fabs(beta) * p->old_length[i] };

		if (!clopt__row_right(p->job, v, i, &r, why))
			return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

int clopt__judge_product(struct clopt *ctx, const struct job *job, const struct operand *before,
                         const struct variant *v, uint64_t seed, char *why)
{
	struct product p = { .job = job, .before = before };
	int rc = CLOPT_OK;

	TRY(open_product(ctx, &p));
	draw_signs(&p, seed);
	multiply_all(&p);
	rc = judge_rows(&p, v, why);
	free(p.bx);
out:
	return rc;
}
