/* SPDX-License-Identifier: MIT */
/*
 * tune.c - `clopt tune': finding the best variants here, and recording them; and how far
 * a choice is behind the best.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"

/* The problems that are tuned: sizes on the scale of the device, 1024 and 1 here. */
static const struct tuned {
	int op;
	size_t dim[3]; /* times 1/64 of the scale; 1: one */
	size_t elem_bytes, batch;
	int transa, transb, law;
} problems[] = {
	{ CLOPT_OP_MATMUL, { 4, 4, 4 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 16, 16, 16 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 32, 32, 32 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 64, 64, 64 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 64, 64, 64 }, 4, 0, CLOPT_TRANS_YES, 0, 0 },
	{ CLOPT_OP_MATMUL, { 64, 64, 64 }, 4, 0, 0, CLOPT_TRANS_YES, 0 },
	{ CLOPT_OP_MATMUL, { 64, 64, 64 }, 8, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 16, 16, 16 }, 8, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 256, 1, 64 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 128, 128, 8 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 256, 0, 256 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_MATMUL, { 4, 4, 4 }, 4, 500, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 16, 16, 0 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 64, 64, 0 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 256, 256, 0 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 512, 32, 0 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 32, 512, 0 }, 4, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 256, 256, 0 }, 1, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 64, 64, 0 }, 2, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 256, 256, 0 }, 2, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 64, 64, 0 }, 8, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 256, 256, 0 }, 8, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 128, 128, 0 }, 16, 0, 0, 0, 0 },
	{ CLOPT_OP_TRANSPOSE, { 4, 4, 0 }, 4, 500, 0, 0, 0 },
	{ CLOPT_OP_POTENTIAL, { 4, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_COULOMB },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_COULOMB },
	{ CLOPT_OP_POTENTIAL, { 256, 256, 0 }, 4, 0, 0, 0, CLOPT_LAW_COULOMB },
	{ CLOPT_OP_POTENTIAL, { 512, 4, 0 }, 4, 0, 0, 0, CLOPT_LAW_COULOMB },
	{ CLOPT_OP_POTENTIAL, { 64, 1024, 0 }, 4, 0, 0, 0, CLOPT_LAW_COULOMB },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_DEBYE },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_DISTANCE4 },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_ALPB_SALT },
	{ CLOPT_OP_POTENTIAL, { 256, 256, 0 }, 4, 0, 0, 0, CLOPT_LAW_ALPB_SALT },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_ALPB_FAR },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_ALPB_INSIDE },
	{ CLOPT_OP_POTENTIAL, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_ALPB_INSIDE_SALT },
	{ CLOPT_OP_NBODY, { 16, 16, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 32, 32, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 128, 128, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 256, 256, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 512, 512, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 512, 4, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 4, 512, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 64, 1024, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 1024, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY },
	{ CLOPT_OP_NBODY, { 64, 64, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY_OWN },
	{ CLOPT_OP_NBODY, { 256, 256, 0 }, 4, 0, 0, 0, CLOPT_LAW_GRAVITY_OWN },
};
#define PROBLEMS (sizeof problems / sizeof *problems)

static struct clopt_problem problem(const struct tuned *t, size_t scale)
{
	struct clopt_problem p = { .size = sizeof p, .op = t->op };
	unsigned i;

	for (i = 0; i < 3; i++) {
		p.dim[i] = t->dim[i] * scale / 64;
		if (p.dim[i] == 0)
			p.dim[i] = 1;
	}
	p.elem_bytes = t->elem_bytes;
	p.batch = t->batch;
	p.transa = t->transa;
	p.transb = t->transb;
	p.law = t->law;
	/* Among ions the potential depends on the foot of the point on the surface. */
	p.normals = t->law == CLOPT_LAW_ALPB_SALT || t->law == CLOPT_LAW_ALPB_FAR ||
	            t->law == CLOPT_LAW_ALPB_INSIDE_SALT;
	return p;
}

/* On a terminal the line is written over and over. */
static int show(void *user, const struct clopt_tune_step *step)
{
	const char *class = user;

	fprintf(stderr, "\r\033[K%s: %zu kernels, %.0f of %.0f s; %s", class, step->tried,
	        step->spent_seconds, step->budget_seconds, step->best ? step->best : "");
	return 0;
}

static int tune(const struct tool_args *args, struct clopt *ctx, const struct tuned *t,
                size_t scale)
{
	const struct clopt_problem p = problem(t, scale);
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	char class[256], record[1024];
	int rc;

	if (clopt_problem_class(ctx, &p, class, sizeof class))
		return tool_fail(ctx, "tune");
	o.budget_seconds = args->seconds;
	o.rows_only = args->rows;
	o.dry = args->dry;
	if (isatty(STDERR_FILENO)) {
		o.progress = show;
		o.user = class;
	}
	rc = clopt_tune(ctx, &p, &o, record, sizeof record);
	if (o.progress)
		fputs("\r\033[K", stderr);
	if (*record)
		printf("%s\n", record);
	fflush(stdout);
	return rc ? tool_fail(ctx, class) : 0;
}

/* ---- The choice beside all rows, without tuning and with ----------------------------- */

#define ROUNDS 3
#define MOST_ROWS 64
#define WINDOW 0.03

/* A variant that takes longer than this many times the best is not timed again. */
#define FAR 3.0

struct rival {
	const char *name;
	double seconds; /* the least of the rounds; 0: it does not run */
};

/* Rows that can serve, the table's choice and the record's first. */
static size_t rivals(struct clopt *ctx, struct clopt *untuned, const struct clopt_problem *p,
                     struct rival *r)
{
	size_t i, n = 2;

	r[0].name = clopt_chosen_variant(untuned, p);
	r[1].name = clopt_chosen_variant(ctx, p);
	r[0].seconds = r[1].seconds = 0;
	for (i = 0; clopt_variant_name(i) && n < MOST_ROWS; i++) {
		const char *name = clopt_variant_name(i);

		if (strstr(name, "/ladder-") || strstr(name, "/paper-") ||
		    !clopt_variant_runs(ctx, i, p, NULL, 0))
			continue;
		if ((!r[0].name || strcmp(r[0].name, name)) &&
		    (!r[1].name || strcmp(r[1].name, name)))
			r[n++] = (struct rival){ name, 0 };
	}
	return n;
}

/* A variant that takes so many times the best at a quarter of the size is left out: rows for
 * another kind of device would take minutes. */
#define HOPELESS 10.0

static void leave_out(struct clopt *ctx, const struct clopt_problem *p, struct rival *r, size_t n)
{
	struct clopt_problem quarter = *p;
	double seconds[MOST_ROWS], best = 0;
	size_t i;

	for (i = 0; i < 3; i++)
		if (quarter.dim[i] > 64)
			quarter.dim[i] /= 4;
	for (i = 0; i < n; i++) {
		if (!r[i].name || clopt_time_variant(ctx, &quarter, r[i].name, 0, &seconds[i]))
			seconds[i] = 0;
		if (seconds[i] > 0 && (best == 0 || seconds[i] < best))
			best = seconds[i];
	}
	for (i = 2; i < n; i++)
		if (seconds[i] > HOPELESS * best)
			r[i].name = NULL;
}

/* All take turns. */
static double race(struct clopt *ctx, const struct clopt_problem *p, struct rival *r, size_t n,
                   const char **winner)
{
	double best = 0, seconds;
	size_t i;
	int round;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < n; i++) {
			if (!r[i].name ||
			    (round && (r[i].seconds == 0 || r[i].seconds > FAR * best)) ||
			    clopt_time_variant(ctx, p, r[i].name, round ? WINDOW : 0, &seconds))
				continue;
			if (r[i].seconds == 0 || seconds < r[i].seconds)
				r[i].seconds = seconds;
			if (best == 0 || r[i].seconds < best) {
				best = r[i].seconds;
				*winner = r[i].name;
			}
		}
	return best;
}

static void compare(struct clopt *ctx, struct clopt *untuned, const struct tuned *t, size_t scale,
                    json_t *rows)
{
	const struct clopt_problem p = problem(t, scale);
	struct rival r[MOST_ROWS];
	const char *winner = "none";
	char class[256];
	const size_t n = rivals(ctx, untuned, &p, r);
	double best;

	leave_out(ctx, &p, r, n);
	best = race(ctx, &p, r, n, &winner);
	if (r[1].name && r[0].name && !strcmp(r[0].name, r[1].name))
		r[0].seconds = r[1].seconds = r[0].seconds < r[1].seconds || r[1].seconds == 0 ?
		                                      r[0].seconds :
		                                      r[1].seconds;
	clopt_problem_class(ctx, &p, class, sizeof class);
	json_array_append_new(rows,
	                      json_pack("{s:s, s:s, s:f, s:s, s:f, s:s, s:I}", "problem", class,
	                                "table", r[0].name ? r[0].name : "none", "table_share",
	                                r[0].seconds > 0 ? best / r[0].seconds : 0.0, "record",
	                                r[1].name ? r[1].name : "none", "record_share",
	                                r[1].seconds > 0 ? best / r[1].seconds : 0.0, "best",
	                                winner, "rows", (json_int_t)n));
}

static int compare_all(const struct tool_args *args, struct clopt *ctx, size_t scale)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("problem", "problem"),
		TOOL_TEXT("by the table", "table"),
		TOOL_NUMBER("of best", "table_share", "%.2f", 1),
		TOOL_TEXT("on record", "record"),
		TOOL_NUMBER("of best", "record_share", "%.2f", 1),
		TOOL_TEXT("best", "best"),
		TOOL_NUMBER("rows", "rows", "%.0f", 1),
		TOOL_END,
	};
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	json_t *rows = json_array();
	struct clopt *untuned;
	size_t i;

	o.device = args->device;
	o.tuning = "0";
	o.tune_seconds = -1;
	if (clopt_open(&untuned, &o)) {
		json_decref(rows);
		return tool_fail(NULL, "compare");
	}
	for (i = 0; i < PROBLEMS; i++)
		if (args->op < 0 || args->op == problems[i].op)
			compare(ctx, untuned, &problems[i], scale, rows);
	tool_table(stdout, rows, columns);
	json_decref(rows);
	clopt_close(untuned);
	return 0;
}

int tool_tune(const struct tool_args *args)
{
	const char *file = getenv("CLOPT_TUNING");
	struct clopt_device_info info;
	struct clopt *ctx;
	size_t i, scale;
	int rc;

	if (args->seconds == 0.0 || args->op >= CLOPT_OP_LEAPFROG) {
		fprintf(stderr, "clopt tune: %s\n",
		        args->seconds == 0.0 ? "--seconds wants more than 0" :
		                               "only matmul, transpose, potential and nbody are "
		                               "tuned");
		return 2;
	}
	rc = tool_open(args, 0, 0, &ctx, &info);

	if (rc)
		return rc;
	if (!args->compare && !args->dry && file && !strcmp(file, "0"))
		fputs("clopt tune: CLOPT_TUNING is 0: records are printed, not kept\n", stderr);
	scale = args->size ? args->size : !strcmp(info.type, "cpu") ? 1024 : 4096;
	if (args->compare)
		rc = compare_all(args, ctx, scale);
	for (i = 0; i < PROBLEMS && !rc && !args->compare; i++)
		if (args->op < 0 || args->op == problems[i].op)
			rc = tune(args, ctx, &problems[i], scale);
	clopt_close(ctx);
	return rc;
}
