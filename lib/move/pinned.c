/* SPDX-License-Identifier: MIT */
/*
 * pinned.c - a pool of pinned host memory, which the device reaches fastest.
 *
 * A block is a buffer with CL_MEM_ALLOC_HOST_PTR that stays mapped: NVIDIA, OpenCL Best Practices
 * Guide (2011), section 3.1.1.  Where host and device share memory there is nothing to pin, and a
 * block is pages of ordinary memory, for zero copy.  Freed blocks stay for the next call, since
 * pinning costs more than copying (0.35 ms/MiB against 0.02, H200).
 */
#include <stdint.h>
#include <stdlib.h>

#include "move.h"

#define PAGE ((size_t)4096)
#define MOST_IDLE ((size_t)1 << 30)

struct pinned {
	cl_mem mem; /* NULL: memory is from posix_memalign */
	char *memory;
	size_t bytes;
	int kind, used;
	struct pinned *next;
};

static void unpin(struct clopt *ctx, cl_mem mem, void *memory)
{
	if (memory &&
	    clEnqueueUnmapMemObject(ctx->queue[0], mem, memory, 0, NULL, NULL) == CL_SUCCESS)
		clopt__finish(ctx, ctx->queue[0], CLOPT_OK);
	clReleaseMemObject(mem);
}

static void close_block(struct clopt *ctx, struct pinned *p)
{
	if (p->mem)
		unpin(ctx, p->mem, p->memory);
	else
		clopt__aligned_free(p->memory);
	free(p);
}

/* Allocate pinned pages.  NULL on failure, with everything released. */
static char *pin(struct clopt *ctx, size_t bytes, cl_mem *mem)
{
	cl_int code;
	char *memory;

	*mem = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL,
	                      &code);
	if (code != CL_SUCCESS) {
		*mem = NULL;
		return NULL;
	}
	memory = clEnqueueMapBuffer(ctx->queue[0], *mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
	                            bytes, 0, NULL, NULL, &code);
	if (code == CL_SUCCESS && (uintptr_t)memory % PAGE == 0)
		return memory;
	unpin(ctx, *mem, code == CL_SUCCESS ? memory : NULL);
	*mem = NULL;
	return NULL;
}

static struct pinned *open_block(struct clopt *ctx, size_t bytes)
{
	struct pinned *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->bytes = bytes;
	p->kind = CLOPT_MEMORY_PINNED;
	if (!(ctx->device.traits & T_UNIFIED))
		p->memory = pin(ctx, bytes, &p->mem);
	if (!p->memory) {
		p->kind = ctx->device.traits & T_UNIFIED ? CLOPT_MEMORY_SHARED :
		                                           CLOPT_MEMORY_ORDINARY;
		if (!(p->memory = clopt__aligned(PAGE, bytes))) {
			free(p);
			return NULL;
		}
	}
	return p;
}

/* The smallest idle block that is large enough and at most twice as large. */
static struct pinned *idle_block(struct clopt *ctx, size_t bytes)
{
	struct pinned *p, *best = NULL;

	for (p = ctx->pinned; p; p = p->next)
		if (!p->used && p->bytes >= bytes && p->bytes / 2 <= bytes &&
		    (!best || p->bytes < best->bytes))
			best = p;
	return best;
}

/* Free idle blocks until at most `most` bytes are idle. */
static void trim(struct clopt *ctx, size_t most)
{
	struct pinned **at = &ctx->pinned, *p;
	size_t idle = 0;

	for (p = ctx->pinned; p; p = p->next)
		idle += p->used ? 0 : p->bytes;
	while (idle > most && (p = *at)) {
		if (p->used) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		idle -= p->bytes;
		close_block(ctx, p);
	}
}

void *clopt__pinned_take(struct clopt *ctx, size_t bytes, int *kind)
{
	struct pinned *p;

	if (bytes > SIZE_MAX - PAGE)
		return NULL;
	bytes = bytes ? clopt__groups(bytes, PAGE) * PAGE : PAGE;
	p = idle_block(ctx, bytes);
	if (!p) {
		p = open_block(ctx, bytes);
		if (!p)
			return NULL;
		p->next = ctx->pinned;
		ctx->pinned = p;
	}
	p->used = 1;
	*kind = p->kind;
	return p->memory;
}

int clopt__pinned_give(struct clopt *ctx, void *memory)
{
	struct pinned *p;

	for (p = ctx->pinned; p && !(p->used && p->memory == memory); p = p->next)
		;
	if (!p)
		return 0;
	p->used = 0;
	trim(ctx, MOST_IDLE);
	return 1;
}

static int is_within(const void *part, size_t bytes, const void *whole, size_t whole_bytes)
{
	const uintptr_t at = (uintptr_t)part, first = (uintptr_t)whole;

	return at >= first && bytes <= whole_bytes && at - first <= whole_bytes - bytes;
}

int clopt__is_pinned(const struct clopt *ctx, const void *memory, size_t bytes)
{
	const struct pinned *p;
	unsigned i;

	for (p = ctx->pinned; p; p = p->next)
		if (p->kind != CLOPT_MEMORY_ORDINARY &&
		    is_within(memory, bytes, p->memory, p->bytes))
			return 1;
	for (i = 0; i < ctx->lents; i++)
		if (is_within(memory, bytes, ctx->lent[i].memory, ctx->lent[i].bytes))
			return 1;
	return 0;
}

void clopt__pinned_free(struct clopt *ctx)
{
	struct pinned *p;

	while ((p = ctx->pinned)) {
		ctx->pinned = p->next;
		close_block(ctx, p);
	}
}

int clopt_host_alloc(struct clopt *ctx, size_t bytes, void **memory, int *kind)
{
	int got, rc = CLOPT_OK;

	if (memory)
		*memory = NULL;
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!memory)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "memory is NULL"));
	*memory = clopt__pinned_take(ctx, bytes, &got);
	if (!*memory)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu bytes", bytes));
	if (kind)
		*kind = got;
out:
	return clopt__leave(ctx, rc);
}

int clopt_host_free(struct clopt *ctx, void *memory)
{
	int rc;

	/* As clopt__enter, but memory of a lost device can be freed. */
	clopt__caller_hold();
	clopt__doing(clopt__words(__func__));
	TRY(clopt__may_wait(ctx));
	pthread_mutex_lock(&ctx->lock);
	if (memory && !clopt__pinned_give(ctx, memory))
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "memory is %p: clopt_host_alloc did not return it", memory);
out:
	return clopt__leave(ctx, rc);
}

int clopt_host_trim(struct clopt *ctx)
{
	const int rc = clopt__enter(ctx, clopt__words(__func__));

	if (rc == CLOPT_OK) {
		trim(ctx, 0);
		clopt__idle_free(ctx);
	}
	return clopt__leave(ctx, rc);
}
