/* SPDX-License-Identifier: MIT */
/*
 * study.c - `clopt bench gem --ablation' and `clopt bench OP --ladder' with nbody, matmul
 * and transpose: the bar plot, and runs.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/op.h"
#include "plot/plot.h"
#include "study/study.h"
#include "suites.h"
#include "wrap.h"
#include "written.h"

/* The rectangles are the page, bars and marks.  No coordinate may be NaN. */
START_TEST(bars)
{
	static const struct plot_bar bar[] = {
		{ "a & b", 1.0, 0.0 },
		{ "half", 0.5, 2.0 },
		{ "none", NAN, 3.0 },
		{ "0", 0.0, 0.0 },
	};
	const struct plot_bars groups[] = {
		{ .title = "<one>",
		  .label = "x",
		  .name = "n",
		  .mark_name = "m",
		  .bar = bar,
		  .count = 4 },
		{ .title = "empty" },
	};
	const char *text;
	FILE *f = fopen(written.svg, "w");

	plot_bars_svg(f, "bars", groups, 2);
	plot_bars_svg(f, "bars", groups, 0);
	ck_assert_int_eq(fclose(f), 0);
	text = written_text(written.svg);
	ck_assert_uint_eq(written_count(text, "<rect"), 1 + 2 + 1 + 2 + 1);
	ck_assert_uint_eq(written_count(text, "</svg>"), 2);
	ck_assert_ptr_nonnull(strstr(text, ">a &amp; b<"));
	ck_assert_ptr_nonnull(strstr(text, ">2</text>"));
	ck_assert_ptr_null(strstr(text, "nan"));
}
END_TEST

/* A study's kernels are in the table, for studies only, and labels are distinct.  Each part begins
 * with the kernel to which its others are compared. */
START_TEST(rows)
{
	const struct study *const studies[] = { &study_ablation, &study_ladder, &study_matmul,
		                                &study_transpose };
	size_t s, i, k;

	for (s = 0; s < sizeof studies / sizeof *studies; s++)
		for (i = 0; i < studies[s]->n; i++) {
			const struct study_row *r = &studies[s]->rows[i];

			for (k = 0; clopt_variant_name(k); k++)
				if (r->variant && !strcmp(clopt_variant_name(k), r->variant))
					break;
			ck_assert_msg(!r->variant || clopt_variant_op(k) == studies[s]->op,
			              "%s is no row of the table", r->variant);
			ck_assert_int_eq(r->part - (i && r[-1].part),
			                 i && r->variant && !r[-1].variant);
			ck_assert(r->part == 0 || studies[s]->parts[r->part]);
			for (k = 0; k < i; k++)
				ck_assert_str_ne(r->label, studies[s]->rows[k].label);
		}
}
END_TEST

/* Each kernel that runs here has a time; a product's gain is that of its parts. */
START_TEST(ablation)
{
	struct tool_args args = {
		.op = -1, .size = 96, .ablation = 1, .csv = written.csv, .svg = written.svg
	};
	double seconds, speedup, product, ks = 0, rp = 0;
	const char *line;
	char *told;
	size_t n = 0;

	ck_assert_int_eq(written_run(tool_study, &args), 0);
	told = strdup(written_text(written.out));
	ck_assert(told && !strstr(told, "gave a wrong result"));
	for (line = written_text(written.csv); (line = strchr(line, '\n')) && *++line; n++) {
		char label[64], variant[64], struck[96];
		const int found = sscanf(line, "%63[^,],%63[^,],%lf,%lf,%lf", label, variant,
		                         &seconds, &speedup, &product) -
		                  1;

		snprintf(struck, sizeof struck, "%s: struck out by quirk", variant);
		if (strstr(told, struck)) {
			ck_assert_int_eq(found, 1);
			continue;
		}
		ck_assert_msg(found >= 3 && seconds > 0 && speedup > 0, "%.60s", line);
		ks = strcmp(label, "KS") ? ks : speedup;
		rp = strcmp(label, "RP") ? rp : speedup;
		ck_assert_int_eq(found == 4, strchr(label, '+') != NULL);
		if (!strcmp(label, "KS+RP"))
			ck_assert_double_eq_tol(product / (ks * rp), 1, 1e-4);
	}
	free(told);
	ck_assert_uint_eq(n, study_ablation.n);
	ck_assert_uint_ge(written_count(written_text(written.svg), "<rect"), study_ablation.n);
}
END_TEST

START_TEST(ladder)
{
	struct tool_args args = { .op = -1, .size = 100, .ladder = 1, .json = 1 };
	json_t *json, *kernel, *kernels;
	size_t i;

	json = written_json(tool_study, &args, 0);
	ck_assert(json_integer_value(json_object_get(json, "rounds")) >= STUDY_LEAST);
	kernels = json_object_get(json, "kernels");
	ck_assert_uint_eq(json_array_size(kernels), study_ladder.n);
	json_array_foreach(kernels, i, kernel)
	{
		ck_assert(json_is_null(json_object_get(kernel, "why")));
		ck_assert(json_real_value(json_object_get(kernel, "speedup")) > 0);
	}
	json_decref(json);
}
END_TEST

/* Both products, of a size that is no multiple of a tile: each is compared with the first kernel of
 * its own study, and its rate has its own bytes. */
START_TEST(products)
{
	struct tool_args args = { .op = CLOPT_OP_MATMUL,
		                  .size = 70,
		                  .ladder = 1,
		                  .csv = written.csv,
		                  .svg = written.svg };
	const double bytes[] = { 4 * (70 * 70 + 2 * 70 * 16), 4 * (70 * 70 + 70 * 16) };
	double seconds, speedup, rate;
	const char *line, *at;
	size_t n = 0;

	ck_assert_int_eq(written_run(tool_study, &args), 0);
	ck_assert_ptr_null(strstr(written_text(written.out), "wrong"));
	for (line = written_text(written.csv); (line = strchr(line, '\n')) && *++line; n++) {
		const struct study_row *r = &study_matmul.rows[n];

		ck_assert_int_eq(sscanf(line, "%*[^,],%*[^,],%lf,%lf,", &seconds, &speedup), 2);
		for (at = line; strcspn(at, ",\n") < strcspn(at, "\n");)
			at += strcspn(at, ",") + 1;
		rate = strtod(at, NULL);
		ck_assert_double_eq_tol(rate * seconds * 1e9 / bytes[r->part], 1, 1e-4);
		if (n == 0 || r->part != r[-1].part)
			ck_assert_double_eq(speedup, 1);
	}
	ck_assert_uint_eq(n, study_matmul.n);
	ck_assert_ptr_nonnull(strstr(written_text(written.svg), ">C = A A^T<"));
}
END_TEST

/* Each mapping is right and has a time, on sizes that tiles do not divide. */
START_TEST(transposes)
{
	struct tool_args args = {
		.op = CLOPT_OP_TRANSPOSE, .size = 75, .ladder = 1, .csv = written.csv
	};
	const char *line;
	size_t n = 0;

	ck_assert_int_eq(written_run(tool_study, &args), 0);
	ck_assert_ptr_null(strstr(written_text(written.out), "wrong"));
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "GB/s"));
	for (line = written_text(written.csv); (line = strchr(line, '\n')) && *++line; n++)
		ck_assert_ptr_nonnull(strstr(line, "transpose/"));
	ck_assert_uint_eq(n, study_transpose.n);
}
END_TEST

/* A wrong result is found, in each part of a study; so is a result that is NaN. */
START_TEST(errors)
{
	static const struct {
		const struct study *study;
		int part;
	} all[] = { { &study_ablation, 0 },
		    { &study_ladder, 0 },
		    { &study_matmul, 0 },
		    { &study_matmul, 1 },
		    { &study_transpose, 0 } };
	struct clopt *ctx = test_open(NULL);
	struct case_result r;
	struct case_job *job;
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		const struct shape s = study_shape(all[i].study, all[i].part, CASE_SMALL, 0);
		float *out;

		ck_assert_int_eq(case_open(&job, all[i].study->op, &s, 1), CLOPT_OK);
		CHECK_OK(ctx, case_call(ctx, job));
		ck_assert_int_eq(case_check(job, 0, &r), CLOPT_OK);
		ck_assert(case_passed(&r));
		out = job->out[0].array;
		out[0] = out[0] * 1.001f + 1e-3f;
		ck_assert_int_eq(case_check(job, 0, &r), CLOPT_OK);
		ck_assert(!case_passed(&r));
		out[0] = NAN;
		ck_assert_int_eq(case_check(job, 0, &r), CLOPT_OK);
		ck_assert(!case_passed(&r));
		case_close(job);
	}
	test_close(ctx);
}
END_TEST

START_TEST(no_file)
{
	struct tool_args args = { .op = -1, .size = 16, .ladder = 1, .svg = "/dev/null/svg" };

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	ck_assert_int_eq(written_run(tool_study, &args), 1);
}
END_TEST

SUITE(study, long)
{
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, bars);
	tcase_add_test(c, rows);
	tcase_add_test(c, ablation);
	tcase_add_test(c, ladder);
	tcase_add_test(c, products);
	tcase_add_test(c, transposes);
	tcase_add_test(c, errors);
	tcase_add_test(c, no_file);
}
