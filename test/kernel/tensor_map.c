/* SPDX-License-Identifier: MIT */
/*
 * tensor_map.c - the maps of products' operands: their bits, which operands have none, and that
 * kernels get them behind their array.
 */
#include <string.h>

#include "base/context.h"
#include "kernel/program.h"
#include "suites.h"

#define WORDS 16

static const struct variant row = {
	CLOPT_OP_MATMUL, "matmul/mapped", "matmul/plain.cl", "", { 1, 1 }, { 256, 128 }, 0, 0,
	.align = 1,      .maps = 1,
};

/* Not on 32-bit systems, where `bits` looks at nothing. */
#define FAR(x, bits) ((size_t)(x) << (sizeof(size_t) < 8 ? 0 : (bits)))

/* clang-format off */
/* Operands of a product, and the words 1 to 7 of their maps. */
static const struct mapped {
	int type, transa, transb;
	size_t elem_bytes, dim[3], batch, pitch[2], stride[2], offset[2];
	int both;
	cl_ulong word[2][7];
} cases[] = {
	{ CLOPT_TYPE_HALF, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 2, { 1000, 500, 300 }, 1,
	  { 640, 1024 }, { 0, 0 }, { 0, 0 }, 1,
	  { { 0x0000002800046330, 0x0000000100000001, 0, 0x000003e70000012b, 0, 0x3f00000000000000, 127 },
	    { 0x0000004000046330, 0x0000000100000001, 0, 0x0000012b000001f3, 0, 0x3f00000000000000, 63 } } },
	{ CLOPT_TYPE_BFLOAT16, CLOPT_TRANS_YES, CLOPT_TRANS_YES, 2, { 1000, 500, 300 }, 7,
	  { 2000, 608 }, { FAR(1, 36), 0 }, { 0, FAR(3, 36) }, 1,
	  { { 0x0000007d00046530, 0x0000000100000000, 0x0000001000000000, 0x0000012b000003e7, 6, 0x3f00000000000000, 63 },
	    { 0x0000002600046530, 0x0000000000000001, 0x0000030000000000, 0x000001f30000012b, 0x0000000100000000, 0x3f00000000000000, 255 } } },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, CLOPT_TRANS_YES, 4, { 2, 3, 1 }, 1,
	  { 16, FAR(1, 39) }, { 0, 0 }, { 48, 0 }, 1,
	  { { 0x00000001000463b0, 0x0000000300000001, 0, 0x0000000100000000, 0x0000000100000000, 0x1f00000000000000, 127 },
	    { 0x00000000000463b0, 0x0000000100000001, 0x0000000800000000, 0x0000000200000000, 0, 0x1f00000000000000, 255 } } },
	/* Rows, matrices and arrays off multiples of 16 bytes, too far apart or too many; no terms. */
#define NN CLOPT_TYPE_HALF, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 2
	{ NN, { 9, 9, 9 }, 1, { 24, 32 }, { 0, 0 }, { 0, 0 }, 0, { { 0 } } },
	{ NN, { 9, 9, 9 }, 2, { 32, 32 }, { 32, 40 }, { 0, 0 }, 0, { { 0 } } },
	{ NN, { 9, 9, 9 }, 1, { 32, 32 }, { 0, 0 }, { 2, 0 }, 0, { { 0 } } },
	{ NN, { 9, 9, 9 }, 1, { 32, FAR(1, 40) }, { 0, 0 }, { 0, 0 }, 0, { { 0 } } },
	{ NN, { FAR(1, 31), 9, 9 }, 1, { 32, 32 }, { 0, 0 }, { 0, 0 }, 0, { { 0 } } },
	{ NN, { 9, 9, 0 }, 1, { 32, 32 }, { 0, 0 }, { 0, 0 }, 0, { { 0 } } },
	{ CLOPT_TYPE_DOUBLE, CLOPT_TRANS_YES, CLOPT_TRANS_NO, 8, { 1000, 500, 300 }, 1,
	  { 8000, 4016 }, { 0, 0 }, { 0, 16 }, 1,
	  { { 0x000001f4000464b0, 0x0000000100000001, 0, 0x0000012b000003e7, 0, 0x0f00000000000000, 15 },
	    { 0x000000fb000464b0, 0x0000000100000001, 0, 0x0000012b000001f3, 0x0000000100000000, 0x0f00000000000000, 15 } } },
	{ CLOPT_TYPE_DOUBLE, CLOPT_TRANS_NO, CLOPT_TRANS_YES, 8, { 1000, 500, 300 }, 3,
	  { 2400, 2400 }, { 2400000, 0 }, { 0, 0 }, 1,
	  { { 0x00000096000464b0, 0x00000001000249f0, 0, 0x000003e70000012b, 2, 0x0f00000000000000, 127 },
	    { 0x00000096000464b0, 0x0000000100000001, 0, 0x000001f30000012b, 0, 0x0f00000000000000, 255 } } },
	/* Complex numbers count twice along a line. */
	{ CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 8, { 100, 50, 30 }, 1,
	  { 240, 400 }, { 0, 0 }, { 0, 0 }, 1,
	  { { 0x0000000f000463b0, 0x0000000100000001, 0, 0x000000630000003b, 0, 0x1f00000000000000, 127 },
	    { 0x00000019000463b0, 0x0000000100000001, 0, 0x0000001d00000063, 0, 0x1f00000000000000, 15 } } },
};
/* clang-format on */

static void describe(const struct mapped *c, struct clopt_problem *p, struct array a[3],
                     struct launch *l, const struct array *arrays[3])
{
	unsigned i;

	memset(a, 0, 3 * sizeof *a);
	*p = (struct clopt_problem){ .op = CLOPT_OP_MATMUL,
		                     .type = c->type,
		                     .transa = c->transa,
		                     .transb = c->transb,
		                     .elem_bytes = c->elem_bytes,
		                     .batch = 1 };
	for (i = 0; i < 3; i++)
		arrays[i] = &a[i];
	for (i = 0; i < 2; i++) {
		a[i].pitch_bytes = c->pitch[i];
		a[i].stride_bytes = c->stride[i];
		a[i].offset_bytes = c->offset[i];
	}
	*l = (struct launch){
		.v = &row, .problem = p, .dim = c->dim, .batch = c->batch, .arrays = arrays
	};
}

START_TEST(bits)
{
	const struct mapped *c = &cases[_i];
	const struct array *arrays[3];
	struct clopt_problem p;
	struct array a[3];
	struct launch l;
	cl_ulong word[2][WORDS];
	int i, j, both;

	if (sizeof(size_t) < 8)
		return;
	describe(c, &p, a, &l, arrays);
	both = clopt__tensor_map(&l, 0, word[0]) & clopt__tensor_map(&l, 1, word[1]);
	ck_assert_int_eq(both, c->both);
	for (i = 0; both && i < 2; i++)
		for (j = 0; j < WORDS; j++)
			ck_assert_uint_eq(word[i][j], j >= 1 && j <= 7 ? c->word[i][j - 1] : 0);
}
END_TEST

/* A kernel with a product's arguments that keeps what it gets: sizes, a number, elements, the
 * words, an offset. */
static const char source[] =
        "struct words { ulong word[15]; };\n"
        "__kernel void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong sa, "
        "ulong sb,\n"
        "ulong sc, long lower, float alpha, float beta, __global ulong *c, ulong8 offset,\n"
        "__global const ushort *a, struct words words_a, __global const ushort *b, struct words "
        "words_b)\n"
        "{\n"
        "	c[0] = m; c[1] = n; c[2] = k; c[3] = alpha; c[4] = a[0]; c[5] = b[0];\n"
        "	for (int i = 0; i < 15; i++) { c[6 + i] = words_a.word[i]; c[21 + i] = "
        "words_b.word[i]; }\n"
        "	c[36] = offset.s0;\n"
        "}\n";
#define GOT 37

static cl_kernel build(struct clopt *ctx, cl_program *program)
{
	const char *text = source;
	cl_kernel kernel;
	cl_int code;

	*program = clCreateProgramWithSource(ctx->context, 1, &text, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	ck_assert_int_eq(clBuildProgram(*program, 1, &ctx->device.id, "", NULL, NULL), CL_SUCCESS);
	kernel = clCreateKernel(*program, "run", &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	return kernel;
}

/* A launch of the kernel, what it got, and that it got it. */
static void expect_got(struct clopt *ctx, const struct launch *l)
{
	cl_ulong got[GOT], word[WORDS];
	int i;

	CHECK_OK(ctx, clopt__launch(ctx, ctx->queue[0], l, (struct waits){ 0, NULL }, NULL));
	ck_assert_int_eq(clEnqueueReadBuffer(ctx->queue[0], l->arrays[2]->mem, CL_TRUE, 0,
	                                     sizeof got, got, 0, NULL, NULL),
	                 CL_SUCCESS);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(got[i], l->dim[i]);
	ck_assert_uint_eq(got[3], (cl_ulong)l->real[0]);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(clopt__tensor_map(l, (unsigned)i, word), 1);
		ck_assert_mem_eq(got + 6 + 15 * i, &word[1], 15 * 8);
	}
	ck_assert_uint_eq(got[36], l->arrays[0]->offset_bytes / 2);
}

START_TEST(kernels_get_them)
{
	static const struct layout packed = { 0, 0, 1 };
	static const unsigned short marks[2] = { 7, 9 };
	struct clopt *ctx = test_open(NULL);
	const struct array *arrays[3];
	size_t dim[3] = { 9, 9, 9 };
	struct clopt_problem p;
	cl_program program;
	struct array a[3], other = { 0 };
	double real[MAX_REALS] = { 3, 0 };
	cl_ulong first;
	struct launch l;
	int i;

	describe(&cases[3], &p, a, &l, arrays);
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt__array_open(ctx, 64, 64, packed, &a[i]));
	l.kernel = build(ctx, &program);
	l.dim = dim;
	l.real = real;
	expect_got(ctx, &l);
	dim[0] = 10;
	expect_got(ctx, &l);
	real[0] = 4;
	expect_got(ctx, &l);
	a[0].offset_bytes = 16;
	expect_got(ctx, &l);
	a[0].offset_bytes = 0;
	expect_got(ctx, &l);
	CHECK_OK(ctx, clopt__array_open(ctx, 64, 64, packed, &other));
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(clEnqueueWriteBuffer(ctx->queue[0], i ? other.mem : a[0].mem,
		                                      CL_TRUE, 0, 2, &marks[i], 0, NULL, NULL),
		                 CL_SUCCESS);
	for (i = 0; i < 2; i++) {
		arrays[0] = i ? &other : &a[0];
		expect_got(ctx, &l);
		ck_assert_int_eq(clEnqueueReadBuffer(ctx->queue[0], a[2].mem, CL_TRUE,
		                                     4 * sizeof first, sizeof first, &first, 0,
		                                     NULL, NULL),
		                 CL_SUCCESS);
		ck_assert_uint_eq(first, marks[i]);
	}
	clReleaseKernel(l.kernel);
	clReleaseProgram(program);
	clopt__array_close(&other);
	for (i = 0; i < 3; i++)
		clopt__array_close(&a[i]);
	test_close(ctx);
}
END_TEST

SUITE(tensor_map, quick)
{
	tcase_add_loop_test(c, bits, 0, (int)(sizeof cases / sizeof *cases));
	tcase_add_test(c, kernels_get_them);
}
