/* SPDX-License-Identifier: MIT */
/*
 * bench.c - `clopt bench': the device's peaks, and the share of them that each variant reaches on
 * the same problem.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* The open files and contexts of a run, and its results. */
struct run {
	const struct tool_args *args;
	struct clopt *ctx, *whole; /* whole: one queue, no bands */
	struct clopt_device_info info;
	struct peaks peaks;
	struct bench_plot plot;
	FILE *csv, *svg;
	json_t *rows; /* NULL: no JSON is wanted */
	size_t ran, bad; /* variants; bad: wrong or failed */
};

/* One problem from beginning to end. */
static int bench_one(struct run *r, struct bench_problem *p)
{
	json_t *json;
	size_t i;
	int rc;

	roof_of(&r->peaks, p->op, &p->shape, &p->roof);
	if (r->args->small)
		p->roof.rate = 0.0; /* launches take most of the time of so little work */
	rc = bench_problem_open(p, r->ctx, r->args);
	if (rc || p->n == 0)
		goto out;
	rc = bench_problem_measure(p, r->ctx, r->whole, &r->peaks, r->args);
	if (rc)
		goto out;
	for (i = 0; i < p->n; i++)
		r->bad += p->entries[i].call.verdict != NULL;
	json = bench_report_json(p);
	if (!r->rows)
		bench_report_text(p, json);
	if (r->csv)
		bench_report_csv(json, r->csv, r->ran == 0);
	if (r->rows)
		json_array_append(r->rows, json);
	json_decref(json);
	bench_plot_add(&r->plot, p);
	r->ran += p->n;
out:
	bench_problem_close(p);
	return rc;
}

/* All problems of an operation. */
static int bench_op(struct run *r, int op)
{
	const enum case_extent extent = tool_extent(r->args, &r->info);
	struct bench_problem p = { .op = op };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && case_bench(op, i, extent, r->args->size, &p.shape); i++) {
		p.shape.law = r->args->law;
		rc = bench_one(r, &p);
	}
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

static int bench(struct run *r)
{
	int op, rc = 0;

	peaks_measure(&r->peaks, r->whole, &r->info, tool_extent(r->args, &r->info),
	              r->args->seconds);
	if (!r->rows) {
		printf("%s\n", r->info.name);
		peaks_print(&r->peaks);
	}
	for (op = 0; !rc && op < CLOPT_OPS; op++)
		if (r->args->op < 0 || r->args->op == op)
			rc = bench_op(r, op);
	if (!rc && r->ran == 0)
		rc = nothing_ran(r->ctx, r->args);
	if (!rc && r->svg)
		bench_plot_write(&r->plot, &r->peaks, r->svg);
	if (!rc && r->rows) {
		rc = tool_json_print(json_pack(
		        "{s:s, s:o, s:o, s:o, s:o}", "version", clopt_version(), "device",
		        tool_json_text(r->info.name), "driver", tool_json_text(r->info.driver),
		        "peaks", peaks_json(&r->peaks), "problems", r->rows));
		r->rows = NULL;
	}
	return rc || r->bad || peaks_bad(&r->peaks);
}

int tool_bench(const struct tool_args *args)
{
	struct run *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return tool_no_memory();
	r->args = args;
	rc = tool_file_open(&r->csv, args->csv) || tool_file_open(&r->svg, args->svg) ||
	     tool_open(args, 1, 0, &r->ctx, &r->info) || tool_open(args, 1, 1, &r->whole, &r->info);
	if (!rc) {
		r->rows = args->json ? json_array() : NULL;
		rc = bench(r);
	}
	rc |= tool_file_close(r->csv, args->csv);
	rc |= tool_file_close(r->svg, args->svg);
	json_decref(r->rows);
	clopt_close(r->whole);
	clopt_close(r->ctx);
	free(r);
	return rc;
}
