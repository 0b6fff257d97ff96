/* SPDX-License-Identifier: MIT */
/*
 * evolve.c - moving bodies in doubles of the caller, whatever the device computes with: checks the
 * arguments.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/text.h"
#include "../kernel/kernel.h"
#include "api.h"

static int check_arrays(const struct clopt *ctx, const struct evolution *e)
{
	static const char *const names[] = { "bodies", "velocities", "rates" };
	double *const arrays[] = { e->bodies, e->velocities, e->options.rates };
	const int used = arrays[2] && e->integrator->rate_rows > 1 ? 3 : 2;
	struct operand o[3];
	int i, k, rc = CLOPT_OK;

	for (i = 0; i < used; i++) {
		o[i] = clopt__host_operand(arrays[i], 4, OPERAND_IN | OPERAND_OUT);
		o[i].name = names[i];
		o[i].rows = i == 2 ? clopt__times(2, e->n) : e->n;
		o[i].columns = 4;
		o[i].elem_bytes = sizeof(double);
		TRY(clopt__check_operand(ctx, &o[i], 0));
		for (k = 0; k < i; k++)
			TRY(clopt__check_apart(ctx, &o[k], &o[i]));
	}
out:
	return rc;
}

/* Limits for kernels that square distances and speeds: the largest magnitudes of positions,
 * velocities and masses, and the least of masses besides 0. */
struct range {
	const char *name;
	double most, least_mass, most_mass;
};

static struct range range_of(int precision)
{
	const struct range wide = { "float64", 1e153, DBL_MIN, DBL_MAX };
	const struct range narrow = { "float32", 1e18, FLT_MIN, FLT_MAX };

	return precision == CLOPT_PRECISION_DOUBLE ? wide : narrow;
}

/* A number beyond the range would be infinite on the device, and a step later all numbers NaN. */
static int check_bodies(const struct clopt *ctx, const struct evolution *e)
{
	const struct range r = range_of(e->options.precision);
	size_t i;

	for (i = 0; i < 4 * e->n; i++) {
		const double x = e->bodies[i], v = e->velocities[i], size = fabs(x);

		if (i % 4 == 3 && x != 0 && !(size >= r.least_mass && size <= r.most_mass))
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "bodies[%zu], a mass, is %g: in %s its magnitude must "
			                   "be 0, or %g to %g",
			                   i, x, r.name, r.least_mass, r.most_mass);
		if (i % 4 < 3 && !(size <= r.most))
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "bodies[%zu], a coordinate, is %g: in %s its magnitude "
			                   "must be at most %g",
			                   i, x, r.name, r.most);
		if (i % 4 < 3 && !(fabs(v) <= r.most))
			return clopt__fail(
			        ctx, CLOPT_EINVAL,
			        "velocities[%zu] is %g: in %s its magnitude must be at most %g", i,
			        v, r.name, r.most);
	}
	return CLOPT_OK;
}

/* Rates of an earlier run.  Kernels do not square them. */
static int check_rates(const struct clopt *ctx, const struct evolution *e)
{
	const struct clopt_evolve_options *o = &e->options;
	const struct range r = range_of(o->precision);
	size_t i;

	if (!o->resume || e->integrator->rate_rows < 2)
		return CLOPT_OK;
	if (!o->rates && e->n)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "resume is 1 and rates is NULL: give the rates of the run that goes on");
	for (i = 0; i < 8 * e->n; i++)
		if (i % 4 < 3 && !(fabs(o->rates[i]) <= r.most_mass))
			return clopt__fail(
			        ctx, CLOPT_EINVAL,
			        "rates[%zu] is %g: in %s its magnitude must be at most %g", i,
			        o->rates[i], r.name, r.most_mass);
	return CLOPT_OK;
}

static int find_integrator(const struct clopt *ctx, struct evolution *e)
{
	const struct integrator *const *i = clopt__integrators;
	char list[256] = "";
	struct text names = { list, sizeof list };

	for (; *i; i++)
		if ((*i)->id == e->options.integrator) {
			e->integrator = *i;
			return CLOPT_OK;
		}
	for (i = clopt__integrators; *i; i++)
		clopt__say(&names, "%s CLOPT_INTEGRATOR_%s", i == clopt__integrators ? "" : " or",
		           (*i)->name);
	return clopt__fail(ctx, CLOPT_EINVAL, "integrator is %d: use%s", e->options.integrator,
	                   list);
}

static int describe(const struct clopt *ctx, const struct clopt_evolve_options *options,
                    struct evolution *e)
{
	const struct clopt_evolve_options initial = CLOPT_EVOLVE_OPTIONS_INIT;
	int wide, rc = CLOPT_OK;

	e->options = initial;
	TRY(clopt__sized_read(ctx, "clopt_evolve_options", options, &e->options, sizeof initial));
	e->options.g = e->options.g != 0 ? e->options.g : 1;
	TRY(find_integrator(ctx, e));
	TRY(clopt__check_number(ctx, "resume", e->options.resume, 0, 1));
	TRY(clopt__check_number(ctx, "rates_reserved", e->options.rates_reserved, 0, 0));
	TRY(clopt__check_size(ctx, "n", e->n));
	TRY(clopt__check_size(ctx, "steps", e->steps));
	TRY(clopt__bodies_precision(ctx, &e->options.precision));
	wide = e->options.precision == CLOPT_PRECISION_DOUBLE;
	TRY(clopt__check_real(ctx, "dt", e->dt, wide ? DBL_MIN : FLT_MIN,
	                      wide ? DBL_MAX : FLT_MAX));
	TRY(clopt__check_gravity(ctx, wide, e->options.g, e->options.softening));
	TRY(clopt__tree_read(ctx, e->options.tolerance, e->options.theta, e->options.order,
	                     e->options.tree_reserved, 0, &e->tree));
	/* Read the arrays last, once all options are in range. */
	TRY(check_arrays(ctx, e));
	TRY(check_bodies(ctx, e));
	TRY(check_rates(ctx, e));
	TRY(clopt__group_read_bodies(ctx, e));
out:
	return rc;
}

static void say_evolve(const void *what, char *text, size_t size)
{
	const struct evolution *e = what;

	snprintf(text, size, "clopt_nbody_evolve %zu bodies, %zu steps", e->n, e->steps);
}

static void say_conserved(const void *what, char *text, size_t size)
{
	snprintf(text, size, "clopt_nbody_conserved %zu bodies",
	         ((const struct evolution *)what)->n);
}

/* sums: compute only sums, without steps. */
static int call(struct clopt *ctx, struct evolution *e, const struct clopt_evolve_options *options,
                struct clopt_conserved *sums)
{
	struct clopt_conserved all;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, (struct sentence){ sums ? say_conserved : say_evolve, e }));
	TRY(describe(ctx, options, e));
	e->runners = clopt__runners(ctx, &e->tree, e->group.exchange != NULL);
	TRY(sums ? clopt__conserved(ctx, e, &all) : clopt__evolve(ctx, e));
	if (sums)
		*sums = all;
	clopt__kernels_save(ctx, 0);
out:
	return clopt__end(ctx, rc, NULL);
}

int clopt_nbody_evolve(struct clopt *ctx, size_t n, double *bodies, double *velocities, double dt,
                       size_t steps, const struct clopt_evolve_options *options)
{
	struct evolution e = {
		.n = n, .steps = steps, .bodies = bodies, .velocities = velocities, .dt = dt
	};

	return call(ctx, &e, options, NULL);
}

int clopt_nbody_conserved(struct clopt *ctx, size_t n, const double *bodies,
                          const double *velocities, const struct clopt_evolve_options *options,
                          struct clopt_conserved *sums)
{
	/* Without steps the arrays are not written. */
	struct evolution e = { .n = n,
		               .bodies = (double *)(uintptr_t)bodies,
		               .velocities = (double *)(uintptr_t)velocities };

	if (!sums)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_nbody_conserved: sums is NULL");
	return call(ctx, &e, options, sums);
}
