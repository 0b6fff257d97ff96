/* SPDX-License-Identifier: MIT */
/*
 * surface.h - surfaces and grids round a molecule, and where a point lies to them.
 */
#ifndef GEM_SURFACE_H
#define GEM_SURFACE_H

#include "../read/read.h"

struct gem_marks;

/* ------------------------------------------------------------ dots.c ---- */

/* The solvent-accessible surface: dots (density of them to a square Angstrom)
 * on the atoms' spheres grown by probe, less those inside another. */
int gem_dots(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
             struct fault *e);

/* ------------------------------------------------------------ mesh.c ---- */

/* The solvent-excluded surface: a closed mesh of triangles with about density vertices to a square
 * Angstrom, which lie on it exactly, and its normals.  cavities 1: also of the closed ones
 * inside. */
int gem_mesh(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
             int cavities, struct fault *e);

/* ---------------------------------------------------------- unfold.c ---- */

/* Turns edges of a closed mesh, and moves vertices, where it folds by more than a right angle. */
int gem_unfold(struct gem_points *p, const struct gem_marks *marks, struct fault *e);

/* ------------------------------------------------------------ grid.c ---- */

/* Nodes at equal steps, z fastest, x slowest. */
struct gem_grid {
	double origin[3], step[3];
	size_t n[3];
	size_t in_atoms; /* nodes nearer to an atom than its radius */
};

/* Where the nodes are wanted. */
struct gem_box {
	double margin; /* round the atoms, of the box that the nodes fill */
	size_t nodes[3]; /* along the axes; the first alone: along the longest side; none: as many
	                    as it takes */
	double step[3]; /* 0: from the nodes along the longest side */
	const double *origin; /* the first node; NULL: the atoms are in the middle */
};

int gem_grid(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m,
             const struct gem_box *box, struct fault *e);

/* The nodes of a map. */
int gem_grid_like(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m,
                  const struct gem_map *map, struct fault *e);

/* --------------------------------------------------------- nearest.c ---- */

/* A point of a set, or a ball, as a node of a k-d tree. */
struct gem_node {
	double at[3], radius;
	size_t index; /* in the set */
	int axis; /* the coordinate that splits its left and right nodes */
};

struct gem_tree {
	struct gem_node *node;
	size_t n;
	double low[3], high[3]; /* the box that the centres are in */
	double largest; /* radius */
};

/* An empty tree with room for n nodes; -1: no memory.  The nodes are added, points with a radius of
 * 0, and then built into a tree. */
int gem_tree_new(struct gem_tree *t, size_t n);
void gem_tree_add(struct gem_tree *t, const double at[3], double radius);
void gem_tree_build(struct gem_tree *t);
void gem_tree_free(struct gem_tree *t);

/* The node whose surface is nearest; within a ball the distance from it is negative.  Of several at
 * the same distance, the node of lowest index.  NULL: t is empty. */
const struct gem_node *gem_nearest(const struct gem_tree *t, const double at[3]);

/* The nearest node, and any node, that is nearer than distance; NULL if there is none. */
const struct gem_node *gem_within(const struct gem_tree *t, const double at[3], double distance);
const struct gem_node *gem_any_within(const struct gem_tree *t, const double at[3],
                                      double distance);

/* Calls each with all nodes that are nearer than within, which each may make smaller. */
typedef double gem_visit(void *to, const struct gem_node *node, double within);
void gem_each_within(const struct gem_tree *t, const double at[3], double within, gem_visit *each,
                     void *to);

/* ----------------------------------------------------------- probe.c ---- */

/* Where the centre of a probe can be that touches atoms and enters none. */
struct gem_probe {
	double radius;
	struct gem_tree spheres; /* the atoms, grown by radius, less those inside another */
	struct gem_tree open; /* those of them that the probe touches */
	size_t *first; /* of each of these the first arc, and how many there are */
	struct gem_arc *arc;
	size_t arcs, room;
};

/* balls: the atoms that have a radius.  -1: no memory; gem_probe_free() is wanted all the same. */
int gem_probe(struct gem_probe *o, const struct gem_tree *balls, const struct gem_molecule *m,
              double radius);
void gem_probe_free(struct gem_probe *o);

/* The centre nearest to a point, and its distance; within, if none is nearer. */
double gem_probe_nearest(const struct gem_probe *o, const double at[3], double within,
                         double centre[3]);

/* ------------------------------------------------------------ born.c ---- */

/* The Born radius of each atom in a closed mesh, to be freed; 0 for an atom that is not in it.
 * NULL: no memory. */
double *gem_born(const struct gem_molecule *m, const struct gem_points *mesh);

/* ------------------------------------------------------------ foot.c ---- */

/* In Angstrom: a smaller distance may be rounding. */
#define GEM_TOUCH 1e-6

/* The molecule's surface and its atoms, by which points are placed. */
struct gem_marks {
	const struct gem_points *surface; /* NULL: there are only atoms */
	struct gem_tree feet; /* the points of a surface from a file */
	struct gem_probe probe; /* of any other surface */
	struct gem_tree atoms, balls; /* balls are the atoms that have a radius */
	double *depth; /* of each charge; NULL: its distance from the surface, which points at it
	                  have, too */
};

int gem_marks(struct gem_marks *f, const struct gem_points *surface, const struct gem_molecule *m);
void gem_marks_free(struct gem_marks *f);

/* Where a point lies: at + distance normal is the point, at is on the molecule's
 * surface, and the distance is negative inside. */
struct gem_foot {
	double at[3], normal[3], distance;
};

void gem_foot(struct gem_foot *t, const struct gem_marks *f, const double at[3]);

/* The distance alone, by a probe, from -within to within: what is farther counts as that far. */
double gem_distance(const struct gem_marks *f, const double at[3], double within);

/* Moves the foot of the point `at` to another distance along the same normal. */
void gem_foot_move(struct gem_foot *t, const double at[3], double distance);

#endif
