/* SPDX-License-Identifier: MIT */
/*
 * progress.c - see progress.h.  A thread shows the line, since a compiler does not call back.
 */
#include "progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define PATIENCE 1.0 /* seconds */

static struct {
	pthread_mutex_t lock;
	int on, started, shown;
	double since; /* of what was said first */
	char text[200]; /* "": nothing takes long */
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *show(void *nothing)
{
	const struct timespec half = { 0, 500000000 };

	(void)nothing;
	for (;;) {
		double seconds;

		nanosleep(&half, NULL);
		pthread_mutex_lock(&line.lock);
		seconds = seconds_now() - line.since;
		if (*line.text && seconds >= PATIENCE) {
			/* Within one row of a terminal, or the next would not replace it. */
			fprintf(stderr, "\r\033[K%.66s, %.0f s", line.text, seconds);
			line.shown = 1;
		}
		pthread_mutex_unlock(&line.lock);
	}
	return NULL;
}

void progress_begin(int wanted)
{
	line.on = wanted && isatty(STDERR_FILENO);
}

int progress_shown(void)
{
	return line.on;
}

void progress_say(const char *format, ...)
{
	pthread_t thread;
	va_list ap;

	if (!line.on)
		return;
	pthread_mutex_lock(&line.lock);
	if (!*line.text)
		line.since = seconds_now();
	va_start(ap, format);
	vsnprintf(line.text, sizeof line.text, format, ap);
	va_end(ap);
	/* Without a thread there is no line. */
	if (!line.started && pthread_create(&thread, NULL, show, NULL) == 0)
		pthread_detach(thread);
	line.started = 1;
	pthread_mutex_unlock(&line.lock);
}

void progress_hide(void)
{
	if (!line.on)
		return;
	pthread_mutex_lock(&line.lock);
	line.text[0] = 0;
	if (line.shown)
		fputs("\r\033[K", stderr);
	line.shown = 0;
	pthread_mutex_unlock(&line.lock);
}
