/* SPDX-License-Identifier: MIT */
/*
 * steps.c - leapfrog with the state on the device from the first step to the last.
 *
 * Kick, drift, kick: the kick that ends a step and the one that begins the next
 * need the same accelerations, so they become one of full length.  A run of s
 * steps is s + 1 evaluations of gravity and s + 1 kick-and-drifts.
 */
#include <string.h>

#include "internal.h"

/* Steps between two waits: neither the driver's queue of commands nor ours of
 * events grows with the length of a run. */
#define CHUNK 128

struct state {
	struct array bodies, velocities, acc;
	const struct variant *gravity, *step;
	cl_kernel gravity_kernel, step_kernel;
	cl_event timed[2 * CHUNK + 2]; /* of the kernels since the last wait */
	size_t times;
};

static int launch(struct clopt *ctx, struct state *s, const struct job *job,
                  const struct variant *v, cl_kernel kernel, const double *real,
                  const struct array *second)
{
	const struct array *arrays[MAX_OPERANDS] = { &s->bodies, second, &s->acc };

	return clopt__launch(ctx, ctx->queue[0], v, kernel, &job->problem, job->problem.dim, real,
	                     arrays, NULL, ctx->profile ? &s->timed[s->times++] : NULL);
}

/* Wait, and take the times of what has run.  rc: what has failed already. */
static int settle(struct clopt *ctx, struct state *s, int rc)
{
	cl_int code = clFinish(ctx->queue[0]);

	if (code != CL_SUCCESS && rc == CLOPT_OK)
		rc = clopt__fail_cl(ctx, code, "clFinish");
	rc = clopt__kernel_times(ctx, s->timed, s->times, rc);
	memset(s->timed, 0, sizeof s->timed);
	s->times = 0;
	return rc;
}

static int run(struct clopt *ctx, struct state *s, const struct job *gravity,
               const struct job *step, double dt, size_t steps)
{
	size_t i;
	int rc = CLOPT_OK;

	for (i = 0; i <= steps; i++) {
		/* The first and the last kick are halves; nothing drifts after the last. */
		const double kick_drift[2] = { i == 0 || i == steps ? 0.5 * dt : dt,
			                       i == steps ? 0.0 : dt };

		TRY(launch(ctx, s, step, s->step, s->step_kernel, kick_drift, &s->velocities));
		if (i < steps)
			TRY(launch(ctx, s, gravity, s->gravity, s->gravity_kernel, gravity->real,
			           &s->bodies));
		if (i % CHUNK == CHUNK - 1)
			TRY(settle(ctx, s, CLOPT_OK));
	}
out:
	return rc;
}

static int open_state(struct clopt *ctx, struct state *s, const struct job *step)
{
	const struct operand *o = step->operand;
	const size_t row = 4 * sizeof(cl_float), bytes = 3 * clopt__array_bytes(o[0].rows, row, 0);
	int rc = CLOPT_OK;

	if (bytes > clopt__memory(ctx))
		return clopt__memory_short(ctx, bytes);
	if (bytes / 3 > ctx->device.info.max_alloc_bytes)
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "the bodies take %zu bytes in one piece, the device allows %llu",
		                   bytes / 3, (unsigned long long)ctx->device.info.max_alloc_bytes);
	/* As gravity reads them: its row may want the sources as texels. */
	TRY(clopt__array_open(ctx, s->gravity, 0, o[0].rows, row, &s->bodies));
	TRY(clopt__array_open(ctx, s->step, 1, o[0].rows, row, &s->velocities));
	TRY(clopt__array_open(ctx, s->step, 2, o[0].rows, row, &s->acc));
	TRY(clopt__array_up(ctx, ctx->queue[0], &o[0], 0, o[0].rows, &s->bodies));
	TRY(clopt__array_up(ctx, ctx->queue[0], &o[1], 0, o[1].rows, &s->velocities));
out:
	return rc;
}

int clopt__leapfrog(struct clopt *ctx, const struct job *gravity, const struct job *step, double dt,
                    size_t steps)
{
	struct state s;
	struct job g, k;
	int rc = clopt__begin(ctx, &step->problem);

	if (rc != CLOPT_OK)
		return rc;
	memset(&s, 0, sizeof s);
	TRY(clopt__complete(ctx, step, &k));
	TRY(clopt__complete(ctx, gravity, &g));
	if (k.problem.dim[0] == 0 || steps == 0)
		goto out;
	TRY(clopt__choose(ctx, &g.problem, &s.gravity, &s.gravity_kernel));
	TRY(clopt__choose(ctx, &k.problem, &s.step, &s.step_kernel));
	TRY(open_state(ctx, &s, &k));
	TRY(launch(ctx, &s, &g, s.gravity, s.gravity_kernel, g.real, &s.bodies));
	TRY(run(ctx, &s, &g, &k, dt, steps));
	TRY(clopt__array_down(ctx, ctx->queue[0], &k.operand[0], 0, k.operand[0].rows, &s.bodies));
	TRY(clopt__array_down(ctx, ctx->queue[0], &k.operand[1], 0, k.operand[1].rows,
	                      &s.velocities));
	ctx->report.bands = ctx->report.queues = 1;
out:
	rc = settle(ctx, &s, rc);
	clopt__array_close(&s.bodies);
	clopt__array_close(&s.velocities);
	clopt__array_close(&s.acc);
	if (rc == CLOPT_OK && s.gravity)
		ctx->report.variant = s.gravity->name;
	return clopt__end(ctx, &step->problem, rc);
}
