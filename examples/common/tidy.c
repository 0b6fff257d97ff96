/* SPDX-License-Identifier: MIT */
/*
 * tidy.c - see tidy.h.
 *
 * The handler may run in any thread and at any time, so that names lie in memory that is never
 * freed.
 */
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidy.h"

#define NAMES 16
#define CHILDREN 4
#define LINE 8192

static char names[NAMES][PATH_MAX];
static volatile sig_atomic_t used[NAMES];
static volatile pid_t children[CHILDREN], owner; /* 0: none */
/* One of them is whole at any time. */
static char lines[2][LINE];
static volatile sig_atomic_t current = -1; /* -1: nothing is said */
static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM };

#define FATAL (sizeof fatal / sizeof *fatal)

/* Calls only what a handler may. */
static void tidy(int sign)
{
	size_t i;

	if (getpid() == owner) { /* and not a child's, by fork */
		if (current >= 0 && sign != SIGPIPE &&
		    write(STDERR_FILENO, lines[current], strlen(lines[current])) < 0)
			current = -1; /* nobody reads it */
		for (i = 0; i < CHILDREN; i++)
			/* SIGTERM would not end ffmpeg while it waits for a picture. */
			if (children[i] && kill(-children[i], SIGKILL) == 0)
				waitpid(children[i], NULL, 0);
		for (i = NAMES; i-- > 0;)
			if (used[i] && unlink(names[i]))
				rmdir(names[i]);
	}
	signal(sign, SIG_DFL); /* also where film.c has put the handler back */
	raise(sign); /* held until the handler returns, and then with its usual effect */
}

/* Signals that are ignored, or have another handler, stay so. */
static void begin(void)
{
	struct sigaction act = { .sa_handler = tidy, .sa_flags = (int)SA_RESETHAND }, old;
	size_t i;

	if (owner == getpid())
		return;
	owner = getpid();
	sigemptyset(&act.sa_mask);
	for (i = 0; i < FATAL; i++)
		sigaddset(&act.sa_mask, fatal[i]);
	for (i = 0; i < FATAL; i++)
		if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(fatal[i], &act, NULL);
}

void tidy_add(const char *path)
{
	size_t i;

	begin();
	for (i = 0; i < NAMES && used[i]; i++)
		;
	if (i < NAMES && strlen(path) < sizeof names[i]) {
		strcpy(names[i], path);
		used[i] = 1;
	}
}

void tidy_drop(const char *path)
{
	size_t i;

	for (i = 0; i < NAMES; i++)
		if (used[i] && strcmp(names[i], path) == 0)
			used[i] = 0;
}

void tidy_add_child(pid_t child)
{
	size_t i;

	begin();
	for (i = 0; i < CHILDREN && children[i]; i++)
		;
	if (i < CHILDREN)
		children[i] = child;
}

void tidy_drop_child(pid_t child)
{
	size_t i;

	for (i = 0; i < CHILDREN; i++)
		if (children[i] == child)
			children[i] = 0;
}

void tidy_say(const char *format, ...)
{
	const int next = current != 1;
	va_list ap;

	begin();
	va_start(ap, format);
	vsnprintf(lines[next], sizeof lines[next], format, ap);
	va_end(ap);
	current = next;
}
