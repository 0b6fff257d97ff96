/* SPDX-License-Identifier: MIT */
/*
 * tool.c - opening a device, failures, files.
 */
#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/device.h"
#include "../../common/program.h"
#include "../../common/progress.h"

char tool_name[64] = "clopt";

int tool_tell(const char *format, ...)
{
	va_list ap;

	progress_hide();
	fflush(stdout);
	fprintf(stderr, "%s: ", tool_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

int tool_fail(const struct clopt *ctx, const char *doing)
{
	const char *why = clopt_error(ctx);

	return tool_tell("%s%s%s", doing ? doing : "", doing ? ": " : "",
	                 *why ? why : "no reason was given");
}

int tool_no_memory(void)
{
	return tool_tell("out of memory");
}

int tool_open(const struct tool_args *args, int profile, unsigned queues, struct clopt **ctx,
              struct clopt_device_info *info)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct fault e;
	int rc = 0;

	options.device = args->device;
	/* A variant forced by CLOPT_VARIANT would hide the library's choice, and an unknown
	 * name in it the list of known ones. */
	options.variants = args->forced ? NULL : "";
	options.profile = profile;
	options.queues = queues;
	options.share = args->share;
	options.small = args->small_on;
	options.tuning = args->tuning;
	progress_say("opening the device");
	if (clopt_open(ctx, &options) != CLOPT_OK) {
		device_refused(clopt_error(NULL), &e);
		return tool_tell("%s", e.text);
	}
	info->size = sizeof *info;
	if (clopt_device_get(*ctx, info) != CLOPT_OK) {
		rc = tool_fail(*ctx, "device");
		clopt_close(*ctx);
		*ctx = NULL;
	}
	return rc;
}

static int is_device(const struct clopt_device_info *a, const struct clopt_device_info *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->platform, b->platform) &&
	       !strcmp(a->driver, b->driver) && !strcmp(a->pci, b->pci) &&
	       !strcmp(a->uuid, b->uuid);
}

/* A context does not say its index.  Where several devices are the same by all that is known of
 * them, each member is another of these. */
int tool_members(struct clopt *ctx, size_t n, size_t *index)
{
	struct clopt_device_info *list = NULL, it;
	size_t count = 0, i, k;
	int rc = clopt_device_list(NULL, 0, &count);

	if (rc == CLOPT_OK && !(list = calloc(count, sizeof *list)))
		return tool_no_memory();
	for (i = 0; i < count; i++)
		list[i].size = sizeof *list;
	if (rc == CLOPT_OK)
		rc = clopt_device_list(list, count, &count);
	for (k = 0; rc == CLOPT_OK && k < n; k++) {
		it.size = sizeof it;
		rc = clopt_device_get(clopt_member(ctx, k), &it);
		for (i = 0; i < count && !(list[i].size && is_device(&list[i], &it)); i++)
			;
		if (i < count)
			list[i].size = 0; /* taken */
		index[k] = i;
	}
	free(list);
	return rc == CLOPT_OK ? 0 : tool_fail(NULL, "devices");
}

enum case_extent tool_extent(const struct tool_args *args, const struct clopt_device_info *info)
{
	if (args->small)
		return CASE_SMALL;
	return strcmp(info->type, "cpu") == 0 ? CASE_CPU : CASE_GPU;
}

void tool_serves(struct clopt *ctx, const struct clopt_problem *p, tool_asked *asked, char *text,
                 size_t size)
{
	const char *own = asked(ctx, p), *pull = NULL;
	const struct clopt_problem sum = { .size = sizeof sum,
		                           .op = CLOPT_OP_NBODY,
		                           .dim = { p->dim[0], p->dim[0] } };

	if (p->op == CLOPT_OP_LEAPFROG)
		pull = asked(ctx, &sum);
	snprintf(text, size, "%s%s%s", pull ? pull : "", pull ? ", " : "",
	         own ? own : "no variant");
}

const char *tool_bytes(char text[TOOL_AMOUNT], double bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	for (; i < 4 && bytes >= 1024.0; i++)
		bytes /= 1024.0;
	snprintf(text, TOOL_AMOUNT, "%.*f %s", i && bytes < 100.0 ? 1 : 0, bytes, units[i]);
	return text;
}

/* "-": the standard output, and what the command prints goes to stderr from then on. */
static int file_open(FILE **f, const char *path)
{
	const int out = path && strcmp(path, "-") == 0;

	if (!path || program_closed(out ? "/dev/stdout" : path))
		*f = NULL;
	else
		*f = out ? fdopen(dup(STDOUT_FILENO), "w") : fopen(path, "w");
	if (path && !*f)
		return tool_tell("%s: %s", path, strerror(errno));
	if (out)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return 0;
}

static int file_close(FILE *f, const char *path)
{
	const int failed = f && (ferror(f) | fclose(f));

	return failed ? tool_tell("%s: %s", path, strerror(errno)) : 0;
}

int tool_with_csv(const struct tool_args *args, int (*run)(const struct tool_args *args, FILE *csv))
{
	FILE *csv;
	int rc = file_open(&csv, args->csv) || run(args, csv);

	return rc | file_close(csv, args->csv);
}
