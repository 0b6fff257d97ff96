/* SPDX-License-Identifier: MIT */
/*
 * threads.c - one context used from several threads at once.
 *
 * Each thread has its own problems and its own failures, and must see neither
 * another's results nor another's error text.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "problems.h"
#include "suites.h"

#define THREADS 4
#define ROUNDS 12

struct worker {
	struct clopt *ctx;
	int number;
	const char *trouble;
};

static void run(void *(*f)(void *), struct worker *w, size_t n)
{
	size_t i;

	test_in_threads(f, w, sizeof *w, n);
	for (i = 0; i < n; i++)
		ck_assert_msg(!w[i].trouble, "thread %zu: %s", i, w[i].trouble);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	const int ops[] = { CLOPT_OP_MATMUL, CLOPT_OP_TRANSPOSE, CLOPT_OP_NBODY };
	const struct clopt_problem *problems;
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = CLOPT_OP_NBODY,
		                         .dim = { 9, 9 } };
	struct clopt_report report = { .size = sizeof report };
	struct clopt_plan_info plan = { .size = sizeof plan };
	char words[4096];
	float one = 1;
	char text[64];
	size_t n;
	int i;

	for (i = 0; i < ROUNDS && !w->trouble; i++) {
		const int op = ops[(w->number + i) % 3];

		problems = test_problems(op, &n);
		/* The same few problems in each thread, since each costs a build. */
		if (test_run(w->ctx, &problems[(size_t)i % (n < 4 ? n : 4)], (uint64_t)i).status)
			w->trouble = "a wrong result";
		/* A size that no other thread asks for must be in this thread's text. */
		if (clopt_matmul(w->ctx, 1, (size_t)100 + (size_t)w->number, 1, &one, NULL, &one) !=
		    CLOPT_EINVAL)
			w->trouble = "a NULL array was taken";
		/* Queries run beside calls. */
		if (!clopt_chosen_variant(w->ctx, &problem) || clopt_last_report(w->ctx, &report) ||
		    clopt_explain(w->ctx, &problem, words, sizeof words) ||
		    clopt_plan(w->ctx, &problem, &plan))
			w->trouble = "no answer to a question";
		strcpy(text, "1 x 10N elements");
		text[6] = (char)('0' + w->number);
		if (!strstr(clopt_error(w->ctx), text))
			w->trouble = "another thread's error text";
	}
	return NULL;
}

START_TEST(one_context)
{
	struct clopt *ctx = test_open(NULL);
	struct worker w[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		w[i] = (struct worker){ ctx, i, NULL };
	run(work, w, THREADS);
	test_close(ctx);
}
END_TEST

/* Each thread has its own context, and their first OpenCL calls come at the same moment. */
static void *open_own(void *argument)
{
	struct worker *w = argument;
	const float a[4] = { 1, 2, 3, 4 };
	float t[4];

	if (clopt_open(&w->ctx, NULL) != CLOPT_OK) {
		w->trouble = "no context";
		return NULL;
	}
	if (clopt_transpose(w->ctx, 2, 2, sizeof *a, a, 2, t, 2) != CLOPT_OK || t[1] != a[2])
		w->trouble = "no result";
	clopt_close(w->ctx);
	return NULL;
}

START_TEST(opened_at_once)
{
	struct worker w[THREADS] = { { NULL, 0, NULL } };

	run(open_own, w, THREADS);
}
END_TEST

struct reader {
	struct clopt *ctx;
	sem_t failed, reopened;
	char text[256];
};

static void *read_late(void *argument)
{
	struct reader *r = argument;

	clopt_matmul(r->ctx, 1, 1, 1, NULL, NULL, NULL);
	sem_post(&r->failed);
	sem_wait(&r->reopened);
	snprintf(r->text, sizeof r->text, "%s", clopt_error(r->ctx));
	return NULL;
}

/* The text of a closed context is not that of another context at the same address. */
START_TEST(reused_address)
{
	struct reader r = { .ctx = test_open(NULL) };
	const struct clopt *first = r.ctx;
	pthread_t thread;
	int i;

	sem_init(&r.failed, 0, 0);
	sem_init(&r.reopened, 0, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_late, &r), 0);
	sem_wait(&r.failed);
	test_close(r.ctx);
	for (i = 0, r.ctx = test_open(NULL); i < 20 && r.ctx != first; i++) {
		test_close(r.ctx);
		r.ctx = test_open(NULL);
	}
	sem_post(&r.reopened);
	pthread_join(thread, NULL);
	ck_assert_str_eq(r.text, "");
	test_close(r.ctx);
	sem_destroy(&r.failed);
	sem_destroy(&r.reopened);
}
END_TEST

struct asker {
	struct clopt_call *call;
	int ended; /* atomic */
	int rc;
};

/* Waits for what has ended, again and again, which waits for no other call. */
static void *ask(void *argument)
{
	struct asker *a = argument;

	while (!__atomic_load_n(&a->ended, __ATOMIC_SEQ_CST) && a->rc == CLOPT_OK)
		a->rc = clopt_call_wait(a->call, NULL);
	return NULL;
}

static int each(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	sched_yield();
	return clopt_last_report(user,
	                         &(struct clopt_report){ .size = sizeof(struct clopt_report) }) !=
	       CLOPT_EINVAL;
}

/* While a call is in a function of its caller's, the context is closed to that thread, and to no
 * other. */
START_TEST(beside_a_callers_function)
{
	enum {
		N = 4,
		STEPS = 300
	};
	static double bodies[4 * N], velocities[4 * N];
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	struct asker a = { .rc = CLOPT_OK };
	const float one = 1;
	pthread_t thread;
	float c;
	size_t i;

	for (i = 0; i < 4 * N; i++)
		bodies[i] = (double)i;
	o.every = 1;
	o.each = each;
	o.user = ctx;
	CHECK_OK(ctx, clopt_matmul_start(ctx, 1, 1, 1, &one, &one, &c, &a.call));
	CHECK_OK(ctx, clopt_call_wait(a.call, NULL));
	ck_assert_int_eq(pthread_create(&thread, NULL, ask, &a), 0);
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, N, bodies, velocities, 1e-6, STEPS, &o));
	__atomic_store_n(&a.ended, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	ck_assert_int_eq(a.rc, CLOPT_OK);
	clopt_call_free(a.call);
	test_close(ctx);
}
END_TEST

#define GROWERS 8
#define GROWING 200 /* calls of each */
#define GROUP 64 /* targets, of the row that is forced */

/* Calls of two sizes, both of which grow. */
static void *grow(void *argument)
{
	static const float sources[4 * 16];
	static size_t groups = 10;
	struct worker *w = argument;
	const size_t room = (size_t)(10 + GROWERS * GROWING) * GROUP;
	float *targets = calloc(room, 4 * sizeof *targets), *phi = calloc(room, sizeof *phi);
	size_t most;
	int i;

	for (i = 0; i < GROWING && targets && phi; i++) {
		most = GROUP * __atomic_add_fetch(&groups, i % 4 == 0, __ATOMIC_SEQ_CST);
		if (clopt_potential(w->ctx, 16, sources, i % 2 ? most / 2 + 1 : most, targets, phi,
		                    NULL))
			w->trouble = "no result";
	}
	free(targets);
	free(phi);
	return NULL;
}

/* Launches of one kernel that differ, of contexts that each have a thread: PoCL before 6.0 would
 * end the process. */
START_TEST(growing)
{
	struct worker w[GROWERS] = { { NULL, 0, NULL } };
	int i;

	for (i = 0; i < GROWERS; i++) {
		w[i].ctx = test_open(NULL);
		CHECK_OK(w[i].ctx, clopt_force_variants(w[i].ctx, "potential/plain"));
	}
	run(grow, w, GROWERS);
	for (i = 0; i < GROWERS; i++)
		clopt_close(w[i].ctx);
}
END_TEST

#define BESIDE 4
#define MANY 5000 /* targets */

static int saved;

static void *until_saved(void *argument)
{
	static const float sources[4 * 256];
	struct worker *w = argument;
	float *targets = calloc(MANY, 4 * sizeof *targets), *phi = calloc(MANY, sizeof *phi);

	while (targets && phi && !__atomic_load_n(&saved, __ATOMIC_SEQ_CST))
		if (clopt_potential(w->ctx, 256, sources, MANY, targets, phi, NULL))
			w->trouble = "no result";
	free(targets);
	free(phi);
	return NULL;
}

/* A kernel is kept for other processes while others run it: likewise. */
START_TEST(saved_beside)
{
	static const float one[4];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct worker w[BESIDE] = { { NULL, 0, NULL } };
	char folder[FOLDER_SIZE];
	pthread_t thread[BESIDE];
	struct clopt *ctx;
	float phi;
	int i;

	folder_make(folder);
	o.cache_dir = folder;
	ctx = test_open(&o);
	CHECK_OK(ctx, clopt_force_variants(ctx, "potential/plain"));
	o.cache_dir = "0";
	for (i = 0; i < BESIDE; i++) {
		w[i].ctx = test_open(&o);
		CHECK_OK(w[i].ctx, clopt_force_variants(w[i].ctx, "potential/plain"));
		CHECK_OK(w[i].ctx, clopt_potential(w[i].ctx, 1, one, 1, one, &phi, NULL));
	}
	for (i = 0; i < BESIDE; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, until_saved, &w[i]), 0);
	CHECK_OK(ctx, clopt_potential(ctx, 1, one, 1, one, &phi, NULL));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	__atomic_store_n(&saved, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < BESIDE; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(report.kernels_saved, 1);
	for (i = 0; i < BESIDE; i++) {
		ck_assert_msg(!w[i].trouble, "thread %d: %s", i, w[i].trouble);
		clopt_close(w[i].ctx);
	}
	test_close(ctx);
	folder_remove(folder);
}
END_TEST

SUITE(threads, long)
{
	tcase_add_test(c, opened_at_once); /* first, for where tests share a process */
	tcase_add_test(c, one_context);
	tcase_add_test(c, growing);
	tcase_add_test(c, saved_beside);
	tcase_add_test(c, reused_address);
	tcase_add_test(c, beside_a_callers_function);
}
