/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the room of `clopt bench': all variants of a routine on the same problem.  It includes
 * the room tool/.
 */
#ifndef BENCH_H
#define BENCH_H

#include "../tool/tool.h"

int tool_bench(const struct tool_args *args);

#endif
