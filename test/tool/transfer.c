/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - `clopt bench transfer': formulas, the plot, and runs of it.
 */
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/plot.h"
#include "suites.h"
#include "transfer/transfer.h"
#include "wrap.h"
#include "written.h"

/* ---- Numbers --------------------------------------------------------------------- */

/* The guide's own examples, in sections 2.2.1 and 2.2.2. */
START_TEST(formulas)
{
	static const char *const bad[] = { "",    "x",         "x512",  "1107x", "1107x512x",
		                           "-3",  "0",         "nan",   "inf",   "1e999",
		                           "12 ", "1107x-512", "-1x-8", "0x0p",  "fast" };
	size_t i;

	ck_assert(fabs(transfer_theoretical(1107, 512) - 141.696) < 1e-9);
	ck_assert(fabs(transfer_effective(2048 * 2048 * 4, 2048 * 2048 * 4, 1e-3) - 33.554432) <
	          1e-9);
	ck_assert(transfer_effective(1, 1, 0) == 0);
	ck_assert(transfer_read_theoretical("4800") == 4800);
	ck_assert(transfer_read_theoretical("141.5") == 141.5);
	ck_assert(transfer_read_theoretical("1107x512") == transfer_theoretical(1107, 512));
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(transfer_read_theoretical(bad[i]) == 0, "\"%s\"", bad[i]);
}
END_TEST

START_TEST(contents_differ)
{
	uint32_t a[64];

	transfer_fill(a, 64, TRANSFER_UP);
	ck_assert_uint_eq(transfer_differs(a, 64, TRANSFER_UP), 64);
	ck_assert_uint_eq(transfer_differs(a, 64, TRANSFER_DOWN), 0);
	a[63] = 0;
	ck_assert_uint_eq(transfer_differs(a, 64, TRANSFER_UP), 63);
	/* Shifted by one. */
	ck_assert_uint_eq(transfer_differs(a + 1, 62, TRANSFER_UP), 0);
}
END_TEST

/* The second of three cells is wrong in its second run. */
static double turns(void *what, size_t i, struct transfer_cell *cell)
{
	char *order = what;

	order[strlen(order)] = (char)('a' + i);
	if (i == 1 && cell->s.repeats == 1)
		tool_wrong(&cell->s, "%s", "a comma, and a \"quote\"");
	return 1e-3 * (double)(cell->s.repeats == 0 ? 100 : i + 1);
}

START_TEST(cells)
{
	struct tool_args args = { .op = -1 };
	struct transfer_bench b = { .args = &args };
	struct transfer_cell cell = {
		.experiment = "transfer", .method = "driver", .direction = "up", .read = 1e6
	};
	char order[16] = "";
	FILE *f = fopen(written.csv, "w");
	json_t *json, *list;

	for (cell.x = 7; cell.x < 10; cell.x++)
		ck_assert_int_eq(transfer_add(&b, &cell), 0);
	transfer_measure(&b, 0, 0.0, turns, order);
	ck_assert_str_eq(order, "abcabcac");
	ck_assert_double_eq(b.cell[0].rate, 1.0);
	ck_assert_double_eq(b.cell[2].rate, 1.0 / 3);
	ck_assert_str_eq(b.cell[1].s.verdict, "WRONG");
	json = transfer_report_json(&b);
	transfer_report_csv(json, f);
	fclose(f);
	ck_assert_str_eq(written_text(written.csv),
	                 "experiment,method,bytes_or_step,direction,GBps\n"
	                 "transfer,driver,7,up,1\n"
	                 "transfer,driver,8,up,\n"
	                 "transfer,driver,9,up,0.333333333\n");
	list = json_object_get(json, "cells");
	ck_assert_uint_eq(json_array_size(list), 3);
	ck_assert(json_is_null(json_object_get(json_array_get(list, 1), "GBps")));
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "why")),
	                 "a comma, and a \"quote\"");
	json_decref(json);
	free(b.cell);
}
END_TEST

/* ---- The plot ---------------------------------------------------------------------- */

START_TEST(plot_numbers)
{
	static const struct {
		double x;
		int decimals;
		const char *text;
	} cases[] = {
		{ 0, 2, "0" },
		{ -0.001, 2, "0" },
		{ 1.5, 2, "1.5" },
		{ -1.25, 2, "-1.25" },
		{ 0.05, 2, "0.05" },
		{ 9.999, 2, "10" },
		{ 1234567, 0, "1234567" },
		{ 1e-9, 9, "0.000000001" },
		{ 3e15, 2, "1000000000000000" },
		{ 123456789.25, 9, "123456789.25" },
	};
	static const struct {
		double span, step;
		int most, decimals;
	} steps[] = {
		{ 10, 2, 8, 0 },      { 8, 1, 8, 0 },   { 0.3, 0.1, 3, 1 },   { 4800, 1000, 8, 0 },
		{ 1e-6, 2e-7, 8, 7 }, { 81, 20, 8, 0 }, { 3.2e9, 5e8, 8, 0 }, { 0.55, 0.1, 8, 1 },
	};
	char text[PLOT_NUMBER];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_str_eq(plot_number(text, cases[i].x, cases[i].decimals), cases[i].text);
	for (i = 0; i < sizeof steps / sizeof *steps; i++) {
		ck_assert_msg(fabs(plot_step(steps[i].span, steps[i].most) / steps[i].step - 1) <
		                      1e-9,
		              "%g", steps[i].span);
		ck_assert_int_eq(plot_decimals(steps[i].step), steps[i].decimals);
	}
}
END_TEST

/* Tags are closed and no number is NaN; xmllint checks the rest where it is installed. */
static const char *check_svg(void)
{
	const char *text = written_text(written.svg), *at;
	char command[256];
	int depth = 0;

	for (at = text; (at = strchr(at, '<')); at++) {
		depth += at[1] == '/' ? -1 : 1;
		at = strchr(at, '>');
		ck_assert_ptr_nonnull(at);
		depth -= at[-1] == '/';
		ck_assert_int_ge(depth, 0);
	}
	ck_assert_int_eq(depth, 0);
	ck_assert(!strstr(text, "nan") && !strstr(text, "inf"));
	snprintf(command, sizeof command, "! command -v xmllint >/dev/null || xmllint --noout '%s'",
	         written.svg);
	ck_assert_int_eq(system(command), 0);
	return text;
}

static const char *draw(const char *title, const struct plot_panel *panels, size_t n)
{
	FILE *f = fopen(written.svg, "w");

	plot_svg(f, title, panels, n);
	ck_assert_int_eq(fclose(f), 0);
	return check_svg();
}

START_TEST(plot)
{
	static const double x[] = { 0, 0.5, 1, 1.5, 2 }, y[] = { 0.1, 0.25, NAN, 0.3, INFINITY };
	const struct plot_series two[] = {
		{ .name = "a & b", .x = x, .y = y, .n = 5 },
		{ .name = "<limit>", .x = x, .y = x, .n = 2, .reference = 1 },
	};
	const struct plot_panel panels[] = {
		{ .title = "]]> \"q\"",
		  .x = { .label = "x" },
		  .y = { .label = "y" },
		  .series = two,
		  .count = 2 },
		{ .title = "nothing", .x = { .label = "x" }, .y = { .label = "y" } },
		{ .title = "a point", .x = { "x", 0, 32, 8, 0 }, .series = two, .count = 1 },
		{ .title = "no zero",
		  .x = { .log = 1 },
		  .y = { .log = 1 },
		  .series = two,
		  .count = 1 },
	};
	const char *text;

	/* If this locale is installed, its decimal point is a comma. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	text = draw("\x01 \xff <&>", panels, 4);
	setlocale(LC_ALL, "C");
	ck_assert_ptr_nonnull(strstr(text, "<title>? ? &lt;&amp;&gt;</title>"));
	ck_assert_ptr_nonnull(strstr(text, ">a &amp; b<"));
	ck_assert_ptr_nonnull(strstr(text, ">0.5</text>")); /* a round tick */
	ck_assert_ptr_nonnull(strstr(text, ">24</text>")); /* one of a given step */
	ck_assert_ptr_nonnull(strstr(text, ">0.2</text>")); /* a logarithmic one */
	/* Three finite points in two panels, and two in the one that cannot show 0; some in a legend. */
	ck_assert_uint_eq(written_count(text, "transform=\"translate("), 3 + 3 + 1 + 4 + 2);
	draw("empty", NULL, 0);
}
END_TEST

/* ---- Runs -------------------------------------------------------------------------- */

/* The n-th call fails, unless n is 0. */
static long failing;
static int failed; /* whether there were that many calls */

static int transfer_failing(const struct tool_args *args)
{
	int rc;

	wrap_fail(failing, CL_OUT_OF_RESOURCES);
	rc = tool_transfer(args);
	failed = wrap_failed();
	wrap_fail(0, 0);
	return rc;
}

/* The number of rows of an experiment in the file, each with a rate above zero. */
static size_t rows(const char *text, const char *experiment)
{
	const size_t length = strlen(experiment);
	size_t n = 0;

	while ((text = strchr(text, '\n')) && *++text) {
		double rate = 0;

		if (strncmp(text, experiment, length) != 0 || text[length] != ',')
			continue;
		ck_assert_msg(sscanf(text, "%*[^,],%*[^,],%*[^,],%*[^,],%lf", &rate) == 1 &&
		                      rate > 0,
		              "%.60s", text);
		n++;
	}
	return n;
}

/* With memory of its own, and (where the tests' device has it) shared. */
START_TEST(files)
{
	struct tool_args args = { .op = -1, .size = 65536, .csv = written.csv, .svg = written.svg };
	struct clopt_device_info info;
	struct clopt *ctx = test_open(NULL);
	const char *text;

	args.theoretical = 100;
	info.size = sizeof info;
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	test_close(ctx);
	wrap_discrete(_i);
	ck_assert_int_eq(written_run(tool_transfer, &args), 0);
	text = written_text(written.csv);
	ck_assert_uint_eq(rows(text, "transfer"), 7);
	ck_assert_uint_eq(rows(text, "map"), info.unified && !_i ? 3 : 0);
	ck_assert_uint_eq(rows(text, "memory"), 2);
	ck_assert_uint_eq(rows(text, "offset"), 33);
	ck_assert_uint_eq(rows(text, "stride"), 32);
	ck_assert_ptr_nonnull(
	        strstr(text, info.unified && !_i ? ",shared,65536,both," : ",pinned,65536,both,"));
	/* Points, two marks of legends, two axis titles. */
	ck_assert_uint_eq(written_count(check_svg(), "transform=\"translate("), 33 + 32 + 2 + 2);
	text = written_text(written.out);
	ck_assert_ptr_nonnull(strstr(text, "staged down"));
	ck_assert_ptr_nonnull(strstr(text, "stride GB/s"));
	ck_assert_ptr_null(strstr(text, "WRONG"));
}
END_TEST

START_TEST(as_json)
{
	struct tool_args args = { .op = -1, .size = 5, .json = 1 };
	json_t *json, *cell;
	size_t i;

	json = written_json(tool_transfer, &args, 0);
	ck_assert(json_is_null(json_object_get(json, "theoretical_GBps")));
	json_array_foreach(json_object_get(json, "cells"), i, cell)
	{
		ck_assert_str_eq(json_string_value(json_object_get(cell, "check")), "ok");
		ck_assert(json_integer_value(json_object_get(cell, "repeats")) >= TRANSFER_LEAST);
	}
	/* Whole words. */
	cell = json_array_get(json_object_get(json, "cells"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(cell, "bytes")), 4);
	json_decref(json);
}
END_TEST

/* Each failure is reported unless the library did not need the call, and no object is left. */
START_TEST(failures)
{
	struct tool_args args = { .op = -1, .size = 4096 };
	long n, told = 0;
	int rc = 0;

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	failed = 1;
	for (n = 1; failed; n += 1 + n / 4) {
		failing = n;
		rc = written_run(transfer_failing, &args);
		ck_assert_int_ge(1, rc);
		told += rc;
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_ge(told, 10);
	args.csv = "/dev/null/csv";
	ck_assert_int_eq(written_run(tool_transfer, &args), 1);
	args.csv = NULL;
	args.svg = "/dev/full";
	ck_assert_int_eq(access("/dev/full", W_OK) == 0 ? written_run(tool_transfer, &args) : 1, 1);
}
END_TEST

SUITE(transfer, long)
{
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, formulas);
	tcase_add_test(c, contents_differ);
	tcase_add_test(c, cells);
	tcase_add_test(c, plot_numbers);
	tcase_add_test(c, plot);
	tcase_add_loop_test(c, files, 0, 2);
	tcase_add_test(c, as_json);
	tcase_add_test(c, failures);
}
