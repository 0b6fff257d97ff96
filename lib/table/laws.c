/* SPDX-License-Identifier: MIT */
/*
 * laws.c - checks clopt_potential's options, and makes of them a law and its numbers: the part of
 * the formulas that is the same for all pairs.  The list of laws is in pair.c.
 *
 * Each formula of clopt_pairs.h becomes scale * sum + constant + over_r exp(...) / r.  A law gives
 * the sum; this file gives the rest, in double.  ALPB without salt becomes Coulomb's sum.
 *
 * Source: Fenley, Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008).
 */
#include <float.h>
#include <math.h>

#include "../base/numbers.h"
#include "table.h"

static int positive(const struct clopt *ctx, const char *name, double value)
{
	if (value >= FLT_MIN && value <= FLT_MAX)
		return CLOPT_OK;
	if (!(value > 0))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is %g: it must be positive", name, value);
	return clopt__fail(ctx, CLOPT_EINVAL, "%s is %g: it must be from %g to %g", name, value,
	                   FLT_MIN, FLT_MAX);
}

static int not_negative(const struct clopt *ctx, const char *name, double value)
{
	if (value >= 0 && value <= FLT_MAX)
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL, "%s is %g: it must be 0 or positive", name, value);
}

static int one_of(const struct clopt *ctx, const char *name, int value, const char *text, int most,
                  const char *names)
{
	if (value >= 0 && value <= most)
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL, "%s is %s: use %s", name, text, names);
}

static void set_default(double *number, double value)
{
	*number = *number != 0 ? *number : value;
}

void clopt__potential_defaults(struct clopt_potential_options *o)
{
	o->law = o->law ? o->law : CLOPT_LAW_COULOMB;
	set_default(&o->scale, 1);
	set_default(&o->eps_in, 1);
	set_default(&o->eps_out, 80);
	set_default(&o->ion_radius, 2);
	set_default(&o->alpha, 0.571412); /* of the formula's authors */
}

int clopt__law_is_alpb(const struct clopt_potential_options *o)
{
	return o->law == CLOPT_LAW_ALPB && o->part != CLOPT_PART_COULOMB;
}

int clopt__law_check(const struct clopt *ctx, const struct clopt_potential_options *o, int normals)
{
	char text[ENUM_SIZE];
	int rc = CLOPT_OK;

	TRY(clopt__check_real(ctx, "scale", o->scale, FLT_MIN, FLT_MAX));
	TRY(one_of(ctx, "law", o->law, clopt__law_text(text, o->law), CLOPT_LAW_ALPB,
	           "CLOPT_LAW_COULOMB, CLOPT_LAW_DISTANCE4, CLOPT_LAW_DEBYE or CLOPT_LAW_ALPB"));
	TRY(one_of(ctx, "part", o->part, clopt__enumerator(text, "", NULL, o->part),
	           CLOPT_PART_COULOMB,
	           "CLOPT_PART_TOTAL, CLOPT_PART_REACTION or CLOPT_PART_COULOMB"));
	TRY(one_of(ctx, "outputs", o->outputs, clopt__outputs_text(text, o->outputs),
	           CLOPT_OUTPUTS_FIELD,
	           "CLOPT_OUTPUTS_PHI, CLOPT_OUTPUTS_PHI_NORMAL, CLOPT_OUTPUTS_FIELD_PHI or "
	           "CLOPT_OUTPUTS_FIELD"));
	TRY(one_of(ctx, "precision", o->precision, clopt__precision_text(text, o->precision),
	           CLOPT_PRECISION_BEST, "one of enum clopt_precision"));
	TRY(not_negative(ctx, "kappa", o->kappa));
	if (o->law != CLOPT_LAW_DISTANCE4 || o->part == CLOPT_PART_COULOMB)
		TRY(positive(ctx, "eps_in", o->eps_in));
	if (o->part == CLOPT_PART_REACTION && o->law != CLOPT_LAW_ALPB)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "part is CLOPT_PART_REACTION and law is %s: only CLOPT_LAW_ALPB "
		                   "has this part",
		                   clopt__law_text(text, o->law));
	if (o->outputs == CLOPT_OUTPUTS_PHI_NORMAL && !normals)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "normals is NULL: CLOPT_OUTPUTS_PHI_NORMAL needs them");
	if (o->projection != 0 && !normals)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "normals is NULL: projection, which is %g, needs them",
		                   o->projection);
	if (!(fabs(o->projection) <= FLT_MAX))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "projection is %g: it must be a finite float32", o->projection);
	if (!clopt__law_is_alpb(o))
		return CLOPT_OK;
	TRY(positive(ctx, "eps_out", o->eps_out));
	TRY(positive(ctx, "radius", o->radius));
	TRY(not_negative(ctx, "ion_radius", o->ion_radius));
	TRY(not_negative(ctx, "alpha", o->alpha));
	if (o->radius + o->projection <= 0)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "projection is %g: it must be more than -radius; radius is %g",
		                   o->projection, o->radius);
	if (o->kappa > 0 && !normals)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "normals is NULL: CLOPT_LAW_ALPB needs them for kappa above 0 "
		                   "(it is %g)",
		                   o->kappa);
	if (o->outputs != CLOPT_OUTPUTS_PHI && !normals)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "normals is NULL: CLOPT_LAW_ALPB needs them for the field");
out:
	return rc;
}

/*
 * Kernels may take the root of (d (L + d'))^2, a fourth power of lengths that overflows float32
 * early.  So they scale L + d' to about 1 by this power of two, which changes no bit of the sum.
 */
static double salt_unit(const struct clopt_potential_options *o)
{
	const int size = ilogb(1 / o->kappa + o->radius + o->ion_radius);

	return ldexp(1, size > 62 ? -62 : size < -62 ? 62 : -size);
}

/* Targets outside the molecule, without salt or nearer than ions come; r' = A + b. */
static void near_surface(const struct clopt_potential_options *o, double c, double q, double *real,
                         int *law)
{
	const double beta = o->eps_in / o->eps_out, charges = c * (1 + o->alpha);
	const double image = o->scale * c * o->alpha * (1 - beta) * q;
	const double coulomb = o->part == CLOPT_PART_REACTION ? 1 / o->eps_in : 0;

	real[REAL_OVER_R] = -image;
	if (o->kappa > 0) {
		*law = CLOPT_LAW_ALPB_SALT;
		real[REAL_SCALE] = o->scale * charges;
		real[REAL_A] = 1 - coulomb / charges;
		real[REAL_CONSTANT] = image / (1 / o->kappa + o->radius + o->ion_radius);
	} else {
		*law = CLOPT_LAW_COULOMB;
		real[REAL_SCALE] = o->scale * (charges - coulomb);
	}
}

static void among_ions(const struct clopt_potential_options *o, double c, double q, double *real,
                       int *law)
{
	const double beta = o->eps_in / o->eps_out, lambda = 1 / o->kappa;
	const double charges = c * (1 + o->alpha) * lambda;
	const double coulomb = o->part == CLOPT_PART_REACTION ? 1 / o->eps_in : 0;

	*law = CLOPT_LAW_ALPB_FAR;
	real[REAL_SCALE] = o->scale * charges;
	real[REAL_A] = -coulomb / charges;
	real[REAL_B] = o->kappa;
	real[REAL_KAPPA2] = o->kappa / log(2.0);
	real[REAL_KAPPA_R] = o->kappa;
	real[REAL_OVER_R] = -o->scale * c * o->alpha * (1 - beta) * q * lambda /
	                    (lambda + o->radius + o->ion_radius);
}

static void inside(const struct clopt_potential_options *o, double c, double q, double *real,
                   int *law)
{
	const double beta = o->eps_in / o->eps_out;
	const double g = (1 / o->eps_in - 1 / o->eps_out) / (1 + o->alpha * beta);

	*law = o->kappa > 0 ? CLOPT_LAW_ALPB_INSIDE_SALT : CLOPT_LAW_ALPB_INSIDE;
	real[REAL_SCALE] = o->scale;
	real[REAL_A] = o->part == CLOPT_PART_REACTION ? 0 : 1 / o->eps_in;
	real[REAL_B] = g;
	real[REAL_C] = c * (1 + o->alpha);
	real[REAL_INNER] = 0.75 * o->radius * o->radius; /* A^2 - (A / 2)^2 */
	/* The term of order 0 of the series, which GEM's program does not separate. */
	if (!o->gem_compat)
		real[REAL_CONSTANT] = -o->scale * g * o->alpha * beta * q / o->radius;
	if (o->kappa > 0)
		real[REAL_CONSTANT] += o->scale * c * o->alpha * (1 - beta) * q /
		                       (1 / o->kappa + o->radius + o->ion_radius);
}

void clopt__law_charge(struct job *job)
{
	const int precision = clopt__point_precision(&job->problem);
	const size_t numbers = clopt__point_numbers(&job->problem);
	double charge = 0;
	size_t i;

	for (i = 0; i < job->problem.dim[0]; i++)
		charge += clopt__number_at(precision, job->operand[0].host, i * numbers + 3);
	job->real[REAL_CONSTANT] *= charge;
	job->real[REAL_OVER_R] *= charge;
}

void clopt__law_low_parts(int law, double *real)
{
	if (clopt__law_has(law, CLOPT_PRECISION_DOUBLE_SINGLE)) {
		real[REAL_A] = real[REAL_SCALE] - clopt__as_float(real[REAL_SCALE]);
		real[REAL_B] = real[REAL_SOFTENING2] - clopt__as_float(real[REAL_SOFTENING2]);
		real[REAL_C] = real[REAL_PROJECTION] - clopt__as_float(real[REAL_PROJECTION]);
	}
}

/* The region of ALPB, and its numbers. */
static void alpb(const struct clopt_potential_options *options, double charge, double *real,
                 int *law)
{
	struct clopt_potential_options o = *options;
	const double beta = o.eps_in / o.eps_out, c = 1 / (o.eps_out * (1 + o.alpha * beta));

	/* Too little salt to show in float32. */
	if (o.kappa * (o.radius + o.ion_radius + fabs(o.projection)) < 1e-9)
		o.kappa = 0;
	if (o.kappa > 0) {
		real[REAL_LAMBDA] = 1 / o.kappa;
		real[REAL_UNIT] = salt_unit(&o);
	}
	if (o.projection < 0 || (o.projection == 0 && o.gem_compat))
		inside(&o, c, charge, real, law);
	else if (o.kappa > 0 && o.projection > o.ion_radius)
		among_ions(&o, c, charge, real, law);
	else
		near_surface(&o, c, charge, real, law);
}

/* Refuse valid options that lead to numbers beyond float32. */
static int check_reals(const struct clopt *ctx, const struct clopt_potential_options *o,
                       const double *real)
{
	int i;

	for (i = 0; i < PAIR_REALS; i++)
		if (!(fabs(real[i]) <= FLT_MAX))
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "scale is %g, eps_in %g and eps_out %g: with the "
			                   "lengths they lead to %g; kernels take numbers up to %g",
			                   o->scale, o->eps_in, o->eps_out, real[i], FLT_MAX);
	return CLOPT_OK;
}

int clopt__law_reals(const struct clopt *ctx, const struct clopt_potential_options *o,
                     double charge, struct clopt_problem *problem, double *real)
{
	int rc = CLOPT_OK;

	problem->outputs = o->outputs;
	problem->precision = o->precision;
	real[REAL_PROJECTION] = o->projection;
	if (clopt__law_is_alpb(o)) {
		real[REAL_RADIUS] = o->radius;
		real[REAL_REACH] = o->ion_radius;
		alpb(o, charge, real, &problem->law);
	} else if (o->part == CLOPT_PART_COULOMB || o->law == CLOPT_LAW_COULOMB) {
		problem->law = CLOPT_LAW_COULOMB;
		real[REAL_SCALE] = o->scale / o->eps_in;
	} else if (o->law == CLOPT_LAW_DISTANCE4) {
		problem->law = CLOPT_LAW_DISTANCE4;
		real[REAL_SCALE] = o->scale / 4;
	} else {
		problem->law = CLOPT_LAW_DEBYE;
		real[REAL_SCALE] = o->scale / o->eps_in;
		real[REAL_A] = o->kappa;
		real[REAL_KAPPA2] = o->kappa / log(2.0);
	}
	TRY(check_reals(ctx, o, real));
	real[REAL_LAW] = problem->law;
	clopt__law_low_parts(problem->law, real);
	problem->depths &= (int)clopt__laws[problem->law].depths;
out:
	return rc;
}

double clopt_kappa(double ionic_strength, double eps, double kelvin)
{
	/* CODATA 2018: e, k, eps0; and 1000 N_A ions in a cubic metre at 1 mol/l. */
	const double e = 1.602176634e-19, k = 1.380649e-23, eps0 = 8.8541878128e-12;
	const double per_litre = 1000 * 6.02214076e23;

	if (!(ionic_strength >= 0 && eps > 0 && kelvin > 0))
		return (double)NAN;
	return 1e-10 * sqrt(2 * e * e * per_litre * ionic_strength / (eps0 * eps * k * kelvin));
}

double clopt_electrostatic_radius(size_t n, const float *atoms, const float *radii)
{
	double mass = 0, centre[3] = { 0, 0, 0 }, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
	double determinant;
	size_t i;
	int d;

	for (i = 0; i < n; i++) {
		const double m = pow((double)radii[i], 3);

		if (!(radii[i] >= 0))
			return (double)NAN;
		mass += m;
		for (d = 0; d < 3; d++)
			centre[d] += m * (double)atoms[4 * i + (size_t)d];
	}
	if (!(mass > 0))
		return 0;
	for (i = 0; i < n; i++) {
		const double r = (double)radii[i], m = r * r * r, own = 0.4 * r * r;
		const double x = (double)atoms[4 * i] - centre[0] / mass;
		const double y = (double)atoms[4 * i + 1] - centre[1] / mass;
		const double z = (double)atoms[4 * i + 2] - centre[2] / mass;

		xx += m * (y * y + z * z + own);
		yy += m * (x * x + z * z + own);
		zz += m * (x * x + y * y + own);
		xy -= m * x * y;
		xz -= m * x * z;
		yz -= m * y * z;
	}
	determinant =
	        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
	return sqrt(2.5 / mass) * pow(determinant, 1.0 / 6.0);
}
