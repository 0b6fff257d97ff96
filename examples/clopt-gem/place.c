/* SPDX-License-Identifier: MIT */
/*
 * place.c - points as the targets of clopt_potential.
 *
 * With ALPB a target is a foot on the molecule's surface, and the potential is
 * wanted at a distance from it along a normal.  Points of a surface come with
 * normals.  Any other point has the nearest vertex as its foot, the direction
 * from there as its normal and its own distance; and since one call serves one
 * region, the points go into a batch for each.
 *
 * What the library makes of foot, normal and distance is the point but for its last
 * digits.  They matter near an atom, and at one they decide whether its charge adds
 * nothing or 1e9.  So points there are a batch of their own: the Coulomb part is
 * computed at the points themselves, and only the rest, which is smooth inside the
 * molecule, by their feet.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem.h"

static void batch_free(struct gem_batch *b)
{
	free(b->target);
	free(b->normal);
	free(b->point);
	free(b->index);
	memset(b, 0, sizeof *b);
}

void gem_places_free(struct gem_places *o)
{
	int i;

	for (i = 0; i < GEM_BATCHES; i++)
		batch_free(&o->batch[i]);
}

static int grow(void **at, size_t room, size_t bytes)
{
	void *more = realloc(*at, room * bytes);

	if (more)
		*at = more;
	return more ? 0 : -1;
}

/* Room for one more. */
static int room(struct gem_batch *b)
{
	if (b->n < b->room)
		return 0;
	b->room = b->room ? 2 * b->room : 4096;
	return grow((void **)&b->target, b->room, sizeof *b->target) ||
	                       grow((void **)&b->normal, b->room, sizeof *b->normal) ||
	                       grow((void **)&b->point, b->room, sizeof *b->point) ||
	                       grow((void **)&b->index, b->room, sizeof *b->index) ?
	               -1 :
	               0;
}

/* A float near the origin has more digits behind the point, and files may have
 * their molecule far from it. */
static void pack(float to[4], const double at[3], const double centre[3], double weight)
{
	int i;

	for (i = 0; i < 3; i++)
		to[i] = (float)(at[i] - centre[i]);
	to[3] = (float)weight;
}

/* All points in one batch.  Only with ALPB does the library go along a normal
 * by itself. */
static int together(struct gem_batch *b, const struct gem_points *p, const double centre[3],
                    const struct clopt_potential_options *o)
{
	const int alpb = gem_is_alpb(o);
	const double go = alpb ? -p->offset : o->projection;
	double at[3];
	size_t i;
	int k;

	b->n = b->room = p->n;
	b->projection = alpb ? p->offset + o->projection : 0;
	b->target = malloc(p->n * sizeof *b->target);
	if (alpb)
		b->normal = calloc(p->n, sizeof *b->normal);
	if (!b->target || (alpb && !b->normal))
		return -1;
	for (i = 0; i < p->n; i++) {
		for (k = 0; k < 3; k++) {
			at[k] = p->at[i][k] + (p->normal ? go * (double)p->normal[i][k] : 0);
			if (alpb)
				b->normal[i][k] = p->normal[i][k];
		}
		pack(b->target[i], at, centre, 0);
	}
	return 0;
}

/* A distance that rounding may have made out of none, in Angstrom. */
#define TOUCH 1e-6

/* r >= A is at the surface or beyond; GEM's program counts r = A as inside. */
static enum gem_region region(const struct clopt_potential_options *o, double distance)
{
	if (distance < 0 || (o->gem_compat && distance == 0))
		return GEM_INSIDE;
	return distance > o->ion_radius + TOUCH ? GEM_BEYOND : GEM_LAYER;
}

/* What points are placed by: the molecule's surface and its atoms. */
struct marks {
	struct gem_tree feet, atoms;
	const struct gem_points *surface;
};

static int feet(struct marks *f, const struct gem_points *surface)
{
	double(*at)[3] = malloc(surface->n * sizeof *at);
	size_t i;
	int k, rc;

	f->surface = surface;
	if (!at)
		return -1;
	for (i = 0; i < surface->n; i++)
		for (k = 0; k < 3; k++)
			at[i][k] =
			        surface->at[i][k] - surface->offset * (double)surface->normal[i][k];
	rc = gem_tree(&f->feet, (const double(*)[3])at, surface->n);
	free(at);
	return rc;
}

static int atoms(struct marks *f, const struct gem_molecule *m)
{
	double(*at)[3] = malloc(m->n * sizeof *at);
	size_t i;
	int rc;

	if (!at)
		return -1;
	for (i = 0; i < m->n; i++) {
		at[i][0] = m->atom[i].x;
		at[i][1] = m->atom[i].y;
		at[i][2] = m->atom[i].z;
	}
	rc = gem_tree(&f->atoms, (const double(*)[3])at, m->n);
	free(at);
	return rc;
}

/* Foot, normal and signed distance of a point.  Returns the distance. */
static double drop(const struct marks *f, const double at[3], double foot[3], double normal[3])
{
	const struct gem_node *near = gem_nearest(&f->feet, at);
	const float *n = f->surface->normal[near->index];
	double d[3], len, side = 0;
	int k;

	for (k = 0; k < 3; k++) {
		foot[k] = near->at[k];
		d[k] = at[k] - foot[k];
		side += d[k] * (double)n[k];
	}
	len = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	side = side < 0 ? -1 : 1;
	for (k = 0; k < 3; k++)
		normal[k] = len > 0 ? side * d[k] / len : (double)n[k];
	return len < TOUCH ? 0 : side * len;
}

/* A point on its way into a batch. */
struct placed {
	double foot[3], normal[3], distance;
};

/* To lie that far from the surface, above or below a foot that is moved. */
static void move(struct placed *t, const double at[3], double distance)
{
	int k;

	t->distance = distance;
	for (k = 0; k < 3; k++)
		t->foot[k] = at[k] - distance * t->normal[k];
}

/* The formula ends at the centre of a ball of radius A, and the library takes
 * nothing that lies as deep. */
#define DEEPEST (1 - 1e-6)

/* Is the point at an atom?  A surface of dots has gaps, by which an atom may seem to
 * be outside the molecule; it is inside. */
static int near_atom(struct placed *t, const struct marks *f, const double at[3])
{
	const double *atom = gem_nearest(&f->atoms, at)->at;
	const double d[3] = { at[0] - atom[0], at[1] - atom[1], at[2] - atom[2] };
	int k;

	if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > GEM_NEAR_ATOM * GEM_NEAR_ATOM)
		return 0;
	if (t->distance > 0)
		for (k = 0; k < 3; k++)
			t->normal[k] = -t->normal[k];
	move(t, at, -fmax(fabs(t->distance), GEM_NEAR_ATOM));
	return 1;
}

/* One point into its batch.  What lies deeper than the formula reaches, as in a
 * long molecule it may, is taken to lie as deep as that. */
static int put(struct gem_places *o, const struct marks *f, const double at[3], size_t index,
               const double centre[3], const struct clopt_potential_options *p)
{
	struct placed t;
	struct gem_batch *b;
	int k, near;

	t.distance = drop(f, at, t.foot, t.normal);
	near = near_atom(&t, f, at);
	if (t.distance < -p->radius * DEEPEST) {
		move(&t, at, -p->radius * DEEPEST);
		o->deep++;
	}
	b = &o->batch[near ? GEM_AT_ATOMS : (int)region(p, t.distance)];
	if (room(b))
		return -1;
	pack(b->target[b->n], t.foot, centre, 0);
	pack(b->point[b->n], at, centre, 0);
	for (k = 0; k < 3; k++)
		b->normal[b->n][k] = (float)t.normal[k];
	b->normal[b->n][3] = (float)t.distance;
	b->index[b->n++] = index;
	return 0;
}

/* The projection of a call has to lie in its region, so it is the distance of
 * the point nearest to the surface; the weights say what is missing. */
static void project(struct gem_batch *b, int inside)
{
	float d, nearest = b->n ? b->normal[0][3] : 0;
	size_t i;

	for (i = 0; i < b->n; i++) {
		d = b->normal[i][3];
		if (inside ? d > nearest : d < nearest)
			nearest = d;
	}
	for (i = 0; i < b->n; i++)
		b->normal[i][3] -= nearest;
	b->projection = (double)nearest;
}

static int apart(struct gem_places *o, const struct gem_points *p, const struct gem_points *surface,
                 const struct gem_molecule *m, const struct clopt_potential_options *options)
{
	struct marks f = { 0 };
	int rc = feet(&f, surface) || atoms(&f, m) ? -1 : 0;
	size_t i;

	for (i = 0; rc == 0 && i < p->n; i++)
		rc = put(o, &f, p->at[i], i, m->centre, options);
	for (i = 0; rc == 0 && i < GEM_BATCHES; i++)
		project(&o->batch[i], i == GEM_INSIDE || i == GEM_AT_ATOMS);
	gem_tree_free(&f.feet);
	gem_tree_free(&f.atoms);
	return rc;
}

int gem_place(struct gem_places *o, const struct gem_points *p, const struct gem_points *surface,
              const struct gem_molecule *m, const struct gem_model *model, struct gem_error *e)
{
	const struct clopt_potential_options *options = &model->potential;
	int rc;

	memset(o, 0, sizeof *o);
	if (gem_is_alpb(options) && !p->normal)
		rc = apart(o, p, surface, m, options);
	else
		rc = together(&o->batch[region(options, options->projection + p->offset)], p,
		              m->centre, options);
	if (rc) {
		gem_places_free(o);
		gem_fail(e, "out of memory for %zu points", p->n);
	}
	return rc;
}
