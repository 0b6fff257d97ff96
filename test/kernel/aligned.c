/* SPDX-License-Identifier: MIT */
/*
 * aligned.c - copies of inputs that tensor maps cannot describe: what they hold, and the launch
 * that gets them.  cl/matmul/aligned.clh runs anywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "kernel/program.h"
#include "suites.h"

#define ROW .op = CLOPT_OP_MATMUL, .out = { 128, 128 }, .align = 1, .maps = 1
static const struct variant row = { ROW, .flips = 1 }, row_of_int8 = { ROW, .by_k = 1 };

#define NO CLOPT_TRANS_NO
#define T CLOPT_TRANS_YES
static const struct copied {
	int type, transa, transb;
	size_t m, n, k, batch;
	size_t ld[2], stride[2], offset[2]; /* in elements */
	int is[2]; /* whether the launch gets a copy */
} cases[] = {
	{ CLOPT_TYPE_HALF, NO, NO, 5, 33, 21, 1, { 21, 33 }, { 0, 0 }, { 0, 0 }, { 1, 1 } },
	{ CLOPT_TYPE_HALF, NO, T, 300, 9, 70, 1, { 72, 71 }, { 0, 0 }, { 8, 3 }, { 0, 1 } },
	{ CLOPT_TYPE_HALF, T, T, 67, 9, 40, 3, { 67, 40 }, { 2701, 0 }, { 1, 0 }, { 1, 0 } },
	{ CLOPT_TYPE_BFLOAT16, NO, NO, 7, 7, 7, 2, { 7, 8 }, { 50, 56 }, { 7, 0 }, { 1, 0 } },
	{ CLOPT_TYPE_FLOAT, NO, NO, 5, 33, 21, 1, { 22, 36 }, { 0, 0 }, { 0, 0 }, { 1, 0 } },
	{ CLOPT_TYPE_FLOAT, NO, NO, 9, 5, 8, 3, { 8, 8 }, { 74, 64 }, { 0, 2 }, { 1, 1 } },
	{ CLOPT_TYPE_FLOAT, T, NO, 70, 5, 45, 1, { 72, 8 }, { 0, 0 }, { 0, 0 }, { 1, 0 } },
	{ CLOPT_TYPE_FLOAT, T, NO, 33, 5, 45, 2, { 35, 9 }, { 1600, 500 }, { 3, 1 }, { 1, 1 } },
	{ CLOPT_TYPE_FLOAT, T, T, 33, 5, 45, 1, { 36, 48 }, { 0, 0 }, { 0, 0 }, { 0, 0 } },
	{ CLOPT_TYPE_FLOAT, T, NO, 33, 5, 0, 1, { 33, 5 }, { 0, 0 }, { 0, 0 }, { 0, 0 } },
	{ CLOPT_TYPE_DOUBLE, NO, NO, 5, 33, 21, 1, { 21, 33 }, { 0, 0 }, { 0, 0 }, { 1, 1 } },
	{ CLOPT_TYPE_COMPLEX_FLOAT, NO, T, 5, 33, 21, 1, { 21, 22 }, { 0, 0 }, { 0, 1 }, { 1, 1 } },
	{ CLOPT_TYPE_INT8, NO, T, 5, 33, 21, 1, { 32, 48 }, { 0, 0 }, { 16, 0 }, { 0, 0 } },
	{ CLOPT_TYPE_INT8, NO, T, 5, 33, 61, 3, { 61, 63 }, { 309, 2083 }, { 1, 3 }, { 1, 1 } },
	{ CLOPT_TYPE_INT8, NO, NO, 5, 140, 67, 1, { 80, 140 }, { 0, 0 }, { 0, 0 }, { 0, 1 } },
	{ CLOPT_TYPE_INT8, T, NO, 37, 131, 66, 2, { 39, 133 }, { 2577, 0 }, { 2, 1 }, { 1, 1 } },
	{ CLOPT_TYPE_INT8, T, T, 130, 3, 33, 1, { 132, 33 }, { 0, 0 }, { 0, 0 }, { 1, 1 } },
	{ CLOPT_TYPE_INT8, T, NO, 2, 2, 3, 33000, { 3, 5 }, { 9, 15 }, { 0, 1 }, { 1, 1 } },
	/* Items that take several lines each. */
	{ CLOPT_TYPE_INT8, NO, NO, 1, 5, 524300, 1, { 524300, 5 }, { 0, 0 }, { 0, 0 }, { 1, 1 } },
	{ CLOPT_TYPE_HALF, NO, T, 140001, 3, 9, 1, { 9, 9 }, { 0, 0 }, { 0, 0 }, { 1, 1 } },
};

static void build(struct clopt *ctx, size_t part_bytes, const struct variant *v, struct kernel *k)
{
	const struct source *s = clopt__sources;
	char options[40];
	cl_int code;

	while (s->file && strcmp(s->file, "matmul/aligned.clh"))
		s++;
	ck_assert_ptr_nonnull(s->file);
	snprintf(options, sizeof options, "-cl-std=CL1.2 -DELEM_BYTES=%zu", part_bytes);
	k->v = v;
	k->program = clCreateProgramWithSource(ctx->context, (cl_uint)s->count,
	                                       (const char **)s->lines, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	ck_assert_int_eq(clBuildProgram(k->program, 1, &ctx->device.id, options, NULL, NULL),
	                 CL_SUCCESS);
	k->kernel = clCreateKernel(k->program, "aligned", &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	k->aligned = clCreateKernel(k->program, "aligned", &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	if (part_bytes == 4 || part_bytes == 1)
		k->turned = clCreateKernel(k->program, "turned", &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	k->next = ctx->kernels;
	ctx->kernels = k;
}

/* Compares the launch's array i with the caller's, of these lines of `length` elements. */
static void expect_same(struct clopt *ctx, const struct copied *c, unsigned i,
                        const struct array *got, const char *was, size_t lines, size_t length,
                        size_t elem_bytes, int turned)
{
	const size_t matrices = c->stride[i] ? c->batch : 1;
	const size_t to_lines = turned ? length : lines;
	const size_t bytes = got->offset_bytes + (matrices - 1) * got->stride_bytes +
	                     to_lines * got->pitch_bytes;
	char *is = malloc(bytes);
	size_t z, y, x;

	ck_assert_uint_eq((got->pitch_bytes | got->stride_bytes | got->offset_bytes) % 16, 0);
	ck_assert_int_eq(
	        clEnqueueReadBuffer(ctx->queue[0], got->mem, CL_TRUE, 0, bytes, is, 0, NULL, NULL),
	        CL_SUCCESS);
	for (z = 0; z < matrices; z++)
		for (y = 0; y < lines; y++)
			for (x = 0; x < length; x++)
				ck_assert_mem_eq(
				        is + got->offset_bytes + z * got->stride_bytes +
				                (turned ? x : y) * got->pitch_bytes +
				                (turned ? y : x) * elem_bytes,
				        was + (c->offset[i] + z * c->stride[i] + y * c->ld[i] + x) *
				                        elem_bytes,
				        elem_bytes);
	free(is);
}

START_TEST(copies)
{
	const struct copied *c = &cases[_i];
	struct clopt *ctx = test_open(NULL);
	const struct element_type *type = clopt__type(c->type);
	struct clopt_problem p = { .op = CLOPT_OP_MATMUL,
		                   .type = c->type,
		                   .transa = c->transa,
		                   .transb = c->transb,
		                   .elem_bytes = ((size_t)type->part & 0xff) * type->parts,
		                   .batch = c->batch };
	const size_t dim[3] = { c->m, c->n, c->k };
	const struct variant *v = c->type == CLOPT_TYPE_INT8 ? &row_of_int8 : &row;
	const int turns[2] = { c->transa != NO && (v->by_k || c->transb == NO),
		               v->by_k && c->transb == NO };
	struct kernel kernel = { 0 }, **at;
	struct array array[3] = { { 0 } };
	const struct array *arrays[3] = { &array[0], &array[1], &array[2] };
	struct launch l = {
		.v = v, .problem = &p, .dim = dim, .batch = c->batch, .arrays = arrays
	};
	struct aligned own;
	char *was[2];
	unsigned i;
	size_t e;

	build(ctx, (size_t)type->part & 0xff, v, &kernel);
	l.kernel = kernel.kernel;
	for (i = 0; i < 2; i++) {
		const size_t lines =
		        i ? (c->transb == NO ? c->k : c->n) : (c->transa == NO ? c->m : c->k);
		const size_t elements =
		        c->offset[i] + (c->batch - 1) * c->stride[i] + lines * c->ld[i] + 1;

		was[i] = malloc(elements * p.elem_bytes);
		for (e = 0; e < elements * p.elem_bytes; e++)
			was[i][e] = (char)(e * 2654435761u >> 13);
		CHECK_OK(ctx, clopt__array_copy_of(ctx, was[i], elements, p.elem_bytes, &array[i]));
		array[i].pitch_bytes = c->ld[i] * p.elem_bytes;
		array[i].stride_bytes = c->stride[i] * p.elem_bytes;
		array[i].offset_bytes = c->offset[i] * p.elem_bytes;
	}
	CHECK_OK(ctx, clopt__align(ctx, ctx->queue[0], &l, &own, (struct waits){ 0, NULL }));
	ck_assert_int_eq(l.problem->transa, turns[0] ? NO : c->transa);
	ck_assert_int_eq(l.problem->transb, turns[1] ? T : c->transb);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(l.arrays[i] != &array[i], c->is[i]);
		if (c->is[i])
			expect_same(ctx, c, i, l.arrays[i], was[i],
			            i ? (c->transb == NO ? c->k : c->n) :
			                (c->transa == NO ? c->m : c->k),
			            i ? (c->transb == NO ? c->n : c->k) :
			                (c->transa == NO ? c->k : c->m),
			            p.elem_bytes, turns[i]);
	}
	clFinish(ctx->queue[0]);
	clopt__launches_forget(ctx);
	for (at = &ctx->kernels; *at != &kernel;)
		at = &(*at)->next;
	*at = kernel.next;
	clopt__program_drop(&kernel);
	for (i = 0; i < 2; i++) {
		clopt__array_close(&array[i]);
		free(was[i]);
	}
	test_close(ctx);
}
END_TEST

SUITE(aligned, quick)
{
	tcase_add_loop_test(c, copies, 0, (int)(sizeof cases / sizeof *cases));
}
