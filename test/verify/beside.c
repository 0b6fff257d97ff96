/* SPDX-License-Identifier: MIT */
/*
 * beside.c - the check of a call's product beside the device: by the crew while the
 * device works, by the threads that stage as C comes down, and by the caller alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "suites.h"
#include "base/context.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "call/call.h"
#include "choose/choose.h"
#include "kernel/kernel.h"
#include "move/move.h"
#include "table/table.h"
#include "verify/check.h"
#include "verify/product.h"
#include "wrap.h"

/* Kernels are wrong beyond this many columns, and no problem of the library's own has so
 * many. */
#define LARGE 1200

/* Of enough elements for the crew, unless it says so. */
static const struct shape shapes[] = {
	{ .dim = { 83, LARGE + 21, 41 }, .elem_bytes = 4, .alpha = 1.5, .scale = 1 },
	{ .dim = { 83, LARGE + 21, 41 },
	  .elem_bytes = 8,
	  .transa = CLOPT_TRANS,
	  .transb = CLOPT_TRANS,
	  .alpha = 1,
	  .beta = -0.5,
	  .pad = { 1, 2, 3 },
	  .scale = 1 },
	{ .dim = { 40, LARGE + 21, 301 }, .elem_bytes = 2, .alpha = 1, .scale = 1 },
	{ .dim = { 30, LARGE + 21, 20 },
	  .elem_bytes = 4,
	  .alpha = 1,
	  .beta = 2,
	  .scale = 1,
	  .batch = 7 },
	{ .dim = { LARGE + 21, LARGE + 21, 10 },
	  .elem_bytes = 4,
	  .alpha = 1,
	  .beta = 1,
	  .scale = 1,
	  .triangle = CLOPT_LOWER },
	{ .dim = { 3, LARGE + 21, 5 }, .elem_bytes = 4, .alpha = 1, .scale = 1 }, /* too few */
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

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

static void expect_right(struct clopt *ctx, const struct shape *s)
{
	struct shape shape = *s;
	struct case_result result;
	char what[512];

	shape.transa = shape.transa ? shape.transa : CLOPT_NO_TRANS;
	shape.transb = shape.transb ? shape.transb : CLOPT_NO_TRANS;
	ck_assert_int_eq(case_run(ctx, CLOPT_MATMUL, &shape, 1, &result), CLOPT_OK);
	case_explain(&result, what, sizeof what);
	ck_assert_msg(case_passed(&result), "%s; %s", what, clopt_error(ctx));
}

static int ran_plain(struct clopt *ctx)
{
	struct clopt_report report = { .size = sizeof report };

	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	return !strcmp(report.variant, "matmul/plain");
}

/* Right kernels stay, call after call; wrong ones go, and their results with them. */
START_TEST(each_way)
{
	const struct way *w = &ways[_i / SHAPES];
	const struct shape *s = &shapes[_i % SHAPES];
	struct clopt *ctx = open_way(w);

	expect_right(ctx, s);
	expect_right(ctx, s);
	ck_assert(!ran_plain(ctx));
	wrap_no_threads(0);
	test_close(ctx);
	wrap_lose("matmul/plain.cl", 1, LARGE);
	ctx = open_way(w);
	expect_right(ctx, s);
	ck_assert(ran_plain(ctx));
	wrap_lose(NULL, 0, 0);
	wrap_no_threads(0);
	test_close(ctx);
}
END_TEST

/* A context without threads has no crew, and one whose products are small needs none. */
START_TEST(crew)
{
	struct clopt *ctx = open_way(&ways[1]);

	expect_right(ctx, &shapes[0]);
	ck_assert(!ctx->crew || clopt__crew_size(ctx) == 0);
	test_close(ctx);
	ctx = open_way(&ways[0]);
	expect_right(ctx, &shapes[5]);
	ck_assert_ptr_null(ctx->crew);
	expect_right(ctx, &shapes[0]);
	ck_assert_uint_ge(clopt__crew_size(ctx), 1);
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
	rc = clopt_sgemm(ctx, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k, 1, x, k,
	                 x + m * k, n, 1, z, n);
	failed = wrap_failed();
	wrap_fail(0, 0);
	for (i = 0; rc == CLOPT_OK && i < m * n; i++)
		ck_assert(z[i] == (float)k + 1);
	ck_assert(failed || rc == CLOPT_OK);
	ck_assert(rc == CLOPT_OK || strlen(clopt_error(ctx)) > 10);
	free(x);
	return failed;
}

/* A call that fails has stopped those who were reading its arrays. */
START_TEST(failures)
{
	static const struct way failing[] = { { CLOPT_TRANSFER_DRIVER, 0, 1, 0 },
		                              { CLOPT_TRANSFER_STAGED, 100000, 1, 0 } };
	/* Under a sanitizer that takes ten times as long, some of them; and by default. */
	const long step = getenv("CLOPT_TEST_SMALL") || !test_all() ? 9 : 1;
	struct clopt *ctx = open_way(&failing[_i]);
	long n;

	add_ones(ctx, 0);
	for (n = 1; add_ones(ctx, n); n += step)
		add_ones(ctx, 0);
	ck_assert_int_gt(n, 10);
	printf("every %ld. of %ld calls failed\n", step, n - 1);
	test_close(ctx);
}
END_TEST

/* ---- What lands ------------------------------------------------------------------ */

enum {
	M = 37,
	N = 53,
	K = 11,
	LD = N + 2
};

static float a[M * K], b[K * N], product[M * LD];

/* C = A B in whole numbers. */
static void fill(struct clopt *ctx, struct job *job)
{
	struct job described = { .problem = { .size = sizeof described.problem,
		                              .op = CLOPT_MATMUL,
		                              .dim = { M, N, K } },
		                 .real = { 1, 0 },
		                 .operand = { { .host = a, .ld = K, .use = OPERAND_IN },
		                              { .host = b, .ld = N, .use = OPERAND_IN },
		                              { .host = product, .ld = LD, .use = OPERAND_OUT } } };
	size_t i, j, e;

	for (i = 0; i < M * K; i++)
		a[i] = (float)(i % 7);
	for (i = 0; i < K * N; i++)
		b[i] = (float)(i % 5) - 2;
	memset(product, 0, sizeof product);
	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++)
			for (e = 0; e < K; e++)
				product[i * LD + j] += a[i * K + e] * b[e * N + j];
	CHECK_OK(ctx, clopt__complete(ctx, &described, job));
}

/* Parts of C: `rows` rows of `columns` columns at a time, but for those from `end` on. */
static void land(struct foretold *f, size_t rows, size_t columns, size_t end)
{
	struct transfer t = { .down = 1, .host_pitch_bytes = LD * sizeof *product };
	size_t i, j;

	for (i = 0; i < end; i += rows)
		for (j = 0; j < N; j += columns) {
			t.host = (char *)&product[i * LD + j];
			t.rows = end - i < rows ? end - i : rows;
			t.row_bytes = (N - j < columns ? N - j : columns) * sizeof *product;
			clopt__foretold_landed(f, &t);
		}
}

/* What has landed was looked at then, and not once more; if a part has not, all of C is
 * looked at in the end. */
START_TEST(landing)
{
	static const struct {
		size_t rows, columns, end;
		int before, after; /* C is wrong before it lands, after it */
		int rc;
	} landings[] = {
		{ 5, N, M, 0, 0, CLOPT_OK },         { 5, N, M, 1, 0, CLOPT_EWRONG },
		{ 5, N, M, 0, 1, CLOPT_OK },         { 4, 10, M, 0, 1, CLOPT_OK },
		{ 4, 10, M, 1, 0, CLOPT_EWRONG },    { 1, N, M - 1, 0, 0, CLOPT_OK },
		{ 1, N, M - 1, 0, 1, CLOPT_EWRONG },
	};
	struct clopt *ctx = open_way(&ways[0]);
	const struct variant *v = clopt__variants;
	struct foretold *f;
	struct job job;
	char why[WHY_SIZE] = "";
	size_t i;
	int again;

	while (strcmp(v->name, "matmul/plain"))
		v++;
	for (i = 0; i < sizeof landings / sizeof *landings; i++) {
		fill(ctx, &job);
		CHECK_OK(ctx, clopt__foretell(ctx, &job, NULL, 5, &f));
		/* A second time, as after a row that was wrong. */
		for (again = 0; again < 2; again++) {
			fill(ctx, &job);
			product[3 * LD + 7] += (float)landings[i].before;
			land(f, landings[i].rows, landings[i].columns, landings[i].end);
			product[3 * LD + 7] += (float)landings[i].after;
			ck_assert_msg(clopt__foretold_judge(f, v, why) == landings[i].rc,
			              "landing %zu: %s", i, why);
		}
		clopt__foretold_free(f);
	}
	ck_assert_ptr_nonnull(strstr(why, "row 3 of c"));
	test_close(ctx);
}
END_TEST

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void count_bytes(void *watcher, const struct transfer *slice)
{
	pthread_mutex_lock(&counting);
	*(size_t *)watcher += slice->rows * slice->row_bytes;
	pthread_mutex_unlock(&counting);
}

/* Of what threads bring down all is told, once, also where it goes up and down in bands. */
START_TEST(told)
{
	struct clopt *ctx = open_way(&ways[_i ? 3 : 0]);
	const struct variant *v;
	size_t bytes = 0;
	struct work w;
	struct job job;
	cl_kernel kernel;

	fill(ctx, &job);
	ctx->mem_limit_bytes = 8000;
	CHECK_OK(ctx, clopt__choose(ctx, &job.problem, 0, &v, &kernel));
	clopt__work(&job, v, &w);
	w.kernel = kernel;
	w.landed = count_bytes;
	w.watcher = &bytes;
	CHECK_OK(ctx, clopt__run(ctx, &w));
	ck_assert_uint_gt(ctx->report.bands, 1);
	ck_assert_uint_eq(bytes, _i ? M * N * sizeof *product : 0);
	test_close(ctx);
}
END_TEST

/* ---- Lines ----------------------------------------------------------------------- */

/* Sums and lengths of matrices of all lengths round those of vectors and blocks, lines at
 * odd addresses. */
START_TEST(lines)
{
	static const size_t lengths[] = { 1, 3, 4, 15, 16, 17, 66, 1023, 1024, 1030, 1100 };
	const size_t bytes = (size_t)2 << _i, count = 71, most = 1100;
	char *memory = malloc(count * (most + 3) * bytes);
	double *x = malloc(2 * most * sizeof *x), *sum = x + most;
	double *length = malloc(most * sizeof *length), want[2], e, v;
	size_t n, i, j;
	int way;

	for (i = 0; i < count * (most + 3); i++) {
		const uint16_t half = (uint16_t)(i * 40503u & 0xbfff); /* up to 2 */
		const float f = (float)sin((double)i);
		const double d = sin((double)i);

		memcpy(memory + i * bytes,
		       bytes == 2 ? (const void *)&half :
		       bytes == 4 ? (const void *)&f :
		                    (const void *)&d,
		       bytes);
	}
	for (i = 0; i < most; i++)
		if (bytes == 8)
			x[i] = i % 3 == 0 ? -1 : 1;
		else
			((float *)x)[i] = i % 3 == 0 ? -1 : 1;
	for (n = 0; n < sizeof lengths / sizeof *lengths; n++)
		for (way = 0; way < 2; way++) {
			const struct lines m = { memory + bytes, count, lengths[n],
				                 (lengths[n] + 3) * bytes, bytes };
			const size_t results = way ? m.length : m.count;
			const size_t terms = way ? m.count : m.length;

			(way ? clopt__across : clopt__along)(&m, 1, results - 1, x, sum, length);
			for (i = 1; i < results; i++) {
				want[0] = want[1] = 0;
				for (j = 0; j < terms; j++) {
					e = clopt__element(m.at + (way ? j : i) * m.pitch_bytes +
					                           (way ? i : j) * bytes,
					                   bytes);
					v = j % 3 == 0 ? -1 : 1;
					want[0] += e * v;
					want[1] += e * e;
				}
				ck_assert_double_eq_tol(sum[i], want[0],
				                        HOST_UNITS * ROUND_FLOAT *
				                                sqrt(want[1] * (double)terms));
				ck_assert_double_eq_tol(length[i], sqrt(want[1]),
				                        1e-5 * sqrt(want[1]));
			}
			if (!way) {
				memcpy(length, sum, results * sizeof *sum);
				clopt__along(&m, 1, results - 1, x, sum, NULL);
				ck_assert_int_eq(
				        memcmp(length + 1, sum + 1, (results - 1) * sizeof *sum),
				        0);
			}
		}
	free(memory);
	free(x);
	free(length);
}
END_TEST

SUITE(verify_beside, long)
{
	int i;

	/* All, a third under a sanitizer, and an eighth otherwise. */
	for (i = 0; i < WAYS * SHAPES; i += !test_all() ? 8 : getenv("CLOPT_TEST_SMALL") ? 3 : 1)
		tcase_add_loop_test(c, each_way, i, i + 1);
	tcase_add_test(c, crew);
	tcase_add_loop_test(c, failures, 0, 2);
	tcase_add_test(c, landing);
	tcase_add_loop_test(c, told, 0, 2);
	tcase_add_loop_test(c, lines, 0, 3);
}
