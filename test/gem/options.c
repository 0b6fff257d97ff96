/* SPDX-License-Identifier: MIT */
/*
 * options.c - the options of clopt-gem, and the arguments that it gives the library.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gem_tests.h"

/* Reads settings from a command line; messages go to the file. */
static int settings_from(const char *line, struct gem_settings *o, int to)
{
	static char words[300]; /* the settings point into it */
	static char *argv[20]; /* and into this */
	char *w;
	int argc = 1, rc, keep;

	ck_assert(strlen(line) < sizeof words && to >= 0);
	argv[0] = (char *)"/a/path/of/clopt-gem";
	strcpy(words, line);
	for (w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	fflush(stderr);
	keep = dup(STDERR_FILENO);
	dup2(to, STDERR_FILENO);
	rc = gem_settings_read(o, argc, argv);
	fflush(stderr);
	dup2(keep, STDERR_FILENO);
	close(keep);
	close(to);
	return rc;
}

int read_settings(const char *line, struct gem_settings *o)
{
	return settings_from(line, o, open("/dev/null", O_WRONLY));
}

START_TEST(settings)
{
	struct gem_settings o, one;

	ck_assert_int_eq(read_settings("m.pqr", &o), -1);
	ck_assert_str_eq(o.molecule, "m.pqr");
	ck_assert(o.mode == CLOPT_LAW_COULOMB && o.eps_in == 1 && o.eps_out == 80 &&
	          o.alpha == 0.571412);
	ck_assert(!o.vertices && !gem_on_grid(&o) && o.by == -1 && o.unit == 0 &&
	          !o.out[GEM_BY_CSV]);
	ck_assert_int_eq(read_settings("--eps 4 --units mV --field --csv x m.pqr", &o), -1);
	ck_assert(o.eps_in == 4 && o.unit == 2 && o.field && gem_given(&o, "eps"));
	ck_assert_int_eq(read_settings("--mode alpb --eps-in 2 --projection -1.5 --part reaction "
	                               "--kappa 0.1 --vertices v --by residue m.pqr",
	                               &o),
	                 -1);
	ck_assert(o.mode == CLOPT_LAW_ALPB && o.part == CLOPT_PART_REACTION && o.eps_in == 2);
	ck_assert(o.projection == -1.5 && o.kappa == 0.1 && o.by == GEM_BY_RESIDUE);
	ck_assert_str_eq(o.out[GEM_BY_CSV], "/dev/stdout");
	ck_assert_int_eq(read_settings("--json --by chain --grid 9 --dx d --margin 3 m.pqr", &o),
	                 -1);
	ck_assert(!o.out[GEM_BY_CSV] && o.grid.n == 1 && o.grid.v[0] == 9 && o.margin == 3);
	ck_assert_int_eq(read_settings("--csv d/%s.csv --ply %s.%s a/m.pqr n", &o), -1);
	ck_assert(o.count == 2 && gem_several(&o));
	ck_assert_int_eq(gem_settings_each(&one, &o, 0, 42, &test_error), 0);
	ck_assert_str_eq(one.name, "m-00042");
	ck_assert_str_eq(one.out[GEM_CSV], "d/m-00042.csv");
	ck_assert_str_eq(one.out[GEM_PLY], "m-00042.m-00042");
	ck_assert_int_eq(gem_settings_each(&one, &o, 1, 0, &test_error), 0);
	ck_assert_str_eq(one.molecule, "n");
	ck_assert_str_eq(one.out[GEM_CSV], "d/n.csv");
}
END_TEST

START_TEST(settings_errors)
{
	static const char *const bad[] = {
		"",
		"--csv x a.pqr b.pqr",
		"--csv x --models a.pqr",
		"--csv %s.csv a/m.pqr b/m.pqr",
		"--csv examples/data/%s.pqr b.pqr examples/data/1a0q.pqr",
		"--film x.mp4 m.pqr",
		"--film x --models m.pqr",
		"m.pqr frames.xtc",
		"--trajectory README.md --models --table x m.pqr",
		"--trajectory README.md --table x m.pqr n.pqr",
		"--trajectory README.md --csv x m.pqr",
		"--trajectory README.md --every 0 --table x m.pqr",
		"--every 2 m.pqr",
		"--trajectory README.md --table README.md m.pqr",
		"--view 0,0,1 m.pqr",
		"--view 0,0,0 --png x.png m.pqr",
		"--view 1 --png x.png m.pqr",
		"--views m.pqr",
		"--transparent --film x.mp4 --models m.pqr",
		"--film x.mp4 --grid 9 --models m.pqr",
		"--bogus m.pqr",
		"--mode foo m.pqr",
		"--forcefield AMBER m.pqr",
		"--ph 7 m.pqr",
		"--ph 15 m.pdb",
		"--mode alpb --units J m.pqr",
		"--radius 3 m.pqr",
		"--part reaction m.pqr",
		"--eps 0 m.pqr",
		"--mode distance4 --eps 2 m.pqr",
		"--mode debye m.pqr",
		"--mode debye --ionic 0.1 --kappa 0.1 m.pqr",
		"--mode debye --ionic -0.1 m.pqr",
		"--temperature 300 m.pqr",
		"--constants gem --units kT --temperature 300 m.pqr",
		"--points p --grid 9 m.pqr",
		"--points p --vertices v m.pqr",
		"--mode alpb --points p --projection 1 m.pqr",
		"--grid 1 m.pqr",
		"--grid 2.5 m.pqr",
		"--grid 9,9 m.pqr",
		"--grid 9,9,9 m.pqr",
		"--grid 9 --spacing 1 m.pqr",
		"--spacing 1,0,1 m.pqr",
		"--spacing 1, m.pqr",
		"--origin 0,0,0 m.pqr",
		"--grid 9 --origin 0,0,0 m.pqr",
		"--grid 9,9,9 --spacing 1 --margin 3 m.pqr",
		"--spacing 1 --grid-like README.md m.pqr",
		"--grid 9 --ply x m.pqr",
		"--dx x m.pqr",
		"--mrc x m.pqr",
		"--grid 9 --grid-like x m.pqr",
		"--points p --difference x m.pqr",
		"--grid-like README.md --dx README.md m.pqr",
		"--grid-like x --ply y m.pqr",
		"--margin 3 m.pqr",
		"--by-csv x m.pqr",
		"--by atom m.pqr",
		"--approx none m.pqr",
		"--csv x --grid 9 --dx x m.pqr",
		"--by chain --csv /dev/stdout m.pqr",
		"--by chain --csv - m.pqr",
		"--range 5 --csv x m.pqr",
		"--size 90 --ply x m.pqr",
		"--bfactor x --grid 9 m.pqr",
		"--bfactor x --table x m.pqr",
		"--table README.md --points README.md m.pqr",
		"--field --json m.pqr",
		"--energy m.pqr",
		"--mode alpb --part coulomb --energy m.pqr",
		"--mode alpb --gem-compat --energy m.pqr",
		"--probe 1.4 --vertices v m.pqr",
		"--density 5 --points p m.pqr",
		"--mode alpb --density 5 --grid 9 m.pqr",
		"--surface sas --vertices v m.pqr",
		"--surface sas --cavities m.pqr",
		"--probe 1.4 --mode debye --kappa 1 --grid 9 m.pqr",
		"--probe 1.4 --mode alpb --grid 9 --vertices v m.pqr",
		"--eps-in 80 --eps 2 m.pqr",
		"--mode debye --kappa 0.1 --eps 2 --eps-out 80 m.pqr",
		"--mode alpb --part coulomb --eps-out 70 m.pqr",
		"--variant nope m.pqr",
		"--csv ./examples/data/1a0q.pqr examples/data/1a0q.pqr",
		"--points README.md --csv README.md m.pqr",
		"--mode alpb --points p --vertices README.md --csv README.md m.pqr",
	};
	struct gem_settings o;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(read_settings(bad[i], &o) == EXIT_MISUSED, "taken: %s", bad[i]);
}
END_TEST

/* All messages begin alike, are short, and end with a pointer to help. */
START_TEST(messages)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{ "--bogus m.pqr", "--bogus" },
		{ "m.pqr --csv", "--csv" },
		{ "--mode foo m.pqr", "'foo'" },
		{ "--mode= m.pqr", "''" },
		{ "m.dcd", "give it by --trajectory" },
		{ "--variant nope m.pqr", "`clopt list potential'" },
	};
	char path[] = "/tmp/clopt-test-XXXXXX", text[400];
	struct gem_settings o;
	size_t i, n;
	FILE *f;

	close(mkstemp(path));
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_int_eq(settings_from(bad[i].line, &o, open(path, O_WRONLY | O_TRUNC)),
		                 EXIT_MISUSED);
		f = fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		n = fread(text, 1, sizeof text - 1, f);
		fclose(f);
		text[n] = 0;
		ck_assert_msg(strncmp(text, "clopt-gem: ", 11) == 0 && strstr(text, bad[i].says) &&
		                      strlen(text) < 160,
		              "%s", text);
	}
	unlink(path);
}
END_TEST

/* Constants, units and salt reach the library as given. */
START_TEST(told)
{
	struct gem_settings o;
	struct gem_molecule m;
	struct gem_model d;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 2.5\n", &m), 0);
	read_settings("--units kT --temperature 300 m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), 0);
	ck_assert_msg(fabs(d.potential.scale / 332.06371 - 1.677398) < 1e-5, "%g",
	              d.potential.scale);
	ck_assert_str_eq(d.unit.label, "kT/e");
	read_settings("--mode alpb --constants gem --units kT --ionic 0.25 m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), 0);
	ck_assert(fabs(d.potential.scale - 332 / 0.592) < 1e-9);
	ck_assert(fabs(d.potential.kappa - 0.158) < 1e-12);
	ck_assert_msg(fabs(d.potential.radius - 2.5) < 1e-6, "%g", d.potential.radius);
	read_settings("--mode alpb --radius 7 --ionic 0.25 --eps-out 78.54 m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), 0);
	ck_assert_msg(fabs(d.potential.kappa - 0.328641 / 2) < 1e-5, "%g", d.potential.kappa);
	ck_assert(d.potential.radius == 7);
	/* Ions are in the solvent, so the sum that they screen takes its dielectric constant. */
	read_settings("--mode debye --ionic 0.15 --eps-out 78.54 m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), 0);
	ck_assert(d.potential.eps_in == 78.54 && d.potential.eps_out == 78.54);
	ck_assert(fabs(d.potential.kappa - 0.328641 * sqrt(0.15)) < 1e-5);
	read_settings("--mode debye --ionic 0.15 --eps 4 m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), 0);
	ck_assert(d.potential.eps_in == 4 && d.potential.eps_out == 80);
	gem_molecule_free(&m);
	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 0\n", &m), 0);
	read_settings("--mode alpb m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), -1);
	ck_assert(strstr(test_error.text, "--radius") != NULL);
	gem_molecule_free(&m);
}
END_TEST

void gem_options_tests(TCase *c)
{
	tcase_add_test(c, settings);
	tcase_add_test(c, settings_errors);
	tcase_add_test(c, messages);
	tcase_add_test(c, told);
}
