/* SPDX-License-Identifier: MIT */
/*
 * memory.c - device memory: how much a call may use, and the idle arrays and workspaces that it
 * leaves to the next call.
 *
 * A driver allocates memory at the first write into a new array, and frees it at the release.
 * These took 113 of the 171 us of a product of 16 x 16 x 16 on an H200.  Neither
 * reduces what a call may use: they are released first.
 */
#include <string.h>

#include "move.h"

/* Limits of idle arrays: the memory divided by SHARE, and MOST_BYTES. */
#define SHARE 64
#define MOST_BYTES ((size_t)256 << 20)

/* An idle array may serve a request of at least half its size; a small one serves any. */
#define SMALL ((size_t)64 << 10)

size_t clopt__memory_within(const struct clopt *ctx, size_t limit)
{
	const uint64_t there = ctx->device.info.global_bytes / 10 * 9;
	const size_t bytes = there > SIZE_MAX ? SIZE_MAX : (size_t)there;

	return limit && limit < bytes ? limit : bytes;
}

size_t clopt__memory(const struct clopt *ctx)
{
	return clopt__memory_within(ctx, ctx->mem_limit_bytes);
}

int clopt__memory_short(const struct clopt *ctx, size_t needed_bytes)
{
	const size_t limit = ctx->mem_limit_bytes;

	return clopt__fail(ctx, CLOPT_ENOMEM,
	                   "needs %zu bytes on the device: at most %zu may be used (%s)",
	                   needed_bytes, clopt__memory(ctx),
	                   limit && limit == clopt__memory(ctx) ?
	                           "CLOPT_MEM_LIMIT or clopt_options.mem_limit_bytes" :
	                           "90 % of its memory");
}

static cl_mem remove_at(struct idle *idle, unsigned i)
{
	const cl_mem mem = idle->list[i].mem;

	idle->bytes -= idle->list[i].bytes;
	idle->count--;
	for (; i < idle->count; i++)
		idle->list[i] = idle->list[i + 1];
	return mem;
}

cl_mem clopt__idle_take(struct clopt *ctx, size_t bytes, size_t *room_bytes)
{
	struct idle *idle = &ctx->idle;
	unsigned i, best = MOST_IDLE_ARRAYS;

	for (i = 0; i < idle->count; i++) {
		const size_t has = idle->list[i].bytes;

		if (has >= bytes && (has <= SMALL || has / 2 <= bytes) &&
		    (best == MOST_IDLE_ARRAYS || has < idle->list[best].bytes))
			best = i;
	}
	if (best == MOST_IDLE_ARRAYS)
		return NULL;
	*room_bytes = idle->list[best].bytes;
	return remove_at(idle, best);
}

void clopt__idle_give(struct clopt *ctx, cl_mem mem, size_t room_bytes)
{
	const size_t most = clopt__smaller(clopt__memory(ctx) / SHARE, MOST_BYTES);
	struct idle *idle = &ctx->idle;

	if (room_bytes > most) {
		clReleaseMemObject(mem);
		return;
	}
	while (idle->count == MOST_IDLE_ARRAYS || idle->bytes > most - room_bytes)
		clReleaseMemObject(remove_at(idle, 0));
	idle->list[idle->count].mem = mem;
	idle->list[idle->count++].bytes = room_bytes;
	idle->bytes += room_bytes;
}

size_t clopt__idle_bytes(const struct clopt *ctx)
{
	size_t bytes = ctx->idle.bytes;
	unsigned i;

	for (i = 0; i < MOST_WORKSPACES; i++)
		bytes += ctx->workspace[i].bytes;
	return bytes;
}

/* OpenCL frees memory when the commands that use it have ended. */
static int release(struct workspace *w)
{
	const int any = w->mem != NULL;

	if (any)
		clReleaseMemObject(w->mem);
	memset(w, 0, sizeof *w);
	return any;
}

int clopt__idle_free(struct clopt *ctx)
{
	int any = ctx->idle.count > 0;
	unsigned i;

	while (ctx->idle.count)
		clReleaseMemObject(remove_at(&ctx->idle, ctx->idle.count - 1));
	for (i = 0; i < MOST_WORKSPACES; i++)
		any |= release(&ctx->workspace[i]);
	return any;
}

int clopt__workspace(struct clopt *ctx, cl_command_queue q, size_t bytes, cl_mem *mem)
{
	struct workspace *w = ctx->workspace, *const last = w + MOST_WORKSPACES - 1;
	int rc = CLOPT_OK;

	while (w < last && w->q != q)
		w++;
	if (w->q != q)
		for (w = ctx->workspace; w < last && w->mem; w++)
			;
	if (w->q != q || w->bytes < bytes) {
		cl_mem made;

		release(w);
		TRY_CL(ctx, clopt__create_buffer(ctx, CL_MEM_READ_WRITE, bytes, NULL, &made));
		*w = (struct workspace){ .q = q, .mem = made, .bytes = bytes };
	}
	*mem = w->mem;
out:
	return rc;
}

void clopt__workspace_free(struct clopt *ctx, cl_command_queue q)
{
	unsigned i;

	for (i = 0; i < MOST_WORKSPACES; i++)
		if (ctx->workspace[i].q == q)
			release(&ctx->workspace[i]);
}

void clopt__idle_make_way(struct clopt *ctx)
{
	if (ctx->mem_limit_bytes)
		clopt__idle_free(ctx);
}

cl_int clopt__create_buffer(struct clopt *ctx, cl_mem_flags flags, size_t bytes, void *host,
                            cl_mem *mem)
{
	cl_int code;

	do {
		*mem = clCreateBuffer(ctx->context, flags, bytes, host, &code);
	} while (code != CL_SUCCESS && clopt__idle_free(ctx));
	if (code != CL_SUCCESS)
		*mem = NULL; /* some drivers leave a value there */
	return code;
}
