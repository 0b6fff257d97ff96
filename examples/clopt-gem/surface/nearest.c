/* SPDX-License-Identifier: MIT */
/*
 * nearest.c - the nearest of many points or balls, by a k-d tree.
 *
 * The middle of an array of nodes splits the rest by one coordinate, and so on
 * in both halves.  Unlike a cell list, the tree stays fast with points far from all others and with
 * queries from far away, as from the corners of a grid.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

#define LEAF 4 /* so few nodes are looked at one by one */

/* The coordinate in which the nodes spread most. */
static int widest(const struct gem_node *v, size_t n)
{
	double low, high, most = -1;
	int k, axis = 0;
	size_t i;

	for (k = 0; k < 3; k++) {
		low = high = v[0].at[k];
		for (i = 1; i < n; i++) {
			low = fmin(low, v[i].at[k]);
			high = fmax(high, v[i].at[k]);
		}
		if (high - low > most) {
			most = high - low;
			axis = k;
		}
	}
	return axis;
}

/* Hoare's selection: none before v[mid] is larger, none behind it smaller. */
static void split(struct gem_node *v, ptrdiff_t n, ptrdiff_t mid, int axis)
{
	ptrdiff_t low = 0, high = n - 1, i, j;
	struct gem_node swap;
	double pivot;

	while (low < high) {
		pivot = v[low + (high - low) / 2].at[axis];
		for (i = low, j = high; i <= j;) {
			while (v[i].at[axis] < pivot)
				i++;
			while (v[j].at[axis] > pivot)
				j--;
			if (i <= j) {
				swap = v[i];
				v[i++] = v[j];
				v[j--] = swap;
			}
		}
		if (mid <= j)
			high = j;
		else if (mid >= i)
			low = i;
		else
			return;
	}
}

static void build(struct gem_node *v, size_t n)
{
	size_t mid;
	int axis;

	while (n > LEAF) {
		mid = n / 2;
		axis = widest(v, n);
		split(v, (ptrdiff_t)n, (ptrdiff_t)mid, axis);
		v[mid].axis = axis;
		build(v, mid);
		v += mid + 1;
		n -= mid + 1;
	}
}

int gem_tree_new(struct gem_tree *t, size_t n)
{
	int k;

	memset(t, 0, sizeof *t);
	for (k = 0; k < 3; k++) {
		t->low[k] = HUGE_VAL;
		t->high[k] = -HUGE_VAL;
	}
	t->node = malloc((n ? n : 1) * sizeof *t->node);
	return t->node ? 0 : -1;
}

void gem_tree_add(struct gem_tree *t, const double at[3], double radius)
{
	struct gem_node *v = &t->node[t->n];
	int k;

	for (k = 0; k < 3; k++) {
		v->at[k] = at[k];
		t->low[k] = fmin(t->low[k], at[k]);
		t->high[k] = fmax(t->high[k], at[k]);
	}
	v->index = t->n++;
	v->radius = radius;
	t->largest = fmax(t->largest, radius);
}

void gem_tree_build(struct gem_tree *t)
{
	build(t->node, t->n);
}

void gem_tree_free(struct gem_tree *t)
{
	free(t->node);
	memset(t, 0, sizeof *t);
}

struct search {
	const double *at;
	const struct gem_node *best;
	double distance; /* of the best, or that which it has to be below */
	double largest; /* radius */
	double beyond; /* the square of a distance at which no centre can be better */
	int any; /* 1: the first that is found will do */
	gem_visit *each; /* NULL: the best is wanted */
	void *to;
};

static void limit(struct search *s, double distance)
{
	const double centre = fmax(distance + s->largest, 0);

	s->distance = distance;
	s->beyond = centre * centre * (1 + 1e-12); /* rounded, it must not hide the best */
}

static void visit(struct search *s, const struct gem_node *v)
{
	const double x = s->at[0] - v->at[0], y = s->at[1] - v->at[1], z = s->at[2] - v->at[2];
	const double distance = sqrt(x * x + y * y + z * z) - v->radius;

	if (s->each) {
		if (distance < s->distance)
			limit(s, s->each(s->to, v, s->distance));
	} else if (distance < s->distance ||
	           (s->best && distance == s->distance && v->index < s->best->index)) {
		s->best = v;
		limit(s, distance);
		if (s->any)
			s->beyond = -1;
	}
}

/* from: the distance of the box of these n nodes, by axis. */
static void look(struct search *s, const struct gem_node *v, size_t n, const double from[3])
{
	double beyond, off[3] = { from[0], from[1], from[2] };
	const struct gem_node *mid;
	size_t near, i;

	while (n > LEAF) {
		mid = v + n / 2;
		beyond = s->at[mid->axis] - mid->at[mid->axis];
		visit(s, mid);
		/* The near half first; the far half only if it can hold a nearer node. */
		near = beyond < 0 ? n / 2 : n - n / 2 - 1;
		look(s, beyond < 0 ? v : mid + 1, near, off);
		off[mid->axis] = fmax(off[mid->axis], fabs(beyond));
		if (off[0] * off[0] + off[1] * off[1] + off[2] * off[2] > s->beyond)
			return;
		v = beyond < 0 ? mid + 1 : v;
		n -= near + 1;
	}
	for (i = 0; i < n; i++)
		visit(s, v + i);
}

static const struct gem_node *search(const struct gem_tree *t, const double at[3], double distance,
                                     int any, gem_visit *each, void *to)
{
	struct search s = { at, NULL, 0, t->largest, 0, any, each, to };
	double off[3];
	int k;

	limit(&s, distance);
	for (k = 0; k < 3; k++)
		off[k] = fmax(fmax(t->low[k] - at[k], at[k] - t->high[k]), 0);
	if (off[0] * off[0] + off[1] * off[1] + off[2] * off[2] <= s.beyond)
		look(&s, t->node, t->n, off);
	return s.best;
}

const struct gem_node *gem_within(const struct gem_tree *t, const double at[3], double distance)
{
	return search(t, at, distance, 0, NULL, NULL);
}

const struct gem_node *gem_any_within(const struct gem_tree *t, const double at[3], double distance)
{
	return search(t, at, distance, 1, NULL, NULL);
}

const struct gem_node *gem_nearest(const struct gem_tree *t, const double at[3])
{
	return search(t, at, HUGE_VAL, 0, NULL, NULL);
}

void gem_each_within(const struct gem_tree *t, const double at[3], double distance, gem_visit *each,
                     void *to)
{
	search(t, at, distance, 0, each, to);
}
