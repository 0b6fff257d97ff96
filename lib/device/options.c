/* SPDX-License-Identifier: MIT */
/*
 * options.c - the settings of a context: options, environment, defaults.  The library reads its
 * environment only here; loader.c reads the variables of OpenCL loaders.  Texts are parsed where
 * they are used: devices in pick.c, quirks in quirks.c, rows in choose/select.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "device.h"

#define DIGITS "0123456789"

/* Read a whole number with an optional K, M or G (powers of 1024). */
static int read_bytes(const char *text, size_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	unsigned long long n;
	unsigned shift = 0;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit)
		shift = 10 * (unsigned)(unit - units + 1);
	if (errno || end[shift != 0] || n > SIZE_MAX >> shift)
		return 0;
	*bytes = (size_t)n << shift;
	return 1;
}

static int bad_value(const char *name, const char *value, const char *meaning)
{
	return clopt__fail(NULL, CLOPT_EINVAL, "%s=\"%s\": it must be %s", name, value, meaning);
}

/* Read a number from the environment, unless the option is given (not 0). */
static int number(const char *name, size_t least, size_t most, const char *meaning, size_t *value)
{
	const char *text = *value ? NULL : getenv(name);

	if (!text || !*text || (read_bytes(text, value) && *value >= least && *value <= most))
		return CLOPT_OK;
	return bad_value(name, text, meaning);
}

/* Read digits, optionally with a point (in every locale) and further digits. */
static int read_decimal(const char *text, double *value)
{
	const char *at = text + strspn(text, DIGITS);
	double scale = 1;

	if (at == text || (*at == '.' && !at[1]))
		return 0;
	for (*value = 0; text < at; text++)
		*value = 10 * *value + (*text - '0');
	if (*at == '.')
		for (at++; *at && strchr(DIGITS, *at); at++)
			*value += (*at - '0') * (scale /= 10);
	return !*at;
}

/* Read a time in seconds from the environment, unless `option' gives it.  A negative option, or 0
 * in the environment, switches it off. */
static int seconds(const char *name, const char *option, int most, double *value)
{
	const char *text = *value == 0 ? getenv(name) : NULL;

	if (text && *text && !(read_decimal(text, value) && *value <= most))
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "%s=\"%s\": it must be a number of seconds from 0 to %d", name,
		                   text, most);
	if (!(*value <= most))
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_options.%s is %g: it must be at most %d", option, *value,
		                   most);
	*value = *value > 0 ? *value : 0;
	return CLOPT_OK;
}

/* Read an enumerator by its word; unset, it is `initial`.  option: the name of its field. */
static int word(const char *name, const char *option, const char *const *words, int count,
                int initial, const char *meaning, int *value)
{
	const char *text = *value ? NULL : getenv(name);
	char prefix[ENUM_SIZE], one[ENUM_SIZE], names[4 * ENUM_SIZE];
	struct text t = { names, sizeof names };
	int i;

	if (text && *text)
		while (*value < count && strcmp(text, words[*value]))
			++*value;
	*value = *value ? *value : initial;
	if (*value >= 0 && *value < count)
		return CLOPT_OK;
	if (text && *text)
		return bad_value(name, text, meaning);
	snprintf(prefix, sizeof prefix, "CLOPT_%s_", option);
	for (i = 1; i < count; i++)
		clopt__say(&t, "%s%s",
		           i == 1         ? "" :
		           i == count - 1 ? " or " :
		                            ", ",
		           clopt__enumerator(one, prefix, words[i], i));
	return clopt__fail(NULL, CLOPT_EINVAL, "clopt_options.%s is %d: use %s", option, *value,
	                   names);
}

static int at_most(const char *option, size_t value, size_t most)
{
	return value <= most ? CLOPT_OK :
	                       clopt__fail(NULL, CLOPT_EINVAL,
	                                   "clopt_options.%s is %zu: it must be at most %zu",
	                                   option, value, most);
}

/* A path below a user's folder by the XDG Base Directory Specification, which ignores relative
 * paths.  "": no folder is known. */
static void user_path(const char *variable, const char *in_home, const char *below, char *path,
                      size_t size)
{
	const char *xdg = getenv(variable), *home = getenv("HOME"), *local = getenv("LOCALAPPDATA");
	int n = 0;

	path[0] = '\0';
	if (xdg && clopt__is_absolute(xdg))
		n = snprintf(path, size, "%s/%s", xdg, below);
	else if (home && clopt__is_absolute(home))
		n = snprintf(path, size, "%s/%s/%s", home, in_home, below);
	else if (local && clopt__is_absolute(local)) /* Windows */
		n = snprintf(path, size, "%s/%s", local, below);
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

#define SLICE_SECONDS 0.1 /* default with a progress callback */
#define MOST_SECONDS 1000 /* largest value */

int clopt__settings(const struct clopt_options *given, struct settings *s)
{
	static const char *const transfers[] = { "", "auto", "driver", "staged" };
	static const char *const checks[] = { "", "off", "first", "always" };
	static const char *const shares[] = { "", "auto", "fixed", "every" };
	static const char *const smalls[] = { "", "host", "device" };
	const struct clopt_options none = CLOPT_OPTIONS_INIT;
	struct clopt_options *o = &s->options;
	const char *text;
	size_t n;
	int sliced; /* the options or the environment set slices, or switch them off */
	int rc = CLOPT_OK;

	*o = none;
	s->variants_from = "clopt_options.variants";
	s->device_from = "clopt_options.device";
	TRY(clopt__sized_read(NULL, "clopt_options", given, o, sizeof *o));
	TRY(clopt__check_number(NULL, "clopt_options.reserved", o->reserved, 0, 0));
	TRY(clopt__check_number(NULL, "clopt_options.profile", o->profile, -1, 1));
	TRY(clopt__check_number(NULL, "clopt_options.verbose", o->verbose, -1, 1));
	TRY(clopt__check_number(NULL, "clopt_options.keep_output", o->keep_output, -1, 1));
	n = o->queues;
	TRY(number("CLOPT_QUEUES", 1, MAX_QUEUES, "a number from 1 to 8", &n));
	TRY(at_most("queues", n, MAX_QUEUES));
	o->queues = (unsigned)n;
	TRY(number("CLOPT_MEM_LIMIT", 0, SIZE_MAX, "a number of bytes, such as 64M",
	           &o->mem_limit_bytes));
	n = o->verbose != 0;
	TRY(number("CLOPT_VERBOSE", 0, 1, "0 or 1", &n));
	o->verbose = o->verbose >= 0 && n != 0;
	TRY(word("CLOPT_TRANSFER", "transfer", transfers, 4, CLOPT_TRANSFER_AUTO,
	         "auto, driver or staged", &o->transfer));
	TRY(at_most("chunk_bytes", o->chunk_bytes, MOST_CHUNK));
	TRY(at_most("copy_threads", o->copy_threads, STAGING_THREADS));
	if (!o->variants && (text = getenv("CLOPT_VARIANT")) && *text) {
		o->variants = text;
		s->variants_from = "CLOPT_VARIANT";
	}
	sliced = o->slice_seconds != 0 || ((text = getenv("CLOPT_SLICE")) && *text);
	TRY(seconds("CLOPT_SLICE", "slice_seconds", MOST_SECONDS, &o->slice_seconds));
	if (!sliced && o->progress)
		o->slice_seconds = SLICE_SECONDS;
	if (!o->device) {
		o->device = getenv("CLOPT_DEVICE");
		s->device_from = "CLOPT_DEVICE";
	}
	read_files(s);
	TRY(word("CLOPT_CHECK", "check", checks, 4, CLOPT_CHECK_FIRST, "off, first or always",
	         &o->check));
	TRY(word("CLOPT_SHARE", "share", shares, 4, CLOPT_SHARE_AUTO, "auto, fixed or every",
	         &o->share));
	TRY(word("CLOPT_SMALL", "small", smalls, 3, CLOPT_SMALL_HOST, "host or device", &o->small));
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
	const int rc = clopt__settings(options, &s);

	return rc == CLOPT_OK ? clopt__settings_store(&s, store) : rc;
}

int clopt__user_store(struct store *store)
{
	struct settings s = { .options = CLOPT_OPTIONS_INIT };

	read_files(&s);
	return clopt__settings_store(&s, store);
}

/* What this file reads, and the BLAS of lib/blas. */
static const char *const variables[] = {
	"DEVICE",  "VARIANT",        "QUEUES",    "TRANSFER",   "MEM_LIMIT",    "SLICE",
	"TUNING",  "CACHE_DIR",      "QUIRKS",    "CHECK",      "SHARE",        "SMALL",
	"VERBOSE", "BLAS_THRESHOLD", "BLAS_NEXT", "BLAS_CHECK", "BLAS_FLOAT64",
};
#define VARIABLES (sizeof variables / sizeof *variables)
#define LONGEST_NAME 40 /* of one that may be misspelt */

/* The fewest letters to put in, take away or change, from a[0..n) to b. */
static size_t distance(const char *a, size_t n, const char *b)
{
	size_t row[LONGEST_NAME + 1], i, j, corner, above;

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 0; b[i]; i++)
		for (corner = row[0]++, j = 0; j < n; corner = above, j++) {
			above = row[j + 1];
			corner += a[j] != b[i];
			row[j + 1] = corner <= above && corner <= row[j] ? corner :
			             above < row[j]                      ? above + 1 :
			                                                   row[j] + 1;
		}
	return row[n];
}

void clopt__tell_variables(const struct clopt *notices)
{
	static const char own[] = "CLOPT_", tests[] = "CLOPT_TEST_";
	char **variable = clopt__environment();
	const char *name, *near;
	size_t n, i, least, d;

	for (; variable && *variable; variable++) {
		name = *variable + strlen(own);
		if (strncmp(*variable, own, strlen(own)) ||
		    !strncmp(*variable, tests, strlen(tests)))
			continue;
		n = strcspn(name, "=");
		near = NULL;
		least = 1 + n / 3; /* one mistake in three letters at most */
		for (i = 0; i < VARIABLES && n <= LONGEST_NAME; i++)
			if ((d = distance(name, n, variables[i])) < least) {
				least = d;
				near = variables[i];
			}
		if (!near || least)
			clopt__notice(notices, "%.*s is no variable of libclopt%s%s%s",
			              (int)(strlen(own) + n), *variable,
			              near ? "; did you mean CLOPT_" : "", near ? near : "",
			              near ? "?" : "");
	}
}

/*
 * Variables with the local rank.  Slurm's comes last: its batch script has a 0 there, which all
 * processes of an mpirun in the script inherit.  https://github.com/glotzerlab/hoomd-blue/pull/1647
 */
static const char *const ranks[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK", /* Open MPI */
	"MPI_LOCALRANKID", /* MPICH's hydra, Intel MPI */
	"MV2_COMM_WORLD_LOCAL_RANK", /* MVAPICH2 */
	"PMI_LOCAL_RANK", /* Cray's PMI */
	"PALS_LOCAL_RANKID", /* HPE's PALS */
	"FLUX_TASK_LOCAL_ID",
	"SLURM_LOCALID",
};
#define RANKS (sizeof ranks / sizeof *ranks)

int clopt__local_rank(const char *spec, const char *source, size_t *rank)
{
	char names[256];
	struct text t = { names, sizeof names };
	const char *text;
	size_t i;

	for (i = 0; i < RANKS; i++) {
		text = getenv(ranks[i]);
		if (!text || !*text)
			clopt__say(&t, "%s%s", i ? ", " : "", ranks[i]);
		else if (strspn(text, DIGITS) < strlen(text) || strlen(text) > 9)
			return bad_value(ranks[i], text, "the rank of a process on its host");
		else
			break;
	}
	if (i == RANKS)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "%s=\"%s\" asks for the local rank, but mpirun or srun did not "
		                   "start this process: none of %s is set",
		                   source, spec, names);
	*rank = strtoul(text, NULL, 10);
	return CLOPT_OK;
}

/*
 * Environment variables by which drivers change their compilers, or results: in order PoCL; layers
 * between loader and driver; Oclgrind; AMD; Intel's for processors and for GPUs; Mesa; clvk.
 */
static const char *const steering[] = {
	"POCL_EXTRA_BUILD_FLAGS",      "POCL_WORK_GROUP_METHOD",
	"POCL_BITCODE_FINALIZER",      "OPENCL_LAYERS",
	"OPENCL_LAYER_PATH",           "OCLGRIND_BUILD_OPTIONS",
	"AMD_OCL_BUILD_OPTIONS",       "AMD_OCL_BUILD_OPTIONS_APPEND",
	"AMD_OCL_LINK_OPTIONS",        "AMD_OCL_LINK_OPTIONS_APPEND",
	"CL_CONFIG_USE_VECTORIZER",    "CL_CONFIG_CPU_VECTORIZER_MODE",
	"CL_CONFIG_CPU_TARGET_ARCH",   "IGC_ExtraOCLOptions",
	"IGC_ExtraOCLInternalOptions", "RUSTICL_FEATURES",
	"LP_NATIVE_VECTOR_WIDTH",      "CLVK_CLSPV_OPTIONS",
};

void clopt__steering(char digits[HASH_TEXT_SIZE])
{
	struct hash hash = clopt__hash_empty();
	const char *value;
	size_t i;

	for (i = 0; i < sizeof steering / sizeof *steering; i++) {
		if ((value = getenv(steering[i])))
			clopt__hash_add(&hash, value, strlen(value) + 1);
		clopt__hash_add(&hash, "", 1);
	}
	clopt__hash_text(&hash, digits);
}

int clopt__lifted(const struct clopt_options *o, unsigned *lifted)
{
	if (o && o->quirks)
		return clopt__quirks_read("clopt_options.quirks", o->quirks, lifted);
	return clopt__quirks_read("CLOPT_QUIRKS", getenv("CLOPT_QUIRKS"), lifted);
}
