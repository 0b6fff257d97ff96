/* SPDX-License-Identifier: MIT */
/*
 * context.c - opening and closing.
 *
 * The only file that reads the environment, once, at open.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_cl.h"
#include "devices.h"
#include "quirks.h"
#include "stream.h"
#include "tune.h"

/* A whole number with K, M or G behind it (powers of 1024). */
static int read_bytes(const char *text, size_t *bytes)
{
	char *end;
	unsigned long long n;
	unsigned shift = 0;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	switch (*end) {
	case 'K':
	case 'k':
		shift = 10;
		break;
	case 'M':
	case 'm':
		shift = 20;
		break;
	case 'G':
	case 'g':
		shift = 30;
		break;
	}
	if (errno || end[shift != 0] || n > SIZE_MAX >> shift)
		return 0;
	*bytes = (size_t)n << shift;
	return 1;
}

static int bad_value(const char *name, const char *value, const char *meaning)
{
	return clopt__fail(NULL, CLOPT_EINVAL, "%s=\"%s\" means nothing: it is %s", name, value,
	                   meaning);
}

static const char *const transfers[] = { "auto", "driver", "staged" };
#define TRANSFERS ((int)(sizeof transfers / sizeof *transfers))
static const char *const checks[] = { "default", "off", "first", "always" };
#define CHECKS ((int)(sizeof checks / sizeof *checks))

#define MOST_SLICE 1000000 /* milliseconds */
#define FIRST_CHOICE 0.2 /* seconds */

static int read_check(int *check)
{
	const char *text = getenv("CLOPT_CHECK");

	if (*check < 0 || *check >= CHECKS)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.check is %d: there are 0 to %d", *check,
		                   CHECKS - 1);
	if (*check == CLOPT_CHECK_DEFAULT && text && *text) {
		while (++*check < CHECKS && strcmp(text, checks[*check]))
			;
		if (*check == CHECKS)
			return bad_value("CLOPT_CHECK", text, "off, first or always");
	}
	if (*check == CLOPT_CHECK_DEFAULT)
		*check = CLOPT_CHECK_FIRST;
	return CLOPT_OK;
}

/* Options over environment over defaults, into *o; and where its list of
 * variants comes from, for a failure's text. */
static int settings(const struct clopt_options *given, struct clopt_options *o,
                    const char **variants_from)
{
	const struct clopt_options none = CLOPT_OPTIONS_INIT;
	const char *text;
	size_t n;
	int rc = CLOPT_OK;

	*o = none;
	*variants_from = "clopt_options.variants";
	if (given) {
		TRY(clopt__check_options(NULL, "clopt_options", given->size, sizeof *given));
		memcpy(o, given, given->size);
	}
	if (!o->queues && (text = getenv("CLOPT_QUEUES")) && *text) {
		if (!read_bytes(text, &n) || n < 1 || n > MAX_QUEUES)
			return bad_value("CLOPT_QUEUES", text, "a number from 1 to 8");
		o->queues = (unsigned)n;
	}
	if (o->queues > MAX_QUEUES)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_options.queues is %u; at most %d",
		                   o->queues, MAX_QUEUES);
	if (!o->mem_limit_bytes && (text = getenv("CLOPT_MEM_LIMIT")) && *text &&
	    !read_bytes(text, &o->mem_limit_bytes))
		return bad_value("CLOPT_MEM_LIMIT", text, "a number of bytes such as 64M");
	if (!o->verbose && (text = getenv("CLOPT_VERBOSE")) && *text) {
		if (!read_bytes(text, &n) || n > 1)
			return bad_value("CLOPT_VERBOSE", text, "0 or 1");
		o->verbose = n != 0;
	}
	if (!o->transfer && (text = getenv("CLOPT_TRANSFER")) && *text) {
		while (o->transfer < TRANSFERS && strcmp(text, transfers[o->transfer]))
			o->transfer++;
		if (o->transfer == TRANSFERS)
			return bad_value("CLOPT_TRANSFER", text, "auto, driver or staged");
	}
	if (o->transfer < 0 || o->transfer >= TRANSFERS)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.transfer is %d: there are 0 to %d", o->transfer,
		                   TRANSFERS - 1);
	if (o->chunk_bytes > MOST_CHUNK)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.chunk_bytes is %zu; at most %zu", o->chunk_bytes,
		                   MOST_CHUNK);
	if (o->copy_threads > STAGING_THREADS)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.copy_threads is %u; at most %d", o->copy_threads,
		                   STAGING_THREADS);
	if (!o->variants && (text = getenv("CLOPT_VARIANT")) && *text) {
		o->variants = text;
		*variants_from = "CLOPT_VARIANT";
	}
	if (o->slice_seconds == 0 && (text = getenv("CLOPT_SLICE")) && *text) {
		if (!read_bytes(text, &n) || n > MOST_SLICE)
			return bad_value("CLOPT_SLICE", text,
			                 "a number of milliseconds, up to 1000000");
		o->slice_seconds = (double)n / 1000;
	}
	if (!(o->slice_seconds >= 0 && o->slice_seconds <= MOST_SLICE / 1000))
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.slice_seconds is %g, it has to be from 0 to %d",
		                   o->slice_seconds, MOST_SLICE / 1000);
	if (o->tune_seconds == 0) {
		o->tune_seconds = FIRST_CHOICE;
		if ((text = getenv("CLOPT_TUNE")) && *text) {
			if (!read_bytes(text, &n) || n > MOST_SLICE)
				return bad_value("CLOPT_TUNE", text,
				                 "a number of milliseconds, up to 1000000");
			o->tune_seconds = (double)n / 1000;
		}
	}
	if (!(o->tune_seconds <= MOST_SLICE / 1000))
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.tune_seconds is %g, it has to be up to %d",
		                   o->tune_seconds, MOST_SLICE / 1000);
	if (!o->tuning && (text = getenv("CLOPT_TUNING")) && *text)
		o->tuning = text;
	TRY(read_check(&o->check));
out:
	return rc;
}

#define CACHE_BYTES ((size_t)256 << 20)

/* A path below the user's folder of some kind, as the XDG Base Directory Specification
 * has it: one that is not absolute counts for nothing.  Empty: there is none. */
static void user_path(const char *variable, const char *in_home, const char *below, char *path,
                      size_t size)
{
	const char *xdg = getenv(variable), *home = getenv("HOME");
	int n = 0;

	path[0] = '\0';
	if (xdg && *xdg == '/')
		n = snprintf(path, size, "%s/%s", xdg, below);
	else if (home && *home == '/')
		n = snprintf(path, size, "%s/%s/%s", home, in_home, below);
	if (n < 0 || (size_t)n >= size)
		path[0] = '\0';
}

static int open_store(const struct clopt_options *o, struct store *store)
{
	const char *folder = o->cache_dir;
	char text[4096];

	if (!folder && ((folder = getenv("CLOPT_CACHE_DIR")) == NULL || !*folder)) {
		user_path("XDG_CACHE_HOME", ".cache", "libclopt", text, sizeof text);
		folder = text;
	}
	if (folder && !strcmp(folder, "0"))
		folder = NULL;
	if (clopt__store_open(store, folder, o->cache_bytes ? o->cache_bytes : CACHE_BYTES))
		return clopt__fail(NULL, CLOPT_ENOMEM, "no memory for the name of the cache");
	return CLOPT_OK;
}

int clopt__store_of(const struct clopt_options *options, struct store *store)
{
	struct clopt_options o;
	const char *variants_from;
	int rc = CLOPT_OK;

	TRY(settings(options, &o, &variants_from));
	TRY(open_store(&o, store));
out:
	return rc;
}

/* A GPU takes up to 3 s to wake (https://docs.nvidia.com/deploy/driver-persistence/overview.html)
 * and a machine may have eight.  To leave out a good driver would be worse than to wait
 * for a bad one. */
#define PROBE_SECONDS 30
#define MOST_PROBE_SECONDS 3600

int clopt__device_settings(const struct clopt_options *o, struct device_settings *s)
{
	const char *text, *from = "clopt_options.quirks", *quirks = o ? o->quirks : NULL;
	size_t n = PROBE_SECONDS;

	s->options = o;
	s->probe_seconds = o ? o->probe_seconds : 0;
	if (s->probe_seconds == 0) {
		if ((text = getenv("CLOPT_PROBE")) && *text &&
		    (!read_bytes(text, &n) || n > MOST_PROBE_SECONDS))
			return bad_value("CLOPT_PROBE", text, "a number of seconds, up to 3600");
		s->probe_seconds = (double)n;
	}
	if (!(s->probe_seconds <= MOST_PROBE_SECONDS))
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.probe_seconds is %g; at most %d",
		                   s->probe_seconds, MOST_PROBE_SECONDS);
	if (!quirks) {
		quirks = getenv("CLOPT_QUIRKS");
		from = "CLOPT_QUIRKS";
	}
	return clopt__quirks_read(from, quirks, &s->lifted);
}

/* A queue for each engine that can work at a time: two directions of copies and
 * kernels.  Where memory is shared there are kernels and the host's copies. */
static unsigned default_queues(const struct clopt *c)
{
	if (c->device.traits & T_UNIFIED)
		return 2;
	return c->device.info.copy_engines == 1 ? 2 : 3;
}

/* The rest of opening, once the OpenCL context and device are in c. */
static int furnish(struct clopt *c, const struct clopt_options *o, const char *variants_from)
{
	cl_command_queue_properties properties = o->profile ? CL_QUEUE_PROFILING_ENABLE : 0;
	char path[1024];
	cl_int code;
	unsigned i;
	int rc = CLOPT_OK;

	c->profile = o->profile;
	c->verbose = o->verbose;
	c->mem_limit_bytes = o->mem_limit_bytes;
	c->transfer = o->transfer;
	c->copy_threads = o->copy_threads;
	c->chunk_bytes = o->chunk_bytes;
	c->slice_seconds = o->slice_seconds;
	c->tune_seconds = o->tune_seconds > 0 ? o->tune_seconds : 0;
	user_path("XDG_CONFIG_HOME", ".config", "libclopt/tuning.txt", path, sizeof path);
	TRY(clopt__records_open(c, o->tuning ? o->tuning : path));
	c->check = o->check;
	for (i = 0; i < (o->queues ? o->queues : default_queues(c)); i++) {
		c->queue[i] = clCreateCommandQueue(c->context, c->device.id, properties, &code);
		if (code != CL_SUCCESS)
			c->queue[i] = NULL; /* some drivers leave a value there */
		TRY_CODE(NULL, code, "clCreateCommandQueue");
		c->queues = i + 1;
	}
	if (c->transfer == CLOPT_TRANSFER_STAGED && (rc = clopt__staging_default(c)) != CLOPT_OK) {
		/* Its text is on a context that nobody gets to see. */
		clopt__fail(NULL, rc, "no memory or threads to stage transfers with");
		goto out;
	}
	TRY(clopt__force(c, NULL, variants_from, o->variants, c->forced));
	TRY(open_store(o, &c->store));
out:
	return rc;
}

static struct clopt *blank(void)
{
	struct clopt *c = calloc(1, sizeof *c);
	int locks = 0;

	/* As many as there were to be had, the last of them in the log. */
	if (c && !pthread_mutex_init(&c->lock, NULL))
		locks++;
	if (locks == 1 && !pthread_mutex_init(&c->starting, NULL))
		locks++;
	if (locks == 2 && !clopt__log_open(&c->log)) {
		c->report.size = sizeof c->report;
		return c;
	}
	if (locks == 2)
		pthread_mutex_destroy(&c->starting);
	if (locks >= 1)
		pthread_mutex_destroy(&c->lock);
	free(c);
	clopt__fail(NULL, CLOPT_ENOMEM, "no memory for a context");
	return NULL;
}

int clopt_open(struct clopt **ctx, const struct clopt_options *options)
{
	struct clopt_options o;
	struct device_settings devices;
	struct clopt *c = NULL;
	const char *spec, *variants_from, *source = "clopt_options.device";
	cl_int code;
	int rc = CLOPT_OK;

	if (!ctx)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_open: ctx is NULL");
	*ctx = NULL;
	TRY(settings(options, &o, &variants_from));
	TRY(clopt__device_settings(&o, &devices));
	if (!(c = blank()))
		return CLOPT_ENOMEM;
	spec = o.device;
	if (!spec) {
		spec = getenv("CLOPT_DEVICE");
		source = "CLOPT_DEVICE";
	}
	TRY(clopt__device_pick(spec, source, &devices, o.verbose, &c->device));
	c->context = clCreateContext(NULL, 1, &c->device.id, NULL, NULL, &code);
	if (code != CL_SUCCESS)
		c->context = NULL;
	TRY_CODE(NULL, code, "clCreateContext");
	TRY(furnish(c, &o, variants_from));
	clopt__forget(c);
	*ctx = c;
out:
	if (rc != CLOPT_OK)
		clopt_close(c);
	return rc;
}

/* Whether device is one of context's. */
static int belongs(cl_context context, cl_device_id device, int *yes)
{
	cl_device_id *ids = NULL;
	size_t size = 0, i;
	int rc = CLOPT_OK;

	*yes = 0;
	TRY_CL(NULL, clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size));
	if (!(ids = malloc(size ? size : 1)))
		return clopt__fail(NULL, CLOPT_ENOMEM, "no memory to list a context's devices");
	TRY_CL(NULL, clGetContextInfo(context, CL_CONTEXT_DEVICES, size, ids, NULL));
	for (i = 0; i < size / sizeof *ids; i++)
		*yes |= ids[i] == device;
out:
	free(ids);
	return rc;
}

int clopt_open_cl(struct clopt **ctx, cl_context context, cl_device_id device,
                  const struct clopt_options *options)
{
	struct clopt_options o;
	struct device_settings devices;
	struct clopt *c = NULL;
	const char *variants_from;
	int yes, rc = CLOPT_OK;

	if (ctx)
		*ctx = NULL;
	if (!ctx || !context || !device)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_open_cl: %s is NULL",
		                   !ctx    ? "ctx" :
		                   context ? "device" :
		                             "context");
	TRY(settings(options, &o, &variants_from));
	TRY(clopt__device_settings(&o, &devices));
	if (!(c = blank()))
		return CLOPT_ENOMEM;
	TRY(belongs(context, device, &yes));
	if (!yes) {
		rc = clopt__fail(NULL, CLOPT_EINVAL,
		                 "clopt_open_cl: the device is not one of the context's");
		goto out;
	}
	TRY(clopt__device_read(device, devices.lifted, &c->device));
	if (!clopt__device_usable(device)) {
		rc = clopt__fail(NULL, CLOPT_EUNSUPPORTED, "%s has no OpenCL 1.2 with a compiler",
		                 c->device.info.name);
		goto out;
	}
	TRY_CL(NULL, clRetainContext(context));
	c->context = context;
	TRY_CL(NULL, clRetainDevice(device));
	c->adopted = 1;
	TRY(furnish(c, &o, variants_from));
	clopt__forget(c);
	*ctx = c;
out:
	if (rc != CLOPT_OK)
		clopt_close(c);
	return rc;
}

void clopt_close(struct clopt *ctx)
{
	unsigned i;

	if (!ctx)
		return;
	clopt__started_free(ctx);
	clopt__crew_free(ctx);
	clopt__kept_free(ctx, 1);
	clopt__forget(ctx);
	clopt__log_close(&ctx->log);
	clopt__watch_free(ctx);
	clopt__kernels_free(ctx);
	clopt__records_free(ctx);
	clopt__made_free(ctx);
	clopt__store_close(&ctx->store);
	clopt__staging_free(ctx);
	clopt__pinned_free(ctx);
	for (i = 0; i < ctx->queues; i++)
		clReleaseCommandQueue(ctx->queue[i]);
	if (ctx->adopted)
		clReleaseDevice(ctx->device.id);
	if (ctx->context)
		clReleaseContext(ctx->context);
	pthread_mutex_destroy(&ctx->starting);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

cl_context clopt_cl_context(const struct clopt *ctx)
{
	return ctx ? ctx->context : NULL;
}

cl_device_id clopt_cl_device(const struct clopt *ctx)
{
	return ctx ? ctx->device.id : NULL;
}
