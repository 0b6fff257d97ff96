/* SPDX-License-Identifier: MIT */
/*
 * triangle.c - whether a triangle of a product is right, as verify_product.c does
 * for all of it: but x ends at the diagonal, or begins there, so each row has its own.
 * B x grows by one column of B from row to row, so it costs no more.  The other triangle
 * has to be as it was, to the bit.
 */
#include <math.h>
#include <string.h>

#include "product.h"

#define BLOCK 16 /* rows of op(A) and columns of op(B) that are gathered at a time */

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

size_t clopt__triangle_scratch(const struct clopt_problem *problem)
{
	return (1 + 2 * BLOCK) * problem->dim[2];
}

/* The columns of row i that are the triangle's. */
static void extent(const struct product *p, size_t i, size_t *first, size_t *count)
{
	const size_t n = p->job.problem.dim[1];

	*first = p->job.problem.triangle == CLOPT_LOWER ? 0 : i;
	*count = p->job.problem.triangle == CLOPT_LOWER ? i + 1 : n - i;
}

/* beta times row i of C as it was. */
static void add_old(struct product *p, size_t i)
{
	const double beta = p->job.real[1], *x = p->x;
	double sum = 0, square = 0, c;
	size_t first, count, j;

	extent(p, i, &first, &count);
	for (j = first; j < first + count; j++) {
		c = element(p->old, i, j);
		sum += x[j] * c;
		square += c * c;
	}
	p->want[i] += beta * sum;
	p->kept[i] = fabs(beta) * sqrt(square);
}

/* Row i, by its line of op(A) and the column of op(B) that x grows by. */
static void want_row(struct product *p, size_t i, const double *a, const double *b, double *b2)
{
	const double alpha = p->job.real[0], x = ((const double *)p->x)[i];
	const size_t k = p->job.problem.dim[2];
	double *const w = p->scratch, sum = 0, square = 0;
	size_t e;

	for (e = 0; e < k; e++) {
		w[e] += x * b[e];
		*b2 += b[e] * b[e];
		sum += a[e] * w[e];
		square += a[e] * a[e];
	}
	p->want[i] = alpha * sum;
	p->size[i] = fabs(alpha) * sqrt(square) * sqrt(*b2);
	p->kept[i] = 0;
	if (p->job.real[1] != 0)
		add_old(p, i);
}

/* Rows from the corner of the triangle on, BLOCK of them at a time. */
void clopt__triangle_want(struct product *p)
{
	const struct clopt_problem *problem = &p->job.problem;
	const size_t n = problem->dim[1], k = problem->dim[2];
	const int lower = problem->triangle == CLOPT_LOWER;
	double *const a = p->scratch + k, *const b = a + BLOCK * k;
	double b2 = 0; /* the squares of B so far */
	size_t at, i, first, count;

	memset(p->scratch, 0, k * sizeof *p->scratch);
	for (at = 0; at < n; at += BLOCK) {
		count = n - at < BLOCK ? n - at : BLOCK;
		first = lower ? at : n - at - count;
		gather(&p->job.operand[0], problem->transa != CLOPT_TRANS, first, count, k, a);
		gather(&p->job.operand[1], problem->transb == CLOPT_TRANS, first, count, k, b);
		for (i = 0; i < count; i++) {
			const size_t line = lower ? i : count - 1 - i;

			want_row(p, first + line, a + line * k, b + line * k, &b2);
		}
	}
}

/* ---- What it is: several rows at a time ----------------------------------------------- */

struct looking {
	struct product *product;
	size_t changed[MOST_PARTS];
};

/* What is not the triangle's. */
static int is_kept(const struct product *p, size_t i)
{
	const struct operand *c = &p->job.operand[2];
	const size_t n = p->job.problem.dim[1], bytes = c->elem_bytes;
	const int lower = p->job.problem.triangle == CLOPT_LOWER;
	const size_t first = lower ? i + 1 : 0, count = lower ? n - i - 1 : i;

	return !memcmp((const char *)c->host + (i * c->ld + first) * bytes,
	               (const char *)p->old->host + (i * p->old->ld + first) * bytes,
	               count * bytes);
}

static void look(void *what, unsigned part, size_t first, size_t count)
{
	struct looking *l = what;
	struct product *p = l->product;
	const double *x = p->x;
	size_t i, j, begin, n;

	for (i = first; i < first + count; i++) {
		extent(p, i, &begin, &n);
		p->got[i] = 0;
		for (j = begin; j < begin + n; j++)
			p->got[i] += x[j] * element(&p->job.operand[2], i, j);
		if (l->changed[part] > i && !is_kept(p, i))
			l->changed[part] = i;
	}
}

void clopt__triangle_got(struct product *p)
{
	const size_t n = p->job.problem.dim[1];
	struct looking l = { .product = p };
	unsigned i;

	for (i = 0; i < MOST_PARTS; i++)
		l.changed[i] = n;
	clopt__in_parts(p->ctx, n, GRAIN / (n + 1) + 1, look, &l);
	for (i = 0; i < MOST_PARTS; i++)
		p->changed = l.changed[i] < p->changed ? l.changed[i] : p->changed;
}
