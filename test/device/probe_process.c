/* SPDX-License-Identifier: MIT */
/*
 * probe_process.c - probing in processes of all kinds: with children, threads and signal handlers
 * of their own, with OpenCL or CUDA in use.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clopt_cl.h"
#include "device/probe.h"
#include "probe_drivers.h"
#include "suites.h"

/* Where CUDA is in use, a child proves nothing. */
START_TEST(does_not_probe_beside_cuda)
{
	drivers_add("well");
	drivers_add("pocl");
	drivers_load("libcuda.so.1");
	drivers_expect_pocl(0);
	ck_assert_int_eq(drivers_askers(), 1);
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
	struct view v;

	drivers_add("well");
	clopt__loader_drivers(&d);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_int_eq(clopt__view_open(&v, &d, 1), 0);
	ck_assert_str_eq(v.vendors + strlen(v.vendors) - 1, "/");
	clopt__view_close(&v);
}
END_TEST

/* A process that has used OpenCL already may be in a state in which no child survives. */
START_TEST(does_not_probe_after_opencl)
{
	cl_platform_id platforms[4];
	cl_uint n;

	drivers_add("well");
	drivers_add("pocl");
	ck_assert_int_eq(clGetPlatformIDs(4, platforms, &n), CL_SUCCESS);
	drivers_expect_pocl(0);
	ck_assert_int_eq(drivers_askers(), 1);
}
END_TEST

static volatile sig_atomic_t reaped;

static void reap_all(int signal)
{
	const int saved = errno;

	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
	errno = saved;
}

/* Whatever the program does with SIGCHLD. */
START_TEST(signals)
{
	struct sigaction a;

	memset(&a, 0, sizeof a);
	a.sa_handler = _i ? reap_all : SIG_IGN;
	sigaction(SIGCHLD, &a, NULL);
	drivers_add("crash-devices");
	drivers_add("pocl");
	drivers_expect_pocl(0);
	ck_assert_ptr_nonnull(strstr(drivers_skipped().name, "crash-devices"));
}
END_TEST

/* The program's own children stay the program's. */
START_TEST(other_children)
{
	struct clopt *ctx;
	int status;
	pid_t child;

	drivers_add("crash-devices");
	drivers_add("pocl");
	child = fork();
	if (child == 0)
		_exit(7);
	ctx = test_open(NULL);
	test_close(ctx);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}
END_TEST

static volatile int stop;

/* Holds malloc's lock, and reads the environment, most of the time. */
static void *busy(void *argument)
{
	while (!stop) {
		void *p = malloc(100000);

		if (!getenv("OCL_ICD_VENDORS"))
			*(int *)argument = 1;
		free(p);
	}
	return NULL;
}

START_TEST(threads)
{
	pthread_t thread[2];
	int i, lost[2] = { 0, 0 };

	drivers_add("crash-load");
	drivers_add("pocl");
	/* PoCL's own setenv would add this variable, and glibc's setenv then frees the array that a
	 * getenv in another thread reads: set it before. */
	setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, busy, &lost[i]), 0);
	drivers_expect_pocl(60);
	stop = 1;
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		ck_assert_msg(!lost[i], "the environment was not whole");
	}
}
END_TEST

static void *idle(void *argument)
{
	const struct timespec moment = { 0, 1000000 };

	while (!stop)
		nanosleep(&moment, NULL);
	return argument;
}

/* A driver that hangs only in children, as on a lock that a thread held at the fork, is not left
 * out if there was such a thread. */
START_TEST(silence)
{
	char parent[32];
	size_t n = 9;
	pthread_t thread;

	drivers_add("shy");
	drivers_add("pocl");
	snprintf(parent, sizeof parent, "%ld", (long)getpid());
	setenv("FAKE_ICD_PARENT", parent, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, idle, NULL), 0);
	drivers_expect_pocl(HANG_SECONDS);
	CHECK_OK(NULL, clopt_skipped_list(NULL, 0, &n));
	ck_assert_uint_eq(n, 0);
	stop = 1;
	pthread_join(thread, NULL);
}
END_TEST

/* In a daemon, whose standard files are closed, the pipe would get their numbers. */
START_TEST(closed)
{
	size_t n = 9;
	int i, rc;

	drivers_add("well");
	drivers_add("pocl");
	for (i = 0; i < 3; i++)
		close(i);
	rc = clopt_skipped_list(NULL, 0, &n);
	/* Check's own output does not need them. */
	ck_assert_int_eq(rc, CLOPT_OK);
	ck_assert_uint_eq(n, 0);
}
END_TEST

void probe_process_tests(TCase *c)
{
	tcase_add_test(c, does_not_probe_beside_cuda);
	tcase_add_test(c, environment);
	tcase_add_test(c, slash);
	tcase_add_test(c, does_not_probe_after_opencl);
	tcase_add_loop_test(c, signals, 0, 2);
	tcase_add_test(c, other_children);
	tcase_add_test(c, threads);
	tcase_add_test(c, silence);
	tcase_add_test(c, closed);
}
