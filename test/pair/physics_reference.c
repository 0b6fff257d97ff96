/* SPDX-License-Identifier: MIT */
/*
 * physics_reference.c - clopt_potential and clopt_nbody in plain double precision, written after
 * the formulas and not for speed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics_reference.h"

/* The position of a target's potential. */
struct place {
	double at[3], normal[3], foot[3];
	double r; /* from the centre of the sphere that stands for the molecule */
	double size; /* magnitude of the numbers that the position is computed from */
};

/* The library takes a normal as of length 1 if it is to float32's digits. */
static double to_unit(const float *normal)
{
	double square = 0;
	int k;

	for (k = 0; k < 3; k++)
		square += (double)normal[k] * (double)normal[k];
	return fabs(square - 1) <= 1e-6 || square == 0 ? 1 : 1 / sqrt(square);
}

static struct place place_of(const struct clopt_potential_options *o, const double *target,
                             const float *normal)
{
	const double p = o->projection + (normal ? (double)normal[3] : 0);
	const double unit = normal ? to_unit(normal) : 1;
	struct place a = { .r = o->radius + p };
	int k;

	for (k = 0; k < 3; k++) {
		a.normal[k] = normal ? unit * (double)normal[k] : 0;
		a.foot[k] = target[k] + o->ion_radius * a.normal[k];
		a.at[k] = target[k] + p * a.normal[k];
		a.size += fabs(target[k]) + fabs(p);
	}
	return a;
}

/* The distance from a source to a place, and the difference vector if asked for. */
static double distance(const double *to, const double *source, double *difference)
{
	double square = 0;
	int k;

	for (k = 0; k < 3; k++) {
		const double x = to[k] - source[k];

		square += x * x;
		if (difference)
			difference[k] = x;
	}
	return sqrt(square);
}

/* Adds a term of phi, and of the field slope * direction; blur: how many roundings more than one
 * each may be off. */
static void add(struct reference *r, double phi, const double *direction, double slope, double blur)
{
	double length = 0;
	int k;

	r->phi += phi;
	r->phi_terms += fabs(phi) * blur;
	for (k = 0; k < 3 && direction; k++) {
		r->field[k] += slope * direction[k];
		length += direction[k] * direction[k];
	}
	r->field_terms += fabs(slope) * sqrt(length) * blur;
}

static double depth_of(const struct clopt_potential_options *o, size_t i)
{
	return o->depths ? (double)o->depths[i] : o->radius / 2;
}

enum region {
	INSIDE,
	NEAR, /* between the surface and the ions, or anywhere without ions */
	FAR
};

static enum region region_of(const struct clopt_potential_options *o)
{
	if (o->projection < 0 || (o->projection == 0 && o->gem_compat))
		return INSIDE;
	return o->kappa > 0 && o->projection > o->ion_radius ? FAR : NEAR;
}

/* The constants of the formulas, named as in clopt_pairs.h. */
struct alpb {
	double beta, c, g, near, image; /* (1 + alpha) C, alpha (1 - beta) C Q */
	double lambda, r_ion;
};

static struct alpb alpb_of(const struct clopt_potential_options *o, double charge)
{
	struct alpb m = { .beta = o->eps_in / o->eps_out };

	m.c = 1 / (o->eps_out * (1 + o->alpha * m.beta));
	m.g = (1 / o->eps_in - 1 / o->eps_out) / (1 + o->alpha * m.beta);
	m.near = m.c * (1 + o->alpha);
	m.image = m.c * o->alpha * (1 - m.beta) * charge;
	m.lambda = 1 / o->kappa; /* infinite without salt, so without effect */
	m.r_ion = o->radius + o->ion_radius;
	return m;
}

/* Adds the terms of one charge. */
static void alpb_source(const struct clopt_potential_options *o, const struct alpb *m,
                        const struct place *a, const double *s, double depth, struct reference *r)
{
	const double q = s[3], foot = distance(a->foot, s, NULL);
	double D[3], d = distance(a->at, s, D), e, blur = 1 + a->size / d;

	if (region_of(o) == FAR) {
		e = m->near * q * m->lambda * exp(-o->kappa * (d - foot)) /
		    (d * (m->lambda + foot));
		add(r, e, D, e * (o->kappa + 1 / d) / d, blur + o->kappa * (d + foot + a->size));
		return;
	}
	if (region_of(o) == NEAR) {
		add(r, m->near * q / d, D, m->near * q / (d * d * d), blur);
	} else {
		const double A = o->radius, r0 = A - depth, G = A * A - r0 * r0;
		const double h = G * (A * A - a->r * a->r) / (A * A), root = sqrt(d * d + h);

		add(r, q / (o->eps_in * d), D, q / (o->eps_in * d * d * d), blur);
		add(r, -m->g * q / root, D, -m->g * q / (root * root * root), blur);
		add(r, 0, a->normal, m->g * q * G * a->r / (A * A) / (root * root * root), blur);
	}
	if (o->kappa > 0)
		add(r, -m->near * q / (m->lambda + foot), NULL, 0,
		    1 + a->size / (m->lambda + foot));
}

/* Adds the terms of all charges together. */
static void alpb_common(const struct clopt_potential_options *o, const struct alpb *m,
                        const struct place *a, double charge, struct reference *r)
{
	double e;

	switch (region_of(o)) {
	case FAR:
		e = -m->image * m->lambda * exp(-o->kappa * (a->r - m->r_ion)) /
		    (a->r * (m->lambda + m->r_ion));
		add(r, e, a->normal, e * (o->kappa + 1 / a->r), 1 + o->kappa * (a->r + m->r_ion));
		return;
	case NEAR:
		add(r, -m->image / a->r, a->normal, -m->image / (a->r * a->r), 1);
		break;
	default:
		if (!o->gem_compat)
			add(r, -m->g * o->alpha * m->beta * charge / o->radius, NULL, 0, 1);
	}
	if (o->kappa > 0)
		add(r, m->image / (m->lambda + m->r_ion), NULL, 0, 1);
}

/* Adds one charge in the other modes, and `sign' times its Coulomb part. */
static void plain_source(const struct clopt_potential_options *o, int mode, double sign,
                         const struct place *a, const double *s, struct reference *r)
{
	double D[3], d = distance(a->at, s, D), q = sign * s[3];
	const double blur = 1 + a->size / d;

	switch (mode) {
	case CLOPT_LAW_DISTANCE4:
		add(r, q / (4 * d * d), D, q / (2 * d * d * d * d), 2 * blur);
		break;
	case CLOPT_LAW_DEBYE:
		q *= exp(-o->kappa * d) / (o->eps_in * d);
		add(r, q, D, q * (o->kappa + 1 / d) / d, blur + o->kappa * (d + a->size));
		break;
	default:
		add(r, q / (o->eps_in * d), D, q / (o->eps_in * d * d * d), blur);
	}
}

static double charge_of(const struct clopt_potential_options *o, size_t n, const double *sources)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += sources[REFERENCE_POINT * i + 3];
	return o->charge ? *o->charge : sum;
}

/* The options as clopt_pairs.h says that their zeros mean. */
static struct clopt_potential_options full(const struct clopt_potential_options *given)
{
	struct clopt_potential_options o = *given;

	o.law = o.law ? o.law : CLOPT_LAW_COULOMB;
	o.scale = o.scale != 0 ? o.scale : 1;
	o.eps_in = o.eps_in != 0 ? o.eps_in : 1;
	o.eps_out = o.eps_out != 0 ? o.eps_out : 80;
	o.ion_radius = o.ion_radius != 0 ? o.ion_radius : 2;
	o.alpha = o.alpha != 0 ? o.alpha : 0.571412;
	return o;
}

void reference_potential_doubles(const struct clopt_potential_options *given, size_t n,
                                 const double *sources, const double *target, const float *normal,
                                 struct reference *r)
{
	const struct clopt_potential_options all = full(given), *const o = &all;
	const int alpb = o->law == CLOPT_LAW_ALPB && o->part != CLOPT_PART_COULOMB;
	const int mode = o->part == CLOPT_PART_COULOMB ? CLOPT_LAW_COULOMB : o->law;
	const double charge = charge_of(o, n, sources);
	const struct place a = place_of(o, target, normal);
	const struct alpb m = alpb_of(o, charge);
	size_t i;
	int k;

	memset(r, 0, sizeof *r);
	for (i = 0; i < n; i++) {
		const double *s = sources + REFERENCE_POINT * i;

		if (distance(a.at, s, NULL) == 0)
			continue;
		if (alpb)
			alpb_source(o, &m, &a, s, depth_of(o, i), r);
		else
			plain_source(o, mode, 1, &a, s, r);
		if (o->part == CLOPT_PART_REACTION)
			plain_source(o, CLOPT_LAW_COULOMB, -1, &a, s, r);
	}
	if (alpb)
		alpb_common(o, &m, &a, charge, r);
	r->phi *= o->scale;
	r->phi_terms *= fabs(o->scale);
	r->field_terms *= fabs(o->scale);
	for (k = 0; k < 3; k++) {
		r->field[k] *= o->scale;
		r->along += r->field[k] * a.normal[k];
	}
}

/* Adds the jerk of a body of weight f = g m / d^3. */
static void add_jerk(struct reference *r, double f, const double *source, const double *target,
                     const double *D, double d, double blur)
{
	double u[3], along = 0, speed = 0;
	int k;

	for (k = 0; k < 3; k++) {
		u[k] = source[4 + k] - target[4 + k];
		along -= D[k] * u[k];
		speed += fabs(source[4 + k]) + fabs(target[4 + k]);
	}
	for (k = 0; k < 3; k++)
		r->jerk[k] += f * (u[k] + 3 * along / d * (D[k] / d));
	r->jerk_terms += 4 * fabs(f) * speed * blur;
}

void reference_gravity_doubles(const struct clopt_nbody_options *o, size_t n, const double *sources,
                               const double *target, struct reference *r)
{
	const double own = o->target_softening ? target[3] : 0;
	const double g = o->g != 0 ? o->g : 1;
	const double soft = o->softening * o->softening + own * own;
	const double size = fabs(target[0]) + fabs(target[1]) + fabs(target[2]);
	size_t i;

	memset(r, 0, sizeof *r);
	for (i = 0; i < n; i++) {
		const double *s = sources + REFERENCE_POINT * i;
		double D[3], d = distance(target, s, D), phi;

		if (d == 0)
			continue;
		d = sqrt(d * d + soft);
		phi = -g * s[3] / d;
		add(r, phi, D, phi / d / d, 1 + size / d);
		add_jerk(r, -phi / d / d, s, target, D, d, 1 + size / d);
	}
}

/* Points of four floats, which do not move, as doubles; to be freed. */
static double *as_doubles(size_t n, const float *points)
{
	double *to = calloc(n + 1, REFERENCE_POINT * sizeof *to);
	size_t i, k;

	if (!to)
		abort();
	for (i = 0; i < n; i++)
		for (k = 0; k < 4; k++)
			to[REFERENCE_POINT * i + k] = (double)points[4 * i + k];
	return to;
}

void reference_potential(const struct clopt_potential_options *given, size_t n,
                         const float *sources, const float *target, const float *normal,
                         struct reference *r)
{
	const double t[3] = { (double)target[0], (double)target[1], (double)target[2] };
	double *s = as_doubles(n, sources);

	reference_potential_doubles(given, n, s, t, normal, r);
	free(s);
}

/* The error bound of float32 sums of n terms, as a share of the terms. */
static double share_of(int precision, size_t n)
{
	switch (precision) {
	case CLOPT_PRECISION_DEFAULT:
	case CLOPT_PRECISION_FLOAT:
		return EPS_FLOAT * (32 + 2 * sqrt((double)n));
	case CLOPT_PRECISION_COMPENSATED:
		return EPS_FLOAT * 32;
	case CLOPT_PRECISION_DOUBLE_SINGLE: /* single terms are float32 */
		return EPS_FLOAT * 8;
	default:
		/* Results are float32, and so are normals, of length 1 to 1e-7: the library may
		 * take that as 1. */
		return 1e-9;
	}
}

size_t reference_outputs(const struct reference *r, int outputs, int precision, size_t n,
                         double *want, double *tolerance)
{
	const double share = share_of(precision, n);
	size_t count = 0, i;

	if (outputs == CLOPT_OUTPUTS_FIELD_PHI || outputs == CLOPT_OUTPUTS_FIELD)
		for (; count < 3; count++) {
			want[count] = r->field[count];
			tolerance[count] = 2 * share * r->field_terms;
		}
	want[count] = outputs == CLOPT_OUTPUTS_FIELD ? 0 : r->phi;
	tolerance[count++] = outputs == CLOPT_OUTPUTS_FIELD ? 0 : share * r->phi_terms;
	if (outputs == CLOPT_OUTPUTS_PHI_NORMAL) {
		want[count] = r->along;
		tolerance[count++] = 4 * share * r->field_terms;
	}
	for (i = 0; i < count; i++)
		tolerance[i] += 1e-7 * fabs(want[i]) + 1e-37;
	return count;
}
