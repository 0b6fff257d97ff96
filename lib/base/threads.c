/* SPDX-License-Identifier: MIT */
/*
 * threads.c - threads of the library, and a thread pool, since making 15 threads takes as long as
 * reading 10 MB.
 *
 * The pool's threads are made with the first task.  A task is a number of parts.  Idle threads take
 * parts of the newest task, so parts that begin tasks of their own come to an end.  The thread that
 * waits for a task helps: without a pool it does all parts.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* pthread_sigmask, sysconf, also under -std=c99 */
#endif
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "context.h"
#include "threads.h"
#include "traits.h"

/* Threads of the library block the program's signals. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

unsigned clopt__processors(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MOST_PARTS ? MOST_PARTS : (unsigned)n;
}

struct worker {
	struct pool *crew;
	pthread_t thread;
	pthread_cond_t wake;
	unsigned index;
	int idle;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t ended; /* a task has ended */
	struct task *first; /* newest task with parts left to take */
	unsigned workers, active; /* threads from `active` on take nothing */
	int quit;
	struct worker worker[MOST_PARTS];
};

static void run_part(const struct task *t, unsigned part)
{
	const size_t each = t->n / t->parts, more = t->n % t->parts;
	const size_t first = each * part + (part < more ? part : more);

	t->run(t->what, part, first, each + (part < more));
}

static void unlink_task(struct pool *c, const struct task *t)
{
	struct task **at = &c->first;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
}

/* Run the next part of a task that has one; the lock is held before and after. */
static void take_part(struct pool *c, struct task *t)
{
	const unsigned part = t->taken++;

	if (t->taken == t->parts)
		unlink_task(c, t);
	pthread_mutex_unlock(&c->lock);
	run_part(t, part);
	pthread_mutex_lock(&c->lock);
	if (++t->done == t->parts)
		pthread_cond_broadcast(&c->ended);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct pool *c = w->crew;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		if (c->first && w->index < c->active) {
			take_part(c, c->first);
			continue;
		}
		if (c->quit)
			break;
		w->idle = 1;
		while (w->idle)
			pthread_cond_wait(&w->wake, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Wake up to n idle threads. */
static void wake(struct pool *c, unsigned n)
{
	unsigned i;

	for (i = 0; i < c->active && n; i++)
		if (c->worker[i].idle) {
			c->worker[i].idle = 0;
			pthread_cond_signal(&c->worker[i].wake);
			n--;
		}
}

/* At least one thread beside the caller, which may be waiting for the device. */
static void open_crew(struct clopt *ctx)
{
	const unsigned processors = clopt__processors();
	struct pool *c = calloc(1, sizeof *c);
	unsigned i;

	if (!c)
		return;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->ended, NULL);
	pthread_mutex_lock(&c->lock);
	for (i = 0; i == 0 || i + 1 < processors; i++) {
		struct worker *w = &c->worker[i];

		w->crew = c;
		w->index = i;
		pthread_cond_init(&w->wake, NULL);
		if (clopt__thread(&w->thread, work, w)) {
			pthread_cond_destroy(&w->wake);
			break;
		}
		c->workers++;
	}
	c->active = c->workers;
	pthread_mutex_unlock(&c->lock);
	ctx->pool = c;
}

unsigned clopt__pool_size(const struct clopt *ctx)
{
	return ctx->pool ? ctx->pool->workers : 0;
}

void clopt__pool_free(struct clopt *ctx)
{
	struct pool *c = ctx->pool;
	unsigned i;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->quit = 1;
	c->active = c->workers;
	wake(c, c->workers);
	pthread_mutex_unlock(&c->lock);
	for (i = 0; i < c->workers; i++) {
		pthread_join(c->worker[i].thread, NULL);
		pthread_cond_destroy(&c->worker[i].wake);
	}
	pthread_cond_destroy(&c->ended);
	pthread_mutex_destroy(&c->lock);
	free(c);
	ctx->pool = NULL;
}

/* A quarter of the host's processors reads data faster than a transfer moves it. */
#define BESIDE 4

void clopt__pool_beside(struct clopt *ctx, int device_works)
{
	struct pool *c;

	if (!ctx->pool && device_works)
		open_crew(ctx);
	if (!(c = ctx->pool))
		return;
	pthread_mutex_lock(&c->lock);
	c->active = c->workers;
	if (device_works)
		c->active = ctx->device.traits & T_CPU ? 0 : (c->workers + BESIDE) / BESIDE;
	if (c->first)
		wake(c, c->active);
	pthread_mutex_unlock(&c->lock);
}

static unsigned parts_of(size_t n, size_t grain)
{
	const size_t parts = n / (grain ? grain : 1), most = clopt__processors();

	return parts < 1 ? 1 : (unsigned)(parts < most ? parts : most);
}

void clopt__task_begin(struct clopt *ctx, struct task *t, size_t grain)
{
	struct pool *c;

	t->parts = parts_of(t->n, grain);
	t->taken = t->done = 0;
	if (!ctx->pool)
		open_crew(ctx);
	t->crew = c = ctx->pool;
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	t->next = c->first;
	c->first = t;
	wake(c, t->parts);
	pthread_mutex_unlock(&c->lock);
}

void clopt__task_end(struct task *t)
{
	struct pool *c = t->crew;

	if (!c) {
		for (; t->taken < t->parts; t->taken++)
			run_part(t, t->taken);
		return;
	}
	pthread_mutex_lock(&c->lock);
	while (t->taken < t->parts)
		take_part(c, t);
	while (t->done < t->parts)
		pthread_cond_wait(&c->ended, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void clopt__task_drop(struct task *t)
{
	struct pool *c = t->crew;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	if (t->taken < t->parts) {
		unlink_task(c, t);
		t->done += t->parts - t->taken;
		t->taken = t->parts;
	}
	while (t->done < t->parts)
		pthread_cond_wait(&c->ended, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void clopt__in_parts(struct clopt *ctx, size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count), void *what)
{
	struct task t = { .run = run, .what = what, .n = n };

	if (parts_of(n, grain) == 1) {
		run(what, 0, 0, n);
		return;
	}
	clopt__task_begin(ctx, &t, grain);
	clopt__task_end(&t);
}
