/* SPDX-License-Identifier: MIT */
/*
 * suites.h - what each suite of tests needs.
 *
 * With Check forking, as it does unless CK_FORK=no, each test has a process of
 * its own, and a kernel that crashes has a name.  The parent makes no OpenCL
 * call: a child of a process that did hangs in PoCL.
 */
#ifndef SUITES_H
#define SUITES_H

#include <check.h>

#include "clopt_device.h"
#include "clopt_tune.h"

/*
 * A suite: SUITE(name, cost) { tcase_add_test(c, ...); } in a file of test/.  build/cases.c is a list
 * of all, made from the sources, so that a suite is entered nowhere else.  Costs are:
 *
 *   quick   part of each run, in one process
 *   long    part of each run, in a process of its own beside others
 *   walk    goes through a table, which test_in_part() cuts into parts for several processes
 */
struct suite {
	const char *name, *cost;
	void (*add)(TCase *c);
	void (*ended)(void);
};
extern const struct suite test_suites[]; /* the last has no name */

#define SUITE(name, cost) \
	void name##_suite(TCase *); \
	void name##_suite(TCase *c)

/* Prints how many tests the suite had and what time they took. */
void test_ended(const char *suite);

/* A context, or the test fails with the library's words. */
struct clopt *test_open(const struct clopt_options *options);

/* CLOPT_TEST_ALL=1: what takes long is done, too. */
int test_all(void);

/* Whether CLOPT_TEST_PART, "1/4" for instance, leaves in the i-th of a long walk. */
int test_in_part(int i);

/* As tcase_add_loop_test, but for what is not in the part. */
void test_add_rows(TCase *c, const TTest *test, int first, int end);

/* How many rows the table has; a context with row i forced, or NULL if it cannot run here
 * or CLOPT_TEST_ROW or CLOPT_TEST_PART leave it out.  variants.c has them. */
int test_rows(void);
struct clopt *test_open_row(int i, const struct clopt_options *options);
/* Whether a row before it has the same file and reads its operands alike. */
int test_same_as_before(int row);

/* The first precision in which a row of a pair operation serves its default law
 * here; -1 if there is none. */
int test_precision(struct clopt *ctx, size_t row);

void test_close(struct clopt *ctx); /* also looks for objects that were left */

/* Whether commands of the context may wait for an event of the user's; else it says that the test is
 * skipped, and why. */
int test_can_wait(struct clopt *ctx, const char *test);

/* Whether threads may stage: PoCL 3.1's device `basic' locks up where several enqueue at once.  If not,
 * it says that the test is skipped. */
int test_can_stage(const char *test);

/* The call was refused, and the text has the word in it. */
void expect_refused(int rc, int status, const struct clopt *on, const char *word);

#define CHECK_OK(ctx, call) \
	do { \
		int rc_ = (call); \
		ck_assert_msg(rc_ == CLOPT_OK, "%s: %s: %s", #call, clopt_strerror(rc_), \
		              clopt_error(ctx)); \
	} while (0)

#endif
