/* SPDX-License-Identifier: MIT */
/*
 * host.c - between host and device: transfers by size and way, and, where
 * the two share memory, a kernel over an array in place against copying it.
 *
 * One transfer at a time and its wait are timed by the host's clock with the
 * queues empty before and after: a clock that is read when a command has been
 * queued tells how fast commands are queued.
 *
 * Source: NVIDIA, OpenCL Best Practices Guide (2011), sections 2.1 and 3.1.1.
 */
#include <string.h>

#include "transfer.h"

enum {
	SMALLEST = 64 * 1024
};

static const struct way {
	enum transfer_sides side;
	const char *direction;
	int up, down;
} ways[] = {
	{ TRANSFER_BY_DRIVER, "up", 1, 0 },    { TRANSFER_BY_DRIVER, "down", 0, 1 },
	{ TRANSFER_PINNED, "up", 1, 0 },       { TRANSFER_PINNED, "down", 0, 1 },
	{ TRANSFER_PINNED, "both", 1, 1 },     { TRANSFER_BY_STAGING, "up", 1, 0 },
	{ TRANSFER_BY_STAGING, "down", 0, 1 },
};

enum {
	WAYS = sizeof ways / sizeof *ways
};

/* Every word changes, so that a call that did nothing is seen. */
static const char complement[] = "__kernel void complement(__global uint *x)\n"
                                 "{\n"
                                 "	x[get_global_id(0)] = ~x[get_global_id(0)];\n"
                                 "}\n";

/* ---- Transfers ----------------------------------------------------------------- */

/* Both directions are two queues, so that each copy engine can have its own. */
static double transfer_once(void *what, size_t i, struct transfer_cell *cell)
{
	const struct way *w = &ways[i];
	struct transfer_side *s = (struct transfer_side *)what + w->side;
	struct clopt_order up = CLOPT_ORDER_INIT, down = CLOPT_ORDER_INIT;
	double start = 0.0, end = 0.0;

	up.queue = s->queue[0];
	down.queue = s->queue[1];
	if (clopt_wall_time(s->ctx, &start) != CLOPT_OK ||
	    (w->up && clopt_buffer_write(s->up, 0, cell->x, s->from, &up) != CLOPT_OK) ||
	    (w->down && clopt_buffer_read(s->down, 0, cell->x, s->to, &down) != CLOPT_OK) ||
	    clopt_wall_time(s->ctx, &end) != CLOPT_OK)
		tool_failed(&cell->s, clopt_error(s->ctx));
	return end - start;
}

static void look(struct transfer_cell *cell, const uint32_t *at, enum transfer_contents what)
{
	const size_t words = cell->x / sizeof *at, i = transfer_differs(at, words, what);

	if (i < words)
		tool_wrong(&cell->s, "word %zu of %zu did not arrive going %s", i, words,
		           what == TRANSFER_UP ? "up" : "down");
}

/* The first transfer of its kind also warms up. */
static void transfer_check(struct transfer_side *sides, size_t i, struct transfer_cell *cell)
{
	const struct way *w = &ways[i];
	struct transfer_side *s = &sides[w->side];

	transfer_fill(s->to, cell->x / sizeof *s->to, TRANSFER_NOTHING);
	if (clopt_buffer_write(s->up, 0, cell->x, s->to, NULL) != CLOPT_OK) {
		tool_failed(&cell->s, clopt_error(s->ctx));
		return;
	}
	transfer_once(sides, i, cell);
	if (cell->s.verdict)
		return;
	if (w->down)
		look(cell, s->to, TRANSFER_DOWN);
	if (!w->up)
		return;
	if (clopt_buffer_read(s->up, 0, cell->x, s->to, NULL) != CLOPT_OK ||
	    clopt_finish(s->ctx) != CLOPT_OK)
		tool_failed(&cell->s, clopt_error(s->ctx));
	else
		look(cell, s->to, TRANSFER_UP);
}

static int transfers(struct transfer_bench *b, struct transfer_side *sides, size_t bytes)
{
	const size_t first = b->n;
	size_t i;

	for (i = 0; i < WAYS; i++) {
		struct transfer_cell cell = { .experiment = "transfer",
			                      .method = sides[ways[i].side].method,
			                      .direction = ways[i].direction,
			                      .x = bytes,
			                      .read = ways[i].down ? (double)bytes : 0.0,
			                      .written = ways[i].up ? (double)bytes : 0.0 };

		cell.moved = cell.read + cell.written;
		transfer_check(sides, i, &cell);
		if (transfer_add(b, &cell))
			return 1;
	}
	transfer_measure(b, first, b->args->seconds, transfer_once, sides);
	return 0;
}

/* ---- In place ------------------------------------------------------------------ */

static double map_once(void *what, size_t i, struct transfer_cell *cell)
{
	struct transfer_side *s = (struct transfer_side *)what + i;
	struct clopt_arg arg = { CLOPT_ARG_INOUT, s->to, sizeof *s->to };
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_report report;
	double start = 0.0, end = 0.0;

	memset(&report, 0, sizeof report);
	report.size = sizeof report;
	map.source = complement;
	map.name = "complement";
	map.items = cell->x / sizeof *s->to;
	map.args = &arg;
	map.nargs = 1;
	if (clopt_wall_time(s->ctx, &start) != CLOPT_OK || clopt_map(s->ctx, &map) != CLOPT_OK ||
	    clopt_wall_time(s->ctx, &end) != CLOPT_OK ||
	    clopt_last_report(s->ctx, &report) != CLOPT_OK)
		tool_failed(&cell->s, clopt_error(s->ctx));
	cell->moved = (double)report.up_bytes + (double)report.down_bytes;
	return end - start;
}

static void map_check(struct transfer_side *sides, size_t i, struct transfer_cell *cell)
{
	uint32_t *x = sides[i].to;
	const size_t words = cell->x / sizeof *x;
	size_t k;

	transfer_fill(x, words, TRANSFER_UP);
	map_once(sides, i, cell);
	for (k = 0; k < words; k++)
		x[k] = ~x[k];
	k = transfer_differs(x, words, TRANSFER_UP);
	if (!cell->s.verdict && k < words)
		tool_wrong(&cell->s, "word %zu of %zu is not its complement", k, words);
}

static int maps(struct transfer_bench *b, struct transfer_side *sides, size_t bytes)
{
	const size_t first = b->n;
	size_t i;

	for (i = 0; i < TRANSFER_SIDES; i++) {
		struct transfer_cell cell = { .experiment = "map",
			                      .method = sides[i].method,
			                      .direction = "both",
			                      .x = bytes,
			                      .read = (double)bytes,
			                      .written = (double)bytes };

		map_check(sides, i, &cell);
		if (i == TRANSFER_PINNED && !cell.s.verdict && cell.moved == 0.0)
			cell.method = "in place";
		if (transfer_add(b, &cell))
			return 1;
	}
	transfer_measure(b, first, b->args->seconds, map_once, sides);
	return 0;
}

int transfer_host(struct transfer_bench *b)
{
	struct transfer_side sides[TRANSFER_SIDES] = { { 0 } };
	size_t bytes, smallest, largest;
	int i, rc = 0;

	for (i = 0; !rc && i < TRANSFER_SIDES; i++)
		rc = transfer_side_open(&sides[i], b->args, (enum transfer_sides)i, &b->info);
	if (rc)
		goto out;
	largest = transfer_largest(b->args, &b->info);
	smallest = b->args->size || largest < SMALLEST ? largest : SMALLEST;
	for (bytes = smallest; !rc && bytes <= largest; bytes *= 4)
		rc = transfers(b, sides, bytes);
	for (bytes = smallest; !rc && b->info.unified && bytes <= largest; bytes *= 4)
		rc = maps(b, sides, bytes);
out:
	for (i = 0; i < TRANSFER_SIDES; i++)
		transfer_side_close(&sides[i]);
	return rc;
}
