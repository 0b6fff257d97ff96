/* SPDX-License-Identifier: MIT */
/*
 * evolve.c - clopt_nbody_evolve and clopt_nbody_conserved: converts the caller's doubles to the
 * device's number format, and sums over bodies.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "../choose/choose.h"
#include "bodies.h"

const struct integrator *const clopt__integrators[] = { &clopt__leapfrog_integrator,
	                                                &clopt__hermite_integrator, NULL };

/* Choose a kernel of the step or of the sums, and that of gravity with these outputs (enum
 * clopt_outputs). */
static int choose(struct clopt *ctx, const struct evolution *e, int op, int jerk, struct part *p,
                  int outputs, struct part *gravity)
{
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = op,
		                         .dim = { e->n },
		                         .outputs = jerk,
		                         .precision = e->options.precision };
	int rc = CLOPT_OK;

	/* Sums over float bodies use the best precision of the device. */
	if (op == CLOPT_OP_EVOLVE_SUMS && problem.precision == CLOPT_PRECISION_FLOAT) {
		problem.elem_bytes = sizeof(cl_float);
		problem.precision = CLOPT_PRECISION_BEST;
	}
	TRY(clopt__problem_read(ctx, &problem, &p->problem));
	TRY(clopt__choose(ctx, &p->problem, 1, &p->row, &p->kernel));
	TRY(clopt__gravity_choose(ctx, &p->problem, outputs, e->options.g,
	                          e->options.softening * e->options.softening, gravity));
out:
	return rc;
}

/* Rows of rates per body. */
static unsigned rate_rows(const struct stepper *s)
{
	return s->jerk ? s->e.integrator->rate_rows : 1;
}

int clopt__evolve_choose(struct clopt *ctx, const struct evolution *e, int sums, struct stepper *s)
{
	int rc = CLOPT_OK;

	s->e = *e;
	s->jerk = e->steps ? (int)e->integrator->outputs : 0;
	s->point_bytes = 4 * clopt__number_bytes(e->options.precision);
	/* Positions, velocities, rates, and Hermite's predicted positions and velocities. */
	s->points = 2 + rate_rows(s) + (s->jerk ? 2 : 0);
	s->largest = rate_rows(s) > 2 ? rate_rows(s) : 2;
	if (e->steps)
		TRY(choose(ctx, e, CLOPT_OP_EVOLVE_STEP, s->jerk, &s->step,
		           s->jerk ? CLOPT_OUTPUTS_JERK : CLOPT_OUTPUTS_FIELD, &s->force));
	if (sums)
		TRY(choose(ctx, e, CLOPT_OP_EVOLVE_SUMS, 0, &s->sum, CLOPT_OUTPUTS_FIELD_PHI,
		           &s->phi));
out:
	return rc;
}

/* The caller's rates, or NULL. */
static double *rates_of(const struct stepper *s)
{
	return rate_rows(s) > 1 ? s->e.options.rates : NULL;
}

static int open_arrays(struct clopt *ctx, struct stepper *s)
{
	const struct layout packed = { 0, 0, 1 };
	const size_t n = s->e.n, row = s->point_bytes;
	size_t bytes;
	int rc = CLOPT_OK;

	TRY(clopt__stepper_fits(ctx, s, &bytes));
	s->raw = malloc((rates_of(s) ? 4 : 2) * n * row);
	if (!s->raw)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a copy of %zu bodies", n);
	TRY(clopt__array_open(ctx, 2 * n, row, clopt__gravity_layout(s), &s->state));
	TRY(clopt__array_open(ctx, rate_rows(s) * n, row, packed, &s->rates));
	if (s->jerk)
		TRY(clopt__array_open(ctx, 2 * n, row, packed, &s->next));
	if (s->sum.row) {
		s->groups = clopt__groups(n, s->sum.row->out[0]);
		TRY(clopt__array_open(ctx, s->groups, SUMS * sizeof(cl_double), packed, &s->sums));
	}
	clopt__gravity_arrays(s->jerk ? &s->next : &s->state, &s->rates, &s->force);
	clopt__gravity_arrays(&s->state, &s->rates, &s->phi);
	s->step.array[0] = s->sum.array[0] = &s->state;
	s->step.array[1] = s->jerk ? &s->next : &s->state;
	s->step.array[2] = s->sum.array[1] = &s->rates;
	s->sum.array[2] = &s->sums;
out:
	return rc;
}

/* Where the caller has point i of the device's rates: each body's acceleration, then its jerk. */
static size_t rate_at(const struct evolution *e, size_t i)
{
	return 4 * (i % 2 * e->n + i / 2);
}

static int open_state(struct clopt *ctx, const struct evolution *e, int sums, struct stepper *s)
{
	const int precision = e->options.precision;
	char *raw;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__evolve_choose(ctx, e, sums, s));
	TRY(open_arrays(ctx, s));
	raw = s->raw;
	s->sum.real[0] = clopt__mass_unit(e->n, e->bodies);
	clopt__numbers_pack(precision, e->n, e->bodies, raw);
	clopt__numbers_pack(precision, e->n, e->velocities, raw + e->n * s->point_bytes);
	TRY(clopt__lane_move(ctx, &s->lane, &s->state, 0, raw, 2 * e->n, s->point_bytes, 0));
	if (rates_of(s) && e->options.resume) {
		raw += 2 * e->n * s->point_bytes;
		for (i = 0; i < 2 * e->n; i++)
			clopt__numbers_pack(precision, 1, e->options.rates + rate_at(e, i),
			                    raw + i * s->point_bytes);
		TRY(clopt__lane_move(ctx, &s->lane, &s->rates, 0, raw, 2 * e->n, s->point_bytes,
		                     0));
		s->resume = 1;
	}
out:
	return rc;
}

/* Copy the bodies to the caller's arrays, all of them or none.  The rates that begin the next step
 * are the second 2 n rows: a potential may have replaced rates of the first. */
static int bring_back(struct clopt *ctx, const struct stepper *s)
{
	const struct evolution *e = &s->e;
	const int precision = e->options.precision;
	double *const rates = rates_of(s);
	char *const raw = s->raw, *const raw_rates = raw + 2 * e->n * s->point_bytes;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__lane_move(ctx, &s->lane, &s->state, 0, raw, 2 * e->n, s->point_bytes, 1));
	if (rates)
		TRY(clopt__lane_move(ctx, &s->lane, &s->rates, 2 * e->n, raw_rates, 2 * e->n,
		                     s->point_bytes, 1));
	TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
	clopt__numbers_unpack(precision, e->n, raw, 3, e->bodies);
	clopt__numbers_unpack(precision, e->n, raw + e->n * s->point_bytes, 3, e->velocities);
	for (i = 0; rates && i < 2 * e->n; i++)
		clopt__numbers_unpack(precision, 1, raw_rates + i * s->point_bytes, 3,
		                      rates + rate_at(e, i));
out:
	return rc;
}

/* Sum over the bodies.  The launch of phi has stored the potential in the rates. */
static int add_up(struct clopt *ctx, const struct stepper *s, struct clopt_conserved *sums)
{
	const double mass_unit = s->sum.real[0];
	double total[SUMS] = { 0 }, *groups = malloc(s->groups * SUMS * sizeof *groups);
	size_t i;
	int rc = CLOPT_OK;

	memset(sums, 0, sizeof *sums);
	if (!groups)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the sums of %zu groups",
		                   s->groups);
	TRY(clopt__lane_launch(ctx, &s->lane, &s->sum, 0));
	TRY(clopt__lane_move(ctx, &s->lane, &s->sums, 0, groups, s->groups, SUMS * sizeof *groups,
	                     1));
	TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
	for (i = 0; i < s->groups * SUMS; i++)
		total[i % SUMS] +=
		        clopt__number_at(s->sum.problem.precision, groups, i) / mass_unit;
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

/* Position and mass as the device has them.  Adding 0 turns -0 into 0. */
static void body_at(const struct stepper *s, size_t i, double *x)
{
	int k;

	for (k = 0; k < 4; k++)
		x[k] = clopt__number_at(s->e.options.precision, s->raw, 4 * i + (size_t)k) + 0.0;
}

/* The mass of the bodies at one position so far, and one of the bodies, counted from 1; 0: a free
 * slot. */
struct place {
	size_t body;
	double mass;
};

static uint64_t scramble(uint64_t h)
{
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Softened bodies at one position have a potential of -g m m' / eps.  Kernels leave it out, since a
 * pair at distance zero may be a body and itself. */
static int add_coincident(struct clopt *ctx, const struct stepper *s, struct clopt_conserved *sums)
{
	const struct evolution *e = &s->e;
	size_t i, at, places = 1;
	struct place *place;

	if (!(e->options.softening > 0))
		return CLOPT_OK;
	while (places < 2 * e->n)
		places *= 2;
	place = calloc(places, sizeof *place);
	if (!place)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the places of %zu bodies",
		                   e->n);
	for (i = 0; i < e->n; i++) {
		double x[4], other[4];
		uint64_t hash = 0, bits;
		int k;

		body_at(s, i, x);
		if (!isfinite(x[0] + x[1] + x[2]))
			continue;
		for (k = 0; k < 3; k++) {
			memcpy(&bits, &x[k], sizeof bits);
			hash = scramble(hash + bits);
		}
		for (at = (size_t)hash & (places - 1); place[at].body;
		     at = (at + 1) & (places - 1)) {
			body_at(s, place[at].body - 1, other);
			if (x[0] == other[0] && x[1] == other[1] && x[2] == other[2])
				break;
		}
		sums->potential -= e->options.g * x[3] / e->options.softening * place[at].mass;
		place[at].body = i + 1;
		place[at].mass += x[3];
	}
	free(place);
	return CLOPT_OK;
}

/* Show the bodies to the caller.  Nonzero: end the run. */
static int call_back(const struct clopt *ctx, const struct evolution *e, size_t step,
                     const struct clopt_conserved *sums)
{
	struct outside o;
	int stop;

	clopt__outside(ctx, &o);
	stop = e->options.each(e->options.user, step, e->bodies, e->velocities, sums) != 0;
	clopt__back(&o);
	return stop;
}

static int show(struct clopt *ctx, const struct stepper *s, size_t step, int *stop)
{
	struct clopt_conserved sums;
	int rc = CLOPT_OK;

	TRY(add_up(ctx, s, &sums));
	if (step || rates_of(s))
		TRY(bring_back(ctx, s));
	TRY(add_coincident(ctx, s, &sums));
	*stop = call_back(ctx, &s->e, step, &sums);
	TRY(clopt__go_on(ctx, (double)step / (double)s->e.steps));
out:
	return rc;
}

/* Serve a run without bodies or without steps. */
static int stay(struct clopt *ctx, const struct evolution *e)
{
	struct clopt_conserved sums;
	size_t step;
	int rc = CLOPT_OK;

	if (!e->options.each)
		return CLOPT_OK;
	TRY(clopt__conserved(ctx, e, &sums));
	for (step = 0; step <= e->steps; step++) {
		if (clopt__is_due(e, step) && call_back(ctx, e, step, &sums))
			break;
		TRY(clopt__go_on(ctx, 0));
	}
out:
	return rc;
}

static struct operand points_of(double *array, size_t n)
{
	return (struct operand){ .host = array,
		                 .ld = 4,
		                 .use = OPERAND_IN | OPERAND_OUT,
		                 .rows = n,
		                 .columns = 4,
		                 .elem_bytes = sizeof *array };
}

int clopt__evolve(struct clopt *ctx, const struct evolution *e)
{
	struct stepper s = { .lane = { .q = ctx->queue[0] }, .own_state = 1, .show = show };
	const struct operand o[3] = { points_of(e->bodies, e->n), points_of(e->velocities, e->n),
		                      points_of(e->options.rates, 2 * e->n) };
	const unsigned outputs = e->options.rates && e->integrator->rate_rows > 1 ? 3 : 2;
	struct kept kept = { NULL, 0 };
	int rc = CLOPT_OK;

	if (e->n == 0 || e->steps == 0)
		return stay(ctx, e);
	/* Without `each` the arrays are written once, after all else. */
	if (ctx->keep_output && e->options.each)
		TRY(clopt__keep_open(ctx, o, outputs, &kept));
	TRY(open_state(ctx, e, e->options.each != NULL, &s));
	TRY(clopt__stepper_run(ctx, &s));
	if (!e->options.each)
		TRY(bring_back(ctx, &s));
out:
	rc = clopt__stepper_close(ctx, &s, rc);
	if (rc != CLOPT_OK)
		clopt__keep_restore(o, outputs, kept.copy);
	clopt__keep_close(&kept);
	return rc;
}

int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums)
{
	struct stepper s = { .lane = { .q = ctx->queue[0] }, .own_state = 1 };
	struct evolution still = *e;
	int rc = CLOPT_OK;

	memset(sums, 0, sizeof *sums);
	if (e->n == 0)
		return CLOPT_OK;
	still.steps = 0;
	still.group = (struct clopt_group){ 0 };
	TRY(open_state(ctx, &still, 1, &s));
	TRY(clopt__stepper_gravity(ctx, &s));
	TRY(clopt__stepper_rates(ctx, &s, &s.phi));
	TRY(add_up(ctx, &s, sums));
	TRY(add_coincident(ctx, &s, sums));
out:
	return clopt__stepper_close(ctx, &s, rc);
}
