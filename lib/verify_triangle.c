/* SPDX-License-Identifier: MIT */
/*
 * verify_triangle.c - whether a triangle of a product is right, as verify_product.c does
 * for all of it: but x ends at the diagonal, or begins there, so each row has its own.
 * B x grows by one column of B from row to row, so it costs no more.  The other triangle
 * has to be as it was, to the bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify_product.h"

#define BLOCK 16 /* rows of op(A) and columns of op(B) that are gathered at a time */

struct triangle {
	const struct job *job;
	const struct operand *before;
	double *x, *w; /* signs; B x up to here */
	double *a, *b; /* BLOCK lines of k each */
	double b2; /* the squares of B so far */
};

/* Lines of op(A), or of the transpose of op(B), from `first` on, in double. */
static void gather(const struct operand *o, int rows, size_t first, size_t count, size_t k,
                   double *to)
{
	const char *host = o->host;
	const size_t pitch = o->ld * o->elem_bytes;
	size_t i, p;

	/* Along the array, whatever way its rows run. */
	for (i = 0; rows && i < count; i++)
		for (p = 0; p < k; p++)
			to[i * k + p] = clopt__element(
			        host + (first + i) * pitch + p * o->elem_bytes, o->elem_bytes);
	for (p = 0; !rows && p < k; p++)
		for (i = 0; i < count; i++)
			to[i * k + p] = clopt__element(
			        host + p * pitch + (first + i) * o->elem_bytes, o->elem_bytes);
}

static double element(const struct operand *o, size_t i, size_t j)
{
	return clopt__element((const char *)o->host + (i * o->ld + j) * o->elem_bytes,
	                      o->elem_bytes);
}

/* Row i's sums of C and of C as it was, over columns from j0 up to j1. */
static void sum_row(const struct triangle *t, size_t i, size_t j0, size_t j1, struct row *r)
{
	const double beta = t->job->real[1];
	double old = 0, square = 0, x;
	size_t j;

	for (j = j0; j < j1; j++)
		r->got += t->x[j] * element(&t->job->operand[2], i, j);
	for (j = j0; beta != 0 && j < j1; j++) {
		x = element(t->before, i, j);
		old += t->x[j] * x;
		square += x * x;
	}
	r->want += beta * old;
	r->kept = fabs(beta) * sqrt(square);
}

static int judge_row(struct triangle *t, size_t i, const double *a, const double *b,
                     const struct variant *v, char *why)
{
	const size_t n = t->job->problem.dim[1], k = t->job->problem.dim[2];
	const int lower = t->job->problem.triangle == CLOPT_LOWER;
	double sum = 0, square = 0;
	struct row r = { 0, 0, 0, 0 };
	size_t p;

	for (p = 0; p < k; p++) {
		t->w[p] += t->x[i] * b[p];
		t->b2 += b[p] * b[p];
		sum += a[p] * t->w[p];
		square += a[p] * a[p];
	}
	r.want = t->job->real[0] * sum;
	r.size = fabs(t->job->real[0]) * sqrt(square) * sqrt(t->b2);
	sum_row(t, i, lower ? 0 : i, lower ? i + 1 : n, &r);
	return clopt__row_right(t->job, v, i, &r, why);
}

/* What is not the triangle's. */
static int kept_row(const struct triangle *t, size_t i, char *why)
{
	const struct operand *c = &t->job->operand[2];
	const size_t n = t->job->problem.dim[1], bytes = c->elem_bytes;
	const int lower = t->job->problem.triangle == CLOPT_LOWER;
	const size_t first = lower ? i + 1 : 0, count = lower ? n - i - 1 : i;

	if (!memcmp((const char *)c->host + (i * c->ld + first) * bytes,
	            (const char *)t->before->host + (i * t->before->ld + first) * bytes,
	            count * bytes))
		return 1;
	snprintf(why, WHY_SIZE,
	         "gave a wrong result: row %zu of c, %zu x %zu, is changed outside the triangle", i,
	         n, n);
	return 0;
}

/* Rows from the corner of the triangle on, BLOCK of them at a time. */
static int judge_rows(struct triangle *t, const struct variant *v, char *why)
{
	const struct clopt_problem *p = &t->job->problem;
	const size_t n = p->dim[1], k = p->dim[2];
	size_t at, i, first, count;

	for (at = 0; at < n; at += BLOCK) {
		count = n - at < BLOCK ? n - at : BLOCK;
		first = p->triangle == CLOPT_LOWER ? at : n - at - count;
		gather(&t->job->operand[0], p->transa != CLOPT_TRANS, first, count, k, t->a);
		gather(&t->job->operand[1], p->transb == CLOPT_TRANS, first, count, k, t->b);
		for (i = 0; i < count; i++) {
			const size_t line = p->triangle == CLOPT_LOWER ? i : count - 1 - i;

			if (!judge_row(t, first + line, t->a + line * k, t->b + line * k, v, why) ||
			    !kept_row(t, first + line, why))
				return CLOPT_EWRONG;
		}
	}
	return CLOPT_OK;
}

int clopt__judge_triangle(struct clopt *ctx, const struct job *job, const struct operand *before,
                          const struct variant *v, uint64_t seed, char *why)
{
	const size_t n = job->problem.dim[1], k = job->problem.dim[2];
	struct triangle t = { .job = job, .before = before };
	double *all = malloc((n + k + 2 * BLOCK * k) * sizeof *all);
	size_t i;
	int rc;

	if (!all)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check the result");
	t.x = all;
	t.w = t.x + n;
	t.a = t.w + k;
	t.b = t.a + BLOCK * k;
	memset(t.w, 0, k * sizeof *t.w);
	for (i = 0; i < n; i++)
		t.x[i] = clopt__random(&seed) < 0 ? -1 : 1;
	rc = judge_rows(&t, v, why);
	free(all);
	return rc;
}
