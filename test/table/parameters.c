/* SPDX-License-Identifier: MIT */
/*
 * parameters.c - rows with other settings of their parameters: their names, and their results.
 */
#include <stdio.h>
#include <string.h>

#include "problems.h"
#include "base/context.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

START_TEST(settings)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 100, 90, 80 } };
	char text[4096];

	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/reg-64x64x32:TK=16:out=32x32:wg=8x8"));
	/* In one order, and without settings that the row has by itself. */
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p),
	                 "matmul/reg-64x64x32:TK=16:wg=8x8:out=32x32");
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/reg-64x64x32:TK=32:wg=16x16,nbody/plain"));
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), "matmul/reg-64x64x32");
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "forced"));
	/* A combination that does not work is refused by the kernel, and not replaced silently. */
	CHECK_OK(ctx, clopt_force_variants(ctx, "nbody/tile-256:wg=256x1:out=64x1"));
	p = (struct clopt_problem){ .size = sizeof p, .op = CLOPT_OP_NBODY, .dim = { 9, 9 } };
	ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
	ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "whole targets a work-item"));
	test_close(ctx);
}
END_TEST

/* The example name in clopt.h. */
static void name_in_header(char *name, size_t size)
{
	static char text[1 << 18];
	FILE *f = fopen("include/clopt_tune.h", "r");
	const char *at;

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	at = strstr(text, ":wg=");
	ck_assert_ptr_nonnull(at);
	while (at[-1] != '"')
		at--;
	snprintf(name, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* The smallest problems of the operation that the variant in force computes. */
static void run_small(struct clopt *ctx, const struct variant *row, const char *name)
{
	const struct clopt_problem *p;
	struct outcome o;
	size_t n, done = 0;

	for (p = test_problems((int)row->op, &n); n-- && done < 2; p++) {
		if (!test_is_small(p) || test_is_empty(p) ||
		    !clopt_variant_runs(ctx, test_row(row->name), p, NULL, 0))
			continue;
		o = test_run(ctx, p, 1);
		ck_assert_msg(o.status == CLOPT_OK, "%s: %s", name, o.reason);
		done++;
	}
	ck_assert_msg(done > 0, "no problem for %s", name);
}

/* Each parameter of each file, with values that work together. */
static const struct {
	const char *row, *list;
} grids[] = {
	{ "matmul/packed-8x2", ":MR=4 :MR=6:ROWS=264 :NV=1 :KC=64 :STRIPS=1 :out=4096x72 "
	                       ":MR=12:NV=1:ROWS=192:out=4096x192" },
	{ "matmul/gemv-512", ":KC=512 :out=256x256" },
	{ "matmul/reg-64x64x16", ":TK=8 :wg=8x8 :wg=8x8:out=32x32" },
	{ "matmul/lds-64x64", ":TK_BYTES=16 :out=32x32" },
	{ "matmul/mfma-64x64-f64",
	  ":TK_BYTES=32:wg=64x1:WM=64:WN=64 :out=128x64:wg=256x1:WM=32:WN=64" },
	{ "matmul/mfma-half-64x64", ":WM=64:wg=64x1:TK_BYTES=64" }, /* others take PoCL minutes */
	{ "matmul/vec4-4x4", ":wg=8x8:out=32x32 :out=64x32" },
	{ "matmul/tile-16x16", ":wg=8x8:out=8x8" },
	{ "matmul/plain", ":wg=32x1:out=32x1" },
	{ "transpose/panel-256", ":out=256x64 :out=1024x512" },
	{ "transpose/vec4-64x64", ":BAND=1 :wg=16x8" },
	{ "transpose/shift-128x256", ":BAND=1 :out=128x128" },
	{ "transpose/tile-32x32", ":wg=32x4 :wg=16x4:out=16x16" },
	{ "transpose/plain", ":wg=32x8:out=32x8" },
	{ "nbody/tile-256", ":TILE=512 :UNROLL=8 :wg=64x1 :wg=128x1:out=512x1" },
	{ "potential/wide-16x4", ":LANES=8 :out=32x1 :out=128x1" },
	{ "nbody/vec-4", ":LANES=2 :wg=128x1:out=128x1" },
	{ "potential/split-32x8", ":wg=128x1 :out=16x1" },
	{ "potential/plain", ":wg=128x1:out=128x1" },
};

START_TEST(grid_points)
{
	const struct variant *row = clopt__variant(test_row(grids[_i].row));
	struct clopt *ctx = test_open(NULL);
	char name[160], why[256];
	const char *at;
	size_t n;

	if (!clopt_variant_runs(ctx, test_row(row->name), NULL, why, sizeof why)) {
		printf("%s cannot run here: %s\n", row->name, why);
		test_close(ctx);
		return;
	}
	for (at = grids[_i].list; *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		snprintf(name, sizeof name, "%s%.*s", row->name, (int)n, at);
		CHECK_OK(ctx, clopt_force_variants(ctx, name));
		run_small(ctx, row, name);
	}
	test_close(ctx);
}
END_TEST

START_TEST(example)
{
	const struct variant *row = clopt__variant(0);
	struct clopt *ctx = test_open(NULL);
	char name[160];

	name_in_header(name, sizeof name);
	CHECK_OK(ctx, clopt_force_variants(ctx, name));
	while (strncmp(row->name, name, strcspn(name, ":")))
		row = clopt__next_variant(row);
	run_small(ctx, row, name);
	test_close(ctx);
}
END_TEST

SUITE(parameters, long)
{
	tcase_add_test(c, example);
	tcase_add_test(c, settings);
	test_add_rows(c, grid_points, 0, (int)(sizeof grids / sizeof *grids));
}
