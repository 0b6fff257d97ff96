/* SPDX-License-Identifier: MIT */
/*
 * report.c - measurements as JSON, as a table, as CSV and on the device's roofline.
 *
 * In the plot, flops are the routine's, and bytes those of its arrays, each moved once.  A
 * transpose has no flops: each element that it moves stands for one, and its distance to
 * the roof is that of its GB/s.
 */
#include "bench.h"

#include <string.h>

static json_t *entry_json(const struct bench_entry *e)
{
	const double one = e->call.verdict ? 0.0 : 1.0; /* a failure has no numbers */

	return json_pack(
	        "{s:s?, s:b, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "variant",
	        e->variant, "default", e->is_default, "check", tool_verdict(&e->call), "why",
	        tool_why(&e->call), "error_in_tolerances",
	        e->checked && e->check.error < 1e300 ? json_real(e->check.error) : json_null(),
	        "repeats", (json_int_t)e->call.repeats, "first_seconds",
	        tool_json_known(one * e->first), "kernel_seconds",
	        tool_json_known(e->kernel_median), "call_seconds",
	        tool_json_known(one * e->call_median), "rate", tool_json_known(one * e->rate),
	        "call_rate", tool_json_known(one * e->call_rate), "of_roof",
	        tool_json_known(one * e->of_roof), "share", tool_json_known(one * e->share));
}

json_t *bench_report_json(const struct bench_problem *p)
{
	json_t *list = json_array();
	size_t i;
	char text[128];

	for (i = 0; i < p->n; i++)
		json_array_append_new(list, entry_json(&p->entries[i]));
	case_describe(p->op, &p->shape, text, sizeof text);
	return json_pack("{s:s, s:s, s:s, s:[I,I,I], s:s, s:o, s:s?, s:o, s:o}", "operation",
	                 clopt_op_name(p->op), "problem", text, "element",
	                 case_element(p->op, &p->shape), "dim", (json_int_t)p->shape.dim[0],
	                 (json_int_t)p->shape.dim[1], (json_int_t)p->shape.dim[2], "unit",
	                 case_unit(p->op), "roof", tool_json_known(p->roof.rate), "roof_by",
	                 p->roof.rate > 0.0 ? peak_key(p->roof.by) : NULL, "flops_per_byte",
	                 tool_json_known(p->roof.flops_per_byte), "variants", list);
}

void bench_report_text(const struct bench_problem *p, const json_t *json)
{
	const struct tool_column columns[] = {
		{ " ", "default", "*", 1, "" },
		TOOL_TEXT("variant", "variant"),
		TOOL_NUMBER("first ms", "first_seconds", "%.1f", 1e3),
		TOOL_NUMBER("kernel ms", "kernel_seconds", "%.3f", 1e3),
		TOOL_NUMBER("call ms", "call_seconds", "%.3f", 1e3),
		TOOL_NUMBER(case_unit(p->op), "rate", "%.4g", 1),
		TOOL_NUMBER("by call", "call_rate", "%.4g", 1),
		TOOL_NUMBER("of roof", "of_roof", "?%.0f%%", 100),
		TOOL_NUMBER("of best", "share", "%.0f%%", 100),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};

	printf("\n%s %s\n", clopt_op_name(p->op),
	       json_string_value(json_object_get(json, "problem")));
	if (p->roof.rate > 0.0)
		printf("at most %.4g %s, by the device's %s\n", p->roof.rate, case_unit(p->op),
		       peak_name(p->roof.by));
	tool_table(stdout, json_object_get(json, "variants"), columns);
	fflush(stdout); /* the next problem may take a while */
}

void bench_report_csv(const json_t *json, FILE *to, int head)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("operation", "operation"),
		TOOL_TEXT("problem", "problem"),
		TOOL_TEXT("variant", "variant"),
		TOOL_NUMBER("default", "default", "*", 1),
		TOOL_TEXT("check", "check"),
		TOOL_TEXT("repeats", "repeats"),
		TOOL_NUMBER("kernel_seconds", "kernel_seconds", "%.9g", 1),
		TOOL_NUMBER("call_seconds", "call_seconds", "%.9g", 1),
		TOOL_NUMBER("rate", "rate", "%.6g", 1),
		TOOL_TEXT("unit", "unit"),
		TOOL_NUMBER("share", "share", "%.4f", 1),
		TOOL_NUMBER("first_seconds", "first_seconds", "%.9g", 1),
		TOOL_NUMBER("call_rate", "call_rate", "%.6g", 1),
		TOOL_NUMBER("roof", "roof", "%.6g", 1),
		TOOL_NUMBER("of_roof", "of_roof", "%.4f", 1),
		TOOL_END,
	};
	json_t *problem = json_copy((json_t *)json), *rows, *row;
	size_t i;

	rows = json_deep_copy(json_object_get(json, "variants"));
	json_object_del(problem, "variants");
	json_array_foreach(rows, i, row)
	{
		json_object_update_missing(row, problem);
	}
	tool_csv(to, rows, columns, head);
	json_decref(rows);
	json_decref(problem);
}

/* ---- The roofline ------------------------------------------------------------------ */

void bench_plot_add(struct bench_plot *plot, const struct bench_problem *p)
{
	const int drawn = p->op == CLOPT_OP_MATMUL || p->op == CLOPT_OP_TRANSPOSE ||
	                  p->op == CLOPT_OP_POTENTIAL || p->op == CLOPT_OP_NBODY;
	const struct bench_entry *e = p->entries, *const end = e + p->n;

	/* The choice, or the one variant that was asked for. */
	while (e < end && (e->call.verdict || !(e->is_default || p->n == 1)))
		e++;
	if (!drawn || e == end || p->shape.elem_bytes != 4 || plot->n == BENCH_POINTS)
		return;
	snprintf(plot->label[plot->n], sizeof plot->label[0],
	         p->op == CLOPT_OP_MATMUL || p->op == CLOPT_OP_TRANSPOSE ? "%s %zux%zu" :
	                                                                   "%s %zu by %zu",
	         clopt_op_name(p->op), p->shape.dim[0], p->shape.dim[1]);
	/* A driver without times of kernels leaves the call. */
	plot->point[plot->n] = (struct plot_point){
		.x = p->roof.flops_per_byte,
		.y = p->roof.per_second * (e->kernel_median > 0.0 ? e->rate : e->call_rate),
		.hollow = p->roof.per_second * e->call_rate,
		.roof = p->roof.per_second * p->roof.rate,
	};
	plot->n++;
}

void bench_plot_write(struct bench_plot *plot, const struct peaks *peaks, FILE *to)
{
	const double bandwidth = peaks->peak[PEAK_COPY].best, flops = peaks->peak[PEAK_FLOAT].best;
	char memory[64], peak[64];
	const struct plot_roofline r = {
		.x_label = "flops per byte of the arrays",
		.y_label = "GFLOP/s",
		.bandwidth_name = memory,
		.peak_name = peak,
		.bandwidth = bandwidth,
		.peak = flops,
		.point = plot->point,
		.points = plot->n,
		.filled = "kernel alone",
		.hollow = "whole call, transfers included",
		.roof = "its roof, in turns with it",
		.note = "A transpose has no flops: each element it moves counts for one.",
	};
	size_t i;

	snprintf(memory, sizeof memory, "memory, copied: %.4g GB/s", bandwidth);
	snprintf(peak, sizeof peak, "float32 multiply-adds: %.4g GFLOP/s", flops);
	for (i = 0; i < plot->n; i++)
		plot->point[i].label = plot->label[i];
	plot_roofline_svg(to, peaks->info.name, &r);
}
