/* SPDX-License-Identifier: MIT */
/*
 * epilogue.c - wrong kernels of products with an epilogue are found, at their first use or by
 * CLOPT_CHECK_ALWAYS.
 */
#include <string.h>

#include "suites.h"
#include "wrap.h"

enum {
	M = 5,
	N = 70,
	K = 9
};
static int8_t a[M * K], b[K * N], got[M * N], zero[M * N];

static int product(struct clopt *ctx)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	memset(a, 3, sizeof a);
	memset(b, 2, sizeof b);
	memset(got, 0, sizeof got);
	g.type = g.result = CLOPT_TYPE_INT8;
	g.m = M, g.n = N, g.k = K;
	g.alpha = -1;
	return clopt_gemm(ctx, &g, a, b, got);
}

static struct clopt *open_checked(int check)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.check = check;
	o.cache_dir = "0";
	o.verbose = -1;
	wrap_unshared(1);
	return test_open(&o);
}

static void expect_right(struct clopt *ctx)
{
	size_t i;

	CHECK_OK(ctx, product(ctx));
	for (i = 0; i < M * N; i++)
		ck_assert_int_eq(got[i], -6 * K);
}

/* The last column is left out. */
START_TEST(wrong_epilogue)
{
	struct clopt *ctx = open_checked(CLOPT_CHECK_FIRST);

	wrap_lose("matmul/plain.cl", 1, 1);
	expect_refused(product(ctx), CLOPT_EWRONG, ctx, "matmul/epilogue: gave other bits");
	expect_refused(product(ctx), CLOPT_EWRONG, ctx, "matmul/epilogue: gave other bits");
	ck_assert(!memcmp(got, zero, sizeof got));
	test_close(ctx);
	ctx = open_checked(CLOPT_CHECK_OFF);
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	CHECK_OK(ctx, product(ctx));
	ck_assert_int_eq(got[N - 2], -6 * K);
	test_close(ctx);
	ctx = open_checked(CLOPT_CHECK_ALWAYS);
	expect_right(ctx); /* the host makes the results */
	test_close(ctx);
	wrap_lose(NULL, 0, 0);
}
END_TEST

START_TEST(wrong_sums)
{
	struct clopt *ctx = open_checked(CLOPT_CHECK_ALWAYS);

	wrap_lose("matmul/plain.cl", 1, WRAP_IN_CALLS);
	expect_right(ctx);
	ck_assert(!strncmp(test_report(ctx).variant, "matmul/plain", 12));
	wrap_lose(NULL, 0, 0);
	test_close(ctx);
}
END_TEST

SUITE(epilogue, quick)
{
	tcase_add_test(c, wrong_epilogue);
	tcase_add_test(c, wrong_sums);
}
