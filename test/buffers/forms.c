/* SPDX-License-Identifier: MIT */
/*
 * forms.c - the routines on device buffers: the same bits as on host arrays.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "table/table.h"
#include "forms.h"
#include "wrap.h"

#define N 8192 /* elements of the largest array here, and to spare */

/* Arrays of 8-byte elements at most, and buffers with the same in them. */
struct arrays {
	struct clopt *ctx;
	const char *row; /* the row that must run */
	char host[3][8 * N], back[8 * N];
	struct clopt_buffer *whole, *buffer[3];
	size_t off; /* not 0: they are views that begin at odd multiples of it */
};

static uint32_t state = 7;

/* Random numbers of the precision; the third array is the output. */
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

/* Each array in a buffer of its own, or in views of one buffer. */
static void open_arrays(struct arrays *a, struct clopt *ctx, const char *row, size_t off)
{
	const size_t step = 9 * N;
	size_t i;

	memset(a, 0, sizeof *a);
	a->ctx = ctx;
	a->row = row;
	a->off = off;
	if (off)
		CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * step, &a->whole));
	for (i = 0; i < 3; i++)
		if (off)
			CHECK_OK(ctx, clopt_buffer_view(a->whole, i * step + off * (2 * i + 1),
			                                8 * N, &a->buffer[i]));
		else
			CHECK_OK(ctx, clopt_buffer_new(ctx, 8 * N, &a->buffer[i]));
}

static void close_arrays(struct arrays *a)
{
	int i;

	for (i = 0; i < 3; i++)
		clopt_buffer_free(a->buffer[i]);
	clopt_buffer_free(a->whole);
}

/* After the call on buffers, array i of host memory and its buffer hold the same bytes, those
 * between rows included, which must not change. */
static void expect_same(struct arrays *a, int i, const char *what)
{
	struct clopt_report report = { .size = sizeof report };

	CHECK_OK(a->ctx, clopt_last_report(a->ctx, &report));
	ck_assert_msg(report.variant && !strcmp(report.variant, a->row), "%s: not by %s", what,
	              a->row);
	ck_assert(report.bands == 1 && report.queues == 1 && report.sum_parts == 1);
	ck_assert(!report.up_bytes && !report.down_bytes && !report.in_place_bytes);
	CHECK_OK(a->ctx, clopt_buffer_read(a->buffer[i], 0, 8 * N, a->back, NULL));
	CHECK_OK(a->ctx, clopt_finish(a->ctx));
	ck_assert_msg(!memcmp(a->back, a->host[i], 8 * N), "%s, %s%s: other bits", a->row, what,
	              a->whole ? ", views of a buffer" : "");
}

#define HOST(i, type) ((type *)(void *)a->host[i])

/* Whether the row serves elements of this size, and the arrays begin at multiples of it. */
static int serves(struct arrays *a, int op, size_t elem_bytes)
{
	const struct clopt_problem p = {
		.size = sizeof p, .op = op, .dim = { 37, 45, 29 }, .elem_bytes = elem_bytes
	};

	return (!a->off || elem_bytes <= a->off) && clopt_chosen_variant(a->ctx, &p) != NULL;
}

/* Both forms of gemm; the bits of `transposes' say which operands are transposed. */
static void gemm(struct arrays *a, int transposes, size_t m, size_t n, size_t k, double beta)
{
	const int ta = transposes & 1 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	const int tb = transposes & 2 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	const size_t lda = (transposes & 1 ? m : k) + 3, ldb = (transposes & 2 ? k : n) + 1,
	             ldc = n + 2;

	if (serves(a, CLOPT_OP_MATMUL, 4)) {
		fill(a, 4);
		CHECK_OK(a->ctx, clopt_sgemm(a->ctx, CLOPT_LAYOUT_ROW_MAJOR, ta, tb, m, n, k, 1.5f,
		                             HOST(0, float), lda, HOST(1, float), ldb, (float)beta,
		                             HOST(2, float), ldc));
		CHECK_OK(a->ctx, clopt_sgemm_buffers(a->ctx, CLOPT_LAYOUT_ROW_MAJOR, ta, tb, m, n,
		                                     k, 1.5f, a->buffer[0], lda, a->buffer[1], ldb,
		                                     (float)beta, a->buffer[2], ldc, NULL));
		expect_same(a, 2, "sgemm");
	}
	if (serves(a, CLOPT_OP_MATMUL, 8)) {
		fill(a, 8);
		CHECK_OK(a->ctx, clopt_dgemm(a->ctx, CLOPT_LAYOUT_ROW_MAJOR, ta, tb, m, n, k, 1.5,
		                             HOST(0, double), lda, HOST(1, double), ldb, beta,
		                             HOST(2, double), ldc));
		CHECK_OK(a->ctx, clopt_dgemm_buffers(a->ctx, CLOPT_LAYOUT_ROW_MAJOR, ta, tb, m, n,
		                                     k, 1.5, a->buffer[0], lda, a->buffer[1], ldb,
		                                     beta, a->buffer[2], ldc, NULL));
		expect_same(a, 2, "dgemm");
	}
}

/* Without a product there need be no A and no B. */
static void no_product(struct arrays *a)
{
	int i;

	for (i = 0; i < 2; i++) {
		fill(a, 4);
		CHECK_OK(a->ctx, clopt_sgemm(a->ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES,
		                             CLOPT_TRANS_NO, 9, 11, i ? 5 : 0, i ? 0 : 1, NULL, 9,
		                             NULL, 11, -2, HOST(2, float), 13));
		CHECK_OK(a->ctx,
		         clopt_sgemm_buffers(a->ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES,
		                             CLOPT_TRANS_NO, 9, 11, i ? 5 : 0, i ? 0 : 1, NULL, 9,
		                             NULL, 11, -2, a->buffer[2], 13, NULL));
		expect_same(a, 2, "no product");
	}
}

static void transpose(struct arrays *a, size_t rows, size_t cols, size_t elem_bytes, size_t pad)
{
	if (!serves(a, CLOPT_OP_TRANSPOSE, elem_bytes))
		return;
	fill(a, elem_bytes);
	CHECK_OK(a->ctx, clopt_transpose(a->ctx, rows, cols, elem_bytes, a->host[0], cols + pad,
	                                 a->host[2], rows + 3 * pad));
	CHECK_OK(a->ctx, clopt_transpose_buffers(a->ctx, rows, cols, elem_bytes, a->buffer[0],
	                                         cols + pad, a->buffer[2], rows + 3 * pad, NULL));
	expect_same(a, 2, "transpose");
}

static void potential(struct arrays *a, int precision)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;

	o.scale = 332;
	o.precision = precision;
	fill(a, 4);
	CHECK_OK(a->ctx, clopt_potential(a->ctx, 301, HOST(0, float), 77, HOST(1, float),
	                                 HOST(2, float), &o));
	CHECK_OK(a->ctx, clopt_potential_buffers(a->ctx, 301, a->buffer[0], 77, a->buffer[1],
	                                         a->buffer[2], &o, NULL));
	expect_same(a, 2, "potential");
}

static void nbody(struct arrays *a, int precision)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.softening = 0.1;
	o.precision = precision;
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

static void each_shape(struct arrays *a, int op, int precision)
{
	size_t pad, elem_bytes;
	int transposes;

	switch (op) {
	case CLOPT_OP_MATMUL:
		for (transposes = 0; transposes < 4; transposes++) {
			gemm(a, transposes, 37, 45, 29, transposes & 1 ? -0.5 : 0);
			gemm(a, transposes, 1, 5, 3, 1);
		}
		gemm(a, 0, 4, 5, 0, -2);
		if (serves(a, CLOPT_OP_MATMUL, 4))
			no_product(a);
		break;
	case CLOPT_OP_TRANSPOSE:
		for (elem_bytes = 1; elem_bytes <= (a->off ? a->off : 16); elem_bytes *= 2)
			for (pad = 0; pad < 2; pad++) {
				transpose(a, 33, 70, elem_bytes, pad);
				transpose(a, 32, 64, elem_bytes, pad);
				transpose(a, 1, 77, elem_bytes, pad);
			}
		break;
	case CLOPT_OP_POTENTIAL:
		potential(a, precision);
		break;
	default:
		nbody(a, precision);
		if (precision)
			break; /* leapfrog's is float32 */
		leapfrog(a, 1);
		leapfrog(a, 3);
		leapfrog(a, 130);
	}
}

/* Each row of the table on a device. */
START_TEST(same_bits)
{
	const char *name = clopt_variant_name((size_t)_i);
	struct clopt *ctx = test_open(NULL);
	struct arrays *a = calloc(1, sizeof *a);
	const int precision = test_precision(ctx, (size_t)_i);
	size_t off;

	ck_assert_ptr_nonnull(a);
	if (precision >= 0 && !clopt__variant((size_t)_i)->host) {
		CHECK_OK(ctx, clopt_force_variants(ctx, name));
		for (off = 0; off <= 16; off = off ? 2 * off : 4) {
			open_arrays(a, ctx, name, off);
			each_shape(a, clopt_variant_op((size_t)_i), precision);
			close_arrays(a);
		}
	}
	free(a);
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
	CHECK_OK(ctx, clopt_buffer_view(from, 4096, 32768, &part[0]));
	CHECK_OK(ctx, clopt_buffer_view(to, 8192, 32768, &part[1]));
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

SUITE(forms, long)
{
	int rows = 0;

	while (clopt_variant_name((size_t)rows) &&
	       clopt_variant_op((size_t)rows) != CLOPT_OP_LEAPFROG)
		rows++;
	test_add_rows(c, same_bits, 0, rows);
	tcase_add_test(c, rows_of_parts);
	forms_orders(c);
	forms_apart(c);
}
