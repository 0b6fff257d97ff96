/* SPDX-License-Identifier: MIT */
/*
 * bench_report.c - what was measured, as a table, as JSON and as CSV.
 */
#include "bench.h"

#include <string.h>

static const char *verdict(const struct bench_entry *e)
{
	return e->sound ? "ok" : e->checked ? "WRONG" : "failed";
}

/* A number with a dash in place of one that is not known. */
static void add(struct tool_table *t, const char *format, double x)
{
	if (x > 0.0)
		tool_table_add(t, format, x);
	else
		tool_table_add(t, "-");
}

static void heading(struct tool_table *t, const struct bench_problem *p)
{
	tool_table_add(t, " ");
	tool_table_add(t, "variant");
	tool_table_add(t, "first ms");
	tool_table_add(t, "kernel ms");
	tool_table_add(t, "call ms");
	tool_table_add(t, "%s", case_unit(p->op));
	tool_table_add(t, "by call");
	if (p->roof.rate > 0.0)
		tool_table_add(t, "of roof");
	tool_table_add(t, "of best");
	tool_table_add(t, "check");
}

static void line(struct tool_table *t, const struct bench_problem *p, const struct bench_entry *e)
{
	const double one = e->sound ? 1.0 : 0.0; /* what is not sound has no numbers */

	tool_table_add(t, "%s", e->is_default ? "*" : "");
	tool_table_add(t, "%s", e->variant);
	add(t, "%.1f", one * e->first * 1e3);
	add(t, "%.3f", one * e->kernel_median * 1e3);
	add(t, "%.3f", one * e->call_median * 1e3);
	add(t, "%.4g", one * e->rate);
	add(t, "%.4g", one * e->call_rate);
	if (p->roof.rate > 0.0)
		add(t, "%.0f%%", one * e->of_roof * 100.0);
	add(t, "%.0f%%", one * e->share * 100.0);
	if (e->sound)
		tool_table_add(t, "ok");
	else
		tool_table_add(t, "%s: %s", verdict(e), e->note);
}

void bench_report_text(const struct bench_problem *p)
{
	const int roofed = p->roof.rate > 0.0;
	struct tool_table t = { .columns = roofed ? 10 : 9,
		                .align = roofed ? "llrrrrrrrl" : "llrrrrrrl" };
	const struct bench_entry *e;
	char text[128];

	case_describe(p->op, &p->shape, text, sizeof text);
	printf("\n%s %s\n", clopt_op_name(p->op), text);
	if (roofed)
		printf("at most %.4g %s, by the device's %s\n", p->roof.rate, case_unit(p->op),
		       peak_name(p->roof.by));
	heading(&t, p);
	for (e = p->entries; e < p->entries + p->n; e++)
		line(&t, p, e);
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
	fflush(stdout); /* the next problem may take a while */
}

static json_t *known(double x)
{
	return x > 0.0 ? tool_json_real(x) : json_null();
}

static json_t *entry_json(const struct bench_entry *e)
{
	const double one = e->sound ? 1.0 : 0.0;

	return json_pack(
	        "{s:o, s:b, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "variant",
	        tool_json_text(e->variant), "default", e->is_default, "check", verdict(e), "why",
	        e->sound ? json_null() : tool_json_text(e->note), "error_in_tolerances",
	        e->checked ? tool_json_real(e->check.error) : json_null(), "repeats",
	        (json_int_t)e->repeats, "first_seconds", known(one * e->first), "kernel_seconds",
	        known(e->kernel_median), "call_seconds", known(one * e->call_median), "rate",
	        known(one * e->rate), "call_rate", known(one * e->call_rate), "of_roof",
	        known(one * e->of_roof), "share", known(one * e->share));
}

json_t *bench_report_json(const struct bench_problem *p)
{
	json_t *list = json_array();
	size_t i;
	char text[128];

	for (i = 0; i < p->n; i++)
		json_array_append_new(list, entry_json(&p->entries[i]));
	case_describe(p->op, &p->shape, text, sizeof text);
	return json_pack("{s:s, s:s, s:s, s:[I,I,I], s:s, s:o, s:o, s:o, s:o}", "operation",
	                 clopt_op_name(p->op), "problem", text, "element",
	                 case_element(p->op, &p->shape), "dim", (json_int_t)p->shape.dim[0],
	                 (json_int_t)p->shape.dim[1], (json_int_t)p->shape.dim[2], "unit",
	                 case_unit(p->op), "roof", known(p->roof.rate), "roof_by",
	                 p->roof.rate > 0.0 ? json_string(peak_key(p->roof.by)) : json_null(),
	                 "flops_per_byte", known(p->roof.flops_per_byte), "variants", list);
}

/* Names and problems have no comma or quote in them; `why' may, and is left to
 * the other two forms.  What is not known is empty. */
void bench_report_csv(const struct bench_problem *p, FILE *to, int head)
{
	const struct bench_entry *e;
	char text[128], roof[64] = ",";

	case_describe(p->op, &p->shape, text, sizeof text);
	if (head)
		fprintf(to, "operation,problem,variant,default,check,repeats,kernel_seconds,"
		            "call_seconds,rate,unit,share,first_seconds,call_rate,roof,of_roof\n");
	for (e = p->entries; e < p->entries + p->n; e++) {
		if (p->roof.rate > 0.0)
			snprintf(roof, sizeof roof, "%.6g,%.4f", p->roof.rate, e->of_roof);
		fprintf(to, "%s,%s,%s,%d,%s,%zu,%.9g,%.9g,%.6g,%s,%.4f,%.9g,%.6g,%s\n",
		        clopt_op_name(p->op), text, e->variant, e->is_default, verdict(e),
		        e->repeats, e->kernel_median, e->call_median, e->rate, case_unit(p->op),
		        e->share, e->first, e->call_rate, roof);
	}
}
