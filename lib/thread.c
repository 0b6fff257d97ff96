/* SPDX-License-Identifier: MIT */
/*
 * thread.c - the library's own threads.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* pthread_sigmask, also under -std=c99 */
#endif
#include <signal.h>
#include <unistd.h>

#include "verify.h"

/* Signals of the program are for threads of the program. */
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

struct part {
	void (*run)(void *what, unsigned part, size_t first, size_t count);
	void *what;
	unsigned index;
	size_t first, count;
};

static void *run_part(void *argument)
{
	const struct part *p = argument;

	p->run(p->what, p->index, p->first, p->count);
	return NULL;
}

/* No more threads than processors, the caller's among them; where there are none to be
 * had, he does their parts too. */
void clopt__in_parts(size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count), void *what)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct part part[CLOPT__PARTS];
	pthread_t thread[CLOPT__PARTS];
	int runs[CLOPT__PARTS] = { 0 };
	size_t parts = n / (grain ? grain : 1), i;

	parts = processors < 1 || parts < (size_t)processors ? parts : (size_t)processors;
	parts = parts < 1 ? 1 : parts > CLOPT__PARTS ? CLOPT__PARTS : parts;
	for (i = 0; i < parts; i++) {
		const size_t first = n / parts * i + (i < n % parts ? i : n % parts);

		part[i] =
		        (struct part){ run, what, (unsigned)i, first, n / parts + (i < n % parts) };
		runs[i] = i + 1 < parts && !clopt__thread(&thread[i], run_part, &part[i]);
	}
	for (i = parts; i-- > 0;)
		if (!runs[i])
			run_part(&part[i]);
	for (i = 0; i < parts; i++)
		if (runs[i])
			pthread_join(thread[i], NULL);
}
