/* SPDX-License-Identifier: MIT */
/*
 * bench.c - `clopt bench': all variants that run here, on the same problem.
 *
 * The clock of a device drifts with its temperature and with who else is on it,
 * so the variants take turns, one call each, and medians are compared.  A
 * variant whose answer is wrong gets no time.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum {
	SAMPLES = 64,
	LEAST_REPEATS = 3,
	SEED = 1
};

static void entry_fail(struct bench_entry *e, const char *why)
{
	e->sound = 0;
	snprintf(e->note, sizeof e->note, "%s", why);
	e->note[strcspn(e->note, "\n")] = '\0';
}

static int entry_open(struct bench_entry *e, const char *variant, const char *choice)
{
	e->variant = variant;
	e->is_default = choice && strcmp(choice, variant) == 0;
	e->kernel = calloc(BENCH_REPEATS, sizeof *e->kernel);
	e->call = calloc(BENCH_REPEATS, sizeof *e->call);
	return e->kernel && e->call ? 0 : 1;
}

static void problem_close(struct bench_problem *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		free(p->entries[i].kernel);
		free(p->entries[i].call);
	}
	free(p->entries);
	p->entries = NULL;
	p->n = 0;
}

/* Those that can run here, or the one that was asked for. */
static int problem_open(struct bench_problem *p, struct clopt *ctx, const struct tool_args *args)
{
	struct clopt_problem problem;
	const char *name, *choice;
	size_t i, n = 0;
	int rc = 0;

	case_problem(p->op, &p->shape, &problem);
	clopt_use(ctx, NULL);
	choice = clopt_choice(ctx, &problem);
	while (clopt_variant_name(n))
		n++;
	p->entries = calloc(n + 1, sizeof *p->entries);
	if (!p->entries) {
		rc = 1;
		goto out;
	}
	for (i = 0; i < n; i++) {
		name = clopt_variant_name(i);
		if (clopt_variant_op(i) != p->op ||
		    (args->variant && strcmp(args->variant, name) != 0))
			continue;
		if (clopt_variant_runs(ctx, i, &problem, NULL, 0) != 1)
			continue;
		rc = entry_open(&p->entries[p->n++], name, choice);
		if (rc)
			goto out;
	}
out:
	if (rc)
		fprintf(stderr, "clopt: out of memory\n");
	return rc;
}

/* The first call compiles, and its result is looked at. */
static void warm_up(struct bench_entry *e, struct clopt *ctx, struct case_job *job)
{
	char text[256];

	case_reset(job);
	if (clopt_use(ctx, e->variant) != CLOPT_OK || case_call(ctx, job) != CLOPT_OK) {
		entry_fail(e, clopt_error(ctx));
		return;
	}
	if (case_check(job, SAMPLES, &e->check) != CLOPT_OK) {
		entry_fail(e, "out of memory for the check");
		return;
	}
	e->checked = 1;
	e->sound = case_passed(&e->check);
	if (!e->sound) {
		case_explain(&e->check, text, sizeof text);
		entry_fail(e, text);
	}
}

static int timed(struct bench_entry *e, struct clopt *ctx, struct case_job *job,
                 struct clopt_report *report)
{
	memset(report, 0, sizeof *report);
	report->size = sizeof *report;
	if (clopt_use(ctx, e->variant) != CLOPT_OK || case_call(ctx, job) != CLOPT_OK ||
	    clopt_last_report(ctx, report) != CLOPT_OK) {
		entry_fail(e, clopt_error(ctx));
		return 0;
	}
	return 1;
}

/* The kernel over the whole problem, and a call that may cut it into bands to
 * hide transfers.  Returns the seconds of both. */
static double repeat(struct bench_entry *e, struct clopt *ctx, struct clopt *whole,
                     struct case_job *job)
{
	struct clopt_report kernel, call;

	if (!timed(e, whole, job, &kernel) || !timed(e, ctx, job, &call))
		return 0.0;
	e->kernel[e->repeats] = kernel.kernel_seconds;
	e->call[e->repeats] = call.seconds;
	e->repeats++;
	return kernel.seconds + call.seconds;
}

static void conclude(struct bench_problem *p)
{
	struct bench_entry *e;
	double best = 0.0;

	for (e = p->entries; e < p->entries + p->n; e++) {
		if (!e->sound)
			continue;
		e->kernel_median = tool_median(e->kernel, e->repeats);
		e->call_median = tool_median(e->call, e->repeats);
		e->rate = case_rate(p->op, &p->shape,
		                    e->kernel_median > 0.0 ? e->kernel_median : e->call_median);
		if (e->rate > best)
			best = e->rate;
	}
	for (e = p->entries; e < p->entries + p->n; e++)
		e->share = best > 0.0 ? e->rate / best : 0.0;
}

/* 0, or 1 if memory ran out. */
static int measure(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                   const struct tool_args *args)
{
	struct case_job *job = NULL;
	struct bench_entry *e;
	double *spent = calloc(p->n + 1, sizeof *spent);
	int more = 1, rc = 0;

	if (!spent || case_open(&job, p->op, &p->shape, SEED) != CLOPT_OK) {
		fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
		rc = 1;
		goto out;
	}
	for (e = p->entries; e < p->entries + p->n; e++)
		warm_up(e, ctx, job);
	for (e = p->entries; e < p->entries + p->n; e++)
		if (e->sound)
			warm_up(e, whole, job);
	while (more) {
		more = 0;
		for (e = p->entries; e < p->entries + p->n; e++) {
			if (!e->sound || e->repeats == BENCH_REPEATS ||
			    (e->repeats >= LEAST_REPEATS && spent[e - p->entries] >= args->seconds))
				continue;
			spent[e - p->entries] += repeat(e, ctx, whole, job);
			more = 1;
		}
	}
	conclude(p);
out:
	clopt_use(ctx, NULL);
	case_close(job);
	free(spent);
	return rc;
}

/* One problem from beginning to end; `bad' counts variants that failed. */
static int bench_one(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                     const struct tool_args *args, size_t *bad)
{
	size_t i;
	int rc;

	rc = problem_open(p, ctx, args);
	if (rc || p->n == 0)
		goto out;
	rc = measure(p, ctx, whole, args);
	if (rc)
		goto out;
	for (i = 0; i < p->n; i++)
		*bad += !p->entries[i].sound;
	if (!args->json)
		bench_report_text(p);
out:
	return rc;
}

/* Why the variant asked for was not timed at all. */
static int nothing_ran(struct clopt *ctx, const struct tool_args *args)
{
	struct clopt_problem problem;
	struct shape shape;
	char why[512] = "";
	size_t i;

	for (i = 0; args->variant && clopt_variant_name(i); i++) {
		if (strcmp(clopt_variant_name(i), args->variant) != 0 ||
		    !case_bench(clopt_variant_op(i), 0, CASE_SMALL, args->size, &shape))
			continue;
		shape.law = args->law;
		case_problem(clopt_variant_op(i), &shape, &problem);
		clopt_variant_runs(ctx, i, &problem, why, sizeof why);
	}
	fflush(stdout);
	fprintf(stderr, "clopt: %s cannot run here%s%s\n",
	        args->variant ? args->variant : "any variant", *why ? ": " : "", why);
	return 1;
}

int tool_bench(const struct tool_args *args)
{
	struct clopt_device_info info;
	struct bench_problem p;
	struct clopt *ctx = NULL, *whole = NULL;
	json_t *rows = args->json ? json_array() : NULL;
	FILE *csv = NULL;
	size_t i, ran = 0, bad = 0;
	int op, rc;

	/* One queue: no bands. */
	rc = tool_open(args, 1, 0, &ctx, &info) || tool_open(args, 1, 1, &whole, &info);
	if (rc)
		goto out;
	if (args->csv && !(csv = fopen(args->csv, "w"))) {
		perror(args->csv);
		rc = 1;
		goto out;
	}
	if (!args->json)
		printf("%s\n", info.name);
	for (op = 0; op < CLOPT_OPS; op++) {
		if (args->op >= 0 && args->op != op)
			continue;
		memset(&p, 0, sizeof p);
		for (i = 0; case_bench(op, i, tool_extent(args, &info), args->size, &p.shape);
		     i++) {
			p.op = op;
			p.shape.law = args->law;
			rc = bench_one(&p, ctx, whole, args, &bad);
			if (!rc && csv)
				bench_report_csv(&p, csv, ran == 0);
			if (!rc && args->json)
				json_array_append_new(rows, bench_report_json(&p));
			ran += p.n;
			problem_close(&p);
			if (rc)
				goto out;
		}
	}
	if (ran == 0)
		rc = nothing_ran(ctx, args);
	if (args->json && !rc) {
		rc = tool_json_print(json_pack("{s:s, s:o, s:o, s:o}", "version", clopt_version(),
		                               "device", tool_json_text(info.name), "driver",
		                               tool_json_text(info.driver), "problems", rows));
		rows = NULL;
	}
	if (bad)
		rc = 1;
out:
	if (csv && (ferror(csv) | fclose(csv))) {
		perror(args->csv);
		rc = 1;
	}
	json_decref(rows);
	clopt_close(whole);
	clopt_close(ctx);
	return rc;
}
