/* SPDX-License-Identifier: MIT */
/*
 * runs.c - the potentials that clopt-gem computes, and the kernels that it builds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem_tests.h"
#include "wrap.h"

/* Computes the potential of m at p with a command line; p may be placed by a surface. */
static void compute(const char *line, const struct gem_molecule *m, const struct gem_points *p,
                    const struct gem_points *by, struct gem_groups *groups, struct gem_result *r)
{
	struct gem_work w = { .m = *m, .p = *p };

	if (by)
		w.surface = *by;
	if (groups)
		w.groups = *groups;
	ck_assert_int_eq(read_settings(line, &w.o), -1);
	ck_assert_msg(gem_model(&w.model, &w.o, m, &test_error) == 0, "%s", test_error.text);
	ck_assert_msg(gem_run(&w, &test_error) == 0, "%s", test_error.text);
	*r = w.r;
	clopt_close(w.c);
	ck_assert_int_eq(r->n, p->n);
}

void load_protein(struct gem_molecule *m)
{
	const char *path = getenv("CLOPT_TEST_PQR");

	ck_assert_msg(gem_molecule_read(m, NULL, path ? path : "examples/data/1a0q.pqr", NULL,
	                                &test_error) == 0,
	              "%s (the tests run in the project's folder)", test_error.text);
}

/* The potential of the protein in data/ at its surface, against a float64 sum. */
START_TEST(protein)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_result r = { 0 };
	double diff = 0, norm = 0;
	size_t i, j;

	load_protein(&m);
	ck_assert_int_eq(gem_dots(&p, &m, 1.5, 0.2, &test_error), 0);
	compute("m.pqr", &m, &p, NULL, NULL, &r);
	for (i = 0; i < p.n; i++) {
		double phi = 0;

		for (j = 0; j < m.n; j++) {
			const double x = p.at[i][0] - m.atom[j].at[0],
			             y = p.at[i][1] - m.atom[j].at[1],
			             z = p.at[i][2] - m.atom[j].at[2];

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

/* The residues' parts, and the chains' parts, sum up to the whole. */
START_TEST(parts_sum_to_the_whole)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_groups g;
	struct gem_result r = { 0 };
	double mean, charge;
	size_t i, atoms;
	int by;

	load_protein(&m);
	ck_assert_int_eq(gem_dots(&p, &m, 1.5, 0.01, &test_error), 0);
	for (by = 0; by < 2; by++) {
		ck_assert_int_eq(gem_groups(&g, &m, by, &test_error), 0);
		compute("m.pqr", &m, &p, NULL, &g, &r);
		mean = charge = 0;
		atoms = 0;
		for (i = 0; i < g.n; i++) {
			mean += g.group[i].stats.mean;
			charge += gem_charge(&g.group[i].charge);
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

/* One ion in a ball has the potential and the field of Born's ion, exactly at its centre.  As in
 * GEM it lies at a depth of A / 2.  The dots have gaps, so points are placed a little wrong. */
START_TEST(born)
{
	const double k = 332.06371, ab = 0.571412 / 80, g = (1 - 1. / 80) / (1 + ab);
	const double at[][3] = { { 7, 2, 3 }, { 1, 2, -1 }, { 1, 3.5, 3 }, { 1, 2, 6.1 } };
	const double want[] = { k / 80 / 6, k / 80 / 4, k * (1 / 1.5 - (1 - 1. / 80) / 3),
		                k / 80 / 3.1 };
	const double centre[] = { 1, 2, 3 }, reaction = -k * (1 - 1. / 80) / 3;
	struct gem_molecule m;
	struct gem_points dots = { 0 }, p = { 0 };
	struct gem_result r = { 0 };
	size_t i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 3\n", &m), 0);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 20, &test_error), 0);
	compute("--mode alpb --field --csv x m.pqr", &m, &dots, NULL, NULL, &r);
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
	compute("--mode alpb --gem-compat m.pqr", &m, &p, &dots, NULL, &r);
	ck_assert_msg(fabs(r.value[2] / (k * (1 / 1.5 - g / sqrt(2.25 + 0.75 * 6.75))) - 1) < 0.01,
	              "%g", (double)r.value[2]);
	gem_result_free(&r);
	p.n = 0;
	ck_assert_int_eq(gem_points_add(&p, centre, NULL, &test_error), 0);
	compute("--mode alpb --part reaction m.pqr", &m, &p, &dots, NULL, &r);
	ck_assert_msg(fabs(r.value[0] / reaction - 1) < 1e-5, "%.9g, not %.9g", (double)r.value[0],
	              reaction);
	ck_assert_int_eq(r.deep, 0);
	gem_result_free(&r);
	gem_points_free(&p);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

/* Solvation energies: of Born's ion; of two ions near the surface, where a mesh is a little off, by
 * the formula, and its parts; in other units. */
START_TEST(energy)
{
	const double k = 332.06371, ab = 0.571412 / 80, g = (1 - 1. / 80) / (1 + ab);
	/* The terms with the images of either ion, at depths of 2 and 1 in a ball of 4, and the
	 * constant. */
	const double d[] = { 12. / 4, 7. / 4, sqrt(25 + 7 * 12. / 16) };
	const double own[] = { -g / d[0], -g * 4 / d[1], -g * 2 / d[2] };
	const double constant = -g * ab / 4;
	const double part[] = { k / 2 * (own[0] + own[2] + constant * (1 + 2)),
		                k / 2 * (own[1] + own[2] + constant * (2 + 4)) };
	struct gem_molecule m;
	struct gem_points dots = { 0 };
	struct gem_groups groups;
	struct gem_result r = { 0 };
	size_t i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 3\n", &m), 0);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 3, &test_error), 0);
	compute("--mode alpb --energy --units kT m.pqr", &m, &dots, NULL, NULL, &r);
	ck_assert_msg(fabs(r.energy * 0.592485 / (-k / 2 * (1 - 1. / 80) / 3) - 1) < 1e-5, "%.9g",
	              r.energy);
	ck_assert_int_eq(r.deep_atoms, 0);
	gem_result_free(&r);
	gem_points_free(&dots);
	gem_molecule_free(&m);

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 0 0 2 1 0\nATOM 2 Y Y 2 0 0 0 0 4\n"
	                               "ATOM 3 X X 1 0 0 -1 0 0\nATOM 4 Z Z 3 0 0 -3 2 0\n",
	                               &m),
	                 0);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 3, &test_error), 0);
	ck_assert_int_eq(gem_groups(&groups, &m, GEM_BY_RESIDUE, &test_error), 0);
	compute("--mode alpb --energy --radius 4 m.pqr", &m, &dots, NULL, &groups, &r);
	ck_assert_int_eq(groups.n, 4);
	for (i = 0; i < 2; i++)
		ck_assert_msg(fabs(groups.group[i ? 3 : 0].energy / part[i] - 1) < 0.02,
		              "%g, not %g", groups.group[i ? 3 : 0].energy, part[i]);
	ck_assert(groups.group[1].energy == 0 && groups.group[2].energy == 0);
	ck_assert(fabs(r.energy / (groups.group[0].energy + groups.group[3].energy) - 1) < 1e-12);
	gem_groups_free(&groups);
	gem_result_free(&r);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

/* Kernels are built before the clock starts, and only those that run. */
START_TEST(builds_kernels_before_timing)
{
	static const struct {
		const char *line;
		long kernels; /* of the three regions and the point at an atom, and of the groups */
	} runs[] = {
		{ "m.pqr", 1 },
		{ "--mode debye --ionic 0.1 m.pqr", 1 },
		{ "--mode debye --ionic 0 m.pqr", 1 },
		{ "--mode alpb --part coulomb m.pqr", 1 },
		{ "--mode alpb m.pqr", 3 },
		{ "--mode alpb --ionic 0.1 m.pqr", 4 },
		{ "--mode alpb --ionic 0.1 --field --csv x m.pqr", 8 },
	};
	const double at[][3] = {
		{ 1, 2, -1 }, { 1, 3.5, 3 }, { 1, 2, 6.1 }, { 1, 9, 3 }, { 1, 2, 3 }
	};
	struct gem_molecule m;
	struct gem_points dots = { 0 }, p = { 0 };
	struct gem_groups g;
	struct gem_result r;
	size_t i;
	long n;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 3\n", &m), 0);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 20, &test_error), 0);
	for (i = 0; i < 5; i++)
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

/* Inside a ball with an ion off its centre: without its Coulomb part at the ion, and no deeper than
 * the formula's range. */
START_TEST(inside)
{
	const double k = 332.06371, ab = 0.571412 / 80, g = (1 - 1. / 80) / (1 + ab);
	/* The dots are on a sphere, so these points are as deep as points near its centre. */
	const double at[][3] = { { 1, 2, 5 }, { 1, 2, 3.03 }, { 1, 2, 3 }, { 1, 2, 5.01 } };
	const double r[] = { 2, 0.03, 0, 2.01 }, d[] = { 0, 1.97, 2, 0.01 };
	struct gem_molecule m;
	struct gem_points dots = { 0 }, p = { 0 };
	struct gem_result with = { 0 }, reaction = { 0 };
	size_t i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 0 4\nATOM 2 Y X 1 1 2 5 1 0\n", &m), 0);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 20, &test_error), 0);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(gem_points_add(&p, at[i], NULL, &test_error), 0);
	compute("--mode alpb --radius 4 --field --csv x m.pqr", &m, &p, &dots, NULL, &with);
	compute("--mode alpb --radius 4 --part reaction m.pqr", &m, &p, &dots, NULL, &reaction);
	ck_assert(with.in[GEM_INSIDE] == 4 && with.at_atoms == 4);
	for (i = 0; i < 4; i++) {
		const double h = 1 - r[i] * r[i] / 16, image = -g / sqrt(d[i] * d[i] + 12 * h);
		const double want = k * (image - g * ab / 4), own = d[i] > 0 ? k / d[i] : 0;

		ck_assert_msg(fabs(reaction.value[i] / want - 1) < 0.02, "%zu: %g, not %g", i,
		              (double)reaction.value[i], want);
		ck_assert_msg(fabs(with.value[i] - reaction.value[i] - own) <
		                      1e-5 * (own + fabs(want)),
		              "%zu: %g, not %g", i, (double)with.value[i], want + own);
		ck_assert(fabs((double)with.field[i][2]) < 1.01 * (own * own / k + 20));
	}
	gem_result_free(&with);
	gem_result_free(&reaction);
	compute("--mode alpb --radius 0.5 --field --csv x m.pqr", &m, &p, &dots, NULL, &with);
	ck_assert(with.deep == 4 && isfinite(with.stats.rms));
	gem_result_free(&with);
	gem_points_free(&p);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

/* The potential of the protein in data/ at its own atoms is that of the other atoms and of the
 * solvent, some hundreds of kcal/mol/e. */
START_TEST(atoms)
{
	struct gem_molecule m;
	struct gem_points dots = { 0 }, p = { 0 };
	struct gem_result r = { 0 };
	size_t i;

	load_protein(&m);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 0.5, &test_error), 0);
	for (i = 0; i < 300; i++)
		ck_assert_int_eq(gem_points_add(&p, m.atom[i].at, NULL, &test_error), 0);
	compute("--mode alpb --ionic 0.1 m.pqr", &m, &p, &dots, NULL, &r);
	ck_assert_int_eq(r.at_atoms, 300);
	ck_assert_msg(r.stats.rms < 300 && r.stats.min > -1000 && r.stats.max < 1000,
	              "%g to %g, rms %g", r.stats.min, r.stats.max, r.stats.rms);
	gem_result_free(&r);
	gem_points_free(&dots);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* One ion at a node, but for rounding of its coordinates, in any mode: no pole, and the same result
 * wherever the ion is. */
START_TEST(node_at_ion)
{
	static const char *const line[] = { "m.pqr", "--mode alpb m.pqr",
		                            "--mode alpb --part reaction m.pqr",
		                            "--mode debye --kappa 0.1 m.pqr",
		                            "--mode distance4 m.pqr" };
	struct gem_molecule m[2];
	struct gem_points p, dots;
	struct gem_grid g;
	struct gem_result r[2];
	size_t i, k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 0 0 0 1 1.5\n", &m[0]), 0);
	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 11.104 6.134 -6.504 1 1.5\n", &m[1]), 0);
	for (i = 0; i < sizeof line / sizeof *line; i++) {
		for (k = 0; k < 2; k++) {
			ck_assert_int_eq(
			        gem_grid(&g, &p, &m[k],
			                 &(struct gem_box){ .nodes = { 33 }, .margin = 10 },
			                 &test_error),
			        0);
			ck_assert_int_eq(gem_dots(&dots, &m[k], 1.5, 3, &test_error), 0);
			compute(line[i], &m[k], &p, &dots, NULL, &r[k]);
			ck_assert_int_eq(r[k].touching, 1);
			ck_assert_msg(r[k].stats.max < 1000, "%s: %g", line[i], r[k].stats.max);
			gem_points_free(&dots);
			gem_points_free(&p);
		}
		ck_assert_msg(fabs(r[0].stats.rms / r[1].stats.rms - 1) < 1e-4 &&
		                      fabs(r[0].stats.min - r[1].stats.min) < 1e-2,
		              "%s: %g and %g", line[i], r[0].stats.rms, r[1].stats.rms);
		gem_result_free(&r[0]);
		gem_result_free(&r[1]);
	}
	/* The solvent's reaction to the ion is there, too. */
	ck_assert_int_eq(gem_grid(&g, &p, &m[1], &(struct gem_box){ .nodes = { 33 }, .margin = 10 },
	                          &test_error),
	                 0);
	ck_assert_int_eq(gem_dots(&dots, &m[1], 1.5, 3, &test_error), 0);
	compute(line[2], &m[1], &p, &dots, NULL, &r[0]);
	ck_assert_msg(fabs(r[0].stats.min + 332.06371 * (1 - 1. / 80) / 1.5) < 0.01, "%g",
	              r[0].stats.min);
	gem_result_free(&r[0]);
	gem_points_free(&dots);
	gem_points_free(&p);
	gem_molecule_free(&m[0]);
	gem_molecule_free(&m[1]);
}
END_TEST

/* By a tree: the values differ by less than the tolerance, and the summary has the error that was
 * found.  A device of many compute units would sum all pairs of so few atoms sooner, so it has none
 * here. */
START_TEST(tolerance)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_result r[2] = { { 0 }, { 0 } };
	double diff = 0, norm = 0;
	size_t i;

	load_protein(&m);
	ck_assert_int_eq(gem_dots(&p, &m, 1.5, 1, &test_error), 0);
	compute("m.pqr", &m, &p, NULL, NULL, &r[0]);
	wrap_no_units(1);
	compute("--tolerance 0.2 m.pqr", &m, &p, NULL, NULL, &r[1]);
	wrap_no_units(0);
	ck_assert(!r[0].tree_order && r[1].tree_order && r[1].error_99 > 0 && r[1].error_99 < 0.2);
	for (i = 0; i < p.n; i++) {
		diff += pow((double)r[1].value[i] - (double)r[0].value[i], 2);
		norm += pow((double)r[0].value[i], 2);
	}
	ck_assert_msg(diff > 0 && sqrt(diff / norm) < 0.2, "relative rms %.3g", sqrt(diff / norm));
	gem_result_free(&r[0]);
	gem_result_free(&r[1]);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* The kernel that is told did most of the work, and not the last bit of it. */
START_TEST(busiest)
{
	struct gem_molecule m;
	struct gem_points p = { 0 }, dots = { 0 };
	struct gem_result r = { 0 };
	char alone[sizeof r.variant];
	double at[3];
	int i;

	load_protein(&m);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 0.2, &test_error), 0);
	for (i = 0; i < 20000; i++) {
		at[0] = m.centre[0] + 100 + i % 100;
		at[1] = m.centre[1] + i / 100;
		at[2] = m.centre[2];
		ck_assert_int_eq(gem_points_add(&p, at, NULL, &test_error), 0);
	}
	compute("--mode alpb m.pqr", &m, &p, &dots, NULL, &r);
	strcpy(alone, r.variant);
	gem_result_free(&r);
	/* Three at atoms are another call, which the host computes. */
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(gem_points_add(&p, m.atom[i].at, NULL, &test_error), 0);
	compute("--mode alpb m.pqr", &m, &p, &dots, NULL, &r);
	ck_assert_uint_gt(r.at_atoms + r.in[GEM_INSIDE], 0);
	ck_assert_str_eq(r.variant, alone);
	gem_result_free(&r);
	gem_points_free(&dots);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

void gem_runs_tests(TCase *c)
{
	tcase_add_test(c, tolerance);
	tcase_add_test(c, protein);
	tcase_add_test(c, parts_sum_to_the_whole);
	tcase_add_test(c, born);
	tcase_add_test(c, energy);
	tcase_add_test(c, builds_kernels_before_timing);
	tcase_add_test(c, inside);
	tcase_add_test(c, atoms);
	tcase_add_test(c, node_at_ion);
	tcase_add_test(c, busiest);
}
