/* SPDX-License-Identifier: MIT */
/*
 * plan_bodies.c - clopt_plan for bodies that stay on the device over all steps: they go up once and
 * come down once.
 */
#include "../choose/choose.h"
#include "api.h"

static int choose(struct clopt *ctx, const struct clopt_problem *p, struct stepper *s)
{
	const struct job job = { .problem = *p };
	struct evolution e = { .n = p->dim[0], .steps = 1 };

	if (p->op == CLOPT_LEAPFROG)
		return clopt__leapfrog_choose(ctx, &job, s);
	clopt_evolve_options_init(&e.options, sizeof e.options);
	e.options.precision = p->precision;
	e.options.integrator = p->outputs & JERK ? CLOPT_HERMITE : CLOPT_KICK_DRIFT_KICK;
	return clopt__evolve_choose(ctx, &e, 0, s);
}

/* array_bytes: of one of the arrays that go up and come down. */
static void add_times(struct clopt *ctx, size_t array_bytes, size_t steps, struct clopt_plan *plan)
{
	const int staged[2] = { clopt__stages(ctx, array_bytes, 0),
		                clopt__stages(ctx, array_bytes, 1) };
	int known = 1;

	plan->up_seconds = clopt__forecast_transfer(ctx, plan->up_bytes, 0, staged[0], &known);
	plan->down_seconds = clopt__forecast_transfer(ctx, plan->down_bytes, 1, staged[1], &known);
	plan->pinned_bytes = staged[0] || staged[1] ? clopt__staging_bytes(ctx) : 0;
	/* The first kick needs a pull too. */
	plan->kernel_seconds *= (double)steps + 1;
	if (known && plan->kernel_seconds > 0)
		plan->seconds = plan->up_seconds + plan->kernel_seconds + plan->down_seconds;
}

int clopt__forecast_bodies(struct clopt *ctx, const struct clopt_problem *p,
                           struct clopt_plan *plan)
{
	struct stepper s = { .own_state = 1 };
	size_t bytes;
	int rc = CLOPT_OK;

	if (p->op != CLOPT_LEAPFROG && p->op != CLOPT_EVOLVE_FORCE)
		return clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                   "it is a part of clopt_nbody_evolve, of which %s can be planned",
		                   clopt_op_name(CLOPT_EVOLVE_FORCE));
	if (p->dim[0] == 0)
		return CLOPT_OK;
	TRY(choose(ctx, p, &s));
	plan->variant = s.force.row->name;
	plan->array_bytes = clopt__times(2, clopt__times(s.e.n, s.point_bytes));
	if (clopt__stepper_fits(ctx, &s, &bytes) != CLOPT_OK) {
		clopt__forecast_short(ctx, bytes, plan);
		return CLOPT_OK;
	}
	plan->bands = plan->queues = plan->sum_parts = 1;
	plan->device_bytes = bytes;
	plan->up_bytes = plan->down_bytes = plan->array_bytes;
	if (!plan->dry)
		clopt__rates_find(ctx);
	TRY(clopt__forecast_kernel(ctx, s.force.row, s.force.kernel, &s.force.problem, plan));
	/* Leapfrog's places and velocities go apart. */
	add_times(ctx, plan->array_bytes / (p->op == CLOPT_LEAPFROG ? 2 : 1),
	          p->steps ? p->steps : 1, plan);
out:
	return rc;
}
