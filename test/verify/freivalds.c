/* SPDX-License-Identifier: MIT */
/*
 * freivalds.c - the check of a call's product, however its arrays move, by several threads
 * or by the caller's alone; and whether it finds a wrong element wherever that is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"
#include "suites.h"
#include "base/context.h"
#include "base/numbers.h"
#include "table/table.h"
#include "verify/check.h"
#include "wrap.h"

/* Kernels are wrong beyond this many columns, and no problem of the library's own has so
 * many. */
#define LARGE 1200

/* Of enough elements for several threads, unless it says so. */
#define PRODUCT(m, n, ...) \
	{ \
		.size = sizeof(struct clopt_problem), .op = CLOPT_OP_MATMUL, .dim[0] = m, \
		.dim[1] = n, .dim[2] = __VA_ARGS__ \
	}
static const struct clopt_problem problems[] = {
	PRODUCT(83, LARGE + 21, 41),
	PRODUCT(83, LARGE + 21, 41, .elem_bytes = 8, .transa = CLOPT_TRANS_YES,
	        .transb = CLOPT_TRANS_YES),
	PRODUCT(40, LARGE + 21, 301, .elem_bytes = 2),
	PRODUCT(30, LARGE + 21, 20, .batch = 7),
	PRODUCT(LARGE + 21, LARGE + 21, 10, .triangle = CLOPT_UPLO_LOWER),
	PRODUCT(40, LARGE + 21, 301, .type = CLOPT_TYPE_INT8, .transb = CLOPT_TRANS_YES),
	PRODUCT(LARGE + 21, LARGE + 21, 10, .type = CLOPT_TYPE_INT8, .transa = CLOPT_TRANS_YES,
	        .triangle = CLOPT_UPLO_UPPER),
	PRODUCT(3, LARGE + 21, 5), /* too few */
};
#define PROBLEMS ((int)(sizeof problems / sizeof *problems))

/* How the arrays move, and who there is to check. */
static const struct way {
	int transfer;
	size_t chunk_bytes; /* 1001: chunks end within elements */
	int threads, is_cpu;
} ways[] = {
	{ CLOPT_TRANSFER_DRIVER, 0, 1, 0 },    { CLOPT_TRANSFER_DRIVER, 0, 0, 0 },
	{ CLOPT_TRANSFER_DRIVER, 0, 0, 1 },    { CLOPT_TRANSFER_STAGED, 3000, 1, 0 },
	{ CLOPT_TRANSFER_STAGED, 1001, 1, 1 },
};
#define WAYS ((int)(sizeof ways / sizeof *ways))

static struct clopt *open_way(const struct way *w)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	o.check = CLOPT_CHECK_ALWAYS;
	o.transfer = w->transfer;
	o.chunk_bytes = w->chunk_bytes;
	o.copy_threads = 2;
	o.queues = 3;
	ctx = test_open(&o);
	if (!w->is_cpu) /* and so that there is a row before the last */
		ctx->device.traits = (ctx->device.traits & ~(unsigned)T_CPU) | T_LOCAL;
	wrap_no_threads(!w->threads);
	return ctx;
}

static int ran_plain(struct clopt *ctx)
{
	return !strcmp(test_report(ctx).variant, "matmul/plain");
}

/* Right kernels stay, call after call; wrong ones go, and their results with them. */
START_TEST(each_way)
{
	const struct way *w = &ways[_i / PROBLEMS];
	const struct clopt_problem *p = &problems[_i % PROBLEMS];
	struct clopt *ctx;
	int alone;

	if (w->transfer == CLOPT_TRANSFER_STAGED && !test_can_stage("each_way"))
		return;
	ctx = open_way(w);
	test_right(ctx, p, (uint64_t)_i);
	test_right(ctx, p, (uint64_t)_i);
	alone = ran_plain(ctx);
	ck_assert(!alone || !test_without(ctx, "llvmpipe-lanes", "each_way"));
	wrap_no_threads(0);
	test_close(ctx);
	if (alone)
		return;
	wrap_lose("matmul/plain.cl", 1, WRAP_IN_CALLS);
	ctx = open_way(w);
	test_right(ctx, p, (uint64_t)_i);
	ck_assert(ran_plain(ctx));
	wrap_lose(NULL, 0, 0);
	wrap_no_threads(0);
	test_close(ctx);
}
END_TEST

/* A B + C of ones, on arrays that are gone right after the call, of which the n-th call of
 * OpenCL or allocation fails.  Whether one did. */
static int add_ones(struct clopt *ctx, long fail)
{
	const size_t m = 120, n = 1000, k = 30;
	float *x = malloc((m * k + k * n + m * n) * sizeof *x), *z = x + m * k + k * n;
	int rc, failed;
	size_t i;

	for (i = 0; i < m * k + k * n + m * n; i++)
		x[i] = 1;
	wrap_fail(fail, -5); /* CL_OUT_OF_RESOURCES */
	rc = clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m, n, k, 1, x,
	                 k, x + m * k, n, 1, z, n);
	failed = wrap_failed();
	wrap_fail(0, 0);
	for (i = 0; rc == CLOPT_OK && i < m * n; i++)
		ck_assert(z[i] == (float)k + 1);
	ck_assert(failed || rc == CLOPT_OK);
	ck_assert(rc == CLOPT_OK || strlen(clopt_error(ctx)) > 10);
	free(x);
	return failed;
}

/* A call that fails reads none of its arrays afterwards. */
START_TEST(failures)
{
	static const struct way failing[] = { { CLOPT_TRANSFER_DRIVER, 0, 1, 0 },
		                              { CLOPT_TRANSFER_STAGED, 100000, 1, 0 } };
	/* Under a sanitizer that takes ten times as long, some of them; and by default. */
	const long step = getenv("CLOPT_TEST_SMALL") || !test_all() ? 9 : 1;
	struct clopt *ctx;
	long n;

	if (failing[_i].transfer == CLOPT_TRANSFER_STAGED && !test_can_stage("failures"))
		return;
	ctx = open_way(&failing[_i]);
	add_ones(ctx, 0);
	for (n = 1; add_ones(ctx, n); n += step)
		add_ones(ctx, 0);
	ck_assert_int_gt(n, 10);
	printf("every %ld. of %ld calls failed\n", step, n - 1);
	test_close(ctx);
}
END_TEST

/* ---- One wrong element --------------------------------------------------------------- */

enum {
	MOST = 300
};

/* Products in whole numbers of all elements' sizes and orders, of sizes round those of pieces. */
static const struct exact {
	size_t dim[3];
	int transa, transb, triangle;
	double beta;
} exact[] = {
	{ .dim = { 1, 1, 1 }, .transa = CLOPT_TRANS_NO, .transb = CLOPT_TRANS_NO },
	{ .dim = { 131, 259, 3 }, .transa = CLOPT_TRANS_NO, .transb = CLOPT_TRANS_NO },
	{ .dim = { 5, 17, 261 }, .transa = CLOPT_TRANS_YES, .transb = CLOPT_TRANS_YES },
	{ .dim = { 130, 256, 129 }, .transa = CLOPT_TRANS_YES, .transb = CLOPT_TRANS_NO },
	{ .dim = { 3, 131, 0 }, .transa = CLOPT_TRANS_NO, .transb = CLOPT_TRANS_YES, .beta = 2 },
	{ .dim = { 9, 7, 257 }, .transa = CLOPT_TRANS_NO, .transb = CLOPT_TRANS_YES, .beta = -1 },
	{ .dim = { 37, 37, 258 },
	  .transa = CLOPT_TRANS_NO,
	  .transb = CLOPT_TRANS_NO,
	  .triangle = CLOPT_UPLO_LOWER,
	  .beta = 1 },
	{ .dim = { 33, 33, 20 },
	  .transa = CLOPT_TRANS_YES,
	  .transb = CLOPT_TRANS_YES,
	  .triangle = CLOPT_UPLO_UPPER },
};

/* A number that each type holds. */
static void put(char *at, size_t bytes, double x)
{
	const float f = (float)x;
	uint32_t bits;
	uint16_t half;

	memcpy(&bits, &f, sizeof bits);
	half = (uint16_t)((bits >> 16 & 0x8000) | (x == 0 ? 0 : (bits >> 13 & 0x3ffff) - 0x1c000));
	memcpy(at, bytes == 8 ? (const void *)&x : bytes == 4 ? (const void *)&f : &half, bytes);
}

static double at(const struct operand *o, int transposed, size_t i, size_t j)
{
	const size_t e = transposed ? j * o->ld + i : i * o->ld + j;

	return clopt__element((const char *)o->host + e * o->elem_bytes, o->elem_bytes);
}

static int in_triangle(int triangle, size_t i, size_t j)
{
	return !triangle || (triangle == CLOPT_UPLO_LOWER ? j <= i : j >= i);
}

/* A and B of small whole numbers, and C = A B + beta C, which was `old`, rows packed. */
static void fill_exact(const struct exact *s, const struct job *job, char *old)
{
	const struct operand *o = job->operand;
	const size_t bytes = o[2].elem_bytes;
	size_t i, j, e;

	for (i = 0; i < o[0].rows * o[0].ld; i++)
		put((char *)o[0].host + i * bytes, bytes, i * 7 % 11 == 0 ? (i % 2 ? 1 : -1) : 0);
	for (i = 0; i < o[1].rows * o[1].ld; i++)
		put((char *)o[1].host + i * bytes, bytes, (double)(i * 5 % 7) - 3);
	for (i = 0; i < s->dim[0]; i++)
		for (j = 0; j < s->dim[1]; j++) {
			double sum = (double)((i + j) % 5);

			put(old + (i * s->dim[1] + j) * bytes, bytes, sum);
			sum *= in_triangle(s->triangle, i, j) ? s->beta : 1;
			for (e = 0; in_triangle(s->triangle, i, j) && e < s->dim[2]; e++)
				sum += at(&o[0], s->transa == CLOPT_TRANS_YES, i, e) *
				       at(&o[1], s->transb == CLOPT_TRANS_YES, e, j);
			put((char *)o[2].host + (i * o[2].ld + j) * bytes, bytes, sum);
		}
}

static void describe(const struct exact *s, size_t bytes, char *memory, struct job *job)
{
	const size_t *d = s->dim;
	size_t i;

	memset(job, 0, sizeof *job);
	job->problem = (struct clopt_problem){ .size = sizeof job->problem,
		                               .op = CLOPT_OP_MATMUL,
		                               .dim = { d[0], d[1], d[2] },
		                               .elem_bytes = bytes,
		                               .type = (int)bytes, /* half, float, double */
		                               .batch = 1,
		                               .transa = s->transa,
		                               .transb = s->transb,
		                               .triangle = s->triangle };
	job->real[0] = 1;
	job->real[1] = s->beta;
	for (i = 0; i < 3; i++) {
		struct operand *o = &job->operand[i];
		const int transposed = i == 0 ? s->transa == CLOPT_TRANS_YES :
		                                i == 1 && s->transb == CLOPT_TRANS_YES;
		const size_t rows = d[i == 1 ? 2 : 0], columns = d[i == 0 ? 2 : 1];

		o->host = memory + (i * MOST * MOST + 1) * bytes;
		o->rows = transposed ? columns : rows;
		o->columns = transposed ? rows : columns;
		o->ld = o->columns + i;
		o->elem_bytes = bytes;
	}
}

/* Each quarter of C is wrong if it has element i, j, and right else. */
static void expect_in_its_quarter(const struct guard *g, const struct variant *v, size_t i,
                                  size_t j)
{
	const size_t *d = g->job->problem.dim;
	char why[WHY_SIZE];
	size_t q;

	for (q = 0; q < 4; q++) {
		const size_t up = d[0] / 2, left = d[1] / 2;
		const struct block part = { .first = { q / 2 * up, q % 2 * left },
			                    .count = { q / 2 ? d[0] - up : up,
			                               q % 2 ? d[1] - left : left } };
		const int has =
		        i - part.first[0] < part.count[0] && j - part.first[1] < part.count[1];

		if (part.count[0] && part.count[1])
			ck_assert_msg((clopt__freivalds(g, &part, v, why) == CLOPT_EWRONG) == has,
			              "quarter %zu, element %zu, %zu: %s", q, i, j,
			              has ? "passes" : why);
	}
}

/* What is right passes; an element that is wrong, and one outside the triangle that is
 * changed, are found in the row where they are. */
START_TEST(one_element)
{
	const size_t bytes = (size_t)2 << _i;
	char *memory = calloc(3 * MOST * MOST + 1, bytes), *old = calloc(MOST * MOST, bytes);
	double *room = malloc((size_t)16 * MOST * sizeof *room);
	const struct variant *v = clopt__variant(test_row("matmul/plain"));
	struct job job;
	struct guard g = { .job = &job, .copy = old, .room = room };
	char why[WHY_SIZE] = "", row[32];
	struct block all;
	size_t n, i, j, e;

	ck_assert(memory && old && room);
	for (n = 0; n < sizeof exact / sizeof *exact; n++) {
		const size_t *d = exact[n].dim;

		g.seed = n;
		describe(&exact[n], bytes, memory, &job);
		fill_exact(&exact[n], &job, old);
		all = (struct block){ .count = { d[0], d[1], d[2] } };
		ck_assert_uint_le(clopt__freivalds_bytes(&job.problem), 16 * MOST * sizeof *room);
		ck_assert_msg(clopt__freivalds(&g, &all, v, why) == CLOPT_OK, "%zu: %s", n, why);
		for (e = 0; e < 9; e++) {
			char *c = job.operand[2].host;
			double was;

			i = e % 3 * (d[0] - 1) / 2;
			j = e / 3 * (d[1] - 1) / 2;
			c += (i * job.operand[2].ld + j) * bytes;
			was = clopt__element(c, bytes);
			put(c, bytes, was + 64);
			ck_assert_msg(clopt__freivalds(&g, &all, v, why) == CLOPT_EWRONG,
			              "%zu: element %zu, %zu", n, i, j);
			snprintf(row, sizeof row, "row %zu of c", i);
			ck_assert_ptr_nonnull(strstr(why, row));
			expect_in_its_quarter(&g, v, i, j);
			put(c, bytes, was);
		}
	}
	free(memory);
	free(old);
	free(room);
}
END_TEST

/* clopt_gemm_check finds wrong elements wherever they are, also outside the triangle, and puts them
 * right. */
START_TEST(other_library)
{
	const size_t bytes = (size_t)4 << _i;
	char *memory = calloc(3 * MOST * MOST + 1, bytes), *old = calloc(MOST * MOST, bytes);
	char *right = malloc(MOST * MOST * bytes), place[64];
	struct job job;
	size_t n, i, j, e;

	ck_assert(memory && old && right);
	for (n = 0; n < sizeof exact / sizeof *exact; n++) {
		const struct exact *s = &exact[n];
		const struct operand *o = job.operand;
		struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
		char *c = memory + (2 * MOST * MOST + 1) * bytes;

		describe(s, bytes, memory, &job);
		fill_exact(s, &job, old);
		memcpy(right, c, s->dim[0] * o[2].ld * bytes);
		g.type = (int)bytes, g.transa = s->transa, g.transb = s->transb;
		g.m = s->dim[0], g.n = s->dim[1], g.k = s->dim[2], g.beta = s->beta;
		g.lda = o[0].ld, g.ldb = o[1].ld, g.ldc = o[2].ld, g.triangle = s->triangle;
		for (e = 0; e < 9; e++) {
			char *at = c;

			i = e % 3 * (g.m - 1) / 2;
			j = e / 3 * (g.n - 1) / 2;
			at += (i * g.ldc + j) * bytes;
			CHECK_OK(NULL, clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 0));
			put(at, bytes, e == 4 ? NAN : clopt__element(at, (int)bytes) + 64);
			ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 0),
			                 CLOPT_EWRONG);
			snprintf(place, sizeof place, "row %zu, column %zu of c is", i, j);
			ck_assert_msg(strstr(clopt_error(NULL), place), "%s: %s", place,
			              clopt_error(NULL));
			ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 1),
			                 CLOPT_EWRONG);
			ck_assert_mem_eq(c, right, g.m * g.ldc * bytes);
		}
		for (i = 0; i < g.m; i++)
			memset(c + i * g.ldc * bytes, 0x55, g.n * bytes);
		ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 1),
		                 CLOPT_EWRONG);
		ck_assert_mem_eq(c, right, g.m * g.ldc * bytes);
		wrap_fail(1, -5);
		ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 0),
		                 CLOPT_ENOMEM);
		wrap_fail(0, 0);
		g.alpha = NAN; /* then nothing is judged */
		CHECK_OK(NULL, clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 0));
		g.beta = 1;
		ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 2),
		                 CLOPT_EINVAL);
		g.alpha = 1;
		ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, NULL, c, 0),
		                 CLOPT_EINVAL);
		g.batch = 2;
		ck_assert_int_eq(clopt_gemm_check(&g, o[0].host, o[1].host, old, c, 0),
		                 CLOPT_EINVAL);
	}
	free(memory);
	free(old);
	free(right);
}
END_TEST

/* Lengths whose squares no double holds, of numbers that are right and wrong. */
START_TEST(far_numbers)
{
	static const double sizes[][2] = { { 1e200, 1e-180 },
		                           { 1e-180, 1e-100 },
		                           { 1e-170, 1e300 } };
	enum {
		N = 20
	};
	double a[N], b[N], c[N * N], room[4 * N];
	const struct exact s = { .dim = { N, N, 1 },
		                 .transa = CLOPT_TRANS_NO,
		                 .transb = CLOPT_TRANS_NO,
		                 .triangle = _i % 2 ? CLOPT_UPLO_LOWER : 0 };
	const double *size = sizes[_i / 2];
	const struct variant *v = clopt__variant(test_row("matmul/plain"));
	char why[WHY_SIZE] = "";
	double before[N * N];
	struct job job;
	const struct guard g = { .job = &job, .copy = (char *)before, .room = room, .seed = 3 };
	const struct block all = { .count = { N, N, 1 } };
	size_t i;

	for (i = 0; i < N; i++) {
		a[i] = (double)(i % 3 + 1) / 3 * size[0];
		b[i] = (double)(i % 5 + 1) / 7 * size[1];
	}
	for (i = 0; i < N * N; i++) {
		before[i] = 7;
		c[i] = in_triangle(s.triangle, i / N, i % N) ? a[i / N] * b[i % N] : 7;
	}
	describe(&s, 8, NULL, &job);
	job.operand[0].host = a;
	job.operand[1].host = b;
	job.operand[2].host = c;
	job.operand[0].ld = 1;
	job.operand[1].ld = job.operand[2].ld = N;
	ck_assert_msg(clopt__freivalds(&g, &all, v, why) == CLOPT_OK, "%s", why);
	c[3 * N + 2] *= 1 + 1e-9;
	ck_assert_int_eq(clopt__freivalds(&g, &all, v, why), CLOPT_EWRONG);
	ck_assert_ptr_nonnull(strstr(why, "row 3 of c"));
}
END_TEST

/* Rows whose lengths leave half's range, of elements that do not: what is not finite there
 * is wrong, and so is what is finite and wrong. */
START_TEST(large_halves)
{
	static const uint16_t left[] = { 0x7e00, 0x7c00, 0x3c00 }; /* NaN, infinity, 1 */
	enum {
		ROWS = 30,
		COLUMNS = LARGE + 21,
		TERMS = 40
	};
	uint16_t *x = malloc(ROWS * TERMS * 2), *y = malloc(TERMS * COLUMNS * 2),
	         *z = malloc(ROWS * COLUMNS * 2);
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt *ctx = open_way(&ways[0]);
	size_t i;

	ck_assert(x && y && z);
	for (i = 0; i < ROWS * TERMS; i++)
		x[i] = 0x4800; /* 8 */
	for (i = 0; i < TERMS * COLUMNS; i++)
		y[i] = 0x4800;
	for (i = 0; i < ROWS * COLUMNS; i++)
		z[i] = left[_i];
	g.type = CLOPT_TYPE_HALF;
	g.m = ROWS;
	g.n = g.ldb = g.ldc = COLUMNS;
	g.k = g.lda = TERMS;
	wrap_lose("matmul/plain.cl", 1, WRAP_IN_CALLS);
	CHECK_OK(ctx, clopt_gemm(ctx, &g, x, y, z));
	wrap_lose(NULL, 0, 0);
	ck_assert(ran_plain(ctx));
	for (i = 0; i < ROWS * COLUMNS; i++)
		ck_assert_uint_eq(z[i], 0x6900); /* 2560 */
	/* Infinities that are right stay. */
	for (i = 0; i < TERMS; i++)
		x[3 * TERMS + i] = 0x6800; /* 2048 */
	CHECK_OK(ctx, clopt_gemm(ctx, &g, x, y, z));
	ck_assert(z[3 * COLUMNS] == 0x7c00 && z[2 * COLUMNS] == 0x6900);
	wrap_no_threads(0);
	test_close(ctx);
	free(x);
	free(y);
	free(z);
}
END_TEST

/* Any errors of a row of integers are found and set right with a probability of at least 1/2 by
 * each check, so those of 9 rows are left after 60 checks with one of at most 9 / 2^60, 1e-17. */
static void set_right(const struct clopt_gemm_desc *g, const int8_t *a, const int8_t *b,
                      const uint32_t *old, uint32_t *c, const uint32_t *right)
{
	size_t i;

	ck_assert_mem_ne(c, right, g->m * g->n * sizeof *c);
	for (i = 0; i < 60; i++)
		clopt_gemm_check(g, a, b, old, c, 1);
	ck_assert_mem_eq(c, right, g->m * g->n * sizeof *c);
	CHECK_OK(NULL, clopt_gemm_check(g, a, b, old, c, 0));
}

/* Integers that wrap around: each wrong element is found and set right, however small or large the
 * error; so are even numbers of sign bits in rows, in repeated checks. */
START_TEST(integers)
{
	enum {
		N = 9,
		K = 300
	};
	static const uint32_t errors[] = { 1, 0x80000000, 0xffffffff };
	static int8_t a[N * K], b[K * N];
	uint32_t old[N * N], c[N * N], right[N * N];
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	size_t i, e;

	for (i = 0; i < N * K; i++) {
		a[i] = (int8_t)(i * 37 % 256);
		b[i] = (int8_t)(i * 91 % 256);
	}
	for (i = 0; i < N * N; i++) {
		uint32_t sum = 0;

		old[i] = (uint32_t)i * 0x9e3779b9;
		for (e = 0; e < K; e++)
			sum += (uint32_t)a[i / N * K + e] * (uint32_t)b[e * N + i % N];
		right[i] = in_triangle(_i ? CLOPT_UPLO_UPPER : 0, i / N, i % N) ?
		                   1999999999 * sum - 77777 * old[i] :
		                   old[i];
	}
	g.type = CLOPT_TYPE_INT8;
	g.m = g.n = N;
	g.k = K;
	g.alpha = 1999999999;
	g.beta = -77777;
	g.triangle = _i ? CLOPT_UPLO_UPPER : 0;
	memcpy(c, right, sizeof c);
	CHECK_OK(NULL, clopt_gemm_check(&g, a, b, old, c, 0));
	for (i = 0; i < N * N; i++) {
		c[i] += errors[i % 3];
		ck_assert_int_eq(clopt_gemm_check(&g, a, b, old, c, 1), CLOPT_EWRONG);
		ck_assert_mem_eq(c, right, sizeof c);
	}
	c[2 * N + 4] ^= 0x80000000;
	c[2 * N + 7] ^= 0x80000000;
	set_right(&g, a, b, old, c, right);
	for (i = 0; i < N; i++) {
		const size_t begin = _i ? i : 0;

		for (e = begin + (N - begin) % 2; e < N; e++)
			c[i * N + e] ^= 0x80000000;
	}
	set_right(&g, a, b, old, c, right);
}
END_TEST

SUITE(freivalds, long)
{
	int i;

	/* All, a third under a sanitizer, and an eighth otherwise. */
	for (i = 0; i < WAYS * PROBLEMS; i += !test_all() ? 8 : getenv("CLOPT_TEST_SMALL") ? 3 : 1)
		tcase_add_loop_test(c, each_way, i, i + 1);
	tcase_add_loop_test(c, failures, 0, 2);
	tcase_add_loop_test(c, large_halves, 0, 3);
	tcase_add_loop_test(c, one_element, 0, 3);
	tcase_add_loop_test(c, other_library, 0, 2);
	tcase_add_loop_test(c, far_numbers, 0, 6);
	tcase_add_loop_test(c, integers, 0, 2);
}
