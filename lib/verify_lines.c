/* SPDX-License-Identifier: MIT */
/*
 * verify_lines.c - matrices times vectors, on the host, reading each element once: what
 * Freivalds' check of a product consists of, and so what it costs.
 *
 * Float elements are multiplied in float and added up in double by parts, in vectors that
 * compilers make of whatever the processor has.  The sums of squares come along; where
 * those leave float's range, which they do long before the elements, a line is read again
 * in double.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "verify_product.h"

typedef float lanes __attribute__((vector_size(32)));
typedef double wide_lanes __attribute__((vector_size(32)));

#define LANES 8
#define WIDE_LANES 4
#define PART 1024 /* elements of a line that are added up in float */

static double add_up(const lanes *v)
{
	float x[LANES];
	double sum = 0;
	int i;

	memcpy(x, v, sizeof x);
	for (i = 0; i < LANES; i++)
		sum += (double)x[i];
	return sum;
}

static double add_up_wide(const wide_lanes *v)
{
	double x[WIDE_LANES];

	memcpy(x, v, sizeof x);
	return (x[0] + x[1]) + (x[2] + x[3]);
}

/* A part of a line times a vector, and its square. */
static void part_along(const float *line, const float *v, size_t n, struct line_sums *s)
{
	lanes sum[2] = { { 0 }, { 0 } }, square[2] = { { 0 }, { 0 } }, x, y;
	size_t e;
	int i;

	for (e = 0; e + 2 * LANES <= n; e += 2 * LANES)
		for (i = 0; i < 2; i++) {
			memcpy(&x, line + e + i * LANES, sizeof x);
			memcpy(&y, v + e + i * LANES, sizeof y);
			sum[i] += x * y;
			square[i] += x * x;
		}
	sum[0] += sum[1];
	square[0] += square[1];
	s->sum += add_up(&sum[0]);
	s->square += add_up(&square[0]);
	for (; e < n; e++) {
		s->sum += (double)line[e] * (double)v[e];
		s->square += (double)line[e] * (double)line[e];
	}
}

static void along_float(const float *line, const float *v, size_t n, struct line_sums *s)
{
	size_t e;

	for (e = 0; e < n; e += PART)
		part_along(line + e, v + e, n - e < PART ? n - e : PART, s);
}

static void along_double(const double *line, const double *v, size_t n, struct line_sums *s)
{
	wide_lanes sum[2] = { { 0 }, { 0 } }, square[2] = { { 0 }, { 0 } }, x, y;
	size_t e;
	int i;

	for (e = 0; e + 2 * WIDE_LANES <= n; e += 2 * WIDE_LANES)
		for (i = 0; i < 2; i++) {
			memcpy(&x, line + e + i * WIDE_LANES, sizeof x);
			memcpy(&y, v + e + i * WIDE_LANES, sizeof y);
			sum[i] += x * y;
			square[i] += x * x;
		}
	sum[0] += sum[1];
	square[0] += square[1];
	s->sum = add_up_wide(&sum[0]);
	s->square = add_up_wide(&square[0]);
	for (; e < n; e++) {
		s->sum += line[e] * v[e];
		s->square += line[e] * line[e];
	}
}

/* Binary16 becomes float by parts. */
static void along_half(const char *line, const float *v, size_t n, struct line_sums *s)
{
	float part[PART];
	size_t e, i, count;

	for (e = 0; e < n; e += count) {
		count = n - e < PART ? n - e : PART;
		for (i = 0; i < count; i++)
			part[i] = (float)clopt__element(line + 2 * (e + i), 2);
		part_along(part, v + e, count, s);
	}
}

/* The length by way of the largest element, when squares leave the range. */
static double careful_length(const struct lines *m, const char *line, size_t step_bytes, size_t n)
{
	double most = 0, sum = 0, x;
	size_t e;

	for (e = 0; e < n; e++) {
		x = fabs(clopt__element(line + e * step_bytes, m->elem_bytes));
		most = x > most || isnan(x) ? x : most;
	}
	for (e = 0; most > 0 && e < n; e++) {
		x = clopt__element(line + e * step_bytes, m->elem_bytes) / most;
		sum += x * x;
	}
	return most * sqrt(sum);
}

static double length_of(const struct lines *m, double square, const char *line, size_t step_bytes,
                        size_t n)
{
	const int wide = m->elem_bytes == 8;

	if (square > (wide ? 1e-280 : 1e-26) && square < (wide ? 1e300 : 1e36))
		return sqrt(square);
	return careful_length(m, line, step_bytes, n);
}

void clopt__along(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                  double *length)
{
	size_t i;

	for (i = first; i < first + count; i++) {
		const char *line = m->at + i * m->pitch_bytes;
		struct line_sums s = { 0, 0 };

		if (m->elem_bytes == 8)
			along_double((const double *)(const void *)line, v, m->length, &s);
		else if (m->elem_bytes == 4)
			along_float((const float *)(const void *)line, v, m->length, &s);
		else
			along_half(line, v, m->length, &s);
		sum[i] = s.sum;
		length[i] = length_of(m, s.square, line, m->elem_bytes, m->length);
	}
}

/* ---- Across the lines ----------------------------------------------------------- */

#define BLOCK 512 /* columns that are done at a time */
#define DEEP 64 /* lines that are added up in float */

#define ABREAST 4 /* lines that are read side by side, so that sums are fetched less often */

/* n columns of some lines, each times its factor, and their squares. */
static void add_abreast(const float *const *line, const float *factor, size_t lines, size_t n,
                        float *sum, float *square)
{
	lanes s, q, x;
	size_t e, i;

	for (e = 0; e + LANES <= n; e += LANES) {
		memcpy(&s, sum + e, sizeof s);
		memcpy(&q, square + e, sizeof q);
		for (i = 0; i < lines; i++) {
			memcpy(&x, line[i] + e, sizeof x);
			s += factor[i] * x;
			q += x * x;
		}
		memcpy(sum + e, &s, sizeof s);
		memcpy(square + e, &q, sizeof q);
	}
	for (; e < n; e++)
		for (i = 0; i < lines; i++) {
			sum[e] += factor[i] * line[i][e];
			square[e] += line[i][e] * line[i][e];
		}
}

/* Some lines' part of a block of columns. */
static void lines_across(const struct lines *m, size_t first, size_t lines, size_t column,
                         size_t columns, const float *v, float *sum, float *square)
{
	float part[ABREAST][BLOCK];
	const float *line[ABREAST];
	size_t at, count, i, e;

	for (at = 0; at < lines; at += count) {
		count = lines - at < ABREAST ? lines - at : ABREAST;
		for (i = 0; i < count; i++) {
			const char *begin =
			        m->at + (first + at + i) * m->pitch_bytes + column * m->elem_bytes;

			line[i] = m->elem_bytes == 4 ? (const float *)(const void *)begin : part[i];
			for (e = 0; m->elem_bytes == 2 && e < columns; e++)
				part[i][e] = (float)clopt__element(begin + 2 * e, 2);
		}
		add_abreast(line, v + first + at, count, columns, sum, square);
	}
}

static void block_across(const struct lines *m, size_t column, size_t columns, const float *v,
                         double *sum, double *square)
{
	float s[BLOCK], q[BLOCK];
	size_t i, e;

	for (i = 0; i < m->count; i += DEEP) {
		memset(s, 0, sizeof s);
		memset(q, 0, sizeof q);
		lines_across(m, i, m->count - i < DEEP ? m->count - i : DEEP, column, columns, v, s,
		             q);
		for (e = 0; e < columns; e++) {
			sum[e] += (double)s[e];
			square[e] += (double)q[e];
		}
	}
}

static void wide_block_across(const struct lines *m, size_t column, size_t columns, const double *v,
                              double *sum, double *square)
{
	size_t i, e;

	for (i = 0; i < m->count; i++) {
		const double *line =
		        (const double *)(const void *)(m->at + i * m->pitch_bytes) + column;

		for (e = 0; e < columns; e++) {
			sum[e] += v[i] * line[e];
			square[e] += line[e] * line[e];
		}
	}
}

void clopt__across(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                   double *length)
{
	size_t column, columns, e;
	double square[BLOCK];

	memset(sum + first, 0, count * sizeof *sum);
	for (column = first; column < first + count; column += columns) {
		columns = first + count - column < BLOCK ? first + count - column : BLOCK;
		memset(square, 0, sizeof square);
		if (m->elem_bytes == 8)
			wide_block_across(m, column, columns, v, sum + column, square);
		else
			block_across(m, column, columns, v, sum + column, square);
		for (e = 0; e < columns; e++)
			length[column + e] =
			        length_of(m, square[e], m->at + (column + e) * m->elem_bytes,
			                  m->pitch_bytes, m->count);
	}
}
