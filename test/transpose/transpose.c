/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - transposes in place and of large matrices: their order, failures, and lines past
 * the cache. walk/walk.c has every row in all forms.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "transpose.h"

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

/* A call that fails for want of memory leaves the data as it was. */
START_TEST(in_place_refused)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	float data[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	int i;

	options.mem_limit_bytes = 20;
	ctx = test_open(&options);
	expect_refused(clopt_transpose_inplace(ctx, 3, 4, 4, data, 4), CLOPT_ENOMEM, ctx,
	               "may be used");
	CHECK_OK(ctx, clopt_transpose_inplace(ctx, 0, 4, 4, NULL, 4));
	for (i = 0; i < 12; i++)
		ck_assert(data[i] == (float)(i + 1));
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
	int i = 0;

	if (_i % 4 == 3 && (elem == 1 || elem == 16))
		return; /* the row is for the others */
	while (strcmp(clopt_variant_name((size_t)i), row[_i % 4]) != 0)
		i++;
	if (!(ctx = test_open_row(i, NULL)))
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

SUITE(transpose, long)
{
	tcase_add_test(c, in_place_order);
	tcase_add_test(c, in_place_refused);
	test_add_rows(c, past_the_cache, 0, 20);
	transpose_scaled_tests(c);
	transpose_uneven_tests(c);
}
