/* SPDX-License-Identifier: MIT */
/*
 * kernels.c - clopt-gem builds kernels before the clock starts, and only those that run.
 * test/gem.py runs the program.
 */
#include <getopt.h>
#include <string.h>

#include "clopt-gem/write/write.h"
#include "suites.h"
#include "wrap.h"

/* Of one ion in a ball, at points in three regions and at the atom, and of the groups. */
static long built(int argc, char **argv)
{
	const double at[][3] = {
		{ 1, 2, -1 }, { 1, 3.5, 3 }, { 1, 2, 6.1 }, { 1, 9, 3 }, { 1, 2, 3 }
	};
	char molecule[] = "ATOM 1 X X 1 1 2 3 1 3\n";
	FILE *f = fmemopen(molecule, sizeof molecule - 1, "r");
	struct gem_work w = { 0 };
	struct fault e;
	long n;
	size_t i;

	optind = 1;
	ck_assert_int_eq(gem_settings_read(&w.o, argc, argv), -1);
	ck_assert(f && gem_molecule_read(&w.m, f, "m.pqr", NULL, &e) == 0 && fclose(f) == 0);
	ck_assert_int_eq(gem_dots(&w.surface, &w.m, 1.5, 20, &e), 0);
	for (i = 0; i < 5; i++)
		ck_assert_int_eq(gem_points_add(&w.p, at[i], NULL, &e), 0);
	ck_assert(gem_groups(&w.groups, &w.m, 0, &e) == 0 &&
	          gem_model(&w.model, &w.o, &w.m, &e) == 0);
	wrap_programs();
	ck_assert_msg(gem_run(&w, &e) == 0, "%s", e.text);
	n = wrap_programs();
	clopt_close(w.c);
	gem_groups_free(&w.groups);
	gem_result_free(&w.r);
	gem_points_free(&w.p);
	gem_points_free(&w.surface);
	gem_molecule_free(&w.m);
	return n;
}

START_TEST(built_before_timing)
{
	static const struct {
		const char *words[9];
		long kernels;
	} runs[] = {
		{ { "clopt-gem", "m.pqr" }, 1 },
		{ { "clopt-gem", "m.pqr", "--mode", "debye", "--ionic", "0.1" }, 1 },
		{ { "clopt-gem", "m.pqr", "--mode", "debye", "--ionic", "0" }, 1 },
		{ { "clopt-gem", "m.pqr", "--mode", "alpb", "--part", "coulomb" }, 1 },
		{ { "clopt-gem", "m.pqr", "--mode", "alpb" }, 3 },
		{ { "clopt-gem", "m.pqr", "--mode", "alpb", "--ionic", "0.1" }, 4 },
		{ { "clopt-gem", "m.pqr", "--mode=alpb", "--ionic=0.1", "--field", "--csv=x" }, 8 },
	};
	char *argv[9];
	long n;
	size_t i;
	int argc;

	for (i = 0; i < sizeof runs / sizeof *runs; i++) {
		memcpy(argv, runs[i].words, sizeof argv);
		for (argc = 0; argv[argc]; argc++)
			;
		n = built(argc, argv);
		ck_assert_msg(n == runs[i].kernels, "%zu: %ld kernels", i, n);
	}
}
END_TEST

SUITE(gem_kernels, long)
{
	tcase_add_test(c, built_before_timing);
}
