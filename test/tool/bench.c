/* SPDX-License-Identifier: MIT */
/*
 * bench.c - `clopt bench': its tables, CSV and JSON; and what commands say of two devices.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask/ask.h"
#include "suites.h"
#include "written.h"

/* Each routine has a table, without a wrong row. */
START_TEST(whole)
{
	struct tool_args args = { .op = -1, .picked = 1, .small = 1, .csv = written.csv };
	const char *text, *const routines[] = { "matmul ", "transpose ", "potential ", "nbody " };
	size_t i;

	ck_assert_int_eq(written_run(tool_bench, &args), 0);
	text = written_text(written.out);
	ck_assert_ptr_null(strstr(text, "WRONG"));
	ck_assert_ptr_null(strstr(text, "failed"));
	for (i = 0; i < 4; i++)
		ck_assert_msg(strstr(text, routines[i]) != NULL, "%s", routines[i]);
}
END_TEST

/* Numbers of a row are consistent: rates are the work by the times. */
START_TEST(numbers)
{
	struct tool_args args = {
		.op = CLOPT_OP_MATMUL, .size = 40, .json = 1, .picked = !test_all()
	};
	json_t *json, *problem, *entry;
	size_t i, k, defaults = 0;

	json = written_json(tool_bench, &args, 0);
	json_array_foreach(json_object_get(json, "problems"), i, problem)
	{
		/* Of complex numbers a product is four. */
		const double gflops =
		        (strstr(json_string_value(json_object_get(problem, "element")), "complex") ?
		                 8e-9 :
		                 2e-9) *
		        40 * 40 * 40;

		json_array_foreach(json_object_get(problem, "variants"), k, entry)
		{
			const double kernel = json_number_value(
			                     json_object_get(entry, "kernel_seconds")),
			             call = json_number_value(
			                     json_object_get(entry, "call_seconds")),
			             rate = json_number_value(json_object_get(entry, "rate")),
			             by_call =
			                     json_number_value(json_object_get(entry, "call_rate"));

			ck_assert(json_number_value(json_object_get(entry, "first_seconds")) > 0);
			ck_assert(call > 0);
			/* A row on the host has no kernel: its rate is that of the call. */
			ck_assert((kernel > 0) == !test_is_host(json_string_value(
			                                  json_object_get(entry, "variant"))));
			ck_assert_double_eq_tol(rate * (kernel > 0 ? kernel : call) / gflops, 1,
			                        1e-6);
			ck_assert_double_eq_tol(by_call * call / gflops, 1, 1e-6);
			defaults += json_is_true(json_object_get(entry, "default"));
		}
	}
	ck_assert_uint_eq(defaults, i); /* one for each problem */
	json_decref(json);
}
END_TEST

/* --picked shows the row that has the star in the whole list. */
START_TEST(picked)
{
	struct tool_args args = {
		.op = CLOPT_OP_NBODY, .size = 100, .small = 1, .picked = 1, .csv = written.csv
	};
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = CLOPT_OP_NBODY,
		                         .dim = { 100, 100 } };
	struct clopt *ctx;
	char variant[64];
	const char *line;

	ck_assert_int_eq(written_run(tool_bench, &args), 0);
	line = strchr(written_text(written.csv), '\n') + 1;
	ck_assert_int_eq(sscanf(line, "nbody,%*[^,],%63[^,],1,ok,", variant), 1);
	ctx = test_open(NULL);
	ck_assert_str_eq(variant, clopt_chosen_variant(ctx, &problem));
	ck_assert_ptr_null(strchr(strchr(line, '\n') + 1, '\n')); /* the only row */
	test_close(ctx);
}
END_TEST

START_TEST(no_file)
{
	struct tool_args args = { .op = CLOPT_OP_NBODY, .size = 16, .small = 1, .picked = 1 };

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	args.csv = "/dev/null/csv";
	ck_assert_int_eq(written_run(tool_bench, &args), 1);
	args.csv = "/dev/full";
	ck_assert_int_eq(access("/dev/full", W_OK) == 0 ? written_run(tool_bench, &args) : 1, 1);
}
END_TEST

/* The bench is of one; info and check know both, of which the first is not the first of the
 * list. */
START_TEST(two_devices)
{
	struct tool_args args = { .op = -1, .device = CLOPT_TEST_TWO_TURNED, .json = 1 };
	json_t *json;

	if (!test_two_devices("two_devices"))
		return;
	ck_assert_ptr_nonnull(freopen(written.csv, "w", stderr));
	ck_assert_int_eq(written_run(tool_bench, &args), 1);
	fflush(stderr);
	ck_assert_ptr_nonnull(strstr(written_text(written.csv), "scaling.py times"));
	if (!test_all()) /* the rest compiles some twenty kernels */
		return;
	json = written_json(tool_info, &args, 0);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "members")), 2);
	json_decref(json);
	args.json = 0;
	ck_assert_int_eq(written_run(tool_check, &args), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "over 2 devices"));
}
END_TEST

SUITE(bench, long)
{
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, whole);
	tcase_add_test(c, numbers);
	tcase_add_test(c, picked);
	tcase_add_test(c, no_file);
	tcase_add_test(c, two_devices);
}
