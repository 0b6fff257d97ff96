/* SPDX-License-Identifier: MIT */
/*
 * study_report.c - a study as a table, as JSON, as CSV and as bars.
 */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plot/plot.h"

static int combined(const struct study_entry *e)
{
	return strchr(e->row->label, '+') != NULL;
}

static int any_combined(const struct study_result *r)
{
	size_t i;

	for (i = 0; i < r->study->n; i++)
		if (combined(&r->entry[i]))
			return 1;
	return 0;
}

static void add_factor(struct tool_table *t, double factor)
{
	tool_table_add(t, factor > 0.0 ? "%.2f" : "-", factor);
}

void study_report_text(const struct study_result *r)
{
	const int products = any_combined(r), published = r->study->published != NULL;
	struct tool_table t = { .align = products && published ? "lrrrrrrl" :
		                         products || published ? "lrrrrrl" :
		                                                 "lrrrrl" };
	const struct study_entry *e;

	printf("%s\n\n%s: %s\n", r->info.name, r->study->title, r->problem);
	printf("Medians of %zu rounds; speed-ups over the first row%s, within a round\n", r->rounds,
	       r->study->parts[0] ? " of the same product" : "");
	tool_table_add(&t, "kernel");
	tool_table_add(&t, "ms");
	tool_table_add(&t, "%s", study_problem_unit(r->study->op));
	tool_table_add(&t, "speed-up");
	tool_table_add(&t, "least-most");
	if (products)
		tool_table_add(&t, "product of its parts");
	if (published)
		tool_table_add(&t, "%s", r->study->published);
	tool_table_add(&t, "variant");
	t.columns = t.used;
	for (e = r->entry; e < r->entry + r->study->n; e++) {
		tool_table_add(&t, "%s", e->row->label);
		tool_table_add(&t, e->median > 0.0 ? "%.3f" : "-", e->median * 1e3);
		tool_table_add(&t, e->median > 0.0 ? "%.3f" : "-",
		               r->work[e->row->part] / e->median / 1e9);
		add_factor(&t, e->speedup);
		tool_table_add(&t, e->speedup > 0.0 ? "%.2f-%.2f" : "-", e->least, e->most);
		if (products)
			add_factor(&t, e->product);
		if (published)
			add_factor(&t, e->row->published);
		tool_table_add(&t, "%s%s%s", e->variant ? e->variant : "-", e->note[0] ? ": " : "",
		               e->note);
	}
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
}

/* ---- Files ----------------------------------------------------------------------- */

static json_t *factor_or_null(double x)
{
	return x > 0.0 ? tool_json_real(x) : json_null();
}

static json_t *entry_json(const struct study_result *r, const struct study_entry *e)
{
	return json_pack(
	        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", e->row->label,
	        "variant", e->variant ? tool_json_text(e->variant) : json_null(), "why",
	        e->note[0] ? tool_json_text(e->note) : json_null(), "kernel_seconds",
	        factor_or_null(e->median), "rate",
	        factor_or_null(e->median > 0.0 ? r->work[e->row->part] / e->median / 1e9 : 0.0),
	        "speedup", factor_or_null(e->speedup), "least", factor_or_null(e->least), "most",
	        factor_or_null(e->most), "product_of_parts", factor_or_null(e->product),
	        "published", factor_or_null(e->row->published));
}

json_t *study_report_json(const struct study_result *r)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < r->study->n; i++)
		json_array_append_new(list, entry_json(r, &r->entry[i]));
	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:I, s:o}", "version", clopt_version(),
	                 "device", tool_json_text(r->info.name), "driver",
	                 tool_json_text(r->info.driver), "study", r->study->title, "problem",
	                 r->problem, "unit", study_problem_unit(r->study->op), "rounds",
	                 (json_int_t)r->rounds, "kernels", list);
}

/* What has no number has an empty field. */
void study_report_csv(const struct study_result *r, FILE *to)
{
	const struct study_entry *e;

	fprintf(to, "kernel,variant,kernel_seconds,speedup,product_of_parts,published,rate\n");
	for (e = r->entry; e < r->entry + r->study->n; e++) {
		const double rate = e->median > 0.0 ? r->work[e->row->part] / e->median / 1e9 : 0.0;
		const double x[] = { e->median, e->speedup, e->product, e->row->published, rate };
		size_t i;

		fprintf(to, strchr(e->row->label, ',') ? "\"%s\",%s" : "%s,%s", e->row->label,
		        e->variant ? e->variant : "");
		for (i = 0; i < sizeof x / sizeof *x; i++)
			fprintf(to, x[i] > 0.0 ? ",%.6g" : ",", x[i]);
		fputc('\n', to);
	}
}

/* Parts stand under each other.  Else, after figures 6 and 7 of the paper: each alone,
 * then together; what the library picks ends the list. */
static int group_of(const struct study_result *r, const struct study_entry *e)
{
	if (r->study->parts[0])
		return e->row->part;
	return any_combined(r) && (combined(e) || !e->row->variant);
}

void study_report_svg(const struct study_result *r, FILE *to)
{
	struct plot_bar *bar = calloc(r->study->n, sizeof *bar);
	struct plot_bars groups[] = {
		{ .title = any_combined(r) ? "each alone" : "" },
		{ .title = "together", .name = "measured", .mark_name = "product of its parts" },
	};
	char title[256];
	size_t i, n = 0;
	int g;

	if (!bar) {
		fprintf(stderr, "clopt: not enough memory for the bars\n");
		return;
	}
	for (g = 0; g < 2; g++) {
		if (r->study->parts[0])
			groups[g].title = r->study->parts[g];
		groups[g].label = "speed-up over the first";
		groups[g].bar = bar + n;
		for (i = 0; i < r->study->n; i++) {
			const struct study_entry *e = &r->entry[i];

			if (group_of(r, e) != g)
				continue;
			bar[n++] = (struct plot_bar){ e->row->label,
				                      e->speedup > 0.0 ? e->speedup : NAN,
				                      e->product };
			groups[g].count++;
		}
	}
	snprintf(title, sizeof title, "%s: %s", r->study->title, r->info.name);
	plot_bars_svg(to, title, groups, groups[1].count ? 2 : 1);
	free(bar);
}
