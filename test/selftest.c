/* SPDX-License-Identifier: MIT */
/*
 * selftest.c - `clopt check': right where all is right, and wrong where a kernel is.
 */
#include <jansson.h>
#include <string.h>

#include "suites.h"
#include "tool.h"
#include "wrap.h"
#include "written.h"

static const struct tool_args plain = { .op = -1 }, json = { .op = -1, .json = 1 };

START_TEST(all_right)
{
	const char *text;

	ck_assert_int_eq(written_run(tool_check, &plain), 0);
	text = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(text, clopt_version()));
	ck_assert_ptr_nonnull(strstr(text, "are right"));
	ck_assert_ptr_nonnull(strstr(text, "cache       none"));
	ck_assert_uint_ge(written_count(text, "  ok\n"), CLOPT_LEAPFROG + 1);
}
END_TEST

START_TEST(as_json)
{
	json_error_t error;
	json_t *page, *routine;
	size_t i;

	ck_assert_int_eq(written_run(tool_check, &json), 0);
	page = json_load_file(written.out, 0, &error);
	ck_assert_msg(page != NULL, "line %d: %s", error.line, error.text);
	ck_assert(json_is_true(json_object_get(page, "right")));
	ck_assert_uint_gt(json_array_size(json_object_get(page, "devices")), 0);
	json_array_foreach(json_object_get(page, "routines"), i, routine)
	        ck_assert(json_is_true(json_object_get(routine, "right")));
	ck_assert_uint_gt(i, CLOPT_LEAPFROG);
	json_decref(page);
}
END_TEST

/* All kernels lose a row or a source, and nothing else looks at what they do. */
START_TEST(wrong)
{
	const char *text;

	wrap_lose("none", 0, 1);
	ck_assert_int_eq(written_run(tool_check, &plain), 1);
	text = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(text, "WRONG"));
	ck_assert_ptr_null(strstr(text, "are right"));
	ck_assert_int_eq(written_run(tool_check, &json), 1);
	wrap_lose(NULL, 0, 0);
}
END_TEST

/* On memory of its own there is something to overlap. */
START_TEST(discrete)
{
	wrap_discrete(1);
	ck_assert_int_eq(written_run(tool_check, &plain), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "of what there was to gain"));
	wrap_discrete(0);
}
END_TEST

TCase *selftest_case(void)
{
	TCase *c = tcase_create("selftest");

	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, all_right);
	tcase_add_test(c, as_json);
	tcase_add_test(c, wrong);
	tcase_add_test(c, discrete);
	return c;
}
