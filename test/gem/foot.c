/* SPDX-License-Identifier: MIT */
/*
 * foot.c - positions of points relative to atoms and to the surface that clopt-gem makes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem_tests.h"

/* Two balls of radius 2 that a probe of 1.5 cannot pass between: its centre comes no
 * nearer to the middle than sqrt(3.5^2 - 2^2). */
START_TEST(crease)
{
	static const struct {
		double at[3], distance;
	} want[] = {
		{ { 0, 0, 0 }, 1.5 - 2.872281323269 },
		{ { 0, 1, 0 }, 1.5 - 1.872281323269 },
		{ { 0, -1.6, 0 }, 1.5 - 1.272281323269 }, /* outside; the nearest dots look away */
		{ { 0, 0, 2.872281323269 }, 1.5 },
		{ { 0, 4, 0 }, 2.4721359549996 }, /* beyond the dots, seen from both balls */
		{ { 2, 0, 1 }, -1 },
		{ { 5, 0, 0 }, 1 },
		{ { -2, 30, 0 }, 28 },
	};
	struct gem_molecule m;
	struct gem_points dots;
	struct gem_marks marks;
	struct gem_foot t;
	size_t i;
	int k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 -2 0 0 1 2\nATOM 2 X X 1 2 0 0 1 2\n", &m), 0);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 20, &test_error), 0);
	ck_assert_int_eq(gem_marks(&marks, &dots, &m), 0);
	for (i = 0; i < sizeof want / sizeof *want; i++) {
		gem_foot(&t, &marks, want[i].at);
		ck_assert_msg(fabs(t.distance - want[i].distance) < 0.02, "%zu: %g, not %g", i,
		              t.distance, want[i].distance);
		for (k = 0; k < 3; k++)
			ck_assert(fabs(t.at[k] + t.distance * t.normal[k] - want[i].at[k]) < 1e-9);
	}
	gem_marks_free(&marks);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

static int in_atoms(const struct gem_molecule *m, const double at[3])
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		const struct gem_atom *a = &m->atom[i];
		const double x = at[0] - a->at[0], y = at[1] - a->at[1], z = at[2] - a->at[2];

		if (x * x + y * y + z * z < a->r * a->r)
			return 1;
	}
	return 0;
}

/* Points in an atom are inside the molecule, with dots and with vertices whose normals are
 * wrong. */
START_TEST(in_an_atom)
{
	struct gem_molecule m;
	struct gem_points dots, nodes;
	struct gem_marks marks;
	struct gem_grid g;
	struct gem_foot t;
	size_t i, by;
	int k;

	load_protein(&m);
	ck_assert_int_eq(gem_dots(&dots, &m, 1.5, 1, &test_error), 0);
	ck_assert_int_eq(gem_grid(&g, &nodes, &m, &(struct gem_box){ .nodes = { 25 }, .margin = 0 },
	                          &test_error),
	                 0);
	ck_assert(g.in_atoms > 1000);
	for (by = 0; by < 2; by++) {
		ck_assert_int_eq(gem_marks(&marks, &dots, &m), 0);
		for (i = 0; i < nodes.n; i++) {
			gem_foot(&t, &marks, nodes.at[i]);
			ck_assert(isfinite(t.distance));
			ck_assert_msg(!in_atoms(&m, nodes.at[i]) || t.distance < 1e-3,
			              "%g %g %g: %g", nodes.at[i][0], nodes.at[i][1],
			              nodes.at[i][2], t.distance);
		}
		gem_marks_free(&marks);
		dots.rolled = 0;
		for (i = 0; i < dots.n; i++)
			for (k = 0; k < 3; k++)
				dots.normal[i][k] *= i % 2 ? 1 : -1;
	}
	gem_points_free(&nodes);
	gem_points_free(&dots);
	gem_molecule_free(&m);
}
END_TEST

/* A point that is an atom's place but for rounding gets the atom's exact coordinates, so that its
 * charge adds nothing there, in every mode. */
START_TEST(touching)
{
	static const double at[][3] = { { 11.104, 6.134, -6.504 }, { 11.104, 7.134, -6.504 } };
	const double off[] = { 0, 1e-15, 3e-10, -9e-7, 1e-5 };
	struct gem_model model = { { "", "", 1, 1 }, CLOPT_POTENTIAL_OPTIONS_INIT };
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_places o;
	double v[3];
	float want;
	size_t i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 11.104 6.134 -6.504 1 1\n"
	                               "ATOM 2 X X 1 31.25 -70.1 0.7 1 1\n",
	                               &m),
	                 0);
	for (i = 0; i < 6; i++) {
		memcpy(v, at[i == 5], sizeof v);
		v[0] += i < 5 ? off[i] : 0;
		ck_assert_int_eq(gem_points_add(&p, v, NULL, &test_error), 0);
	}
	want = (float)(at[0][0] - m.centre[0]);
	ck_assert_int_eq(test_place(&o, &p, NULL, &m, &model), 0);
	ck_assert_int_eq(o.touching, 4);
	for (i = 0; i < 4; i++)
		ck_assert(o.batch[GEM_LAYER].target[i][0] == want);
	ck_assert(o.batch[GEM_LAYER].target[4][0] != want);
	gem_places_free(&o);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* Points that a projection moves into an atom are counted, and points near a charge; not those that
 * are moved inward on purpose, nor those at an atom without a charge. */
START_TEST(not_what_it_seems)
{
	static const double go[] = { 3, 1, -1 };
	static const size_t in_atoms[] = { 1, 0, 0 }, near[] = { 0, 2, 0 };
	struct gem_model model = { { "", "", 1, 1 }, CLOPT_POTENTIAL_OPTIONS_INIT };
	struct gem_molecule m;
	struct gem_points p;
	struct gem_places o;
	size_t i;

	/* One atom 3 A above a vertex of the square, charges 1 A above others, and a ball below. */
	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 0 0 3.5 1 1\nATOM 2 X X 1 2 0 1.04 1 0\n"
	                               "ATOM 3 X X 1 0 2 .97 1 0\nATOM 4 X X 1 2 2 1.01 0 0\n"
	                               "ATOM 5 X X 1 1 1 -3 0 2.5\n",
	                               &m),
	                 0);
	read_vertices(test_square, &p);
	for (i = 0; i < 3; i++) {
		model.potential.projection = go[i];
		ck_assert_int_eq(test_place(&o, &p, NULL, &m, &model), 0);
		ck_assert_msg(o.in_atoms == in_atoms[i] && o.near == near[i], "%g: %zu and %zu",
		              go[i], o.in_atoms, o.near);
		gem_places_free(&o);
	}
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* In a ball a charge at the distance s from the centre has the Born radius A - s^2 / A; another
 * ball of radius a at the distance d takes a^3 / (d^2 - a^2)^3 from R^-3, also where its vertices
 * count by cells.  Outside there is none. */
START_TEST(born_radii)
{
	static const double far[] = { 6, 30 };
	struct gem_molecule m;
	struct gem_points mesh;
	double *r, cube, want;
	char text[300];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof text,
		         "ATOM 1 X X 1 0 0 0 1 3\nATOM 2 X X 1 0 0 1.5 1 0\n"
		         "ATOM 3 X X 1 0 -2 0 1 0\nATOM 4 X X 1 %g 0 0 1 1.5\n"
		         "ATOM 5 X X 1 0 -9 0 1 0\n",
		         far[i]);
		ck_assert_int_eq(read_molecule(text, &m), 0);
		ck_assert_int_eq(gem_mesh(&mesh, &m, 0.5, 20, 0, &test_error), 0);
		r = gem_born(&m, &mesh);
		ck_assert_ptr_nonnull(r);
		cube = 1 / 27. - pow(1.5, 3) / pow(far[i] * far[i] - 2.25, 3);
		ck_assert_msg(fabs(r[0] * cbrt(cube) - 1) < 1e-4, "%.9g", r[0]);
		ck_assert_msg(i == 0 || fabs(r[1] / (3 - 2.25 / 3) - 1) < 2e-3, "%.9g", r[1]);
		ck_assert_msg(i == 0 || fabs(r[2] / (3 - 4. / 3) - 1) < 4e-3, "%.9g", r[2]);
		want = 1 / pow(1.5, 3) - 27 / pow(far[i] * far[i] - 9, 3);
		ck_assert_msg(fabs(r[3] * cbrt(want) - 1) < 1e-4, "%.9g", r[3]);
		ck_assert(r[4] == 0);
		free(r);
		gem_points_free(&mesh);
		gem_molecule_free(&m);
	}
}
END_TEST

void gem_foot_tests(TCase *c)
{
	tcase_add_test(c, born_radii);
	tcase_add_test(c, crease);
	tcase_add_test(c, in_an_atom);
	tcase_add_test(c, touching);
	tcase_add_test(c, not_what_it_seems);
}
