/* SPDX-License-Identifier: MIT */
/*
 * evolve.c - bodies moved by leapfrog in arrays of float, and in arrays of double by
 * leapfrog and by Hermite in float, double-single and double; and their conserved sums.
 *
 * Tolerance: an error of a force becomes an error of all later places, so a bound on the
 * errors goes along with the reference, which is in long double.  Softening keeps the
 * slope of gravity, and with it the bound, small.
 *
 * A large problem is checked at some of its bodies, after one step of leapfrog:
 * the places follow from the initial ones, and the velocities from those and the
 * places that the library returned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

/* clang-format off */
#define ROW(pr, n, in, so, st, ti, sm) OF(8, pr, n, in, so, st, ti, sm)
#define FLOATS(n, so, st, ti, sm) OF(4, CLOPT_PRECISION_FLOAT, n, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, so, st, ti, sm)
#define OF(e, pr, n, in, so, st, ti, sm) \
	{ .dim = { n }, .elem_bytes = e, .precision = pr, .integrator = in, .alpha = 0.5, \
	  .scale = 1.0, .softening = so, .steps = st, .dt = ti, .small = sm }

static const struct shape leapfrog_shapes[] = {
	FLOATS(0, 0.1, 3, 0.01, 1),
	FLOATS(1, 0.1, 3, 0.01, 1),
	FLOATS(2, 0.1, 7, 0.01, 1),
	FLOATS(33, 0.1, 4, -0.01, 1),
	FLOATS(65, 0.1, 0, 0.01, 1),
	FLOATS(65, 0.1, 1, 0.02, 1),
	FLOATS(300, 0.1, 5, 0.02, 0),
	FLOATS(256, 0.1, 2, -0.02, 0),
	FLOATS(1025, 0.05, 3, 0.02, 0),
};

static const struct shape leapfrog_bench[] = { FLOATS(0, 0.05, 1, 0.01, 0) };

#define ROWS(pr) \
	ROW(pr, 0, CLOPT_INTEGRATOR_HERMITE, 0.1, 3, 0.01, 1), \
	ROW(pr, 33, CLOPT_INTEGRATOR_HERMITE, 0.1, 1, -0.01, 1), \
	ROW(pr, 17, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 2, 0.01, 1), \
	ROW(pr, 1, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 3, 0.01, 1), \
	ROW(pr, 2, CLOPT_INTEGRATOR_HERMITE, 0.1, 3, 0.01, 1), \
	ROW(pr, 65, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 0, 0.01, 1), \
	ROW(pr, 64, CLOPT_INTEGRATOR_HERMITE, 0.1, 1, 0.01, 0), \
	ROW(pr, 129, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 4, -0.002, 0), \
	ROW(pr, 300, CLOPT_INTEGRATOR_HERMITE, 0.1, 3, 0.002, 0), \
	ROW(pr, 1025, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 1, 0.001, 0)

static const struct shape shapes[] = {
	ROWS(CLOPT_PRECISION_FLOAT),
	ROWS(CLOPT_PRECISION_DOUBLE_SINGLE),
	ROWS(CLOPT_PRECISION_DOUBLE),
};

static const struct shape bench[] = {
	ROW(CLOPT_PRECISION_FLOAT, 0, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 1, 1e-4, 0),
	ROW(CLOPT_PRECISION_DOUBLE_SINGLE, 0, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 1, 1e-4, 0),
	ROW(CLOPT_PRECISION_DOUBLE, 0, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, 0.1, 1, 1e-4, 0),
};
/* clang-format on */

/* ------------------------------------------------------------ inputs --- */

static int fill_bodies(struct case_job *job, struct field *bodies, struct field *velocities,
                       int kind)
{
	const size_t n = job->s.dim[0], e = job->s.elem_bytes;
	size_t i;
	int rc;

	rc = field_open(bodies, n, 4, 4, e, kind, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(velocities, n, 4, 4, e, kind, &job->rng);
	if (rc != CLOPT_OK)
		return rc;
	field_fill_real(bodies, job->s.scale, &job->rng);
	field_fill_real(velocities, 0.3 * job->s.scale, &job->rng);
	for (i = 0; i < n; i++) {
		unsigned char *body = bodies->data + 4 * i * e;

		case_store(body + 3 * e, e, i % 9 == 8 ? 0.0 : case_uniform(&job->rng) / (double)n);
		if (i % 16 == 9) /* two at one place */
			memcpy(body, bodies->data + 4 * (i / 2) * e, 3 * e);
	}
	return CLOPT_OK;
}

static int fill(struct case_job *job)
{
	return fill_bodies(job, &job->out[0], &job->out[1], FIELD_OUT);
}

static int leapfrog_call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_nbody_options options = CLOPT_NBODY_OPTIONS_INIT;

	options.g = job->s.alpha;
	options.softening = job->s.softening;
	return clopt_nbody_leapfrog(ctx, job->s.dim[0], job->out[0].array, job->out[1].array,
	                            job->s.dt, job->s.steps, &options);
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

/* ----------------------------------------------------------- motion ---- */

struct body {
	long double x[3], v[3];
	double mass, fourth; /* of its velocity */
};

struct feel {
	long double a[3], j[3];
	double terms; /* the sum of the magnitudes of the terms of a */
	double slope; /* bound on the change of a by a unit of distance */
};

/* Of any component of any place, and of any velocity. */
struct bounds {
	double place, speed;
};

static double roundoff(int precision)
{
	/* Two floats have 48 bits, and their sums and products lose one or two. */
	return precision == CLOPT_PRECISION_DOUBLE        ? EPS_DOUBLE :
	       precision == CLOPT_PRECISION_DOUBLE_SINGLE ? 0x1p-47 :
	                                                    EPS_FLOAT;
}

/* Add the pull of `from` on `at`. */
static void feel(const struct shape *s, const struct body *at, const struct body *from,
                 struct feel *f)
{
	long double d[3], w[3], d2 = 0, dw = 0, r2, u;
	int k;

	for (k = 0; k < 3; k++) {
		d[k] = from->x[k] - at->x[k];
		w[k] = from->v[k] - at->v[k];
		d2 += d[k] * d[k];
		dw += d[k] * w[k];
	}
	if (d2 == 0)
		return;
	r2 = d2 + (long double)s->softening * s->softening;
	u = s->alpha * from->mass / (r2 * sqrtl(r2));
	for (k = 0; k < 3; k++) {
		f->a[k] += u * d[k];
		f->j[k] += u * (w[k] - 3 * dw / r2 * d[k]);
	}
	f->terms += (double)(u * sqrtl(d2));
	f->slope += 2.0 * (double)u;
}

static void feel_all(const struct shape *s, const struct body *all, size_t n, struct feel *f)
{
	size_t i, j;

	memset(f, 0, n * sizeof *f);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			feel(s, &all[i], &all[j], &f[i]);
}

/* The growth of the bounds in one step.  sqrt(3) from a component to a vector, two
 * since both ends of a pair may be off, and again for the jerk's part. */
static void widen(const struct shape *s, const struct feel *f, size_t n, struct bounds *b)
{
	const double e = roundoff(s->precision), h = fabs(s->dt);
	double terms = 0.0, slope = 0.0;
	size_t i;

	for (i = 0; i < n; i++) {
		terms = fmax(terms, f[i].terms);
		slope = fmax(slope, f[i].slope);
	}
	b->speed += 2.0 * h *
	            (e * (TERM_GRAVITY + 2.0 * sqrt((double)s->dim[0])) * terms +
	             4.0 * sqrt(3.0) * b->place * slope);
	b->speed += 4.0 * e * (s->scale + h * terms);
	b->place += h * b->speed + 4.0 * e * s->scale;
}

static void leapfrog(const struct shape *s, struct body *b, struct feel *f, size_t n)
{
	const long double h = s->dt;
	size_t i;
	int half, d;

	for (half = 0; half < 2; half++) {
		feel_all(s, b, n, f);
		for (i = 0; i < n; i++)
			for (d = 0; d < 3; d++) {
				b[i].v[d] += h / 2 * f[i].a[d];
				b[i].x[d] += half == 0 ? h * b[i].v[d] : 0;
			}
	}
}

/* As Makino and Aarseth write it, by the second and third derivative.  f: before, and, at the
 * predicted places, after.  p: room. */
static void hermite(const struct shape *s, struct body *b, struct body *p, struct feel *f,
                    struct feel *after, size_t n)
{
	const long double h = s->dt;
	size_t i;
	int d;

	memcpy(p, b, n * sizeof *p);
	for (i = 0; i < n; i++)
		for (d = 0; d < 3; d++) {
			p[i].x[d] += h * (b[i].v[d] + h / 2 * (f[i].a[d] + h / 3 * f[i].j[d]));
			p[i].v[d] += h * (f[i].a[d] + h / 2 * f[i].j[d]);
		}
	feel_all(s, p, n, after);
	for (i = 0; i < n; i++)
		for (d = 0; d < 3; d++) {
			const long double da = f[i].a[d] - after[i].a[d];
			const long double j0 = f[i].j[d], j1 = after[i].j[d];
			const long double a2 = (-6 * da - h * (4 * j0 + 2 * j1)) / (h * h);
			const long double a3 = (12 * da + 6 * h * (j0 + j1)) / (h * h * h);

			b[i].x[d] = p[i].x[d] + h * h * h * h / 24 * (a2 + h / 5 * a3);
			b[i].v[d] = p[i].v[d] + h * h * h / 6 * (a2 + h / 4 * a3);
		}
	memcpy(f, after, n * sizeof *f);
}

/* Body i as it is, or before the call: the fields keep it. */
static void read_body(const struct case_job *job, int before, size_t i, struct body *b)
{
	const size_t e = job->s.elem_bytes;
	const struct field *f = job->out;
	const unsigned char *x = before ? f[0].first + f[0].lead_bytes : f[0].data,
	                    *v = before ? f[1].first + f[1].lead_bytes : f[1].data;
	int d;

	for (d = 0; d < 3; d++) {
		b->x[d] = case_load(x + (4 * i + (size_t)d) * e, e);
		b->v[d] = case_load(v + (4 * i + (size_t)d) * e, e);
	}
	b->mass = case_load(x + (4 * i + 3) * e, e);
	b->fourth = case_load(v + (4 * i + 3) * e, e);
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
		read_body(job, 1, i, &b[i]);
	if (p && f && s->integrator == CLOPT_INTEGRATOR_HERMITE)
		feel_all(s, b, n, f);
	for (step = 0; p && f && step < s->steps; step++) {
		if (s->integrator == CLOPT_INTEGRATOR_HERMITE)
			hermite(s, b, p, f, f + n, n);
		else
			leapfrog(s, b, f, n);
		widen(s, f, n, bounds);
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

	read_body(job, 1, i, b);
	for (j = 0; j < s->dim[0]; j++) {
		read_body(job, 1, j, &other);
		feel(s, b, &other, &f[0]);
	}
	for (d = 0; d < 3; d++) {
		b->v[d] += h / 2 * f[0].a[d];
		b->x[d] += h * b->v[d];
	}
	read_body(job, 0, i, &other);
	memcpy(b->x, other.x, sizeof b->x);
	for (j = 0; j < s->dim[0]; j++) {
		read_body(job, 0, j, &other);
		feel(s, b, &other, &f[1]);
	}
	for (d = 0; d < 3; d++)
		b->v[d] += h / 2 * f[1].a[d];
	widen(s, f, 2, bounds);
}

/* ------------------------------------------------------------ compare -- */

/* Room for the bounds and then all bodies. */
static int prepare(struct case_job *job, int all)
{
	const size_t n = job->s.dim[0];
	struct bounds *bounds;
	const double e = roundoff(job->s.precision) * job->s.scale;

	job->all = all || job->s.steps != 1 || job->s.integrator == CLOPT_INTEGRATOR_HERMITE;
	if (case_wide(job, 2 + (job->all ? n : 0) * sizeof(struct body) / sizeof *job->wide) !=
	    CLOPT_OK)
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
	int d;

	if (job->all)
		b = ((const struct body *)(job->wide + 2))[item];
	else
		one_step(job, item, &b, &bounds);
	read_body(job, 0, item, &got);
	for (d = 0; d < 3; d++) {
		e[d].got = (double)got.x[d];
		e[d].want = (double)b.x[d];
		e[d].error = case_off(e[d].got, e[d].want, bounds.place);
		e[4 + d].got = (double)got.v[d];
		e[4 + d].want = (double)b.v[d];
		e[4 + d].error = case_off(e[4 + d].got, e[4 + d].want, bounds.speed);
	}
	read_body(job, 1, item, &b); /* the fourth numbers are kept */
	e[3].got = got.mass;
	e[3].want = b.mass;
	e[7].got = got.fourth;
	e[7].want = b.fourth;
	for (d = 3; d < 8; d += 4)
		e[d].error = case_off(e[d].got, e[d].want, 0.0);
}

#define FUNCTIONS(call_) \
	.fill = fill, .call = call_, .prepare = prepare, .items = items, .expect = expect

const struct case_op case_leapfrog = { CASE_SHAPES(leapfrog_shapes, 1, 8, "Gpairs/s"),
	                               CASE_BENCH(leapfrog_bench, 256, 4096, 65536),
	                               FUNCTIONS(leapfrog_call) };
const struct case_op case_evolve = { CASE_SHAPES(shapes, 1, 8, "Gpairs/s"),
	                             CASE_BENCH(bench, 256, 4096, 65536), FUNCTIONS(call) };

/* The same, as a test of the kernel that is no force: nothing to time. */
const struct case_op case_evolve_step = { CASE_SHAPES(shapes, 1, 8, "Gpairs/s"), FUNCTIONS(call) };

/* ------------------------------------------------------------- sums ---- */

/*
 * Tolerance: a share of the sum of the magnitudes of the terms, as for the forces.
 * In float the bodies are rounded and the potentials are float, so the sums, which
 * are in more, are no better.
 */
/* clang-format off */
#define SUM_ROW(pr, n, so, sm) \
	{ .dim = { n }, .elem_bytes = 8, .precision = pr, .alpha = 2.0, .scale = 1.0, \
	  .softening = so, .steps = 1, .small = sm }

#define SUM_ROWS(pr) \
	SUM_ROW(pr, 0, 0.1, 1), \
	SUM_ROW(pr, 1, 0.1, 1), \
	SUM_ROW(pr, 2, 0.0, 1), \
	SUM_ROW(pr, 63, 0.1, 1), \
	SUM_ROW(pr, 300, 0.0, 0), \
	SUM_ROW(pr, 1024, 0.1, 0), \
	SUM_ROW(pr, 2500, 0.01, 0)

static const struct shape sums_shapes[] = {
	SUM_ROWS(CLOPT_PRECISION_FLOAT),
	SUM_ROWS(CLOPT_PRECISION_DOUBLE_SINGLE),
	SUM_ROWS(CLOPT_PRECISION_DOUBLE),
};
/* clang-format on */

/* Mass, kinetic energy, potential; from 3, 6 and 9 on momentum, angular momentum, centre. */
enum {
	SUMS = sizeof(struct clopt_conserved) / sizeof(double)
};

static int sums_fill(struct case_job *job)
{
	int rc = fill_bodies(job, &job->in[0], &job->in[1], FIELD_IN);

	if (rc == CLOPT_OK)
		rc = field_open(&job->out[0], SUMS, 1, 1, sizeof(double), FIELD_OUT, &job->rng);
	if (rc == CLOPT_OK)
		field_fill_real(&job->out[0], (double)NAN, &job->rng);
	return rc;
}

static int sums_call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_evolve_options options = CLOPT_EVOLVE_OPTIONS_INIT;

	options.g = job->s.alpha;
	options.softening = job->s.softening;
	options.precision = job->s.precision;
	return clopt_nbody_conserved(ctx, job->s.dim[0], job->in[0].array, job->in[1].array,
	                             &options, job->out[0].array);
}

static size_t sums_items(const struct case_job *job)
{
	(void)job;
	return SUMS;
}

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
	if (d2 == 0 && s->softening == 0)
		return 0;
	return -s->alpha * a[3] * b[3] / sqrtl(d2 + (long double)s->softening * s->softening);
}

static int sums_prepare(struct case_job *job, int all)
{
	const double *bodies = job->in[0].array, *velocities = job->in[1].array;
	const size_t n = job->s.dim[0];
	struct total t = { { 0 }, { 0 } };
	size_t i, j;

	(void)all;
	if (case_wide(job, 2 * SUMS) != CLOPT_OK)
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
static void sums_expect(const struct case_job *job, size_t item, struct expect *e)
{
	const double *out = job->out[0].array;
	const double n = (double)job->s.dim[0];
	double roundings = TERM_GRAVITY + 2.0 * sqrt(n);

	if (item == 2)
		roundings += 100.0 * cbrt(n * n);
	e->got = out[item];
	e->want = job->wide[item];
	e->error = case_off(e->got, e->want,
	                    roundoff(job->s.precision) * roundings * job->wide[SUMS + item]);
}

const struct case_op case_evolve_sums = { CASE_SHAPES(sums_shapes, 1, 1, "Gpairs/s"),
	                                  .fill = sums_fill,
	                                  .call = sums_call,
	                                  .prepare = sums_prepare,
	                                  .items = sums_items,
	                                  .expect = sums_expect };
