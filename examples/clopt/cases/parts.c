/* SPDX-License-Identifier: MIT */
/*
 * parts.c - loops over large arrays, by all processors: filling and comparing 4 GiB takes one of them half
 * a minute, and two GPUs a fifth of a second.
 */
#include <pthread.h>
#include <unistd.h>

#include "op.h"

enum {
	MOST_PARTS = 64,
	WORTH = 16 << 20 /* bytes that are worth a thread */
};

struct part {
	case_part *run;
	void *what;
	size_t first, count;
	uint64_t sum;
	pthread_t thread;
	int started;
};

static void *run_part(void *argument)
{
	struct part *p = argument;

	p->sum = p->run(p->what, p->first, p->count);
	return NULL;
}

static size_t parts_of(size_t n, size_t bytes)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t parts = bytes / WORTH < MOST_PARTS ? bytes / WORTH : MOST_PARTS;

	parts = processors > 0 && (size_t)processors < parts ? (size_t)processors : parts;
	parts = parts < n ? parts : n;
	return parts ? parts : 1;
}

uint64_t case_in_parts(size_t n, size_t bytes, case_part *run, void *what)
{
	const size_t parts = parts_of(n, bytes);
	struct part part[MOST_PARTS];
	uint64_t sum = 0;
	size_t i;

	/* The caller runs part 0, after the others were started. */
	for (i = parts; i-- > 0;) {
		struct part *p = &part[i];

		*p = (struct part){ .run = run,
			            .what = what,
			            .first = n / parts * i + (n % parts < i ? n % parts : i),
			            .count = n / parts + (i < n % parts) };
		p->started = i > 0 && !pthread_create(&p->thread, NULL, run_part, p);
		if (!p->started)
			run_part(p);
	}
	for (i = 0; i < parts; i++) {
		if (part[i].started)
			pthread_join(part[i].thread, NULL);
		sum += part[i].sum;
	}
	return sum;
}
