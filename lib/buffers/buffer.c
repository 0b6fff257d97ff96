/* SPDX-License-Identifier: MIT */
/*
 * buffer.c - the caller's buffers: new ones, views, and OpenCL's.  A view is an offset in its
 * root's memory, so it may begin at any byte.  OpenCL's sub-buffers would have to be aligned.
 * Kernels that write to one while another overlaps it are undefined (OpenCL 1.2, section 5.2.1),
 * and some drivers crash.  OpenCL makes no empty buffers, so an empty buffer has one byte, never
 * used.
 */
#include <stdlib.h>

#include "clopt_cl.h"
#include "buffers.h"

/* Make a handle.  It takes over the memory objects of `from`, also on failure. */
static int hand_out(struct clopt *ctx, const struct clopt_buffer *from,
                    struct clopt_buffer **buffer)
{
	struct clopt_buffer *made = malloc(sizeof *made);

	if (!made) {
		if (from->root != from->mem)
			clReleaseMemObject(from->root);
		clReleaseMemObject(from->mem);
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a buffer");
	}
	*made = *from;
	made->ctx = ctx;
	clopt__hold(ctx);
	*buffer = made;
	return CLOPT_OK;
}

int clopt_buffer_new(struct clopt *ctx, size_t bytes, struct clopt_buffer **buffer)
{
	struct clopt_buffer b = { .bytes = bytes };
	cl_int code;
	int rc;

	if (buffer)
		*buffer = NULL;
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!buffer)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "buffer is NULL"));
	if (bytes > ctx->device.info.max_alloc_bytes)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM,
		                "bytes is %zu: %s allows at most %llu in one buffer", bytes,
		                ctx->device.info.name,
		                (unsigned long long)ctx->device.info.max_alloc_bytes));
	code = clopt__create_buffer(ctx, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &b.mem);
	TRY_CODE(ctx, code, "clCreateBuffer");
	b.root = b.mem;
	TRY(hand_out(ctx, &b, buffer));
out:
	return clopt__leave(ctx, rc);
}

int clopt_buffer_view(struct clopt_buffer *of, size_t offset_bytes, size_t bytes,
                      struct clopt_buffer **buffer)
{
	struct clopt *ctx = of ? of->ctx : NULL;
	struct clopt_buffer b = { .bytes = bytes };
	int rc;

	if (buffer)
		*buffer = NULL;
	if (!of || !buffer)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_buffer_view: %s is NULL",
		                   of ? "buffer" : "of");
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (offset_bytes > of->bytes || bytes > of->bytes - offset_bytes)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "offset_bytes is %zu and bytes is %zu: they end beyond the "
		                "buffer's %zu bytes",
		                offset_bytes, bytes, of->bytes));
	b.offset_bytes = of->offset_bytes + offset_bytes;
	b.mem = b.root = of->root;
	TRY_CL(ctx, clRetainMemObject(b.root));
	TRY(hand_out(ctx, &b, buffer));
out:
	return clopt__leave(ctx, rc);
}

int clopt_buffer_from_cl(struct clopt *ctx, cl_mem mem, struct clopt_buffer **buffer)
{
	struct clopt_buffer b = { .mem = mem };
	cl_context context = NULL;
	cl_mem_object_type type = 0;
	cl_int code;
	int rc;

	if (buffer)
		*buffer = NULL;
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!mem || !buffer)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL", mem ? "buffer" : "mem"));
	TRY_CL(ctx, clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, NULL));
	TRY_CL(ctx, clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL));
	if (context != ctx->context)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "mem belongs to another OpenCL context"));
	if (type != CL_MEM_OBJECT_BUFFER)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "mem has type %#x: it must be CL_MEM_OBJECT_BUFFER (%#x)",
		                (unsigned)type, (unsigned)CL_MEM_OBJECT_BUFFER));
	TRY_CL(ctx, clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof b.bytes, &b.bytes, NULL));
	TRY_CL(ctx,
	       clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof b.root, &b.root, NULL));
	if (b.root)
		TRY_CL(ctx, clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof b.offset_bytes,
		                               &b.offset_bytes, NULL));
	TRY_CL(ctx, clRetainMemObject(mem));
	if (b.root && (code = clRetainMemObject(b.root)) != CL_SUCCESS) {
		clReleaseMemObject(mem);
		TRY(clopt__fail_cl(ctx, code, "clRetainMemObject"));
	}
	if (!b.root)
		b.root = mem;
	TRY(hand_out(ctx, &b, buffer));
out:
	return clopt__leave(ctx, rc);
}

void clopt_buffer_free(struct clopt_buffer *buffer)
{
	if (!buffer || clopt__forked(buffer->ctx))
		return;
	clopt__caller_hold();
	clopt__caller_drives();
	clReleaseMemObject(buffer->mem); /* a sub-buffer before its root */
	if (buffer->root != buffer->mem)
		clReleaseMemObject(buffer->root);
	clopt__let_go(buffer->ctx);
	free(buffer);
	clopt__caller_back();
}

size_t clopt_buffer_bytes(const struct clopt_buffer *buffer)
{
	return buffer ? buffer->bytes : 0;
}

cl_mem clopt_buffer_cl(const struct clopt_buffer *buffer)
{
	return buffer ? buffer->mem : NULL;
}
