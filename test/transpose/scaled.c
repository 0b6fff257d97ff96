/* SPDX-License-Identifier: MIT */
/*
 * scaled.c - transposes with a factor, in all forms of the call.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "suites.h"
#include "transpose.h"
#include "wrap.h"

static int scale_single(struct clopt *ctx, int form, double alpha, const float *in, float *out)
{
	struct clopt_buffer *from, *to;
	struct clopt_call *call;
	int rc;

	if (form == HOST)
		return clopt_stranspose(ctx, 35, 70, (float)alpha, in, 71, out, 37);
	if (form == STARTED) {
		rc = clopt_stranspose_start(ctx, 35, 70, (float)alpha, in, 71, out, 37, &call);
		return transpose_collected(rc, &call);
	}
	from = transpose_upload(ctx, 35 * 71 * sizeof *in, in);
	to = transpose_upload(ctx, 70 * 37 * sizeof *out, out);
	rc = clopt_stranspose_buffers(ctx, 35, 70, (float)alpha, from, 71, to, 37, NULL);
	transpose_download(ctx, to, 70 * 37 * sizeof *out, out);
	clopt_buffer_free(from);
	return rc;
}

static int scale_double(struct clopt *ctx, int form, double alpha, const double *in, double *out)
{
	struct clopt_buffer *from, *to;
	struct clopt_call *call;
	int rc;

	if (form == HOST)
		return clopt_dtranspose(ctx, 35, 70, alpha, in, 71, out, 37);
	if (form == STARTED) {
		rc = clopt_dtranspose_start(ctx, 35, 70, alpha, in, 71, out, 37, &call);
		return transpose_collected(rc, &call);
	}
	from = transpose_upload(ctx, 35 * 71 * sizeof *in, in);
	to = transpose_upload(ctx, 70 * 37 * sizeof *out, out);
	rc = clopt_dtranspose_buffers(ctx, 35, 70, alpha, from, 71, to, 37, NULL);
	transpose_download(ctx, to, 70 * 37 * sizeof *out, out);
	clopt_buffer_free(from);
	return rc;
}

/* A factor of zero gives zeros, also of NaN; each product is rounded once; gaps are kept. */
START_TEST(scaled)
{
	static const double alphas[] = { 0.0, -0.5, 1.0, 0.1 };
	static float in[35 * 71], out[70 * 37];
	static double din[35 * 71], dout[70 * 37];
	struct clopt *ctx = test_open(NULL);
	struct clopt_device_info info = { .size = sizeof info };
	const double alpha = alphas[_i / FORMS];
	size_t i, j;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	for (i = 0; i < 35 * 71; i++) {
		in[i] = alpha == 0.0 ? NAN : (float)i / 7;
		din[i] = alpha == 0.0 ? NAN : (double)i / 7;
	}
	for (i = 0; i < 70 * 37; i++)
		out[i] = dout[i] = -3;
	CHECK_OK(ctx, scale_single(ctx, _i % FORMS, alpha, in, out));
	if (info.fp64)
		CHECK_OK(ctx, scale_double(ctx, _i % FORMS, alpha, din, dout));
	for (j = 0; j < 70; j++)
		for (i = 0; i < 37; i++) {
			const float f = (float)alpha * in[(i % 35) * 71 + j];
			const double d = alpha * din[(i % 35) * 71 + j];
			const double want = alpha == 0.0 ? 0.0 : d;

			ck_assert(out[j * 37 + i] == (i >= 35 ? -3.0f : alpha == 0.0 ? 0.0f : f));
			ck_assert(!info.fp64 || dout[j * 37 + i] == (i >= 35 ? -3.0 : want));
		}
	test_close(ctx);
}
END_TEST

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
	ck_assert_ptr_nonnull(strstr(text, "of 4 bytes scaled times 3"));
	p.elem_bytes = 32;
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	test_close(ctx);
}
END_TEST

void transpose_scaled_tests(TCase *c)
{
	test_add_rows(c, scaled, 0, 4 * FORMS);
	tcase_add_test(c, scaled_by_one);
	tcase_add_test(c, asked);
}
