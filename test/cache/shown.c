/* SPDX-License-Identifier: MIT */
/*
 * shown.c - the folder of compiled kernels, its list of entries, and their removal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "suites.h"

static char base[FOLDER_SIZE], path[2 * FOLDER_SIZE];
static struct clopt_options options;

static void setup(void)
{
	const struct clopt_options initial = CLOPT_OPTIONS_INIT;

	folder_make(base);
	options = initial;
	options.cache_dir = base;
}

static void teardown(void)
{
	folder_remove(base);
}

/* Compiles and keeps the kernel of a variant for transposes. */
static void keep(const char *variant)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_TRANSPOSE,
		                   .dim = { 20, 20, 0 } };
	struct clopt_report r = { .size = sizeof r };
	struct clopt *ctx;

	options.variants = variant;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_uint_eq(r.kernels_saved, 1);
	test_close(ctx);
}

static void expect_folder(const struct clopt_options *o, const char *expected)
{
	char text[4096] = "no answer";

	CHECK_OK(NULL, clopt_cache_folder(o, text, sizeof text));
	ck_assert_str_eq(text, expected);
}

/* Sets a variable of the environment; NULL: removes it. */
static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

START_TEST(folders)
{
	static const struct {
		const char *own, *xdg, *home, *folder;
	} rows[] = {
		{ "/own", "/xdg", "/home/me", "/own" },
		{ "0", "/xdg", "/home/me", "" },
		{ NULL, "/xdg", "/home/me", "/xdg/libclopt" },
		{ "", "/xdg", "/home/me", "/xdg/libclopt" },
		{ NULL, "relative", "/home/me", "/home/me/.cache/libclopt" },
		{ NULL, "", "/home/me", "/home/me/.cache/libclopt" },
		{ NULL, NULL, "/home/me", "/home/me/.cache/libclopt" },
		{ NULL, NULL, "", "" },
		{ NULL, NULL, NULL, "" },
	};
	static const char *const names[] = { "CLOPT_CACHE_DIR", "XDG_CACHE_HOME", "HOME" };
	char *were[3], here[2048], expected[4096];
	size_t i;

	for (i = 0; i < 3; i++)
		were[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		set(names[0], rows[i].own);
		set(names[1], rows[i].xdg);
		set(names[2], rows[i].home);
		expect_folder(NULL, rows[i].folder);
		expect_folder(&options, base);
	}
	ck_assert_ptr_nonnull(getcwd(here, sizeof here));
	set(names[0], "some/where");
	snprintf(expected, sizeof expected, "%s/some/where", here);
	expect_folder(NULL, expected);
	for (i = 0; i < 3; i++) {
		set(names[i], were[i]);
		free(were[i]);
	}
}
END_TEST

START_TEST(shown_and_removed)
{
	struct clopt_cache_entry list[3];
	size_t i, n = 99;

	CHECK_OK(NULL, clopt_cache_list(&options, NULL, 0, &n));
	ck_assert_uint_eq(n, 0);
	keep("transpose/plain");
	folder_files(base, path);
	keep("transpose/tile-32x32");
	for (i = 0; i < 3; i++)
		list[i].size = sizeof *list;
	CHECK_OK(NULL, clopt_cache_list(&options, list, 3, &n));
	ck_assert_uint_eq(n, 2);
	for (i = 0; i < 2; i++) {
		ck_assert_str_eq(list[i].kind, "program");
		ck_assert_ptr_nonnull(strstr(list[i].what, " on "));
		ck_assert(list[i].bytes > 1000 && list[i].used > 1600000000);
	}
	ck_assert_msg(strstr(list[0].what, "transpose/") == list[0].what &&
	                      strcmp(list[0].what, list[1].what),
	              "%s, %s", list[0].what, list[1].what);
	CHECK_OK(NULL, clopt_cache_list(&options, list, 1, &n));
	ck_assert_uint_eq(n, 2);
	file_write(path, "spoilt", 6);
	CHECK_OK(NULL, clopt_cache_list(&options, list, 3, &n));
	ck_assert(n == 2 && (!list[0].what[0] || !list[1].what[0]));
	CHECK_OK(NULL, clopt_cache_clear(&options));
	ck_assert_uint_eq(folder_files(base, NULL), 0);
	CHECK_OK(NULL, clopt_cache_clear(&options));
	CHECK_OK(NULL, clopt_cache_list(&options, list, 3, &n));
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* A folder that is not believed is told, not listed as empty. */
START_TEST(told_why_it_is_not_used)
{
	size_t n;

	ck_assert_int_eq(chmod(base, 0777), 0);
	expect_refused(clopt_cache_list(&options, NULL, 0, &n), CLOPT_EIO, NULL, "other users");
	expect_refused(clopt_cache_clear(&options), CLOPT_EIO, NULL, base);
}
END_TEST

SUITE(cache_shown, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, folders);
	tcase_add_test(c, shown_and_removed);
	tcase_add_test(c, told_why_it_is_not_used);
}
