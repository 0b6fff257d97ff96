/* SPDX-License-Identifier: MIT */
/*
 * tune.c - `clopt tune': finding the best variants here, and recording them; how far
 * a choice is behind the best; and records from reports.
 */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "../../common/progress.h"
#include "../../common/text.h"

/* The problems that are tuned: sizes in 64ths of the scale of the device, 0 for one. */
/* clang-format off */
#define MATMUL(m, n, k, ...) { .op = CLOPT_OP_MATMUL, .dim = { m, n, k }, __VA_ARGS__ }
#define TRANSPOSE(r, c, ...) { .op = CLOPT_OP_TRANSPOSE, .dim = { r, c }, __VA_ARGS__ }
#define PAIRS(op_, ns, nt, law_) \
	{ .op = op_, .dim = { ns, nt }, .elem_bytes = 4, .law = CLOPT_LAW_##law_ }
#define POTENTIAL(ns, nt, law_) PAIRS(CLOPT_OP_POTENTIAL, ns, nt, law_)
#define NBODY(ns, nt, law_) PAIRS(CLOPT_OP_NBODY, ns, nt, law_)

static const struct clopt_problem problems[] = {
	MATMUL(4, 4, 4, .elem_bytes = 4), MATMUL(16, 16, 16, .elem_bytes = 4),
	MATMUL(32, 32, 32, .elem_bytes = 4), MATMUL(64, 64, 64, .elem_bytes = 4),
	MATMUL(64, 64, 64, .elem_bytes = 4, .transa = CLOPT_TRANS_YES),
	MATMUL(64, 64, 64, .elem_bytes = 4, .transb = CLOPT_TRANS_YES),
	MATMUL(64, 64, 64, .elem_bytes = 8), MATMUL(16, 16, 16, .elem_bytes = 8),
	MATMUL(256, 1, 64, .elem_bytes = 4), MATMUL(128, 128, 8, .elem_bytes = 4),
	MATMUL(256, 0, 256, .elem_bytes = 4), MATMUL(4, 4, 4, .elem_bytes = 4, .batch = 500),
	MATMUL(64, 64, 64, .type = CLOPT_TYPE_HALF), MATMUL(64, 64, 64, .type = CLOPT_TYPE_BFLOAT16),
	MATMUL(64, 64, 64, .type = CLOPT_TYPE_COMPLEX_FLOAT),
	MATMUL(64, 64, 64, .type = CLOPT_TYPE_COMPLEX_DOUBLE),
	MATMUL(64, 64, 64, .type = CLOPT_TYPE_INT8),
	TRANSPOSE(16, 16, .elem_bytes = 4), TRANSPOSE(64, 64, .elem_bytes = 4),
	TRANSPOSE(256, 256, .elem_bytes = 4), TRANSPOSE(512, 32, .elem_bytes = 4),
	TRANSPOSE(32, 512, .elem_bytes = 4), TRANSPOSE(256, 256, .elem_bytes = 1),
	TRANSPOSE(64, 64, .elem_bytes = 2), TRANSPOSE(256, 256, .elem_bytes = 2),
	TRANSPOSE(256, 256, .elem_bytes = 4, .uneven = 3), TRANSPOSE(64, 64, .elem_bytes = 8), TRANSPOSE(256, 256, .elem_bytes = 8),
	TRANSPOSE(128, 128, .elem_bytes = 16), TRANSPOSE(4, 4, .elem_bytes = 4, .batch = 500),
	POTENTIAL(4, 64, COULOMB), POTENTIAL(64, 64, COULOMB), POTENTIAL(256, 256, COULOMB),
	POTENTIAL(512, 4, COULOMB), POTENTIAL(64, 1024, COULOMB), POTENTIAL(64, 64, DEBYE),
	POTENTIAL(64, 64, DISTANCE4), POTENTIAL(64, 64, ALPB_SALT), POTENTIAL(256, 256, ALPB_SALT),
	POTENTIAL(64, 64, ALPB_FAR), POTENTIAL(64, 64, ALPB_INSIDE),
	POTENTIAL(64, 64, ALPB_INSIDE_SALT),
	NBODY(16, 16, GRAVITY), NBODY(32, 32, GRAVITY), NBODY(64, 64, GRAVITY),
	NBODY(128, 128, GRAVITY), NBODY(256, 256, GRAVITY), NBODY(512, 512, GRAVITY),
	NBODY(512, 4, GRAVITY), NBODY(4, 512, GRAVITY), NBODY(64, 1024, GRAVITY),
	NBODY(1024, 64, GRAVITY), NBODY(64, 64, GRAVITY_OWN), NBODY(256, 256, GRAVITY_OWN),
};
/* clang-format on */
#define PROBLEMS (sizeof problems / sizeof *problems)

static struct clopt_problem scaled(const struct clopt_problem *of, size_t scale)
{
	struct clopt_problem p = *of;
	unsigned i;

	p.size = sizeof p;
	for (i = 0; i < 3; i++) {
		p.dim[i] = of->dim[i] * scale / 64;
		if (p.dim[i] == 0)
			p.dim[i] = 1;
	}
	/* Among ions the potential depends on the foot of the point on the surface. */
	p.normals = p.law == CLOPT_LAW_ALPB_SALT || p.law == CLOPT_LAW_ALPB_FAR ||
	            p.law == CLOPT_LAW_ALPB_INSIDE_SALT;
	return p;
}

static int show(void *user, const struct clopt_tune_step *step)
{
	const char *class = user;

	progress_say("%zu kernels in %.0f of %.0f s, best %s; %s", step->tried, step->spent_seconds,
	             step->budget_seconds, step->best ? step->best : "-", class);
	return 0;
}

static int tune(const struct tool_args *args, struct clopt *ctx, const struct clopt_problem *of,
                size_t scale)
{
	const struct clopt_problem p = scaled(of, scale);
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	char class[256], record[1024];
	int rc;

	if (clopt_problem_class(ctx, &p, class, sizeof class))
		return tool_fail(ctx, NULL);
	o.budget_seconds = args->seconds;
	o.rows_only = args->rows;
	o.dry = args->dry;
	if (progress_shown()) {
		o.progress = show;
		o.user = class;
	}
	progress_say("%s", class);
	rc = clopt_tune(ctx, &p, &o, record, sizeof record);
	progress_hide();
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

/* All take turns. */
static double race(struct clopt *ctx, const struct clopt_problem *p, struct rival *r, size_t n,
                   int rounds, const char **winner)
{
	double best = 0, seconds;
	size_t i;
	int round;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < n; i++) {
			progress_say("%s", r[i].name ? r[i].name : "");
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

/* A variant that takes so many times the best at a quarter of the size is left out: rows for
 * another kind of device would take minutes. */
#define HOPELESS 10.0

static void leave_out(struct clopt *ctx, const struct clopt_problem *p, struct rival *r, size_t n)
{
	struct clopt_problem quarter = *p;
	struct rival small[MOST_ROWS];
	const char *winner;
	double best;
	size_t i;

	for (i = 0; i < 3; i++)
		if (quarter.dim[i] > 64)
			quarter.dim[i] /= 4;
	memcpy(small, r, n * sizeof *r);
	best = race(ctx, &quarter, small, n, 1, &winner);
	for (i = 2; i < n; i++)
		if (small[i].seconds > HOPELESS * best)
			r[i].name = NULL;
}

static void compare(struct clopt *ctx, struct clopt *untuned, const struct clopt_problem *of,
                    size_t scale, json_t *rows)
{
	const struct clopt_problem p = scaled(of, scale);
	struct rival r[MOST_ROWS];
	const char *winner = "none";
	char class[256];
	const size_t n = rivals(ctx, untuned, &p, r);
	double best;

	leave_out(ctx, &p, r, n);
	best = race(ctx, &p, r, n, ROUNDS, &winner);
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
	if (clopt_open(&untuned, &o)) {
		json_decref(rows);
		return tool_fail(NULL, "compare");
	}
	for (i = 0; i < PROBLEMS; i++)
		if (args->op < 0 || args->op == problems[i].op)
			compare(ctx, untuned, &problems[i], scale, rows);
	progress_hide();
	tool_table(stdout, rows, columns);
	json_decref(rows);
	clopt_close(untuned);
	return 0;
}

/* ---- Reports of others ---------------------------------------------------------------- */

/* Of each kind the largest, and what differs most between devices. */
static int is_reported(const struct clopt_problem *p)
{
	switch (p->op) {
	case CLOPT_OP_MATMUL:
		return p->dim[0] == 64 && p->dim[2] == 64 && !p->transa && !p->transb;
	case CLOPT_OP_TRANSPOSE:
		return p->dim[0] == p->dim[1] && p->dim[0] >= 128;
	case CLOPT_OP_POTENTIAL:
		return p->dim[0] == p->dim[1] && (p->dim[0] == 256 || p->law == CLOPT_LAW_DEBYE);
	default:
		return p->dim[0] == p->dim[1] && p->dim[0] == 256;
	}
}

static int report_rate(const struct tool_args *args, struct clopt *ctx,
                       const struct clopt_problem *of, size_t scale, FILE *f)
{
	const struct clopt_problem p = scaled(of, scale);
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	const char *chosen = clopt_chosen_variant(ctx, &p);
	char table[256], class[256], record[1024] = "";
	double seconds = 0;

	snprintf(table, sizeof table, "%s", chosen ? chosen : "none");
	if (clopt_problem_class(ctx, &p, class, sizeof class))
		return tool_fail(ctx, NULL);
	o.budget_seconds = args->seconds;
	o.rows_only = 1;
	o.dry = 1;
	if (progress_shown()) {
		o.progress = show;
		o.user = class;
	}
	progress_say("%s", class);
	if (clopt_time_variant(ctx, &p, NULL, WINDOW, &seconds) ||
	    clopt_tune(ctx, &p, &o, record, sizeof record))
		fprintf(f, "# %s: %s\n", class, clopt_error(ctx));
	else
		fprintf(f, "# chosen %s, %.3g ms; on record:\n%s\n", table, 1e3 * seconds, record);
	return 0;
}

int ask_report_rates(const struct tool_args *args, FILE *f)
{
	struct tool_args own = *args;
	struct clopt_device_info info;
	struct clopt *ctx;
	size_t i, scale;
	int rc;

	own.tuning = "0";
	rc = tool_open(&own, 0, 0, &ctx, &info);
	if (rc)
		return rc;
	scale = args->size ? args->size : !strcmp(info.type, "cpu") ? 1024 : 4096;
	fprintf(f, "# %u compute units, %u MHz, %.1f GB; traits %s\n", info.compute_units,
	        info.clock_mhz, (double)info.global_bytes / 1e9, info.traits);
	for (i = 0; i < PROBLEMS && !rc; i++)
		if ((args->op < 0 || args->op == problems[i].op) && is_reported(&problems[i]))
			rc = report_rate(args, ctx, &problems[i], scale, f);
	progress_hide();
	clopt_close(ctx);
	return rc;
}

static int merge(struct clopt *ctx, const char *path)
{
	struct text report = { 0 };
	struct fault e = { "" };
	size_t added;
	int rc;

	if (text_read(&report, NULL, path, &e))
		return tool_tell("%s", e.text);
	rc = clopt_tuning_merge(ctx, report.data, &added) ? tool_fail(ctx, path) : 0;
	if (!rc)
		printf("%s: %zu new records%s\n", path, added,
		       added ? "" : "; the file has none, or they are there already");
	text_free(&report);
	return rc;
}

int tool_merge(const struct tool_args *args)
{
	struct clopt_device_info info;
	struct clopt *ctx;
	size_t i;
	int rc;

	rc = tool_open(args, 0, 0, &ctx, &info);
	if (rc)
		return rc;
	progress_hide();
	for (i = 0; i < args->files && !rc; i++)
		rc = merge(ctx, args->merged[i]);
	clopt_close(ctx);
	return rc;
}

int tool_tune(const struct tool_args *args)
{
	const char *file = getenv("CLOPT_TUNING");
	struct clopt_device_info info;
	struct clopt *ctx;
	size_t i, scale;
	int rc;

	if (args->op >= CLOPT_OP_LEAPFROG) {
		tool_tell("only matmul, transpose, potential and nbody are tuned");
		return 2;
	}
	rc = tool_open(args, 0, 0, &ctx, &info);

	if (rc)
		return rc;
	if (!args->compare && !args->dry && file && !strcmp(file, "0"))
		tool_tell("CLOPT_TUNING is 0: records are printed, but not kept");
	scale = args->size ? args->size : !strcmp(info.type, "cpu") ? 1024 : 4096;
	if (args->compare)
		rc = compare_all(args, ctx, scale);
	for (i = 0; i < PROBLEMS && !rc && !args->compare; i++)
		if (args->op < 0 || args->op == problems[i].op)
			rc = tune(args, ctx, &problems[i], scale);
	clopt_close(ctx);
	return rc;
}
