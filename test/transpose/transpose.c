/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - transposes in place, of large matrices, whose lines go past the cache, and with
 * factors.  walk/walk.c has every row in all forms.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "transpose.h"
#include "wrap.h"

unsigned char *transpose_pattern(size_t bytes)
{
	unsigned char *p = test_room(bytes + 1);
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < bytes; i++) {
		x = x * 1664525u + 1013904223u;
		p[i] = (unsigned char)(x >> 24);
	}
	return p;
}

void transpose_reference(size_t rows, size_t cols, size_t elem, const unsigned char *in,
                         size_t ld_in, unsigned char *out, size_t ld_out)
{
	size_t i, j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			memcpy(out + (j * ld_out + i) * elem, in + (i * ld_in + j) * elem, elem);
}

/* ---- In place ----------------------------------------------------------------- */

/* It waits for commands of its wait list, and others wait for it. */
START_TEST(in_place_order)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_order up = CLOPT_ORDER_INIT, turn = CLOPT_ORDER_INIT;
	float data[6] = { 1, 2, 3, 4, 5, 6 }, got[6];
	struct clopt_event *written, *turned;
	struct clopt_queue *queue;
	struct clopt_buffer *b;

	CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof data, &b));
	CHECK_OK(ctx, clopt_queue_new(ctx, &queue));
	up.event = &written;
	CHECK_OK(ctx, clopt_buffer_write(b, 0, sizeof data, data, &up));
	turn.queue = queue;
	turn.nwait = 1;
	turn.wait = &written;
	turn.event = &turned;
	CHECK_OK(ctx, clopt_transpose_inplace_buffers(ctx, 2, 3, 4, b, 3, &turn));
	CHECK_OK(ctx, clopt_event_wait(turned));
	CHECK_OK(ctx, clopt_buffer_read(b, 0, sizeof got, got, NULL));
	ck_assert(got[0] == 1 && got[1] == 4 && got[2] == 2 && got[3] == 5 && got[5] == 6);
	clopt_event_free(written);
	clopt_event_free(turned);
	clopt_queue_free(queue);
	clopt_buffer_free(b);
	test_close(ctx);
}
END_TEST

/* ---- Large ones ------------------------------------------------------------------ */

/* The kernels for processors stream matrices of four mebibytes and more past the cache: whole lines
 * where rows begin on lines, otherwise by shifting. */
static void large(struct clopt *ctx, size_t rows, size_t cols, size_t elem, size_t ld_out)
{
	const size_t bytes = cols * ld_out * elem + 128; /* guard bytes behind the end, too */
	unsigned char *in = transpose_pattern(rows * cols * elem), *out = transpose_pattern(bytes);
	unsigned char *want = transpose_pattern(bytes);

	transpose_reference(rows, cols, elem, in, cols, want, ld_out);
	CHECK_OK(ctx, clopt_transpose(ctx, rows, cols, elem, in, cols, out, ld_out));
	ck_assert_mem_eq(out, want, bytes);
}

START_TEST(past_the_cache)
{
	static const char *const row[] = { "transpose/wide-512", "transpose/wide-256",
		                           "transpose/panel-256", "transpose/twin-256" };
	const size_t elem = (size_t)1 << _i / 4, cols = (1u << 22) / 2048 / elem + 3;
	struct clopt *ctx;

	if (_i % 4 == 3 && (elem == 1 || elem == 16))
		return; /* the row is for the others */
	if (!(ctx = test_open_row((int)test_row(row[_i % 4]), NULL)))
		return; /* the device is no processor */
	large(ctx, 2053, cols, elem, 2053);
	large(ctx, 2048, cols, elem, 2048);
	large(ctx, 2048, cols, elem, 2112);
	large(ctx, 2035, cols, elem, 2048);
	large(ctx, cols + (1u << 22) / 70 / elem, 70, elem, cols + (1u << 22) / 70 / elem);
	/* More than one block of half a line, less than two: in all, and in the rest. */
	large(ctx, (1u << 22) / 48 + 3, 48 / elem, elem, (1u << 22) / 48 + 3);
	large(ctx, 2053, cols - 3 + 48 / elem, elem, 2053);
	test_close(ctx);
}
END_TEST

/* ---- Factors --------------------------------------------------------------------- */

/* A factor of one moves bits, also of a signalling NaN; and a device without double can move
 * doubles but not scale or multiply them. */
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
	expect_refused(clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 1,
	                           1, 1, 1, d, 1, d, 1, 0, e, 1),
	               CLOPT_EUNSUPPORTED, ctx, "fp64");
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

SUITE(transpose, long)
{
	tcase_add_test(c, in_place_order);
	test_add_rows(c, past_the_cache, 0, 20);
	tcase_add_test(c, scaled_by_one);
	tcase_add_test(c, asked);
	transpose_uneven_tests(c);
}
