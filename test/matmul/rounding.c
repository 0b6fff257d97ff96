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

#include "base/numbers.h"
#include "choose/choose.h"
#include "../random/random.h"
#include "problems.h"
#include "table/table.h"
#include "verify/check.h"
#include "suites.h"

enum {
	M = 67,
	N = 70
};

/* M x N x k of floats, one or two for an element; 0 for numbers that do not matter. */
struct product {
	float *a, *b, *c;
	size_t k, parts;
};

static struct product make(size_t k, size_t parts)
{
	struct product p = { calloc(M * k * parts, sizeof *p.a), calloc(k * N * parts, sizeof *p.b),
		             calloc(M * N * parts, sizeof *p.c), k, parts };

	ck_assert(p.a && p.b && p.c);
	return p;
}

static void release(struct product *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
}

/* A context with row i forced, if that serves this type; otherwise NULL.  exact: also NULL for rows
 * that round their operands. */
static struct clopt *open_type(int i, int type, int exact)
{
	const struct variant *v = clopt__variant((size_t)i);
	const struct clopt_problem p = { .size = sizeof p,
		                         .op = CLOPT_OP_MATMUL,
		                         .type = type,
		                         .dim = { M, N, 1 },
		                         .math = exact ? 0 : v->math };
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

static struct clopt *open_row(int i, int exact)
{
	return open_type(i, CLOPT_TYPE_FLOAT, exact);
}

/* Whether the row, the only one of `ctx', has case i of n or more: every n-th if it differs from
 * rows before by numbers alone, else every other. */
static int in_turn(struct clopt *ctx, int row, int i, int n)
{
	return (row + i) % (test_alike_before(ctx, row) ? n : 2) == 0;
}

/* At most k: a row on the host refuses longer sums, also when forced. */
static size_t depth_of(int i, size_t k)
{
	const struct variant *v = clopt__variant((size_t)i);

	return v->host && v->shallow < k ? v->shallow : k;
}

/* With the rounding of operands that the row does, if math is not 0. */
static void run(struct clopt *ctx, struct product *p, int math)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	size_t e;

	for (e = 0; e < p->parts * M * N; e++)
		p->c[e] = -1.0f;
	g.type = p->parts == 2 ? CLOPT_TYPE_COMPLEX_FLOAT : CLOPT_TYPE_FLOAT;
	g.math = math;
	g.m = M;
	g.n = N;
	g.k = p->k;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, p->a, p->b, p->c));
}

static int same(float x, double y)
{
	return isnan(y) ? isnan(x) : isinf(y) ? isinf(x) && (x > 0) == (y > 0) : x == (float)y;
}

/* Two terms, first and last of a real sum; or the last one of a complex sum. */
struct term {
	float a[2], b[2];
	double c[2];
};
static const struct term real_terms[] = {
	{ { INFINITY, 0 }, { 2, 0 }, { INFINITY } },
	{ { -INFINITY, 1 }, { 2, 1 }, { -INFINITY } },
	{ { 1, 1 }, { 1, INFINITY }, { INFINITY } },
	{ { INFINITY, -INFINITY }, { 1, 1 }, { NAN } },
	{ { INFINITY, 1 }, { 0, 1 }, { NAN } },
	{ { NAN, 1 }, { 1, 1 }, { NAN } },
	{ { 1, -NAN }, { 1, 1 }, { NAN } },
	{ { 1, 0 }, { 1, NAN }, { NAN } },
	{ { FLT_MAX, 0 }, { 1, 0 }, { FLT_MAX } },
	{ { FLT_MAX, 1 }, { -0.5f, 0 }, { -FLT_MAX / 2 } },
	{ { FLT_MAX, 0 }, { 2, 0 }, { INFINITY } },
	{ { -FLT_MAX, -FLT_MAX }, { 1, 1 }, { -INFINITY } },
	{ { 0x1.fffp127f, 0 }, { 1, 0 }, { 0x1.fffp127 } },
	{ { 0x1p100f, 0 }, { 0x1p100f, 0 }, { INFINITY } },
	{ { 0x1p-100f, 0x1p-100f }, { 0x1p100f, 0x1p100f }, { 2 } },
	{ { 0x1.000002p0f, 0 }, { 1, 0 }, { 0x1.000002p0 } },
	{ { 0x1.fffffep0f, 0 }, { 0x1p-30f, 0 }, { 0x1.fffffep-30 } },
};
static const struct term complex_terms[] = {
	{ { INFINITY, 0 }, { 2, 0 }, { INFINITY, NAN } },
	{ { INFINITY, 1 }, { 2, -1 }, { INFINITY, -INFINITY } },
	{ { 1, 2 }, { 3, INFINITY }, { -INFINITY, INFINITY } },
	{ { 1, NAN }, { 1, 1 }, { NAN, NAN } },
	{ { INFINITY, INFINITY }, { 1, 1 }, { NAN, INFINITY } },
	{ { FLT_MAX, 0 }, { 1, 0 }, { FLT_MAX, 0 } },
	{ { 0, 0x1.fffp127f }, { 0, 1 }, { -0x1.fffp127, 0 } },
	{ { 0, FLT_MAX }, { 2, 0 }, { 0, INFINITY } },
};

/* Infinities, NaN and numbers that a part would round to infinity are as in sums of real products;
 * other rows and columns are not affected. */
static void expect_terms(int row, size_t parts, const struct term *terms, size_t count)
{
	const size_t i = M - 2, j = N - 3;
	struct clopt *ctx =
	        open_type(row, parts == 2 ? CLOPT_TYPE_COMPLEX_FLOAT : CLOPT_TYPE_FLOAT, 1);
	struct product p;
	size_t s, e;

	if (!ctx)
		return;
	p = make(37, parts);
	for (s = 0; s < count; s++) {
		const struct term *t = &terms[s];
		const float *c = p.c + parts * (i * N + j);
		float *a = p.a + parts * (i * p.k + p.k - 1);
		float *b = p.b + parts * ((p.k - 1) * N + j);

		if (parts == 1) {
			p.a[i * p.k] = t->a[0];
			p.b[j] = t->b[0];
		}
		memcpy(a, t->a + 2 - parts, parts * sizeof *a);
		memcpy(b, t->b + 2 - parts, parts * sizeof *b);
		run(ctx, &p, 0);
		ck_assert_msg(same(c[0], t->c[0]) && (parts == 1 || same(c[1], t->c[1])),
		              "%s, term %zu: %g, not %g", clopt_variant_name((size_t)row), s,
		              (double)c[0], t->c[0]);
		for (e = 0; e < parts * M * N; e++)
			ck_assert(e / parts / N == i || e / parts % N == j || p.c[e] == 0.0f);
	}
	release(&p);
	test_close(ctx);
}

START_TEST(infinities_and_nans)
{
	expect_terms(_i, 1, real_terms, sizeof real_terms / sizeof *real_terms);
	expect_terms(_i, 2, complex_terms, sizeof complex_terms / sizeof *complex_terms);
}
END_TEST

/* Also where operands are rounded to fewer bits, a NaN of any bits stays NaN, NVIDIA's own (all
 * bits set) among them, and numbers keep float32's range: none becomes infinite by rounding. */
START_TEST(nans_and_range_stay)
{
	static const unsigned bits[] = { 0x7fffffff, 0xffffffff, 0x7ff00000, 0x7fc00000,
		                         0x7fc00001, 0x7f800001, 0xff801fff };
	static const float ends[] = { FLT_MAX, -FLT_MAX, 0x1.fffp127f, 0x1p-126f };
	const struct variant *v = clopt__variant((size_t)_i);
	struct clopt *ctx = open_row(_i, 0);
	struct product p;
	size_t s;

	if (!ctx)
		return;
	p = make(37, 1);
	for (s = 0; s < sizeof bits / sizeof *bits; s++) {
		memcpy(&p.a[5 * p.k + 3], &bits[s], sizeof bits[s]);
		memcpy(&p.b[4 * N + 7], &bits[s], sizeof bits[s]);
		run(ctx, &p, v->math);
		ck_assert_msg(isnan(p.c[5 * N + 1]) && isnan(p.c[2 * N + 7]) && p.c[0] == 0.0f,
		              "%s, %08x: %g and %g", v->name, bits[s], (double)p.c[5 * N + 1],
		              (double)p.c[2 * N + 7]);
	}
	p.a[2 * p.k + 4] = p.b[3 * N + 1] = 1.0f;
	for (s = 0; s < sizeof ends / sizeof *ends; s++) {
		const double most = fabs((double)ends[s]) * 0x1p-9;

		p.a[5 * p.k + 3] = p.b[4 * N + 7] = ends[s];
		run(ctx, &p, v->math);
		ck_assert_msg(fabs((double)p.c[5 * N + 1] - (double)ends[s]) <= most &&
		                      fabs((double)p.c[2 * N + 7] - (double)ends[s]) <= most,
		              "%s, %g: %g and %g", v->name, (double)ends[s], (double)p.c[5 * N + 1],
		              (double)p.c[2 * N + 7]);
	}
	release(&p);
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
	p = make(depth_of(_i, 900), 1);
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

/* ---- Errors --------------------------------------------------------------------------- */

enum kind {
	POSITIVE, /* 0 to 1 */
	SIGNED, /* -1/2 to 1/2 */
	POSITIVE_SCALED, /* the same, with rows and columns scaled by up to 2^20 */
	SIGNED_SCALED,
	SOME_DENORMAL, /* of op(A) every third row, of op(B) every fifth column, in halves */
	SMALL_A, /* below 2^-124, every third row denormal in 16 terms and otherwise 0; B large */
	SMALL_B
};

/* The same numbers on every machine. */
static double uniform(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) * 0x1p-24;
}

struct numbers {
	enum kind kind;
	unsigned state;
};

/* A number of line i of op(A), or op(B), in term p. */
static double draw(void *user, int of_b, size_t i, size_t p)
{
	struct numbers *n = user;
	const enum kind kind = n->kind;
	const double x = uniform(&n->state);
	const int signs = kind != POSITIVE && kind != POSITIVE_SCALED;
	const double y = signs ? x - 0.5 : x;

	switch (kind) {
	case POSITIVE_SCALED:
	case SIGNED_SCALED:
		return ldexp(y, (int)(i * (of_b ? 5 : 7) % 41) - 20);
	case SOME_DENORMAL:
		return i % (of_b ? 5 : 3) == (of_b ? 1 : 0) ? ldexp(y, -14) : y;
	case SMALL_A:
	case SMALL_B:
		if ((kind == SMALL_B) != of_b)
			return ldexp(y < 0 ? y - 0.5 : y + 0.5, 101);
		/* Each of the first three steps of 16 has some. */
		return i % 3 ? ldexp(y, -124) : p / 16 == i / 3 % 3 ? ldexp(y, -126) : 0;
	default:
		return y;
	}
}

struct typed {
	int type;
	size_t m, n, k;
	int transa, transb, triangle;
	double alpha, beta;
};

/* Each number is rounded once, and has the error of float32 sums: of one sign, one term after the
 * other, these may err by k / 2 units, and do by less than the root of k.  (11 bits for operands
 * are 8192 units.) */
static void expect_sums(struct clopt *ctx, const struct typed *s, enum kind kind, const char *row)
{
	const double terms = (double)s->k * (s->type >> 8 == 2 ? 2 : 1);
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct numbers numbers = { kind, 7 };

	g.type = s->type;
	g.m = s->m;
	g.n = s->n;
	g.k = s->k;
	g.transa = s->transa;
	g.transb = s->transb;
	g.triangle = s->triangle;
	g.alpha = s->alpha;
	g.beta = s->beta;
	product_of(ctx, &g, draw, &numbers, kind >= SMALL_A ? terms : 8 + sqrt(terms), row);
}

#define NO CLOPT_TRANS_NO
#define YES CLOPT_TRANS_YES

START_TEST(errors_are_those_of_float32)
{
	static const size_t depths[] = { 1, 3, 16, 100, 1000, 5000 };
	struct typed s = { CLOPT_TYPE_FLOAT, M, N, 0, NO, NO, 0, 1, 0 };
	size_t d;
	int form, kind;

	for (form = 0; form < 2; form++) {
		struct clopt *ctx = open_type(_i, s.type, 1);

		for (d = 0; ctx && d < sizeof depths / sizeof *depths; d++) {
			s.k = depth_of(_i, depths[d] >> form);
			for (kind = POSITIVE; s.k && kind <= (form ? SIGNED : SIGNED_SCALED);
			     kind++)
				if (in_turn(ctx, _i, (int)d + kind, form ? 2 : 4))
					expect_sums(ctx, &s, (enum kind)kind,
					            clopt_variant_name((size_t)_i));
		}
		if (ctx)
			test_close(ctx);
		s.type = CLOPT_TYPE_COMPLEX_FLOAT;
	}
}
END_TEST

static const struct typed halves[] = {
	{ CLOPT_TYPE_HALF, 17, 17, 800, NO, NO, 0, 1, 0 },
	{ CLOPT_TYPE_HALF, 17, 40, 5000, YES, NO, 0, 0.5, 0 },
	{ CLOPT_TYPE_HALF, 9, 3, 100000, NO, YES, 0, 0.25, -0.5 },
	{ CLOPT_TYPE_HALF, 1, 30, 9000, NO, NO, 0, 1, 1 },
	{ CLOPT_TYPE_HALF, 100, 100, 2000, YES, YES, CLOPT_UPLO_LOWER, 1, 0 },
};

START_TEST(half_sums)
{
	static const int kinds[] = { POSITIVE, SIGNED, SOME_DENORMAL };
	const struct variant *v = clopt__variant((size_t)_i);
	struct clopt *ctx = open_type(_i, CLOPT_TYPE_HALF, 0);
	uint16_t a[17 * 800], b[800 * 17], c[17 * 17];
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	size_t e, kind;

	if (!ctx)
		return;
	/* 16, then -16, times 16: zero, with partial sums beyond half's range. */
	for (e = 0; e < 17 * 800; e++) {
		a[e] = e % 800 < 400 ? 0x4c00 : 0xcc00;
		b[e] = 0x4c00;
	}
	g.type = CLOPT_TYPE_HALF;
	g.m = g.n = 17;
	g.k = 800;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, c));
	for (e = 0; e < 17 * 17; e++)
		ck_assert_msg((c[e] & 0x7fff) == 0, "%s: %04x", v->name, c[e]);
	for (e = 0; e < sizeof halves / sizeof *halves; e++) {
		/* Such long sums are truncated too much, or slow by matrix instructions that the
		 * device lacks. */
		if ((test_alike_before(ctx, _i) && (_i + (int)e) % 3) ||
		    (v->shallow && halves[e].k > v->shallow) ||
		    (v->likes & ~ctx->device.traits & (T_MFMA | T_WMMA | T_WMMA12) &&
		     halves[e].k > 5000))
			continue;
		for (kind = 0; kind < (halves[e].k > 5000 ? 2 : 3); kind++)
			expect_sums(ctx, &halves[e], (enum kind)kinds[kind], v->name);
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
		expect_sums(ctx, &halves[e], e % 2 ? SIGNED : POSITIVE, "in parts");
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert(report.sum_parts > 1 || 4 * halves[e].k < limits[_i]);
	}
	test_close(ctx);
}
END_TEST

static uint16_t bfloat16(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (uint16_t)(bits >> 16); /* exact here */
}

/* One product and one sum of two terms, each rounded once, to the nearest even. */
START_TEST(rounded_to_bfloat16)
{
	static const struct {
		float a[2], b[2];
		uint32_t want; /* bits of a float */
	} cases[] = {
		{ { 1, 0x1p-8f }, { 1, 1 }, 0x3f800000 }, /* a tie goes down to even */
		{ { 0x1.02p0f, 0x1p-8f }, { 1, 1 }, 0x3f820000 }, /* or up */
		{ { 1, 0x1.02p-8f }, { 1, 1 }, 0x3f810000 }, /* more than half */
		{ { -1, -0x1.02p-8f }, { 1, 1 }, 0xbf810000 },
		{ { 0x1.fep127f, 0 }, { 1, 0 }, 0x7f7f0000 },
		{ { 0x1.fep127f, 0x1p119f }, { 1, 1 }, 0x7f800000 }, /* up to infinity */
		{ { (float)INFINITY, 1 }, { -1, 1 }, 0xff800000 },
		{ { 0, 0 }, { 0, 0 }, 0 },
	};
	struct clopt *ctx;
	size_t i, j;

	if (!(ctx = open_type(_i, CLOPT_TYPE_BFLOAT16, 0)))
		return;
	for (i = 0; i <= sizeof cases / sizeof *cases; i++) {
		const int nan = i == sizeof cases / sizeof *cases;
		uint16_t a[2], b[2], c = 0xffff;
		struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

		for (j = 0; j < 2; j++) {
			a[j] = nan ? 0x7f81 : bfloat16(cases[i].a[j]); /* a signalling one */
			b[j] = bfloat16(nan ? 1 : cases[i].b[j]);
		}
		g.type = CLOPT_TYPE_BFLOAT16;
		g.m = g.n = g.ldb = g.ldc = 1;
		g.k = g.lda = 2;
		CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, &c));
		if (nan)
			ck_assert_msg((c & 0x7fff) > 0x7f80, "NaN became %04x", c);
		else
			ck_assert_msg(c == cases[i].want >> 16, "case %zu: %04x, not %04x", i, c,
			              cases[i].want >> 16);
	}
	test_close(ctx);
}
END_TEST

/* A row that loses denormals is found. */
START_TEST(bfloat16_denormals)
{
	const struct typed s = { CLOPT_TYPE_BFLOAT16, 35, 35, 70, NO, NO, 0, 1, 0 };
	struct clopt *ctx = open_type(_i, CLOPT_TYPE_BFLOAT16, 0);
	cl_device_fp_config numbers = 0;
	int kind;

	if (!ctx)
		return;
	clGetDeviceInfo(ctx->device.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof numbers, &numbers, NULL);
	for (kind = SMALL_A; kind <= SMALL_B && numbers & CL_FP_DENORM; kind++)
		expect_sums(ctx, &s, (enum kind)kind, clopt_variant_name((size_t)_i));
	test_close(ctx);
}
END_TEST

/* ---- Choice, and numbers ------------------------------------------------------------------ */

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
	test_add_rows(c, nans_and_range_stay, 0, n);
	test_add_rows(c, errors_are_those_of_float32, 0, n);
	test_add_rows(c, alpha_comes_last, 0, n);
	test_add_rows(c, half_sums, 0, n);
	test_add_rows(c, bfloat16_denormals, 0, n);
	test_add_rows(c, rounded_to_bfloat16, 0, n);
	test_add_rows(c, half_sums_in_parts, 0, 3);
}
