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

/* g and the softening's square into real[0] and real[1]. */
static int read_options(struct clopt *ctx, const struct clopt_nbody_options *options, double *real)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
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
	real[0] = o.g;
	real[1] = o.softening * o.softening;
out:
	return rc;
}

static int nbody(struct clopt *ctx, size_t nsources, struct operand sources, size_t ntargets,
                 struct operand targets, struct operand acc,
                 const struct clopt_nbody_options *options, struct form form)
{
	struct job j = {
		.problem = { sizeof j.problem, CLOPT_NBODY, { nsources, ntargets, 0 }, 0, 0, 0 },
		.operand = { sources, targets, acc },
	};
	int rc = CLOPT_OK;

	TRY(read_options(ctx, options, j.real));
	rc = clopt__submit(ctx, &j, &form);
out:
	return rc;
}

static int leapfrog(struct clopt *ctx, size_t n, struct operand bodies, struct operand velocities,
                    double dt, size_t steps, const struct clopt_nbody_options *options,
                    struct form form)
{
	struct job j = {
		.problem = { sizeof j.problem, CLOPT_LEAPFROG, { n, 0, 0 }, 0, 0, 0 },
		.real = { dt },
		.steps = steps,
		.operand = { bodies, velocities }, /* and accelerations, on the device only */
	};
	int rc = CLOPT_OK;

	TRY(clopt__check_real(ctx, "clopt_nbody_leapfrog: dt", dt, FLT_MIN, FLT_MAX));
	TRY(read_options(ctx, options, j.real + 1));
	rc = clopt__submit(ctx, &j, &form);
out:
	return rc;
}

int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                const float *targets, float *acc, const struct clopt_nbody_options *options)
{
	return nbody(ctx, nsources, clopt__host_operand(sources, 4, OPERAND_IN), ntargets,
	             clopt__host_operand(targets, 4, OPERAND_IN),
	             clopt__host_operand(acc, 4, OPERAND_OUT), options, clopt__at_once());
}

int clopt_nbody_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                      const float *targets, float *acc, const struct clopt_nbody_options *options,
                      struct clopt_call **call)
{
	if (!call)
		return clopt__no_call(ctx, "clopt_nbody_start");
	return nbody(ctx, nsources, clopt__host_operand(sources, 4, OPERAND_IN), ntargets,
	             clopt__host_operand(targets, 4, OPERAND_IN),
	             clopt__host_operand(acc, 4, OPERAND_OUT), options, clopt__started(call));
}

int clopt_nbody_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                        size_t ntargets, const struct clopt_buffer *targets,
                        struct clopt_buffer *acc, const struct clopt_nbody_options *options,
                        const struct clopt_order *order)
{
	return nbody(ctx, nsources, clopt__buffer_operand(sources, 4, OPERAND_IN), ntargets,
	             clopt__buffer_operand(targets, 4, OPERAND_IN),
	             clopt__buffer_operand(acc, 4, OPERAND_OUT), options, clopt__on_buffers(order));
}

int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities, double dt,
                         size_t steps, const struct clopt_nbody_options *options)
{
	return leapfrog(ctx, n, clopt__host_operand(bodies, 4, OPERAND_IN | OPERAND_OUT),
	                clopt__host_operand(velocities, 4, OPERAND_IN | OPERAND_OUT), dt, steps,
	                options, clopt__at_once());
}

int clopt_nbody_leapfrog_start(struct clopt *ctx, size_t n, float *bodies, float *velocities,
                               double dt, size_t steps, const struct clopt_nbody_options *options,
                               struct clopt_call **call)
{
	if (!call)
		return clopt__no_call(ctx, "clopt_nbody_leapfrog_start");
	return leapfrog(ctx, n, clopt__host_operand(bodies, 4, OPERAND_IN | OPERAND_OUT),
	                clopt__host_operand(velocities, 4, OPERAND_IN | OPERAND_OUT), dt, steps,
	                options, clopt__started(call));
}

int clopt_nbody_leapfrog_buffers(struct clopt *ctx, size_t n, struct clopt_buffer *bodies,
                                 struct clopt_buffer *velocities, double dt, size_t steps,
                                 const struct clopt_nbody_options *options,
                                 const struct clopt_order *order)
{
	return leapfrog(ctx, n, clopt__buffer_operand(bodies, 4, OPERAND_IN | OPERAND_OUT),
	                clopt__buffer_operand(velocities, 4, OPERAND_IN | OPERAND_OUT), dt, steps,
	                options, clopt__on_buffers(order));
}
