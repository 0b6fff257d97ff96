/* SPDX-License-Identifier: MIT */
/*
 * blocks.c - Hermite's steps, each body with a step of its own.
 *
 * A step is --dt divided by a power of two, so bodies move in blocks: those whose step ends next
 * are active.  All bodies are predicted at that time, the library computes the forces on the active
 * ones, and these are corrected.  A step is halved where the criterion asks for it, and doubled
 * where it allows it and twice the step ends on a multiple of itself.  So all bodies meet after
 * each --dt.
 *
 * Times are whole numbers of ticks, of which --dt has TICKS.
 *
 * Sources: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992); Aarseth's criterion as there.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nb.h"

#define TICKS ((uint64_t)1 << 40)

struct moving {
	double x[3], m, v[3];
};

struct forced {
	double a[3], j[3];
};

struct blocks {
	const struct nb_blocks *o;
	struct nb_system *s;
	double tick; /* its length in time */
	uint64_t *time, *step; /* when a body's state holds, and its step, ticks */
	struct moving *all, *target; /* predicted: all bodies, and the active ones */
	struct forced *force;
	size_t *active;
	struct nb_blocks_done *done;
};

static double length(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ax, ay, az of body i; its step, as a part of --dt, stands behind them. */
static double *acceleration(const struct blocks *b, size_t i)
{
	return b->s->rates + 4 * i;
}

static double *jerk(const struct blocks *b, size_t i)
{
	return b->s->rates + 4 * (b->s->n + i);
}

static void predict(const struct blocks *b, size_t i, uint64_t now)
{
	const double h = (double)(now - b->time[i]) * b->tick;
	const double *a = acceleration(b, i), *j = jerk(b, i);
	struct moving *p = &b->all[i];
	int k;

	memcpy(p->x, b->s->body + 4 * i, sizeof p->x);
	p->m = b->s->body[4 * i + 3];
	memcpy(p->v, b->s->velocity + 4 * i, sizeof p->v);
	if (now == b->time[i])
		return;
	for (k = 0; k < 3; k++) {
		p->x[k] += h * (p->v[k] + h / 2 * (a[k] + h / 3 * j[k]));
		p->v[k] += h * (a[k] + h / 2 * j[k]);
	}
}

/* Forces on the first n of the active bodies. */
static int forces(struct blocks *b, size_t n)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_points s = CLOPT_POINTS_INIT, t = CLOPT_POINTS_INIT;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	size_t i;

	for (i = 0; i < n; i++)
		b->target[i] = b->all[b->active[i]];
	s.n = b->s->n;
	s.stride_bytes = sizeof *b->all;
	s.x = &b->all->x[0], s.y = &b->all->x[1], s.z = &b->all->x[2], s.w = &b->all->m;
	s.vx = &b->all->v[0], s.vy = &b->all->v[1], s.vz = &b->all->v[2];
	t.n = n;
	t.stride_bytes = sizeof *b->target;
	t.x = &b->target->x[0], t.y = &b->target->x[1], t.z = &b->target->x[2];
	t.vx = &b->target->v[0], t.vy = &b->target->v[1], t.vz = &b->target->v[2];
	r.stride_bytes = sizeof *b->force;
	r.x = &b->force->a[0], r.y = &b->force->a[1], r.z = &b->force->a[2];
	r.jx = &b->force->j[0], r.jy = &b->force->j[1], r.jz = &b->force->j[2];
	o.g = b->s->g != 0 ? b->s->g : (double)FLT_MIN; /* 0 would be the default */
	o.softening = b->s->softening;
	o.precision = b->o->precision;
	b->done->forces += (double)n;
	return clopt_gravity(b->o->ctx, &s, &t, &r, &o);
}

/* The longest step of at most `most` ticks that is no longer than so many, a power of two. */
static uint64_t shorten(uint64_t most, double ticks)
{
	while (most > 1 && (double)most > ticks)
		most /= 2;
	return most;
}

/* The corrected body at the end of its step, and its next step. */
static void correct(struct blocks *b, size_t i, const struct forced *f, uint64_t now)
{
	const double h = (double)b->step[i] * b->tick;
	double *x = b->s->body + 4 * i, *v = b->s->velocity + 4 * i, *a = acceleration(b, i),
	       *j = jerk(b, i), second[3], third[3], wanted, below;
	int k;

	for (k = 0; k < 3; k++) {
		const double a0 = a[k], j0 = j[k], a1 = f->a[k], j1 = f->j[k];

		third[k] = (12 * (a0 - a1) + 6 * h * (j0 + j1)) / (h * h * h);
		second[k] = (-6 * (a0 - a1) - h * (4 * j0 + 2 * j1)) / (h * h) + h * third[k];
		x[k] += h * (v[k] + h / 60 * (21 * a0 + 9 * a1 + h * (3 * j0 - 2 * j1)));
		v[k] += h / 60 * (30 * (a0 + a1) + 5 * h * (j0 - j1));
		a[k] = a1;
		j[k] = j1;
	}
	b->time[i] = now;
	below = length(j) * length(third) + length(second) * length(second);
	wanted = below > 0 ? sqrt(b->o->eta * (length(a) * length(second) + length(j) * length(j)) /
	                          below) :
	                     HUGE_VAL;
	wanted /= fabs(b->tick);
	if (b->step[i] < TICKS && wanted >= 2 * (double)b->step[i] && now % (2 * b->step[i]) == 0)
		b->step[i] *= 2;
	else
		b->step[i] = shorten(b->step[i], wanted);
}

/* All bodies from one --dt, the step, to the next. */
static int meet(struct blocks *b, size_t step)
{
	const size_t n = b->s->n;
	uint64_t now = 0, next;
	size_t i, active;
	int rc;

	memset(b->time, 0, n * sizeof *b->time);
	for (; now < TICKS; now = next) {
		for (next = TICKS, i = 0; i < n; i++)
			if (b->time[i] + b->step[i] < next)
				next = b->time[i] + b->step[i];
		for (active = i = 0; i < n; i++) {
			predict(b, i, next);
			if (b->time[i] + b->step[i] == next)
				b->active[active++] = i;
		}
		rc = forces(b, active);
		if (rc)
			return rc;
		for (i = 0; i < active; i++)
			correct(b, b->active[i], &b->force[i], next);
		b->done->blocks++;
		b->o->tell(b->o->user, (double)step + (double)next / (double)TICKS);
	}
	return CLOPT_OK;
}

/* Forces and steps at the start: those of an earlier run, or by |a| / |j|. */
static int begin(struct blocks *b)
{
	const size_t n = b->s->n;
	double *a, *j;
	size_t i;
	int rc;

	for (i = 0; i < n; i++) {
		b->active[i] = i;
		b->time[i] = 0;
	}
	if (b->o->resume) {
		for (i = 0; i < n; i++)
			b->step[i] = shorten(TICKS, acceleration(b, i)[3] * (double)TICKS);
		return CLOPT_OK;
	}
	for (i = 0; i < n; i++)
		predict(b, i, 0);
	rc = forces(b, n);
	for (i = 0; i < n && rc == CLOPT_OK; i++) {
		a = acceleration(b, i);
		j = jerk(b, i);
		memcpy(a, b->force[i].a, sizeof b->force->a);
		memcpy(j, b->force[i].j, sizeof b->force->j);
		b->step[i] = TICKS;
		if (length(j) > 0)
			b->step[i] = shorten(TICKS, sqrt(b->o->eta) / 2 * length(a) / length(j) /
			                                    fabs(b->tick));
	}
	return rc;
}

static int look(struct blocks *b, size_t step, int *stop)
{
	struct clopt_evolve_options eo = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_conserved sums;
	size_t i;
	int rc;

	for (i = 0; i < b->s->n; i++)
		acceleration(b, i)[3] = (double)b->step[i] / (double)TICKS;
	eo.g = b->s->g != 0 ? b->s->g : (double)FLT_MIN;
	eo.softening = b->s->softening;
	eo.precision = b->o->precision;
	rc = clopt_nbody_conserved(b->o->ctx, b->s->n, b->s->body, b->s->velocity, &eo, &sums);
	if (rc == CLOPT_OK)
		*stop = b->o->each(b->o->user, step, b->s->body, b->s->velocity, &sums);
	return rc;
}

int nb_blocks(const struct nb_blocks *o, struct nb_system *s, struct nb_blocks_done *done)
{
	const size_t n = s->n;
	struct blocks b = { .o = o, .s = s, .tick = o->dt / (double)TICKS, .done = done };
	size_t step;
	int stop = 0, rc = CLOPT_ENOMEM;

	memset(done, 0, sizeof *done);
	b.time = malloc(n * sizeof *b.time);
	b.step = malloc(n * sizeof *b.step);
	b.all = malloc(n * sizeof *b.all);
	b.target = malloc(n * sizeof *b.target);
	b.force = malloc(n * sizeof *b.force);
	b.active = malloc(n * sizeof *b.active);
	if (b.time && b.step && b.all && b.target && b.force && b.active)
		rc = begin(&b);
	for (step = 0; rc == CLOPT_OK && !stop; step++) {
		if (step == o->steps || step % o->every == 0)
			rc = look(&b, step, &stop);
		if (step == o->steps)
			break;
		if (rc == CLOPT_OK && !stop)
			rc = meet(&b, step);
	}
	free(b.active);
	free(b.force);
	free(b.target);
	free(b.all);
	free(b.step);
	free(b.time);
	return rc;
}
