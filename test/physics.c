/* SPDX-License-Identifier: MIT */
/*
 * physics.c - what must hold of potentials and fields, whatever computes them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The first `width' numbers a target of what s.o asks for. */
static float *result(size_t width)
{
	float *copy = malloc(s.m * width * sizeof *copy);

	ck_assert_ptr_nonnull(copy);
	CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o));
	memcpy(copy, s.out, s.m * width * sizeof *copy);
	return copy;
}

/* The largest difference, as a share of the rms of a. */
static double apart(const float *a, const float *b, size_t n)
{
	double square = 0, most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const double d = fabs((double)a[i] - (double)b[i]);

		square += (double)a[i] * (double)a[i];
		most = d > most || isnan(d) ? d : most;
	}
	return most / sqrt(square / (double)n);
}

static float *at_projection(double p)
{
	s.o.projection = p;
	return result(1);
}

/* Nothing jumps where one region ends and the next begins.  Inside, terms are 80
 * times larger than what comes out, so float32 sees less of it. */
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
	CHECK_OK(ctx, clopt_device(ctx, &info));
	tolerance = info.fp64 ? 1e-5 : 1e-4;
	s.o.precision = CLOPT_PRECISION_BEST;
	s.o.depths = s.depths;
	for (k = 0; k < 2; k++)
		for (i = 0; i < 2; i++) {
			s.o.kappa = kappas[k];
			below = at_projection(edges[i] - near);
			above = at_projection(edges[i] + near);
			ck_assert_msg(apart(below, above, s.m) < tolerance, "kappa %g, p %g: %g",
			              s.o.kappa, edges[i], apart(below, above, s.m));
			free(above);
			/* The surface itself is outside the molecule, the ions' not yet among them. */
			above = at_projection(edges[i]);
			ck_assert(apart(below, above, s.m) < tolerance);
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
		s.o.part = CLOPT_TOTAL;
		alpb = at_projection(projections[i]);
		s.o.part = CLOPT_COULOMB_PART;
		coulomb = at_projection(projections[i]);
		ck_assert_msg(apart(coulomb, alpb, s.m) < 2e-6, "p %g: %g", projections[i],
		              apart(coulomb, alpb, s.m));
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
	s.o.outputs = CLOPT_PHI_NORMAL;
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

/* The parts make up the whole, of potential and field. */
START_TEST(parts)
{
	const struct setting *set = &settings[_i];
	float *total, *reaction, *coulomb;
	size_t i;

	if (set->mode != CLOPT_ALPB)
		return;
	setup();
	scene_set(&s, set);
	s.o.outputs = CLOPT_FIELD_PHI;
	total = result(4);
	s.o.part = CLOPT_REACTION;
	scene_check(ctx, &s, set->name);
	reaction = result(4);
	s.o.part = CLOPT_COULOMB_PART;
	scene_check(ctx, &s, set->name);
	coulomb = result(4);
	for (i = 0; i < 4 * s.m; i++)
		total[i] -= reaction[i];
	ck_assert_msg(apart(coulomb, total, 4 * s.m) < 4e-6, "%s: %g", set->name,
	              apart(coulomb, total, 4 * s.m));
	free(total);
	free(reaction);
	free(coulomb);
	teardown();
}
END_TEST

/* The same numbers, side by side in other ways. */
START_TEST(outputs)
{
	const struct setting *set = &settings[_i];
	float *phi, *normal, *field;
	size_t i, k;

	setup();
	scene_set(&s, set);
	phi = result(1);
	s.o.outputs = CLOPT_PHI_NORMAL;
	normal = result(2);
	s.o.outputs = CLOPT_FIELD_PHI;
	field = result(4);
	for (i = 0; i < s.m; i++) {
		double along = 0;

		for (k = 0; k < 3; k++)
			along += (double)field[4 * i + k] * (double)s.normals[4 * i + k];
		s.out[i] = (float)along;
		s.out[s.m + i] = field[4 * i + 3];
	}
	for (i = 0; i < s.m; i++) {
		field[i] = normal[2 * i + 1];
		field[s.m + i] = normal[2 * i];
	}
	ck_assert(apart(field, s.out, s.m) < 1e-5);
	ck_assert(apart(phi, s.out + s.m, s.m) < 4e-6);
	ck_assert(apart(phi, field + s.m, s.m) < 4e-6);
	free(phi);
	free(normal);
	free(field);
	teardown();
}
END_TEST

/* The field along the normal is what the potential changes by. */
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
		s.o.outputs = CLOPT_PHI;
		less = at_projection(projections[k / 2] - h);
		more = at_projection(projections[k / 2] + h);
		s.o.outputs = CLOPT_PHI_NORMAL;
		s.o.projection = projections[k / 2];
		field = result(2);
		for (i = 0; i < s.m; i++) {
			less[i] = (float)(((double)less[i] - (double)more[i]) / (2 * h));
			more[i] = field[2 * i + 1];
		}
		ck_assert_msg(apart(less, more, s.m) < 2e-2, "p %g, kappa %g: %g", s.o.projection,
		              s.o.kappa, apart(less, more, s.m));
		free(less);
		free(more);
		free(field);
	}
	teardown();
}
END_TEST

/* A distance of its own for each target is as good as a call for each. */
START_TEST(own_distances)
{
	const struct setting *set = &settings[_i];
	const size_t m = s.m;
	float *all, alone[4];
	size_t i;

	setup();
	scene_set(&s, set);
	s.o.outputs = CLOPT_FIELD_PHI;
	for (i = 0; i < m; i++)
		s.normals[4 * i + 3] = (float)(i % 5) / 8;
	scene_check(ctx, &s, set->name);
	all = result(4);
	for (i = 0; i < m; i++) {
		float normal[4];

		memcpy(normal, s.normals + 4 * i, sizeof normal);
		s.o.projection = set->projection + (double)normal[3];
		normal[3] = 0;
		s.o.normals = normal;
		CHECK_OK(ctx,
		         clopt_potential(ctx, s.n, s.sources, 1, s.targets + 4 * i, alone, &s.o));
		ck_assert_msg(apart(all + 4 * i, alone, 4) < 2e-5, "%s, target %zu", set->name, i);
	}
	free(all);
	teardown();
}
END_TEST

/* The charge counts as given, and is else summed up; inside, a charge has the depth
 * that is given or half the radius. */
START_TEST(defaults)
{
	const struct setting *set = &settings[_i];
	const double given = 7;
	float *without, *with;
	size_t i;

	if (set->mode != CLOPT_ALPB)
		return;
	setup();
	scene_set(&s, set);
	s.o.depths = NULL;
	without = result(1);
	s.o.charge = &s.charge;
	for (i = 0; i < s.n; i++)
		s.depths[i] = SCENE_RADIUS / 2.0f;
	s.o.depths = s.depths;
	with = result(1);
	ck_assert_msg(apart(without, with, s.m) < 2e-6, "%s", set->name);
	s.o.charge = &given;
	scene_check(ctx, &s, set->name);
	s.o.gem_compat = 1;
	scene_check(ctx, &s, set->name);
	s.o.projection = 0;
	scene_check(ctx, &s, "on the surface, as GEM");
	free(without);
	free(with);
	teardown();
}
END_TEST

TCase *physics_case(void)
{
	TCase *c = tcase_create("physics");

	tcase_add_test(c, continuity);
	tcase_add_test(c, no_cavity);
	tcase_add_test(c, born);
	tcase_add_loop_test(c, parts, 0, SETTINGS);
	tcase_add_loop_test(c, outputs, 0, SETTINGS);
	tcase_add_test(c, field_is_gradient);
	tcase_add_loop_test(c, own_distances, 0, SETTINGS);
	tcase_add_loop_test(c, defaults, 0, SETTINGS);
	physics_formulas(c);
	physics_rows(c);
	physics_ways(c);
	physics_refusals(c);
	return c;
}
