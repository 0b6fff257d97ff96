/* SPDX-License-Identifier: MIT */
/*
 * probe.c - the first enumeration of OpenCL platforms in a process, without sick drivers.
 *
 * The OpenCL loader loads all drivers into the process, so a driver that crashes takes the process
 * along.  If the caller asks for it, a child process does the enumeration first.  If the child
 * comes back, all drivers are well.  If not, drivers are added one by one, each in a new child with
 * the drivers found well before.  This also finds a driver that only fails beside another, and a
 * driver is left out only after two failures.  The verdict stays in the user's cache, so later
 * processes leave sick drivers out without a child.
 */
#include "probe.h"

#if CAN_PROBE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

#define KIND "drivers" /* kind of the entries in the user's cache */

/* State of the process: the OpenCL loader looks for drivers once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int asked; /* the loader has loaded its drivers */
static struct clopt_skipped_driver skipped[MOST_DRIVERS];
static size_t skips;
static struct view seen; /* what the loader saw, if drivers were hidden */

static int see(const struct drivers *d, unsigned well)
{
	clopt__view_close(&seen);
	return clopt__view_open(&seen, d, well);
}

static void enumerate(char *doing)
{
	cl_platform_id platforms[32];
	cl_device_id devices[64];
	struct device device; /* read as in opening a context */
	struct clopt_device_info about;
	cl_uint i, j, n = 0, m;

	strcpy(doing, "its loading, or clGetPlatformIDs");
	if (clGetPlatformIDs(32, platforms, &n) != CL_SUCCESS)
		return;
	for (i = 0; i < n && i < 32; i++) {
		strcpy(doing, "clGetPlatformInfo");
		clopt__platform_read(platforms[i], &about);
		snprintf(doing, CHILD_TEXT, "clGetDeviceIDs of %s", about.platform);
		m = 0;
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 64, devices, &m) != CL_SUCCESS)
			continue;
		snprintf(doing, CHILD_TEXT, "clGetDeviceInfo of %s", about.platform);
		for (j = 0; j < m && j < 64; j++)
			clopt__device_read(devices[j], 0, &device);
	}
}

static void enumerate_in(void *view, char *doing)
{
	if (view)
		clopt__view_enter(view);
	enumerate(doing);
}

static struct clopt_skipped_driver *skip(const struct driver *d)
{
	struct clopt_skipped_driver *s = &skipped[skips++];

	s->size = sizeof *s;
	snprintf(s->name, sizeof s->name, "%s", *d->file ? d->file : d->library);
	snprintf(s->library, sizeof s->library, "%s", d->library);
	return s;
}

static void skip_for(const struct driver *d, const struct child *c, double seconds)
{
	struct clopt_skipped_driver *s = skip(d);
	char how[64];

	if (c->end == CHILD_HUNG)
		snprintf(how, sizeof how, "did not answer within %g s", seconds);
	else if (c->signal)
		snprintf(how, sizeof how, "crashed (signal %d)", c->signal);
	else
		snprintf(how, sizeof how, "ended the process");
	snprintf(s->reason, sizeof s->reason, "%s in %s", how, c->doing);
}

/* Whether this process has a single thread.  Otherwise a child may wait for ever for a lock of
 * another thread: its silence says nothing about a driver. */
static int alone(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while (tasks && (e = readdir(tasks)))
		n += e->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return n == 1;
}

/* Find the drivers that are well together, in their order.  -1: unknown. */
static int eliminate(const struct drivers *d, double seconds, unsigned *well)
{
	struct view v;
	struct child c;
	unsigned i;

	*well = 0;
	for (i = 0; i < d->count; i++) {
		if (clopt__view_open(&v, d, *well | 1u << i))
			return -1;
		clopt__child(enumerate_in, &v, seconds, &c);
		clopt__view_close(&v);
		if (c.end == CHILD_NONE)
			return -1;
		if (c.end == CHILD_DONE || (c.end == CHILD_HUNG && !alone()))
			*well |= 1u << i;
		else
			skip_for(&d->list[i], &c, seconds);
	}
	return 0;
}

/* Try the drivers.  *told: each driver is known to be well or sick.  CLOPT_EDEVICE: a driver
 * crashes, and hiding it failed. */
static int try(const struct drivers *d, double seconds, int *told)
{
	struct child c;
	unsigned well;
	int known;

	skips = 0;
	clopt__child(enumerate_in, seen.environment ? &seen : NULL, seconds, &c);
	*told = c.end == CHILD_DONE;
	if (*told || c.end == CHILD_NONE || (c.end == CHILD_HUNG && !alone()))
		return CLOPT_OK;
	known = !eliminate(d, seconds, &well);
	*told = known && skips;
	if (known && (!skips || !see(d, well)))
		return CLOPT_OK;
	return clopt__fail(
	        NULL, CLOPT_EDEVICE,
	        "an OpenCL driver %s in %s, and leaving it out takes a folder that can "
	        "be written (TMPDIR) and a process more; CLOPT_PROBE=0 does not try them",
	        c.end == CHILD_HUNG ? "hangs" : "crashes", c.doing);
}

/* Hide sick drivers while the loader looks for drivers. */
static cl_int ask(cl_platform_id *list, cl_uint most, cl_uint *count)
{
	cl_int code;

	if (!seen.environment)
		return clGetPlatformIDs(most, list, count);
	clopt__view_enter(&seen);
	code = clGetPlatformIDs(most, list, count);
	clopt__view_leave(&seen);
	clopt__view_remove(&seen);
	return code;
}

/* A verdict has a line "LIBRARY: reason" for each sick driver, if any.  It holds until its key
 * changes: by another driver or a boot. */
static void remember(const struct store *store, const char *key)
{
	const size_t room = MOST_DRIVERS * sizeof(struct clopt_skipped_driver);
	char *text = calloc(1, room);
	struct text t = { text, room };
	size_t i;

	for (i = 0; text && i < skips; i++)
		clopt__say(&t, "%s: %s\n", skipped[i].library, skipped[i].reason);
	if (text)
		clopt__store_put(store, KIND, key, text, strlen(text));
	free(text);
}

/* Leave out the drivers that a kept verdict names.  CLOPT_EDEVICE: hiding them failed. */
static int recall(const struct drivers *d, const char *verdict)
{
	unsigned i, well = 0;

	skips = 0;
	for (i = 0; i < d->count; i++) {
		const size_t n = strlen(d->list[i].library);
		const char *line = verdict;

		while (line && (strncmp(line, d->list[i].library, n) || line[n] != ':')) {
			line = strchr(line, '\n');
			line = line ? line + 1 : NULL;
		}
		if (line)
			snprintf(skip(&d->list[i])->reason, sizeof skipped->reason, "%.*s",
			         (int)strcspn(line + n + 2, "\n"), line + n + 2);
		else
			well |= 1u << i;
	}
	if (!skips || !see(d, well))
		return CLOPT_OK;
	return clopt__fail(NULL, CLOPT_EDEVICE,
	                   "the OpenCL driver %s %s when it was tried, and leaving it out takes a "
	                   "folder that can be written (TMPDIR); CLOPT_CACHE_DIR=0 forgets that",
	                   skipped[0].name, skipped[0].reason);
}

/* Use a kept verdict.  If the caller asks for it, try the drivers unless all are known to be
 * well. */
static int look_at(const struct device_settings *s, const struct drivers *d)
{
	struct store store = { NULL, 0 };
	char key[4096];
	void *data = NULL;
	size_t size = 0;
	int keyed, told, rc = CLOPT_OK;

	TRY(clopt__store_of(s->options, &store));
	keyed = clopt__loader_key(d, key, sizeof key);
	if (keyed && clopt__store_get(&store, KIND, key, &data, &size) &&
	    (size == 0 || s->probe_seconds <= 0)) {
		rc = recall(d, data);
		goto out;
	}
	if (s->probe_seconds <= 0)
		goto out;
	TRY(try(d, s->probe_seconds, &told));
	if (keyed && told)
		remember(&store, key);
out:
	free(data);
	clopt__store_close(&store);
	return rc;
}

/* Khronos' loader waits for itself for ever where a file names no library. */
static void hide_empty(const struct drivers *d)
{
	size_t i;

	for (i = 0; i < d->count && !seen.environment; i++)
		if (!*d->list[i].library)
			see(d, ~0u); /* or not hidden */
}

static int is_skipped(const struct driver *d)
{
	size_t i;

	for (i = 0; i < skips && (strcmp(skipped[i].library, d->library) != 0 || !*d->library); i++)
		;
	return i < skips;
}

/* Those that the loader has left out. */
static void note_refused(const struct drivers *d)
{
	char why[sizeof skipped->reason];
	size_t i;

	for (i = 0; i < d->count; i++)
		if (!is_skipped(&d->list[i]) && clopt__loader_refuses(&d->list[i], why, sizeof why))
			strcpy(skip(&d->list[i])->reason, why);
}

int clopt__platforms(const struct device_settings *s, cl_platform_id *list, cl_uint most,
                     cl_uint *count, cl_int *code)
{
	struct drivers *d = NULL; /* too large for the stacks of some threads */
	int rc = CLOPT_OK;

	pthread_mutex_lock(&lock);
	if (!asked) {
		if (!(d = malloc(sizeof *d)))
			TRY(clopt__fail(NULL, CLOPT_ENOMEM, "no memory to look at drivers"));
		clopt__loader_drivers(d);
		hide_empty(d);
		if (d->count && !clopt__loader_used(d))
			TRY(look_at(s, d));
	}
	*code = asked ? clGetPlatformIDs(most, list, count) : ask(list, most, count);
	if (!asked)
		note_refused(d);
	asked = 1;
out:
	if (rc != CLOPT_OK)
		clopt__view_close(&seen);
	pthread_mutex_unlock(&lock);
	free(d);
	return rc;
}

size_t clopt__probe_skipped(struct clopt_skipped_driver *list)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = skips;
	memcpy(list, skipped, n * sizeof *list);
	pthread_mutex_unlock(&lock);
	return n;
}
#endif
