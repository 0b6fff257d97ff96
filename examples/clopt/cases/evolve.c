/* SPDX-License-Identifier: MIT */
/*
 * cases_evolve.c - bodies moved in float, double-single and double, by leapfrog
 * and by Hermite.
 *
 * A large problem is checked at some of its bodies, after one step of leapfrog:
 * the places follow from the initial ones, and the velocities from those and the
 * places that the library returned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orbit.h"

/* clang-format off */
#define ROW(pr, n, in, so, st, ti, sm) \
	{ .dim = { n }, .elem_bytes = 8, .precision = pr, .integrator = in, .alpha = 0.5, \
	  .scale = 1.0, .softening = so, .steps = st, .dt = ti, .small = sm }

#define ROWS(pr) \
	ROW(pr, 0, CLOPT_HERMITE, 0.1, 3, 0.01, 1), \
	ROW(pr, 1, CLOPT_KICK_DRIFT_KICK, 0.1, 3, 0.01, 1), \
	ROW(pr, 2, CLOPT_HERMITE, 0.1, 7, 0.01, 1), \
	ROW(pr, 17, CLOPT_KICK_DRIFT_KICK, 0.1, 2, 0.01, 1), \
	ROW(pr, 33, CLOPT_HERMITE, 0.1, 2, -0.01, 1), \
	ROW(pr, 65, CLOPT_KICK_DRIFT_KICK, 0.1, 0, 0.01, 1), \
	ROW(pr, 64, CLOPT_HERMITE, 0.1, 1, 0.01, 0), \
	ROW(pr, 129, CLOPT_KICK_DRIFT_KICK, 0.1, 4, -0.002, 0), \
	ROW(pr, 300, CLOPT_HERMITE, 0.1, 3, 0.002, 0), \
	ROW(pr, 1025, CLOPT_KICK_DRIFT_KICK, 0.1, 1, 0.001, 0)

static const struct shape shapes[] = {
	ROWS(CLOPT_PRECISION_FLOAT),
	ROWS(CLOPT_PRECISION_DOUBLE_SINGLE),
	ROWS(CLOPT_PRECISION_DOUBLE),
};

static const struct shape bench[] = {
	ROW(CLOPT_PRECISION_FLOAT, 0, CLOPT_KICK_DRIFT_KICK, 0.1, 1, 1e-4, 0),
	ROW(CLOPT_PRECISION_DOUBLE_SINGLE, 0, CLOPT_KICK_DRIFT_KICK, 0.1, 1, 1e-4, 0),
	ROW(CLOPT_PRECISION_DOUBLE, 0, CLOPT_KICK_DRIFT_KICK, 0.1, 1, 1e-4, 0),
};
/* clang-format on */

/* ------------------------------------------------------------ inputs --- */

int evolve_fill(struct case_job *job, struct field *bodies, struct field *velocities, int kind)
{
	const size_t n = job->s.dim[0];
	size_t i;
	double mass;
	int rc;

	rc = field_open(bodies, n, 4, 4, sizeof mass, kind, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(velocities, n, 4, 4, sizeof mass, kind, &job->rng);
	if (rc != CLOPT_OK)
		return rc;
	field_fill_real(bodies, job->s.scale, &job->rng);
	field_fill_real(velocities, 0.3 * job->s.scale, &job->rng);
	for (i = 0; i < n; i++) {
		mass = i % 9 == 8 ? 0.0 : case_uniform(&job->rng) / (double)n;
		memcpy(bodies->data + (4 * i + 3) * sizeof mass, &mass, sizeof mass);
		/* Two at one place. */
		if (i % 16 == 9)
			memcpy(bodies->data + 4 * i * sizeof mass,
			       bodies->data + 4 * (i / 2) * sizeof mass, 3 * sizeof mass);
	}
	return CLOPT_OK;
}

static int fill(struct case_job *job)
{
	return evolve_fill(job, &job->out[0], &job->out[1], FIELD_OUT);
}

static int call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_evolve_options options = CLOPT_EVOLVE_OPTIONS_INIT;

	options.g = job->s.alpha;
	options.softening = job->s.softening;
	options.integrator = job->s.integrator;
	options.precision = job->s.precision;
	return clopt_nbody_evolve(ctx, job->s.dim[0], job->out[0].array, job->out[1].array,
	                          job->s.dt, job->s.steps, &options);
}

static size_t items(const struct case_job *job)
{
	return job->s.dim[0];
}

static void read_body(const unsigned char *places, const unsigned char *speeds, size_t i,
                      struct body *b)
{
	double p[4], v[4];
	int d;

	memcpy(p, places + i * sizeof p, sizeof p);
	memcpy(v, speeds + i * sizeof v, sizeof v);
	for (d = 0; d < 3; d++) {
		b->x[d] = p[d];
		b->v[d] = v[d];
	}
	b->mass = p[3];
}

/* Body i before the call; the fields keep it. */
static void first(const struct case_job *job, size_t i, struct body *b)
{
	read_body(job->out[0].first + job->out[0].lead_bytes,
	          job->out[1].first + job->out[1].lead_bytes, i, b);
}

/* All bodies after the last step, and the bounds. */
static int follow(const struct case_job *job, struct body *b, struct bounds *bounds)
{
	const struct shape *s = &job->s;
	const size_t n = s->dim[0];
	struct body *p = malloc(n * sizeof *p + 1);
	struct feel *f = malloc(2 * n * sizeof *f + 1);
	size_t i, step;

	for (i = 0; p && f && i < n; i++)
		first(job, i, &b[i]);
	if (p && f && s->integrator == CLOPT_HERMITE)
		orbit_feel_all(s, b, n, f);
	for (step = 0; p && f && step < s->steps; step++) {
		if (s->integrator == CLOPT_HERMITE)
			orbit_hermite(s, b, p, f, f + n, n);
		else
			orbit_leapfrog(s, b, f, n);
		orbit_widen(s, f, n, bounds);
	}
	i = p && f;
	free(p);
	free(f);
	return i ? CLOPT_OK : CLOPT_ENOMEM;
}

/* Body i after one step of leapfrog, given all before it and after it. */
static void one_step(const struct case_job *job, size_t i, struct body *b, struct bounds *bounds)
{
	const struct shape *s = &job->s;
	const long double h = s->dt;
	struct body other;
	struct feel f[2] = { { .terms = 0 }, { .terms = 0 } };
	size_t j;
	int d;

	first(job, i, b);
	for (j = 0; j < s->dim[0]; j++) {
		first(job, j, &other);
		orbit_feel(s, b, &other, &f[0]);
	}
	for (d = 0; d < 3; d++) {
		b->v[d] += h / 2 * f[0].a[d];
		b->x[d] += h * b->v[d];
	}
	read_body(job->out[0].data, job->out[1].data, i, &other);
	memcpy(b->x, other.x, sizeof b->x);
	for (j = 0; j < s->dim[0]; j++) {
		read_body(job->out[0].data, job->out[1].data, j, &other);
		orbit_feel(s, b, &other, &f[1]);
	}
	for (d = 0; d < 3; d++)
		b->v[d] += h / 2 * f[1].a[d];
	orbit_widen(s, f, 2, bounds);
}

/* ------------------------------------------------------------ compare -- */

/* Room for the bounds and then all bodies. */
static int prepare(struct case_job *job, int all)
{
	const size_t n = job->s.dim[0];
	struct bounds *bounds;
	const double e = evolve_roundoff(job->s.precision) * job->s.scale;

	free(job->wide);
	job->all = all || job->s.steps != 1 || job->s.integrator == CLOPT_HERMITE;
	job->wide = malloc(16 + (job->all ? n : 0) * sizeof(struct body));
	if (!job->wide)
		return CLOPT_ENOMEM;
	/* The arguments are rounded, if they are moved at all. */
	bounds = (struct bounds *)job->wide;
	bounds->place = bounds->speed = job->s.steps ? e : 0.0;
	return job->all ? follow(job, (struct body *)(job->wide + 2), bounds) : CLOPT_OK;
}

static void expect(const struct case_job *job, size_t item, struct expect *e)
{
	struct bounds bounds = *(const struct bounds *)job->wide;
	struct body b, got;
	double kept[2], want[2];
	int d;

	if (job->all)
		b = ((const struct body *)(job->wide + 2))[item];
	else
		one_step(job, item, &b, &bounds);
	read_body(job->out[0].data, job->out[1].data, item, &got);
	for (d = 0; d < 3; d++) {
		e[d].got = (double)got.x[d];
		e[d].want = (double)b.x[d];
		e[d].error = case_off(e[d].got, e[d].want, bounds.place);
		e[4 + d].got = (double)got.v[d];
		e[4 + d].want = (double)b.v[d];
		e[4 + d].error = case_off(e[4 + d].got, e[4 + d].want, bounds.speed);
	}
	for (d = 0; d < 2; d++) { /* the fourth numbers are kept */
		memcpy(&kept[d], job->out[d].data + (4 * item + 3) * sizeof *kept, sizeof *kept);
		memcpy(&want[d],
		       job->out[d].first + job->out[d].lead_bytes + (4 * item + 3) * sizeof *want,
		       sizeof *want);
		e[3 + 4 * d].got = kept[d];
		e[3 + 4 * d].want = want[d];
		e[3 + 4 * d].error = case_off(kept[d], want[d], 0.0);
	}
}

const struct case_op case_evolve = {
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

/* The same, as a test of the kernel that is no force: nothing to time. */
const struct case_op case_evolve_step = {
	.shapes = shapes,
	.nshapes = sizeof shapes / sizeof shapes[0],
	.ndim = 1,
	.width = 8,
	.unit = "Gpairs/s",
	.fill = fill,
	.call = call,
	.prepare = prepare,
	.items = items,
	.expect = expect,
};
