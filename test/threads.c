/* SPDX-License-Identifier: MIT */
/*
 * threads.c - one context used from several threads at once.
 *
 * Each thread has its own problems and its own failures, and must see neither
 * another's results nor another's error text.
 */
#include <pthread.h>
#include <string.h>

#include "cases.h"
#include "suites.h"

#define THREADS 4
#define ROUNDS 12

struct worker {
	struct clopt *ctx;
	int number;
	const char *trouble;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	const int ops[] = { CLOPT_MATMUL, CLOPT_TRANSPOSE, CLOPT_NBODY };
	const struct shape *shapes;
	struct case_result r;
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = CLOPT_NBODY,
		                         .dim = { 9, 9 } };
	struct clopt_report report = { .size = sizeof report };
	char words[4096];
	float one = 1;
	char text[64];
	size_t n;
	int i;

	for (i = 0; i < ROUNDS && !w->trouble; i++) {
		const int op = ops[(w->number + i) % 3];

		shapes = case_shapes(op, &n);
		/* The same few shapes in each thread, since each costs a build. */
		if (case_run(w->ctx, op, &shapes[(size_t)i % (n < 4 ? n : 4)], (uint64_t)i, &r) ||
		    !case_passed(&r))
			w->trouble = "a wrong result";
		/* A size that no other thread asks for must be in this thread's text. */
		if (clopt_matmul(w->ctx, 1, (size_t)100 + (size_t)w->number, 1, &one, NULL, &one) !=
		    CLOPT_EINVAL)
			w->trouble = "a NULL array was taken";
		/* Asking goes on beside computing. */
		if (!clopt_choice(w->ctx, &problem) || clopt_last_report(w->ctx, &report) ||
		    clopt_explain(w->ctx, &problem, words, sizeof words))
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
	struct worker workers[THREADS];
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ ctx, i, NULL };
		ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < THREADS; i++)
		ck_assert_msg(!workers[i].trouble, "thread %d: %s", i, workers[i].trouble);
	test_close(ctx);
}
END_TEST

TCase *threads_case(void)
{
	TCase *c = tcase_create("threads");

	tcase_add_test(c, one_context);
	return c;
}
