/* SPDX-License-Identifier: MIT */
/*
 * device.c - the device's own memory: the bandwidth of a copy of consecutive
 * elements, and the rest of it with offsets and strides.
 *
 * Kernels with a stride go over the same arrays as those without, and so copy the
 * fewer elements the longer it is.  With the same number of elements, short strides
 * would stay in a cache that long ones do not fit.
 *
 * Source: NVIDIA, OpenCL Best Practices Guide (2011), sections 2.2.2, 3.2.1.3 and
 * 3.2.1.4 (figures 3.7 and 3.9).
 */
#include <stdlib.h>

#include "transfer.h"

#define MIB ((size_t)1024 * 1024)

enum {
	WINDOW = 1 << 20, /* elements that are looked at in one piece */
	STEP_SHARE = 4 /* there are so many steps that each gets this part of the time */
};

/* The cells in their order. */
enum {
	ALONG_BY_KERNEL,
	ALONG_BY_COMMAND,
	OFFSETS,
	STRIDES = OFFSETS + TRANSFER_STEPS + 1, /* from 0 and ... */
	CELLS = STRIDES + TRANSFER_STEPS /* ... from 1 */
};

/* Kernels write no negative number. */
static const float untouched = -1.0f;

struct job {
	struct transfer_launcher launcher;
	size_t items; /* that are copied where there is no stride */
	size_t elements; /* of each array: some more, for offsets and a look behind */
	float *window;
};

/* The copy of a cell. */
struct copy {
	int command; /* the library's own; else the kernel */
	enum transfer_kernel kernel;
	size_t items, first, stride;
};

static size_t whole_groups(const struct job *j, size_t items)
{
	return items / j->launcher.group * j->launcher.group;
}

static struct copy copy_of(const struct job *j, size_t i)
{
	struct copy c = { 0, TRANSFER_OFFSET_COPY, j->items, 0, 1 };

	if (i >= STRIDES) {
		c.kernel = TRANSFER_STRIDE_COPY;
		c.stride = i - STRIDES + 1;
		c.items = whole_groups(j, j->items / c.stride);
	} else if (i >= OFFSETS) {
		c.first = i - OFFSETS;
	}
	c.command = i == ALONG_BY_COMMAND;
	return c;
}

static double copy_once(void *what, size_t i, struct transfer_cell *cell)
{
	struct job *j = what;
	struct transfer_launcher *l = &j->launcher;
	const struct copy c = copy_of(j, i);
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_event *event = NULL;

	if (!c.command)
		return transfer_launch(l, c.kernel, c.items,
		                       c.kernel == TRANSFER_OFFSET_COPY ? c.first : c.stride, cell);
	order.queue = l->queue;
	order.event = &event;
	if (clopt_buffer_copy(l->in, 0, l->out, 0, c.items * sizeof(float), &order) == CLOPT_OK)
		return transfer_event_seconds(l, event, cell);
	tool_failed(&cell->s, clopt_error(l->ctx));
	return 0.0;
}

/* ---- Checks ---------------------------------------------------------------------- */

static float expected(const struct copy *c, size_t i)
{
	const size_t from = i - c->first;

	return i >= c->first && from % c->stride == 0 && from / c->stride < c->items ?
	               transfer_filled(i) :
	               untouched;
}

/* Before a copy: clear the window; after it: compare. */
static void window(struct job *j, const struct copy *c, size_t at, size_t count, int after,
                   struct transfer_cell *cell)
{
	const struct transfer_launcher *l = &j->launcher;
	size_t i;
	int rc;

	for (i = 0; i < count; i++)
		j->window[i] = untouched;
	if (after)
		rc = clopt_buffer_read(l->out, at * sizeof(float), count * sizeof(float), j->window,
		                       NULL);
	else
		rc = clopt_buffer_write(l->out, at * sizeof(float), count * sizeof(float),
		                        j->window, NULL);
	if (rc != CLOPT_OK || clopt_finish(l->ctx) != CLOPT_OK) {
		tool_failed(&cell->s, clopt_error(l->ctx));
		return;
	}
	for (i = 0; after && i < count; i++)
		if (j->window[i] != expected(c, at + i)) {
			tool_wrong(&cell->s, "element %zu is %.9g instead of %.9g", at + i,
			           j->window[i], expected(c, at + i));
			return;
		}
}

/* The arrays may be gigabytes: their beginning, middle and end are looked at, with
 * some elements behind the end. */
static void copy_check(struct job *j, size_t i, struct transfer_cell *cell)
{
	const struct copy c = copy_of(j, i);
	const size_t span = c.first + c.items * c.stride + TRANSFER_STEPS;
	const size_t count = span < WINDOW ? span : WINDOW;
	size_t k;
	int after;

	for (after = 0; after < 2; after++) {
		for (k = 0; k < 3 && !cell->s.verdict; k++)
			window(j, &c, k * (span - count) / 2, count, after, cell);
		if (!after && !cell->s.verdict)
			copy_once(j, i, cell);
	}
}

/* ---- The bench --------------------------------------------------------------------- */

/* About a millisecond of work and more than caches hold, in arrays that take a
 * quarter of the device's memory at most.  A group is left at the longest stride. */
static size_t most_items(const struct transfer_bench *b, const struct job *j)
{
	const size_t least = TRANSFER_STEPS * j->launcher.group, most = 1024 * MIB;
	size_t bytes = 512 * MIB, items;

	if (b->args->size)
		bytes = b->args->size < most ? b->args->size : most;
	else if (tool_extent(b->args, &b->info) != CASE_GPU)
		bytes = b->args->small ? 0 : 64 * MIB;
	while (bytes > b->info.max_alloc_bytes / 2 || bytes > b->info.global_bytes / 8)
		bytes /= 2;
	items = whole_groups(j, bytes / sizeof(float));
	return items > least ? items : least;
}

static int add(struct transfer_bench *b, struct job *j, size_t i)
{
	const struct copy c = copy_of(j, i);
	struct transfer_cell cell = {
		.experiment = "offset", .method = "kernel", .direction = "device", .x = c.first
	};

	if (i >= STRIDES) {
		cell.experiment = "stride";
		cell.x = c.stride;
	} else if (i < OFFSETS) {
		cell.experiment = "memory";
		cell.method = c.command ? "command" : "kernel";
		cell.x = c.items * sizeof(float);
	}
	cell.read = cell.written = (double)(c.items * sizeof(float));
	copy_check(j, i, &cell);
	return transfer_add(b, &cell);
}

static int prepare(struct transfer_bench *b, struct job *j)
{
	struct transfer_launcher *l = &j->launcher;
	struct transfer_cell fill = { 0 };
	int rc = transfer_launcher_open(l, b->args, &b->info);

	if (rc)
		goto out;
	j->items = most_items(b, j);
	j->elements = j->items + 2 * TRANSFER_STEPS * l->group;
	j->window = malloc(WINDOW * sizeof *j->window);
	if (!j->window) {
		rc = tool_no_memory();
	} else if (clopt_buffer_new(l->ctx, j->elements * sizeof(float), &l->in) != CLOPT_OK ||
	           clopt_buffer_new(l->ctx, j->elements * sizeof(float), &l->out) != CLOPT_OK) {
		rc = tool_fail(l->ctx, "arrays for the copies");
	} else {
		transfer_launch(l, TRANSFER_FILL, j->elements, 0, &fill);
		if (fill.s.verdict) {
			fprintf(stderr, "clopt: copy kernels: %s\n", fill.s.why);
			rc = 1;
		}
	}
out:
	return rc;
}

int transfer_device(struct transfer_bench *b)
{
	struct job j = { .items = 0 };
	const size_t first = b->n;
	size_t i;
	int rc = prepare(b, &j);

	if (rc)
		goto out;
	b->copy_bytes = j.items * sizeof(float);
	for (i = 0; !rc && i < CELLS; i++)
		rc = add(b, &j, i);
	if (!rc)
		transfer_measure(b, first, b->args->seconds / STEP_SHARE, copy_once, &j);
out:
	free(j.window);
	transfer_launcher_close(&j.launcher);
	return rc;
}
