/* SPDX-License-Identifier: MIT */
/*
 * several_wrong.c - wrong results in a context on several devices: a call fails that one device
 * does wrong twice; what all do wrong is the variant's fault.
 */
#include <stdio.h>
#include <string.h>

#include "several.h"
#include "wrap.h"

enum {
	LARGE = 1200, /* more columns than a kernel's first use has, in each member's strip */
	TARGETS = 2000, /* all of so few are checked */
	SIDE = 1500
};

static int wide(struct clopt *ctx, void *c)
{
	return clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 4,
	                   4 * LARGE, 4, 1, a, 4, b, 4 * LARGE, 0, c, 4 * LARGE);
}

static int complex_product(struct clopt *ctx, void *c)
{
	const double one[2] = { 1, 0 };

	return clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_CONJ, N / 2, N,
	                   N / 2, one, a, N / 2, b, N / 2, one, c, N);
}

static int upper(struct clopt *ctx, void *c)
{
	return clopt_syrk(ctx, CLOPT_TYPE_DOUBLE, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_UPLO_UPPER,
	                  CLOPT_TRANS_NO, N, N, 1, a, N, 1, c, N);
}

static int batch(struct clopt *ctx, void *c)
{
	return clopt_gemm_strided_batched(ctx, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR,
	                                  CLOPT_TRANS_NO, CLOPT_TRANS_NO, 7, 9, 11, 1, fa, 11, 77,
	                                  fb, 9, 99, 1, c, 9, 63, 300);
}

/* So large that others wake before the first has done all. */
static int transpose(struct clopt *ctx, void *c)
{
	static float in[SIDE * SIDE], out[SIDE * SIDE];
	size_t i, wrong = 0;
	int rc;

	for (i = 0; i < SIDE * SIDE; i++)
		in[i] = (float)(i + 1);
	memset(out, 0, sizeof out);
	rc = clopt_transpose(ctx, SIDE, SIDE, sizeof *in, in, SIDE, out, SIDE);
	for (i = 0; rc == CLOPT_OK && i < SIDE * SIDE; i++)
		wrong += out[i] != in[i % SIDE * SIDE + i / SIDE];
	ck_assert_uint_eq(wrong, 0);
	return rc;
}

static int potential(struct clopt *ctx, void *c)
{
	return clopt_potential(ctx, 100, fa, TARGETS, fb, c, NULL);
}

/* A routine; each of its kernels loses the last column, row or target if argument 1 is one less. */
static const struct {
	struct task task;
	const char *plain;
} routines[] = {
	{ { wide, 0, 0, 0, 0 }, "matmul/plain" },
	{ { added, 0, 1, 0, 0 }, "matmul/plain" },
	{ { complex_product, 0, 1, 0, 0 }, "matmul/plain" },
	{ { triangle, 0, 1, 0, 0 }, "matmul/plain" },
	{ { upper, 0, 1, 0, 0 }, "matmul/plain" },
	{ { batch, 1, 1, 0, 0 }, "matmul/plain" },
	{ { transpose, 0, 0, 0, 0 }, "transpose/plain" },
	{ { potential, 1, 0, 0, 0 }, "potential/plain" },
};
#define ROUTINES ((int)(sizeof routines / sizeof *routines))

/* The call is right, whoever computed it. */
static void expect_right(struct clopt *one, struct clopt *ctx, const struct task *t,
                         struct clopt_member_share *share)
{
	prepare();
	CHECK_OK(one, t->run(one, result(t, 1)));
	CHECK_OK(ctx, t->run(ctx, result(t, 0)));
	ck_assert(is_right());
	workers(ctx, share);
}

/* n members, each of which has the routine's kernel, and has found it right. */
static struct clopt *checked(const struct task *t, size_t n, const struct clopt_options *given)
{
	struct clopt_options o = *given;
	struct clopt *ctx;
	size_t i;

	o.check = CLOPT_CHECK_ALWAYS;
	wrap_unshared(1);
	ctx = joined(n, &o);
	wrap_unshared(0);
	fill();
	prepare();
	for (i = 0; i < n; i++)
		CHECK_OK(clopt_member(ctx, i), t->run(clopt_member(ctx, i), result(t, 0)));
	return ctx;
}

/* The kernels of one of three members are wrong, those of the first or of another: calls are right,
 * or fail and name it, with an output that is read as it was.  Where it has computed all, twice,
 * the variant is blamed and struck out.  The check of the next one refuses the member, so the
 * others compute all from then on; without the first member no variant is left. */
START_TEST(member)
{
	const struct task *t = &routines[_i / 2].task;
	const int bad = _i % 2;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt *one = test_open(&o), *ctx = checked(t, 3, &o);
	struct clopt_report report = CLOPT_REPORT_INIT;
	const char *variant;
	int i, calls, rc, named = 0, blamed = 0;
	char name[32];

	snprintf(name, sizeof name, "device %d of 3, ", bad);
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	variant = report.variant;
	wrap_lose("none", 1, 0);
	wrap_lose_in(clopt_member(ctx, (size_t)bad));
	for (calls = 0; calls < 100 && named < 3 && !blamed; calls++) {
		prepare();
		wrap_lose_first();
		rc = t->run(ctx, result(t, 0));
		ck_assert(rc == CLOPT_OK || rc == CLOPT_EWRONG);
		workers(ctx, share);
		for (i = 0; i < 3; i++)
			ck_assert(share[i].status == CLOPT_OK ||
			          (i == bad && share[i].status == CLOPT_EWRONG));
		if (rc == CLOPT_OK) { /* it did nothing, or not the last column */
			CHECK_OK(one, t->run(one, result(t, 1)));
			ck_assert(is_right());
			CHECK_OK(ctx, clopt_last_report(ctx, &report));
			blamed = strcmp(report.variant, variant) != 0;
			continue;
		}
		ck_assert(!t->reads || is_right());
		blamed = strstr(clopt_error(ctx), "no kernel variant") != NULL;
		ck_assert(blamed || (strstr(clopt_error(ctx), name) &&
		                     strstr(clopt_error(ctx), "gave a wrong result")));
		named += !blamed;
	}
	ck_assert(named == 3 || blamed);
	wrap_lose(NULL, 0, 0);
	if (named == 3)
		expect_right(one, ctx, t, share);
	clopt_close(ctx);
	test_close(one);
}
END_TEST

/* One wrong result of a member, as by a flipped bit: the call runs once more. */
START_TEST(once)
{
	const struct task *t = &routines[1].task;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt *one = test_open(&o), *ctx = checked(t, 2, &o);
	int calls;

	for (calls = 0; calls < 20; calls++) {
		wrap_lose("none", 1, 0);
		wrap_lose_in(clopt_member(ctx, 1));
		wrap_lose_times(1);
		expect_right(one, ctx, t, share);
		wrap_lose(NULL, 0, 0);
		ck_assert_int_eq(share[1].status, CLOPT_OK);
	}
	clopt_close(ctx);
	test_close(one);
}
END_TEST

/* The last column of each wide product is missing, but for the plainest kernel's: no device is to
 * blame. */
START_TEST(variant)
{
	const struct task *t = &routines[0].task;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt *one = test_open(&o), *ctx;
	int i;

	o.check = CLOPT_CHECK_ALWAYS;
	o.cache_dir = "0";
	fill();
	ctx = joined(2, &o);
	wrap_lose("matmul/plain.cl", 1, WRAP_IN_CALLS);
	wrap_lose_in(NULL);
	prepare();
	CHECK_OK(ctx, t->run(ctx, result(t, 0)));
	wrap_lose(NULL, 0, 0);
	CHECK_OK(one, t->run(one, result(t, 1)));
	ck_assert(is_right()); /* each sum is exact in double, whatever its order */
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_str_eq(report.variant, "matmul/plain");
	workers(ctx, share);
	for (i = 0; i < 2; i++)
		ck_assert(share[i].status == CLOPT_OK && !*share[i].text);
	clopt_close(ctx);
	test_close(one);
}
END_TEST

/* The kernels of all members are wrong, and no other row may serve: an output that is read too is
 * as it was.  A member that has no last column of a triangle is right. */
START_TEST(all)
{
	const struct task *t = &routines[_i].task;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	o.variants = routines[_i].plain;
	ctx = checked(t, 2, &o);
	prepare();
	wrap_lose("none", 1, 0);
	wrap_lose_in(NULL);
	expect_refused(t->run(ctx, result(t, 0)), CLOPT_EWRONG, ctx, "wrong");
	wrap_lose(NULL, 0, 0);
	ck_assert(!t->reads || is_right());
	test_close(ctx);
}
END_TEST

SUITE(several_wrong, long)
{
	test_add_rows(c, member, 0, 2 * ROUTINES);
	tcase_add_test(c, once);
	tcase_add_test(c, variant);
	test_add_rows(c, all, 0, ROUTINES);
}
