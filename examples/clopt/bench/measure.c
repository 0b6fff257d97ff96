/* SPDX-License-Identifier: MIT */
/*
 * bench_measure.c - all variants that run here, on the same problem.
 *
 * The clock of a device drifts with its temperature and with who else is on it,
 * so the variants take turns, one call each, and medians are compared.  The kernel
 * of the roof takes turns with them: a share of a roof of another minute would
 * tell of the weather.  A variant whose answer is wrong gets no time.
 */
#include "bench.h"

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

static int entry_open(struct bench_entry *e, const char *variant)
{
	e->variant = variant;
	e->is_default = !variant;
	e->kernel = calloc(BENCH_REPEATS, sizeof *e->kernel);
	e->call = calloc(BENCH_REPEATS, sizeof *e->call);
	return e->kernel && e->call ? 0 : 1;
}

void bench_problem_close(struct bench_problem *p)
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

int bench_problem_open(struct bench_problem *p, struct clopt *ctx, const struct tool_args *args)
{
	struct clopt_problem problem;
	const char *name;
	size_t i, n = 0;
	int rc = 0;

	case_problem(p->op, &p->shape, &problem);
	while (clopt_variant_name(n))
		n++;
	p->entries = calloc(n + 1, sizeof *p->entries);
	if (!p->entries) {
		rc = 1;
		goto out;
	}
	if (args->picked)
		rc = entry_open(&p->entries[p->n++], NULL);
	for (i = 0; !args->picked && i < n; i++) {
		name = clopt_variant_name(i);
		if (clopt_variant_op(i) != p->op ||
		    (args->variant && strcmp(args->variant, name) != 0))
			continue;
		if (clopt_variant_runs(ctx, i, &problem, NULL, 0) != 1)
			continue;
		rc = entry_open(&p->entries[p->n++], name);
		if (rc)
			goto out;
	}
out:
	if (rc)
		fprintf(stderr, "clopt: out of memory\n");
	return rc;
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

/* The first call compiles, and its result is looked at. */
static void warm_up(struct bench_entry *e, struct clopt *ctx, struct case_job *job)
{
	struct clopt_report report;
	char text[256];

	case_reset(job);
	if (!timed(e, ctx, job, &report))
		return;
	if (!(e->first > 0.0))
		e->first = report.seconds;
	if (!e->variant)
		e->variant = report.variant;
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
		e->call_rate = case_rate(p->op, &p->shape, e->call_median);
		e->of_roof = p->roof.rate > 0.0 ? e->rate / p->roof.rate : 0.0;
		if (e->rate > best)
			best = e->rate;
	}
	for (e = p->entries; e < p->entries + p->n; e++)
		e->share = best > 0.0 ? e->rate / best : 0.0;
}

/* To ask earlier would have compiled the one that is picked, before its first call. */
static void mark_choice(struct bench_problem *p, struct clopt *ctx)
{
	struct bench_entry *e;
	const char *choice;

	clopt_use(ctx, NULL);
	choice = tool_choice(ctx, p->op, &p->shape);
	for (e = p->entries; e < p->entries + p->n; e++) {
		if (!e->variant)
			e->variant = "none"; /* nothing could be picked */
		if (choice && strcmp(choice, e->variant) == 0)
			e->is_default = 1;
	}
}

/* The roof's own kernel, unless it has had more time than each of the variants, who have
 * had `theirs' in the mean. */
struct beside {
	struct peaks *peaks;
	double seconds[PEAK_MOST];
	size_t repeats;
	double spent;
};

static void beside(struct beside *b, enum peak_what what, double theirs)
{
	double took, spent;

	if (b->peaks->peak[what].verdict || b->repeats == PEAK_MOST ||
	    (b->repeats >= LEAST_REPEATS && b->spent > theirs))
		return;
	took = peak_launch(b->peaks, what, &spent);
	if (b->peaks->peak[what].verdict)
		return;
	b->seconds[b->repeats++] = took;
	b->spent += spent;
}

/* All variants until each has had its time. */
static void rounds(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                   struct beside *b, double seconds)
{
	struct bench_entry *e;
	double theirs = 0.0, took;
	int more = 1;

	while (more) {
		more = 0;
		if (b->peaks)
			beside(b, p->roof.by, theirs / (double)p->n);
		for (e = p->entries; e < p->entries + p->n; e++) {
			if (!e->sound || e->repeats == BENCH_REPEATS ||
			    (e->repeats >= LEAST_REPEATS && e->spent >= seconds))
				continue;
			took = repeat(e, ctx, whole, p->job);
			e->spent += took;
			theirs += took;
			more = 1;
		}
	}
}

int bench_problem_measure(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                          struct peaks *peaks, const struct tool_args *args)
{
	struct beside *b = calloc(1, sizeof *b);
	struct bench_entry *e;
	int rc = 0;

	if (!b || case_open(&p->job, p->op, &p->shape, SEED) != CLOPT_OK) {
		fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
		rc = 1;
		goto out;
	}
	for (e = p->entries; e < p->entries + p->n; e++)
		warm_up(e, ctx, p->job);
	for (e = p->entries; e < p->entries + p->n; e++)
		if (e->sound)
			warm_up(e, whole, p->job);
	mark_choice(p, ctx);
	if (p->roof.rate > 0.0 && !peaks_begin(peaks, whole, p->roof.by))
		b->peaks = peaks;
	rounds(p, ctx, whole, b, args->seconds);
	roof_beside(&p->roof, peaks, b->seconds, b->repeats);
	conclude(p);
out:
	if (b && b->peaks)
		peaks_end(peaks);
	free(b);
	clopt_use(ctx, NULL);
	case_close(p->job);
	p->job = NULL;
	return rc;
}
