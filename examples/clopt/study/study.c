/* SPDX-License-Identifier: MIT */
/*
 * study.c - kernels that differ by one idea each, measured side by side.
 *
 * All take turns, one call each a round, and a speed-up is the median over the
 * rounds of two times of the same round: a machine that is slower for a while is
 * slower for both.  A kernel whose answer is wrong gets no time.
 */
#include "study.h"

#include <stdlib.h>
#include <string.h>

static void fail(struct study_entry *e, const char *why)
{
	snprintf(e->note, sizeof e->note, "%s", *why ? why : "no reason was given");
	e->note[strcspn(e->note, "\n")] = '\0';
}

static int sound(const struct study_entry *e)
{
	return e->note[0] == '\0';
}

/* The place of a name in the library's table; past its end if it is not there. */
static size_t row_of(const char *variant)
{
	size_t i = 0;

	while (clopt_variant_name(i) && strcmp(clopt_variant_name(i), variant) != 0)
		i++;
	return i;
}

/* Which kernel it is, and whether it runs here. */
static void settle(struct study_entry *e, struct clopt *ctx, struct study_problem *p)
{
	struct clopt_problem problem;
	char why[256] = "";

	p->part = e->row->part;
	study_problem_ask(p, &problem);
	clopt_use(ctx, NULL);
	e->variant = e->row->variant ? e->row->variant : clopt_choice(ctx, &problem);
	if (!e->variant)
		fail(e, clopt_error(ctx));
	else if (clopt_variant_runs(ctx, row_of(e->variant), &problem, why, sizeof why) != 1)
		fail(e, why);
}

/* Seconds of the kernel; of the call where the driver has no times. */
static double once(struct study_entry *e, struct clopt *ctx, struct study_problem *p)
{
	struct clopt_report report = { .size = sizeof report };

	p->part = e->row->part;
	if (clopt_use(ctx, e->variant) != CLOPT_OK || study_problem_call(ctx, p) != CLOPT_OK ||
	    clopt_last_report(ctx, &report) != CLOPT_OK)
		fail(e, clopt_error(ctx));
	return report.kernel_seconds > 0.0 ? report.kernel_seconds : report.seconds;
}

/* The first call compiles, and its result is looked at. */
static void warm_up(struct study_entry *e, struct clopt *ctx, struct study_problem *p)
{
	char why[128];
	double error;

	once(e, ctx, p);
	if (!sound(e))
		return;
	error = study_problem_error(p);
	if (!(error <= 1.0)) {
		snprintf(why, sizeof why, "wrong: the error is %.3g times what it may be", error);
		fail(e, why);
	}
}

static void measure(struct study_result *r, struct clopt *ctx, struct study_problem *p,
                    double seconds)
{
	struct study_entry *const end = r->entry + r->study->n, *e;
	double spent = 0.0, wanted;

	for (e = r->entry; e < end; e++)
		if (sound(e))
			warm_up(e, ctx, p);
	wanted = seconds * (double)r->study->n;
	while (r->rounds < STUDY_MOST && (r->rounds < STUDY_LEAST || spent < wanted)) {
		for (e = r->entry; e < end; e++) {
			if (!sound(e))
				continue;
			e->seconds[r->rounds] = once(e, ctx, p);
			spent += e->seconds[r->rounds];
		}
		r->rounds++;
	}
	clopt_use(ctx, NULL);
}

/* ---- What it amounts to ---------------------------------------------------------- */

/* What an entry is compared with. */
static const struct study_entry *base_of(const struct study_result *r, const struct study_entry *e)
{
	const struct study_entry *base = r->entry;

	while (base->row->part != e->row->part)
		base++;
	return base;
}

static void compare(struct study_entry *e, const struct study_entry *base, size_t rounds)
{
	double ratio[STUDY_MOST], seconds[STUDY_MOST];
	size_t i;

	if (!sound(e))
		return;
	for (i = 0; i < rounds; i++) {
		seconds[i] = e->seconds[i];
		ratio[i] = sound(base) ? base->seconds[i] / e->seconds[i] : 0.0;
	}
	e->median = tool_median(seconds, rounds);
	e->speedup = tool_median(ratio, rounds); /* sorts them */
	e->least = ratio[0];
	e->most = ratio[rounds - 1];
}

/* The speed-up of the row with that label; 0 if there is none. */
static double part(const struct study_result *r, const char *label, size_t length)
{
	size_t i;

	for (i = 0; i < r->study->n; i++)
		if (strlen(r->entry[i].row->label) == length &&
		    strncmp(r->entry[i].row->label, label, length) == 0)
			return r->entry[i].speedup;
	return 0.0;
}

static double product(const struct study_result *r, const char *label)
{
	double all = 1.0;
	size_t length;

	if (!strchr(label, '+'))
		return 0.0;
	for (; *label; label += length + (label[length] == '+')) {
		length = strcspn(label, "+");
		all *= part(r, label, length);
	}
	return all;
}

static int report(const struct study_result *r, const struct tool_args *args, FILE *csv, FILE *svg)
{
	size_t i, bad = 0;
	int rc = 0;

	if (args->json)
		rc = tool_json_print(study_report_json(r));
	else
		study_report_text(r);
	if (csv)
		study_report_csv(r, csv);
	if (svg)
		study_report_svg(r, svg);
	for (i = 0; i < r->study->n; i++)
		bad += strncmp(r->entry[i].note, "wrong", 5) == 0 ||
		       !sound(base_of(r, &r->entry[i]));
	return rc || bad;
}

static int run(const struct study *study, const struct tool_args *args, FILE *csv, FILE *svg)
{
	struct study_result r = { .study = study };
	struct study_problem p = { .op = study->op };
	struct clopt *ctx = NULL;
	size_t i;
	int rc;

	/* One queue: no bands. */
	rc = tool_open(args, 1, 1, &ctx, &r.info);
	if (rc)
		goto out;
	r.entry = calloc(study->n, sizeof *r.entry);
	rc = !r.entry || study_problem_open(&p, study->op, tool_extent(args, &r.info), args->size);
	if (rc)
		goto out;
	study_problem_describe(&p, r.problem, sizeof r.problem);
	for (i = 0; i < study->n; i++) {
		r.entry[i].row = &study->rows[i];
		settle(&r.entry[i], ctx, &p);
		r.work[p.part] = study_problem_work(&p);
	}
	measure(&r, ctx, &p, args->seconds);
	for (i = 0; i < study->n; i++)
		compare(&r.entry[i], base_of(&r, &r.entry[i]), r.rounds);
	for (i = 0; i < study->n; i++)
		r.entry[i].product = product(&r, study->rows[i].label);
	rc = report(&r, args, csv, svg);
out:
	study_problem_close(&p);
	free(r.entry);
	clopt_close(ctx);
	return rc;
}

static const struct study *find_study(const struct tool_args *args)
{
	if (!args->ladder)
		return &study_ablation;
	return args->op == CLOPT_MATMUL    ? &study_matmul :
	       args->op == CLOPT_TRANSPOSE ? &study_transpose :
	                                     &study_ladder;
}

int tool_study(const struct tool_args *args)
{
	FILE *csv = NULL, *svg = NULL;
	int rc;

	rc = tool_file_open(&csv, args->csv) || tool_file_open(&svg, args->svg);
	if (!rc)
		rc = run(find_study(args), args, csv, svg);
	rc |= tool_file_close(csv, args->csv);
	rc |= tool_file_close(svg, args->svg);
	return rc;
}
