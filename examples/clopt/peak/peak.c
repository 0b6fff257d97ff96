/* SPDX-License-Identifier: MIT */
/*
 * peak.c - the device's peaks: all take turns, and the shortest launch counts.
 */
#include "peak.h"

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

double peak_run(struct peaks *p, enum peak_what what, const struct clopt_map_desc *map,
                double *spent)
{
	struct clopt_report report = { .size = sizeof report };

	*spent = 0.0;
	if (clopt_map(p->ctx, map) != CLOPT_OK || clopt_last_report(p->ctx, &report) != CLOPT_OK) {
		tool_failed(&p->peak[what].s, clopt_error(p->ctx));
		return 0.0;
	}
	*spent = report.seconds;
	if (!(report.kernel_seconds > 0.0))
		tool_failed(&p->peak[what].s, "the driver tells no times");
	return report.kernel_seconds;
}

void peak_launch(struct peaks *p, enum peak_what what, struct tool_sample *s)
{
	struct tool_sample *const own = &p->peak[what].s;
	double spent;
	const double seconds =
	        what < PEAK_READ ? peak_arith(p, what, &spent) : peak_memory(p, what, &spent);

	if (!own->verdict)
		tool_sample_add(s, seconds, spent);
	else if (s != own)
		tool_failed(s, own->why);
}

static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct peaks *p = what;

	if (p->peak[i].absent)
		s->repeats = TOOL_REPEATS;
	else
		peak_launch(p, (enum peak_what)i, s);
}

/* The width of the device's vectors, if OpenCL has such vectors. */
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
	size_t i;

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
			tool_failed(&p->peak[i].s, "not enough memory for the arrays");
	tool_turns(&p->peak[0].s, sizeof p->peak[0], PEAKS, 1, 0.0, turn, p);
	for (i = 0; i < PEAKS; i++) /* the first launches have compiled kernels */
		p->peak[i].s.repeats = 0, p->peak[i].s.spent = 0.0;
	tool_turns(&p->peak[0].s, sizeof p->peak[0], PEAKS, PEAK_LEAST, seconds, turn, p);
	for (i = 0; i < PEAKS; i++) {
		struct peak *peak = &p->peak[i];

		if (peak->absent || peak->s.verdict)
			continue;
		peak->median = peak->amount / tool_median(peak->s.seconds, peak->s.repeats) / 1e9;
		peak->best = peak->amount / peak->s.seconds[0] / 1e9; /* they are sorted */
	}
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
		bad += p->peak[i].s.verdict != NULL;
	return bad;
}

json_t *peaks_json(const struct peaks *p)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < PEAKS; i++) {
		const struct peak *k = &p->peak[i];

		json_array_append_new(list,
		                      json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:s, s:o}", "peak",
		                                kinds[i].key, "name", kinds[i].name, "unit",
		                                kinds[i].unit, "best", tool_json_known(k->best),
		                                "median", tool_json_known(k->median), "repeats",
		                                (json_int_t)(k->absent ? 0 : k->s.repeats), "check",
		                                k->absent ? "absent" : tool_verdict(&k->s), "why",
		                                tool_why(&k->s)));
	}
	return list;
}

void peaks_print(const struct peaks *p)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("at most", "name"),
		TOOL_NUMBER("best", "best", "%.4g", 1),
		TOOL_NUMBER("median", "median", "%.4g", 1),
		TOOL_TEXT(" ", "unit"),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};
	json_t *rows = peaks_json(p);

	printf("\n");
	tool_table(stdout, rows, columns);
	json_decref(rows);
	fflush(stdout);
}
