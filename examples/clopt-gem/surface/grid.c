/* SPDX-License-Identifier: MIT */
/*
 * grid.c - the nodes of a regular grid round a molecule.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

/* Three doubles for its place, four floats for a target, two for the results. */
#define NODE_BYTES 48.

/* The number as an OpenDX file shows it, since readers place the nodes by the file. */
static double as_written(double v)
{
	char s[40];

	snprintf(s, sizeof s, "%.6e", v);
	return strtod(s, NULL);
}

static int shape(struct gem_grid *g, const struct gem_molecule *m, size_t nodes, double margin,
                 struct fault *e)
{
	double low[3], high[3], most = 0, total = 1, n;
	size_t i;
	int k;

	for (k = 0; k < 3; k++) {
		low[k] = HUGE_VAL;
		high[k] = -HUGE_VAL;
		for (i = 0; i < m->n; i++) {
			low[k] = fmin(low[k], m->atom[i].at[k] - (m->atom[i].r + margin));
			high[k] = fmax(high[k], m->atom[i].at[k] + (m->atom[i].r + margin));
		}
		most = fmax(most, high[k] - low[k]);
	}
	g->step[0] = g->step[1] = g->step[2] = as_written(most / (double)(nodes - 1));
	if (g->step[0] <= 0)
		return fail(e, "the box of the grid has no extent; give it a --margin");
	for (k = 0; k < 3; k++) {
		/* Rounding of the longest side must not add a node. */
		n = ceil((high[k] - low[k]) / g->step[k] * (1 - 1e-6)) + 1;
		total *= n;
		g->n[k] = (size_t)n;
		g->origin[k] = as_written((high[k] + low[k]) / 2 - (n - 1) / 2 * g->step[k]);
	}
	if (total > 1e11)
		return fail(e, "a grid of %.3g nodes is too large", total);
	return 0;
}

/* The nodes as points, and how many of them lie in atoms. */
static int nodes_of(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m,
                    struct fault *e)
{
	struct gem_marks marks;
	size_t i, n, at[3];
	int k;

	memset(p, 0, sizeof *p);
	n = g->n[0] * g->n[1] * g->n[2];
	p->at = malloc(n * sizeof *p->at);
	if (!p->at || gem_marks(&marks, NULL, m)) {
		gem_points_free(p);
		return fail(e, "a grid of %zu nodes takes %.0f GB, more memory than there is", n,
		            (double)n * NODE_BYTES / 1e9);
	}
	p->n = p->room = n;
	for (i = 0; i < n; i++) {
		at[0] = i / g->n[2] / g->n[1];
		at[1] = i / g->n[2] % g->n[1];
		at[2] = i % g->n[2];
		for (k = 0; k < 3; k++)
			p->at[i][k] = g->origin[k] + (double)at[k] * g->step[k];
		g->in_atoms += gem_any_within(&marks.balls, p->at[i], 0) != NULL;
	}
	gem_marks_free(&marks);
	return 0;
}

int gem_grid(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m, size_t nodes,
             double margin, struct fault *e)
{
	memset(g, 0, sizeof *g);
	memset(p, 0, sizeof *p);
	return shape(g, m, nodes, margin, e) || nodes_of(g, p, m, e) ? -1 : 0;
}

int gem_grid_like(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m,
                  const struct gem_map *map, struct fault *e)
{
	memset(g, 0, sizeof *g);
	memcpy(g->origin, map->origin, sizeof g->origin);
	memcpy(g->step, map->step, sizeof g->step);
	memcpy(g->n, map->n, sizeof g->n);
	return nodes_of(g, p, m, e);
}
