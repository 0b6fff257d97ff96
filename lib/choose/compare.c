/* SPDX-License-Identifier: MIT */
/*
 * compare.c - a choice in a fraction of a second, where no record names the device.
 *
 * The choice is kept in the cache, which may lose it, not in the user's file, which is for tuning.
 * So is the time to build an operation's kernels, since a kernel loaded from the cache does not
 * show it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "choose.h"

static const char kind[] = "choice", build_kind[] = "build";

#define FEW_UNITS 268435456.0 /* units of the first problem ... */
#define TELLING 5e-4 /* ... which grows until its kernel takes so many seconds */
#define BETTER 0.9 /* of the time of the table's choice, twice */

/* Seconds are kept as whole nanoseconds, which every locale writes alike. */
#define NANO 1e-9

static void seconds_text(double seconds, char *text, size_t size)
{
	snprintf(text, size, "%.0f", seconds / NANO);
}

/* The choice of an earlier process: a name and, if time ran out before all rows were compared, its
 * budget.  It is ignored once the budget has doubled. */
static const struct variant *recall(struct clopt *ctx, const char *key)
{
	const struct variant *v = NULL;
	char why[160], *text;
	void *data;
	size_t size;

	if (key && clopt__store_get(&ctx->store, kind, key, &data, &size)) {
		text = data;
		size = strcspn(text, " ");
		if (!text[size] || ctx->tune_seconds < 2 * NANO * strtod(text + size, NULL))
			v = clopt__named(ctx, text, size, why, sizeof why);
		free(data);
	}
	return v;
}

static void keep(struct clopt *ctx, const char *key, const struct variant *v, int whole)
{
	char text[256], seconds[32] = "";

	if (!whole)
		seconds_text(ctx->tune_seconds, seconds, sizeof seconds);
	snprintf(text, sizeof text, "%s%s%s", v->name, whole ? "" : " ", seconds);
	if (key)
		clopt__store_put(&ctx->store, kind, key, text, strlen(text));
}

/* The longest time seen for building and timing a kernel, in seconds; 0: none seen. */
static double recall_building(struct clopt *ctx, const char *key)
{
	double seconds = 0;
	void *data;
	size_t size;

	if (key && clopt__store_get(&ctx->store, build_kind, key, &data, &size)) {
		seconds = NANO * strtod(data, NULL);
		free(data);
	}
	return seconds > 0 ? seconds : 0;
}

static void keep_building(struct clopt *ctx, const char *key, double seconds)
{
	char text[32];

	seconds_text(seconds, text, sizeof text);
	if (key && seconds > recall_building(ctx, key))
		clopt__store_put(&ctx->store, build_kind, key, text, strlen(text));
}

/* Choose a size at which the table's choice runs long enough to be timed. */
static int settle_size(struct search *s, const struct clopt_problem *whole)
{
	const double all = clopt__units(whole);
	double units = FEW_UNITS, seconds = 0;
	int rc = CLOPT_OK;

	do {
		s->p = clopt__reduced(whole, units);
		TRY(clopt__search_begin(s));
		TRY(clopt__time_row(s->ctx, s->by_table, &s->p, 0, &seconds));
		units *= 8;
	} while (seconds < TELLING && clopt__units(&s->p) * 2 <= all);
out:
	return rc;
}

/* Whether the row beats the table's choice in two more comparisons. */
static int is_better(struct search *s, const struct variant *v)
{
	const double window = s->o.budget_seconds / 16;
	double its, usual;
	int i;

	for (i = 0; i < 2; i++)
		if (clopt__time_row(s->ctx, s->by_table, &s->p, window, &usual) != CLOPT_OK ||
		    clopt__time_row(s->ctx, v, &s->p, window, &its) != CLOPT_OK ||
		    its > BETTER * usual)
			return 0;
	return 1;
}

/* Compare the rows for this kind of device and shape while one more can be built and timed in the
 * time left.  *whole: all of them were compared. */
static const struct variant *compare(struct search *s, const struct clopt_problem *p,
                                     double *building, int *whole)
{
	const struct variant *v;
	const struct candidate *b;

	*whole = 1;
	for (v = clopt__ops[s->p.op]->rows; v->name; v++) {
		const double begin = clopt__now();

		if (!clopt__can_serve(s->ctx, v, &s->p, 0, NULL) ||
		    !clopt__matches(s->ctx, v, p, 0, NULL))
			continue;
		if (clopt__is_cancelled(s->ctx) ||
		    begin - s->start + *building > s->o.budget_seconds) {
			*whole = 0;
			break;
		}
		clopt__search_try(s, v, s->o.budget_seconds / 16);
		if (clopt__now() - begin > *building)
			*building = clopt__now() - begin;
	}
	b = clopt__search_best(s);
	return b && b->v != s->by_table && is_better(s, b->v) ? b->v : s->by_table;
}

/* NULL: nothing can be timed here. */
static const struct variant *choose(struct search *s, const struct clopt_problem *p, int *whole)
{
	char *key = clopt__device_key(s->ctx, clopt_op_name(p->op));
	const double begin = clopt__now();
	const struct variant *v = NULL;
	double building;

	if (settle_size(s, p) == CLOPT_OK) {
		s->start = clopt__now();
		building = s->start - begin; /* the table's choice has to be built in any case */
		if (building < recall_building(s->ctx, key))
			building = recall_building(s->ctx, key);
		v = compare(s, p, &building, whole);
		keep_building(s->ctx, key, building);
	}
	free(key);
	return v;
}

/* A failure in here is no failure of the caller's call. */
static void compare_once(struct clopt *ctx, const struct clopt_problem *p)
{
	struct search *s = calloc(1, sizeof *s);
	char class[CLASS_SIZE], *key;
	const struct variant *v;
	struct stretch call;
	int whole = 0;

	if (!s)
		return;
	clopt__class_text(p, class, sizeof class);
	key = clopt__device_key(ctx, class);
	v = recall(ctx, key);
	if (!v) {
		s->ctx = ctx;
		s->o.budget_seconds = ctx->tune_seconds;
		call = clopt__part(ctx, 0, 0);
		v = choose(s, p, &whole);
		clopt__whole(ctx, call);
		if (clopt__is_cancelled(ctx))
			v = NULL; /* not all were compared; the call ends */
		if (ctx->verbose && v)
			clopt__notice(ctx, "first call for %s: %s, of %zu compared in %.2g s%s",
			              class, v->name, s->count, clopt__now() - s->start,
			              whole ? "" : ", for others there was no time");
		if (v)
			keep(ctx, key, v, whole);
	}
	if (v)
		clopt__record_guess(ctx, class, v);
	free(key);
	free(s);
}

/* Smaller problems end before a comparison would. */
#define WORTH_COMPARING 2097152.0

int clopt__would_compare(struct clopt *ctx, const struct clopt_problem *p)
{
	const char *where;

	return !ctx->forced[p->op] && ctx->tune_seconds > 0 && !ctx->mem_limit_bytes &&
	       clopt__is_tuned(p) && clopt__units(p) >= WORTH_COMPARING &&
	       !clopt__record(ctx, p, &where) && !clopt__device_known(ctx, p->op);
}

int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, int resident,
                  const struct variant **v, cl_kernel *kernel)
{
	const struct selection how = { .resident = resident };
	int rc = CLOPT_OK;

	if (clopt__would_compare(ctx, problem))
		compare_once(ctx, problem);
	TRY(clopt__select(ctx, problem, &how, v, kernel));
	clopt__kernel_keep(ctx, *kernel);
out:
	return rc;
}
