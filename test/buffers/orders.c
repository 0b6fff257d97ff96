/* SPDX-License-Identifier: MIT */
/*
 * orders.c - queues, events, and OpenCL objects of the caller's.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "wrap.h"

/* Queries of the caller's OpenCL objects, and of clopt's objects through OpenCL. */
START_TEST(queries_of_opencl_objects)
{
	struct clopt_device_info info = { .size = sizeof info };
	cl_buffer_region region = { 0, 1000 };
	size_t at;
	struct clopt *other;
	struct clopt_buffer *b, *whole, *in_part;
	struct clopt_queue *q;
	struct clopt_event *e, *again;
	struct clopt_order order = CLOPT_ORDER_INIT;
	cl_context context = clopt_cl_context(ctx);
	cl_command_queue own, loose;
	cl_mem mem, part;
	cl_event event;
	cl_int code;

	unsetenv("CLOPT_TEST_SHARE"); /* the other's objects have to be of another OpenCL context */
	other = test_open(NULL);
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	region.origin = at = info.buffer_align;
	mem = __real_clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	own = __real_clCreateCommandQueue(context, clopt_cl_device(ctx), 0, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	CHECK_OK(ctx, clopt_buffer_from_cl(ctx, mem, &whole));
	CHECK_OK(ctx, clopt_buffer_from_cl(ctx, part, &b));
	CHECK_OK(ctx, clopt_queue_from_cl(ctx, own, &q));
	ck_assert_uint_eq(clopt_buffer_bytes(whole), BYTES);
	ck_assert_uint_eq(clopt_buffer_bytes(b), 1000);
	ck_assert_ptr_eq(clopt_buffer_cl(b), part);
	ck_assert_ptr_eq(clopt_queue_cl(q), own);
	ck_assert_ptr_null(clopt_buffer_cl(NULL));
	ck_assert_ptr_null(clopt_queue_cl(NULL));
	ck_assert_ptr_null(clopt_event_cl(NULL));

	order.queue = q;
	order.event = &e;
	CHECK_OK(ctx, clopt_buffer_write(whole, 0, BYTES, in, &order));
	ck_assert_int_eq(clEnqueueReadBuffer(own, part, CL_TRUE, 0, 1000, out, 0, NULL, NULL),
	                 CL_SUCCESS);
	ck_assert(memcmp(out, in + at, 1000) == 0);
	CHECK_OK(ctx, clopt_buffer_view(b, 0, 500, &in_part));
	ck_assert_ptr_eq(clopt_buffer_cl(in_part), mem);
	memcpy(want, in + at, 500);
	expect(in_part, 500);
	expect_refused(clopt_buffer_copy(whole, at + 10, in_part, 0, 100, NULL), CLOPT_EINVAL, ctx,
	               "overlap");
	ck_assert_int_eq(clWaitForEvents(1, (cl_event[]){ clopt_event_cl(e) }), CL_SUCCESS);
	clopt_event_free(e);

	event = test_gate(ctx, &e);
	ck_assert_ptr_eq(clopt_event_cl(e), event);
	CHECK_OK(ctx, clopt_event_from_cl(ctx, event, &again));
	clSetUserEventStatus(event, CL_COMPLETE);
	CHECK_OK(ctx, clopt_event_wait(again));
	clopt_event_free(again);
	clopt_event_free(e);
	__real_clReleaseEvent(event);

	loose = __real_clCreateCommandQueue(context, clopt_cl_device(ctx),
	                                    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
	if (code == CL_SUCCESS) {
		expect_refused(clopt_queue_from_cl(ctx, loose, &q), CLOPT_EINVAL, ctx,
		               "out of order");
		__real_clReleaseCommandQueue(loose);
	}
	clopt_queue_free(order.queue);
	clopt_buffer_free(in_part);
	clopt_buffer_free(whole);
	clopt_buffer_free(b);
	__real_clReleaseMemObject(part);
	__real_clReleaseMemObject(mem);
	__real_clReleaseCommandQueue(own);
	clopt_close(other);
}
END_TEST

/* A reader on another queue sees the data once the event is complete, also through the event of an
 * empty command. */
START_TEST(two_queues)
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_buffer *a = buffer(BYTES), *b = buffer(BYTES);
	struct clopt_queue *q = queue();
	struct clopt_event *e[3];
	void *pinned, *down;
	double seconds = -1;
	int i, kind;

	CHECK_OK(ctx, clopt_host_alloc(ctx, BYTES, &pinned, &kind));
	CHECK_OK(ctx, clopt_host_alloc(ctx, BYTES, &down, NULL));
	memcpy(pinned, in, BYTES);
	for (i = 0; i < 2; i++) { /* the context's own queue first, then last */
		memset(down, 0, BYTES);
		order = (struct clopt_order)CLOPT_ORDER_INIT;
		order.queue = i ? q : NULL;
		order.event = &e[0];
		wrap_hold(HOLD);
		CHECK_OK(ctx, clopt_buffer_write(a, 0, BYTES, pinned, &order));
		order.queue = i ? NULL : q;
		order.wait = &e[0];
		order.nwait = 1;
		order.event = &e[1];
		CHECK_OK(ctx, clopt_buffer_write(a, 0, 0, NULL, &order));
		CHECK_OK(ctx, clopt_buffer_copy(a, 0, b, 0, BYTES, NULL));
		order.wait = e;
		order.nwait = 2;
		order.event = &e[2];
		CHECK_OK(ctx, clopt_buffer_read_rect(a, 1, 64, 100, 63, down, 63, &order));
		CHECK_OK(ctx, clopt_event_wait(e[2]));
		rows(want, 63, in + 1, 64, 100, 63);
		ck_assert(memcmp(down, want, 63 * 100) == 0);
		CHECK_OK(ctx, clopt_event_seconds(e[2], &seconds));
		ck_assert_msg(seconds >= 0 && seconds < 1000, "%g seconds", seconds);
		CHECK_OK(ctx, clopt_queue_finish(ctx, q));
		CHECK_OK(ctx, clopt_queue_finish(ctx, NULL));
		clopt_event_free(e[0]);
		clopt_event_free(e[1]);
		clopt_event_free(e[2]);
	}
	memcpy(want, in, BYTES);
	expect(b, BYTES);
	CHECK_OK(ctx, clopt_host_free(ctx, pinned));
	CHECK_OK(ctx, clopt_host_free(ctx, down));
	clopt_queue_free(q);
	clopt_buffer_free(a);
	clopt_buffer_free(b);
}
END_TEST

/* Memory of clopt_host_alloc is read when the command runs, if it is not ordinary memory. */
START_TEST(read_later)
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_buffer *b;
	struct clopt_event *wait, *done;
	cl_event event;
	void *memory;
	int kind;

	if (!test_can_wait(ctx, "read_later"))
		return;
	b = buffer(BYTES);
	event = test_gate(ctx, &wait);
	CHECK_OK(ctx, clopt_host_alloc(ctx, BYTES, &memory, &kind));
	CHECK_OK(ctx, clopt_buffer_write(b, 0, BYTES, in, NULL));
	order.wait = &wait;
	order.nwait = 1;
	order.event = &done;
	if (kind != CLOPT_MEMORY_ORDINARY) {
		CHECK_OK(ctx, clopt_buffer_read(b, 0, BYTES, memory, &order));
		clSetUserEventStatus(event, CL_COMPLETE);
		CHECK_OK(ctx, clopt_event_wait(done));
		ck_assert(memcmp(memory, in, BYTES) == 0);
		clopt_event_free(done);
	}
	CHECK_OK(ctx, clopt_finish(ctx));
	CHECK_OK(ctx, clopt_host_free(ctx, memory));
	clopt_event_free(wait);
	__real_clReleaseEvent(event);
	clopt_buffer_free(b);
}
END_TEST

/* All queues, the caller's too, are empty when the clock is read. */
START_TEST(host_time)
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_buffer *b = buffer(BYTES), *c = buffer(BYTES);
	struct clopt_report before = { .size = sizeof before }, after = { .size = sizeof after };
	struct clopt_queue *q = queue();
	struct clopt_event *e;
	cl_event gate;
	cl_int code, status = CL_QUEUED;
	double first = 0, then = 0;

	CHECK_OK(ctx, clopt_buffer_write(b, 0, BYTES, in, NULL));
	CHECK_OK(ctx, clopt_transpose(ctx, 2, 2, 4, in, 2, out, 2));
	CHECK_OK(ctx, clopt_last_report(ctx, &before));
	CHECK_OK(ctx, clopt_wall_time(ctx, &first));
	order.queue = q;
	order.event = &e;
	wrap_hold(HOLD);
	CHECK_OK(ctx, clopt_buffer_write(b, 0, BYTES, in, &order));
	clopt_event_free(e);
	CHECK_OK(ctx, clopt_buffer_copy(b, 0, c, 0, BYTES, &order));
	CHECK_OK(ctx, clopt_wall_time(ctx, &then));
	gate = clopt_event_cl(e);
	code = clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
	                      NULL);
	ck_assert(code == CL_SUCCESS && status == CL_COMPLETE);
	ck_assert_msg(then > first + 0.5e-3 * HOLD || !wrap_can_hold(clopt_cl_device(ctx)),
	              "%g to %g", first, then);
	CHECK_OK(ctx, clopt_last_report(ctx, &after));
	ck_assert(memcmp(&before, &after, sizeof before) == 0);
	clopt_event_free(e);
	clopt_queue_free(q);
	clopt_buffer_free(b);
	clopt_buffer_free(c);
}
END_TEST

/* A copy of 64 bytes on a queue of its own, that waits for the gate. */
struct late_copy {
	struct clopt_buffer *from, *to;
	struct clopt_queue *queue;
	cl_event gate;
	struct clopt_event *wait, *done;
};

static struct late_copy late_copy_begin(void)
{
	struct late_copy c = { buffer(64), buffer(64), queue(), NULL, NULL, NULL };
	struct clopt_order order = CLOPT_ORDER_INIT;

	c.gate = test_gate(ctx, &c.wait);
	order.queue = c.queue;
	order.wait = &c.wait;
	order.nwait = 1;
	order.event = &c.done;
	CHECK_OK(ctx, clopt_buffer_copy(c.from, 0, c.to, 0, 64, &order));
	return c;
}

static void late_copy_end(struct late_copy *c)
{
	clopt_event_free(c->done);
	clopt_event_free(c->wait);
	__real_clReleaseEvent(c->gate);
	clopt_queue_free(c->queue);
	clopt_buffer_free(c->from);
	clopt_buffer_free(c->to);
}

/* A command that cannot run any more: its event has the reason. */
START_TEST(failed_command)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct late_copy c;
	double seconds;

	if (!test_can_wait(ctx, "failed_command"))
		return;
	c = late_copy_begin();
	clSetUserEventStatus(c.gate, CL_OUT_OF_RESOURCES);
	expect_refused(clopt_event_wait(c.wait), CLOPT_EDEVICE, ctx, "CL_OUT_OF_RESOURCES (-5)");
	expect_refused(clopt_event_wait(c.done), CLOPT_EDEVICE, ctx, "clopt_event_wait: ");
	expect_refused(clopt_event_seconds(c.done, &seconds), CLOPT_EDEVICE, ctx, "(-");
	expect_refused(clopt_finish(ctx), CLOPT_EDEVICE, ctx, "clopt_finish: ");
	/* It is reported once, but by Mesa's queues, which fail for good. */
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	if (strstr(info.platform, "rusticl"))
		expect_refused(clopt_finish(ctx), CLOPT_EDEVICE, ctx, "clopt_finish: ");
	else
		CHECK_OK(ctx, clopt_finish(ctx));
	late_copy_end(&c);
}
END_TEST

static struct clopt_buffer *numbers_from(int first, int *x, size_t n)
{
	struct clopt_buffer *b = buffer(n * sizeof *x);
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = first + (int)i;
	CHECK_OK(ctx, clopt_buffer_write(b, 0, n * sizeof *x, x, NULL));
	return b;
}

/* A call in place waits, and one behind it has failed.  Their matrix is not for another queue. */
START_TEST(scratch_of_a_failed_call)
{
	enum {
		N = 1024
	};
	struct clopt_order order[2] = { CLOPT_ORDER_INIT, CLOPT_ORDER_INIT },
	                   apart = CLOPT_ORDER_INIT;
	struct clopt_queue *q = queue();
	struct clopt_device_info info = { .size = sizeof info };
	int *x = malloc(N * N * sizeof *x), rounds = 3, i, j;

	ck_assert_ptr_nonnull(x);
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	if (strstr(info.platform, "rusticl")) {
		printf("scratch_of_a_failed_call: skipped, since Mesa's queues fail for good\n");
		rounds = 0;
	}
	apart.queue = q;
	for (; rounds > 0 && test_can_wait(ctx, "scratch_of_a_failed_call"); rounds--) {
		struct clopt_event *wait[2];
		struct clopt_buffer *a[3];
		cl_event gate[2];

		for (i = 0; i < 3; i++)
			a[i] = numbers_from(i * N * N, x, N * N);
		for (i = 0; i < 2; i++) {
			gate[i] = test_gate(ctx, &wait[i]);
			order[i].wait = &wait[i];
			order[i].nwait = 1;
			CHECK_OK(ctx, clopt_transpose_inplace_buffers(ctx, N, N, sizeof *x, a[i], N,
			                                              &order[i]));
		}
		clSetUserEventStatus(gate[1], CL_OUT_OF_RESOURCES);
		for (i = 0; i < 9; i++) {
			CHECK_OK(ctx, clopt_transpose_inplace_buffers(ctx, N, N, sizeof *x, a[2], N,
			                                              &apart));
			if (i == 4)
				clSetUserEventStatus(gate[0], CL_COMPLETE);
		}
		clopt_finish(ctx); /* of the failure; its text is another test's */
		for (i = 0; i < 3; i += 2) {
			CHECK_OK(ctx, clopt_buffer_read(a[i], 0, N * N * sizeof *x, x, NULL));
			for (j = 0; j < N * N; j++)
				ck_assert_int_eq(x[j], i * N * N + j % N * N + j / N);
		}
		for (i = 0; i < 3; i++)
			clopt_buffer_free(a[i]);
		for (i = 0; i < 2; i++) {
			clopt_event_free(wait[i]);
			__real_clReleaseEvent(gate[i]);
		}
	}
	free(x);
	clopt_queue_free(q);
}
END_TEST

/* The number of clopt_finish's queries, which is two for each command: of the command that waited,
 * and of the last command if others of its routine or its rows follow.  The query fails here: PoCL
 * 3.1 aborts when a command fails that has another behind it in its queue.  The last command waits,
 * too, since its event is the caller's: a queue goes on after a command that fails. */
static int asked_after(int (*work)(const struct clopt_order *, struct clopt_buffer **))
{
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_buffer *b[3] = { buffer(BYTES), buffer(BYTES), buffer(BYTES) };
	struct clopt_event *e;
	int i, n, rc, reached = 1, asked = 0;

	order.event = &e;
	CHECK_OK(ctx, clopt_buffer_write(b[0], 0, BYTES, want, NULL));
	CHECK_OK(ctx, clopt_buffer_write(b[1], 0, BYTES, want, &order));
	order.event = NULL;
	order.wait = &e;
	order.nwait = 1;
	for (n = 1; n < 100 && reached; n++) {
		CHECK_OK(ctx, work(&order, b));
		ck_assert_uint_ge(wrap_waits(), 1);
		CHECK_OK(ctx, clopt_queue_finish(ctx, NULL));
		wrap_fail(n, CL_OUT_OF_RESOURCES);
		rc = clopt_finish(ctx);
		reached = wrap_failed();
		wrap_fail(0, 0);
		asked += rc == CLOPT_EDEVICE &&
		         strstr(clopt_error(ctx), "a command queued earlier") != NULL;
	}
	clopt_event_free(e);
	for (i = 0; i < 3; i++)
		clopt_buffer_free(b[i]);
	return asked;
}

static int one_copy(const struct clopt_order *order, struct clopt_buffer **b)
{
	return clopt_buffer_copy(b[0], 0, b[1], 0, 64, order);
}

static int row_by_row(const struct clopt_order *order, struct clopt_buffer **b)
{
	return clopt_buffer_copy_rect(b[0], 0, 100, b[0], 9000, 77, 20, 40, order);
}

static int matmul(const struct clopt_order *order, struct clopt_buffer **b)
{
	return clopt_matmul_buffers(ctx, 4, 4, 4, b[0], b[1], b[2], order);
}

static int leapfrog(const struct clopt_order *order, struct clopt_buffer **b)
{
	int rc;

	wrap_unwaiting();
	rc = clopt_nbody_leapfrog_buffers(ctx, 4, b[0], b[1], 1, 2, NULL, order);
	ck_assert_int_eq(wrap_unwaiting(), 0); /* or the bodies would move */
	return rc;
}

START_TEST(failed_commands_are_found)
{
	static const char *const images[] = { "matmul/image-4x4", "nbody/image-4" };
	size_t k;

	memset(want, 0, BYTES);
	ck_assert_int_eq(asked_after(one_copy), 2);
	ck_assert_int_eq(asked_after(row_by_row), 4);
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain,nbody/plain"));
	ck_assert_int_eq(asked_after(matmul), 2);
	ck_assert_int_eq(asked_after(leapfrog), 4);
	for (k = 0; k < 2; k++)
		if (test_force(ctx, images[k]))
			ck_assert_int_eq(asked_after(k ? leapfrog : matmul), 4);
}
END_TEST

/* An image of texels lives until the kernel has read it, though nobody waits and memory is reused
 * in between. */
START_TEST(images_outlive_their_kernel)
{
	static float points[4 * 64], acc[4 * 64], got[4 * 64];
	struct clopt_buffer *b = buffer(sizeof points), *to = buffer(sizeof got);
	size_t i;
	int k;

	test_force(ctx, "nbody/image-4");
	for (i = 0; i < 4 * 64; i++)
		points[i] = (float)(i * 7 % 13);
	CHECK_OK(ctx, clopt_nbody(ctx, 64, points, 64, points, acc, NULL));
	CHECK_OK(ctx, clopt_buffer_write(b, 0, sizeof points, points, NULL));
	for (k = 0; k < 300; k++)
		CHECK_OK(ctx, clopt_nbody_buffers(ctx, 64, b, 64, b, to, NULL, NULL));
	CHECK_OK(ctx, clopt_buffer_read(to, 0, sizeof got, got, NULL));
	ck_assert(memcmp(got, acc, sizeof got) == 0);
	CHECK_OK(ctx, clopt_nbody_buffers(ctx, 64, b, 64, b, to, NULL, NULL));
	clopt_buffer_free(b);
	clopt_buffer_free(to); /* the context is closed meanwhile */
}
END_TEST

/* The context is closed while a kernel may use a copy of ours, here of points that begin between
 * multiples of their size, and the wait for it fails. */
START_TEST(closing_fails_to_wait)
{
	struct clopt_buffer *b = buffer(BYTES), *odd, *to = buffer(BYTES);

	CHECK_OK(ctx, clopt_buffer_write(b, 0, BYTES, in, NULL));
	CHECK_OK(ctx, clopt_buffer_view(b, 4, 16 * 64, &odd));
	CHECK_OK(ctx, clopt_nbody_buffers(ctx, 64, odd, 64, odd, to, NULL, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(odd);
	clopt_buffer_free(b);
	clopt_buffer_free(to);
	wrap_fail(1, CL_OUT_OF_RESOURCES);
	clopt_close(ctx);
	ck_assert(wrap_failed());
	wrap_fail(0, 0);
	ck_assert_msg(wrap_live() == 0, "%s are left", wrap_live_text());
	ctx = test_open(NULL);
}
END_TEST

struct waiter {
	struct clopt_event *event;
	int waited, finished;
};

static void *wait_in_thread(void *argument)
{
	struct waiter *w = argument;

	w->waited = clopt_event_wait(w->event);
	w->finished = clopt_finish(ctx);
	return NULL;
}

/* A waiting thread does not lock the context, since another thread may have to complete the
 * event. */
START_TEST(waiting_does_not_lock_the_context)
{
	struct waiter w = { NULL, -1, -1 };
	struct late_copy c;
	pthread_t thread;

	if (!test_can_wait(ctx, "waiting_does_not_lock_the_context"))
		return;
	c = late_copy_begin();
	w.event = c.done;
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_in_thread, &w), 0);
	CHECK_OK(ctx, clopt_buffer_write(c.from, 0, 64, in, NULL));
	CHECK_OK(ctx, clopt_queue_finish(ctx, NULL));
	clSetUserEventStatus(c.gate, CL_COMPLETE);
	pthread_join(thread, NULL);
	ck_assert(w.waited == CLOPT_OK && w.finished == CLOPT_OK);
	memcpy(want, in, 64);
	expect(c.to, 64);
	late_copy_end(&c);
}
END_TEST

void buffers_orders(TCase *c)
{
	tcase_add_test(c, queries_of_opencl_objects);
	tcase_add_test(c, read_later);
	tcase_add_test(c, two_queues);
	tcase_add_test(c, host_time);
	tcase_add_test(c, failed_command);
	tcase_add_test(c, scratch_of_a_failed_call);
	tcase_add_test(c, failed_commands_are_found);
	tcase_add_test(c, images_outlive_their_kernel);
	tcase_add_test(c, closing_fails_to_wait);
	tcase_add_test(c, waiting_does_not_lock_the_context);
}
