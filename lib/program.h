/* SPDX-License-Identifier: MIT */
/*
 * program.h - a kernel that a context has; for program.c and build.c.
 */
#ifndef CLOPT_PROGRAM_H
#define CLOPT_PROGRAM_H

#include "internal.h"

struct kernel {
	const struct variant *v; /* NULL: the caller's, from ... */
	const struct law *law;
	char *source, *name; /* ... this text */
	char options[512];
	cl_program program;
	cl_kernel kernel;
	struct pace pace;
	char *key; /* under which it is to be kept; NULL: it is, or will not be */
	size_t ran; /* the number of the last call that launched it, from 1 */
	char *log; /* why it is struck out, with the compiler's words; NULL if it is not */
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

#endif
