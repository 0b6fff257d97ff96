/* SPDX-License-Identifier: MIT */
/*
 * check.c - `clopt check': a page to paste into a report.  The installed
 * drivers, the device taken, and whether its results are right, in a few seconds.  --report makes a
 * file of it: the page as comments, then records of tuning, so that `clopt tune --merge' takes it.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* open_memstream, also under -std=c99 */
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/outfile.h"
#include "ask.h"
#include "../../common/progress.h"

/* Each way: enough for bands whose copies take longer than launches. */
#define OVERLAP_BYTES ((size_t)64 << 20)
#define OVERLAP_CALLS 4

struct page {
	struct ask_drivers *drivers;
	struct clopt_device_info taken;
	size_t members; /* devices that share calls */
	json_t *kept; /* on disk */
	double kept_bytes;
	char folder[4096];
	size_t records; /* of tuning */
	struct clopt *ctx;
	json_t *trials; /* each routine on a problem */
	size_t unsound;
	struct clopt_report overlap; /* variant NULL: arrays are used in place */
	double seconds;
	int all;
};

/* JSON has no infinity and no NaN. */
static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static int take_line(void *user, const struct clopt_selfcheck_line *l)
{
	struct page *p = user;
	const char *problem = l->text + strcspn(l->text, " ");
	char variant[160];

	progress_say("checked %s", l->text);
	snprintf(variant, sizeof variant, "%s", l->variant ? l->variant : "no variant");
	if (l->problem->op == CLOPT_OP_LEAPFROG)
		tool_serves(p->ctx, l->problem, clopt_chosen_variant, variant, sizeof variant);
	p->unsound += l->status != CLOPT_OK;
	json_array_append_new(
	        p->trials,
	        json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o}", "operation",
	                  clopt_op_name(l->problem->op), "element", case_element(l->problem),
	                  "problem", problem + (*problem == ' '), "variant", variant, "right",
	                  l->status == CLOPT_OK, "error", real(l->error), "allowed",
	                  real(l->allowed), "what", tool_json_text(l->status ? l->reason : "ok")));
	return 0;
}

/* Whatever they find is in p. */
static int try_routines(struct clopt *ctx, int only, struct page *p)
{
	struct clopt_selfcheck_options o = CLOPT_SELFCHECK_OPTIONS_INIT;
	int rc;

	o.all = p->all;
	o.ops = only < 0 ? 0 : 1u << only;
	p->ctx = ctx;
	progress_say("checking");
	o.line = take_line;
	o.user = p;
	rc = clopt_selfcheck(ctx, &o);
	return rc != CLOPT_OK && !p->unsound ? tool_fail(ctx, NULL) : 0;
}

/* As examples/overlap.c, with next to nothing to compute: from pinned memory and in bands that
 * lie in one piece, so that it is the driver's work alone. */
static int move_both_ways(struct clopt *ctx, const float *in, float *out, struct clopt_report *r)
{
	const struct clopt_arg args[] = {
		{ CLOPT_ARG_COUNT, NULL, 0 },
		{ CLOPT_ARG_IN, (void *)in, sizeof *in },
		{ CLOPT_ARG_OUT, out, sizeof *out },
	};
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;

	map.source = "__kernel void twice(ulong n, __global const float *in, __global float *out)\n"
	             "{\n"
	             "	size_t i = get_global_id(0);\n"
	             "	if (i < n)\n"
	             "		out[i] = 2 * in[i];\n"
	             "}\n";
	map.name = "twice";
	map.items = OVERLAP_BYTES / sizeof *in;
	map.items_per_group = 128;
	map.args = args;
	map.nargs = sizeof args / sizeof *args;
	if (clopt_map(ctx, &map) != CLOPT_OK)
		return 1;
	return clopt_last_report(ctx, r) != CLOPT_OK;
}

/* The first call has a kernel to build and speeds to learn; of the others the best tells
 * the driver's ability. */
static int try_overlap(struct clopt *ctx, struct page *p)
{
	struct clopt_report r = CLOPT_REPORT_INIT;
	void *in = NULL, *out = NULL;
	int failed, call;

	if (p->taken.unified)
		return 0;
	progress_say("overlap of transfers and kernels");
	failed = clopt_host_alloc(ctx, OVERLAP_BYTES, &in, NULL) != CLOPT_OK ||
	         clopt_host_alloc(ctx, OVERLAP_BYTES, &out, NULL) != CLOPT_OK;
	if (!failed)
		memset(in, 0, OVERLAP_BYTES);
	for (call = 0; call < OVERLAP_CALLS && !failed; call++) {
		failed = move_both_ways(ctx, in, out, &r);
		if (call == 1 || (call > 1 && r.hidden > p->overlap.hidden))
			p->overlap = r;
	}
	if (failed)
		tool_fail(ctx, "overlap");
	clopt_host_free(ctx, in);
	clopt_host_free(ctx, out);
	return failed;
}

/* ---- The page ------------------------------------------------------------------------- */

static void print_drivers(FILE *f, const struct page *p)
{
	size_t i;

	fprintf(f, "libclopt %s\n", clopt_version());
	for (i = 0; i < p->drivers->devices; i++) {
		const struct clopt_device_info *d = &p->drivers->device[i];

		fprintf(f, "device %zu    %s, %s, %s, driver %s%s%s\n", i, d->name, d->platform,
		        d->version, d->driver, *d->quirks ? "; quirks: " : "", d->quirks);
	}
	for (i = 0; i < p->drivers->skips; i++)
		fprintf(f, "left out    %s: %s\n", p->drivers->skipped[i].name,
		        p->drivers->skipped[i].reason);
	fprintf(f, "taken       %s (%s; %s)\n", p->taken.name, p->taken.platform, p->taken.traits);
	if (p->members > 1)
		fprintf(f, "shared      each call here, over %zu devices\n", p->members);
	if (*p->folder)
		fprintf(f, "cache       %s, %zu entries, %.1f MB\n", p->folder,
		        json_array_size(p->kept), p->kept_bytes / 1e6);
	else
		fprintf(f, "cache       none\n");
	ask_print_struck_out(f, p->kept);
	fprintf(f, "tuning      %zu records for this device\n", p->records);
}

static void print_overlap(FILE *f, const struct clopt_report *r)
{
	if (!r->variant)
		fprintf(f, "overlap     host and device share memory: arrays are used where they "
		           "are\n");
	else if (r->device_seconds == 0)
		fprintf(f, "overlap     not measured: the driver gives no times\n");
	else
		fprintf(f,
		        "overlap     %.0f %% of the possible gain, with pinned memory, %zu bands "
		        "over %zu queues%s\n",
		        100 * r->hidden, r->bands, r->queues,
		        r->overlapped ? "" : "; the driver did not overlap them");
}

static void print_page(FILE *f, const struct page *p)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("operation", "operation"),
		TOOL_TEXT("problem", "problem"),
		TOOL_TEXT("variant", "variant"),
		TOOL_NUMBER("error", "error", "%.1e", 1),
		TOOL_NUMBER("allowed", "allowed", "%.1e", 1),
		TOOL_TEXT("result", "what"),
		TOOL_END,
	};
	const size_t trials = json_array_size(p->trials);

	progress_hide();
	print_drivers(f, p);
	print_overlap(f, &p->overlap);
	tool_table(f, p->trials, columns);
	if (!trials)
		fprintf(f, "no problem of this operation is checked\n");
	else if (p->unsound)
		fprintf(f, "%zu of %zu are WRONG, %.1f s\n", p->unsound, trials, p->seconds);
	else
		fprintf(f, "all %zu are right, %.1f s%s\n", trials, p->seconds,
		        p->all ? "" : "; --all tries each type of element");
}

/* The page as comments, and records. */
static int print_report(const struct tool_args *args, const struct page *p, FILE *f)
{
	char *text = NULL, *line, *rest;
	size_t size = 0;
	FILE *page = open_memstream(&text, &size);

	if (!page)
		return tool_no_memory();
	print_page(page, p);
	if (fclose(page) != 0) {
		free(text);
		return tool_no_memory();
	}
	for (line = text; *line; line = rest) {
		rest = line + strcspn(line, "\n");
		fprintf(f, "# %.*s\n", (int)(rest - line), line);
		rest += *rest == '\n';
	}
	free(text);
	return ask_report_rates(args, f);
}

static json_t *device_json(const struct clopt_device_info *d)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", tool_json_text(d->name), "platform",
	                 tool_json_text(d->platform), "version", tool_json_text(d->version),
	                 "driver", tool_json_text(d->driver), "quirks", tool_json_text(d->quirks));
}

static int print_json(const struct page *p)
{
	json_t *devices = json_array();
	size_t i;

	for (i = 0; i < p->drivers->devices; i++)
		json_array_append_new(devices, device_json(&p->drivers->device[i]));
	return tool_json_print(json_pack(
	        "{s:o, s:o, s:O, s:o, s:s, s:o, s:o, s:o, s:I, s:f, s:I, s:o, s:b, s:f, s:I}",
	        "devices", devices, "left_out", ask_skipped(p->drivers), "routines", p->trials,
	        "struck_out", ask_struck_out(p->kept), "version", clopt_version(), "taken",
	        device_json(&p->taken), "traits", tool_json_text(p->taken.traits), "cache_folder",
	        tool_json_text(p->folder), "cache_entries", (json_int_t)json_array_size(p->kept),
	        "cache_bytes", p->kept_bytes, "tuning_records", (json_int_t)p->records,
	        "overlap_hidden", p->overlap.variant ? json_real(p->overlap.hidden) : json_null(),
	        "right", p->unsound == 0, "seconds", p->seconds, "members",
	        (json_int_t)p->members));
}

int tool_check(const struct tool_args *args)
{
	struct tool_args own = *args;
	struct page *p = calloc(1, sizeof *p);
	struct outfile report = { 0 };
	struct clopt *ctx = NULL;
	struct fault e;
	double end = 0;
	int rc = 1;

	if (!p)
		return tool_no_memory();
	if (args->report && outfile_open(&report, args->report, &e)) {
		tool_tell("%s", e.text);
		goto out;
	}
	ask_try_drivers(ASK_PATIENCE, NULL);
	p->all = args->all || args->report;
	p->trials = json_array();
	own.forced = !args->report; /* which is of the library's choices */
	own.share = CLOPT_SHARE_EVERY; /* also these small ones */
	own.small_on = CLOPT_SMALL_DEVICE; /* whose kernels are to be tried */
	if (tool_open(&own, 1, 0, &ctx, &p->taken) || clopt_wall_time(ctx, &p->seconds) ||
	    !(p->drivers = ask_drivers()))
		goto out;
	if (clopt_cache_folder(NULL, p->folder, sizeof p->folder) != CLOPT_OK) {
		tool_fail(NULL, "cache");
		goto out;
	}
	p->members = clopt_members(ctx);
	p->records = clopt_tuning_records(ctx, NULL, 0);
	/* What is kept after them tells of kernels that were wrong on the way. */
	if (try_routines(ctx, args->op, p) || try_overlap(ctx, p) || clopt_wall_time(ctx, &end) ||
	    !(p->kept = ask_kept(&p->kept_bytes)))
		goto out;
	p->seconds = end - p->seconds;
	rc = p->unsound > 0;
	if (args->json)
		rc |= print_json(p);
	else if (!args->report || !outfile_is_stdout(args->report))
		print_page(stdout, p);
	if (args->report) {
		rc |= print_report(args, p, report.f);
		if (outfile_commit(&report, &e))
			rc = tool_tell("%s", e.text);
	}
out:
	outfile_drop(&report);
	clopt_close(ctx);
	json_decref(p->trials);
	json_decref(p->kept);
	free(p->drivers);
	free(p);
	return rc;
}
