/* SPDX-License-Identifier: MIT */
/*
 * side.c - one way to the device: a context, host memory, two buffers.
 *
 * Each way has a context of its own, opened once, since how ordinary memory is
 * moved is an option of the context.
 */
#include <stdlib.h>
#include <string.h>

#include "transfer.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

static uint32_t word(size_t i, enum transfer_contents what)
{
	return (uint32_t)i * 4u + (uint32_t)what;
}

void transfer_fill(uint32_t *to, size_t words, enum transfer_contents what)
{
	size_t i;

	for (i = 0; i < words; i++)
		to[i] = word(i, what);
}

size_t transfer_differs(const uint32_t *at, size_t words, enum transfer_contents what)
{
	size_t i = 0;

	while (i < words && at[i] == word(i, what))
		i++;
	return i;
}

/* Whole words, and a power of 4 times the smallest.  The sides have six buffers in
 * all, which leaves the device half of its memory. */
size_t transfer_largest(const struct tool_args *args, const struct clopt_device_info *info)
{
	size_t bytes = 256 * MIB;

	if (args->size)
		return args->size < 4 ? 4 : args->size / 4 * 4;
	if (tool_extent(args, info) == CASE_SMALL)
		return 64 * KIB;
	if (tool_extent(args, info) == CASE_CPU)
		bytes = 64 * MIB;
	while (bytes > 64 * KIB &&
	       (bytes > info->max_alloc_bytes || bytes > info->global_bytes / 12))
		bytes /= 4;
	return bytes;
}

/* Memory of this side's kind, and its name. */
static int host_memory(struct transfer_side *s, enum transfer_sides which, size_t bytes)
{
	static const char *const kinds[] = { [CLOPT_MEMORY_ORDINARY] = "unpinned",
		                             [CLOPT_MEMORY_PINNED] = "pinned",
		                             [CLOPT_MEMORY_SHARED] = "shared" };
	void *from = NULL, *to = NULL;
	int kind = CLOPT_MEMORY_ORDINARY, rc = 0;

	s->method = which == TRANSFER_BY_DRIVER ? "driver" : "staged";
	s->allocated = which == TRANSFER_PINNED;
	if (!s->allocated) {
		from = malloc(bytes);
		to = malloc(bytes);
		rc = from && to ? 0 : 1;
		if (rc)
			fprintf(stderr, "clopt: no host memory of 2 x %zu bytes; try --size\n",
			        bytes);
	} else if (clopt_host_alloc(s->ctx, bytes, &from, &kind) != CLOPT_OK ||
	           clopt_host_alloc(s->ctx, bytes, &to, &kind) != CLOPT_OK) {
		rc = tool_fail(s->ctx, "host memory");
	} else {
		s->method = kinds[kind];
	}
	s->from = from;
	s->to = to;
	return rc;
}

int transfer_side_open(struct transfer_side *s, const struct tool_args *args,
                       enum transfer_sides which, struct clopt_device_info *info)
{
	static const int modes[] = { [TRANSFER_BY_DRIVER] = CLOPT_TRANSFER_DRIVER,
		                     [TRANSFER_PINNED] = CLOPT_TRANSFER_AUTO,
		                     [TRANSFER_BY_STAGING] = CLOPT_TRANSFER_STAGED };
	struct tool_args own = *args;
	size_t bytes;
	int rc;

	own.transfer = modes[which];
	rc = tool_open(&own, 0, 0, &s->ctx, info);
	if (rc)
		goto out;
	bytes = transfer_largest(args, info);
	rc = host_memory(s, which, bytes);
	if (rc)
		goto out;
	transfer_fill(s->from, bytes / 4, TRANSFER_UP);
	transfer_fill(s->to, bytes / 4, TRANSFER_DOWN);
	if (clopt_queue_new(s->ctx, &s->queue[0]) != CLOPT_OK ||
	    clopt_queue_new(s->ctx, &s->queue[1]) != CLOPT_OK ||
	    clopt_buffer_new(s->ctx, bytes, &s->up) != CLOPT_OK ||
	    clopt_buffer_new(s->ctx, bytes, &s->down) != CLOPT_OK ||
	    clopt_buffer_write(s->down, 0, bytes, s->to, NULL) != CLOPT_OK ||
	    clopt_finish(s->ctx) != CLOPT_OK)
		rc = tool_fail(s->ctx, "buffers");
out:
	return rc;
}

void transfer_side_close(struct transfer_side *s)
{
	clopt_buffer_free(s->up);
	clopt_buffer_free(s->down);
	clopt_queue_free(s->queue[0]);
	clopt_queue_free(s->queue[1]);
	if (s->allocated) {
		clopt_host_free(s->ctx, s->from);
		clopt_host_free(s->ctx, s->to);
	} else {
		free(s->from);
		free(s->to);
	}
	clopt_close(s->ctx);
	memset(s, 0, sizeof *s);
}
