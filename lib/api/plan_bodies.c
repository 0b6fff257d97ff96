/* SPDX-License-Identifier: MIT */
/*
 * plan_bodies.c - clopt_plan for bodies that move: they go up once, stay over
 * all steps, and come down once.
 */
#include <stdint.h>

#include "../choose/choose.h"
#include "api.h"

/* What the routine for bodies told: the kernel that their pull is evaluated with, what
 * they take on the device, and how much they are. */
struct needs {
	int status; /* of whether it fits */
	size_t device_bytes, array_bytes, arrays; /* that go up and come down */
	struct clopt_problem pull;
	const struct variant *row;
	cl_kernel kernel;
};

static int leapfrog(struct clopt *ctx, const struct clopt_problem *p, struct needs *n)
{
	int rc = CLOPT_OK;

	n->status = clopt__leapfrog_needs(ctx, p, &n->pull, &n->device_bytes);
	n->array_bytes = clopt__times(p->dim[0], 4 * sizeof(cl_float));
	n->arrays = 2;
	TRY(clopt__choose(ctx, &n->pull, 1, &n->row, &n->kernel));
out:
	return rc;
}

static int evolve(struct clopt *ctx, const struct clopt_problem *p, struct needs *n)
{
	struct evolution e = { .n = p->dim[0], .steps = 1 };
	struct motion m;
	int rc = CLOPT_OK;

	clopt_evolve_options_init(&e.options, sizeof e.options);
	e.options.precision = p->precision;
	e.options.integrator = p->outputs & JERK ? CLOPT_HERMITE : CLOPT_KICK_DRIFT_KICK;
	TRY(clopt__motion_choose(ctx, &e, 0, &m));
	n->status = clopt__motion_fits(ctx, &m, &n->device_bytes);
	n->array_bytes = clopt__times(e.n, 2 * m.point_bytes);
	n->arrays = 1;
	n->pull = m.force.problem;
	n->row = m.force.row;
	n->kernel = m.force.kernel;
out:
	return rc;
}

static void add_times(struct clopt *ctx, size_t array_bytes, size_t steps, struct clopt_plan *plan)
{
	const int staged[2] = { clopt__stages(ctx, array_bytes, 0, !plan->dry),
		                clopt__stages(ctx, array_bytes, 1, !plan->dry) };
	int known = 1;

	plan->up_seconds = clopt__forecast_transfer(ctx, plan->up_bytes, 0, staged[0], &known);
	plan->down_seconds = clopt__forecast_transfer(ctx, plan->down_bytes, 1, staged[1], &known);
	plan->pinned_bytes = staged[0] || staged[1] ? clopt__staging_bytes(ctx) : 0;
	/* The first kick needs a pull too. */
	plan->kernel_seconds *= (double)steps + 1;
	if (known && plan->kernel_seconds > 0)
		plan->seconds = plan->up_seconds + plan->kernel_seconds + plan->down_seconds;
}

int clopt__forecast_motion(struct clopt *ctx, const struct clopt_problem *p,
                           struct clopt_plan *plan)
{
	struct needs n = { .status = CLOPT_OK };
	int rc = CLOPT_OK;

	if (p->op != CLOPT_LEAPFROG && p->op != CLOPT_EVOLVE_FORCE)
		return clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                   "it is a part of clopt_nbody_evolve, of which %s can be planned",
		                   clopt_op_name(CLOPT_EVOLVE_FORCE));
	if (p->dim[0] == 0)
		return CLOPT_OK;
	TRY(p->op == CLOPT_LEAPFROG ? leapfrog(ctx, p, &n) : evolve(ctx, p, &n));
	plan->variant = n.row->name;
	plan->array_bytes = clopt__times(n.arrays, n.array_bytes);
	if (n.status != CLOPT_OK) {
		clopt__forecast_short(ctx, n.device_bytes, plan);
		return CLOPT_OK;
	}
	plan->bands = plan->queues = plan->sum_parts = 1;
	plan->device_bytes = n.device_bytes;
	plan->up_bytes = plan->down_bytes = n.arrays * n.array_bytes;
	if (!plan->dry)
		clopt__rates_find(ctx);
	TRY(clopt__forecast_kernel(ctx, n.row, n.kernel, &n.pull, plan));
	add_times(ctx, n.array_bytes, p->steps ? p->steps : 1, plan);
out:
	return rc;
}
