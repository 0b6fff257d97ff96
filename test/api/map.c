/* SPDX-License-Identifier: MIT */
/*
 * map.c - the caller's kernels over arrays in bands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"
#include "kernel/kernel.h"
#include "suites.h"
#include "wrap.h"

static const char source[] =
        "__kernel void affine(ulong n, ulong first, float a, __global const float *x,\n"
        "                     __constant float *shift, __global float *y,\n"
        "                     __global uint *seen, __local float *scratch)\n"
        "{\n"
        "	const size_t i = get_global_id(0);\n"
        "	scratch[get_local_id(0)] = i < n ? x[i] : 0;\n"
        "	barrier(CLK_LOCAL_MEM_FENCE);\n"
        "	if (i < n) {\n"
        "		y[i] = a * scratch[get_local_id(0)] + shift[(first + i) % 4];\n"
        "		seen[i] += (uint)(first + i);\n"
        "	}\n"
        "}\n";

struct data {
	size_t n;
	float a, shift[4], *x, *y;
	uint32_t *seen;
	struct clopt_arg args[8];
	struct clopt_map_desc map;
};

static void open_data(struct data *d, size_t n)
{
	const struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	size_t i;

	memset(d, 0, sizeof *d);
	d->n = n;
	d->a = 3;
	d->x = malloc(n * 4);
	d->y = malloc(n * 4);
	d->seen = malloc(n * 4);
	ck_assert(d->x && d->y && d->seen);
	for (i = 0; i < n; i++) {
		d->x[i] = (float)(i % 1000);
		d->y[i] = -1;
		d->seen[i] = 5;
	}
	for (i = 0; i < 4; i++)
		d->shift[i] = (float)i / 4;
	d->args[0] = (struct clopt_arg){ CLOPT_ARG_COUNT, NULL, 0 };
	d->args[1] = (struct clopt_arg){ CLOPT_ARG_FIRST, NULL, 0 };
	d->args[2] = (struct clopt_arg){ CLOPT_ARG_VALUE, &d->a, sizeof d->a };
	d->args[3] = (struct clopt_arg){ CLOPT_ARG_IN, d->x, 4 };
	d->args[4] = (struct clopt_arg){ CLOPT_ARG_SHARED, d->shift, sizeof d->shift };
	d->args[5] = (struct clopt_arg){ CLOPT_ARG_OUT, d->y, 4 };
	d->args[6] = (struct clopt_arg){ CLOPT_ARG_INOUT, d->seen, 4 };
	d->args[7] = (struct clopt_arg){ CLOPT_ARG_LOCAL, NULL, 64 * 4 };
	d->map = map;
	d->map.source = source;
	d->map.name = "affine";
	d->map.items = n;
	d->map.items_per_group = 64;
	d->map.args = d->args;
	d->map.nargs = 8;
}

static void close_data(struct data *d)
{
	free(d->x);
	free(d->y);
	free(d->seen);
}

static void expect_all(const struct data *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		ck_assert_msg(d->y[i] == d->a * (float)(i % 1000) + d->shift[i % 4] &&
		                      d->seen[i] == 5 + (uint32_t)i,
		              "item %zu: %g, %u", i, (double)d->y[i], (unsigned)d->seen[i]);
}

/* In place or by the driver; staged; and with four times the data that the device may hold. */
START_TEST(every_item)
{
	static const struct {
		size_t limit_bytes;
		int transfer, discrete;
	} ways[] = { { 0, CLOPT_TRANSFER_AUTO, 0 },
		     { 3 << 20, CLOPT_TRANSFER_AUTO, 0 },
		     { 3 << 20, CLOPT_TRANSFER_STAGED, 0 },
		     { 3 << 20, CLOPT_TRANSFER_AUTO, 1 },
		     { 0, CLOPT_TRANSFER_STAGED, 1 } };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	struct data d;

	if ((ways[_i].discrete || ways[_i].transfer == CLOPT_TRANSFER_STAGED) &&
	    !test_can_stage("every_item"))
		return;
	open_data(&d, ((size_t)1 << 20) + 77); /* 12 MiB in three arrays */
	options.mem_limit_bytes = ways[_i].limit_bytes;
	options.transfer = ways[_i].transfer;
	wrap_discrete(ways[_i].discrete);
	ctx = test_open(&options);
	wrap_peak_bytes();
	CHECK_OK(ctx, clopt_map(ctx, &d.map));
	expect_all(&d);
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_str_eq(report.variant, "affine");
	if (options.mem_limit_bytes) {
		ck_assert(d.n * 12 >= 4 * options.mem_limit_bytes && report.bands >= 4);
		ck_assert(wrap_peak_bytes() <= options.mem_limit_bytes);
	}
	test_close(ctx);
	wrap_discrete(0);
	close_data(&d);
}
END_TEST

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
	ctx = test_open(&options);
	program = clCreateProgramWithSource(clopt_cl_context(ctx), 1, &text, NULL, &code);
	ck_assert_int_eq(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS);
	kernel = clCreateKernel(program, "f", &code);
	map.items = n;
	map.args = args;
	map.nargs = 3;
	map.granule = 100;
	CHECK_OK(ctx, clopt_map_cl(ctx, kernel, &map));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_uint_gt(report.bands, 3);
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
	(void)done;
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
	tcase_add_loop_test(c, every_item, 0, 5);
	tcase_add_test(c, most_items);
	tcase_add_test(c, own_kernel);
}
