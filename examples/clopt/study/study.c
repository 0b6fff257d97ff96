/* SPDX-License-Identifier: MIT */
/*
 * study.c - kernels that differ by one idea each, measured side by side.
 *
 * All take turns, one call each a round, and a speed-up is the median over the
 * rounds of two times of the same round: a machine that is slower for a while is
 * slower for both.  A kernel whose answer is wrong gets no time.
 */
#include "study.h"

#include "../../common/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plot/plot.h"

enum {
	SAMPLES = 64,
	MOVED_SAMPLES = 4096, /* of a transpose, whose elements cost nothing to check */
	SEED = 1
};

struct entry {
	struct tool_sample s; /* of the kernel, by round */
	const struct study_row *row;
	const char *variant;
	double median;
	double speedup; /* median over the rounds of its part's first row's time by its own */
	double least, most; /* of them */
	double product; /* of its parts' speed-ups; 0: it has one part, or not all are known */
};

struct run {
	const struct study *study;
	struct clopt *ctx;
	struct clopt_device_info info;
	struct shape shape[STUDY_PARTS];
	struct case_job *job[STUDY_PARTS];
	struct entry *entry, *end;
	size_t rounds;
};

/* ---- Measurements ------------------------------------------------------- */

/* The place of a name in the library's table; past its end if it is not there. */
static size_t row_of(const char *variant)
{
	size_t i = 0;

	while (clopt_variant_name(i) && strcmp(clopt_variant_name(i), variant) != 0)
		i++;
	return i;
}

/* Its kernel, and whether it runs here. */
static void settle(struct entry *e, const struct run *r)
{
	const struct shape *shape = &r->shape[e->row->part];
	struct clopt_problem problem;
	char why[256] = "";

	progress_say("%s", e->row->variant ? e->row->variant : "the library's choice");
	case_problem(r->study->op, shape, &problem);
	clopt_force_variants(r->ctx, NULL);
	e->variant = e->row->variant ? e->row->variant : clopt_chosen_variant(r->ctx, &problem);
	if (!e->variant)
		tool_failed(&e->s, clopt_error(r->ctx));
	else if (clopt_variant_runs(r->ctx, row_of(e->variant), &problem, why, sizeof why) != 1)
		tool_failed(&e->s, why);
}

/* Rounds of all kernels: a speed-up is of times of the same round. */
static void measure(struct run *r, double seconds)
{
	const size_t samples = r->study->op == CLOPT_OP_TRANSPOSE ? MOVED_SAMPLES : SAMPLES;
	const double wanted = seconds * (double)r->study->n;
	struct clopt_report report;
	struct case_result check;
	double spent = 0.0, took;
	struct entry *e;

	for (e = r->entry; e < r->end; e++)
		tool_first_call(&e->s, r->ctx, e->variant, r->job[e->row->part], samples, &report,
		                &check);
	for (; r->rounds < TOOL_REPEATS && (r->rounds < STUDY_LEAST || spent < wanted); r->rounds++)
		for (e = r->entry; e < r->end; e++) {
			if (e->s.verdict ||
			    !tool_call(&e->s, r->ctx, e->variant, r->job[e->row->part], &report))
				continue;
			/* The call's where the driver has no times. */
			took = report.kernel_seconds > 0.0 ? report.kernel_seconds : report.seconds;
			tool_sample_add(&e->s, took, took);
			spent += took;
		}
	clopt_force_variants(r->ctx, NULL);
}

/* ---- Speed-ups ---------------------------------------------------------- */

/* The entry that an entry is compared with. */
static const struct entry *base_of(const struct run *r, const struct entry *e)
{
	const struct entry *base = r->entry;

	while (base->row->part != e->row->part)
		base++;
	return base;
}

static void compare(struct entry *e, const struct entry *base, size_t rounds)
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
static double part(const struct run *r, const char *label, size_t length)
{
	const struct entry *e;

	for (e = r->entry; e < r->end; e++)
		if (strlen(e->row->label) == length && strncmp(e->row->label, label, length) == 0)
			return e->speedup;
	return 0.0;
}

static double product(const struct run *r, const char *label)
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

/* ---- Reports ------------------------------------------------------------ */

static int combined(const struct entry *e)
{
	return strchr(e->row->label, '+') != NULL;
}

static int is_wrong(const struct entry *e)
{
	return e->s.verdict && strcmp(e->s.verdict, "WRONG") == 0;
}

/* Pairs, or bytes of the arrays: the effective bandwidth of NVIDIA's guide. */
static int in_bytes(const struct run *r)
{
	return r->study->op == CLOPT_OP_MATMUL || r->study->op == CLOPT_OP_TRANSPOSE;
}

static json_t *entry_json(const struct run *r, const struct entry *e)
{
	struct case_work work;
	double rate;

	case_work(r->study->op, &r->shape[e->row->part], &work);
	rate = e->median > 0.0 ? (in_bytes(r) ? work.bytes : work.pairs) / e->median / 1e9 : 0.0;
	return json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
	                 e->row->label, "variant", e->variant, "why",
	                 is_wrong(e) ? json_sprintf("wrong: %s", e->s.why) : tool_why(&e->s),
	                 "kernel_seconds", tool_json_known(e->median), "rate",
	                 tool_json_known(rate), "speedup", tool_json_known(e->speedup), "least",
	                 tool_json_known(e->least), "most", tool_json_known(e->most),
	                 "product_of_parts", tool_json_known(e->product), "published",
	                 tool_json_known(e->row->published));
}

static json_t *study_json(const struct run *r)
{
	const size_t size = r->shape[0].dim[0];
	json_t *list = json_array();
	const struct entry *e;
	char problem[160];

	for (e = r->entry; e < r->end; e++)
		json_array_append_new(list, entry_json(r, e));
	snprintf(problem, sizeof problem, r->study->problem, size, size, size);
	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:I, s:o}", "version", clopt_version(),
	                 "device", tool_json_text(r->info.name), "driver",
	                 tool_json_text(r->info.driver), "study", r->study->title, "problem",
	                 problem, "unit", in_bytes(r) ? "GB/s" : "Gpairs/s", "rounds",
	                 (json_int_t)r->rounds, "kernels", list);
}

static void print(const struct run *r, const json_t *json)
{
	const struct tool_column columns[] = {
		TOOL_TEXT("kernel", "kernel"),
		TOOL_NUMBER("ms", "kernel_seconds", "%.3f", 1e3),
		TOOL_NUMBER(in_bytes(r) ? "GB/s" : "Gpairs/s", "rate", "%.3f", 1),
		TOOL_NUMBER("speed-up", "speedup", "%.2f", 1),
		TOOL_NUMBER("least", "least", "%.2f", 1),
		TOOL_NUMBER("most", "most", "%.2f", 1),
		TOOL_NUMBER("product of its parts", "product_of_parts", "?%.2f", 1),
		TOOL_NUMBER(r->study->published ? r->study->published : "", "published", "?%.2f",
		            1),
		TOOL_TEXT("variant", "variant why"),
		TOOL_END,
	};

	progress_hide();
	printf("%s\n\n%s: %s\n", r->info.name, r->study->title,
	       json_string_value(json_object_get(json, "problem")));
	printf("Medians of %zu rounds; speed-ups over the first row%s, within a round\n", r->rounds,
	       r->study->parts[0] ? " of the same product" : "");
	tool_table(stdout, json_object_get(json, "kernels"), columns);
}

/* Parts stand under each other.  Else, after figures 6 and 7 of the paper: each kernel alone,
 * then together; the library's choice ends the list. */
static int group_of(const struct run *r, const struct entry *e, int products)
{
	if (r->study->parts[0])
		return e->row->part;
	return products && (combined(e) || !e->row->variant);
}

static void draw(const struct run *r, FILE *to)
{
	struct plot_bar *bar = calloc(r->study->n, sizeof *bar);
	struct plot_bars groups[] = {
		{ .title = "" },
		{ .title = "together", .name = "measured", .mark_name = "product of its parts" },
	};
	const struct entry *e;
	char title[256];
	size_t n = 0;
	int g, products = 0;

	if (!bar) {
		tool_no_memory();
		return;
	}
	for (e = r->entry; e < r->end; e++)
		products |= combined(e);
	groups[0].title = products ? "each alone" : "";
	for (g = 0; g < 2; g++) {
		if (r->study->parts[0])
			groups[g].title = r->study->parts[g];
		groups[g].label = "speed-up over the first";
		groups[g].bar = bar + n;
		for (e = r->entry; e < r->end; e++)
			if (group_of(r, e, products) == g)
				bar[n++] = (struct plot_bar){ e->row->label,
					                      e->speedup > 0.0 ? e->speedup : NAN,
					                      e->product };
		groups[g].count = (size_t)(bar + n - groups[g].bar);
	}
	snprintf(title, sizeof title, "%s: %s", r->study->title, r->info.name);
	plot_bars_svg(to, title, groups, groups[1].count ? 2 : 1);
	free(bar);
}

static int report(const struct run *r, int as_json, FILE *csv, FILE *svg)
{
	static const char *const names[] = {
		"kernel",           "variant",   "kernel_seconds", "speedup",
		"product_of_parts", "published", "rate",           NULL
	};
	json_t *json = study_json(r);
	const struct entry *e;
	int rc = 0;

	if (csv)
		tool_csv(csv, json_object_get(json, "kernels"), names, 1);
	if (svg)
		draw(r, svg);
	if (as_json) {
		rc = tool_json_print(json);
	} else {
		print(r, json);
		json_decref(json);
	}
	for (e = r->entry; e < r->end; e++)
		rc |= is_wrong(e) || base_of(r, e)->s.verdict;
	return rc;
}

/* ---- The run ------------------------------------------------------------ */

struct shape study_shape(const struct study *study, int part, enum case_extent extent, size_t size)
{
	struct shape s = study->shape[part];
	int d;

	for (d = 0; d < 3; d++)
		s.dim[d] = s.dim[d] ? s.dim[d] : size ? size : study->size[extent];
	return s;
}

static int open_problems(struct run *r, const struct tool_args *args)
{
	const struct study *study = r->study;
	const enum case_extent extent = tool_extent(args, &r->info);
	int part;
	size_t i;

	for (part = 0; part < 1 + (study->parts[0] != NULL); part++) {
		r->shape[part] = study_shape(study, part, extent, args->size);
		if (case_open(&r->job[part], study->op, &r->shape[part], SEED) != CLOPT_OK)
			return tool_tell("not enough memory for this problem; try --size");
	}
	r->entry = calloc(study->n, sizeof *r->entry);
	if (!r->entry)
		return tool_no_memory();
	r->end = r->entry + study->n;
	for (i = 0; i < study->n; i++) {
		r->entry[i].row = &study->rows[i];
		settle(&r->entry[i], r);
	}
	return 0;
}

static int with_files(const struct tool_args *args, FILE *csv, FILE *svg)
{
	struct run r = { .study = !args->ladder                  ? &study_ablation :
		                  args->op == CLOPT_OP_MATMUL    ? &study_matmul :
		                  args->op == CLOPT_OP_TRANSPOSE ? &study_transpose :
		                                                   &study_ladder };
	struct entry *e;
	int rc;

	/* One queue: no bands. */
	rc = tool_open(args, 1, 1, &r.ctx, &r.info) || open_problems(&r, args);
	if (rc)
		goto out;
	measure(&r, args->seconds);
	for (e = r.entry; e < r.end; e++)
		compare(e, base_of(&r, e), r.rounds);
	for (e = r.entry; e < r.end; e++)
		e->product = product(&r, e->row->label);
	rc = report(&r, args->json, csv, svg);
out:
	case_close(r.job[0]);
	case_close(r.job[1]);
	free(r.entry);
	clopt_close(r.ctx);
	return rc;
}

int tool_study(const struct tool_args *args)
{
	return tool_with_files(args, with_files);
}
