/* SPDX-License-Identifier: MIT */
/*
 * options.c - the settings of a context: options, environment, defaults.
 *
 * Only this file reads the environment; loader.c alone reads variables of the OpenCL loaders.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

/* A whole number, with an optional K, M or G (powers of 1024). */
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

/* A path below a user's folder, by the XDG Base Directory Specification, which ignores relative
 * paths.  "": there is none. */
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

#define CACHE_BYTES ((size_t)256 << 20)

static void read_files(struct settings *s)
{
	struct clopt_options *o = &s->options;
	const char *text;

	if (!o->tuning && (text = getenv("CLOPT_TUNING")) && *text)
		o->tuning = text;
	if (!o->tuning) {
		user_path("XDG_CONFIG_HOME", ".config", "libclopt/tuning.txt", s->tuning,
		          sizeof s->tuning);
		o->tuning = s->tuning;
	}
	if (!o->cache_dir && (text = getenv("CLOPT_CACHE_DIR")) && *text)
		o->cache_dir = text;
	if (!o->cache_dir) {
		user_path("XDG_CACHE_HOME", ".cache", "libclopt", s->cache, sizeof s->cache);
		o->cache_dir = s->cache;
	}
	if (!o->cache_bytes)
		o->cache_bytes = CACHE_BYTES;
}

int clopt__settings(const struct clopt_options *given, struct settings *s)
{
	const struct clopt_options none = CLOPT_OPTIONS_INIT;
	struct clopt_options *o = &s->options;
	const char *text;
	size_t n;
	int rc = CLOPT_OK;

	*o = none;
	s->variants_from = "clopt_options.variants";
	s->device_from = "clopt_options.device";
	TRY(clopt__sized_read(NULL, "clopt_options", given, o, sizeof *o));
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
		s->variants_from = "CLOPT_VARIANT";
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
	if (o->tune_seconds == 0 && (text = getenv("CLOPT_TUNE")) && *text) {
		if (!read_bytes(text, &n) || n > MOST_SLICE)
			return bad_value("CLOPT_TUNE", text,
			                 "a number of milliseconds, up to 1000000");
		o->tune_seconds = (double)n / 1000;
	}
	if (!(o->tune_seconds <= MOST_SLICE / 1000))
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.tune_seconds is %g, it has to be up to %d",
		                   o->tune_seconds, MOST_SLICE / 1000);
	if (!o->device) {
		o->device = getenv("CLOPT_DEVICE");
		s->device_from = "CLOPT_DEVICE";
	}
	read_files(s);
	TRY(read_check(&o->check));
out:
	return rc;
}

int clopt__settings_store(const struct settings *s, struct store *store)
{
	const char *folder = s->options.cache_dir;

	if (clopt__store_open(store, strcmp(folder, "0") ? folder : NULL, s->options.cache_bytes))
		return clopt__fail(NULL, CLOPT_ENOMEM, "no memory for the name of the cache");
	return CLOPT_OK;
}

int clopt__store_of(const struct clopt_options *options, struct store *store)
{
	struct settings s;
	int rc = CLOPT_OK;

	TRY(clopt__settings(options, &s));
	TRY(clopt__settings_store(&s, store));
out:
	return rc;
}

#define MOST_PROBE_SECONDS 3600

int clopt__device_settings(const struct clopt_options *o, struct device_settings *s)
{
	const char *text, *from = "clopt_options.quirks", *quirks = o ? o->quirks : NULL;
	size_t n = 0;

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
