/* SPDX-License-Identifier: MIT */
/*
 * thread.c - threads of the library's own.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* pthread_sigmask, sysconf, also under -std=c99 */
#endif
#include <signal.h>
#include <unistd.h>

#include "threads.h"

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

unsigned clopt__processors(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > CLOPT__PARTS ? CLOPT__PARTS : (unsigned)n;
}
