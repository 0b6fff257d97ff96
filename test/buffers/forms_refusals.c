/* SPDX-License-Identifier: MIT */
/*
 * forms_refusals.c - routines on buffers: arguments that are refused, and OpenCL
 * objects of the caller's.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "forms.h"
#include "wrap.h"

#define M 40
#define BYTES (M * M * 4)
#define NT CLOPT_TRANS_NO

static struct clopt *ctx, *other;
static struct clopt_buffer *a, *b, *c, *foreign;
static struct clopt_queue *their_queue;

static void setup(void)
{
	ctx = test_open(NULL);
	other = test_open(NULL);
	CHECK_OK(ctx, clopt_buffer_new(ctx, BYTES, &a));
	CHECK_OK(ctx, clopt_buffer_new(ctx, BYTES, &b));
	CHECK_OK(ctx, clopt_buffer_new(ctx, BYTES, &c));
	CHECK_OK(other, clopt_buffer_new(other, BYTES, &foreign));
	CHECK_OK(other, clopt_queue_new(other, &their_queue));
}

static void teardown(void)
{
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(a);
	clopt_buffer_free(b);
	clopt_buffer_free(c);
	clopt_buffer_free(foreign);
	clopt_queue_free(their_queue);
	clopt_close(other);
	test_close(ctx);
}

#define REFUSED(call, text) expect_refused(call, CLOPT_EINVAL, ctx, text)

/* Each operand of each routine: no buffer, another context's, too small. */
START_TEST(buffers)
{
	setup();
	REFUSED(clopt_matmul_buffers(ctx, M, M, M, NULL, b, c, NULL), "a is NULL but has 40 x 40");
	REFUSED(clopt_dgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 4, 4, 4, 1, a, 4, NULL, 4,
	                            0, c, 4, NULL),
	        "float64 NN: b is NULL but has 4 x 4");
	REFUSED(clopt_matmul_buffers(ctx, 4, 5, 6, a, b, NULL, NULL), "c is NULL but has 4 x 5");
	REFUSED(clopt_transpose_buffers(ctx, 4, 5, 8, NULL, 5, b, 4, NULL), "in is NULL");
	REFUSED(clopt_transpose_buffers(ctx, 4, 5, 8, a, 5, NULL, 4, NULL), "out is NULL");
	REFUSED(clopt_potential_buffers(ctx, 9, NULL, 9, b, c, NULL, NULL), "sources is NULL");
	REFUSED(clopt_nbody_buffers(ctx, 9, a, 9, NULL, c, NULL, NULL), "targets is NULL");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, NULL, b, 1, 1, NULL, NULL), "bodies is NULL");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, NULL, 1, 1, NULL, NULL),
	        "velocities is NULL");

	REFUSED(clopt_matmul_buffers(ctx, 4, 4, 4, foreign, b, c, NULL),
	        "a is a buffer of another context");
	REFUSED(clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 4, 4, 4, 1, a, 4, foreign,
	                            4, 1, c, 4, NULL),
	        "b is a buffer of another context");
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 4, a, 4, foreign, 4, NULL),
	        "out is a buffer of another context");
	REFUSED(clopt_potential_buffers(ctx, 9, a, 9, b, foreign, NULL, NULL),
	        "phi is a buffer of another context");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, foreign, 1, 1, NULL, NULL),
	        "velocities is a buffer of another context");

	REFUSED(clopt_matmul_buffers(ctx, M, M, M + 1, a, b, c, NULL),
	        "a: 40 rows of 41 elements of 4 bytes, 41 elements apart, take 6560 bytes, "
	        "its buffer has 6400");
	REFUSED(clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, M, M, M, 1, a, M, b, M + 1,
	                            0, c, M, NULL),
	        "b: 40 rows of 40 elements of 4 bytes, 41 elements apart, take 6556 bytes");
	REFUSED(clopt_dgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 29, 29, 1, 1, a, 1, b, 29,
	                            0, c, 29, NULL),
	        "c: 29 rows of 29 elements of 8 bytes, 29 elements apart, take 6728 bytes");
	REFUSED(clopt_transpose_buffers(ctx, 401, 4, 4, a, 4, b, 401, NULL), "take 6416 bytes");
	REFUSED(clopt_potential_buffers(ctx, 400, a, 401, b, c, NULL, NULL),
	        "targets: 401 rows of 4");
	REFUSED(clopt_nbody_buffers(ctx, 401, a, 400, b, c, NULL, NULL), "sources: 401 rows of 4");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 401, a, b, 1, 1, NULL, NULL), "bodies: 401 rows");
	/* The whole buffer is large enough. */
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, M, M, M, a, b, c, NULL));
	CHECK_OK(ctx, clopt_potential_buffers(ctx, 400, a, 400, a, b, NULL, NULL));
	/* Sizes whose product overflows to something small. */
	REFUSED(clopt_transpose_buffers(ctx, 5, 1, 4, a, (SIZE_MAX >> 2) / 4 + 1, b, 5, NULL),
	        "are more than there are addresses");
	REFUSED(clopt_potential_buffers(ctx, SIZE_MAX / 16 + 2, a, 1, b, c, NULL, NULL),
	        "are more than there are addresses");
	teardown();
}
END_TEST

/* Numbers, options and orders are refused as on host arrays. */
START_TEST(numbers)
{
	struct clopt_nbody_options n = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_event *e = (struct clopt_event *)&order, *none = NULL;

	setup();
	expect_refused(clopt_matmul_buffers(NULL, 4, 4, 4, a, b, c, NULL), CLOPT_EINVAL, NULL,
	               "ctx is NULL");
	expect_refused(clopt_nbody_leapfrog_buffers(NULL, 4, a, b, 1, 1, NULL, NULL), CLOPT_EINVAL,
	               NULL, "ctx is NULL");
	REFUSED(clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 4, 4, 5, 1, a, 4, b, 4, 0,
	                            c, 4, NULL),
	        "the leading dimension of a is 4, shorter than its rows of 5");
	REFUSED(clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, CLOPT_TRANS_YES, 4, 4, 5, 0, a,
	                            5, b, 4, 0, c, 4, NULL),
	        "the leading dimension of b is 4, shorter than its rows of 5");
	REFUSED(clopt_dgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 4, 6, 5, 1, a, 5, b, 6, 0,
	                            c, 5, NULL),
	        "the leading dimension of c is 5, shorter than its rows of 6");
	REFUSED(clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, 5, NT, 1, 1, 1, 1, a, 1, b, 1, 0,
	                            c, 1, NULL),
	        "transa 5");
	REFUSED(clopt_transpose_buffers(ctx, 4, 5, 4, a, 4, b, 4, NULL), "dimension of in is 4");
	REFUSED(clopt_transpose_buffers(ctx, 4, 5, 4, a, 5, b, 3, NULL), "dimension of out is 3");
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 0, a, 4, b, 4, NULL), "elem_bytes");
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 3, a, 4, b, 4, NULL), "3 bytes");
	n.softening = -1;
	REFUSED(clopt_nbody_buffers(ctx, 9, a, 9, a, b, &n, NULL), "softening is -1");
	n.size = 1;
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, b, 1, 1, &n, NULL), "clopt_nbody_options");
	p.scale = 1e300;
	REFUSED(clopt_potential_buffers(ctx, 9, a, 9, a, b, &p, NULL), "scale is 1e+300");
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, b, 1e99, 1, NULL, NULL), "dt is 1e+99");

	order.queue = their_queue;
	order.event = &e;
	REFUSED(clopt_nbody_buffers(ctx, 9, a, 9, a, b, NULL, &order),
	        "nbody 9 sources x 9 targets: order: the queue is of another context");
	ck_assert_ptr_null(e); /* also if the call fails later */
	order.queue = NULL;
	e = (struct clopt_event *)&order;
	REFUSED(clopt_transpose_buffers(ctx, M, M, 4, NULL, M, b, M, &order), "in is NULL");
	ck_assert_ptr_null(e);
	order.nwait = 1;
	REFUSED(clopt_matmul_buffers(ctx, 4, 4, 4, a, b, c, &order), "nwait is 1 but wait is NULL");
	order.wait = &none;
	REFUSED(clopt_matmul_buffers(ctx, 0, 4, 4, a, b, c, &order), "wait[0] of 1 is NULL");
	order.size = 3;
	REFUSED(clopt_nbody_leapfrog_buffers(ctx, 9, a, b, 1, 1, NULL, &order), "clopt_order");
	teardown();
}
END_TEST

/* A refused command has no event, however early it is refused. */
START_TEST(no_event)
{
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_tree *tree;
	struct clopt_event *stale = (struct clopt_event *)&g, *e;
	const struct clopt_order order = { sizeof order, NULL, 0, NULL, &e };
	struct clopt_order older = order, unknown = order;

	setup();
	older.size = offsetof(struct clopt_order, event);
	unknown.size = 3;
	g.type = 5000;
	p.tolerance = 0.01;
#define NONE(ctx, call, text) \
	do { \
		e = stale; \
		expect_refused(call, CLOPT_EINVAL, ctx, text); \
		ck_assert_ptr_null(e); \
	} while (0)
	NONE(NULL, clopt_matmul_buffers(NULL, 4, 4, 4, a, b, c, &order), "ctx is NULL");
	NONE(ctx, clopt_gemm_buffers(ctx, NULL, a, b, c, &order), "NULL");
	NONE(ctx, clopt_gemm_buffers(ctx, &g, a, b, c, &order), "not one of");
	NONE(ctx,
	     clopt_cgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 1, NULL, a, 1, b, 1,
	                         NULL, c, 1, &order),
	     "NULL");
	NONE(ctx,
	     clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 4, 4, 5, 1, a, 4, b, 4, 0, c,
	                         4, &order),
	     "leading dimension of a");
	NONE(ctx, clopt_transpose_buffers(ctx, 4, 4, 0, a, 4, b, 4, &order), "elem_bytes");
	NONE(ctx, clopt_stranspose_buffers(ctx, 4, 4, 2, a, 3, b, 4, &order),
	     "dimension of in is 3");
	NONE(ctx, clopt_potential_buffers(ctx, 9, a, 9, a, b, &p, &order), "tolerance");
	NONE(ctx, clopt_tree_new_buffers(ctx, 2, NULL, &order, &tree), "is NULL");
	NONE(NULL, clopt_tree_move_buffers(NULL, a, &order), "tree is NULL");
	NONE(NULL, clopt_tree_potential_buffers(NULL, 2, a, b, NULL, &order), "tree is NULL");
	NONE(NULL, clopt_tree_nbody_buffers(NULL, 2, a, b, NULL, &order), "tree is NULL");
	NONE(NULL, clopt_buffer_write(NULL, 0, 1, "", &order), "buffer is NULL");
	NONE(ctx, clopt_buffer_copy(a, 0, NULL, 0, 1, &order), "to is NULL");
	NONE(ctx, clopt_buffer_copy(foreign, 0, a, 0, 1, &order), "different contexts");
#undef NONE
	/* Nor is anything written through a field that the caller's struct does not have. */
	e = stale;
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 0, a, 4, b, 4, &older), "elem_bytes");
	REFUSED(clopt_transpose_buffers(ctx, 4, 4, 0, a, 4, b, 4, &unknown), "elem_bytes");
	ck_assert_ptr_eq(e, stale);
	teardown();
}
END_TEST

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
	               ctx, "matmul/plain serves sizes up to 262140 on buffers, here it is 262141");
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
	float last = 0;

	setup();
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	CHECK_OK(ctx, clopt_buffer_new(ctx, rows * 4, &from));
	CHECK_OK(ctx, clopt_buffer_new(ctx, rows * 4, &to));
	CHECK_OK(ctx, clopt_buffer_write(from, 4 * (rows - 1), 4, &two, NULL));
	CHECK_OK(ctx, clopt_buffer_write(a, 0, 4, &three, NULL));
	if (!strstr(info.quirks, "-groups")) {
		CHECK_OK(ctx, clopt_matmul_buffers(ctx, rows, 1, 1, from, a, to, NULL));
		CHECK_OK(ctx, clopt_buffer_read(to, 4 * (rows - 1), 4, &last, NULL));
		CHECK_OK(ctx, clopt_finish(ctx));
		ck_assert(last == 6);
	}
	clopt_buffer_free(from);
	clopt_buffer_free(to);
	teardown();
}
END_TEST

/* Buffers, a part and a queue that the caller created with OpenCL. */
START_TEST(from_opencl)
{
	const size_t bytes = BYTES, step = 8192;
	const cl_buffer_region first = { 0, bytes }, second = { step, bytes };
	struct clopt_buffer *in, *out, *whole;
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
	CHECK_OK(ctx, clopt_buffer_from_cl(ctx, mem, &whole));
	expect_refused(clopt_matmul_buffers(ctx, 50, 50, 50, whole, whole, out, &order),
	               CLOPT_EINVAL, ctx, "c: 50 rows");
	expect_refused(clopt_transpose_buffers(ctx, 60, 40, 4, whole, 40, out, 60, NULL),
	               CLOPT_EINVAL, ctx, "out: 40 rows");
	expect_refused(clopt_transpose_buffers(ctx, 40, 40, 4, whole, 60, out, 40, NULL),
	               CLOPT_EINVAL, ctx,
	               "out (6400 bytes at 8192) overlaps in (9520 bytes at 0 of");
	/* The arrays lie apart, though one part lies in the other. */
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 40, 40, 4, whole, 40, out, 40, &order));
	CHECK_OK(ctx, clopt_queue_finish(ctx, q));
	clopt_queue_free(q);
	clopt_buffer_free(whole);
	clopt_buffer_free(in);
	clopt_buffer_free(out);
	__real_clReleaseMemObject(part[0]);
	__real_clReleaseMemObject(part[1]);
	__real_clReleaseMemObject(mem);
	__real_clReleaseCommandQueue(own);
	teardown();
}
END_TEST

void forms_refusals(TCase *t)
{
	tcase_add_test(t, buffers);
	tcase_add_test(t, numbers);
	tcase_add_test(t, no_event);
	tcase_add_test(t, too_many_rows);
	tcase_add_test(t, many_rows);
	tcase_add_test(t, from_opencl);
}
