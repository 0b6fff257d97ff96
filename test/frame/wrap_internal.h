/* SPDX-License-Identifier: MIT */
/*
 * wrap_internal.h - declarations shared by the files of wrap.h.
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

/* Whether this call is the one to fail; code: the failure's, or 0. */
int wrap_fault(int *code);
void wrap_count(enum wrap_kind kind, long by);
/* Devices report unlimited memory. */
void wrap_roomy(int yes);
/* The host memory of a buffer that wrap_sparse made small, or NULL. */
void *wrap_sparse_memory(void *mem);
/* For wrap_lose: a kernel is released; this thread begins (1) or ends (0) a kernel's trial. */
void wrap_plant_forget(void *kernel);
void wrap_plant_trial(int begins);
/* The value of a kernel's size argument: as set, or one less in *lost. */
const void *wrap_plant_size(void *kernel, unsigned index, const void *size,
                            unsigned long long *lost);
/* Whether it is the context that all contexts of this process share. */
int wrap_is_shared(cl_context context);
/* wrap_built.c: as clBuildProgram, or a program is noted that was built alike; the program that
 * kernels are made of and that has a binary and a log; a program is released. */
cl_int wrap_build(cl_program p, cl_uint n, const cl_device_id *d, const char *options);
cl_program wrap_built(cl_program program);
void wrap_built_forget(cl_program program);
/* Locks the wrappers' own state. */
void wrap_lock(void);
void wrap_unlock(void);

#endif
