/* SPDX-License-Identifier: MIT */
/*
 * lifetimes.c - what outlives its context, its thread or its process: handles, names, texts.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "suites.h"
#include "wrap.h"

static const float a[4] = { 1, 2, 3, 4 };
static float out[4];

/* One of each kind of handle, and a view, on a context of their own. */
struct handles {
	struct clopt *ctx;
	struct clopt_buffer *buffer, *view;
	struct clopt_queue *queue;
	struct clopt_event *event;
	struct clopt_call *call, *refused;
};

static void handles_open(struct handles *h)
{
	struct clopt_order order = CLOPT_ORDER_INIT;

	h->ctx = test_open(NULL);
	CHECK_OK(h->ctx, clopt_buffer_new(h->ctx, 4096, &h->buffer));
	CHECK_OK(h->ctx, clopt_buffer_view(h->buffer, 0, 64, &h->view));
	CHECK_OK(h->ctx, clopt_queue_new(h->ctx, &h->queue));
	order.queue = h->queue;
	order.event = &h->event;
	CHECK_OK(h->ctx, clopt_buffer_write(h->view, 0, sizeof a, a, &order));
	CHECK_OK(h->ctx, clopt_matmul_start(h->ctx, 2, 2, 2, a, a, out, &h->call));
	CHECK_OK(h->ctx, clopt_matmul_start(h->ctx, 2, 2, 2, a, NULL, out, &h->refused));
}

static void handle_free(struct handles *h, int i)
{
	switch (i) {
	case 0:
		clopt_buffer_free(h->buffer);
		break;
	case 1:
		clopt_buffer_free(h->view);
		break;
	case 2:
		clopt_queue_free(h->queue);
		break;
	case 3:
		clopt_event_free(h->event);
		break;
	case 4:
		clopt_call_free(h->call);
		break;
	case 5:
		clopt_call_free(h->refused);
		break;
	default:
		clopt_close(h->ctx);
		break;
	}
}

/* In each rotation of their order and of its reverse. */
START_TEST(freed_in_any_order)
{
	struct handles h;
	int i;

	handles_open(&h);
	for (i = 0; i < 7; i++)
		handle_free(&h, (_i < 7 ? _i + i : _i + 7 - i) % 7);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
}
END_TEST

/* Names of rows that were made from settings too. */
START_TEST(names)
{
	const char *const made = "matmul/reg-64x64x32:TK=16";
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 2, 2, 2 } };
	struct clopt_report report = { .size = sizeof report };
	struct clopt_plan_info plan = { .size = sizeof plan, .dry = 1 };
	struct clopt *ctx = test_open(NULL);
	const char *chosen;

	CHECK_OK(ctx, clopt_force_variants(ctx, made));
	CHECK_OK(ctx, clopt_matmul(ctx, 2, 2, 2, a, a, out));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	chosen = clopt_chosen_variant(ctx, &p);
	test_close(ctx);
	ck_assert_str_eq(report.variant, made);
	ck_assert_str_eq(plan.variant, made);
	ck_assert_str_eq(chosen, made);
	/* One copy for all contexts. */
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_force_variants(ctx, made));
	ck_assert_ptr_eq(clopt_chosen_variant(ctx, &p), chosen);
	test_close(ctx);
}
END_TEST

static void *fail_here(void *ctx)
{
	clopt_matmul(ctx, 7, 2, 2, a, NULL, out);
	return NULL;
}

/* The context keeps the text of its last failure, in whichever thread it was. */
START_TEST(texts)
{
	struct clopt *ctx = test_open(NULL), *other = test_open(NULL);
	char text[256], cut[9];
	size_t size;

	ck_assert_uint_eq(clopt_error_copy(ctx, text, sizeof text), 0);
	ck_assert_str_eq(text, "");
	test_in_threads(fail_here, ctx, 0, 1);
	ck_assert_str_eq(clopt_error(ctx), ""); /* of this thread */
	size = clopt_error_copy(ctx, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "matmul 7 x 2 x 2"));
	ck_assert_uint_eq(size, strlen(text) + 1);
	/* Other contexts' failures, and calls that succeed, do not change it. */
	clopt_transpose(other, 1, 1, 3, a, 1, out, 1);
	CHECK_OK(ctx, clopt_matmul(ctx, 2, 2, 2, a, a, out));
	ck_assert_uint_eq(clopt_error_copy(ctx, cut, sizeof cut), size);
	ck_assert_str_eq(cut, "matmul 7");
	ck_assert_uint_eq(clopt_error_copy(ctx, NULL, 0), size);
	clopt_transpose(ctx, 1, 1, 3, a, 1, out, 1);
	clopt_error_copy(ctx, text, sizeof text);
	ck_assert_str_eq(text, clopt_error(ctx));
	clopt_close(other);
	test_close(ctx);
	ck_assert_str_eq(clopt_error(ctx), ""); /* it ends with the context */
}
END_TEST

/* Memory that is freed is only looked at; AddressSanitizer would see that. */
#ifdef __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || HAS_FEATURE(address_sanitizer)
#define SEES_FREED 1
#else
#define SEES_FREED 0
#endif

/* Whether a call was refused so; else it is printed. */
static int is_refused(int rc, int status, struct clopt *on, const char *word, const char *call)
{
	if (rc == status && strstr(clopt_error(on), word))
		return 1;
	fprintf(stderr, "%s: %s: %s\n", call, clopt_strerror(rc), clopt_error(on));
	return 0;
}

/* Whether all calls on the handles are refused so, and on their context. */
static int all_refused(struct handles *h, int status, const char *word, int closed)
{
	struct clopt *const ctx = closed && SEES_FREED ? NULL : h->ctx;
	struct clopt *on = closed ? NULL : h->ctx; /* who has the text */
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 2, 2, 2 } };
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_report report = { .size = sizeof report };
	struct clopt_plan_info plan = { .size = sizeof plan };
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_resources use = CLOPT_RESOURCES_INIT;
	struct clopt_occupancy_info occupancy = CLOPT_OCCUPANCY_INFO_INIT;
	struct clopt_points points = CLOPT_POINTS_INIT;
	struct clopt_results results = CLOPT_RESULTS_INIT;
	struct clopt_conserved sums;
	double d[8] = { 0 }, seconds;
	struct clopt_buffer *b;
	struct clopt_queue *q;
	struct clopt_call *call;
	struct clopt_tree *tree;
	char text[256];
	void *memory;
	float f[8] = { 0 };
	int all = 1;

#define REFUSED(call) all &= is_refused(call, status, on, word, #call)
	REFUSED(clopt_buffer_view(h->buffer, 0, 1, &b));
	REFUSED(clopt_buffer_write(h->buffer, 0, 4, a, NULL));
	REFUSED(clopt_buffer_read(h->view, 0, 4, out, NULL));
	REFUSED(clopt_buffer_copy(h->buffer, 0, h->buffer, 8, 4, NULL));
	REFUSED(clopt_event_wait(h->event));
	REFUSED(clopt_event_seconds(h->event, &seconds));
	REFUSED(clopt_call_wait(h->call, NULL));
	if (!ctx)
		return all;
	on = ctx;
	points.n = 1;
	points.x = points.y = points.z = points.w = d;
	results.phi = d + 1;
	REFUSED(clopt_matmul(ctx, 2, 2, 2, a, a, out));
	REFUSED(clopt_transpose_inplace(ctx, 2, 2, 4, f, 2));
	REFUSED(clopt_potential(ctx, 1, f, 1, f, out, NULL));
	REFUSED(clopt_nbody(ctx, 1, f, 1, f, out, NULL));
	REFUSED(clopt_potential_points(ctx, &points, &points, &results, NULL));
	REFUSED(clopt_gravity(ctx, &points, &points, &results, NULL));
	REFUSED(clopt_nbody_leapfrog(ctx, 1, f, f + 4, 1, 1, NULL));
	REFUSED(clopt_nbody_evolve(ctx, 1, d, d + 4, 1, 1, NULL));
	REFUSED(clopt_nbody_conserved(ctx, 1, d, d + 4, NULL, &sums));
	REFUSED(clopt_map(ctx, &map));
	REFUSED(clopt_matmul_start(ctx, 2, 2, 2, a, a, out, &call));
	REFUSED(clopt_matmul_buffers(ctx, 2, 2, 2, h->buffer, h->buffer, h->view, NULL));
	REFUSED(clopt_tree_new(ctx, 1, a, &tree));
	REFUSED(clopt_buffer_new(ctx, 1, &b));
	REFUSED(clopt_queue_new(ctx, &q));
	REFUSED(clopt_queue_finish(ctx, h->queue));
	REFUSED(clopt_finish(ctx));
	REFUSED(clopt_wall_time(ctx, &seconds));
	REFUSED(clopt_host_alloc(ctx, 1, &memory, NULL));
	REFUSED(clopt_host_free(ctx, NULL));
	REFUSED(clopt_host_trim(ctx));
	REFUSED(clopt_device_get(ctx, &info));
	REFUSED(clopt_last_report(ctx, &report));
	REFUSED(clopt_force_variants(ctx, NULL));
	REFUSED(clopt_explain(ctx, &p, text, sizeof text));
	REFUSED(clopt_plan(ctx, &p, &plan));
	REFUSED(clopt_prepare(ctx, &p));
	REFUSED(clopt_tune(ctx, &p, NULL, NULL, 0));
	REFUSED(clopt_tuning_merge(ctx, "", NULL));
	REFUSED(clopt_time_variant(ctx, &p, NULL, 0, &seconds));
	REFUSED(clopt_problem_class(ctx, &p, text, sizeof text));
	REFUSED(clopt_trace_start(ctx));
	REFUSED(clopt_trace_stop(ctx));
	REFUSED(clopt_trace_json(ctx, "trace.json"));
	REFUSED(clopt_occupancy_of(ctx, &p, &use, &occupancy));
	return all && !clopt_chosen_variant(ctx, &p) && !clopt_tuning_records(ctx, NULL, 0);
}

START_TEST(of_no_use_after_the_context)
{
	struct clopt *joined;
	struct handles h;
	int i;

	handles_open(&h);
	clopt_close(h.ctx);
	ck_assert(all_refused(&h, CLOPT_EINVAL, "closed", 1));
	ck_assert_int_eq(clopt_call_done(h.call), 1);
	ck_assert_uint_eq(clopt_buffer_bytes(h.buffer), 4096);
	for (i = 0; i < 6; i++)
		handle_free(&h, i);
	ck_assert_int_eq(wrap_live(), 0);
	if (SEES_FREED)
		return;
	expect_refused(clopt_join(&joined, &h.ctx, 1), CLOPT_EINVAL, NULL,
	               "clopt_join: member 0: the context is closed");
	ck_assert_ptr_null(clopt_cl_context(h.ctx));
	ck_assert_uint_eq(clopt_members(h.ctx), 0);
	clopt_cancel(h.ctx);
	clopt_close(h.ctx);
}
END_TEST

/* What the child of a process that has these handles may do; 0 if all is well. */
static int use_in_child(struct handles *h)
{
	char text[256];
	int i;

	if (!all_refused(h, CLOPT_EFORK, "fork", 0) ||
	    clopt_error_copy(h->ctx, text, sizeof text) != strlen(clopt_error(h->ctx)) + 1 ||
	    clopt_call_done(h->call) != 1 ||
	    clopt_variant_runs(h->ctx, 0, NULL, text, sizeof text) || !strstr(text, "parent"))
		return 1;
	for (i = 0; i < 7; i++)
		handle_free(h, i);
	return 0;
}

/* Other threads' locks are held for ever in a child. */
START_TEST(forked)
{
	struct handles h;
	pid_t child;
	int i, status = -1;

	handles_open(&h);
	CHECK_OK(h.ctx, clopt_call_wait(h.call, NULL));
	ck_assert_int_eq(clopt_call_wait(h.refused, NULL), CLOPT_EINVAL);
	pthread_mutex_lock(&h.ctx->lock);
	pthread_mutex_lock(&h.ctx->starting);
	pthread_mutex_lock(&h.ctx->shared->lock);
	child = fork();
	if (child == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(60);
		_exit(use_in_child(&h));
	}
	pthread_mutex_unlock(&h.ctx->shared->lock);
	pthread_mutex_unlock(&h.ctx->starting);
	pthread_mutex_unlock(&h.ctx->lock);
	ck_assert(child > 0 && waitpid(child, &status, 0) == child);
	ck_assert_msg(status == 0, "the child ended with %d", status);
	CHECK_OK(h.ctx, clopt_matmul(h.ctx, 2, 2, 2, a, a, out));
	for (i = 0; i < 7; i++)
		handle_free(&h, i);
	ck_assert_int_eq(wrap_live(), 0);
}
END_TEST

/* Codes of OpenCL after which a context is of no use. */
START_TEST(lost_device)
{
	static const cl_int codes[] = { CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, -9999 };
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 2, 2, 2 } };
	struct clopt *ctx = test_open(NULL), *other;
	struct clopt_call *call;
	char text[256];
	void *memory;

	CHECK_OK(ctx, clopt_host_alloc(ctx, 1, &memory, NULL));
	/* Other failures leave it as it was. */
	wrap_fail(1, CL_OUT_OF_RESOURCES);
	expect_refused(clopt_queue_finish(ctx, NULL), CLOPT_EDEVICE, ctx, "(-5)");
	CHECK_OK(ctx, clopt_queue_finish(ctx, NULL));
	CHECK_OK(ctx, clopt_matmul_start(ctx, 2, 2, 2, a, a, out, &call));
	CHECK_OK(ctx, clopt_call_wait(call, NULL));
	wrap_fail(1, codes[_i]);
	expect_refused(clopt_queue_finish(ctx, NULL), CLOPT_ELOST, ctx, "clRetainCommandQueue");
	wrap_fail(0, 0);
	expect_refused(clopt_queue_finish(ctx, NULL), CLOPT_ELOST, ctx, "lost");
	expect_refused(clopt_matmul(ctx, 2, 2, 2, a, a, out), CLOPT_ELOST, ctx, "lost");
	expect_refused(clopt_explain(ctx, &p, text, sizeof text), CLOPT_ELOST, ctx, "lost");
	CHECK_OK(ctx, clopt_call_wait(call, NULL)); /* it ended before */
	clopt_call_free(call);
	expect_refused(clopt_matmul_start(ctx, 2, 2, 2, a, a, out, &call), CLOPT_ELOST, ctx,
	               "lost");
	ck_assert_ptr_null(call);
	/* Memory can be freed, which is no failure with a text of its own. */
	CHECK_OK(ctx, clopt_host_free(ctx, memory));
	ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "lost"));
	other = test_open(NULL);
	CHECK_OK(other, clopt_matmul(other, 2, 2, 2, a, a, out));
	clopt_close(ctx);
	test_close(other);
}
END_TEST

/* clFinish fails without having waited, then waiting for an event, then clFinish again: the device
 * writes nothing more when the call has returned, or the context counts as lost. */
START_TEST(waits_that_fail)
{
	static unsigned char in[1 << 16], turned[sizeof in], then[sizeof in];
	const struct timespec moment = { 0, 400000000 };
	const size_t side = 256;
	struct clopt *ctx;

	wrap_discrete(1);
	ctx = test_open(NULL);
	if (test_can_wait(ctx, "waits_that_fail")) {
		CHECK_OK(ctx, clopt_transpose(ctx, side, side, 1, in, side, turned, side));
		memset(in, 1, sizeof in);
		wrap_hold(200);
		wrap_no_waits(_i);
		expect_refused(clopt_transpose(ctx, side, side, 1, in, side, turned, side),
		               _i < 3 ? CLOPT_EDEVICE : CLOPT_ELOST, ctx,
		               _i < 3 ? "clFinish failed" : "may still use arrays");
		memcpy(then, turned, sizeof then);
		nanosleep(&moment, NULL);
		ck_assert_msg(_i == 3 || !memcmp(then, turned, sizeof then),
		              "the device wrote after the call");
		ck_assert_int_eq(clopt_transpose(ctx, side, side, 1, in, side, turned, side),
		                 _i < 3 ? CLOPT_OK : CLOPT_ELOST);
	}
	wrap_discrete(0);
	clopt_close(ctx);
}
END_TEST

/* clFinish fails, and one of the calls that then wait in another way: the last of them waits. */
START_TEST(other_waits_that_fail)
{
	struct clopt *ctx = test_open(NULL);
	int n, failed = 1;

	for (n = 1; failed; n++) {
		wrap_no_waits(1);
		wrap_fail(n, CL_OUT_OF_RESOURCES);
		expect_refused(clopt_queue_finish(ctx, NULL), CLOPT_EDEVICE, ctx, "(-5)");
		failed = wrap_failed();
		wrap_fail(0, 0);
		wrap_no_waits(0);
	}
	ck_assert_int_gt(n, 4);
	test_close(ctx);
}
END_TEST

SUITE(lifetimes, long)
{
	tcase_add_loop_test(c, freed_in_any_order, 0, 14);
	tcase_add_test(c, of_no_use_after_the_context);
	tcase_add_test(c, names);
	tcase_add_test(c, texts);
	tcase_add_test(c, forked);
	tcase_add_loop_test(c, lost_device, 0, 3);
	tcase_add_loop_test(c, waits_that_fail, 1, 4);
	tcase_add_test(c, other_waits_that_fail);
}
