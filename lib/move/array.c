/* SPDX-License-Identifier: MIT */
/*
 * array.c - device arrays, and the parts of an operand in them.
 *
 * The rows of a device array have one pitch, a multiple of 32 bytes where padding costs little.  So
 * vector loads and images find aligned rows for every leading dimension of the caller.  Bytes
 * between rows are never read as data.
 */
#include "move.h"

#define ROW_ALIGN 32u
#define TEXEL_BYTES 16u

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

size_t clopt__operand_row_bytes(const struct operand *o)
{
	return o->columns * o->elem_bytes;
}

size_t clopt__operand_bytes(const struct operand *o)
{
	return o->rows * clopt__operand_row_bytes(o);
}

size_t clopt__operand_span(const struct operand *o)
{
	return o->rows && o->columns ? ((o->rows - 1) * o->ld + o->columns) * o->elem_bytes : 0;
}

struct layout clopt__layout(const struct workload *w, unsigned operand)
{
	return (struct layout){ w->images >> operand & 1, w->texels >> operand & 1, w->packed };
}

/* Rows under 64 bytes stay packed, so that a column vector does not grow eightfold.  Rows of an
 * image are whole texels. */
size_t clopt__array_pitch(size_t row_bytes, struct layout l)
{
	if (!l.packed && row_bytes >= 2 * ROW_ALIGN)
		return round_up(row_bytes, ROW_ALIGN);
	return l.image ? round_up(row_bytes ? row_bytes : 1, TEXEL_BYTES) : row_bytes;
}

/* At least one texel, since OpenCL has no empty buffers. */
size_t clopt__array_bytes(size_t rows, size_t row_bytes, struct layout l)
{
	size_t bytes = clopt__times(rows, clopt__array_pitch(row_bytes, l));

	return bytes < TEXEL_BYTES ? TEXEL_BYTES : bytes;
}

/* Texels are four 32-bit words: one format for all elements, required of all devices with images.
 * Kernels reinterpret them. */
static int image_open(struct clopt *ctx, struct array *a, int of_buffer)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT32 };
	cl_image_desc d = { 0 };
	cl_int code;

	d.image_type = of_buffer ? CL_MEM_OBJECT_IMAGE1D_BUFFER : CL_MEM_OBJECT_IMAGE2D;
	d.image_width = a->pitch_bytes / TEXEL_BYTES;
	d.image_height = a->rows ? a->rows : 1;
	if (of_buffer) {
		/* Rows that kernels do not read as texels may lie beyond the largest image. */
		d.image_width = a->rows ? clopt__smaller(d.image_width * a->rows,
		                                         ctx->device.info.image_buffer) :
		                          1;
		d.image_height = 0;
		d.buffer = a->mem;
	}
	a->image = clCreateImage(ctx->context, CL_MEM_READ_ONLY, &format, &d, NULL, &code);
	if (code != CL_SUCCESS)
		a->image = NULL;
	return clopt__code(ctx, code, "clCreateImage");
}

static int open_buffer(struct clopt *ctx, struct array *a, cl_mem_flags flags, size_t bytes,
                       void *host, struct layout l)
{
	cl_int code;
	int rc = CLOPT_OK;

	a->bytes = bytes;
	a->room_bytes = 0;
	code = clopt__create_buffer(ctx, flags, bytes, host, &a->mem);
	TRY_CODE(ctx, code, "clCreateBuffer");
	if (l.image || l.texels)
		TRY(image_open(ctx, a, l.texels));
out:
	return rc;
}

int clopt__array_open(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a)
{
	clopt__idle_make_way(ctx);
	a->rows = rows;
	a->pitch_bytes = clopt__array_pitch(row_bytes, l);
	return open_buffer(ctx, a, CL_MEM_READ_WRITE, clopt__array_bytes(rows, row_bytes, l), NULL,
	                   l);
}

int clopt__array_take(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a)
{
	int rc = CLOPT_OK;

	a->rows = rows;
	a->pitch_bytes = clopt__array_pitch(row_bytes, l);
	a->bytes = clopt__array_bytes(rows, row_bytes, l);
	if (!l.image && !l.texels && (a->mem = clopt__idle_take(ctx, a->bytes, &a->room_bytes)))
		return CLOPT_OK;
	TRY(open_buffer(ctx, a, CL_MEM_READ_WRITE, a->bytes, NULL, l));
	a->room_bytes = l.image || l.texels ? 0 : a->bytes;
out:
	return rc;
}

void clopt__array_give(struct clopt *ctx, struct array *a)
{
	if (a->mem && a->room_bytes) {
		clopt__idle_give(ctx, a->mem, a->room_bytes);
		a->mem = NULL;
	}
	clopt__array_close(a);
}

int clopt__array_copy_of(struct clopt *ctx, const void *host, size_t rows, size_t row_bytes,
                         struct array *a)
{
	clopt__idle_make_way(ctx);
	a->rows = rows;
	a->pitch_bytes = row_bytes;
	return open_buffer(ctx, a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, rows * row_bytes,
	                   (void *)host, (struct layout){ 0, 0, 1 });
}

struct array clopt__array_from(const struct array *a, size_t first)
{
	struct array from = *a;

	from.offset_bytes += first * a->pitch_bytes;
	return from;
}

int clopt__array_in_place(struct clopt *ctx, const struct operand *o, struct layout l,
                          struct array *a)
{
	/* Processors get no read-only buffers.  Intel's driver copies such a buffer unless it
	 * begins at a multiple of 128 bytes, and writable ones cost nothing. */
	const int written = o->use & OPERAND_OUT || ctx->device.traits & T_CPU;

	a->rows = o->rows;
	a->pitch_bytes = o->ld * o->elem_bytes;
	return open_buffer(ctx, a,
	                   CL_MEM_USE_HOST_PTR | (written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY),
	                   clopt__operand_span(o), o->host, l);
}

int clopt__array_sync(struct clopt *ctx, cl_command_queue q, const struct array *a)
{
	void *memory;
	cl_int code;
	int rc = CLOPT_OK;

	memory = clEnqueueMapBuffer(q, a->mem, CL_FALSE, CL_MAP_READ, 0, a->bytes, 0, NULL, NULL,
	                            &code);
	TRY_CODE(ctx, code, "clEnqueueMapBuffer");
	TRY_CL(ctx, clEnqueueUnmapMemObject(q, a->mem, memory, 0, NULL, NULL));
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

struct transfer clopt__array_transfer(const struct array *a, const struct operand *o,
                                      const struct extent *e, int down)
{
	const size_t pitch = o->ld * o->elem_bytes;

	return (struct transfer){
		.down = down,
		.mem = a->mem,
		.pitch_bytes = a->pitch_bytes,
		/* An operand without elements may have no array. */
		.host = o->host ? (char *)o->host + e->first[0] * pitch +
		                          e->first[1] * o->elem_bytes :
		                  NULL,
		.host_pitch_bytes = pitch,
		.rows = e->count[1] ? e->count[0] : 0,
		.row_bytes = e->count[1] * o->elem_bytes,
	};
}

int clopt__array_fill(struct clopt *ctx, cl_command_queue q, const struct array *a, size_t rows,
                      cl_event *event)
{
	const size_t origin[3] = { 0, 0, 0 };
	const size_t region[3] = { a->pitch_bytes / TEXEL_BYTES, rows, 1 };
	cl_mem_object_type type;
	int rc = CLOPT_OK;

	if (!a->image)
		return CLOPT_OK;
	TRY_CL(ctx, clGetMemObjectInfo(a->image, CL_MEM_TYPE, sizeof type, &type, NULL));
	if (type == CL_MEM_OBJECT_IMAGE2D)
		TRY_CL(ctx, clEnqueueCopyBufferToImage(q, a->mem, a->image, 0, origin, region, 0,
		                                       NULL, event));
out:
	return rc;
}
