/* SPDX-License-Identifier: MIT */
/*
 * unfold.c - folds of a closed mesh.
 *
 * Where two walls of a groove leave a thin ridge between them, an edge may go from wall to wall
 * instead of along the ridge.  Such an edge is the diagonal of a quadrangle: it becomes the other
 * diagonal if the sharpest of the angles there becomes less sharp.  Else a vertex there may move
 * over the surface.
 *
 * Half-edge 3 f + k goes from corner k of face f to the next corner; its twin goes back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

#define ROUNDS 10
#define SHIFTS 3 /* places to which a vertex may move */
#define LEAST_GAIN 0.01 /* of a cosine */
#define SLIVER 0.1 /* of the shape of an equilateral triangle */

struct edges {
	struct gem_points *p;
	const struct gem_marks *marks;
	unsigned *from; /* the faces, as the vertices at which half-edges begin */
	unsigned *twin;
};

static unsigned next(unsigned h)
{
	return h % 3 == 2 ? h - 2 : h + 1;
}

/* The normal of the face of a half-edge, and its shape: 1 if its sides are equal, 0 if it is
 * flat. */
static double normal(const struct edges *o, unsigned h, double n[3])
{
	const double(*at)[3] = (const double(*)[3])o->p->at;
	const double *a = at[o->from[h]], *b = at[o->from[next(h)]],
	             *c = at[o->from[next(next(h))]];
	double u[3], v[3], sides = 0, length;
	int k;

	for (k = 0; k < 3; k++) {
		u[k] = b[k] - a[k];
		v[k] = c[k] - a[k];
		sides += u[k] * u[k] + v[k] * v[k] + (c[k] - b[k]) * (c[k] - b[k]);
	}
	for (k = 0; k < 3; k++)
		n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
	length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	for (k = 0; k < 3; k++)
		n[k] /= fmax(length, 1e-300);
	return 2 * sqrt(3) * length / fmax(sides, 1e-300);
}

/* The least cosine of the angles at a half-edge and at the other four sides of its two faces; in
 * *shape the lesser one of these. */
static double sharpest(const struct edges *o, unsigned h, double *shape)
{
	double n[2][3], m[3], least = 1;
	unsigned g[2] = { h, o->twin[h] };
	int i, k;

	*shape = fmin(normal(o, g[0], n[0]), normal(o, g[1], n[1]));
	for (i = 0; i < 2; i++)
		for (k = 0; k < 3; k++, g[i] = next(g[i])) {
			normal(o, o->twin[g[i]], m);
			least = fmin(least, n[i][0] * m[0] + n[i][1] * m[1] + n[i][2] * m[2]);
		}
	return least;
}

/* 1 if an edge joins the corners opposite to this one. */
static int joined(const struct edges *o, unsigned h)
{
	const unsigned begin = next(next(h)), to = o->from[next(next(o->twin[h]))];
	unsigned i = begin;

	do {
		if (o->from[next(i)] == to)
			return 1;
		i = o->twin[next(next(i))];
	} while (i != begin);
	return 0;
}

static void pair(struct edges *o, unsigned h, unsigned g)
{
	o->twin[h] = g;
	o->twin[g] = h;
}

/* Turns an edge to the other diagonal, which is returned. */
static unsigned turn(struct edges *o, unsigned h)
{
	const unsigned g = o->twin[h], to = next(next(h)), back = next(next(g));
	const unsigned beside = o->twin[to], beyond = o->twin[back];

	o->from[h] = o->from[back];
	o->from[g] = o->from[to];
	pair(o, h, beyond);
	pair(o, g, beside);
	pair(o, to, back);
	return to;
}

/* Turns an edge where that helps: 1. */
static int turn_if(struct edges *o, unsigned h)
{
	double shape, old;
	const double before = sharpest(o, h, &old);
	unsigned other;

	if (before >= 0 || joined(o, h))
		return 0;
	other = turn(o, h);
	if (sharpest(o, other, &shape) > before + LEAST_GAIN && shape > fmin(SLIVER, old))
		return 1;
	turn(o, other);
	return 0;
}

/* The least cosine at the edges of all faces round the vertex at which a half-edge begins, in
 * *shape the least of these, and the mean of the vertex's neighbours. */
static double around(const struct edges *o, unsigned begin, double mean[3], double *shape)
{
	double n[3], m[3], least = 1, all = 0;
	unsigned h = begin;
	int i, k;

	*shape = 1;
	memset(mean, 0, 3 * sizeof *mean);
	do {
		*shape = fmin(*shape, normal(o, h, n));
		for (i = 0; i < 2; i++) {
			normal(o, o->twin[i ? next(h) : h], m);
			least = fmin(least, n[0] * m[0] + n[1] * m[1] + n[2] * m[2]);
		}
		for (k = 0; k < 3; k++)
			mean[k] += o->p->at[o->from[next(h)]][k];
		all++;
		h = o->twin[next(next(h))];
	} while (h != begin);
	for (k = 0; k < 3; k++)
		mean[k] /= all;
	return least;
}

/* Moves a vertex over the surface towards its neighbours' mean where that helps: 1. */
static int shift_if(struct edges *o, unsigned h)
{
	double *at = o->p->at[o->from[h]], old[3], mean[3], none[3], to[3], shape, was;
	const double before = around(o, h, mean, &was);
	struct gem_foot t;
	int i, k;

	memcpy(old, at, sizeof old);
	for (i = 1; before < 0 && i <= SHIFTS; i++) {
		for (k = 0; k < 3; k++)
			to[k] = old[k] + (mean[k] - old[k]) * i / SHIFTS;
		gem_foot(&t, o->marks, to);
		memcpy(at, t.at, sizeof old);
		if (around(o, h, none, &shape) > before + LEAST_GAIN && shape > fmin(SLIVER, was)) {
			for (k = 0; k < 3; k++)
				o->p->normal[o->from[h]][k] = (float)t.normal[k];
			return 1;
		}
	}
	memcpy(at, old, sizeof old);
	return 0;
}

/* Twins, by lists of the half-edges that begin at each vertex. */
static int find_twins(struct edges *o)
{
	const unsigned n = (unsigned)(3 * o->p->faces);
	unsigned *first = calloc(o->p->n + 2, sizeof *first), *list = malloc(n * sizeof *list), h,
	         i;
	size_t v;

	if (first && list) {
		for (h = 0; h < n; h++)
			first[o->from[h] + 2]++;
		for (v = 2; v < o->p->n + 2; v++)
			first[v] += first[v - 1];
		for (h = 0; h < n; h++)
			list[first[o->from[h] + 1]++] = h;
		for (h = 0; h < n; h++) {
			const unsigned to = o->from[next(h)];

			for (i = first[to]; i < first[to + 1]; i++)
				if (o->from[next(list[i])] == o->from[h])
					o->twin[h] = list[i];
		}
	}
	free(first);
	free(list);
	return first && list ? 0 : -1;
}

int gem_unfold(struct gem_points *p, const struct gem_marks *marks, struct fault *e)
{
	const unsigned n = (unsigned)(3 * p->faces);
	struct edges o = { p, marks, p->faces ? *p->face : NULL, malloc((n + 1) * sizeof *o.twin) };
	int round, better = 1;
	double shape;
	unsigned h;

	if (!o.twin || find_twins(&o)) {
		free(o.twin);
		return fail(e, "out of memory for %zu faces", p->faces);
	}
	for (round = 0; better && round < ROUNDS; round++)
		for (h = 0, better = 0; h < n; h++)
			if (sharpest(&o, h, &shape) < 0)
				better |= turn_if(&o, h) || shift_if(&o, h) ||
				          shift_if(&o, next(next(h)));
	free(o.twin);
	return 0;
}
