/* SPDX-License-Identifier: MIT */
/*
 * measure.c - all variants that run here, on the same problem, in turns.
 *
 * The kernel of the roof takes turns with them: clocks drift, and a share of a roof that
 * was measured a minute ago would be wrong.  A variant with a wrong answer gets no time.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum {
	SAMPLES = 64,
	LEAST_REPEATS = 3,
	SEED = 1
};

/* The context of a turn. */
struct run {
	struct bench_problem *p;
	struct clopt *ctx, *whole;
	struct case_job *job;
	struct peaks *peaks;
};

void bench_problem_close(struct bench_problem *p)
{
	free(p->entries);
	p->entries = NULL;
	p->n = 0;
}

int bench_problem_open(struct bench_problem *p, struct clopt *ctx, const struct tool_args *args)
{
	struct clopt_problem problem;
	const char *name;
	size_t i, n = 0;

	case_problem(p->op, &p->shape, &problem);
	while (clopt_variant_name(n))
		n++;
	p->entries = calloc(n + 2, sizeof *p->entries);
	if (!p->entries)
		return tool_no_memory();
	if (args->picked)
		p->entries[p->n++].is_default = 1;
	for (i = 0; !args->picked && i < n; i++) {
		name = clopt_variant_name(i);
		if (clopt_variant_op(i) == p->op &&
		    (!args->variant || strcmp(args->variant, name) == 0) &&
		    clopt_variant_runs(ctx, i, &problem, NULL, 0) == 1)
			p->entries[p->n++].variant = name;
	}
	return 0;
}

static int timed(struct bench_entry *e, struct clopt *ctx, struct case_job *job,
                 struct clopt_report *report)
{
	memset(report, 0, sizeof *report);
	report->size = sizeof *report;
	if (clopt_force_variants(ctx, e->variant) != CLOPT_OK || case_call(ctx, job) != CLOPT_OK ||
	    clopt_last_report(ctx, report) != CLOPT_OK)
		tool_failed(&e->call, clopt_error(ctx));
	return !e->call.verdict;
}

/* The first call compiles, and its result is checked. */
static void warm_up(struct bench_entry *e, struct clopt *ctx, struct case_job *job)
{
	struct clopt_report report;
	char text[256];

	case_reset(job);
	if (e->call.verdict || !timed(e, ctx, job, &report))
		return;
	if (!(e->first > 0.0))
		e->first = report.seconds;
	if (!e->variant)
		e->variant = report.variant;
	if (case_check(job, SAMPLES, &e->check) != CLOPT_OK) {
		tool_failed(&e->call, "out of memory for the check");
		return;
	}
	e->checked = 1;
	case_explain(&e->check, text, sizeof text);
	if (!case_passed(&e->check))
		tool_wrong(&e->call, "%s", text);
}

/* The kernel over the whole problem, and a call that may cut it into bands to hide
 * transfers; after the last entry comes the kernel of the roof. */
static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct run *r = what;
	struct bench_entry *e = &r->p->entries[i];
	struct clopt_report kernel, call;

	if (i == r->p->n) {
		peak_launch(r->peaks, r->p->roof.by, s);
		return;
	}
	if (!timed(e, r->whole, r->job, &kernel) || !timed(e, r->ctx, r->job, &call))
		return;
	tool_sample_add(&e->kernel, kernel.kernel_seconds, 0.0);
	tool_sample_add(s, call.seconds, kernel.seconds + call.seconds);
}

static void conclude(struct bench_problem *p)
{
	struct bench_entry *e;
	double best = 0.0;

	for (e = p->entries; e < p->entries + p->n; e++) {
		if (e->call.verdict)
			continue;
		e->kernel_median = tool_median(e->kernel.seconds, e->kernel.repeats);
		e->call_median = tool_median(e->call.seconds, e->call.repeats);
		e->rate = case_rate(p->op, &p->shape,
		                    e->kernel_median > 0.0 ? e->kernel_median : e->call_median);
		e->call_rate = case_rate(p->op, &p->shape, e->call_median);
		e->of_roof = p->roof.rate > 0.0 ? e->rate / p->roof.rate : 0.0;
		best = e->rate > best ? e->rate : best;
	}
	for (e = p->entries; e < p->entries + p->n; e++)
		e->share = best > 0.0 ? e->rate / best : 0.0;
}

/* Asked earlier, the choice would have compiled a kernel before its first call. */
static void mark_choice(struct bench_problem *p, struct clopt *ctx)
{
	struct bench_entry *e;
	const char *choice;

	clopt_force_variants(ctx, NULL);
	choice = tool_choice(ctx, p->op, &p->shape);
	for (e = p->entries; e < p->entries + p->n; e++) {
		if (!e->variant)
			e->variant = "none"; /* nothing could be picked */
		if (choice && strcmp(choice, e->variant) == 0)
			e->is_default = 1;
	}
}

int bench_problem_measure(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                          struct peaks *peaks, const struct tool_args *args)
{
	struct run r = { p, ctx, whole, NULL, peaks };
	const size_t n = p->n;
	struct bench_entry *e;
	int roofed = p->roof.rate > 0.0;

	if (case_open(&r.job, p->op, &p->shape, SEED) != CLOPT_OK) {
		fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
		return 1;
	}
	for (e = p->entries; e < p->entries + n; e++)
		warm_up(e, ctx, r.job);
	for (e = p->entries; e < p->entries + n; e++)
		warm_up(e, whole, r.job);
	mark_choice(p, ctx);
	roofed = roofed && !peaks_begin(peaks, whole, p->roof.by);
	tool_turns(&p->entries->call, sizeof *p->entries, n + (size_t)roofed, LEAST_REPEATS,
	           args->seconds, turn, &r);
	if (roofed) {
		roof_beside(&p->roof, peaks, &p->entries[n].call);
		peaks_end(peaks);
	}
	conclude(p);
	clopt_force_variants(ctx, NULL);
	case_close(r.job);
	return 0;
}
