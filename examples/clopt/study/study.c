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

enum {
	SAMPLES = 64,
	MOVED_SAMPLES = 4096, /* of a transpose, whose elements cost nothing to check */
	SEED = 1
};

/* The open things of a run. */
struct run {
	struct study_result *r;
	struct clopt *ctx;
	struct case_job *job[STUDY_PARTS];
};

/* The place of a name in the library's table; past its end if it is not there. */
static size_t row_of(const char *variant)
{
	size_t i = 0;

	while (clopt_variant_name(i) && strcmp(clopt_variant_name(i), variant) != 0)
		i++;
	return i;
}

/* Its kernel, and whether it runs here. */
static void settle(struct study_entry *e, const struct run *run)
{
	const struct shape *shape = &run->r->shape[e->row->part];
	struct clopt_problem problem;
	char why[256] = "";

	case_problem(run->r->study->op, shape, &problem);
	clopt_force_variants(run->ctx, NULL);
	e->variant = e->row->variant ? e->row->variant : clopt_chosen_variant(run->ctx, &problem);
	if (!e->variant)
		tool_failed(&e->s, clopt_error(run->ctx));
	else if (clopt_variant_runs(run->ctx, row_of(e->variant), &problem, why, sizeof why) != 1)
		tool_failed(&e->s, why);
}

/* Seconds of the kernel; of the call where the driver has no times. */
static double once(struct study_entry *e, const struct run *run)
{
	struct clopt_report report = { .size = sizeof report };

	if (clopt_force_variants(run->ctx, e->variant) != CLOPT_OK ||
	    case_call(run->ctx, run->job[e->row->part]) != CLOPT_OK ||
	    clopt_last_report(run->ctx, &report) != CLOPT_OK)
		tool_failed(&e->s, clopt_error(run->ctx));
	return report.kernel_seconds > 0.0 ? report.kernel_seconds : report.seconds;
}

/* The first call compiles, and its result is checked. */
static void warm_up(struct study_entry *e, const struct run *run)
{
	struct case_job *job = run->job[e->row->part];
	struct case_result result;
	char why[256];

	if (e->s.verdict)
		return;
	case_reset(job);
	once(e, run);
	if (e->s.verdict)
		return;
	if (case_check(job, run->r->study->op == CLOPT_OP_TRANSPOSE ? MOVED_SAMPLES : SAMPLES,
	               &result) != CLOPT_OK) {
		tool_failed(&e->s, "out of memory for the check");
		return;
	}
	case_explain(&result, why, sizeof why);
	if (!case_passed(&result))
		tool_wrong(&e->s, "wrong: %s", why);
}

/* Rounds of all kernels: a speed-up is of times of the same round. */
static void measure(const struct run *run, double seconds)
{
	struct study_result *r = run->r;
	struct study_entry *const end = r->entry + r->study->n, *e;
	const double wanted = seconds * (double)r->study->n;
	double spent = 0.0, took;

	for (e = r->entry; e < end; e++)
		warm_up(e, run);
	for (; r->rounds < TOOL_REPEATS && (r->rounds < STUDY_LEAST || spent < wanted); r->rounds++)
		for (e = r->entry; e < end; e++)
			if (!e->s.verdict) {
				took = once(e, run);
				tool_sample_add(&e->s, took, took);
				spent += took;
			}
	clopt_force_variants(run->ctx, NULL);
}

/* ---- Speed-ups ---------------------------------------------------------- */

/* The entry that an entry is compared with. */
static const struct study_entry *base_of(const struct study_result *r, const struct study_entry *e)
{
	const struct study_entry *base = r->entry;

	while (base->row->part != e->row->part)
		base++;
	return base;
}

static void compare(struct study_entry *e, const struct study_entry *base, size_t rounds)
{
	double ratio[TOOL_REPEATS], seconds[TOOL_REPEATS];
	size_t i;

	if (e->s.verdict)
		return;
	for (i = 0; i < rounds; i++) {
		seconds[i] = e->s.seconds[i];
		ratio[i] = base->s.verdict ? 0.0 : base->s.seconds[i] / e->s.seconds[i];
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
	json_t *json = study_report_json(r);
	size_t i, bad = 0;
	int rc = 0;

	if (!args->json)
		study_report_text(r, json);
	if (csv)
		study_report_csv(json, csv);
	if (svg)
		study_report_svg(r, svg);
	if (args->json)
		rc = tool_json_print(json);
	else
		json_decref(json);
	for (i = 0; i < r->study->n; i++) {
		const char *verdict = r->entry[i].s.verdict;

		bad += (verdict && strcmp(verdict, "WRONG") == 0) ||
		       base_of(r, &r->entry[i])->s.verdict;
	}
	return rc || bad;
}

struct shape study_shape(const struct study *study, int part, enum case_extent extent, size_t size)
{
	struct shape s = study->shape[part];
	int d;

	for (d = 0; d < 3; d++)
		s.dim[d] = s.dim[d] ? s.dim[d] : size ? size : study->size[extent];
	return s;
}

static int open_problems(struct run *run, const struct tool_args *args)
{
	const struct study *study = run->r->study;
	const enum case_extent extent = tool_extent(args, &run->r->info);
	int part;

	run->r->entry = calloc(study->n, sizeof *run->r->entry);
	if (!run->r->entry)
		return tool_no_memory();
	for (part = 0; part < 1 + (study->parts[0] != NULL); part++) {
		struct shape *s = &run->r->shape[part];

		*s = study_shape(study, part, extent, args->size);
		if (case_open(&run->job[part], study->op, s, SEED) != CLOPT_OK) {
			fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
			return 1;
		}
	}
	return 0;
}

static int run_study(const struct study *study, const struct tool_args *args, FILE *csv, FILE *svg)
{
	struct study_result r = { .study = study };
	struct run run = { .r = &r };
	struct study_entry *e;
	size_t i;
	int rc;

	/* One queue: no bands. */
	rc = tool_open(args, 1, 1, &run.ctx, &r.info) || open_problems(&run, args);
	if (rc)
		goto out;
	for (i = 0, e = r.entry; i < study->n; i++, e++) {
		e->row = &study->rows[i];
		settle(e, &run);
	}
	measure(&run, args->seconds);
	for (e = r.entry; e < r.entry + study->n; e++)
		compare(e, base_of(&r, e), r.rounds);
	for (e = r.entry; e < r.entry + study->n; e++)
		e->product = product(&r, e->row->label);
	rc = report(&r, args, csv, svg);
out:
	case_close(run.job[0]);
	case_close(run.job[1]);
	free(r.entry);
	clopt_close(run.ctx);
	return rc;
}

int tool_study(const struct tool_args *args)
{
	const struct study *study = !args->ladder                  ? &study_ablation :
	                            args->op == CLOPT_OP_MATMUL    ? &study_matmul :
	                            args->op == CLOPT_OP_TRANSPOSE ? &study_transpose :
	                                                             &study_ladder;
	FILE *csv = NULL, *svg = NULL;
	int rc;

	rc = tool_file_open(&csv, args->csv) || tool_file_open(&svg, args->svg);
	if (!rc)
		rc = run_study(study, args, csv, svg);
	rc |= tool_file_close(csv, args->csv);
	rc |= tool_file_close(svg, args->svg);
	return rc;
}
