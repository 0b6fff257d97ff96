/* SPDX-License-Identifier: MIT */
/*
 * place.h - points, where they lie, and the calls of the library that they need.
 */
#ifndef GEM_PLACE_H
#define GEM_PLACE_H

#include <stddef.h>

#include "clopt.h"
#include "read.h"

struct gem_model;

/* --------------------------------------------------------- nearest.c ---- */

/* A point of a set, or a ball, as a search for the nearest one meets it. */
struct gem_node {
	double at[3], radius;
	size_t index; /* in the set */
	int axis; /* by which what is left and right of it is split */
};

struct gem_tree {
	struct gem_node *node;
	size_t n;
	double low[3], high[3]; /* the box that the centres are in */
	double largest; /* radius */
};

/* radius NULL: points.  -1: no memory, or n is 0; *t is empty then. */
int gem_tree(struct gem_tree *t, const double (*at)[3], const double *radius, size_t n);
void gem_tree_free(struct gem_tree *t);

/* The one whose surface is nearest; within a ball the distance from it is negative.
 * Of several at the same distance, the one of lowest index.  NULL: t is empty. */
const struct gem_node *gem_nearest(const struct gem_tree *t, const double at[3]);

/* NULL if that is no nearer than distance. */
const struct gem_node *gem_within(const struct gem_tree *t, const double at[3], double distance);

/* ------------------------------------------------------------ foot.c ---- */

/* In Angstrom: a distance that rounding may have made out of none. */
#define GEM_TOUCH 1e-6

/* What points are placed by: the molecule's surface and its atoms. */
struct gem_marks {
	const struct gem_points *surface; /* NULL: there are only atoms */
	struct gem_tree feet; /* the surface's points */
	struct gem_tree atoms, balls; /* balls are the atoms that have a radius */
};

int gem_marks(struct gem_marks *f, const struct gem_points *surface, const struct gem_molecule *m);
void gem_marks_free(struct gem_marks *f);

/* Where a point lies: at + distance normal is the point, at is on the molecule's
 * surface, and the distance is negative inside. */
struct gem_foot {
	double at[3], normal[3], distance;
};

void gem_foot(struct gem_foot *t, const struct gem_marks *f, const double at[3]);

/* Of the point at: the same normal and another distance, from a foot that fits. */
void gem_foot_move(struct gem_foot *t, const double at[3], double distance);

/* ----------------------------------------------------------- place.c ---- */

/* Where a point lies: ALPB has a formula for each. */
enum gem_region {
	GEM_INSIDE,
	GEM_LAYER, /* at the surface or near it, where there are no ions */
	GEM_BEYOND,
	GEM_REGIONS
};

/* The batches: one for each region, and one for points inside that lie at atoms. */
#define GEM_AT_ATOMS GEM_REGIONS
#define GEM_BATCHES (GEM_REGIONS + 1)

/* Points that go through in one call. */
struct gem_batch {
	float (*target)[4];
	float (*normal)[4]; /* NULL: the formula needs none */
	float (*point)[4]; /* the points themselves; NULL: they are the targets */
	size_t *index; /* of the points; NULL: all of them, in order */
	size_t n, room;
	double projection;
};

/* In Angstrom: nearer to an atom, the place of a point is taken exactly. */
#define GEM_NEAR_ATOM 0.1

struct gem_places {
	struct gem_batch batch[GEM_BATCHES];
	size_t touching; /* points at the very place of an atom */
	size_t deep; /* points deeper inside than the molecule's electrostatic radius */
};

/*
 * p as targets, relative to the molecule's centre.  With ALPB, points without normals
 * are placed by the surface, which has normals and may be NULL else.
 */
int gem_place(struct gem_places *o, const struct gem_points *p, const struct gem_points *surface,
              const struct gem_molecule *m, const struct gem_model *model, struct gem_error *e);
void gem_places_free(struct gem_places *o);

/* ----------------------------------------------------------- calls.c ---- */

/* 1 if regions matter: mode ALPB, unless only its Coulomb part is wanted. */
int gem_is_alpb(const struct clopt_potential_options *o);

/* A call of clopt_potential, by which law. */
struct gem_call {
	struct gem_batch batch; /* what it points to is that of the places */
	struct clopt_potential_options options;
	int law;
};

/* The calls for one of the batches: none if it is empty.  What they give adds up.
 * Returns how many. */
#define GEM_CALLS 2
int gem_calls(struct gem_call call[GEM_CALLS], const struct gem_places *p, int batch,
              const struct clopt_potential_options *o);

#endif
