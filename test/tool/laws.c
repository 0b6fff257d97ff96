/* SPDX-License-Identifier: MIT */
/*
 * laws.c - `clopt bench --law': the bench's calls and checks of each law; and the help.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "cases/op.h"
#include "command/command.h"
#include "suites.h"
#include "wrap.h"

/* Scales other than 1 change the lengths of a law, too. */
static const struct shape shapes[] = {
	{ .dim = { 70, 33 }, .family = CASE_UNIFORM, .scale = 1, .alpha = 1 },
	{ .dim = { 300, 257 }, .family = CASE_UNIFORM, .scale = 20, .alpha = 332.06371 },
	{ .dim = { 65, 130 }, .family = CASE_COINCIDENT, .scale = 1, .alpha = -0.5 },
	{ .dim = { 1, 1 }, .family = CASE_UNIFORM, .scale = 1, .alpha = 1 },
};

START_TEST(right)
{
	struct clopt *ctx = test_open(NULL);
	struct case_result r;
	char text[256];
	size_t i;

	for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct shape s = shapes[i];

		s.elem_bytes = 4;
		s.law = _i;
		ck_assert_int_eq(case_run(ctx, case_law_op(_i), &s, i + 1, &r), CLOPT_OK);
		case_explain(&r, text, sizeof text);
		ck_assert_msg(case_passed(&r) && r.checked, "%s: %s", clopt_law_name(_i), text);
	}
	ck_assert(wrap_fences() == 0);
	test_close(ctx);
}
END_TEST

/* The result of one law is wrong for each other law of the operation. */
START_TEST(apart)
{
	struct clopt *ctx = test_open(NULL);
	const int op = case_law_op(_i);
	struct shape s = shapes[0];
	struct case_job *job;
	struct case_result r;
	int law;

	s.elem_bytes = 4;
	s.law = _i;
	ck_assert_int_eq(case_open(&job, op, &s, 1), CLOPT_OK);
	CHECK_OK(ctx, case_call(ctx, job));
	for (law = CLOPT_LAW_COULOMB; law < CLOPT_LAWS; law++) {
		/* Without normals there is no result to compare with. */
		if (case_law_op(law) != op || law_has_normals(law) > law_has_normals(_i))
			continue;
		job->s.law = law;
		ck_assert_int_eq(case_check(job, 0, &r), CLOPT_OK);
		ck_assert_msg(case_passed(&r) == (law == _i), "%s passes for %s: %d",
		              clopt_law_name(_i), clopt_law_name(law), case_passed(&r));
	}
	case_close(job);
	test_close(ctx);
}
END_TEST

/* All rows that serve the law have a time, and the problem's name has the law's. */
START_TEST(bench)
{
	char csv[] = "/tmp/clopt-laws-XXXXXX", line[512];
	const struct tool_args args = {
		.op = CLOPT_OP_POTENTIAL, .law = CLOPT_LAW_ALPB_SALT, .size = 70, .csv = csv
	};
	int rc, rows = 0, keep = dup(STDOUT_FILENO), file = mkstemp(csv);
	FILE *f;

	ck_assert(file >= 0);
	close(file);
	fflush(stdout);
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
	rc = tool_bench(&args);
	fflush(stdout);
	dup2(keep, STDOUT_FILENO);
	close(keep);
	ck_assert_int_eq(rc, 0);
	f = fopen(csv, "r");
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	for (; fgets(line, sizeof line, f); rows++)
		ck_assert_msg(!strncmp(line, "potential,70x70 float32 alpb-salt ", 34) &&
		                      strstr(line, ",ok,"),
		              "%s", line);
	ck_assert_int_gt(rows, 1);
	fclose(f);
	unlink(csv);
}
END_TEST

/* Help names every operation. */
START_TEST(help)
{
	static const char *const names[] = { "bench", "list" };
	const char *text;
	size_t i;
	int op;

	for (i = 0; i < 2; i++) {
		char *line[] = { "clopt", (char *)names[i], NULL };

		text = command_find(2, line)->help;
		for (op = 0; op < CLOPT_OPS; op++)
			ck_assert_msg(strstr(text, clopt_op_name(op)) != NULL, "%s: %s: %s",
			              names[i], clopt_op_name(op), text);
	}
}
END_TEST

SUITE(laws, long)
{
	test_add_rows(c, right, CLOPT_LAW_COULOMB, CLOPT_LAWS);
	test_add_rows(c, apart, CLOPT_LAW_COULOMB, CLOPT_LAWS);
	if (test_all())
		tcase_add_test(c, bench);
	tcase_add_test(c, help);
}
