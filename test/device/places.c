/* SPDX-License-Identifier: MIT */
/*
 * places.c - unusual surroundings: locales, limits on files, deep folders.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "base/context.h"
#include "suites.h"
#include "base/text.h"
#include "choose/choose.h"

static char folder[FOLDER_SIZE];
static struct clopt_options options;

static void setup(void)
{
	const struct clopt_options none = CLOPT_OPTIONS_INIT;

	folder_make(folder);
	options = none;
	options.cache_dir = folder;
}

static void teardown(void)
{
	setlocale(LC_ALL, "C");
	folder_remove(folder);
}

/* Returns 0 if the system has no such locale and no means to make it. */
static int enter_locale(const char *name)
{
	char command[3 * FOLDER_SIZE];

	if (setlocale(LC_ALL, name))
		return 1;
	snprintf(command, sizeof command, "localedef -i %s -f ISO-8859-9 '%s/%s' >'%s/log' 2>&1",
	         name, folder, name, folder);
	setenv("LOCPATH", folder, 1);
	if (!system(command) && setlocale(LC_ALL, name))
		return 1;
	printf("there is no locale %s\n", name);
	return 0;
}

/* In Turkish, I is not the capital of i. */
START_TEST(turkish_locale)
{
	if (!enter_locale("tr_TR"))
		return;
	ck_assert(clopt__within("NVIDIA Corporation", "nvidia", 6));
	ck_assert(clopt__within("Intel(R) OpenCL", "INTEL", 5));
	ck_assert(!clopt__within("Intel", "intel!", 6) && !clopt__within("", "i", 1));
	ck_assert(clopt__within("", "", 0));
}
END_TEST

static const struct clopt_problem product = {
	.size = sizeof product, .op = CLOPT_OP_MATMUL, .dim = { 160, 160, 160 }, .elem_bytes = 4
};

/* Files are written and read in the same format as in other locales. */
START_TEST(decimal_comma_locale)
{
	const struct variant *v = clopt__variant(0);
	struct clopt_problem p;
	struct clopt *ctx;
	char line[1024];

	if (!enter_locale("de_DE"))
		return;
	options.tuning = "0";
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt__problem_read(ctx, &product, &p));
	CHECK_OK(ctx, clopt__record_add(ctx, &p, v, 1.5e9, 0, line, sizeof line));
	ck_assert_msg(strstr(line, "; 1.50e+09") != NULL, "%s", line);
	test_close(ctx);
}
END_TEST

/* Without the check, which would write a file of its own. */
static int tell_speed(struct clopt *ctx)
{
	struct clopt_problem p;
	const int rc = clopt__problem_read(ctx, &product, &p);

	return rc ? rc : clopt__record_add(ctx, &p, clopt__variant(0), 1e9, 1, NULL, 0);
}

/* Reaching a limit on files is reported, and does not end the program. */
START_TEST(file_size_limit)
{
	const struct rlimit limit = { 100, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	char path[FOLDER_SIZE + 16], text[100];
	struct clopt *ctx;
	struct stat about;
	int rc;

	snprintf(path, sizeof path, "%s/tuning", folder);
	memset(text, '#', sizeof text);
	text[sizeof text - 1] = '\n';
	file_write(path, text, sizeof text);
	options.tuning = path;
	options.cache_dir = "0";
	ctx = test_open(&options);
	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_FSIZE, &limit);
	rc = tell_speed(ctx);
	setrlimit(RLIMIT_FSIZE, &none);
	expect_refused(rc, CLOPT_EIO, ctx, "cannot be written");
	ck_assert_int_eq(stat(path, &about), 0);
	ck_assert_int_eq((int)about.st_size, (int)sizeof text);
	CHECK_OK(ctx, tell_speed(ctx));
	test_close(ctx);
}
END_TEST

/* Folders with the longest path that systems allow. */
START_TEST(deep_folders)
{
	char path[3000];
	struct clopt *ctx;
	size_t n = (size_t)snprintf(path, sizeof path, "%s", folder);

	while (n < 2000)
		n += (size_t)snprintf(path + n, sizeof path - n, "/%0100zu", n);
	snprintf(path + n, sizeof path - n, "/tuning");
	options.tuning = path;
	options.cache_dir = "0";
	ctx = test_open(&options);
	CHECK_OK(ctx, tell_speed(ctx));
	ck_assert_int_eq(access(path, R_OK), 0);
	test_close(ctx);
	do { /* deeper than the paths that folder_remove handles */
		ck_assert_int_eq(remove(path), 0);
		*strrchr(path, '/') = '\0';
	} while (strcmp(path, folder));
}
END_TEST

SUITE(places, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, turkish_locale);
	tcase_add_test(c, decimal_comma_locale);
	tcase_add_test(c, file_size_limit);
	tcase_add_test(c, deep_folders);
}
