/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - keeps launches apart for drivers with KEEPS_APART: PoCL before 6.0.
 *
 * PoCL caches handles for the code of a kernel.  A launch takes the first handle of its kernel and
 * local size that was made for its width or more.  The handle is for an offset exactly if the
 * launch has one. The width is the number of work-items along x or y, whichever is larger.  Without
 * such a handle PoCL puts a new one first.  At its end the launch releases the first handle of its
 * kernel and local size, of any width.  If a launch of any context has put another handle first in
 * between, PoCL releases that one twice and aborts the process.  Reading a program's binary puts a
 * handle of its kernels first, too.
 *
 * So a launch waits here, on the host, for launches in flight of its kernel in other queues that
 * differ from it.  It does not wait if a known handle serves both: a launch that has ended leaves
 * one for its width, before all narrower ones.  Otherwise threads with small calls of different
 * sizes would wait for most of each other's launches.  The lock is held during the wait, so that
 * threads that launch the kernel repeatedly let this launch have its turn.  This costs little:
 * PoCL's launches share all cores in the order of their queueing, and none begins while the code of
 * one is compiled.
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
static unsigned long launches; /* number of launches in the process */

/* PoCL keeps the 128 most recently used handles; 3.1 keeps all.  A launch uses one, and saving its
 * kernel another.  The rest is for the caller's own launches, which are not counted here. */
#define KEPT_FOR 60 /* launches */

/* Whether launches like f find the same handle for all widths up to `width'. */
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

/* The event's status; above CL_COMPLETE: in flight.  A query may fail once although the device
 * works. */
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

/* Seconds without a running launch after which a launch in flight is dropped: it may wait for what
 * this thread's caller does next.  Of equal launches in one queue only the last is known, so this
 * also happens while longer work runs before it. */
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

/* Add a launch.  Drops earlier ones in its queue that are equal to it, since they end first. */
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
