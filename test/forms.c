/* SPDX-License-Identifier: MIT */
/*
 * forms.c - the routines on device buffers: the same bits as on host arrays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"
#include "suites.h"
#include "wrap.h"

#define N 4096 /* elements of the largest array here, and to spare */

/* Arrays of 8-byte elements at most, and buffers with the same in them. */
struct arrays {
	struct clopt *ctx;
	char host[3][8 * N], back[8 * N];
	struct clopt_buffer *buffer[3];
};

static uint32_t state = 7;

/* Numbers of the precision that is asked for; the third array is the output. */
static void fill(struct arrays *a, size_t elem_bytes)
{
	size_t i, j;

	for (i = 0; i < 3; i++) {
		for (j = 0; j < N; j++) {
			state = state * 1664525u + 1013904223u;
			if (elem_bytes == 8)
				((double *)(void *)a->host[i])[j] = state / 4294967296.0 - 0.5;
			else
				((float *)(void *)a->host[i])[j] =
				        (float)(state >> 8) / 16777216.0f - 0.5f;
		}
		CHECK_OK(a->ctx, clopt_buffer_write(a->buffer[i], 0, 8 * N, a->host[i], NULL));
	}
}

static void open_arrays(struct arrays *a, struct clopt *ctx)
{
	int i;

	memset(a, 0, sizeof *a);
	a->ctx = ctx;
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt_buffer_new(ctx, 8 * N, &a->buffer[i]));
}

static void close_arrays(struct arrays *a)
{
	int i;

	for (i = 0; i < 3; i++)
		clopt_buffer_free(a->buffer[i]);
}

/* Array i of host memory and its buffer hold the same, to the last byte. */
static void expect_same(struct arrays *a, int i, const char *what)
{
	CHECK_OK(a->ctx, clopt_buffer_read(a->buffer[i], 0, 8 * N, a->back, NULL));
	CHECK_OK(a->ctx, clopt_finish(a->ctx));
	ck_assert_msg(!memcmp(a->back, a->host[i], 8 * N), "%s: other bits", what);
}

#define HOST(i, type) ((type *)(void *)a->host[i])

/* Both forms of gemm, transposed as the bits of `turn` say. */
static void gemm(struct arrays *a, int turn, size_t m, size_t n, size_t k, double beta)
{
	const int ta = turn & 1 ? CLOPT_TRANS : CLOPT_NO_TRANS;
	const int tb = turn & 2 ? CLOPT_TRANS : CLOPT_NO_TRANS;
	const size_t lda = (turn & 1 ? m : k) + 3, ldb = (turn & 2 ? k : n) + 1, ldc = n + 2;
	struct clopt_device_info info = { .size = sizeof info };

	fill(a, 4);
	CHECK_OK(a->ctx, clopt_sgemm(a->ctx, ta, tb, m, n, k, 1.5f, HOST(0, float), lda,
	                             HOST(1, float), ldb, (float)beta, HOST(2, float), ldc));
	CHECK_OK(a->ctx,
	         clopt_sgemm_buffers(a->ctx, ta, tb, m, n, k, 1.5f, a->buffer[0], lda, a->buffer[1],
	                             ldb, (float)beta, a->buffer[2], ldc, NULL));
	expect_same(a, 2, "sgemm");
	CHECK_OK(a->ctx, clopt_device(a->ctx, &info));
	if (!info.fp64)
		return;
	fill(a, 8);
	CHECK_OK(a->ctx, clopt_dgemm(a->ctx, ta, tb, m, n, k, 1.5, HOST(0, double), lda,
	                             HOST(1, double), ldb, beta, HOST(2, double), ldc));
	CHECK_OK(a->ctx, clopt_dgemm_buffers(a->ctx, ta, tb, m, n, k, 1.5, a->buffer[0], lda,
	                                     a->buffer[1], ldb, beta, a->buffer[2], ldc, NULL));
	expect_same(a, 2, "dgemm");
}

static void transpose(struct arrays *a, size_t elem_bytes)
{
	fill(a, elem_bytes);
	CHECK_OK(a->ctx,
	         clopt_transpose(a->ctx, 33, 70, elem_bytes, a->host[0], 71, a->host[2], 36));
	CHECK_OK(a->ctx, clopt_transpose_buffers(a->ctx, 33, 70, elem_bytes, a->buffer[0], 71,
	                                         a->buffer[2], 36, NULL));
	expect_same(a, 2, "transpose");
}

static void potential(struct arrays *a)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;

	o.scale = 332;
	fill(a, 4);
	CHECK_OK(a->ctx, clopt_potential(a->ctx, 301, HOST(0, float), 77, HOST(1, float),
	                                 HOST(2, float), &o));
	CHECK_OK(a->ctx, clopt_potential_buffers(a->ctx, 301, a->buffer[0], 77, a->buffer[1],
	                                         a->buffer[2], &o, NULL));
	expect_same(a, 2, "potential");
}

static void nbody(struct arrays *a)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.softening = 0.1;
	fill(a, 4);
	CHECK_OK(a->ctx,
	         clopt_nbody(a->ctx, 301, HOST(0, float), 77, HOST(1, float), HOST(2, float), &o));
	CHECK_OK(a->ctx, clopt_nbody_buffers(a->ctx, 301, a->buffer[0], 77, a->buffer[1],
	                                     a->buffer[2], &o, NULL));
	expect_same(a, 2, "nbody");
	/* One array is both sources and targets. */
	CHECK_OK(a->ctx,
	         clopt_nbody(a->ctx, 99, HOST(0, float), 99, HOST(0, float), HOST(2, float), &o));
	CHECK_OK(a->ctx, clopt_nbody_buffers(a->ctx, 99, a->buffer[0], 99, a->buffer[0],
	                                     a->buffer[2], &o, NULL));
	expect_same(a, 2, "nbody of itself");
}

static void leapfrog(struct arrays *a, size_t steps)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.softening = 0.1;
	fill(a, 4);
	CHECK_OK(a->ctx,
	         clopt_nbody_leapfrog(a->ctx, 65, HOST(0, float), HOST(1, float), 1e-3, steps, &o));
	CHECK_OK(a->ctx, clopt_nbody_leapfrog_buffers(a->ctx, 65, a->buffer[0], a->buffer[1], 1e-3,
	                                              steps, &o, NULL));
	expect_same(a, 0, "bodies");
	expect_same(a, 1, "velocities");
}

/* Each row of the table. */
START_TEST(same_bits)
{
	const char *name = clopt_variant_name((size_t)_i);
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx = test_open(NULL);
	struct arrays *a = calloc(1, sizeof *a);
	int turn;

	if (!clopt_variant_runs(ctx, (size_t)_i, NULL, NULL, 0))
		goto out;
	CHECK_OK(ctx, clopt_use(ctx, name));
	open_arrays(a, ctx);
	switch (clopt_variant_op((size_t)_i)) {
	case CLOPT_MATMUL:
		for (turn = 0; turn < 4; turn++) {
			gemm(a, turn, 37, 45, 29, turn & 1 ? -0.5 : 0);
			gemm(a, turn, 1, 5, 3, 1);
		}
		gemm(a, 0, 4, 5, 0, -2);
		break;
	case CLOPT_TRANSPOSE:
		transpose(a, 4);
		transpose(a, 8);
		break;
	case CLOPT_POTENTIAL:
		potential(a);
		break;
	default:
		nbody(a);
		leapfrog(a, 3);
		leapfrog(a, 130);
	}
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert(report.variant && report.bands == 1);
	close_arrays(a);
out:
	free(a);
	test_close(ctx);
}
END_TEST

/* Transposed on one queue, multiplied on another, through parts of buffers. */
START_TEST(chain)
{
	struct clopt_order first = CLOPT_ORDER_INIT, second = CLOPT_ORDER_INIT;
	struct clopt_order third = CLOPT_ORDER_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_buffer *whole, *part[3];
	struct clopt_queue *queue[2];
	struct clopt_event *up, *turned, *product;
	struct clopt *ctx;
	float in[64 * 64], t[64 * 64], expected[64 * 64], got[64 * 64];
	double seconds = -1;
	size_t i, step;

	options.profile = 1;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_device(ctx, &info));
	step = (sizeof in + info.buffer_align - 1) / info.buffer_align * info.buffer_align;
	CHECK_OK(ctx, clopt_buffer_new(ctx, 3 * step, &whole));
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt_buffer_sub(whole, i * step, sizeof in, &part[i]));
	for (i = 0; i < 64 * 64; i++)
		in[i] = (float)(i % 13);
	CHECK_OK(ctx, clopt_transpose(ctx, 64, 64, 4, in, 64, t, 64));
	CHECK_OK(ctx, clopt_matmul(ctx, 64, 64, 64, in, t, expected));
	CHECK_OK(ctx, clopt_queue_new(ctx, &queue[0]));
	CHECK_OK(ctx, clopt_queue_new(ctx, &queue[1]));
	first.queue = queue[0];
	first.event = &up;
	wrap_hold(50);
	CHECK_OK(ctx, clopt_buffer_write(part[0], 0, sizeof in, in, &first));
	second.queue = queue[1];
	second.nwait = 1;
	second.wait = &up;
	second.event = &turned;
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 64, 64, 4, part[0], 64, part[1], 64, &second));
	third.queue = queue[0];
	third.nwait = 1;
	third.wait = &turned;
	third.event = &product;
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 64, 64, 64, part[0], part[1], part[2], &third));
	CHECK_OK(ctx, clopt_event_wait(product));
	CHECK_OK(ctx, clopt_event_seconds(product, &seconds));
	ck_assert(seconds > 0);
	CHECK_OK(ctx, clopt_buffer_read(part[2], 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert(!memcmp(got, expected, sizeof got));
	wrap_hold(0);
	clopt_event_free(up);
	clopt_event_free(turned);
	clopt_event_free(product);
	for (i = 0; i < 2; i++)
		clopt_queue_free(queue[i]);
	for (i = 0; i < 3; i++)
		clopt_buffer_free(part[i]);
	clopt_buffer_free(whole);
	test_close(ctx);
}
END_TEST

/* Rows of parts of buffers, into and out of parts of others. */
START_TEST(rows_of_parts)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_buffer *from, *to, *part[2];
	static char in[65536], out[65536];
	size_t i, k;

	for (i = 0; i < sizeof in; i++)
		in[i] = (char)(i * 7);
	CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof in, &from));
	CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof in, &to));
	CHECK_OK(ctx, clopt_buffer_sub(from, 4096, 32768, &part[0]));
	CHECK_OK(ctx, clopt_buffer_sub(to, 8192, 32768, &part[1]));
	CHECK_OK(ctx, clopt_buffer_write(from, 0, sizeof in, in, NULL));
	for (k = 0; k < 4; k++) {
		const size_t a = (k & 1 ? 4096 : 0) + 17, b = (k & 2 ? 8192 : 0) + 33;

		memset(out, 0, sizeof out);
		CHECK_OK(ctx, clopt_buffer_write(to, 0, sizeof out, out, NULL));
		CHECK_OK(ctx, clopt_buffer_copy_rect(k & 1 ? part[0] : from, 17, 300,
		                                     k & 2 ? part[1] : to, 33, 257, 50, 200, NULL));
		CHECK_OK(ctx, clopt_buffer_read(to, 0, sizeof out, out, NULL));
		CHECK_OK(ctx, clopt_finish(ctx));
		for (i = 0; i < 50; i++) {
			ck_assert(!memcmp(out + b + i * 257, in + a + i * 300, 200));
			ck_assert(!out[b + i * 257 - 1] && !out[b + i * 257 + 200]);
		}
	}
	clopt_buffer_free(part[0]);
	clopt_buffer_free(part[1]);
	clopt_buffer_free(from);
	clopt_buffer_free(to);
	test_close(ctx);
}
END_TEST

START_TEST(refused)
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt *ctx = test_open(NULL), *other = test_open(NULL);
	struct clopt_event *event = NULL;
	struct clopt_buffer *a, *b, *c, *foreign, *part;

	CHECK_OK(ctx, clopt_buffer_new(ctx, 65536, &a));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 65536, &b));
	CHECK_OK(ctx, clopt_buffer_new(ctx, 400, &c));
	CHECK_OK(ctx, clopt_buffer_sub(a, 0, 65536, &part));
	CHECK_OK(other, clopt_buffer_new(other, 65536, &foreign));
	expect_refused(clopt_matmul_buffers(NULL, 4, 4, 4, a, b, c, NULL), CLOPT_EINVAL, NULL,
	               "ctx");
	expect_refused(clopt_matmul_buffers(ctx, 4, 4, 4, NULL, b, c, NULL), CLOPT_EINVAL, ctx,
	               "a is NULL");
	expect_refused(clopt_matmul_buffers(ctx, 4, 4, 4, a, foreign, c, NULL), CLOPT_EINVAL, ctx,
	               "another context");
	expect_refused(clopt_matmul_buffers(ctx, 11, 11, 4, a, b, c, NULL), CLOPT_EINVAL, ctx,
	               "its buffer has 400");
	expect_refused(clopt_matmul_buffers(ctx, 10, 10, 4, a, b, part, NULL), CLOPT_EINVAL, ctx,
	               "overlaps");
	expect_refused(clopt_sgemm_buffers(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, 4, 4, 4, 1, a, 3, b,
	                                   4, 0, c, 4, NULL),
	               CLOPT_EINVAL, ctx, "leading dimension");
	expect_refused(clopt_transpose_buffers(ctx, 4, 4, 0, a, 4, b, 4, NULL), CLOPT_EINVAL, ctx,
	               "elem_bytes");
	order.nwait = 1;
	expect_refused(clopt_matmul_buffers(ctx, 4, 4, 4, a, b, c, &order), CLOPT_EINVAL, ctx,
	               "wait is NULL");
	order.nwait = 0;
	order.event = &event;
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 0, 4, 4, a, b, c, &order));
	ck_assert_ptr_nonnull(event);
	CHECK_OK(ctx, clopt_event_wait(event));
	clopt_event_free(event);
	clopt_buffer_free(foreign);
	clopt_buffer_free(part);
	clopt_buffer_free(a);
	clopt_buffer_free(b);
	clopt_buffer_free(c);
	clopt_close(other);
	test_close(ctx);
}
END_TEST

TCase *forms_case(void)
{
	TCase *c = tcase_create("forms");
	int rows = 0;

	while (clopt_variant_name((size_t)rows) && clopt_variant_op((size_t)rows) != CLOPT_LEAPFROG)
		rows++;
	tcase_add_loop_test(c, same_bits, 0, rows);
	tcase_add_test(c, chain);
	tcase_add_test(c, rows_of_parts);
	tcase_add_test(c, refused);
	return c;
}
