/* SPDX-License-Identifier: MIT */
/*
 * copy.c - transfers to, from and between the caller's buffers.  A plain range of bytes is one row.
 * A transfer with ordinary memory first waits for the commands before it.
 */
#include <stdint.h>

#include "buffers.h"

/* Rows of a buffer. */
struct place {
	const struct clopt_buffer *buffer;
	size_t offset_bytes, pitch_bytes, rows, row_bytes;
};

static int nothing(const struct place *p)
{
	return p->rows == 0 || p->row_bytes == 0;
}

/* Whether the rows end within `bytes`. Nothing here overflows. */
static int fits(size_t rows, size_t row_bytes, size_t pitch_bytes, size_t bytes)
{
	return rows == 0 || row_bytes == 0 ||
	       (row_bytes <= bytes &&
	        (rows == 1 || pitch_bytes <= (bytes - row_bytes) / (rows - 1)));
}

static int check_pitch(const struct clopt *ctx, const char *name, size_t pitch_bytes,
                       size_t row_bytes)
{
	return pitch_bytes >= row_bytes ?
	               CLOPT_OK :
	               clopt__fail(ctx, CLOPT_EINVAL,
	                           "%s is %zu: it must be at least the %zu bytes of a row", name,
	                           pitch_bytes, row_bytes);
}

static int check_place(const struct clopt *ctx, const char *name, const struct place *p)
{
	const size_t bytes = p->buffer->bytes;

	if (p->offset_bytes <= bytes &&
	    fits(p->rows, p->row_bytes, p->pitch_bytes, bytes - p->offset_bytes))
		return CLOPT_OK;
	if (p->rows == 1)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%zu bytes at offset %zu end beyond %s of %zu bytes",
		                   p->row_bytes, p->offset_bytes, name, bytes);
	return clopt__fail(
	        ctx, CLOPT_EINVAL,
	        "%zu rows of %zu bytes, %zu bytes apart, at offset %zu end beyond %s of %zu bytes",
	        p->rows, p->row_bytes, p->pitch_bytes, p->offset_bytes, name, bytes);
}

static int check_host(const struct clopt *ctx, const char *name, const void *host,
                      size_t pitch_bytes, const struct place *p)
{
	if (nothing(p))
		return CLOPT_OK;
	if (!host)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s is NULL: it must have %zu rows of %zu bytes", name, p->rows,
		                   p->row_bytes);
	if (!fits(p->rows, p->row_bytes, pitch_bytes, UINTPTR_MAX - (uintptr_t)host))
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "%s: %zu rows of %zu bytes, %zu bytes apart, exceed the address space",
		        name, p->rows, p->row_bytes, pitch_bytes);
	return CLOPT_OK;
}

/* Queue a marker: nothing is copied, but the order's events still apply. */
static int mark(struct clopt *ctx, struct placed *at)
{
	return clopt__code(
	        ctx, clEnqueueMarkerWithWaitList(at->q, at->wait.count, at->wait.list, at->wanted),
	        "clEnqueueMarkerWithWaitList");
}

/*
 * A transfer with ordinary memory returns only when that memory may be reused, so it waits for
 * earlier commands.  The wait is without the lock: another thread may have to call on the context
 * to end it.
 */
static int wait_before(struct clopt *ctx, struct placed *at)
{
	cl_event before = NULL;
	cl_int code;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clEnqueueMarkerWithWaitList(at->q, at->wait.count,
	                                        at->wait.count ? at->wait.list : NULL, &before));
	TRY_CL(ctx, clFlush(at->q));
	pthread_mutex_unlock(&ctx->lock);
	code = clWaitForEvents(1, &before);
	pthread_mutex_lock(&ctx->lock);
	TRY_CODE(ctx, code, "clWaitForEvents");
	at->wait.count = 0;
out:
	if (before)
		clReleaseEvent(before);
	return rc;
}

/* Copy to the host (down) or from it. */
static int move(const char *name, const struct place *p, int down, void *host,
                size_t host_pitch_bytes, const struct clopt_order *order)
{
	const char *host_name = down ? "to" : "from";
	struct clopt *ctx = p->buffer ? p->buffer->ctx : NULL;
	struct placed at = { 0 };
	int rc;

	clopt__no_event(order);
	if (!p->buffer)
		return clopt__fail(NULL, CLOPT_EINVAL, "%s: buffer is NULL", name);
	TRY(clopt__enter(ctx, clopt__words(name)));
	TRY(clopt__place(ctx, order, &at));
	TRY(check_pitch(ctx, "pitch_bytes", p->pitch_bytes, p->row_bytes));
	TRY(check_pitch(ctx, down ? "to_pitch_bytes" : "from_pitch_bytes", host_pitch_bytes,
	                p->row_bytes));
	TRY(check_place(ctx, "a buffer", p));
	TRY(check_host(ctx, host_name, host, host_pitch_bytes, p));
	if (nothing(p)) {
		TRY(mark(ctx, &at));
	} else {
		const struct transfer t = { .down = down,
			                    .mem = p->buffer->root,
			                    .offset_bytes =
			                            p->buffer->offset_bytes + p->offset_bytes,
			                    .pitch_bytes = p->pitch_bytes,
			                    .host = host,
			                    .host_pitch_bytes = host_pitch_bytes,
			                    .rows = p->rows,
			                    .row_bytes = p->row_bytes };

		if (!clopt__is_pinned(ctx, host, clopt__transfer_span(&t)))
			TRY(wait_before(ctx, &at));
		TRY(clopt__transfer(ctx, at.q, &t, at.wait, at.wanted));
	}
out:
	return clopt__leave(ctx, clopt__placed(ctx, &at, rc));
}

int clopt_buffer_write(struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                       const void *from, const struct clopt_order *order)
{
	const struct place p = { buffer, offset_bytes, bytes, 1, bytes };

	return move("clopt_buffer_write", &p, 0, (void *)from, bytes, order);
}

int clopt_buffer_read(const struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                      void *to, const struct clopt_order *order)
{
	const struct place p = { buffer, offset_bytes, bytes, 1, bytes };

	return move("clopt_buffer_read", &p, 1, to, bytes, order);
}

int clopt_buffer_write_rect(struct clopt_buffer *buffer, size_t offset_bytes, size_t pitch_bytes,
                            size_t rows, size_t row_bytes, const void *from,
                            size_t from_pitch_bytes, const struct clopt_order *order)
{
	const struct place p = { buffer, offset_bytes, pitch_bytes, rows, row_bytes };

	return move("clopt_buffer_write_rect", &p, 0, (void *)from, from_pitch_bytes, order);
}

int clopt_buffer_read_rect(const struct clopt_buffer *buffer, size_t offset_bytes,
                           size_t pitch_bytes, size_t rows, size_t row_bytes, void *to,
                           size_t to_pitch_bytes, const struct clopt_order *order)
{
	const struct place p = { buffer, offset_bytes, pitch_bytes, rows, row_bytes };

	return move("clopt_buffer_read_rect", &p, 1, to, to_pitch_bytes, order);
}

/* ---- Between buffers -------------------------------------------------------- */

/* Refuse overlap.  Both places may be in one buffer, and blocks of columns may interleave. */
static int check_apart(const struct clopt *ctx, const struct place *from, const struct place *to)
{
	const size_t a = from->buffer->offset_bytes + from->offset_bytes;
	const size_t b = to->buffer->offset_bytes + to->offset_bytes;
	const size_t pitch = to->pitch_bytes, width = to->row_bytes;
	size_t shift;

	if (from->buffer->root != to->buffer->root || nothing(to) ||
	    b >= a + (from->rows - 1) * from->pitch_bytes + width ||
	    a >= b + (to->rows - 1) * pitch + width)
		return CLOPT_OK;
	shift = b >= a ? (b - a) % pitch : (pitch - (a - b) % pitch) % pitch;
	if (from->pitch_bytes == pitch && shift >= width && shift + width <= pitch)
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL,
	                   "%zu rows of %zu bytes, %zu bytes apart, at offset %zu overlap those at "
	                   "offset %zu of the same memory, %zu bytes apart",
	                   from->rows, width, from->pitch_bytes, a, b, pitch);
}

/*
 * Within one buffer drivers check rows for overlap.  They expect one pitch for both places.  They
 * take a row that crosses the end of its pitch for an overlap with the next row.  In both cases
 * copy row by row.
 */
static int copy_rows(struct clopt *ctx, struct placed *at, const struct place *from,
                     const struct place *to)
{
	const struct clopt_buffer *s = from->buffer, *d = to->buffer;
	struct rows src = { s->root, s->offset_bytes + from->offset_bytes, from->pitch_bytes };
	struct rows dst = { d->root, d->offset_bytes + to->offset_bytes, to->pitch_bytes };
	const int over = src.offset_bytes % src.pitch_bytes + to->row_bytes > src.pitch_bytes ||
	                 dst.offset_bytes % dst.pitch_bytes + to->row_bytes > dst.pitch_bytes;
	const int apart = src.mem == dst.mem && (src.pitch_bytes != dst.pitch_bytes || over);
	const size_t each = apart ? 1 : to->rows;
	size_t left;
	int rc = CLOPT_OK;

	for (left = to->rows; left; left -= each) {
		TRY(clopt__copy_rows(ctx, at->q, src, dst, each, to->row_bytes, at->wait,
		                     left == each ? at->wanted : clopt__placed_first(at)));
		src.offset_bytes += src.pitch_bytes;
		dst.offset_bytes += dst.pitch_bytes;
	}
out:
	return rc;
}

static int copy(const char *name, const struct place *from, const struct place *to,
                const struct clopt_order *order)
{
	struct clopt *ctx = to->buffer ? to->buffer->ctx : NULL;
	struct placed at = { 0 };
	int rc;

	clopt__no_event(order);
	if (!from->buffer || !to->buffer)
		return clopt__fail(from->buffer ? from->buffer->ctx : ctx, CLOPT_EINVAL,
		                   "%s: %s is NULL", name, from->buffer ? "to" : "from");
	TRY(clopt__enter(ctx, clopt__words(name)));
	TRY(clopt__place(ctx, order, &at));
	if (from->buffer->ctx != ctx)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "from and to belong to different contexts"));
	TRY(check_pitch(ctx, "from_pitch_bytes", from->pitch_bytes, from->row_bytes));
	TRY(check_pitch(ctx, "to_pitch_bytes", to->pitch_bytes, to->row_bytes));
	TRY(check_place(ctx, "from", from));
	TRY(check_place(ctx, "to", to));
	TRY(check_apart(ctx, from, to));
	if (nothing(to))
		TRY(mark(ctx, &at));
	else
		TRY(copy_rows(ctx, &at, from, to));
out:
	return clopt__leave(ctx, clopt__placed(ctx, &at, rc));
}

int clopt_buffer_copy(const struct clopt_buffer *from, size_t from_offset_bytes,
                      struct clopt_buffer *to, size_t to_offset_bytes, size_t bytes,
                      const struct clopt_order *order)
{
	const struct place a = { from, from_offset_bytes, bytes, 1, bytes };
	const struct place b = { to, to_offset_bytes, bytes, 1, bytes };

	return copy("clopt_buffer_copy", &a, &b, order);
}

int clopt_buffer_copy_rect(const struct clopt_buffer *from, size_t from_offset_bytes,
                           size_t from_pitch_bytes, struct clopt_buffer *to, size_t to_offset_bytes,
                           size_t to_pitch_bytes, size_t rows, size_t row_bytes,
                           const struct clopt_order *order)
{
	const struct place a = { from, from_offset_bytes, from_pitch_bytes, rows, row_bytes };
	const struct place b = { to, to_offset_bytes, to_pitch_bytes, rows, row_bytes };

	return copy("clopt_buffer_copy_rect", &a, &b, order);
}
