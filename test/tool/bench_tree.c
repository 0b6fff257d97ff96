/* SPDX-License-Identifier: MIT */
/*
 * bench_tree.c - `clopt bench tree': its lines, errors, break-even and picture, of few bodies.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "suites.h"
#include "wrap.h"
#include "written.h"

enum {
	BODIES = 12000,
	SUMS = 5
};

/* Where the library took a tree, the call's own error and the bench's are within the tolerance; else the
 * line is like that of all pairs, the last. */
static int expect_sum(const json_t *sum, double tolerance)
{
	const int tree = json_is_number(json_object_get(sum, "order"));

	ck_assert_str_eq(written_string(sum, "check"), "ok");
	ck_assert(written_number(sum, "repeats") >= 3 && written_number(sum, "seconds") > 0);
	ck_assert(written_number(sum, "bodies_per_second") > 0 && written_number(sum, "speed") > 0);
	ck_assert(written_number(sum, "checked_error_99") <= (tolerance > 0 ? tolerance : 1e-5));
	ck_assert(json_is_number(json_object_get(sum, "far_pairs")) == tree);
	if (tolerance > 0)
		ck_assert(written_number(sum, "tolerance") == tolerance);
	if (tree) {
		ck_assert(written_number(sum, "error_median") <= written_number(sum, "error_99"));
		ck_assert(written_number(sum, "error_99") <= tolerance);
		ck_assert(written_number(sum, "near_pairs") < BODIES);
		ck_assert(written_number(sum, "build_seconds") < written_number(sum, "seconds"));
	} else {
		ck_assert(written_number(sum, "near_pairs") == BODIES);
		ck_assert(json_is_null(json_object_get(sum, "error_99")));
	}
	return tree;
}

/* One body fewer than `chosen', and the library would sum all pairs; sizes go up and past the
 * measured break-even, if there is one. */
static void expect_break_even(const json_t *json)
{
	const json_t *sizes = json_object_get(json, "sizes"), *size;
	const double chosen = written_number(json, "chosen");
	double last = 0, measured;
	size_t i;

	ck_assert(written_number(json, "tolerance") == 1e-3);
	ck_assert(written_number(json, "order") >= 2 && written_number(json, "theta") > 0);
	ck_assert_uint_ge(json_array_size(sizes), 5);
	json_array_foreach(sizes, i, size)
	{
		ck_assert(written_number(size, "bodies") > last);
		ck_assert(written_number(size, "tree_seconds") > 0);
		ck_assert(written_number(size, "all_pairs_seconds") > 0);
		last = written_number(size, "bodies");
	}
	ck_assert(last >= 2 * chosen);
	if (json_is_number(json_object_get(json, "measured"))) {
		measured = written_number(json, "measured");
		ck_assert(written_number(json_array_get(sizes, 0), "bodies") <= measured &&
		          measured <= last);
	}
}

START_TEST(numbers)
{
	static const double tolerances[SUMS] = { 1e-2, 1e-3, 1e-4, 1e-5, 0 };
	const struct tool_args args = { .op = -1, .size = BODIES, .json = 1 };
	json_t *json, *sums;
	size_t i;
	int trees = 0;

	wrap_no_units(1); /* where there are many, all pairs of so few bodies are sooner summed */
	json = written_json(tool_bench_tree, &args, 0);
	wrap_no_units(0);
	sums = json_object_get(json, "sums");
	ck_assert(written_number(json, "bodies") == BODIES);
	ck_assert_uint_eq(json_array_size(sums), SUMS);
	for (i = 0; i < SUMS; i++)
		trees += expect_sum(json_array_get(sums, i), tolerances[i]);
	ck_assert_int_gt(trees, 0);
	expect_break_even(json_object_get(json, "break_even"));
	json_decref(json);
}
END_TEST

START_TEST(files)
{
	struct tool_args args = {
		.op = -1, .size = BODIES, .csv = written.csv, .svg = written.svg
	};
	const char *out, *svg;

	wrap_no_units(1); /* as above */
	ck_assert_int_eq(written_run(tool_bench_tree, &args), 0);
	out = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(out, "Gravity of 12000 bodies"));
	ck_assert_ptr_nonnull(strstr(out, "\n    1e-02 "));
	ck_assert_ptr_nonnull(strstr(out, "\n    1e-05 "));
	ck_assert_ptr_nonnull(strstr(out, "\nall pairs "));
	ck_assert_ptr_nonnull(strstr(out, "\nBreak-even at 1e-03: the library takes a tree from "));
	ck_assert_ptr_nonnull(strstr(out, "\nby the time of such calls "));
	ck_assert_uint_eq(written_count(written_text(written.csv), "\n"), 1 + SUMS);
	/* Errors with a mark for all pairs, tolerances, and two curves of sizes; all in a legend. */
	svg = written_text(written.svg);
	ck_assert_uint_eq(written_count(svg, "class=\"curve\""), 2 * 4);
	ck_assert_uint_eq(written_count(svg, "class=\"curve reference\""), 2 * 1);
	ck_assert_ptr_nonnull(strstr(svg, ">1e-5</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">10000</text>"));
	args.small = 1;
	args.size = 0;
	ck_assert_int_eq(written_run(tool_bench_tree, &args), 0);
	out = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(out, "\nall pairs "));
	ck_assert_ptr_null(strstr(out, "Break-even"));
	wrap_no_units(0);
}
END_TEST

/* The last body gets no acceleration, and the sample, which is of all bodies, finds that. */
START_TEST(wrong)
{
	const struct tool_args args = { .op = -1, .size = 64, .json = 1 };
	json_t *json, *sum;
	size_t i;

	setenv("CLOPT_CHECK", "off", 1);
	wrap_lose("", 1, 63);
	wrap_pace(1e-15); /* uncut */
	json = written_json(tool_bench_tree, &args, 1);
	wrap_lose(NULL, 0, 0);
	wrap_pace(0);
	json_array_foreach(json_object_get(json, "sums"), i, sum)
	{
		ck_assert_str_eq(written_string(sum, "check"), "WRONG");
	}
	json_decref(json);
}
END_TEST

SUITE(bench_tree, long)
{
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, numbers);
	tcase_add_test(c, files);
	tcase_add_test(c, wrong);
}
