/* SPDX-License-Identifier: MIT */
/*
 * thread.c - the library's own threads.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* pthread_sigmask, also under -std=c99 */
#endif
#include <signal.h>

#include "internal.h"

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
