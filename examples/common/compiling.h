/* SPDX-License-Identifier: MIT */
/*
 * compiling.h - the kernels of problems, one after the other, and how many there are.
 */
#ifndef COMPILING_H
#define COMPILING_H

#include <clopt_tune.h>
#include <stddef.h>

/* Load or compile the kernels of n problems, and tell which of them is next.  What fails here fails
 * in the call, which has the better message. */
void compile_kernels(struct clopt *c, const struct clopt_problem *problem, size_t n);

#endif
