/* SPDX-License-Identifier: MIT */
/*
 * threads.h - threads, and the thread pool of a context for work on the host.
 *
 * Only the thread that holds the context's lock uses the pool, and tasks that it waits for.
 */
#ifndef CLOPT_BASE_THREADS_H
#define CLOPT_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>

struct clopt;

/* pthread_create for threads that take no signals, and the number of useful threads, 1 to 16. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument);
unsigned clopt__processors(void);

/* Parts of a task at most. */
#define MOST_PARTS 16

/* Work for several threads; must stay valid until its end. */
struct task {
	/* Runs items first to first + count - 1 of n; part is 0 to MOST_PARTS - 1. */
	void (*run)(void *what, unsigned part, size_t first, size_t count);
	void *what;
	size_t n;
	/* Private to threads.c. */
	unsigned parts, taken, done;
	struct pool *crew; /* the pool; NULL: none, so the caller does all parts */
	struct task *next;
};

/* As many parts as there are processors, each of at least `grain` items; at least one part. */
void clopt__task_begin(struct clopt *ctx, struct task *t, size_t grain);
/* end: the caller does the parts not yet begun and waits for the others.  drop: those parts are not
 * done. */
void clopt__task_end(struct task *t);
void clopt__task_drop(struct task *t);
/* Begin and end; a task may call it too. */
void clopt__in_parts(struct clopt *ctx, size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count),
                     void *what);
/* Whether the device works beside the pool.  If it does, most of the pool rests, since threads that
 * move data need processors; all of it, if the device is the CPU. */
void clopt__pool_beside(struct clopt *ctx, int device_works);
/* Number of its threads, for tests. */
unsigned clopt__pool_size(const struct clopt *ctx);

void clopt__pool_free(struct clopt *ctx);

#endif
