/* SPDX-License-Identifier: MIT */
/*
 * drivers.c - the drivers, each tried in a process of its own, since one that crashes or hangs
 * takes its process along.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* nftw and setrlimit, also under -std=c99 */
#endif
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../common/program.h"
#include "ask.h"

#define DRIVERS 32 /* as many as the library finds */
#define ANSWERED 77 /* a child's exit status; a driver may call exit(0) */
#define UNTRIED 78 /* it could not load this driver alone */

/* What a child that crashes cannot remove. */
static char folder[256];

static int drop(const char *path, const struct stat *about, int type, struct FTW *at)
{
	(void)about;
	(void)type;
	(void)at;
	return remove(path);
}

static char *make_folder(void)
{
	const char *above = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/clopt-XXXXXX", above && *above ? above : "/tmp");
	return mkdtemp(folder);
}

/* Ends the process. */
static void list_devices(const struct clopt_skipped_driver *drivers, size_t n, double seconds)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	const struct rlimit no_core = { 0, 0 };
	const int null = open("/dev/null", O_RDWR);
	size_t devices, i;
	int rc;

	for (i = 0; i < sizeof crashes / sizeof *crashes; i++)
		signal(crashes[i], SIG_DFL); /* or a handler of the program's ends it in its way */
	setrlimit(RLIMIT_CORE, &no_core);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	alarm((unsigned)seconds + 2); /* if the parent dies first */
	setenv("TMPDIR", folder, 1);
	setenv("CLOPT_CACHE_DIR", "0", 1); /* no record */
	rc = clopt_driver_skip(drivers, n);
	if (rc == CLOPT_OK)
		rc = clopt_device_list(NULL, 0, &devices);
	_exit(rc == CLOPT_OK || rc == CLOPT_ENODEVICE ? ANSWERED : UNTRIED);
}

static int ends(pid_t child, double seconds, int *status)
{
	const struct timespec moment = { 0, 1000000 };
	const double until = seconds_now() + seconds;
	pid_t ended;

	while ((ended = waitpid(child, status, WNOHANG)) == 0 && seconds_now() < until)
		nanosleep(&moment, NULL);
	return ended == child;
}

/* *reason: "" or the driver's fault. */
static int try(const struct clopt_skipped_driver *drivers, size_t n, double seconds, char *reason,
               size_t size)
{
	const pid_t child = make_folder() ? fork() : -1;
	int status;

	if (child < 0) {
		rmdir(folder);
		return -1;
	}
	if (child == 0)
		list_devices(drivers, n, seconds);
	if (!ends(child, seconds, &status)) {
		snprintf(reason, size, "did not answer within %g s", seconds);
		kill(child, SIGKILL);
		ends(child, 1, &status); /* or it stays in the kernel */
	} else if (WIFSIGNALED(status)) {
		snprintf(reason, size, "crashed (signal %d)", WTERMSIG(status));
	} else if (WEXITSTATUS(status) == UNTRIED) {
		nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
		return -1;
	} else if (WEXITSTATUS(status) != ANSWERED) {
		snprintf(reason, size, "ended the process");
	}
	nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}

/* Each beside those before it that are well: a driver may fail only beside another. */
void ask_try_drivers(double seconds, FILE *f)
{
	struct clopt_skipped_driver driver[DRIVERS];
	size_t i, n = 0;

	for (i = 0; i < DRIVERS; i++)
		driver[i].size = sizeof *driver;
	if (clopt_driver_list(driver, DRIVERS, &n) != CLOPT_OK)
		tool_fail(NULL, "drivers");
	n = n < DRIVERS ? n : DRIVERS;
	for (i = 0; i < n; i++)
		strcpy(driver[i].reason, "not tried");
	signal(SIGCHLD, SIG_DFL); /* not as the parent had it */
	for (i = 0; i < n; i++) {
		driver[i].reason[0] = '\0';
		if (f)
			fprintf(f, "driver %s: ", driver[i].name);
		fflush(NULL);
		if (try(driver, n, seconds, driver[i].reason, sizeof driver[i].reason)) {
			tool_tell("drivers cannot be tried: the folder %s or a process cannot be "
			          "made",
			          folder);
			return;
		}
		if (f)
			fprintf(f, "%s\n%s", *driver[i].reason ? driver[i].reason : "no fault",
			        i + 1 == n ? "\n" : "");
	}
	if (clopt_driver_skip(driver, n) != CLOPT_OK)
		tool_fail(NULL, "drivers");
}

static size_t fewer(size_t n)
{
	return n < ASK_MOST ? n : ASK_MOST;
}

struct ask_drivers *ask_drivers(void)
{
	struct ask_drivers *d = calloc(1, sizeof *d);
	size_t i;

	for (i = 0; d && i < ASK_MOST; i++) {
		d->device[i].size = sizeof d->device[i];
		d->skipped[i].size = sizeof d->skipped[i];
	}
	if (!d || clopt_device_list(d->device, ASK_MOST, &d->devices) != CLOPT_OK ||
	    clopt_skipped_list(d->skipped, ASK_MOST, &d->skips) != CLOPT_OK) {
		tool_fail(NULL, "devices");
		free(d);
		return NULL;
	}
	d->devices = fewer(d->devices);
	d->skips = fewer(d->skips);
	return d;
}

json_t *ask_skipped(const struct ask_drivers *d)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < d->skips; i++)
		json_array_append_new(all,
		                      json_pack("{s:o, s:o, s:o}", "name",
		                                tool_json_text(d->skipped[i].name), "library",
		                                tool_json_text(d->skipped[i].library), "reason",
		                                tool_json_text(d->skipped[i].reason)));
	return all;
}
