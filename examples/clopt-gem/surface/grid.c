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

/* The sides of the box, and the longest. */
static double sides(const struct gem_molecule *m, double margin, double low[3], double high[3])
{
	double most = 0;
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
	return most;
}

static int shape(struct gem_grid *g, const struct gem_molecule *m, const struct gem_box *box,
                 struct fault *e)
{
	double low[3], high[3], total = 1, n;
	const double most = sides(m, box->margin, low, high);
	int k;

	for (k = 0; k < 3; k++) {
		g->step[k] = as_written(box->step[0] > 0 ? box->step[k] :
		                                           most / (double)(box->nodes[0] - 1));
		if (g->step[k] <= 0)
			return fail(e, "the box of the grid has no extent: give a --margin");
		if (box->origin)
			low[k] = as_written(box->origin[k]);
		/* Rounding of the longest side must not add a node. */
		n = box->nodes[1] ? (double)box->nodes[k] :
		                    ceil((high[k] - low[k]) / g->step[k] * (1 - 1e-6)) + 1;
		if (n < 2)
			return fail(e,
			            "along %c the grid begins at %g, beyond the end of the atoms' "
			            "box at %g: give the nodes by --grid NX,NY,NZ",
			            "xyz"[k], low[k], high[k]);
		total *= n;
		if (total > 1e11)
			return fail(e, "a grid of %.3g nodes along %.*s is too large", total, k + 1,
			            "xyz");
		g->n[k] = (size_t)n;
		g->origin[k] =
		        box->origin ? low[k] :
		                      as_written((high[k] + low[k]) / 2 - (n - 1) / 2 * g->step[k]);
	}
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
		return fail(e,
		            "a grid of %zu nodes takes %.0f GB: that is more than the memory here",
		            n, (double)n * NODE_BYTES / 1e9);
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

int gem_grid(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m,
             const struct gem_box *box, struct fault *e)
{
	memset(g, 0, sizeof *g);
	memset(p, 0, sizeof *p);
	return shape(g, m, box, e) || nodes_of(g, p, m, e) ? -1 : 0;
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
