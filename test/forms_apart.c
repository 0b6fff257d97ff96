/* SPDX-License-Identifier: MIT */
/*
 * forms_apart.c - routines on buffers that are parts of one buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "wrap.h"

static struct clopt *ctx;
/* left and right share their second and first quarter; last lies behind left. */
static struct clopt_buffer *a, *b, *whole, *left, *right, *last;
static size_t at; /* a quarter of the whole */

static void setup(void)
{
	struct clopt_device_info info = { .size = sizeof info };

	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_device(ctx, &info));
	for (at = 2048; at % info.buffer_align; at += 4)
		;
	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * at, &a));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * at, &b));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * at, &whole));
	CHECK_OK(ctx, clopt_buffer_sub(whole, 0, 2 * at, &left));
	CHECK_OK(ctx, clopt_buffer_sub(whole, at, 2 * at, &right));
	CHECK_OK(ctx, clopt_buffer_sub(whole, 2 * at, at, &last));
}

static void teardown(void)
{
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(a);
	clopt_buffer_free(b);
	clopt_buffer_free(left);
	clopt_buffer_free(right);
	clopt_buffer_free(last);
	clopt_buffer_free(whole);
	test_close(ctx);
}

#define REFUSED(call, text) expect_refused(call, CLOPT_EINVAL, ctx, text)

/* Arrays in parts of one buffer: what matters is where they lie in it. */
START_TEST(overlaps)
{
	setup();
	REFUSED(clopt_transpose_buffers(ctx, 24, 24, 4, left, 24, right, 24, NULL),
	        "out (2304 bytes) overlaps in (2304 bytes)");
	REFUSED(clopt_transpose_buffers(ctx, 24, 24, 4, right, 24, left, 24, NULL), "overlaps in");
	REFUSED(clopt_matmul_buffers(ctx, 24, 24, 24, a, left, right, NULL), "c (2304 bytes)");
	REFUSED(clopt_matmul_buffers(ctx, 24, 24, 24, right, b, left, NULL), "overlaps a");
	REFUSED(clopt_nbody_buffers(ctx, 130, left, 9, a, right, NULL, NULL), "overlaps sources");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 130, left, right, 1, 1, NULL, NULL), "overlaps");
	REFUSED(clopt_potential_buffers(ctx, 9, a, 130, left, right, NULL, NULL),
	        "overlaps targets");
	REFUSED(clopt_matmul_buffers(ctx, 9, 9, 9, a, b, b, NULL), "c (324 bytes) overlaps b");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, a, 1, 1, NULL, NULL), "overlaps");
	/* Parts that touch do not overlap. */
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 20, 20, 4, left, 20, last, 20, NULL));
	/* Two that are only read may be one. */
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, a, a, b, NULL));
	teardown();
}
END_TEST

/* Buffers that overlap, where the arrays in them do not: OpenCL leaves it open what
 * a kernel does that writes one of them. */
START_TEST(parts_overlap)
{
	char text[160];

	setup();
	snprintf(text, sizeof text,
	         "the buffer of out, %zu bytes at %zu, overlaps that of in, %zu bytes at 0 of",
	         2 * at, at, 2 * at);
	/* In front, and between the columns. */
	REFUSED(clopt_transpose_buffers(ctx, 20, 20, 4, left, 20, right, 20, NULL), text);
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 4, left, at / 8 + 4, right, at / 8 + 4, NULL),
	        text);
	/* The whole and a part of it, whichever is written. */
	snprintf(text, sizeof text,
	         "the buffer of c, %zu bytes at %zu, overlaps that of b, %zu bytes at 0 of", 2 * at,
	         at, 4 * at);
	REFUSED(clopt_matmul_buffers(ctx, 9, 9, 9, a, whole, right, NULL), text);
	REFUSED(clopt_nbody_buffers(ctx, 9, right, 9, a, whole, NULL, NULL), "that of sources");
	REFUSED(clopt_potential_buffers(ctx, 9, a, 9, left, right, NULL, NULL), "that of targets");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, left, right, 1, 1, NULL, NULL),
	        "of the same memory");
	/* Only read, or not looked at. */
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, left, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, whole, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 0, whole, left, right, NULL));
	CHECK_OK(ctx, clopt_potential_buffers(ctx, 0, whole, 9, a, right, NULL, NULL));
	teardown();
}
END_TEST

/* Two products of 9 x 9, one behind the other, of whole numbers. */
#define N 9
#define EACH (N * N)

static void expect_products(const float *x, const float *y)
{
	float got[2 * EACH];
	size_t i;
	int p;

	CHECK_OK(ctx, clopt_buffer_read(a, 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	for (i = 0; i < 2 * EACH; i++) {
		const float *row = x + i / N * N, *column = y + i / EACH * EACH + i % N;
		float want = 0;

		for (p = 0; p < N; p++)
			want += row[p] * column[p * N];
		ck_assert_msg(got[i] == want, "element %zu is %g, not %g", i, got[i], want);
	}
}

/* NVIDIA's driver crashes when two such parts are released after a kernel has read both:
 * it gets a copy of one. */
START_TEST(parts_copied)
{
	static const struct wrap_gpu nvidia = {
		"GPU", "NVIDIA Corporation", 1, 32, 1024, 1, 48 << 10, 80, NULL
	};
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_gemm g = CLOPT_GEMM_INIT;
	float *data;
	size_t n, i;

	g.m = g.n = g.k = g.lda = g.ldb = g.ldc = N;
	g.batch = 2;
	g.stride_a = g.stride_b = g.stride_c = EACH;
	if (_i)
		wrap_pretend(&nvidia);
	setup();
	CHECK_OK(ctx, clopt_device(ctx, &info));
	CHECK_OK(ctx, clopt_use(ctx, "matmul/plain"));
	n = 4 * at / sizeof *data;
	data = malloc(n * sizeof *data);
	for (i = 0; i < n; i++)
		data[i] = (float)(i * i % 13);
	CHECK_OK(ctx, clopt_buffer_write(whole, 0, 4 * at, data, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	wrap_commands();
	CHECK_OK(ctx, clopt_gemm_buffers(ctx, &g, left, right, a, NULL));
	ck_assert_int_eq(wrap_commands(), strstr(info.traits, "nvidia") ? 2 : 1);
	ck_assert(!_i || strstr(info.traits, "nvidia"));
	expect_products(data, data + at / sizeof *data);
	/* As it is where they lie apart, or one is in the other. */
	wrap_commands();
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, left, last, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, whole, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, right, right, a, NULL));
	ck_assert_int_eq(wrap_commands(), 3);
	free(data);
	teardown();
	wrap_pretend(NULL);
}
END_TEST

void forms_apart(TCase *t)
{
	tcase_add_test(t, overlaps);
	tcase_add_test(t, parts_overlap);
	tcase_add_loop_test(t, parts_copied, 0, 2);
}
