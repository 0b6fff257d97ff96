/* SPDX-License-Identifier: MIT */
/*
 * times.c - sums of commands' times, and their overlap.
 */
#include <string.h>

#include "suites.h"
#include "base/context.h"
#include "move/move.h"
#include "wrap.h"

#define BYTES 4096

static struct clopt *ctx;
static cl_mem mem;
static char host[BYTES];

static void setup(void)
{
	const struct clopt_options options = { .size = sizeof options, .profile = 1, .queues = 2 };
	cl_int code;

	ctx = test_open(&options);
	mem = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
}

static void teardown(void)
{
	clReleaseMemObject(mem);
	test_close(ctx);
}

/* ---- Arithmetic ---------------------------------------------------------------- */

/* From..to of each, in hundredths of a second; by start. */
struct span {
	enum command_kind kind;
	int from, to;
};

static struct sums sums_of(const struct span *span, size_t n)
{
	struct command list[16] = { { 0 } };
	struct sums s = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		list[i].kind = span[i].kind;
		list[i].start = 0.01 * span[i].from;
		list[i].end = 0.01 * span[i].to;
	}
	clopt__sums_add(&s, list, n);
	return s;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NEAR(a, b) ck_assert_double_eq_tol(a, b, 1e-9)

/* The guide's two halves on two queues: the first comes down while the second
 * computes, and computes while the second goes up. */
static const struct span halves[] = {
	{ COMMAND_UP, 100, 110 },     { COMMAND_UP, 110, 120 },   { COMMAND_KERNEL, 110, 125 },
	{ COMMAND_KERNEL, 125, 140 }, { COMMAND_DOWN, 125, 130 }, { COMMAND_DOWN, 140, 145 },
};

static const struct span apart[] = { { COMMAND_UP, 0, 10 }, { COMMAND_KERNEL, 20, 30 } };

START_TEST(guide_halves)
{
	const struct sums s = sums_of(halves, COUNT(halves));
	const struct overlap o = clopt__overlap(&s, 2);

	NEAR(s.up, 0.2);
	NEAR(s.kernel, 0.3);
	NEAR(s.down, 0.1);
	NEAR(s.both, 0);
	NEAR(o.serial, 0.6);
	NEAR(o.bound, 0.3);
	NEAR(o.took, 0.45);
	NEAR(o.hidden, 0.5);
	ck_assert_int_eq(o.any, 1);
}
END_TEST

START_TEST(both_ways)
{
	const struct span spans[] = {
		{ COMMAND_UP, 0, 10 },  { COMMAND_UP, 5, 20 },    { COMMAND_DOWN, 8, 12 },
		{ COMMAND_UP, 9, 11 },  { COMMAND_DOWN, 10, 14 }, { COMMAND_COPY, 14, 15 },
		{ COMMAND_UP, 30, 40 }, { COMMAND_DOWN, 30, 31 }, { COMMAND_DOWN, 50, 60 },
	};
	const struct sums s = sums_of(spans, COUNT(spans));

	NEAR(s.both, 0.07); /* 8 to 14, 30 to 31 */
	NEAR(s.kernel, 0.01);
	NEAR(clopt__overlap(&s, 1).bound, s.up + s.down);
	NEAR(clopt__overlap(&s, 2).bound, s.up);
	NEAR(clopt__overlap(&s, 0).bound, s.up);
}
END_TEST

START_TEST(ends_of_overlap)
{
	const struct span one_kind[] = { { COMMAND_KERNEL, 0, 10 }, { COMMAND_KERNEL, 11, 20 } };
	const struct span perfect[] = { { COMMAND_UP, 0, 10 }, { COMMAND_KERNEL, 0, 10 } };
	struct sums s = { 0 };
	struct overlap o = clopt__overlap(&s, 0);

	NEAR(o.hidden, 1);
	ck_assert_int_eq(o.any, 0);
	s = sums_of(one_kind, COUNT(one_kind));
	o = clopt__overlap(&s, 1);
	NEAR(o.hidden, 1);
	ck_assert_int_eq(o.any, 0);
	s = sums_of(apart, COUNT(apart));
	o = clopt__overlap(&s, 1);
	NEAR(o.hidden, 0);
	ck_assert_int_eq(o.any, 1);
	s = sums_of(perfect, COUNT(perfect));
	NEAR(clopt__overlap(&s, 1).hidden, 1);
}
END_TEST

/* There is no overlap where the device waits for the host, which is not the driver's fault. */
START_TEST(gaps)
{
	const struct span spans[] = { { COMMAND_UP, 0, 10 },
		                      { COMMAND_KERNEL, 5, 15 },
		                      { COMMAND_DOWN, 40, 50 } };
	struct sums s = sums_of(spans, COUNT(spans));
	struct overlap o = clopt__overlap(&s, 2);

	NEAR(s.busy, 0.25);
	NEAR(o.hidden, 0);
	ck_assert(o.any && !o.apart);
	s = sums_of(apart, COUNT(apart));
	ck_assert(clopt__overlap(&s, 2).apart);
	s = sums_of(halves, COUNT(halves));
	NEAR(s.busy, 0.45);
	ck_assert(!clopt__overlap(&s, 2).apart);
}
END_TEST

/* A call's report follows from its sums, its bands and its queues. */
START_TEST(closing_a_call)
{
	struct clopt_report *r = &ctx->report;

	ctx->device.info.copy_engines = 2;
	ctx->log.sums = sums_of(apart, COUNT(apart));
	r->bands = r->queues = 2;
	clopt__report_close(ctx);
	ck_assert_int_eq(r->overlapped, 0);
	NEAR(r->serial_seconds, 0.2);
	NEAR(r->bound_seconds, 0.1);
	ctx->log.sums = sums_of(apart, COUNT(apart));
	r->queues = 1;
	clopt__report_close(ctx);
	ck_assert_int_eq(r->overlapped, 1);
	ctx->log.sums = sums_of(halves, COUNT(halves));
	r->queues = 2;
	clopt__report_close(ctx);
	ck_assert_int_eq(r->overlapped, 1);
	NEAR(r->hidden, 0.5);
}
END_TEST

/* ---- Commands ------------------------------------------------------------------ */

/* A transfer that is logged as this kind. */
static cl_event enqueue(enum command_kind kind, unsigned queue)
{
	const size_t at[3] = { 0, 0, 0 }, region[3] = { 64, BYTES / 64, 1 };
	cl_event event;
	cl_int code = kind == COMMAND_DOWN ?
	                      clEnqueueReadBufferRect(ctx->queue[queue], mem, CL_TRUE, at, at,
	                                              region, 64, 0, 64, 0, host, 0, NULL, &event) :
	                      clEnqueueWriteBufferRect(ctx->queue[queue], mem, CL_TRUE, at, at,
	                                               region, 64, 0, 64, 0, host, 0, NULL, &event);

	ck_assert_int_eq(code, CL_SUCCESS);
	return event;
}

static void run(enum command_kind kind, unsigned queue)
{
	CHECK_OK(ctx, clopt__log_add(ctx, kind, queue, BYTES, "", enqueue(kind, queue)));
}

static void finish(void)
{
	clFinish(ctx->queue[0]);
	clFinish(ctx->queue[1]);
}

static double seconds(cl_event event)
{
	cl_ulong start, end;

	finish();
	clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
	clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
	return 1e-9 * (double)(end - start);
}

START_TEST(sums_of_commands)
{
	const enum command_kind kinds[] = { COMMAND_UP, COMMAND_KERNEL, COMMAND_COPY,
		                            COMMAND_DOWN };
	const struct clopt_report *r = &ctx->report;
	double sum[COMMAND_KINDS] = { 0 };
	cl_event event;
	int i, round;

	for (round = 0; round < 2; round++) { /* settled twice in one call */
		for (i = 0; i < 100; i++) {
			event = enqueue(kinds[i % 4], 0);
			sum[kinds[i % 4]] += seconds(event);
			CHECK_OK(ctx, clopt__log_add(ctx, kinds[i % 4], 0, BYTES, "", event));
		}
		ck_assert_int_eq(clEnqueueMarkerWithWaitList(ctx->queue[0], 0, NULL, &event),
		                 CL_SUCCESS);
		CHECK_OK(ctx, clopt__log_add(ctx, COMMAND_MARK, 0, 0, "", event));
		ck_assert_uint_eq(clopt__log_count(ctx), 101);
		finish();
		CHECK_OK(ctx, clopt__log_settle(ctx, CLOPT_OK));
		ck_assert_uint_eq(clopt__log_count(ctx), 0);
	}
	NEAR(r->up_seconds, sum[COMMAND_UP]);
	NEAR(r->down_seconds, sum[COMMAND_DOWN]);
	NEAR(r->kernel_seconds, sum[COMMAND_KERNEL] + sum[COMMAND_COPY]);
	clopt__report_close(ctx);
	NEAR(r->serial_seconds, r->up_seconds + r->kernel_seconds + r->down_seconds);
	ck_assert(r->device_seconds >= r->serial_seconds - 1e-9); /* one after the other */
	ck_assert(r->bound_seconds > 0 && r->bound_seconds <= r->serial_seconds);
}
END_TEST

/* After any failure events are released and the next call works. */
START_TEST(failing_commands)
{
	cl_event event = enqueue(COMMAND_UP, 0);
	int rc;

	wrap_fail(1, CL_OUT_OF_RESOURCES);
	rc = clopt__log_add(ctx, COMMAND_UP, 0, BYTES, "", event);
	wrap_fail(0, 0);
	expect_refused(rc, CLOPT_ENOMEM, ctx, "no memory for the times");
	run(COMMAND_UP, 0);
	finish();
	wrap_fail(2, CL_OUT_OF_RESOURCES);
	rc = clopt__log_settle(ctx, CLOPT_OK);
	wrap_fail(0, 0);
	expect_refused(rc, CLOPT_EDEVICE, ctx, "clGetEventProfilingInfo");
	run(COMMAND_UP, 1);
	finish();
	ck_assert_int_eq(clopt__log_settle(ctx, CLOPT_EBUILD), CLOPT_EBUILD);
	ck_assert(ctx->report.up_seconds == 0);
	run(COMMAND_UP, 1);
	finish();
	CHECK_OK(ctx, clopt__log_settle(ctx, CLOPT_OK));
	ck_assert(ctx->report.up_seconds > 0);
	run(COMMAND_DOWN, 0); /* released by clopt_close */
	finish();
}
END_TEST

/* The queue of this number; another one after a failure. */
static void *add_many(void *argument)
{
	unsigned *queue = argument, i;

	for (i = 0; i < 200 && *queue < 2; i++)
		if (clopt__log_add(ctx, COMMAND_UP, *queue, 1, "", enqueue(COMMAND_UP, *queue)))
			*queue = 2;
	return NULL;
}

START_TEST(adding_threads)
{
	unsigned queue[2] = { 0, 1 };

	CHECK_OK(ctx, clopt_trace_start(ctx));
	test_in_threads(add_many, queue, sizeof *queue, 2);
	ck_assert(queue[0] == 0 && queue[1] == 1);
	finish();
	ck_assert_uint_eq(clopt__log_count(ctx), 400);
	CHECK_OK(ctx, clopt__log_settle(ctx, CLOPT_OK));
	ck_assert_uint_eq(ctx->log.traced, 400);
}
END_TEST

/* Without profiling no times are kept, and none are reported. */
START_TEST(no_profile)
{
	struct clopt *plain = test_open(NULL);

	CHECK_OK(plain, clopt__log_add(plain, COMMAND_UP, 0, 1, "", NULL));
	CHECK_OK(plain, clopt__log_settle(plain, CLOPT_OK));
	clopt__report_close(plain);
	ck_assert_int_eq(plain->report.overlapped, 1);
	ck_assert(plain->report.hidden == 0);
	clopt_close(plain);
}
END_TEST

SUITE(times, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, guide_halves);
	tcase_add_test(c, both_ways);
	tcase_add_test(c, ends_of_overlap);
	tcase_add_test(c, gaps);
	tcase_add_test(c, closing_a_call);
	tcase_add_test(c, sums_of_commands);
	tcase_add_test(c, failing_commands);
	tcase_add_test(c, adding_threads);
	tcase_add_test(c, no_profile);
}
