/* SPDX-License-Identifier: MIT */
/*
 * transfer_cell.c - the list of what is measured, and how it is timed.
 */
#include "transfer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
		if (!more) {
			fprintf(stderr, "clopt: out of memory\n");
			return 1;
		}
		b->cell = more;
		b->room = room;
	}
	b->cell[b->n++] = *cell;
	return 0;
}

void transfer_wrong(struct transfer_cell *cell, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(cell->why, sizeof cell->why, format, args);
	va_end(args);
	cell->verdict = "WRONG";
}

void transfer_failed(struct transfer_cell *cell, const char *why)
{
	snprintf(cell->why, sizeof cell->why, "%s", *why ? why : "no reason was given");
	cell->why[strcspn(cell->why, "\n")] = '\0';
	cell->verdict = "failed";
}

/* Neighbours in a table have the same weather: clocks drift, and others work on
 * the machine. */
void transfer_measure(struct transfer_bench *b, size_t first, double seconds,
                      double (*once)(void *what, size_t i, struct transfer_cell *cell), void *what)
{
	struct transfer_cell *c, *const end = b->cell + b->n;
	double took;
	int more = 1;

	while (more) {
		more = 0;
		for (c = b->cell + first; c < end; c++) {
			if (c->verdict || c->repeats == TRANSFER_MOST ||
			    (c->repeats >= TRANSFER_LEAST && c->spent >= seconds))
				continue;
			took = once(what, (size_t)(c - b->cell) - first, c);
			if (c->verdict)
				continue;
			c->seconds[c->repeats++] = took;
			c->spent += took;
			more = 1;
		}
	}
	for (c = b->cell + first; c < end; c++)
		if (!c->verdict)
			c->rate = transfer_effective(c->read, c->written,
			                             tool_median(c->seconds, c->repeats));
}
