/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - checks products at a kernel's first use: each element against a sum in double, for
 * small problems.  Freivalds' check sums rows of C, which would hide small errors of elements, such
 * as those of rounded operands.  The problems have edges of tiles in both directions, sums over
 * several blocks of k, arrays of any alignment, and vectors.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* A size that ends within a tile.  Rows with `spread` split small problems evenly among groups, so
 * a smaller size ends within a group. */
static size_t over(const struct trial *t, size_t tile, size_t less)
{
	return t->v->spread ? less : tile + 7;
}

static const struct element_type *type_of(const struct trial *t)
{
	return clopt__type(t->problem.type);
}

static void sizes(struct trial *t, size_t m, size_t n, size_t k, double alpha, double beta)
{
	const int imaginary = type_of(t)->parts == 2 && !t->problem.hermitian;

	t->problem.dim[0] = m;
	t->problem.dim[1] = n;
	t->problem.dim[2] = k;
	t->real[0][0] = type_of(t)->unit == 0 ? 4 * alpha : alpha; /* integers of integers */
	t->real[0][1] = type_of(t)->unit == 0 ? 4 * beta : beta;
	t->real[0][2] = imaginary ? 0.625 : 0;
	t->real[0][3] = imaginary && beta != 0 ? -1.25 : 0;
}

/* Three equal launches: the first two keep their sums. */
static void in_parts(struct trial *t)
{
	t->problem.batch = 1;
	t->steps = 3;
	t->part_bytes = clopt__part_bytes(t->v, &t->problem);
	memcpy(t->real[2], t->real[0], sizeof t->real[2]);
	memset(t->real[0], 0, sizeof t->real[0]);
	t->real[0][1] = 1;
	memcpy(t->real[1], t->real[0], sizeof t->real[1]);
}

/* Arguments of the last launch. */
static const double *last_real(const struct trial *t)
{
	return t->real[t->steps - 1];
}

static int problem_of(struct trial *t)
{
	const int vectors = t->v->shapes == SHAPE_VECTOR;
	const size_t rows = clopt__out(t->v, &t->problem, 1);
	const size_t columns = clopt__out(t->v, &t->problem, 0);

	switch (t->number) {
	case 0:
		/* Large enough that the ring of tiles of kernels for tensor cores wraps around.
		 * Maps need aligned rows, as here: with maps, four buffers of 64 terms wrap
		 * twice. */
		sizes(t, over(t, rows, 61), over(t, columns, 149),
		      t->v->maps          ? 549 :
		      t->v->needs & T_PTX ? 101 :
		                            37,
		      1.5, -0.5);
		t->problem.batch = t->v->maps ? 2 : 1;
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

static int describe(struct trial *t)
{
	const int is_one = problem_of(t);

	if (is_one && (t->problem.reserved & FORM_IN_PARTS))
		in_parts(t);
	return is_one;
}

static int number_type(const struct trial *t, unsigned i)
{
	return i == 2 ? type_of(t)->result : type_of(t)->part;
}

/* Store a random number from -1 to 1 with all digits of the type in operand i; halves have
 * exponents 9 to 14, integers all sizes. */
static void put_random(struct trial *t, unsigned i, char *at)
{
	const struct element_type *type = type_of(t);
	const int number = number_type(t, i);
	unsigned part;

	for (part = 0; part < type->parts; part++) {
		const double x = clopt__random(&t->random);
		const uint64_t r = t->random >> 32;
		const uint16_t half = (uint16_t)((r & 0x83ff) | (9 + (r >> 10 & 31) % 6) << 10);

		if (type->type == CLOPT_TYPE_HALF)
			memcpy(at, &half, sizeof half);
		else
			clopt__element_put(at + part * ((size_t)number & 0xff), number,
			                   x * clopt__element_range(number));
	}
}

/* If beta is 0, C is left NaN. */
static void fill(struct trial *t)
{
	const unsigned arrays = last_real(t)[1] == 0 ? 2 : 3;
	size_t b, row, column;
	unsigned i;

	for (i = 0; i < arrays; i++)
		for (b = 0; b < t->problem.batch; b++)
			for (row = 0; row < t->array[i].rows; row++)
				for (column = 0; column < t->array[i].columns; column++)
					put_random(t, i, clopt__sent(&t->array[i], b, row, column));
}

/* ---- The product in double ---------------------------------------------------- */

static double rounding(const struct variant *v, size_t terms, const struct element_type *type)
{
	/* Two units per term, since matrix units truncate; 16 for the three products of parts
	 * (cl/matmul/tensor.clh), alpha and beta, or 128 (cl/matmul/wgmma_mix.cl). */
	const double units = 2 * clopt__sum_units(terms) + (v->planes ? 128 : 16);

	/* Operands may be rounded or truncated to 11 bits. */
	return units * type->unit + (v->math == CLOPT_MATH_TF32 ? 4 : 0) * ROUND_HALF;
}

/* Part i of the element of an operand at this address. */
static double part(const struct trial *t, unsigned operand, const char *at, unsigned i)
{
	const int type = number_type(t, operand);

	return clopt__element(at + i * ((size_t)type & 0xff), type);
}

/* Copy the rows of op(A) as lines of doubles; complex numbers as real and imaginary parts in turn.
 * Each line ends with its 2-norm. */
static void turn_a(const struct trial *t, size_t b, double *line)
{
	const size_t m = t->problem.dim[0], k = t->problem.dim[2], parts = type_of(t)->parts;
	const int turned = t->problem.transa != CLOPT_TRANS_NO;
	size_t i, p;
	unsigned h;

	for (i = 0; i < m; i++, line += parts * k + 1) {
		for (p = 0; p < k; p++)
			for (h = 0; h < parts; h++)
				line[parts * p + h] =
				        part(t, 0,
				             clopt__sent(&t->array[0], b, turned ? p : i,
				                         turned ? i : p),
				             h);
		line[parts * k] = sqrt(clopt__dot(line, line, parts * k));
	}
}

/* The same for the columns of op(B).  A complex column has two lines, whose products with a line of
 * A are the real and the imaginary part of the result. */
static void turn_b(const struct trial *t, size_t b, double *line)
{
	const size_t n = t->problem.dim[1], k = t->problem.dim[2], parts = type_of(t)->parts;
	const int turned = t->problem.transb != CLOPT_TRANS_NO;
	const double a_sign = t->problem.transa == CLOPT_TRANS_CONJ ? -1 : 1;
	const double b_sign = t->problem.transb == CLOPT_TRANS_CONJ ? -1 : 1;
	size_t j, p, h;

	for (j = 0; j < n; j++)
		for (h = 0; h < parts; h++, line += parts * k + 1) {
			for (p = 0; p < k; p++) {
				const char *at = clopt__sent(&t->array[1], b, turned ? j : p,
				                             turned ? p : j);
				const double re = part(t, 1, at, 0);
				const double im = parts == 2 ? b_sign * part(t, 1, at, 1) : 0;

				line[parts * p] = h ? im : re;
				if (parts == 2)
					line[2 * p + 1] = a_sign * (h ? re : -im);
			}
			line[parts * k] = sqrt(clopt__dot(line, line, parts * k));
		}
}

static int is_wanted(const struct trial *t, size_t i, size_t j)
{
	const ptrdiff_t end = (ptrdiff_t)i + t->lower;

	return !t->problem.triangle ||
	       (t->problem.triangle == CLOPT_UPLO_LOWER ? (ptrdiff_t)j <= end :
	                                                  (ptrdiff_t)j >= end);
}

/* x: a line of op(A). y: a column of op(B), with one line per part of an element. */
static int judge_element(struct trial *t, size_t b, size_t i, size_t j, const double *x,
                         const double *y)
{
	const struct trial_array *c = &t->array[2];
	const struct element_type *type = type_of(t);
	const size_t terms = type->parts * t->problem.dim[2];
	const char *got = clopt__got(c, b, i, j), *sent = clopt__sent(c, b, i, j);
	const double *real = last_real(t);
	const int kept = real[1] != 0 || real[3] != 0, wanted = is_wanted(t, i, j);
	const int is_real = t->problem.hermitian && (ptrdiff_t)j == (ptrdiff_t)i + t->lower;
	double sum[2] = { 0, 0 }, old[2] = { 0, 0 }, size;
	unsigned h;

	if (!wanted && !memcmp(got, sent, c->elem_bytes))
		return 1;
	for (h = 0; h < type->parts; h++) {
		sum[h] = (double)t->steps * clopt__dot(x, y + h * (terms + 1), terms);
		if (!wanted || (kept && !(is_real && h)))
			old[h] = part(t, 2, sent, h);
	}
	/* Upper bound of the sum of the terms' magnitudes. */
	size = (fabs(real[0]) + fabs(real[2])) * (double)t->steps * x[terms] * y[terms] +
	       (fabs(real[1]) + fabs(real[3])) * (fabs(old[0]) + fabs(old[1]));
	for (h = 0; h < type->parts; h++) {
		const double turned = h ? 1 : -1;
		double want = is_real && h ?
		                      0 :
		                      real[0] * sum[h] + turned * real[2] * sum[1 - h] +
		                              real[1] * old[h] + turned * real[3] * old[1 - h];

		if (type->unit == 0)
			want = clopt__product_mod(want, 1);

		if (!wanted ? !clopt__near(t, "c", i, j, part(t, 2, got, h), old[h], 0) :
		              !clopt__near(t, "c", i, j, part(t, 2, got, h), want,
		                           rounding(t->v, t->steps * terms, type) * size +
		                                   type->stored * fabs(want) +
		                                   fmax(type->least / 2, FLT_MIN)))
			return 0;
	}
	return 1;
}

static int judge_matrix(struct trial *t, size_t b, double *a, double *columns)
{
	const size_t m = t->problem.dim[0], n = t->problem.dim[1], parts = type_of(t)->parts;
	const size_t line = parts * t->problem.dim[2] + 1;
	size_t i, j;

	turn_a(t, b, a);
	turn_b(t, b, columns);
	for (i = 0; i < m; i++)
		for (j = 0; j < n; j++)
			if (!judge_element(t, b, i, j, a + i * line, columns + j * parts * line))
				return 0;
	return 1;
}

static int judge(struct trial *t)
{
	const size_t m = t->problem.dim[0], n = t->problem.dim[1], k = t->problem.dim[2];
	const size_t parts = type_of(t)->parts, line = parts * k + 1;
	double *a = malloc((m + parts * n) * line * sizeof *a);
	size_t b;
	int right = 1;

	if (!a)
		return CLOPT_ENOMEM;
	for (b = 0; right && b < t->problem.batch; b++)
		right = judge_matrix(t, b, a, a + m * line);
	free(a);
	return right ? CLOPT_OK : CLOPT_EWRONG;
}

const struct checker clopt__check_matmul = {
	describe, fill, judge, 4, clopt__freivalds, clopt__freivalds_bytes
};
