/* SPDX-License-Identifier: MIT */
/*
 * lane.c - commands in one queue: transfers, launches, waits.
 */
#include <stdlib.h>

#include "../kernel/kernel.h"
#include "call.h"

int clopt__lane_move(struct clopt *ctx, const struct lane *lane, const struct array *a,
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
	TRY(clopt__transfer(ctx, lane->q, &t, (struct waits){ 0, NULL },
	                    ctx->profile ? &event : NULL));
	TRY(clopt__log_add(ctx, down ? COMMAND_DOWN : COMMAND_UP, 0, rows * row_bytes, "", event));
out:
	return rc;
}

int clopt__lane_settle(struct clopt *ctx, const struct lane *lane, int rc)
{
	return clopt__log_settle(ctx, clopt__finish(ctx, lane->q, rc));
}

int clopt__lane_fetch(struct clopt *ctx, const struct lane *lane, const struct array *a,
                      size_t rows, size_t row_bytes, char **host)
{
	int rc = CLOPT_OK;

	*host = malloc(rows * row_bytes);
	if (!*host)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a copy of %zu rows", rows);
	TRY(clopt__lane_move(ctx, lane, a, 0, *host, rows, row_bytes, 1));
	TRY(clopt__lane_settle(ctx, lane, CLOPT_OK));
out:
	return rc;
}

int clopt__lane_launch(struct clopt *ctx, const struct lane *lane, const struct part *p, int last)
{
	const struct launch l = {
		.v = p->row,
		.kernel = p->kernel,
		.problem = &p->problem,
		.dim = p->problem.dim,
		.batch = 1,
		.real = p->real,
		.arrays = p->array,
		.logged = !lane->placed,
	};
	struct waits wait = { 0, NULL };
	cl_event event = NULL, none = NULL, *told = ctx->profile ? &event : NULL;
	int rc = CLOPT_OK;

	if (lane->placed) {
		/* Each command waits for the caller's events, or commands after a failed one would
		 * move the bodies.  The caller's event is the last command's. */
		wait = last ? clopt__placed_last(lane->placed, &none) : lane->placed->wait;
		told = last ? lane->placed->wanted : clopt__placed_first(lane->placed);
	}
	TRY(clopt__launch(ctx, lane->q, &l, wait, told));
	TRY(clopt__log_add(ctx, COMMAND_KERNEL, 0, 0, p->row->name, event));
out:
	return rc;
}

cl_event *clopt__placed_first(struct placed *p)
{
	return p->wait.count && !p->first ? &p->first : NULL;
}

/* A queue continues after a failed command.  Waiting for the last command alone is not enough:
 * Intel's driver reports the failure only to those that wait for the failed event. */
struct waits clopt__placed_last(struct placed *p, const cl_event *before)
{
	const cl_uint one = *before ? 1 : 0;

	if (!p->list)
		return (struct waits){ one, before };
	p->list[p->listed] = *before;
	return (struct waits){ p->listed + one, p->list };
}
