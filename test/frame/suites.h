/* SPDX-License-Identifier: MIT */
/*
 * suites.h - helpers and declarations for all suites of tests.
 *
 * With Check forking, as it does unless CK_FORK=no, each test has a process of its own, and a
 * kernel that crashes has a name.  The parent makes no OpenCL call: after OpenCL calls of the
 * parent, PoCL hangs in a child.
 */
#ifndef SUITES_H
#define SUITES_H

#include <check.h>

#include "clopt_cl.h"
#include "clopt_tune.h"

/*
 * A suite: SUITE(name, cost) { tcase_add_test(c, ...); } in a file of test/.  build/cases.c is a
 * list of all, made from the sources, so that a suite is entered nowhere else.  Costs are:
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
extern const struct suite test_suites[]; /* ends with an entry without a name */

#define SUITE(name, cost) \
	void name##_suite(TCase *); \
	void name##_suite(TCase *c)

/* Prints the number of tests of a suite and their time. */
void test_ended(const char *suite);

/* Opens a context; if it cannot, the test fails with the library's message. */
struct clopt *test_open(const struct clopt_options *options);

/* CLOPT_TEST_ALL=1: long tests run, too. */
int test_all(void);

/* ... and CLOPT_TEST_SMALL is not 1: those that only repeat, too, which no sanitizer has to see. */
int test_whole(void);

/* Whether the part CLOPT_TEST_PART, "1/4" for instance, has the i-th item of a walk. */
int test_in_part(int i);

/* As tcase_add_loop_test, for the items of CLOPT_TEST_PART only. */
void test_add_rows(TCase *c, const TTest *test, int first, int end);

/* How many rows the table has; a context with row i forced, or NULL if it cannot run here
 * or CLOPT_TEST_ROW or CLOPT_TEST_PART leave it out.  walk.c has them. */
int test_rows(void);
struct clopt *test_open_row(int i, const struct clopt_options *options);
/* Whether a row before it has the same file and reads its operands alike. */
int test_same_as_before(int row);
/* How many rows before it that run here differ from it by numbers alone: they serve all of its
 * types, too. */
int test_alike_before(struct clopt *ctx, int row);

/* The number of the row of this name. */
size_t test_row(const char *name);
/* Forces it; 0: it does not run here. */
int test_force(struct clopt *ctx, const char *name);
/* Whether the row of this name computes on the host. */
int test_is_host(const char *name);

/* The first precision in which a row of a pair operation serves its default law
 * here; -1 if there is none. */
int test_precision(struct clopt *ctx, size_t row);

void test_close(struct clopt *ctx); /* fails if OpenCL objects are left */

struct clopt_report test_report(struct clopt *ctx); /* of its last call */

/* Whether commands of the context may wait for a user event; if not, prints that the test is
 * skipped. */
int test_can_wait(struct clopt *ctx, const char *test);

/* Whether a call of a forced row has failed with rc since it takes more local memory than the
 * device has, which only a build tells; if so, prints that the row is skipped. */
int test_lacks_local(struct clopt *ctx, int rc, const char *name);

/* Whether this quirk is not in force on the context's device; if it is, prints that the test is
 * skipped. */
int test_without(struct clopt *ctx, const char *quirk, const char *test);

/* A user event of the context, and its handle, for the test to complete. */
cl_event test_gate(struct clopt *ctx, struct clopt_event **handle);

/* Whether threads may stage: PoCL 3.1's device `basic' locks up where several threads enqueue.  If
 * not, prints that the test is skipped. */
int test_can_stage(const char *test);

/* Calls f with each of n elements, of so many bytes, in a thread each, and waits for all. */
void test_in_threads(void *(*f)(void *element), void *elements, size_t bytes, size_t n);

/* Memory of zeros, until the test ends. */
void *test_room(size_t bytes);
/* n random points of three coordinates and a weight, 0 to 1, in such memory. */
float *test_points(size_t n);

/* Has PoCL show two devices, CLOPT_TEST_TWO by name, to a process that has made no OpenCL call, and
 * each call be shared.  0 if there are no two; then it prints that the test is skipped. */
int test_two_devices(const char *test);
#define CLOPT_TEST_TWO "pocl*"
#define CLOPT_TEST_TWO_TURNED "pocl#1+pocl#0"

/* The call was refused with this status, and the error text contains the word. */
void expect_refused(int rc, int status, const struct clopt *on, const char *word);

#define CHECK_OK(ctx, call) \
	do { \
		int rc_ = (call); \
		ck_assert_msg(rc_ == CLOPT_OK, "%s: %s: %s", #call, clopt_strerror(rc_), \
		              clopt_error(ctx)); \
	} while (0)

#endif
