/* SPDX-License-Identifier: MIT */
/*
 * search.c - finds the fastest variant by timing.  Settings that pay alone need not pay together
 * (Daga, Scogland, Feng, "Architecture-Aware Optimization on a 1600-core Graphics Processor",
 * 2012), so parameters are not tuned one by one.  First, combinations are sampled over the whole
 * grid.  Each round of longer timings then drops the slower half (successive halving: Jamieson,
 * Talwalkar, 2016).  Last, the neighbours of the best are tried.
 */
#include <stdlib.h>
#include <string.h>

#include "choose.h"

#define HOPELESS 3.0 /* times the time of the best */
#define WORTH 0.98 /* a row replaces the table's choice below this part of its time */

static double spent(const struct search *s)
{
	return clopt__now() - s->start;
}

/* Whether time is left in this share of the budget. */
static int goes_on(const struct search *s, double share)
{
	return !s->ended && !clopt__is_cancelled(s->ctx) && spent(s) < share * s->o.budget_seconds;
}

/* The fastest candidate so far; NULL: no row ran. */
static struct candidate *best(struct search *s)
{
	struct candidate *b = NULL;
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->list[i].seconds > 0 && (!b || s->list[i].seconds < b->seconds))
			b = &s->list[i];
	return b;
}

/* NULL: the row was not tried. */
static struct candidate *find(struct search *s, const struct variant *v)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->list[i].v == v)
			return &s->list[i];
	return NULL;
}

static void tell(struct search *s, const struct candidate *c)
{
	const struct candidate *b = best(s);
	const struct clopt_tune_step step = {
		.size = sizeof step,
		.variant = c->v->name,
		.seconds = c->seconds,
		.best = b ? b->v->name : NULL,
		.best_seconds = b ? b->seconds : 0,
		.tried = s->count,
		.spent_seconds = spent(s),
		.budget_seconds = s->o.budget_seconds,
	};

	struct outside o;

	clopt__outside(s->ctx, &o);
	if (s->o.progress && s->o.progress(s->o.user, &step))
		s->ended = 1;
	clopt__back(&o);
	/* The status is not needed: the search looks for cancellation by itself. */
	clopt__go_on(s->ctx, spent(s) / s->o.budget_seconds);
}

struct clopt_problem clopt__reduced(const struct clopt_problem *p, double units)
{
	struct clopt_problem small = *p;
	unsigned i;

	while (clopt__units(&small) > units) {
		size_t *most = &small.batch;

		for (i = 0; i < clopt__ops[p->op]->dims; i++)
			if (small.dim[i] > *most)
				most = &small.dim[i];
		*most /= 2;
		if (small.triangle)
			small.dim[0] = small.dim[1] = small.dim[most == &small.dim[1]];
	}
	return small;
}

/* Whether a row is too slow, timed on a small part of the problem: some rows take minutes where
 * others take milliseconds. */
static int is_hopeless(struct search *s, const struct candidate *c, double *seconds)
{
	const struct candidate *b = best(s);
	const double units = clopt__units(&s->p);
	const struct clopt_problem small = clopt__reduced(&s->p, units / 64);

	if (!b || b->seconds < 1e-3 || clopt__units(&small) < 1)
		return 0;
	if (clopt__time_row(s->ctx, c->v, &small, 0, seconds) != CLOPT_OK)
		return 0; /* the whole problem decides */
	*seconds *= units / clopt__units(&small);
	return *seconds > HOPELESS * b->seconds;
}

/* Time the candidate.  A failure sets its seconds to 0. */
static void time_candidate(struct search *s, struct candidate *c, double window)
{
	double seconds;

	if (c->seconds > 0 || !is_hopeless(s, c, &seconds))
		if (clopt__time_row(s->ctx, c->v, &s->p, window, &seconds) != CLOPT_OK)
			seconds = 0;
	c->seconds = seconds;
	tell(s, c);
}

/* Time a row unless it was tried before.  The search continues if the row fails. */
static int try_row(struct search *s, const struct variant *v, double window)
{
	if (!v)
		return clopt__fail(s->ctx, CLOPT_ENOMEM, "no memory for more variants");
	if (v->host || find(s, v) || s->count == MOST_CANDIDATES ||
	    !clopt__can_serve(s->ctx, v, &s->p, 0, NULL) ||
	    !clopt__matches_closely(v, &s->p, 0, NULL))
		return CLOPT_OK;
	s->list[s->count].v = v;
	s->list[s->count].seconds = 0;
	time_candidate(s, &s->list[s->count++], window);
	return CLOPT_OK;
}

/* While time is left, try the rows for this kind of device, then all others. */
static int try_rows(struct search *s, double window)
{
	const struct variant *v;
	int others, rc = CLOPT_OK;

	TRY(try_row(s, s->by_table, window));
	for (others = 0; others < 2; others++)
		for (v = clopt__ops[s->p.op]->rows; v->name; v++) {
			const unsigned lacking = v->likes & ~s->ctx->device.traits;

			if (!(v->likes & T_STUDY) && !lacking == !others &&
			    goes_on(s, others ? 0.3 : 0.7))
				TRY(try_row(s, v, window));
		}
out:
	return rc;
}

static unsigned drawn(struct search *s, size_t n)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (unsigned)((s->random >> 16) % n);
}

/* Sample combinations of settings of the rows that are not hopeless. */
static int try_samples(struct search *s, double window)
{
	const double limit = best(s)->seconds * HOPELESS;
	const size_t rows = s->count;
	size_t draws;
	int rc = CLOPT_OK;

	for (draws = 0; draws < 4 * MOST_CANDIDATES && goes_on(s, 0.5); draws++) {
		const struct candidate *c = &s->list[drawn(s, rows)];
		struct point p = { { 0 } };
		unsigned i;

		if (c->seconds == 0 || c->seconds > limit)
			continue;
		for (i = 0; i < clopt__axes(c->v); i++)
			p.at[i] = drawn(s, clopt__values(c->v, i) + 1);
		TRY(try_row(s, clopt__made(s->ctx, c->v, &p), window));
	}
out:
	return rc;
}

static int faster(const void *a, const void *b)
{
	const double x = ((const struct candidate *)a)->seconds;
	const double y = ((const struct candidate *)b)->seconds;

	return x == 0 || y == 0 ? (x == 0) - (y == 0) : (x > y) - (x < y);
}

/* Time the first n of the list again, for longer, and sort them. */
static void again(struct search *s, size_t n, double window)
{
	size_t i;

	for (i = 0; i < n && i < s->count; i++)
		if (s->list[i].seconds > 0)
			time_candidate(s, &s->list[i], window);
	qsort(s->list, n < s->count ? n : s->count, sizeof *s->list, faster);
}

static void halve(struct search *s)
{
	double window = 0.02;
	size_t n;

	qsort(s->list, s->count, sizeof *s->list, faster);
	for (n = s->count / 2 < 32 ? s->count / 2 : 32; n > 4 && goes_on(s, 0.7); n /= 2) {
		again(s, n, window);
		window *= 2;
	}
}

/* Change one setting of the best at a time, until nothing is faster. */
static int try_neighbours(struct search *s)
{
	const struct variant *row, *v = NULL;
	const struct candidate *b;
	struct point p;
	unsigned axis, i, own;
	int rc = CLOPT_OK;

	while (goes_on(s, 0.85) && (b = best(s)) && b->v != v) {
		v = b->v;
		row = clopt__origin(s->ctx, v, &p);
		for (axis = 0; axis < clopt__axes(row); axis++) {
			own = p.at[axis];
			for (i = 0; i <= clopt__values(row, axis) && goes_on(s, 0.85); i++) {
				p.at[axis] = i;
				TRY(try_row(s, clopt__made(s->ctx, row, &p), 0.03));
			}
			p.at[axis] = own;
		}
	}
out:
	return rc;
}

#define LAST 4
#define ROUNDS 9

/* Time the candidates in rounds, in turn, so that conditions are equal.  Each keeps its least time.
 * part: its time relative to the last candidate's, in the median round, since a least time may be
 * luck.  Drops candidates that fail in the first round, and returns the number of the others. */
static size_t race(struct search *s, struct candidate **c, size_t n, double *part)
{
	double parts[LAST][ROUNDS], now[LAST] = { 0 }, seconds;
	size_t i, last, round;

	/* Run at least one round, so that all times come from the same minute. */
	for (round = 0; round < ROUNDS && (round == 0 || goes_on(s, 1)); round++) {
		for (i = 0; i < n; i++) {
			now[i] = c[i]->seconds; /* unless it is timed below */
			if (s->ended || clopt__is_cancelled(s->ctx))
				continue;
			if (clopt__time_row(s->ctx, c[i]->v, &s->p, 0.02, &seconds) == CLOPT_OK)
				now[i] = seconds;
			else if (round == 0)
				now[i] = 0;
			if (round == 0 || now[i] < c[i]->seconds)
				c[i]->seconds = now[i];
		}
		for (i = last = 0; i < n; i++)
			if (now[i] > 0) {
				c[last] = c[i];
				now[last++] = now[i];
			}
		n = last;
		for (i = 0; i < n; i++)
			parts[i][round] = now[i] / now[n - 1];
	}
	for (i = 0; i < n; i++) {
		qsort(parts[i], round, sizeof *parts[i], clopt__ascending);
		part[i] = parts[i][round / 2];
	}
	return n;
}

/* Choose among the fastest few and the table's choice. */
static void decide(struct search *s, const struct candidate **choice)
{
	struct candidate *c[LAST], *usual;
	double part[LAST];
	size_t n = 0, i, first;

	qsort(s->list, s->count, sizeof *s->list, faster);
	usual = find(s, s->by_table);
	for (i = 0; i < s->count && n < LAST - 1 && s->list[i].seconds > 0; i++)
		if (&s->list[i] != usual)
			c[n++] = &s->list[i];
	if (usual && usual->seconds > 0)
		c[n++] = usual;
	n = race(s, c, n, part);
	*choice = NULL;
	if (n == 0)
		return;
	first = n - 1;
	for (i = 0; i < n; i++)
		if (part[i] < part[first] * (c[first] == usual ? WORTH : 1))
			first = i;
	*choice = c[first];
}

int clopt__search(struct search *s, const struct candidate **choice)
{
	int rc = CLOPT_OK;

	TRY(try_rows(s, 0.01));
	if (!best(s))
		return clopt__fail(s->ctx, CLOPT_ENOVARIANT,
		                   "no variant computes this on the device");
	if (!s->o.rows_only)
		TRY(try_samples(s, 0.01));
	halve(s);
	if (!s->o.rows_only)
		TRY(try_neighbours(s));
	decide(s, choice);
out:
	return rc;
}

/* Reduce the problem until it fits the device in one piece, and find the table's choice. */
int clopt__search_begin(struct search *s)
{
	const struct selection how = { .by_table = 1 };
	cl_kernel kernel;

	while (clopt__whole_fits(s->ctx, &s->p) != CLOPT_OK) {
		if (clopt__units(&s->p) < 2)
			return CLOPT_ENOMEM; /* the message is set */
		s->p = clopt__reduced(&s->p, clopt__units(&s->p) / 2);
	}
	s->start = clopt__now();
	s->random = 0x9e3779b97f4a7c15u;
	return clopt__select(s->ctx, &s->p, &how, &s->by_table, &kernel);
}
