/* SPDX-License-Identifier: MIT */
/*
 * nvidia.c - the choices for NVIDIA's GPUs, without such a GPU: OpenCL pretends to be one, and
 * each program fails to build.
 */
#include <stdio.h>
#include <string.h>

#include "folder.h"
#include "base/context.h"
#include "kernel/kernel.h"
#include "move/move.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

static const struct wrap_gpu h200 = {
	"NVIDIA H200", "NVIDIA Corporation", 1, 32, 1024, 1, 48 << 10, 90, NULL
};

#define T CLOPT_TRANS_YES
#define TF32 CLOPT_MATH_TF32
#define SALT CLOPT_LAW_ALPB_SALT

/* Large tiles where there are enough of them for all compute units, of the whole batch. */
static const struct pick {
	const char *row;
	int op;
	size_t elem_bytes, dim[3], batch;
	int uneven, law;
} picks[] = {
	{ "matmul/mma-f64-64x64", CLOPT_OP_MATMUL, 8, { 512, 512, 512 }, 1, 0, 0 },
	{ "matmul/mma-f64-64x64", CLOPT_OP_MATMUL, 8, { 16384, 64, 4096 }, 1, 0, 0 },
	{ "matmul/mma-f64-64x64", CLOPT_OP_MATMUL, 8, { 2048, 511, 3 }, 1, 0, 0 },
	{ "matmul/mma-f64-64x96", CLOPT_OP_MATMUL, 8, { 16384, 511, 3 }, 1, 0, 0 },
	{ "matmul/tma-f64-64x128", CLOPT_OP_MATMUL, 8, { 1024, 1024, 1024 }, 1, 0, 0 },
	{ "matmul/tma-f64-128x128", CLOPT_OP_MATMUL, 8, { 2048, 2048, 2048 }, 1, 0, 0 },
	{ "matmul/tma-f64-128x128", CLOPT_OP_MATMUL, 8, { 1024, 1024, 1024 }, 8, 0, 0 },
	/* Sums too short for the tensor cores. */
	{ "matmul/async-128x64", CLOPT_OP_MATMUL, 4, { 1024, 1024, 31 }, 1, 0, 0 },
	{ "matmul/async-128x256", CLOPT_OP_MATMUL, 4, { 4096, 4096, 31 }, 1, 0, 0 },
	/* Few columns, whatever the rows; a batch as one product, if the matrices are not small. */
	{ "matmul/wgmma-f32-64x128", CLOPT_OP_MATMUL, 4, { 16384, 64, 4096 }, 1, 0, 0 },
	{ "matmul/wgmma-f32-128x128", CLOPT_OP_MATMUL, 4, { 16384, 65, 4096 }, 1, 0, 0 },
	{ "matmul/wgmma-mix-128x128", CLOPT_OP_MATMUL, 4, { 64, 16384, 4096 }, 1, 0, 0 },
	{ "matmul/wgmma-f32-128x128", CLOPT_OP_MATMUL, 4, { 256, 256, 256 }, 512, 0, 0 },
	{ "matmul/wgmma-f32-64x128", CLOPT_OP_MATMUL, 4, { 256, 256, 256 }, 16, 0, 0 },
	{ "matmul/wgmma-f32-64x128", CLOPT_OP_MATMUL, 4, { 2048, 64, 2048 }, 32, 0, 0 },
	{ "matmul/wgmma-half-128x256", CLOPT_OP_MATMUL, 2, { 2048, 64, 2048 }, 32, 0, 0 },
	{ "matmul/wgmma-half-64x64", CLOPT_OP_MATMUL, 2, { 64, 64, 64 }, 60, 0, 0 },
	{ "matmul/async-128x64", CLOPT_OP_MATMUL, 4, { 64, 40, 64 }, 1000, 0, 0 },
	{ "matmul/lds-64x64", CLOPT_OP_MATMUL, 4, { 64, 64, 64 }, 1000, 0, 0 }, /* on record */
	{ "potential/split-32x8", CLOPT_OP_POTENTIAL, 4, { 4096, 16384 }, 1, 0, 0 },
	{ "potential/split-1x256", CLOPT_OP_POTENTIAL, 4, { 4096, 512 }, 1, 0, 0 },
	{ "potential/split-2x128", CLOPT_OP_POTENTIAL, 4, { 4096, 1024 }, 1, 0, 0 },
	{ "potential/split-4x64", CLOPT_OP_POTENTIAL, 4, { 4096, 12288 }, 1, 0, 0 },
	{ "potential/reg-128x1-ptx", CLOPT_OP_POTENTIAL, 4, { 4096, 65536 }, 1, 0, 0 },
	{ "potential/reg-256x4-ptx", CLOPT_OP_POTENTIAL, 4, { 4096, 131072 }, 1, 0, 0 },
	{ "potential/reg-128x1-ptx", CLOPT_OP_POTENTIAL, 4, { 4096, 98304 }, 1, 0, SALT },
	{ "potential/reg-256x2-ptx", CLOPT_OP_POTENTIAL, 4, { 4096, 140000 }, 1, 0, SALT },
	/* With few sources a tile is not whole. */
	{ "potential/split-32x8", CLOPT_OP_POTENTIAL, 4, { 300, 32768 }, 1, 0, 0 },
	{ "potential/tile-256", CLOPT_OP_POTENTIAL, 4, { 300, 65536 }, 1, 0, 0 },
	{ "nbody/split-32x8", CLOPT_OP_NBODY, 4, { 512, 32768 }, 1, 0, 0 },
	{ "nbody/split-1x256", CLOPT_OP_NBODY, 4, { 512, 512 }, 1, 0, 0 },
	{ "nbody/split-2x128", CLOPT_OP_NBODY, 4, { 1024, 1024 }, 1, 0, 0 },
	{ "nbody/split-4x64", CLOPT_OP_NBODY, 4, { 8192, 8192 }, 1, 0, 0 },
	{ "nbody/reg-128x1-ptx", CLOPT_OP_NBODY, 4, { 16384, 16384 }, 1, 0, 0 },
	{ "nbody/reg-128x2-ptx", CLOPT_OP_NBODY, 4, { 65536, 65536 }, 1, 0, 0 },
	{ "transpose/tile-64x64", CLOPT_OP_TRANSPOSE, 4, { 4096, 4096 }, 1, 0, 0 },
	{ "transpose/tile-64x128", CLOPT_OP_TRANSPOSE, 4, { 4099, 4097 }, 1, 1, 0 },
	{ "transpose/tile-64x64", CLOPT_OP_TRANSPOSE, 8, { 4099, 4097 }, 1, 1, 0 },
	{ "transpose/vec4-32x32", CLOPT_OP_TRANSPOSE, 16, { 4096, 4096 }, 1, 0, 0 },
	{ "transpose/shift-128x256", CLOPT_OP_TRANSPOSE, 1, { 4099, 4097 }, 1, 1, 0 },
	{ "transpose/vec4-128x128", CLOPT_OP_TRANSPOSE, 2, { 4096, 4096 }, 1, 0, 0 },
};

/* The fastest rows are for enough large tiles, sums that are not too long, and rows that begin at
 * multiples of 16 bytes. */
static const struct product {
	const char *row;
	int type;
	size_t dim[3];
	int math, transa, transb;
} products[] = {
	{ "matmul/wgmma-half-128x256", 2, { 4096, 4096, 4096 }, 0, 0, 0 },
	{ "matmul/wgmma-half-128x128", 2, { 3072, 3072, 3072 }, 0, 0, 0 },
	{ "matmul/wgmma-half-128x256", 2, { 8192, 8192, 4096 }, 0, T, T },
	{ "matmul/wgmma-half-128x64", 2, { 1024, 1024, 1024 }, 0, 0, 0 },
	{ "matmul/wgmma-half-64x64", 2, { 512, 512, 512 }, 0, 0, T },
	{ "matmul/wgmma-tf32-256x128", 4, { 4096, 4096, 4096 }, TF32, 0, 0 },
	{ "matmul/wgmma-tf32-256x128", 4, { 4096, 4096, 4096 }, TF32, T, 0 },
	{ "matmul/wgmma-tf32-256x128", 4, { 4096, 4096, 4096 }, TF32, 0, T },
	{ "matmul/wgmma-tf32-256x128", 4, { 4096, 4096, 4096 }, TF32, T, T },
	{ "matmul/wgmma-tf32-64x128", 4, { 1024, 1024, 1024 }, TF32, 0, 0 },
	{ "matmul/wgmma-mix-128x128", 4, { 4096, 4096, 4096 }, 0, 0, 0 },
	{ "matmul/wgmma-f32-128x128", 4, { 4096, 4096, 3839 }, 0, 0, 0 },
	{ "matmul/wgmma-mix-c64-128x64", CLOPT_TYPE_COMPLEX_FLOAT, { 2048, 2048, 2048 }, 0, 0, T },
	{ "matmul/wgmma-f32-c64-128x64", CLOPT_TYPE_COMPLEX_FLOAT, { 4096, 4096, 1919 }, 0, 0, T },
	{ "matmul/wgmma-f32-c64-128x64",
	  CLOPT_TYPE_COMPLEX_FLOAT,
	  { 512, 512, 512 },
	  0,
	  CLOPT_TRANS_CONJ,
	  0 },
	{ "matmul/mma-c64-128x64", CLOPT_TYPE_COMPLEX_FLOAT, { 65536, 32, 512 }, 0, 0, 0 },
	{ "matmul/wgmma-f32-c64-128x64", CLOPT_TYPE_COMPLEX_FLOAT, { 65536, 33, 512 }, 0, 0, 0 },
	{ "matmul/wgmma-int8-128x256", CLOPT_TYPE_INT8, { 2048, 2048, 256 }, 0, 0, T },
	{ "matmul/wgmma-int8-128x64", CLOPT_TYPE_INT8, { 1024, 1024, 1024 }, 0, T, 0 },
	/* Doubles by 8-bit integers, where that is allowed and faster. */
	{ "matmul/int8-f64-wgmma", 8, { 4096, 4096, 4096 }, CLOPT_MATH_INT8, 0, T },
	{ "matmul/int8-f64-wgmma-16", 8, { 4096, 4096, 4096 }, CLOPT_MATH_INT8_FINE, 0, T },
	{ "matmul/int8-f64-wgmma",
	  CLOPT_TYPE_COMPLEX_DOUBLE,
	  { 4096, 4096, 2048 },
	  CLOPT_MATH_INT8,
	  CLOPT_TRANS_CONJ,
	  0 },
	{ "matmul/tma-f64-128x128", 8, { 4096, 4096, 32769 }, CLOPT_MATH_INT8, 0, 0 },
	{ "matmul/tma-f64-128x128", 8, { 2048, 2048, 2048 }, CLOPT_MATH_INT8, 0, 0 },
	{ "matmul/tma-f64-128x128", 8, { 4096, 4096, 4096 }, CLOPT_MATH_HALF, 0, 0 },
	{ "matmul/wgmma-mix-128x128", 4, { 4096, 4096, 4096 }, CLOPT_MATH_INT8, 0, 0 },
	{ "matmul/mma-c128-96x32",
	  CLOPT_TYPE_COMPLEX_DOUBLE,
	  { 4096, 4096, 16385 },
	  CLOPT_MATH_INT8,
	  0,
	  0 },
	/* Long sums, which the tensor cores truncate too often. */
	{ "matmul/mma-half-128x128", 2, { 4096, 4096, 65537 }, 0, 0, 0 },
	{ "matmul/mma-tf32-128x128", 4, { 4096, 4096, 16385 }, TF32, T, T },
	/* Rows so short that they are packed, and begin anywhere: they are copied for large
	   results. */
	{ "matmul/mma-half-128x128", 2, { 4096, 511, 20 }, 0, 0, T },
	{ "matmul/wgmma-half-128x64", 2, { 4096, 512, 20 }, 0, 0, T },
	{ "matmul/wgmma-tf32-256x128", 4, { 4096, 4096, 10 }, TF32, 0, 0 },
};

/* Sums by groups of many targets, unless two of these for some compute units and one for the others
 * leave many idle.  without_ptx: the first of the rows that other GPUs have, too. */
static const struct sum {
	const char *row, *without_ptx;
	size_t sources, targets;
	int precision;
	unsigned devices; /* that share a call */
} by_groups[] = {
	{ "reg-128x1-ptx", "tile-256", 4096, 98304, CLOPT_PRECISION_FLOAT, 0 },
	{ "reg-256x4-ptx", "tile-256", 4096, 120000, CLOPT_PRECISION_FLOAT, 0 },
	{ "reg-128x1-ptx", "tile-256", 4096, 140000, CLOPT_PRECISION_FLOAT, 0 },
	{ "reg-256x4-ptx", "reg-256x2", 4096, 270000, CLOPT_PRECISION_FLOAT, 0 },
	{ "reg-256x4-ptx", "reg-256x2", 4096, 754688, CLOPT_PRECISION_FLOAT, 0 },
	{ "reg-128x1-ptx", "reg-256x2", 4096, 754688, CLOPT_PRECISION_FLOAT, 4 },
	{ "reg-128x1-ptx", "tile-256", 4096, 800000, CLOPT_PRECISION_FLOAT, 8 },
	/* No other row is known to be faster. */
	{ "reg-256x4-ptx", "reg-256x2", 511, 140000, CLOPT_PRECISION_FLOAT, 0 },
	{ "reg-256x4-ptx", "reg-256x2", 4096, 140000, CLOPT_PRECISION_COMPENSATED, 0 },
};

static void fail_all(const char *const *lines, size_t count, const char *options)
{
}

static struct clopt *open_h200(void)
{
	struct clopt *ctx;

	wrap_pretend(&h200);
	wrap_builds(fail_all);
	ctx = test_open(NULL);
	ctx->device.info.compute_units = 132;
	return ctx;
}

static void close_h200(struct clopt *ctx)
{
	test_close(ctx);
	wrap_builds(NULL);
	wrap_pretend(NULL);
}

/* The first row without these needs that was tried for the problem. */
static const char *first_without(struct clopt *ctx, const struct clopt_problem *problem,
                                 unsigned needs)
{
	const struct variant *v = clopt__variant(0);
	struct clopt_problem p;

	CHECK_OK(ctx, clopt__problem_read(ctx, problem, &p));
	while (v && (v->needs & needs || !clopt__struck_out(ctx, v, &p)))
		v = clopt__next_variant(v);
	return v ? v->name : "none";
}

static const char *first_tried(struct clopt *ctx, const struct clopt_problem *problem)
{
	return first_without(ctx, problem, 0);
}

START_TEST(choice)
{
	const struct pick *pick = &picks[_i];
	struct clopt_problem p = { .size = sizeof p, .op = pick->op };
	struct clopt *ctx = open_h200();

	memcpy(p.dim, pick->dim, sizeof pick->dim);
	p.elem_bytes = pick->elem_bytes;
	p.batch = pick->batch;
	p.uneven = pick->uneven;
	p.law = pick->law;
	p.normals = pick->law == SALT;
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	ck_assert_str_eq(first_tried(ctx, &p), pick->row);
	close_h200(ctx);
}
END_TEST

START_TEST(choice_by_groups)
{
	const struct sum *sum = &by_groups[_i];
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_POTENTIAL, .elem_bytes = 4 };
	struct clopt *ctx = open_h200();

	p.dim[0] = sum->sources;
	p.dim[1] = sum->targets;
	p.precision = sum->precision;
	ctx->sharers = sum->devices;
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	ck_assert_str_eq(strchr(first_tried(ctx, &p), '/') + 1, sum->row);
	ck_assert_str_eq(strchr(first_without(ctx, &p, T_PTX), '/') + 1, sum->without_ptx);
	ctx->sharers = 0;
	close_h200(ctx);
}
END_TEST

/* A product and the workload that a row makes of it. */
struct asked {
	struct clopt_problem p;
	struct job job;
	struct workload w;
};

static void ask(struct clopt *ctx, const struct variant *row, const struct clopt_problem *p,
                struct asked *a)
{
	CHECK_OK(ctx, clopt__problem_read(ctx, p, &a->p));
	CHECK_OK(ctx, clopt__job_of_problem(ctx, &a->p, &a->job));
	clopt__workload(ctx, &a->job, row, &a->w);
}

/* Where both inputs are transposed some tiles lie the other way, so that launches, of 65535 groups
 * along y at most, are cut at other sizes. */
START_TEST(flipped_tiles)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .elem_bytes = 4,
		                   .dim = { 4096, 4096, 4096 },
		                   .transb = T,
		                   .math = TF32 };
	struct clopt *ctx = open_h200();
	struct asked a;
	int flipped;

	for (flipped = 0; flipped < 2; flipped++) {
		p.transa = flipped ? T : CLOPT_TRANS_NO;
		ask(ctx, clopt__variant(test_row("matmul/wgmma-tf32-256x128")), &p, &a);
		ck_assert_uint_eq(a.w.tile[0], flipped ? 128 : 256);
		ck_assert_uint_eq(a.w.tile[1], flipped ? 256 : 128);
		ck_assert_uint_eq(a.w.most[0], 65535 * a.w.tile[0]);
	}
	close_h200(ctx);
}
END_TEST

/* A call's cut counts its workspace of so many bytes: in one block with the workspace, without it,
 * in as many bytes, in a byte less; then in one allocation. */
static void expect_counted(struct clopt *ctx, struct workload *w, size_t bytes, int batch)
{
	const uint64_t most = ctx->device.info.max_alloc_bytes;
	const unsigned queues = ctx->queues;
	struct workload none_of_it;
	size_t arrays;
	struct cut cut;

	ck_assert_uint_eq(w->workspace(w, w->dim), bytes);
	w->dry = 1;
	ctx->queues = 1;
	none_of_it = *w;
	none_of_it.workspace = NULL;
	CHECK_OK(ctx, clopt__cut(ctx, &none_of_it, &cut));
	arrays = cut.bytes;
	CHECK_OK(ctx, clopt__cut(ctx, w, &cut));
	ck_assert_uint_eq(cut.bytes, arrays + bytes);
	ctx->mem_limit_bytes = cut.bytes;
	CHECK_OK(ctx, clopt__cut(ctx, w, &cut));
	ck_assert_uint_eq(cut.bytes, ctx->mem_limit_bytes);
	ctx->mem_limit_bytes--;
	CHECK_OK(ctx, clopt__cut(ctx, w, &cut));
	ck_assert_uint_le(cut.bytes, ctx->mem_limit_bytes);
	ctx->mem_limit_bytes = 0;
	ctx->device.info.max_alloc_bytes = bytes - 1;
	if (!batch) { /* matrices of a batch are larger */
		CHECK_OK(ctx, clopt__cut(ctx, w, &cut));
		ck_assert_uint_lt(w->workspace(w, cut.step), bytes);
	}
	ctx->device.info.max_alloc_bytes = most;
	ctx->queues = queues;
}

#define MIX "matmul/wgmma-mix-128x128"
#define INT8 "matmul/int8-f64-wgmma"

/* A row that splits op(A) first has workspace for it: 128 bytes for 32 numbers of a row, twice
 * where A is transposed or off 16 bytes, once where matrices share A.  A row of 8-bit integers has
 * it for 14 residues of each number of A and B, in lines of 128, and of the products, in parts of
 * 64 x 32, and for the exponents of lines.  It counts where memory is limited. */
static const struct with_room {
	const char *row;
	int type, transa;
	size_t dim[3], batch, bytes;
	size_t shared; /* bytes where the matrices of a batch share A */
} workspaces[] = {
	{ MIX, 4, CLOPT_TRANS_NO, { 4096, 512, 4096 }, 1, (size_t)64 << 20, 0 },
	{ MIX, 4, T, { 4096, 512, 4096 }, 1, (size_t)128 << 20, 0 },
	{ MIX, 4, CLOPT_TRANS_NO, { 7, 512, 4097 }, 1, 7 * 129 * 128, 0 },
	{ MIX, 4, CLOPT_TRANS_NO, { 7, 512, 64 }, 5, 5 * 7 * 2 * 128, 7 * 2 * 128 },
	{ MIX, 4, CLOPT_TRANS_NO, { 7, 512, 63 }, 5, 5 * 7 * 2 * 128 * 2, 7 * 2 * 128 * 2 },
	{ "matmul/wgmma-mix-c64-128x64",
	  CLOPT_TYPE_COMPLEX_FLOAT,
	  CLOPT_TRANS_CONJ,
	  { 3, 512, 33 },
	  1,
	  3 * 3 * 128 * 2,
	  0 },
	{ INT8,
	  8,
	  CLOPT_TRANS_NO,
	  { 4096, 4096, 4096 },
	  1,
	  14 * ((size_t)3 << 24) + (size_t)4 * 8192,
	  0 },
	{ INT8,
	  8,
	  CLOPT_TRANS_NO,
	  { 7, 513, 129 },
	  1,
	  14 * ((7 + 513) * 256 + 17 * 2048) + 4 * 520,
	  0 },
	{ INT8,
	  8,
	  CLOPT_TRANS_NO,
	  { 7, 513, 129 },
	  5,
	  5 * (14 * ((7 + 513) * 256 + 17 * 2048) + 4 * 520),
	  5 * (14 * (513 * 256 + 17 * 2048) + 4 * 513) + 7 * (14 * 256 + 4) },
	{ INT8,
	  CLOPT_TYPE_COMPLEX_DOUBLE,
	  CLOPT_TRANS_NO,
	  { 65, 200, 65 },
	  1,
	  14 * ((65 + 400) * 256 + 2 * 13 * 2048) + 4 * 465,
	  0 },
	/* Lines, sums of four bytes, and room for exponents. */
	{ "matmul/int8-mma",
	  CLOPT_TYPE_INT8,
	  CLOPT_TRANS_NO,
	  { 65, 200, 40000 },
	  1,
	  (65 + 200) * 40064 + 2 * 7 * 4 * 2048 + 4 * 265,
	  0 },
	/* Columns of B become lines, of multiples of 16 bytes; then those of A too. */
	{ "matmul/wgmma-int8-128x64",
	  CLOPT_TYPE_INT8,
	  CLOPT_TRANS_NO,
	  { 64, 200, 40000 },
	  1,
	  200 * 40000,
	  0 },
	{ "matmul/wgmma-int8-128x64",
	  CLOPT_TYPE_INT8,
	  CLOPT_TRANS_YES,
	  { 64, 208, 40001 },
	  3,
	  3 * (64 + 208) * 40016,
	  (64 + 3 * 208) * 40016 },
};

START_TEST(workspace)
{
	const struct with_room *c = &workspaces[_i];
	struct clopt *ctx = open_h200();
	const struct variant *row = clopt__variant(test_row(c->row));
	const int odd = !row->moduli && c->batch > 1 && c->dim[2] % 4 != 0;
	const int resident = odd ? RESIDENT_ODD : 1;
	/* There B is copied, too, as far as the choice knows. */
	const size_t copied = odd && row->planes ? c->batch * c->dim[1] * c->dim[2] * 4 : 0;
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .type = c->type,
		                   .transa = c->transa,
		                   .math = row->moduli ? CLOPT_MATH_INT8 : 0,
		                   .dim = { c->dim[0], c->dim[1], c->dim[2] },
		                   .batch = c->batch };
	int (*const fits)(const struct clopt *, const struct variant *,
	                  const struct clopt_problem *, int, struct text *) =
	        row->moduli ? clopt__int8_fit : clopt__workspace_fits;
	struct text none = { 0 };
	struct asked a;

	ask(ctx, row, &p, &a);
	expect_counted(ctx, &a.w, c->bytes, c->batch > 1); /* then on the device */
	ctx->mem_limit_bytes = c->bytes + copied +
	                       c->batch * (a.p.elem_bytes * (c->dim[0] + c->dim[1]) * c->dim[2] +
	                                   clopt__elem_bytes(&a.p, 2) * c->dim[0] * c->dim[1]);
	ck_assert_int_eq(fits(ctx, row, &a.p, resident, &none), 1);
	ctx->mem_limit_bytes--;
	ck_assert_int_eq(fits(ctx, row, &a.p, resident, &none), 0);
	ck_assert_int_eq(fits(ctx, row, &a.p, 0, &none), 1);
	ctx->mem_limit_bytes = 0;
	if (c->batch > 1) {
		a.job.operand[0].row_dim = NO_DIM;
		ck_assert_uint_eq(a.w.workspace(&a.w, a.w.dim), c->shared);
	}
	a.p.dim[2] = row->moduli > 1 ? 32769 : ((size_t)1 << 30) + 1;
	ck_assert_int_eq(fits(ctx, row, &a.p, 0, &none), row->moduli == 1);
	a.p.dim[2] = c->dim[2];
	a.p.dim[0] = ((size_t)1 << 30) + 1;
	ck_assert_int_eq(fits(ctx, row, &a.p, 0, &none), row->moduli == 1);
	close_h200(ctx);
}
END_TEST

START_TEST(choice_of_products)
{
	const struct product *product = &products[_i];
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL };
	struct clopt *ctx = open_h200();

	memcpy(p.dim, product->dim, sizeof product->dim);
	p.type = product->type;
	p.math = product->math;
	p.transa = product->transa;
	p.transb = product->transb;
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	ck_assert_str_eq(first_tried(ctx, &p), product->row);
	if (p.type == CLOPT_TYPE_HALF) {
		p.type = CLOPT_TYPE_BFLOAT16;
		ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
		ck_assert_str_eq(first_tried(ctx, &p), product->row);
	}
	close_h200(ctx);
}
END_TEST

/* On buffers the caller's leading dimensions decide whether rows begin at multiples of 16 bytes;
 * C's do not matter.  Large inputs are copied. */
static const struct {
	size_t n, lda, ldb, ldc;
	const char *row;
} rows[] = {
	{ 3072, 64, 3072, 3072, "matmul/wgmma-half-128x128" },
	{ 3072, 72, 3080, 3073, "matmul/wgmma-half-128x128" },
	{ 3072, 68, 3072, 3072, "matmul/wgmma-half-128x128" },
	{ 3072, 64, 3074, 3072, "matmul/wgmma-half-128x128" },
	{ 511, 72, 3080, 3073, "matmul/wgmma-half-128x64" },
	{ 511, 68, 3072, 3072, "matmul/mma-half-128x128" },
};

START_TEST(choice_on_buffers)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 3072, rows[_i].n, 64 } };
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_buffer *buffer[3];
	struct clopt *ctx = open_h200();
	int i;

	p.elem_bytes = 2;
	g.type = CLOPT_TYPE_HALF;
	g.m = 3072;
	g.n = rows[_i].n;
	g.k = 64;
	g.lda = rows[_i].lda;
	g.ldb = rows[_i].ldb;
	g.ldc = rows[_i].ldc;
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt_buffer_new(ctx, (size_t)3080 * 3072 * 2, &buffer[i]));
	ck_assert_int_eq(clopt_gemm_buffers(ctx, &g, buffer[0], buffer[1], buffer[2], NULL),
	                 CLOPT_ENOVARIANT);
	ck_assert_str_eq(first_tried(ctx, &p), rows[_i].row);
	for (i = 0; i < 3; i++)
		clopt_buffer_free(buffer[i]);
	close_h200(ctx);
}
END_TEST

/* A record is for a class, of sizes near powers of two; limits for accuracy are for the exact
 * size. */
static const struct {
	int type;
	size_t k;
	int math;
	const char *recorded, *row;
} sums[] = {
	{ 2, 65536, 0, "matmul/wgmma-half-128x256", "matmul/wgmma-half-128x256" },
	{ 2, 65537, 0, "matmul/wgmma-half-128x256", "matmul/mma-half-128x128" },
	{ 4, 16384, TF32, "matmul/wgmma-tf32-256x128", "matmul/wgmma-tf32-256x128" },
	{ 4, 16385, TF32, "matmul/wgmma-tf32-256x128", "matmul/mma-tf32-128x128" },
	{ 4, 32, 0, "matmul/wgmma-f32-128x128", "matmul/wgmma-f32-128x128" },
	{ 4, 31, 0, "matmul/wgmma-f32-128x128", "matmul/async-128x256" },
	{ CLOPT_TYPE_COMPLEX_FLOAT, 16, 0, "matmul/wgmma-f32-c64-128x64",
	  "matmul/wgmma-f32-c64-128x64" },
	{ CLOPT_TYPE_COMPLEX_FLOAT, 15, 0, "matmul/wgmma-f32-c64-128x64", "matmul/reg-64x64x32" },
};

START_TEST(choice_on_record)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 4096, 4096, sums[_i].k } };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	char folder[FOLDER_SIZE], path[2 * FOLDER_SIZE], class[256], line[512];
	struct clopt *ctx = open_h200();

	p.type = sums[_i].type;
	p.math = sums[_i].math;
	CHECK_OK(ctx, clopt_problem_class(ctx, &p, class, sizeof class));
	close_h200(ctx);
	folder_make(folder);
	snprintf(path, sizeof path, "%s/tuning.txt", folder);
	snprintf(line, sizeof line, "NVIDIA H200; *; %s; %s; 1e13\n", class, sums[_i].recorded);
	file_write(path, line, strlen(line));
	o.tuning = path;
	wrap_pretend(&h200);
	wrap_builds(fail_all);
	ctx = test_open(&o);
	ctx->device.info.compute_units = 132;
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	ck_assert_str_eq(first_tried(ctx, &p), sums[_i].row);
	close_h200(ctx);
	folder_remove(folder);
}
END_TEST

SUITE(nvidia, long)
{
	tcase_add_loop_test(c, choice, 0, (int)(sizeof picks / sizeof *picks));
	tcase_add_loop_test(c, choice_by_groups, 0, (int)(sizeof by_groups / sizeof *by_groups));
	tcase_add_test(c, flipped_tiles);
	tcase_add_loop_test(c, workspace, 0, (int)(sizeof workspaces / sizeof *workspaces));
	tcase_add_loop_test(c, choice_of_products, 0, (int)(sizeof products / sizeof *products));
	tcase_add_loop_test(c, choice_on_buffers, 0, (int)(sizeof rows / sizeof *rows));
	tcase_add_loop_test(c, choice_on_record, 0, (int)(sizeof sums / sizeof *sums));
}
