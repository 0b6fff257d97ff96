/* SPDX-License-Identifier: MIT */
/*
 * gem_what.c - what clopt-gem computes: its options, and the potential that they
 * ask for.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gem_tests.h"
#include "wrap.h"

int read_settings(const char *line, struct gem_settings *o)
{
	static char words[300]; /* the settings point into it */
	char *argv[20] = { (char *)"clopt-gem" }, *w;
	int argc = 1, rc, keep, null = open("/dev/null", O_WRONLY);

	ck_assert(strlen(line) < sizeof words && null >= 0);
	strcpy(words, line);
	for (w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	/* What it says is for the user. */
	fflush(stderr);
	keep = dup(STDERR_FILENO);
	dup2(null, STDERR_FILENO);
	rc = gem_settings_read(o, argc, argv);
	fflush(stderr);
	dup2(keep, STDERR_FILENO);
	close(keep);
	close(null);
	return rc;
}

START_TEST(settings)
{
	struct gem_settings o;

	ck_assert_int_eq(read_settings("m.pqr", &o), -1);
	ck_assert_str_eq(o.molecule, "m.pqr");
	ck_assert(o.mode == CLOPT_COULOMB && o.eps_in == 1 && o.eps_out == 80 &&
	          o.alpha == 0.571412);
	ck_assert(!o.vertices && !o.grid && o.by == -1 && o.unit == 0 && !o.by_csv);
	ck_assert_int_eq(read_settings("--eps 4 --units mV --field m.pqr", &o), -1);
	ck_assert(o.eps_in == 4 && o.unit == 2 && o.field && gem_given(&o, "eps"));
	ck_assert_int_eq(read_settings("--mode alpb --eps-in 2 --projection -1.5 --part reaction "
	                               "--kappa 0.1 --vertices v --by residue m.pqr",
	                               &o),
	                 -1);
	ck_assert(o.mode == CLOPT_ALPB && o.part == CLOPT_REACTION && o.eps_in == 2);
	ck_assert(o.projection == -1.5 && o.kappa == 0.1 && o.by == GEM_BY_RESIDUE);
	ck_assert_str_eq(o.by_csv, "/dev/stdout");
	ck_assert_int_eq(read_settings("--json --by chain --grid 9 --dx d --margin 3 m.pqr", &o),
	                 -1);
	ck_assert(!o.by_csv && o.grid == 9 && o.margin == 3);
}
END_TEST

START_TEST(settings_errors)
{
	static const char *const bad[] = {
		"",
		"a.pqr b.pqr",
		"--bogus m.pqr",
		"--mode foo m.pqr",
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
		"--grid 9 --ply x m.pqr",
		"--dx x m.pqr",
		"--margin 3 m.pqr",
		"--by-csv x m.pqr",
		"--by atom m.pqr",
		"--approx hcp m.pqr",
		"--csv x --grid 9 --dx x m.pqr",
		"--by chain --csv /dev/stdout m.pqr",
		"--csv - m.pqr",
	};
	struct gem_settings o;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(read_settings(bad[i], &o) == GEM_MISUSED, "taken: %s", bad[i]);
}
END_TEST

/* Constants, units and salt as the library gets them. */
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
	gem_molecule_free(&m);
	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 0\n", &m), 0);
	read_settings("--mode alpb m.pqr", &o);
	ck_assert_int_eq(gem_model(&d, &o, &m, &test_error), -1);
	ck_assert(strstr(test_error.text, "--radius") != NULL);
	gem_molecule_free(&m);
}
END_TEST

/* What a command line gives for m at p, which may be placed by a surface. */
static void compute(const char *line, const struct gem_molecule *m, const struct gem_points *p,
                    const struct gem_points *by, struct gem_groups *groups, struct gem_result *r)
{
	struct gem_settings o;
	struct gem_model model;
	struct gem_job job = { NULL, m, p, by, &model, 0, groups, 0 };

	ck_assert_int_eq(read_settings(line, &o), -1);
	ck_assert_msg(gem_model(&model, &o, m, &test_error) == 0, "%s", test_error.text);
	job.device = &o.device;
	job.field = o.field;
	ck_assert_msg(gem_run(r, &job, &test_error) == 0, "%s", test_error.text);
	ck_assert_int_eq(r->n, p->n);
}

static void load_protein(struct gem_molecule *m)
{
	const char *path = getenv("CLOPT_TEST_PQR");

	ck_assert_msg(gem_molecule_load(m, path ? path : "examples/data/1a0q.pqr", &test_error) ==
	                      0,
	              "%s (the tests run in the project's folder)", test_error.text);
}

/* The carried protein's potential at its surface, against a float64 sum. */
START_TEST(protein)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_result r = { 0 };
	double diff = 0, norm = 0;
	size_t i, j;

	load_protein(&m);
	ck_assert_int_eq(gem_surface(&p, &m, 1.5, 0.2, &test_error), 0);
	compute("m.pqr", &m, &p, NULL, NULL, &r);
	for (i = 0; i < p.n; i++) {
		double phi = 0;

		for (j = 0; j < m.n; j++) {
			const double x = p.at[i][0] - m.atom[j].x, y = p.at[i][1] - m.atom[j].y,
			             z = p.at[i][2] - m.atom[j].z;

			phi += 332.06371 * m.atom[j].q / sqrt(x * x + y * y + z * z);
		}
		diff += (r.value[i] - phi) * (r.value[i] - phi);
		norm += phi * phi;
	}
	ck_assert_msg(sqrt(diff / norm) < 1e-5, "relative rms %.3g", sqrt(diff / norm));
	gem_result_free(&r);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* The parts of the residues, and those of the chains, sum up to the whole. */
START_TEST(sums)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_groups g;
	struct gem_result r = { 0 };
	double mean, charge;
	size_t i, atoms;
	int by;

	load_protein(&m);
	ck_assert_int_eq(gem_surface(&p, &m, 1.5, 0.01, &test_error), 0);
	for (by = 0; by < 2; by++) {
		ck_assert_int_eq(gem_groups(&g, &m, by, &test_error), 0);
		compute("m.pqr", &m, &p, NULL, &g, &r);
		mean = charge = 0;
		atoms = 0;
		for (i = 0; i < g.n; i++) {
			mean += g.group[i].stats.mean;
			charge += g.group[i].charge;
			atoms += g.group[i].n;
		}
		ck_assert(atoms == m.n && fabs(charge - m.charge) < 1e-9);
		ck_assert_msg(fabs(mean - r.stats.mean) < 1e-4 * (1 + r.stats.rms), "%g, not %g",
		              mean, r.stats.mean);
		gem_result_free(&r);
		gem_groups_free(&g);
	}
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* One ion in a ball: outside it has the potential and the field of an ion in the
 * solvent (Born); inside the formula takes it to lie A / 2 deep.  The dots are
 * not everywhere, so points are placed a little wrong. */
START_TEST(born)
{
	const double k = 332.06371, ab = 0.571412 / 80, g = (1 - 1. / 80) / (1 + ab);
	const double at[][3] = { { 7, 2, 3 }, { 1, 2, -1 }, { 1, 3.5, 3 }, { 1, 2, 6.1 } };
	const double want[] = { k / 80 / 6, k / 80 / 4,
		                k * (1 / 1.5 - g / sqrt(2.25 + 0.75 * 6.75) - g * ab / 3),
		                k / 80 / 3.1 };
	struct gem_molecule m;
	struct gem_points dots = { 0 }, p = { 0 };
	struct gem_result r = { 0 };
	size_t i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 3\n", &m), 0);
	ck_assert_int_eq(gem_surface(&dots, &m, 1.5, 20, &test_error), 0);
	compute("--mode alpb --field m.pqr", &m, &dots, NULL, NULL, &r);
	ck_assert_int_eq(r.in[GEM_LAYER], dots.n);
	for (i = 0; i < dots.n; i++) {
		ck_assert_msg(fabs(r.value[i] * 80 * 4.5 / k - 1) < 1e-4, "%g", (double)r.value[i]);
		ck_assert_msg(fabs(gem_normal_field(&dots, &r, i) * 80 * 4.5 * 4.5 / k - 1) < 1e-3,
		              "%g", gem_normal_field(&dots, &r, i));
	}
	gem_result_free(&r);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(gem_points_add(&p, at[i], NULL, &test_error), 0);
	compute("--mode alpb m.pqr", &m, &p, &dots, NULL, &r);
	ck_assert(r.in[GEM_INSIDE] == 1 && r.in[GEM_LAYER] == 2 && r.in[GEM_BEYOND] == 1);
	for (i = 0; i < 4; i++)
		ck_assert_msg(fabs(r.value[i] / want[i] - 1) < 0.01, "%g, not %g",
		              (double)r.value[i], want[i]);
	gem_result_free(&r);
	gem_points_free(&p);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

/* Kernels are built before the clock runs, and no other than those that run. */
START_TEST(built)
{
	static const struct {
		const char *line;
		long kernels; /* of the points' three regions, and of the groups */
	} runs[] = {
		{ "m.pqr", 1 },
		{ "--mode debye --ionic 0.1 m.pqr", 1 },
		{ "--mode alpb m.pqr", 2 },
		{ "--mode alpb --ionic 0.1 m.pqr", 3 },
		{ "--mode alpb --ionic 0.1 --field m.pqr", 6 },
	};
	const double at[][3] = { { 1, 2, -1 }, { 1, 3.5, 3 }, { 1, 2, 6.1 }, { 1, 9, 3 } };
	struct gem_molecule m;
	struct gem_points dots = { 0 }, p = { 0 };
	struct gem_groups g;
	struct gem_result r;
	size_t i;
	long n;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 3\n", &m), 0);
	ck_assert_int_eq(gem_surface(&dots, &m, 1.5, 20, &test_error), 0);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(gem_points_add(&p, at[i], NULL, &test_error), 0);
	for (i = 0; i < sizeof runs / sizeof *runs; i++) {
		ck_assert_int_eq(gem_groups(&g, &m, 0, &test_error), 0);
		wrap_programs();
		compute(runs[i].line, &m, &p, &dots, &g, &r);
		n = wrap_programs();
		ck_assert_msg(n == runs[i].kernels, "%s: %ld kernels", runs[i].line, n);
		gem_result_free(&r);
		gem_groups_free(&g);
	}
	gem_points_free(&p);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

void gem_what_tests(TCase *c)
{
	tcase_add_test(c, settings);
	tcase_add_test(c, settings_errors);
	tcase_add_test(c, told);
	tcase_add_test(c, protein);
	tcase_add_test(c, sums);
	tcase_add_test(c, born);
	tcase_add_test(c, built);
}
