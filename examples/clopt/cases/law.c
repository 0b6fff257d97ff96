/* SPDX-License-Identifier: MIT */
/*
 * law.c - the laws of clopt_potential beside Coulomb's: their options, and the
 * sums that clopt.h states, in double.
 *
 * Lengths go with the box: a molecule a little larger than it, and salt whose
 * ions are screened within it.  Where a kernel goes along normals it rounds the
 * place it comes to, and exponentials round their arguments: a term may be off
 * by so much more.
 */
#include <math.h>
#include <string.h>

#include "op.h"

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

void law_options(const struct case_job *job, struct clopt_potential_options *o)
{
	const struct shape *s = &job->s;

	*o = (struct clopt_potential_options)CLOPT_POTENTIAL_OPTIONS_INIT;
	o->scale = s->alpha;
	o->precision = s->precision;
	o->law = laws[s->law].law;
	o->kappa = laws[s->law].kappa / s->scale;
	o->projection = laws[s->law].projection * s->scale;
	o->radius = 1.5 * s->scale;
	o->ion_radius = 0.1 * s->scale;
	if (law_has_normals(s->law))
		o->normals = job->in[2].array;
}

int law_fill_normals(struct case_job *job)
{
	float n[4] = { 0 };
	size_t i;
	int d, rc;

	rc = field_open(&job->in[2], job->s.dim[1], 4, 4, sizeof *n, FIELD_IN, &job->rng);
	for (i = 0; rc == CLOPT_OK && i < job->s.dim[1]; i++) {
		double x[3], square = 0.0;

		for (d = 0; d < 3; d++) {
			x[d] = case_uniform(&job->rng) - 0.5;
			square += x[d] * x[d];
		}
		for (d = 0; d < 3; d++)
			n[d] = (float)(x[d] / sqrt(square));
		memcpy(job->in[2].data + i * sizeof n, n, sizeof n);
	}
	return rc;
}

/* A place that targets are moved to along their normals. */
static void along(const float *target, const float *normal, double by, double *to)
{
	int d;

	for (d = 0; d < 3; d++)
		to[d] = (double)target[d] + (by != 0.0 ? by * (double)normal[d] : 0.0);
}

static double distance(const double *to, const float *source)
{
	const double x = to[0] - (double)source[0], y = to[1] - (double)source[1],
	             z = to[2] - (double)source[2];

	return sqrt(x * x + y * y + z * z);
}

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
	if (law == CLOPT_LAW_ALPB_SALT)
		add(s, -image / a->r, 1.0);
	else
		add(s, -a->g * o->alpha * a->beta * Q / o->radius, 1.0);
	add(s, image / (a->length + r_ion), 1.0);
}

void law_potential(const struct case_job *job, const float *target, const float *normal,
                   struct law_sum *s)
{
	const int law = job->s.law;
	struct clopt_potential_options o;
	struct alpb a;
	double at[3], ions[3], charge = 0.0, size = 0.0;
	size_t j;
	float q[4];
	int d;

	law_options(job, &o);
	a = alpb(&o);
	along(target, normal, o.projection, at);
	along(target, normal, o.normals ? o.ion_radius : 0.0, ions);
	for (d = 0; d < 3; d++)
		size += o.projection != 0.0 ? fabs((double)target[d]) : 0.0;
	memset(s, 0, sizeof *s);
	for (j = 0; j < job->s.dim[0]; j++) {
		memcpy(q, job->in[0].data + j * sizeof q, sizeof q);
		charge += (double)q[3];
		if (distance(at, q) > 0.0)
			add_charge(law, &o, &a, (double)q[3], distance(at, q), distance(ions, q),
			           size, s);
	}
	if (o.normals)
		add_all(law, &o, &a, charge, s);
	s->phi *= o.scale;
	s->terms *= fabs(o.scale);
}
