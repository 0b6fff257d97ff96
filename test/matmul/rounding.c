/* SPDX-License-Identifier: MIT */
/*
 * rounding.c - the accuracy that float32 products promise, real and complex, for each row.
 *
 * Infinities, NaN and overflow are as in float32 arithmetic, and errors no larger than its,
 * however differently rows and columns are scaled and however long the sums are.  Products of
 * halves have sums in float32, rounded to half once, and those of bfloat16 likewise; denormals
 * count.  Rows that split or round operands have this to prove; the others show that the
 * expectations are right.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"
#include "table/table.h"
#include "verify/check.h"
#include "suites.h"

enum {
	M = 67,
	N = 70
};

/* One product, or two; 0 for numbers that do not matter. */
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

/* A context with row i forced; NULL if the row is for other products.  exact: NULL also for rows
 * that round their operands. */
static struct clopt *open_row(int i, int exact)
{
	const struct variant *v = clopt__variant((size_t)i);
	const struct clopt_problem p = {
		.size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { M, N, 1 }, .math = v->math
	};
	struct clopt *ctx;

	if (v->op != CLOPT_OP_MATMUL || (exact && v->math))
		return NULL;
	ctx = test_open(NULL);
	if (clopt_variant_runs(ctx, (size_t)i, &p, NULL, 0)) {
		CHECK_OK(ctx, clopt_force_variants(ctx, v->name));
		return ctx;
	}
	test_close(ctx);
	return NULL;
}

/* At most k: a row on the host refuses longer sums, also when forced. */
static size_t depth_of(int i, size_t k)
{
	const struct variant *v = clopt__variant((size_t)i);

	return v->host && v->shallow < k ? v->shallow : k;
}

static void run(struct clopt *ctx, struct product *p)
{
	size_t e;

	for (e = 0; e < M * N; e++)
		p->c[e] = -1.0f;
	CHECK_OK(ctx, clopt_matmul(ctx, M, N, p->k, p->a, p->b, p->c));
}

/* As run, with the rounding of operands that the row does. */
static void run_rounded(struct clopt *ctx, struct product *p, int math)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	g.math = math;
	g.m = M;
	g.n = g.ldb = g.ldc = N;
	g.k = g.lda = p->k;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, p->a, p->b, p->c));
}

static int same(float x, double y)
{
	return isnan(y) ? isnan(x) : isinf(y) ? isinf(x) && (x > 0) == (y > 0) : x == (float)y;
}

START_TEST(infinities_and_nans)
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
	struct clopt *ctx = open_row(_i, 1);
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
		for (e = 0; e < M * N; e++) /* other rows and columns are not affected */
			ck_assert(e / N == i || e % N == j || p.c[e] == 0.0f);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* A NaN of any bits stays NaN, NVIDIA's own (all bits set) among them, also where operands are
 * rounded to fewer bits. */
START_TEST(nans_stay)
{
	static const unsigned bits[] = { 0x7fffffff, 0xffffffff, 0x7ff00000, 0x7fc00000,
		                         0x7fc00001, 0x7f800001, 0xff801fff };
	const struct variant *v = clopt__variant((size_t)_i);
	struct clopt *ctx = open_row(_i, 0);
	struct product p;
	size_t s;

	if (!ctx)
		return;
	p = make(37);
	for (s = 0; s < sizeof bits / sizeof *bits; s++) {
		memcpy(&p.a[5 * p.k + 3], &bits[s], sizeof bits[s]);
		memcpy(&p.b[4 * N + 7], &bits[s], sizeof bits[s]);
		run_rounded(ctx, &p, v->math);
		ck_assert_msg(isnan(p.c[5 * N + 1]) && isnan(p.c[2 * N + 7]) && p.c[0] == 0.0f,
		              "%s, %08x: %g and %g", v->name, bits[s], (double)p.c[5 * N + 1],
		              (double)p.c[2 * N + 7]);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* Rounded operands keep float32's range: none becomes infinite by rounding. */
START_TEST(range_stays)
{
	static const float ends[] = { FLT_MAX, -FLT_MAX, 0x1.fffp127f, 0x1p-126f };
	const struct variant *v = clopt__variant((size_t)_i);
	struct clopt *ctx = open_row(_i, 0);
	struct product p;
	size_t s;

	if (!ctx)
		return;
	p = make(37);
	p.a[2 * p.k + 4] = p.b[3 * N + 1] = 1.0f;
	for (s = 0; s < sizeof ends / sizeof *ends; s++) {
		const double most = fabs((double)ends[s]) * 0x1p-9;

		p.a[5 * p.k + 3] = p.b[4 * N + 7] = ends[s];
		run_rounded(ctx, &p, v->math);
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

/* The worst element's error, in units of float32's rounding of the largest partial sums, on inputs
 * from `low` on, with rows and columns scaled by up to 2^range. */
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

/* Float32 sums of one sign, one term after the other, may err by k / 2 units, and do by less than
 * the root of k.  (11 bits for operands are 8192 units.) */
START_TEST(errors_are_those_of_float32)
{
	static const size_t depths[] = { 1, 3, 16, 100, 1000, 5000 };
	struct clopt *ctx = open_row(_i, 1);
	struct product p;
	size_t d;

	if (!ctx)
		return;
	for (d = 0; d < sizeof depths / sizeof *depths; d++) {
		const size_t k = depth_of(_i, depths[d]);
		const double bound = 8.0 + sqrt((double)k);
		int form;

		p = make(k);
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

/* alpha multiplies the sum, not parts of it, which may be larger. */
START_TEST(alpha_comes_last)
{
	struct clopt *ctx = open_row(_i, 1);
	struct product p;
	size_t e;
	int beta;

	if (!ctx)
		return;
	p = make(depth_of(_i, 900));
	for (e = 0; e < M * p.k; e++)
		p.a[e] = e % p.k < p.k / 2 ? 100.0f : -100.0f;
	for (e = 0; e < M; e++)
		p.a[e * p.k + p.k - 1] = -99.0f;
	for (e = 0; e < p.k * N; e++)
		p.b[e] = 1024.0f;
	for (beta = 0; beta < 2; beta++) {
		for (e = 0; e < M * N; e++)
			p.c[e] = 0x1p110f;
		CHECK_OK(ctx,
		         clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, M,
		                     N, p.k, 0x1p110f, p.a, p.k, p.b, N, (float)beta, p.c, N));
		for (e = 0; e < M * N; e++)
			ck_assert_msg(p.c[e] == 0x1p110f * (float)(1024 + beta), "%s: %g",
			              clopt_variant_name((size_t)_i), (double)p.c[e]);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* ---- Halves and bfloat16: sums are in float32 ----------------------------------- */

/* A context with row i forced, if that serves this type; otherwise NULL. */
static struct clopt *open_type(int i, int type)
{
	struct clopt_problem p = {
		.size = sizeof p, .op = CLOPT_OP_MATMUL, .type = type, .dim = { M, N, 1 }
	};
	struct clopt *ctx;

	if (!test_in_part(i))
		return NULL;
	ctx = test_open(NULL);
	if (clopt_variant_runs(ctx, (size_t)i, &p, NULL, 0)) {
		CHECK_OK(ctx, clopt_force_variants(ctx, clopt_variant_name((size_t)i)));
		return ctx;
	}
	test_close(ctx);
	return NULL;
}

struct half_product {
	size_t m, n, k;
	int transa, transb, triangle;
	double alpha, beta;
};

/* A number between an eighth and a quarter, of either sign if `signs` is set. */
static uint16_t random_half(unsigned *state, int signs)
{
	const unsigned r = (unsigned)(uniform(state) * 0x1p16);

	return (uint16_t)(0x3000 | (r & 0x3ff) | (signs ? r & 0x8000 : 0));
}

enum {
	POSITIVE,
	SIGNED,
	DENORMAL,
	KINDS
};

/* Each element is within half a unit of half, and the error of float32 sums.  kind DENORMAL: some
 * rows of op(A) and columns of op(B) have only denormals. */
static void expect_halves(struct clopt *ctx, const struct half_product *h, int kind)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	uint16_t *a = malloc(h->m * h->k * 2), *b = malloc(h->k * h->n * 2);
	uint16_t *c = malloc(h->m * h->n * 2), *old = malloc(h->m * h->n * 2);
	unsigned state = 7;
	size_t i, j, p;

	ck_assert(a && b && c && old);
	for (i = 0; i < h->m * h->k; i++) {
		a[i] = random_half(&state, kind);
		if (kind == DENORMAL &&
		    (h->transa == CLOPT_TRANS_YES ? i % h->m : i / h->k) % 3 == 0)
			a[i] &= 0x83ff;
	}
	for (i = 0; i < h->k * h->n; i++) {
		b[i] = random_half(&state, kind);
		if (kind == DENORMAL &&
		    (h->transb == CLOPT_TRANS_YES ? i / h->k : i % h->n) % 5 == 1)
			b[i] &= 0x83ff;
	}
	for (i = 0; i < h->m * h->n; i++)
		c[i] = old[i] = h->beta == 0 ? 0x7e00 : random_half(&state, 1);
	g.type = CLOPT_TYPE_HALF;
	g.transa = h->transa;
	g.transb = h->transb;
	g.triangle = h->triangle;
	g.m = h->m;
	g.n = g.ldc = h->n;
	g.k = h->k;
	g.lda = h->transa == CLOPT_TRANS_YES ? h->m : h->k;
	g.ldb = h->transb == CLOPT_TRANS_YES ? h->k : h->n;
	g.alpha = h->alpha;
	g.beta = h->beta;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
	for (i = 0; i < h->m; i++)
		for (j = 0; j < h->n; j++) {
			const char *at = (const char *)&c[i * h->n + j];
			const double got = clopt__element(at, 2);
			double want = 0, terms = 0, bound;

			if ((h->triangle == CLOPT_UPLO_LOWER && j > i) ||
			    (h->triangle == CLOPT_UPLO_UPPER && j < i)) {
				ck_assert_int_eq(c[i * h->n + j], old[i * h->n + j]);
				continue;
			}
			for (p = 0; p < h->k; p++) {
				const double x = clopt__element(
				        (const char *)&a[h->transa == CLOPT_TRANS_YES ?
				                                 p * h->m + i :
				                                 i * h->k + p],
				        2);
				const double y = clopt__element(
				        (const char *)&b[h->transb == CLOPT_TRANS_YES ?
				                                 j * h->k + p :
				                                 p * h->n + j],
				        2);

				want += x * y;
				terms += fabs(x * y);
			}
			want *= h->alpha;
			terms *= fabs(h->alpha);
			if (h->beta != 0) {
				const double kept =
				        h->beta *
				        clopt__element((const char *)&old[i * h->n + j], 2);

				want += kept;
				terms += fabs(kept);
			}
			bound = 0x1p-11 * fabs(want) + 0x1p-25 +
			        (8 + sqrt((double)h->k)) * 0x1p-24 * terms;
			ck_assert_msg(fabs(got - want) <= bound,
			              "c(%zu, %zu) of k %zu is %g, not %g, give or take %g", i, j,
			              h->k, got, want, bound);
		}
	free(a);
	free(b);
	free(c);
	free(old);
}

static const struct half_product halves[] = {
	{ 17, 17, 800, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 0, 1, 0 },
	{ 17, 40, 5000, CLOPT_TRANS_YES, CLOPT_TRANS_NO, 0, 0.5, 0 },
	{ 9, 3, 100000, CLOPT_TRANS_NO, CLOPT_TRANS_YES, 0, 0.25, -0.5 },
	{ 1, 30, 9000, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 0, 1, 1 },
	{ 100, 100, 2000, CLOPT_TRANS_YES, CLOPT_TRANS_YES, CLOPT_UPLO_LOWER, 1, 0 },
};

START_TEST(half_sums)
{
	struct clopt *ctx = open_type(_i, CLOPT_TYPE_HALF);
	uint16_t a[17 * 800], b[800 * 17], c[17 * 17];
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	size_t e;
	int kind;

	if (!ctx)
		return;
	/* 16, then -16, times 16: zero, with partial sums beyond half's range. */
	for (e = 0; e < 17 * 800; e++) {
		a[e] = e % 800 < 400 ? 0x4c00 : 0xcc00;
		b[e] = 0x4c00;
	}
	g.type = CLOPT_TYPE_HALF;
	g.m = g.n = g.ldb = g.ldc = 17;
	g.k = g.lda = 800;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
	for (e = 0; e < 17 * 17; e++)
		ck_assert_msg((c[e] & 0x7fff) == 0, "%s: %04x", clopt_variant_name((size_t)_i),
		              c[e]);
	for (e = 0; e < sizeof halves / sizeof *halves; e++) {
		const struct variant *v = clopt__variant((size_t)_i);

		if (v->shallow && halves[e].k > v->shallow)
			continue; /* so long sums are truncated too much */
		/* Matrix instructions that the device lacks are slow. */
		if (v->likes & ~ctx->device.traits & (T_MFMA | T_WMMA | T_WMMA12) &&
		    halves[e].k > 5000)
			continue;
		for (kind = POSITIVE; kind < (halves[e].k > 5000 ? DENORMAL : KINDS); kind++)
			expect_halves(ctx, &halves[e], kind);
	}
	test_close(ctx);
}
END_TEST

/* Where little memory cuts k, too. */
START_TEST(half_sums_in_parts)
{
	static const size_t limits[] = { 5000, 7000, 20000 };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	size_t e;

	options.mem_limit_bytes = limits[_i];
	options.check = CLOPT_CHECK_ALWAYS;
	ctx = test_open(&options);
	for (e = 0; e < sizeof halves / sizeof *halves; e++) {
		expect_halves(ctx, &halves[e], e % 2 != 0);
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert(report.sum_parts > 1 || 4 * halves[e].k < limits[_i]);
	}
	test_close(ctx);
}
END_TEST

/* A bfloat16 of either sign, below 2^-124 or from 2^100 to 2^101. */
static uint16_t random_bfloat16(unsigned *state, int large)
{
	const unsigned r = (unsigned)(uniform(state) * 0x1p16);

	return (uint16_t)((r & 0x807f) | (large ? 0x7180 : 0x80 + (r & 0x80)));
}

/* One factor is small, the other large.  Every third row or column of the small one has only
 * denormals, in 16 terms, and zeros, so that a row that loses them is found: each of the first
 * three steps of 16 has some. */
START_TEST(bfloat16_denormals)
{
	enum {
		SIZE = 35,
		TERMS = 70
	};
	struct clopt *ctx = open_type(_i, CLOPT_TYPE_BFLOAT16);
	uint16_t a[SIZE * TERMS], b[TERMS * SIZE], c[SIZE * SIZE];
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	cl_device_fp_config numbers = 0;
	unsigned state = 7;
	size_t i, j, p;
	int side;

	if (!ctx)
		return;
	clGetDeviceInfo(ctx->device.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof numbers, &numbers, NULL);
	g.type = CLOPT_TYPE_BFLOAT16;
	g.m = g.n = g.ldb = g.ldc = SIZE;
	g.k = g.lda = TERMS;
	for (side = 0; side < 2 && numbers & CL_FP_DENORM; side++) {
		for (i = 0; i < SIZE; i++)
			for (p = 0; p < TERMS; p++) {
				const size_t step = i / 3 % 3;
				uint16_t small = random_bfloat16(&state, 0);

				if (i % 3 == 0)
					small = p / 16 == step ? small & 0x807f : 0;
				a[i * TERMS + p] = side ? random_bfloat16(&state, 1) : small;
				b[p * SIZE + i] = side ? small : random_bfloat16(&state, 1);
			}
		CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
		for (i = 0; i < SIZE; i++)
			for (j = 0; j < SIZE; j++) {
				const double got =
				        clopt__element((const char *)&c[i * SIZE + j], g.type);
				double want = 0, terms = 0;

				for (p = 0; p < TERMS; p++) {
					const double x = clopt__element(
					        (const char *)&a[i * TERMS + p], g.type);
					const double y = clopt__element(
					        (const char *)&b[p * SIZE + j], g.type);

					want += x * y;
					terms += fabs(x * y);
				}
				ck_assert_msg(fabs(got - want) <=
				                      0x1p-8 * fabs(want) + TERMS * 0x1p-24 * terms,
				              "%s: side %d: c(%zu, %zu) is %g, not %g",
				              clopt_variant_name((size_t)_i), side, i, j, got,
				              want);
			}
	}
	test_close(ctx);
}
END_TEST

/* ---- Complex float32 ------------------------------------------------------------------ */

/* Arrays without gaps; op(A) is M x k. */
static void run_complex(struct clopt *ctx, struct product *p)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	g.type = CLOPT_TYPE_COMPLEX_FLOAT;
	g.m = M;
	g.n = N;
	g.k = p->k;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, p->a, p->b, p->c));
}

static struct product make_complex(size_t k)
{
	struct product p = make(2 * k);

	free(p.c);
	p.c = calloc(2 * M * N, sizeof *p.c);
	ck_assert_ptr_nonnull(p.c);
	p.k = k;
	return p;
}

/* Infinities, NaN and numbers that a part would round to infinity are as in sums of real
 * products. */
START_TEST(complex_infinities_and_nans)
{
	static const struct {
		float a[2], b[2];
		double c[2];
	} terms[] = {
		{ { INFINITY, 0 }, { 2, 0 }, { INFINITY, NAN } },
		{ { INFINITY, 1 }, { 2, -1 }, { INFINITY, -INFINITY } },
		{ { 1, 2 }, { 3, INFINITY }, { -INFINITY, INFINITY } },
		{ { 1, NAN }, { 1, 1 }, { NAN, NAN } },
		{ { INFINITY, INFINITY }, { 1, 1 }, { NAN, INFINITY } },
		{ { FLT_MAX, 0 }, { 1, 0 }, { FLT_MAX, 0 } },
		{ { 0, 0x1.fffp127f }, { 0, 1 }, { -0x1.fffp127, 0 } },
		{ { 0, FLT_MAX }, { 2, 0 }, { 0, INFINITY } },
	};
	const size_t i = M - 2, j = N - 3;
	struct clopt *ctx = open_type(_i, CLOPT_TYPE_COMPLEX_FLOAT);
	struct product p;
	size_t s, e;

	if (!ctx)
		return;
	p = make_complex(21);
	for (s = 0; s < sizeof terms / sizeof *terms; s++) {
		const float *c = p.c + 2 * (i * N + j);

		memcpy(p.a + 2 * (i * p.k + p.k - 1), terms[s].a, sizeof terms[s].a);
		memcpy(p.b + 2 * ((p.k - 1) * N + j), terms[s].b, sizeof terms[s].b);
		run_complex(ctx, &p);
		ck_assert_msg(same(c[0], terms[s].c[0]) && same(c[1], terms[s].c[1]),
		              "%s, term %zu: (%g, %g), not (%g, %g)",
		              clopt_variant_name((size_t)_i), s, (double)c[0], (double)c[1],
		              terms[s].c[0], terms[s].c[1]);
		for (e = 0; e < 2 * M * N; e++)
			ck_assert(e / 2 / N == i || e / 2 % N == j || p.c[e] == 0.0f);
	}
	release(&p);
	test_close(ctx);
}
END_TEST

/* The worst number's error, in units of float32's rounding of the sum of its terms without
 * signs. */
static double worst_complex(struct clopt *ctx, struct product *p, double low)
{
	unsigned state = 1;
	double most = 0.0;
	size_t i, j, q, part;

	for (q = 0; q < 2 * M * p->k; q++)
		p->a[q] = (float)(low + uniform(&state));
	for (q = 0; q < 2 * p->k * N; q++)
		p->b[q] = (float)(low + uniform(&state));
	run_complex(ctx, p);
	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++) {
			double sum[2] = { 0, 0 }, terms[2] = { 0, 0 };

			for (q = 0; q < p->k; q++) {
				const float *a = p->a + 2 * (i * p->k + q);
				const float *b = p->b + 2 * (q * N + j);
				const double x[4] = { (double)a[0] * b[0], -(double)a[1] * b[1],
					              (double)a[0] * b[1], (double)a[1] * b[0] };

				for (part = 0; part < 4; part++) {
					sum[part / 2] += x[part];
					terms[part / 2] += fabs(x[part]);
				}
			}
			for (part = 0; part < 2; part++) {
				const double error =
				        fabs(p->c[2 * (i * N + j) + part] - sum[part]) /
				        terms[part];

				most = error > most || isnan(error) ? error : most;
			}
		}
	return most * 0x1p24;
}

START_TEST(complex_errors_are_those_of_float32)
{
	static const size_t depths[] = { 1, 7, 16, 100, 2500 };
	struct clopt *ctx = open_type(_i, CLOPT_TYPE_COMPLEX_FLOAT);
	size_t d;

	if (!ctx)
		return;
	for (d = 0; d < sizeof depths / sizeof *depths; d++) {
		const double bound = 8.0 + sqrt(2.0 * (double)depths[d]);
		struct product p = make_complex(depths[d]);
		int form;

		for (form = 0; form < 2; form++) {
			const double units = worst_complex(ctx, &p, form ? 0.0 : -0.5);

			ck_assert_msg(units <= bound, "%s, k %zu, form %d: %.1f units, not %.1f",
			              clopt_variant_name((size_t)_i), p.k, form, units, bound);
		}
		release(&p);
	}
	test_close(ctx);
}
END_TEST

/* For a few terms float32 has a smaller error than three products of parts. */
START_TEST(short_sums_use_other_rows)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 900, 900 },
		                   .elem_bytes = 4,
		                   .batch = 1 };
	const char *line = "matmul/mma-128x128: only for sums of 32 terms or more";
	struct clopt *ctx = test_open(NULL);
	const struct variant *v;
	cl_kernel kernel;
	size_t k;

	ctx->device.traits = T_GPU | T_LOCAL | T_PTX | T_SM80 | T_TF32;
	for (k = 31; k <= 32; k++) {
		char text[4096] = "";
		struct text lines = { text, sizeof text };
		const struct selection how = { .by_table = 1, .unbuilt = 1, .lines = &lines };

		p.dim[2] = k;
		CHECK_OK(ctx, clopt__select(ctx, &p, &how, &v, &kernel));
		ck_assert(!strstr(text, line) == (k == 32));
		ck_assert_ptr_nonnull(strstr(text, "matmul/mma-128x128"));
	}
	test_close(ctx);
}
END_TEST

/* The low parts of numbers, which float32 rounds off. */
START_TEST(low_parts)
{
	double real[MAX_REALS] = { [REAL_SCALE] = 0.1, [REAL_SOFTENING2] = 0.3 };

	clopt__law_low_parts(CLOPT_LAW_GRAVITY, real);
	ck_assert(real[REAL_A] != 0 && 0.1 - real[REAL_A] == 0.1f);
	ck_assert(real[REAL_B] != 0 && 0.3 - real[REAL_B] == 0.3f);
}
END_TEST

SUITE(rounding, long)
{
	int n = 0;

	while (clopt_variant_name((size_t)n) && clopt_variant_op((size_t)n) == CLOPT_OP_MATMUL)
		n++;
	tcase_add_test(c, short_sums_use_other_rows);
	tcase_add_test(c, low_parts);
	test_add_rows(c, infinities_and_nans, 0, n);
	test_add_rows(c, nans_stay, 0, n);
	test_add_rows(c, range_stays, 0, n);
	test_add_rows(c, errors_are_those_of_float32, 0, n);
	test_add_rows(c, alpha_comes_last, 0, n);
	test_add_rows(c, complex_infinities_and_nans, 0, n);
	test_add_rows(c, complex_errors_are_those_of_float32, 0, n);
	test_add_rows(c, half_sums, 0, n);
	test_add_rows(c, bfloat16_denormals, 0, n);
	test_add_rows(c, half_sums_in_parts, 0, 3);
}
