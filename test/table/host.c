/* SPDX-License-Identifier: MIT */
/*
 * host.c - rows on the host: when they are picked, and that their results are right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"
#include "clopt_tune.h"
#include "base/context.h"
#include "folder.h"
#include "host/host.h"
#include "problems.h"
#include "suites.h"
#include "verify/check.h"
#include "wrap.h"

static struct clopt *open_small(int small)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.small = small;
	return test_open(&o);
}

/* What a call on host arrays would run. */
static int on_host(struct clopt *ctx, size_t m, size_t n, size_t k, int type)
{
	struct clopt_problem p = CLOPT_PROBLEM_INIT;

	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = m;
	p.dim[1] = n;
	p.dim[2] = k;
	p.type = type;
	return test_is_host(clopt_chosen_variant(ctx, &p));
}

START_TEST(picked)
{
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);

	ck_assert(on_host(ctx, 16, 16, 16, CLOPT_TYPE_FLOAT));
	ck_assert(on_host(ctx, 50, 30, HOST_MOST_TERMS, CLOPT_TYPE_FLOAT));
	ck_assert(!on_host(ctx, 50, 30, HOST_MOST_TERMS + 1, CLOPT_TYPE_FLOAT));
	ck_assert(!on_host(ctx, 5000, 5000, 1, CLOPT_TYPE_FLOAT));
	ck_assert(!on_host(ctx, 1, 64, 64, CLOPT_TYPE_FLOAT)); /* with a vector */
	ck_assert(!on_host(ctx, 16, 16, 16, CLOPT_TYPE_HALF));
	ck_assert(!on_host(ctx, 16, 16, 16, CLOPT_TYPE_COMPLEX_FLOAT));
	test_close(ctx);
	ctx = open_small(CLOPT_SMALL_DEVICE);
	ck_assert(!on_host(ctx, 16, 16, 16, CLOPT_TYPE_FLOAT));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/host"));
	ck_assert(on_host(ctx, 16, 16, 16, CLOPT_TYPE_FLOAT));
	test_close(ctx);
}
END_TEST

/* The largest problem of a kind on the host and one that is larger, with AVX2 and without.  A cache changes
 * nothing: whatever was computed before, bits are the same. */
START_TEST(limits)
{
	static const struct {
		int op, law, precision, type;
		size_t dim[3], plain[3], more; /* more rows are too many */
	} cases[] = {
		{ CLOPT_OP_MATMUL, 0, 0, CLOPT_TYPE_FLOAT, { 101, 101, 101 }, { 80, 80, 80 }, 2 },
		{ CLOPT_OP_MATMUL, 0, 0, CLOPT_TYPE_DOUBLE, { 80, 80, 80 }, { 63, 63, 64 }, 2 },
		{ CLOPT_OP_TRANSPOSE, 0, 0, 0, { 181, 181 }, { 181, 181 }, 1 },
		{ CLOPT_OP_POTENTIAL, CLOPT_LAW_COULOMB, 0, 0, { 180, 180 }, { 127, 127 }, 2 },
		{ CLOPT_OP_NBODY,
		  CLOPT_LAW_GRAVITY_OWN,
		  CLOPT_PRECISION_DOUBLE,
		  0,
		  { 127, 127 },
		  { 90, 90 },
		  2 },
	};
	char folder[FOLDER_SIZE];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	size_t i;

	folder_make(folder);
	wrap_host_vectors((unsigned)_i / 2);
	o.small = CLOPT_SMALL_HOST;
	o.cache_dir = _i % 2 ? folder : "0";
	ctx = test_open(&o);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct clopt_problem p = CLOPT_PROBLEM_INIT;

		p.op = cases[i].op;
		p.law = cases[i].law;
		p.precision = cases[i].precision;
		p.type = cases[i].type;
		memcpy(p.dim, clopt__host_vectors() ? cases[i].dim : cases[i].plain, sizeof p.dim);
		ck_assert_msg(test_is_host(clopt_chosen_variant(ctx, &p)), "case %zu", i);
		p.dim[0] += cases[i].more;
		ck_assert_msg(!test_is_host(clopt_chosen_variant(ctx, &p)), "case %zu", i);
	}
	test_close(ctx);
	folder_remove(folder);
}
END_TEST

/* No law but Coulomb's and gravity, no other precisions. */
START_TEST(others)
{
	static const struct {
		int op, law, precision, yes;
	} cases[] = {
		{ CLOPT_OP_NBODY, CLOPT_LAW_GRAVITY, 0, 1 },
		{ CLOPT_OP_NBODY, CLOPT_LAW_GRAVITY, CLOPT_PRECISION_COMPENSATED, 0 },
		{ CLOPT_OP_POTENTIAL, CLOPT_LAW_DEBYE, 0, 0 },
	};
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct clopt_problem p = { .size = sizeof p, .dim = { 16, 16 } };

		p.op = cases[i].op;
		p.law = cases[i].law;
		p.precision = cases[i].precision;
		ck_assert_msg(test_is_host(clopt_chosen_variant(ctx, &p)) == cases[i].yes,
		              "case %zu", i);
	}
	test_close(ctx);
}
END_TEST

/* A record is about kernels, and buffers have kernels only. */
START_TEST(kernels)
{
	struct clopt_tune_options t = CLOPT_TUNE_OPTIONS_INIT;
	struct clopt_problem p = CLOPT_PROBLEM_INIT;
	struct clopt_report r = CLOPT_REPORT_INIT;
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	float x[16 * 16] = { 0 }, y[16 * 16];
	struct clopt_buffer *b[3];
	char record[256];
	int i;

	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = 16;
	t.dry = 1;
	t.budget_seconds = 0.1;
	CHECK_OK(ctx, clopt_tune(ctx, &p, &t, record, sizeof record));
	ck_assert_msg(strstr(record, "matmul/") && !strstr(record, "matmul/host"), "%s", record);
	CHECK_OK(ctx, clopt_matmul(ctx, 16, 16, 16, x, x, y));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(test_is_host(r.variant) && r.up_bytes == 0 && r.bands == 1);
	for (i = 0; i < 3; i++) {
		CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof x, &b[i]));
		CHECK_OK(ctx, clopt_buffer_write(b[i], 0, sizeof x, x, NULL));
	}
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 16, 16, 16, b[0], b[1], b[2], NULL));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(!test_is_host(r.variant));
	for (i = 0; i < 3; i++)
		clopt_buffer_free(b[i]);
	test_close(ctx);
}
END_TEST

START_TEST(refused)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	static float x[2 * (HOST_MOST_TERMS + 1)], c[4];
	struct clopt *ctx;

	o.variants = "matmul/host";
	ctx = test_open(&o);
	expect_refused(clopt_matmul(ctx, 2, 2, HOST_MOST_TERMS + 1, x, x, c), CLOPT_ENOVARIANT, ctx,
	               "256 terms");
	test_close(ctx);
}
END_TEST

/* ---- Results ----------------------------------------------------------------------------- */

static double get(const void *x, int type, size_t i)
{
	return type == CLOPT_TYPE_DOUBLE ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void put(void *x, int type, size_t i, double value)
{
	if (type == CLOPT_TYPE_DOUBLE)
		((double *)x)[i] = value;
	else
		((float *)x)[i] = (float)value;
}

static uint64_t drawn;

static size_t below(size_t n)
{
	return (size_t)((clopt__random(&drawn) + 1) / 2 * (double)n);
}

/* rows x ld random numbers from -1 to 1. */
static void *matrix(int type, size_t rows, size_t ld)
{
	void *x = malloc((rows * ld + 1) * (size_t)type);
	size_t i;

	ck_assert_ptr_nonnull(x);
	for (i = 0; i < rows * ld; i++)
		put(x, type, i, clopt__random(&drawn));
	return x;
}

static void random_product(struct clopt *ctx)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_report r = CLOPT_REPORT_INIT;
	double sum, size, want;
	size_t i, j, l;
	void *a, *b, *c, *old;

	g.type = below(2) ? CLOPT_TYPE_DOUBLE : CLOPT_TYPE_FLOAT;
	g.layout = below(2) ? CLOPT_LAYOUT_ROW_MAJOR : CLOPT_LAYOUT_COL_MAJOR;
	g.transa = below(2) ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.transb = below(2) ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.triangle = !below(3) ? CLOPT_UPLO_LOWER : !below(2) ? CLOPT_UPLO_UPPER : 0;
	g.m = 2 + below(70);
	g.n = g.triangle ? g.m : 2 + below(70);
	g.k = below(10) ? 1 + below(HOST_MOST_TERMS) : 0;
	g.alpha = below(2) ? 1 : -0.75;
	g.beta = below(2) ? 0 : 0.5;
	/* The layout turns all three. */
	i = g.layout == CLOPT_LAYOUT_COL_MAJOR;
	g.lda = ((g.transa == CLOPT_TRANS_YES) != i ? g.m : g.k) + 1 + below(3);
	g.ldb = ((g.transb == CLOPT_TRANS_YES) != i ? g.k : g.n) + 1 + below(3);
	g.ldc = (i ? g.m : g.n) + below(3);
	a = matrix(g.type, g.m > g.k ? g.m : g.k, g.lda);
	b = matrix(g.type, g.n > g.k ? g.n : g.k, g.ldb);
	c = matrix(g.type, g.m > g.n ? g.m : g.n, g.ldc);
	old = matrix(g.type, g.m > g.n ? g.m : g.n, g.ldc);
	for (l = 0; l < (g.m > g.n ? g.m : g.n) * g.ldc; l++)
		put(c, g.type, l, g.beta == 0 ? (double)NAN : get(old, g.type, l));
	memcpy(old, c, (g.m > g.n ? g.m : g.n) * g.ldc * (size_t)g.type);
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert(test_is_host(r.variant));
	for (l = 0; l < (g.m > g.n ? g.m : g.n) * g.ldc; l++) {
		const size_t row = l / g.ldc, column = l % g.ldc;
		const size_t inner = g.layout == CLOPT_LAYOUT_COL_MAJOR ? g.m : g.n;
		const size_t outer = g.layout == CLOPT_LAYOUT_COL_MAJOR ? g.n : g.m;
		const int turned = g.layout == CLOPT_LAYOUT_COL_MAJOR;
		size_t t;

		i = turned ? column : row;
		j = turned ? row : column;
		if (column >= inner || row >= outer || (g.triangle == CLOPT_UPLO_LOWER && j > i) ||
		    (g.triangle == CLOPT_UPLO_UPPER && j < i)) {
			ck_assert(!memcmp((char *)c + l * (size_t)g.type,
			                  (char *)old + l * (size_t)g.type, (size_t)g.type));
			continue;
		}
		for (t = 0, sum = size = 0; t < g.k; t++) {
			const int ta = (g.transa == CLOPT_TRANS_YES) != turned;
			const int tb = (g.transb == CLOPT_TRANS_YES) != turned;
			const double x = get(a, g.type, ta ? t * g.lda + i : i * g.lda + t);
			const double y = get(b, g.type, tb ? j * g.ldb + t : t * g.ldb + j);

			sum += x * y;
			size += fabs(x * y);
		}
		want = g.alpha * sum + (g.beta == 0 ? 0 : g.beta * get(old, g.type, l));
		ck_assert_double_eq_tol(get(c, g.type, l), want,
		                        (size + 1) * (g.type == CLOPT_TYPE_DOUBLE ? 1e-14 : 2e-5));
	}
	free(a);
	free(b);
	free(c);
	free(old);
}

START_TEST(right)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	int i;

	o.variants = "matmul/host";
	o.check = _i % 2 ? CLOPT_CHECK_ALWAYS : CLOPT_CHECK_OFF;
	wrap_host_vectors((unsigned)_i / 2);
	ctx = test_open(&o);
	for (i = 0; i < 300; i++)
		random_product(ctx);
	test_close(ctx);
}
END_TEST

/* Sums over pairs in each vectors' form; the host has no law that needs normals. */
START_TEST(right_sums)
{
	static const int precisions[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE };
	struct clopt_problem p = { .size = sizeof p, .dim = { 130, 45 } };
	struct clopt *ctx = open_small(CLOPT_SMALL_HOST);
	struct clopt_report r = CLOPT_REPORT_INIT;
	size_t i, sums = 0;

	wrap_host_vectors((unsigned)_i);
	for (p.law = CLOPT_LAW_COULOMB; p.law <= CLOPT_LAW_GRAVITY_OWN; p.law++)
		for (i = 0; i < 2; i++) {
			p.op = p.law < CLOPT_LAW_GRAVITY ? CLOPT_OP_POTENTIAL : CLOPT_OP_NBODY;
			p.normals = clopt__laws[p.law].normals == NORMALS_ALWAYS;
			p.precision = precisions[i];
			test_right(ctx, &p, 1);
			CHECK_OK(ctx, clopt_last_report(ctx, &r));
			sums += test_is_host(r.variant) ? 1 : 0;
		}
	ck_assert_uint_ge(sums, 2 * 4);
	test_close(ctx);
}
END_TEST

SUITE(host, walk)
{
	tcase_add_test(c, picked);
	tcase_add_loop_test(c, limits, 0, 2 * (HOST_AVX2 + 1));
	tcase_add_test(c, others);
	tcase_add_test(c, kernels);
	tcase_add_test(c, refused);
	tcase_add_loop_test(c, right, 0, 2 * (HOST_AVX512 + 1));
	tcase_add_loop_test(c, right_sums, 0, HOST_AVX512 + 1);
}
