/* SPDX-License-Identifier: MIT */
/*
 * leapfrog.c - kick, drift, kick: gravity at the bodies' positions ends one step and begins the
 * next.  Before the caller sees the bodies a step is ended and none begun, and the forces come with
 * the potential.
 */
#include "bodies.h"

static int advance(struct clopt *ctx, struct stepper *s, size_t step, int due, int *stop)
{
	int rc = CLOPT_OK;

	if (step || !s->resume)
		TRY(clopt__stepper_rates(ctx, s, due ? &s->phi : &s->force));
	TRY(clopt__stepper_step(ctx, s, step, 1, !due));
	if (!due)
		return rc;
	TRY(s->show(ctx, s, step, stop));
	if (!*stop && step < s->e.steps)
		TRY(clopt__stepper_step(ctx, s, step, 0, 1));
out:
	return rc;
}

const struct integrator clopt__leapfrog_integrator = {
	.id = CLOPT_INTEGRATOR_KICK_DRIFT_KICK,
	.name = "KICK_DRIFT_KICK",
	.rate_rows = 1,
	.advance = advance,
};
