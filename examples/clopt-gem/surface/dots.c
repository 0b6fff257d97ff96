/* SPDX-License-Identifier: MIT */
/*
 * dots.c - the solvent-accessible surface as dots (Shrake and Rupley 1973).
 *
 * Each atom's sphere, grown by the probe, gets dots on a golden spiral.  A dot stays if no atom is
 * nearer to it than the probe's radius.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

#define MOST_DOTS 1000000 /* on one sphere */
#define KEPT 61 /* spirals of different size */
#define RECENT 16

/* n directions that share the sphere evenly, kept for the next atom of the same size: a molecule
 * has few sizes. */
struct spiral {
	double (*u)[3];
	size_t n;
};

static const struct spiral *spiral(struct spiral kept[KEPT], size_t n)
{
	const double turn = 2.399963229728653; /* the golden angle, pi (3 - sqrt 5) */
	struct spiral *s = &kept[n % KEPT];
	double z, r;
	size_t i;

	if (s->n == n)
		return s;
	free(s->u);
	s->u = malloc(n * sizeof *s->u);
	s->n = s->u ? n : 0;
	for (i = 0; i < s->n; i++) {
		z = 1 - (2 * (double)i + 1) / (double)n;
		r = sqrt(1 - z * z);
		s->u[i][0] = r * cos(turn * (double)i);
		s->u[i][1] = r * sin(turn * (double)i);
		s->u[i][2] = z;
	}
	return s->u ? s : NULL;
}

/* Is the point within reach of a ball?  The balls that covered the last dots mostly cover the next,
 * which saves the search. */
static int covered(const struct gem_tree *balls, const struct gem_node *recent[RECENT], size_t turn,
                   const double at[3], double reach)
{
	const struct gem_node *b;
	size_t i;

	for (i = 0; i < RECENT && (b = recent[i]) != NULL; i++) {
		const double x = at[0] - b->at[0], y = at[1] - b->at[1], z = at[2] - b->at[2];

		if (x * x + y * y + z * z < (b->radius + reach) * (b->radius + reach))
			return 1;
	}
	b = gem_any_within(balls, at, reach);
	if (b)
		recent[i < RECENT ? i : turn % RECENT] = b;
	return b != NULL;
}

static int sphere(struct gem_points *p, const struct gem_tree *balls, const struct gem_atom *a,
                  double probe, double density, struct spiral kept[KEPT], struct fault *e)
{
	const double r = a->r + probe, want = ceil(density * 4 * 3.141592653589793 * r * r);
	const struct gem_node *recent[RECENT] = { NULL };
	const struct spiral *s;
	double at[3];
	size_t i;
	int k;

	if (want > MOST_DOTS)
		return fail(
		        e,
		        "%.0f dots on an atom of radius %g are too many: give a smaller --density",
		        want, a->r);
	s = spiral(kept, (size_t)want);
	if (!s)
		return fail(e, "out of memory for dots");
	for (i = 0; i < s->n; i++) {
		for (k = 0; k < 3; k++)
			at[k] = a->at[k] + r * s->u[i][k];
		/* Rounded, the atom itself must not cover its dots. */
		if (!covered(balls, recent, i, at, probe - GEM_TOUCH) &&
		    gem_points_add(p, at, s->u[i], e))
			return -1;
	}
	return 0;
}

int gem_dots(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
             struct fault *e)
{
	struct spiral kept[KEPT] = { { NULL, 0 } };
	struct gem_marks marks;
	const struct gem_atom *a;
	size_t i, ball = 0;
	int rc = gem_marks(&marks, NULL, m) ? fail(e, "out of memory for %zu atoms", m->n) : 0;

	memset(p, 0, sizeof *p);
	if (rc == 0 && !marks.balls.n)
		rc = fail(e, "no atom has a radius: there is no surface");
	for (i = 0; rc == 0 && i < m->n; i++) {
		a = &m->atom[i];
		/* The ball nearest to the centre of an atom is another only if it holds all of the
		 * atom; of two equal spheres the first has the dots. */
		if (a->r > 0 && gem_nearest(&marks.balls, a->at)->index == ball++)
			rc = sphere(p, &marks.balls, a, probe, density, kept, e);
	}
	if (rc == 0 && p->n == 0)
		rc = fail(e, "the surface has no dots: give a larger --density");
	p->offset = probe;
	p->rolled = 1;
	p->probe = probe;
	if (rc)
		gem_points_free(p);
	for (i = 0; i < KEPT; i++)
		free(kept[i].u);
	gem_marks_free(&marks);
	return rc;
}
