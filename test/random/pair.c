/* SPDX-License-Identifier: MIT */
/*
 * pair.c - random potentials and accelerations, in all their forms.
 *
 * physics_reference.c has the formulas, and the magnitudes of their terms, more where the
 * rounding of a position weighs more (blur).  Here sources are sorted out before: those that
 * add nothing, and those where float32's range leaves the library a choice, for which the
 * target is not judged.  The error bound of a result, as a share of the magnitudes of n terms:
 *
 *	float32         (TERM + n) u: TERM roundings for a term, and one for each addition
 *	compensated     TERM u + n 2^-46
 *	double-single   2^-40 + n 2^-47
 *	double          (TERM + n) 2^-53
 *
 * and, as results are float32, a few u of the result itself.  Directions are float32 too, of
 * length 1 to 1e-6, and so are ALPB's constants in double-single: float32's share then.
 *
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms" (2002), chapter 4.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../pair/physics_reference.h"
#include "random.h"

#define TERM 32
/* At distances between these the library must not choose. */
#define NEAR 1.2e-19
#define FAR 1.7e19

struct pair {
	struct call *c;
	int gravity, alpb, special, one; /* one: sources and targets are one array */
	size_t n, m, width;
	double length, charge;
	struct clopt_potential_options o;
	struct clopt_nbody_options g;
	struct host sources, targets, depths, normals, out;
	float *kept, *kept_depths; /* of the sources that add to a target */
};

static int precision_of(const struct pair *p)
{
	const int precision = p->gravity ? p->g.precision : p->o.precision;

	return precision ? precision : CLOPT_PRECISION_FLOAT;
}

static const float *at(const struct host *h, size_t i)
{
	return (const float *)h->data + 4 * i;
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
	o->charge = random_one_in(r, 2) || p->c->form == FORM_BUFFERS ? &p->charge : NULL;
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
}

static float special_number(struct random *r)
{
	static const float some[] = { NAN, INFINITY, -INFINITY, 1e30f, -3e38f, 3e38f, 1e19f, 0 };

	return some[random_below(r, sizeof some / sizeof *some)];
}

static void fill_points(struct pair *p, struct host *h, size_t n, int weights)
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

static void fill(struct pair *p)
{
	struct random *r = &p->c->r;
	const int positive = p->gravity || random_one_in(r, 3);
	float *x;
	size_t i;

	fill_points(p, &p->sources, p->n, positive);
	if (!p->one)
		fill_points(p, &p->targets, p->m, 1);
	x = p->targets.data;
	for (i = 0; i < p->m && p->n && !p->one; i++)
		if (random_one_in(r, 10))
			memcpy(x + 4 * i, at(&p->sources, random_below(r, p->n)), 3 * sizeof *x);
	x = p->depths.data;
	for (i = 0; i < p->n; i++)
		x[i] = (float)(p->o.radius * random_between(r, 0, 0.999));
	fill_normals(p);
	for (i = 0, p->charge = 0; i < p->n; i++)
		p->charge += (double)at(&p->sources, i)[3];
}

/* ---- The call -------------------------------------------------------------------------- */

static int on_host(struct pair *p)
{
	const void *s = p->sources.data, *t = p->one ? s : p->targets.data;

	return p->gravity ? clopt_nbody(p->c->ctx, p->n, s, p->m, t, p->out.data, &p->g) :
	                    clopt_potential(p->c->ctx, p->n, s, p->m, t, p->out.data, &p->o);
}

static int started(struct pair *p)
{
	const void *s = p->sources.data, *t = p->one ? s : p->targets.data;
	struct clopt_call *call = NULL;
	int rc = p->gravity ?
	                 clopt_nbody_start(p->c->ctx, p->n, s, p->m, t, p->out.data, &p->g, &call) :
	                 clopt_potential_start(p->c->ctx, p->n, s, p->m, t, p->out.data, &p->o,
	                                       &call);

	return call_collected(rc, &call);
}

static int on_buffers(struct pair *p)
{
	const struct clopt_buffer *s = p->sources.buffer, *t = p->one ? s : p->targets.buffer;
	struct clopt_potential_options o = p->o;

	o.normals_buffer = o.normals ? p->normals.buffer : NULL;
	o.depths_buffer = o.depths ? p->depths.buffer : NULL;
	o.normals = o.depths = NULL;
	return p->gravity ? clopt_nbody_buffers(p->c->ctx, p->n, s, p->m, t, p->out.buffer, &p->g,
	                                        NULL) :
	                    clopt_potential_buffers(p->c->ctx, p->n, s, p->m, t, p->out.buffer, &o,
	                                            NULL);
}

/* ---- The result ------------------------------------------------------------------------ */

/* The sources of a target, sorted out before they are summed. */
struct sorted {
	size_t n; /* sources that add something */
	int unclear, nan;
	double tiny; /* error by numbers below the smallest normal number */
};

/* The position of target i; returns the magnitude of the numbers that it is computed from. */
static double place_of(const struct pair *p, size_t i, double *to)
{
	const float *t = p->one ? at(&p->sources, i) : at(&p->targets, i);
	const float *normal = !p->gravity && p->o.normals ? at(&p->normals, i) : NULL;
	const double along = normal ? p->o.projection + (double)normal[3] : 0;
	double square = 0, size = 0;
	int k;

	for (k = 0; k < 3 && normal; k++)
		square += (double)normal[k] * (double)normal[k];
	for (k = 0; k < 3; k++) {
		to[k] = (double)t[k];
		if (square > 0 && along != 0) {
			to[k] += along * (double)normal[k] / sqrt(square);
			size += fabs(to[k]) + fabs(along);
		}
	}
	return size;
}

static void sort_one(struct pair *p, struct sorted *s, const double *place, double size,
                     double soft2, size_t j)
{
	const float *from = at(&p->sources, j);
	const int wide = precision_of(p) == CLOPT_PRECISION_DOUBLE ||
	                 (precision_of(p) == CLOPT_PRECISION_BEST && random_device.fp64);
	const double w = fabs((double)from[3]);
	double square = 0, d;
	int k, infinite = 0;

	for (k = 0; k < 3; k++) {
		const double x = place[k] - (double)from[k];

		infinite |= isinf(place[k]) || isinf(from[k]);
		if (isnan(x) && isinf(place[k]))
			s->unclear = 1;
		square += x * x;
	}
	d = sqrt(square + soft2);
	if (isnan(square) || isnan(w)) {
		s->unclear |= infinite || square == 0 || !(d < FAR || isnan(d)) ||
		              (square < NEAR * NEAR && !wide);
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
	s->unclear |= sqrt(square) <= 16 * FLOAT_UNIT * size || (!wide && square < NEAR * NEAR) ||
	              (d > FAR && d < 2e19) || isinf(w) || w / (d * d * d) > 1e35 || w / d > 1e30 ||
	              1 / (d * d) > 1e36;
	if (d > FAR && !wide)
		return;
	s->tiny += (double)FLT_MIN * (1 + w) * (1 + d + 1 / d + 1 / (d * d));
	memcpy(p->kept + 4 * s->n, from, 4 * sizeof *from);
	if (!p->gravity && p->o.depths)
		p->kept_depths[s->n] = ((const float *)p->depths.data)[j];
	s->n++;
}

static struct sorted sort_sources(struct pair *p, size_t i)
{
	const float *t = p->one ? at(&p->sources, i) : at(&p->targets, i);
	struct sorted s = { 0, 0, 0, 0 };
	double place[3], size = place_of(p, i, place), soft2 = 0;
	size_t j;

	if (p->gravity) {
		const double own = p->g.target_softening ? (double)t[3] : 0;

		soft2 = p->g.softening * p->g.softening + own * own;
		s.unclear |= (soft2 != 0 && soft2 < 1e-34) || soft2 > 1e34;
		s.nan |= isnan(own) && p->n > 0;
	}
	for (j = 0; j < p->n; j++)
		sort_one(p, &s, place, size, soft2, j);
	if (s.nan && p->gravity && p->g.target_softening && isnan(t[3])) {
		/* Sums all its terms; a source at its place, or beyond, has none. */
		s.unclear |= s.n == 0;
	}
	return s;
}

static double share(const struct pair *p, size_t n)
{
	const double count = (double)n;
	int precision = precision_of(p);

	if (precision == CLOPT_PRECISION_BEST)
		precision =
		        random_device.fp64 ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_COMPENSATED;
	if (precision > CLOPT_PRECISION_COMPENSATED && !p->gravity && (p->alpb || p->o.normals))
		precision = CLOPT_PRECISION_COMPENSATED;
	switch (precision) {
	case CLOPT_PRECISION_FLOAT:
		return (TERM + count) * FLOAT_UNIT;
	case CLOPT_PRECISION_COMPENSATED:
		return TERM * FLOAT_UNIT + count * 0x1p-46;
	case CLOPT_PRECISION_DOUBLE_SINGLE:
		return 0x1p-40 + count * 0x1p-47;
	default:
		return (TERM + count) * DOUBLE_UNIT;
	}
}

static void judge_number(struct pair *p, const struct sorted *s, size_t i, size_t k, double want,
                         double terms)
{
	const double got = (double)((const float *)p->out.data)[i * p->width + k];
	const double scale =
	        p->gravity ?
	                p->g.g :
	                p->o.scale * 3 * (1 / p->o.eps_in + 1 / p->o.eps_out + 1) * (1 + p->length);
	const double units = precision_of(p) >= CLOPT_PRECISION_DOUBLE_SINGLE ? 1.001 : 4;
	const double off = share(p, p->n) * terms + units * FLOAT_UNIT * fabs(want) +
	                   (1 + fabs(scale)) * s->tiny + (double)FLT_MIN;

	if (s->nan ? !isnan(got) :
	             fabs(want) + terms < 1e37 && terms / fabs(scale) < 1e37 &&
	                     !(fabs(got - want) <= off))
		call_wrong(p->c,
		           "number %zu of target %zu is %.9g, right is %.12g, give or take %g; %zu "
		           "sources count%s",
		           k, i, got, want, off, s->n, s->nan ? ", with NaN" : "");
}

static void judge_target(struct pair *p, size_t i)
{
	const float *t = p->one ? at(&p->sources, i) : at(&p->targets, i);
	const struct sorted s = sort_sources(p, i);
	const int outputs = p->gravity ?
	                            p->g.potential ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD :
	                            p->o.outputs;
	struct clopt_potential_options o = p->o;
	struct reference r;
	size_t k = 0;

	if (s.unclear)
		return;
	o.charge = &p->charge;
	o.depths = o.depths ? p->kept_depths : NULL;
	if (p->gravity)
		reference_gravity(&p->g, s.n, p->kept, t, &r);
	else
		reference_potential(&o, s.n, p->kept, t, o.normals ? at(&p->normals, i) : NULL, &r);
	if (outputs >= CLOPT_OUTPUTS_FIELD_PHI)
		for (; k < 3; k++)
			judge_number(p, &s, i, k, r.field[k], 2 * r.field_terms);
	if (outputs != CLOPT_OUTPUTS_FIELD)
		judge_number(p, &s, i, k, r.phi, r.phi_terms);
	else if (((const float *)p->out.data)[4 * i + 3] != 0)
		call_wrong(p->c, "the fourth number of target %zu is not 0", i);
	if (outputs == CLOPT_OUTPUTS_PHI_NORMAL)
		judge_number(p, &s, i, 1, r.along,
		             4 * r.field_terms +
		                     4 * (fabs(r.field[0]) + fabs(r.field[1]) + fabs(r.field[2])));
}

static void say(const struct pair *p)
{
	const struct clopt_potential_options *o = &p->o;
	const struct clopt_nbody_options *g = &p->g;

	call_say(p->c, ": %zu sources, %zu targets%s, length %g, %s", p->n, p->m,
	         p->one ? " (the same)" : "", p->length, p->special ? "special ones, " : "");
	if (p->gravity)
		call_say(p->c, "gravity, g %g, softening %g%s, precision %d, potential %d", g->g,
		         g->softening, g->target_softening ? " and own" : "", g->precision,
		         g->potential);
	else
		call_say(p->c,
		         "law %d, part %d, outputs %d, precision %d, scale %g, eps %g %g, kappa "
		         "%g, "
		         "radius %g, projection %g, ion radius %g%s%s%s%s",
		         o->law, o->part, o->outputs, o->precision, o->scale, o->eps_in, o->eps_out,
		         o->kappa, o->radius, o->projection, o->ion_radius,
		         o->normals ? ", normals" : "", o->depths ? ", depths" : "",
		         o->charge ? ", charge" : "", o->gem_compat ? ", as GEM" : "");
}

static struct clopt_problem problem_of(const struct pair *p)
{
	struct clopt_problem q = CLOPT_PROBLEM_INIT;
	const struct clopt_potential_options *o = &p->o;
	const double kappa =
	        o->kappa * (o->radius + o->ion_radius + fabs(o->projection)) < 1e-9 ? 0 : o->kappa;

	q.op = p->gravity ? CLOPT_OP_NBODY : CLOPT_OP_POTENTIAL;
	q.dim[0] = p->n;
	q.dim[1] = p->m;
	q.precision = precision_of(p);
	if (p->gravity) {
		q.law = p->g.target_softening ? CLOPT_LAW_GRAVITY_OWN : CLOPT_LAW_GRAVITY;
		q.outputs = p->g.potential ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD;
		return q;
	}
	q.outputs = o->outputs;
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

static void draw(struct pair *p)
{
	struct random *r = &p->c->r;
	static const size_t widths[] = { 1, 2, 4, 4 };

	p->gravity = random_one_in(&p->c->kernel, 3);
	p->special = random_one_in(r, 4);
	p->n = random_one_in(r, 40) ? random_below(r, 6000) : random_size(r);
	p->m = random_size(r);
	if (random_one_in(r, 1000)) {
		p->n = random_below(r, 5);
		p->m = 65000 + random_below(r, 5002);
	}
	while ((double)(p->n * p->m) > call_work(p->c, 1 << 16, 100, 2))
		*(random_one_in(r, 2) ? &p->n : &p->m) /= 2;
	p->one = random_one_in(r, 8);
	if (p->one)
		p->m = p->n = p->n < 300 ? p->n : 300;
	p->length = random_one_in(r, 2) ? 10 : random_decades(r, -4, 4);
	host_open(&p->sources, p->c, 16 * p->n, 4);
	host_open(&p->targets, p->c, p->one ? 0 : 16 * p->m, 4);
	host_open(&p->depths, p->c, 4 * p->n, 4);
	host_open(&p->normals, p->c, 16 * p->m, 4);
	if (p->gravity)
		draw_gravity(p);
	else
		draw_potential(p);
	p->width = p->gravity ? 4 : widths[p->o.outputs];
	host_open(&p->out, p->c, 4 * p->width * p->m, 4);
	say(p);
	fill(p);
}

void random_pair(struct call *c)
{
	static struct pair p;
	struct host *const all[] = { &p.sources, &p.targets, &p.depths, &p.normals, &p.out };
	static const char *const names[] = { "sources", "targets", "depths", "normals", "out" };
	struct clopt_problem problem;
	size_t i;
	int rc;

	memset(&p, 0, sizeof p);
	p.c = c;
	draw(&p);
	for (i = 0; i < 5; i++)
		host_ready(all[i]);
	problem = problem_of(&p);
	call_force(c, &problem);
	rc = c->form == FORM_HOST    ? on_host(&p) :
	     c->form == FORM_STARTED ? started(&p) :
	                               on_buffers(&p);
	call_unforce(c);
	for (i = 0; i < 5; i++)
		host_back(all[i]);
	p.kept = malloc(16 * p.n + 1);
	p.kept_depths = malloc(4 * p.n + 1);
	ck_assert(p.kept && p.kept_depths);
	if (call_succeeded(c, rc)) {
		for (i = 0; i < p.m && !c->wrong; i++)
			judge_target(&p, i);
		host_judged(&p.out, p.out.data, p.out.bytes);
	}
	free(p.kept);
	free(p.kept_depths);
	for (i = 0; i < 5; i++)
		host_close(all[i], names[i]);
}
