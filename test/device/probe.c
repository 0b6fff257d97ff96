/* SPDX-License-Identifier: MIT */
/*
 * probe.c - drivers that crash or hang beside PoCL: `clopt info' finds them, and the library leaves
 * them out.
 *
 * Each test has a process of its own, which has not touched OpenCL, and a folder of
 * .icd files: copies of the fake driver (test/fake/icd.c), named for their behaviour.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clopt/ask/ask.h"
#include "clopt_cl.h"
#include "device/drivers.h"
#include "probe_drivers.h"
#include "suites.h"
#include "wrap.h"
#include "written.h"

static char cache[80];

static void setup(void)
{
	drivers_setup();
	drivers_cache(cache, sizeof cache);
	setenv("CLOPT_CACHE_DIR", cache, 1);
}

/* As by `clopt info', in a process that ends. */
static void try_drivers(void)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGCHLD, SIG_IGN);
		ask_try_drivers(HANG_SECONDS, NULL);
		_exit(waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD);
	}
	ck_assert(waitpid(child, &status, 0) == child && status == 0);
	drivers_expect_clean();
}

static void shy(int crashes)
{
	if (crashes)
		setenv("FAKE_ICD_SHY", "1", 1);
	else
		unsetenv("FAKE_ICD_SHY");
}

static const struct {
	const char *what, *reason;
} broken[] = {
	{ "crash-load", "crashed (signal 11)" },
	{ "crash-platforms", "crashed (signal 11)" },
	{ "crash-devices", "crashed (signal 11)" },
	{ "crash-info", "crashed (signal 11)" },
	{ "exit-devices", "ended the process" },
	{ "hang-load", "did not answer within 8 s" },
	{ "hang-platforms", "did not answer within 8 s" },
	{ "hang-devices", "did not answer within 8 s" },
};

START_TEST(one_is_broken)
{
	struct clopt_skipped_driver s;

	drivers_add(broken[_i].what);
	drivers_add("pocl");
	try_drivers();
	drivers_expect_pocl();
	s = drivers_skipped();
	ck_assert_msg(strstr(s.name, broken[_i].what) && strstr(s.library, broken[_i].what),
	              "%s, %s", s.name, s.library);
	ck_assert_str_eq(s.reason, broken[_i].reason);
	drivers_expect_pocl(); /* again, in a process that has left it out */
	drivers_skipped();
}
END_TEST

/* Of two drivers that each work alone the second is left out. */
START_TEST(several_are_broken)
{
	struct clopt_skipped_driver list[4];
	size_t i, n = 0;

	for (i = 0; i < 4; i++)
		list[i].size = sizeof list[i];
	drivers_add("crash-load");
	drivers_add("jealous-1");
	drivers_add("jealous-2");
	drivers_add("pocl");
	try_drivers();
	drivers_expect_pocl();
	CHECK_OK(NULL, clopt_skipped_list(list, 4, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_ptr_nonnull(strstr(list[0].name, "crash-load.icd"));
	ck_assert_ptr_nonnull(strstr(list[1].name, "jealous-2.icd"));
}
END_TEST

START_TEST(none_is_left)
{
	struct clopt *ctx;

	drivers_add("crash-devices");
	try_drivers();
	expect_refused(clopt_open(&ctx, NULL), CLOPT_ENODEVICE, NULL, "crash-devices.icd");
	ck_assert_ptr_nonnull(strstr(clopt_error(NULL), "crashed (signal 11)"));
	expect_refused(clopt_open(&ctx, NULL), CLOPT_ENODEVICE, NULL, "crash-devices.icd");
	drivers_expect_clean();
}
END_TEST

/* The record does not hold for a driver that has changed, nor once it is found well. */
START_TEST(repaired)
{
	size_t n = 9;

	drivers_add("shy");
	drivers_add("pocl");
	shy(1);
	try_drivers();
	shy(0);
	if (_i)
		drivers_touch("shy");
	else
		try_drivers();
	drivers_expect_pocl();
	CHECK_OK(NULL, clopt_skipped_list(NULL, 0, &n));
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* Both leave the driver out themselves. */
START_TEST(tried_by_programs)
{
	static int (*const command[])(const struct tool_args *) = { tool_info, tool_check };
	const struct tool_args args = { .op = -1, .small = 1 };
	const char *text;

	drivers_add("crash-devices");
	drivers_add("well"); /* has no context to give */
	written_open();
	ck_assert_int_eq(written_run(command[_i], &args), 1);
	text = written_text(written.out);
	ck_assert(_i || (strstr(text, "crash-devices.icd: crashed (signal 11)\n") &&
	                 strstr(text, "well.icd: no fault\n") && strstr(text, "left out: ")));
	written_close();
	ck_assert_str_eq(drivers_skipped().reason, "crashed (signal 11)");
}
END_TEST

/* Where it cannot be kept, a record holds for the process. */
START_TEST(not_kept)
{
	struct clopt_skipped_driver list[2];
	size_t n = 0;
	int rc;

	list[0].size = list[1].size = sizeof *list;
	drivers_add("crash-load");
	drivers_add("pocl");
	drivers_icd("empty", "");
	setenv("CLOPT_CACHE_DIR", _i ? "/dev/null/none" : "0", 1);
	CHECK_OK(NULL, clopt_driver_list(list, 1, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert(strstr(list[0].name, "crash-load.icd") && !*list[0].reason);
	strcpy(list[0].reason, "bad\nworse");
	rc = clopt_driver_skip(list, 1);
	ck_assert_int_eq(rc, _i ? CLOPT_EIO : CLOPT_OK);
	ck_assert(!_i || strstr(clopt_error(NULL), "/dev/null/none"));
	drivers_expect_pocl();
	CHECK_OK(NULL, clopt_skipped_list(list, 2, &n));
	ck_assert_uint_eq(n, 2); /* with the empty file */
	ck_assert_str_eq(list[0].reason, "bad");
	list[0].size = 1;
	expect_refused(clopt_driver_skip(list, 1), CLOPT_EINVAL, NULL, "clopt_skipped_driver");
}
END_TEST

/* Without a folder for .icd files no driver is left out. */
START_TEST(no_folder)
{
	struct clopt *ctx;

	drivers_add("crash-devices");
	drivers_add("pocl");
	try_drivers();
	setenv("TMPDIR", "/dev/null/none", 1);
	expect_refused(clopt_open(&ctx, NULL), CLOPT_EDEVICE, NULL, "TMPDIR");
	ck_assert_ptr_null(ctx);
}
END_TEST

/* The n-th call fails, for every n of an opening that leaves a driver out, in a process for
 * each. */
START_TEST(each_call)
{
	struct clopt *ctx;
	int n, rc, status, failures = 0;
	pid_t child;

	drivers_add("well"); /* creates no context: opening fails anyway, but late */
	drivers_add("shy"); /* since not each failure leaves it out */
	shy(1);
	try_drivers();
	shy(0);
	for (n = 1; n < 200; n++) {
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

/* A program that has used OpenCL has loaded the driver. */
START_TEST(after_opencl)
{
	cl_platform_id platforms[4];
	cl_uint n;
	size_t skipped = 9;

	drivers_add("shy");
	drivers_add("pocl");
	shy(1);
	try_drivers();
	shy(0);
	ck_assert_int_eq(clGetPlatformIDs(4, platforms, &n), CL_SUCCESS);
	drivers_expect_pocl();
	CHECK_OK(NULL, clopt_skipped_list(NULL, 0, &skipped));
	ck_assert_uint_eq(skipped, 0);
}
END_TEST

/* The loaders' other variables keep their values. */
START_TEST(environment)
{
	const char *folder = getenv("OCL_ICD_VENDORS");
	char where[80];

	drivers_add("crash-load");
	drivers_add("pocl");
	snprintf(where, sizeof where, "%s", folder);
	setenv("OPENCL_VENDOR_PATH", where, 1);
	setenv("OCL_ICD_FILENAMES", "libnone.so", 1);
	setenv("LAST_OF_ALL", "1", 1);
	unsetenv("OCL_ICD_VENDORS");
	try_drivers();
	clopt_close(test_open(NULL));
	ck_assert_ptr_null(getenv("OCL_ICD_VENDORS"));
	ck_assert_str_eq(getenv("OPENCL_VENDOR_PATH"), where);
	ck_assert_str_eq(getenv("OCL_ICD_FILENAMES"), "libnone.so");
	ck_assert_str_eq(getenv("LAST_OF_ALL"), "1");
	ck_assert_ptr_null(getenv("CLOPT_HIDDEN"));
}
END_TEST

/* Khronos' loader as CUDA 13.0 has it finds nothing in a folder without a slash at its end. */
START_TEST(slash)
{
	static struct drivers d;
	const char *vendors;

	drivers_add("well");
	clopt__loader_drivers(&d);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(clopt__loader_hide(&d, 1), 0);
	vendors = getenv("OCL_ICD_VENDORS");
	ck_assert_str_eq(vendors + strlen(vendors) - 1, "/");
	clopt__loader_show();
	drivers_expect_clean();
}
END_TEST

static volatile int stop;

/* Reads the environment most of the time. */
static void *busy(void *argument)
{
	while (!stop)
		if (!getenv("OCL_ICD_VENDORS"))
			*(int *)argument = 1;
	return NULL;
}

START_TEST(threads)
{
	pthread_t thread[2];
	int i, lost[2] = { 0, 0 };

	drivers_add("crash-load");
	drivers_add("pocl");
	try_drivers();
	/* PoCL's own setenv would add this variable, and glibc's setenv then frees the array that a
	 * getenv in another thread reads: set it before. */
	setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, busy, &lost[i]), 0);
	drivers_expect_pocl();
	stop = 1;
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		ck_assert_msg(!lost[i], "the environment was not whole");
	}
}
END_TEST

SUITE(probe, long)
{
	tcase_add_checked_fixture(c, setup, drivers_teardown);
	tcase_add_loop_test(c, one_is_broken, 0, (int)(sizeof broken / sizeof *broken));
	tcase_add_test(c, several_are_broken);
	tcase_add_test(c, none_is_left);
	tcase_add_loop_test(c, repaired, 0, 2);
	tcase_add_loop_test(c, tried_by_programs, 0, 2);
	tcase_add_loop_test(c, not_kept, 0, 2);
	tcase_add_test(c, no_folder);
	tcase_add_test(c, each_call);
	tcase_add_test(c, after_opencl);
	tcase_add_test(c, environment);
	tcase_add_test(c, slash);
	tcase_add_test(c, threads);
}
