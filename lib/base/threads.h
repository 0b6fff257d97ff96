/* SPDX-License-Identifier: MIT */
/*
 * threads.h - loops in several threads.
 */
#ifndef CLOPT_BASE_THREADS_H
#define CLOPT_BASE_THREADS_H

#include "system.h"

/* Number of processors for each of so many that work at a time (0: one), 1 to MOST_PARTS. */
unsigned clopt__processors(unsigned sharers);

/* Parts of a task at most. */
#define MOST_PARTS 16

/* Call `run` for 0 to n - 1 in parts of at least `grain` items (but for a smaller n), one part for
 * each processor at most.  A part runs in a thread of its own, or in the caller's if no thread
 * starts; `part` is its number, below MOST_PARTS. */
void clopt__in_parts(size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count),
                     void *what);

#endif
