/* SPDX-License-Identifier: MIT */
/*
 * hermite.c - Hermite's scheme of fourth order (Makino, Aarseth 1992).  Gravity and its derivative
 * at the predicted positions correct the step that ends and predict the next.  The potential at the
 * corrected positions takes one more evaluation.
 */
#include "bodies.h"

static int advance(struct clopt *ctx, struct stepper *s, size_t step, int due, int *stop)
{
	int rc = CLOPT_OK;

	/* The first rates belong to the bodies, as a prediction of no time. */
	if (!step && !s->resume)
		TRY(clopt__stepper_step(ctx, s, step, 0, 0));
	if (step || !s->resume)
		TRY(clopt__stepper_rates(ctx, s, &s->force));
	/* The prediction has its own array.  Make it before the potential replaces the rates. */
	TRY(clopt__stepper_step(ctx, s, step, 1, 1));
	if (!due)
		return rc;
	TRY(clopt__stepper_rates(ctx, s, &s->phi));
	TRY(s->show(ctx, s, step, stop));
out:
	return rc;
}

const struct integrator clopt__hermite_integrator = {
	.id = CLOPT_INTEGRATOR_HERMITE,
	.name = "HERMITE",
	.outputs = JERK,
	.rate_rows = 4,
	.advance = advance,
};
