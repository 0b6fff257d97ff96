/* SPDX-License-Identifier: MIT */
/*
 * orbits.c - steps of bodies, and their conserved sums.
 *
 * A run of s steps is s + 1 evaluations of gravity, each but the first at the end
 * of a step, and behind each one kernel that ends that step and begins the next.
 * Leapfrog evaluates at the places of the bodies, Hermite at predicted ones, which
 * are beside them in `next`.
 *
 * When somebody wants to see the bodies a step is ended and no other begun; the
 * potential comes with the evaluation at its end, or, for Hermite, with one more.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "call.h"

/* Steps between two waits: neither the driver's queue of commands nor ours of
 * events grows with the length of a run. */
#define CHUNK 128

static int evaluate(struct clopt *ctx, const struct motion *m, const struct part *p,
                    const struct array *at)
{
	const struct clopt_evolve_options *o = &m->e->options;

	return clopt__motion_launch(ctx, m, p, o->g, o->softening * o->softening, at, &m->rates,
	                            NULL);
}

/* Of the bodies, whose rates have the potential. */
static int add_up(struct clopt *ctx, const struct motion *m, struct clopt_conserved *sums)
{
	double total[SUMS] = { 0 }, *groups = malloc(m->groups * SUMS * sizeof *groups);
	size_t i;
	int rc = CLOPT_OK;

	memset(sums, 0, sizeof *sums);
	if (!groups)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the sums of %zu groups",
		                   m->groups);
	TRY(clopt__motion_launch(ctx, m, &m->sum, m->mass_unit, 0, &m->state, &m->rates, &m->sums));
	TRY(clopt__motion_move(ctx, m, &m->sums, groups, m->groups, SUMS * sizeof *groups, 1));
	TRY(clopt__motion_settle(ctx, m, CLOPT_OK));
	for (i = 0; i < m->groups * SUMS; i++)
		total[i % SUMS] +=
		        clopt__number_at(m->sum.problem.precision, groups, i) / m->mass_unit;
	sums->mass = total[0];
	sums->kinetic = total[1];
	sums->potential = total[2];
	memcpy(sums->momentum, total + 3, sizeof sums->momentum);
	memcpy(sums->angular_momentum, total + 6, sizeof sums->angular_momentum);
	for (i = 0; i < 3; i++)
		sums->centre[i] = sums->mass != 0 ? total[9 + i] / sums->mass : 0;
out:
	free(groups);
	return rc;
}

static int is_due(const struct evolution *e, size_t step)
{
	return e->options.each &&
	       (step == e->steps || (e->options.every && step % e->options.every == 0));
}

/* Show the bodies to the caller.  *stop: he has seen enough. */
static int show(struct clopt *ctx, struct motion *m, size_t step, int *stop)
{
	const struct evolution *e = m->e;
	struct clopt_conserved sums;
	int rc = CLOPT_OK;

	TRY(add_up(ctx, m, &sums));
	if (step)
		TRY(clopt__motion_back(ctx, m));
	*stop = e->options.each(e->options.user, step, e->bodies, e->velocities, &sums) != 0;
out:
	return rc;
}

/* End the step before and begin the next, by way of the caller if he is to see
 * the bodies in between. */
static int turn(struct clopt *ctx, struct motion *m, size_t step, int *stop)
{
	const struct evolution *e = m->e;
	const double back = step ? e->dt : 0, ahead = step < e->steps ? e->dt : 0;
	const int due = is_due(e, step);
	int rc = CLOPT_OK;

	/* Hermite's beginning of the next step is beside the bodies, and has to be
	 * made before the potential takes the place of the rates. */
	TRY(clopt__motion_launch(ctx, m, &m->step, back, due && !m->jerk ? 0 : ahead, &m->state,
	                         m->jerk ? &m->next : &m->state, &m->rates));
	if (!due)
		goto out;
	if (m->jerk)
		TRY(evaluate(ctx, m, &m->phi, &m->state));
	TRY(show(ctx, m, step, stop));
	if (!m->jerk && !*stop && step < e->steps)
		TRY(clopt__motion_launch(ctx, m, &m->step, 0, ahead, &m->state, &m->state,
		                         &m->rates));
out:
	return rc;
}

static int run(struct clopt *ctx, struct motion *m)
{
	const struct evolution *e = m->e;
	size_t step;
	int stop = 0, rc = CLOPT_OK;

	for (step = 0; step <= e->steps && !stop; step++) {
		const struct part *p = is_due(e, step) && !m->jerk ? &m->phi : &m->force;

		TRY(evaluate(ctx, m, p, step && m->jerk ? &m->next : &m->state));
		TRY(turn(ctx, m, step, &stop));
		if (step % CHUNK == CHUNK - 1)
			TRY(clopt__motion_settle(ctx, m, CLOPT_OK));
	}
	if (!e->options.each)
		TRY(clopt__motion_back(ctx, m));
out:
	return rc;
}

/* There are no bodies, or they do not move. */
static int stay(struct clopt *ctx, const struct evolution *e)
{
	struct clopt_conserved sums;
	size_t step;
	int rc = CLOPT_OK;

	if (!e->options.each)
		return CLOPT_OK;
	TRY(clopt__conserved(ctx, e, &sums));
	for (step = 0; step <= e->steps; step++)
		if (is_due(e, step) &&
		    e->options.each(e->options.user, step, e->bodies, e->velocities, &sums))
			break;
out:
	return rc;
}

int clopt__evolve(struct clopt *ctx, const struct evolution *e)
{
	struct motion m;
	int rc = CLOPT_OK;

	if (e->n == 0 || e->steps == 0)
		return stay(ctx, e);
	TRY(clopt__motion_open(ctx, e, e->options.each != NULL, &m));
	TRY(run(ctx, &m));
out:
	return clopt__motion_close(ctx, &m, rc);
}

int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums)
{
	struct evolution still = *e;
	struct motion m;
	int rc = CLOPT_OK;

	memset(sums, 0, sizeof *sums);
	if (e->n == 0)
		return CLOPT_OK;
	still.steps = 0;
	TRY(clopt__motion_open(ctx, &still, 1, &m));
	TRY(evaluate(ctx, &m, &m.phi, &m.state));
	TRY(add_up(ctx, &m, sums));
out:
	return clopt__motion_close(ctx, &m, rc);
}
