/* SPDX-License-Identifier: MIT */
/*
 * bench.c - `clopt bench': each variant on the same problem.
 *
 * All variants that run here take turns, since clocks drift.  A variant with a wrong answer gets
 * no time.
 */
#include "ask.h"

#include "../../common/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LEAST_REPEATS = 3
};

/* One variant on one problem. */
struct entry {
	struct tool_sample call; /* spent: kernel and call */
	struct tool_sample kernel;
	const char *variant; /* NULL: the library's choice, until the first call has told */
	int is_default;
	double error; /* of the result, as a share of what is allowed; below 0: not known */
	double first; /* seconds of the first call in a context, which compiles */
	double kernel_median, call_median; /* kernel: 0 if the driver has no times */
	double rate, call_rate; /* by either; rate: by the call where there is no other */
	double share; /* of the best variant's rate */
};

struct problem {
	struct clopt_problem p;
	struct entry *entries;
	size_t n;
};

/* The open files and contexts of a run, the problem at hand, and the results. */
struct run {
	const struct tool_args *args;
	struct clopt *ctx, *whole; /* whole: one queue, no bands */
	struct clopt_device_info info;
	struct problem p;
	struct case_job *job;
	FILE *csv;
	json_t *rows; /* of all problems */
	size_t ran, bad; /* variants; bad: wrong or failed */
};

/* ---- Measurements -------------------------------------------------------------------- */

/* The variants that can run here, or the one that was asked for, or the library's choice.
 * 0, or 1 if memory ran out. */
static int find_variants(struct run *r)
{
	struct problem *p = &r->p;
	const char *name;
	size_t i, n = 0;

	while (clopt_variant_name(n))
		n++;
	p->entries = calloc(n + 1, sizeof *p->entries);
	if (!p->entries)
		return tool_no_memory();
	if (r->args->picked)
		p->entries[p->n++].is_default = 1;
	for (i = 0; !r->args->picked && i < n; i++) {
		name = clopt_variant_name(i);
		if (clopt_variant_op(i) == p->p.op &&
		    (!r->args->variant || strcmp(r->args->variant, name) == 0) &&
		    clopt_variant_runs(r->ctx, i, &p->p, NULL, 0) == 1)
			p->entries[p->n++].variant = name;
	}
	return 0;
}

static int take_line(void *user, const struct clopt_selfcheck_line *line)
{
	struct entry *e = user;

	if (line->allowed > 0 && line->error / line->allowed < 1e300)
		e->error = line->error / line->allowed;
	if (line->status != CLOPT_OK) {
		snprintf(e->call.why, sizeof e->call.why, "%s", line->reason);
		e->call.verdict = line->status == CLOPT_EWRONG ? "WRONG" : "failed";
	}
	return 0;
}

/* The first call, which compiles, and then the check of another. */
static void warm_up(struct entry *e, struct clopt *ctx, const struct problem *p,
                    struct case_job *job)
{
	struct clopt_selfcheck_options check = CLOPT_SELFCHECK_OPTIONS_INIT;
	struct clopt_report report;

	if (e->call.verdict || !tool_call(&e->call, ctx, e->variant, job, &report))
		return;
	if (!(e->first > 0.0)) {
		e->first = report.seconds;
		check.problems = &p->p;
		check.count = 1;
		check.line = take_line;
		check.user = e;
		e->error = -1;
		clopt_selfcheck(ctx, &check);
	}
	if (!e->variant)
		e->variant = report.variant;
}

/* Asked earlier, the choice would have compiled a kernel before its first call. */
static void mark_choice(struct run *r)
{
	struct entry *e;
	const char *choice;

	clopt_force_variants(r->ctx, NULL);
	choice = clopt_chosen_variant(r->ctx, &r->p.p);
	for (e = r->p.entries; e < r->p.entries + r->p.n; e++) {
		if (!e->variant)
			e->variant = "none"; /* nothing could be picked */
		if (choice && strcmp(choice, e->variant) == 0)
			e->is_default = 1;
	}
}

/* The kernel over the whole problem, and a call that may cut it into bands to hide
 * transfers. */
static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct run *r = what;
	struct entry *e = &r->p.entries[i];
	struct clopt_report kernel, call;

	if (!tool_call(s, r->whole, e->variant, r->job, &kernel) ||
	    !tool_call(s, r->ctx, e->variant, r->job, &call))
		return;
	tool_sample_add(&e->kernel, kernel.kernel_seconds, 0.0);
	tool_sample_add(s, call.seconds, kernel.seconds + call.seconds);
}

static void conclude(struct problem *p)
{
	struct entry *e;
	double best = 0.0;

	for (e = p->entries; e < p->entries + p->n; e++) {
		if (e->call.verdict)
			continue;
		e->kernel_median = tool_median(e->kernel.seconds, e->kernel.repeats);
		e->call_median = tool_median(e->call.seconds, e->call.repeats);
		e->rate = case_rate(&p->p,
		                    e->kernel_median > 0.0 ? e->kernel_median : e->call_median);
		e->call_rate = case_rate(&p->p, e->call_median);
		best = e->rate > best ? e->rate : best;
	}
	for (e = p->entries; e < p->entries + p->n; e++)
		e->share = best > 0.0 ? e->rate / best : 0.0;
}

/* Calls on ctx, and kernels in one piece on `whole'.  0, or 1 if memory ran out. */
static int measure(struct run *r)
{
	struct problem *p = &r->p;
	struct entry *const end = p->entries + p->n, *e;

	progress_say("%s: filling the arrays", clopt_op_name(p->p.op));
	if (!(r->job = case_open(&p->p)))
		return tool_tell("not enough memory for this problem: give a smaller --size");
	for (e = p->entries; e < end; e++)
		warm_up(e, r->ctx, p, r->job);
	for (e = p->entries; e < end; e++)
		warm_up(e, r->whole, p, r->job);
	mark_choice(r);
	tool_turns(&p->entries->call, sizeof *p->entries, p->n, LEAST_REPEATS, r->args->seconds,
	           turn, r);
	conclude(p);
	clopt_force_variants(r->ctx, NULL);
	case_close(r->job);
	return 0;
}

/* ---- Reports ------------------------------------------------------------------------- */

static json_t *entry_json(const struct entry *e)
{
	return json_pack("{s:s?, s:b, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "variant",
	                 e->variant, "default", e->is_default, "check", tool_verdict(&e->call),
	                 "why", tool_why(&e->call), "error_in_tolerances",
	                 e->error >= 0 ? json_real(e->error) : json_null(), "repeats",
	                 (json_int_t)e->call.repeats, "first_seconds",
	                 tool_json_known(e->call.verdict ? 0.0 : e->first), "kernel_seconds",
	                 tool_json_known(e->kernel_median), "call_seconds",
	                 tool_json_known(e->call_median), "rate", tool_json_known(e->rate),
	                 "call_rate", tool_json_known(e->call_rate), "share",
	                 tool_json_known(e->share));
}

static json_t *problem_json(const struct problem *p)
{
	json_t *list = json_array();
	size_t i;
	char text[128];

	for (i = 0; i < p->n; i++)
		json_array_append_new(list, entry_json(&p->entries[i]));
	case_describe(&p->p, text, sizeof text);
	return json_pack("{s:s, s:s, s:s, s:[I,I,I], s:s, s:o}", "operation",
	                 clopt_op_name(p->p.op), "problem", text, "element", case_element(&p->p),
	                 "dim", (json_int_t)p->p.dim[0], (json_int_t)p->p.dim[1],
	                 (json_int_t)p->p.dim[2], "unit", case_unit(p->p.op), "variants", list);
}

static void print(const struct problem *p, const json_t *json)
{
	const struct tool_column columns[] = {
		{ " ", "default", "*", 1, "" },
		TOOL_TEXT("variant", "variant"),
		TOOL_NUMBER("first ms", "first_seconds", "%.1f", 1e3),
		TOOL_NUMBER("kernel ms", "kernel_seconds", "%.3f", 1e3),
		TOOL_NUMBER("call ms", "call_seconds", "%.3f", 1e3),
		TOOL_NUMBER(case_unit(p->p.op), "rate", "%.4g", 1),
		TOOL_NUMBER("by call", "call_rate", "%.4g", 1),
		TOOL_NUMBER("of best", "share", "%.0f%%", 100),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};

	progress_hide();
	printf("\n%s %s\n", clopt_op_name(p->p.op),
	       json_string_value(json_object_get(json, "problem")));
	tool_table(stdout, json_object_get(json, "variants"), columns);
	fflush(stdout); /* the next problem may take a while */
}

static void write_csv(const json_t *json, FILE *to, int head)
{
	static const char *const names[] = {
		"operation", "problem",        "variant",      "default", "check",
		"repeats",   "kernel_seconds", "call_seconds", "rate",    "unit",
		"share",     "first_seconds",  "call_rate",    NULL
	};
	json_t *rows = json_deep_copy(json_object_get(json, "variants")), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		json_object_update_missing(row, (json_t *)json);
	}
	tool_csv(to, rows, names, head);
	json_decref(rows);
}

/* ---- The run ------------------------------------------------------------------------- */

/* One problem from beginning to end. */
static int bench_one(struct run *r)
{
	struct problem *p = &r->p;
	json_t *json;
	size_t i;
	int rc;

	rc = find_variants(r);
	if (!rc && p->n)
		rc = measure(r);
	if (rc || p->n == 0)
		goto out;
	for (i = 0; i < p->n; i++)
		r->bad += p->entries[i].call.verdict != NULL;
	json = problem_json(p);
	if (!r->args->json)
		print(p, json);
	if (r->csv) {
		write_csv(json, r->csv, r->ran == 0);
		fflush(r->csv); /* what was measured stays where the run is stopped */
	}
	json_array_append_new(r->rows, json);
	r->ran += p->n;
out:
	free(p->entries);
	return rc;
}

/* All problems of an operation. */
static int bench_op(struct run *r, int op)
{
	const enum case_extent extent = tool_extent(r->args, &r->info);
	size_t i;
	int rc = 0;

	for (i = 0; !rc; i++) {
		r->p = (struct problem){ .n = 0 };
		if (!case_bench(op, i, extent, r->args->size, &r->p.p))
			break;
		case_set_law(&r->p.p, r->args->law);
		rc = bench_one(r);
	}
	return rc;
}

/* Why the variant asked for was not timed at all. */
static int nothing_ran(struct clopt *ctx, const struct tool_args *args)
{
	struct clopt_problem p;
	char why[512] = "";
	size_t i;

	for (i = 0; args->variant && clopt_variant_name(i); i++) {
		if (strcmp(clopt_variant_name(i), args->variant) != 0 ||
		    !case_bench(clopt_variant_op(i), 0, CASE_SMALL, args->size, &p))
			continue;
		case_set_law(&p, args->law);
		clopt_variant_runs(ctx, i, &p, why, sizeof why);
	}
	return tool_tell("%s cannot run here%s%s", args->variant ? args->variant : "any variant",
	                 *why ? ": " : "", why);
}

/* Whether this machine's memory holds the arrays of each problem: seen before anything is measured.
 * 0, or 1 after it has told which does not fit. */
static int too_large(const struct run *r)
{
	const double host = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	const enum case_extent extent = tool_extent(r->args, &r->info);
	char arrays[TOOL_AMOUNT], memory[TOOL_AMOUNT], text[128];
	struct clopt_problem p;
	struct case_work work;
	size_t i;
	int op;

	for (op = 0; op < CLOPT_OPS; op++)
		for (i = 0; (r->args->op < 0 || r->args->op == op) &&
		            case_bench(op, i, extent, r->args->size, &p);
		     i++) {
			case_work(&p, &work);
			if (work.bytes <= host)
				continue;
			case_describe(&p, text, sizeof text);
			return tool_tell("not enough memory: the arrays of %s %s take %s, and this "
			                 "machine has %s: give a smaller --size",
			                 clopt_op_name(op), text, tool_bytes(arrays, work.bytes),
			                 tool_bytes(memory, host));
		}
	return 0;
}

static int bench(struct run *r)
{
	int op, rc = 0;

	if (too_large(r))
		return 1;
	if (!r->args->json)
		printf("%s\n", r->info.name);
	for (op = 0; !rc && op < CLOPT_OPS; op++)
		if (r->args->op < 0 || r->args->op == op)
			rc = bench_op(r, op);
	if (!rc && r->ran == 0)
		rc = nothing_ran(r->ctx, r->args);
	if (!rc && r->args->json)
		rc = tool_json_print(json_pack("{s:s, s:o, s:o, s:O}", "version", clopt_version(),
		                               "device", tool_json_text(r->info.name), "driver",
		                               tool_json_text(r->info.driver), "problems",
		                               r->rows));
	return rc || r->bad;
}

static int with_file(const struct tool_args *args, FILE *csv)
{
	struct run *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return tool_no_memory();
	r->args = args;
	r->csv = csv;
	r->rows = json_array();
	rc = tool_open(args, 1, 0, &r->ctx, &r->info);
	if (!rc && clopt_members(r->ctx) > 1)
		rc = tool_tell("--device means %zu devices: give one; examples/bench/scaling.py "
		               "times calls over several",
		               clopt_members(r->ctx));
	if (!rc)
		rc = tool_open(args, 1, 1, &r->whole, &r->info) || bench(r);
	json_decref(r->rows);
	clopt_close(r->whole);
	clopt_close(r->ctx);
	free(r);
	return rc;
}

int tool_bench(const struct tool_args *args)
{
	return tool_with_csv(args, with_file);
}
