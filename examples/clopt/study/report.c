/* SPDX-License-Identifier: MIT */
/*
 * report.c - a study as JSON, as a table, as CSV and as bars.
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

/* Pairs, or bytes of the arrays: the effective bandwidth of NVIDIA's guide. */
static int in_bytes(const struct study_result *r)
{
	return r->study->op == CLOPT_OP_MATMUL || r->study->op == CLOPT_OP_TRANSPOSE;
}

static json_t *entry_json(const struct study_result *r, const struct study_entry *e)
{
	struct case_work work;
	double rate;

	case_work(r->study->op, &r->shape[e->row->part], &work);
	rate = e->median > 0.0 ? (in_bytes(r) ? work.bytes : work.pairs) / e->median / 1e9 : 0.0;
	return json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
	                 e->row->label, "variant", e->variant, "why", tool_why(&e->s),
	                 "kernel_seconds", tool_json_known(e->median), "rate",
	                 tool_json_known(rate), "speedup", tool_json_known(e->speedup), "least",
	                 tool_json_known(e->least), "most", tool_json_known(e->most),
	                 "product_of_parts", tool_json_known(e->product), "published",
	                 tool_json_known(e->row->published));
}

json_t *study_report_json(const struct study_result *r)
{
	json_t *list = json_array();
	char problem[160];
	size_t i;

	for (i = 0; i < r->study->n; i++)
		json_array_append_new(list, entry_json(r, &r->entry[i]));
	snprintf(problem, sizeof problem, r->study->problem, r->shape[0].dim[0], r->shape[0].dim[0],
	         r->shape[0].dim[0]);
	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:I, s:o}", "version", clopt_version(),
	                 "device", tool_json_text(r->info.name), "driver",
	                 tool_json_text(r->info.driver), "study", r->study->title, "problem",
	                 problem, "unit", in_bytes(r) ? "GB/s" : "Gpairs/s", "rounds",
	                 (json_int_t)r->rounds, "kernels", list);
}

void study_report_text(const struct study_result *r, const json_t *json)
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

	printf("%s\n\n%s: %s\n", r->info.name, r->study->title,
	       json_string_value(json_object_get(json, "problem")));
	printf("Medians of %zu rounds; speed-ups over the first row%s, within a round\n", r->rounds,
	       r->study->parts[0] ? " of the same product" : "");
	tool_table(stdout, json_object_get(json, "kernels"), columns);
}

void study_report_csv(const json_t *json, FILE *to)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("kernel", "kernel"),
		TOOL_TEXT("variant", "variant"),
		TOOL_NUMBER("kernel_seconds", "kernel_seconds", "%.6g", 1),
		TOOL_NUMBER("speedup", "speedup", "%.6g", 1),
		TOOL_NUMBER("product_of_parts", "product_of_parts", "%.6g", 1),
		TOOL_NUMBER("published", "published", "%.6g", 1),
		TOOL_NUMBER("rate", "rate", "%.6g", 1),
		TOOL_END,
	};

	tool_csv(to, json_object_get(json, "kernels"), columns, 1);
}

/* Parts stand under each other.  Else, after figures 6 and 7 of the paper: each kernel alone,
 * then together; the library's choice ends the list. */
static int group_of(const struct study_result *r, const struct study_entry *e, int products)
{
	if (r->study->parts[0])
		return e->row->part;
	return products && (combined(e) || !e->row->variant);
}

void study_report_svg(const struct study_result *r, FILE *to)
{
	struct plot_bar *bar = calloc(r->study->n, sizeof *bar);
	struct plot_bars groups[] = {
		{ .title = "" },
		{ .title = "together", .name = "measured", .mark_name = "product of its parts" },
	};
	const struct study_entry *e, *const end = r->entry + r->study->n;
	char title[256];
	size_t n = 0;
	int g, products = 0;

	if (!bar) {
		tool_no_memory();
		return;
	}
	for (e = r->entry; e < end; e++)
		products |= combined(e);
	groups[0].title = products ? "each alone" : "";
	for (g = 0; g < 2; g++) {
		if (r->study->parts[0])
			groups[g].title = r->study->parts[g];
		groups[g].label = "speed-up over the first";
		groups[g].bar = bar + n;
		for (e = r->entry; e < end; e++)
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
