/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - `clopt bench transfer': its formulas, its list of cells, and a run.
 */
#include "transfer.h"

#include <math.h>
#include <stdlib.h>

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
	const size_t room = b->room ? 2 * b->room : 128;
	struct transfer_cell *more;

	if (b->n == b->room) {
		more = realloc(b->cell, room * sizeof *more);
		if (!more)
			return tool_no_memory();
		b->cell = more;
		b->room = room;
	}
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
	const double took = t->once(t->what, i, &t->first[i]);

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

int tool_transfer(const struct tool_args *args)
{
	struct transfer_bench b = { .args = args };
	FILE *csv = NULL, *svg = NULL;
	json_t *json;
	size_t i;
	int rc;

	rc = tool_file_open(&csv, args->csv) || tool_file_open(&svg, args->svg) ||
	     transfer_host(&b) || transfer_device(&b);
	if (rc)
		goto out;
	json = transfer_report_json(&b);
	if (!args->json)
		transfer_report_text(&b);
	if (csv)
		transfer_report_csv(json, csv);
	if (svg)
		transfer_report_svg(&b, svg);
	for (i = 0; i < b.n; i++)
		rc |= b.cell[i].s.verdict != NULL;
	if (args->json)
		rc |= tool_json_print(json);
	else
		json_decref(json);
out:
	rc |= tool_file_close(csv, args->csv);
	rc |= tool_file_close(svg, args->svg);
	free(b.cell);
	return rc;
}
