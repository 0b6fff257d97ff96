/* SPDX-License-Identifier: MIT */
/*
 * resident.c - the caller's buffers as a kernel takes them: the buffers themselves, or copies that
 * live until the last command that uses them.  Copied are images, and points of a view whose offset
 * is no multiple of their size.
 */
#include <stdlib.h>

#include "buffers.h"

/*
 * A copy, or a scratch array, that a queued command uses.  By the standard OpenCL retains it, but
 * some drivers free the buffer under an image.
 */
struct resident {
	cl_event event; /* the last command that uses it */
	struct array array;
	struct resident *next;
};

void clopt__kept_free(struct clopt *ctx, int all)
{
	struct resident **at = &ctx->kept, *k;
	cl_int status;

	while ((k = *at)) {
		if (all)
			clWaitForEvents(1, &k->event);
		else if (clGetEventInfo(k->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
		                        &status, NULL) != CL_SUCCESS ||
		         status > CL_COMPLETE) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		/* After a failure earlier commands may still run, for which OpenCL retains it. */
		if (!all && clWaitForEvents(1, &k->event) == CL_SUCCESS)
			clopt__array_give(ctx, &k->array);
		else
			clopt__array_close(&k->array);
		clReleaseEvent(k->event);
		free(k);
	}
}

void clopt__keep(struct clopt *ctx, cl_command_queue q, cl_event event, struct array *a)
{
	struct resident *k = event ? calloc(1, sizeof *k) : NULL;

	if (k && clRetainEvent(event) != CL_SUCCESS) {
		free(k);
		k = NULL;
	}
	if (!k) {
		clopt__finish(ctx, q, CLOPT_OK); /* after that nothing uses it */
		clopt__array_close(a);
		return;
	}
	k->event = event;
	k->array = *a;
	k->next = ctx->kept;
	ctx->kept = k;
	a->mem = a->image = NULL;
}

/* The queue is in order, so its earlier commands have ended before the caller's begin. */
int clopt__scratch(struct clopt *ctx, cl_command_queue q, size_t rows, size_t row_bytes,
                   struct layout l, struct array *a)
{
	struct resident **at, *k;
	cl_command_queue of;

	for (at = &ctx->kept; (k = *at); at = &k->next)
		if (k->array.room_bytes && k->array.rows == rows &&
		    k->array.pitch_bytes == clopt__array_pitch(row_bytes, l) &&
		    clGetEventInfo(k->event, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL) ==
		            CL_SUCCESS &&
		    of == q) {
			*a = k->array;
			*at = k->next;
			clReleaseEvent(k->event);
			free(k);
			return CLOPT_OK;
		}
	clopt__idle_make_way(ctx);
	return clopt__array_take(ctx, rows, row_bytes, l, a);
}

static int holds_nothing(const struct operand *o)
{
	return !o->buffer || !o->rows || !o->columns;
}

int clopt__buffer_array(struct clopt *ctx, struct placed *p, const struct operand *o,
                        struct layout l, struct array *a, int *own)
{
	const size_t row_bytes = o->columns * o->elem_bytes, pitch = o->ld * o->elem_bytes;
	int rc = CLOPT_OK;

	*own = l.image || l.texels || o->use & OPERAND_SCRATCH;
	/* Packed rows are points, which kernels read as aligned vectors. */
	if (!holds_nothing(o) && l.packed && o->buffer->offset_bytes % row_bytes)
		*own = 1;
	if (!*own) {
		a->mem = holds_nothing(o) ? NULL : o->buffer->root;
		a->image = NULL;
		a->rows = o->rows;
		a->pitch_bytes = pitch;
		a->offset_bytes = a->mem ? o->buffer->offset_bytes : 0;
		return CLOPT_OK;
	}
	if (o->use & OPERAND_SCRATCH)
		return clopt__scratch(ctx, p->q, o->rows, row_bytes, l, a);
	TRY(clopt__array_open(ctx, o->rows, row_bytes, l, a));
	if (!o->rows || !o->columns || !(o->use & OPERAND_IN))
		return CLOPT_OK;
	TRY(clopt__copy_rows(ctx, p->q,
	                     (struct rows){ o->buffer->root, o->buffer->offset_bytes, pitch },
	                     (struct rows){ a->mem, 0, a->pitch_bytes }, o->rows, row_bytes,
	                     p->wait, clopt__placed_first(p)));
	TRY(clopt__array_fill(ctx, p->q, a, o->rows, NULL));
out:
	return rc;
}

int clopt__buffer_array_back(struct clopt *ctx, struct placed *p, const struct operand *o,
                             const struct array *a, cl_event *event)
{
	const size_t row_bytes = o->columns * o->elem_bytes, pitch = o->ld * o->elem_bytes;
	const struct waits wait = clopt__placed_last(p, event);
	cl_event copied = NULL;
	int rc = CLOPT_OK;

	/* The copy waits for the kernel's event, since a queue continues after a failed command. */
	TRY(clopt__copy_rows(ctx, p->q, (struct rows){ a->mem, 0, a->pitch_bytes },
	                     (struct rows){ o->buffer->root, o->buffer->offset_bytes, pitch },
	                     o->rows, row_bytes, wait, &copied));
	if (*event && p->waited && !p->first)
		p->first = *event; /* that command waited for the caller's events */
	else if (*event)
		clReleaseEvent(*event);
	*event = copied;
out:
	return rc;
}
