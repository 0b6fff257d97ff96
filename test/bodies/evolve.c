/* SPDX-License-Identifier: MIT */
/*
 * evolve.c - the motion of bodies under their gravity against known solutions and
 * conservation laws.
 *
 * CLOPT_TEST_FULL=1: 4096 bodies of a star cluster instead of 512, which takes more than
 * a minute on a CPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evolve.h"
#include "suites.h"
#include "wrap.h"

static struct bodies first, moved;

#define KDK CLOPT_INTEGRATOR_KICK_DRIFT_KICK
#define HERMITE CLOPT_INTEGRATOR_HERMITE
#define FLOAT CLOPT_PRECISION_FLOAT
#define TWO CLOPT_PRECISION_DOUBLE_SINGLE
#define DOUBLE CLOPT_PRECISION_DOUBLE

/* From `first` to `moved`. */
static void evolve(struct clopt *ctx, double dt, size_t steps, const struct clopt_evolve_options *o)
{
	moved = first;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, first.n, moved.x, moved.v, dt, steps, o));
}

static const struct {
	int precision, integrator;
	size_t steps;
	double most; /* from where it was one period ago */
} eights[] = {
	{ DOUBLE, KDK, 2000, 1e-4 },  { DOUBLE, HERMITE, 2000, 1e-7 }, { TWO, KDK, 2000, 1e-4 },
	{ TWO, HERMITE, 2000, 1e-7 }, { FLOAT, HERMITE, 1000, 1e-3 },
};

START_TEST(figure_eight)
{
	const struct clopt_evolve_options o =
	        evolve_options(eights[_i].precision, eights[_i].integrator, 0);
	struct clopt *ctx = test_open(NULL);
	double off;

	bodies_eight(&first);
	evolve(ctx, EIGHT_PERIOD / (double)eights[_i].steps, eights[_i].steps, &o);
	off = bodies_apart(&first, &moved);
	printf("figure eight, precision %d, integrator %d: %.1e after one period\n", o.precision,
	       o.integrator, off);
	fflush(stdout);
	ck_assert_msg(off <= eights[_i].most, "%g after one period", off);
	test_close(ctx);
}
END_TEST

static const struct {
	int precision;
	double drift, momentum; /* of the energy, as a share; by one time unit */
} clusters[] = {
	{ DOUBLE, 1e-6, 1e-15 },
	{ TWO, 1e-6, 1e-13 },
	{ FLOAT, 2e-5, 1e-6 },
};

START_TEST(star_cluster)
{
	const struct clopt_evolve_options o =
	        evolve_options(clusters[_i].precision, HERMITE, 0.015);
	const char *full = getenv("CLOPT_TEST_FULL");
	struct clopt_conserved before, after;
	struct clopt *ctx = test_open(NULL);
	double drift, push = 0;
	int d;

	bodies_plummer(&first, full && *full == '1' ? MOST_BODIES : 512);
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, first.n, first.x, first.v, &o, &before));
	/* Heggie's and Mathieu's units. */
	ck_assert_double_eq_tol(before.mass, 1, 1e-6);
	ck_assert_double_eq_tol(before.kinetic, 0.25, 0.03);
	ck_assert_double_eq_tol(before.potential, -0.5, 0.05);
	evolve(ctx, 1.0 / 512, 512, &o);
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, first.n, moved.x, moved.v, &o, &after));
	drift = (after.kinetic + after.potential) / (before.kinetic + before.potential) - 1;
	for (d = 0; d < 3; d++)
		push = fmax(push, fabs(after.momentum[d] - before.momentum[d]));
	printf("cluster of %zu, precision %d: energy by %.1e, momentum by %.1e\n", first.n,
	       o.precision, drift, push);
	fflush(stdout);
	ck_assert_msg(fabs(drift) <= clusters[_i].drift, "the energy changes by %g", drift);
	ck_assert_msg(push <= clusters[_i].momentum, "momentum changes by %g", push);
	ck_assert_msg(first.x[4 * 7 + 3] == moved.x[4 * 7 + 3] && moved.v[4 * 7 + 3] == 7,
	              "the fourth numbers are not kept");
	test_close(ctx);
}
END_TEST

/* Each integrator has its order: an orbit's closing error for two lengths of the step. */
START_TEST(integrators_have_their_order)
{
	const int order = _i ? 4 : 2;
	const struct clopt_evolve_options o = evolve_options(DOUBLE, _i ? HERMITE : KDK, 0);
	struct clopt *ctx = test_open(NULL);
	double coarse, fine, found;

	bodies_pair(&first, 0.3);
	evolve(ctx, 2 * acos(-1) / 400, 400, &o);
	coarse = bodies_apart(&first, &moved);
	evolve(ctx, 2 * acos(-1) / 800, 800, &o);
	fine = bodies_apart(&first, &moved);
	found = log2(coarse / fine);
	printf("order %d: %.1e, half the step %.1e: %.2f\n", order, coarse, fine, found);
	fflush(stdout);
	ck_assert_msg(fabs(found - order) < 0.2, "errors %g and %g", coarse, fine);
	test_close(ctx);
}
END_TEST

/* Leapfrog is reversible but for rounding. */
START_TEST(leapfrog_is_reversible)
{
	const struct clopt_evolve_options o = evolve_options(_i ? TWO : DOUBLE, KDK, 0.05);
	struct clopt *ctx = test_open(NULL);
	double off;

	bodies_plummer(&first, 100);
	evolve(ctx, 0.01, 100, &o);
	ck_assert_double_gt(bodies_apart(&first, &moved), 0.1);
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, -0.01, 100, &o));
	off = bodies_apart(&first, &moved);
	ck_assert_msg(off < (_i ? 1e-10 : 1e-12), "%g off", off);
	test_close(ctx);
}
END_TEST

/* The best precision is double, or without it double-single: the same to 12 digits. */
START_TEST(without_double_the_same_to_12_digits)
{
	struct clopt_evolve_options o = evolve_options(CLOPT_PRECISION_BEST, HERMITE, 0.05);
	struct clopt_conserved with, without, single;
	struct bodies *in_double = malloc(sizeof *in_double);
	struct clopt *ctx = test_open(NULL);

	ck_assert_ptr_nonnull(in_double);
	bodies_plummer(&first, 200);
	evolve(ctx, 0.01, 10, &o);
	*in_double = moved;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, moved.n, moved.x, moved.v, &o, &with));
	test_close(ctx);
	wrap_single(1);
	ctx = test_open(NULL);
	evolve(ctx, 0.01, 10, &o);
	ck_assert_double_lt(bodies_apart(in_double, &moved), 1e-11);
	ck_assert_double_gt(bodies_apart(in_double, &moved), 0);
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, moved.n, moved.x, moved.v, &o, &without));
	ck_assert_double_eq_tol(with.potential, without.potential, 1e-11);
	ck_assert_double_eq_tol(with.kinetic, without.kinetic, 1e-11);
	o.precision = FLOAT;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, moved.n, moved.x, moved.v, &o, &single));
	ck_assert_double_eq_tol(with.kinetic, single.kinetic, 1e-6);
	o.precision = DOUBLE;
	expect_refused(clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 10, &o),
	               CLOPT_EUNSUPPORTED, ctx, "fp64");
	test_close(ctx);
	free(in_double);
}
END_TEST

/* Sun and Earth in SI units: float holds the masses but not the angular momentum. 1 au away at 29.8
 * km/s. */
START_TEST(si_units)
{
	static const int precisions[] = { FLOAT, TWO, DOUBLE };
	struct clopt_evolve_options o = evolve_options(precisions[_i], KDK, 0);
	const double sun = 1.98847e30, earth = 5.9722e24, au = 1.495978707e11, speed = 29780;
	const double error = precisions[_i] == FLOAT ? 1e-6 : 1e-12;
	struct clopt_conserved sums;
	struct clopt *ctx = test_open(NULL);

	memset(&first, 0, sizeof first);
	first.n = 2;
	first.x[3] = sun;
	first.x[4] = au;
	first.x[7] = earth;
	first.v[5] = speed;
	o.g = 6.6743e-11;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, first.n, first.x, first.v, &o, &sums));
	ck_assert_double_eq_tol(sums.mass / (sun + earth), 1, error);
	ck_assert_double_eq_tol(sums.kinetic / (earth * speed * speed / 2), 1, error);
	ck_assert_double_eq_tol(sums.potential / (-o.g * sun * earth / au), 1, error);
	ck_assert_double_eq_tol(sums.momentum[1] / (earth * speed), 1, error);
	ck_assert_double_eq_tol(sums.angular_momentum[2] / (earth * speed * au), 1, error);
	ck_assert_double_eq_tol(sums.centre[0] / (earth * au / (sun + earth)), 1, error);
	test_close(ctx);
}
END_TEST

static int keep_energy(void *user, size_t step, const double *bodies, const double *velocities,
                       const struct clopt_conserved *sums)
{
	double *energy = user;

	energy[step != 0] = sums->kinetic + sums->potential;
	return 0;
}

/* Softened bodies at one place have a potential, so that the energy stays as they part. */
START_TEST(at_one_place)
{
	static const int precisions[] = { FLOAT, TWO, DOUBLE };
	static const double places[] = { 0, 0, 0, 0, 1, 1 };
	struct clopt_evolve_options o = evolve_options(precisions[_i / 2], _i % 2, 0.5);
	const double error = o.precision == FLOAT ? 1e-6 : 1e-12;
	double energy[2], potential = 0;
	struct clopt_conserved sums;
	struct clopt *ctx = test_open(NULL);
	size_t i, j;

	memset(&first, 0, sizeof first);
	first.n = sizeof places / sizeof *places;
	for (i = 0; i < first.n; i++) {
		first.x[4 * i] = places[i];
		first.x[4 * i + 1] = i % 2 ? -0.0 : 0.0;
		first.x[4 * i + 3] = i ? 0.25 * (double)i : 1;
		first.v[4 * i + i % 3] = 0.2 * (double)i - 0.5;
		for (j = 0; j < i; j++)
			potential -= first.x[4 * i + 3] * first.x[4 * j + 3] /
			             sqrt(pow(places[i] - places[j], 2) + 0.25);
	}
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, first.n, first.x, first.v, &o, &sums));
	ck_assert_double_eq_tol(sums.potential / potential, 1, error);
	o.every = 64;
	o.each = keep_energy;
	o.user = energy;
	evolve(ctx, 1.0 / 256, 64, &o);
	ck_assert_double_eq_tol(energy[0] / (sums.kinetic + sums.potential), 1, error);
	ck_assert_double_eq_tol(energy[1] / energy[0], 1, 1e-4);
	/* Without softening they add nothing. */
	o.softening = 0;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, first.n, first.x, first.v, &o, &sums));
	ck_assert_double_eq_tol(sums.potential / -(2.5 * 2.25), 1, error);
	test_close(ctx);
}
END_TEST

SUITE(evolve, long)
{
	test_add_rows(c, figure_eight, 0, (int)(sizeof eights / sizeof *eights));
	if (test_all())
		tcase_add_loop_test(c, star_cluster, 0, (int)(sizeof clusters / sizeof *clusters));
	tcase_add_loop_test(c, integrators_have_their_order, 0, 2);
	tcase_add_loop_test(c, leapfrog_is_reversible, 0, 2);
	tcase_add_loop_test(c, si_units, 0, 3);
	tcase_add_loop_test(c, at_one_place, 0, 6);
	tcase_add_test(c, without_double_the_same_to_12_digits);
	evolve_calls(c);
}
