/* SPDX-License-Identifier: MIT */
/*
 * through.c - small arrays, copied through pinned memory by the calling thread.
 *
 * A driver's copy of ordinary memory waits, and passes through pinned memory of the driver.  Here
 * commands copy arrays up from pinned memory, and results down into it.  Only the end of the call
 * waits for them.
 */
#include "move.h"

/* Bytes of a slice on the way up: one slice is transferred while the next is copied. */
#define SLICE ((size_t)512 << 10)
#define ALIGN ((size_t)256) /* alignment of an array, so that no two share a cache line */

static size_t room(const struct workload *w, unsigned i)
{
	const struct operand *o = &w->operand[i];
	const size_t bytes =
	        clopt__array_bytes(o->rows, clopt__operand_row_bytes(o), clopt__layout(w, i));

	return clopt__groups(bytes, ALIGN) * ALIGN;
}

static int goes_through(const struct clopt *ctx, const struct operand *o)
{
	const size_t bytes = clopt__operand_bytes(o);

	return o->host && o->use && bytes && bytes < LEAST_STAGED &&
	       !clopt__is_pinned(ctx, o->host, clopt__operand_span(o));
}

void clopt__through_open(struct clopt *ctx, const struct workload *w, unsigned others,
                         struct through *t)
{
	size_t at[MAX_ARRAYS], bytes = 0, class = ALIGN;
	unsigned i, yes = 0;
	int kind;

	if (!clopt__may_stage(ctx))
		return;
	for (i = 0; i < w->operands; i++)
		if (!(others >> i & 1) && goes_through(ctx, &w->operand[i])) {
			yes |= 1u << i;
			at[i] = bytes;
			bytes += room(w, i);
		}
	if (!yes)
		return;
	/* Round to few sizes, so that calls find the pinned memory of earlier calls. */
	while (class < bytes)
		class *= 2;
	t->memory = clopt__pinned_take(ctx, class, &kind);
	if (t->memory && kind != CLOPT_MEMORY_PINNED)
		clopt__through_close(ctx, t);
	for (i = 0; i < w->operands && t->memory; i++)
		if (yes >> i & 1)
			t->at[i] = t->memory + at[i];
}

size_t clopt__through(const struct through *t, unsigned i, const struct transfer *whole,
                      size_t *done, struct transfer *line)
{
	struct transfer rest = *whole;
	size_t rows;

	if (whole->pitch_bytes == whole->row_bytes && whole->host_pitch_bytes == whole->row_bytes) {
		/* Without gaps the array may be cut anywhere. */
		rest.rows *= rest.row_bytes;
		rest.row_bytes = rest.pitch_bytes = rest.host_pitch_bytes = 1;
	}
	rows = rest.rows - *done;
	if (!rows)
		return 0;
	rest.offset_bytes += *done * rest.pitch_bytes;
	*line = rest;
	line->host = t->at[i] + *done * rest.pitch_bytes;
	if (!rest.down) {
		rows = clopt__smaller(rows, clopt__larger(SLICE / rest.pitch_bytes, 1));
		clopt__copy_memory(line->host, rest.pitch_bytes,
		                   rest.host + *done * rest.host_pitch_bytes, rest.host_pitch_bytes,
		                   rows, rest.row_bytes, 1);
	}
	line->rows = 1;
	line->row_bytes += (rows - 1) * rest.pitch_bytes;
	line->pitch_bytes = line->host_pitch_bytes = line->row_bytes;
	*done += rows;
	return rows * rest.row_bytes;
}

void clopt__through_close(struct clopt *ctx, struct through *t)
{
	if (t->memory)
		clopt__pinned_give(ctx, t->memory);
	t->memory = NULL;
}
