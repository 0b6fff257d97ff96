/* SPDX-License-Identifier: MIT */
/*
 * nearest.c - which of many points is nearest, by a tree that halves them.
 *
 * The middle of an array of nodes splits the rest by one coordinate, and so on
 * in both halves.  Unlike a list by cells it does not mind points that lie far
 * from all others, nor asking from far away, as the corners of a grid do.
 */
#include <math.h>
#include <stdlib.h>

#include "gem.h"

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

	while (n) {
		mid = n / 2;
		axis = widest(v, n);
		split(v, (ptrdiff_t)n, (ptrdiff_t)mid, axis);
		v[mid].axis = axis;
		build(v, mid);
		v += mid + 1;
		n -= mid + 1;
	}
}

struct gem_node *gem_tree(const double (*at)[3], size_t n)
{
	struct gem_node *v = n ? malloc(n * sizeof *v) : NULL;
	size_t i;
	int k;

	if (!v)
		return NULL;
	for (i = 0; i < n; i++) {
		for (k = 0; k < 3; k++)
			v[i].at[k] = at[i][k];
		v[i].index = i;
	}
	build(v, n);
	return v;
}

struct best {
	const struct gem_node *node;
	double dd;
};

static void look(struct best *b, const struct gem_node *v, size_t n, const double at[3])
{
	const struct gem_node *mid;
	double x, y, z, dd, beyond;

	while (n) {
		mid = v + n / 2;
		x = at[0] - mid->at[0];
		y = at[1] - mid->at[1];
		z = at[2] - mid->at[2];
		dd = x * x + y * y + z * z;
		if (!b->node || dd < b->dd || (dd == b->dd && mid->index < b->node->index)) {
			b->node = mid;
			b->dd = dd;
		}
		beyond = mid->axis == 0 ? x : mid->axis == 1 ? y : z;
		/* The near half first; the far one only if it can hold a nearer. */
		if (beyond < 0) {
			look(b, v, n / 2, at);
			if (beyond * beyond > b->dd)
				return;
			n -= n / 2 + 1;
			v = mid + 1;
		} else {
			look(b, mid + 1, n - n / 2 - 1, at);
			if (beyond * beyond > b->dd)
				return;
			n /= 2;
		}
	}
}

const struct gem_node *gem_nearest(const struct gem_node *tree, size_t n, const double at[3])
{
	struct best b = { NULL, 0 };

	look(&b, tree, n, at);
	return b.node;
}
