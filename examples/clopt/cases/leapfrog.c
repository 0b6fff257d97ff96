/* SPDX-License-Identifier: MIT */
/*
 * cases_leapfrog.c - bodies under their own gravity: kick, drift, kick.
 *
 * Tolerance: a small error of a force becomes one of all later places, so a
 * bound on the error goes along with the reference.  A kick adds the error of
 * the force, which is that of its sum and the slope of gravity times that of
 * the places; a drift adds that of the velocity; each adds its own rounding.
 * Softening keeps the slope, and with it the bound, small.
 *
 * A large problem is checked at some of its bodies: after one step the places
 * follow from the initial ones, and the velocities from those and the places
 * that the library returned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

/* clang-format off */
#define ROW(n, al, so, st, ti, sm) \
	{ .dim = { n }, .elem_bytes = 4, .alpha = al, .scale = 1.0, .softening = so, .steps = st, \
	  .dt = ti, .small = sm }

static const struct shape shapes[] = {
	ROW(0, 1.0, 0.1, 3, 0.01, 1),
	ROW(1, 1.0, 0.1, 3, 0.01, 1),
	ROW(2, 1.0, 0.1, 7, 0.01, 1),
	ROW(33, 0.5, 0.1, 4, -0.01, 1),
	ROW(65, 1.0, 0.1, 0, 0.01, 1),
	ROW(65, 0.1, 0.1, 1, 0.02, 1),
	ROW(300, 0.01, 0.1, 5, 0.02, 0),
	ROW(256, 0.01, 0.1, 2, -0.02, 0),
	ROW(1025, 0.001, 0.05, 3, 0.02, 0),
};
/* clang-format on */

static const struct shape bench[] = { ROW(0, 1e-4, 0.05, 1, 0.01, 0) };

static double length(const double *v)
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static int fill(struct case_job *job)
{
	size_t n = job->s.dim[0], i;
	float mass;
	int rc;

	rc = field_open(&job->out[0], n, 4, 4, sizeof mass, FIELD_OUT, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(&job->out[1], n, 4, 4, sizeof mass, FIELD_OUT, &job->rng);
	if (rc != CLOPT_OK)
		goto out;
	field_fill_real(&job->out[0], job->s.scale, &job->rng);
	field_fill_real(&job->out[1], 0.3 * job->s.scale, &job->rng);
	for (i = 0; i < n; i++) {
		mass = i % 9 == 8 ? 0.0f : (float)case_uniform(&job->rng);
		memcpy(job->out[0].data + (4 * i + 3) * sizeof mass, &mass, sizeof mass);
	}
out:
	return rc;
}

static int call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_nbody_options options = CLOPT_NBODY_OPTIONS_INIT;

	options.g = job->s.alpha;
	options.softening = job->s.softening;
	return clopt_nbody_leapfrog(ctx, job->s.dim[0], job->out[0].array, job->out[1].array,
	                            job->s.dt, job->s.steps, &options);
}

static size_t items(const struct case_job *job)
{
	return job->s.dim[0];
}

/* ------------------------------------------------------- one motion ---- */

/* One body and the bounds on the error of any component. */
struct body {
	double place[4], speed[4];
	double place_err, speed_err;
};

/* others_err: of the places that p was computed from. */
static void kick(struct body *b, const struct pull *p, size_t n, double others_err, double h)
{
	/* Twice, since the target and a source may be off; sqrt(3) from a
	 * component to a vector. */
	double err = pair_tolerance(TERM_GRAVITY, n) * p->acc_terms +
	             2.0 * sqrt(3.0) * others_err * p->slope;
	int d;

	for (d = 0; d < 3; d++)
		b->speed[d] += h * p->acc[d];
	b->speed_err +=
	        fabs(h) * err + 2.0 * EPS_FLOAT * (length(b->speed) + fabs(h) * p->acc_terms);
}

static void drift(struct body *b, double h)
{
	int d;

	for (d = 0; d < 3; d++)
		b->place[d] += h * b->speed[d];
	b->place_err += fabs(h) * b->speed_err +
	                2.0 * EPS_FLOAT * (length(b->place) + fabs(h) * length(b->speed));
}

/* Body i before the call, whose first places and velocities the fields keep. */
static void first(const struct case_job *job, size_t i, struct body *b)
{
	float p[4];
	int d;

	memset(b, 0, sizeof *b);
	memcpy(p, job->out[0].first + job->out[0].lead_bytes + i * sizeof p, sizeof p);
	for (d = 0; d < 4; d++)
		b->place[d] = (double)p[d];
	memcpy(p, job->out[1].first + job->out[1].lead_bytes + i * sizeof p, sizeof p);
	for (d = 0; d < 4; d++)
		b->speed[d] = (double)p[d];
}

/* ---------------------------------------------------- all the bodies --- */

/* A kick for all, from the places of all. */
static void kick_all(const struct case_job *job, struct body *bodies, double *places, double h)
{
	size_t n = job->s.dim[0], i;
	struct pull p;
	double worst = 0.0;

	for (i = 0; i < n; i++) {
		memcpy(places + 4 * i, bodies[i].place, sizeof bodies[i].place);
		worst = fmax(worst, bodies[i].place_err);
	}
	for (i = 0; i < n; i++) {
		pair_pull(places + 4 * i, places, n, job->s.alpha, job->s.softening, &p);
		kick(&bodies[i], &p, n, worst, h);
	}
}

/* Leaves the bodies after the last step in job->wide. */
static void follow(struct case_job *job, struct body *bodies, double *places)
{
	double h = job->s.dt;
	size_t n = job->s.dim[0], i, step;

	for (i = 0; i < n; i++)
		first(job, i, &bodies[i]);
	for (step = 0; step < job->s.steps; step++) {
		kick_all(job, bodies, places, 0.5 * h);
		for (i = 0; i < n; i++)
			drift(&bodies[i], h);
		kick_all(job, bodies, places, 0.5 * h);
	}
}

static int prepare(struct case_job *job, int all)
{
	size_t n = job->s.dim[0], i;
	struct body b;

	free(job->wide);
	job->all = all || job->s.steps != 1;
	/* Either all bodies and their places, or the places before and after. */
	job->wide = malloc(n * sizeof b + 8 * n * sizeof *job->wide + 1);
	if (!job->wide)
		return CLOPT_ENOMEM;
	if (job->all) {
		follow(job, (struct body *)job->wide,
		       job->wide + n * (sizeof b / sizeof *job->wide));
		return CLOPT_OK;
	}
	for (i = 0; i < n; i++) {
		first(job, i, &b);
		memcpy(job->wide + 4 * i, b.place, sizeof b.place);
	}
	pair_widen(&job->out[0], job->wide + 4 * n);
	return CLOPT_OK;
}

/* Body i after one step, given the places of all before and after it. */
static void one_step(const struct case_job *job, size_t i, struct body *b)
{
	size_t n = job->s.dim[0];
	const double *before = job->wide, *after = before + 4 * n;
	struct pull p;

	first(job, i, b);
	pair_pull(before + 4 * i, before, n, job->s.alpha, job->s.softening, &p);
	kick(b, &p, n, 0.0, 0.5 * job->s.dt);
	drift(b, job->s.dt);
	pair_pull(after + 4 * i, after, n, job->s.alpha, job->s.softening, &p);
	kick(b, &p, n, 0.0, 0.5 * job->s.dt);
}

static void expect(const struct case_job *job, size_t item, struct expect *e)
{
	const struct body *all = (const struct body *)job->wide;
	struct body b;
	float place[4], speed[4];
	int d;

	if (job->all)
		b = all[item];
	else
		one_step(job, item, &b);
	memcpy(place, job->out[0].data + item * sizeof place, sizeof place);
	memcpy(speed, job->out[1].data + item * sizeof speed, sizeof speed);
	for (d = 0; d < 4; d++) {
		e[d].got = (double)place[d];
		e[d].want = b.place[d];
		e[4 + d].got = (double)speed[d];
		e[4 + d].want = b.speed[d];
		/* The fourth numbers are kept. */
		e[d].error = case_off(e[d].got, e[d].want, d < 3 ? b.place_err : 0.0);
		e[4 + d].error = case_off(e[4 + d].got, e[4 + d].want, d < 3 ? b.speed_err : 0.0);
	}
}

const struct case_op case_leapfrog = {
	.shapes = shapes,
	.nshapes = sizeof shapes / sizeof shapes[0],
	.bench = bench,
	.nbench = sizeof bench / sizeof bench[0],
	.bench_dim = { [CASE_SMALL] = 256, [CASE_CPU] = 4096, [CASE_GPU] = 65536 },
	.ndim = 1,
	.width = 8,
	.unit = "Gpairs/s",
	.fill = fill,
	.call = call,
	.prepare = prepare,
	.items = items,
	.expect = expect,
};
