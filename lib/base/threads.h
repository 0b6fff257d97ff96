/* SPDX-License-Identifier: MIT */
/*
 * threads.h - loops in several threads.
 */
#ifndef CLOPT_BASE_THREADS_H
#define CLOPT_BASE_THREADS_H

#include "system.h"

/* Number of processors for each of `sharers' that work at the same time (0: one), from 1 to
 * MOST_PARTS. */
unsigned clopt__processors(unsigned sharers);

/* Most parts of a task. */
#define MOST_PARTS 16

/* Call `run` for 0 to n - 1 in parts of at least `grain` items (or all n), at most one part per
 * processor.  Each part runs in a new thread, or in the caller's if no thread starts; part: its
 * index, below MOST_PARTS. */
void clopt__in_parts(size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count),
                     void *what);

#endif
