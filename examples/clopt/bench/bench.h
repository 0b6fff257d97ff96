/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the room of `clopt bench': all variants of a routine on the same problem.
 * With several devices: whole calls over 1, 2, ... of them.  And of `clopt bench tree': sums with
 * tolerances beside those over all pairs.  It includes the rooms peak/, plot/ and transfer/.
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

/* --------------------------------------------------------- page.c ---- */

/* A page of HTML: first the device; then the caller draws a roofline; then peaks, the problems of the bench,
 * and what this measures: calls by size, and transfers.  *bad grows by those that fail or are wrong, as the page
 * says.  0, or 1 after a failure that leaves no page. */
void bench_page_begin(FILE *to, const struct clopt_device_info *info);
int bench_page_end(FILE *to, const struct tool_args *args, const json_t *peaks,
                   const json_t *problems, size_t *bad);

#endif
