/* SPDX-License-Identifier: MIT */
/*
 * potential.c - the Coulomb potential of charges at points.
 *
 * A band is some targets; the sources are shared by all bands.
 */
#include <float.h>
#include <string.h>

#include "internal.h"

int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi, const struct clopt_potential_options *options)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct job j = {
		.problem = { sizeof j.problem,
		             CLOPT_POTENTIAL,
		             { nsources, ntargets, 0 },
		             0,
		             0,
		             0 },
		.operand = { { .host = (void *)(uintptr_t)sources, .ld = 4, .use = OPERAND_IN },
		             { .host = (void *)(uintptr_t)targets, .ld = 4, .use = OPERAND_IN },
		             { .host = phi, .ld = 1, .use = OPERAND_OUT } },
	};
	int rc = CLOPT_OK;

	if (options) {
		TRY(clopt__check_options(ctx, "clopt_potential_options", options->size, sizeof o));
		memcpy(&o, options, options->size);
	}
	TRY(clopt__check_real(ctx, "clopt_potential: scale", o.scale, FLT_MIN, FLT_MAX));
	j.real[0] = o.scale;
	rc = clopt__call(ctx, &j);
out:
	return rc;
}
