/* SPDX-License-Identifier: MIT */
/*
 * refusals.c - arguments that are refused, and calls that fail.
 */
#include <stdint.h>
#include <string.h>

#include "buffers.h"
#include "wrap.h"

START_TEST(refusals)
{
	struct clopt *other = test_open(NULL);
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_buffer *b = buffer(1000), *theirs, *bad;
	struct clopt_queue *q;
	struct clopt_event *e, *none = NULL;
	double seconds;

	CHECK_OK(other, clopt_buffer_new(other, 1000, &theirs));
	CHECK_OK(other, clopt_queue_new(other, &q));
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	expect_refused(clopt_buffer_new(ctx, (size_t)info.max_alloc_bytes + 1, &bad), CLOPT_ENOMEM,
	               ctx, "in one piece");
	ck_assert_ptr_null(bad);
	expect_refused(clopt_buffer_new(NULL, 1, &bad), CLOPT_EINVAL, NULL,
	               "clopt_buffer_new: ctx");
	expect_refused(clopt_buffer_new(ctx, 1, NULL), CLOPT_EINVAL, ctx, "buffer is NULL");

	expect_refused(clopt_buffer_write(NULL, 0, 1, in, NULL), CLOPT_EINVAL, NULL,
	               "clopt_buffer_write: buffer is NULL");
	expect_refused(clopt_buffer_write(b, 0, 1, NULL, NULL), CLOPT_EINVAL, ctx, "from is NULL");
	expect_refused(clopt_buffer_read(b, 0, 1, NULL, NULL), CLOPT_EINVAL, ctx, "to is NULL");
	expect_refused(clopt_buffer_write(b, 1, 1000, in, NULL), CLOPT_EINVAL, ctx,
	               "clopt_buffer_write: 1000 bytes at 1 are not in a buffer of 1000 bytes");
	expect_refused(clopt_buffer_read(b, 1001, 0, out, NULL), CLOPT_EINVAL, ctx,
	               "clopt_buffer_read: 0 bytes at 1001");
	expect_refused(clopt_buffer_read(b, 2, SIZE_MAX, out, NULL), CLOPT_EINVAL, ctx, "at 2 ");
	expect_refused(clopt_buffer_write_rect(b, 0, 10, 5, 11, in, 11, NULL), CLOPT_EINVAL, ctx,
	               "clopt_buffer_write_rect: pitch_bytes is 10, shorter than a row of 11");
	expect_refused(clopt_buffer_read_rect(b, 0, 11, 5, 11, out, 10, NULL), CLOPT_EINVAL, ctx,
	               "clopt_buffer_read_rect: to_pitch_bytes is 10");
	expect_refused(clopt_buffer_read_rect(b, 1, 100, 10, 100, out, 100, NULL), CLOPT_EINVAL,
	               ctx, "10 rows of 100 bytes, 100 bytes apart, at 1 are not in");
	/* Sizes whose product overflows to something small. */
	expect_refused(clopt_buffer_read_rect(b, 0, SIZE_MAX / 2 + 1, 3, 8, out, 8, NULL),
	               CLOPT_EINVAL, ctx, "3 rows of 8 bytes");
	expect_refused(clopt_buffer_read_rect(b, 0, 8, SIZE_MAX / 8 + 2, 8, out, 8, NULL),
	               CLOPT_EINVAL, ctx, "bytes apart, at 0");
	expect_refused(clopt_buffer_read_rect(b, 0, 8, 3, 8, out, SIZE_MAX / 2 + 1, NULL),
	               CLOPT_EINVAL, ctx, "are more than there are addresses");

	expect_refused(clopt_buffer_copy(b, 0, NULL, 0, 1, NULL), CLOPT_EINVAL, ctx, "to is NULL");
	expect_refused(clopt_buffer_copy(NULL, 0, b, 0, 1, NULL), CLOPT_EINVAL, ctx,
	               "from is NULL");
	expect_refused(clopt_buffer_copy(theirs, 0, b, 0, 1, NULL), CLOPT_EINVAL, ctx,
	               "different contexts");
	expect_refused(clopt_buffer_copy_rect(b, 0, 4, b, 500, 10, 2, 5, NULL), CLOPT_EINVAL, ctx,
	               "from_pitch_bytes is 4");
	expect_refused(clopt_buffer_copy_rect(b, 0, 10, b, 500, 4, 2, 5, NULL), CLOPT_EINVAL, ctx,
	               "to_pitch_bytes is 4");
	expect_refused(clopt_buffer_copy(b, 0, b, 995, 6, NULL), CLOPT_EINVAL, ctx,
	               "6 bytes at 995 are not in to of 1000");

	order.queue = q;
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx,
	               "the queue is of another context");
	expect_refused(clopt_queue_finish(ctx, q), CLOPT_EINVAL, ctx, "clopt_queue_finish: ");
	order.queue = NULL;
	order.nwait = 3;
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx, "nwait is 3");
	order.wait = &none;
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx,
	               "wait[0] of 3 is NULL");
	order.nwait = SIZE_MAX / 4;
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx, "at most");
	order.nwait = 0;
	order.event = &e;
	CHECK_OK(other, clopt_buffer_write(theirs, 0, 1, in, &order));
	expect_refused(clopt_event_seconds(e, &seconds), CLOPT_EINVAL, other, "profile 0");
	order.wait = (struct clopt_event *const[]){ e };
	order.nwait = 1;
	order.event = &none;
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx,
	               "wait[0] of 1 is an event of another context");
	ck_assert_ptr_null(none);
	order.size = 1;
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx, "clopt_order");
	order.size = sizeof order.size - 1;
	expect_refused(clopt_buffer_copy(b, 0, b, 8, 1, &order), CLOPT_EINVAL, ctx, "clopt_order");
	order.size = sizeof order.size; /* where sizeof got a pointer */
	expect_refused(clopt_buffer_write(b, 0, 1, in, &order), CLOPT_EINVAL, ctx, "clopt_order");
	order.size = offsetof(struct clopt_order, nwait); /* an older header's struct */
	CHECK_OK(ctx, clopt_buffer_write(b, 0, 1, in, &order));

	expect_refused(clopt_event_wait(NULL), CLOPT_EINVAL, NULL, "clopt_event_wait: event");
	expect_refused(clopt_event_seconds(e, NULL), CLOPT_EINVAL, other, "seconds is NULL");
	expect_refused(clopt_queue_new(ctx, NULL), CLOPT_EINVAL, ctx, "queue is NULL");
	expect_refused(clopt_finish(NULL), CLOPT_EINVAL, NULL, "clopt_finish: ctx is NULL");
	expect_refused(clopt_buffer_from_cl(ctx, NULL, &bad), CLOPT_EINVAL, ctx, "mem is NULL");
	expect_refused(clopt_queue_from_cl(ctx, NULL, &order.queue), CLOPT_EINVAL, ctx, "from is");
	expect_refused(clopt_event_from_cl(ctx, NULL, &none), CLOPT_EINVAL, ctx, "from is NULL");
	clopt_event_free(e);
	clopt_queue_free(q);
	clopt_buffer_free(theirs);
	clopt_buffer_free(b);
	clopt_close(other);
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
	expect_refused(clopt_buffer_from_cl(ctx, image, &b), CLOPT_EINVAL, ctx, "no buffer");
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

void buffers_refusals(TCase *c)
{
	tcase_add_test(c, refusals);
	tcase_add_test(c, not_a_buffer);
	tcase_add_test(c, faults);
}
