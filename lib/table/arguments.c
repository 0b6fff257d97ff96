/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - refuses bad arguments, with the numbers in the message.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "table.h"

/* Whether the operand's span fits size_t. */
static int fits_size_t(const struct operand *o)
{
	const size_t most = SIZE_MAX / o->elem_bytes;

	return !o->rows || !o->columns ||
	       (o->ld <= most && o->columns <= most &&
	        (o->rows == 1 || o->ld <= (most - o->columns) / (o->rows - 1)));
}

/* Start of an operand: an address, or an offset in the root of its buffer. */
static uintptr_t begin(const struct operand *o)
{
	return o->buffer ? (uintptr_t)o->buffer->offset_bytes : (uintptr_t)o->host;
}

static cl_mem root(const struct operand *o)
{
	return o->buffer ? o->buffer->root : NULL;
}

static int check_buffer(const struct clopt *ctx, const struct operand *o)
{
	const char *name = o->name;

	if (o->buffer->ctx != ctx)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s belongs to another context", name);
	if (clopt__operand_span(o) > o->buffer->bytes)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: %zu rows of %zu elements of %zu bytes, %zu elements apart, "
		                   "take %zu bytes; its buffer has %zu",
		                   name, o->rows, o->columns, o->elem_bytes, o->ld,
		                   clopt__operand_span(o), o->buffer->bytes);
	if (clopt__operand_span(o) && o->buffer->offset_bytes % o->elem_bytes)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s begins at byte %zu of its memory: that must be a multiple "
		                   "of its elements of %zu bytes",
		                   name, o->buffer->offset_bytes, o->elem_bytes);
	return CLOPT_OK;
}

int clopt__check_ld(const struct clopt *ctx, const char *name, const char *lines, size_t length,
                    size_t ld)
{
	if (ld >= length)
		return CLOPT_OK;
	return clopt__fail(
	        ctx, CLOPT_EINVAL,
	        "the leading dimension of %s is %zu: it must be at least the length of its %s, %zu",
	        name, ld, lines, length);
}

int clopt__check_operand(const struct clopt *ctx, const struct operand *o, int unread)
{
	const char *name = o->name;
	int rc = CLOPT_OK;

	/* Matrices of a batch may interleave. */
	if (!o->inner_ld)
		TRY(clopt__check_ld(ctx, name, "rows", o->columns, o->ld));
	if (unread)
		return CLOPT_OK;
	if (!fits_size_t(o) || begin(o) > UINTPTR_MAX - clopt__operand_span(o))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: %zu rows of %zu elements of %zu bytes, %zu elements apart, "
		                   "exceed the address space",
		                   name, o->rows, o->columns, o->elem_bytes, o->ld);
	if (o->buffer)
		return check_buffer(ctx, o);
	if (!o->host && clopt__operand_span(o))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL: it must have %zu x %zu elements",
		                   name, o->rows, o->columns);
out:
	return rc;
}

/*
 * The bytes of an operand: `outer` times `inner` lines of `width` bytes.  If the operand's own
 * lines do not overlap, as in results, each line ends before the next begins.
 */
struct lines {
	size_t first, width;
	size_t outer, outer_pitch, inner, inner_pitch;
};

static struct lines lines_of(const struct operand *o)
{
	const size_t size = o->elem_bytes, per_row = o->inner_ld ? o->inner_ld : o->columns;
	const size_t in_row = (o->columns - 1) / per_row + 1;
	const struct lines whole = { begin(o), clopt__operand_span(o), 1, 0, 1, 0 };
	struct lines l = { .first = begin(o),
		           .width = (o->columns - (in_row - 1) * per_row) * size };

	if (in_row == 1 && (o->rows == 1 || o->ld == o->columns))
		return whole;
	l.outer = o->rows;
	l.outer_pitch = o->ld * size;
	l.inner = in_row;
	l.inner_pitch = per_row * size;
	/* Matrices of a batch side by side: a row of all matrices comes before the next row. */
	if (o->rows > 1 && o->ld < o->columns && in_row > 1) {
		l.outer = in_row;
		l.outer_pitch = per_row * size;
		l.inner = o->rows;
		l.inner_pitch = o->ld * size;
	}
	return l;
}

/* The last position before `end`, of `count` positions from `first` on, `pitch` apart. */
static size_t last_before(size_t first, size_t pitch, size_t count, size_t end)
{
	const size_t i = pitch ? (end - 1 - first) / pitch : count - 1;

	return first + (i < count ? i : count - 1) * pitch;
}

/* Whether a line of l overlaps the bytes from `from` to `end`. */
static int meets(const struct lines *l, size_t from, size_t end)
{
	size_t at;

	if (end <= l->first)
		return 0;
	at = last_before(l->first, l->outer_pitch, l->outer, end);
	return last_before(at, l->inner_pitch, l->inner, end) + l->width > from;
}

/* Whether both are blocks of columns of one matrix: the usual case, which needs no comparison of
 * lines. */
static int side_by_side(const struct lines *x, const struct lines *y)
{
	const size_t pitch = x->outer_pitch;
	size_t offset;

	if (x->inner != 1 || y->inner != 1 || pitch != y->outer_pitch || !pitch)
		return 0;
	offset = y->first >= x->first ? (y->first - x->first) % pitch :
	                                (pitch - (x->first - y->first) % pitch) % pitch;
	return offset >= x->width && offset + y->width <= pitch;
}

static int share_bytes(const struct operand *out, const struct operand *in)
{
	struct lines x, y;
	size_t i, j;

	if (begin(out) >= begin(in) + clopt__operand_span(in) ||
	    begin(in) >= begin(out) + clopt__operand_span(out))
		return 0;
	x = lines_of(out);
	y = lines_of(in);
	if (side_by_side(&x, &y))
		return 0;
	for (i = 0; i < y.outer; i++)
		for (j = 0; j < y.inner; j++) {
			const size_t at = y.first + i * y.outer_pitch + j * y.inner_pitch;

			if (meets(&x, at, at + y.width))
				return 1;
		}
	return 0;
}

int clopt__check_apart(const struct clopt *ctx, const struct operand *out, const struct operand *in)
{
	const size_t written = clopt__operand_span(out), read = clopt__operand_span(in);

	if (root(out) != root(in) || !written || !read || !share_bytes(out, in))
		return CLOPT_OK;
	if (!out->buffer)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s (%zu bytes) overlaps %s (%zu bytes)",
		                   out->name, written, in->name, read);
	return clopt__fail(
	        ctx, CLOPT_EINVAL,
	        "%s (%zu bytes at %zu) overlaps %s (%zu bytes at %zu of the same memory)",
	        out->name, written, out->buffer->offset_bytes, in->name, read,
	        in->buffer->offset_bytes);
}

int clopt__check_size(const struct clopt *ctx, const char *name, size_t size)
{
	if (size <= SIZE_MAX / 2)
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL, "%s is %zu (-%zu cast to size_t?)", name, size,
	                   SIZE_MAX - size + 1);
}

int clopt__check_sizes(const struct clopt *ctx, const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[p->op];
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < op->dims; i++)
		TRY(clopt__check_size(ctx, op->size[i] ? op->size[i] : "a size", p->dim[i]));
	TRY(clopt__check_size(ctx, "steps", p->steps));
	rc = clopt__check_size(ctx, "batch", p->batch);
out:
	return rc;
}

/* Results may lie one after the other, or side by side. */
int clopt__check_results(const struct clopt *ctx, const char *name, size_t batch, size_t lines,
                         size_t length, size_t ld, size_t stride)
{
	const size_t last = batch ? batch - 1 : 0;

	if (last == 0 || !lines || !length ||
	    (ld <= (SIZE_MAX - length) / lines && stride >= (lines - 1) * ld + length) ||
	    (stride >= length && stride <= (SIZE_MAX - length) / last &&
	     last * stride + length <= ld))
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL,
	                   "%s is %zu: the %zu results, each %zu rows of %zu elements, %zu apart, "
	                   "would overlap",
	                   name, stride, batch, lines, length, ld);
}

int clopt__check_real(const struct clopt *ctx, const char *name, double value, double least,
                      double most)
{
	const double size = value < 0 ? -value : value;

	if (!isfinite(value))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is %g: it must be a finite number", name,
		                   value);
	if (value != 0 && !(size >= least && size <= most))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s is %g: its magnitude must be 0, or %g to %g", name, value,
		                   least, most);
	return CLOPT_OK;
}
