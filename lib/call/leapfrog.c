/* SPDX-License-Identifier: MIT */
/*
 * steps.c - leapfrog with the state on the device from the first step to the last.
 *
 * Kick, drift, kick: the kick that ends a step and the one that begins the next
 * need the same accelerations, so they become one of full length.  A run of s
 * steps is s + 1 evaluations of gravity and s + 1 kick-and-drifts.
 */
#include <stdint.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "call.h"

/* Steps between two waits, on host arrays: neither the driver's queue of commands
 * nor ours of events grows with the length of a run. */
#define CHUNK 128

struct state {
	cl_command_queue q;
	struct placed *placed; /* NULL: on host arrays, which it waits for */
	struct array bodies, velocities, acc;
	int own_bodies, own_velocities; /* made here */
	struct job gravity, step;
	const struct variant *gravity_row, *step_row;
	cl_kernel gravity_kernel, step_kernel;
};

static int launch(struct clopt *ctx, struct state *s, int gravity, const double *real,
                  cl_event *last)
{
	const struct job *job = gravity ? &s->gravity : &s->step;
	static const struct array none;
	const struct array *const pull[] = { &s->bodies, &none, &s->bodies, &none, &s->acc };
	const struct array *const move[] = { &s->bodies, &s->velocities, &s->acc };
	const struct launch l = {
		.v = gravity ? s->gravity_row : s->step_row,
		.kernel = gravity ? s->gravity_kernel : s->step_kernel,
		.problem = &job->problem,
		.dim = job->problem.dim,
		.batch = 1,
		.real = real,
		.arrays = gravity ? pull : move,
		.logged = !s->placed,
	};
	struct wait wait = { 0, NULL };
	cl_event event = NULL;
	int rc = CLOPT_OK;

	/* The first command waits, and the queue is in order. */
	if (s->placed) {
		wait = s->placed->wait;
		s->placed->wait.count = 0;
	}
	TRY(clopt__launch(ctx, s->q, &l, wait,
	                  last                       ? last :
	                  wait.count                 ? &s->placed->first :
	                  ctx->profile && !s->placed ? &event :
	                                               NULL));
	if (event)
		TRY(clopt__log_kernel(ctx, 0, l.v->name, event));
out:
	return rc;
}

/* Wait, and take the times of what has run.  rc: what has failed already. */
static int settle(struct clopt *ctx, const struct state *s, int rc)
{
	const cl_int code = clFinish(s->q);

	if (code != CL_SUCCESS && rc == CLOPT_OK)
		rc = clopt__fail_cl(ctx, code, "clFinish");
	return clopt__log_settle(ctx, rc);
}

static int run(struct clopt *ctx, struct state *s)
{
	const double dt = s->step.real[0];
	const size_t steps = s->step.steps;
	size_t i;
	int rc = CLOPT_OK;

	TRY(launch(ctx, s, 1, s->gravity.real, NULL));
	for (i = 0; i <= steps; i++) {
		/* The first and the last kick are halves; nothing drifts after the last. */
		const double kick_drift[2] = { i == 0 || i == steps ? 0.5 * dt : dt,
			                       i == steps ? 0.0 : dt };
		const int ends = i == steps && s->placed && !s->own_bodies;

		TRY(launch(ctx, s, 0, kick_drift, ends ? s->placed->wanted : NULL));
		if (i < steps)
			TRY(launch(ctx, s, 1, s->gravity.real, NULL));
		if (i % CHUNK == CHUNK - 1 && s->placed)
			TRY_CL(ctx, clFlush(s->q));
		else if (i % CHUNK == CHUNK - 1)
			TRY(settle(ctx, s, CLOPT_OK));
	}
out:
	return rc;
}

static int move(struct clopt *ctx, const struct operand *o, const struct array *a, int down)
{
	const struct extent all = { { 0, 0 }, { o->rows, o->columns } };
	const struct transfer t = clopt__array_transfer(a, o, &all, down);

	cl_event event = NULL;
	int rc = CLOPT_OK;

	*(down ? &ctx->report.down_bytes : &ctx->report.up_bytes) += t.rows * t.row_bytes;
	TRY(clopt__transfer(ctx, ctx->queue[0], &t, (struct wait){ 0, NULL },
	                    ctx->profile ? &event : NULL));
	TRY(clopt__log_add(ctx, down ? COMMAND_DOWN : COMMAND_UP, 0, t.rows * t.row_bytes, event));
out:
	return rc;
}

static const struct layout plain = { 0, 0, 1 };
#define POINT_BYTES (4 * sizeof(cl_float))

/* Bodies, velocities, accelerations; the first two may be there already. */
static int fits(struct clopt *ctx, size_t n, int there, size_t *bytes)
{
	const size_t one = n > SIZE_MAX / 64 ? SIZE_MAX : clopt__array_bytes(n, POINT_BYTES, plain);

	*bytes = clopt__times(3, one);
	if (!there && *bytes > clopt__memory(ctx))
		return clopt__memory_short(ctx, *bytes);
	if (one <= ctx->device.info.max_alloc_bytes)
		return CLOPT_OK;
	*bytes = one;
	return clopt__fail(ctx, CLOPT_ENOMEM,
	                   "the bodies take %zu bytes in one piece, the device allows %llu", one,
	                   (unsigned long long)ctx->device.info.max_alloc_bytes);
}

static int open_state(struct clopt *ctx, struct state *s)
{
	const struct operand *o = s->step.operand;
	/* As gravity reads them: its row may want the sources as texels. */
	const struct layout points = { 0, s->gravity_row->texels & 1, 1 };
	const size_t row = POINT_BYTES, rows = o[0].rows;
	size_t bytes;
	int rc = CLOPT_OK;

	TRY(fits(ctx, rows, s->placed != NULL, &bytes));
	if (s->placed) {
		TRY(clopt__array_open(ctx, rows, row, plain, &s->acc));
		TRY(clopt__buffer_array(ctx, s->placed, &o[0], points, &s->bodies, &s->own_bodies));
		TRY(clopt__buffer_array(ctx, s->placed, &o[1], plain, &s->velocities,
		                        &s->own_velocities));
		return rc;
	}
	s->own_bodies = s->own_velocities = 1;
	/* If that has to be measured, then before the memory is in use. */
	clopt__stages(ctx, rows * row, 0, 1);
	TRY(clopt__array_open(ctx, rows, row, plain, &s->acc));
	TRY(clopt__array_open(ctx, rows, row, points, &s->bodies));
	TRY(clopt__array_open(ctx, rows, row, plain, &s->velocities));
	TRY(move(ctx, &o[0], &s->bodies, 0));
	TRY(move(ctx, &o[1], &s->velocities, 0));
out:
	return rc;
}

/* To where they came from. */
static int bring_back(struct clopt *ctx, struct state *s)
{
	const struct operand *o = s->step.operand;
	int rc = CLOPT_OK;

	if (!s->placed) {
		TRY(move(ctx, &o[0], &s->bodies, 1));
		TRY(move(ctx, &o[1], &s->velocities, 1));
	} else if (s->own_bodies) {
		/* With an event in any case: our copy of the bodies is kept until then. */
		TRY_CL(ctx, clEnqueueCopyBuffer(s->q, s->bodies.mem, o[0].buffer->mem, 0, 0,
		                                s->bodies.bytes, 0, NULL, &s->placed->event));
	}
out:
	return rc;
}

struct clopt_problem clopt__leapfrog_gravity(const struct clopt_problem *step)
{
	struct clopt_problem gravity = *step;

	gravity.op = CLOPT_NBODY;
	gravity.dim[1] = step->dim[0];
	gravity.law = CLOPT_LAW_GRAVITY;
	gravity.outputs = CLOPT_FIELD;
	return gravity;
}

/* Gravity of the bodies on themselves, as a job of its own. */
static void describe_gravity(const struct job *step, struct job *gravity)
{
	unsigned i;

	memset(gravity, 0, sizeof *gravity);
	gravity->problem = clopt__leapfrog_gravity(&step->problem);
	gravity->real[REAL_SCALE] = -step->real[1];
	gravity->real[REAL_SOFTENING2] = step->real[2];
	for (i = 0; i < MAX_OPERANDS; i++)
		clopt__problem_operand(&gravity->problem, i, &gravity->operand[i]);
}

int clopt__leapfrog_needs(struct clopt *ctx, const struct clopt_problem *problem,
                          struct clopt_problem *gravity, size_t *bytes)
{
	const struct job step = { .problem = *problem };
	struct job pull;

	describe_gravity(&step, &pull);
	*gravity = pull.problem;
	return fits(ctx, problem->dim[0], 0, bytes);
}

int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *placed)
{
	struct state s;
	int rc = CLOPT_OK;

	memset(&s, 0, sizeof s);
	s.placed = placed;
	s.q = placed ? placed->q : ctx->queue[0];
	s.step = *job;
	describe_gravity(job, &s.gravity);
	TRY(clopt__choose(ctx, &s.gravity.problem, 1, &s.gravity_row, &s.gravity_kernel));
	TRY(clopt__choose(ctx, &s.step.problem, 1, &s.step_row, &s.step_kernel));
	TRY(open_state(ctx, &s));
	TRY(run(ctx, &s));
	TRY(bring_back(ctx, &s));
	ctx->report.bands = ctx->report.queues = ctx->report.sum_parts = 1;
out:
	if (!placed)
		rc = settle(ctx, &s, rc);
	else if (s.own_bodies)
		clopt__keep(ctx, s.q, s.placed->event, &s.bodies);
	if (s.own_bodies)
		clopt__array_close(&s.bodies);
	if (s.own_velocities)
		clopt__array_close(&s.velocities);
	clopt__array_close(&s.acc);
	if (rc == CLOPT_OK)
		ctx->report.variant = s.gravity_row->name;
	return rc;
}
