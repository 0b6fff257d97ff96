/* SPDX-License-Identifier: MIT */
/*
 * drivers.c - the first enumeration of OpenCL platforms in a process, without faulty drivers.
 *
 * The OpenCL loader loads all drivers into the process, so a driver that crashes takes the process
 * along.  `clopt info` tries each driver in a child process. clopt_driver_skip records the faulty
 * ones in the user's cache: a line "LIBRARY: reason" for each.  list.c skips platforms and devices
 * that load but compute wrongly, by the rows of quirks.c.
 */
#include "drivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

/* State of the process: the OpenCL loader looks for drivers once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct clopt_skipped_driver skipped[MOST_DRIVERS];
static size_t skips;

size_t clopt__drivers_skipped(struct clopt_skipped_driver *list)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = skips;
	memcpy(list, skipped, n * sizeof *list);
	pthread_mutex_unlock(&lock);
	return n;
}

#if CAN_HIDE
#define KIND "drivers" /* of the record in the user's cache */
#define KEY 4096

static int asked; /* the loader has loaded its drivers */
static char *record; /* of faulty drivers, read once per process; NULL: unknown */

static struct drivers *find(void)
{
	struct drivers *d = malloc(sizeof *d); /* too large for the stacks of some threads */

	if (d)
		clopt__loader_drivers(d);
	else
		clopt__fail(NULL, CLOPT_ENOMEM, "no memory to look at drivers");
	return d;
}

static void skip(const struct driver *d, const char *reason)
{
	struct clopt_skipped_driver *s = &skipped[skips++];

	s->size = sizeof *s;
	snprintf(s->name, sizeof s->name, "%s", *d->file ? d->file : d->library);
	snprintf(s->library, sizeof s->library, "%s", d->library);
	snprintf(s->reason, sizeof s->reason, "%.*s", (int)strcspn(reason, "\n"), reason);
}

struct drivers *clopt__drivers_find(void)
{
	struct drivers *d;

	pthread_mutex_lock(&lock);
	d = find();
	pthread_mutex_unlock(&lock);
	return d;
}

/* The reason on record for a driver, or NULL. */
static const char *recorded(const char *library)
{
	const size_t n = strlen(library);
	const char *line;

	for (line = record; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, library, n) && !strncmp(line + n, ": ", 2))
			return line + n + 2;
	return NULL;
}

/* Read the record.  It holds until its key changes, by another driver or a boot. */
static void read_record(const struct drivers *d)
{
	struct store store = { NULL, 0 };
	void *data = NULL;
	char key[KEY];
	size_t size;

	if (!clopt__user_store(&store) && clopt__loader_key(d, key, sizeof key) &&
	    clopt__store_get(&store, KIND, key, &data, &size))
		record = data;
	clopt__store_close(&store);
}

static int write_record(const struct drivers *d, const char *text)
{
	struct store store = { NULL, 0 };
	char key[KEY];
	int rc = CLOPT_OK;

	TRY(clopt__user_store(&store));
	if (!(clopt__loader_key(d, key, sizeof key) &&
	      clopt__store_put(&store, KIND, key, text, strlen(text))) &&
	    store.folder)
		rc = clopt__fail(NULL, CLOPT_EIO,
		                 "the record of faulty drivers cannot be written to %s",
		                 store.folder);
out:
	clopt__store_close(&store);
	return rc;
}

int clopt__drivers_record(char *text)
{
	struct drivers *d;
	int rc = CLOPT_ENOMEM;

	/* The lock keeps other threads from hiding drivers meanwhile. */
	pthread_mutex_lock(&lock);
	d = find();
	if (d)
		rc = write_record(d, text);
	free(record);
	record = text;
	pthread_mutex_unlock(&lock);
	free(d);
	return rc;
}

static int is_skipped(const struct driver *d)
{
	size_t i;

	for (i = 0; i < skips && (strcmp(skipped[i].library, d->library) != 0 || !*d->library); i++)
		;
	return i < skips;
}

static void note_refused(const struct drivers *d)
{
	char why[sizeof skipped->reason];
	size_t i;

	for (i = 0; i < d->count; i++)
		if (!is_skipped(&d->list[i]) && clopt__loader_refuses(&d->list[i], why, sizeof why))
			skip(&d->list[i], why);
}

/* List platforms without the recorded drivers.  A file that names no library is hidden too:
 * Khronos' loader would wait for itself forever. */
static int ask(const struct drivers *d, cl_platform_id *list, cl_uint most, cl_uint *count,
               cl_int *code)
{
	const char *reason;
	unsigned i, seen = 0;
	int hides = 0;

	skips = 0;
	for (i = 0; i < d->count; i++) {
		if ((reason = recorded(d->list[i].library)))
			skip(&d->list[i], reason);
		else if (*d->list[i].library)
			seen |= 1u << i;
		hides |= !(seen >> i & 1);
	}
	hides = hides && !clopt__loader_hide(d, seen);
	if (skips && !hides)
		return clopt__fail(NULL, CLOPT_EDEVICE,
		                   "the OpenCL driver %s %s when it was tried, and is left out: "
		                   "that needs a folder that can be written (set TMPDIR); "
		                   "CLOPT_CACHE_DIR=0 uses the driver all the same",
		                   skipped[0].name, skipped[0].reason);
	*code = clGetPlatformIDs(most, list, count);
	if (hides)
		clopt__loader_show();
	note_refused(d);
	asked = 1;
	return CLOPT_OK;
}

int clopt__platforms(cl_platform_id *list, cl_uint most, cl_uint *count, cl_int *code)
{
	struct drivers *d = NULL;
	int rc = CLOPT_OK;

	pthread_mutex_lock(&lock);
	if (asked) {
		*code = clGetPlatformIDs(most, list, count);
	} else if (!(d = find())) {
		rc = CLOPT_ENOMEM;
	} else {
		if (!record && !clopt__loader_used(d))
			read_record(d);
		rc = ask(d, list, most, count, code);
	}
	pthread_mutex_unlock(&lock);
	free(d);
	return rc;
}
#else
struct drivers *clopt__drivers_find(void)
{
	struct drivers *d = calloc(1, sizeof *d);

	if (!d)
		clopt__fail(NULL, CLOPT_ENOMEM, "no memory to look at drivers");
	return d;
}

int clopt__drivers_record(char *text)
{
	const int rc = *text ? CLOPT_EUNSUPPORTED : CLOPT_OK;

	free(text);
	return rc ? clopt__fail(NULL, rc, "this system cannot leave out drivers") : rc;
}

int clopt__platforms(cl_platform_id *list, cl_uint most, cl_uint *count, cl_int *code)
{
	*code = clGetPlatformIDs(most, list, count);
	return CLOPT_OK;
}
#endif
