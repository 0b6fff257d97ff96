/* SPDX-License-Identifier: MIT */
/*
 * started.c - routines that go on by themselves, and their collection.
 */
#include <pthread.h>
#include <string.h>

#include "suites.h"
#include "wrap.h"

#define N 48

static float a[N * N], b[N * N], points[4 * N], moved[4 * N], speed[4 * N];
static double x[N * N];

static void fill(void)
{
	int i;

	for (i = 0; i < N * N; i++) {
		a[i] = (float)(i % 11) - 5;
		b[i] = (float)(i % 7) - 3;
		x[i] = a[i];
	}
	for (i = 0; i < 4 * N; i++)
		points[i] = (float)(i * i % 97);
	memset(speed, 0, sizeof speed);
}

/* All routines, started at once, collected last first. */
START_TEST(all)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_call *call[7];
	struct clopt_report report = { .size = sizeof report };
	float c[2][N * N], t[2][N * N], phi[2][N], acc[2][4 * N], s[4 * N], m[4 * N];
	double d[2][N * N];
	int i;

	fill();
	memcpy(moved, points, sizeof moved);
	memcpy(m, points, sizeof m);
	memcpy(s, speed, sizeof s);
	memset(d, 0, sizeof d);
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, b, c[0], &call[0]));
	CHECK_OK(ctx, clopt_transpose_start(ctx, N, N, 4, a, N, t[0], N, &call[1]));
	CHECK_OK(ctx, clopt_potential_start(ctx, N, points, N, points, phi[0], NULL, &call[2]));
	CHECK_OK(ctx, clopt_nbody_start(ctx, N, points, N, points, acc[0], NULL, &call[3]));
	CHECK_OK(ctx, clopt_nbody_leapfrog_start(ctx, N, m, s, 1e-3, 5, NULL, &call[4]));
	CHECK_OK(ctx, clopt_dgemm_start(ctx, CLOPT_TRANS, CLOPT_NO_TRANS, N, N, N, 2, x, N, x, N, 1,
	                                d[0], N, &call[5]));
	/* It uses what the first has made: starts run in their order. */
	CHECK_OK(ctx, clopt_sgemm_start(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, N, N, N, 1, a, N, b, N,
	                                1, c[0], N, &call[6]));
	for (i = 6; i >= 0; i--) {
		CHECK_OK(ctx, clopt_collect(call[i], &report));
		ck_assert(report.variant && report.seconds > 0);
	}
	CHECK_OK(ctx, clopt_matmul(ctx, N, N, N, a, b, c[1]));
	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, N, N, N, 1, a, N, b, N, 1,
	                          c[1], N));
	CHECK_OK(ctx, clopt_transpose(ctx, N, N, 4, a, N, t[1], N));
	CHECK_OK(ctx, clopt_potential(ctx, N, points, N, points, phi[1], NULL));
	CHECK_OK(ctx, clopt_nbody(ctx, N, points, N, points, acc[1], NULL));
	CHECK_OK(ctx, clopt_nbody_leapfrog(ctx, N, moved, speed, 1e-3, 5, NULL));
	CHECK_OK(ctx,
	         clopt_dgemm(ctx, CLOPT_TRANS, CLOPT_NO_TRANS, N, N, N, 2, x, N, x, N, 1, d[1], N));
	ck_assert(!memcmp(c[0], c[1], sizeof c[0]) && !memcmp(t[0], t[1], sizeof t[0]));
	ck_assert(!memcmp(phi[0], phi[1], sizeof phi[0]) && !memcmp(acc[0], acc[1], sizeof acc[0]));
	ck_assert(!memcmp(m, moved, sizeof m) && !memcmp(s, speed, sizeof s));
	ck_assert(!memcmp(d[0], d[1], sizeof d[0]));
	test_close(ctx);
}
END_TEST

START_TEST(failures)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_call *call = (struct clopt_call *)&ctx;
	struct clopt_report report = { .size = 1 };
	float c[N * N];

	fill();
	/* Refused at once, or when it is collected; told to the collector. */
	expect_refused(clopt_matmul_start(NULL, N, N, N, a, b, c, &call), CLOPT_EINVAL, NULL,
	               "ctx is NULL");
	ck_assert_ptr_null(call);
	expect_refused(clopt_matmul_start(ctx, N, N, N, a, b, c, NULL), CLOPT_EINVAL, ctx,
	               "call is NULL");
	expect_refused(clopt_transpose_start(ctx, N, N, 0, a, N, c, N, &call), CLOPT_EINVAL, ctx,
	               "elem_bytes");
	ck_assert_ptr_null(call);
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, NULL, c, &call));
	expect_refused(clopt_collect(call, NULL), CLOPT_EINVAL, ctx, "b is NULL");
	expect_refused(clopt_collect(NULL, NULL), CLOPT_EINVAL, NULL, "call is NULL");
	CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, a, b, c, &call));
	while (!clopt_finished(call))
		;
	expect_refused(clopt_collect(call, &report), CLOPT_EINVAL, ctx, "clopt_report");
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

	for (i = 0; i < 10; i++)
		u->wrong += clopt_matmul_start(u->ctx, N, N, N, a, b, u->c, &call) != CLOPT_OK ||
		            clopt_collect(call, NULL) != CLOPT_OK;
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

TCase *started_case(void)
{
	TCase *c = tcase_create("started");

	tcase_add_test(c, all);
	tcase_add_test(c, failures);
	tcase_add_test(c, threads);
	return c;
}
