/* SPDX-License-Identifier: MIT */
/*
 * trace.c - `clopt trace': the picture of a time line that clopt_trace_json wrote.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "../../common/options.h"
#include "../../common/outfile.h"
#include "../../common/progress.h"
#include "../plot/plot.h"

enum {
	UP,
	KERNEL,
	DOWN,
	COPY,
	KINDS
};

static const char *const kinds[KINDS] = { "up", "kernel", "down", "copy" };

#define QUEUES 64 /* rows that a device has in the picture */

/* Less than this share of a time is taken for none. */
#define NOISE 0.05

struct trace {
	struct plot_span *list; /* call by call, by beginning */
	size_t n;
	unsigned copy_engines; /* 0: not told */
	unsigned devices;
	const char *device, *label; /* label: of all kernels, or NULL */
};

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static int by_call(const void *a, const void *b)
{
	const struct plot_span *x = a, *y = b;

	return x->call != y->call ? (x->call > y->call) - (x->call < y->call) :
	                            (x->from > y->from) - (x->from < y->from);
}

/* 0: no command of a known kind. */
static int read_command(const json_t *event, struct plot_span *c)
{
	const char *kind = json_string_value(json_object_get(event, "cat")), *ph;
	const json_t *args = json_object_get(event, "args");

	ph = json_string_value(json_object_get(event, "ph"));
	memset(c, 0, sizeof *c);
	while (c->kind < KINDS && !(kind && strcmp(kind, kinds[c->kind]) == 0))
		c->kind++;
	if (!ph || strcmp(ph, "X") != 0 || c->kind == KINDS)
		return 0;
	c->from = 1e-6 * number(event, "ts");
	c->to = c->from + 1e-6 * number(event, "dur");
	c->row = (unsigned)fmin(fmax(number(event, "tid"), 0.0), QUEUES - 1.0) +
	         QUEUES * (unsigned)fmin(fmax(number(event, "pid") - 1.0, 0.0), 255.0);
	c->label = json_string_value(json_object_get(event, "name"));
	c->call = (size_t)fmax(number(args, "call"), 0.0);
	c->bytes = number(args, "bytes");
	return isfinite(c->from) && c->to >= c->from;
}

/* Nonzero after an error message.  Texts of t belong to file. */
static int read_trace(const char *path, json_t *file, struct trace *t)
{
	const json_t *events = json_object_get(file, "traceEvents"), *event;
	size_t i;
	int several = 0;

	if (!json_is_array(events))
		return tool_tell("%s: no traceEvents", path);
	t->list = calloc(json_array_size(events) + 1, sizeof *t->list);
	if (!t->list)
		return tool_no_memory();
	t->copy_engines = (unsigned)number(json_object_get(file, "otherData"), "copy_engines");
	json_array_foreach(events, i, event)
	{
		const char *name = json_string_value(json_object_get(event, "name"));
		struct plot_span *c = &t->list[t->n];

		if (name && strcmp(name, "process_name") == 0)
			t->device = json_string_value(
			        json_object_get(json_object_get(event, "args"), "name"));
		if (!read_command(event, c))
			continue;
		t->n++;
		t->devices = c->row / QUEUES < t->devices ? t->devices : c->row / QUEUES + 1;
		if (c->kind != KERNEL || !c->label)
			continue;
		several |= t->label && strcmp(t->label, c->label) != 0;
		t->label = c->label;
	}
	if (several)
		t->label = NULL;
	qsort(t->list, t->n, sizeof *t->list, by_call);
	return 0;
}

/* Seconds in which at least one command of these kinds ran; `mask' has a bit for each. */
static double busy(const struct plot_span *c, size_t n, unsigned mask)
{
	double sum = 0.0, until = -HUGE_VAL;
	size_t i;

	for (i = 0; i < n; i++)
		if (mask >> c[i].kind & 1 && c[i].to > until) {
			sum += c[i].to - fmax(c[i].from, until);
			until = c[i].to;
		}
	return sum;
}

/* Call by call, since between two of them nothing could be hidden; as clopt_report's
 * serial_seconds, bound_seconds and hidden. */
static void summary(const struct trace *t, char *text, size_t size)
{
	double serial = 0.0, bound = 0.0, took = 0.0, hidden = 0.0, unit, last;
	size_t i, n, calls = 0;
	const char *name;
	int used;

	for (i = 0; i < t->n; i += n, calls++) {
		const struct plot_span *c = &t->list[i];
		double up, kernel, down, both, all, least;
		int both_ways;

		last = c->to;
		for (n = 0; i + n < t->n && c[n].call == c->call; n++)
			last = fmax(last, c[n].to);
		up = busy(c, n, 1 << UP);
		kernel = busy(c, n, 1 << KERNEL | 1 << COPY);
		down = busy(c, n, 1 << DOWN);
		both = up + down - busy(c, n, 1 << UP | 1 << DOWN);
		both_ways = t->copy_engines ? t->copy_engines > 1 : both > NOISE * fmin(up, down);
		all = up + kernel + down;
		least = fmax(kernel, both_ways ? fmax(up, down) : up + down);
		serial += all;
		bound += least;
		took += last - c->from;
		hidden += fmin(fmax(all - (last - c->from), 0.0), all - least);
	}
	name = plot_time_unit(took, &unit);
	if (t->devices > 1) { /* they work at a time */
		snprintf(text, size, "%zu commands of %zu call%s on %u devices: took %.4g %s", t->n,
		         calls, calls == 1 ? "" : "s", t->devices, took / unit, name);
		return;
	}
	used = snprintf(
	        text, size, "%zu commands of %zu call%s: serial %.4g %s, bound %.4g, took %.4g",
	        t->n, calls, calls == 1 ? "" : "s", serial / unit, name, bound / unit, took / unit);
	if (serial - bound > NOISE * serial && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, ", %.0f %% of the overlap reached",
		         100.0 * hidden / (serial - bound));
}

/* The total of a kind for the legend: "up 12 ms, 30.1 GB/s"; NULL if there is none. */
static const char *total(const struct trace *t, unsigned kind, char *text, size_t size)
{
	const double seconds = busy(t->list, t->n, 1u << kind);
	double bytes = 0.0, unit;
	const char *name = plot_time_unit(seconds, &unit);
	size_t i, n = 0;

	for (i = 0; i < t->n; i++)
		if (t->list[i].kind == kind) {
			bytes += t->list[i].bytes;
			n++;
		}
	if (bytes > 0.0 && seconds > 0.0)
		snprintf(text, size, "%s %.4g %s, %.1f GB/s", kinds[kind], seconds / unit, name,
		         1e-9 * bytes / seconds);
	else
		snprintf(text, size, "%s %.4g %s", kinds[kind], seconds / unit, name);
	return n ? text : NULL;
}

static void draw(const struct trace *t, FILE *to)
{
	char title[512], note[256], notes[KINDS][64];
	const char *shown[KINDS];
	const struct plot_timeline line = {
		note, kinds, shown, KINDS, t->list, t->n, t->devices > 1 ? QUEUES : 0
	};
	unsigned kind;

	for (kind = 0; kind < KINDS; kind++)
		shown[kind] = total(t, kind, notes[kind], sizeof notes[kind]);
	summary(t, note, sizeof note);
	snprintf(title, sizeof title, "%s%s%s", t->device ? t->device : "time line",
	         t->label ? ": " : "", t->label ? t->label : "");
	plot_timeline_svg(to, title, &line);
}

int tool_trace(const struct tool_args *args)
{
	struct trace t = { .n = 0 };
	struct outfile out = { 0 };
	json_error_t error;
	json_t *file;
	char why[512];
	int rc = 1;

	progress_say("reading %s", args->file);
	file = json_load_file(args->file, 0, &error);
	progress_hide();
	if (!file && error.line < 0) /* it could not be opened */
		return tool_tell("%s", error.text);
	if (!file)
		return tool_tell("%s: line %d: %s", args->file, error.line, error.text);
	if (read_trace(args->file, file, &t))
		goto out;
	rc = outfile_open(&out, options_output(args->svg), why, sizeof why) != 0;
	if (!rc) {
		draw(&t, out.f);
		rc = outfile_commit(&out, why, sizeof why) != 0;
	}
	if (rc)
		tool_tell("%s", why);
out:
	outfile_drop(&out);
	free(t.list);
	json_decref(file);
	return rc;
}
