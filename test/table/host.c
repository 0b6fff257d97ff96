/* SPDX-License-Identifier: MIT */
/*
 * host.c - rows on the host: when they are picked.  walk/walk.c has their results.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"
#include "clopt_tune.h"
#include "base/context.h"
#include "folder.h"
#include "host/host.h"
#include "suites.h"
#include "wrap.h"

static struct clopt *open_small(int small)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.small = small;
	return test_open(&o);
}

/* What a call on host arrays would run. */
static int on_host(struct clopt *ctx, size_t m, size_t n, size_t k, int type)
{
	struct clopt_problem p = CLOPT_PROBLEM_INIT;

	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = m;
	p.dim[1] = n;
	p.dim[2] = k;
	p.type = type;
	return test_is_host(clopt_chosen_variant(ctx, &p));
}

START_TEST(picked)
{
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);

	ck_assert(on_host(ctx, 16, 16, 16, CLOPT_TYPE_FLOAT));
	ck_assert(on_host(ctx, 50, 30, HOST_MOST_TERMS, CLOPT_TYPE_FLOAT));
	ck_assert(!on_host(ctx, 50, 30, HOST_MOST_TERMS + 1, CLOPT_TYPE_FLOAT));
	ck_assert(!on_host(ctx, 5000, 5000, 1, CLOPT_TYPE_FLOAT));
	ck_assert(!on_host(ctx, 1, 64, 64, CLOPT_TYPE_FLOAT)); /* with a vector */
	ck_assert(!on_host(ctx, 16, 16, 16, CLOPT_TYPE_HALF));
	ck_assert(!on_host(ctx, 16, 16, 16, CLOPT_TYPE_COMPLEX_FLOAT));
	test_close(ctx);
	ctx = open_small(CLOPT_SMALL_DEVICE);
	ck_assert(!on_host(ctx, 16, 16, 16, CLOPT_TYPE_FLOAT));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/host"));
	ck_assert(on_host(ctx, 16, 16, 16, CLOPT_TYPE_FLOAT));
	test_close(ctx);
}
END_TEST

/* The largest problem of a kind on the host and one that is larger, with AVX2 and without.  A cache
 * changes nothing: whatever was computed before, bits are the same. */
START_TEST(limits)
{
	static const struct {
		int op, law, precision, type;
		size_t dim[3], plain[3], more; /* more rows are too many */
	} cases[] = {
		{ CLOPT_OP_MATMUL, 0, 0, CLOPT_TYPE_FLOAT, { 128, 128, 128 }, { 80, 80, 80 }, 6 },
		{ CLOPT_OP_MATMUL, 0, 0, CLOPT_TYPE_DOUBLE, { 128, 128, 128 }, { 63, 63, 64 }, 6 },
		{ CLOPT_OP_TRANSPOSE, 0, 0, 0, { 512, 512 }, { 181, 181 }, 1 },
		{ CLOPT_OP_POTENTIAL, CLOPT_LAW_COULOMB, 0, 0, { 180, 180 }, { 127, 127 }, 2 },
		{ CLOPT_OP_NBODY,
		  CLOPT_LAW_GRAVITY_OWN,
		  CLOPT_PRECISION_DOUBLE,
		  0,
		  { 127, 127 },
		  { 90, 90 },
		  2 },
	};
	char folder[FOLDER_SIZE];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	size_t i;

	folder_make(folder);
	wrap_host_vectors((unsigned)_i / 2);
	o.small = CLOPT_SMALL_HOST;
	o.cache_dir = _i % 2 ? folder : "0";
	ctx = test_open(&o);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct clopt_problem p = CLOPT_PROBLEM_INIT;

		p.op = cases[i].op;
		p.law = cases[i].law;
		p.precision = cases[i].precision;
		p.type = cases[i].type;
		memcpy(p.dim, clopt__host_vectors() ? cases[i].dim : cases[i].plain, sizeof p.dim);
		ck_assert_msg(test_is_host(clopt_chosen_variant(ctx, &p)), "case %zu", i);
		p.dim[0] += cases[i].more;
		ck_assert_msg(!test_is_host(clopt_chosen_variant(ctx, &p)), "case %zu", i);
	}
	test_close(ctx);
	folder_remove(folder);
}
END_TEST

/* No law but Coulomb's and gravity, no other precisions. */
START_TEST(others)
{
	static const struct {
		int op, law, precision, yes;
	} cases[] = {
		{ CLOPT_OP_NBODY, CLOPT_LAW_GRAVITY, 0, 1 },
		{ CLOPT_OP_NBODY, CLOPT_LAW_GRAVITY, CLOPT_PRECISION_COMPENSATED, 0 },
		{ CLOPT_OP_POTENTIAL, CLOPT_LAW_DEBYE, 0, 0 },
	};
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct clopt_problem p = { .size = sizeof p, .dim = { 16, 16 } };

		p.op = cases[i].op;
		p.law = cases[i].law;
		p.precision = cases[i].precision;
		ck_assert_msg(test_is_host(clopt_chosen_variant(ctx, &p)) == cases[i].yes,
		              "case %zu", i);
	}
	test_close(ctx);
}
END_TEST

/* A record is about kernels, and buffers have kernels only. */
START_TEST(kernels)
{
	struct clopt_tune_options t = CLOPT_TUNE_OPTIONS_INIT;
	struct clopt_problem p = CLOPT_PROBLEM_INIT;
	struct clopt_report r = CLOPT_REPORT_INIT;
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	float x[16 * 16] = { 0 }, y[16 * 16];
	struct clopt_buffer *b[3];
	char record[256];
	int i;

	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = 16;
	t.dry = 1;
	t.budget_seconds = 0.1;
	CHECK_OK(ctx, clopt_tune(ctx, &p, &t, record, sizeof record));
	ck_assert_msg(strstr(record, "matmul/") && !strstr(record, "matmul/host"), "%s", record);
	CHECK_OK(ctx, clopt_matmul(ctx, 16, 16, 16, x, x, y));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(test_is_host(r.variant) && r.up_bytes == 0 && r.bands == 1);
	for (i = 0; i < 3; i++) {
		CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof x, &b[i]));
		CHECK_OK(ctx, clopt_buffer_write(b[i], 0, sizeof x, x, NULL));
	}
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 16, 16, 16, b[0], b[1], b[2], NULL));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(!test_is_host(r.variant));
	for (i = 0; i < 3; i++)
		clopt_buffer_free(b[i]);
	test_close(ctx);
}
END_TEST

START_TEST(refused)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	static float x[2 * (HOST_MOST_TERMS + 1)], c[4];
	struct clopt *ctx;

	o.variants = "matmul/host";
	ctx = test_open(&o);
	expect_refused(clopt_matmul(ctx, 2, 2, HOST_MOST_TERMS + 1, x, x, c), CLOPT_ENOVARIANT, ctx,
	               "256 terms");
	test_close(ctx);
}
END_TEST

/* C beside A in the rows of one matrix, and bad arguments: small products are refused as others. */
START_TEST(arguments)
{
	enum {
		N = 12,
		LD = 40,
		ROW = CLOPT_LAYOUT_ROW_MAJOR,
		NO = CLOPT_TRANS_NO
	};
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	struct clopt_report r = CLOPT_REPORT_INIT;
	float x[N * LD], b[N * N], c[N * N];
	int i;

	for (i = 0; i < N * LD; i++)
		x[i] = (float)(i % 7);
	for (i = 0; i < N * N; i++)
		b[i] = (float)(i % 5);
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, NO, N, N, N, 1, x, LD, b, N, 0, c, N));
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, NO, N, N, N, 1, x, LD, b, N, 0, x + N, LD));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(test_is_host(r.variant) && r.seconds > 0);
	for (i = 0; i < N * N; i++)
		ck_assert(x[i / N * LD + N + i % N] == c[i]);
	/* The product of the transposes in reverse order, in columns. */
	memset(c, 0, sizeof c);
	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_COL_MAJOR, NO, NO, N, N, N, 1, b, N, x, LD, 0,
	                          c, N));
	for (i = 0; i < N * N; i++)
		ck_assert(x[i / N * LD + N + i % N] == c[i]);
	expect_refused(clopt_sgemm(ctx, ROW, NO, NO, N, N, N, 1, x, LD, b, N, 0, x + N - 1, LD),
	               CLOPT_EINVAL, ctx, "overlaps");
	expect_refused(clopt_sgemm(ctx, ROW, NO, NO, N, N, N, 1, x, N - 1, b, N, 0, c, N),
	               CLOPT_EINVAL, ctx, "leading dimension of a");
	expect_refused(clopt_sgemm(ctx, ROW, NO, NO, N, N, N, 1, x, LD, NULL, N, 0, c, N),
	               CLOPT_EINVAL, ctx, "b is NULL");
	expect_refused(clopt_sgemm(ctx, ROW, NO, 0, N, N, N, 1, x, LD, b, N, 0, c, N), CLOPT_EINVAL,
	               ctx, "transb");
	expect_refused(clopt_sgemm(NULL, ROW, NO, NO, N, N, N, 1, x, LD, b, N, 0, c, N),
	               CLOPT_EINVAL, NULL, "ctx is NULL");
	test_close(ctx);
}
END_TEST

/* A small product that repeats the call before takes a short way: what another call changed still
 * counts, arguments are checked, and results are those of its arrays. */
START_TEST(repeated)
{
	enum {
		N = 16,
		K = 200,
		ROW = CLOPT_LAYOUT_ROW_MAJOR,
		NO = CLOPT_TRANS_NO,
		YES = CLOPT_TRANS_YES
	};
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	struct clopt_report r = CLOPT_REPORT_INIT;
	static float a[N * K], b[K * N], c[N * N], other[N * N];
	struct clopt_buffer *buffer;
	int i;

	for (i = 0; i < N * K; i++)
		a[i] = (float)(i % 7), b[i] = (float)(i % 5);
	for (i = 0; i < 3; i++) {
		CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N));
		CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 2, b, K, a, K, (float)i,
		                          other, N));
	}
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(test_is_host(r.variant) && r.seconds > 0);
	for (i = 0; i < N * N; i++) /* 2, then 2 + 2, then 2 + 2 * 4 of it */
		ck_assert(other[i] == 10 * c[i % N * N + i / N]);
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N));
	expect_refused(clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, a + K, N),
	               CLOPT_EINVAL, ctx, "overlaps");
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N));
	ctx->shared->lost = 1;
	expect_refused(clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N), CLOPT_ELOST,
	               ctx, "lost");
	ctx->shared->lost = 0;
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, other, N));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_str_eq(r.variant, "matmul/plain");
	ck_assert(!memcmp(other, c, sizeof c));
	CHECK_OK(ctx, clopt_force_variants(ctx, NULL));
	CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof c, &buffer)); /* keeps the memory of ctx */
	CHECK_OK(ctx, clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N));
	clopt_close(ctx);
	ck_assert(clopt_sgemm(ctx, ROW, NO, YES, N, N, K, 1, a, K, b, K, 0, c, N) == CLOPT_EINVAL);
	clopt_buffer_free(buffer);
}
END_TEST

/* Calls on one context run one after the other, so that threads may add to the same matrix. */
static struct clopt *shared;
static double sum[4 * 4];

static void *add(void *what)
{
	static const double one[] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
	int i, rc = CLOPT_OK;

	for (i = 0; i < 500000 && rc == CLOPT_OK; i++)
		rc = clopt_dgemm(shared, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 4,
		                 4, 4, 1, one, 4, one, 4, 1, sum, 4);
	return rc == CLOPT_OK ? NULL : shared;
}

START_TEST(threads)
{
	pthread_t other;
	void *failed;

	shared = open_small(CLOPT_SMALL_HOST);
	ck_assert_int_eq(pthread_create(&other, NULL, add, NULL), 0);
	ck_assert_ptr_null(add(NULL));
	ck_assert_int_eq(pthread_join(other, &failed), 0);
	ck_assert_ptr_null(failed);
	ck_assert_msg(sum[0] == 1000000 && sum[5] == 1000000 && sum[1] == 0, "%g", sum[0]);
	test_close(shared);
}
END_TEST

SUITE(host, quick)
{
	tcase_add_test(c, picked);
	tcase_add_loop_test(c, limits, 0, 2 * (HOST_AVX2 + 1));
	tcase_add_test(c, others);
	tcase_add_test(c, kernels);
	tcase_add_test(c, refused);
	tcase_add_test(c, arguments);
	tcase_add_test(c, repeated);
	tcase_add_test(c, threads);
}
