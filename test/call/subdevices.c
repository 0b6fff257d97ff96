/* SPDX-License-Identifier: MIT */
/*
 * subdevices.c - sub-devices of a processor, each in an OpenCL context of its own, joined: results
 * are those of one part, bit for bit.
 */
#include <stdio.h>

#include "several.h"

/* The library makes no sub-devices, so the counts of wrap.h know nothing of these. */
cl_int __real_clReleaseDevice(cl_device_id device);

/* Two and more of one core each: as many as there are, or from the first cores. */
static cl_uint divide(cl_device_id device, int by_counts, cl_device_id *part)
{
	const cl_device_partition_property equally[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 },
	                                   counts[] = { CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
		                                        CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
	cl_device_id all[4096];
	cl_uint n, i;

	if (clCreateSubDevices(device, by_counts ? counts : equally, 4096, all, &n) != CL_SUCCESS)
		return 0;
	for (i = MEMBERS; i < n; i++)
		__real_clReleaseDevice(all[i]);
	for (i = 0; i < n && i < MEMBERS; i++)
		part[i] = all[i];
	return i;
}

START_TEST(same_as_one_part)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *whole = test_open(NULL), *one, *member[MEMBERS], *ctx;
	cl_device_id part[MEMBERS];
	cl_context context[MEMBERS];
	cl_int code;
	cl_uint n, i;

	CHECK_OK(whole, clopt_device_get(whole, &info));
	n = divide(clopt_cl_device(whole), _i, part);
	if (n < 2) {
		printf("subdevices: skipped, since %s, %u cores, has no two parts\n", info.name,
		       info.compute_units);
		fflush(stdout);
	}
	o.share = CLOPT_SHARE_EVERY;
	for (i = 0; i < n; i++) {
		context[i] = clCreateContext(NULL, 1, &part[i], NULL, NULL, &code);
		ck_assert_int_eq(code, CL_SUCCESS);
		CHECK_OK(NULL, clopt_open_cl(&member[i], context[i], part[i], &o));
		CHECK_OK(member[i], clopt_device_get(member[i], &info));
		ck_assert_uint_eq(info.compute_units, 1);
		clReleaseContext(context[i]);
	}
	if (n >= 2) {
		CHECK_OK(NULL, clopt_open_cl(&one, clopt_cl_context(member[0]), part[0], &o));
		CHECK_OK(NULL, clopt_join(&ctx, member, n));
		expect_same(one, ctx, 2);
		ck_assert(clopt_cl_device(clopt_member(ctx, 1)) == part[1]);
		clopt_close(one);
		clopt_close(ctx);
	} else if (n == 1) {
		clopt_close(member[0]);
	}
	test_close(whole);
	for (i = 0; i < n; i++)
		__real_clReleaseDevice(part[i]);
}
END_TEST

SUITE(subdevices, long)
{
	tcase_add_loop_test(c, same_as_one_part, 0, 1);
	test_add_rows(c, same_as_one_part, 1, 2);
}
