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
#include <stdlib.h>
#include <string.h>

#include "transfer.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define SMALLEST (64 * KIB)

/* The ways to the device. */
enum sides {
	BY_DRIVER,
	PINNED,
	BY_STAGING,
	SIDES
};

/* Each has a context of its own, opened once, since how ordinary memory is moved is an option of
 * the context; host memory; two buffers. */
struct side {
	struct clopt *ctx;
	struct clopt_queue *queue[2];
	struct clopt_buffer *up, *down; /* written to; read from, and holds TRANSFER_DOWN */
	uint32_t *from, *to; /* host memory: holds TRANSFER_UP; read into */
	const char *method; /* the mover of the host memory, or its kind */
	int allocated; /* by clopt_host_alloc */
};

/* ---- Sides -------------------------------------------------------------------- */

static uint32_t word(size_t i, enum transfer_contents what)
{
	return (uint32_t)i * 4u + (uint32_t)what;
}

void transfer_fill(uint32_t *to, size_t words, enum transfer_contents what)
{
	size_t i;

	for (i = 0; i < words; i++)
		to[i] = word(i, what);
}

size_t transfer_differs(const uint32_t *at, size_t words, enum transfer_contents what)
{
	size_t i = 0;

	while (i < words && at[i] == word(i, what))
		i++;
	return i;
}

/* Whole words, and a power of 4 times the smallest.  The sides have six buffers in
 * all, which leaves the device half of its memory. */
static size_t largest_size(const struct tool_args *args, const struct clopt_device_info *info)
{
	size_t bytes = 256 * MIB;

	if (args->size)
		return args->size < 4 ? 4 : args->size / 4 * 4;
	if (tool_extent(args, info) == CASE_SMALL)
		return 64 * KIB;
	if (tool_extent(args, info) == CASE_CPU)
		bytes = 64 * MIB;
	while (bytes > 64 * KIB &&
	       (bytes > info->max_alloc_bytes || bytes > info->global_bytes / 12))
		bytes /= 4;
	return bytes;
}

/* Memory of this side's kind, and its name. */
static int host_memory(struct side *s, enum sides which, size_t bytes)
{
	static const char *const kinds[] = { [CLOPT_MEMORY_ORDINARY] = "unpinned",
		                             [CLOPT_MEMORY_PINNED] = "pinned",
		                             [CLOPT_MEMORY_SHARED] = "shared" };
	void *from = NULL, *to = NULL;
	int kind = CLOPT_MEMORY_ORDINARY, rc = 0;

	s->method = which == BY_DRIVER ? "driver" : "staged";
	s->allocated = which == PINNED;
	if (!s->allocated) {
		from = malloc(bytes);
		to = malloc(bytes);
		rc = from && to ? 0 : 1;
		if (rc)
			tool_tell("no host memory of 2 x %zu bytes; try --size", bytes);
	} else if (clopt_host_alloc(s->ctx, bytes, &from, &kind) != CLOPT_OK ||
	           clopt_host_alloc(s->ctx, bytes, &to, &kind) != CLOPT_OK) {
		rc = tool_fail(s->ctx, "host memory");
	} else {
		s->method = kinds[kind];
	}
	s->from = from;
	s->to = to;
	return rc;
}

static int side_open(struct side *s, const struct tool_args *args, enum sides which,
                     struct clopt_device_info *info)
{
	static const int modes[] = { [BY_DRIVER] = CLOPT_TRANSFER_DRIVER,
		                     [PINNED] = CLOPT_TRANSFER_AUTO,
		                     [BY_STAGING] = CLOPT_TRANSFER_STAGED };
	struct tool_args own = *args;
	size_t bytes;
	int rc;

	own.transfer = modes[which];
	rc = tool_open(&own, 0, 0, &s->ctx, info);
	if (rc)
		goto out;
	bytes = largest_size(args, info);
	rc = host_memory(s, which, bytes);
	if (rc)
		goto out;
	transfer_fill(s->from, bytes / 4, TRANSFER_UP);
	transfer_fill(s->to, bytes / 4, TRANSFER_DOWN);
	if (clopt_queue_new(s->ctx, &s->queue[0]) != CLOPT_OK ||
	    clopt_queue_new(s->ctx, &s->queue[1]) != CLOPT_OK ||
	    clopt_buffer_new(s->ctx, bytes, &s->up) != CLOPT_OK ||
	    clopt_buffer_new(s->ctx, bytes, &s->down) != CLOPT_OK ||
	    clopt_buffer_write(s->down, 0, bytes, s->to, NULL) != CLOPT_OK ||
	    clopt_finish(s->ctx) != CLOPT_OK)
		rc = tool_fail(s->ctx, "buffers");
out:
	return rc;
}

static void side_close(struct side *s)
{
	clopt_buffer_free(s->up);
	clopt_buffer_free(s->down);
	clopt_queue_free(s->queue[0]);
	clopt_queue_free(s->queue[1]);
	if (s->allocated) {
		clopt_host_free(s->ctx, s->from);
		clopt_host_free(s->ctx, s->to);
	} else {
		free(s->from);
		free(s->to);
	}
	clopt_close(s->ctx);
	memset(s, 0, sizeof *s);
}

/* ---- Transfers ----------------------------------------------------------------- */

static const struct way {
	enum sides side;
	const char *direction;
	int up, down;
} ways[] = {
	{ BY_DRIVER, "up", 1, 0 },    { BY_DRIVER, "down", 0, 1 }, { PINNED, "up", 1, 0 },
	{ PINNED, "down", 0, 1 },     { PINNED, "both", 1, 1 },    { BY_STAGING, "up", 1, 0 },
	{ BY_STAGING, "down", 0, 1 },
};

enum {
	WAYS = sizeof ways / sizeof *ways
};

/* Both directions are two queues, so that each copy engine can have its own. */
static double transfer_once(void *what, size_t i, struct transfer_cell *cell)
{
	const struct way *w = &ways[i];
	struct side *s = (struct side *)what + w->side;
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
static void transfer_check(struct side *sides, size_t i, struct transfer_cell *cell)
{
	const struct way *w = &ways[i];
	struct side *s = &sides[w->side];

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

static int transfers(struct transfer_bench *b, struct side *sides, size_t bytes)
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

/* Every word changes, so that a call that did nothing is seen. */
static const char complement[] = "__kernel void complement(__global uint *x)\n"
                                 "{\n"
                                 "	x[get_global_id(0)] = ~x[get_global_id(0)];\n"
                                 "}\n";

static double map_once(void *what, size_t i, struct transfer_cell *cell)
{
	struct side *s = (struct side *)what + i;
	struct clopt_arg arg = { CLOPT_ARG_INOUT, s->to, sizeof *s->to };
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	double start = 0.0, end = 0.0;

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

static void map_check(struct side *sides, size_t i, struct transfer_cell *cell)
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

static int maps(struct transfer_bench *b, struct side *sides, size_t bytes)
{
	const size_t first = b->n;
	size_t i;

	for (i = 0; i < SIDES; i++) {
		struct transfer_cell cell = { .experiment = "map",
			                      .method = sides[i].method,
			                      .direction = "both",
			                      .x = bytes,
			                      .read = (double)bytes,
			                      .written = (double)bytes };

		map_check(sides, i, &cell);
		if (i == PINNED && !cell.s.verdict && cell.moved == 0.0)
			cell.method = "in place";
		if (transfer_add(b, &cell))
			return 1;
	}
	transfer_measure(b, first, b->args->seconds, map_once, sides);
	return 0;
}

int transfer_host(struct transfer_bench *b)
{
	struct side sides[SIDES] = { { 0 } };
	size_t bytes, smallest, largest;
	int i, rc = 0;

	for (i = 0; !rc && i < SIDES; i++)
		rc = side_open(&sides[i], b->args, (enum sides)i, &b->info);
	if (rc)
		goto out;
	largest = largest_size(b->args, &b->info);
	smallest = b->args->size || largest < SMALLEST ? largest : SMALLEST;
	for (bytes = smallest; !rc && bytes <= largest; bytes *= 4)
		rc = transfers(b, sides, bytes);
	for (bytes = smallest; !rc && b->info.unified && bytes <= largest; bytes *= 4)
		rc = maps(b, sides, bytes);
out:
	for (i = 0; i < SIDES; i++)
		side_close(&sides[i]);
	return rc;
}
