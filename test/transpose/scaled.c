/* SPDX-License-Identifier: MIT */
/*
 * scaled.c - transposes with a factor of one, and what may have a factor.
 */
#include <stdint.h>
#include <string.h>

#include "suites.h"
#include "transpose.h"
#include "wrap.h"

/* A factor of one moves bits, also of a signalling NaN; and a device without double can move
 * doubles but not scale them. */
START_TEST(scaled_by_one)
{
	const uint32_t bits[2] = { 0x7fa12345, 1 };
	struct clopt *ctx;
	float in[2], out[2];
	double d[1] = { 3 }, e[1];

	wrap_single(1);
	ctx = test_open(NULL);
	memcpy(in, bits, sizeof in);
	CHECK_OK(ctx, clopt_stranspose(ctx, 1, 2, 1.0f, in, 2, out, 1));
	ck_assert(!memcmp(in, out, sizeof in));
	CHECK_OK(ctx, clopt_dtranspose(ctx, 1, 1, 1.0, d, 1, e, 1));
	ck_assert(e[0] == 3);
	expect_refused(clopt_dtranspose(ctx, 1, 1, 2.0, d, 1, e, 1), CLOPT_EUNSUPPORTED, ctx,
	               "fp64");
	test_close(ctx);
	wrap_single(0);
}
END_TEST

/* Problems in queries have only valid factors. */
START_TEST(asked)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 16, 16 } };
	char text[4096];

	p.scaled = 1;
	p.elem_bytes = 4;
	p.batch = 3;
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "of 4 bytes, scaled times 3"));
	p.elem_bytes = 32;
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	test_close(ctx);
}
END_TEST

void transpose_scaled_tests(TCase *c)
{
	tcase_add_test(c, scaled_by_one);
	tcase_add_test(c, asked);
}
