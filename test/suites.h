/* SPDX-License-Identifier: MIT */
/*
 * suites.h - the test cases that check.c runs.
 *
 * With Check forking, as it does unless CK_FORK=no, each test has a process of
 * its own, and a kernel that crashes has a name.  The parent makes no OpenCL
 * call: a child of a process that did hangs in PoCL.
 */
#ifndef SUITES_H
#define SUITES_H

#include <check.h>

#include "clopt.h"

TCase *table_case(void); /* what must hold of the table; needs no device */
TCase *retarget_case(void); /* kernels whose PTX is changed */
TCase *rounding_case(void); /* float32 products of numbers out of the ordinary */
TCase *variants_case(void); /* every variant on every shape */
TCase *sparse_case(void); /* elements further apart than 32 bits count */
TCase *selftest_case(void); /* clopt check */
TCase *grid_case(void); /* rows with other settings */
TCase *tune_case(void); /* which variant is best */
TCase *first_choice_case(void); /* ... where nothing is on record */
TCase *plan_case(void); /* clopt_plan against the call */
TCase *plan_answers_case(void); /* what does not fit, clopt plan */
TCase *amd_case(void); /* what AMD's GPUs pick */
TCase *nvidia_case(void); /* ... and NVIDIA's */
TCase *bands_case(void); /* ... and on one in bands */
TCase *api_case(void); /* arguments */
TCase *transpose_case(void); /* in place, many, scaled */
TCase *buffers_case(void); /* buffers, queues, events */
TCase *probe_case(void); /* drivers that crash or hang */
TCase *quirks_case(void); /* ... that have bugs which are known */
TCase *context_case(void); /* opening, devices, texts, choices */
TCase *threads_case(void); /* one context, several threads */
TCase *faults_case(void); /* the n-th OpenCL call fails, for every n */
TCase *times_case(void); /* what is made of the times of commands */
TCase *trace_case(void); /* time lines, and their files */
TCase *
stream_case(void); /* arrays larger than the device memory in use, staged, pinned, in place */
TCase *verify_case(void); /* clopt_options.check */
TCase *verify_right_case(void); /* ... and kernels that are right */
TCase *verify_beside_case(void); /* ... beside the device */
TCase *slices_case(void); /* clopt_options.slice_seconds */
TCase *map_case(void); /* kernels of the caller's */
TCase *transfer_case(void); /* clopt bench transfer */
TCase *laws_case(void); /* clopt bench --law */
TCase *study_case(void); /* clopt bench gem --ablation, OP --ladder */
TCase *roof_case(void); /* clopt bench: what the device can do at most */
TCase *forms_case(void); /* the routines on buffers */
TCase *started_case(void); /* ... and by themselves */
TCase *evolve_case(void); /* bodies that move in more than float32 */
TCase *physics_case(void); /* clopt_potential's options, softened targets */
TCase *physics_range_case(void); /* its numbers far from 1 */
TCase *kirkwood_case(void); /* the electrostatic formula against an exact one */
TCase *occupancy_case(void); /* waves on a compute unit */
TCase *registers_case(void); /* what drivers tell of kernels */
TCase *random_case(void); /* random calls against plain C */
TCase *gem_case(void); /* the readers and writers of clopt-gem */
TCase *nbody_example_case(void); /* the models of nbody, and their motion */
TCase *nbody_files_case(void); /* ... and its files */
TCase *cache_case(void); /* compiled kernels that outlive their process */
TCase *cache_shown_case(void); /* ... shown and removed */
TCase *store_case(void); /* the folder of what outlives a process; no OpenCL */
TCase *places_case(void); /* locales, limits on files, deep folders */
TCase *store_shared_case(void); /* ... by several processes */

/* A context, or the test fails with the library's words. */
struct clopt *test_open(const struct clopt_options *options);

/* Whether CLOPT_TEST_PART, "1/4" for instance, leaves in the i-th of a long walk. */
int test_in_part(int i);

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

/* The call was refused, and the text has the word in it. */
void expect_refused(int rc, int status, const struct clopt *on, const char *word);

#define CHECK_OK(ctx, call) \
	do { \
		int rc_ = (call); \
		ck_assert_msg(rc_ == CLOPT_OK, "%s: %s: %s", #call, clopt_strerror(rc_), \
		              clopt_error(ctx)); \
	} while (0)

#endif
