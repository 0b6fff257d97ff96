/* SPDX-License-Identifier: MIT */
/*
 * threads.h - threads, and loops in several of them.
 */
#ifndef CLOPT_BASE_THREADS_H
#define CLOPT_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>

/* pthread_create for threads that take no signals; how many threads are worth
 * while, from 1 to 16. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument);
unsigned clopt__processors(void);

/* Parts of a task at most. */
#define MOST_PARTS 16

/* run for 0 to n - 1, in as many parts as there are processors and n has times `grain`, each in a
 * thread of its own, or in the caller's if there are no threads; part is 0 to MOST_PARTS - 1. */
void clopt__in_parts(size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count),
                     void *what);

#endif
