/* SPDX-License-Identifier: MIT */
/*
 * forms_apart.c - routines on buffers that are parts of one buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "wrap.h"

static struct clopt *ctx;
/* left and right share their second and first quarter; last lies behind left. */
static struct clopt_buffer *a, *b, *whole, *left, *right, *last;
static size_t at; /* a quarter of the whole */

static void setup(void)
{
	struct clopt_device_info info = { .size = sizeof info };

	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	for (at = 2048; at % info.buffer_align; at += 4)
		;
	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * at, &a));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * at, &b));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * at, &whole));
	CHECK_OK(ctx, clopt_buffer_view(whole, 0, 2 * at, &left));
	CHECK_OK(ctx, clopt_buffer_view(whole, at, 2 * at, &right));
	CHECK_OK(ctx, clopt_buffer_view(whole, 2 * at, at, &last));
}

static void teardown(void)
{
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(a);
	clopt_buffer_free(b);
	clopt_buffer_free(left);
	clopt_buffer_free(right);
	clopt_buffer_free(last);
	clopt_buffer_free(whole);
	test_close(ctx);
}

#define REFUSED(call, text) expect_refused(call, CLOPT_EINVAL, ctx, text)

/* Arrays in parts of one buffer overlap or not by their places in it. */
START_TEST(overlaps)
{
	setup();
	REFUSED(clopt_transpose_buffers(ctx, 24, 24, 4, left, 24, right, 24, NULL),
	        "out (2304 bytes) overlaps in (2304 bytes)");
	REFUSED(clopt_transpose_buffers(ctx, 24, 24, 4, right, 24, left, 24, NULL), "overlaps in");
	REFUSED(clopt_matmul_buffers(ctx, 24, 24, 24, a, left, right, NULL), "c (2304 bytes)");
	REFUSED(clopt_matmul_buffers(ctx, 24, 24, 24, right, b, left, NULL), "overlaps a");
	REFUSED(clopt_nbody_buffers(ctx, 130, left, 9, a, right, NULL, NULL), "overlaps sources");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 130, left, right, 1, 1, NULL, NULL), "overlaps");
	REFUSED(clopt_potential_buffers(ctx, 9, a, 130, left, right, NULL, NULL),
	        "overlaps targets");
	REFUSED(clopt_matmul_buffers(ctx, 9, 9, 9, a, b, b, NULL), "c (324 bytes) overlaps b");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, a, 1, 1, NULL, NULL), "overlaps");
	/* Parts that touch do not overlap. */
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 20, 20, 4, left, 20, last, 20, NULL));
	/* Two arrays that are only read may be the same. */
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, a, a, b, NULL));
	teardown();
}
END_TEST

/* Buffers that overlap although the arrays in them do not are refused: OpenCL leaves undefined what
 * a kernel does that writes one of them. */
START_TEST(parts_overlap)
{
	char text[160];

	setup();
	snprintf(text, sizeof text,
	         "the buffer of out, %zu bytes at %zu, overlaps that of in, %zu bytes at 0 of",
	         2 * at, at, 2 * at);
	/* In front, and between the columns. */
	REFUSED(clopt_transpose_buffers(ctx, 20, 20, 4, left, 20, right, 20, NULL), text);
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 4, left, at / 8 + 4, right, at / 8 + 4, NULL),
	        text);
	/* The whole and a part of it, whichever is the output. */
	snprintf(text, sizeof text,
	         "the buffer of c, %zu bytes at %zu, overlaps that of b, %zu bytes at 0 of", 2 * at,
	         at, 4 * at);
	REFUSED(clopt_matmul_buffers(ctx, 9, 9, 9, a, whole, right, NULL), text);
	REFUSED(clopt_nbody_buffers(ctx, 9, right, 9, a, whole, NULL, NULL), "that of sources");
	REFUSED(clopt_potential_buffers(ctx, 9, a, 9, left, right, NULL, NULL), "that of targets");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, left, right, 1, 1, NULL, NULL),
	        "of the same memory");
	/* Inputs only, or buffers that are not used. */
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, left, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, whole, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 0, whole, left, right, NULL));
	CHECK_OK(ctx, clopt_potential_buffers(ctx, 0, whole, 9, a, right, NULL, NULL));
	teardown();
}
END_TEST

/* Two products of 9 x 9 of whole numbers, one behind the other. */
#define N 9
#define EACH (N * N)

static void expect_products(const float *x, const float *y, size_t stride_y)
{
	float got[2 * EACH];
	size_t i;
	int p;

	CHECK_OK(ctx, clopt_buffer_read(a, 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	for (i = 0; i < 2 * EACH; i++) {
		const float *row = x + i / N * N, *column = y + i / EACH * stride_y + i % N;
		float want = 0;

		for (p = 0; p < N; p++)
			want += row[p] * column[p * N];
		ck_assert_msg(got[i] == want, "element %zu is %g, not %g", i, got[i], want);
	}
}

/* The whole buffer holds whole numbers, which are in `data` too.  Returns whether the driver is
 * NVIDIA's, or pretends to be. */
static int setup_numbers(int pretend, float **data)
{
	struct clopt_device_info info = { .size = sizeof info };
	size_t n, i;

	if (pretend)
		wrap_pretend(&wrap_nvidia);
	setup();
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain,potential/plain"));
	n = 4 * at / sizeof **data;
	*data = malloc(n * sizeof **data);
	for (i = 0; i < n; i++)
		(*data)[i] = (float)(i * i % 13);
	CHECK_OK(ctx, clopt_buffer_write(whole, 0, 4 * at, *data, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	wrap_commands();
	ck_assert(!pretend || strstr(info.traits, "nvidia"));
	return strstr(info.traits, "nvidia") != NULL;
}

static void teardown_numbers(float *data)
{
	free(data);
	teardown();
	wrap_pretend(NULL);
}

/* NVIDIA's driver crashes when two such parts are released after a kernel has read both: one of
 * them is copied. */
START_TEST(parts_copied)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	float *data;
	const int copies = setup_numbers(_i & 1, &data);
	const size_t quarter = at / sizeof *data;

	g.m = g.n = g.k = g.lda = g.ldb = g.ldc = N;
	g.batch = 2;
	g.stride_a = g.stride_c = EACH;
	g.stride_b = _i & 2 ? N : EACH; /* inputs may overlap */
	CHECK_OK(ctx, clopt_gemm_buffers(ctx, &g, left, right, a, NULL));
	ck_assert_int_eq(wrap_commands(), copies ? 2 : 1);
	expect_products(data, data + quarter, g.stride_b);
	/* No copy where they do not overlap, or one contains the other. */
	wrap_commands();
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, left, last, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, whole, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, right, right, a, NULL));
	ck_assert_int_eq(wrap_commands(), 3);
	teardown_numbers(data);
}
END_TEST

/* Three overlapping parts, behind an event that comes late: two copies, then the sum. */
START_TEST(parts_behind_event)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_order up = CLOPT_ORDER_INIT, order = CLOPT_ORDER_INIT;
	struct clopt_buffer *sources, *targets, *normals;
	struct clopt_event *event = NULL;
	float *data, *nothing, want[2 * N], got[2 * N];
	const int copies = setup_numbers(_i, &data);
	const size_t quarter = at / sizeof *data;

	if (!test_can_wait(ctx, "parts_behind_event")) {
		teardown_numbers(data);
		return;
	}
	CHECK_OK(ctx, clopt_buffer_view(whole, at, 3 * at, &normals));
	CHECK_OK(ctx, clopt_buffer_new(ctx, at, &sources));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 2 * at, &targets));
	o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	/* Apart. */
	CHECK_OK(ctx, clopt_buffer_write(sources, 0, at, data, NULL));
	CHECK_OK(ctx, clopt_buffer_write(targets, 0, 2 * at, data + quarter, NULL));
	o.normals_buffer = targets;
	CHECK_OK(ctx, clopt_potential_buffers(ctx, N, sources, N, targets, a, &o, NULL));
	CHECK_OK(ctx, clopt_buffer_read(a, 0, sizeof want, want, NULL));
	/* In parts that are still empty. */
	nothing = calloc(4, at);
	CHECK_OK(ctx, clopt_buffer_write(whole, 0, 4 * at, nothing, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	free(nothing);
	CHECK_OK(ctx, clopt_queue_new(ctx, &order.queue));
	up.event = &event;
	wrap_hold(100);
	CHECK_OK(ctx, clopt_buffer_write(whole, 0, 4 * at, data, &up));
	order.nwait = 1;
	order.wait = &event;
	o.normals_buffer = normals;
	wrap_commands();
	CHECK_OK(ctx, clopt_potential_buffers(ctx, N, left, N, right, a, &o, &order));
	ck_assert_int_eq(wrap_commands(), copies ? 3 : 1);
	CHECK_OK(ctx, clopt_buffer_read(a, 0, sizeof got, got, &order));
	CHECK_OK(ctx, clopt_finish(ctx));
	wrap_hold(0);
	ck_assert_mem_eq(got, want, sizeof want);
	ck_assert(want[0] != want[2] || want[1] != want[3]);
	clopt_event_free(event);
	clopt_queue_free(order.queue);
	clopt_buffer_free(sources);
	clopt_buffer_free(targets);
	clopt_buffer_free(normals);
	teardown_numbers(data);
}
END_TEST

/* An empty input is not copied, and an output is never a copy. */
START_TEST(parts_of_nothing)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	float *data, got[EACH];
	size_t i, quarter;

	setup_numbers(_i, &data);
	quarter = at / sizeof *data;
	g.m = g.n = g.lda = g.ldb = g.ldc = N;
	g.beta = 2;
	CHECK_OK(ctx, clopt_gemm_buffers(ctx, &g, left, a, right, NULL));
	CHECK_OK(ctx, clopt_buffer_read(right, 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	for (i = 0; i < EACH; i++)
		ck_assert_msg(got[i] == 2 * data[quarter + i], "element %zu is %g, was %g", i,
		              got[i], data[quarter + i]);
	CHECK_OK(ctx, clopt_potential_buffers(ctx, 0, left, 9, a, right, NULL, NULL));
	CHECK_OK(ctx, clopt_buffer_read(right, 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	for (i = 0; i < 9; i++)
		ck_assert(got[i] == 0);
	teardown_numbers(data);
}
END_TEST

void forms_apart(TCase *t)
{
	tcase_add_test(t, overlaps);
	tcase_add_test(t, parts_overlap);
	tcase_add_loop_test(t, parts_copied, 0, 4);
	tcase_add_loop_test(t, parts_behind_event, 0, 2);
	tcase_add_loop_test(t, parts_of_nothing, 0, 2);
}
