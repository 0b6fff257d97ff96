/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - products at a kernel's first use: each element against a sum in double.
 *
 * The problems are small enough for that.  Freivalds' check, by sums of rows of C, would hide small
 * errors of elements, such as those of rounded operands.  The problems have edges of tiles in both
 * directions, sums over several blocks of k, arrays of any alignment, and vectors.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* A size that ends within a tile.  Rows of `spread` share small problems evenly among groups, so
 * there a smaller size ends within a group. */
static size_t over(const struct trial *t, size_t tile, size_t less)
{
	return t->v->spread ? less : tile + 7;
}

static void sizes(struct trial *t, size_t m, size_t n, size_t k, double alpha, double beta)
{
	t->problem.dim[0] = m;
	t->problem.dim[1] = n;
	t->problem.dim[2] = k;
	t->real[0][0] = alpha;
	t->real[0][1] = beta;
}

static int describe(struct trial *t)
{
	const int vectors = t->v->shapes == SHAPE_VECTOR;

	switch (t->number) {
	case 0:
		/* Deep enough for the ring of tiles of kernels for tensor cores to wrap around. */
		sizes(t, over(t, t->v->out[1], 61), over(t, t->v->out[0], 149),
		      t->v->needs & T_PTX ? 101 : 37, 1.5, -0.5);
		return 1;
	case 1:
		sizes(t, 19, 45, 401, -0.75, 0);
		t->problem.batch = t->v->images ? 1 : 2;
		t->lower = 5;
		return 1;
	case 2:
		sizes(t, vectors ? 1 : 3, vectors ? 37 : 7, vectors ? 2301 : 4133, 1, 0);
		return 1;
	case 3:
		sizes(t, 37, 1, 2301, 1.25, 1);
		return vectors;
	}
	return 0;
}

/* From -1 to 1 with all digits of the type; halves have exponents 9 to 14. */
static void put_random(struct trial *t, char *at, size_t elem_bytes)
{
	const double x = clopt__random(&t->random);
	const uint64_t r = t->random >> 32;
	const uint16_t half = (uint16_t)((r & 0x83ff) | (9 + (r >> 10 & 31) % 6) << 10);
	const float f = (float)x;

	memcpy(at,
	       elem_bytes == 2 ? (const void *)&half :
	       elem_bytes == 4 ? (void *)&f :
	                         &x,
	       elem_bytes);
}

/* With beta = 0 C holds NaN. */
static void fill(struct trial *t)
{
	const unsigned arrays = t->real[0][1] == 0 ? 2 : 3;
	size_t b, row, column;
	unsigned i;

	for (i = 0; i < arrays; i++)
		for (b = 0; b < t->problem.batch; b++)
			for (row = 0; row < t->array[i].rows; row++)
				for (column = 0; column < t->array[i].columns; column++)
					put_random(t, clopt__sent(&t->array[i], b, row, column),
					           t->array[i].elem_bytes);
}

/* ---- The product in double ---------------------------------------------------- */

static double rounding(const struct variant *v, size_t k, size_t elem_bytes)
{
	/* Two units for each term, since matrix units truncate; 16 for the three products of
	 * parts (cl/matmul/tensor.clh), alpha and beta. */
	const double units = 2 * clopt__sum_units(k) + 16;

	/* Operands that are rounded or truncated to 11 bits. */
	return units * (elem_bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT) +
	       (v->math ? 4 : 0) * ROUND_HALF;
}

/* op(A), or the transpose of op(B), of matrix b in double: a line for each row or column, and behind
 * it the line's 2-norm. */
static void widen_lines(const struct trial_array *p, size_t b, int rows, size_t n, size_t k,
                        double *line)
{
	size_t i, j;

	for (i = 0; i < n; i++, line += k + 1) {
		for (j = 0; j < k; j++)
			line[j] = clopt__element(clopt__sent(p, b, rows ? i : j, rows ? j : i),
			                         p->elem_bytes);
		line[k] = sqrt(clopt__dot(line, line, k));
	}
}

static int is_wanted(const struct trial *t, size_t i, size_t j)
{
	const ptrdiff_t end = (ptrdiff_t)i + t->lower;

	return !t->problem.triangle ||
	       (t->problem.triangle == CLOPT_UPLO_LOWER ? (ptrdiff_t)j <= end :
	                                                  (ptrdiff_t)j >= end);
}

static int judge_element(struct trial *t, size_t b, size_t i, size_t j, const double *x,
                         const double *y)
{
	const struct trial_array *c = &t->array[2];
	const size_t k = t->problem.dim[2], bytes = c->elem_bytes;
	const double got = clopt__element(clopt__got(c, b, i, j), bytes);
	const double old = t->real[0][1] == 0 ? 0 : clopt__element(clopt__sent(c, b, i, j), bytes);
	const double alpha = t->real[0][0], kept = t->real[0][1] * old;
	double want, size;

	if (!is_wanted(t, i, j))
		return !memcmp(clopt__got(c, b, i, j), clopt__sent(c, b, i, j), bytes) ||
		       clopt__near(t, "c", i, j, got, old, 0);
	want = alpha * clopt__dot(x, y, k) + kept;
	/* An upper bound of the sum of the terms' magnitudes. */
	size = fabs(alpha) * x[k] * y[k] + fabs(kept);
	return clopt__near(t, "c", i, j, got, want,
	                   rounding(t->v, k, bytes) * size +
	                           (bytes == 2 ? ROUND_HALF * fabs(want) + 0x1p-25 : FLT_MIN));
}

static int judge_matrix(struct trial *t, size_t b, double *a, double *columns)
{
	const size_t m = t->problem.dim[0], n = t->problem.dim[1], k = t->problem.dim[2];
	size_t i, j;

	widen_lines(&t->array[0], b, t->problem.transa != CLOPT_TRANS_YES, m, k, a);
	widen_lines(&t->array[1], b, t->problem.transb == CLOPT_TRANS_YES, n, k, columns);
	for (i = 0; i < m; i++)
		for (j = 0; j < n; j++)
			if (!judge_element(t, b, i, j, a + i * (k + 1), columns + j * (k + 1)))
				return 0;
	return 1;
}

static int judge(struct trial *t)
{
	const size_t m = t->problem.dim[0], n = t->problem.dim[1], k = t->problem.dim[2];
	double *a = malloc((m + n) * (k + 1) * sizeof *a);
	size_t b;
	int right = 1;

	if (!a)
		return CLOPT_ENOMEM;
	for (b = 0; right && b < t->problem.batch; b++)
		right = judge_matrix(t, b, a, a + m * (k + 1));
	free(a);
	return right ? CLOPT_OK : CLOPT_EWRONG;
}

const struct checker clopt__check_matmul = {
	describe, fill, judge, 4, clopt__freivalds, clopt__freivalds_bytes
};
