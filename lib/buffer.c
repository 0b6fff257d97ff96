/* SPDX-License-Identifier: MIT */
/*
 * buffer.c - device arrays, and moving parts of an operand into and out of them.
 *
 * A device array has rows of one pitch, 32 bytes or a multiple where that costs
 * little, so that vector loads and images find their rows aligned whatever the
 * caller's leading dimension is.  What lies between a row's end and the next
 * row is never read as data.
 */
#include "internal.h"

#define ROW_ALIGN 32u
#define TEXEL_BYTES 16u

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Rows under 64 bytes stay packed: a column vector must not grow eightfold.
 * An image's rows are whole texels. */
size_t clopt__array_pitch(size_t row_bytes, int image)
{
	if (row_bytes >= 2 * ROW_ALIGN)
		return round_up(row_bytes, ROW_ALIGN);
	return image ? round_up(row_bytes ? row_bytes : 1, TEXEL_BYTES) : row_bytes;
}

/* At least a texel, since OpenCL has no empty buffers. */
size_t clopt__array_bytes(size_t rows, size_t row_bytes, int image)
{
	size_t bytes = rows * clopt__array_pitch(row_bytes, image);

	return bytes < TEXEL_BYTES ? TEXEL_BYTES : bytes;
}

/* Texels are four 32-bit words: one format for all elements, and required of
 * every device with images.  Kernels reinterpret them. */
static int image_open(struct clopt *ctx, struct array *a, int of_buffer)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT32 };
	cl_image_desc d = { 0 };
	cl_int code;
	int rc = CLOPT_OK;

	d.image_type = of_buffer ? CL_MEM_OBJECT_IMAGE1D_BUFFER : CL_MEM_OBJECT_IMAGE2D;
	d.image_width = a->pitch_bytes / TEXEL_BYTES;
	d.image_height = a->rows ? a->rows : 1;
	if (of_buffer) {
		d.image_width = a->rows ? d.image_width * a->rows : 1;
		d.image_height = 0;
		d.buffer = a->mem;
	}
	a->image = clCreateImage(ctx->context, CL_MEM_READ_ONLY, &format, &d, NULL, &code);
	if (code != CL_SUCCESS)
		a->image = NULL;
	TRY_CODE(ctx, code, "clCreateImage");
out:
	return rc;
}

int clopt__array_open(struct clopt *ctx, const struct variant *v, unsigned operand, size_t rows,
                      size_t row_bytes, struct array *a)
{
	const int image = v->images >> operand & 1, texels = v->texels >> operand & 1;
	const size_t bytes = clopt__array_bytes(rows, row_bytes, image);
	cl_int code;
	int rc = CLOPT_OK;

	a->rows = rows;
	a->pitch_bytes = clopt__array_pitch(row_bytes, image);
	a->mem = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	if (code != CL_SUCCESS)
		a->mem = NULL;
	TRY_CODE(ctx, code, "clCreateBuffer");
	if (image || texels)
		TRY(image_open(ctx, a, texels));
out:
	return rc;
}

void clopt__array_close(struct array *a)
{
	if (a->image)
		clReleaseMemObject(a->image);
	if (a->mem)
		clReleaseMemObject(a->mem);
	a->image = a->mem = NULL;
}

/* The part of an operand that a band takes, as both directions need it. */
struct part {
	char *host;
	size_t rows, row_bytes, pitch_bytes;
};

static struct part part(const struct operand *o, size_t first, size_t count)
{
	struct part p = { o->host, o->rows, o->columns * o->elem_bytes, o->ld * o->elem_bytes };

	if (o->cut == BY_ROWS) {
		p.host += first * p.pitch_bytes;
		p.rows = count;
	} else if (o->cut == BY_COLUMNS) {
		p.host += first * o->elem_bytes;
		p.row_bytes = count * o->elem_bytes;
	}
	return p;
}

/* A 2-D image is not the buffer, so what came up is copied on. */
static int fill_image(struct clopt *ctx, cl_command_queue q, const struct array *a, size_t rows)
{
	const size_t origin[3] = { 0, 0, 0 };
	const size_t region[3] = { a->pitch_bytes / TEXEL_BYTES, rows, 1 };
	cl_mem_object_type type;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetMemObjectInfo(a->image, CL_MEM_TYPE, sizeof type, &type, NULL));
	if (type == CL_MEM_OBJECT_IMAGE2D)
		TRY_CL(ctx, clEnqueueCopyBufferToImage(q, a->mem, a->image, 0, origin, region, 0,
		                                       NULL, NULL));
out:
	return rc;
}

int clopt__array_up(struct clopt *ctx, cl_command_queue q, const struct operand *o, size_t first,
                    size_t count, struct array *a)
{
	const struct part p = part(o, first, count);
	const size_t zero[3] = { 0, 0, 0 }, region[3] = { p.row_bytes, p.rows, 1 };
	int rc = CLOPT_OK;

	if (!p.rows || !p.row_bytes)
		return CLOPT_OK;
	if (p.rows == 1 || (p.pitch_bytes == p.row_bytes && a->pitch_bytes == p.row_bytes))
		TRY_CL(ctx, clEnqueueWriteBuffer(q, a->mem, CL_FALSE, 0, p.rows * p.row_bytes,
		                                 p.host, 0, NULL, NULL));
	else
		TRY_CL(ctx, clEnqueueWriteBufferRect(q, a->mem, CL_FALSE, zero, zero, region,
		                                     a->pitch_bytes, 0, p.pitch_bytes, 0, p.host, 0,
		                                     NULL, NULL));
	ctx->report.up_bytes += p.rows * p.row_bytes;
	if (a->image)
		TRY(fill_image(ctx, q, a, p.rows));
out:
	return rc;
}

int clopt__array_down(struct clopt *ctx, cl_command_queue q, const struct operand *o, size_t first,
                      size_t count, const struct array *a)
{
	const struct part p = part(o, first, count);
	const size_t zero[3] = { 0, 0, 0 }, region[3] = { p.row_bytes, p.rows, 1 };
	int rc = CLOPT_OK;

	if (!p.rows || !p.row_bytes)
		return CLOPT_OK;
	if (p.rows == 1 || (p.pitch_bytes == p.row_bytes && a->pitch_bytes == p.row_bytes))
		TRY_CL(ctx, clEnqueueReadBuffer(q, a->mem, CL_FALSE, 0, p.rows * p.row_bytes,
		                                p.host, 0, NULL, NULL));
	else
		TRY_CL(ctx, clEnqueueReadBufferRect(q, a->mem, CL_FALSE, zero, zero, region,
		                                    a->pitch_bytes, 0, p.pitch_bytes, 0, p.host, 0,
		                                    NULL, NULL));
	ctx->report.down_bytes += p.rows * p.row_bytes;
out:
	return rc;
}
