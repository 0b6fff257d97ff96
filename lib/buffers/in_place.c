/* SPDX-License-Identifier: MIT */
/*
 * in_place.c - a transpose whose result replaces its input.
 *
 * The result is made in memory of its own and copied once complete: bands that come down while
 * others still go up would overwrite the input, and a failure in between would lose both.
 */
#include <stdlib.h>
#include <string.h>

#include "buffers.h"

/* Bytes from one row of the result to the next; a matrix that is not square has no gaps. */
static size_t pitch_of(const struct operand *data, const struct operand *out)
{
	return (data->rows == data->columns ? data->ld : out->columns) * data->elem_bytes;
}

static int on_host(struct clopt *ctx, const struct job *job)
{
	const struct operand *data = &job->operand[0];
	struct job turn = *job;
	struct operand *out = &turn.operand[1];
	const size_t row_bytes = out->columns * out->elem_bytes;
	const size_t pitch = pitch_of(data, out);
	char *memory = malloc(out->rows * row_bytes);
	size_t i;
	int rc = CLOPT_OK;

	if (!memory)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu bytes of the result",
		                   out->rows * row_bytes);
	out->host = memory;
	out->ld = out->columns;
	out->use = OPERAND_OUT;
	TRY(clopt__run_job(ctx, &turn));
	for (i = 0; i < out->rows; i++)
		memcpy((char *)data->host + i * pitch, memory + i * row_bytes, row_bytes);
out:
	free(memory);
	return rc;
}

/* Through a scratch array.  The copy back is the one command that writes the caller's buffer, so
 * until it is queued the buffer is unchanged.  It waits for the kernel's event, since a queue goes
 * on after a kernel that fails. */
static int on_buffers(struct clopt *ctx, const struct job *job, struct placed *p)
{
	const struct operand *data = &job->operand[0];
	const struct layout plain = { 0, 0, 0 };
	struct clopt_buffer whole = { .ctx = ctx };
	struct array scratch = { 0 };
	struct job turn = *job;
	struct operand *out = &turn.operand[1];
	const size_t row_bytes = out->columns * out->elem_bytes;
	const struct rows to = { data->buffer->root, data->buffer->offset_bytes,
		                 pitch_of(data, out) };
	cl_event *const wanted = p->wanted;
	cl_event turned = NULL, event = NULL;
	int rc = CLOPT_OK;

	TRY(clopt__array_open(ctx, out->rows, row_bytes, plain, &scratch));
	whole.mem = whole.root = scratch.mem;
	whole.bytes = scratch.bytes;
	out->buffer = &whole;
	out->ld = scratch.pitch_bytes / out->elem_bytes;
	p->wanted = &turned;
	rc = clopt__enqueue_job(ctx, &turn, p);
	p->wanted = wanted;
	TRY(rc);
	TRY(clopt__copy_rows(ctx, p->q, (struct rows){ scratch.mem, 0, scratch.pitch_bytes }, to,
	                     out->rows, row_bytes, clopt__placed_last(p, &turned), &event));
out:
	if (scratch.mem)
		clopt__keep(ctx, p->q, event, &scratch);
	if (turned && p->waited && !p->first)
		p->first = turned; /* no copy into an image waited before it */
	else if (turned)
		clReleaseEvent(turned);
	if (wanted)
		*wanted = event;
	else if (event)
		clReleaseEvent(event);
	return rc;
}

int clopt__in_place(struct clopt *ctx, const struct job *job, struct placed *placed)
{
	return placed ? on_buffers(ctx, job, placed) : on_host(ctx, job);
}
