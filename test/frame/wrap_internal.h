/* SPDX-License-Identifier: MIT */
/*
 * wrap_internal.h - what wrap.c, wrap_device.c and wrap_memory.c share.
 */
#ifndef WRAP_INTERNAL_H
#define WRAP_INTERNAL_H

#include <stddef.h>

#include "wrap.h"

enum wrap_kind {
	WRAP_CONTEXT,
	WRAP_QUEUE,
	WRAP_MEM,
	WRAP_PROGRAM,
	WRAP_KERNEL,
	WRAP_EVENT,
	WRAP_DEVICE,
	WRAP_KINDS
};

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);

/* Whether this call is the one to fail, and by which code, else 0. */
int wrap_fault(int *code);
void wrap_count(enum wrap_kind kind, long by);
/* Devices say that they have room for anything. */
void wrap_roomy(int yes);
/* The host's memory of a buffer that was made small, else NULL. */
void *wrap_sparse_memory(void *mem);
/* A program was made of these lines, and is built with these options; for wrap_lose. */
void wrap_plant_in(void *program, unsigned n, const char *const *lines);
void wrap_plant_built(void *program, const char *options);
/* A size for a kernel's argument, or one less in *lost. */
const void *wrap_plant_size(void *kernel, unsigned index, const void *size,
                            unsigned long long *lost);
/* Of what the wraps themselves keep. */
void wrap_lock(void);
void wrap_unlock(void);

#endif
