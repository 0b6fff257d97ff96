/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - `clopt bench transfer': its formulas, its list of cells, and a run.
 */
#include "transfer.h"

#include "../../common/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/program.h"
#include "../plot/plot.h"

enum {
	MOST_WAYS = 8
};

double transfer_effective(double bytes_read, double bytes_written, double seconds)
{
	return seconds > 0.0 ? (bytes_read + bytes_written) / 1e9 / seconds : 0.0;
}

/* Twice, since memory of today moves data on both edges of its clock. */
double transfer_theoretical(double clock_mhz, double width_bits)
{
	return clock_mhz * 1e6 * (width_bits / 8.0) * 2.0 / 1e9;
}

double transfer_read_theoretical(const char *word)
{
	double value, bits = 0.0;
	char *end;

	value = strtod(word, &end);
	if (end != word && *end == 'x') {
		word = end + 1;
		bits = strtod(word, &end);
		value = transfer_theoretical(value, bits);
	}
	return end != word && !*end && isfinite(value) && value > 0.0 && bits >= 0.0 ? value : 0.0;
}

int transfer_add(struct transfer_bench *b, const struct transfer_cell *cell)
{
	if (grow(&b->cell, b->n, &b->room, sizeof *b->cell))
		return tool_no_memory();
	b->cell[b->n++] = *cell;
	return 0;
}

struct turns {
	struct transfer_cell *first;
	transfer_turn *once;
	void *what;
};

static void turn(void *turns, size_t i, struct tool_sample *s)
{
	struct turns *t = turns;
	struct transfer_cell *c = &t->first[i];
	double took;

	progress_say("%s, %s, %s, %zu", c->experiment, c->method, c->direction, c->x);
	took = t->once(t->what, i, c);
	tool_sample_add(s, took, took);
}

void transfer_measure(struct transfer_bench *b, size_t first, double seconds, transfer_turn *once,
                      void *what)
{
	struct turns t = { b->cell + first, once, what };
	struct transfer_cell *c;

	tool_turns(&t.first->s, sizeof *t.first, b->n - first, TRANSFER_LEAST, seconds, turn, &t);
	for (c = t.first; c < b->cell + b->n; c++)
		if (!c->s.verdict)
			c->rate = transfer_effective(c->read, c->written,
			                             tool_median(c->s.seconds, c->s.repeats));
}

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

/* A rate, or the verdict in place of it; and the share of another rate. */
static json_t *rate(const struct transfer_cell *c)
{
	char text[32];

	snprintf(text, sizeof text,
	         c->rate < 0.1   ? "%.2g" :
	         c->rate < 100.0 ? "%.2f" :
	                           "%.0f",
	         c->rate);
	return json_string(c->s.verdict ? c->s.verdict : text);
}

static json_t *share(const struct transfer_cell *c, double whole)
{
	return tool_json_known(c->s.verdict || !(whole > 0.0) ? 0.0 : c->rate / whole);
}

static void print_rows(json_t *rows, const struct tool_column *columns)
{
	tool_table(stdout, rows, columns);
	json_decref(rows);
}

/* A row for each size; a column for each way, or two. */
static void sizes(const struct transfer_bench *b, const char *experiment, int moved)
{
	struct tool_column columns[2 * MOST_WAYS + 2] = { TOOL_NUMBER("size", "size", "%s", 1) };
	char head[MOST_WAYS][32], key[MOST_WAYS][2][8], text[32];
	const struct transfer_cell *const first = find(b, experiment), *c = first;
	json_t *rows = json_array(), *row = NULL;
	size_t k = 0, n;

	for (; c < b->cell + b->n && is(c, experiment); c++, k++) {
		if (c == first || c->x != c[-1].x) {
			k = 0;
			row = json_pack("{s:s}", "size", tool_bytes(text, (double)c->x));
			json_array_append_new(rows, row);
		}
		snprintf(head[k], sizeof head[k], moved ? "%s" : "%s %s", c->method, c->direction);
		snprintf(key[k][0], sizeof key[k][0], "%zu", k);
		snprintf(key[k][1], sizeof key[k][1], "m%zu", k);
		n = 1 + (moved ? 2 * k : k);
		columns[n] = (struct tool_column)TOOL_NUMBER(head[k], key[k][0], "%s", 1);
		json_object_set_new(row, key[k][0], rate(c));
		if (!moved)
			continue;
		columns[n + 1] = (struct tool_column)TOOL_NUMBER("moved", key[k][1], "%s", 1);
		json_object_set_new(row, key[k][1], json_string(tool_bytes(text, c->moved)));
	}
	print_rows(rows, columns);
}

static void memory(const struct transfer_bench *b)
{
	const double theoretical = b->args->theoretical;
	char head[64], size[32], method[32];
	const struct tool_column columns[] = {
		TOOL_TEXT(head, "by"),
		{ "GB/s", "rate", "%.4g", 1, "not known" },
		TOOL_NUMBER("of theoretical", "share", "%.0f%%", 100),
		TOOL_END,
	};
	const struct transfer_cell *c = find(b, "memory");
	json_t *rows = json_array();

	printf("\nDevice memory: (bytes read + bytes written) / 1e9 / seconds, by events\n");
	snprintf(head, sizeof head, "copy of %s", tool_bytes(size, (double)b->copy_bytes));
	for (; c < b->cell + b->n && is(c, "memory"); c++) {
		snprintf(method, sizeof method, "by a %s", c->method);
		json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "by", method, "rate",
		                                      rate(c), "share", share(c, theoretical)));
	}
	json_array_append_new(rows, json_pack("{s:s, s:o}", "by", "theoretical", "rate",
	                                      tool_json_known(theoretical)));
	print_rows(rows, columns);
	if (!(theoretical > 0.0))
		printf("OpenCL tells neither clock nor width of the memory: see --theoretical.\n");
}

static void steps(const struct transfer_bench *b)
{
	static const struct tool_column columns[] = {
		TOOL_NUMBER("step", "step", "%.0f", 1),
		TOOL_NUMBER("offset GB/s", "offset", "%s", 1),
		TOOL_NUMBER("of first", "o", "%.0f%%", 100),
		TOOL_NUMBER("stride GB/s", "stride", "%s", 1),
		TOOL_NUMBER("of first", "s", "%.0f%%", 100),
		TOOL_END,
	};
	const struct transfer_cell *const offset = find(b, "offset"), *stride = find(b, "stride");
	json_t *rows = json_array();
	size_t i;

	printf("\nThe kernel with an offset, and with a stride over the same array\n");
	for (i = 0; i <= TRANSFER_STEPS; i++)
		json_array_append_new(
		        rows,
		        json_pack("{s:I, s:o, s:o, s:o, s:o}", "step", (json_int_t)i, "offset",
		                  rate(&offset[i]), "o", share(&offset[i], offset->rate), "stride",
		                  i ? rate(&stride[i - 1]) : json_null(), "s",
		                  i ? share(&stride[i - 1], stride->rate) : json_null()));
	print_rows(rows, columns);
}

/* What transfer_host() measured: the device's memory takes a while longer. */
static void print_host(const struct transfer_bench *b)
{
	const struct transfer_cell *c = find(b, "transfer");

	progress_hide();
	printf("%s\n\n", b->info.name);
	printf("Transfers: GB/s of one at a time by the host's clock, waiting included\n");
	sizes(b, "transfer", 0);
	printf("OpenCL does not tell the bandwidth of the link.\n");
	while (strcmp(c->direction, "both") != 0)
		c++;
	if (strcmp(c->method, "pinned") != 0)
		printf("Memory that is not pinned goes one way after the other, in `both' too.\n");
	if (b->info.unified) {
		printf("\nA kernel that reads and writes an array of the host's: GB/s of the "
		       "two\n");
		sizes(b, "map", 1);
	}
	fflush(stdout);
}

static void print_device(const struct transfer_bench *b)
{
	const struct transfer_cell *c;

	progress_hide();
	memory(b);
	steps(b);
	for (c = b->cell; c < b->cell + b->n; c++)
		if (c->s.verdict)
			printf("%s: %s %s %s %zu: %s\n", c->s.verdict, c->experiment, c->method,
			       c->direction, c->x, c->s.why);
}

/* ---- Files --------------------------------------------------------------------- */

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
		                  (json_int_t)c->x, "GBps", tool_json_known(c->rate), "moved_bytes",
		                  (json_int_t)c->moved, "repeats", (json_int_t)c->s.repeats,
		                  "check", tool_verdict(&c->s), "why", tool_why(&c->s)));
	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o}", "version", clopt_version(), "device",
	                 tool_json_text(b->info.name), "driver", tool_json_text(b->info.driver),
	                 "theoretical_GBps", tool_json_known(b->args->theoretical), "copy_bytes",
	                 (json_int_t)b->copy_bytes, "cells", list);
}

void transfer_report_csv(const json_t *json, FILE *to)
{
	static const char *const names[] = { "experiment", "method", "bytes_or_step",
		                             "direction",  "GBps",   NULL };
	json_t *rows = json_deep_copy(json_object_get(json, "cells")), *row, *bytes;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		bytes = json_object_get(row, "bytes");
		json_object_set(row, "bytes_or_step", bytes ? bytes : json_object_get(row, "step"));
	}
	tool_csv(to, rows, names, 1);
	json_decref(rows);
}

/* After figures 3.7 and 3.9 of NVIDIA's OpenCL Best Practices Guide (2011). */
static void draw(const struct transfer_bench *b, FILE *to)
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
			y[i][n++] = c->s.verdict ? NAN : c->rate;
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

static int with_files(const struct tool_args *args, FILE *csv, FILE *svg)
{
	struct transfer_bench b = { .args = args };
	json_t *json;
	size_t i;
	int rc = transfer_host(&b);

	if (!rc && !args->json)
		print_host(&b);
	rc = rc || transfer_device(&b);
	if (rc)
		goto out;
	json = transfer_report_json(&b);
	if (csv)
		transfer_report_csv(json, csv);
	if (svg)
		draw(&b, svg);
	for (i = 0; i < b.n; i++)
		rc |= b.cell[i].s.verdict != NULL;
	if (args->json) {
		rc |= tool_json_print(json);
	} else {
		print_device(&b);
		json_decref(json);
	}
out:
	free(b.cell);
	return rc;
}

int tool_transfer(const struct tool_args *args)
{
	return tool_with_files(args, with_files);
}
