/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - refuses bad arguments, with the numbers in the text.
 */
#include <stdint.h>
#include <string.h>

#include "table.h"

/* Whether clopt__operand_span can be computed at all. */
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
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is a buffer of another context", name);
	if (clopt__operand_span(o) > o->buffer->bytes)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: %zu rows of %zu elements of %zu bytes, %zu elements apart, "
		                   "take %zu bytes, its buffer has %zu",
		                   name, o->rows, o->columns, o->elem_bytes, o->ld,
		                   clopt__operand_span(o), o->buffer->bytes);
	return CLOPT_OK;
}

int clopt__check_operand(const struct clopt *ctx, const struct operand *o, int unread)
{
	const char *name = o->name;

	/* Matrices of a batch may interleave. */
	if (o->ld < o->columns && !o->inner_ld)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "the leading dimension of %s is %zu, shorter than its rows of "
		                   "%zu elements",
		                   name, o->ld, o->columns);
	if (unread)
		return CLOPT_OK;
	if (!fits_size_t(o) || begin(o) > UINTPTR_MAX - clopt__operand_span(o))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: %zu rows of %zu elements of %zu bytes, %zu elements apart, "
		                   "are more than there are addresses",
		                   name, o->rows, o->columns, o->elem_bytes, o->ld);
	if (o->buffer)
		return check_buffer(ctx, o);
	if (!o->host && clopt__operand_span(o))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL but has %zu x %zu elements", name,
		                   o->rows, o->columns);
	return CLOPT_OK;
}

/*
 * Two blocks of columns of one matrix may lie in one span and still share nothing: if their leading
 * dimensions agree, compare the columns.
 */
static int side_by_side(const struct operand *x, const struct operand *y)
{
	const size_t pitch = x->ld * x->elem_bytes;
	const size_t xw = x->columns * x->elem_bytes, yw = y->columns * y->elem_bytes;
	size_t offset;

	if (pitch != y->ld * y->elem_bytes)
		return 0;
	offset = begin(y) >= begin(x) ? (begin(y) - begin(x)) % pitch :
	                                (pitch - (begin(x) - begin(y)) % pitch) % pitch;
	return offset >= xw && offset + yw <= pitch;
}

static int arrays_overlap(const struct operand *x, const struct operand *y)
{
	return begin(x) < begin(y) + clopt__operand_span(y) &&
	       begin(y) < begin(x) + clopt__operand_span(x) && !side_by_side(x, y);
}

int clopt__buffers_overlap(const struct clopt_buffer *x, const struct clopt_buffer *y)
{
	return x->offset_bytes < y->offset_bytes + y->bytes &&
	       y->offset_bytes < x->offset_bytes + x->bytes;
}

/*
 * A kernel must not write to buffers that overlap (OpenCL 1.2, section 5.2.1), even if its arrays
 * in them do not.
 */
int clopt__check_apart(const struct clopt *ctx, const struct operand *out, const struct operand *in)
{
	const struct clopt_buffer *x = out->buffer, *y = in->buffer;

	if (root(out) != root(in) || clopt__operand_span(out) == 0 || clopt__operand_span(in) == 0)
		return CLOPT_OK;
	if (arrays_overlap(out, in))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s (%zu bytes) overlaps %s (%zu bytes)",
		                   out->name, clopt__operand_span(out), in->name,
		                   clopt__operand_span(in));
	if (x && y && clopt__buffers_overlap(x, y))
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "the buffer of %s, %zu bytes at %zu, overlaps that of %s, %zu "
		        "bytes at %zu of the same memory: one that is written lies apart",
		        out->name, x->bytes, x->offset_bytes, in->name, y->bytes, y->offset_bytes);
	return CLOPT_OK;
}

int clopt__check_ld(const struct clopt *ctx, const char *name, const char *lines, size_t length,
                    size_t ld)
{
	if (ld >= length)
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL,
	                   "the leading dimension of %s is %zu, shorter than its %s of %zu "
	                   "elements",
	                   name, ld, lines, length);
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
	                   "%s is %zu: %zu results of %zu lines of %zu elements, %zu apart, "
	                   "overlap",
	                   name, stride, batch, lines, length, ld);
}

int clopt__check_real(const struct clopt *ctx, const char *name, double value, double least,
                      double most)
{
	const double size = value < 0 ? -value : value;

	if (value != 0 && !(size >= least && size <= most))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is %g: kernels take 0, or %g to %g", name,
		                   value, least, most);
	return CLOPT_OK;
}
