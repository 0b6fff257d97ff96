/* SPDX-License-Identifier: MIT */
/*
 * idle.c - device arrays that calls leave to later ones, and small arrays through pinned memory.
 *
 * The frame fills such an array with NaN before a call gets it and looks behind the part that the
 * call asked for, so every suite tests that bits do not depend on what is left in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "suites.h"
#include "wrap.h"

#define N 70
#define OUT_OF_RESOURCES -5

static float left[4 * N * N], right[4 * N * N], out[4 * N * N];

static void fill(void)
{
	size_t i;

	for (i = 0; i < 4 * N * N; i++) {
		left[i] = (float)(i % 17) - 8;
		right[i] = (float)(i % 13) / 16;
	}
}

/* On a device that seems to have memory of its own. */
static struct clopt *open_timed(size_t limit_bytes, int profile)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	wrap_discrete(1);
	o.mem_limit_bytes = limit_bytes;
	o.profile = profile;
	o.small = CLOPT_SMALL_DEVICE;
	fill();
	return test_open(&o);
}

static struct clopt *open_discrete(size_t limit_bytes)
{
	return open_timed(limit_bytes, 0);
}

static void close_discrete(struct clopt *ctx)
{
	test_close(ctx);
	wrap_discrete(0);
}

static int product(struct clopt *ctx, size_t n)
{
	return clopt_matmul(ctx, n, n, n, left, right, out);
}

static int has(const struct idle *idle, cl_mem mem)
{
	unsigned i;

	for (i = 0; i < idle->count && idle->list[i].mem != mem; i++)
		;
	return i < idle->count;
}

/* A second call takes the arrays of the first, also a smaller one, and gives the same bits. */
START_TEST(taken_again)
{
	struct clopt *ctx = open_discrete(0);
	float first[N * N];
	struct idle before;
	unsigned i;

	CHECK_OK(ctx, product(ctx, N));
	before = ctx->idle;
	ck_assert_uint_eq(before.count, 3);
	memcpy(first, out, sizeof first);
	CHECK_OK(ctx, product(ctx, N - 1));
	CHECK_OK(ctx, product(ctx, N));
	ck_assert_uint_eq(ctx->idle.count, 3);
	for (i = 0; i < 3; i++)
		ck_assert(has(&ctx->idle, before.list[i].mem));
	ck_assert(!memcmp(first, out, sizeof first));
	CHECK_OK(ctx, clopt_host_trim(ctx));
	ck_assert_uint_eq(ctx->idle.count, 0);
	ck_assert_uint_eq(ctx->idle.bytes, 0);
	CHECK_OK(ctx, product(ctx, N));
	ck_assert(!memcmp(first, out, sizeof first));
	close_discrete(ctx); /* which releases them */
}
END_TEST

/* However calls follow each other, idle arrays count in the limit, and they are a small part of
 * it. */
START_TEST(within_the_limit)
{
	const size_t limit = 200000;
	struct clopt *ctx = open_discrete(limit);
	size_t n, kept = 0;

	wrap_peak_bytes();
	for (n = 1; n < 2 * N; n += 3) {
		CHECK_OK(ctx, product(ctx, n));
		kept += ctx->idle.count;
		ck_assert_uint_le(ctx->idle.bytes, limit / 64);
		CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, left, n, out, n));
		CHECK_OK(ctx, clopt_nbody_leapfrog(ctx, n, left, out, 0.01, 2, NULL));
		fill();
		ck_assert_msg(wrap_peak_bytes() <= limit, "more than the limit");
	}
	ck_assert_uint_gt(kept, 0);
	close_discrete(ctx);
}
END_TEST

/* As many arrays as there is room for; the oldest go first. */
START_TEST(bounded)
{
	struct clopt *ctx = open_discrete(0);
	size_t n;

	for (n = 8; n <= 8 * MOST_IDLE_ARRAYS; n += 8) /* larger than any before: two arrays */
		CHECK_OK(ctx, clopt_transpose(ctx, n, 1, 4, left, 1, out, n));
	ck_assert_uint_eq(ctx->idle.count, MOST_IDLE_ARRAYS);
	n = 8 * (MOST_IDLE_ARRAYS / 2 + 1);
	ck_assert_uint_eq(ctx->idle.list[0].bytes, n * sizeof *left);
	close_discrete(ctx);
}
END_TEST

/* An allocation that fails is tried again without idle arrays; a call that fails leaves none. */
START_TEST(where_memory_is_short)
{
	struct clopt *ctx = open_discrete(0);
	struct clopt_buffer *buffer;
	long n, left_none = 0;

	CHECK_OK(ctx, product(ctx, N));
	ck_assert_uint_eq(ctx->idle.count, 3);
	wrap_fail(1, OUT_OF_RESOURCES);
	CHECK_OK(ctx, clopt_buffer_new(ctx, 1000, &buffer));
	ck_assert(wrap_failed());
	wrap_fail(0, 0);
	ck_assert_uint_eq(ctx->idle.count, 0);
	clopt_buffer_free(buffer);
	for (n = 1;; n++) {
		int rc, happened;

		CHECK_OK(ctx, product(ctx, N));
		wrap_fail(n, OUT_OF_RESOURCES);
		rc = product(ctx, N);
		happened = wrap_failed();
		wrap_fail(0, 0);
		if (!happened)
			break;
		/* It may fail before it gets any. */
		ck_assert(ctx->idle.count == 3 || (rc != CLOPT_OK && ctx->idle.count == 0));
		left_none += ctx->idle.count == 0;
	}
	ck_assert_int_gt(left_none, 4);
	close_discrete(ctx);
}
END_TEST

/* Only the end of a small call waits, and what is between the rows of a result stays. */
START_TEST(small_arrays)
{
	struct clopt *ctx = open_discrete(0);
	const size_t n = N / 2, ld = n + 3;
	struct clopt_report report = CLOPT_REPORT_INIT;
	float expected[N];
	size_t i, j, k;

	for (i = 0; i < 4 * N * N; i++)
		out[i] = 77;
	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, n, n,
	                          n, 1, left, ld, right, ld, 1, out, ld));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_uint_eq(report.up_bytes, 3 * n * n * 4);
	ck_assert_uint_eq(report.down_bytes, n * n * 4);
	ck_assert_uint_eq(report.staged_bytes, 0);
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			expected[j] = 77;
			for (k = 0; k < n; k++)
				expected[j] += left[i * ld + k] * right[k * ld + j];
			ck_assert_float_eq_tol(out[i * ld + j], expected[j], 1e-3f);
		}
		for (j = n; j < ld; j++)
			ck_assert(out[i * ld + j] == 77);
	}
	close_discrete(ctx);
}
END_TEST

/* Arrays that go up in slices: with rows without gaps, with gaps, longer than a slice, and so short
 * that the device's rows have gaps as long as half of them.  Each slice tells its bytes. */
START_TEST(in_slices)
{
	static const struct {
		size_t rows, columns, ld;
		size_t slices;
	} cases[] = { { 301, 1001, 1001, 3 },
		      { 301, 1001, 1004, 3 },
		      { 2, 160001, 160003, 2 },
		      { 19000, 17, 17, 4 } };
	const size_t rows = cases[_i / 2].rows, columns = cases[_i / 2].columns,
	             ld = cases[_i / 2].ld;
	const int profile = _i % 2;
	struct clopt *ctx = open_timed(0, profile);
	struct clopt_report report = CLOPT_REPORT_INIT;
	uint32_t *in = malloc(rows * ld * sizeof *in), *turned = malloc(rows * ld * sizeof *turned);
	size_t i, j, slices = 0, bytes = 0;

	for (i = 0; i < rows * ld; i++)
		in[i] = (uint32_t)i;
	if (profile)
		CHECK_OK(ctx, clopt_trace_start(ctx));
	CHECK_OK(ctx, clopt_transpose(ctx, rows, columns, sizeof *in, in, ld, turned, rows));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_uint_eq(report.up_bytes, rows * columns * sizeof *in);
	ck_assert_uint_eq(report.staged_bytes, 0);
	for (i = 0; i < ctx->log.traced; i++)
		if (ctx->log.trace[i].kind == COMMAND_UP) {
			ck_assert_uint_gt(ctx->log.trace[i].bytes, 0);
			bytes += ctx->log.trace[i].bytes;
			slices++;
		}
	ck_assert_uint_eq(slices, profile ? cases[_i / 2].slices : 0);
	ck_assert_uint_eq(bytes, profile ? report.up_bytes : 0);
	for (i = 0; i < rows; i++)
		for (j = 0; j < columns; j++)
			if (turned[j * rows + i] != in[i * ld + j])
				ck_abort_msg("row %zu, column %zu is %u", i, j,
				             turned[j * rows + i]);
	free(turned);
	free(in);
	close_discrete(ctx);
}
END_TEST

SUITE(idle, quick)
{
	tcase_add_test(c, taken_again);
	tcase_add_test(c, within_the_limit);
	tcase_add_test(c, bounded);
	tcase_add_test(c, where_memory_is_short);
	tcase_add_test(c, small_arrays);
	tcase_add_loop_test(c, in_slices, 0, 8);
}
