/* SPDX-License-Identifier: MIT */
/*
 * meter.h - how the programs in test/bench take times.
 *
 * Candidates take turns, one call each a round, and what is compared is times of
 * one round.  Round the calls a loop of multiply-adds is timed on all processors:
 * where a virtual machine gets half a core for a while, those rounds are done
 * again, up to four times as many as are wanted and while there is time; then they
 * count.
 */
#ifndef METER_H
#define METER_H

#include <stddef.h>

enum {
	METER_MOST = 100, /* rounds */
	METER_LEAST = 3
};

struct meter_turn {
	double (*run)(void *what); /* seconds; negative: it failed */
	void *what;
	double seconds[METER_MOST]; /* by round; NaN: it sat out, or failed */
};

struct meter_rules {
	size_t rounds; /* wanted; METER_MOST at most */
	/* For each: who has spent them sits out after METER_LEAST rounds.  When the first
	 * has, there are no more rounds. */
	double seconds;
	double pause; /* before each call, in seconds: others' threads come to rest */
	int calibrate; /* 0: the work is not done by these processors */
};

/* Returns how many rounds there are; *forced of them on a machine that was slow. */
size_t meter_turns(struct meter_turn *turn, size_t n, const struct meter_rules *rules,
                   size_t *forced);

/* In seconds, from some moment on. */
double meter_now(void);

/* Of those that are no NaN; NaN if none is. */
struct meter_spread {
	double median, least, most;
};
struct meter_spread meter_spread(const double *x, size_t n);

/* All processors at work(argument), each once.  Returns seconds. */
double meter_together(void (*work)(void *argument), void *argument);

/* ----------------------------------------------------- meter_busy.c ---- */

/* Multiply-adds: `count' times 1024. */
float meter_busy(size_t count);

#endif
