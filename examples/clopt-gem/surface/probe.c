/* SPDX-License-Identifier: MIT */
/*
 * probe.c - where the centre of a probe can be that rolls over the atoms (Richards 1977).
 *
 * The centres are the boundary of the spheres, which are the atoms grown by the probe's radius:
 * patches of the spheres, and the arcs of the circles in which two of them meet, which bound the
 * patches.  The centre nearest to a point is its projection onto a sphere or an arc, or the end of
 * an arc.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

#define TURN 6.283185307179586

/* A part of a circle that no other sphere covers. */
struct gem_arc {
	double centre[3], radius;
	double u[3], v[3]; /* at the angles 0 and a quarter turn */
	double from, length; /* angles; from is 0 to a turn */
};

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(double to[3], const double a[3], const double b[3])
{
	int k;

	for (k = 0; k < 3; k++)
		to[k] = a[k] - b[k];
}

/* ------------------------------------------------------ the arcs ---- */

/* A part of a circle that a sphere covers; angles, from at least 0. */
struct part {
	double from, to;
};

/* The spheres that meet one, and the parts of a circle. */
struct near {
	const struct gem_node **ball;
	struct part *part;
	size_t n, room, parts, part_room;
	int bad; /* no memory */
};

static double gather(void *to, const struct gem_node *ball, double within)
{
	struct near *s = to;

	if (!s->bad && !(s->bad = grow(&s->ball, s->n, &s->room, sizeof *s->ball)))
		s->ball[s->n++] = ball;
	return within;
}

/* The circle in which spheres i and j meet; 0: they do not. */
static int circle(struct gem_arc *a, const struct gem_node *i, const struct gem_node *j)
{
	double axis[3], d, t, len;
	int k, least;

	minus(axis, j->at, i->at);
	d = sqrt(dot(axis, axis));
	t = (d * d + i->radius * i->radius - j->radius * j->radius) / (2 * d);
	if (!(d > 0) || fabs(t) >= i->radius)
		return 0;
	a->radius = sqrt(i->radius * i->radius - t * t);
	for (k = 0; k < 3; k++) {
		axis[k] /= d;
		a->centre[k] = i->at[k] + t * axis[k];
	}
	least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
	least = fabs(axis[2]) < fabs(axis[least]) ? 2 : least;
	for (k = 0; k < 3; k++)
		a->u[k] = (k == least) - axis[least] * axis[k];
	len = sqrt(dot(a->u, a->u));
	for (k = 0; k < 3; k++)
		a->u[k] /= len;
	for (k = 0; k < 3; k++)
		a->v[k] = axis[(k + 1) % 3] * a->u[(k + 2) % 3] -
		          axis[(k + 2) % 3] * a->u[(k + 1) % 3];
	return 1;
}

/* The part of the circle that a sphere covers, at most cut in two at the angle 0.  -1: all of it,
 * or no memory. */
static int cover(struct near *s, const struct gem_arc *a, const struct gem_node *ball)
{
	double w[3], x, y, most, c, from, to;

	minus(w, a->centre, ball->at);
	x = dot(w, a->u);
	y = dot(w, a->v);
	/* A point of the circle is in the ball where cos(angle - that of x and y) < c / most. */
	c = (ball->radius * ball->radius - dot(w, w) - a->radius * a->radius) / (2 * a->radius);
	most = sqrt(x * x + y * y);
	if (c >= most)
		return -1;
	if (c <= -most)
		return 0;
	from = atan2(y, x) + acos(c / most);
	to = from + TURN - 2 * acos(c / most);
	from += from < 0 ? TURN : 0;
	to += to - from > TURN ? -TURN : to < from ? TURN : 0;
	if (grow(&s->part, s->parts + 1, &s->part_room, sizeof *s->part)) {
		s->bad = 1;
		return -1;
	}
	s->part[s->parts++] = (struct part){ from, fmin(to, TURN) };
	if (to > TURN)
		s->part[s->parts++] = (struct part){ 0, to - TURN };
	return 0;
}

static int by_from(const void *a, const void *b)
{
	const struct part *p = a, *q = b;

	return (p->from > q->from) - (p->from < q->from);
}

static int add(struct gem_probe *o, const struct gem_arc *a, double from, double to)
{
	if (grow(&o->arc, o->arcs, &o->room, sizeof *o->arc))
		return -1;
	o->arc[o->arcs] = *a;
	o->arc[o->arcs].from = from;
	o->arc[o->arcs++].length = to - from;
	return 0;
}

/* The parts of the circle that are left.  -1: no memory. */
static int rest(struct gem_probe *o, const struct gem_arc *a, struct near *s)
{
	double at = 0;
	size_t i;

	if (s->parts)
		qsort(s->part, s->parts, sizeof *s->part, by_from);
	for (i = 0; i < s->parts; i++) {
		if (s->part[i].from > at && add(o, a, at, s->part[i].from))
			return -1;
		at = fmax(at, s->part[i].to);
	}
	return at < TURN ? add(o, a, at, TURN) : 0;
}

/* The arcs of sphere i with spheres of higher index; open[]: 1 where a sphere has an arc. */
static int arcs(struct gem_probe *o, const struct gem_node *i, struct near *s, char *open)
{
	struct gem_arc a;
	size_t j, k, before;
	int met = 0, all;

	s->n = 0;
	gem_each_within(&o->spheres, i->at, i->radius, gather, s);
	for (j = 0; j < s->n && !s->bad; j++) {
		if (s->ball[j] == i || !circle(&a, i, s->ball[j]))
			continue;
		met = 1;
		if (s->ball[j]->index < i->index)
			continue;
		s->parts = 0;
		for (k = all = 0; k < s->n && !all; k++)
			all = k != j && s->ball[k] != i && cover(s, &a, s->ball[k]);
		before = o->arcs;
		if (all || (s->bad = rest(o, &a, s)) || o->arcs == before)
			continue;
		open[i->index] = open[s->ball[j]->index] = 1;
	}
	/* A sphere without a circle is bare; one whose circles are all covered is covered
	 * itself. */
	open[i->index] |= !met;
	return s->bad ? -1 : 0;
}

static int spheres(struct gem_probe *o, const struct gem_tree *balls, const struct gem_molecule *m)
{
	size_t i, ball = 0;

	if (gem_tree_new(&o->spheres, m->n))
		return -1;
	for (i = 0; i < m->n; i++) {
		const struct gem_atom *a = &m->atom[i];

		/* The ball nearest to the centre of an atom is another only if that holds all of
		 * the atom. */
		if (a->r > 0 && gem_nearest(balls, a->at)->index == ball++)
			gem_tree_add(&o->spheres, a->at, a->r + o->radius);
	}
	gem_tree_build(&o->spheres);
	return 0;
}

/* The spheres that the probe touches, with their arcs. */
static int open_spheres(struct gem_probe *o, const char *open, const size_t *first,
                        const size_t *count)
{
	const struct gem_node *by = o->spheres.node;
	size_t i, n = 0;

	o->first = malloc(o->spheres.n * 2 * sizeof *o->first);
	if (!o->first || gem_tree_new(&o->open, o->spheres.n))
		return -1;
	for (i = 0; i < o->spheres.n; i++) {
		if (!open[by[i].index])
			continue;
		gem_tree_add(&o->open, by[i].at, by[i].radius);
		o->first[n++] = first[i];
		o->first[n++] = count[i];
	}
	gem_tree_build(&o->open);
	return 0;
}

int gem_probe(struct gem_probe *o, const struct gem_tree *balls, const struct gem_molecule *m,
              double radius)
{
	struct near s = { 0 };
	size_t i, *first = NULL, *count = NULL;
	char *open = NULL;
	int rc;

	memset(o, 0, sizeof *o);
	o->radius = radius;
	rc = spheres(o, balls, m);
	if (rc == 0) {
		open = calloc(o->spheres.n + 1, 1);
		first = malloc((o->spheres.n + 1) * sizeof *first);
		count = malloc((o->spheres.n + 1) * sizeof *count);
		rc = open && first && count ? 0 : -1;
	}
	for (i = 0; rc == 0 && i < o->spheres.n; i++) {
		first[i] = o->arcs;
		rc = arcs(o, &o->spheres.node[i], &s, open);
		count[i] = o->arcs - first[i];
	}
	if (rc == 0)
		rc = open_spheres(o, open, first, count);
	free(open);
	free(first);
	free(count);
	free(s.ball);
	free(s.part);
	return rc;
}

void gem_probe_free(struct gem_probe *o)
{
	gem_tree_free(&o->spheres);
	gem_tree_free(&o->open);
	free(o->arc);
	free(o->first);
	memset(o, 0, sizeof *o);
}

/* ------------------------------------------------- the nearest centre ---- */

struct query {
	const struct gem_probe *o;
	const double *at;
	double best, centre[3];
};

static void candidate(struct query *q, const double centre[3])
{
	double d[3], far;

	minus(d, centre, q->at);
	far = sqrt(dot(d, d));
	if (far < q->best) {
		q->best = far;
		memcpy(q->centre, centre, sizeof q->centre);
	}
}

static void by_arc(struct query *q, const struct gem_arc *a)
{
	double w[3], c[3], x, y, up, angle;
	int k;

	minus(w, q->at, a->centre);
	x = dot(w, a->u);
	y = dot(w, a->v);
	up = dot(w, w) - x * x - y * y;
	if (up + pow(sqrt(x * x + y * y) - a->radius, 2) >= q->best * q->best)
		return;
	angle = atan2(y, x) - a->from;
	while (angle < 0)
		angle += TURN;
	if (angle > a->length) /* the nearer end */
		angle = angle - a->length < TURN - angle ? a->length : 0;
	for (k = 0; k < 3; k++)
		c[k] = a->centre[k] + a->radius * (cos(a->from + angle) * a->u[k] +
		                                   sin(a->from + angle) * a->v[k]);
	candidate(q, c);
}

static double visit(void *to, const struct gem_node *ball, double within)
{
	struct query *q = to;
	double d[3], c[3], far;
	const size_t *arcs = q->o->first + 2 * ball->index;
	size_t i;
	int k;

	(void)within;
	minus(d, q->at, ball->at);
	far = sqrt(dot(d, d));
	if (fabs(far - ball->radius) >= q->best)
		return q->best;
	for (k = 0; k < 3; k++)
		c[k] = ball->at[k] + ball->radius * (far > 0 ? d[k] / far : k == 0);
	if (!gem_any_within(&q->o->spheres, c, -GEM_TOUCH))
		candidate(q, c);
	for (i = arcs[0]; i < arcs[0] + arcs[1]; i++)
		by_arc(q, &q->o->arc[i]);
	return q->best;
}

double gem_probe_nearest(const struct gem_probe *o, const double at[3], double within,
                         double centre[3])
{
	struct query q = { .o = o, .at = at, .best = within };

	gem_each_within(&o->open, at, within, visit, &q);
	if (q.best < within)
		memcpy(centre, q.centre, sizeof q.centre);
	return q.best;
}
