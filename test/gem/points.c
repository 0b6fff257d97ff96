/* SPDX-License-Identifier: MIT */
/*
 * points.c - the points of clopt-gem: surfaces, grids, and the vertex by which a point is placed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem_tests.h"

/* A single sphere: all dots at its radius, about as many as asked for, evenly about the centre.
 * Two overlapping spheres: no dot inside the other. */
START_TEST(dots)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	double sum[3] = { 0, 0, 0 }, area = 4 * 3.14159265 * 3.5 * 3.5;
	size_t i, k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 2\n", &m), 0);
	ck_assert_msg(gem_dots(&p, &m, 1.5, 3.0, &test_error) == 0, "%s", test_error.text);
	ck_assert_msg(fabs((double)p.n / (3 * area) - 1) < 0.05, "%zu dots", p.n);
	for (i = 0; i < p.n; i++) {
		const double d[3] = { p.at[i][0] - 1, p.at[i][1] - 2, p.at[i][2] - 3 };

		ck_assert(fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 3.5) < 1e-5);
		for (k = 0; k < 3; k++) {
			ck_assert(fabs((double)p.normal[i][k] - d[k] / 3.5) < 1e-5);
			sum[k] += d[k] / (double)p.n;
		}
	}
	for (k = 0; k < 3; k++)
		ck_assert(fabs(sum[k]) < 0.05);
	gem_points_free(&p);
	gem_molecule_free(&m);

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 0 0 0 1 2\nATOM 2 X X 1 2 0 0 1 1\n"
	                               "ATOM 3 X X 1 9 9 9 1 0\n",
	                               &m),
	                 0);
	memset(&p, 0, sizeof p);
	ck_assert_int_eq(gem_dots(&p, &m, 1.5, 3.0, &test_error), 0);
	for (i = 0; i < p.n; i++) {
		const double *a = p.at[i], x = a[0] - 2;

		ck_assert(sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) > 3.5 - 1e-5);
		ck_assert(sqrt(x * x + a[1] * a[1] + a[2] * a[2]) > 2.5 - 1e-5);
	}
	ck_assert(p.n > 100);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* The nodes fill the box, symmetric about it, z fastest; the count of nodes in atoms is checked by
 * hand. */
START_TEST(grid)
{
	struct gem_molecule m;
	struct gem_points p;
	struct gem_grid g;
	size_t i, j, in = 0;
	int k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 2\nATOM 2 X X 1 5 2.5 3 1 1.5\n", &m),
	                 0);
	ck_assert_msg(gem_grid(&g, &p, &m, &(struct gem_box){ .nodes = { 12 }, .margin = 1 },
	                       &test_error) == 0,
	              "%s", test_error.text);
	ck_assert_int_eq(g.n[0], 12); /* -2 to 7.5 */
	ck_assert_int_eq(p.n, g.n[0] * g.n[1] * g.n[2]);
	ck_assert(fabs(g.origin[0] + 2) < 1e-5 && fabs(g.step[0] - 9.5 / 11) < 1e-6);
	for (k = 1; k < 3; k++) {
		const double end = g.origin[k] + (double)(g.n[k] - 1) * g.step[0];

		/* The first atom reaches furthest down, and in z up. */
		ck_assert(g.origin[k] <= (k == 1 ? -1 : 0) + 1e-5);
		ck_assert(end >= (k == 1 ? 5 : 6) - 1e-5 && end < 6 + g.step[0]);
	}
	ck_assert(p.at[1][2] - p.at[0][2] == g.step[0] ||
	          fabs(p.at[1][2] - p.at[0][2] - g.step[0]) < 1e-12);
	ck_assert(p.at[1][0] == p.at[0][0] && p.at[g.n[2]][1] > p.at[0][1]);
	for (i = 0; i < p.n; i++)
		for (j = 0; j < m.n; j++) {
			const double x = p.at[i][0] - m.atom[j].at[0],
			             y = p.at[i][1] - m.atom[j].at[1],
			             z = p.at[i][2] - m.atom[j].at[2];

			if (x * x + y * y + z * z < m.atom[j].r * m.atom[j].r) {
				in++;
				break;
			}
		}
	ck_assert(in > 10);
	ck_assert_int_eq(g.in_atoms, in);
	gem_points_free(&p);
	gem_molecule_free(&m);
	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 0\n", &m), 0);
	ck_assert_int_eq(
	        gem_grid(&g, &p, &m, &(struct gem_box){ .nodes = { 3 }, .margin = 0 }, &test_error),
	        -1); /* no extent */
	ck_assert_int_eq(
	        gem_grid(&g, &p, &m, &(struct gem_box){ .nodes = { 3 }, .margin = 1 }, &test_error),
	        0);
	ck_assert(g.n[0] == 3 && g.n[1] == 3 && g.n[2] == 3 && p.at[13][1] == 2);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* Nodes placed by hand: their distances and numbers, the first node, or as many as fill the box. */
START_TEST(placed)
{
	static const double origin[] = { -1.5, 0.25, 1e-3 }, beyond[] = { 0, 9, 0 };
	struct gem_molecule m;
	struct gem_points p;
	struct gem_grid g;
	struct gem_box box = { .nodes = { 2, 3, 4 }, .step = { 1, 2, 0.3 }, .origin = origin };
	int k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 2\n", &m), 0);
	ck_assert_int_eq(gem_grid(&g, &p, &m, &box, &test_error), 0);
	ck_assert(p.n == 24 && g.n[0] == 2 && g.n[1] == 3 && g.n[2] == 4);
	for (k = 0; k < 3; k++) {
		ck_assert(p.at[0][k] == origin[k]);
		ck_assert(fabs(p.at[23][k] - origin[k] - (k + 1.) * box.step[k]) < 1e-12);
	}
	gem_points_free(&p);
	box.origin = NULL; /* the atom is in the middle, also of nodes that fill the box */
	ck_assert_int_eq(gem_grid(&g, &p, &m, &box, &test_error), 0);
	for (k = 0; k < 3; k++)
		ck_assert(fabs(p.at[0][k] + p.at[23][k] - 2 * (k + 1)) < 1e-6);
	gem_points_free(&p);
	memset(box.nodes, 0, sizeof box.nodes);
	ck_assert_int_eq(gem_grid(&g, &p, &m, &box, &test_error), 0);
	ck_assert(g.n[0] == 5 && g.n[1] == 3 && g.n[2] == 15);
	gem_points_free(&p);
	box.origin = origin;
	ck_assert_int_eq(gem_grid(&g, &p, &m, &box, &test_error), 0);
	ck_assert(g.n[0] == 6 && g.n[1] == 3 && g.n[2] == 18); /* to 3, 4 and 5, or beyond */
	gem_points_free(&p);
	box.origin = beyond;
	ck_assert_int_eq(gem_grid(&g, &p, &m, &box, &test_error), -1);
	ck_assert_msg(strstr(test_error.text, "along y the grid begins at 9") != NULL, "%s",
	              test_error.text);
	gem_molecule_free(&m);
}
END_TEST

/* Against a search of all vertices; with equal distances, and from far away. */
START_TEST(nearest)
{
	enum {
		N = 500
	};
	double at[N][3], q[3], dd, best;
	struct gem_tree tree;
	unsigned seed = 1;
	size_t i, j, want = 0;
	int k;

	for (i = 0; i < N; i++)
		for (k = 0; k < 3; k++) {
			seed = seed * 1103515245u + 12345u;
			/* Few values, so that many distances are equal. */
			at[i][k] = (double)(seed >> 16 & (i < 200 ? 7u : 1023u)) / 8;
		}
	at[N - 1][0] = 1e6;
	for (i = 1; i <= N; i += i < 10 ? 1 : 49) {
		ck_assert_int_eq(gem_tree_new(&tree, i), 0);
		for (j = 0; j < i; j++)
			gem_tree_add(&tree, at[j], 0);
		gem_tree_build(&tree);
		for (j = 0; j < 300; j++) {
			for (k = 0; k < 3; k++) {
				seed = seed * 1103515245u + 12345u;
				q[k] = (double)(seed >> 16 & 1023u) / 16 * (j % 10 ? 1 : -100);
			}
			best = HUGE_VAL;
			for (size_t a = 0; a < i; a++) {
				dd = (q[0] - at[a][0]) * (q[0] - at[a][0]) +
				     (q[1] - at[a][1]) * (q[1] - at[a][1]) +
				     (q[2] - at[a][2]) * (q[2] - at[a][2]);
				if (dd < best) {
					best = dd;
					want = a;
				}
			}
			ck_assert_int_eq(gem_nearest(&tree, q)->index, want);
		}
		gem_tree_free(&tree);
	}
	ck_assert_int_eq(gem_tree_new(&tree, 0), 0);
	ck_assert_ptr_null(gem_nearest(&tree, q));
	gem_tree_free(&tree);
}
END_TEST

/* The library's place of a target: foot + (projection + distance) normal. */
static void expect_at(const struct gem_batch *b, size_t i, const double centre[3],
                      const double at[3], double within)
{
	double distance = b->projection + (double)b->normal[i][3], v;
	int k;

	for (k = 0; k < 3; k++) {
		v = (double)b->target[i][k] + centre[k] + distance * (double)b->normal[i][k];
		ck_assert_msg(fabs(v - at[k]) < within, "%g, not %g", v, at[k]);
	}
}

/* Points by region, each in a batch whose projection lies in it. */
START_TEST(regions)
{
	static const double want[][4] = {
		/* x, y, z, and the distance */
		{ 0, 0, 5, 5 }, /* beyond the ions */
		{ 0, 0, 1, 1 }, /* in the layer */
		{ 2, 0, 0, 0 }, /* a vertex */
		{ 0, 2, -1.5, -1.5 }, /* inside */
		{ 3, 0, 0, 1 }, /* at a right angle to the normal: outside */
		{ 0, 0, 2, 2 }, /* where the ions begin */
		{ 0, 0, -40, -6 * (1 - 1e-6) }, /* deeper than the radius */
		{ -1, 0, -1, -1.4142135623 }, /* not along the normal */
	};
	static const int region[] = { GEM_BEYOND, GEM_LAYER, GEM_LAYER,  GEM_INSIDE,
		                      GEM_LAYER,  GEM_LAYER, GEM_INSIDE, GEM_INSIDE };
	struct gem_atom atom = { .at = { 100 } };
	struct gem_molecule m = { .atom = &atom, .n = 1, .centre = { 10, -20, 30 } };
	struct gem_points surface, p = { 0 };
	struct gem_model model = { { "", "", 1, 1 }, CLOPT_POTENTIAL_OPTIONS_INIT };
	struct gem_places o;
	size_t i, k, seen = 0;

	model.potential.law = CLOPT_LAW_ALPB;
	model.potential.ion_radius = 2;
	model.potential.radius = 6;
	read_vertices(test_square, &surface);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(gem_points_add(&p, want[i], NULL, &test_error), 0);
	ck_assert_int_eq(test_place(&o, &p, &surface, &m, &model), 0);
	for (i = 0; i < GEM_REGIONS; i++) {
		const struct gem_batch *b = &o.batch[i];

		for (k = 0; k < b->n; k++) {
			const size_t at = b->index[k];

			ck_assert_int_eq(region[at], i);
			ck_assert_msg(fabs(b->projection + (double)b->normal[k][3] - want[at][3]) <
			                      1e-6,
			              "point %zu", at);
			expect_at(b, k, m.centre, want[at], 1e-5);
			seen++;
		}
	}
	ck_assert(o.batch[GEM_INSIDE].projection < 0 && o.batch[GEM_LAYER].projection == 0 &&
	          o.batch[GEM_BEYOND].projection > 2);
	ck_assert_int_eq(seen, 8);
	ck_assert_int_eq(o.deep, 1);
	gem_places_free(&o);
	model.potential.gem_compat = 1; /* then a point on the surface is inside */
	ck_assert_int_eq(test_place(&o, &p, &surface, &m, &model), 0);
	ck_assert(o.batch[GEM_INSIDE].n == 4 && o.batch[GEM_INSIDE].projection == 0);
	gem_places_free(&o);
	gem_points_free(&p);
	gem_points_free(&surface);
}
END_TEST

int test_place(struct gem_places *o, const struct gem_points *p, const struct gem_points *surface,
               const struct gem_molecule *m, const struct gem_model *model)
{
	struct gem_marks marks;
	int rc;

	ck_assert_int_eq(gem_marks(&marks, surface, m), 0);
	rc = gem_place(o, p, &marks, m, &model->potential, &test_error);
	gem_marks_free(&marks);
	return rc;
}

/* A point at an atom is inside, however the dots lie, and the library gets it as inside, too. */
START_TEST(at_atoms)
{
	static const double at[][3] = {
		{ 0, 0, 1.5 }, { 0, 0, 1.55 }, { 0, 0, 1.65 }, { 2, 2, 0 }
	};
	static const double distance[] = { -1.5, -1.55, 0, -GEM_NEAR_ATOM };
	struct gem_atom atom[] = { { .at = { 0, 0, 1.5 } }, { .at = { 2, 2 } } };
	struct gem_molecule m = { .atom = atom, .n = 2, .centre = { 10, -20, 30 } };
	struct gem_points surface, p = { 0 };
	struct gem_model model = { { "", "", 1, 1 }, CLOPT_POTENTIAL_OPTIONS_INIT };
	const struct gem_batch *b, *there; /* by their feet, and as they are */
	struct gem_places o;
	size_t i, k;

	model.potential.law = CLOPT_LAW_ALPB;
	model.potential.ion_radius = 2;
	model.potential.radius = 6;
	read_vertices(test_square, &surface);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(gem_points_add(&p, at[i], NULL, &test_error), 0);
	ck_assert_int_eq(test_place(&o, &p, &surface, &m, &model), 0);
	b = &o.batch[GEM_AT_ATOMS];
	there = &o.batch[GEM_AT_ATOMS_COULOMB];
	ck_assert(there->n == 3 && !there->normal);
	ck_assert(b->n == 3 && o.batch[GEM_LAYER].n == 1 && b->projection < 0);
	for (i = 0; i < b->n; i++) {
		const size_t from = b->index[i];

		expect_at(b, i, m.centre, at[from], 2e-3);
		ck_assert(fabs(b->projection + (double)b->normal[i][3] - distance[from]) < 1e-6);
		ck_assert_int_eq(there->index[i], from);
		for (k = 0; k < 3; k++)
			ck_assert(there->target[i][k] == (float)(at[from][k] - m.centre[k]));
	}
	gem_places_free(&o);
	gem_points_free(&p);
	gem_points_free(&surface);
}
END_TEST

/* A surface is one batch.  Dots one probe radius off the molecule have their feet on it; in the
 * other modes the points themselves move. */
START_TEST(surfaces)
{
	const struct gem_molecule m = { 0 }; /* its centre is the origin */
	struct gem_model model = { { "", "", 1, 1 }, CLOPT_POTENTIAL_OPTIONS_INIT };
	struct gem_points p;
	struct gem_places o;
	size_t i;

	read_vertices(test_square, &p);
	model.potential.ion_radius = 2;
	model.potential.law = CLOPT_LAW_COULOMB;
	model.potential.projection = 0.25;
	ck_assert_int_eq(test_place(&o, &p, &p, &m, &model), 0);
	ck_assert(o.batch[GEM_LAYER].n == 4 && !o.batch[GEM_LAYER].normal);
	ck_assert(o.batch[GEM_LAYER].target[1][0] == 2 && o.batch[GEM_LAYER].target[1][2] == 0.25f);
	gem_places_free(&o);
	model.potential.law = CLOPT_LAW_ALPB;
	model.potential.ion_radius = 2;
	model.potential.radius = 6;
	for (i = 0; i < GEM_REGIONS; i++) {
		static const double go[] = { -2, 0.25, 2 };

		p.offset = 1.5;
		model.potential.projection = go[i];
		ck_assert_int_eq(test_place(&o, &p, &p, &m, &model), 0);
		ck_assert(o.batch[i].n == 4 && !o.batch[i].index);
		ck_assert(o.batch[i].target[1][2] == -1.5f && o.batch[i].normal[1][2] == 1);
		ck_assert(o.batch[i].projection == 1.5 + go[i]);
		gem_places_free(&o);
	}
	gem_points_free(&p);
}
END_TEST

void gem_points_tests(TCase *c)
{
	tcase_add_test(c, dots);
	tcase_add_test(c, grid);
	tcase_add_test(c, placed);
	tcase_add_test(c, nearest);
	tcase_add_test(c, regions);
	tcase_add_test(c, at_atoms);
	tcase_add_test(c, surfaces);
}
