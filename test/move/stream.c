/* SPDX-License-Identifier: MIT */
/*
 * stream.c - large arrays: with little device memory, staged, pinned, in place.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "kernel/program.h"
#include "move/move.h"
#include "suites.h"
#include "wrap.h"

#define MIB ((size_t)1 << 20)

static uint32_t state = 1;

static float number(void)
{
	state = state * 1664525u + 1013904223u;
	return (float)(state >> 8) / (float)(1 << 24) - 0.5f;
}

static float *array(size_t n, int filled)
{
	float *x = test_room(n * sizeof *x);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = filled ? number() : 77.0f;
	return x;
}

/* The routines on given arrays, with sizes that matter for cutting. */
enum {
	MATMUL,
	TRANSPOSE,
	POTENTIAL,
	NBODY,
	WORKS
};
struct large {
	int what;
	size_t n, m; /* matmul: all sizes; pairs: sources, targets */
	float *a, *b, *out;
	size_t out_count;
};

static void open_work(struct large *w, int what, size_t n, size_t m)
{
	w->what = what;
	w->n = n;
	w->m = m;
	w->a = array(what == POTENTIAL || what == NBODY ? 4 * n : n * n, 1);
	w->b = what == TRANSPOSE ? NULL : array(what == MATMUL ? n * n : 4 * m, 1);
	w->out_count = what == POTENTIAL ? m : what == NBODY ? 4 * m : n * n;
}

static int do_work(struct clopt *ctx, const struct large *w, float *out)
{
	switch (w->what) {
	case MATMUL:
		return clopt_matmul(ctx, w->n, w->n, w->n, w->a, w->b, out);
	case TRANSPOSE:
		return clopt_transpose(ctx, w->n, w->n, 4, w->a, w->n, out, w->n);
	case POTENTIAL:
		return clopt_potential(ctx, w->n, w->a, w->m, w->b, out, NULL);
	default:
		return clopt_nbody(ctx, w->n, w->a, w->m, w->b, out, NULL);
	}
}

/* The result with these options, and the report of the call. */
static float *result(const struct large *w, const struct clopt_options *options,
                     struct clopt_report *report)
{
	float *out = array(w->out_count, 0);
	struct clopt *ctx = test_open(options);

	wrap_peak_bytes();
	CHECK_OK(ctx, do_work(ctx, w, out));
	report->size = sizeof *report;
	CHECK_OK(ctx, clopt_last_report(ctx, report));
	test_close(ctx);
	return out;
}

/* Thousands of small bands: no more commands wait than drivers have room for. */
START_TEST(many_bands)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct large w;
	float *out;
	struct clopt *ctx;

	options.mem_limit_bytes = 20000;
	options.queues = (unsigned)_i;
	open_work(&w, MATMUL, 400, 0);
	out = array(w.out_count, 0);
	ctx = test_open(&options);
	wrap_most_queued();
	CHECK_OK(ctx, do_work(ctx, &w, out));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_uint_ge(report.bands, 5000);
	ck_assert_int_lt(wrap_most_queued(), 10000);
	test_close(ctx);
}
END_TEST

/* No array is copied where the device works in the host's memory, nor by a driver for processors
 * that copies what is read only. */
START_TEST(no_copies)
{
	const size_t n = 512;
	struct clopt *ctx = test_open(NULL);
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_report report = { .size = sizeof report };
	float *a = array(n * n, 1), *b = array(n * n, 1), *c = array(n * n, 0);

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	wrap_peak_bytes();
	wrap_read_only();
	CHECK_OK(ctx, clopt_matmul(ctx, n, n, n, a, b, c));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	if (info.unified) {
		ck_assert(report.in_place_bytes == 3 * n * n * 4 && !report.up_bytes);
		ck_assert(!report.down_bytes && wrap_peak_bytes() == 0);
		ck_assert(wrap_read_only() == 0 || !(ctx->device.traits & T_CPU));
	} else {
		ck_assert(report.up_bytes == 2 * n * n * 4 && report.down_bytes == n * n * 4);
	}
	/* The same array twice would be two buffers over one memory: one of them is a copy. */
	CHECK_OK(ctx, clopt_matmul(ctx, n, n, n, a, a, c));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert(!info.unified || report.in_place_bytes == 2 * n * n * 4);
	/* Unaligned rows are copied where the kernel reads vectors. */
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/vec4-4x4"));
	CHECK_OK(ctx, clopt_matmul(ctx, n, n - 1, n - 1, a + 1, b + 2, c + 3));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_uint_eq(report.in_place_bytes, 0);
	test_close(ctx);
}
END_TEST

/* As if kernels took a second for each unit of work. */
static void seem_slow(struct clopt *ctx)
{
	struct kernel *k;

	for (k = ctx->kernels; k; k = k->next)
		k->throughput.seconds = 1;
}

/* Whether the device uses the host's memory, so that arrays can stay in place. */
static int can_be_in_place(const struct clopt *ctx, const char *test)
{
	if (!(ctx->device.traits & T_UNIFIED))
		printf("%s: skipped, since the device has memory of its own\n", test);
	return (ctx->device.traits & T_UNIFIED) != 0;
}

/* Long calls in place end between pieces.  A row without large tiles has pieces of few results. */
START_TEST(long_in_place)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	float *once, *again;
	struct clopt *ctx;
	struct large w;
	int what;

	options.variants = "matmul/plain-1,transpose/plain-1,potential/plain-1,nbody/plain-1";
	for (what = 0; what < WORKS; what++) {
		ctx = test_open(&options);
		if (!can_be_in_place(ctx, "long_in_place")) {
			test_close(ctx);
			return;
		}
		open_work(&w, what, 130, 500);
		once = array(w.out_count, 0);
		again = array(w.out_count, 0);
		CHECK_OK(ctx, do_work(ctx, &w, once));
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert_uint_eq(report.bands, 1);
		seem_slow(ctx);
		CHECK_OK(ctx, do_work(ctx, &w, again));
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert_msg(report.bands > 1, "%d: %zu pieces", what, report.bands);
		ck_assert(report.in_place_bytes > 0 && report.up_bytes + report.down_bytes == 0);
		ck_assert_msg(!memcmp(once, again, w.out_count * sizeof *once), "other bits");
		test_close(ctx);
	}
}
END_TEST

START_TEST(long_products_in_place)
{
	const int transa = _i & 1 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	const int transb = _i & 2 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	const size_t n = 97, count = (n + 3) * n;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	float *a, *b, *once, *again;
	struct clopt *ctx;

	options.variants = "matmul/plain-1";
	ctx = test_open(&options);
	if (!can_be_in_place(ctx, "long_products_in_place")) {
		test_close(ctx);
		return;
	}
	a = array(count, 1);
	b = array(count, 1);
	once = array(count, 1);
	again = array(count, 0);
	memcpy(again, once, count * sizeof *once);
	g.transa = transa;
	g.transb = transb;
	g.layout = _i & 4 ? CLOPT_LAYOUT_COL_MAJOR : CLOPT_LAYOUT_ROW_MAJOR;
	g.triangle = _i & 8 ? CLOPT_UPLO_LOWER : 0;
	g.m = g.n = g.k = n;
	g.lda = g.ldb = g.ldc = n + 3;
	g.beta = 0.5;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, once));
	seem_slow(ctx);
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, again));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert(report.bands > 1 && report.in_place_bytes > 0);
	ck_assert_msg(!memcmp(once, again, count * sizeof *once), "other bits");
	test_close(ctx);
}
END_TEST

/* Behind what threads have queued for a band is a marker, for which other queues wait; one queue
 * alone needs none. */
START_TEST(marks)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct large w;
	long markers, commands;

	if (!test_can_stage("marks"))
		return;
	options.transfer = CLOPT_TRANSFER_STAGED;
	options.queues = (unsigned)_i;
	options.mem_limit_bytes = 20000;
	open_work(&w, POTENTIAL, 300, 3000);
	wrap_markers();
	wrap_commands();
	result(&w, &options, &report);
	markers = wrap_markers();
	commands = wrap_commands();
	ck_assert(report.bands > 1 && report.sum_parts == 1 && report.staged_bytes > 0);
	ck_assert_uint_eq(report.staged_bytes, report.up_bytes + report.down_bytes);
	/* A kernel and a download for each band, and where the staging memory is mapped, its
	 * unmap. */
	ck_assert_int_le(commands - markers, 2 * (long)report.bands + 1);
	if (_i == 1)
		ck_assert_int_eq(markers, 0);
	else
		ck_assert_int_ge(markers, report.bands);
}
END_TEST

/* An assertion of Check takes a microsecond, too long for millions of elements. */
static void expect_transposed(const float *out, const float *in, size_t n)
{
	size_t i, wrong = 0;

	for (i = 0; i < n * n; i++)
		wrong += out[i] != in[i % n * n + i / n];
	ck_assert_uint_eq(wrong, 0);
}

/* The library takes the device for one with its own memory: rates are measured, pinned memory is
 * recognised, bands are chosen to hide transfers. */
START_TEST(discrete)
{
	const size_t n = 3000;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	void *pinned, *again;
	float *a, *out;
	int kind;

	if (!test_can_stage("discrete"))
		return;
	a = array(n * n, 1);
	out = array(n * n, 0);
	wrap_discrete(1);
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_host_alloc(ctx, n * n * 4, &pinned, &kind));
	ck_assert_int_eq(kind, CLOPT_MEMORY_PINNED);
	memcpy(pinned, a, n * n * 4);
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, pinned, n, out, n));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert(report.staged_bytes <= n * n * 4 && report.in_place_bytes == 0);
	ck_assert_msg(report.bands > 1 && report.queues > 1, "%zu bands", report.bands);
	expect_transposed(out, a, n);
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, out, n, pinned, n));
	ck_assert(!memcmp(pinned, a, n * n * 4));
	/* Freed memory is used again. */
	CHECK_OK(ctx, clopt_host_free(ctx, pinned));
	CHECK_OK(ctx, clopt_host_alloc(ctx, n * n * 4 - 5000, &again, NULL));
	ck_assert_ptr_eq(pinned, again);
	CHECK_OK(ctx, clopt_host_free(ctx, again));
	CHECK_OK(ctx, clopt_host_trim(ctx));
	test_close(ctx);
	wrap_discrete(0);
}
END_TEST

/* A transpose in blocks of both sizes, whose last ones are smaller; results go past the caches, to
 * any address. */
START_TEST(both_sizes)
{
	enum {
		ROWS = 2051,
		COLUMNS = 5003,
		BYTES = 16,
		GAP = 3
	};
	static const float gap[] = { 77.0f, 77.0f, 77.0f, 77.0f };
	const size_t ld = ROWS + GAP;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	char *a, *out, *to;
	size_t i, j, wrong = 0;

	if (!test_can_stage("both_sizes"))
		return;
	a = (char *)array((size_t)ROWS * COLUMNS * BYTES / sizeof(float), 1);
	out = (char *)array((COLUMNS * ld + 1) * BYTES / sizeof(float), 0);
	to = out + BYTES / 2;
	wrap_discrete(1);
	ctx = test_open(NULL);
	ctx->device.info.compute_units = 2; /* more ask for larger blocks */
	CHECK_OK(ctx, clopt_transpose(ctx, ROWS, COLUMNS, BYTES, a, COLUMNS, to, ld));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_msg(report.bands > ROWS / 256 + 1, "%zu blocks", report.bands);
	for (j = 0; j < COLUMNS; j++)
		for (i = 0; i < ld; i++)
			wrong +=
			        memcmp(to + (j * ld + i) * BYTES,
			               i < ROWS ? a + (i * COLUMNS + j) * BYTES : (const char *)gap,
			               BYTES) != 0;
	ck_assert_uint_eq(wrong, 0);
	test_close(ctx);
	wrap_discrete(0);
}
END_TEST

/* Rates are measured for the memory that the call moves, before it is planned. */
START_TEST(rates)
{
	const size_t n = 3000, bytes = n * n * 4;
	float *a, *out;
	struct clopt *ctx;
	void *in, *to;

	if (!test_can_stage("rates"))
		return;
	a = array(n * n, 1);
	out = array(n * n, 0);
	wrap_discrete(1);
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, a, n, out, n));
	ck_assert(ctx->rates.ordinary_known && !ctx->rates.pinned_known);
	test_close(ctx);
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_host_alloc(ctx, bytes, &in, NULL));
	CHECK_OK(ctx, clopt_host_alloc(ctx, bytes, &to, NULL));
	memcpy(in, a, bytes);
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, in, n, to, n));
	ck_assert(ctx->rates.pinned_known && !ctx->rates.ordinary_known);
	test_close(ctx);
	wrap_discrete(0);
}
END_TEST

/* A call that moves little does not measure rates, which would allocate 32 MiB and more. */
START_TEST(small_first_call)
{
	const size_t n = 1024;
	struct clopt *ctx;
	float *a, *out;

	if (!test_can_stage("small_first_call"))
		return;
	a = array(n * n, 1);
	out = array(n * n, 0);
	wrap_discrete(1);
	ctx = test_open(NULL);
	wrap_peak_bytes();
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, a, n, out, n));
	ck_assert_uint_lt(wrap_peak_bytes(), 32 * MIB);
	expect_transposed(out, a, n);
	test_close(ctx);
	wrap_discrete(0);
}
END_TEST

START_TEST(host_memory)
{
	struct clopt *ctx = test_open(NULL);
	void *p, *q;
	int kind = -1;

	CHECK_OK(ctx, clopt_host_alloc(ctx, 1000, &p, &kind));
	ck_assert((uintptr_t)p % 4096 == 0 && kind >= CLOPT_MEMORY_ORDINARY);
	memset(p, 1, 1000);
	CHECK_OK(ctx, clopt_host_alloc(ctx, 0, &q, NULL));
	ck_assert(q && q != p);
	CHECK_OK(ctx, clopt_host_free(ctx, q));
	CHECK_OK(ctx, clopt_host_free(ctx, NULL));
	expect_refused(clopt_host_free(ctx, q), CLOPT_EINVAL, ctx, "did not return it");
	expect_refused(clopt_host_free(ctx, (char *)p + 1), CLOPT_EINVAL, ctx, "did not return it");
	expect_refused(clopt_host_free(NULL, p), CLOPT_EINVAL, NULL, "ctx is NULL");
	expect_refused(clopt_host_alloc(NULL, 1, &q, NULL), CLOPT_EINVAL, NULL, "ctx is NULL");
	expect_refused(clopt_host_alloc(ctx, 1, NULL, NULL), CLOPT_EINVAL, ctx, "memory is NULL");
	expect_refused(clopt_host_alloc(ctx, SIZE_MAX - 5, &q, NULL), CLOPT_ENOMEM, ctx, "no ");
	ck_assert_ptr_null(q);
	test_close(ctx); /* memory that was not freed is freed with it */
}
END_TEST

/* Rows of any alignment, length and distance; nothing beside them is written. */
START_TEST(rows_past_the_caches)
{
	enum {
		ROWS = 3,
		MOST = 300,
		PITCH = MOST + 7
	};
	static const size_t bytes[] = { 1, 15, 63, 64, 65, 128, 191, MOST };
	char from[ROWS * PITCH + 64], to[sizeof from], want[sizeof from];
	const size_t n = bytes[_i];
	size_t shift, i, row;

	for (i = 0; i < sizeof from; i++)
		from[i] = (char)(i * 7 + 1);
	for (shift = 0; shift < 2 * 64; shift++) {
		const size_t pitch = shift < 64 ? PITCH : n, at = shift % 64;

		memset(to, 0, sizeof to);
		memset(want, 0, sizeof want);
		for (row = 0; row < ROWS; row++)
			memcpy(want + at + row * pitch, from + at / 3 + row * pitch, n);
		clopt__copy_memory(to + at, pitch, from + at / 3, pitch, ROWS, n, 1);
		ck_assert_mem_eq(to, want, sizeof to);
	}
}
END_TEST

SUITE(stream, long)
{
	const char *share = getenv("CLOPT_SHARE");

	tcase_add_loop_test(c, rows_past_the_caches, 0, 8);
	tcase_add_loop_test(c, many_bands, 1, 3);
	tcase_add_loop_test(c, long_products_in_place, 0, 16);
	tcase_add_test(c, discrete);
	tcase_add_test(c, both_sizes);
	tcase_add_test(c, rates);
	tcase_add_test(c, host_memory);
	tcase_add_loop_test(c, marks, 1, 3);
	tcase_add_test(c, small_first_call);
	/* One device takes all arrays in place; of several some have copies. */
	if (share && !strcmp(share, "every"))
		return;
	tcase_add_test(c, no_copies);
	tcase_add_test(c, long_in_place);
}
