/* SPDX-License-Identifier: MIT */
/*
 * physics_formulas.c - the reference itself against GEM's own formulas, and its field against the
 * derivative of its potential; and the library's numbers for a molecule or solvent alone.  No
 * device.
 */
#include <math.h>

#include "physics.h"

/* phi of CLOPT_LAW_ALPB as in calculate_potential.cl of OpenDwarfs' gem: atom by atom, with nothing
 * factored out. `whole': with the constant that it leaves out inside. v, foot: the target's
 * position, and its foot on the ions' surface. */
static double gem(const struct clopt_potential_options *o, const struct scene *s, const double *v,
                  const double *foot, double r, int whole)
{
	const double A = o->radius, ri = A + o->ion_radius, kappa = o->kappa;
	const double al = o->alpha, be = o->eps_in / o->eps_out;
	const double C = 1 / (o->eps_out * (1 + al * be)), both = 1 / o->eps_in - 1 / o->eps_out;
	const double far = al * (1 - be) / ri * (1 - 1 / (1 + kappa * ri));
	double phi = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		const float *at = s->sources + 4 * i;
		const double x = (double)at[0], y = (double)at[1], z = (double)at[2];
		const double d = sqrt(pow(v[0] - x, 2) + pow(v[1] - y, 2) + pow(v[2] - z, 2));
		const double f =
		        sqrt(pow(foot[0] - x, 2) + pow(foot[1] - y, 2) + pow(foot[2] - z, 2));
		const double r0 = o->depths ? A - (double)o->depths[i] : A / 2;
		double each;

		if (r > ri)
			each = C *
			       ((1 + al) * exp(-kappa * (d - f)) / (d * (1 + kappa * f)) -
			        al * (1 - be) * exp(-kappa * (r - ri)) / (r * (1 + kappa * ri)));
		else if (r > A || (r == A && !o->gem_compat))
			each = C * ((1 + al) / d - al * (1 - be) / r + far +
			            (1 + al) * (1 / (f + kappa * f * f) - 1 / f));
		else
			each = 1 / (o->eps_in * d) -
			       both / ((1 + al * be) * A) * A * A /
			               sqrt((A * A - r0 * r0) * (A * A - r * r) + A * A * d * d) -
			       (whole ? both * al * be / ((1 + al * be) * A) : 0) +
			       C * ((1 + al) / f * (1 / (1 + kappa * f) - 1) + far);
		if (o->part == CLOPT_PART_REACTION)
			each -= 1 / (o->eps_in * d);
		phi += (double)at[3] * each;
	}
	return o->scale * phi;
}

static const double projections[] = { -3, -0.3, 0, 1.5, 2, 2.5, 6 };
static const double kappas[] = { 0, 0.1, 0.3 };

static void expect_gem(struct scene *s, int compat)
{
	struct reference r;
	double v[3], foot[3], phi;
	size_t i, k;

	s->o.gem_compat = compat;
	for (i = 0; i < s->m; i++) {
		for (k = 0; k < 3; k++) {
			const double n = (double)s->normals[4 * i + k];

			v[k] = (double)s->targets[4 * i + k] + s->o.projection * n;
			foot[k] = (double)s->targets[4 * i + k] + s->o.ion_radius * n;
		}
		phi = gem(&s->o, s, v, foot, s->o.radius + s->o.projection, !compat);
		reference_potential(&s->o, s->n, s->sources, s->targets + 4 * i, s->normals + 4 * i,
		                    &r);
		ck_assert_msg(fabs(phi - r.phi) <= 1e-12 * r.phi_terms, "p %g, kappa %g: %g and %g",
		              s->o.projection, s->o.kappa, phi, r.phi);
	}
}

START_TEST(gem_forms)
{
	struct scene s;
	size_t i, j;

	scene_open(&s, 40, 20);
	s.o.eps_in = 2;
	for (i = 0; i < sizeof projections / sizeof *projections; i++)
		for (j = 0; j < sizeof kappas / sizeof *kappas; j++) {
			s.o.projection = projections[i];
			s.o.kappa = kappas[j];
			s.o.depths = j == 1 ? s.depths : NULL;
			s.o.part = j == 2 ? CLOPT_PART_REACTION : CLOPT_PART_TOTAL;
			expect_gem(&s, 0);
			expect_gem(&s, 1);
		}
	scene_close(&s);
}
END_TEST

static double phi_at(const struct scene *s, const struct clopt_potential_options *o,
                     const float *target, const float *normal)
{
	struct reference r;

	reference_potential(o, s->n, s->sources, target, normal, &r);
	return r.phi;
}

/* The field along the normal is minus the derivative of phi by the projection, with the foot
 * fixed. */
static void expect_normal_field(const struct scene *s, const float *target, const float *normal)
{
	const double h = 1e-4;
	struct clopt_potential_options less = s->o, more = s->o;
	struct reference r;
	double slope;

	less.projection -= h;
	more.projection += h;
	reference_potential(&s->o, s->n, s->sources, target, normal, &r);
	slope = -(phi_at(s, &more, target, normal) - phi_at(s, &less, target, normal)) / (2 * h);
	ck_assert_msg(fabs(slope - r.along) <= 1e-7 * r.field_terms, "p %g, kappa %g: %g and %g",
	              s->o.projection, s->o.kappa, slope, r.along);
}

/* Across the normal only distances from charges change, if there is no salt, with which the foot
 * would move along. */
static void expect_tangent_field(const struct scene *s, const float *target, const float *normal)
{
	const float h = 0x1p-8f;
	struct reference r;
	float less[3], more[3];
	double slope;
	int k;

	reference_potential(&s->o, s->n, s->sources, target, normal, &r);
	for (k = 0; k < 3; k++) {
		less[k] = target[k] - (normal[k] == 0 ? h : 0);
		more[k] = target[k] + (normal[k] == 0 ? h : 0);
	}
	slope = -(phi_at(s, &s->o, more, normal) - phi_at(s, &s->o, less, normal)) /
	        (2 * (double)h);
	for (k = 0; k < 3; k++)
		slope -= normal[k] == 0 ? r.field[k] : 0;
	ck_assert_msg(fabs(slope) <= 1e-5 * r.field_terms, "p %g, mode %d: off by %g",
	              s->o.projection, s->o.law, slope);
}

START_TEST(field_is_gradient)
{
	struct scene s;
	size_t i, j, k;
	int mode;

	scene_open(&s, 40, 6);
	s.o.depths = s.depths;
	for (mode = CLOPT_LAW_COULOMB; mode <= CLOPT_LAW_ALPB; mode++)
		for (i = 0; i < sizeof projections / sizeof *projections; i++)
			for (j = 0; j < sizeof kappas / sizeof *kappas; j++) {
				s.o.law = mode;
				/* Away from the borders of regions. */
				s.o.projection = projections[i] + 0.01;
				s.o.kappa = kappas[j];
				for (k = 0; k < s.m; k++) {
					const float *at = s.targets + 4 * k, *n = s.normals + 4 * k;

					expect_normal_field(&s, at, n);
					if (mode != CLOPT_LAW_ALPB || s.o.kappa == 0)
						expect_tangent_field(&s, at, n);
				}
			}
	scene_close(&s);
}
END_TEST

/* Moments of inertia as a matrix, and its determinant by elimination. */
static double radius_of(size_t n, const float *atoms, const float *radii)
{
	double mass = 0, centre[3] = { 0 }, x[3], m[3][3] = { { 0 } }, determinant = 1;
	size_t i;
	int j, k, l;

	for (i = 0; i < n; i++)
		mass += pow((double)radii[i], 3);
	for (i = 0; i < n; i++)
		for (k = 0; k < 3; k++)
			centre[k] +=
			        pow((double)radii[i], 3) * (double)atoms[4 * i + (size_t)k] / mass;
	for (i = 0; i < n; i++) {
		const double r = (double)radii[i];
		double square = 0;

		for (k = 0; k < 3; k++) {
			x[k] = (double)atoms[4 * i + (size_t)k] - centre[k];
			square += x[k] * x[k];
		}
		for (k = 0; k < 3; k++)
			for (l = 0; l < 3; l++)
				m[k][l] += r * r * r *
				           ((k == l ? square + 0.4 * r * r : 0) - x[k] * x[l]);
	}
	for (j = 0; j < 3; j++) {
		determinant *= m[j][j];
		for (k = j + 1; k < 3; k++)
			for (l = 2; l >= j; l--)
				m[k][l] -= m[k][j] / m[j][j] * m[j][l];
	}
	return sqrt(5 / (2 * mass)) * pow(determinant, 1 / 6.0);
}

START_TEST(electrostatic_radius)
{
	const float pair[8] = { 1, 2, 53, NAN, 1, 2, -47, NAN }, ones[2] = { 1, 1 };
	const float none[2] = { 0, 0 }, one_of[2] = { 0, 3.5f };
	const float negative[2] = { 2, -1 }, nowhere[2] = { NAN, 1 };
	struct scene s;
	size_t i;

	/* Two unit balls 100 apart: 0.8 along their line, 2 (50^2 + 0.4) across it. */
	ck_assert_double_eq_tol(clopt_electrostatic_radius(2, pair, ones),
	                        sqrt(1.25) * pow(0.8 * 5000.8 * 5000.8, 1 / 6.0), 1e-12);
	ck_assert_double_eq_tol(clopt_electrostatic_radius(2, pair, one_of), 3.5, 1e-12);
	ck_assert(clopt_electrostatic_radius(2, pair, none) == 0);
	ck_assert(clopt_electrostatic_radius(0, NULL, NULL) == 0);
	ck_assert(isnan(clopt_electrostatic_radius(2, pair, negative)));
	ck_assert(isnan(clopt_electrostatic_radius(2, pair, nowhere)));
	scene_open(&s, 300, 0);
	for (i = 0; i < s.n; i++) {
		s.sources[4 * i] = 3 * s.sources[4 * i] + 1000;
		s.sources[4 * i + 1] += s.sources[4 * i] / 2;
		s.depths[i] = i % 7 ? 1 + (float)scene_number() : 0;
	}
	ck_assert_double_eq_tol(clopt_electrostatic_radius(s.n, s.sources, s.depths) /
	                                radius_of(s.n, s.sources, s.depths),
	                        1, 1e-9);
	scene_close(&s);
}
END_TEST

START_TEST(debye_length)
{
	ck_assert_double_eq_tol(clopt_kappa(1, 78.54, 298.15), 0.328641, 1e-6);
	ck_assert_double_eq_tol(clopt_kappa(0.25, 80, 298.15), 0.325629 / 2, 1e-6);
	ck_assert_double_eq_tol(clopt_kappa(1, 78.54, 4 * 298.15), 0.328641 / 2, 1e-6);
	ck_assert(clopt_kappa(0, 78.54, 298.15) == 0);
	ck_assert(isnan(clopt_kappa(-1, 78.54, 298.15)));
	ck_assert(isnan(clopt_kappa(1, 0, 298.15)));
	ck_assert(isnan(clopt_kappa(1, 78.54, 0)));
	ck_assert(isnan(clopt_kappa(1, -78.54, -298.15)));
}
END_TEST

SUITE(physics_formulas, quick)
{
	tcase_add_test(c, electrostatic_radius);
	tcase_add_test(c, debye_length);
	tcase_add_test(c, gem_forms);
	tcase_add_test(c, field_is_gradient);
}
