/* SPDX-License-Identifier: MIT */
/*
 * nbody.c - gravity, and leapfrog steps under it.
 *
 * A band is some targets; the sources are shared by all bands.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"

/* The job of one evaluation of gravity, but for its arrays. */
static int gravity(struct clopt *ctx, size_t nsources, size_t ntargets,
                   const struct clopt_nbody_options *options, struct job *j)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	const struct clopt_problem p = {
		sizeof p, CLOPT_NBODY, { nsources, ntargets, 0 }, 0, 0, 0
	};
	int rc = CLOPT_OK;

	if (options) {
		TRY(clopt__check_options(ctx, "clopt_nbody_options", options->size, sizeof o));
		memcpy(&o, options, options->size);
	}
	TRY(clopt__check_real(ctx, "clopt_nbody: g", o.g, FLT_MIN, FLT_MAX));
	/* Kernels take its square. */
	TRY(clopt__check_real(ctx, "clopt_nbody: softening", o.softening, sqrt(FLT_MIN),
	                      sqrt(FLT_MAX)));
	if (o.softening < 0)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_nbody: softening is %g, a length",
		                   o.softening);
	memset(j, 0, sizeof *j);
	j->problem = p;
	j->real[0] = o.g;
	j->real[1] = o.softening * o.softening;
out:
	return rc;
}

int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                const float *targets, float *acc, const struct clopt_nbody_options *options)
{
	struct job j;
	int rc = CLOPT_OK;

	TRY(gravity(ctx, nsources, ntargets, options, &j));
	j.operand[0] =
	        (struct operand){ .host = (void *)(uintptr_t)sources, .ld = 4, .use = OPERAND_IN };
	j.operand[1] =
	        (struct operand){ .host = (void *)(uintptr_t)targets, .ld = 4, .use = OPERAND_IN };
	j.operand[2] = (struct operand){ .host = acc, .ld = 4, .use = OPERAND_OUT };
	rc = clopt__call(ctx, &j);
out:
	return rc;
}

int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities, double dt,
                         size_t steps, const struct clopt_nbody_options *options)
{
	const struct job step = {
		.problem = { sizeof step.problem, CLOPT_LEAPFROG, { n, 0, 0 }, 0, 0, 0 },
		.operand = { { .host = bodies, .ld = 4, .use = OPERAND_IN | OPERAND_OUT },
		             { .host = velocities, .ld = 4, .use = OPERAND_IN | OPERAND_OUT } },
	};
	struct job g;
	int rc = CLOPT_OK;

	TRY(clopt__check_real(ctx, "clopt_nbody_leapfrog: dt", dt, FLT_MIN, FLT_MAX));
	TRY(gravity(ctx, n, n, options, &g));
	rc = clopt__leapfrog(ctx, &g, &step, dt, steps);
out:
	return rc;
}
