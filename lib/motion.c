/* SPDX-License-Identifier: MIT */
/*
 * motion.c - bodies on the device from the first step to the last.
 *
 * A run of s steps is s + 1 evaluations of gravity, each but the first at the end
 * of a step, and behind each one kernel that ends that step and begins the next.
 * Leapfrog evaluates at the places of the bodies, Hermite at predicted ones, which
 * are beside them in `next`.
 *
 * When somebody wants to see the bodies a step is ended and no other begun; the
 * potential comes with the evaluation at its end, or, for Hermite, with one more.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evolve.h"

/* Steps between two waits: neither the driver's queue of commands nor ours of
 * events grows with the length of a run. */
#define CHUNK 128

#define SUMS 12 /* as in cl/evolve/sums.cl */

enum {
	JERK = 1, /* outputs of a problem, as kernels take them */
	PHI = 2
};

struct part {
	struct clopt_problem problem;
	const struct variant *row;
	cl_kernel kernel;
};

struct motion {
	const struct evolution *e;
	cl_command_queue q;
	int jerk;
	struct part force, phi, step, sum; /* phi: force with the potential too */
	struct array state, next, rates, sums;
	void *raw; /* the bodies as the device has them, in host memory */
	size_t point_bytes, groups;
};

/* ---- Commands ------------------------------------------------------------ */

static int choose(struct clopt *ctx, const struct motion *m, struct part *p, int op, int outputs)
{
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = op,
		                         .dim = { m->e->n },
		                         .outputs = outputs,
		                         .precision = m->e->options.precision };
	int rc = CLOPT_OK;

	/* Sums over bodies in float are in the best there is. */
	if (op == CLOPT_EVOLVE_SUMS && problem.precision == CLOPT_PRECISION_FLOAT) {
		problem.elem_bytes = sizeof(cl_float);
		problem.precision = CLOPT_PRECISION_BEST;
	}
	TRY(clopt__problem_read(ctx, &problem, &p->problem));
	TRY(clopt__choose(ctx, &p->problem, 1, &p->row, &p->kernel));
out:
	return rc;
}

static int launch(struct clopt *ctx, const struct motion *m, const struct part *p, double first,
                  double second, const struct array *a, const struct array *b,
                  const struct array *c)
{
	const struct array *const arrays[MAX_OPERANDS] = { a, b, c };
	const double reals[2] = { first, second };
	cl_event event = NULL;
	int rc = CLOPT_OK;

	TRY(clopt__launch(ctx, m->q, p->row, p->kernel, &p->problem, p->problem.dim, reals, arrays,
	                  (struct wait){ 0, NULL }, ctx->profile ? &event : NULL));
	TRY(clopt__log_add(ctx, COMMAND_KERNEL, 0, 0, event));
out:
	return rc;
}

/* Wait, and take the times of what has run.  rc: what has failed already. */
static int settle(struct clopt *ctx, const struct motion *m, int rc)
{
	const cl_int code = clFinish(m->q);

	if (code != CL_SUCCESS && rc == CLOPT_OK)
		rc = clopt__fail_cl(ctx, code, "clFinish");
	return clopt__log_settle(ctx, rc);
}

/* rows of row_bytes between host memory and the beginning of an array. */
static int move(struct clopt *ctx, const struct motion *m, const struct array *a, void *host,
                size_t rows, size_t row_bytes, int down)
{
	const struct transfer t = { .down = down,
		                    .mem = a->mem,
		                    .pitch_bytes = row_bytes,
		                    .host = host,
		                    .host_pitch_bytes = row_bytes,
		                    .rows = rows,
		                    .row_bytes = row_bytes };
	cl_event event = NULL;
	int rc = CLOPT_OK;

	*(down ? &ctx->report.down_bytes : &ctx->report.up_bytes) += rows * row_bytes;
	TRY(clopt__transfer(ctx, m->q, &t, (struct wait){ 0, NULL }, ctx->profile ? &event : NULL));
	TRY(clopt__log_add(ctx, down ? COMMAND_DOWN : COMMAND_UP, 0, rows * row_bytes, event));
out:
	return rc;
}

/* ---- The state ----------------------------------------------------------- */

static int fits(struct clopt *ctx, const struct motion *m)
{
	/* Places and velocities, Hermite's beside them, rates and those of before. */
	const size_t points = m->jerk ? 8 : 3, largest = m->jerk ? 4 : 2, n = m->e->n;

	if (n > SIZE_MAX / 1024 || points * n * m->point_bytes > clopt__memory(ctx))
		return clopt__memory_short(ctx, n > SIZE_MAX / 1024 ? SIZE_MAX :
		                                                      points * n * m->point_bytes);
	if (largest * n * m->point_bytes > ctx->device.info.max_alloc_bytes)
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "the bodies take %zu bytes in one piece, the device allows %llu",
		                   largest * n * m->point_bytes,
		                   (unsigned long long)ctx->device.info.max_alloc_bytes);
	return CLOPT_OK;
}

static int open_arrays(struct clopt *ctx, struct motion *m)
{
	const struct layout packed = { 0, 0, 1 };
	const size_t n = m->e->n, bytes = m->point_bytes;
	int rc = CLOPT_OK;

	TRY(fits(ctx, m));
	m->raw = malloc(2 * n * bytes);
	if (!m->raw)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a copy of %zu bodies", n);
	TRY(clopt__array_open(ctx, 2 * n, bytes, packed, &m->state));
	TRY(clopt__array_open(ctx, m->jerk ? 4 * n : n, bytes, packed, &m->rates));
	if (m->jerk)
		TRY(clopt__array_open(ctx, 2 * n, bytes, packed, &m->next));
	if (m->sum.row) {
		m->groups = (n + m->sum.row->out[0] - 1) / m->sum.row->out[0];
		TRY(clopt__array_open(ctx, m->groups, SUMS * sizeof(cl_double), packed, &m->sums));
	}
out:
	return rc;
}

static int open_motion(struct clopt *ctx, const struct evolution *e, int sums, struct motion *m)
{
	int rc = CLOPT_OK;

	m->e = e;
	m->q = ctx->queue[0];
	m->jerk = e->steps && e->options.integrator == CLOPT_HERMITE ? JERK : 0;
	m->point_bytes = 4 * clopt__number_bytes(e->options.precision);
	if (e->steps) {
		TRY(choose(ctx, m, &m->force, CLOPT_EVOLVE_FORCE, m->jerk));
		TRY(choose(ctx, m, &m->step, CLOPT_EVOLVE_STEP, m->jerk));
	}
	if (sums) {
		TRY(choose(ctx, m, &m->phi, CLOPT_EVOLVE_FORCE, PHI));
		TRY(choose(ctx, m, &m->sum, CLOPT_EVOLVE_SUMS, 0));
	}
	TRY(open_arrays(ctx, m));
	clopt__numbers_pack(e->options.precision, e->n, e->bodies, m->raw);
	clopt__numbers_pack(e->options.precision, e->n, e->velocities,
	                    (char *)m->raw + e->n * m->point_bytes);
	TRY(move(ctx, m, &m->state, m->raw, 2 * e->n, m->point_bytes, 0));
out:
	return rc;
}

/* rc: how it went.  Nothing moves any more when it returns. */
static int close_motion(struct clopt *ctx, struct motion *m, int rc)
{
	const struct part *const force = m->e->steps ? &m->force : &m->phi;

	rc = settle(ctx, m, rc);
	clopt__array_close(&m->state);
	clopt__array_close(&m->next);
	clopt__array_close(&m->rates);
	clopt__array_close(&m->sums);
	free(m->raw);
	if (rc == CLOPT_OK && force->row)
		ctx->report.variant = force->row->name;
	ctx->report.bands = ctx->report.queues = ctx->report.sum_parts = 1;
	return rc;
}

/* To the caller's arrays, all of it or nothing. */
static int bring_back(struct clopt *ctx, struct motion *m)
{
	const struct evolution *e = m->e;
	int rc = CLOPT_OK;

	TRY(move(ctx, m, &m->state, m->raw, 2 * e->n, m->point_bytes, 1));
	TRY(settle(ctx, m, CLOPT_OK));
	clopt__numbers_unpack(e->options.precision, e->n, m->raw, 3, e->bodies);
	clopt__numbers_unpack(e->options.precision, e->n, (char *)m->raw + e->n * m->point_bytes, 3,
	                      e->velocities);
out:
	return rc;
}

/* ---- Steps --------------------------------------------------------------- */

static int evaluate(struct clopt *ctx, const struct motion *m, const struct part *p,
                    const struct array *at)
{
	const struct clopt_evolve_options *o = &m->e->options;

	return launch(ctx, m, p, o->g, o->softening * o->softening, at, &m->rates, NULL);
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
	TRY(launch(ctx, m, &m->sum, 0, 0, &m->state, &m->rates, &m->sums));
	TRY(move(ctx, m, &m->sums, groups, m->groups, SUMS * sizeof *groups, 1));
	TRY(settle(ctx, m, CLOPT_OK));
	for (i = 0; i < m->groups * SUMS; i++)
		total[i % SUMS] += clopt__number_at(m->sum.problem.precision, groups, i);
	sums->mass = total[0];
	sums->kinetic = total[1];
	sums->potential = total[2];
	memcpy(sums->momentum, total + 3, sizeof sums->momentum);
	memcpy(sums->angular_momentum, total + 6, sizeof sums->angular_momentum);
	for (i = 0; i < 3; i++)
		sums->centre[i] = total[9 + i] / sums->mass;
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
		TRY(bring_back(ctx, m));
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
	TRY(launch(ctx, m, &m->step, back, due && !m->jerk ? 0 : ahead, &m->state,
	           m->jerk ? &m->next : &m->state, &m->rates));
	if (!due)
		goto out;
	if (m->jerk)
		TRY(evaluate(ctx, m, &m->phi, &m->state));
	TRY(show(ctx, m, step, stop));
	if (!m->jerk && !*stop)
		TRY(launch(ctx, m, &m->step, 0, ahead, &m->state, &m->state, &m->rates));
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
			TRY(settle(ctx, m, CLOPT_OK));
	}
	if (!e->options.each)
		TRY(bring_back(ctx, m));
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
	memset(&m, 0, sizeof m);
	TRY(open_motion(ctx, e, e->options.each != NULL, &m));
	TRY(run(ctx, &m));
out:
	return close_motion(ctx, &m, rc);
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
	memset(&m, 0, sizeof m);
	TRY(open_motion(ctx, &still, 1, &m));
	TRY(evaluate(ctx, &m, &m.phi, &m.state));
	TRY(add_up(ctx, &m, sums));
out:
	return close_motion(ctx, &m, rc);
}
