/* SPDX-License-Identifier: MIT */
/*
 * sums.c - conserved sums: mass, energies, momenta, centre.
 *
 * Tolerance: a share of the sum of the magnitudes of the terms, as for the forces.
 * In float the bodies are rounded and the potentials are float, so the sums, which
 * are in more, are no better.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

/* clang-format off */
#define ROW(pr, n, so, sm) \
	{ .dim = { n }, .elem_bytes = 8, .precision = pr, .alpha = 2.0, .scale = 1.0, \
	  .softening = so, .steps = 1, .small = sm }

#define ROWS(pr) \
	ROW(pr, 0, 0.1, 1), \
	ROW(pr, 1, 0.1, 1), \
	ROW(pr, 2, 0.0, 1), \
	ROW(pr, 63, 0.1, 1), \
	ROW(pr, 300, 0.0, 0), \
	ROW(pr, 1024, 0.1, 0), \
	ROW(pr, 2500, 0.01, 0)

static const struct shape shapes[] = {
	ROWS(CLOPT_PRECISION_FLOAT),
	ROWS(CLOPT_PRECISION_DOUBLE_SINGLE),
	ROWS(CLOPT_PRECISION_DOUBLE),
};
/* clang-format on */

enum {
	SUMS = 12
};

static int fill(struct case_job *job)
{
	int rc = evolve_fill(job, &job->in[0], &job->in[1], FIELD_IN);

	if (rc == CLOPT_OK)
		rc = field_open(&job->out[0], SUMS, 1, 1, sizeof(double), FIELD_OUT, &job->rng);
	if (rc == CLOPT_OK)
		field_fill_real(&job->out[0], (double)NAN, &job->rng);
	return rc;
}

static int call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_evolve_options options = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_conserved c;
	double *out = job->out[0].array;
	int rc;

	options.g = job->s.alpha;
	options.softening = job->s.softening;
	options.precision = job->s.precision;
	rc = clopt_nbody_conserved(ctx, job->s.dim[0], job->in[0].array, job->in[1].array, &options,
	                           &c);
	if (rc != CLOPT_OK)
		return rc;
	out[0] = c.mass;
	out[1] = c.kinetic;
	out[2] = c.potential;
	memcpy(out + 3, c.momentum, sizeof c.momentum);
	memcpy(out + 6, c.angular_momentum, sizeof c.angular_momentum);
	memcpy(out + 9, c.centre, sizeof c.centre);
	return CLOPT_OK;
}

static size_t items(const struct case_job *job)
{
	(void)job;
	return SUMS;
}

/* --------------------------------------------------------- reference --- */

struct total {
	long double sum[SUMS], size[SUMS]; /* size: of the magnitudes of the terms */
};

static void add(struct total *t, int k, long double term, long double size)
{
	t->sum[k] += term;
	t->size[k] += fabsl(size);
}

/* The sums of body i alone. */
static void add_body(struct total *t, const double *x, const double *v)
{
	const long double m = x[3];
	long double v2 = 0;
	int d;

	add(t, 0, m, m);
	for (d = 0; d < 3; d++) {
		const int e = (d + 1) % 3, f = (d + 2) % 3;

		v2 += (long double)v[d] * v[d];
		add(t, 3 + d, m * v[d], m * v[d]);
		add(t, 6 + d, m * ((long double)x[e] * v[f] - (long double)x[f] * v[e]),
		    m * (fabsl((long double)x[e] * v[f]) + fabsl((long double)x[f] * v[e])));
		add(t, 9 + d, m * x[d], m * x[d]);
	}
	add(t, 1, m * v2 / 2, m * v2);
}

static long double pair_energy(const struct shape *s, const double *a, const double *b)
{
	long double d2 = 0;
	int d;

	for (d = 0; d < 3; d++) {
		const long double x = (long double)b[d] - a[d];

		d2 += x * x;
	}
	if (d2 == 0)
		return 0;
	return -s->alpha * a[3] * b[3] / sqrtl(d2 + (long double)s->softening * s->softening);
}

static int prepare(struct case_job *job, int all)
{
	const double *bodies = job->in[0].array, *velocities = job->in[1].array;
	const size_t n = job->s.dim[0];
	struct total t = { { 0 }, { 0 } };
	size_t i, j;

	(void)all;
	free(job->wide);
	job->wide = malloc(2 * SUMS * sizeof *job->wide);
	if (!job->wide)
		return CLOPT_ENOMEM;
	for (i = 0; i < n; i++) {
		add_body(&t, bodies + 4 * i, velocities + 4 * i);
		for (j = 0; j < i; j++) {
			const long double e = pair_energy(&job->s, bodies + 4 * i, bodies + 4 * j);

			add(&t, 2, e, e);
		}
	}
	for (i = 0; i < SUMS; i++) {
		const long double by = i < 9 || t.sum[0] == 0 ? 1 : t.sum[0];

		job->wide[i] = (double)(t.sum[i] / by);
		job->wide[SUMS + i] = (double)(t.size[i] / by);
	}
	return CLOPT_OK;
}

/* Rounding to float hurts the differences of places near each other: the
 * potential of the closest pair may be off by far more than a few roundings. */
static void expect(const struct case_job *job, size_t item, struct expect *e)
{
	const double *out = job->out[0].array;
	const double n = (double)job->s.dim[0];
	double roundings = TERM_GRAVITY + 2.0 * sqrt(n);

	if (item == 2)
		roundings += 100.0 * cbrt(n * n);
	e->got = out[item];
	e->want = job->wide[item];
	e->error = case_off(e->got, e->want,
	                    evolve_roundoff(job->s.precision) * roundings * job->wide[SUMS + item]);
}

const struct case_op case_evolve_sums = { CASE_SHAPES(shapes, 1, 1, "Gpairs/s"),
	                                  .fill = fill,
	                                  .call = call,
	                                  .prepare = prepare,
	                                  .items = items,
	                                  .expect = expect };
