/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the room of `clopt bench': all variants of a routine on the same problem.
 * With several devices: whole calls over 1, 2, ... of them.  And of `clopt bench tree': sums with
 * tolerances beside those over all pairs.  It includes the rooms peak/ and plot/.
 */
#ifndef BENCH_H
#define BENCH_H

#include "../peak/peak.h"

int tool_bench(const struct tool_args *args);
int tool_bench_tree(const struct tool_args *args);

/* ------------------------------------------------------ scaling.c ---- */

/* The table of the context's devices, which takes and closes *ctx.  0, or 1 after a failure or for a
 * wrong result. */
int bench_scaling(const struct tool_args *args, struct clopt **ctx, FILE *csv, FILE *svg);

#endif
