/* SPDX-License-Identifier: MIT */
/*
 * stepper.c - the loop over steps of bodies on the device.  A run of s steps has s + 1 evaluations
 * of gravity, a sum over pairs.  After each a kernel ends one step and begins the next.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "bodies.h"

/* Steps between two waits, on host arrays.  The limit bounds the driver's queue and the log of
 * events.  The time of a chunk is bounded so that the run can be cancelled. */
#define CHUNK 128
#define CHUNK_SECONDS 0.05

struct clopt_problem clopt__gravity_of(const struct clopt_problem *step, int outputs)
{
	struct clopt_problem gravity = *step;

	gravity.op = CLOPT_OP_NBODY;
	gravity.dim[1] = step->dim[0];
	gravity.law = CLOPT_LAW_GRAVITY;
	gravity.outputs = outputs;
	if (step->elem_bytes == sizeof(cl_float))
		gravity.precision = CLOPT_PRECISION_FLOAT;
	return gravity;
}

int clopt__gravity_choose(struct clopt *ctx, const struct clopt_problem *step, int outputs,
                          double g, double softening2, struct part *p)
{
	p->problem = clopt__gravity_of(step, outputs);
	/* Each body is at distance 0 from itself. */
	if (softening2 == 0 && outputs == CLOPT_OUTPUTS_FIELD)
		p->problem.reserved |= FORM_CHECKED;
	p->real[REAL_SCALE] = -g;
	p->real[REAL_SOFTENING2] = softening2;
	clopt__law_low_parts(p->problem.law, p->real);
	return clopt__choose(ctx, &p->problem, 1, &p->row, &p->kernel);
}

struct layout clopt__gravity_layout(const struct stepper *s)
{
	return (struct layout){
		0, (s->force.row && s->force.row->texels) || (s->phi.row && s->phi.row->texels), 1
	};
}

void clopt__gravity_arrays(const struct array *bodies, const struct array *rates, struct part *p)
{
	static const struct array none;
	const struct array *const arrays[] = { bodies, &none, bodies, &none, rates };

	memcpy(p->array, arrays, sizeof arrays);
}

size_t clopt__gravity_bytes(const struct stepper *s, const struct part *p)
{
	return clopt__point_numbers(&p->problem) * s->point_bytes / 4;
}

int clopt__stepper_fits(struct clopt *ctx, const struct stepper *s, size_t *bytes)
{
	const size_t one = clopt__times(s->e.n, s->point_bytes);
	const size_t largest = clopt__times(s->largest, one);

	*bytes = clopt__times(s->points, one);
	/* The caller's buffers are on the device already. */
	if (!s->lane.placed && *bytes > clopt__memory(ctx))
		return clopt__memory_short(ctx, *bytes);
	if (largest <= ctx->device.info.max_alloc_bytes)
		return CLOPT_OK;
	*bytes = largest;
	return clopt__fail(
	        ctx, CLOPT_ENOMEM,
	        "an array of the bodies has %zu bytes: the device allows %llu in one buffer",
	        largest, (unsigned long long)ctx->device.info.max_alloc_bytes);
}

int clopt__stepper_gravity(struct clopt *ctx, struct stepper *s)
{
	const struct runners *r = s->e.runners;

	return r && r->gravity ? r->gravity(ctx, s) : CLOPT_OK;
}

int clopt__stepper_rates(struct clopt *ctx, struct stepper *s, const struct part *p)
{
	return s->gravity ? s->gravity->rates(ctx, s, s->gravity, p) :
	                    clopt__lane_launch(ctx, &s->lane, p, 0);
}

double clopt__stepper_seconds(struct clopt *ctx, const struct stepper *s)
{
	const double n = (double)s->e.n;

	return clopt__units_seconds(ctx, clopt__throughput(ctx, s->force.kernel), n * n);
}

int clopt__stepper_step(struct clopt *ctx, struct stepper *s, size_t step, int end, int begin)
{
	const struct evolution *e = &s->e;
	const double back = end && step ? e->dt : 0, ahead = begin && step < e->steps ? e->dt : 0;
	/* A copy of ours is written back by a later command. */
	const int last = step == e->steps && !s->own_state && !s->own_velocities;
	/* Leapfrog's row for floats merges the two half kicks. */
	const int one_kick = s->step.problem.op == CLOPT_OP_LEAPFROG;

	s->step.real[0] = one_kick ? (back + ahead) / 2 : back;
	s->step.real[1] = ahead;
	return clopt__lane_launch(ctx, &s->lane, &s->step, last);
}

int clopt__is_due(const struct evolution *e, size_t step)
{
	return e->options.each &&
	       (step == e->steps || (e->options.every && step % e->options.every == 0));
}

/* Wait for the queued steps.  *chunk: how many to queue before the next wait. */
static int settle(struct clopt *ctx, const struct stepper *s, size_t step, size_t *chunk)
{
	const double begin = clopt__now();
	double seconds;
	int rc = CLOPT_OK;

	TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
	seconds = clopt__now() - begin;
	if (seconds < CHUNK_SECONDS / 2 && *chunk < CHUNK && !(s->gravity && s->gravity->waits))
		*chunk *= 2;
	else if (seconds > CHUNK_SECONDS && *chunk > 1)
		*chunk /= 2;
	TRY(clopt__go_on(ctx, (double)step / (double)s->e.steps));
out:
	return rc;
}

int clopt__stepper_run(struct clopt *ctx, struct stepper *s)
{
	size_t step, queued = 0, chunk = s->lane.placed ? CHUNK : 1;
	struct stretch run;
	int stop = 0, rc = CLOPT_OK;

	TRY(clopt__stepper_gravity(ctx, s));
	for (step = 0; step <= s->e.steps && !stop; step++) {
		run = clopt__part(ctx, step, s->e.steps + 1);
		rc = s->e.integrator->advance(ctx, s, step, clopt__is_due(&s->e, step), &stop);
		clopt__whole(ctx, run);
		TRY(rc);
		if (++queued < chunk)
			continue;
		queued = 0;
		if (s->lane.placed)
			TRY_CL(ctx, clFlush(s->lane.q));
		else
			TRY(settle(ctx, s, step, &chunk));
	}
out:
	return rc;
}

int clopt__stepper_close(struct clopt *ctx, struct stepper *s, int rc)
{
	const struct part *const force = s->e.steps ? &s->force : &s->phi;

	if (rc != CLOPT_OK && !s->lane.placed)
		rc = clopt__lane_settle(ctx, &s->lane, rc);
	clopt__array_close(&s->state);
	clopt__array_close(&s->velocities);
	clopt__array_close(&s->next);
	clopt__array_close(&s->rates);
	clopt__array_close(&s->sums);
	free(s->raw);
	if (rc == CLOPT_OK) {
		ctx->report.variant =
		        (s->gravity && s->gravity->row ? s->gravity->row : force->row)->name;
		ctx->report.bands = ctx->report.queues = ctx->report.sum_parts = 1;
	}
	if (s->gravity)
		s->gravity->close(ctx, s, s->gravity, rc);
	return rc;
}
