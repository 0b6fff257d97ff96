/* SPDX-License-Identifier: MIT */
/*
 * compiling.c - see compiling.h.
 */
#include "compiling.h"

#include "progress.h"

void compile_kernels(struct clopt *c, const struct clopt_problem *problem, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		progress_say("compiling kernels (%zu of %zu)", i + 1, n);
		clopt_prepare(c, &problem[i]);
	}
}
