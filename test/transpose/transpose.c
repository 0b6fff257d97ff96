/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - transposes in place and in batches; on host arrays, started and on buffers,
 * against loops in C.
 *
 * walk/walk.c has every row; here the library picks.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "transpose.h"

unsigned char *transpose_pattern(size_t bytes)
{
	unsigned char *p = malloc(bytes + 1);
	uint32_t x = 1;
	size_t i;

	ck_assert_ptr_nonnull(p);
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

int transpose_collected(int rc, struct clopt_call **call)
{
	int end;

	if (rc != CLOPT_OK)
		return rc;
	end = clopt_call_wait(*call, NULL);
	clopt_call_free(*call);
	return end;
}

struct clopt_buffer *transpose_upload(struct clopt *ctx, size_t bytes, const void *data)
{
	struct clopt_buffer *b;

	CHECK_OK(ctx, clopt_buffer_new(ctx, bytes, &b));
	CHECK_OK(ctx, clopt_buffer_write(b, 0, bytes, data, NULL));
	return b;
}

void transpose_download(struct clopt *ctx, struct clopt_buffer *b, size_t bytes, void *data)
{
	CHECK_OK(ctx, clopt_buffer_read(b, 0, bytes, data, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(b);
}

/* ---- In place ----------------------------------------------------------------- */

static void in_place(struct clopt *ctx, int form, size_t rows, size_t cols, size_t elem, size_t ld)
{
	const size_t bytes = rows * ld * elem;
	unsigned char *data = transpose_pattern(bytes), *want = transpose_pattern(bytes),
	              *first = transpose_pattern(bytes);
	struct clopt_call *call;
	struct clopt_buffer *b;

	transpose_reference(rows, cols, elem, first, ld, want, rows == cols ? ld : rows);
	if (form == HOST) {
		CHECK_OK(ctx, clopt_transpose_inplace(ctx, rows, cols, elem, data, ld));
	} else if (form == STARTED) {
		CHECK_OK(ctx, transpose_collected(clopt_transpose_inplace_start(
		                                          ctx, rows, cols, elem, data, ld, &call),
		                                  &call));
	} else {
		b = transpose_upload(ctx, bytes, data);
		CHECK_OK(ctx, clopt_transpose_inplace_buffers(ctx, rows, cols, elem, b, ld, NULL));
		transpose_download(ctx, b, bytes, data);
	}
	ck_assert_msg(!memcmp(data, want, bytes), "%zu x %zu of %zu bytes, ld %zu, form %d", rows,
	              cols, elem, ld, form);
	free(data);
	free(want);
	free(first);
}

static const size_t elems[] = { 1, 2, 4, 8, 16 };

START_TEST(in_place_all)
{
	static const size_t shapes[][3] = {
		{ 1, 1, 1 },       { 1, 7, 7 },       { 7, 1, 1 },
		{ 5, 5, 9 },       { 64, 64, 64 },    { 33, 70, 70 },
		{ 129, 257, 257 }, { 100, 100, 107 }, { 128, 64, 64 },
	};
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	size_t i, e;

	/* The second time in bands. */
	options.mem_limit_bytes = _i / FORMS ? 60000 : 0;
	options.queues = 3;
	ctx = test_open(&options);
	for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (e = 0; e < 5; e++)
			in_place(ctx, _i % FORMS, shapes[i][0], shapes[i][1], elems[e],
			         shapes[i][2]);
	test_close(ctx);
}
END_TEST

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

/* ---- Batches ---------------------------------------------------------------------- */

/* Sizes, strides and leading dimensions of a batch, all in elements. */
struct staged {
	size_t rows, cols, ld_in, stride_in, ld_out, stride_out, count;
};

static size_t span(size_t lines, size_t length, size_t ld, size_t stride, size_t count)
{
	return (count - 1) * stride + (lines - 1) * ld + length;
}

static void batch(struct clopt *ctx, int form, const struct staged *b, size_t elem)
{
	const size_t in_bytes = span(b->rows, b->cols, b->ld_in, b->stride_in, b->count) * elem;
	const size_t out_bytes = span(b->cols, b->rows, b->ld_out, b->stride_out, b->count) * elem;
	unsigned char *in = transpose_pattern(in_bytes), *out = transpose_pattern(out_bytes);
	unsigned char *want = transpose_pattern(out_bytes);
	struct clopt_buffer *from, *to;
	struct clopt_call *call;
	size_t i;

	for (i = 0; i < b->count; i++)
		transpose_reference(b->rows, b->cols, elem, in + i * b->stride_in * elem, b->ld_in,
		                    want + i * b->stride_out * elem, b->ld_out);
	if (form == HOST) {
		CHECK_OK(ctx, clopt_transpose_strided_batched(ctx, b->rows, b->cols, elem, in,
		                                              b->ld_in, b->stride_in, out,
		                                              b->ld_out, b->stride_out, b->count));
	} else if (form == STARTED) {
		CHECK_OK(ctx, transpose_collected(clopt_transpose_strided_batched_start(
		                                          ctx, b->rows, b->cols, elem, in, b->ld_in,
		                                          b->stride_in, out, b->ld_out,
		                                          b->stride_out, b->count, &call),
		                                  &call));
	} else {
		from = transpose_upload(ctx, in_bytes, in);
		to = transpose_upload(ctx, out_bytes, out);
		CHECK_OK(ctx, clopt_transpose_strided_batched_buffers(
		                      ctx, b->rows, b->cols, elem, from, b->ld_in, b->stride_in, to,
		                      b->ld_out, b->stride_out, b->count, NULL));
		transpose_download(ctx, to, out_bytes, out);
		clopt_buffer_free(from);
	}
	ck_assert_msg(!memcmp(out, want, out_bytes), "%zu times %zu x %zu of %zu bytes, form %d",
	              b->count, b->rows, b->cols, elem, form);
	free(in);
	free(out);
	free(want);
}

START_TEST(batches)
{
	static const struct staged cases[] = {
		{ 5, 7, 7, 35, 5, 35, 1 }, /* a batch of one */
		{ 5, 7, 7, 35, 5, 35, 9 }, /* packed */
		{ 32, 48, 48, 1536, 32, 1536, 5 },
		{ 33, 70, 72, 33 * 72 + 5, 33, 33 * 70 + 3, 4 }, /* gaps behind matrices */
		{ 9, 4, 4, 36, 11, 50, 3 }, /* gaps between the result's rows are kept */
		{ 20, 3, 12, 3, 20, 60, 4 }, /* side by side, to one behind the other */
		{ 3, 20, 20, 60, 12, 3, 4 }, /* and the other way */
		{ 6, 5, 5, 0, 6, 30, 3 }, /* the same matrix many times */
		{ 1, 1, 1, 1, 1, 1, 1000 },
	};
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	size_t i, e;

	options.mem_limit_bytes = _i / FORMS ? 60000 : 0;
	ctx = test_open(&options);
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		for (e = 0; e < 5; e++)
			batch(ctx, _i % FORMS, &cases[i], elems[e]);
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
	free(in);
	free(out);
	free(want);
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
	test_add_rows(c, in_place_all, 0, 2 * FORMS);
	tcase_add_test(c, in_place_order);
	tcase_add_test(c, in_place_refused);
	test_add_rows(c, batches, 0, 2 * FORMS);
	test_add_rows(c, past_the_cache, 0, 20);
	transpose_scaled_tests(c);
	transpose_uneven_tests(c);
}
