/* SPDX-License-Identifier: MIT */
/*
 * uneven.c - transposes of matrices whose rows begin anywhere: the table's rows for
 * them are picked for them and for no others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "kernel/kernel.h"
#include "move/move.h"
#include "table/table.h"
#include "suites.h"
#include "transpose.h"
#include "wrap.h"

/* Two arrays of whole pages, with rows of 2048 bytes and an element on both sides: kernels for
 * processors take the blocks in another order. */
START_TEST(alike_modulo_pages)
{
	static const char *const rows[] = { "transpose/twin-256", "transpose/wide-512",
		                            "transpose/panel-256", "transpose/wide-256" };
	const size_t elem = (size_t)1 << _i, ld = 2048 / elem + 1;
	const size_t n = clopt__smaller(ld, 300), bytes = n * ld * elem;
	void *in, *out;
	unsigned char *first = transpose_pattern(bytes), *want = transpose_pattern(bytes);
	struct clopt *ctx = test_open(NULL);
	size_t i;

	ck_assert(!posix_memalign(&in, 4096, bytes) && !posix_memalign(&out, 4096, bytes));
	memcpy(in, first, bytes);
	transpose_reference(n, n, elem, first, ld, want, ld);
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK_OK(ctx, clopt_force_variants(ctx, rows[i]));
		memcpy(out, first, bytes);
		if (clopt_transpose(ctx, n, n, elem, in, ld, out, ld) != CLOPT_ENOVARIANT)
			ck_assert_msg(!memcmp(out, want, bytes), "%s, %zu bytes", rows[i], elem);
	}
	test_close(ctx);
	free(in);
	free(out);
}
END_TEST

/* ---- Choosing ------------------------------------------------------------------ */

static void no_compiler(const char *const *lines, size_t count, const char *options)
{
}

/* Pretends to be a GPU of NVIDIA's, for which no kernel builds. */
static struct clopt *open_nvidia(void)
{
	wrap_pretend(&wrap_nvidia);
	wrap_builds(no_compiler);
	return test_open(NULL);
}

static void close_nvidia(struct clopt *ctx)
{
	test_close(ctx);
	wrap_builds(NULL);
	wrap_pretend(NULL);
}

/* Which uneven matrices the first row tried, and so struck out, is for.  For those of GPUs there is
 * none of eight bytes and more. */
static int tried_uneven(struct clopt *ctx, size_t elem)
{
	const struct clopt_problem asked = { .size = sizeof asked,
		                             .op = CLOPT_OP_TRANSPOSE,
		                             .elem_bytes = elem };
	const struct variant *v = clopt__variant(0);
	struct clopt_problem p;

	CHECK_OK(ctx, clopt__problem_read(ctx, &asked, &p));
	while (v && (v->op != CLOPT_OP_TRANSPOSE || !clopt__struck_out(ctx, v, &p)))
		v = clopt__next_variant(v);
	ck_assert(v && v->types & elem);
	return v->uneven;
}

/* One matrix or two, elements of one to sixteen bytes; leading dimensions and strides that are
 * whole chunks, or for processors lines, of any of them, or of none but the largest. */
static const struct {
	size_t rows, cols, ld_in, ld_out, stride_in, stride_out, count;
	int on_buffers, on_host;
	unsigned on_processor; /* sizes of elements, ORed */
} calls[] = {
	{ 64, 64, 64, 64, 0, 0, 1, 0, 0, 0 },
	{ 63, 61, 64, 64, 0, 0, 1, 0, 0, 0 },
	{ 63, 64, 64, 63, 0, 0, 1, 1, 0, 2 | 4 | 8 },
	{ 64, 64, 65, 64, 0, 0, 1, 1, 0, 0 },
	{ 64, 64, 64, 64, 4096, 4096, 2, 0, 0, 0 },
	{ 64, 64, 64, 64, 4097, 4096, 2, 1, 0, 0 },
	{ 64, 64, 64, 64, 4096, 4099, 2, 1, 0, 2 | 4 | 8 },
	{ 64, 61, 61, 64, 4096, 4096, 2, 1, 1, 0 },
	{ 48, 64, 64, 48, 0, 0, 1, 0, 0, 2 },
};
#define CALLS (int)(sizeof calls / sizeof *calls)
#define ELEMENTS 10000 /* room for any of those */

/* A processor with vectors of 64 bytes and much local memory, for which no kernel builds. */
static struct clopt *open_processor(unsigned *traits)
{
	struct clopt *ctx;

	wrap_builds(no_compiler);
	ctx = test_open(NULL);
	*traits = ctx->device.traits;
	ctx->device.traits = T_CPU | T_WIDE16 | T_HUGELOCAL | T_UNIFIED;
	return ctx;
}

static void close_processor(struct clopt *ctx, unsigned traits)
{
	ctx->device.traits = traits;
	test_close(ctx);
	wrap_builds(NULL);
}

/* On buffers; on host arrays, where rows are laid out anew, but not within matrices of a batch; and
 * on a processor, which works on host arrays where they are. */
START_TEST(picked)
{
	const size_t elem = (size_t)1 << _i % 5, n = (size_t)_i / 5 % CALLS,
	             way = (size_t)_i / 5 / CALLS;
	unsigned char *in = transpose_pattern(ELEMENTS * elem);
	unsigned char *out = transpose_pattern(ELEMENTS * elem);
	struct clopt_buffer *from, *to;
	unsigned traits;
	struct clopt *ctx = way == 2 ? open_processor(&traits) : open_nvidia();

#define LAYOUT(in, out) \
	ctx, calls[n].rows, calls[n].cols, elem, in, calls[n].ld_in, calls[n].stride_in, out, \
	        calls[n].ld_out, calls[n].stride_out, calls[n].count
	CHECK_OK(ctx, clopt_buffer_new(ctx, ELEMENTS * elem, &from));
	CHECK_OK(ctx, clopt_buffer_new(ctx, ELEMENTS * elem, &to));
	ck_assert_int_eq(way ? clopt_transpose_strided_batched(LAYOUT(in, out)) :
	                       clopt_transpose_strided_batched_buffers(LAYOUT(from, to), NULL),
	                 CLOPT_ENOVARIANT);
	ck_assert_int_eq(tried_uneven(ctx, elem),
	                 way == 2 ? (calls[n].on_processor & elem ? UNEVEN_RESULT : 0) :
	                            elem < 8 && (way ? calls[n].on_host : calls[n].on_buffers));
	clopt_buffer_free(from);
	clopt_buffer_free(to);
	if (way == 2)
		close_processor(ctx, traits);
	else
		close_nvidia(ctx);
}
END_TEST

/* Rows of whole lines in a view are all at one distance from a line, which other rows can skip. */
START_TEST(picked_on_views)
{
	const size_t offset = (size_t)_i * 16;
	struct clopt_buffer *in, *out, *view;
	unsigned traits;
	struct clopt *ctx = open_processor(&traits);

	CHECK_OK(ctx, clopt_buffer_new(ctx, ELEMENTS * 4, &in));
	CHECK_OK(ctx, clopt_buffer_new(ctx, ELEMENTS * 4, &out));
	CHECK_OK(ctx, clopt_buffer_view(out, offset, 64 * 68 * 4, &view));
	ck_assert_int_eq(clopt_transpose_buffers(ctx, 64, 64, 4, in, 64, view, 64, NULL),
	                 CLOPT_ENOVARIANT);
	ck_assert_int_eq(tried_uneven(ctx, 4), 0);
	ck_assert_int_eq(clopt_transpose_buffers(ctx, 64, 64, 4, in, 64, view, 68, NULL),
	                 CLOPT_ENOVARIANT);
	ck_assert_int_eq(tried_uneven(ctx, 4), UNEVEN_RESULT);
	clopt_buffer_free(view);
	clopt_buffer_free(in);
	clopt_buffer_free(out);
	close_processor(ctx, traits);
}
END_TEST

static const char *class_of(struct clopt *ctx, struct clopt_problem p)
{
	static char text[256];

	CHECK_OK(ctx, clopt_problem_class(ctx, &p, text, sizeof text));
	return text;
}

/* Records of results on lines are not for those off lines, which GPUs write alike.  A problem that
 * does not say it is that of host arrays without gaps. */
START_TEST(classes)
{
	struct clopt *ctx = test_open(NULL);
	const unsigned traits = ctx->device.traits;
	struct clopt_problem p = {
		.size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 2052, 2052 }, .uneven = 2
	};

	ctx->device.traits = T_CPU;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048 off lines");
	p.uneven = 3;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048 uneven off lines");
	p.uneven = 0;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048");
	ctx->device.traits = T_CPU | T_UNIFIED;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048 off lines");
	p.dim[1] = 2049;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048 uneven off lines");
	p.dim[0] = 2048;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048 uneven");
	ctx->device.traits = T_GPU;
	p.uneven = 2;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048");
	p.uneven = 3;
	ck_assert_str_eq(class_of(ctx, p), "transpose 4 bytes 2048x2048 uneven");
	ctx->device.traits = traits;
	test_close(ctx);
}
END_TEST

/* Answers name the row that serves host arrays without gaps. */
START_TEST(answers)
{
	static const size_t sizes[] = { 2048, 2049, 2052 };
	const size_t n = sizes[_i], bytes = n * n * sizeof(float);
	struct clopt_report report = { .size = sizeof report };
	struct clopt_plan_info plan = { .size = sizeof plan, .dry = 1 };
	const struct clopt_problem p = { .size = sizeof p,
		                         .op = CLOPT_OP_TRANSPOSE,
		                         .dim = { n, n } };
	unsigned char *in = transpose_pattern(bytes), *out = transpose_pattern(bytes);
	struct clopt *ctx = test_open(NULL);

	CHECK_OK(ctx, clopt_transpose(ctx, n, n, sizeof(float), in, n, out, n));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), report.variant);
	ck_assert_str_eq(clopt_expected_variant(ctx, &p), report.variant);
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_str_eq(plan.variant, report.variant);
	test_close(ctx);
}
END_TEST

/* Each member of a context has the row for its own layout: on one with memory of its own rows get
 * their best pitch. */
START_TEST(members)
{
	const size_t n = 2052, bytes = n * n * sizeof(float);
	unsigned char *in = transpose_pattern(bytes), *out = transpose_pattern(bytes);
	const struct clopt_problem p = { .size = sizeof p,
		                         .op = CLOPT_OP_TRANSPOSE,
		                         .dim = { n, n } };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx, *member[2];
	unsigned traits = 0;
	int i;

	o.share = CLOPT_SHARE_EVERY;
	for (i = 0; i < 2; i++) {
		member[i] = test_open(&o);
		traits = member[i]->device.traits;
		member[i]->device.traits = T_CPU | T_WIDE16 | T_HUGELOCAL;
		member[i]->device.traits |= i == _i ? 0 : traits & T_UNIFIED;
	}
	CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, sizeof(float), in, n, out, n));
	for (i = 0; i < 2; i++) {
		ck_assert_str_eq(member[i]->report.variant, clopt_expected_variant(member[i], &p));
		member[i]->device.traits = traits;
	}
	test_close(ctx);
}
END_TEST

/* Records of even matrices are not for uneven ones, which are timed as they are. */
START_TEST(records_and_queries)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = {
		.size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 100, 128 }, .uneven = 1
	};
	char text[4096];
	double seconds = 0;

	CHECK_OK(ctx, clopt_problem_class(ctx, &p, text, sizeof text));
	ck_assert_str_eq(text, "transpose 4 bytes 128x128 uneven");
	for (p.batch = 1; p.batch <= 3; p.batch += 2)
		for (p.uneven = 1; p.uneven <= 3; p.uneven++) {
			const int rc =
			        clopt_time_variant(ctx, &p, "transpose/tile-64x128", 0, &seconds);

			if (test_lacks_local(ctx, rc, "transpose/tile-64x128"))
				continue;
			CHECK_OK(ctx, rc);
			ck_assert(seconds > 0);
		}
	p.uneven = 1;
	p.elem_bytes = 16;
	CHECK_OK(ctx, clopt_problem_class(ctx, &p, text, sizeof text));
	ck_assert_ptr_null(strstr(text, "uneven"));
	test_close(ctx);
}
END_TEST

void transpose_uneven_tests(TCase *c)
{
	test_add_rows(c, alike_modulo_pages, 0, 5);
	test_add_rows(c, picked, 0, 3 * 5 * CALLS);
	test_add_rows(c, picked_on_views, 0, 4);
	tcase_add_test(c, classes);
	test_add_rows(c, answers, 0, 3);
	test_add_rows(c, members, 0, 2);
	tcase_add_test(c, records_and_queries);
}
