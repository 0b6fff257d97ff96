/* SPDX-License-Identifier: MIT */
/*
 * check.c - runs all tests.
 */
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "wrap.h"

struct clopt *test_open(const struct clopt_options *options)
{
	struct clopt *ctx;
	int rc = clopt_open(&ctx, options);

	ck_assert_msg(rc == CLOPT_OK, "clopt_open: %s: %s", clopt_strerror(rc), clopt_error(NULL));
	return ctx;
}

int test_precision(struct clopt *ctx, size_t row)
{
	struct clopt_problem p = { .size = sizeof p };

	p.op = clopt_variant_op(row);
	p.dim[0] = p.dim[1] = 1;
	for (p.precision = 0; p.precision < CLOPT_PRECISION_BEST; p.precision++)
		if (clopt_variant_runs(ctx, row, &p, NULL, 0))
			return p.precision;
	return -1;
}

void test_close(struct clopt *ctx)
{
	clopt_close(ctx);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
	ck_assert_msg(wrap_fences() == 0, "a kernel wrote outside its buffers");
	ck_assert_msg(!wrap_warnings(), "a kernel compiles with warnings: %s", wrap_warnings());
}

void expect_refused(int rc, int status, const struct clopt *on, const char *word)
{
	ck_assert_msg(rc == status, "%s instead of %s", clopt_strerror(rc), clopt_strerror(status));
	ck_assert_msg(strstr(clopt_error(on), word) != NULL, "no \"%s\" in: %s", word,
	              clopt_error(on));
}

int main(void)
{
	TCase *const cases[] = { table_case(),         variants_case(),     bands_case(),
		                 occupancy_case(),     registers_case(),    api_case(),
		                 context_case(),       threads_case(),      faults_case(),
		                 times_case(),         trace_case(),        stream_case(),
		                 map_case(),           gem_case(),          buffers_case(),
		                 transfer_case(),      forms_case(),        started_case(),
		                 evolve_case(),        study_case(),        nbody_example_case(),
		                 nbody_files_case(),   physics_case(),      kirkwood_case(),
		                 retarget_case(),      rounding_case(),     amd_case(),
		                 transpose_case(),     laws_case(),         physics_range_case(),
		                 slices_case(),        sparse_case(),       tune_case(),
		                 store_case(),         cache_case(),        probe_case(),
		                 quirks_case(),        roof_case(),         plan_case(),
		                 plan_answers_case(),  verify_case(),       verify_right_case(),
		                 selftest_case(),      grid_case(),         nvidia_case(),
		                 verify_beside_case(), first_choice_case(), cache_shown_case(),
		                 store_shared_case(),  places_case(),       random_case() };
	Suite *suite = suite_create("clopt");
	SRunner *runner;
	size_t i;
	int failed;

	/* What is chosen is not to depend on the machine, nor on what is on it. */
	setenv("CLOPT_TUNE", "0", 1);
	setenv("CLOPT_TUNING", "0", 1);
	/* The user's cache is not for tests, which say when they want one. */
	setenv("CLOPT_CACHE_DIR", "0", 1);
	/* Each test would try the drivers anew, in a process that starts PoCL once more. */
	setenv("CLOPT_PROBE", "0", 0);
	/* They compare results themselves; those of verify*.c ask for checks. */
	setenv("CLOPT_CHECK", "off", 1);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		/* A first build of a kernel takes a second on PoCL, more under a sanitizer. */
		tcase_set_timeout(cases[i], 300);
		suite_add_tcase(suite, cases[i]);
	}
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
