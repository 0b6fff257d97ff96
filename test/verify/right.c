/* SPDX-License-Identifier: MIT */
/*
 * right.c - clopt_options.check: right kernels are never struck out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "table/table.h"
#include "verify/check.h"
#include "suites.h"
#include "right.h"
#include "wrap.h"

struct clopt *open_check(int check, const char *variants)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.check = check;
	o.variants = variants;
	return test_open(&o);
}

static int is_mine(int i)
{
	const char *row = getenv("CLOPT_TEST_ROW");

	return !row || strstr(clopt_variant_name((size_t)i), row);
}

/* Makes a problem for the row: of its elements, law and precision. */
static void problem_of(int i, struct clopt_problem *p)
{
	const struct variant *v = clopt__variant((size_t)i);
	const unsigned sizes = v->types ? v->types : 4;

	memset(p, 0, sizeof *p);
	p->size = sizeof *p;
	p->op = (int)v->op;
	p->dim[0] = p->dim[1] = p->dim[2] = 100;
	p->math = v->math;
	if (p->op == CLOPT_OP_MATMUL || p->op == CLOPT_OP_TRANSPOSE)
		p->elem_bytes = sizes & 4 ? 4 : sizes & 8 ? 8 : sizes & 2 ? 2 : 1;
	p->type = v->op == CLOPT_OP_MATMUL && sizes == TYPE_INT8 ? CLOPT_TYPE_INT8 : 0;
	while (v->precisions && !(v->precisions >> p->precision & 1))
		p->precision++;
	while (v->laws && !(v->laws >> p->law & 1))
		p->law++;
	p->normals = p->law >= CLOPT_LAW_ALPB_SALT && p->law <= CLOPT_LAW_ALPB_INSIDE_SALT;
}

static void expect_pass(struct clopt *ctx, int i, const struct clopt_problem *p)
{
	char text[16384];

	if (clopt_variant_runs(ctx, (size_t)i, p, NULL, 0))
		ck_assert_msg(clopt_explain(ctx, p, text, sizeof text) == CLOPT_OK, "%s: %s",
		              clopt_variant_name((size_t)i), clopt_error(ctx));
}

/* Each row that runs here passes, of those that differ by numbers alone every other; sums over
 * pairs in each precision, and with the field along normals, too.  None would pass with a wrong
 * number in its result. */
START_TEST(rows)
{
	struct clopt_problem p;
	struct clopt *ctx;
	int judged;

	if (!is_mine(_i))
		return;
	setenv("CLOPT_CACHE_DIR", "0", 1); /* no verdicts of earlier runs */
	ctx = open_check(CLOPT_CHECK_FIRST, clopt_variant_name((size_t)_i));
	if (_i % 2 && test_alike_before(ctx, _i)) {
		test_close(ctx);
		return;
	}
	wrap_spoil_trials(1);
	wrap_unoptimized(2);
	problem_of(_i, &p);
	judged = p.op <= CLOPT_OP_TREE_CELLS && !clopt__variant((size_t)_i)->host &&
	         clopt_variant_runs(ctx, (size_t)_i, &p, NULL, 0);
	expect_pass(ctx, _i, &p);
	if (p.op == CLOPT_OP_POTENTIAL) {
		p.normals = 1;
		p.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
		expect_pass(ctx, _i, &p);
	}
	if (p.op == CLOPT_OP_NBODY) {
		p.outputs = CLOPT_OUTPUTS_JERK;
		judged |= clopt_variant_runs(ctx, (size_t)_i, &p, NULL, 0);
		expect_pass(ctx, _i, &p);
		p.outputs = 0;
	}
	/* What moves bodies or makes a tree has a kernel for each of its outputs. */
	if (p.op >= CLOPT_OP_EVOLVE_STEP && p.op <= CLOPT_OP_TREE_CELLS)
		for (p.outputs = clopt__ops[p.op]->most_outputs; p.outputs > 0; p.outputs--)
			expect_pass(ctx, _i, &p);
	for (; p.precision < CLOPT_PRECISION_BEST; p.precision++)
		if (clopt__variant((size_t)_i)->precisions >> p.precision & 1)
			expect_pass(ctx, _i, &p);
	ck_assert(!judged == !wrap_spoil_trials(0));
	wrap_unoptimized(1);
	test_close(ctx);
}
END_TEST

/* The field of each law, whose formula is another than the potential's. */
START_TEST(fields)
{
	static const int outputs[] = { CLOPT_OUTPUTS_FIELD_PHI, CLOPT_OUTPUTS_PHI_NORMAL };
	struct clopt_problem p = { .size = sizeof p,
		                   .op = _i < CLOPT_LAW_GRAVITY ? CLOPT_OP_POTENTIAL :
		                                                  CLOPT_OP_NBODY,
		                   .dim = { 100, 100 },
		                   .law = _i,
		                   .normals = 1 };
	struct clopt *ctx;
	char text[16384];
	size_t i;

	setenv("CLOPT_CACHE_DIR", "0", 1);
	ctx = open_check(CLOPT_CHECK_FIRST, NULL);
	wrap_spoil_trials(1);
	for (i = 0; i < (p.op == CLOPT_OP_POTENTIAL ? 2 : 1); i++) {
		p.outputs = outputs[i];
		ck_assert_msg(clopt_explain(ctx, &p, text, sizeof text) == CLOPT_OK, "%s",
		              clopt_error(ctx));
		ck_assert_msg(!strstr(text, "gave a wrong result"), "%s", text);
	}
	ck_assert_int_gt(wrap_spoil_trials(0), 0);
	test_close(ctx);
}
END_TEST

/* Equal terms have equal errors, in each row and column. */
START_TEST(alike)
{
	static const char *const variants[] = { "matmul/plain", "matmul/reg-64x64x32", NULL };
	enum {
		M = 16,
		N = 64,
		K = 4096
	};
	static float a[M * K], b[K * N], c[M * N];
	static double x[M * K], y[K * N], z[M * N];
	struct clopt *ctx;
	size_t i, round;
	int rc;

	for (i = 0; i < K * N; i++) {
		y[i] = 0.3;
		b[i] = 0.3f;
		x[i % (M * K)] = 0.3;
		a[i % (M * K)] = 0.3f;
	}
	for (round = 0; round < 6; round++) {
		ctx = open_check(CLOPT_CHECK_ALWAYS, variants[_i]);
		CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO,
		                          CLOPT_TRANS_NO, M, N, K, 1, a, K, b, N, 0, c, N));
		rc = clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, CLOPT_TRANS_NO, M, N,
		                 K, 1, x, M, y, N, 0, z, N);
		if (!test_lacks_local(ctx, rc, variants[_i]))
			CHECK_OK(ctx, rc);
		test_close(ctx);
	}
}
END_TEST

/* Long rows of few terms, where most of the rounding errors are the host's. */
START_TEST(long_rows)
{
	enum {
		M = 100,
		N = 40000
	};
	double *a = malloc((M + 1) * sizeof *a), *b = malloc(N * sizeof *b);
	double *c = malloc((size_t)M * N * sizeof *c);
	struct clopt *ctx = open_check(CLOPT_CHECK_ALWAYS, "matmul/plain");
	const size_t k = _i % 2 != 0, n = _i / 2 ? 10000 : N;
	uint64_t state = 5;
	size_t i, round;

	ck_assert(a && b && c);
	for (round = 0; round < 8; round++) {
		for (i = 0; i < M; i++)
			a[i] = clopt__random(&state);
		for (i = 0; i < n; i++)
			b[i] = clopt__random(&state);
		for (i = 0; i < M * n; i++)
			c[i] = clopt__random(&state);
		CHECK_OK(ctx, clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO,
		                          CLOPT_TRANS_NO, M, n, k, 1, a, 1, b, n, 3, c, n));
	}
	test_close(ctx);
	free(a);
	free(b);
	free(c);
}
END_TEST

/* Results that are not finite cannot be judged, and pass. */
START_TEST(not_finite)
{
	enum {
		N = 40
	};
	static float a[N * N], b[N * N], c[N * N];
	struct clopt *ctx = open_check(CLOPT_CHECK_ALWAYS, NULL);
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	size_t i;

	g.m = g.n = g.k = g.lda = g.ldb = g.ldc = N;
	for (i = 0; i < N * N; i++)
		a[i] = b[i] = 1e30f;
	CHECK_OK(ctx, clopt_matmul(ctx, N, N, N, a, b, c));
	ck_assert(isinf(c[0]));
	b[7] = NAN;
	a[5] = INFINITY;
	CHECK_OK(ctx, clopt_matmul(ctx, N, N, N, a, b, c));
	ck_assert(isnan(c[7]));
	/* Nor can results of numbers beyond float32, the kernels' type. */
	for (i = 0; i < N * N; i++)
		a[i] = b[i] = c[i] = 0;
	g.alpha = 1e300;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
	ck_assert(isnan(c[0]));
	a[5] = INFINITY;
	g.alpha = 1e-60; /* zero, so A is not read */
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
	ck_assert(c[0] == 0);
	CHECK_OK(ctx, clopt_nbody(ctx, N, a, N, b, c, NULL));
	CHECK_OK(ctx, clopt_stranspose(ctx, N, N, 2, a, N, c, N));
	ck_assert(isinf(c[5 * N]));
	test_close(ctx);
}
END_TEST

SUITE(verify_right, long)
{
	int i, op;

	/* Those that make trees always, as the walks through the table look at other operations;
	 * and the last row of transposes, which is of no usual part. */
	for (i = 0; i < test_rows(); i++) {
		op = clopt_variant_op((size_t)i);
		if (test_in_part(i) || (op >= CLOPT_OP_TREE_KEYS && op <= CLOPT_OP_TREE_CELLS) ||
		    !strcmp(clopt_variant_name((size_t)i), "transpose/plain-1"))
			tcase_add_loop_test(c, rows, i, i + 1);
	}
	tcase_add_loop_test(c, fields, CLOPT_LAW_COULOMB, CLOPT_LAW_GRAVITY_OWN + 1);
	tcase_add_loop_test(c, alike, 0, 3);
	tcase_add_loop_test(c, long_rows, 0, 4);
	tcase_add_test(c, not_finite);
}
