/* SPDX-License-Identifier: MIT */
/*
 * forms_apart.c - routines on views of one buffer, on OpenCL objects of the caller's, and on many
 * rows.  walk/walk.c has every row on buffers.
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

/* Arrays that share no element, in views that overlap: in front of each other, between each other's
 * columns, between each other's rows, and in matrices of a batch. */
START_TEST(interleaved)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_buffer *odd;
	char text[160];

	setup();
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 20, 20, 4, left, 20, right, 20, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 9, a, whole, right, NULL));
	CHECK_OK(ctx, clopt_nbody_buffers(ctx, 9, right, 9, a, whole, NULL, NULL));
	CHECK_OK(ctx, clopt_potential_buffers(ctx, 9, a, 9, left, right, NULL, NULL));
	CHECK_OK(ctx, clopt_nbody_leapfrog_buffers(ctx, 9, left, right, 1, 1, NULL, NULL));
	/* Columns 0 to 3 of rows of 11, and columns 4 to 7, or 3 to 6. */
	CHECK_OK(ctx, clopt_buffer_view(whole, 4 * 4, at, &odd));
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 4, 4, 4, whole, 11, odd, 11, NULL));
	clopt_buffer_free(odd);
	CHECK_OK(ctx, clopt_buffer_view(whole, 4 * 3, at, &odd));
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 4, whole, 11, odd, 11, NULL),
	        "out (148 bytes at 12) overlaps in (148 bytes at 0 of the same memory)");
	clopt_buffer_free(odd);
	/* The even rows of a matrix, and the odd ones; even rows and three of all. */
	CHECK_OK(ctx, clopt_buffer_view(whole, 4 * 5, at, &odd));
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 5, 5, 4, odd, 10, whole, 10, NULL));
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 5, 1, 4, odd, 10, whole, 5, NULL));
	REFUSED(clopt_transpose_buffers(ctx, 5, 3, 4, odd, 10, whole, 5, NULL), "overlaps");
	clopt_buffer_free(odd);
	/* Blocks of 3 columns of one matrix of rows of 7: C of both products, and A behind them. */
	g.m = g.n = g.k = 3;
	g.batch = 2;
	g.lda = g.ldc = 7;
	g.ldb = g.stride_a = g.stride_c = 3;
	g.stride_b = 9;
	CHECK_OK(ctx, clopt_buffer_view(whole, 4 * 21, at, &odd));
	CHECK_OK(ctx, clopt_gemm_buffers(ctx, &g, odd, a, whole, NULL));
	clopt_buffer_free(odd);
	CHECK_OK(ctx, clopt_buffer_view(whole, 4 * 14, at, &odd));
	snprintf(text, sizeof text, "c (%d bytes at 0) overlaps a (%d bytes at 56 of", 4 * 20,
	         4 * 20);
	REFUSED(clopt_gemm_buffers(ctx, &g, odd, a, whole, NULL), text);
	/* One column between them is free. */
	g.batch = 1;
	g.k = 1;
	clopt_buffer_free(odd);
	CHECK_OK(ctx, clopt_buffer_view(whole, 4 * 3, at, &odd));
	CHECK_OK(ctx, clopt_gemm_buffers(ctx, &g, odd, a, whole, NULL));
	clopt_buffer_free(odd);
	/* Views begin at any byte; arrays at one of their elements. */
	CHECK_OK(ctx, clopt_buffer_view(whole, 6, at, &odd));
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 9, 9, 2, odd, 9, a, 9, NULL));
	REFUSED(clopt_transpose_buffers(ctx, 9, 9, 4, odd, 9, a, 9, NULL),
	        "in begins at byte 6 of its memory: that must be a multiple of its elements of 4");
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 9, 9, 0, odd, odd, a, NULL)); /* not read */
	clopt_buffer_free(odd);
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

/* The whole buffer holds whole numbers, which are in `data` too.  pretend: the driver is
 * NVIDIA's. */
static void setup_numbers(int pretend, float **data)
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
}

static void teardown_numbers(float *data)
{
	free(data);
	teardown();
	wrap_pretend(NULL);
}

/* Inputs that overlap are read where they lie: no sub-buffers are made, with which NVIDIA's driver
 * crashes. */
START_TEST(views_shared)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	float *data;
	size_t quarter;

	setup_numbers(_i & 1, &data);
	quarter = at / sizeof *data;
	g.m = g.n = g.k = g.lda = g.ldb = g.ldc = N;
	g.batch = 2;
	g.stride_a = g.stride_c = EACH;
	g.stride_b = _i & 2 ? N : EACH; /* inputs may overlap */
	CHECK_OK(ctx, clopt_gemm_buffers(ctx, &g, left, right, a, NULL));
	ck_assert_int_eq(wrap_commands(), 1);
	expect_products(data, data + quarter, g.stride_b);
	wrap_commands();
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, left, last, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, whole, right, a, NULL));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, N, N, N, right, right, a, NULL));
	ck_assert_int_eq(wrap_commands(), 3);
	teardown_numbers(data);
}
END_TEST

/* Three overlapping views, behind an event that comes late. */
START_TEST(views_behind_event)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_order up = CLOPT_ORDER_INIT, order = CLOPT_ORDER_INIT;
	struct clopt_buffer *sources, *targets, *normals;
	struct clopt_event *event = NULL;
	float *data, *nothing, want[2 * N], got[2 * N];
	size_t quarter;

	setup_numbers(_i, &data);
	quarter = at / sizeof *data;
	if (!test_can_wait(ctx, "views_behind_event")) {
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
	/* In views that are still empty. */
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
	ck_assert_int_eq(wrap_commands(), 1);
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

/* As the device is, whatever it pretends to be. */
static int has_images(const char *test)
{
	struct clopt *as_it_is = test_open(NULL);
	const int yes = test_without(as_it_is, "llvmpipe-images", test);

	test_close(as_it_is);
	return yes;
}

/* A block of a matrix, less the product of two other blocks of it, step after step, as
 * factorizations do: the same as from blocks that lie apart. */
START_TEST(blocks_of_one_matrix)
{
	enum {
		SIDE = 23 /* of the matrix; 529 numbers */
	};
	static const char *const rows[] = { "matmul/vec4-4x4", "matmul/plain", "matmul/image-4x4" };
	const size_t pitch = SIDE * sizeof(float);
	float *data, got[SIDE * SIDE], want[SIDE * SIDE];
	size_t k, i, j;

	if (strstr(rows[_i / 2], "image") && !has_images("blocks_of_one_matrix"))
		return;
	setup_numbers(_i & 1, &data);
	CHECK_OK(ctx, clopt_force_variants(ctx, rows[_i / 2]));
	for (i = 0; i < SIDE * SIDE; i++)
		want[i] = data[i];
	for (k = 1; k < SIDE; k += k) { /* rows and columns before the block */
		struct clopt_buffer *a21, *a12, *a22;
		const size_t n = SIDE - k;

		CHECK_OK(ctx, clopt_buffer_view(whole, k * pitch, n * pitch, &a21));
		CHECK_OK(ctx, clopt_buffer_view(whole, 4 * k, k * pitch - 4 * k, &a12));
		CHECK_OK(ctx, clopt_buffer_view(a21, 4 * k, n * pitch - 4 * k, &a22));
		CHECK_OK(ctx, clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO,
		                                  CLOPT_TRANS_NO, n, n, 1, -1, a21, SIDE, a12, SIDE,
		                                  1, a22, SIDE, NULL));
		for (i = k; i < SIDE; i++)
			for (j = k; j < SIDE; j++)
				want[i * SIDE + j] -= want[i * SIDE] * want[j];
		clopt_buffer_free(a21);
		clopt_buffer_free(a12);
		clopt_buffer_free(a22);
	}
	CHECK_OK(ctx, clopt_buffer_read(whole, 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	for (i = 0; i < SIDE * SIDE; i++)
		ck_assert_msg(got[i] == want[i], "element %zu is %g, not %g", i, got[i], want[i]);
	teardown_numbers(data);
}
END_TEST

/* The choice knows where views begin: a row for matrices off 16 bytes serves those. */
START_TEST(choice_by_offset)
{
	struct clopt_report report = { .size = sizeof report };
	struct clopt_buffer *odd;
	int input, off;

	wrap_pretend(&wrap_nvidia);
	setup();
	for (input = 0; input < 2; input++)
		for (off = 0; off < 32; off += 4) {
			CHECK_OK(ctx, clopt_buffer_view(whole, (size_t)off, at, &odd));
			CHECK_OK(ctx, clopt_transpose_buffers(ctx, 16, 16, 4, input ? odd : a, 16,
			                                      input ? a : odd, 16, NULL));
			CHECK_OK(ctx, clopt_last_report(ctx, &report));
			ck_assert_msg(!strstr(report.variant, "tile-64x128") == (off % 16 == 0),
			              "%s at %d", report.variant, off);
			clopt_buffer_free(odd);
		}
	teardown();
	wrap_pretend(NULL);
}
END_TEST

/* An empty input does not count. */
START_TEST(views_of_nothing)
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

#define M 40

/* More groups along y than a launch may have with some drivers: no bands come to help. */
START_TEST(too_many_rows)
{
	static const struct wrap_gpu nvidia = {
		"GPU", "NVIDIA Corporation", 1, 32, 1024, 1, 48 << 10, 80, NULL
	};
	const size_t rows = (size_t)65535 * 4 + 1;
	struct clopt_buffer *from, *to;

	wrap_pretend(&nvidia);
	setup();
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	CHECK_OK(ctx, clopt_buffer_new(ctx, rows * 4, &from));
	CHECK_OK(ctx, clopt_buffer_new(ctx, rows * 4, &to));
	expect_refused(clopt_matmul_buffers(ctx, rows, 1, 1, from, a, to, NULL), CLOPT_EUNSUPPORTED,
	               ctx, "a size is 262141: on buffers matmul/plain computes up to 262140");
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, rows - 1, 1, 1, from, a, to, NULL));
	clopt_buffer_free(from);
	clopt_buffer_free(to);
	teardown();
	wrap_pretend(NULL);
}
END_TEST

/* Other drivers take them: the last row is computed too. */
START_TEST(many_rows)
{
	const size_t rows = (size_t)65535 * 4 + 1;
	const float two = 2, three = 3;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_buffer *from, *to;
	float end = 0;

	setup();
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	CHECK_OK(ctx, clopt_buffer_new(ctx, rows * 4, &from));
	CHECK_OK(ctx, clopt_buffer_new(ctx, rows * 4, &to));
	CHECK_OK(ctx, clopt_buffer_write(from, 4 * (rows - 1), 4, &two, NULL));
	CHECK_OK(ctx, clopt_buffer_write(a, 0, 4, &three, NULL));
	if (!strstr(info.quirks, "-groups")) {
		CHECK_OK(ctx, clopt_matmul_buffers(ctx, rows, 1, 1, from, a, to, NULL));
		CHECK_OK(ctx, clopt_buffer_read(to, 4 * (rows - 1), 4, &end, NULL));
		CHECK_OK(ctx, clopt_finish(ctx));
		ck_assert(end == 6);
	}
	clopt_buffer_free(from);
	clopt_buffer_free(to);
	teardown();
}
END_TEST

/* Buffers, a part and a queue that the caller created with OpenCL. */
START_TEST(from_opencl)
{
	const size_t bytes = M * M * 4, step = 8192;
	const cl_buffer_region first = { 0, bytes }, second = { step, bytes };
	struct clopt_buffer *in, *out, *both;
	struct clopt_queue *q;
	struct clopt_order order = CLOPT_ORDER_INIT;
	static float ones[M * M], got[M * M], want[M * M];
	cl_context context;
	cl_command_queue own;
	cl_mem mem, part[2];
	cl_int code;
	int i;

	setup();
	context = clopt_cl_context(ctx);
	for (i = 0; i < M * M; i++)
		ones[i] = (float)(i % 13);
	mem = __real_clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * step, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	part[0] = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	part[1] = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	own = __real_clCreateCommandQueue(context, clopt_cl_device(ctx), 0, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	CHECK_OK(ctx, clopt_buffer_from_cl(ctx, part[0], &in));
	CHECK_OK(ctx, clopt_buffer_from_cl(ctx, part[1], &out));
	CHECK_OK(ctx, clopt_queue_from_cl(ctx, own, &q));
	CHECK_OK(ctx, clopt_matmul(ctx, M, M, M, ones, ones, want));
	order.queue = q;
	CHECK_OK(ctx, clopt_buffer_write(in, 0, bytes, ones, &order));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, M, M, M, in, in, out, &order));
	ck_assert_int_eq(clEnqueueReadBuffer(own, mem, CL_TRUE, step, bytes, got, 0, NULL, NULL),
	                 CL_SUCCESS);
	ck_assert(!memcmp(got, want, bytes));
	/* Their sizes, and the buffers that they are parts of, are known. */
	CHECK_OK(ctx, clopt_buffer_from_cl(ctx, mem, &both));
	expect_refused(clopt_matmul_buffers(ctx, 50, 50, 50, both, both, out, &order), CLOPT_EINVAL,
	               ctx, "c: 50 rows");
	expect_refused(clopt_transpose_buffers(ctx, 60, 40, 4, both, 40, out, 60, NULL),
	               CLOPT_EINVAL, ctx, "out: 40 rows");
	expect_refused(clopt_transpose_buffers(ctx, 40, 40, 4, both, 60, out, 40, NULL),
	               CLOPT_EINVAL, ctx,
	               "out (6400 bytes at 8192) overlaps in (9520 bytes at 0 of");
	/* The arrays lie apart, though one part lies in the other. */
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 40, 40, 4, both, 40, out, 40, &order));
	CHECK_OK(ctx, clopt_queue_finish(ctx, q));
	clopt_queue_free(q);
	clopt_buffer_free(both);
	clopt_buffer_free(in);
	clopt_buffer_free(out);
	__real_clReleaseMemObject(part[0]);
	__real_clReleaseMemObject(part[1]);
	__real_clReleaseMemObject(mem);
	__real_clReleaseCommandQueue(own);
	teardown();
}
END_TEST

/* Without a product there need be no A and no B. */
START_TEST(no_product)
{
	const float was[4] = { 1, 2, 3, 4 };
	float got[4];

	setup();
	CHECK_OK(ctx, clopt_buffer_write(a, 0, sizeof was, was, NULL));
	CHECK_OK(ctx, clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES,
	                                  CLOPT_TRANS_NO, 2, 2, _i ? 5 : 0, _i ? 0 : 1, NULL, 2,
	                                  NULL, 2, -2, a, 2, NULL));
	CHECK_OK(ctx, clopt_buffer_read(a, 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert(got[0] == -2 && got[1] == -4 && got[2] == -6 && got[3] == -8);
	teardown();
}
END_TEST

SUITE(forms, long)
{
	tcase_add_test(c, interleaved);
	tcase_add_loop_test(c, views_shared, 0, 4);
	tcase_add_loop_test(c, views_behind_event, 0, 2);
	tcase_add_loop_test(c, views_of_nothing, 0, 2);
	tcase_add_test(c, choice_by_offset);
	tcase_add_loop_test(c, blocks_of_one_matrix, 0, 6);
	tcase_add_test(c, too_many_rows);
	tcase_add_test(c, many_rows);
	tcase_add_test(c, from_opencl);
	tcase_add_loop_test(c, no_product, 0, 2);
	forms_orders(c);
}
