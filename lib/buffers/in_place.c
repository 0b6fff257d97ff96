/* SPDX-License-Identifier: MIT */
/*
 * in_place.c - a transpose whose result replaces its input.  The result is made in separate memory
 * and copied once complete.  Bands in flight would otherwise overwrite the input, and a failure
 * would lose both.
 */
#include <stdlib.h>
#include <string.h>

#include "buffers.h"

/* Bytes from row to row of the result.  A matrix that is not square is packed. */
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

/* Transpose through a scratch array.  Only the copy back writes the caller's buffer, so the buffer
 * is unchanged until that is queued.  The copy waits for the kernel's event, since a queue
 * continues after a failed kernel. */
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

	TRY(clopt__scratch(ctx, p->q, out->rows, row_bytes, plain, &scratch));
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
		p->first = turned; /* no copy into an image waited first */
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
