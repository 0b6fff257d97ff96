/* SPDX-License-Identifier: MIT */
/*
 * bench_report.c - what was measured, as a table, as JSON and as CSV.
 */
#include "tool.h"

#include <string.h>

static const char *verdict(const struct bench_entry *e)
{
	return e->sound ? "ok" : e->checked ? "WRONG" : "failed";
}

void bench_report_text(const struct bench_problem *p)
{
	struct tool_table t = { .columns = 8, .align = "llrrrrrl" };
	const struct bench_entry *e;
	char text[128];

	case_describe(p->op, &p->shape, text, sizeof text);
	printf("\n%s %s\n", clopt_op_name(p->op), text);
	tool_table_add(&t, " ");
	tool_table_add(&t, "variant");
	tool_table_add(&t, "kernel ms");
	tool_table_add(&t, "call ms");
	tool_table_add(&t, "repeats");
	tool_table_add(&t, "%s", case_unit(p->op));
	tool_table_add(&t, "of best");
	tool_table_add(&t, "check");
	for (e = p->entries; e < p->entries + p->n; e++) {
		tool_table_add(&t, "%s", e->is_default ? "*" : "");
		tool_table_add(&t, "%s", e->variant);
		if (e->sound && e->kernel_median > 0.0)
			tool_table_add(&t, "%.3f", e->kernel_median * 1e3);
		else
			tool_table_add(&t, "-");
		if (e->sound) {
			tool_table_add(&t, "%.3f", e->call_median * 1e3);
			tool_table_add(&t, "%zu", e->repeats);
			tool_table_add(&t, "%.4g", e->rate);
			tool_table_add(&t, "%.0f%%", 100.0 * e->share);
			tool_table_add(&t, "ok");
		} else {
			tool_table_add(&t, "-");
			tool_table_add(&t, "-");
			tool_table_add(&t, "-");
			tool_table_add(&t, "-");
			tool_table_add(&t, "%s: %s", verdict(e), e->note);
		}
	}
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
	fflush(stdout); /* the next problem may take a while */
}

static json_t *entry_json(const struct bench_entry *e)
{
	return json_pack("{s:o, s:b, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "variant",
	                 tool_json_text(e->variant), "default", e->is_default, "check", verdict(e),
	                 "why", e->sound ? json_null() : tool_json_text(e->note),
	                 "error_in_tolerances",
	                 e->checked ? tool_json_real(e->check.error) : json_null(), "repeats",
	                 (json_int_t)e->repeats, "kernel_seconds",
	                 e->kernel_median > 0.0 ? tool_json_real(e->kernel_median) : json_null(),
	                 "call_seconds", e->sound ? tool_json_real(e->call_median) : json_null(),
	                 "rate", e->sound ? tool_json_real(e->rate) : json_null(), "share",
	                 e->sound ? tool_json_real(e->share) : json_null());
}

json_t *bench_report_json(const struct bench_problem *p)
{
	json_t *list = json_array();
	size_t i;
	char text[128];

	for (i = 0; i < p->n; i++)
		json_array_append_new(list, entry_json(&p->entries[i]));
	case_describe(p->op, &p->shape, text, sizeof text);
	return json_pack("{s:s, s:s, s:s, s:[I,I,I], s:s, s:o}", "operation", clopt_op_name(p->op),
	                 "problem", text, "element", case_element(p->op, &p->shape), "dim",
	                 (json_int_t)p->shape.dim[0], (json_int_t)p->shape.dim[1],
	                 (json_int_t)p->shape.dim[2], "unit", case_unit(p->op), "variants", list);
}

/* Names and problems have no comma or quote in them; `why' may, and is left to
 * the other two forms. */
void bench_report_csv(const struct bench_problem *p, FILE *to, int head)
{
	const struct bench_entry *e;
	char text[128];

	case_describe(p->op, &p->shape, text, sizeof text);
	if (head)
		fprintf(to, "operation,problem,variant,default,check,repeats,kernel_seconds,"
		            "call_seconds,rate,unit,share\n");
	for (e = p->entries; e < p->entries + p->n; e++)
		fprintf(to, "%s,%s,%s,%d,%s,%zu,%.9g,%.9g,%.6g,%s,%.4f\n", clopt_op_name(p->op),
		        text, e->variant, e->is_default, verdict(e), e->repeats, e->kernel_median,
		        e->call_median, e->rate, case_unit(p->op), e->share);
}
