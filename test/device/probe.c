/* SPDX-License-Identifier: MIT */
/*
 * probe.c - drivers that crash or hang beside PoCL, tried in a child process.
 *
 * Each test has a process of its own, which has not touched OpenCL, and a folder of
 * .icd files: copies of the fake driver (test/fake/icd.c), named for their behaviour.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clopt/ask/ask.h"
#include "clopt_cl.h"
#include "probe_drivers.h"
#include "suites.h"
#include "wrap.h"
#include "written.h"

static const struct {
	const char *what, *reason, *where;
} broken[] = {
	{ "crash-load", "crashed (signal 11)", "loading" },
	{ "crash-platforms", "crashed (signal 11)", "clGetPlatformIDs" },
	{ "crash-devices", "crashed (signal 11)", "IDs" },
	{ "crash-info", "crashed (signal 11)", "clGet" },
	{ "exit-devices", "ended the process", "IDs" },
	{ "hang-load", "did not answer within 8 s", "loading" },
	{ "hang-platforms", "did not answer within 8 s", "clGetPlatformIDs" },
	{ "hang-devices", "did not answer within 8 s", "IDs" },
};

START_TEST(one_is_broken)
{
	struct clopt_skipped_driver s;

	drivers_add(broken[_i].what);
	drivers_add("pocl");
	drivers_expect_pocl(strncmp(broken[_i].what, "hang", 4) ? 0 : HANG_SECONDS);
	s = drivers_skipped();
	ck_assert_msg(strstr(s.name, broken[_i].what) && strstr(s.library, broken[_i].what),
	              "%s, %s", s.name, s.library);
	ck_assert_msg(strstr(s.reason, broken[_i].reason) && strstr(s.reason, broken[_i].where),
	              "%s: %s", broken[_i].what, s.reason);
	drivers_expect_pocl(0); /* again, in a process that knows the verdict */
	drivers_skipped();
}
END_TEST

START_TEST(several_are_broken)
{
	struct clopt_skipped_driver list[4];
	size_t i, n = 0;

	for (i = 0; i < 4; i++)
		list[i].size = sizeof list[i];
	drivers_add("crash-load");
	drivers_add("exit-devices");
	drivers_add("pocl");
	drivers_add("well");
	drivers_expect_pocl(0);
	CHECK_OK(NULL, clopt_skipped_list(list, 4, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_ptr_nonnull(strstr(list[0].name, "crash-load.icd"));
	ck_assert_ptr_nonnull(strstr(list[1].name, "exit-devices.icd"));
}
END_TEST

/* Two drivers that each work alone: the second is left out. */
START_TEST(two_drivers_that_conflict)
{
	drivers_add("jealous-1");
	drivers_add("jealous-2");
	drivers_add("pocl");
	drivers_expect_pocl(0);
	ck_assert_ptr_nonnull(strstr(drivers_skipped().name, "jealous-2.icd"));
}
END_TEST

START_TEST(none_is_left)
{
	struct clopt *ctx;

	drivers_add("crash-devices");
	expect_refused(clopt_open(&ctx, NULL), CLOPT_ENODEVICE, NULL, "crash-devices.icd");
	ck_assert_ptr_nonnull(strstr(clopt_error(NULL), "crashed (signal 11)"));
	expect_refused(clopt_open(&ctx, NULL), CLOPT_ENODEVICE, NULL, "crash-devices.icd");
	drivers_expect_clean();
}
END_TEST

/* All drivers work: a child enumerates, and then the process. */
START_TEST(all_are_well)
{
	size_t n = 9;

	drivers_add("well");
	drivers_add("pocl");
	drivers_expect_pocl(0);
	ck_assert_int_eq(drivers_askers(), 2);
	CHECK_OK(NULL, clopt_skipped_list(NULL, 0, &n));
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* A good verdict is kept in the user's cache until a driver changes. */
START_TEST(good_verdict_is_remembered)
{
	char cache[80];
	pid_t child;
	int i, status;

	drivers_add("well");
	drivers_add("pocl");
	drivers_cache(cache, sizeof cache);
	setenv("CLOPT_CACHE_DIR", cache, 1);
	for (i = 0; i < 3; i++) {
		if (i == 2)
			drivers_touch("well");
		if ((child = fork()) == 0) {
			clopt_close(test_open(NULL));
			_exit(0);
		}
		ck_assert(waitpid(child, &status, 0) == child && status == 0);
		/* Two processes at first, then one more, then two more. */
		ck_assert_int_eq(drivers_askers(), i == 0 ? 2 : i == 1 ? 3 : 5);
	}
}
END_TEST

/* A bad verdict is kept, too: the driver is tried again where probing is on; elsewhere it is left
 * out without a child, until it changes. */
START_TEST(bad_verdict_is_remembered)
{
	struct clopt_skipped_driver s;
	char cache[80];
	pid_t child;
	int i, status, askers;

	drivers_add("exit-devices");
	drivers_add("pocl");
	drivers_cache(cache, sizeof cache);
	setenv("CLOPT_CACHE_DIR", cache, 1);
	for (i = askers = 0; i < 2; i++) {
		if ((child = fork()) == 0) {
			clopt_close(test_open(NULL));
			_exit(0);
		}
		ck_assert(waitpid(child, &status, 0) == child && status == 0);
		ck_assert_int_gt(drivers_askers(), askers);
		askers = drivers_askers();
	}
	unsetenv("CLOPT_PROBE");
	drivers_expect_pocl(0);
	ck_assert_int_eq(drivers_askers(), askers);
	s = drivers_skipped();
	ck_assert_ptr_nonnull(strstr(s.name, "exit-devices.icd"));
	ck_assert_ptr_nonnull(strstr(s.reason, "ended the process"));
}
END_TEST

START_TEST(not_tried)
{
	drivers_add("well");
	drivers_add("pocl");
	drivers_expect_pocl(-1);
	ck_assert_int_eq(drivers_askers(), 1);
}
END_TEST

START_TEST(not_tried_by_environment)
{
	drivers_add("well");
	drivers_add("pocl");
	setenv("CLOPT_PROBE", "0", 1);
	drivers_expect_pocl(0);
	ck_assert_int_eq(drivers_askers(), 1);
}
END_TEST

/* No child is made by default. */
START_TEST(not_tried_by_default)
{
	drivers_add("well");
	drivers_add("pocl");
	unsetenv("CLOPT_PROBE");
	drivers_expect_pocl(0);
	ck_assert_int_eq(drivers_askers(), 1);
}
END_TEST

/* `clopt info' and `clopt check' ask for it. */
START_TEST(tried_by_programs)
{
	static int (*const command[])(const struct tool_args *) = { tool_info, tool_check };
	const struct tool_args args = { .op = -1, .small = 1 };
	struct clopt_skipped_driver s;

	drivers_add("crash-devices");
	drivers_add("well"); /* has no context to give */
	unsetenv("CLOPT_PROBE");
	written_open();
	ck_assert_int_eq(written_run(command[_i], &args), 1);
	ck_assert(_i || strstr(written_text(written.out), "crash-devices.icd"));
	written_close();
	s = drivers_skipped();
	ck_assert_ptr_nonnull(strstr(s.reason, "crashed"));
}
END_TEST

/* Without a folder for .icd files no driver is left out, be it found faulty now or earlier. */
START_TEST(no_folder)
{
	struct clopt *ctx;
	char cache[80];
	pid_t child;
	int status;

	drivers_add("crash-devices");
	drivers_add("pocl");
	if (_i) {
		drivers_cache(cache, sizeof cache);
		setenv("CLOPT_CACHE_DIR", cache, 1);
		if ((child = fork()) == 0)
			_exit(clopt_open(&ctx, NULL) != CLOPT_OK);
		ck_assert(waitpid(child, &status, 0) == child && status == 0);
		unsetenv("CLOPT_PROBE");
	}
	setenv("TMPDIR", "/dev/null/none", 1);
	expect_refused(clopt_open(&ctx, NULL), CLOPT_EDEVICE, NULL, "TMPDIR");
	ck_assert_ptr_null(ctx);
}
END_TEST

/* One line for each driver left out, with CLOPT_VERBOSE only. */
START_TEST(notices)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	const int saved = dup(STDERR_FILENO);
	char text[2048] = "";
	FILE *f = tmpfile();
	ssize_t n;

	drivers_add("crash-load");
	drivers_add("clover");
	drivers_add("pocl");
	ck_assert(f && saved >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
	clopt_close(test_open(NULL));
	o.verbose = 1;
	clopt_close(test_open(&o));
	dup2(saved, STDERR_FILENO);
	n = pread(fileno(f), text, sizeof text - 1, 0);
	fclose(f);
	close(saved);
	ck_assert(n > 0);
	ck_assert_msg(strstr(text, "crash-load.icd is left out: crashed") &&
	                      strstr(text, "Clover is left out: quirk clover"),
	              "%s", text);
	ck_assert_msg(strchr(strchr(text, '\n') + 1, '\n') == text + n - 1, "not two lines: %s",
	              text);
}
END_TEST

/* The n-th call fails, for every n of the first opening, in a process for each; also where a driver is
 * left out that an earlier process found faulty. */
START_TEST(each_call)
{
	struct clopt *ctx;
	char cache[80], parent[32];
	int n, rc, status, failures = 0;
	pid_t child;

	drivers_add("well"); /* creates no context: opening fails anyway, but late */
	drivers_cache(cache, sizeof cache);
	setenv("CLOPT_CACHE_DIR", cache, 1);
	if (_i) {
		drivers_add("shy"); /* since not each failure leaves it out */
		if ((child = fork()) == 0) {
			snprintf(parent, sizeof parent, "%ld", (long)getpid());
			setenv("FAKE_ICD_PARENT", parent, 1);
			setenv("CLOPT_PROBE", "2", 1);
			_exit(clopt_open(&ctx, NULL) == CLOPT_OK);
		}
		ck_assert(waitpid(child, &status, 0) == child && status == 0);
		unsetenv("CLOPT_PROBE");
	}
	for (n = 1; n < 200; n++) {
		if (!_i)
			drivers_forget();
		child = fork();
		if (child == 0) {
			wrap_fail(n, -6);
			rc = clopt_open(&ctx, NULL);
			status = rc < 0 && !ctx && strlen(clopt_error(NULL)) > 10;
			rc = wrap_failed();
			wrap_fail(0, 0);
			_exit(!status || wrap_live() ? 3 : !rc);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) < 2,
		              "call %d fails, and the process ends by %d", n, status);
		if (WEXITSTATUS(status) == 1)
			break;
		failures++;
		drivers_expect_clean();
	}
	ck_assert_msg(failures > 10 && n < 200, "%d calls failed", failures);
}
END_TEST

SUITE(probe, long)
{
	tcase_add_checked_fixture(c, drivers_setup, drivers_teardown);
	tcase_add_loop_test(c, one_is_broken, 0, (int)(sizeof broken / sizeof *broken));
	tcase_add_test(c, several_are_broken);
	tcase_add_test(c, two_drivers_that_conflict);
	tcase_add_test(c, none_is_left);
	tcase_add_test(c, all_are_well);
	tcase_add_test(c, good_verdict_is_remembered);
	tcase_add_test(c, bad_verdict_is_remembered);
	tcase_add_test(c, not_tried);
	tcase_add_test(c, not_tried_by_environment);
	tcase_add_test(c, not_tried_by_default);
	tcase_add_loop_test(c, tried_by_programs, 0, 2);
	tcase_add_loop_test(c, no_folder, 0, 2);
	tcase_add_test(c, notices);
	tcase_add_loop_test(c, each_call, 0, 2);
	probe_process_tests(c);
}
