/* SPDX-License-Identifier: MIT */
/*
 * bodies.c - a few steps of random bodies, by leapfrog in float32 and in evolve's
 * precisions, against the same steps in double.
 *
 * Each number has an error bound: the rounding errors of a step, and the errors so far, carried
 * through the step.  With u the unit roundoff, an acceleration or jerk has an error of (TERM + n)
 * u times the sum of its terms' magnitudes, and the following for errors e of positions x and
 * velocities v, with r the distance:
 *
 *	D / r^3                      3 e_x / r^3                  for e_x up to r / 8
 *	V / r^3 - 3 (D V) D / r^5    6 e_v / r^3 + 42 |V| e_x / r^4
 *
 * Bodies closer than that are not judged, nor are the bodies that they attract.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "table/table.h"

#define TERM 32

enum {
	LEAPFROG,
	EVOLVE,
	CONSERVED,
	ENTRIES,
	MOST = 300
};

/* A body, and the error bounds of its numbers. */
struct body {
	double x[3], v[3], m, a[3], j[3];
	double ex, ev, ea, ej;
	double as, js; /* magnitudes of the terms of a and j */
};

struct scene {
	struct call *c;
	int entry, precision, hermite, unclear;
	int moved; /* bodies may have left a common place */
	size_t n, steps, every;
	double dt, g, softening, unit;
	struct host bodies, velocities;
	struct body now[MOST], next[MOST]; /* next: predicted */
	size_t told, expected; /* calls of `each' */
	double rates[8 * MOST];
};

static double length3(const double *x)
{
	return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Adds body j's terms to the acceleration and jerk of body i, and their bounds. */
static void add_pair(struct scene *s, struct body *i, const struct body *j)
{
	double D[3], V[3], d, r, off = i->ex + j->ex, w, dv = 0, speed;
	int k;

	for (k = 0; k < 3; k++) {
		D[k] = j->x[k] - i->x[k];
		V[k] = j->v[k] - i->v[k];
		dv += D[k] * V[k];
	}
	d = length3(D);
	speed = length3(V);
	r = sqrt(d * d + s->softening * s->softening);
	if (d == 0 && !s->moved)
		return;
	s->unclear |= d <= 16 * off;
	w = s->g * j->m / (r * r * r);
	for (k = 0; k < 3; k++) {
		i->a[k] += w * D[k];
		i->j[k] += w * (V[k] - 3 * dv * D[k] / (r * r));
	}
	i->as += w * d;
	i->js += 4 * w * speed;
	i->ea += 3 * w * off;
	i->ej += 6 * w * (i->ev + j->ev) + 42 * w * speed * off / r;
}

static void evaluate(struct scene *s, struct body *b)
{
	const double u = (TERM + (double)s->n) * (s->unit + DOUBLE_UNIT);
	size_t i, j;

	for (i = 0; i < s->n; i++) {
		memset(b[i].a, 0, sizeof b[i].a);
		memset(b[i].j, 0, sizeof b[i].j);
		b[i].ea = b[i].ej = b[i].as = b[i].js = 0;
		for (j = 0; j < s->n; j++)
			if (j != i)
				add_pair(s, &b[i], &b[j]);
		b[i].ea += u * b[i].as;
		b[i].ej += u * b[i].js;
	}
}

static void kick(struct scene *s, double h)
{
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		struct body *b = &s->now[i];

		for (k = 0; k < 3; k++)
			b->v[k] += h * b->a[k];
		b->ev += fabs(h) * b->ea + 8 * s->unit * (length3(b->v) + fabs(h) * b->as);
	}
}

static void drift(struct scene *s, double h)
{
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		struct body *b = &s->now[i];

		for (k = 0; k < 3; k++)
			b->x[k] += h * b->v[k];
		b->ex += fabs(h) * b->ev + 8 * s->unit * (length3(b->x) + fabs(h) * length3(b->v));
	}
}

static void leapfrog_step(struct scene *s)
{
	if (!s->unclear) {
		kick(s, s->dt / 2);
		drift(s, s->dt);
		evaluate(s, s->now);
		kick(s, s->dt / 2);
	}
}

/* Predict, evaluate, correct; the rates at the prediction begin the next step. */
static void hermite_step(struct scene *s)
{
	const double h = s->dt, H = fabs(h);
	size_t i;
	int k;

	memcpy(s->next, s->now, sizeof s->next);
	for (i = 0; i < s->n; i++) {
		struct body *b = &s->next[i];
		const double moved = H * length3(b->v) + H * H * b->as + H * H * H * b->js;

		for (k = 0; k < 3; k++) {
			b->x[k] += h * (b->v[k] + h / 2 * (b->a[k] + h / 3 * b->j[k]));
			b->v[k] += h * (b->a[k] + h / 2 * b->j[k]);
		}
		b->ex += H * (b->ev + H * (b->ea + H * b->ej)) +
		         8 * s->unit * (length3(b->x) + moved);
		b->ev += H * (b->ea + H * b->ej) +
		         8 * s->unit * (length3(b->v) + H * b->as + H * H * b->js);
	}
	evaluate(s, s->next);
	for (i = 0; i < s->n; i++) {
		struct body *b = &s->now[i], *p = &s->next[i];
		const double as = b->as + p->as, js = b->js + p->js, ea = b->ea + p->ea,
		             ej = b->ej + p->ej;

		for (k = 0; k < 3; k++) {
			b->x[k] += h * b->v[k] + h * h / 60 * (21 * b->a[k] + 9 * p->a[k]) +
			           h * h * h / 60 * (3 * b->j[k] - 2 * p->j[k]);
			b->v[k] += h / 2 * (b->a[k] + p->a[k]) + h * h / 12 * (b->j[k] - p->j[k]);
			b->a[k] = p->a[k];
			b->j[k] = p->j[k];
		}
		b->ex += H * (b->ev + H * (ea + H * ej)) +
		         16 * s->unit * (length3(b->x) + H * (length3(b->v) + H * (as + H * js)));
		b->ev += H * (ea + H * ej) + 16 * s->unit * (length3(b->v) + H * (as + H * js));
		b->as = p->as;
		b->js = p->js;
		b->ea = p->ea;
		b->ej = p->ej;
	}
}

/* ---- Problem ------------------------------------------------------------------------------- */

static double number_at(const struct scene *s, const struct host *h, size_t i)
{
	return s->entry == LEAPFROG ? (double)((const float *)h->data)[i] :
	                              ((const double *)h->data)[i];
}

static void put_number(const struct scene *s, const struct host *h, size_t i, double x)
{
	if (s->entry == LEAPFROG)
		((float *)h->data)[i] = (float)x;
	else
		((double *)h->data)[i] = x;
}

static void draw(struct scene *s)
{
	struct random *r = &s->c->r, *k = &s->c->kernel;
	static const int precisions[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
		                          CLOPT_PRECISION_DOUBLE, CLOPT_PRECISION_BEST };
	const double length = random_decades(r, -2, 2), speed = random_decades(r, -2, 1) * length;
	size_t number, i, j;

	s->entry = (int)random_below(r, ENTRIES);
	if (s->c->row)
		s->entry = s->c->row->op == CLOPT_OP_LEAPFROG    ? LEAPFROG :
		           s->c->row->op == CLOPT_OP_EVOLVE_SUMS ? CONSERVED :
		                                                   EVOLVE;
	number = s->entry == LEAPFROG ? 4 : 8;
	s->precision =
	        s->entry == LEAPFROG ? CLOPT_PRECISION_FLOAT : precisions[random_below(k, 4)];
	if (s->precision == CLOPT_PRECISION_DOUBLE && !random_device.fp64)
		s->precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	s->hermite = s->entry != LEAPFROG && random_one_in(k, 2);
	s->unit = s->precision == CLOPT_PRECISION_FLOAT ? FLOAT_UNIT :
	          s->precision == CLOPT_PRECISION_DOUBLE_SINGLE ||
	                          (s->precision == CLOPT_PRECISION_BEST && !random_device.fp64) ?
	                                                  0x1p-44 :
	                                                  DOUBLE_UNIT;
	s->n = call_size(s->c, 0);
	if (s->n > MOST)
		s->n = MOST;
	s->steps = random_below(r, s->n < 50 ? 4 : 2);
	s->every = random_below(r, 3);
	s->dt = speed > 0 ? random_decades(r, -5, -1) * (random_one_in(r, 4) ? -1 : 1) : 0;
	s->g = random_one_in(r, 2) ? 1 : random_decades(r, -2, 2);
	s->softening = random_one_in(r, 2) ? 0 : length * random_decades(r, -2, 0);
	host_open(&s->bodies, s->c, 4 * s->n * number, number);
	host_open(&s->velocities, s->c, 4 * s->n * number, number);
	for (i = 0; i < s->n; i++) {
		for (j = 0; j < 4; j++) {
			put_number(s, &s->bodies, 4 * i + j,
			           j == 3 ? random_between(r, 0.01, 1) * length :
			                    length * random_between(r, -1, 1));
			put_number(s, &s->velocities, 4 * i + j, speed * random_between(r, -1, 1));
		}
		if (random_one_in(r, 20 * (unsigned)s->n)) { /* at the place of a former */
			const size_t former = random_below(r, i + 1);

			for (j = 0; j < 3; j++)
				put_number(s, &s->bodies, 4 * i + j,
				           number_at(s, &s->bodies, 4 * former + j));
		}
	}
}

/* As given to the library: rounded to float32. */
static void take(struct scene *s)
{
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		struct body *b = &s->now[i];

		memset(b, 0, sizeof *b);
		for (k = 0; k < 3; k++) {
			b->x[k] = number_at(s, &s->bodies, 4 * i + (size_t)k);
			b->v[k] = number_at(s, &s->velocities, 4 * i + (size_t)k);
		}
		b->m = number_at(s, &s->bodies, 4 * i + 3);
		if (s->entry != LEAPFROG && s->unit > DOUBLE_UNIT) {
			b->ex = s->unit * length3(b->x);
			b->ev = s->unit * length3(b->v);
		}
	}
}

/* ---- The call --------------------------------------------------------------------------- */

static int each(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	struct scene *s = user;

	if (bodies != s->bodies.data || velocities != s->velocities.data || !(sums->mass >= 0) ||
	    (s->every ? step % s->every != 0 && step != s->steps : step != s->steps))
		call_wrong(s->c, "each at step %zu", step);
	s->told++;
	return 0;
}

static struct clopt_evolve_options evolve_options_of(struct scene *s)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;

	o.g = s->g;
	o.softening = s->softening;
	o.precision = s->precision;
	o.integrator = s->hermite ? CLOPT_INTEGRATOR_HERMITE : CLOPT_INTEGRATOR_KICK_DRIFT_KICK;
	o.every = s->every;
	o.user = s;
	o.rates = s->hermite ? s->rates : NULL;
	return o;
}

/* The same steps in two calls: the bits of one. */
static void in_two_calls(struct scene *s)
{
	const size_t bytes = s->bodies.bytes, first = 1 + random_below(&s->c->r, s->steps - 1);
	struct clopt_evolve_options e = evolve_options_of(s);
	double x[4 * MOST], v[4 * MOST], rates[8 * MOST] = { 0 };
	size_t i, steps;
	int rc = CLOPT_OK;

	memcpy(x, s->bodies.before + ((unsigned char *)s->bodies.data - s->bodies.block), bytes);
	memcpy(v,
	       s->velocities.before + ((unsigned char *)s->velocities.data - s->velocities.block),
	       bytes);
	e.rates = s->hermite ? rates : NULL;
	for (i = 0; i < 2 && rc == CLOPT_OK; i++) {
		steps = i ? s->steps - first : first;
		e.resume = (int)i;
		rc = clopt_nbody_evolve(s->c->ctx, s->n, x, v, s->dt, steps, &e);
	}
	/* Numbers of bodies that meet may be out of range on the way. */
	if (rc == CLOPT_EINVAL && s->unclear)
		return;
	if (rc || memcmp(x, s->bodies.data, bytes) || memcmp(v, s->velocities.data, bytes) ||
	    (s->hermite && memcmp(rates, s->rates, 8 * s->n * sizeof *rates)))
		call_wrong(s->c, "two calls, of %zu steps and the others: other bits, %s", first,
		           clopt_strerror(rc));
}

static int call_it(struct scene *s, struct clopt_conserved *sums)
{
	struct clopt *ctx = s->c->ctx;
	struct clopt_evolve_options e = evolve_options_of(s);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_call *started = NULL;
	int rc;

	o.g = s->g;
	o.softening = s->softening;
	s->expected = 0;
	if (random_one_in(&s->c->r, 2)) {
		e.each = each;
		s->expected = s->every ? 1 + s->steps / s->every + (s->steps % s->every != 0) : 1;
	}
	if (s->entry == CONSERVED)
		return clopt_nbody_conserved(ctx, s->n, s->bodies.data, s->velocities.data, &e,
		                             sums);
	if (s->entry == EVOLVE)
		return clopt_nbody_evolve(ctx, s->n, s->bodies.data, s->velocities.data, s->dt,
		                          s->steps, &e);
	if (s->c->form == FORM_HOST)
		return clopt_nbody_leapfrog(ctx, s->n, s->bodies.data, s->velocities.data, s->dt,
		                            s->steps, &o);
	if (s->c->form == FORM_BUFFERS)
		return clopt_nbody_leapfrog_buffers(ctx, s->n, s->bodies.buffer,
		                                    s->velocities.buffer, s->dt, s->steps, &o,
		                                    NULL);
	rc = clopt_nbody_leapfrog_start(ctx, s->n, s->bodies.data, s->velocities.data, s->dt,
	                                s->steps, &o, &started);
	return call_collected(rc, &started);
}

/* ---- The result --------------------------------------------------------------------------- */

static void judge_number(struct scene *s, const char *name, size_t i, int k, double got,
                         double want, double off)
{
	off += s->unit * fabs(want) + 1e-35;
	if (!s->unclear && !(fabs(got - want) <= off))
		call_wrong(s->c, "%s %d of body %zu is %.17g, right is %.17g, give or take %g",
		           name, k, i, got, want, off);
}

static void judge_bodies(struct scene *s)
{
	size_t i;
	int k;

	for (i = 0; i < s->steps && !s->unclear; i++)
		if (s->hermite)
			hermite_step(s);
		else
			leapfrog_step(s);
	for (i = 0; i < s->n; i++) {
		const struct body *b = &s->now[i];

		for (k = 0; k < 3; k++) {
			judge_number(s, "place", i, k, number_at(s, &s->bodies, 4 * i + (size_t)k),
			             b->x[k], b->ex);
			judge_number(s, "velocity", i, k,
			             number_at(s, &s->velocities, 4 * i + (size_t)k), b->v[k],
			             b->ev);
			host_judged(&s->bodies,
			            (char *)s->bodies.data +
			                    (4 * i + (size_t)k) * s->bodies.bytes / (4 * s->n),
			            s->bodies.bytes / (4 * s->n));
			host_judged(&s->velocities,
			            (char *)s->velocities.data +
			                    (4 * i + (size_t)k) * s->bodies.bytes / (4 * s->n),
			            s->bodies.bytes / (4 * s->n));
		}
	}
}

/* A sum a of terms, of their magnitudes, and of their error bounds as off. */
struct total {
	double a, size, off;
};

static void more(struct total *t, double a, double size, double off)
{
	t->a += a;
	t->size += size;
	t->off += off;
}

static void judge_sums(struct scene *s, const struct clopt_conserved *got)
{
	const double u = (TERM + 2 * (double)s->n) * (s->unit + DOUBLE_UNIT);
	struct total mass = { 0 }, kinetic = { 0 }, potential = { 0 }, p[3] = { { 0 } },
	             l[3] = { { 0 } }, x[3] = { { 0 } };
	size_t i, j;
	int k;

	for (i = 0; i < s->n; i++) {
		const struct body *b = &s->now[i];
		const double v = length3(b->v), X = length3(b->x), m = b->m;

		more(&mass, m, m, 0);
		more(&kinetic, m * v * v / 2, m * v * v / 2, 2 * m * v * b->ev);
		for (k = 0; k < 3; k++) {
			const int y = (k + 1) % 3, z = (k + 2) % 3;

			more(&p[k], m * b->v[k], m * v, m * b->ev);
			more(&x[k], m * b->x[k], m * X, m * b->ex);
			more(&l[k], m * (b->x[y] * b->v[z] - b->x[z] * b->v[y]), 2 * m * X * v,
			     2 * m * (X * b->ev + v * b->ex));
		}
		for (j = 0; j < i; j++) {
			const struct body *c = &s->now[j];
			const double D[3] = { b->x[0] - c->x[0], b->x[1] - c->x[1],
				              b->x[2] - c->x[2] };
			const double d = length3(D), r = sqrt(d * d + s->softening * s->softening);
			const double e = b->ex + c->ex, w = s->g * m * c->m / r;

			if (r == 0)
				continue;
			s->unclear |= s->softening == 0 && d < 16 * e;
			more(&potential, -w, w, 2 * w * e / r);
		}
	}
	judge_number(s, "mass", 0, 0, got->mass, mass.a, u * mass.size + mass.off);
	judge_number(s, "kinetic energy", 0, 0, got->kinetic, kinetic.a,
	             u * kinetic.size + kinetic.off);
	judge_number(s, "potential", 0, 0, got->potential, potential.a,
	             u * potential.size + potential.off);
	for (k = 0; k < 3; k++) {
		judge_number(s, "momentum", 0, k, got->momentum[k], p[k].a,
		             u * p[k].size + p[k].off);
		judge_number(s, "angular momentum", 0, k, got->angular_momentum[k], l[k].a,
		             u * l[k].size + l[k].off);
		if (s->n)
			judge_number(s, "centre", 0, k, got->centre[k], x[k].a / mass.a,
			             2 * (u * x[k].size + x[k].off) / mass.a);
	}
}

void random_bodies(struct call *c)
{
	static const char *const entries[] = { "leapfrog", "evolve", "conserved" };
	static struct scene s;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	struct clopt_conserved sums;
	int rc;

	memset(&s, 0, sizeof s);
	s.c = c;
	draw(&s);
	if (s.entry != LEAPFROG)
		c->form = FORM_HOST;
	call_say(c,
	         ": %s of %zu bodies, precision %d, %s, %zu steps of %g, every %zu, g %g, "
	         "softening %g",
	         entries[s.entry], s.n, s.precision, s.hermite ? "Hermite" : "leapfrog", s.steps,
	         s.dt, s.every, s.g, s.softening);
	c->type = s.entry == LEAPFROG ? CLOPT_TYPE_FLOAT : CLOPT_TYPE_DOUBLE;
	if (c->row) {
		problem.op = (int)c->row->op;
		problem.dim[0] = s.n;
		problem.precision = s.entry == LEAPFROG ? 0 : s.precision;
		if (!call_force(c, &problem))
			goto close;
	}
	host_ready(&s.bodies);
	host_ready(&s.velocities);
	take(&s);
	evaluate(&s, s.now);
	s.moved = 1;
	do
		rc = call_it(&s, &sums);
	while (call_again(c, rc));
	host_back(&s.bodies);
	host_back(&s.velocities);
	if (call_succeeded(c, rc)) {
		if (s.entry == EVOLVE && s.steps > 1)
			in_two_calls(&s);
		if (s.entry == CONSERVED)
			judge_sums(&s, &sums);
		else
			judge_bodies(&s);
		if (s.entry == EVOLVE && s.told != s.expected)
			call_wrong(c, "each was called %zu times, not %zu", s.told, s.expected);
	}
close:
	call_unforce(c);
	host_close(&s.bodies, "bodies");
	host_close(&s.velocities, "velocities");
}
