/* SPDX-License-Identifier: MIT */
/*
 * place.c - points as the targets of clopt_potential.
 *
 * With ALPB a target is a foot on the molecule's surface, and the potential is
 * wanted at a distance from it along a normal.  Points of a surface come with
 * normals.  Any other point has the nearest vertex as its foot, the direction
 * from there as its normal and its own distance; and since one call serves one
 * region, the points go into a batch for each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem.h"

static void batch_free(struct gem_batch *b)
{
	free(b->target);
	free(b->normal);
	free(b->index);
	memset(b, 0, sizeof *b);
}

void gem_places_free(struct gem_places *o)
{
	int i;

	for (i = 0; i < GEM_REGIONS; i++)
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
	const int alpb = o->mode == CLOPT_ALPB;
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

/* The points that the others are placed by: those of the molecule's surface. */
struct feet {
	double (*at)[3];
	struct gem_tree tree;
	const struct gem_points *surface;
};

static int feet(struct feet *f, const struct gem_points *surface)
{
	size_t i;
	int k;

	f->surface = surface;
	f->at = malloc(surface->n * sizeof *f->at);
	if (!f->at)
		return -1;
	for (i = 0; i < surface->n; i++)
		for (k = 0; k < 3; k++)
			f->at[i][k] =
			        surface->at[i][k] - surface->offset * (double)surface->normal[i][k];
	return gem_tree(&f->tree, (const double(*)[3])f->at, surface->n);
}

/* Foot, normal and signed distance of a point.  Returns the distance. */
static double drop(const struct feet *f, const double at[3], double foot[3], double normal[3])
{
	const struct gem_node *near = gem_nearest(&f->tree, at);
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

/* One point into its batch.  The formula ends at the centre of a ball of radius
 * A: what lies deeper, as in a long molecule it may, is taken to lie that deep
 * below a foot that is moved in. */
static int put(struct gem_places *o, const struct feet *f, const double at[3], size_t index,
               const double centre[3], const struct clopt_potential_options *p)
{
	double foot[3], normal[3], distance = drop(f, at, foot, normal);
	struct gem_batch *b;
	int k;

	if (distance < -p->radius) {
		distance = -p->radius;
		for (k = 0; k < 3; k++)
			foot[k] = at[k] - distance * normal[k];
		o->deep++;
	}
	b = &o->batch[region(p, distance)];
	if (room(b))
		return -1;
	pack(b->target[b->n], foot, centre, 0);
	for (k = 0; k < 3; k++)
		b->normal[b->n][k] = (float)normal[k];
	b->normal[b->n][3] = (float)distance;
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
                 const double centre[3], const struct clopt_potential_options *options)
{
	struct feet f = { 0 };
	int rc = feet(&f, surface);
	size_t i;

	for (i = 0; rc == 0 && i < p->n; i++)
		rc = put(o, &f, p->at[i], i, centre, options);
	for (i = 0; rc == 0 && i < GEM_REGIONS; i++)
		project(&o->batch[i], i == GEM_INSIDE);
	gem_tree_free(&f.tree);
	free(f.at);
	return rc;
}

int gem_place(struct gem_places *o, const struct gem_points *p, const struct gem_points *surface,
              const double centre[3], const struct gem_model *model, struct gem_error *e)
{
	const struct clopt_potential_options *options = &model->potential;
	int rc;

	memset(o, 0, sizeof *o);
	if (options->mode == CLOPT_ALPB && !p->normal)
		rc = apart(o, p, surface, centre, options);
	else
		rc = together(&o->batch[region(options, options->projection + p->offset)], p,
		              centre, options);
	if (rc) {
		gem_places_free(o);
		gem_fail(e, "out of memory for %zu points", p->n);
	}
	return rc;
}
