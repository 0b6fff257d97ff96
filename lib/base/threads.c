/* SPDX-License-Identifier: MIT */
/*
 * threads.c - loops whose parts run in several threads.  Starting a thread takes about 20 us, the
 * time to read 100 KB.
 */
#include "threads.h"

unsigned clopt__processors(unsigned sharers)
{
	const long n = clopt__processors_online() / (long)(sharers ? sharers : 1);

	return n < 1 ? 1 : n > MOST_PARTS ? MOST_PARTS : (unsigned)n;
}

struct part {
	void (*run)(void *what, unsigned part, size_t first, size_t count);
	void *what;
	unsigned index;
	size_t first, count;
	pthread_t thread;
	int started;
};

static void *run_part(void *argument)
{
	const struct part *p = argument;

	p->run(p->what, p->index, p->first, p->count);
	return NULL;
}

void clopt__in_parts(size_t n, size_t grain,
                     void (*run)(void *what, unsigned part, size_t first, size_t count), void *what)
{
	const size_t worth = n / grain, most = clopt__processors(1);
	const size_t parts = worth < 1 ? 1 : worth < most ? worth : most;
	struct part part[MOST_PARTS];
	size_t i;

	/* The caller runs part 0, after the other parts have started. */
	for (i = parts; i-- > 0;) {
		const size_t first = n / parts * i + (n % parts < i ? n % parts : i);
		struct part *p = &part[i];

		*p = (struct part){ .run = run,
			            .what = what,
			            .index = (unsigned)i,
			            .first = first,
			            .count = n / parts + (i < n % parts) };
		p->started = i > 0 && !clopt__thread(&p->thread, run_part, p);
		if (!p->started)
			run_part(p);
	}
	for (i = 1; i < parts; i++)
		if (part[i].started)
			pthread_join(part[i].thread, NULL);
}
