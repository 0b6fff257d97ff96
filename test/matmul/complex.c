/* SPDX-License-Identifier: MIT */
/*
 * complex.c - products of complex numbers and of bfloat16: infinities, rounding, classes.
 * walk/walk.c has every row.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/context.h"
#include "base/numbers.h"
#include "suites.h"
#include "table/table.h"

#define NT CLOPT_TRANS_NO

static int serves(struct clopt *ctx, int row, int type)
{
	struct clopt_problem p = CLOPT_PROBLEM_INIT;

	p.op = CLOPT_OP_MATMUL;
	p.type = type;
	p.dim[0] = p.dim[1] = p.dim[2] = 64;
	return clopt_variant_runs(ctx, (size_t)row, &p, NULL, 0);
}

/* ---- Values, and refusals ---------------------------------------------------------------- */

/* Factors without imaginary part leave infinities alone. */
START_TEST(infinities)
{
	struct clopt *ctx = test_open(NULL);
	const double a[2] = { 2, 0 }, b[2] = { (double)INFINITY, 1 }, one[2] = { 1, 0 };
	const double two[2] = { 2, 0 };
	double c[2] = { (double)-INFINITY, 3 };
	const double zero[2] = { 0, 0 };

	CHECK_OK(ctx, clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 0, one, a, 1, b, 1,
	                          two, c, 1));
	ck_assert(c[0] == (double)-INFINITY && c[1] == 6);
	CHECK_OK(ctx, clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 1, two, a, 1, a, 1,
	                          zero, c, 1));
	ck_assert(c[0] == 8 && c[1] == 0);
	CHECK_OK(ctx, clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 1, two, a, 1, b, 1,
	                          zero, c, 1));
	ck_assert(c[0] == (double)INFINITY);
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

	if (clopt_variant_op((size_t)_i) != CLOPT_OP_MATMUL || !(ctx = test_open_row(_i, NULL)))
		return;
	for (i = 0; serves(ctx, _i, CLOPT_TYPE_BFLOAT16) && i <= sizeof cases / sizeof *cases;
	     i++) {
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

START_TEST(class_of_problem)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = { .size = sizeof p,
		                   .type = CLOPT_TYPE_COMPLEX_FLOAT,
		                   .dim = { 8, 8, 8 } };
	char text[160];

	CHECK_OK(ctx, clopt_problem_class(ctx, &p, text, sizeof text));
	ck_assert_str_eq(text, "matmul complex64 NN 8x8x8");
	test_close(ctx);
}
END_TEST

SUITE(complex, walk)
{
	test_add_rows(c, rounded_to_bfloat16, 0, test_rows());
	if (test_in_part(3)) { /* once for all parts of the walk */
		tcase_add_test(c, infinities);
		tcase_add_test(c, class_of_problem);
	}
}
