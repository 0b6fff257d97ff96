/* SPDX-License-Identifier: MIT */
/*
 * buffers.c - buffers, queues and events.  random/buffers.c has copies and transfers of all kinds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "wrap.h"

struct clopt *ctx;
unsigned char in[BYTES], out[BYTES], want[BYTES];

static void setup(void)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	size_t i;

	o.profile = 1;
	ctx = test_open(&o);
	for (i = 0; i < BYTES; i++)
		in[i] = (unsigned char)(i * 31 + i / 251);
	memset(out, 0, BYTES);
}

static void teardown(void)
{
	test_close(ctx);
}

struct clopt_buffer *buffer(size_t bytes)
{
	struct clopt_buffer *b;

	CHECK_OK(ctx, clopt_buffer_new(ctx, bytes, &b));
	ck_assert_uint_eq(clopt_buffer_bytes(b), bytes);
	return b;
}

struct clopt_queue *queue(void)
{
	struct clopt_queue *q;

	CHECK_OK(ctx, clopt_queue_new(ctx, &q));
	return q;
}

void expect(const struct clopt_buffer *b, size_t bytes)
{
	memset(out, 0x55, sizeof out);
	CHECK_OK(ctx, clopt_buffer_read(b, 0, bytes, out, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert(memcmp(out, want, bytes) == 0);
}

void rows(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch,
          size_t n, size_t row_bytes)
{
	size_t i;

	for (i = 0; i < n; i++)
		memcpy(to + i * to_pitch, from + i * from_pitch, row_bytes);
}

/* Staged in chunks by threads: an upload on one queue, held back; a download on another queue,
 * behind its event. */
START_TEST(staged)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_event *e, *done;
	struct clopt_queue *q;
	struct clopt_buffer *b;

	if (!test_can_stage("staged"))
		return;
	clopt_close(ctx);
	o.transfer = CLOPT_TRANSFER_STAGED;
	o.copy_threads = 2;
	o.chunk_bytes = 4096;
	ctx = test_open(&o);
	b = buffer(BYTES);
	q = queue();
	wrap_hold(HOLD);
	order.event = &e;
	CHECK_OK(ctx, clopt_buffer_write(b, 0, BYTES, in, &order));
	order.queue = q;
	order.wait = &e;
	order.nwait = 1;
	order.event = &done;
	CHECK_OK(ctx, clopt_buffer_read(b, 0, BYTES, out, &order));
	ck_assert(memcmp(in, out, BYTES) == 0);
	CHECK_OK(ctx, clopt_event_wait(done));
	clopt_event_free(done);
	clopt_event_free(e);
	clopt_queue_free(q);
	clopt_buffer_free(b);
}
END_TEST

/* Parts begin at any byte, overlap the whole, keep it alive, and may be empty. */
START_TEST(parts)
{
	const size_t at = 37;
	struct clopt_buffer *whole = buffer(BYTES), *part, *inner, *none;

	CHECK_OK(ctx, clopt_buffer_write(whole, 0, BYTES, in, NULL));
	CHECK_OK(ctx, clopt_buffer_view(whole, at, BYTES - at, &part));
	CHECK_OK(ctx, clopt_buffer_view(part, 2 * at, 100, &inner));
	CHECK_OK(ctx, clopt_buffer_view(part, 0, 0, &none));
	ck_assert_uint_eq(clopt_buffer_bytes(part), BYTES - at);
	ck_assert_uint_eq(clopt_buffer_bytes(inner), 100);
	ck_assert_uint_eq(clopt_buffer_bytes(none), 0);
	CHECK_OK(ctx, clopt_buffer_read(none, 0, 0, NULL, NULL));
	clopt_buffer_free(none);
	clopt_buffer_free(NULL);
	clopt_queue_free(NULL);
	clopt_event_free(NULL);
	ck_assert_uint_eq(clopt_buffer_bytes(NULL), 0);
	expect_refused(clopt_buffer_copy(inner, 0, part, 2 * at + 50, 100, NULL), CLOPT_EINVAL, ctx,
	               "overlap");
	expect_refused(clopt_buffer_copy(whole, 3 * at, inner, 1, 99, NULL), CLOPT_EINVAL, ctx,
	               "overlap");
	clopt_buffer_free(whole);
	clopt_buffer_free(part);
	memcpy(want, in + 3 * at, 100);
	expect(inner, 100);
	clopt_buffer_free(inner);
}
END_TEST

START_TEST(not_a_buffer)
{
	const cl_image_format format = { CL_RGBA, CL_FLOAT };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
		                     .image_width = 4,
		                     .image_height = 4 };
	struct clopt_buffer *b;
	cl_int code;
	cl_mem image = clCreateImage(clopt_cl_context(ctx), CL_MEM_READ_WRITE, &format, &desc, NULL,
	                             &code);

	if (code != CL_SUCCESS)
		return; /* a device without */
	expect_refused(clopt_buffer_from_cl(ctx, image, &b), CLOPT_EINVAL, ctx,
	               "CL_MEM_OBJECT_BUFFER");
	clReleaseMemObject(image);
}
END_TEST

/* Each OpenCL call and allocation fails once: a status, a text, and no object left. */
START_TEST(faults)
{
	long n;
	int rc = CLOPT_OK, happened;

	for (n = 1;; n++) {
		struct clopt_order order = CLOPT_ORDER_INIT;
		struct clopt_buffer *a = NULL, *b = NULL, *adopted = NULL;
		struct clopt_queue *q = NULL;
		struct clopt_event *e = NULL, *last = NULL;
		double seconds;

		wrap_fail(n, CL_OUT_OF_RESOURCES);
		rc = clopt_buffer_new(ctx, BYTES, &a);
		rc = rc ? rc : clopt_buffer_view(a, 0, BYTES / 2, &b);
		rc = rc ? rc : clopt_buffer_from_cl(ctx, clopt_buffer_cl(b), &adopted);
		rc = rc ? rc : clopt_queue_new(ctx, &q);
		order.event = &e;
		rc = rc ? rc : clopt_buffer_write_rect(a, 0, 200, 100, 99, in, 100, &order);
		order.queue = q;
		order.wait = &e;
		order.nwait = 1;
		order.event = &last;
		rc = rc ? rc : clopt_buffer_copy_rect(a, 0, 50, b, BYTES / 4, 60, 100, 50, &order);
		order.event = NULL;
		rc = rc ? rc : clopt_buffer_copy(b, BYTES / 4, adopted, 0, 5000, &order);
		rc = rc ? rc : clopt_buffer_read(adopted, 0, 5000, out, &order);
		rc = rc ? rc : clopt_event_seconds(last, &seconds);
		rc = rc ? rc : clopt_wall_time(ctx, &seconds);
		happened = wrap_failed();
		wrap_fail(0, 0);
		if (happened)
			ck_assert_msg(rc < 0 && strlen(clopt_error(ctx)) > 10,
			              "call %ld fails: %s, %s", n, clopt_strerror(rc),
			              clopt_error(ctx));
		clopt_event_free(e);
		clopt_event_free(last);
		clopt_queue_free(q);
		clopt_buffer_free(adopted);
		clopt_buffer_free(a);
		clopt_buffer_free(b);
		if (!happened)
			break;
	}
	CHECK_OK(ctx, rc);
	ck_assert_msg(n > 25, "%ld calls", n);
}
END_TEST

SUITE(buffers, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, staged);
	tcase_add_test(c, parts);
	buffers_orders(c);
	tcase_add_test(c, not_a_buffer);
	tcase_add_test(c, faults);
}
