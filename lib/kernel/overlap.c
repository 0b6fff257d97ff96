/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - launches, kept apart for drivers with KEEPS_APART: PoCL before 6.0.
 *
 * PoCL keeps handles for the code of a kernel.  As a launch begins, it takes the first handle of
 * its kernel and local size that was made for its width (the work-items along x or y, whichever are
 * more) or for more, and for an offset, if it has one, or for none.  If there is no such handle, it
 * puts a new one first.  At its end it gives back the first handle of its kernel and local size, of
 * any width.  If a launch of any context has put another there in between, that one may be given
 * back once too often, and PoCL aborts the process.  Reading a program's binary puts a handle of
 * its kernels first, too.
 *
 * So a launch waits here, on the host, for those of its kernel in other queues that differ from it,
 * unless a known handle serves both: a launch that has ended leaves one for its width, before all
 * narrower ones.  Without that, threads with small calls of different sizes would wait for most of
 * them. The lock is held meanwhile, so that threads that launch the kernel again and again let this
 * one have its turn.  That costs little: PoCL's launches share all cores in the order in which they
 * come, and none begins while the code of one is compiled.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* nanosleep, also under -std=c99 */
#endif
#include <pthread.h>
#include <time.h>

#include "../device/device.h"
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct flight flights[64]; /* oldest first */
static size_t count;
static unsigned long launches; /* of the process */

/* PoCL keeps the 128 handles that were used last (3.1 all).  A launch uses one, and saving its
 * kernel another; a few are left for launches of the caller's own, which are not counted here. */
#define KEPT_FOR 60 /* launches */

/* Whether all launches like f, up to the width, find one handle. */
static int serves(const struct flight *f, size_t width)
{
	const struct handle *h = f->kernel ? &f->kernel->handle[f->offset] : NULL;

	return h && h->local && h->local == f->local && h->width >= width &&
	       launches - h->number < KEPT_FOR;
}

static int differ(const struct flight *a, const struct flight *b)
{
	const size_t width = a->width > b->width ? a->width : b->width;

	if (a->q == b->q || (a->kernel ? a->kernel->hash : 0) != (b->kernel ? b->kernel->hash : 0))
		return 0;
	if (a->offset != b->offset || a->local != b->local)
		return 1;
	return a->width != b->width && !serves(a, width) && !serves(b, width);
}

/* Above CL_COMPLETE: it has not ended.  A question may fail once, also while the device works. */
static cl_int status_of(const struct flight *f)
{
	cl_int status = CL_COMPLETE, code = CL_SUCCESS;
	int tries;

	for (tries = 0; tries < 2; tries++) {
		code = clGetEventInfo(f->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
		                      &status, NULL);
		if (code == CL_SUCCESS)
			return status;
	}
	return code;
}

static void drop(size_t i)
{
	const struct flight f = flights[i];
	struct handle *h = f.kernel ? &f.kernel->handle[f.offset] : NULL;

	if (h && status_of(&f) == CL_COMPLETE) {
		if (!serves(&f, f.width))
			*h = (struct handle){ f.width, f.local, f.number };
		else if (h->number < f.number)
			h->number = f.number;
	}
	clReleaseEvent(f.event);
	for (count--; i < count; i++)
		flights[i] = flights[i + 1];
}

/* A launch that does not begin may wait for what this thread's caller does next, so that after so
 * many seconds in which none ran it is let go.  Of launches that are alike in one queue only the
 * last is known, so that this can also happen while work of longer than that lies before it. */
#define PATIENCE 10

static void wait_for(size_t i, double *ran)
{
	const struct timespec pause = { 0, 50000 };
	size_t j;

	clFlush(flights[i].q);
	while (status_of(&flights[i]) > CL_COMPLETE && clopt__now() - *ran < PATIENCE) {
		for (j = 0; j < count; j++)
			if (status_of(&flights[j]) == CL_RUNNING)
				*ran = clopt__now();
		nanosleep(&pause, NULL);
	}
	drop(i);
}

static void wait_for_others(const struct flight *f)
{
	double ran = clopt__now();
	size_t i = 0;

	while (i < count)
		if (status_of(&flights[i]) <= CL_COMPLETE)
			drop(i);
		else if (differ(&flights[i], f))
			wait_for(i, &ran);
		else
			i++;
	if (count == sizeof flights / sizeof *flights)
		wait_for(0, &ran);
}

/* Those before it in its queue that tell no more than it does are dropped. */
static void add(const struct flight *f)
{
	size_t i = 0;

	while (i < count) {
		const struct flight *o = &flights[i];

		if (o->q == f->q && o->kernel == f->kernel && o->width == f->width &&
		    o->local == f->local && o->offset == f->offset)
			drop(i);
		else
			i++;
	}
	flights[count] = *f;
	flights[count++].number = ++launches;
}

void clopt__flight_begin(const struct flight *f)
{
	pthread_mutex_lock(&lock);
	wait_for_others(f);
}

void clopt__flight_end(const struct flight *f)
{
	if (f->event && clRetainEvent(f->event) == CL_SUCCESS)
		add(f);
	pthread_mutex_unlock(&lock);
}

int clopt__cache_put_apart(const struct clopt *ctx, const struct kernel *k)
{
	double ran;
	size_t i = 0;
	int kept;

	if (!clopt__works_around(ctx, KEEPS_APART))
		return clopt__cache_put(ctx, k->key, k->program);
	pthread_mutex_lock(&lock);
	ran = clopt__now();
	while (i < count)
		if (flights[i].kernel && flights[i].kernel->hash == k->hash)
			wait_for(i, &ran);
		else
			i++;
	kept = clopt__cache_put(ctx, k->key, k->program);
	pthread_mutex_unlock(&lock);
	return kept;
}

void clopt__launches_forget(const struct clopt *ctx)
{
	size_t i = 0;

	if (!clopt__works_around(ctx, KEEPS_APART))
		return; /* others may hold the lock for as long as a kernel runs */
	pthread_mutex_lock(&lock);
	while (i < count)
		if (flights[i].ctx == ctx)
			drop(i);
		else
			i++;
	pthread_mutex_unlock(&lock);
}
