/* SPDX-License-Identifier: MIT */
/*
 * nvidia.c - what NVIDIA's GPUs pick, without one: OpenCL pretends to be such a GPU, and
 * each program fails to build.
 */
#include <string.h>

#include "internal.h"
#include "suites.h"
#include "wrap.h"

static const struct wrap_gpu h200 = {
	"NVIDIA H200", "NVIDIA Corporation", 1, 32, 1024, 1, 48 << 10, 90, NULL
};

/* Large tiles where there are enough of them for all compute units, of the whole batch. */
static const struct pick {
	const char *row;
	int op;
	size_t elem_bytes, dim[3], batch;
	int uneven;
} picks[] = {
	{ "matmul/mma-f64-64x64", CLOPT_MATMUL, 8, { 512, 512, 512 }, 1, 0 },
	{ "matmul/mma-f64-64x64", CLOPT_MATMUL, 8, { 2048, 2048, 2048 }, 1, 0 },
	{ "matmul/mma-f64-64x96", CLOPT_MATMUL, 8, { 1024, 1024, 1024 }, 8, 0 },
	{ "matmul/mma-f64-64x96", CLOPT_MATMUL, 8, { 3072, 3072, 3072 }, 1, 0 },
	/* Sums too short for the tensor cores. */
	{ "matmul/async-128x64", CLOPT_MATMUL, 4, { 1024, 1024, 31 }, 1, 0 },
	{ "matmul/async-128x256", CLOPT_MATMUL, 4, { 4096, 4096, 31 }, 1, 0 },
	{ "potential/split-32x8", CLOPT_POTENTIAL, 4, { 4096, 16384 }, 1, 0 },
	{ "potential/tile-256", CLOPT_POTENTIAL, 4, { 4096, 65536 }, 1, 0 },
	{ "potential/reg-256x4-ptx", CLOPT_POTENTIAL, 4, { 4096, 98304 }, 1, 0 },
	{ "nbody/split-32x8", CLOPT_NBODY, 4, { 16384, 16384 }, 1, 0 },
	{ "nbody/reg-128x2-ptx", CLOPT_NBODY, 4, { 32768, 32768 }, 1, 0 },
	{ "transpose/tile-64x64", CLOPT_TRANSPOSE, 4, { 4096, 4096 }, 1, 0 },
	{ "transpose/tile-64x128", CLOPT_TRANSPOSE, 4, { 4099, 4097 }, 1, 1 },
	{ "transpose/tile-64x64", CLOPT_TRANSPOSE, 8, { 4099, 4097 }, 1, 1 },
	{ "transpose/vec4-32x32", CLOPT_TRANSPOSE, 16, { 4096, 4096 }, 1, 0 },
	{ "transpose/shift-128x256", CLOPT_TRANSPOSE, 1, { 4099, 4097 }, 1, 1 },
	{ "transpose/vec4-128x128", CLOPT_TRANSPOSE, 2, { 4096, 4096 }, 1, 0 },
};

static void fail_all(const char *const *lines, size_t count, const char *options)
{
	(void)lines;
	(void)count;
	(void)options;
}

/* The first row that is tried for the problem. */
static const char *first_tried(struct clopt *ctx, const struct clopt_problem *problem)
{
	const struct variant *v = clopt__variants;
	struct clopt_problem p;

	CHECK_OK(ctx, clopt__problem_read(ctx, problem, &p));
	ck_assert_ptr_null(clopt_choice(ctx, problem));
	while (v->name && !clopt__struck_out(ctx, v, &p))
		v++;
	return v->name;
}

START_TEST(choice)
{
	const struct pick *pick = &picks[_i];
	struct clopt_problem p = { .size = sizeof p, .op = pick->op };
	struct clopt *ctx;

	memcpy(p.dim, pick->dim, sizeof pick->dim);
	p.elem_bytes = pick->elem_bytes;
	p.batch = pick->batch;
	p.uneven = pick->uneven;
	wrap_pretend(&h200);
	wrap_builds(fail_all);
	ctx = test_open(NULL);
	ctx->device.info.compute_units = 132;
	ck_assert_str_eq(first_tried(ctx, &p), pick->row);
	test_close(ctx);
	wrap_builds(NULL);
	wrap_pretend(NULL);
}
END_TEST

TCase *nvidia_case(void)
{
	TCase *c = tcase_create("nvidia");

	tcase_add_loop_test(c, choice, 0, (int)(sizeof picks / sizeof *picks));
	return c;
}
