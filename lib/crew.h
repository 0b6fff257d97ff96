/* SPDX-License-Identifier: MIT */
/*
 * crew.h - threads that a context keeps for what the host computes.
 *
 * All of this is for the thread that has the context's lock, and for the crew itself
 * while that waits for it.
 */
#ifndef CLOPT_CREW_H
#define CLOPT_CREW_H

#include "internal.h"

/* Parts that there are at most. */
#define CLOPT__PARTS 16

/* Work for several threads; it stays where it is until its end. */
struct task {
	/* Parts of 0 to n - 1; part is 0 to CLOPT__PARTS - 1. */
	void (*run)(void *what, unsigned part, size_t first, size_t count);
	void *what;
	size_t n;
	/* The rest is crew.c's. */
	unsigned parts, taken, done;
	struct crew *crew; /* NULL: there was none when it began, so the caller does all */
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
void clopt__crew_beside(struct clopt *ctx, int device_works);
/* Its threads, for tests. */
unsigned clopt__crew_size(const struct clopt *ctx);

#endif
