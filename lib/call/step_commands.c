/* SPDX-License-Identifier: MIT */
/*
 * step_commands.c - commands on the arrays of bodies that move: room, transfers, launches.
 */
#include <stdlib.h>

#include "../kernel/kernel.h"
#include "call.h"

int clopt__stepper_fits(struct clopt *ctx, const struct stepper *s, size_t *bytes)
{
	const size_t one = clopt__times(s->e.n, s->point_bytes);
	const size_t largest = clopt__times(s->largest, one);

	*bytes = clopt__times(s->points, one);
	/* The caller's buffers are on the device already. */
	if (!s->placed && *bytes > clopt__memory(ctx))
		return clopt__memory_short(ctx, *bytes);
	if (largest <= ctx->device.info.max_alloc_bytes)
		return CLOPT_OK;
	*bytes = largest;
	return clopt__fail(ctx, CLOPT_ENOMEM,
	                   "the bodies take %zu bytes in one piece, the device allows %llu",
	                   largest, (unsigned long long)ctx->device.info.max_alloc_bytes);
}

int clopt__stepper_move(struct clopt *ctx, const struct stepper *s, const struct array *a,
                        size_t first, void *host, size_t rows, size_t row_bytes, int down)
{
	const struct transfer t = { .down = down,
		                    .mem = a->mem,
		                    .offset_bytes = a->offset_bytes + first * row_bytes,
		                    .pitch_bytes = row_bytes,
		                    .host = host,
		                    .host_pitch_bytes = row_bytes,
		                    .rows = rows,
		                    .row_bytes = row_bytes };
	cl_event event = NULL;
	int rc = CLOPT_OK;

	if (!rows)
		return CLOPT_OK;
	*(down ? &ctx->report.down_bytes : &ctx->report.up_bytes) += rows * row_bytes;
	TRY(clopt__transfer(ctx, s->q, &t, (struct waits){ 0, NULL },
	                    ctx->profile ? &event : NULL));
	TRY(clopt__log_add(ctx, down ? COMMAND_DOWN : COMMAND_UP, 0, rows * row_bytes, "", event));
out:
	return rc;
}

int clopt__stepper_settle(struct clopt *ctx, const struct stepper *s, int rc)
{
	return clopt__log_settle(ctx, clopt__finish(ctx, s->q, rc));
}

int clopt__stepper_fetch(struct clopt *ctx, const struct stepper *s, const struct array *a,
                         size_t rows, size_t row_bytes, char **host)
{
	int rc = CLOPT_OK;

	*host = malloc(rows * row_bytes);
	if (!*host)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a copy of %zu rows", rows);
	TRY(clopt__stepper_move(ctx, s, a, 0, *host, rows, row_bytes, 1));
	TRY(clopt__stepper_settle(ctx, s, CLOPT_OK));
out:
	return rc;
}

int clopt__stepper_launch(struct clopt *ctx, const struct stepper *s, const struct part *p,
                          int last)
{
	const struct launch l = {
		.v = p->row,
		.kernel = p->kernel,
		.problem = &p->problem,
		.dim = p->problem.dim,
		.first = p->first,
		.count = p->count,
		.batch = 1,
		.real = p->real,
		.arrays = p->array,
		.logged = !s->placed,
	};
	struct waits wait = { 0, NULL };
	cl_event event = NULL, none = NULL, *told = ctx->profile ? &event : NULL;
	int rc = CLOPT_OK;

	if (s->placed) {
		/* Each command waits, or those behind one that fails would move the bodies.  The
		 * last one's event is the caller's. */
		wait = last ? clopt__placed_last(s->placed, &none) : s->placed->wait;
		told = last ? s->placed->wanted : clopt__placed_first(s->placed);
	}
	TRY(clopt__launch(ctx, s->q, &l, wait, told));
	TRY(clopt__log_add(ctx, COMMAND_KERNEL, 0, 0, p->row->name, event));
out:
	return rc;
}
