/* SPDX-License-Identifier: MIT */
/*
 * build.c - a compiler that is out of resources for a moment.
 */
#include <string.h>

#include "suites.h"
#include "wrap.h"

#define OUT_OF_RESOURCES -5

static struct clopt *open_uncached(const char *variants)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.cache_dir = "0";
	o.small = CLOPT_SMALL_DEVICE;
	o.variants = variants;
	return test_open(&o);
}

/* The status of a small transpose, which is right if it is CLOPT_OK. */
static int transpose(struct clopt *ctx)
{
	static const float in[6] = { 1, 2, 3, 4, 5, 6 }, want[6] = { 1, 4, 2, 5, 3, 6 };
	float out[6] = { 0 };
	const int rc = clopt_transpose(ctx, 2, 3, sizeof *in, in, 3, out, 2);

	ck_assert(rc != CLOPT_OK || !memcmp(out, want, sizeof want));
	return rc;
}

/* Each call in turn has no resources: either the call fails, and says so of what failed first, or
 * another row serves.  Nothing is struck out: the next call has the row again.  Returns the calls
 * that did not have it. */
static long without_resources(const char *forced, const char *row)
{
	struct clopt *ctx;
	long n, others = 0;
	int rc, failed = 1;

	for (n = 1; failed; n++) {
		ctx = open_uncached(forced);
		wrap_fail(n, OUT_OF_RESOURCES);
		rc = transpose(ctx);
		failed = wrap_failed();
		wrap_fail(0, 0);
		if (rc != CLOPT_OK && rc != CLOPT_ENOMEM)
			ck_assert_msg(strstr(clopt_error(ctx), "CL_OUT_OF_RESOURCES (-5)") != NULL,
			              "%s", clopt_error(ctx));
		others += rc == CLOPT_EBUILD ||
		          (rc == CLOPT_OK && strcmp(test_report(ctx).variant, row));
		CHECK_OK(ctx, transpose(ctx));
		ck_assert_str_eq(test_report(ctx).variant, row);
		test_close(ctx);
	}
	return others;
}

START_TEST(out_of_resources)
{
	const char *row;
	struct clopt *ctx;

	ctx = open_uncached(NULL);
	CHECK_OK(ctx, transpose(ctx));
	row = test_report(ctx).variant;
	test_close(ctx);
	/* As a program is built, and as its kernel is made. */
	ck_assert_int_ge(without_resources(row, row), 2);
	ck_assert_int_ge(without_resources(NULL, row), 2);
}
END_TEST

SUITE(build, quick)
{
	tcase_add_test(c, out_of_resources);
}
