/* SPDX-License-Identifier: MIT */
/*
 * meter.c - timing in rounds, and detection of rounds on a slow machine.
 */
#include "meter.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_THREADS = 256,
	MOST_TRIES = 4, /* for each round wanted */
	FIRST_LOOKS = 20
};

double meter_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(double seconds)
{
	struct timespec t;

	t.tv_sec = (time_t)seconds;
	t.tv_nsec = (long)(1e9 * (seconds - (double)t.tv_sec));
	if (seconds > 0.0)
		nanosleep(&t, NULL);
}

static int ascending(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

struct meter_spread meter_spread(const double *x, size_t n)
{
	struct meter_spread s = { NAN, NAN, NAN };
	double sorted[METER_MOST];
	size_t i, m = 0;

	for (i = 0; i < n; i++)
		if (!isnan(x[i]))
			sorted[m++] = x[i];
	if (m == 0)
		return s;
	qsort(sorted, m, sizeof *sorted, ascending);
	s.median = m % 2 ? sorted[m / 2] : 0.5 * (sorted[m / 2 - 1] + sorted[m / 2]);
	s.least = sorted[0];
	s.most = sorted[m - 1];
	return s;
}

/* ---- All processors -------------------------------------------------------------- */

struct pool {
	void (*work)(void *argument);
	void *argument;
};

static void *member(void *argument)
{
	struct pool *c = argument;

	c->work(c->argument);
	return NULL;
}

double meter_together(void (*work)(void *argument), void *argument)
{
	pthread_t thread[MOST_THREADS];
	struct pool c = { work, argument };
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const long wanted = online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : online;
	const double start = meter_now();
	long i, n = 0;

	while (n < wanted - 1 && pthread_create(&thread[n], NULL, member, &c) == 0)
		n++;
	member(&c);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return meter_now() - start;
}

static volatile float sink;

static void busy(void *argument)
{
	sink = meter_busy(*(const size_t *)argument);
}

static double calibrate(const struct meter_rules *rules)
{
	size_t count = 100000;

	return rules->calibrate ? meter_together(busy, &count) : 1.0;
}

/* ---- Rounds ---------------------------------------------------------------------- */

/* A candidate's time so far in rounds that count, and in this round. */
struct spent {
	double before, now;
};

static int sits_out(const struct spent *s, const struct meter_rules *rules, size_t round)
{
	return round >= METER_LEAST && s->before > rules->seconds;
}

static void one_turn(struct meter_turn *t, struct spent *s, size_t round,
                     const struct meter_rules *rules)
{
	double start;

	rest(rules->pause);
	start = meter_now();
	t->seconds[round] = t->run(t->what);
	if (t->seconds[round] < 0.0)
		t->seconds[round] = NAN;
	s->now = meter_now() - start;
}

/* Runs a round; returns whether the machine was as fast as at its *best, before and after each
 * call. */
static int one_round(struct meter_turn *turn, size_t n, struct spent *spent, size_t round,
                     const struct meter_rules *rules, double *best)
{
	double before, after;
	size_t i;
	int good = 1;

	for (i = 0; i < n; i++) {
		turn[i].seconds[round] = NAN;
		spent[i].now = 0.0;
		if (sits_out(&spent[i], rules, round))
			continue;
		before = calibrate(rules);
		one_turn(&turn[i], &spent[i], round, rules);
		after = calibrate(rules);
		*best = fmin(*best, fmin(before, after));
		good &= fmax(before, after) < 1.25 * *best;
	}
	return good;
}

size_t meter_turns(struct meter_turn *turn, size_t n, const struct meter_rules *rules,
                   size_t *forced)
{
	static double best = HUGE_VAL; /* since the program began */
	const double start = meter_now(), limit = (double)n * rules->seconds;
	struct spent *spent = calloc(n + 1, sizeof *spent);
	size_t i, tries, rounds = 0;
	int good, more;

	*forced = 0;
	for (i = 0; i < FIRST_LOOKS; i++)
		best = fmin(best, calibrate(rules));
	for (tries = 0; spent && rounds < rules->rounds && !sits_out(spent, rules, rounds);
	     tries++) {
		good = one_round(turn, n, spent, rounds, rules, &best);
		/* All rounds count when only as many tries are left as rounds are missing, or time
		 * is up. */
		more = MOST_TRIES * rules->rounds - tries > rules->rounds - rounds &&
		       meter_now() - start < limit;
		if (!good && more)
			continue;
		for (i = 0; i < n; i++)
			spent[i].before += spent[i].now;
		*forced += !good;
		rounds++;
	}
	free(spent);
	return rounds;
}
