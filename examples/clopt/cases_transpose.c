/* SPDX-License-Identifier: MIT */
/*
 * cases_transpose.c - out = the transpose of in, bit for bit.
 *
 * There is no tolerance.  The elements are random bits with many NaNs among
 * them, quiet and signalling, and subnormal numbers, all of which a kernel
 * changes if it moves them through a floating-point unit.
 */
#include <math.h>
#include <string.h>

#include "cases_op.h"

/* clang-format off */
#define ROW(r, c, e, pi, po, sm) \
	{ .dim = { r, c }, .elem_bytes = e, .pad = { pi, po }, .scale = 1.0, .small = sm }
#define BOTH(r, c, pi, po, sm) ROW(r, c, 4, pi, po, sm), ROW(r, c, 8, pi, po, sm)

static const struct shape shapes[] = {
	BOTH(1, 1, 0, 0, 1),
	BOTH(33, 65, 3, 5, 1),
	BOTH(64, 64, 0, 0, 1),
	BOTH(70, 45, 0, 0, 1),
	BOTH(128, 32, 4, 8, 1),
	BOTH(1, 1000, 0, 0, 0),
	BOTH(1000, 1, 0, 3, 0),
	BOTH(1000, 37, 1, 0, 0),
	BOTH(129, 257, 0, 0, 0),
	BOTH(256, 512, 0, 0, 0),
	BOTH(260, 516, 0, 4, 0),
	BOTH(513, 1025, 7, 1, 0),
	BOTH(0, 5, 0, 0, 1),
	BOTH(5, 0, 2, 1, 1),
	ROW(0, 0, 4, 0, 0, 1),
};
/* clang-format on */

static const struct shape bench[] = { ROW(0, 0, 4, 0, 0, 0), ROW(0, 0, 8, 0, 0, 0) };

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

static int fill(struct case_job *job)
{
	const struct shape *s = &job->s;
	size_t rows = s->dim[0], cols = s->dim[1], elem = s->elem_bytes, i, j;
	struct field *in = &job->in[0];
	int rc;

	rc = field_open(in, rows, cols, cols + s->pad[0], elem, FIELD_IN, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(&job->out[0], cols, rows, rows + s->pad[1], elem, FIELD_OUT,
		                &job->rng);
	if (rc != CLOPT_OK)
		goto out;
	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++) {
			uint64_t bits = case_random(&job->rng);
			uint32_t half;

			if ((bits >> 8) % 6 == 0)
				bits = odd_pattern(bits, elem);
			half = (uint32_t)bits;
			memcpy(in->data + (i * in->ld + j) * elem,
			       elem == 8 ? (void *)&bits : (void *)&half, elem);
		}
out:
	return rc;
}

static int call(struct clopt *ctx, struct case_job *job)
{
	const struct shape *s = &job->s;

	return clopt_transpose(ctx, s->dim[0], s->dim[1], s->elem_bytes, job->in[0].array,
	                       job->in[0].ld, job->out[0].array, job->out[0].ld);
}

static size_t items(const struct case_job *job)
{
	return job->s.dim[0] * job->s.dim[1];
}

/* The bits as a whole number; only the error is exact for 8 bytes. */
static double number(const unsigned char *from, size_t elem_bytes)
{
	uint64_t bits;
	uint32_t half;

	if (elem_bytes == 8) {
		memcpy(&bits, from, sizeof bits);
		return (double)bits;
	}
	memcpy(&half, from, sizeof half);
	return (double)half;
}

static void expect(const struct case_job *job, size_t item, struct expect *e)
{
	size_t i = item / job->s.dim[0], j = item % job->s.dim[0], elem = job->s.elem_bytes;
	const unsigned char *got = job->out[0].data + (i * job->out[0].ld + j) * elem;
	const unsigned char *want = job->in[0].data + (j * job->in[0].ld + i) * elem;

	e->got = number(got, elem);
	e->want = number(want, elem);
	e->error = memcmp(got, want, elem) == 0 ? 0.0 : HUGE_VAL;
}

const struct case_op case_transpose = {
	.shapes = shapes,
	.nshapes = sizeof shapes / sizeof shapes[0],
	.bench = bench,
	.nbench = sizeof bench / sizeof bench[0],
	.bench_dim = { [CASE_SMALL] = 128, [CASE_CPU] = 2048, [CASE_GPU] = 8192 },
	.ndim = 2,
	.width = 1,
	.unit = "GB/s",
	.fill = fill,
	.call = call,
	.items = items,
	.expect = expect,
};
