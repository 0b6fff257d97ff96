/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the room of `clopt bench': all variants of a routine on the same problem.
 * It includes the rooms peak/ and plot/.
 */
#ifndef BENCH_H
#define BENCH_H

#include "../peak/peak.h"

int tool_bench(const struct tool_args *args);

#endif
