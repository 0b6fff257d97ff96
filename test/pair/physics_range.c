/* SPDX-License-Identifier: MIT */
/*
 * physics_range.c - numbers far from 1: units in which molecules are small, very little salt,
 * points that are very near and very far.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "physics.h"

/* Rows that compute roots in different ways. */
static const char *const rows[] = { "potential/plain", "potential/tile-256", "potential/vec-4",
	                            "potential/wide-8x4" };
enum {
	ROWS = 4,
	FIRST_SALTED = 4 /* of settings: one law each */
};

/* All lengths of the scene times 2^power. */
static void stretch(struct scene *s, int power)
{
	const double unit = ldexp(1, power);
	size_t i;

	for (i = 0; i < 4 * s->n; i++)
		s->sources[i] *= i % 4 == 3 ? 1 : (float)unit;
	for (i = 0; i < 4 * s->m; i++)
		s->targets[i] *= (float)unit;
	for (i = 0; i < s->n; i++)
		s->depths[i] *= (float)unit;
	s->o.kappa /= unit;
	s->o.radius *= unit;
	s->o.projection *= unit;
	s->o.ion_radius *= unit;
}

/* Results in metres, and in shorter and longer units, are those in Angstrom. */
static void expect_any_unit(struct clopt *ctx, const struct setting *set)
{
	static const int powers[] = { -33, -40, -45, 33, 45 };
	float phi[40];
	struct scene s;
	size_t i, k;

	for (i = 0; i < sizeof powers / sizeof *powers; i++) {
		scene_open(&s, 60, 40);
		scene_set(&s, set);
		scene_check(ctx, &s, set->name);
		memcpy(phi, s.out, sizeof phi);
		stretch(&s, powers[i]);
		CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o));
		for (k = 0; k < s.m; k++)
			ck_assert_msg(fabsf(ldexpf(s.out[k], powers[i]) - phi[k]) <= 1e-4f,
			              "%s, 2^%d: %g instead of %g", set->name, powers[i],
			              (double)ldexpf(s.out[k], powers[i]), (double)phi[k]);
		scene_close(&s);
	}
}

/* Results converge as the salt vanishes. */
static void expect_little_salt(struct clopt *ctx, const struct setting *set)
{
	static const double kappas[] = { 1e-6, 1e-9, 1e-12, 1e-19, 1e-30, 1e-42, 1e-300 };
	struct scene s;
	size_t i;

	for (i = 0; i < sizeof kappas / sizeof *kappas; i++) {
		scene_open(&s, 60, 40);
		scene_set(&s, set);
		s.o.kappa = kappas[i];
		scene_check(ctx, &s, set->name);
		scene_close(&s);
	}
}

/* Zero factors give zeros. */
static void expect_nothing(struct clopt *ctx, const struct setting *set)
{
	struct scene s;

	scene_open(&s, 60, 40);
	scene_set(&s, set);
	s.o.scale = 0;
	scene_check(ctx, &s, set->name);
	if (set->mode == CLOPT_LAW_ALPB)
		s.o.part = CLOPT_PART_REACTION;
	scene_check(ctx, &s, set->name);
	scene_close(&s);
}

START_TEST(salted)
{
	struct clopt *ctx = test_open(NULL);
	int law;

	for (law = FIRST_SALTED; law < SETTINGS && test_force(ctx, rows[_i]); law++)
		if (settings[law].kappa > 0) {
			expect_any_unit(ctx, &settings[law]);
			expect_little_salt(ctx, &settings[law]);
			expect_nothing(ctx, &settings[law]);
		}
	test_close(ctx);
}
END_TEST

/* For a charge beyond the ions' surface the exponent grows instead of falling: the potential
 * overflows float32, and must not come out small. */
START_TEST(growing_exponent_stays_infinite)
{
	static const float source[4] = { 0, 0, SCENE_RADIUS + 60, 1 };
	static const float target[4] = { 0, 0, SCENE_RADIUS, 0 }, normal[4] = { 0, 0, 1, 0 };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	const double charge = 0;
	struct clopt *ctx = test_open(NULL);
	float phi;

	o.law = CLOPT_LAW_ALPB;
	o.radius = SCENE_RADIUS;
	o.projection = 61;
	o.kappa = 4;
	o.normals = normal;
	o.charge = &charge;
	if (test_force(ctx, rows[_i])) {
		CHECK_OK(ctx, clopt_potential(ctx, 1, source, 1, target, &phi, &o));
		ck_assert_msg(!isfinite(phi), "%s: %g", rows[_i], (double)phi);
	}
	test_close(ctx);
}
END_TEST

/* d^4, or twice the charge, may leave float32 where charge / d^4 does not. */
START_TEST(near_charge)
{
	static const float sources[][4] = { { 1e-11f, 0, 0, 1e-15f }, { 16, 0, 0, 3e38f } };
	static const float target[4] = { 0 };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	float out[4];
	size_t i;

	o.law = CLOPT_LAW_DISTANCE4;
	o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	for (i = 0; i < 2 && test_force(ctx, rows[_i]); i++) {
		const float *s = sources[i];
		const double want = -(double)s[3] / 2 / pow((double)s[0], 3);

		CHECK_OK(ctx, clopt_potential(ctx, 1, s, 1, target, out, &o));
		ck_assert_msg(fabs((double)out[0] / want - 1) < 1e-6, "%s: %g instead of %g",
		              rows[_i], (double)out[0], want);
	}
	test_close(ctx);
}
END_TEST

/* A source whose squared distance overflows adds nothing to the others. */
START_TEST(far_source_adds_nothing)
{
	static const float sources[8] = { 0, 0, 1, 2, FLT_MAX, 0, 0, 1 };
	static const float there[4] = { -FLT_MAX / 2, 0, 0, 0 }, here[4] = { 0 };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	float out[4];
	int i;

	o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	if (test_force(ctx, rows[_i])) {
		CHECK_OK(ctx, clopt_potential(ctx, 2, sources, 1, there, out, &o));
		for (i = 0; i < 4; i++)
			ck_assert_msg(out[i] == 0, "%s, number %d: %g", rows[_i], i,
			              (double)out[i]);
		CHECK_OK(ctx, clopt_potential(ctx, 2, sources, 1, here, out, &o));
		ck_assert(out[0] == 0 && fabsf(out[2] + 2) < 1e-6f && fabsf(out[3] - 2) < 1e-6f);
	}
	test_close(ctx);
}
END_TEST

/* The same for a body, also at infinity, in any precision; and NaN comes through, a target's own
 * softening among it. */
START_TEST(not_finite)
{
	static const char *const nbody_rows[] = { "nbody/plain",       "nbody/tile-256",
		                                  "nbody/vec-4",       "nbody/wide-8x4",
		                                  "nbody/exact",       "nbody/exact-8",
		                                  "nbody/ladder-naive" };
	const int own = _i < 6;
	static const float far[] = { 1e19f, 1e30f, FLT_MAX, INFINITY };
	float bodies[8] = { 0, 0, 1, 2, 0, 0, 0, 1 };
	float points[8] = { -1e19f, 0, 0, 0.5f, 0, 0, 3, 0.5f };
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	float out[8];
	size_t i, k;

	if (!test_force(ctx, nbody_rows[_i]))
		goto out;
	o.target_softening = own;
	o.softening = own ? 0 : 0.5;
	for (o.potential = 0; o.potential < 2; o.potential++) {
		o.precision =
		        _i >= 4 && own ? CLOPT_PRECISION_DOUBLE_SINGLE : CLOPT_PRECISION_FLOAT;
		for (k = 0; k < 4; k++) {
			bodies[4] = far[k];
			points[0] = -far[k] / 2;
			points[7] = 0.5f;
			CHECK_OK(ctx, clopt_nbody(ctx, 2, bodies, 2, points, out, &o));
			for (i = 0; i < 4; i++)
				ck_assert_msg(fabsf(out[i]) < 1e-18f, "%s, %g: number %zu is %g",
				              nbody_rows[_i], (double)far[k], i, (double)out[i]);
			ck_assert_msg(fabsf(out[6] + 4 / powf(4.25f, 1.5f)) < 1e-5f, "%s, %g: %g",
			              nbody_rows[_i], (double)far[k], (double)out[6]);
			points[7] = NAN;
			if (!own)
				continue;
			CHECK_OK(ctx, clopt_nbody(ctx, 2, bodies, 2, points, out, &o));
			for (i = 4; i < 7u + (unsigned)o.potential; i++)
				ck_assert_msg(isnan(out[i]), "%s, softening NaN: number %zu is %g",
				              nbody_rows[_i], i, (double)out[i]);
		}
	}
out:
	test_close(ctx);
}
END_TEST

enum {
	RADII = 16
};

/* A charge so near that charge / d^3 is 1e33: laws with a larger force keep their field.  Radii,
 * since rounding errors of their squares must not grow with 1 / d. */
START_TEST(near_field)
{
	static const float normal[4] = { 1, 0, 0, 0 };
	const float d = 0x1p-48f, charge = (float)1e33 * d * d * d;
	const struct setting *set = &settings[_i % SETTINGS];
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	const double all = 0;
	float source[4] = { 0, d, 0, charge }, at[4] = { 0 }, out[4];
	double want[4], off[4];
	struct reference r;
	int i, k;

	o.law = set->mode;
	o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	o.kappa = set->kappa;
	o.normals = normal;
	o.charge = &all;
	o.projection = set->mode == CLOPT_LAW_ALPB ? set->projection : 0;
	/* The target is at the origin. */
	at[0] = (float)-o.projection;
	for (i = 0; i < RADII && test_force(ctx, rows[_i / SETTINGS]); i++) {
		o.radius = SCENE_RADIUS * (1 + i / 64.0);
		CHECK_OK(ctx, clopt_potential(ctx, 1, source, 1, at, out, &o));
		reference_potential(&o, 1, source, at, normal, &r);
		reference_outputs(&r, o.outputs, o.precision, 1, want, off);
		for (k = 0; k < 4; k++)
			ck_assert_msg(fabs((double)out[k] - want[k]) <= 4 * off[k],
			              "%s, %s, radius %g, number %d: %g instead of %g",
			              rows[_i / SETTINGS], set->name, o.radius, k, (double)out[k],
			              want[k]);
	}
	test_close(ctx);
}
END_TEST

/* One charge and one target with salt, against double without its cancellations. */
static void expect_salted(struct clopt *ctx, const char *row, const float *source,
                          const float *normal, double projection, double share)
{
	static const float target[4] = { 0, 0, SCENE_RADIUS, 0 };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	const double all = 0;
	struct reference r;
	float phi;

	o.law = CLOPT_LAW_ALPB;
	o.radius = SCENE_RADIUS;
	o.projection = projection;
	o.ion_radius = 2;
	o.kappa = 4;
	o.normals = normal;
	o.charge = &all;
	CHECK_OK(ctx, clopt_potential(ctx, 1, source, 1, target, &phi, &o));
	reference_potential(&o, 1, source, target, normal, &r);
	ck_assert_msg(fabs((double)phi - r.phi) <= share * fabs(r.phi),
	              "%s, charge at %g %g, normal %g %g, projection %g: %.9g instead of %.9g", row,
	              (double)source[0], (double)source[2], (double)normal[0], (double)normal[2],
	              projection, (double)phi, r.phi);
}

/* The salt's terms have d' and d - d': of a charge at the foot, of one far away, and along normals
 * that are zero, or not quite of length 1. */
START_TEST(foot)
{
	static const float up[4] = { 0, 0, 1, 0 }, none[4] = { 0 },
	                   long_up[4] = { 0, 0, 1.0000004f, 0 };
	static const float distances[] = { 1e3f, 1e5f, 1e7f, 1e9f };
	float source[4] = { 0, 0, 0, 1 };
	struct clopt *ctx = test_open(NULL);
	size_t i;

	if (!test_force(ctx, rows[_i]))
		goto out;
	for (i = 0; i < sizeof distances / sizeof *distances; i++) {
		source[0] = distances[i];
		expect_salted(ctx, rows[_i], source, up, 2.5, 1e-5);
		expect_salted(ctx, rows[_i], source, none, 2.5, 1e-5);
	}
	/* 0.001 from the foot, with a target so much higher. */
	source[0] = 1e-3f;
	source[2] = SCENE_RADIUS + 2;
	expect_salted(ctx, rows[_i], source, up, 22, 1e-4);
	expect_salted(ctx, rows[_i], source, long_up, 22, 1e-4);
	expect_salted(ctx, rows[_i], source, up, -14, 1e-4);
	source[2] = SCENE_RADIUS - 4;
	expect_salted(ctx, rows[_i], source, none, 1, 1e-5);
	expect_salted(ctx, rows[_i], source, none, 22, 1e-5);
	expect_salted(ctx, rows[_i], source, none, -14, 1e-5);
out:
	test_close(ctx);
}
END_TEST

SUITE(physics_range, long)
{
	test_add_rows(c, salted, 0, ROWS);
	test_add_rows(c, growing_exponent_stays_infinite, 0, ROWS);
	test_add_rows(c, near_charge, 0, ROWS);
	test_add_rows(c, far_source_adds_nothing, 0, ROWS);
	test_add_rows(c, not_finite, 0, ROWS + 3);
	test_add_rows(c, near_field, 0, ROWS * SETTINGS);
	test_add_rows(c, foot, 0, ROWS);
}
