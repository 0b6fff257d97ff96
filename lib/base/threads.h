/* SPDX-License-Identifier: MIT */
/*
 * threads.h - threads, and a pool of them that a context keeps for what the host computes.
 *
 * The pool is for the thread that has the context's lock, and for the pool itself while that
 * waits for it.
 */
#ifndef CLOPT_BASE_THREADS_H
#define CLOPT_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>

struct clopt;

/* threads.c: pthread_create for threads that take no signals; how many threads are worth
 * while, from 1 to 16. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument);
unsigned clopt__processors(void);

/* Parts that there are at most. */
#define MOST_PARTS 16

/* Work for several threads; it stays where it is until its end. */
struct task {
	/* Parts of 0 to n - 1; part is 0 to MOST_PARTS - 1. */
	void (*run)(void *what, unsigned part, size_t first, size_t count);
	void *what;
	size_t n;
	/* The rest is threads.c's. */
	unsigned parts, taken, done;
	struct pool *crew; /* NULL: there was none when it began, so the caller does all */
	struct task *next;
};

/* In as many parts as there are processors and n has times `grain`; one at the least. */
void clopt__task_begin(struct clopt *ctx, struct task *t, size_t grain);
/* The caller does the parts that nobody has begun, and waits for the others; or they are
 * not done. */
void clopt__task_end(struct task *t);
void clopt__task_drop(struct task *t);
/* Both; tasks may do so too. */
void clopt__in_parts(struct clopt *ctx, size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count),
                     void *what);
/* Whether the device works beside the crew.  Then most of it rests, since threads that
 * move data have to have processors; or all, if those are the device. */
void clopt__pool_beside(struct clopt *ctx, int device_works);
/* Its threads, for tests. */
unsigned clopt__pool_size(const struct clopt *ctx);

void clopt__pool_free(struct clopt *ctx);

#endif
