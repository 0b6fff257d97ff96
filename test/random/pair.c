/* SPDX-License-Identifier: MIT */
/*
 * pair.c - random potentials and accelerations, in all their forms, and what points.c shares.
 *
 * physics_reference.c has the formulas, and the magnitudes of their terms, more where the
 * rounding of a position weighs more (blur).  Here sources are sorted out before: those that
 * add nothing, and those where the range of the numbers leaves the library a choice, for which the
 * target is not judged.  The error bound of a result, as a share of the magnitudes of n terms:
 *
 *	float32         (TERM + n) u: TERM roundings for a term, and one for each addition
 *	compensated     TERM u + n 2^-46
 *	double-single   2^-40 + n 2^-47
 *	double          2 (TERM + n) 2^-53: the library's sum and the reference's
 *
 * and a few roundings of the result itself.  Where results are float32 directions are that too, of
 * length 1 to 1e-6, and so are ALPB's constants in double-single: float32's share then.
 *
 * A difference of positions has one rounding, however far from the origin they are.  So they are
 * given to the reference relative to the target, unless that is moved along its normal: then there
 * is the rounding of its place.
 *
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms" (2002), chapter 4.
 */
#include "pair.h"

#include "clopt_device.h"
#include "table/table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TERM 32

/* Numbers between which the library must not choose. */
struct range {
	double near, far, beyond; /* distances; farther than `beyond' a source adds nothing */
	double force, potential, over_square; /* the largest terms */
	double least, most; /* the least normal number; the largest result that is judged */
};
static const struct range float_range = { 1.2e-19, 1.7e19,          2e19, 1e35, 1e30,
	                                  1e36,    (double)FLT_MIN, 1e37 };
static const struct range double_range = { 1.6e-154, 1.2e154, 1.5e154, 1e300,
	                                   1e300,    1e300,   DBL_MIN, 1e300 };

static const struct range *range_of(const struct pair *p)
{
	return p->wide && p->precision == CLOPT_PRECISION_DOUBLE ? &double_range : &float_range;
}

static double *source_at(const struct pair *p, size_t j)
{
	return p->from + REFERENCE_POINT * j;
}

static double *target_at(const struct pair *p, size_t i)
{
	return p->to + REFERENCE_POINT * i;
}

/* ---- Problem ------------------------------------------------------------------------------ */

static void draw_potential(struct pair *p)
{
	struct clopt_potential_options *o = &p->o;
	struct random *r = &p->c->r, *k = &p->c->kernel;
	const int normals = random_one_in(k, 3), depths = random_one_in(k, 2);
	int region = (int)random_below(k, 5);

	clopt_potential_options_init(o, sizeof *o);
	o->law = CLOPT_LAW_COULOMB + (int)random_below(k, 4);
	o->part = random_one_in(k, 3) ? (int)random_below(k, 3) : CLOPT_PART_TOTAL;
	o->outputs = (int)random_below(k, 4);
	if (o->part == CLOPT_PART_REACTION)
		o->law = CLOPT_LAW_ALPB;
	p->alpb = o->law == CLOPT_LAW_ALPB;
	p->outputs = o->outputs;
	o->scale = random_one_in(r, 3) ? 332.06371 : 1;
	o->eps_in = random_one_in(r, 2) ? 1 : random_between(r, 0.5, 10);
	o->eps_out = random_one_in(r, 2) ? 80 : random_between(r, 0.5, 100);
	o->kappa = o->law == CLOPT_LAW_DEBYE ? random_decades(r, -3, 1) / p->length : 0;
	o->projection =
	        normals && random_one_in(r, 2) ? p->length * random_between(r, -0.3, 0.3) : 0;
	o->normals = normals || p->alpb || o->outputs == CLOPT_OUTPUTS_PHI_NORMAL ?
	                     p->normals.data :
	                     NULL;
	if (!p->alpb) {
		o->precision = CLOPT_PRECISION_FLOAT + (int)random_below(k, 5);
		if (o->precision == CLOPT_PRECISION_DOUBLE_SINGLE && o->law != CLOPT_LAW_COULOMB &&
		    o->part != CLOPT_PART_COULOMB)
			o->precision = CLOPT_PRECISION_COMPENSATED;
	} else {
		static const int precisions[] = { 0, CLOPT_PRECISION_FLOAT,
			                          CLOPT_PRECISION_COMPENSATED,
			                          CLOPT_PRECISION_DOUBLE, CLOPT_PRECISION_BEST };

		o->precision = precisions[random_below(k, 5)];
	}
	if (o->precision == CLOPT_PRECISION_DOUBLE && !random_device.fp64)
		o->precision = CLOPT_PRECISION_FLOAT;
	if (!p->alpb)
		return;
	/* Inside, inside with salt, near, near with salt, among the ions. */
	o->radius = p->length * random_between(r, 0.5, 1.5);
	o->ion_radius = 0.2 * o->radius;
	o->kappa = region % 2 || region == 4 ? random_decades(r, -2, 1) / o->radius : 0;
	o->projection = o->radius * (region < 2  ? random_between(r, -0.8, -0.05) :
	                             region == 4 ? random_between(r, 0.3, 1) :
	                                           random_between(r, 0, 0.15));
	if (region < 4 && random_one_in(r, 4))
		o->projection = region < 2 ? -o->radius / 4 : 0;
	o->gem_compat = region < 2 && random_one_in(r, 3);
	o->depths = region < 2 && depths ? p->depths.data : NULL;
	o->charge =
	        random_one_in(r, 2) || p->c->form == FORM_BUFFERS || p->c->row ? &p->charge : NULL;
}

static void draw_gravity(struct pair *p)
{
	struct clopt_nbody_options *g = &p->g;
	struct random *r = &p->c->r, *k = &p->c->kernel;

	clopt_nbody_options_init(g, sizeof *g);
	g->g = random_one_in(r, 2) ? 1 : random_decades(r, -3, 3);
	g->softening = random_one_in(r, 2) ? 0 : p->length * random_decades(r, -4, 0.5);
	g->precision = CLOPT_PRECISION_FLOAT + (int)random_below(k, 5);
	if (g->precision == CLOPT_PRECISION_DOUBLE && !random_device.fp64)
		g->precision = CLOPT_PRECISION_FLOAT;
	g->target_softening = random_one_in(k, 4);
	g->potential = random_one_in(k, 2);
	p->outputs = g->potential ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD;
}

void pair_draw_options(struct pair *p)
{
	if (p->gravity)
		draw_gravity(p);
	else
		draw_potential(p);
}

static void fill_normals(struct pair *p)
{
	struct random *r = &p->c->r;
	float *x = p->normals.data;
	size_t i, j;

	for (i = 0; i < p->m; i++) {
		double v[3], length = 0;

		for (j = 0; j < 3; j++) {
			v[j] = random_between(r, -1, 1);
			length += v[j] * v[j];
		}
		length = random_one_in(r, 3) ? 1 : 1 / sqrt(length + 1e-9);
		for (j = 0; j < 3; j++)
			x[4 * i + j] = random_one_in(r, 20) ? 0 : (float)(v[j] * length);
		if (random_one_in(r, 20))
			x[4 * i] = x[4 * i + 1] = x[4 * i + 2] = 0;
		x[4 * i + 3] = random_one_in(r, 2) ?
		                       0 :
		                       (float)(p->o.projection * random_between(r, -0.2, 0.2));
	}
}

void pair_fill_others(struct pair *p)
{
	float *depths = p->depths.data;
	size_t i;

	for (i = 0; i < p->n; i++)
		depths[i] = (float)(p->o.radius * random_between(&p->c->r, 0, 0.999));
	fill_normals(p);
	for (i = 0, p->charge = 0; i < p->n; i++)
		p->charge += source_at(p, i)[3];
}

void pair_draw_sizes(struct pair *p, double most, double unit)
{
	struct random *r = &p->c->r;

	p->gravity = random_one_in(&p->c->kernel, 3);
	if (p->c->row)
		p->gravity = p->c->row->op == CLOPT_OP_NBODY;
	p->special = random_one_in(r, 4);
	p->n = random_one_in(r, 40) && !p->c->row ? random_below(r, 6000) : call_size(p->c, 0);
	p->m = call_size(p->c, 1);
	most = p->c->row ? 4 * most : call_work(p->c, most, unit, 2);
	while ((double)(p->n * p->m) > most && !p->c->deep)
		*(random_one_in(r, 2) ? &p->n : &p->m) /= 2;
}

int pair_best(const struct pair *p)
{
	if (random_device.fp64)
		return CLOPT_PRECISION_DOUBLE;
	return p->gravity || pair_problem(p).law == CLOPT_LAW_COULOMB ?
	               CLOPT_PRECISION_DOUBLE_SINGLE :
	               CLOPT_PRECISION_COMPENSATED;
}

/* ---- The result ------------------------------------------------------------------------ */

/* The sources of a target, sorted out before they are summed. */
struct sorted {
	const double *target, *base; /* base: from which positions are measured */
	size_t n; /* sources that add something */
	int unclear, nan, unclear_jerk, nan_jerk;
	double tiny; /* error by numbers below the smallest normal number */
};

/* The position of target i; returns the magnitude of the numbers that it is computed from. */
static double place_of(const struct pair *p, size_t i, double *to)
{
	const float *normal =
	        !p->gravity && p->o.normals ? (const float *)p->normals.data + 4 * i : NULL;
	const double along = normal ? p->o.projection + (double)normal[3] : 0;
	double square = 0, size = 0;
	int k;

	for (k = 0; k < 3 && normal; k++)
		square += (double)normal[k] * (double)normal[k];
	for (k = 0; k < 3; k++) {
		to[k] = target_at(p, i)[k] - p->origin[k];
		if (square > 0 && along != 0) {
			to[k] += along * (double)normal[k] / sqrt(square);
			size += fabs(to[k]) + fabs(along);
		}
	}
	return size;
}

/* What velocities add to the jerk: NaN, or infinities, which may cancel.  Returns the magnitude of
 * the others. */
static double sort_speed(struct sorted *s, const double *source, const double *target)
{
	double size = 1;
	int k;

	for (k = 4; k < 7; k++) {
		s->nan_jerk |= isnan(source[k]) || isnan(target[k]);
		s->unclear_jerk |= isinf(source[k]) || isinf(target[k]);
		if (isfinite(source[k]) && isfinite(target[k]))
			size += fabs(source[k]) + fabs(target[k]);
	}
	return size;
}

static void sort_one(struct pair *p, struct sorted *s, const double *place, double size,
                     double soft2, size_t j)
{
	const struct range *range = range_of(p);
	const double *from = source_at(p, j);
	/* Floats have no distances beyond the range of doubles. */
	const int all_count = p->precision == CLOPT_PRECISION_DOUBLE && !p->wide;
	const double unit = !p->wide                               ? FLOAT_UNIT :
	                    p->precision == CLOPT_PRECISION_DOUBLE ? DOUBLE_UNIT :
	                                                             0x1p-44;
	const double w = fabs(from[3]);
	double square = 0, d;
	int k, infinite = 0;

	for (k = 0; k < 3; k++) {
		const double x = place[k] - (from[k] - p->origin[k]);

		infinite |= isinf(place[k]) || isinf(from[k]);
		if (isnan(x) && isinf(place[k]))
			s->unclear = 1;
		square += x * x;
	}
	d = sqrt(square + soft2);
	if (isnan(square) || isnan(w)) {
		s->unclear |= infinite || square == 0 || !(d < range->far || isnan(d)) ||
		              (square < range->near * range->near && !all_count);
		s->nan = 1;
		return;
	}
	if (isinf(d)) {
		s->unclear |= isinf(w);
		return;
	}
	if (square == 0 && size == 0)
		return;
	/* Unknown: where the rounding of a position decides, range, and infinite weights. */
	s->unclear |= sqrt(square) <= 16 * unit * size ||
	              (!all_count && square < range->near * range->near) ||
	              (d > range->far && d < range->beyond) || isinf(w) ||
	              w / d / d / d > range->force || w / d > range->potential ||
	              1 / (d * d) > range->over_square;
	/* And exponentials of distances' difference, where that has no digits left. */
	s->unclear |= p->alpb && p->o.kappa * d * 64 * unit > 1;
	if (d > range->far && !all_count)
		return;
	s->tiny += range->least * (1 + w) * (1 + d + 1 / d + 1 / (d * d)) *
	           (p->outputs == CLOPT_OUTPUTS_JERK ? 4 * sort_speed(s, from, s->target) : 1);
	memcpy(p->kept + REFERENCE_POINT * s->n, from, REFERENCE_POINT * sizeof *from);
	for (k = 0; k < 3; k++)
		p->kept[REFERENCE_POINT * s->n + (size_t)k] -= s->base[k];
	if (!p->gravity && p->o.depths)
		p->kept_depths[s->n] = ((const float *)p->depths.data)[j];
	s->n++;
}

static struct sorted sort_sources(struct pair *p, size_t i)
{
	struct sorted s = { .target = target_at(p, i) };
	double place[3], size = place_of(p, i, place), soft2 = 0;
	const double least2 = range_of(p) == &float_range ? 1e-34 : 1e-300;
	size_t j;

	s.base = size == 0 && !p->alpb ? s.target : p->origin;
	if (p->gravity) {
		const double own = p->g.target_softening ? s.target[3] : 0;

		soft2 = p->g.softening * p->g.softening + own * own;
		s.unclear |= (soft2 != 0 && soft2 < least2) || soft2 > 1 / least2;
		s.nan |= isnan(own) && p->n > 0;
	}
	for (j = 0; j < p->n; j++)
		sort_one(p, &s, place, size, soft2, j);
	if (s.nan && p->gravity && p->g.target_softening && isnan(s.target[3])) {
		/* Sums all its terms; a source at its place, or beyond, has none. */
		s.unclear |= s.n == 0;
	}
	return s;
}

static double roundings(const struct pair *p, size_t n)
{
	const double count = (double)n;
	int precision = p->precision;

	if (precision == CLOPT_PRECISION_DOUBLE_SINGLE && !p->gravity && p->alpb)
		precision = CLOPT_PRECISION_COMPENSATED;
	if (precision > CLOPT_PRECISION_COMPENSATED && !p->wide && !p->gravity &&
	    (p->alpb || p->o.normals))
		precision = CLOPT_PRECISION_COMPENSATED;
	switch (precision) {
	case CLOPT_PRECISION_FLOAT:
		return (TERM + count) * FLOAT_UNIT;
	case CLOPT_PRECISION_COMPENSATED:
		return TERM * FLOAT_UNIT + count * 0x1p-46;
	case CLOPT_PRECISION_DOUBLE_SINGLE:
		return 0x1p-40 + count * 0x1p-47;
	default:
		return 2 * (TERM + count) * DOUBLE_UNIT;
	}
}

/* The roundings of the result itself. */
static double stored(const struct pair *p)
{
	const double narrow = p->narrow ? 1.001 * FLOAT_UNIT : 0;

	if (!p->wide)
		return (p->precision >= CLOPT_PRECISION_DOUBLE_SINGLE ? 1.001 : 4) * FLOAT_UNIT;
	return narrow + (p->precision == CLOPT_PRECISION_DOUBLE_SINGLE ? 0x1p-46 : 4 * DOUBLE_UNIT);
}

static void judge_number(struct pair *p, const struct sorted *s, size_t i, size_t k, double want,
                         double terms)
{
	const struct range *range = range_of(p);
	const double got = p->got[i * PAIR_RESULTS + k];
	const double scale =
	        p->gravity ?
	                p->g.g :
	                p->o.scale * 3 * (1 / p->o.eps_in + 1 / p->o.eps_out + 1) * (1 + p->length);
	const double off = roundings(p, p->n) * terms + stored(p) * fabs(want) +
	                   (1 + fabs(scale)) * s->tiny + range->least +
	                   (p->narrow ? (double)FLT_MIN : 0);
	const int jerk = k >= PAIR_JERK && k < PAIR_NORMAL;
	const int nan = s->nan || (jerk && s->nan_jerk);

	if (!(p->wanted >> k & 1) || (jerk && s->unclear_jerk) ||
	    (p->narrow && !(fabs(want) + off < (double)FLT_MAX) && !nan))
		return;
	if (nan ? !isnan(got) :
	          fabs(want) + terms < range->most && terms / fabs(scale) < range->most &&
	                    !(fabs(got - want) <= off))
		call_wrong(p->c,
		           "number %zu of target %zu is %.17g, right is %.17g, give or take %g; "
		           "%zu sources count%s",
		           k, i, got, want, off, s->n, nan ? ", with NaN" : "");
}

/* Whether the library may take a normal as of length 1 or not. */
static int unclear_normal(const float *normal)
{
	double square = 0;
	int k;

	for (k = 0; k < 3; k++)
		square += (double)normal[k] * (double)normal[k];
	return fabs(fabs(square - 1) - 1e-6) < 2 * FLOAT_UNIT;
}

static void judge_target(struct pair *p, size_t i)
{
	const struct sorted s = sort_sources(p, i);
	const float *normal =
	        !p->gravity && p->o.normals ? (const float *)p->normals.data + 4 * i : NULL;
	struct clopt_potential_options o = p->o;
	double target[REFERENCE_POINT];
	struct reference r;
	size_t k;

	if (s.unclear || (normal && p->wide && unclear_normal(normal)))
		return;
	memcpy(target, s.target, sizeof target);
	for (k = 0; k < 3; k++)
		target[k] -= s.base[k];
	o.charge = &p->charge;
	o.depths = o.depths ? p->kept_depths : NULL;
	if (p->gravity)
		reference_gravity_doubles(&p->g, s.n, p->kept, target, &r);
	else
		reference_potential_doubles(&o, s.n, p->kept, target, normal, &r);
	for (k = 0; k < 3; k++) {
		judge_number(p, &s, i, PAIR_FIELD + k, r.field[k], 2 * r.field_terms);
		if (p->gravity)
			judge_number(p, &s, i, PAIR_JERK + k, r.jerk[k], 2 * r.jerk_terms);
	}
	judge_number(p, &s, i, PAIR_PHI, r.phi, r.phi_terms);
	judge_number(p, &s, i, PAIR_NORMAL, r.along,
	             4 * r.field_terms +
	                     4 * (fabs(r.field[0]) + fabs(r.field[1]) + fabs(r.field[2])));
}

void pair_judge(struct pair *p)
{
	size_t i;

	for (i = 0; i < p->m && !p->c->wrong && !p->c->compared; i++)
		judge_target(p, i);
}

void pair_same(struct pair *p, const double *was, const char *way)
{
	size_t i;

	for (i = 0; i < p->m * PAIR_RESULTS; i++)
		if (p->wanted >> i % PAIR_RESULTS & 1 && memcmp(&p->got[i], &was[i], sizeof *was) &&
		    !(isnan(p->got[i]) && isnan(was[i])))
			call_wrong(p->c, "%s: number %zu of target %zu is %a, not %a", way,
			           i % PAIR_RESULTS, i / PAIR_RESULTS, p->got[i], was[i]);
}

void pair_say(const struct pair *p)
{
	const struct clopt_potential_options *o = &p->o;
	const struct clopt_nbody_options *g = &p->g;

	call_say(p->c, ": %zu sources, %zu targets%s, length %g, %s", p->n, p->m,
	         p->one ? " (the same)" : "", p->length, p->special ? "special ones, " : "");
	if (p->gravity)
		call_say(p->c, "gravity, g %g, softening %g%s, precision %d, outputs %d", g->g,
		         g->softening, g->target_softening ? " and own" : "", g->precision,
		         p->outputs);
	else
		call_say(p->c,
		         "law %d, part %d, outputs %d, precision %d, scale %g, eps %g %g, kappa "
		         "%g, "
		         "radius %g, projection %g, ion radius %g%s%s%s%s",
		         o->law, o->part, p->outputs, o->precision, o->scale, o->eps_in, o->eps_out,
		         o->kappa, o->radius, o->projection, o->ion_radius,
		         o->normals ? ", normals" : "", o->depths ? ", depths" : "",
		         o->charge ? ", charge" : "", o->gem_compat ? ", as GEM" : "");
}

struct clopt_problem pair_problem(const struct pair *p)
{
	struct clopt_problem q = CLOPT_PROBLEM_INIT;
	const struct clopt_potential_options *o = &p->o;
	const double kappa =
	        o->kappa * (o->radius + o->ion_radius + fabs(o->projection)) < 1e-9 ? 0 : o->kappa;

	q.op = p->gravity ? CLOPT_OP_NBODY : CLOPT_OP_POTENTIAL;
	q.dim[0] = p->n;
	q.dim[1] = p->m;
	q.precision = p->precision;
	q.elem_bytes = p->wide ? 8 : 4;
	q.outputs = p->outputs;
	if (p->gravity) {
		q.law = p->g.target_softening ? CLOPT_LAW_GRAVITY_OWN : CLOPT_LAW_GRAVITY;
		return q;
	}
	q.normals = o->normals != NULL;
	q.law = !p->alpb || o->part == CLOPT_PART_COULOMB ?
	                o->part == CLOPT_PART_COULOMB || o->law == CLOPT_LAW_COULOMB ?
	                CLOPT_LAW_COULOMB :
	                o->law == CLOPT_LAW_DISTANCE4 ? CLOPT_LAW_DISTANCE4 :
	                                                CLOPT_LAW_DEBYE :
	        o->projection < 0 || (o->projection == 0 && o->gem_compat) ?
	                kappa > 0 ? CLOPT_LAW_ALPB_INSIDE_SALT : CLOPT_LAW_ALPB_INSIDE :
	        kappa > 0 ?
	                o->projection > o->ion_radius ? CLOPT_LAW_ALPB_FAR : CLOPT_LAW_ALPB_SALT :
	                CLOPT_LAW_COULOMB;
	q.depths = o->depths &&
	           (q.law == CLOPT_LAW_ALPB_INSIDE || q.law == CLOPT_LAW_ALPB_INSIDE_SALT);
	return q;
}

void pair_open(struct pair *p)
{
	p->from = calloc(p->n + 1, REFERENCE_POINT * sizeof *p->from);
	p->to = calloc(p->m + 1, REFERENCE_POINT * sizeof *p->to);
	p->kept = calloc(p->n + 1, REFERENCE_POINT * sizeof *p->kept);
	p->kept_depths = calloc(p->n + 1, sizeof *p->kept_depths);
	p->got = calloc(p->m + 1, PAIR_RESULTS * sizeof *p->got);
	ck_assert(p->from && p->to && p->kept && p->kept_depths && p->got);
	host_open(&p->depths, p->c, 4 * p->n, 4);
	host_open(&p->normals, p->c, 16 * p->m, 4);
}

void pair_close(struct pair *p)
{
	host_close(&p->depths, "depths");
	host_close(&p->normals, "normals");
	free(p->from);
	free(p->to);
	free(p->kept);
	free(p->kept_depths);
	free(p->got);
}

/* ---- Adjacent floats ------------------------------------------------------------------- */

struct floats {
	struct pair p;
	size_t width;
	struct host sources, targets, out;
};

static float special_number(struct random *r)
{
	static const float some[] = { NAN, INFINITY, -INFINITY, 1e30f, -3e38f, 3e38f, 1e19f, 0 };

	return some[random_below(r, sizeof some / sizeof *some)];
}

static void fill_points(struct pair *p, struct host *h, size_t n, int weights, double *to)
{
	struct random *r = &p->c->r;
	const size_t often = 20 + random_below(r, 1000);
	float *x = h->data;
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < 3; j++)
			x[4 * i + j] = (float)(p->length * random_between(r, -1, 1));
		x[4 * i + 3] =
		        (float)(weights == 1 ? random_between(r, 0, 1) : random_between(r, -1, 1));
		if (p->special && random_one_in(r, often))
			x[4 * i + random_below(r, p->alpb ? 3 : 4)] =
			        p->alpb ? 1e30f : special_number(r);
		if (random_one_in(r, 50)) /* near an earlier point */
			for (j = 0; j < 3; j++)
				x[4 * i + j] = x[4 * random_below(r, i + 1) + j] *
				               (random_one_in(r, 3) ? 1.000001f : 1);
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < 4; j++)
			to[REFERENCE_POINT * i + j] = (double)x[4 * i + j];
}

static void fill(struct floats *f)
{
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	const int positive = p->gravity || random_one_in(r, 3);
	float *x = f->targets.data;
	size_t i, k;

	fill_points(p, &f->sources, p->n, positive, p->from);
	if (p->one)
		memcpy(p->to, p->from, p->n * REFERENCE_POINT * sizeof *p->to);
	else
		fill_points(p, &f->targets, p->m, 1, p->to);
	for (i = 0; i < p->m && p->n && !p->one; i++)
		if (random_one_in(r, 10)) {
			const float *s = (const float *)f->sources.data + 4 * random_below(r, p->n);

			for (k = 0; k < 3; k++) {
				x[4 * i + k] = s[k];
				target_at(p, i)[k] = (double)s[k];
			}
		}
	pair_fill_others(p);
}

static int on_host(struct floats *f)
{
	const struct pair *p = &f->p;
	const void *s = f->sources.data, *t = p->one ? s : f->targets.data;

	return p->gravity ? clopt_nbody(p->c->ctx, p->n, s, p->m, t, f->out.data, &p->g) :
	                    clopt_potential(p->c->ctx, p->n, s, p->m, t, f->out.data, &p->o);
}

static int started(struct floats *f)
{
	const struct pair *p = &f->p;
	const void *s = f->sources.data, *t = p->one ? s : f->targets.data;
	struct clopt_call *call = NULL;
	int rc = p->gravity ?
	                 clopt_nbody_start(p->c->ctx, p->n, s, p->m, t, f->out.data, &p->g, &call) :
	                 clopt_potential_start(p->c->ctx, p->n, s, p->m, t, f->out.data, &p->o,
	                                       &call);

	return call_collected(rc, &call);
}

static int on_buffers(struct floats *f)
{
	const struct pair *p = &f->p;
	const struct clopt_buffer *s = f->sources.buffer, *t = p->one ? s : f->targets.buffer;
	struct clopt_potential_options o = p->o;

	o.normals_buffer = o.normals ? p->normals.buffer : NULL;
	o.depths_buffer = o.depths ? p->depths.buffer : NULL;
	o.normals = o.depths = NULL;
	return p->gravity ? clopt_nbody_buffers(p->c->ctx, p->n, s, p->m, t, f->out.buffer, &p->g,
	                                        NULL) :
	                    clopt_potential_buffers(p->c->ctx, p->n, s, p->m, t, f->out.buffer, &o,
	                                            NULL);
}

/* The results, out of adjacent floats. */
static void read_results(struct floats *f)
{
	static const size_t kinds[][4] = {
		[CLOPT_OUTPUTS_PHI] = { PAIR_PHI },
		[CLOPT_OUTPUTS_PHI_NORMAL] = { PAIR_PHI, PAIR_NORMAL },
		[CLOPT_OUTPUTS_FIELD_PHI] = { 0, 1, 2, PAIR_PHI },
		[CLOPT_OUTPUTS_FIELD] = { 0, 1, 2, PAIR_PHI },
	};
	struct pair *p = &f->p;
	const size_t *kind = kinds[p->outputs];
	const float *out = f->out.data;
	size_t i, k;

	for (i = 0; i < p->m; i++)
		for (k = 0; k < f->width; k++)
			p->got[i * PAIR_RESULTS + kind[k]] = (double)out[i * f->width + k];
	for (k = 0; k < f->width; k++)
		p->wanted |= 1u << kind[k];
	if (p->outputs != CLOPT_OUTPUTS_FIELD)
		return;
	p->wanted &= ~(1u << PAIR_PHI);
	for (i = 0; i < p->m; i++)
		if (out[4 * i + 3] != 0)
			call_wrong(p->c, "the fourth number of target %zu is not 0", i);
}

/* The targets from `first` on, as one process of several. */
static int share(struct floats *f, size_t first, size_t count)
{
	const struct pair *p = &f->p;
	const float *const s = f->sources.data;
	const float *const t = (p->one ? s : (const float *)f->targets.data) + 4 * first;
	float *const out = (float *)f->out.data + f->width * first;
	struct clopt_potential_options o = p->o;
	struct clopt_nbody_options g = p->g;
	struct clopt_group group = CLOPT_GROUP_INIT;

	group.all_targets = p->m;
	o.group = g.group = &group;
	o.normals = o.normals ? o.normals + 4 * first : NULL;
	return p->gravity ? clopt_nbody(p->c->ctx, p->n, s, count, t, out, &g) :
	                    clopt_potential(p->c->ctx, p->n, s, count, t, out, &o);
}

/* The same bits however memory cuts the call, and as shares of the targets. */
static void in_other_ways(struct floats *f)
{
	struct pair *p = &f->p;
	const size_t first = random_below(&p->c->r, p->m);
	double *was = malloc(p->m * PAIR_RESULTS * sizeof *was);
	int same;

	ck_assert_ptr_nonnull(was);
	memcpy(was, p->got, p->m * PAIR_RESULTS * sizeof *was);
	memset(f->out.data, 0xff, f->out.bytes);
	if (call_succeeded(p->c, share(f, 0, first)) &&
	    call_succeeded(p->c, share(f, first, p->m - first))) {
		read_results(f);
		pair_same(p, was, "as shares");
	}
	same = call_uncut(p->c);
	memset(f->out.data, 0xff, f->out.bytes);
	if (same && call_succeeded(p->c, on_host(f))) {
		read_results(f);
		pair_same(p, was, "uncut");
	}
	free(was);
}

static void draw(struct floats *f)
{
	struct pair *p = &f->p;
	struct random *r = &p->c->r;
	static const size_t widths[] = { 1, 2, 4, 4 };

	pair_draw_sizes(p, 1 << 16, 100);
	if (random_one_in(r, 1000) && !p->c->row) {
		p->n = random_below(r, 5);
		p->m = 65000 + random_below(r, 5002);
	}
	p->one = random_one_in(r, 8) && !p->c->deep;
	if (p->one)
		p->m = p->n = p->n < 300 ? p->n : 300;
	p->length = random_one_in(r, 2) ? 10 : random_decades(r, -4, 4);
	host_open(&f->sources, p->c, 16 * p->n, 4);
	host_open(&f->targets, p->c, p->one ? 0 : 16 * p->m, 4);
	pair_open(p);
	pair_draw_options(p);
	p->precision = p->gravity ? p->g.precision : p->o.precision;
	p->precision = p->precision ? p->precision : CLOPT_PRECISION_FLOAT;
	if (p->precision == CLOPT_PRECISION_BEST)
		p->precision = pair_best(p);
	f->width = widths[p->outputs];
	host_open(&f->out, p->c, 4 * f->width * p->m, 4);
	pair_say(p);
}

void random_pair(struct call *c)
{
	static struct floats f;
	struct pair *const p = &f.p;
	struct host *const all[] = { &f.sources, &f.targets, &p->depths, &p->normals, &f.out };
	struct clopt_problem problem;
	size_t i;
	int rc;

	if (!c->options->mem_limit_bytes && random_one_in(&c->r, 400) && !c->row) {
		random_outlier(c);
		return;
	}
	memset(&f, 0, sizeof f);
	p->c = c;
	draw(&f);
	problem = pair_problem(p);
	c->type = CLOPT_TYPE_FLOAT;
	if (!call_force(c, &problem))
		goto close;
	fill(&f);
	for (i = 0; i < 5; i++)
		host_ready(all[i]);
	do
		rc = c->form == FORM_HOST    ? on_host(&f) :
		     c->form == FORM_STARTED ? started(&f) :
		                               on_buffers(&f);
	while (call_again(c, rc));
	for (i = 0; i < 5; i++)
		host_back(all[i]);
	if (call_succeeded(c, rc)) {
		read_results(&f);
		pair_judge(p);
		if (c->form != FORM_BUFFERS && p->m && p->n && (c->first || !c->row))
			in_other_ways(&f);
		host_judged(&f.out, f.out.data, f.out.bytes);
	}
close:
	call_unforce(c);
	host_close(&f.sources, "sources");
	host_close(&f.targets, "targets");
	host_close(&f.out, "out");
	pair_close(p);
}
