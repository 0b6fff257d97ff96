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
 *
 * A tree adds BY_TREE of the magnitudes, far more than it is off by at this theta.
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

/* nsources, ntargets, order, family, precision, small */
#define TREE(ns, nt, or, f, pr, sm) \
	{ \
		.dim = { ns, nt, or }, .elem_bytes = 4, .alpha = 1.0, .family = f, .scale = 1.0, \
		.precision = pr, .steps = 1, .small = sm \
	}

static const struct shape tree_shapes[] = {
	TREE(1, 1, 2, CASE_UNIFORM, CLOPT_PRECISION_FLOAT, 1),
	TREE(17, 5, 2, CASE_UNIFORM, CLOPT_PRECISION_FLOAT, 1),
	TREE(70, 70, 3, CASE_SHARED, CLOPT_PRECISION_FLOAT, 1),
	TREE(200, 150, 4, CASE_CLUSTERS, CLOPT_PRECISION_FLOAT,
	     1), /* for the polynomials of groups and their parts */
	TREE(500, 300, 2, CASE_COINCIDENT, CLOPT_PRECISION_FLOAT, 0),
	TREE(2000, 2000, 3, CASE_SHARED, CLOPT_PRECISION_FLOAT, 0),
	TREE(3000, 257, 4, CASE_UNIFORM, CLOPT_PRECISION_FLOAT, 0),
	TREE(2049, 300, 5, CASE_OFFSET, CLOPT_PRECISION_FLOAT, 0),
	TREE(5000, 100, 6, CASE_COINCIDENT, CLOPT_PRECISION_FLOAT, 0),
	TREE(100, 40, 2, CASE_COINCIDENT, CLOPT_PRECISION_COMPENSATED, 1),
	TREE(100, 100, 3, CASE_SHARED, CLOPT_PRECISION_DOUBLE, 1),
	TREE(3000, 100, 4, CASE_UNIFORM, CLOPT_PRECISION_DOUBLE, 0),
};
#define THETA 0.25
#define BY_TREE 5e-3

static int by_tree(const struct case_job *job)
{
	return job->op >= CLOPT_OP_TREE_KEYS;
}

/* The share of the sum of the magnitudes that a sum may be off by. */
static double pair_tolerance(const struct case_job *job, double term)
{
	return EPS_FLOAT * (term + 2.0 * sqrt((double)job->s.dim[0])) +
	       (by_tree(job) ? BY_TREE : 0.0);
}

/* ------------------------------------------------------------ inputs --- */

static void place(const struct shape *s, struct rng *r, double *point)
{
	static const double middles[5][3] = { { 1 }, { 1 }, { -1 }, { -1 }, { 0, 20, 0 } };
	double origin = s->family == CASE_OFFSET ? 1000.0 * s->scale : 0.0;
	int clusters = s->family == CASE_CLUSTERS, d;
	const double *middle = middles[clusters ? (int)(5.0 * case_uniform(r)) : 0];

	for (d = 0; d < 3; d++) {
		point[d] = origin + s->scale * (2.0 * case_uniform(r) - 1.0);
		if (clusters)
			point[d] = s->scale * middle[d] + 0.02 * point[d];
	}
}

/* Charges have both signs; of the masses some are zero. */
static double weight(struct case_job *job)
{
	double u = case_uniform(&job->rng);

	if (job->op == CLOPT_OP_POTENTIAL || job->op == CLOPT_OP_TREE_POTENTIAL)
		return 2.0 * u - 1.0;
	return u < 0.1 ? 0.0 : u;
}

static int fill_sources(struct case_job *job)
{
	const struct shape *s = &job->s;
	const int rc = field_open(&job->in[0], s->dim[0], 4, 4, sizeof(float), FIELD_IN, &job->rng);
	double p[4];
	size_t i;

	for (i = 0; rc == CLOPT_OK && i < s->dim[0]; i++) {
		place(s, &job->rng, p);
		if (s->family == CASE_COINCIDENT && i % 5 == 3)
			field_get(&job->in[0], i / 2, p);
		p[3] = weight(job);
		field_put(&job->in[0], i, p);
	}
	return rc;
}

static int fill_points(struct case_job *job, size_t width)
{
	const struct shape *s = &job->s;
	double p[4];
	size_t i;
	int rc;

	rc = fill_sources(job);
	if (rc == CLOPT_OK && s->family != CASE_SHARED)
		rc = field_open(&job->in[1], s->dim[1], 4, 4, sizeof(float), FIELD_IN, &job->rng);
	if (rc == CLOPT_OK)
		rc = field_open(&job->out[0], s->dim[1], width, width, sizeof(float), FIELD_OUT,
		                &job->rng);
	if (rc != CLOPT_OK)
		return rc;
	field_fill_real(&job->out[0], (double)NAN, &job->rng);
	for (i = 0; s->family != CASE_SHARED && i < s->dim[1]; i++) {
		place(s, &job->rng, p);
		if (s->family == CASE_COINCIDENT && s->dim[0] && i % 2 == 0)
			field_get(&job->in[0], (size_t)(case_random(&job->rng) % s->dim[0]), p);
		/* Not to be read, unless it is a softening length. */
		p[3] = s->law == CLOPT_LAW_GRAVITY_OWN ? 0.1 * s->scale * case_uniform(&job->rng) :
		                                         (double)NAN;
		field_put(&job->in[1], i, p);
	}
	return rc;
}

/* The sources as doubles. */
static int prepare(struct case_job *job, int all)
{
	size_t i;

	(void)all;
	if (case_wide(job, 4 * job->s.dim[0]) != CLOPT_OK)
		return CLOPT_ENOMEM;
	for (i = 0; i < job->s.dim[0]; i++)
		field_get(&job->in[0], i, job->wide + 4 * i);
	return CLOPT_OK;
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

/* Lengths go with the box: a molecule a little larger than it, and salt whose
 * ions are screened within it.  Where a kernel goes along normals it rounds the
 * place it comes to, and exponentials round their arguments: a term may be off
 * by so much more. */
static const struct {
	int law;
	double projection, kappa; /* of boxes of size 1 */
} laws[CLOPT_LAW_GRAVITY] = {
	[CLOPT_LAW_DEFAULT] = { CLOPT_LAW_COULOMB, 0.0, 0.0 },
	[CLOPT_LAW_COULOMB] = { CLOPT_LAW_COULOMB, 0.0, 0.0 },
	[CLOPT_LAW_DISTANCE4] = { CLOPT_LAW_DISTANCE4, 0.0, 0.0 },
	[CLOPT_LAW_DEBYE] = { CLOPT_LAW_DEBYE, 0.0, 2.0 },
	[CLOPT_LAW_ALPB] = { CLOPT_LAW_ALPB, 0.0, 0.0 },
	[CLOPT_LAW_ALPB_SALT] = { CLOPT_LAW_ALPB, 0.05, 2.0 },
	[CLOPT_LAW_ALPB_FAR] = { CLOPT_LAW_ALPB, 0.2, 2.0 },
	[CLOPT_LAW_ALPB_INSIDE] = { CLOPT_LAW_ALPB, -0.1, 0.0 },
	[CLOPT_LAW_ALPB_INSIDE_SALT] = { CLOPT_LAW_ALPB, -0.1, 2.0 },
};

int case_law_op(int law)
{
	return law < CLOPT_LAW_GRAVITY ? CLOPT_OP_POTENTIAL : CLOPT_OP_NBODY;
}

int law_has_normals(int law)
{
	return case_law_op(law) == CLOPT_OP_POTENTIAL && laws[law].law == CLOPT_LAW_ALPB;
}

static void law_options(const struct case_job *job, struct clopt_potential_options *o)
{
	const struct shape *s = &job->s;

	*o = (struct clopt_potential_options)CLOPT_POTENTIAL_OPTIONS_INIT;
	o->scale = s->alpha;
	o->precision = s->precision;
	o->law = laws[s->law].law;
	o->eps_in = 1;
	o->eps_out = 80;
	o->alpha = 0.571412;
	o->kappa = laws[s->law].kappa / s->scale;
	o->projection = laws[s->law].projection * s->scale;
	o->radius = 1.5 * s->scale;
	o->ion_radius = 0.1 * s->scale;
	o->order = by_tree(job) ? (unsigned)s->dim[2] : 0;
	o->theta = by_tree(job) ? THETA : 0.0;
	if (law_has_normals(s->law))
		o->normals = job->in[2].array;
}

static int fill_normals(struct case_job *job)
{
	size_t i;
	int d, rc;

	rc = field_open(&job->in[2], job->s.dim[1], 4, 4, sizeof(float), FIELD_IN, &job->rng);
	for (i = 0; rc == CLOPT_OK && i < job->s.dim[1]; i++) {
		double n[4] = { 0 }, square = 0.0;

		for (d = 0; d < 3; d++) {
			n[d] = case_uniform(&job->rng) - 0.5;
			square += n[d] * n[d];
		}
		for (d = 0; d < 3; d++)
			n[d] /= sqrt(square);
		field_put(&job->in[2], i, n);
	}
	return rc;
}

/* A place that targets are moved to along their normals. */
static void along(const double *target, const double *normal, double by, double *to)
{
	int d;

	for (d = 0; d < 3; d++)
		to[d] = target[d] + (by != 0.0 ? by * normal[d] : 0.0);
}

static double distance(const double *to, const double *source)
{
	const double x = to[0] - source[0], y = to[1] - source[1], z = to[2] - source[2];

	return sqrt(x * x + y * y + z * z);
}

/* A sum at one target; `terms' adds up the magnitudes, by how many roundings each may be off. */
struct law_sum {
	double phi, terms;
};

static void add(struct law_sum *s, double term, double blur)
{
	s->phi += term;
	s->terms += fabs(term) * blur;
}

/* The numbers that all charges of ALPB share: clopt.h has the names. */
struct alpb {
	double r, beta, c, g, length;
};

static struct alpb alpb(const struct clopt_potential_options *o)
{
	struct alpb a = { .r = o->radius + o->projection, .beta = o->eps_in / o->eps_out };

	a.c = 1.0 / (o->eps_out * (1.0 + o->alpha * a.beta));
	a.g = (1.0 / o->eps_in - 1.0 / o->eps_out) / (1.0 + o->alpha * a.beta);
	a.length = o->kappa > 0.0 ? 1.0 / o->kappa : HUGE_VAL;
	return a;
}

/* One charge q at distance d from the target and `foot' from where its ions begin. */
static void add_charge(int law, const struct clopt_potential_options *o, const struct alpb *a,
                       double q, double d, double foot, double size, struct law_sum *s)
{
	const double blur = 1.0 + size / d, A = o->radius;
	/* Charges lie A / 2 deep. */
	const double deep = 0.75 * (A * A - a->r * a->r);

	switch (law) {
	case CLOPT_LAW_DISTANCE4:
		add(s, q / (4.0 * d * d), blur);
		return;
	case CLOPT_LAW_DEBYE:
		add(s, q * exp(-o->kappa * d) / d, blur + o->kappa * d);
		return;
	case CLOPT_LAW_ALPB_FAR:
		add(s,
		    a->c * (1.0 + o->alpha) * a->length * q * exp(-o->kappa * (d - foot)) /
		            (d * (a->length + foot)),
		    blur + o->kappa * (d + foot + size));
		return;
	case CLOPT_LAW_ALPB:
	case CLOPT_LAW_ALPB_SALT:
		add(s, a->c * (1.0 + o->alpha) * q / d, blur);
		break;
	case CLOPT_LAW_ALPB_INSIDE:
	case CLOPT_LAW_ALPB_INSIDE_SALT:
		add(s, q / d, blur);
		add(s, -a->g * q / sqrt(d * d + deep), blur);
		break;
	default:
		add(s, q / d, 1.0);
		return;
	}
	add(s, -a->c * (1.0 + o->alpha) * q / (a->length + foot), 1.0 + size / a->length);
}

/* The terms of all charges together, whose sum is Q. */
static void add_all(int law, const struct clopt_potential_options *o, const struct alpb *a,
                    double Q, struct law_sum *s)
{
	const double image = a->c * o->alpha * (1.0 - a->beta) * Q;
	const double r_ion = o->radius + o->ion_radius;

	if (law == CLOPT_LAW_ALPB_FAR) {
		add(s,
		    -image * a->length * exp(-o->kappa * (a->r - r_ion)) /
		            (a->r * (a->length + r_ion)),
		    1.0);
		return;
	}
	if (law == CLOPT_LAW_ALPB || law == CLOPT_LAW_ALPB_SALT)
		add(s, -image / a->r, 1.0);
	else
		add(s, -a->g * o->alpha * a->beta * Q / o->radius, 1.0);
	add(s, image / (a->length + r_ion), 1.0);
}

static void law_potential(const struct case_job *job, const double *target, const double *normal,
                          struct law_sum *s)
{
	const int law = job->s.law;
	struct clopt_potential_options o;
	struct alpb a;
	double at[3], ions[3], charge = 0.0, size = 0.0;
	size_t j;
	int d;

	law_options(job, &o);
	a = alpb(&o);
	along(target, normal, o.projection, at);
	along(target, normal, o.normals ? o.ion_radius : 0.0, ions);
	for (d = 0; d < 3; d++)
		size += o.projection != 0.0 ? fabs(target[d]) : 0.0;
	memset(s, 0, sizeof *s);
	for (j = 0; j < job->s.dim[0]; j++) {
		const double *q = job->wide + 4 * j;

		charge += q[3];
		if (distance(at, q) > 0.0)
			add_charge(law, &o, &a, q[3], distance(at, q), distance(ions, q), size, s);
	}
	if (o.normals)
		add_all(law, &o, &a, charge, s);
	s->phi *= o.scale;
	s->terms *= fabs(o.scale);
}

static int potential_fill(struct case_job *job)
{
	const int rc = fill_points(job, 1);

	return rc == CLOPT_OK && law_has_normals(job->s.law) ? fill_normals(job) : rc;
}

static int potential_call(struct clopt *ctx, struct case_job *job)
{
	struct clopt_potential_options options;

	law_options(job, &options);
	return clopt_potential(ctx, job->s.dim[0], job->in[0].array, job->s.dim[1],
	                       targets(job)->array, job->out[0].array,
	                       job->s.alpha == 1.0 && !job->s.precision && !job->s.law &&
	                                       !by_tree(job) ?
	                               NULL :
	                               &options);
}

static void potential_expect(const struct case_job *job, size_t item, struct expect *e)
{
	const double term = job->s.law > CLOPT_LAW_COULOMB ? TERM_LAW : TERM_POTENTIAL;
	struct law_sum sum;
	double t[4], n[4] = { 0 };

	field_get(targets(job), item, t);
	if (job->in[2].data)
		field_get(&job->in[2], item, n);
	law_potential(job, t, n, &sum);
	field_get(&job->out[0], item, &e->got);
	e->want = sum.phi;
	e->error =
	        case_off(e->got, e->want, pair_tolerance(job, term) * sum.terms + (double)FLT_MIN);
}

const struct case_op case_potential = { CASE_SHAPES(potential_shapes, 2, 1, "Gpairs/s"),
	                                CASE_BENCH(potential_bench, 256, 8192, 65536),
	                                .fill = potential_fill,
	                                .call = potential_call,
	                                .prepare = prepare,
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
	options.order = by_tree(job) ? (unsigned)job->s.dim[2] : 0;
	options.theta = by_tree(job) ? THETA : 0.0;
	return clopt_nbody(ctx, job->s.dim[0], job->in[0].array, job->s.dim[1], targets(job)->array,
	                   job->out[0].array,
	                   with_phi(job) || job->s.law || options.softening != 0.0 || by_tree(job) ?
	                           &options :
	                           NULL);
}

static void nbody_expect(const struct case_job *job, size_t item, struct expect *e)
{
	double share = pair_tolerance(job, TERM_GRAVITY), t[4], got[4];
	struct pull p;
	double softening = job->s.softening;
	int d;

	field_get(targets(job), item, t);
	field_get(&job->out[0], item, got);
	if (job->s.law == CLOPT_LAW_GRAVITY_OWN)
		softening = sqrt(softening * softening + t[3] * t[3]);
	pull(t, job->wide, job->s.dim[0], job->s.alpha, softening, &p);
	for (d = 0; d < 4; d++) {
		e[d].got = got[d];
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
	                            .prepare = prepare,
	                            .items = items,
	                            .expect = nbody_expect };

/* ------------------------------------------------------------ by a tree --- */

/* The building of a tree is tried by the sums that need it. */
const struct case_op case_tree_nbody = { CASE_SHAPES(tree_shapes, 3, 4, "Gpairs/s"),
	                                 .fill = nbody_fill,
	                                 .call = nbody_call,
	                                 .prepare = prepare,
	                                 .items = items,
	                                 .expect = nbody_expect };
const struct case_op case_tree_potential = { CASE_SHAPES(tree_shapes, 3, 1, "Gpairs/s"),
	                                     .fill = potential_fill,
	                                     .call = potential_call,
	                                     .prepare = prepare,
	                                     .items = items,
	                                     .expect = potential_expect };
