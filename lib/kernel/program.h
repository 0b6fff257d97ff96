/* SPDX-License-Identifier: MIT */
/*
 * program.h - a kernel that a context has; for program.c, build.c and binary_cache.c.
 */
#ifndef CLOPT_KERNEL_PROGRAM_H
#define CLOPT_KERNEL_PROGRAM_H

#include "kernel.h"

struct kernel {
	const struct variant *v; /* NULL: the caller's, from ... */
	const struct law *law;
	char *source, *name; /* ... this text */
	char options[512];
	cl_program program;
	cl_kernel kernel;
	struct throughput throughput;
	char *key; /* under which it is kept for other processes; NULL: nothing is */
	int kept; /* it is, or there was a try */
	size_t ran; /* the number of the last call that launched it, from 1 */
	int queued; /* see clopt__kernels_queued */
	char *log; /* why it is struck out, with the compiler's words; NULL if it is not */
	int wrong; /* it is, since it gave a wrong result */
	int checked; /* see clopt__checked */
	struct kernel *next;
};

/* What people call it. */
const char *clopt__kernel_called(const struct kernel *k);
/* Fill in program and kernel, from the cache or by the compiler; or log, where it is
 * struck out. */
int clopt__program_build(struct clopt *ctx, struct kernel *k);
/* Keep it for other processes, if that can be done. */
void clopt__program_save(struct clopt *ctx, struct kernel *k);
/* Release program and kernel. */
void clopt__program_drop(struct kernel *k);
/* Keep the reason, in the one place that both this failure and later ones read. */
int clopt__strike_out(struct clopt *ctx, struct kernel *k, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* binary_cache.c: compiled programs in ctx->store. */
struct cache_text {
	const char *what; /* for people */
	const char *name, *options;
	const char **lines;
	size_t count;
	int retarget;
};
/* What the compiled program depends on.  The caller frees it.  NULL: nothing is kept. */
char *clopt__cache_key(const struct clopt *ctx, const struct cache_text *text);
/* The program, to be built, or NULL. */
cl_program clopt__cache_get(const struct clopt *ctx, const char *key);
int clopt__cache_put(const struct clopt *ctx, const char *key, cl_program program);

/* retarget.c: PTX for sm_90 as PTX for sm_90a, with the instructions that the kernel has as
 * comments, and registers so few that `groups` of its groups fit on a compute unit at a
 * time.  The caller frees it.  NULL: *why says what is not as expected, or is NULL for
 * want of memory. */
char *clopt__retarget(const char *ptx, size_t size, unsigned groups, const char **why);

#endif
