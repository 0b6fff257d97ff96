/* SPDX-License-Identifier: MIT */
/*
 * laws.c - `clopt bench --law', and the help.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "command/command.h"
#include "suites.h"

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
		ck_assert_msg(!strncmp(line, "potential,70x70 float32 alpb-salt,", 34) &&
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
	if (test_all())
		tcase_add_test(c, bench);
	tcase_add_test(c, help);
}
