/* SPDX-License-Identifier: MIT */
/*
 * map.c - the caller's kernels over arrays in bands: kernel objects, granules, memory.
 * random/map.c has all kinds of arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"
#include "kernel/kernel.h"
#include "suites.h"
#include "wrap.h"

/* The caller's kernel object; a number of items that is no power of two; bands of whole
 * granules. */
START_TEST(own_kernel)
{
	const char *text = "__kernel void f(__global const uchar *x, __global uint *y, ulong n)"
	                   "{ size_t i = get_global_id(0); uint s = 0;"
	                   "  for (int k = 0; k < 12; k++) s += x[12 * i + k];"
	                   "  if (i < n) y[i] = s; }";
	const size_t n = 10001;
	unsigned char *x = malloc(12 * n);
	uint32_t *y = malloc(4 * n);
	struct clopt_arg args[] = { { CLOPT_ARG_IN, x, 12 },
		                    { CLOPT_ARG_OUT, y, 4 },
		                    { CLOPT_ARG_COUNT, NULL, 0 } };
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	cl_program program;
	cl_kernel kernel;
	cl_int code;
	size_t i, j;

	for (i = 0; i < 12 * n; i++)
		x[i] = (unsigned char)(i * 7);
	options.mem_limit_bytes = 50000;
	options.transfer = CLOPT_TRANSFER_DRIVER;
	ctx = test_open(&options);
	program = clCreateProgramWithSource(clopt_cl_context(ctx), 1, &text, NULL, &code);
	ck_assert_int_eq(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS);
	kernel = clCreateKernel(program, "f", &code);
	map.items = n;
	map.args = args;
	map.nargs = 3;
	map.granule = 100;
	wrap_peak_bytes();
	CHECK_OK(ctx, clopt_map_cl(ctx, kernel, &map));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_uint_gt(report.bands, 3);
	ck_assert_str_eq(report.variant, "a kernel of the caller's");
	ck_assert_uint_le(wrap_peak_bytes(), options.mem_limit_bytes);
	for (i = 0; i < n; i++) {
		uint32_t s = 0;

		for (j = 0; j < 12; j++)
			s += x[12 * i + j];
		ck_assert_uint_eq(y[i], s);
	}
	/* A granule is never cut: if it does not fit, the call is refused. */
	map.granule = 6000;
	expect_refused(clopt_map_cl(ctx, kernel, &map), CLOPT_ENOMEM, ctx, "may be used");
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	test_close(ctx);
	free(x);
	free(y);
}
END_TEST

static int enough(void *user, double done)
{
	return ++*(int *)user;
}

/* Numbers of items near SIZE_MAX. */
START_TEST(most_items)
{
	const struct workload w = { .dim = { SIZE_MAX / 2 + 1, 1, 1 },
		                    .tile = { 1, 1, 1 },
		                    .least = { 1, 1, 1 },
		                    .most = { SIZE_MAX, SIZE_MAX, SIZE_MAX },
		                    .cut = { 0, NO_DIM },
		                    .sum = NO_DIM };
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	struct cut p;
	int told = 0;

	options.mem_limit_bytes = 1 << 20;
	options.progress = enough;
	options.progress_user = &told;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt__cut(ctx, &w, &p));
	ck_assert(p.blocks[0] == 1 && p.step[0] == w.dim[0]);
	map.source = "__kernel void none(void) {}";
	map.name = "none";
	map.items = SIZE_MAX - 3;
	map.items_per_group = 64;
	expect_refused(clopt_map(ctx, &map), CLOPT_EINVAL, ctx, "size_t counts");
	/* Launches of as many as a driver counts. */
	map.items = SIZE_MAX / 2 + 1;
	if (sizeof(size_t) > 4) { /* else they are done before the call tells how far it is */
		expect_refused(clopt_map(ctx, &map), CLOPT_ECANCELED, ctx, "");
		ck_assert_int_eq(told, 1);
	}
	test_close(ctx);
}
END_TEST

SUITE(map, long)
{
	tcase_add_test(c, most_items);
	tcase_add_test(c, own_kernel);
}
