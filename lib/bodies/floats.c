/* SPDX-License-Identifier: MIT */
/*
 * floats.c - clopt_nbody_leapfrog: the caller's float arrays, in host memory or in buffers.
 */
#include <string.h>

#include "../choose/choose.h"
#include "bodies.h"

static const struct layout plain = { 0, 0, 1 };

int clopt__leapfrog_choose(struct clopt *ctx, const struct job *job, struct stepper *s)
{
	int rc = CLOPT_OK;

	s->e = (struct evolution){ .n = job->problem.dim[0],
		                   .steps = job->steps,
		                   .dt = job->real[0],
		                   .tree = job->tree,
		                   .runners = job->runners,
		                   .integrator = &clopt__leapfrog_integrator };
	s->point_bytes = 4 * sizeof(cl_float);
	s->points = 3;
	s->largest = 1;
	s->step.problem = job->problem;
	TRY(clopt__gravity_choose(ctx, &s->step.problem, CLOPT_OUTPUTS_FIELD, job->real[1],
	                          job->real[2], &s->force));
	TRY(clopt__choose(ctx, &s->step.problem, 1, &s->step.row, &s->step.kernel));
out:
	return rc;
}

static int open_arrays(struct clopt *ctx, struct stepper *s, const struct operand *o)
{
	const struct array *const move[] = { &s->state, &s->velocities, &s->rates };
	const struct layout points = clopt__gravity_layout(s);
	const size_t n = s->e.n, row = s->point_bytes;
	size_t bytes;
	int rc = CLOPT_OK;

	clopt__gravity_arrays(&s->state, &s->rates, &s->force);
	memcpy(s->step.array, move, sizeof move);
	TRY(clopt__stepper_fits(ctx, s, &bytes));
	/* Measure transfer rates, if they are unknown, before the memory is in use. */
	if (!s->lane.placed)
		clopt__stages(ctx, n * row, 0, 1);
	TRY(clopt__array_open(ctx, n, row, plain, &s->rates));
	if (s->lane.placed) {
		TRY(clopt__buffer_array(ctx, s->lane.placed, &o[0], points, &s->state,
		                        &s->own_state));
		TRY(clopt__buffer_array(ctx, s->lane.placed, &o[1], plain, &s->velocities,
		                        &s->own_velocities));
		return rc;
	}
	TRY(clopt__array_open(ctx, n, row, points, &s->state));
	TRY(clopt__array_open(ctx, n, row, plain, &s->velocities));
	TRY(clopt__lane_move(ctx, &s->lane, &s->state, 0, o[0].host, n, row, 0));
	TRY(clopt__lane_move(ctx, &s->lane, &s->velocities, 0, o[1].host, n, row, 0));
out:
	return rc;
}

/* Copy the bodies back to the caller's arrays. */
static int bring_back(struct clopt *ctx, struct stepper *s, const struct operand *o)
{
	struct array *const own[2] = { s->own_state ? &s->state : NULL,
		                       s->own_velocities ? &s->velocities : NULL };
	int i, rc = CLOPT_OK;

	if (!s->lane.placed) {
		TRY(clopt__lane_move(ctx, &s->lane, &s->state, 0, o[0].host, s->e.n, s->point_bytes,
		                     1));
		TRY(clopt__lane_move(ctx, &s->lane, &s->velocities, 0, o[1].host, s->e.n,
		                     s->point_bytes, 1));
		TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
	}
	/* Always with an event: our copies live until then. */
	for (i = 0; s->lane.placed && i < 2; i++)
		if (own[i])
			TRY(clopt__buffer_array_back(ctx, s->lane.placed, &o[i], own[i],
			                             &s->lane.placed->event));
out:
	return rc;
}

int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *placed)
{
	struct stepper s = { .lane = { placed ? placed->q : ctx->queue[0], placed },
		             .own_state = !placed };
	int rc = CLOPT_OK;

	TRY(clopt__leapfrog_choose(ctx, job, &s));
	TRY(open_arrays(ctx, &s, job->operand));
	TRY(clopt__stepper_run(ctx, &s));
	TRY(bring_back(ctx, &s, job->operand));
out:
	if (placed) {
		if (s.own_state)
			clopt__keep(ctx, s.lane.q, placed->event, &s.state);
		if (s.own_velocities)
			clopt__keep(ctx, s.lane.q, placed->event, &s.velocities);
		/* They belong to the caller or to clopt__keep. */
		s.state.mem = s.velocities.mem = NULL;
	}
	return clopt__stepper_close(ctx, &s, rc);
}
