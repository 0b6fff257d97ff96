/* SPDX-License-Identifier: MIT */
/*
 * physics.c - laws that potentials and fields must obey, whichever formula is used.
 */
#include <math.h>
#include <stdlib.h>

#include "physics.h"

static struct clopt *ctx;
static struct scene s;

static void setup(void)
{
	ctx = test_open(NULL);
	scene_open(&s, 60, 40);
}

static void teardown(void)
{
	scene_close(&s);
	test_close(ctx);
}

static float *at_projection(double p)
{
	s.o.projection = p;
	return scene_result(ctx, &s, 1);
}

/* Potentials are continuous at the borders of regions.  Inside, terms are 80 times larger than the
 * result, so float32 has fewer digits of it. */
START_TEST(continuity)
{
	static const double kappas[] = { 0, 0.1 };
	static const double edges[] = { 0, 2 };
	const double near = 1e-7;
	struct clopt_device_info info = { .size = sizeof info };
	double tolerance;
	float *below, *above;
	int i, k;

	setup();
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	tolerance = info.fp64 ? 1e-5 : 1e-4;
	s.o.precision = CLOPT_PRECISION_BEST;
	s.o.depths = s.depths;
	for (k = 0; k < 2; k++)
		for (i = 0; i < 2; i++) {
			s.o.kappa = kappas[k];
			below = at_projection(edges[i] - near);
			above = at_projection(edges[i] + near);
			ck_assert_msg(scene_apart(below, above, s.m) < tolerance,
			              "kappa %g, p %g: %g", s.o.kappa, edges[i],
			              scene_apart(below, above, s.m));
			free(above);
			/* The surface counts as outside the molecule, and the ions' surface as not
			 * yet among the ions. */
			above = at_projection(edges[i]);
			ck_assert(scene_apart(below, above, s.m) < tolerance);
			free(below);
			free(above);
		}
	teardown();
}
END_TEST

/* Without a step in the dielectric constant there is no cavity. */
START_TEST(no_cavity)
{
	static const double projections[] = { -1, 0, 3 };
	float *alpb, *coulomb;
	int i;

	setup();
	s.o.eps_in = s.o.eps_out = 4;
	for (i = 0; i < 3; i++) {
		s.o.part = CLOPT_PART_TOTAL;
		alpb = at_projection(projections[i]);
		s.o.part = CLOPT_PART_COULOMB;
		coulomb = at_projection(projections[i]);
		ck_assert_msg(scene_apart(coulomb, alpb, s.m) < 2e-6, "p %g: %g", projections[i],
		              scene_apart(coulomb, alpb, s.m));
		free(alpb);
		free(coulomb);
	}
	teardown();
}
END_TEST

/* One charge in the middle of a sphere: Born's formula, inside and outside. */
START_TEST(born)
{
	static const double projections[] = { -6, -1, 0, 1.5, 7 };
	const float ion[4] = { 0, 0, 0, 2 }, depth = SCENE_RADIUS;
	const double eps = 1 / 3.0 - 1 / 80.0;
	size_t i, k;

	setup();
	s.o.eps_in = 3;
	s.o.depths = &depth;
	s.o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	for (i = 0; i < sizeof projections / sizeof *projections; i++) {
		const double p = projections[i], r = SCENE_RADIUS + p;
		const double phi =
		        2 * KCAL * (p < 0 ? 1 / (3 * r) - eps / SCENE_RADIUS : 1 / (80 * r));
		const double field = 2 * KCAL / (p < 0 ? 3 : 80) / (r * r);

		s.o.projection = p;
		CHECK_OK(ctx, clopt_potential(ctx, 1, ion, s.m, s.targets, s.out, &s.o));
		for (k = 0; k < s.m; k++) {
			ck_assert_double_eq_tol((double)s.out[2 * k], phi, 1e-5);
			ck_assert_msg(fabs((double)s.out[2 * k + 1] - field) < 4e-6 * field,
			              "p %g: %g instead of %g", p, (double)s.out[2 * k + 1], field);
		}
	}
	teardown();
}
END_TEST

/* The field along the normal is minus the derivative of the potential. */
START_TEST(field_is_gradient)
{
	static const double kappas[] = { 0, 0.1 };
	static const double projections[] = { -1, 1, 4 };
	const double h = 0x1p-6;
	float *less, *more, *field;
	size_t i;
	int k;

	setup();
	for (k = 0; k < 6; k++) {
		s.o.kappa = kappas[k % 2];
		s.o.outputs = CLOPT_OUTPUTS_PHI;
		less = at_projection(projections[k / 2] - h);
		more = at_projection(projections[k / 2] + h);
		s.o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
		s.o.projection = projections[k / 2];
		field = scene_result(ctx, &s, 2);
		for (i = 0; i < s.m; i++) {
			less[i] = (float)(((double)less[i] - (double)more[i]) / (2 * h));
			more[i] = field[2 * i + 1];
		}
		ck_assert_msg(scene_apart(less, more, s.m) < 2e-2, "p %g, kappa %g: %g",
		              s.o.projection, s.o.kappa, scene_apart(less, more, s.m));
		free(less);
		free(more);
		free(field);
	}
	teardown();
}
END_TEST

SUITE(physics, long)
{
	tcase_add_test(c, continuity);
	tcase_add_test(c, no_cavity);
	tcase_add_test(c, born);
	tcase_add_test(c, field_is_gradient);
	physics_options(c);
	physics_formulas(c);
	physics_ways(c);
}
