/* SPDX-License-Identifier: MIT */
/*
 * evolve_calls.c - clopt_nbody_evolve as a function: calls of the callback, and the
 * state after failures.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "evolve.h"
#include "suites.h"
#include "wrap.h"

static struct bodies first, moved;

#define STEPS 7

struct seen {
	size_t steps[16], n, stop_at;
	struct clopt_conserved sums[16];
	double x; /* of the first body, at the last call */
};

static int look(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	struct seen *seen = user;

	ck_assert(seen->n < 16);
	ck_assert_ptr_eq(bodies, moved.x);
	ck_assert_ptr_eq(velocities, moved.v);
	seen->steps[seen->n] = step;
	seen->sums[seen->n++] = *sums;
	seen->x = bodies[0];
	return step == seen->stop_at;
}

static struct clopt_evolve_options watched(struct seen *seen, int integrator, size_t every)
{
	struct clopt_evolve_options o = evolve_options(CLOPT_PRECISION_BEST, integrator, 0.05);

	memset(seen, 0, sizeof *seen);
	seen->stop_at = SIZE_MAX;
	o.each = look;
	o.user = seen;
	o.every = every;
	return o;
}

static void start_over(void)
{
	bodies_plummer(&first, 90);
	moved = first;
}

/* The callback is called at the right steps, and a callback that changes nothing changes no bit. */
START_TEST(callback)
{
	static const size_t expected[] = { 0, 3, 6, 7 };
	struct clopt_conserved sums;
	struct seen seen;
	struct clopt_evolve_options o = watched(&seen, _i, 3), quiet = o;
	struct clopt *ctx = test_open(NULL);
	struct bodies *const b = &moved;

	start_over();
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, b->n, b->x, b->v, 0.01, STEPS, &o));
	ck_assert_uint_eq(seen.n, 4);
	ck_assert_mem_eq(seen.steps, expected, sizeof expected);
	ck_assert(seen.x == b->x[0] && seen.x != first.x[0]);
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, b->n, b->x, b->v, &o, &sums));
	ck_assert_mem_eq(&sums, &seen.sums[3], sizeof sums);
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, b->n, first.x, first.v, &o, &sums));
	ck_assert_mem_eq(&sums, &seen.sums[0], sizeof sums);

	quiet.each = NULL;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, b->n, first.x, first.v, 0.01, STEPS, &quiet));
	ck_assert_mem_eq(first.x, b->x, 4 * b->n * sizeof *b->x);
	ck_assert_mem_eq(first.v, b->v, 4 * b->n * sizeof *b->v);
	test_close(ctx);
}
END_TEST

/* The run ends where the callback asks for it, with the bodies of that step. */
START_TEST(callback_stops)
{
	struct seen seen;
	struct clopt_evolve_options o = watched(&seen, _i, 3);
	struct clopt *ctx = test_open(NULL);

	start_over();
	seen.stop_at = 3;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, STEPS, &o));
	ck_assert_uint_eq(seen.n, 2);
	o.each = NULL;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, first.x, first.v, 0.01, 3, &o));
	ck_assert_mem_eq(first.x, moved.x, 4 * moved.n * sizeof *moved.x);
	ck_assert_mem_eq(first.v, moved.v, 4 * moved.n * sizeof *moved.v);
	/* Before the first step, and without steps, bodies are not changed. */
	start_over();
	o = watched(&seen, _i, 1);
	o.precision = CLOPT_PRECISION_FLOAT;
	seen.stop_at = 0;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, STEPS, &o));
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 0, &o));
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_mem_eq(first.x, moved.x, sizeof first.x);
	test_close(ctx);
}
END_TEST

START_TEST(without_steps_bodies_stay)
{
	struct seen seen;
	struct clopt_evolve_options o = watched(&seen, _i, 0);
	struct clopt_conserved sums;
	struct clopt *ctx = test_open(NULL);

	start_over();
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, 0, NULL, NULL, 0.01, STEPS, NULL));
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, 0, moved.x, moved.v, 0.01, STEPS, &o));
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen.steps[0], STEPS);
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 0, NULL));
	ck_assert_mem_eq(first.x, moved.x, sizeof first.x);
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, 0, NULL, NULL, NULL, &sums));
	ck_assert(sums.mass == 0 && sums.centre[0] == 0);
	test_close(ctx);
}
END_TEST

/* A run in many calls has the bits of one, also where a double has no room for all that two floats
 * hold: leapfrog's by itself, Hermite's by the rates with which a call ended, which `each` sees
 * too. */
#define CALLS 200
static double rates[8 * MOST_BODIES], seen_rates[8 * MOST_BODIES];

static int look_at_rates(void *user, size_t step, const double *bodies, const double *velocities,
                         const struct clopt_conserved *sums)
{
	if (step == 4)
		memcpy(seen_rates, rates, sizeof rates);
	return 0;
}

START_TEST(resumed)
{
	static const int precisions[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
		                          CLOPT_PRECISION_BEST };
	struct clopt_evolve_options o = evolve_options(precisions[_i / 2], _i % 2, 0.05);
	struct clopt *ctx = test_open(NULL);
	static struct bodies whole;
	int i;

	bodies_plummer(&moved, 300);
	memset(rates, 0, sizeof rates);
	rates[3] = 17; /* is kept */
	o.rates = o.integrator == CLOPT_INTEGRATOR_HERMITE ? rates : NULL;
	o.every = 4;
	o.each = look_at_rates;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 4 + CALLS, &o));
	whole = moved;

	o.each = NULL;
	bodies_plummer(&moved, 300);
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 4, &o));
	ck_assert_mem_eq(seen_rates, rates, sizeof rates);
	ck_assert(rates[3] == 17 && (rates[0] != 0) == (o.rates != NULL));
	o.resume = 1;
	for (i = 0; i < CALLS; i++)
		CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 1, &o));
	ck_assert_mem_eq(whole.x, moved.x, sizeof whole.x);
	ck_assert_mem_eq(whole.v, moved.v, sizeof whole.v);
	test_close(ctx);
}
END_TEST

/* Numbers in the device's range are accepted. */
static const struct {
	int velocity, precision;
	size_t i;
	double value;
} ranges[] = {
	{ 0, CLOPT_PRECISION_DOUBLE, 7, 2e41 },
	{ 0, CLOPT_PRECISION_FLOAT, 7, 0 },
	{ 0, CLOPT_PRECISION_DOUBLE, 357, 1e19 },
	{ 1, CLOPT_PRECISION_DOUBLE, 11, (double)NAN }, /* kept, and not read */
};

START_TEST(range)
{
	struct clopt_evolve_options o = evolve_options(ranges[_i].precision, 0, 0.05);
	struct clopt *ctx = test_open(NULL);
	struct clopt_conserved sums;
	size_t i;

	start_over();
	*((ranges[_i].velocity ? moved.v : moved.x) + ranges[_i].i) = ranges[_i].value;
	CHECK_OK(ctx, clopt_nbody_conserved(ctx, moved.n, moved.x, moved.v, &o, &sums));
	ck_assert(isfinite(sums.kinetic) && isfinite(sums.potential));
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 2, &o));
	for (i = 0; i < 4 * moved.n; i++)
		ck_assert(isfinite(moved.x[i]) && (i % 4 == 3 || isfinite(moved.v[i])));
	test_close(ctx);
}
END_TEST

/* After any failure bodies are as before, and the context works. */
START_TEST(failures)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_evolve_options o =
	        evolve_options(CLOPT_PRECISION_BEST, CLOPT_INTEGRATOR_HERMITE, 0.05);
	struct clopt_conserved sums;
	const long step = test_all() ? 1 : 7; /* each call takes a context */
	struct clopt *ctx;
	long n;
	int rc, happened = 1;

	options.profile = 1;
	for (n = 1; happened; n += step) {
		start_over();
		ctx = test_open(&options);
		wrap_fail(n, -5); /* out of resources */
		rc = clopt_nbody_evolve(ctx, moved.n, moved.x, moved.v, 0.01, 3, &o);
		if (rc == CLOPT_OK && !wrap_failed())
			rc = clopt_nbody_conserved(ctx, moved.n, moved.x, moved.v, &o, &sums);
		else
			ck_assert_msg(rc == CLOPT_OK || !memcmp(first.x, moved.x, sizeof first.x),
			              "call %ld failed, and bodies have moved", n);
		happened = wrap_failed();
		wrap_fail(0, 0);
		ck_assert(rc == CLOPT_OK || strlen(clopt_error(ctx)) > 10);
		CHECK_OK(ctx, clopt_nbody_conserved(ctx, moved.n, first.x, first.v, &o, &sums));
		ck_assert_double_eq_tol(sums.mass, 1, 1e-12);
		test_close(ctx);
	}
	printf("evolve: every %ld. of %ld calls failed\n", step, n - step - 1);
	fflush(stdout);
	ck_assert_int_gt(n, 50);
}
END_TEST

void evolve_calls(TCase *c)
{
	tcase_add_loop_test(c, callback, 0, 2);
	tcase_add_loop_test(c, callback_stops, 0, 2);
	tcase_add_loop_test(c, without_steps_bodies_stay, 0, 2);
	test_add_rows(c, resumed, 0, 6);
	test_add_rows(c, range, 0, (int)(sizeof ranges / sizeof *ranges));
	tcase_add_test(c, failures);
}
