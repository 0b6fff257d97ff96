/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - out = alpha times the transpose of in, bit for bit.
 *
 * There is no tolerance.  The elements are random bits with many NaNs among
 * them, quiet and signalling, and subnormal numbers, all of which a kernel
 * changes if it moves them through a floating-point unit.  Those that are scaled
 * go through one; there, any NaN is as good as another.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "op.h"

/* clang-format off */
#define ROW(r, c, e, pi, po, sm) SCALED(r, c, e, 1.0, pi, po, sm)
#define SCALED(r, c, e, a, pi, po, sm) \
	{ .dim = { r, c }, .elem_bytes = e, .alpha = a, .pad = { pi, po }, .scale = 1.0, .small = sm }
#define EACH(r, c, pi, po, sm) \
	ROW(r, c, 4, pi, po, sm), ROW(r, c, 8, pi, po, sm), ROW(r, c, 1, pi, po, sm), \
	ROW(r, c, 2, pi, po, sm), ROW(r, c, 16, pi, po, sm)

static const struct shape shapes[] = {
	EACH(1, 1, 0, 0, 1),
	EACH(33, 65, 3, 5, 1),
	EACH(64, 64, 0, 0, 1),
	EACH(70, 45, 0, 0, 1),
	EACH(128, 32, 16, 32, 1),
	EACH(1, 1000, 0, 0, 0),
	EACH(1000, 1, 0, 3, 0),
	EACH(1000, 37, 1, 0, 0),
	EACH(129, 257, 0, 0, 0),
	EACH(256, 512, 0, 0, 0),
	EACH(260, 516, 0, 4, 0),
	EACH(1031, 1025, 7, 1, 0), /* of 4 bytes and more, large enough to be written past a cache */
	EACH(1040, 1024, 0, 48, 0),
	EACH(0, 5, 0, 0, 1),
	EACH(5, 0, 2, 1, 1),
	SCALED(33, 65, 4, -0.5, 3, 5, 1),
	SCALED(64, 64, 8, 3.0, 0, 0, 1),
	SCALED(65, 33, 4, 0.0, 0, 0, 1),
	SCALED(65, 33, 8, 0.0, 0, 1, 0),
	SCALED(1040, 1024, 4, 0.1, 0, 0, 0),
	SCALED(1031, 1025, 8, 0.1, 0, 0, 0),
	ROW(0, 0, 4, 0, 0, 1),
};
/* clang-format on */

static const struct shape bench[] = {
	ROW(0, 0, 4, 0, 0, 0), ROW(0, 0, 8, 0, 0, 0),  ROW(0, 0, 1, 0, 0, 0),
	ROW(0, 0, 2, 0, 0, 0), ROW(0, 0, 16, 0, 0, 0),
};

/* Every sixth element, about, is one of these with random bits below. */
static uint64_t odd_pattern(uint64_t bits, size_t elem_bytes)
{
	static const uint64_t top[4] = { 0x7ff8, 0x7ff4, 0xfff0, 0x0008 }; /* of a double */
	static const uint64_t top_float[4] = { 0x7fc0, 0x7fa0, 0xff80, 0x0040 };
	uint64_t which = bits >> 62;

	if (elem_bytes == 8)
		return top[which] << 48 | (bits & UINT64_C(0x00007fffffffffff)) | 1;
	return top_float[which] << 16 | (bits & 0x1fff) | 1;
}

/* Subnormal numbers are the device's business once they are computed with. */
static uint64_t normal(uint64_t bits, size_t elem_bytes)
{
	const int top = elem_bytes == 8 ? 52 : 23;
	const uint64_t exponent = elem_bytes == 8 ? 0x7ff : 0xff;

	return bits >> top & exponent ? bits : bits | UINT64_C(1) << (top + 4);
}

static void fill_element(unsigned char *to, const struct shape *s, struct rng *rng)
{
	uint64_t bits[2] = { case_random(rng), 0 };
	uint32_t half;

	if ((bits[0] >> 8) % 6 == 0)
		bits[0] = odd_pattern(bits[0], s->elem_bytes);
	if (s->alpha != 1.0)
		bits[0] = normal(bits[0], s->elem_bytes);
	if (s->elem_bytes == 16)
		bits[1] = case_random(rng);
	half = (uint32_t)bits[0];
	memcpy(to, s->elem_bytes >= 8 ? (void *)bits : (void *)&half, s->elem_bytes);
}

/* Numbers drawn for an element. */
static uint64_t draws(const struct shape *s)
{
	return s->elem_bytes == 16 ? 2 : 1;
}

static uint64_t fill_rows(void *what, size_t first, size_t count)
{
	const struct case_job *job = what;
	const struct field *in = &job->in[0];
	struct rng rng = job->rng;
	size_t i, j;

	case_skip(&rng, first * in->cols * draws(&job->s));
	for (i = first; i < first + count; i++)
		for (j = 0; j < in->cols; j++)
			fill_element(in->data + (i * in->ld + j) * in->elem_bytes, &job->s, &rng);
	return 0;
}

static int fill(struct case_job *job)
{
	const struct shape *s = &job->s;
	size_t rows = s->dim[0], cols = s->dim[1], elem = s->elem_bytes;
	struct field *in = &job->in[0];
	int rc;

	rc = field_open(in, rows, cols, cols + s->pad[0], elem, FIELD_IN, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(&job->out[0], cols, rows, rows + s->pad[1], elem, FIELD_OUT,
		                &job->rng);
	if (rc == CLOPT_OK) {
		case_in_parts(rows, rows * cols * elem, fill_rows, job);
		case_skip(&job->rng, rows * cols * draws(s));
	}
	return rc;
}

static int call(struct clopt *ctx, struct case_job *job)
{
	const struct shape *s = &job->s;
	const struct field *in = &job->in[0], *out = &job->out[0];

	if (s->alpha == 1.0)
		return clopt_transpose(ctx, s->dim[0], s->dim[1], s->elem_bytes, in->array, in->ld,
		                       out->array, out->ld);
	if (s->elem_bytes == 8)
		return clopt_dtranspose(ctx, s->dim[0], s->dim[1], s->alpha, in->array, in->ld,
		                        out->array, out->ld);
	return clopt_stranspose(ctx, s->dim[0], s->dim[1], (float)s->alpha, in->array, in->ld,
	                        out->array, out->ld);
}

static size_t items(const struct case_job *job)
{
	return job->s.dim[0] * job->s.dim[1];
}

/* The low bits as a whole number; only the error looks at all of them. */
static double number(const unsigned char *from, size_t elem_bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, from, elem_bytes < sizeof bits ? elem_bytes : sizeof bits);
	return (double)bits;
}

/* The scaled element of `in'; 0 if `got' is equal. */
static double scaled_error(const struct shape *s, const unsigned char *in, struct expect *e,
                           const unsigned char *got)
{
	const double least = s->elem_bytes == 8 ? DBL_MIN : (double)FLT_MIN;
	double x = case_load(in, s->elem_bytes);
	const double y = case_load(got, s->elem_bytes);

	x = s->alpha == 0.0    ? 0.0 :
	    s->elem_bytes == 8 ? x * s->alpha :
	                         (double)(float)((float)x * (float)s->alpha);
	e->got = y;
	e->want = x;
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y) ? 0.0 : HUGE_VAL;
	return x == y || (fabs(x) < least && y == 0.0) ? 0.0 : HUGE_VAL;
}

static void expect(const struct case_job *job, size_t item, struct expect *e)
{
	size_t i = item / job->s.dim[0], j = item % job->s.dim[0], elem = job->s.elem_bytes;
	const unsigned char *got = job->out[0].data + (i * job->out[0].ld + j) * elem;
	const unsigned char *want = job->in[0].data + (j * job->in[0].ld + i) * elem;

	if (job->s.alpha != 1.0) {
		e->error = scaled_error(&job->s, want, e, got);
		return;
	}
	e->got = number(got, elem);
	e->want = number(want, elem);
	e->error = memcmp(got, want, elem) == 0 ? 0.0 : HUGE_VAL;
}

const struct case_op case_transpose = { CASE_SHAPES(shapes, 2, 1, "GB/s"),
	                                CASE_BENCH(bench, 128, 2048, 8192),
	                                .fill = fill,
	                                .call = call,
	                                .items = items,
	                                .expect = expect };
