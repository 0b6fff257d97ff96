/* SPDX-License-Identifier: MIT */
/*
 * lines.c - matrices times vectors, on the host, reading each element once: what
 * Freivalds' check of a product consists of, and so what it costs.
 *
 * Float elements are multiplied in float and added up in double by parts.  The sums of
 * squares come along where they are asked for; where those leave float's range, which
 * they do long before the elements, a line is read again in double.
 *
 * Vectors are of 16 bytes, since all processors have such: gcc keeps larger ones in
 * memory where it may not use the processor's own, which takes three times as long.
 * So a thread does 25 to 35 GB/s of float from its cache, more than it gets from memory.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "product.h"

typedef float lanes __attribute__((vector_size(16)));
typedef double wide_lanes __attribute__((vector_size(16)));

#define LANES 4
#define WIDE_LANES 2
#define CHAINS 4 /* sums that go on side by side, since each waits for its last addition */
#define PART 1024 /* elements of a line that are added up in float */

static double add_up(const lanes *v)
{
	const lanes all = (v[0] + v[1]) + (v[2] + v[3]);

	return ((double)all[0] + (double)all[1]) + ((double)all[2] + (double)all[3]);
}

static double add_up_wide(const wide_lanes *v)
{
	const wide_lanes all = (v[0] + v[1]) + (v[2] + v[3]);

	return all[0] + all[1];
}

static lanes load(const float *at)
{
	lanes x;

	memcpy(&x, at, sizeof x);
	return x;
}

static wide_lanes load_wide(const double *at)
{
	wide_lanes x;

	memcpy(&x, at, sizeof x);
	return x;
}

/* Binary16 as float: its exponent is 112 less than float's, but for infinities and NaN. */
static void to_float(const char *half, size_t n, float *to)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t bits;
		uint16_t h;
		float x;

		memcpy(&h, half + 2 * i, sizeof h);
		bits = (uint32_t)(h & 0x7fff) << 13;
		bits |= bits >= 31u << 23 ? 255u << 23 : 0;
		memcpy(&x, &bits, sizeof x);
		x *= 0x1p112f;
		to[i] = h >> 15 ? -x : x;
	}
}

static void chain(const float *line, const float *v, lanes *sum, lanes *square)
{
	const lanes x = load(line);

	*sum += x * load(v);
	*square += x * x;
}

static void wide_chain(const double *line, const double *v, wide_lanes *sum, wide_lanes *square)
{
	const wide_lanes x = load_wide(line);

	*sum += x * load_wide(v);
	*square += x * x;
}

/* A part of a line times a vector, and its square.  Chains are written out: compilers
 * that are asked for little do not unroll loops. */
static void part_along(const float *line, const float *v, size_t n, struct line_sums *s)
{
	lanes sum[CHAINS] = { { 0 } }, square[CHAINS] = { { 0 } };
	size_t e;

	for (e = 0; e + CHAINS * LANES <= n; e += CHAINS * LANES) {
		chain(line + e, v + e, &sum[0], &square[0]);
		chain(line + e + LANES, v + e + LANES, &sum[1], &square[1]);
		chain(line + e + 2 * LANES, v + e + 2 * LANES, &sum[2], &square[2]);
		chain(line + e + 3 * LANES, v + e + 3 * LANES, &sum[3], &square[3]);
	}
	s->sum += add_up(sum);
	s->square += add_up(square);
	for (; e < n; e++) {
		s->sum += (double)line[e] * (double)v[e];
		s->square += (double)line[e] * (double)line[e];
	}
}

/* The same without the square. */
static void part_sum(const float *line, const float *v, size_t n, struct line_sums *s)
{
	lanes sum[CHAINS] = { { 0 } };
	size_t e;

	for (e = 0; e + CHAINS * LANES <= n; e += CHAINS * LANES) {
		sum[0] += load(line + e) * load(v + e);
		sum[1] += load(line + e + LANES) * load(v + e + LANES);
		sum[2] += load(line + e + 2 * LANES) * load(v + e + 2 * LANES);
		sum[3] += load(line + e + 3 * LANES) * load(v + e + 3 * LANES);
	}
	s->sum += add_up(sum);
	for (; e < n; e++)
		s->sum += (double)line[e] * (double)v[e];
}

static void along_float(const float *line, const float *v, size_t n, int squared,
                        struct line_sums *s)
{
	size_t e;

	for (e = 0; e < n; e += PART)
		(squared ? part_along : part_sum)(line + e, v + e, n - e < PART ? n - e : PART, s);
}

static void along_double(const double *line, const double *v, size_t n, struct line_sums *s)
{
	wide_lanes sum[CHAINS] = { { 0 } }, square[CHAINS] = { { 0 } };
	const size_t step = (size_t)CHAINS * WIDE_LANES;
	size_t e;

	for (e = 0; e + step <= n; e += step) {
		wide_chain(line + e, v + e, &sum[0], &square[0]);
		wide_chain(line + e + WIDE_LANES, v + e + WIDE_LANES, &sum[1], &square[1]);
		wide_chain(line + e + 2 * WIDE_LANES, v + e + 2 * WIDE_LANES, &sum[2], &square[2]);
		wide_chain(line + e + 3 * WIDE_LANES, v + e + 3 * WIDE_LANES, &sum[3], &square[3]);
	}
	s->sum = add_up_wide(sum);
	s->square = add_up_wide(square);
	for (; e < n; e++) {
		s->sum += line[e] * v[e];
		s->square += line[e] * line[e];
	}
}

/* Binary16 becomes float by parts. */
static void along_half(const char *line, const float *v, size_t n, int squared, struct line_sums *s)
{
	float part[PART];
	size_t e, count;

	for (e = 0; e < n; e += count) {
		count = n - e < PART ? n - e : PART;
		to_float(line + 2 * e, count, part);
		(squared ? part_along : part_sum)(part, v + e, count, s);
	}
}

/* The length by way of the largest element, when squares leave the range. */
static double careful_length(const struct lines *m, const char *line, size_t step_bytes, size_t n,
                             double most)
{
	double sum = 0, x;
	size_t e;

	for (e = 0; most > 0 && e < n; e++) {
		x = clopt__element(line + e * step_bytes, m->elem_bytes) / most;
		sum += x * x;
	}
	return most * sqrt(sum);
}

/* The largest magnitudes of `count` elements that lie together, and of what was before. */
static void largest(const struct lines *m, const char *at, size_t count, double *most)
{
	double x;
	size_t e;

	for (e = 0; e < count; e++) {
		x = fabs(clopt__element(at + e * m->elem_bytes, m->elem_bytes));
		most[e] = x > most[e] || isnan(x) ? x : most[e];
	}
}

/* Whether a sum of squares has not left the range in which it is good. */
static int is_good(const struct lines *m, double square)
{
	const int wide = m->elem_bytes == 8;

	return square > (wide ? 1e-280 : 1e-26) && square < (wide ? 1e300 : 1e36);
}

static double length_along(const struct lines *m, double square, const char *line)
{
	double most = 0;
	size_t e;

	if (is_good(m, square))
		return sqrt(square);
	for (e = 0; e < m->length; e++)
		largest(m, line + e * m->elem_bytes, 1, &most);
	return careful_length(m, line, m->elem_bytes, m->length, most);
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
			along_float((const float *)(const void *)line, v, m->length, length != NULL,
			            &s);
		else
			along_half(line, v, m->length, length != NULL, &s);
		sum[i] = s.sum;
		if (length)
			length[i] = length_along(m, s.square, line);
	}
}

/* ---- Across the lines ----------------------------------------------------------- */

#define BLOCK 1024 /* columns that are done at a time */
#define DEEP 64 /* lines that are added up in float */

#define ABREAST 4 /* lines that are read side by side, so that sums are fetched less often */

/* n columns of ABREAST lines, each times its factor, and their squares. */
static void add_abreast(const float *const *line, const float *factor, size_t n, float *sum,
                        float *square)
{
	const lanes zero = { 0 };
	const lanes f0 = zero + factor[0], f1 = zero + factor[1], f2 = zero + factor[2],
	            f3 = zero + factor[3];
	lanes s, q, x0, x1, x2, x3;
	size_t e, i;

	for (e = 0; e + LANES <= n; e += LANES) {
		x0 = load(line[0] + e);
		x1 = load(line[1] + e);
		x2 = load(line[2] + e);
		x3 = load(line[3] + e);
		s = load(sum + e) + ((f0 * x0 + f1 * x1) + (f2 * x2 + f3 * x3));
		q = load(square + e) + ((x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3));
		memcpy(sum + e, &s, sizeof s);
		memcpy(square + e, &q, sizeof q);
	}
	for (; e < n; e++)
		for (i = 0; i < ABREAST; i++) {
			sum[e] += factor[i] * line[i][e];
			square[e] += line[i][e] * line[i][e];
		}
}

/* Columns of a line as float: in its place, or of half in `part`. */
static const float *line_of(const struct lines *m, size_t i, size_t column, size_t columns,
                            float *part)
{
	const char *begin = m->at + i * m->pitch_bytes + column * m->elem_bytes;

	if (m->elem_bytes == 4)
		return (const float *)(const void *)begin;
	to_float(begin, columns, part);
	return part;
}

/* Some lines' part of a block of columns.  What is missing of the last ABREAST is zero. */
static void lines_across(const struct lines *m, size_t first, size_t lines, size_t column,
                         size_t columns, const float *v, float *sum, float *square)
{
	static const float none[BLOCK];
	float part[ABREAST][BLOCK], factor[ABREAST];
	const float *line[ABREAST];
	size_t at, i;

	for (at = 0; at < lines; at += ABREAST) {
		for (i = 0; i < ABREAST; i++) {
			factor[i] = at + i < lines ? v[first + at + i] : 0;
			line[i] = at + i < lines ?
			                  line_of(m, first + at + i, column, columns, part[i]) :
			                  none;
		}
		add_abreast(line, factor, columns, sum, square);
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

/* Of a block's columns.  Those of zeros, which are not seldom, are told line by line. */
static void lengths_across(const struct lines *m, size_t column, size_t columns,
                           const double *square, double *length)
{
	const char *at = m->at + column * m->elem_bytes;
	double most[BLOCK];
	size_t i, e;
	int good = 1;

	memset(most, 0, sizeof most);
	for (e = 0; e < columns; e++)
		good &= is_good(m, square[e]);
	for (i = 0; !good && i < m->count; i++)
		largest(m, at + i * m->pitch_bytes, columns, most);
	for (e = 0; e < columns; e++)
		length[e] = is_good(m, square[e]) ?
		                    sqrt(square[e]) :
		                    careful_length(m, at + e * m->elem_bytes, m->pitch_bytes,
		                                   m->count, most[e]);
}

void clopt__across(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                   double *length)
{
	size_t column, columns;
	double square[BLOCK];

	memset(sum + first, 0, count * sizeof *sum);
	for (column = first; column < first + count; column += columns) {
		columns = first + count - column < BLOCK ? first + count - column : BLOCK;
		memset(square, 0, sizeof square);
		if (m->elem_bytes == 8)
			wide_block_across(m, column, columns, v, sum + column, square);
		else
			block_across(m, column, columns, v, sum + column, square);
		lengths_across(m, column, columns, square, length + column);
	}
}
