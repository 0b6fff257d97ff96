/* SPDX-License-Identifier: MIT */
/*
 * selftest.c - `clopt check': no error with right kernels, and errors with wrong kernels.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "suites.h"
#include "ask/ask.h"
#include "wrap.h"
#include "written.h"

static const struct tool_args plain = { .op = -1 }, json = { .op = -1, .json = 1, .all = 1 };

START_TEST(all_right)
{
	const char *text;

	ck_assert_int_eq(written_run(tool_check, &plain), 0);
	text = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(text, clopt_version()));
	ck_assert_ptr_nonnull(strstr(text, "are right"));
	ck_assert_ptr_nonnull(strstr(text, "cache       none"));
	ck_assert_uint_ge(written_count(text, "  ok\n"), CLOPT_OP_LEAPFROG + 1);
}
END_TEST

START_TEST(as_json)
{
	json_t *page, *routine;
	size_t i, narrow = 0;

	page = written_json(tool_check, &json, 0);
	ck_assert(json_is_true(json_object_get(page, "right")));
	ck_assert_uint_gt(json_array_size(json_object_get(page, "devices")), 0);
	json_array_foreach(json_object_get(page, "routines"), i, routine)
	{
		ck_assert(json_is_true(json_object_get(routine, "right")));
		narrow += strstr(json_string_value(json_object_get(routine, "element")),
		                 "float16") != NULL;
	}
	ck_assert_uint_gt(i, CLOPT_OP_LEAPFROG);
	ck_assert_uint_eq(narrow, 2);
	json_decref(page);
}
END_TEST

/* The page as comments, and records that merge into the user's file, once. */
START_TEST(report)
{
	struct tool_args args = { .op = CLOPT_OP_NBODY, .size = 64, .seconds = 0.001 },
	                 merged = { .op = -1 };
	char page[512], records[512];
	const char *text;

	snprintf(page, sizeof page, "%s/report.txt", written.folder);
	snprintf(records, sizeof records, "%s/tuning.txt", written.folder);
	args.report = page;
	ck_assert_int_eq(written_run(tool_check, &args), 0);
	text = written_text(page);
	ck_assert_ptr_eq(strstr(text, "# libclopt"), text);
	ck_assert_ptr_nonnull(strstr(text, "are right"));
	ck_assert_uint_eq(written_count(text, "\n# chosen nbody/"), 2);
	ck_assert_uint_eq(written_count(text, "; nbody gravity"), 2);
	setenv("CLOPT_TUNING", records, 1);
	merged.merged[0] = merged.merged[1] = page;
	merged.files = 2;
	ck_assert_int_eq(written_run(tool_merge, &merged), 0);
	text = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(text, ": 2 new records\n"));
	ck_assert_ptr_nonnull(
	        strstr(text, ": 0 new records; the file has none, or they are there already\n"));
	ck_assert_uint_eq(written_count(written_text(records), "\n"), 2);
	merged.merged[0] = "/nowhere";
	ck_assert_int_eq(written_run(tool_merge, &merged), 1);
	remove(page);
	remove(records);
	unsetenv("CLOPT_TUNING");
}
END_TEST

/* All kernels lose a row or a source, and no other check is on.  Not those that sort for a tree:
 * whose last source is missing has an index of nothing. */
START_TEST(wrong)
{
	const struct tool_args some_json = { .op = -1, .json = 1 };
	const char *text;
	int rows;

	wrap_lose("none", 0, 1);
	ck_assert_int_eq(written_run(tool_check, &plain), 1);
	text = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(text, "WRONG"));
	ck_assert_ptr_null(strstr(text, "are right"));
	ck_assert_int_eq(written_run(tool_check, &some_json), 1);
	/* None is missing, though results that nothing was written to are no numbers. */
	for (text = written_text(written.out), rows = 0; (text = strstr(text, "\"allowed\""));
	     text++)
		rows++;
	ck_assert_int_eq(rows, CLOPT_OP_EVOLVE_STEP + 1);
	wrap_lose(NULL, 0, 0);
}
END_TEST

/* Wrong kernels are reported until the cache drops their verdicts. */
START_TEST(struck_out)
{
	static int (*const pages[])(const struct tool_args *) = { tool_check, tool_info };
	char folder[FOLDER_SIZE];
	size_t i;

	folder_make(folder);
	setenv("CLOPT_CACHE_DIR", folder, 1);
	unsetenv("CLOPT_CHECK");
	wrap_lose("plain.cl step.cl leapfrog.cl sums.cl", 1, 1);
	written_run(tool_check, &plain);
	wrap_lose(NULL, 0, 0);
	/* That page tells of it too. */
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "wrong       matmul/"));
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(written_run(pages[i], &plain), 0);
		ck_assert_ptr_nonnull(strstr(written_text(written.out), "wrong       matmul/"));
	}
	ck_assert_int_eq(written_run(tool_cache_list, &plain), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "WRONG: "));
	ck_assert_int_eq(written_run(tool_cache_clear, &plain), 0);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(written_run(pages[i], &plain), 0);
		ck_assert_ptr_null(strstr(written_text(written.out), "wrong       "));
	}
	folder_remove(folder);
	setenv("CLOPT_CACHE_DIR", "0", 1);
}
END_TEST

/* A line names both kernels that leapfrog's row takes: "nbody/plain, leapfrog/plain", say. */
static void expect_both(const char *line)
{
	const char *name = line ? strstr(line, "nbody/") : NULL;
	size_t n;

	ck_assert_ptr_nonnull(name);
	n = strcspn(name, " \n");
	ck_assert_msg(n > 6 && !strncmp(name + n - 1, ", leapfrog/plain", 16), "%s", line);
}

/* info and check name both kernels of a leapfrog step; of their sizes the rows may differ. */
START_TEST(one_name)
{
	ck_assert_int_eq(written_run(tool_check, &plain), 0);
	expect_both(strstr(written_text(written.out), "\nleapfrog"));
	ck_assert_int_eq(written_run(tool_info, &plain), 0);
	expect_both(strstr(written_text(written.out), "  leapfrog"));
}
END_TEST

/* With memory of its own the device has transfers to overlap. */
START_TEST(discrete)
{
	wrap_discrete(1);
	ck_assert_int_eq(written_run(tool_check, &plain), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "of the possible gain"));
	wrap_discrete(0);
}
END_TEST

/* Every operation has a row for the smallest groups. */
START_TEST(small_groups)
{
	static const size_t most[] = { 1, 32 };

	wrap_groups(most[_i]);
	ck_assert_int_eq(written_run(tool_check, &plain), 0);
	wrap_groups(0);
}
END_TEST

SUITE(selftest, long)
{
	tcase_add_loop_test(c, small_groups, 0, 2);
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, all_right);
	tcase_add_test(c, as_json);
	tcase_add_test(c, report);
	tcase_add_test(c, wrong);
	tcase_add_test(c, struck_out);
	tcase_add_test(c, one_name);
	tcase_add_test(c, discrete);
}
