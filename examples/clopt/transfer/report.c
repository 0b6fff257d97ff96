/* SPDX-License-Identifier: MIT */
/*
 * transfer_report.c - what was measured, as tables, JSON, CSV and a plot.
 */
#include "transfer.h"

#include <math.h>
#include <string.h>

#include "../plot/plot.h"

static int is(const struct transfer_cell *c, const char *experiment)
{
	return strcmp(c->experiment, experiment) == 0;
}

/* The first cell of an experiment, or the end. */
static const struct transfer_cell *find(const struct transfer_bench *b, const char *experiment)
{
	const struct transfer_cell *c = b->cell;

	while (c < b->cell + b->n && !is(c, experiment))
		c++;
	return c;
}

/* ---- Tables -------------------------------------------------------------------- */

static const char *size_text(char text[32], double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	size_t i = 0;

	for (; i < 3 && bytes >= 1024.0; i++)
		bytes /= 1024.0;
	snprintf(text, 32, "%.4g %s", bytes, units[i]);
	return text;
}

static void add_rate(struct tool_table *t, const struct transfer_cell *c)
{
	if (c->verdict)
		tool_table_add(t, "%s", c->verdict);
	else
		tool_table_add(t,
		               c->rate < 0.1   ? "%.2g" :
		               c->rate < 100.0 ? "%.2f" :
		                                 "%.0f",
		               c->rate);
}

/* A row for each size; a column for each way, or two. */
static void sizes(const struct transfer_bench *b, const char *experiment, int moved)
{
	struct tool_table t = { .align = "rrrrrrrrrr" };
	const struct transfer_cell *const first = find(b, experiment),
	                                  *c = first, *const end = b->cell + b->n;
	char text[32];

	tool_table_add(&t, "size");
	for (; c < end && is(c, experiment) && c->x == first->x; c++) {
		tool_table_add(&t, moved ? "%s" : "%s %s", c->method, c->direction);
		if (moved)
			tool_table_add(&t, "moved");
	}
	t.columns = t.used;
	for (c = first; c < end && is(c, experiment); c++) {
		if (c == first || c->x != c[-1].x)
			tool_table_add(&t, "%s", size_text(text, (double)c->x));
		add_rate(&t, c);
		if (moved)
			tool_table_add(&t, "%s", size_text(text, c->moved));
	}
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
}

static void add_part(struct tool_table *t, const struct transfer_cell *c, double whole)
{
	add_rate(t, c);
	if (c->verdict || !(whole > 0.0))
		tool_table_add(t, "-");
	else
		tool_table_add(t, "%.0f%%", 100.0 * c->rate / whole);
}

static void memory(const struct transfer_bench *b)
{
	const struct transfer_cell *c = find(b, "memory");
	struct tool_table t = { .columns = 3, .align = "lrr" };
	const double theoretical = b->args->theoretical;
	char text[32];

	printf("\nDevice memory: (bytes read + bytes written) / 1e9 / seconds, by events\n");
	tool_table_add(&t, "copy of %s", size_text(text, (double)b->copy_bytes));
	tool_table_add(&t, "GB/s");
	tool_table_add(&t, "of theoretical");
	for (; c < b->cell + b->n && is(c, "memory"); c++) {
		tool_table_add(&t, "by a %s", c->method);
		add_part(&t, c, theoretical);
	}
	tool_table_add(&t, "theoretical");
	tool_table_add(&t, theoretical > 0.0 ? "%.4g" : "not known", theoretical);
	tool_table_add(&t, "-");
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
	if (!(theoretical > 0.0))
		printf("OpenCL tells neither clock nor width of the memory: see --theoretical.\n");
}

static void steps(const struct transfer_bench *b)
{
	const struct transfer_cell *const offset = find(b, "offset"), *stride = find(b, "stride");
	struct tool_table t = { .columns = 5, .align = "rrrrr" };
	size_t i;

	printf("\nThe kernel with an offset, and with a stride over the same array\n");
	tool_table_add(&t, "step");
	tool_table_add(&t, "offset GB/s");
	tool_table_add(&t, "of first");
	tool_table_add(&t, "stride GB/s");
	tool_table_add(&t, "of first");
	for (i = 0; i <= TRANSFER_STEPS; i++) {
		tool_table_add(&t, "%zu", i);
		add_part(&t, &offset[i], offset->rate);
		if (i > 0) {
			add_part(&t, &stride[i - 1], stride->rate);
		} else {
			tool_table_add(&t, "-");
			tool_table_add(&t, "-");
		}
	}
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
}

static void transfers(const struct transfer_bench *b)
{
	const struct transfer_cell *c = find(b, "transfer");

	printf("Transfers: GB/s of one at a time by the host's clock, waiting included\n");
	sizes(b, "transfer", 0);
	printf("OpenCL does not tell what the link could do, so there is no share of that.\n");
	while (strcmp(c->direction, "both") != 0)
		c++;
	if (strcmp(c->method, "pinned") != 0)
		printf("Memory that is not pinned goes one way after the other, in `both' too.\n");
}

void transfer_report_text(const struct transfer_bench *b)
{
	const struct transfer_cell *c;

	printf("%s\n\n", b->info.name);
	transfers(b);
	if (b->info.unified) {
		printf("\nA kernel that reads and writes an array of the host's: GB/s of the "
		       "two\n");
		sizes(b, "map", 1);
	}
	memory(b);
	steps(b);
	for (c = b->cell; c < b->cell + b->n; c++)
		if (c->verdict)
			printf("%s: %s %s %s %zu: %s\n", c->verdict, c->experiment, c->method,
			       c->direction, c->x, c->why);
}

/* ---- Files --------------------------------------------------------------------- */

static json_t *number_or_null(double x)
{
	return x > 0.0 ? tool_json_real(x) : json_null();
}

json_t *transfer_report_json(const struct transfer_bench *b)
{
	json_t *list = json_array();
	const struct transfer_cell *c;

	for (c = b->cell; c < b->cell + b->n; c++)
		json_array_append_new(
		        list,
		        json_pack("{s:s, s:s, s:s, s:I, s:o, s:I, s:I, s:s, s:o}", "experiment",
		                  c->experiment, "method", c->method, "direction", c->direction,
		                  is(c, "offset") || is(c, "stride") ? "step" : "bytes",
		                  (json_int_t)c->x, "GBps", number_or_null(c->rate), "moved_bytes",
		                  (json_int_t)c->moved, "repeats", (json_int_t)c->repeats, "check",
		                  c->verdict ? c->verdict : "ok", "why",
		                  c->verdict ? tool_json_text(c->why) : json_null()));
	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o}", "version", clopt_version(), "device",
	                 tool_json_text(b->info.name), "driver", tool_json_text(b->info.driver),
	                 "theoretical_GBps", number_or_null(b->args->theoretical), "copy_bytes",
	                 (json_int_t)b->copy_bytes, "cells", list);
}

/* What is wrong has no rate. */
void transfer_report_csv(const struct transfer_bench *b, FILE *to)
{
	const struct transfer_cell *c;

	fprintf(to, "experiment,method,bytes_or_step,direction,GBps\n");
	for (c = b->cell; c < b->cell + b->n; c++) {
		fprintf(to, "%s,%s,%zu,%s,", c->experiment, c->method, c->x, c->direction);
		fprintf(to, c->verdict ? "\n" : "%.6g\n", c->rate);
	}
}

/* After figures 3.7 and 3.9 of NVIDIA's OpenCL Best Practices Guide (2011). */
void transfer_report_svg(const struct transfer_bench *b, FILE *to)
{
	static const char *const experiments[] = { "offset", "stride" };
	const double ends[] = { 0.0, TRANSFER_STEPS },
	             theoretical[] = { b->args->theoretical, b->args->theoretical };
	double x[2][TRANSFER_STEPS + 1], y[2][TRANSFER_STEPS + 1];
	struct plot_series series[2][2] = { { { .n = 0 } } };
	struct plot_panel panels[2] = {
		{ .title = "Copy kernel with an offset", .x = { .label = "offset (elements)" } },
		{ .title = "Copy kernel with a stride", .x = { .label = "stride (elements)" } },
	};
	const struct transfer_cell *c;
	size_t i, n;

	for (i = 0; i < 2; i++) {
		n = 0;
		for (c = find(b, experiments[i]); c < b->cell + b->n && is(c, experiments[i]);
		     c++) {
			x[i][n] = (double)c->x;
			y[i][n++] = c->verdict ? NAN : c->rate;
		}
		series[i][0] =
		        (struct plot_series){ .name = "effective", .x = x[i], .y = y[i], .n = n };
		series[i][1] = (struct plot_series){
			.name = "theoretical", .x = ends, .y = theoretical, .n = 2, .reference = 1
		};
		panels[i].x.to = TRANSFER_STEPS;
		panels[i].x.step = 4.0;
		panels[i].y.label = "bandwidth (GB/s)";
		panels[i].series = series[i];
		panels[i].count = b->args->theoretical > 0.0 ? 2 : 1;
	}
	plot_svg(to, b->info.name, panels, 2);
}
