/* SPDX-License-Identifier: MIT */
/*
 * peak.c - the device's peaks: all take turns, and the shortest launch counts.
 */
#include "peak.h"

#include <stdarg.h>
#include <string.h>

static const struct {
	const char *name, *key, *unit;
} kinds[PEAKS] = {
	[PEAK_FLOAT] = { "float32 multiply-adds", "float32", "GFLOP/s" },
	[PEAK_DOUBLE] = { "float64 multiply-adds", "float64", "GFLOP/s" },
	[PEAK_HALF] = { "float16 multiply-adds", "float16", "GFLOP/s" },
	[PEAK_ROOT] = { "float32 reciprocal roots", "root", "Groots/s" },
	[PEAK_READ] = { "memory, read", "read", "GB/s" },
	[PEAK_WRITE] = { "memory, written", "write", "GB/s" },
	[PEAK_COPY] = { "memory, copied: both", "copy", "GB/s" },
};

const char *peak_name(enum peak_what what)
{
	return kinds[what].name;
}

const char *peak_key(enum peak_what what)
{
	return kinds[what].key;
}

const char *peak_unit(enum peak_what what)
{
	return kinds[what].unit;
}

void peak_wrong(struct peak *peak, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(peak->why, sizeof peak->why, format, args);
	va_end(args);
	peak->verdict = "WRONG";
}

void peak_failed(struct peak *peak, const char *why)
{
	snprintf(peak->why, sizeof peak->why, "%s", *why ? why : "no reason was given");
	peak->why[strcspn(peak->why, "\n")] = '\0';
	peak->verdict = "failed";
}

double peak_run(struct peaks *p, enum peak_what what, const struct clopt_map *map, double *spent)
{
	struct clopt_report report = { .size = sizeof report };

	*spent = 0.0;
	if (clopt_map(p->ctx, map) != CLOPT_OK || clopt_last_report(p->ctx, &report) != CLOPT_OK) {
		peak_failed(&p->peak[what], clopt_error(p->ctx));
		return 0.0;
	}
	*spent = report.seconds;
	if (!(report.kernel_seconds > 0.0))
		peak_failed(&p->peak[what], "the driver tells no times");
	return report.kernel_seconds;
}

double peak_launch(struct peaks *p, enum peak_what what, double *spent)
{
	return what < PEAK_READ ? peak_arith(p, what, spent) : peak_memory(p, what, spent);
}

/* One more of it, unless it has had enough.  Whether it has not. */
static int turn(struct peaks *p, enum peak_what what, double seconds)
{
	struct peak *peak = &p->peak[what];
	double took, spent;

	if (peak->absent || peak->verdict || peak->repeats == PEAK_MOST ||
	    (peak->repeats >= PEAK_LEAST && peak->spent >= seconds))
		return 0;
	took = peak_launch(p, what, &spent);
	if (peak->verdict)
		return 0;
	peak->seconds[peak->repeats++] = took;
	peak->spent += spent;
	return 1;
}

static void conclude(struct peak *peak)
{
	if (peak->absent || peak->verdict || peak->repeats == 0)
		return;
	peak->median = peak->amount / tool_median(peak->seconds, peak->repeats) / 1e9;
	peak->best = peak->amount / peak->seconds[0] / 1e9; /* they are sorted now */
}

/* The width of a vector: what the device says, if OpenCL has such vectors. */
static unsigned width_of(const struct clopt_device_info *info)
{
	unsigned width = 16;

	while (width > 1 && width > info->vector_width)
		width /= 2;
	return width;
}

void peaks_measure(struct peaks *p, struct clopt *ctx, const struct clopt_device_info *info,
                   enum case_extent extent, double seconds)
{
	/* On a processor a work-item is a loop of its own; elsewhere it is a lane. */
	const size_t group = strcmp(info->type, "cpu") == 0 ? 1 : 256;
	double spent;
	int i, more = 1;

	memset(p, 0, sizeof *p);
	p->ctx = ctx;
	p->info = *info;
	p->extent = extent;
	p->width = width_of(info);
	p->group = group < info->max_group ? group : info->max_group;
	p->peak[PEAK_DOUBLE].absent = !info->fp64;
	p->peak[PEAK_HALF].absent = !info->fp16;
	if (peak_memory_open(p))
		for (i = PEAK_READ; i < PEAKS; i++)
			peak_failed(&p->peak[i], "not enough memory for the arrays");
	for (i = 0; i < PEAKS; i++)
		if (!p->peak[i].absent && !p->peak[i].verdict)
			peak_launch(p, i, &spent); /* compiles, and is looked at */
	while (more) {
		more = 0;
		for (i = 0; i < PEAKS; i++)
			more |= turn(p, i, seconds);
	}
	for (i = 0; i < PEAKS; i++)
		conclude(&p->peak[i]);
	peaks_end(p);
}

int peaks_begin(struct peaks *p, struct clopt *ctx, enum peak_what what)
{
	p->ctx = ctx;
	if (what >= PEAK_READ && peak_memory_open(p)) {
		peaks_end(p);
		return 1;
	}
	return 0;
}

void peaks_end(struct peaks *p)
{
	peak_memory_close(p);
	p->ctx = NULL;
}

size_t peaks_bad(const struct peaks *p)
{
	size_t i, bad = 0;

	for (i = 0; i < PEAKS; i++)
		bad += p->peak[i].verdict != NULL;
	return bad;
}

/* ---- Written down -------------------------------------------------------------- */

void peaks_print(const struct peaks *p)
{
	struct tool_table t = { .columns = 5, .align = "lrrll" };
	const struct peak *peak;
	int i;

	tool_table_add(&t, "at most");
	tool_table_add(&t, "best");
	tool_table_add(&t, "median");
	tool_table_add(&t, " ");
	tool_table_add(&t, "check");
	for (i = 0; i < PEAKS; i++) {
		peak = &p->peak[i];
		tool_table_add(&t, "%s", kinds[i].name);
		tool_table_add(&t, peak->best > 0.0 ? "%.4g" : "-", peak->best);
		tool_table_add(&t, peak->best > 0.0 ? "%.4g" : "-", peak->median);
		tool_table_add(&t, "%s", kinds[i].unit);
		if (peak->verdict)
			tool_table_add(&t, "%s: %s", peak->verdict, peak->why);
		else
			tool_table_add(&t, "%s", peak->absent ? "the device has none" : "ok");
	}
	printf("\n");
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
	fflush(stdout);
}

json_t *peaks_json(const struct peaks *p)
{
	json_t *list = json_array();
	const struct peak *peak;
	int i;

	for (i = 0; i < PEAKS; i++) {
		peak = &p->peak[i];
		json_array_append_new(
		        list,
		        json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:s, s:o}", "peak", kinds[i].key,
		                  "name", kinds[i].name, "unit", kinds[i].unit, "best",
		                  peak->best > 0.0 ? tool_json_real(peak->best) : json_null(),
		                  "median",
		                  peak->best > 0.0 ? tool_json_real(peak->median) : json_null(),
		                  "repeats", (json_int_t)peak->repeats, "check",
		                  peak->verdict ? peak->verdict :
		                  peak->absent  ? "absent" :
		                                  "ok",
		                  "why", peak->verdict ? tool_json_text(peak->why) : json_null()));
	}
	return list;
}
