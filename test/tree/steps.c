/* SPDX-License-Identifier: MIT */
/*
 * steps.c - bodies that move within a tolerance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/traits.h"
#include "verify/check.h"
#include "suites.h"

static uint64_t drawn;

static double uniform(void)
{
	return (clopt__random(&drawn) + 1) / 2;
}

static void on_sphere(double size, double *x)
{
	const double z = 2 * uniform() - 1, angle = 2 * acos(-1.0) * uniform();

	x[0] = size * sqrt(1 - z * z) * cos(angle);
	x[1] = size * sqrt(1 - z * z) * sin(angle);
	x[2] = size * z;
}

/* Plummer's model at rest as a whole, in the floats' precision: Aarseth, Henon, Wielen (1974). */
struct bodies {
	size_t n;
	double *place, *speed; /* four numbers a body */
	float *narrow_place, *narrow_speed;
};

static struct bodies plummer(size_t n)
{
	struct bodies b = { n, test_room(8 * n * sizeof(double)), NULL,
		            test_room(8 * n * sizeof(float)), NULL };
	size_t i;

	b.speed = b.place + 4 * n;
	b.narrow_speed = b.narrow_place + 4 * n;
	for (i = 0; i < n; i++) {
		const double r = 1 / sqrt(pow(uniform() * 0.999 + 1e-9, -2.0 / 3) - 1);
		double q, g;

		do {
			q = uniform();
			g = 0.1 * uniform();
		} while (g > q * q * pow(1 - q * q, 3.5));
		on_sphere(r, b.place + 4 * i);
		on_sphere(q * sqrt(2) * pow(1 + r * r, -0.25), b.speed + 4 * i);
		b.place[4 * i + 3] = 1 / (double)n;
		b.speed[4 * i + 3] = 0;
	}
	for (i = 0; i < 8 * n; i++) {
		b.narrow_place[i] = (float)b.place[i];
		b.place[i] = (double)b.narrow_place[i];
	}
	return b;
}

static void widen(struct bodies *b)
{
	size_t i;

	for (i = 0; i < 8 * b->n; i++)
		b->place[i] = (double)b->narrow_place[i];
}

#define SOFTENING 0.02
#define LENGTH (1.0 / 64) /* of a step */

static int leapfrog(struct clopt *ctx, struct bodies *b, size_t steps, double tolerance,
                    double theta, unsigned order)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	int rc;

	o.softening = SOFTENING;
	o.tolerance = tolerance;
	o.theta = theta;
	o.order = order;
	rc = clopt_nbody_leapfrog(ctx, b->n, b->narrow_place, b->narrow_speed, LENGTH, steps, &o);
	widen(b);
	return rc;
}

static int evolve(struct clopt *ctx, struct bodies *b, size_t steps, int precision, int integrator,
                  double theta, unsigned order)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;

	o.softening = SOFTENING;
	o.precision = precision;
	o.integrator = integrator;
	o.theta = theta;
	o.order = order;
	return clopt_nbody_evolve(ctx, b->n, b->place, b->speed, LENGTH, steps, &o);
}

static int up(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The 99th percentile of how far bodies are from where they should be, beside how far they went. */
static double off(const struct bodies *start, const struct bodies *got, const struct bodies *want)
{
	double *far = malloc(got->n * sizeof *far), result;
	size_t i, c;

	ck_assert_ptr_nonnull(far);
	for (i = 0; i < got->n; i++) {
		double apart = 0, way = 0;

		for (c = 4 * i; c < 4 * i + 3; c++) {
			apart += pow(got->place[c] - want->place[c], 2);
			way += pow(want->place[c] - start->place[c], 2);
		}
		far[i] = sqrt(apart / way);
	}
	qsort(far, got->n, sizeof *far, up);
	result = far[got->n * 99 / 100];
	free(far);
	return result;
}

/* Below the sizes where it pays, a theta and an order ask for a tree. */
#define THETA 0.5
#define ORDER 3

static void right(struct clopt *ctx, const struct bodies *start, const struct bodies *got,
                  const struct bodies *want, unsigned order)
{
	const struct clopt_report r = test_report(ctx);
	const double far = off(start, got, want);

	ck_assert_uint_eq(r.tree_order, order);
	/* In double an order of 0 is that of a device without. */
	ck_assert_int_eq(strncmp(r.variant, "tree-nbody/", 11) == 0, order != 0);
	ck_assert_int_eq(r.error_targets == 512, order != 0);
	ck_assert_int_eq(r.error_median > 0 && r.error_99 < 5e-3, order != 0);
	ck_assert_msg(far < 1e-3, "bodies are off by %g of their way", far);
}

START_TEST(moved)
{
	const size_t n = 2000, steps = 40;
	struct clopt *ctx = test_open(NULL);
	const int has_double = (ctx->device.traits & T_FP64) != 0;
	struct bodies start, want, b;

	drawn = 5;
	start = plummer(n);
	drawn = 5;
	want = plummer(n);
	CHECK_OK(ctx, evolve(ctx, &want, steps, CLOPT_PRECISION_BEST, 0, 0, 0));
	drawn = 5;
	b = plummer(n);
	CHECK_OK(ctx, leapfrog(ctx, &b, steps, 0, THETA, ORDER));
	right(ctx, &start, &b, &want, ORDER);
	drawn = 5;
	b = plummer(n);
	CHECK_OK(ctx, evolve(ctx, &b, steps, CLOPT_PRECISION_FLOAT, 0, THETA, ORDER));
	right(ctx, &start, &b, &want, ORDER);
	drawn = 5;
	b = plummer(n);
	CHECK_OK(ctx, evolve(ctx, &b, steps, CLOPT_PRECISION_BEST, 0, THETA, 5));
	right(ctx, &start, &b, &want, has_double ? 5 : 0);
	drawn = 5;
	b = plummer(n);
	CHECK_OK(ctx, evolve(ctx, &b, steps, CLOPT_PRECISION_BEST, CLOPT_INTEGRATOR_HERMITE, THETA,
	                     ORDER));
	right(ctx, &start, &b, &want, 0);
	test_close(ctx);
}
END_TEST

/* Few bodies move as without a tolerance; many have the same bits each time, also one step at a
 * time. */
START_TEST(bits)
{
	struct clopt *ctx = test_open(NULL);
	struct bodies a, b;
	unsigned i;

	for (i = 0; i < 3; i++) {
		const size_t n = i ? 2000 : 500;
		const unsigned order = i ? ORDER : 0;

		drawn = 7;
		a = plummer(n);
		drawn = 7;
		b = plummer(n);
		CHECK_OK(ctx, leapfrog(ctx, &a, 6, 0, order ? THETA : 0, order));
		CHECK_OK(ctx, leapfrog(ctx, &b, 6, i ? 0 : 1e-2, order ? THETA : 0, order));
		ck_assert_uint_eq(test_report(ctx).tree_order, order);
		ck_assert_mem_eq(a.narrow_place, b.narrow_place, 8 * n * sizeof(float));
	}
	test_close(ctx);
}
END_TEST

/* A tolerance out of float's reach: theta goes down until the run fails, and no body has moved. */
START_TEST(out_of_reach)
{
	struct clopt *ctx = test_open(NULL);
	struct bodies a, b;
	struct clopt_report r;

	drawn = 9;
	a = plummer(2000);
	drawn = 9;
	b = plummer(2000);
	ck_assert_int_eq(leapfrog(ctx, &b, 10, 1e-10, 0, ORDER), CLOPT_EWRONG);
	ck_assert_msg(strstr(clopt_error(ctx), "tolerance 1e-10 was not reached"), "%s",
	              clopt_error(ctx));
	r = test_report(ctx);
	ck_assert(r.error_99 > 1e-10 && r.error_99 < 1e-3);
	ck_assert_mem_eq(a.narrow_place, b.narrow_place, 8 * a.n * sizeof(float));
	test_close(ctx);
}
END_TEST

/* A theta that is too large does not stay. */
START_TEST(theta_goes_down)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct bodies b;
	struct clopt_report r;

	drawn = 11;
	b = plummer(3000);
	o.softening = SOFTENING;
	o.tolerance = 1e-4;
	o.theta = 0.9;
	o.order = ORDER;
	CHECK_OK(ctx,
	         clopt_nbody_leapfrog(ctx, b.n, b.narrow_place, b.narrow_speed, LENGTH, 2, &o));
	r = test_report(ctx);
	ck_assert(r.tree_theta < 0.9 && r.error_99 <= 1e-4);
	test_close(ctx);
}
END_TEST

static double energy(struct clopt *ctx, const struct bodies *b)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_conserved s;

	o.softening = SOFTENING;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, b->n, b->place, b->speed, &o, &s));
	return s.kinetic + s.potential;
}

/* The largest drift of the energy, looked at each 20 steps. */
static double drift(struct clopt *ctx, size_t n, size_t steps, double tolerance, unsigned order)
{
	struct bodies b;
	double begin, worst = 0;
	size_t i;

	drawn = 13;
	b = plummer(n);
	begin = energy(ctx, &b);
	for (i = 0; i < steps; i += 20) {
		CHECK_OK(ctx, leapfrog(ctx, &b, 20, tolerance, 0, order));
		ck_assert_uint_eq(test_report(ctx).tree_order, order);
		worst = fmax(worst, fabs(energy(ctx, &b) / begin - 1));
	}
	return worst;
}

START_TEST(energies)
{
	const size_t n = 10000, steps = test_whole() ? 1000 : 40;
	struct clopt *ctx = test_open(NULL);
	const double all = drift(ctx, n, steps, 0, 0);
	const double tree = drift(ctx, n, steps, 1e-3, ORDER);

	ck_assert_msg(tree <= 2 * all + 1e-6, "the energy drifts by %g instead of %g", tree, all);
	test_close(ctx);
}
END_TEST

struct seen {
	size_t rows;
	double energy, worst; /* of the first row; the largest change since */
};

static int see(void *user, size_t step, const double *bodies, const double *velocities,
               const struct clopt_conserved *sums)
{
	struct seen *s = user;
	const double energy = sums->kinetic + sums->potential;

	s->energy = s->rows++ ? s->energy : energy;
	s->worst = fmax(s->worst, fabs(energy / s->energy - 1));
	return 0;
}

/* Steps that the caller sees are by the tree too, and so are the sums. */
START_TEST(seen)
{
	static const int precisions[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_BEST };
	const size_t n = 3000, steps = 8;
	struct clopt *ctx = test_open(NULL);
	const unsigned order = _i && !(ctx->device.traits & T_FP64) ? 0 : ORDER;
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_conserved all, tree;
	struct seen s = { 0 };
	struct bodies b;
	struct clopt_report r;

	drawn = 15;
	b = plummer(n);
	o.softening = SOFTENING;
	o.precision = precisions[_i];
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, n, b.place, b.speed, &o, &all));
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	o.tolerance = 1e-3;
	o.order = ORDER;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, n, b.place, b.speed, &o, &tree));
	r = test_report(ctx);
	ck_assert_uint_eq(r.tree_order, order);
	ck_assert_int_eq(strncmp(r.variant, "tree-nbody/", 11) == 0, order != 0);
	ck_assert_double_eq_tol(tree.potential / all.potential, 1, 3e-5);
	ck_assert_double_eq(tree.kinetic, all.kinetic);
	o.integrator = CLOPT_INTEGRATOR_HERMITE; /* whose steps are over all pairs */
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, n, b.place, b.speed, &o, &tree));
	ck_assert_double_eq(tree.potential, all.potential);
	o.integrator = CLOPT_INTEGRATOR_KICK_DRIFT_KICK;
	o.every = 1;
	o.each = see;
	o.user = &s;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, n, b.place, b.speed, LENGTH, steps, &o));
	r = test_report(ctx);
	ck_assert_uint_eq(s.rows, steps + 1);
	ck_assert_uint_eq(r.tree_order, order);
	ck_assert_int_eq(strncmp(r.variant, "tree-nbody/", 11) == 0, order != 0);
	ck_assert(r.error_99 <= 1e-3);
	ck_assert_double_eq_tol(s.energy / (all.kinetic + all.potential), 1, 6e-5);
	ck_assert_double_le(s.worst, 1e-4);
	test_close(ctx);
}
END_TEST

SUITE(tree_steps, long)
{
	tcase_add_test(c, moved);
	tcase_add_test(c, bits);
	tcase_add_test(c, out_of_reach);
	tcase_add_test(c, theta_goes_down);
	tcase_add_test(c, energies);
	tcase_add_loop_test(c, seen, 0, 2);
}
