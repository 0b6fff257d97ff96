/* SPDX-License-Identifier: MIT */
/*
 * lu.c - examples/lu.c on small matrices: fewer columns than a panel, a panel, and several.
 */
#include "suites.h"

#define main lu
int lu(int argc, char **argv);
#include "../../examples/lu.c"
#undef main

START_TEST(factors)
{
	static const char *const sizes[] = { "1", "63", "64", "65", "150" };
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	test_close(ctx);
	if (info.fp64)
		ck_assert_int_eq(lu(2, (char *[]){ "lu", (char *)sizes[_i], NULL }), 0);
}
END_TEST

SUITE(lu, quick)
{
	tcase_add_loop_test(c, factors, 0, 5);
}
