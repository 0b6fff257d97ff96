/* SPDX-License-Identifier: MIT */
/*
 * meter.h - timing for the programs in test/bench.
 *
 * Candidates take turns, one call each a round, and times of the same round are compared.  Around
 * the calls a loop of multiply-adds is timed on all processors: rounds in which a virtual machine
 * loses part of a core are repeated, up to four times the number of rounds and while there is
 * time; then they count.
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
	double seconds[METER_MOST]; /* by round; NaN: not run, or failed */
};

struct meter_rules {
	size_t rounds; /* rounds; METER_MOST at most */
	/* For each candidate: after so many seconds and METER_LEAST rounds it is not run any more.
	 * When the first candidate has spent them, there are no more rounds. */
	double seconds;
	double pause; /* seconds before each call: other libraries' threads come to rest */
	int calibrate; /* 0: these processors do not do the work */
};

/* Returns the number of rounds; *forced of them on a slow machine. */
size_t meter_turns(struct meter_turn *turn, size_t n, const struct meter_rules *rules,
                   size_t *forced);

/* Seconds since some moment. */
double meter_now(void);

/* Of the numbers that are not NaN; NaN if there are none. */
struct meter_spread {
	double median, least, most;
};
struct meter_spread meter_spread(const double *x, size_t n);

/* Calls work(argument) on all processors at the same time.  Returns seconds. */
double meter_together(void (*work)(void *argument), void *argument);

/* ----------------------------------------------------- meter_busy.c ---- */

/* Multiply-adds: `count' times 1024. */
float meter_busy(size_t count);

#endif
