/* SPDX-License-Identifier: MIT */
/*
 * started.c - asynchronous calls: starting and collecting.
 */
#include <pthread.h>
#include <string.h>

#include "suites.h"
#include "wrap.h"

#define N 48

static float a[N * N], b[N * N];

static void fill(void)
{
	int i;

	for (i = 0; i < N * N; i++) {
		a[i] = (float)(i % 11) - 5;
		b[i] = (float)(i % 7) - 3;
	}
}

/* Started calls run in their order, in whichever they are collected; random/ has all routines. */
START_TEST(in_order)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_call *call[3];
	float c[N * N], t[N * N], want[N * N];
	int i;

	fill();
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, b, c, &call[0]));
	CHECK_OK(ctx, clopt_sgemm_start(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO,
	                                N, N, N, 1, a, N, b, N, 1, c, N, &call[1]));
	CHECK_OK(ctx, clopt_transpose_start(ctx, N, N, sizeof *c, c, N, t, N, &call[2]));
	for (i = 2; i >= 0; i--) {
		CHECK_OK(ctx, clopt_call_wait(call[i], NULL));
		clopt_call_free(call[i]);
	}
	CHECK_OK(ctx, clopt_matmul(ctx, N, N, N, a, b, want));
	for (i = 0; i < N * N; i++)
		ck_assert(t[i] == 2 * want[i % N * N + i / N]); /* whole numbers */
	test_close(ctx);
}
END_TEST

START_TEST(failures)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_call *call;
	struct clopt_report report = { .size = 1 };
	float c[N * N];

	fill();
	/* Refused when collected; the collector gets the text. */
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, NULL, c, &call));
	/* As often as asked. */
	expect_refused(clopt_call_wait(call, NULL), CLOPT_EINVAL, ctx, "b is NULL");
	expect_refused(clopt_transpose(ctx, 1, 1, 3, a, 1, c, 1), CLOPT_EINVAL, ctx,
	               "elem_bytes is 3");
	expect_refused(clopt_call_wait(call, NULL), CLOPT_EINVAL, ctx, "b is NULL");
	clopt_call_free(call);
	clopt_call_free(NULL);
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, b, c, &call));
	while (!clopt_call_done(call))
		;
	expect_refused(clopt_call_wait(call, &report), CLOPT_EINVAL, ctx, "clopt_report");
	CHECK_OK(ctx, clopt_call_wait(call, NULL));
	clopt_call_free(call);
	/* Freed without waiting: it is done all the same. */
	memset(c, 0, sizeof c);
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, b, c, &call));
	clopt_call_free(call);
	ck_assert(c[0] != 0);
	test_close(ctx);
}
END_TEST

/* A call that fails where no memory is left to say why. */
START_TEST(failure_without_memory)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_call *call;
	float c[N * N];
	int n, rc, failed = 1, untold = 0;

	fill();
	for (n = 1; failed; n++) {
		wrap_fail(n, CL_OUT_OF_HOST_MEMORY);
		rc = clopt_matmul_start(ctx, N, N, N, a, NULL, c, &call);
		if (rc == CLOPT_OK)
			rc = clopt_call_wait(call, NULL);
		failed = wrap_failed();
		wrap_fail(0, 0);
		ck_assert(rc == CLOPT_EINVAL || (failed && rc == CLOPT_ENOMEM));
		untold += strstr(clopt_error(ctx), "no memory to say why") != NULL;
		clopt_call_free(call);
	}
	ck_assert_int_eq(untold, 1);
	test_close(ctx);
}
END_TEST

/* A call that another thread collects. */
struct collector {
	struct clopt *ctx;
	struct clopt_call *bad, *good;
	int rc[3];
	char text[2][256];
	struct clopt_report report;
};

static void *collect(void *argument)
{
	struct collector *w = argument;
	float y[4];

	while (!clopt_call_done(w->good)) /* the failing one came before it */
		;
	/* A failure of this thread in between. */
	w->rc[0] = clopt_transpose(w->ctx, 2, 2, 3, a, 2, y, 2);
	strncpy(w->text[0], clopt_error(w->ctx), sizeof w->text[0] - 1);
	w->rc[1] = clopt_call_wait(w->bad, NULL);
	strncpy(w->text[1], clopt_error(w->ctx), sizeof w->text[1] - 1);
	w->rc[2] = clopt_call_wait(w->good, &w->report);
	clopt_call_free(w->bad);
	clopt_call_free(w->good);
	return NULL;
}

/* Status, text and report go to the collector, whatever its thread. */
START_TEST(collected_in_another_thread)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct collector w = { .report = { .size = sizeof w.report } };
	float c[N * N], phi[2] = { 0 };
	const float source[4] = { 1, 0, 0, 3 }, target[4] = { 0 };

	fill();
	w.ctx = test_open(NULL);
	CHECK_OK(w.ctx, clopt_matmul_start(w.ctx, N, N + 1, N, a, NULL, c, &w.bad));
	/* The caller may change the options once the call is started. */
	o.scale = 2;
	CHECK_OK(w.ctx, clopt_potential_start(w.ctx, 1, source, 1, target, phi, &o, &w.good));
	memset(&o, 0x55, sizeof o);
	test_in_threads(collect, &w, sizeof w, 1);
	ck_assert(w.rc[0] == CLOPT_EINVAL && strstr(w.text[0], "elem_bytes is 3"));
	ck_assert(w.rc[1] == CLOPT_EINVAL);
	ck_assert_str_eq(w.text[1],
	                 "matmul 48 x 49 x 48 float32 NN: b is NULL: it must have 48 x 49 "
	                 "elements");
	ck_assert(w.rc[2] == CLOPT_OK && w.report.size == sizeof w.report && w.report.seconds > 0);
	ck_assert(!strncmp(w.report.variant, "potential/", 10));
	ck_assert(phi[0] > 5.99f && phi[0] < 6.01f);
	/* This thread has seen no failure. */
	ck_assert_str_eq(clopt_error(w.ctx), "");
	test_close(w.ctx);
}
END_TEST

/* Each call has its own report, also one of an older header; an empty call has none. */
START_TEST(reports)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_report report = { .size = sizeof report }, last = { .size = sizeof last };
	struct clopt_call *call[3];
	float c[N * N], t[N * N];
	int i;

	fill();
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain,transpose/plain"));
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, b, c, &call[0]));
	CHECK_OK(ctx, clopt_transpose_start(ctx, N, N, 4, a, N, t, N, &call[1]));
	CHECK_OK(ctx, clopt_matmul_start(ctx, 0, N, N, NULL, NULL, NULL, &call[2]));
	CHECK_OK(ctx, clopt_call_wait(call[1], &report));
	ck_assert_str_eq(report.variant, "transpose/plain");
	report.bands = 77;
	report.size = offsetof(struct clopt_report, bands); /* an older header's struct */
	CHECK_OK(ctx, clopt_call_wait(call[0], &report));
	ck_assert_str_eq(report.variant, "matmul/plain");
	ck_assert_uint_eq(report.bands, 77);
	ck_assert_uint_eq(report.size, offsetof(struct clopt_report, bands));
	report.size = sizeof report;
	CHECK_OK(ctx, clopt_call_wait(call[2], &report));
	ck_assert_ptr_null(report.variant);
	CHECK_OK(ctx, clopt_last_report(ctx, &last)); /* the last to run, not to be collected */
	ck_assert_ptr_null(last.variant);
	ck_assert_int_eq(clopt_call_done(NULL), 1);
	for (i = 0; i < 3; i++)
		clopt_call_free(call[i]);
	test_close(ctx);
}
END_TEST

struct user {
	struct clopt *ctx;
	float c[N * N];
	int wrong;
};

static void *use(void *argument)
{
	struct user *u = argument;
	struct clopt_call *call;
	int i;

	for (i = 0; i < 10; i++) {
		u->wrong += clopt_matmul_start(u->ctx, N, N, N, a, b, u->c, &call) != CLOPT_OK ||
		            clopt_call_wait(call, NULL) != CLOPT_OK;
		clopt_call_free(call);
	}
	return NULL;
}

/* Threads start and collect on one context while another calls it. */
START_TEST(threads)
{
	static struct user user[3];
	struct clopt *ctx = test_open(NULL);
	pthread_t thread[3];
	float c[N * N];
	int i;

	fill();
	CHECK_OK(ctx, clopt_matmul(ctx, N, N, N, a, b, c));
	for (i = 0; i < 3; i++) {
		user[i].ctx = ctx;
		ck_assert_int_eq(pthread_create(&thread[i], NULL, use, &user[i]), 0);
	}
	for (i = 0; i < 10; i++)
		CHECK_OK(ctx, clopt_matmul(ctx, N, N, N, a, b, c));
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		ck_assert(!user[i].wrong && !memcmp(user[i].c, c, sizeof c));
	}
	test_close(ctx);
}
END_TEST

SUITE(started, quick)
{
	tcase_add_test(c, in_order);
	tcase_add_test(c, failures);
	tcase_add_test(c, failure_without_memory);
	tcase_add_test(c, collected_in_another_thread);
	tcase_add_test(c, reports);
	tcase_add_test(c, threads);
}
