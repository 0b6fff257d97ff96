/* SPDX-License-Identifier: MIT */
/*
 * rounding.c - what float32 products owe to numbers out of the ordinary, for each row:
 * infinities, NaN and overflow as in float32 arithmetic, and errors no larger than its,
 * however differently rows and columns are scaled and however long the sums are.
 *
 * Rows that split or round operands have this to prove; the others show that the
 * expectations are right.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/table.h"
#include "suites.h"

enum {
	M = 67,
	N = 70
};

/* Of one product, or two: 0 for what does not matter. */
struct product {
	float *a, *b, *c;
	size_t k;
};

static struct product make(size_t k)
{
	struct product p = { NULL, NULL, NULL, k };

	p.a = calloc(M * k, sizeof *p.a);
	p.b = calloc(k * N, sizeof *p.b);
	p.c = calloc(M * N, sizeof *p.c);
	ck_assert(p.a && p.b && p.c);
	return p;
}

static void release(struct product *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
}

/* A context with row i forced; NULL if it is for something else. */
static struct clopt *open_row(int i)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_MATMUL, .dim = { M, N, 1 } };
	const struct variant *v = &clopt__variants[i];
	struct clopt *ctx;

	if (v->op != CLOPT_MATMUL || v->math)
		return NULL;
	ctx = test_open(NULL);
	if (clopt_variant_runs(ctx, (size_t)i, &p, NULL, 0)) {
		CHECK_OK(ctx, clopt_use(ctx, v->name));
		return ctx;
	}
	test_close(ctx);
	return NULL;
}

static void run(struct clopt *ctx, struct product *p)
{
	size_t e;

	for (e = 0; e < M * N; e++)
		p->c[e] = -1.0f;
	CHECK_OK(ctx, clopt_matmul(ctx, M, N, p->k, p->a, p->b, p->c));
}

static int same(float x, double y)
{
	return isnan(y) ? isnan(x) : isinf(y) ? isinf(x) && (x > 0) == (y > 0) : x == (float)y;
}

START_TEST(classes)
{
	static const struct {
		float a[2], b[2]; /* two terms, first and last of the sum */
		double c;
	} sums[] = {
		{ { INFINITY, 0 }, { 2, 0 }, INFINITY },
		{ { -INFINITY, 1 }, { 2, 1 }, -INFINITY },
		{ { 1, 1 }, { 1, INFINITY }, INFINITY },
		{ { INFINITY, -INFINITY }, { 1, 1 }, NAN },
		{ { INFINITY, 1 }, { 0, 1 }, NAN },
		{ { NAN, 1 }, { 1, 1 }, NAN },
		{ { 1, -NAN }, { 1, 1 }, NAN },
		{ { 1, 0 }, { 1, NAN }, NAN },
		{ { FLT_MAX, 0 }, { 1, 0 }, FLT_MAX },
		{ { FLT_MAX, 1 }, { -0.5f, 0 }, -FLT_MAX / 2 },
		{ { FLT_MAX, 0 }, { 2, 0 }, INFINITY },
		{ { -FLT_MAX, -FLT_MAX }, { 1, 1 }, -INFINITY },
		{ { 0x1.fffp127f, 0 }, { 1, 0 }, 0x1.fffp127 },
		{ { 0x1p100f, 0 }, { 0x1p100f, 0 }, INFINITY },
		{ { 0x1p-100f, 0x1p-100f }, { 0x1p100f, 0x1p100f }, 2 },
		{ { 0x1.000002p0f, 0 }, { 1, 0 }, 0x1.000002p0 },
		{ { 0x1.fffffep0f, 0 }, { 0x1p-30f, 0 }, 0x1.fffffep-30 },
	};
	struct clopt *ctx = open_row(_i);
	struct product p;
	size_t s, i = M - 2, j = N - 3, e;

	if (!ctx)
		return;
	p = make(37);
	for (s = 0; s < sizeof sums / sizeof *sums; s++) {
		p.a[i * p.k] = sums[s].a[0];
		p.a[i * p.k + p.k - 1] = sums[s].a[1];
		p.b[j] = sums[s].b[0];
		p.b[(p.k - 1) * N + j] = sums[s].b[1];
		run(ctx, &p);
		ck_assert_msg(same(p.c[i * N + j], sums[s].c), "%s, sum %zu: %g, not %g",
		              clopt_variant_name((size_t)_i), s, (double)p.c[i * N + j], sums[s].c);
		for (e = 0; e < M * N; e++) /* nothing leaks to other rows and columns */
			ck_assert(e / N == i || e % N == j || p.c[e] == 0.0f);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* NaN of any bits, NVIDIA's own (all of them one) among them, also where operands are
 * rounded to fewer. */
START_TEST(nans_stay)
{
	static const unsigned bits[] = { 0x7fffffff, 0xffffffff, 0x7ff00000, 0x7fc00000,
		                         0x7fc00001, 0x7f800001, 0xff801fff };
	const struct variant *v = &clopt__variants[_i];
	struct clopt_gemm g = CLOPT_GEMM_INIT;
	struct clopt_problem q = { .size = sizeof q, .op = CLOPT_MATMUL, .dim = { M, N, 1 } };
	struct clopt *ctx = test_open(NULL);
	struct product p = make(37);
	size_t s;

	q.math = g.math = v->math;
	g.m = M;
	g.n = g.ldb = g.ldc = N;
	g.k = g.lda = p.k;
	for (s = 0;
	     clopt_variant_runs(ctx, (size_t)_i, &q, NULL, 0) && s < sizeof bits / sizeof *bits;
	     s++) {
		CHECK_OK(ctx, clopt_use(ctx, v->name));
		memcpy(&p.a[5 * p.k + 3], &bits[s], sizeof bits[s]);
		memcpy(&p.b[4 * N + 7], &bits[s], sizeof bits[s]);
		CHECK_OK(ctx, clopt_gemm(ctx, &g, p.a, p.b, p.c));
		ck_assert_msg(isnan(p.c[5 * N + 1]) && isnan(p.c[2 * N + 7]) && p.c[0] == 0.0f,
		              "%s, %08x: %g and %g", v->name, bits[s], (double)p.c[5 * N + 1],
		              (double)p.c[2 * N + 7]);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* Operands that are rounded keep float32's range: none becomes an infinity by that. */
START_TEST(range_stays)
{
	static const float ends[] = { FLT_MAX, -FLT_MAX, 0x1.fffp127f, 0x1p-126f };
	const struct variant *v = &clopt__variants[_i];
	struct clopt_gemm g = CLOPT_GEMM_INIT;
	struct clopt_problem q = { .size = sizeof q, .op = CLOPT_MATMUL, .dim = { M, N, 1 } };
	struct clopt *ctx = test_open(NULL);
	struct product p = make(37);
	size_t s;

	q.math = g.math = v->math;
	g.m = M;
	g.n = g.ldb = g.ldc = N;
	g.k = g.lda = p.k;
	p.a[2 * p.k + 4] = p.b[3 * N + 1] = 1.0f;
	for (s = 0;
	     clopt_variant_runs(ctx, (size_t)_i, &q, NULL, 0) && s < sizeof ends / sizeof *ends;
	     s++) {
		const double most = fabs((double)ends[s]) * 0x1p-9;

		CHECK_OK(ctx, clopt_use(ctx, v->name));
		p.a[5 * p.k + 3] = p.b[4 * N + 7] = ends[s];
		CHECK_OK(ctx, clopt_gemm(ctx, &g, p.a, p.b, p.c));
		ck_assert_msg(fabs((double)p.c[5 * N + 1] - (double)ends[s]) <= most &&
		                      fabs((double)p.c[2 * N + 7] - (double)ends[s]) <= most,
		              "%s, %g: %g and %g", v->name, (double)ends[s], (double)p.c[5 * N + 1],
		              (double)p.c[2 * N + 7]);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* The same numbers on every machine. */
static double uniform(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) * 0x1p-24;
}

/* Of the error, in units of float32's rounding of the largest partial sums: that of the
 * worst element, on inputs from `low` on, with rows and columns scaled by up to 2^range. */
static double worst(struct clopt *ctx, struct product *p, double low, int range)
{
	unsigned state = 1;
	double most = 0.0;
	size_t i, j, q;

	for (i = 0; i < M; i++) {
		const double scale = ldexp(1.0, (int)(i * 7 % (2 * (size_t)range + 1)) - range);

		for (q = 0; q < p->k; q++)
			p->a[i * p->k + q] = (float)(scale * (low + uniform(&state)));
	}
	for (q = 0; q < p->k; q++)
		for (j = 0; j < N; j++)
			p->b[q * N + j] =
			        (float)ldexp(low + uniform(&state),
			                     (int)(j * 5 % (2 * (size_t)range + 1)) - range);
	run(ctx, p);
	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++) {
			double sum = 0.0, terms = 0.0;

			for (q = 0; q < p->k; q++) {
				sum += (double)p->a[i * p->k + q] * p->b[q * N + j];
				terms += fabs((double)p->a[i * p->k + q] * p->b[q * N + j]);
			}
			sum = fabs(p->c[i * N + j] - sum) / terms;
			most = sum > most || isnan(sum) ? sum : most;
		}
	return most * 0x1p24;
}

/* Sums of one sign in float32, one term after the other, may err by k / 2 units, and do by
 * less than the root of k.  (11 bits for operands are 8192 units.) */
START_TEST(errors)
{
	static const size_t depths[] = { 1, 3, 16, 100, 1000, 5000 };
	struct clopt *ctx = open_row(_i);
	struct product p;
	size_t d;

	if (!ctx)
		return;
	for (d = 0; d < sizeof depths / sizeof *depths; d++) {
		const double bound = 8.0 + sqrt((double)depths[d]);
		int form;

		p = make(depths[d]);
		for (form = 0; form < 4; form++) {
			const double units =
			        worst(ctx, &p, form % 2 ? 0.0 : -0.5, form / 2 ? 20 : 0);

			ck_assert_msg(units <= bound, "%s, k %zu, form %d: %.1f units, not %.1f",
			              clopt_variant_name((size_t)_i), p.k, form, units, bound);
		}
		release(&p);
	}
	test_close(ctx);
}
END_TEST

/* Of a few terms float32 makes less of an error than three products of parts. */
START_TEST(short_sums_are_for_others)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_MATMUL, .dim = { 900, 900, 31 } };
	const char *line = "matmul/mma-128x128: for sums of 32 terms or more";
	struct clopt *ctx = test_open(NULL);
	char text[4096];

	ctx->device.traits = T_GPU | T_LOCAL | T_PTX | T_SM80 | T_TF32;
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, line));
	p.dim[2]++;
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "matmul/mma-128x128"));
	ck_assert_ptr_null(strstr(text, line));
	test_close(ctx);
}
END_TEST

/* What float32 loses of numbers, where two floats hold them. */
START_TEST(low_parts)
{
	double real[MAX_REALS] = { [REAL_SCALE] = 0.1, [REAL_SOFTENING2] = 0.3 };

	clopt__low_parts(CLOPT_LAW_GRAVITY, real);
	ck_assert(real[REAL_A] != 0 && 0.1 - real[REAL_A] == 0.1f);
	ck_assert(real[REAL_B] != 0 && 0.3 - real[REAL_B] == 0.3f);
}
END_TEST

SUITE(rounding, long)
{
	int n = 0;

	while (clopt_variant_name((size_t)n) && clopt_variant_op((size_t)n) == CLOPT_MATMUL)
		n++;
	tcase_add_test(c, short_sums_are_for_others);
	tcase_add_test(c, low_parts);
	test_add_rows(c, classes, 0, n);
	test_add_rows(c, nans_stay, 0, n);
	test_add_rows(c, range_stays, 0, n);
	test_add_rows(c, errors, 0, n);
}
