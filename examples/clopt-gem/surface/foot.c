/* SPDX-License-Identifier: MIT */
/*
 * foot.c - where a point lies to the molecule's surface.
 *
 * A probe rolls over the atoms; the molecule is the space that it cannot enter (Richards 1977).  So
 * the distance of a point in the molecule from its surface is that from the nearest centre that the
 * probe can have (probe.c), less the probe's radius.
 *
 * The probe of a surface from a file is not known; there the normal of the nearest vertex decides
 * the side.  A point in an atom is always inside.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

/* Files give vertices on atoms to three digits. */
#define THREE_DIGITS 1e-3

static int feet(struct gem_marks *f, const struct gem_points *surface)
{
	double at[3];
	size_t i;
	int k;

	if (gem_tree_new(&f->feet, surface->n))
		return -1;
	for (i = 0; i < surface->n; i++) {
		for (k = 0; k < 3; k++)
			at[k] = surface->at[i][k] - surface->offset * (double)surface->normal[i][k];
		gem_tree_add(&f->feet, at, 0);
	}
	gem_tree_build(&f->feet);
	return 0;
}

int gem_marks(struct gem_marks *f, const struct gem_points *surface, const struct gem_molecule *m)
{
	size_t i;

	memset(f, 0, sizeof *f);
	f->surface = surface;
	if (gem_tree_new(&f->atoms, m->n) || gem_tree_new(&f->balls, m->n))
		return -1;
	for (i = 0; i < m->n; i++) {
		gem_tree_add(&f->atoms, m->atom[i].at, 0);
		if (m->atom[i].r > 0)
			gem_tree_add(&f->balls, m->atom[i].at, m->atom[i].r);
	}
	gem_tree_build(&f->atoms);
	gem_tree_build(&f->balls);
	if (!surface)
		return 0;
	return surface->rolled ? gem_probe(&f->probe, &f->balls, m, surface->probe) :
	                         feet(f, surface);
}

void gem_marks_free(struct gem_marks *f)
{
	gem_tree_free(&f->feet);
	gem_tree_free(&f->atoms);
	gem_tree_free(&f->balls);
	gem_probe_free(&f->probe);
	free(f->depth);
}

void gem_foot_move(struct gem_foot *t, const double at[3], double distance)
{
	int k;

	t->distance = fabs(distance) < GEM_TOUCH ? 0 : distance;
	for (k = 0; k < 3; k++)
		t->at[k] = at[k] - t->distance * t->normal[k];
}

/* The direction from one point to another, or `otherwise` if the points are equal. */
static double direction(double u[3], const double from[3], const double to[3],
                        const float *otherwise)
{
	const double d[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] };
	const double len = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	int k;

	for (k = 0; k < 3; k++)
		u[k] = len > 0 ? d[k] / len : (double)otherwise[k];
	return len;
}

static void by_probe(struct gem_foot *t, const struct gem_marks *f, const double at[3])
{
	static const float up[3] = { 0, 0, 1 };
	const struct gem_node *ball = gem_nearest(&f->balls, at);
	const double probe = f->probe.radius;
	double centre[3], distance;
	int k;

	distance = direction(t->normal, ball->at, at, up) - ball->radius;
	gem_foot_move(t, at, distance);
	for (k = 0; k < 3; k++)
		centre[k] = ball->at[k] + (ball->radius + probe) * t->normal[k];
	/* Where the probe touches this ball alone, no other centre is nearer. */
	if (distance >= probe || !gem_any_within(&f->probe.spheres, centre, -GEM_TOUCH))
		return;
	gem_probe_nearest(&f->probe, at, HUGE_VAL, centre);
	distance = direction(t->normal, at, centre, up);
	gem_foot_move(t, at, probe - distance);
}

double gem_distance(const struct gem_marks *f, const double at[3], double within)
{
	const double probe = f->probe.radius;
	const struct gem_node *ball = gem_within(&f->balls, at, fmax(probe, within));
	double centre[3], d[3], distance;
	int k;

	if (!ball)
		return within;
	for (k = 0; k < 3; k++)
		d[k] = at[k] - ball->at[k];
	distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - ball->radius;
	if (distance >= probe || distance <= -within)
		return fmin(fmax(distance, -within), within);
	return fmin(probe - gem_probe_nearest(&f->probe, at, probe + within, centre), within);
}

static void by_vertices(struct gem_foot *t, const struct gem_marks *f, const double at[3])
{
	const struct gem_node *near = gem_nearest(&f->feet, at);
	const float *n = f->surface->normal[near->index];
	double u[3], far = direction(u, near->at, at, n), side = 0;
	int k;

	for (k = 0; k < 3; k++)
		side += u[k] * (double)n[k];
	side = side < 0 || gem_within(&f->balls, at, -THREE_DIGITS) ? -1 : 1;
	for (k = 0; k < 3; k++)
		t->normal[k] = far > 0 ? side * u[k] : u[k];
	gem_foot_move(t, at, side * far);
}

void gem_foot(struct gem_foot *t, const struct gem_marks *f, const double at[3])
{
	if (f->surface->rolled)
		by_probe(t, f, at);
	else
		by_vertices(t, f, at);
}
