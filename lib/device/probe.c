/* SPDX-License-Identifier: MIT */
/*
 * probe.c - the first enumeration of OpenCL's platforms in a process, in a child of it.
 *
 * All drivers are loaded into the process that asks for platforms, so one that crashes
 * takes it along.  A child does first what the process is going to do.  If it comes
 * back, all is well, and that is all.  If not, drivers are added one by one, each in a
 * child of its own with those that were well before it: so the culprit is known, also
 * one that is only at odds with another, and nothing is held against a driver that did
 * not fail twice.  The process itself then sees only those that are well.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

#define KIND "drivers" /* of what is kept in the user's cache */

/* What holds for the process: OpenCL's loader looks for drivers once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int asked; /* the loader has its drivers */
static struct clopt_skipped skipped[MOST_DRIVERS];
static size_t skips;
static struct view seen; /* by the loader, if that was not all */

static void begin(int out, const char *what, const char *name)
{
	char line[200];
	int n = snprintf(line, sizeof line, "%s%s%.100s\n", what, name ? " of " : "",
	                 name ? name : "");

	/* If nobody reads it nobody misses it. */
	if (n > 0 && write(out, line, (size_t)n) < 0)
		return;
}

static void enumerate(int out)
{
	cl_platform_id platforms[32];
	cl_device_id devices[64];
	struct device device; /* read as opening a context does */
	cl_uint i, j, n = 0, m;
	char name[128];

	begin(out, "its loading, or clGetPlatformIDs", NULL);
	if (clGetPlatformIDs(32, platforms, &n) != CL_SUCCESS)
		return;
	for (i = 0; i < n && i < 32; i++) {
		name[0] = '\0';
		begin(out, "clGetPlatformInfo", NULL);
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
		name[sizeof name - 1] = '\0';
		name[strcspn(name, "\n")] = '\0';
		begin(out, "clGetDeviceIDs", name);
		m = 0;
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 64, devices, &m) != CL_SUCCESS)
			continue;
		begin(out, "clGetDeviceInfo", name);
		for (j = 0; j < m && j < 64; j++)
			if (clopt__device_usable(devices[j]))
				clopt__device_read(devices[j], 0, &device);
	}
}

static void enumerate_in(void *view, int out)
{
	if (view)
		clopt__view_enter(view);
	enumerate(out);
}

static void skip(const struct driver *d, const struct child *c, double seconds)
{
	struct clopt_skipped *s = &skipped[skips++];
	char how[64];

	s->size = sizeof *s;
	snprintf(s->name, sizeof s->name, "%s", *d->file ? d->file : d->library);
	snprintf(s->library, sizeof s->library, "%s", d->library);
	if (c->end == CHILD_HUNG)
		snprintf(how, sizeof how, "did not answer within %g s", seconds);
	else if (c->signal)
		snprintf(how, sizeof how, "crashed (signal %d)", c->signal);
	else
		snprintf(how, sizeof how, "ended the process");
	snprintf(s->reason, sizeof s->reason, "%s in %s", how, c->doing);
}

/* Whether this process has no second thread.  If it has, a child may wait for a lock
 * that such a thread held, for ever: its silence says nothing about a driver. */
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

/* Which drivers are well together, in their order.  -1: there is no telling. */
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
			skip(&d->list[i], &c, seconds);
	}
	return 0;
}

/* Try them.  *sound: all are well, at once.  CLOPT_EDEVICE: some crash, and there is
 * no way round them. */
static int try(const struct drivers *d, double seconds, int *sound)
{
	struct child c;
	unsigned well;

	skips = 0;
	clopt__child(enumerate_in, NULL, seconds, &c);
	*sound = c.end == CHILD_DONE;
	if (*sound || c.end == CHILD_NONE || (c.end == CHILD_HUNG && !alone()))
		return CLOPT_OK;
	if (!eliminate(d, seconds, &well) && (!skips || !clopt__view_open(&seen, d, well)))
		return CLOPT_OK;
	return clopt__fail(
	        NULL, CLOPT_EDEVICE,
	        "an OpenCL driver %s in %s, and leaving it out takes a folder that can "
	        "be written (TMPDIR) and a process more; CLOPT_PROBE=0 does not try them",
	        c.end == CHILD_HUNG ? "hangs" : "crashes", c.doing);
}

/* Drivers that are broken are out of the loader's sight while it looks for them. */
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

/* Those that were well once are so until something about them changes. */
static int try_new(const struct device_settings *s, const struct drivers *d)
{
	struct store store = { NULL, 0 };
	char key[4096];
	void *data;
	size_t size;
	int keyed, sound, rc = CLOPT_OK;

	TRY(clopt__store_of(s->options, &store));
	keyed = clopt__icd_key(d, key, sizeof key);
	if (keyed && clopt__store_get(&store, KIND, key, &data, &size)) {
		free(data);
		goto out;
	}
	TRY(try(d, s->probe_seconds, &sound));
	if (keyed && sound)
		clopt__store_put(&store, KIND, key, "well", 4);
out:
	clopt__store_close(&store);
	return rc;
}

int clopt__platforms(const struct device_settings *s, cl_platform_id *list, cl_uint most,
                     cl_uint *count, cl_int *code)
{
	struct drivers d;
	int rc = CLOPT_OK;

	pthread_mutex_lock(&lock);
	if (!asked && s->probe_seconds > 0) {
		clopt__icd_find(&d);
		if (d.count && !clopt__icd_loaded(&d))
			TRY(try_new(s, &d));
	}
	*code = asked ? clGetPlatformIDs(most, list, count) : ask(list, most, count);
	asked = 1;
out:
	pthread_mutex_unlock(&lock);
	return rc;
}

size_t clopt__probe_skipped(struct clopt_skipped *list)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = skips;
	memcpy(list, skipped, n * sizeof *list);
	pthread_mutex_unlock(&lock);
	return n;
}
