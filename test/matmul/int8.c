/* SPDX-License-Identifier: MIT */
/*
 * int8.c - products of doubles by products of 8-bit integers (CLOPT_MATH_INT8): errors against long
 * double, bits that all devices share, exact results of integers, and elements that are computed in
 * double.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "suites.h"
#include "table/table.h"

static int math; /* of the row */

enum {
	M = 75,
	N = 43,
	K = 150
};

/* A product op(A) op(B) of doubles, or complex ones, in arrays with gaps. */
struct product {
	size_t m, n, k, parts, lda, ldb, ldc;
	int transa, transb;
	double *a, *b, *c;
};

static double random_of(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (double)(*state >> 8) * 0x1p-23 - 1;
}

static struct product make(int type, int transa, int transb, size_t k)
{
	struct product p = { .m = M, .n = N, .k = k, .transa = transa, .transb = transb };
	const int ta = transa != CLOPT_TRANS_NO, tb = transb != CLOPT_TRANS_NO;

	p.parts = type == CLOPT_TYPE_DOUBLE ? 1 : 2;
	p.lda = (ta ? M : k) + 3;
	p.ldb = (tb ? k : N) + 1;
	p.ldc = N + 2;
	p.a = calloc(p.parts * p.lda * (ta ? k : M) + 1, sizeof *p.a);
	p.b = calloc(p.parts * p.ldb * (tb ? N : k) + 1, sizeof *p.b);
	p.c = calloc(p.parts * p.ldc * M, sizeof *p.c);
	ck_assert(p.a && p.b && p.c);
	return p;
}

static void release(struct product *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
}

/* A number of an element of op(A) or op(B), as stored. */
static double *at_a(const struct product *p, size_t i, size_t q, size_t part)
{
	return &p->a[p->parts * (p->transa == CLOPT_TRANS_NO ? i * p->lda + q : q * p->lda + i) +
	             part];
}

static double *at_b(const struct product *p, size_t q, size_t j, size_t part)
{
	return &p->b[p->parts * (p->transb == CLOPT_TRANS_NO ? q * p->ldb + j : j * p->ldb + q) +
	             part];
}

/* Row i and column j are numbers from -1 to 1 times 2 to a random power up to `spread` of the
 * element, and up to `lines` of its line. */
static void fill(struct product *p, int spread, int lines)
{
	unsigned state = 7;
	size_t i, q, h;

	for (i = 0; i < M + N; i++) {
		const int shift = (int)(lines * random_of(&state));

		for (q = 0; q < p->k; q++)
			for (h = 0; h < p->parts; h++) {
				const double x = random_of(&state) + 0x1p-24 * random_of(&state);
				const int by = (int)(spread * random_of(&state));

				*(i < M ? at_a(p, i, q, h) : at_b(p, q, i - M, h)) =
				        ldexp(x, by + shift);
			}
	}
}

static int run(struct clopt *ctx, const struct product *p)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	g.type = p->parts == 1 ? CLOPT_TYPE_DOUBLE : CLOPT_TYPE_COMPLEX_DOUBLE;
	g.math = math;
	g.transa = p->transa;
	g.transb = p->transb;
	g.m = p->m;
	g.n = p->n;
	g.k = p->k;
	g.lda = p->lda;
	g.ldb = p->ldb;
	g.ldc = p->ldc;
	return clopt_gemm(ctx, &g, p->a, p->b, p->c);
}

/* The terms of one number of the result in long double, and the norms of its lines. */
static long double sum_of(const struct product *p, size_t i, size_t j, size_t part, double *norms)
{
	const double sign_a = p->transa == CLOPT_TRANS_CONJ ? -1 : 1;
	const double sign_b = p->transb == CLOPT_TRANS_CONJ ? -1 : 1;
	long double sum = 0, some = 0, a2 = 0, b2 = 0; /* some: of terms since the last 256th */
	size_t q;

	for (q = 0; q < p->k; q++) {
		const long double re = *at_a(p, i, q, 0), x = *at_b(p, q, j, 0);
		const long double im = p->parts == 2 ? sign_a * *at_a(p, i, q, 1) : 0;
		const long double y = p->parts == 2 ? sign_b * *at_b(p, q, j, 1) : 0;

		some += part ? re * y + im * x : re * x - im * y;
		if (q % 256 == 255) {
			sum += some;
			some = 0;
		}
		a2 += re * re + im * im;
		b2 += x * x + y * y;
	}
	*norms = (double)(sqrtl(a2) * sqrtl(b2));
	return sum + some;
}

/* Largest error, in norms of the lines; with CLOPT_MATH_INT8_FINE beyond its part of the sum. */
static double worst(const struct product *p)
{
	double most = 0, norms;
	size_t i, j, h;

	for (i = 0; i < p->m; i++)
		for (j = 0; j < p->n; j++)
			for (h = 0; h < p->parts; h++) {
				const long double want = sum_of(p, i, j, h, &norms);
				const long double is = p->c[p->parts * (i * p->ldc + j) + h];
				const long double sum =
				        math == CLOPT_MATH_INT8_FINE ? 0x1p-52L * fabsl(want) : 0;
				const double off = (double)(fabsl(is - want) - sum);

				ck_assert(off <= DBL_MAX);
				most = fmax(most, off > 0 ? off / norms : 0);
			}
	return most;
}

/* A context with row i forced, or NULL if the row is another. */
static struct clopt *open_row(int i)
{
	const struct variant *v = clopt__variant((size_t)i);
	struct clopt *ctx;

	if (v->moduli < 2) /* not of doubles */
		return NULL;
	math = v->math;
	ctx = test_open_row(i, NULL);
	return ctx;
}

/* The digest of C's numbers, by FNV-1a with words for bytes. */
static uint64_t digest_of(const struct product *p)
{
	uint64_t digest = 0xcbf29ce484222325, word;
	size_t i, j;

	for (i = 0; i < p->m; i++)
		for (j = 0; j < p->parts * p->n; j++) {
			memcpy(&word, &p->c[p->parts * i * p->ldc + j], sizeof word);
			digest = (digest ^ word) * 0x100000001b3;
		}
	return digest;
}

static const struct {
	int type, transa, transb, spread, lines;
} kinds[] = {
	{ CLOPT_TYPE_DOUBLE, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 0, 0 },
	{ CLOPT_TYPE_DOUBLE, CLOPT_TRANS_YES, CLOPT_TRANS_NO, 30, 0 },
	{ CLOPT_TYPE_DOUBLE, CLOPT_TRANS_NO, CLOPT_TRANS_YES, 5, 400 },
	{ CLOPT_TYPE_DOUBLE, CLOPT_TRANS_YES, CLOPT_TRANS_YES, 200, 200 },
	{ CLOPT_TYPE_COMPLEX_DOUBLE, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 0, 0 },
	{ CLOPT_TYPE_COMPLEX_DOUBLE, CLOPT_TRANS_CONJ, CLOPT_TRANS_NO, 30, 0 },
	{ CLOPT_TYPE_COMPLEX_DOUBLE, CLOPT_TRANS_NO, CLOPT_TRANS_CONJ, 5, 300 },
	{ CLOPT_TYPE_COMPLEX_DOUBLE, CLOPT_TRANS_CONJ, CLOPT_TRANS_CONJ, 3, 0 },
	{ CLOPT_TYPE_COMPLEX_DOUBLE, CLOPT_TRANS_YES, CLOPT_TRANS_CONJ, 3, 0 },
};

/* Digests of their results, which all devices have, with CLOPT_MATH_INT8 and _FINE. */
static const uint64_t digests[][2] = {
	{ 0x2f1a8f78a920793b, 0x69dbfa6dcc27411c }, { 0xffd5756f14cc0ae, 0x40cd983b2d59886e },
	{ 0x288e64ebdc65c145, 0xc066d894db300889 }, { 0xb0f1a610db367287, 0xc343267183422f7a },
	{ 0xf7339be75bc714f7, 0x3567b8c2568d1d9c }, { 0x34089dfd5e4fd18b, 0xe2f0ce5c1abd8a2f },
	{ 0x7c7c97ddac67d4fa, 0x7673d0a87aca51d6 }, { 0xce5a5837507da78c, 0x729aa63185c9debd },
	{ 0x7631c8970313b6a5, 0x5baf77fb655eef69 },
};

START_TEST(errors)
{
	struct clopt *ctx = open_row(_i);
	const int fine = math == CLOPT_MATH_INT8_FINE;
	size_t e;

	for (e = 0; ctx && e < sizeof kinds / sizeof *kinds; e++) {
		struct product p = make(kinds[e].type, kinds[e].transa, kinds[e].transb, K);
		double off;

		fill(&p, kinds[e].spread, kinds[e].lines);
		CHECK_OK(ctx, run(ctx, &p));
		off = worst(&p);
		if (getenv("CLOPT_TEST_TELL"))
			printf("kind %zu: %.3g, 0x%" PRIx64 "\n", e, off, digest_of(&p));
		/* Errors of random numbers do not add up. */
		ck_assert_msg(off <= (fine ? (sqrt(2 * K) + 2) * 0x1p-61 : 2e-16), "kind %zu: %g",
		              e, off);
		ck_assert_msg(digest_of(&p) == digests[e][fine], "kind %zu: digest 0x%" PRIx64, e,
		              digest_of(&p));
		release(&p);
	}
	if (ctx)
		test_close(ctx);
}
END_TEST

/* One element against sums of doubles.  apart: of a line that may be summed in double. */
static void expect_element(const struct product *p, size_t i, size_t j, int apart, size_t e)
{
	size_t q, h;

	for (h = 0; h < p->parts; h++) {
		const double is = p->c[p->parts * (i * p->ldc + j) + h];
		double want = 0, size = 0, norms;
		const double exact = (double)sum_of(p, i, j, h, &norms);

		for (q = 0; q < p->k; q++) {
			const double re = *at_a(p, i, q, 0), x = *at_b(p, q, j, 0);
			const double im = p->parts == 2 ? *at_a(p, i, q, 1) : 0;
			const double y = p->parts == 2 ? *at_b(p, q, j, 1) : 0;

			want += h ? re * y : re * x;
			if (p->parts == 2)
				want += h ? im * x : -im * y;
			size += fabs(h ? re * y : re * x) + fabs(h ? im * x : im * y);
		}
		ck_assert_msg(
		        isnan(want) ? isnan(is) :
		        isinf(want) ? is == want :
		                      fabs(is - exact) <=
		                              4e-16 * norms +
		                                      (apart ? (double)p->k * 0x1p-52 * size +
		                                                       (double)p->k * 0x1p-1074 :
		                                               0),
		        "case %zu, C[%zu][%zu].%zu: %g, not %g", e, i, j, h, is, want);
	}
}

/* Integers whose sums are doubles: the scaled numbers are whole, and nothing is rounded. */
START_TEST(integers)
{
	struct clopt *ctx = open_row(_i);
	struct clopt_report report = CLOPT_REPORT_INIT;
	unsigned state = 3;
	size_t i, j, q;
	struct product p;

	if (!ctx)
		return;
	p = make(CLOPT_TYPE_DOUBLE, CLOPT_TRANS_NO, CLOPT_TRANS_NO, K);
	for (q = 0; q < p.k; q++) {
		for (i = 0; i < M; i++)
			*at_a(&p, i, q, 0) = rint(0x1p22 * random_of(&state));
		for (j = 0; j < N; j++)
			*at_b(&p, q, j, 0) = rint(0x1p22 * random_of(&state));
	}
	CHECK_OK(ctx, run(ctx, &p));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_int_eq(report.math, math);
	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++) {
			double norms;

			ck_assert(p.c[i * p.ldc + j] == (double)sum_of(&p, i, j, 0, &norms));
		}
	release(&p);
	test_close(ctx);
}
END_TEST

/* Lines that `run` sums in double: they have what a loop over doubles gives, and the others are not
 * affected. */
START_TEST(other_lines)
{
	static const struct {
		double x, factor; /* an element of row 5; of the whole row 5 */
		double y, column; /* the same for column 7 */
	} lines[] = {
		{ NAN, 1, 1, 1 },
		{ INFINITY, 1, 1, 1 },
		{ 1, 1, -INFINITY, 1 },
		{ INFINITY, 1, 0, 1 },
		{ 1, 0x1p600, 1, 0x1p-600 },
		{ DBL_MAX, 1, 1, 1 },
		{ DBL_MAX, 1, 4, 1 },
		{ 0x1p-1074, 0x1p-1070, 1, 0x1p400 },
		{ 0x1p-470, 0x1p-460, 1, 1 },
		{ 0x1p-1074, 0, 1, 1 },
		{ 0, 0, 1, 1 },
		{ 0, 0, NAN, 1 },
		{ 0x1p449, 1, 0x1p-449, 0 },
	};
	struct clopt *ctx = open_row(_i);
	size_t e, i, j, q;
	int complex;

	for (complex = 0; ctx && complex < 2; complex++)
		for (e = 0; e < sizeof lines / sizeof *lines; e++) {
			struct product p =
			        make(complex ? CLOPT_TYPE_COMPLEX_DOUBLE : CLOPT_TYPE_DOUBLE,
			             CLOPT_TRANS_NO, CLOPT_TRANS_YES, K);

			fill(&p, 0, 0);
			for (q = 0; q < p.parts * K; q++) {
				*at_a(&p, 5, q / p.parts, q % p.parts) *= lines[e].factor;
				*at_b(&p, q / p.parts, 7, q % p.parts) *= lines[e].column;
			}
			*at_a(&p, 5, K - 1, 0) = lines[e].x;
			*at_b(&p, K - 1, 7, 0) = lines[e].y;
			CHECK_OK(ctx, run(ctx, &p));
			for (i = 0; i < M; i++)
				for (j = 0; j < N; j++)
					expect_element(&p, i, j, i == 5 || j == 7, e);
			release(&p);
		}
	if (ctx)
		test_close(ctx);
}
END_TEST

/* The longest sums, also of equal terms, whose errors add up; a longer one is refused where the row
 * is named. */
START_TEST(longest)
{
	struct clopt *ctx = open_row(_i);
	int complex;
	size_t q;

	for (complex = 0; ctx && complex < 2; complex++) {
		struct product p = make(complex ? CLOPT_TYPE_COMPLEX_DOUBLE : CLOPT_TYPE_DOUBLE,
		                        CLOPT_TRANS_NO, CLOPT_TRANS_YES, 32769);

		fill(&p, 0, 0);
		for (q = 0; q < p.parts * p.k; q++) {
			*at_a(&p, 1, q / p.parts, q % p.parts) = 0.1;
			*at_b(&p, q / p.parts, 1, q % p.parts) = -0.1;
		}
		p.m = p.n = 3;
		p.k = 32768 / p.parts + 1;
		ck_assert_int_eq(run(ctx, &p), CLOPT_ENOVARIANT);
		ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "32768"));
		p.k--;
		CHECK_OK(ctx, run(ctx, &p));
		ck_assert(worst(&p) <=
		          (sqrt(32768) + 2) * (math == CLOPT_MATH_INT8_FINE ? 0x1p-61 : 0x1p-53));
		release(&p);
	}
	if (ctx)
		test_close(ctx);
}
END_TEST

/* Without terms there are no lines, whose exponents were read. */
START_TEST(no_terms)
{
	struct clopt *ctx = open_row(_i);
	int complex;

	for (complex = 0; ctx && complex < 2; complex++) {
		struct product p = make(complex ? CLOPT_TYPE_COMPLEX_DOUBLE : CLOPT_TYPE_DOUBLE,
		                        CLOPT_TRANS_NO, CLOPT_TRANS_NO, 0);

		p.c[1] = 7;
		p.lda = 1;
		CHECK_OK(ctx, run(ctx, &p));
		ck_assert(p.c[1] == 0);
		release(&p);
	}
	if (ctx)
		test_close(ctx);
}
END_TEST

SUITE(int8, walk)
{
	const int rows = test_rows();

	test_add_rows(c, errors, 0, rows);
	test_add_rows(c, integers, 0, rows);
	test_add_rows(c, other_lines, 0, rows);
	test_add_rows(c, longest, 0, rows);
	test_add_rows(c, no_terms, 0, rows);
}
