/* SPDX-License-Identifier: MIT */
/*
 * potential.c - the Coulomb potential of charges at points.
 *
 * A band is some targets; the sources are shared by all bands.
 */
#include <float.h>
#include <string.h>

#include "internal.h"

static int potential(struct clopt *ctx, size_t nsources, struct operand sources, size_t ntargets,
                     struct operand targets, struct operand phi,
                     const struct clopt_potential_options *options, struct form form)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct job j = {
		.problem = { sizeof j.problem,
		             CLOPT_POTENTIAL,
		             { nsources, ntargets, 0 },
		             0,
		             0,
		             0 },
		.operand = { sources, targets, phi },
	};
	int rc = CLOPT_OK;

	if (options) {
		TRY(clopt__check_options(ctx, "clopt_potential_options", options->size, sizeof o));
		memcpy(&o, options, options->size);
	}
	TRY(clopt__check_real(ctx, "clopt_potential: scale", o.scale, FLT_MIN, FLT_MAX));
	j.real[0] = o.scale;
	rc = clopt__submit(ctx, &j, &form);
out:
	return rc;
}

int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi, const struct clopt_potential_options *options)
{
	return potential(ctx, nsources, clopt__host_operand(sources, 4, OPERAND_IN), ntargets,
	                 clopt__host_operand(targets, 4, OPERAND_IN),
	                 clopt__host_operand(phi, 1, OPERAND_OUT), options, clopt__at_once());
}

int clopt_potential_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *phi,
                          const struct clopt_potential_options *options, struct clopt_call **call)
{
	if (!call)
		return clopt__no_call(ctx, "clopt_potential_start");
	return potential(ctx, nsources, clopt__host_operand(sources, 4, OPERAND_IN), ntargets,
	                 clopt__host_operand(targets, 4, OPERAND_IN),
	                 clopt__host_operand(phi, 1, OPERAND_OUT), options, clopt__started(call));
}

int clopt_potential_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                            size_t ntargets, const struct clopt_buffer *targets,
                            struct clopt_buffer *phi, const struct clopt_potential_options *options,
                            const struct clopt_order *order)
{
	return potential(ctx, nsources, clopt__buffer_operand(sources, 4, OPERAND_IN), ntargets,
	                 clopt__buffer_operand(targets, 4, OPERAND_IN),
	                 clopt__buffer_operand(phi, 1, OPERAND_OUT), options,
	                 clopt__on_buffers(order));
}
