/* SPDX-License-Identifier: MIT */
/*
 * pair.c - the Coulomb potential and gravity of points on points.
 *
 * Tolerance: a float32 sum of n terms may be off by
 *
 *	eps (t + 2 sqrt(n)) sum |term|
 *
 * sqrt(n) for rounding the sum and t for the parts of one term: differences,
 * their squares, and a reciprocal square root, which OpenCL lets be off by
 * 4 eps.  Its third power is off by 12, so t is 16 for the potential and 24 for
 * gravity.  The reference starts from the same floats: their differences are
 * then right to one rounding, however close two points are.  Scales are chosen
 * so that no third power of a distance leaves the range of float32.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

/* clang-format off */
/* nsources, ntargets, family, scale, factor, softening, small */
#define ROW(ns, nt, f, sc, al, so, sm) \
	{ .dim = { ns, nt }, .elem_bytes = 4, .alpha = al, .family = f, .scale = sc, \
	  .softening = so, .small = sm }

#define WITH(ns, nt, f, pr, sm) \
	{ .dim = { ns, nt }, .elem_bytes = 4, .alpha = 1.0, .family = f, .scale = 1.0, \
	  .precision = pr, .small = sm }

/* tiny and huge: scales that the operation has to live with. */
#define ROWS(tiny, huge) \
	WITH(7, 5, CASE_UNIFORM, CLOPT_PRECISION_COMPENSATED, 1), \
	WITH(257, 300, CASE_COINCIDENT, CLOPT_PRECISION_COMPENSATED, 0), \
	WITH(7, 5, CASE_UNIFORM, CLOPT_PRECISION_DOUBLE_SINGLE, 1), \
	WITH(70, 70, CASE_SHARED, CLOPT_PRECISION_DOUBLE_SINGLE, 1), \
	WITH(600, 700, CASE_COINCIDENT, CLOPT_PRECISION_DOUBLE_SINGLE, 0), \
	WITH(7, 5, CASE_UNIFORM, CLOPT_PRECISION_DOUBLE, 1), \
	WITH(257, 300, CASE_COINCIDENT, CLOPT_PRECISION_DOUBLE, 0), \
	ROW(1, 1, CASE_UNIFORM, 1.0, 1.0, 0.0, 1), \
	ROW(1, 1, CASE_COINCIDENT, 1.0, 1.0, 0.0, 1), \
	ROW(7, 5, CASE_UNIFORM, 1.0, 332.06371, 0.0, 1), \
	ROW(5, 70, CASE_COINCIDENT, 1.0, 1.0, 0.0, 1), \
	ROW(70, 33, CASE_OFFSET, 1.0, -0.5, 0.0, 1), \
	ROW(64, 64, CASE_SHARED, 1.0, 1.0, 0.0, 1), \
	ROW(257, 3, CASE_UNIFORM, tiny, 1.0, 0.0, 1), \
	ROW(0, 7, CASE_UNIFORM, 1.0, 1.0, 0.0, 1), \
	ROW(7, 0, CASE_UNIFORM, 1.0, 1.0, 0.0, 1), \
	ROW(0, 0, CASE_UNIFORM, 1.0, 1.0, 0.0, 1), \
	ROW(1000, 1, CASE_UNIFORM, 1.0, 1.0, 0.0, 0), \
	ROW(1, 1000, CASE_UNIFORM, 1.0, 1.0, 0.0, 0), \
	ROW(64, 255, CASE_UNIFORM, huge, 1.0, 0.0, 0), \
	ROW(255, 257, CASE_COINCIDENT, 1.0, 1.0, 0.0, 0), \
	ROW(256, 512, CASE_UNIFORM, 1.0, 1.0, 0.0, 0), \
	ROW(1000, 1000, CASE_SHARED, 1.0, 1.0, 0.0, 0), \
	ROW(1000, 257, CASE_OFFSET, 1.0, 1.0, 0.0, 0), \
	ROW(513, 1100, CASE_UNIFORM, tiny, 1.0, 0.0, 0), \
	ROW(1500, 700, CASE_UNIFORM, huge, 1.0, 0.0, 0), \
	ROW(2000, 3, CASE_COINCIDENT, 1.0, -1.0, 0.0, 0), \
	ROW(3, 2000, CASE_COINCIDENT, 1.0, 1.0, 0.0, 0)

static const struct shape potential_shapes[] = { ROWS(1e-12, 1e12) };

static const struct shape nbody_shapes[] = {
	ROWS(1e-10, 1e11),
	ROW(1, 1, CASE_COINCIDENT, 1.0, 1.0, 0.1, 1),
	ROW(65, 65, CASE_SHARED, 1.0, 1.0, 0.05, 1),
	ROW(33, 40, CASE_COINCIDENT, 1.0, 2.0, 0.05, 1),
	ROW(1000, 1000, CASE_SHARED, 1.0, 1.0, 0.05, 0),
	ROW(300, 1000, CASE_OFFSET, 1.0, 1.0, 0.01, 0),
	ROW(257, 255, CASE_COINCIDENT, 1e-6, 6.674e-11, 1e-7, 0),
};
/* clang-format on */

static const struct shape potential_bench[] = { ROW(0, 0, CASE_UNIFORM, 1.0, 1.0, 0.0, 0) };
static const struct shape nbody_bench[] = { ROW(0, 0, CASE_UNIFORM, 1.0, 1.0, 0.01, 0) };

double pair_tolerance(double term, size_t n)
{
	return EPS_FLOAT * (term + 2.0 * sqrt((double)n));
}

/* ------------------------------------------------------------ inputs --- */

static void put(struct field *f, size_t i, const float *point)
{
	memcpy(f->data + i * 4 * sizeof *point, point, 4 * sizeof *point);
}

static void get(const struct field *f, size_t i, float *point)
{
	memcpy(point, f->data + i * 4 * sizeof *point, 4 * sizeof *point);
}

static void place(const struct shape *s, struct rng *r, float *point)
{
	double origin = s->family == CASE_OFFSET ? 1000.0 * s->scale : 0.0;
	int d;

	for (d = 0; d < 3; d++)
		point[d] = (float)(origin + s->scale * (2.0 * case_uniform(r) - 1.0));
}

/* Charges have both signs; of the masses some are zero. */
static float weight(struct case_job *job)
{
	double u = case_uniform(&job->rng);

	if (job->op == CLOPT_OP_POTENTIAL)
		return (float)(2.0 * u - 1.0);
	return u < 0.1 ? 0.0f : (float)u;
}

static int fill_sources(struct case_job *job)
{
	const struct shape *s = &job->s;
	size_t i;
	float p[4];
	int rc;

	rc = field_open(&job->in[0], s->dim[0], 4, 4, sizeof *p, FIELD_IN, &job->rng);
	if (rc != CLOPT_OK)
		goto out;
	for (i = 0; i < s->dim[0]; i++) {
		place(s, &job->rng, p);
		if (s->family == CASE_COINCIDENT && i % 5 == 3)
			get(&job->in[0], i / 2, p);
		p[3] = weight(job);
		put(&job->in[0], i, p);
	}
out:
	return rc;
}

static int fill_points(struct case_job *job, size_t width)
{
	const struct shape *s = &job->s;
	size_t i;
	float p[4];
	int rc;

	rc = fill_sources(job);
	if (rc == CLOPT_OK && s->family != CASE_SHARED)
		rc = field_open(&job->in[1], s->dim[1], 4, 4, sizeof *p, FIELD_IN, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(&job->out[0], s->dim[1], width, width, sizeof *p, FIELD_OUT,
		                &job->rng);
	if (rc != CLOPT_OK)
		goto out;
	field_fill_real(&job->out[0], (double)NAN, &job->rng);
	if (s->family == CASE_SHARED)
		goto out;
	for (i = 0; i < s->dim[1]; i++) {
		place(s, &job->rng, p);
		if (s->family == CASE_COINCIDENT && s->dim[0] && i % 2 == 0)
			get(&job->in[0], (size_t)(case_random(&job->rng) % s->dim[0]), p);
		/* Not to be read, unless it is a softening length. */
		p[3] = s->law == CLOPT_LAW_GRAVITY_OWN ?
		               (float)(0.1 * s->scale * case_uniform(&job->rng)) :
		               NAN;
		put(&job->in[1], i, p);
	}
out:
	return rc;
}

static const struct field *targets(const struct case_job *job)
{
	return job->s.family == CASE_SHARED ? &job->in[0] : &job->in[1];
}

static size_t items(const struct case_job *job)
{
	return job->s.dim[1];
}

/* --------------------------------------------------------- potential --- */

static int potential_fill(struct case_job *job)
{
	const int rc = fill_points(job, 1);

	return rc == CLOPT_OK && law_has_normals(job->s.law) ? law_fill_normals(job) : rc;
}

static int potential_call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_potential_options options;

	law_options(job, &options);
	return clopt_potential(ctx, job->s.dim[0], job->in[0].array, job->s.dim[1],
	                       targets(job)->array, job->out[0].array,
	                       job->s.alpha == 1.0 && !job->s.precision && !job->s.law ? NULL :
	                                                                                 &options);
}

static void potential_expect(const struct case_job *job, size_t item, struct expect *e)
{
	const double term = job->s.law > CLOPT_LAW_COULOMB ? TERM_LAW : TERM_POTENTIAL;
	struct law_sum sum;
	float t[4], n[4] = { 0 }, got;

	get(targets(job), item, t);
	if (job->in[2].data)
		get(&job->in[2], item, n);
	law_potential(job, t, n, &sum);
	memcpy(&got, job->out[0].data + item * sizeof got, sizeof got);
	e->got = (double)got;
	e->want = sum.phi;
	e->error = case_off(e->got, e->want,
	                    pair_tolerance(term, job->s.dim[0]) * sum.terms + (double)FLT_MIN);
}

const struct case_op case_potential = { CASE_SHAPES(potential_shapes, 2, 1, "Gpairs/s"),
	                                CASE_BENCH(potential_bench, 256, 8192, 65536),
	                                .fill = potential_fill,
	                                .call = potential_call,
	                                .items = items,
	                                .expect = potential_expect };

/* ------------------------------------------------------------- nbody --- */

/* Gravity on a target from n sources of four doubles each. */
struct pull {
	double acc[3], phi;
	double acc_terms, phi_terms; /* sums of the magnitudes of the terms */
};

static void pull(const double *t, const double *sources, size_t n, double g, double softening,
                 struct pull *p)
{
	size_t j;

	memset(p, 0, sizeof *p);
	for (j = 0; j < n; j++) {
		const double *s = sources + 4 * j;
		double x = s[0] - t[0], y = s[1] - t[1], z = s[2] - t[2];
		double d2 = x * x + y * y + z * z, r2 = d2 + softening * softening, r, w;

		if (d2 == 0.0)
			continue;
		r = sqrt(r2);
		w = g * s[3] / (r2 * r);
		p->acc[0] += w * x;
		p->acc[1] += w * y;
		p->acc[2] += w * z;
		p->phi -= g * s[3] / r;
		p->acc_terms += fabs(w) * sqrt(d2);
		p->phi_terms += fabs(g * s[3] / r);
	}
}

static void widen(const struct field *f, double *to)
{
	size_t i, d;
	float p[4];

	for (i = 0; i < f->rows; i++) {
		memcpy(p, f->data + i * sizeof p, sizeof p);
		for (d = 0; d < 4; d++)
			to[4 * i + d] = (double)p[d];
	}
}

static int nbody_fill(struct case_job *job)
{
	return fill_points(job, 4);
}

/* By default there is none. */
static int with_phi(const struct case_job *job)
{
	return job->s.alpha != 1.0 || job->s.precision;
}

static int nbody_call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_nbody_options options = CLOPT_NBODY_OPTIONS_INIT;

	options.g = job->s.alpha;
	options.softening = job->s.softening;
	options.precision = job->s.precision;
	options.potential = with_phi(job);
	options.target_softening = job->s.law == CLOPT_LAW_GRAVITY_OWN;
	return clopt_nbody(ctx, job->s.dim[0], job->in[0].array, job->s.dim[1], targets(job)->array,
	                   job->out[0].array,
	                   with_phi(job) || job->s.law || options.softening != 0.0 ? &options :
	                                                                             NULL);
}

static int nbody_prepare(struct case_job *job, int all)
{
	(void)all;
	free(job->wide);
	job->wide = malloc((4 * job->s.dim[0] + 1) * sizeof *job->wide);
	if (!job->wide)
		return CLOPT_ENOMEM;
	widen(&job->in[0], job->wide);
	return CLOPT_OK;
}

static void nbody_expect(const struct case_job *job, size_t item, struct expect *e)
{
	double share = pair_tolerance(TERM_GRAVITY, job->s.dim[0]), t[4];
	struct pull p;
	float target[4], got[4];
	double softening = job->s.softening;
	int d;

	get(targets(job), item, target);
	get(&job->out[0], item, got);
	for (d = 0; d < 4; d++)
		t[d] = (double)target[d];
	if (job->s.law == CLOPT_LAW_GRAVITY_OWN)
		softening = sqrt(softening * softening + t[3] * t[3]);
	pull(t, job->wide, job->s.dim[0], job->s.alpha, softening, &p);
	for (d = 0; d < 4; d++) {
		e[d].got = (double)got[d];
		e[d].want = d < 3 ? p.acc[d] : with_phi(job) ? p.phi : 0.0;
		e[d].error =
		        case_off(e[d].got, e[d].want,
		                 share * (d < 3 ? p.acc_terms : p.phi_terms) + (double)FLT_MIN);
	}
}

const struct case_op case_nbody = { CASE_SHAPES(nbody_shapes, 2, 4, "Gpairs/s"),
	                            CASE_BENCH(nbody_bench, 256, 8192, 65536),
	                            .fill = nbody_fill,
	                            .call = nbody_call,
	                            .prepare = nbody_prepare,
	                            .items = items,
	                            .expect = nbody_expect };
