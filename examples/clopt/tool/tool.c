/* SPDX-License-Identifier: MIT */
/*
 * tool.c - what subcommands of `clopt' share: open a device, fail, medians, files, JSON.
 */
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/opening.h"

int tool_fail(const struct clopt *ctx, const char *doing)
{
	const char *why = clopt_error(ctx);

	fflush(stdout);
	fprintf(stderr, "clopt: %s: %s\n", doing, *why ? why : "no reason was given");
	return 1;
}

int tool_open(const struct tool_args *args, int profile, unsigned queues, struct clopt **ctx,
              struct clopt_device_info *info)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	char why[1024];
	int rc = 0;

	options.device = args->device;
	/* What CLOPT_VARIANT forces would hide what the library chooses, and a
	 * name in it that is none would hide the list of those that are. */
	options.variants = "";
	options.profile = profile;
	options.queues = queues;
	options.transfer = args->transfer;
	options.tune_seconds = args->tune_seconds;
	if (clopt_open(ctx, &options) != CLOPT_OK) {
		opening_reason(clopt_error(NULL), why, sizeof why);
		fflush(stdout);
		fprintf(stderr, "clopt: %s\n", why);
		rc = 1;
		goto out;
	}
	info->size = sizeof *info;
	if (clopt_device(*ctx, info) != CLOPT_OK) {
		rc = tool_fail(*ctx, "device");
		clopt_close(*ctx);
		*ctx = NULL;
	}
out:
	return rc;
}

enum case_extent tool_extent(const struct tool_args *args, const struct clopt_device_info *info)
{
	if (args->small)
		return CASE_SMALL;
	return strcmp(info->type, "cpu") == 0 ? CASE_CPU : CASE_GPU;
}

const char *tool_choice(struct clopt *ctx, int op, const struct shape *shape)
{
	struct clopt_problem problem;

	case_problem(op, shape, &problem);
	return clopt_choice(ctx, &problem);
}

void tool_serves(struct clopt *ctx, int op, const struct shape *shape, char *text, size_t size)
{
	const char *own = tool_choice(ctx, op, shape), *pull = NULL;
	struct shape sum = *shape;

	if (op == CLOPT_LEAPFROG) {
		sum.dim[1] = sum.dim[0];
		pull = tool_choice(ctx, CLOPT_NBODY, &sum);
	}
	snprintf(text, size, "%s%s%s", pull ? pull : "", pull ? ", " : "",
	         own ? own : "none can serve");
}

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

double tool_median(double *x, size_t n)
{
	if (n == 0)
		return 0.0;
	qsort(x, n, sizeof *x, ascending);
	return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

int tool_file_open(FILE **f, const char *path)
{
	*f = path ? fopen(path, "w") : NULL;
	if (path && !*f) {
		perror(path);
		return 1;
	}
	return 0;
}

int tool_file_close(FILE *f, const char *path)
{
	if (f && (ferror(f) | fclose(f))) {
		perror(path);
		return 1;
	}
	return 0;
}

/* What a driver says of itself need not be UTF-8. */
json_t *tool_json_text(const char *text)
{
	json_t *json = json_string(text);
	char plain[512];
	size_t i;

	if (json)
		return json;
	for (i = 0; text[i] && i + 1 < sizeof plain; i++)
		plain[i] = (char)(text[i] & 0x80 ? '?' : text[i]);
	plain[i] = '\0';
	return json_string(plain);
}

json_t *tool_json_real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

int tool_json_print(json_t *json)
{
	int rc = 0;

	if (!json || json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0) {
		fprintf(stderr, "clopt: the JSON could not be made or written\n");
		rc = 1;
	}
	putchar('\n');
	json_decref(json);
	return rc;
}
