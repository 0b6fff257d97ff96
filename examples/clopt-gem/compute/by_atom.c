/* SPDX-License-Identifier: MIT */
/*
 * by_atom.c - the potential of the surface as a number for each atom.
 *
 * At an atom itself the potential is mostly that of the atoms bound to it.  So an atom gets the
 * mean over the points of the surface that are its own: no other atom is nearer to them.  One that
 * has no points, since it is buried, gets the potential of the nearest point.
 */
#include <stdlib.h>

#include "compute.h"

/* The sums over each atom's points, and how many they are. */
static void sums(const struct gem_tree *atoms, const struct gem_points *p, const float *value,
                 double *sum, size_t *count)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		const size_t own = gem_nearest(atoms, p->at[i])->index;

		sum[own] += (double)value[i];
		count[own]++;
	}
}

float *gem_by_atom(const struct gem_molecule *m, const struct gem_points *p, const float *value)
{
	float *mean = malloc(m->n * sizeof *mean);
	double *sum = calloc(m->n, sizeof *sum);
	size_t *count = calloc(m->n, sizeof *count);
	struct gem_tree atoms = { 0 }, points = { 0 };
	size_t i;

	if (!mean || !sum || !count || gem_tree_new(&atoms, m->n) || gem_tree_new(&points, p->n)) {
		free(mean);
		mean = NULL;
	} else {
		for (i = 0; i < m->n; i++)
			gem_tree_add(&atoms, m->atom[i].at, m->atom[i].r);
		for (i = 0; i < p->n; i++)
			gem_tree_add(&points, p->at[i], 0);
		gem_tree_build(&atoms);
		gem_tree_build(&points);
		sums(&atoms, p, value, sum, count);
		for (i = 0; i < m->n; i++)
			mean[i] = count[i] ? (float)(sum[i] / (double)count[i]) :
			                     value[gem_nearest(&points, m->atom[i].at)->index];
	}
	gem_tree_free(&atoms);
	gem_tree_free(&points);
	free(sum);
	free(count);
	return mean;
}
