/* SPDX-License-Identifier: MIT */
/*
 * list.c - lists the devices of all platforms, without the broken ones.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "drivers.h"

#define MOST_PLATFORMS 32

static int better(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	if (x->info.score != y->info.score)
		return x->info.score < y->info.score ? 1 : -1;
	return (x->found > y->found) - (x->found < y->found); /* qsort is not stable */
}

/* Note that a platform has no usable device. */
static void lacks(struct text *t, const char *platform, cl_int code, cl_uint found)
{
	if (found)
		clopt__say(t, "; %s has %u devices, none with both OpenCL 1.2 and a compiler",
		           platform, found);
	else
		clopt__say(t, "; %s has 0 devices (%s)", platform, clopt__cl_name(code));
}

/* Skipped devices beyond this number are not listed. */
#define MOST_SKIPPED (MOST_DRIVERS + 2 * MOST_PLATFORMS)
#define QUIRK_REASON "quirk %s: %s"

static void skip(struct devices *f, const char *name, const char *format, ...)
{
	va_list args;

	struct clopt_skipped_driver *s = &f->skipped[f->skips];

	if (f->skips == MOST_SKIPPED)
		return;
	f->skips++;
	memset(s, 0, sizeof *s);
	s->size = sizeof *s;
	snprintf(s->name, sizeof s->name, "%s", name);
	va_start(args, format);
	vsnprintf(s->reason, sizeof s->reason, format, args);
	va_end(args);
}

/* Append a usable device.  A device that cannot be read must not hide the others. */
static void append_one(cl_device_id id, const char *platform, unsigned lifted, struct devices *f)
{
	struct device *d = &f->list[f->count];
	const int rc = clopt__device_read(id, lifted, d);
	const struct quirk *q;

	if (rc == CLOPT_EUNSUPPORTED)
		return;
	if (rc != CLOPT_OK)
		skip(f, *d->info.name ? d->info.name : platform, "%s", clopt_error(NULL));
	else if ((q = clopt__quirk_skips(&d->info, SKIPS_DEVICE, lifted)))
		skip(f, d->info.name, QUIRK_REASON, q->name, q->reason);
	else
		d->found = f->count++;
}

/* Append the usable devices of a platform; a platform may have none. */
static int append(cl_platform_id platform, const char *name, unsigned lifted, struct devices *f,
                  struct text *lacking)
{
	cl_device_id ids[64];
	const size_t before = f->count + f->skips;
	cl_uint i, n = 0;
	cl_int code;
	struct device *longer;

	code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, ids, &n);
	n = code != CL_SUCCESS ? 0 : n < 64 ? n : 64;
	if (n) {
		longer = realloc(f->list, (f->count + n) * sizeof *f->list);
		if (!longer)
			return clopt__fail(NULL, CLOPT_ENOMEM, "no memory to list %u devices", n);
		f->list = longer;
	}
	for (i = 0; i < n; i++)
		append_one(ids[i], name, lifted, f);
	if (f->count + f->skips == before)
		lacks(lacking, name, code, n);
	return CLOPT_OK;
}

void clopt__skipped_text(const struct devices *f, struct text *t)
{
	size_t i;

	for (i = 0; i < f->skips; i++)
		clopt__say(t, "; %s is left out: %s", f->skipped[i].name, f->skipped[i].reason);
}

static int none(const struct devices *f, cl_int code, cl_uint platforms, const char *lacking)
{
	char out[2048] = "";
	struct text t = { out, sizeof out };

	clopt__skipped_text(f, &t);
	if (platforms == 0)
		return clopt__fail(NULL, CLOPT_ENODEVICE,
		                   "no OpenCL platform (%s)%s: install the vendor's OpenCL driver, "
		                   "or the package pocl-opencl-icd to run on the CPU",
		                   clopt__cl_name(code), out);
	return clopt__fail(NULL, CLOPT_ENODEVICE,
	                   "no usable OpenCL device%s%s. A driver may also hide its devices: "
	                   "PoCL where it cannot write its cache (HOME, POCL_CACHE_DIR) or by "
	                   "POCL_DEVICES, NVIDIA by CUDA_VISIBLE_DEVICES",
	                   lacking, out);
}

static int find(unsigned lifted, struct devices *f)
{
	cl_platform_id platforms[MOST_PLATFORMS];
	struct clopt_device_info about;
	char lacking[512] = "";
	struct text t = { lacking, sizeof lacking };
	const struct quirk *q;
	cl_uint i, n = 0;
	cl_int code;
	int rc = CLOPT_OK;

	memset(f, 0, sizeof *f);
	f->skipped = calloc(MOST_SKIPPED, sizeof *f->skipped);
	if (!f->skipped)
		return clopt__fail(NULL, CLOPT_ENOMEM, "no memory to list devices");
	TRY(clopt__platforms(platforms, MOST_PLATFORMS, &n, &code));
	f->skips = clopt__drivers_skipped(f->skipped);
	n = code != CL_SUCCESS ? 0 : n < MOST_PLATFORMS ? n : MOST_PLATFORMS;
	for (i = 0; i < n; i++) {
		if (clopt__platform_read(platforms[i], &about) != CLOPT_OK)
			skip(f, *about.platform ? about.platform : "a platform", "%s",
			     clopt_error(NULL));
		else if ((q = clopt__quirk_skips(&about, SKIPS_PLATFORM, lifted)))
			skip(f, about.platform, QUIRK_REASON, q->name, q->reason);
		else
			TRY(append(platforms[i], about.platform, lifted, f, &t));
	}
	if (f->count)
		qsort(f->list, f->count, sizeof *f->list, better);
	else
		rc = none(f, code, n, lacking);
out:
	return rc;
}

int clopt__devices(unsigned lifted, struct devices *f)
{
	/* PoCL 3.1 crashes or finds no devices if two threads enumerate at once for the first
	 * time. */
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	int rc;

	clopt__caller_hold();
	clopt__caller_drives();
	pthread_mutex_lock(&one_at_a_time);
	rc = find(lifted, f);
	pthread_mutex_unlock(&one_at_a_time);
	clopt__caller_back();
	return rc;
}

void clopt__devices_free(struct devices *f)
{
	free(f->list);
	free(f->skipped);
	memset(f, 0, sizeof *f);
}

/* ---- The public lists ---------------------------------------------------------- */

/* The caller's structs may be of an older header, and shorter. */
int clopt_device_list(struct clopt_device_info *list, size_t max, size_t *count)
{
	struct devices f = { NULL, 0, NULL, 0 };
	unsigned lifted;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__list_begin(__func__, "clopt_device_info", list, max, count));
	TRY(clopt__lifted(NULL, &lifted));
	TRY(clopt__devices(lifted, &f));
	for (i = 0; i < f.count && i < max; i++)
		clopt__sized_entry(list, i, &f.list[i].info, sizeof *list);
	*count = f.count;
out:
	clopt__devices_free(&f);
	return rc;
}

int clopt_skipped_list(struct clopt_skipped_driver *list, size_t max, size_t *count)
{
	struct devices f = { NULL, 0, NULL, 0 };
	unsigned lifted;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__list_begin(__func__, "clopt_skipped_driver", list, max, count));
	TRY(clopt__lifted(NULL, &lifted));
	rc = clopt__devices(lifted, &f);
	if (rc != CLOPT_OK && rc != CLOPT_ENODEVICE)
		goto out;
	rc = CLOPT_OK;
	for (i = 0; i < f.skips && i < max; i++)
		clopt__sized_entry(list, i, &f.skipped[i], sizeof *list);
	*count = f.skips;
out:
	clopt__devices_free(&f);
	return rc;
}

int clopt_driver_list(struct clopt_skipped_driver *list, size_t max, size_t *count)
{
	struct clopt_skipped_driver s = { .size = sizeof s };
	struct drivers *d = NULL;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__list_begin(__func__, "clopt_skipped_driver", list, max, count));
	if (!(d = clopt__drivers_find()))
		TRY(CLOPT_ENOMEM);
	for (i = 0; i < d->count; i++) {
		if (!*d->list[i].library)
			continue;
		strcpy(s.library, d->list[i].library);
		strcpy(s.name, *d->list[i].file ? d->list[i].file : s.library);
		if (*count < max)
			clopt__sized_entry(list, *count, &s, sizeof s);
		++*count;
	}
out:
	free(d);
	return rc;
}

int clopt_driver_skip(const struct clopt_skipped_driver *list, size_t count)
{
	struct clopt_skipped_driver s = { .size = sizeof s };
	struct text t = { NULL, count * sizeof s + 1 };
	char *text = NULL;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__list_begin(__func__, "clopt_skipped_driver", list, count, &i));
	if (!(text = t.at = calloc(1, t.left)))
		TRY(clopt__fail(NULL, CLOPT_ENOMEM, "no memory for %zu drivers", count));
	for (i = 0; i < count; i++) {
		TRY(clopt__sized_read(NULL, "clopt_skipped_driver",
		                      (const char *)list + i * list->size, &s, sizeof s));
		if (*s.reason)
			clopt__say(&t, "%s: %.*s\n", s.library, (int)strcspn(s.reason, "\n"),
			           s.reason);
	}
	rc = clopt__drivers_record(text);
	text = NULL;
out:
	free(text);
	return rc;
}

int clopt_device_get(const struct clopt *ctx, struct clopt_device_info *info)
{
	int rc = CLOPT_OK;

	TRY(clopt__usable(ctx));
	if (!info)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "clopt_device_get: info is NULL"));
	TRY(clopt__sized_give(ctx, "clopt_device_info", info, &ctx->device.info, sizeof *info));
out:
	return rc;
}
