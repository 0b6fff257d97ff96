/* SPDX-License-Identifier: MIT */
/*
 * page.c - `clopt bench --page': what a device does, on a page of HTML that needs no other file.
 *
 * The problems and their roofs come from the bench.  Measured here are calls by size, from the smallest on,
 * since small ones are made of everything but computing; and transfers by size, with a copy in the
 * host's memory beside them, since no way of ordinary memory can be faster than both that and the bus.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../common/program.h"
#include "../../common/progress.h"
#include "../plot/plot.h"
#include "../transfer/transfer.h"
#include "bench.h"

enum {
	LEAST_SIZE = 16,
	SIZES = 11, /* each twice the one before */
	SMALL_SIZES = 3, /* on a simulated device */
	MEMORIES = 2, /* ordinary, and what clopt_host_alloc gives */
	SAMPLES = 64,
	LEAST_REPEATS = 5,
	SEED = 1,
	MOST_WAYS = 8 /* of a transfer */
};
#define LONGEST 0.02 /* seconds of a call; the next size would take too long */
#define SHARE 8 /* so many sizes share the seconds of a problem */

/* ---- HTML ------------------------------------------------------------------------------ */

static const char style[] =
        "body{font:15px/1.5 sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222}"
        "h1{font-size:1.4em}h2{font-size:1.15em;margin-top:2em}svg{max-width:100%;height:auto}"
        "table{border-collapse:collapse;margin:1em 0;font-size:14px}"
        "th,td{padding:.15em .8em;border-bottom:1px solid #ddd;text-align:right}"
        "th{vertical-align:bottom}.text{text-align:left}";

static void head(FILE *to, const char *title, const char *text)
{
	fprintf(to, "<h2>%s</h2>\n<p>%s</p>\n", title, text);
}

/* Columns that no row has are left out, as in tool_table(). */
static void table(FILE *to, const json_t *rows, const struct tool_column *columns)
{
	const struct tool_column *c;
	char text[TOOL_CELL];
	size_t i, any;

	fputs("<table>\n", to);
	for (i = 0; i <= json_array_size(rows); i++) {
		fputs("<tr>", to);
		for (c = columns; c->head; c++) {
			json_t *row;
			size_t k;

			any = !c->format || *c->format != '?';
			json_array_foreach(rows, k, row)
			{
				tool_cell(row, c, text);
				any |= *text != '\0';
			}
			if (!any)
				continue;
			if (i)
				tool_cell(json_array_get(rows, i - 1), c, text);
			fprintf(to, "<t%c%s>", i ? 'd' : 'h', c->format ? "" : " class=\"text\"");
			plot_text(to, !i ? c->head : *text ? text : "-");
			fprintf(to, "</t%c>", i ? 'd' : 'h');
		}
		fputs("</tr>\n", to);
	}
	fputs("</table>\n", to);
}

void bench_page_begin(FILE *to, const struct clopt_device_info *info)
{
	const time_t now = time(NULL);
	char date[32] = "", text[640];
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(date, sizeof date, "%Y-%m-%d", &utc);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
	      "charset=\"utf-8\">\n<title>libclopt on ",
	      to);
	plot_text(to, info->name);
	fprintf(to, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>libclopt %s on ", style,
	        clopt_version());
	plot_text(to, info->name);
	fputs("</h1>\n<p>", to);
	snprintf(text, sizeof text,
	         "%s: %s; driver %s; %u compute units, %u MHz; %.1f GB of memory%s", info->platform,
	         info->version, info->driver, info->compute_units, info->clock_mhz,
	         (double)info->global_bytes / 1e9, info->unified ? ", the host's" : "");
	plot_text(to, text);
	fprintf(to, ". %s. Made by <code>clopt bench --page</code>.</p>\n", date);
	head(to, "Roofline",
	     "Each routine in float32 by the kernel that the library chose, below the roof that a "
	     "kernel of nothing but "
	     "its kind of work reached in turns with it.");
}

/* ---- Problems and peaks ---------------------------------------------------------------- */

static void problems_table(FILE *to, const json_t *problems)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("operation", "operation"),
		TOOL_TEXT("problem", "problem"),
		TOOL_TEXT("kernel", "variant"),
		TOOL_NUMBER("kernel ms", "kernel_seconds", "?%.3f", 1e3),
		TOOL_NUMBER("call ms", "call_seconds", "%.3f", 1e3),
		TOOL_NUMBER("rate", "rate", "%.4g", 1),
		TOOL_TEXT("", "unit"),
		TOOL_NUMBER("roof", "roof", "?%.4g", 1),
		TOOL_NUMBER("of roof", "of_roof", "?%.0f%%", 100),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};
	json_t *rows = json_array(), *problem, *row;
	size_t i, k;

	json_array_foreach(problems, i, problem)
	{
		json_array_foreach(json_object_get(problem, "variants"), k, row)
		{
			row = json_copy(row);
			json_object_update_missing(row, problem);
			json_array_append_new(rows, row);
		}
	}
	table(to, rows, columns);
	json_decref(rows);
}

static void peaks_table(FILE *to, const json_t *peaks)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("at most", "name"),
		TOOL_NUMBER("best", "best", "%.4g", 1),
		TOOL_NUMBER("median", "median", "%.4g", 1),
		TOOL_TEXT("", "unit"),
		TOOL_END,
	};

	table(to, peaks, columns);
}

/* ---- Calls by size --------------------------------------------------------------------- */

static const int operations[] = { CLOPT_OP_MATMUL, CLOPT_OP_TRANSPOSE, CLOPT_OP_NBODY };

enum {
	OPERATIONS = sizeof operations / sizeof *operations
};

struct call {
	struct tool_sample s;
	struct clopt *ctx;
	struct case_job *job;
};

/* An operation's times, in microseconds, by size. */
struct times {
	double n[SIZES], micro[MEMORIES][SIZES];
	size_t sizes;
};

struct calls {
	struct clopt *ctx;
	enum case_extent extent;
	double seconds; /* for each size */
	const char *memory[MEMORIES];
	struct times times[OPERATIONS];
	json_t *rows;
	size_t *bad;
};

static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct call *c = (struct call *)what + i;
	const double start = seconds_now();
	double took;

	if (case_call(c->ctx, c->job) != CLOPT_OK) {
		tool_failed(s, clopt_error(c->ctx));
		return;
	}
	took = seconds_now() - start;
	tool_sample_add(s, took, took);
}

static void note_memory(struct calls *all, int kind)
{
	all->memory[0] = "ordinary memory";
	all->memory[1] = kind == CLOPT_MEMORY_SHARED ? "shared with the device" :
	                 kind == CLOPT_MEMORY_PINNED ? "pinned memory" :
	                                               "clopt_host_alloc";
}

/* One size, from both kinds of memory in turns; the result of the first call of each is compared.  0, or 1 if
 * memory ran out. */
static int time_size(struct calls *all, int op, struct times *t, size_t n)
{
	struct call call[MEMORIES] = { { .ctx = all->ctx }, { .ctx = all->ctx } };
	const struct tool_sample *judged = &call[0].s; /* the first that is wrong, if one is */
	struct clopt_report report;
	struct case_result check;
	struct shape shape;
	json_t *micro[MEMORIES];
	size_t i;
	int kind = 0, rc = 0;

	progress_say("%s of %zu: calls", clopt_op_name(op), n);
	case_bench(op, 0, all->extent, n, &shape);
	if (case_open(&call[0].job, op, &shape, SEED) != CLOPT_OK ||
	    case_copy(&call[1].job, call[0].job, all->ctx, &kind) != CLOPT_OK) {
		rc = tool_no_memory();
		goto out;
	}
	note_memory(all, kind);
	for (i = 0; i < MEMORIES; i++)
		tool_first_call(&call[i].s, all->ctx, NULL, call[i].job, SAMPLES, &report, &check);
	tool_turns(&call[0].s, sizeof *call, MEMORIES, LEAST_REPEATS, all->seconds, turn, call);
	for (i = 0; i < MEMORIES; i++) {
		const double median = tool_median(call[i].s.seconds, call[i].s.repeats);

		*all->bad += call[i].s.verdict != NULL;
		t->micro[i][t->sizes] = call[i].s.verdict ? NAN : median * 1e6;
		micro[i] = tool_json_known(t->micro[i][t->sizes]);
		judged = judged->verdict ? judged : &call[i].s;
	}
	t->n[t->sizes++] = (double)n;
	json_array_append_new(all->rows,
	                      json_pack("{s:s, s:I, s:o, s:o, s:o, s:s, s:o}", "operation",
	                                clopt_op_name(op), "n", (json_int_t)n, "variant",
	                                tool_json_text(tool_choice(all->ctx, op, &shape)), "first",
	                                micro[0], "second", micro[1], "check", tool_verdict(judged),
	                                "why", tool_why(judged)));
out:
	if (call[1].job)
		case_close(call[1].job);
	if (call[0].job)
		case_close(call[0].job);
	return rc;
}

static int measure_calls(struct calls *all)
{
	const size_t sizes = all->extent == CASE_SMALL ? SMALL_SIZES : SIZES;
	size_t i, k, n;
	int rc = 0;

	for (i = 0; i < OPERATIONS; i++)
		for (k = 0, n = LEAST_SIZE; !rc && k < sizes; k++, n *= 2) {
			struct times *t = &all->times[i];

			rc = time_size(all, operations[i], t, n);
			if (!rc && !(t->micro[0][k] < LONGEST * 1e6))
				break;
		}
	return rc;
}

static void draw_calls(FILE *to, const struct calls *all)
{
	struct tool_column columns[] = {
		TOOL_TEXT("operation", "operation"),
		TOOL_NUMBER("n", "n", "%.0f", 1),
		TOOL_NUMBER(all->memory[0], "first", "%.1f", 1),
		TOOL_NUMBER(all->memory[1], "second", "%.1f", 1),
		TOOL_TEXT("kernel", "variant"),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};
	static const char *const titles[OPERATIONS] = { "Product, n x n x n", "Transpose, n x n",
		                                        "Gravity, n bodies" };
	struct plot_series series[OPERATIONS][MEMORIES];
	struct plot_panel panel[OPERATIONS];
	size_t i, m;

	for (i = 0; i < OPERATIONS; i++) {
		const struct times *t = &all->times[i];

		for (m = 0; m < MEMORIES; m++)
			series[i][m] = (struct plot_series){
				.name = all->memory[m], .x = t->n, .y = t->micro[m], .n = t->sizes
			};
		panel[i] =
		        (struct plot_panel){ .title = titles[i],
			                     .x = { .label = "n", .log = 1 },
			                     .y = { .label = "microseconds of a call", .log = 1 },
			                     .series = series[i],
			                     .count = MEMORIES };
	}
	head(to, "Calls by size",
	     "Microseconds of whole calls on arrays of the host, in float32, medians: transfers, "
	     "launch and waiting "
	     "are in them.  Small products may be computed on the host.");
	plot_svg(to, "Calls by size", panel, OPERATIONS);
	table(to, all->rows, columns);
}

/* ---- Transfers by size ----------------------------------------------------------------- */

/* GB/s of memcpy by one thread, between arrays that are touched before; 0 without memory. */
static double host_copy(size_t bytes, double seconds)
{
	struct tool_sample s = { .repeats = 0 };
	char *from = malloc(bytes), *to = malloc(bytes);

	if (from && to) {
		memset(from, 1, bytes);
		memset(to, 2, bytes);
		while (s.repeats < LEAST_REPEATS ||
		       (s.spent < seconds && s.repeats < TOOL_REPEATS)) {
			const double start = seconds_now();
			double took;

			/* The first byte changes, so that no copy can be left out. */
			from[0] = (char)s.repeats;
			memcpy(to, from, bytes);
			took = seconds_now() - start;
			if (to[0] != from[0])
				break;
			tool_sample_add(&s, took, took);
		}
	}
	free(from);
	free(to);
	return transfer_effective((double)bytes, 0, tool_median(s.seconds, s.repeats));
}

/* A way of moving memory, by size. */
struct way {
	const char *name;
	double x[SIZES], y[SIZES];
	size_t n;
};

struct direction {
	struct way way[MOST_WAYS];
	size_t ways;
};

static void add_rate(struct direction *d, const char *name, size_t bytes, double rate)
{
	struct way *w = d->way;

	while (w < d->way + d->ways && strcmp(w->name, name) != 0)
		w++;
	if (w == d->way + MOST_WAYS || (w < d->way + d->ways && w->n == SIZES))
		return;
	if (w == d->way + d->ways)
		d->ways++;
	w->name = name;
	w->x[w->n] = (double)bytes / 1e6;
	w->y[w->n++] = rate;
}

static json_t *rates_row(struct direction *both, const struct transfer_cell *c, size_t cells)
{
	static const char *const names[] = { "up", "down", "both" };
	json_t *row = json_object();
	const size_t bytes = c->x;
	char text[TOOL_AMOUNT], key[64];
	size_t d;

	json_object_set_new(row, "size", json_string(tool_bytes(text, (double)bytes)));
	for (; cells && c->x == bytes && strcmp(c->experiment, "transfer") == 0; c++, cells--)
		for (d = 0; d < 3; d++)
			if (strcmp(c->direction, names[d]) == 0) {
				add_rate(&both[d], c->method, bytes, c->s.verdict ? NAN : c->rate);
				snprintf(key, sizeof key, "%s_%s", c->method, c->direction);
				json_object_set_new(
				        row,
				        strcmp(c->method, "driver") && strcmp(c->method, "staged") ?
				                names[d] : /* what clopt_host_alloc gives */
				                key,
				        tool_json_known(c->rate));
			}
	return row;
}

static int draw_transfers(FILE *to, const struct tool_args *args, size_t *bad)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("bytes", "size"),
		TOOL_NUMBER("up: driver", "driver_up", "%.2f", 1),
		TOOL_NUMBER("staged", "staged_up", "%.2f", 1),
		TOOL_NUMBER("clopt_host_alloc", "up", "%.2f", 1),
		TOOL_NUMBER("down: driver", "driver_down", "%.2f", 1),
		TOOL_NUMBER("staged", "staged_down", "%.2f", 1),
		TOOL_NUMBER("clopt_host_alloc", "down", "%.2f", 1),
		TOOL_NUMBER("both ways at once", "both", "?%.2f", 1),
		TOOL_NUMBER("memcpy", "memcpy", "%.2f", 1),
		TOOL_END,
	};
	static const char *const titles[] = { "To the device", "From the device" };
	struct tool_args own = *args;
	struct transfer_bench b = { .args = &own };
	struct direction both[3] = { { .ways = 0 } };
	struct plot_series series[2][MOST_WAYS];
	struct plot_panel panel[2];
	json_t *rows = json_array(), *row;
	size_t i, k;
	int rc;

	own.size = 0; /* of the bench's problems */
	rc = transfer_host(&b);
	for (i = 0; !rc && i < b.n; i++) {
		*bad += b.cell[i].s.verdict != NULL;
		if (strcmp(b.cell[i].experiment, "transfer") == 0 &&
		    (i == 0 || b.cell[i].x != b.cell[i - 1].x)) {
			const double rate = host_copy(b.cell[i].x, own.seconds);

			row = rates_row(both, &b.cell[i], b.n - i);
			json_object_set_new(row, "memcpy", tool_json_known(rate));
			json_array_append_new(rows, row);
			for (k = 0; k < 2; k++)
				add_rate(&both[k], "memcpy", b.cell[i].x, rate);
		}
	}
	for (k = 0; k < 2; k++) {
		for (i = 0; i < both[k].ways; i++)
			series[k][i] = (struct plot_series){ .name = both[k].way[i].name,
				                             .x = both[k].way[i].x,
				                             .y = both[k].way[i].y,
				                             .n = both[k].way[i].n };
		panel[k] = (struct plot_panel){ .title = titles[k],
			                        .x = { .label = "MB", .log = 1 },
			                        .y = { .label = "GB/s", .log = 1 },
			                        .series = series[k],
			                        .count = both[k].ways };
	}
	head(to, "Transfers by size",
	     "GB/s of one transfer and its wait: of ordinary memory by the driver and staged by "
	     "the library, and of "
	     "memory of clopt_host_alloc; memcpy is by one thread, within the host's memory.");
	plot_svg(to, "Transfers by size", panel, 2);
	table(to, rows, columns);
	json_decref(rows);
	free(b.cell);
	return rc;
}

int bench_page_end(FILE *to, const struct tool_args *args, const json_t *peaks,
                   const json_t *problems, size_t *bad)
{
	struct clopt_device_info info;
	struct calls *all = calloc(1, sizeof *all);
	int rc;

	if (!all)
		return tool_no_memory();
	head(to, "Share of the roof",
	     "Medians of calls in turns; a sample of each result is compared with plain C.");
	problems_table(to, problems);
	head(to, "Peaks", "The most that kernels of one kind of work reached.");
	peaks_table(to, peaks);
	all->bad = bad;
	all->rows = json_array();
	all->seconds = args->seconds / SHARE;
	rc = tool_open(args, 0, 0, &all->ctx, &info);
	if (!rc) {
		all->extent = tool_extent(args, &info);
		rc = measure_calls(all);
	}
	if (!rc)
		draw_calls(to, all);
	rc = rc || draw_transfers(to, args, bad);
	fputs("</body>\n</html>\n", to);
	clopt_close(all->ctx);
	json_decref(all->rows);
	free(all);
	return rc;
}
