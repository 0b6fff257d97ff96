/* SPDX-License-Identifier: MIT */
/*
 * place.c - points as the targets of clopt_potential.
 *
 * With ALPB a target is a foot on the molecule's surface, and the library computes at a distance
 * from it along a normal.  Points of a surface come with normals; for any other point foot.c finds
 * foot, normal and distance.  A call serves one region, so each region has a batch of points.
 *
 * Foot, normal and distance give the point back but for its last digits.  These digits matter near
 * an atom; at the atom itself they decide whether its charge adds nothing or 1e9.  So points at
 * atoms are a batch of their own: the Coulomb part is computed at the points themselves, and only
 * the rest, which is smooth inside the molecule, by their feet.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

int gem_is_alpb(const struct clopt_potential_options *o)
{
	return o->law == CLOPT_LAW_ALPB && o->part != CLOPT_PART_COULOMB;
}

void gem_places_free(struct gem_places *o)
{
	int i;

	for (i = 0; i < GEM_BATCHES; i++) {
		free(o->batch[i].target);
		free(o->batch[i].normal);
		free(o->batch[i].index);
	}
	memset(o, 0, sizeof *o);
}

/* Relative to the centre: a float near the origin has more digits behind the point, and the
 * molecule of a file may be far from the origin. */
void gem_pack(float to[4], const double at[3], const double centre[3], double weight)
{
	int i;

	for (i = 0; i < 3; i++)
		to[i] = (float)(at[i] - centre[i]);
	to[3] = (float)weight;
}

/* As gem_pack(), but a point at an atom except for rounding gets the atom's exact numbers, because
 * of the rule that a charge adds nothing at its own place. */
static void snap(struct gem_places *o, float to[4], const struct gem_marks *f, const double at[3],
                 const double centre[3])
{
	const struct gem_node *atom = gem_within(&f->atoms, at, GEM_TOUCH);

	gem_pack(to, atom ? atom->at : at, centre, 0);
	o->touching += atom != NULL;
}

/* All points in one batch.  Only with ALPB does the library go along a normal
 * by itself. */
static int together(struct gem_places *o, struct gem_batch *b, const struct gem_points *p,
                    const struct gem_marks *f, const struct gem_molecule *m,
                    const struct clopt_potential_options *options)
{
	const int alpb = gem_is_alpb(options);
	const double go = alpb ? -p->offset : options->projection;
	double at[3];
	size_t i;
	int k;

	b->n = b->room = p->n;
	b->projection = alpb ? p->offset + options->projection : 0;
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
		if (alpb)
			gem_pack(b->target[i], at, m->centre, 0);
		else
			snap(o, b->target[i], f, at, m->centre);
	}
	return 0;
}

/* r >= A is at the surface or beyond; GEM's program counts r = A as inside. */
static enum gem_region region(const struct clopt_potential_options *o, double distance)
{
	if (distance < 0 || (o->gem_compat && distance == 0))
		return GEM_INSIDE;
	return distance > o->ion_radius + GEM_TOUCH ? GEM_BEYOND : GEM_LAYER;
}

/* The formula ends at the centre of a ball of radius A; the library refuses points that deep. */
#define DEEPEST (1 - 1e-6)

/* A smooth potential may be computed that far aside, in Angstrom. */
#define ASIDE 1e-3

/* Is the point at an atom?  Such a point is inside, even where a coarse surface
 * would have the atom outside the molecule, and as deep as the atom's charge. */
static int near_atom(struct gem_foot *t, const struct gem_marks *f, const double at[3])
{
	const struct gem_node *atom = gem_within(&f->atoms, at, GEM_NEAR_ATOM);
	int k;

	if (!atom)
		return 0;
	if (t->distance > 0)
		for (k = 0; k < 3; k++)
			t->normal[k] = -t->normal[k];
	gem_foot_move(t, at,
	              -(f->depth ? f->depth[atom->index] : fmax(fabs(t->distance), GEM_NEAR_ATOM)));
	return 1;
}

/* The library's sums leave out a charge at its own place, and with it the solvent's answer to the
 * charge; a small step aside brings the answer back. */
static void aside(struct gem_foot *t, const struct gem_marks *f, const double at[3])
{
	const struct gem_node *atom = gem_within(&f->atoms, at, ASIDE);
	int k;

	for (k = 0; atom && k < 3; k++)
		t->at[k] += atom->at[k] + (k == 0 ? ASIDE : 0) - at[k];
}

/* Makes room for one more; normal 0: the batch has none. */
static int room(struct gem_batch *b, int normal)
{
	size_t r[] = { b->room, b->room };

	return grow(&b->target, b->n, &r[0], sizeof *b->target) ||
	       (normal && grow(&b->normal, b->n, &r[1], sizeof *b->normal)) ||
	       grow(&b->index, b->n, &b->room, sizeof *b->index);
}

/* One point into its batch.  In a long molecule a point may lie deeper than the formula reaches;
 * then it counts as lying at the largest depth. */
static int put(struct gem_places *o, const struct gem_marks *f, const double at[3], size_t index,
               const double centre[3], const struct clopt_potential_options *p)
{
	struct gem_foot t;
	struct gem_batch *b, *coulomb = &o->batch[GEM_AT_ATOMS_COULOMB];
	int k, near;

	gem_foot(&t, f, at);
	near = near_atom(&t, f, at);
	o->deep += t.distance < -p->radius / DEEPEST; /* not the centre of a ball */
	if (t.distance < -p->radius * DEEPEST)
		gem_foot_move(&t, at, -p->radius * DEEPEST);
	aside(&t, f, at);
	b = &o->batch[near ? GEM_AT_ATOMS : (int)region(p, t.distance)];
	if (room(b, 1) || (near && room(coulomb, 0)))
		return -1;
	gem_pack(b->target[b->n], t.at, centre, 0);
	for (k = 0; k < 3; k++)
		b->normal[b->n][k] = (float)t.normal[k];
	b->normal[b->n][3] = (float)t.distance;
	b->index[b->n++] = index;
	if (near) {
		snap(o, coulomb->target[coulomb->n], f, at, centre);
		coulomb->index[coulomb->n] = index;
		coulomb->n += p->part == CLOPT_PART_TOTAL;
	}
	return 0;
}

/* The projection of a call has to lie in its region, so it is the distance of the point nearest to
 * the surface; the weights of the normals hold the rest. */
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

static int apart(struct gem_places *o, const struct gem_points *p, const struct gem_marks *f,
                 const struct gem_molecule *m, const struct clopt_potential_options *options)
{
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < p->n; i++)
		rc = put(o, f, p->at[i], i, m->centre, options);
	for (i = 0; rc == 0 && i <= GEM_AT_ATOMS; i++)
		project(&o->batch[i], i == GEM_INSIDE || i == GEM_AT_ATOMS);
	return rc;
}

/* Vertices to a square Angstrom: with three times as many, energies of proteins change by half a
 * percent. */
#define BORN_DENSITY 2

/* By the mesh of a probe, or of the faces of a file; NULL without either. */
static int born(double **r, const struct gem_marks *marks, const struct gem_molecule *m,
                struct fault *e)
{
	struct gem_points mesh = { 0 };
	const int rolled = marks->surface->rolled;
	/* A small ion wants more. */
	const double density = fmax(BORN_DENSITY, 4 / pow(marks->balls.largest, 2));

	*r = NULL;
	if (rolled && gem_mesh(&mesh, m, marks->surface->probe, density, 1, e))
		return -1;
	if (rolled || marks->surface->faces)
		*r = gem_born(m, rolled ? &mesh : marks->surface);
	gem_points_free(&mesh);
	return *r || !(rolled || marks->surface->faces) ?
	               0 :
	               fail(e, "out of memory for the Born radii of %zu atoms", m->n);
}

/* In a ball of radius A, a charge at the depth D has the Born radius D (2 - D/A). */
static double deep(double born, double radius)
{
	return born < radius ? radius - sqrt(radius * (radius - born)) : born;
}

int gem_depths(struct gem_marks *marks, const struct gem_molecule *m, double radius,
               struct fault *e)
{
	double *r, least;
	struct gem_foot t;
	size_t i;

	if (born(&r, marks, m, e))
		return -1;
	marks->depth = r ? r : malloc(m->n * sizeof *marks->depth);
	if (!marks->depth)
		return fail(e, "out of memory for %zu atoms", m->n);
	for (i = 0; i < m->n; i++) {
		least = fmax(m->atom[i].r, GEM_NEAR_ATOM);
		if (r && r[i] > 0) {
			r[i] = deep(fmax(r[i], least), radius);
		} else {
			gem_foot(&t, marks, m->atom[i].at);
			/* Between the vertices of a coarse surface an atom could seem to stick
			 * out. */
			marks->depth[i] = fmax(-t.distance, least);
		}
	}
	return 0;
}

/* Counts points whose potential is not what it seems to be. */
static void look(struct gem_places *o, const struct gem_points *p, const struct gem_marks *f,
                 const struct gem_molecule *m, const struct clopt_potential_options *options)
{
	const int out = p->normal && options->projection > 0 && options->projection + p->offset > 0;
	const struct gem_node *atom;
	double at[3];
	size_t i;
	int k;

	for (i = 0; i < p->n; i++) {
		for (k = 0; k < 3; k++)
			at[k] = p->at[i][k] +
			        (p->normal ? options->projection * (double)p->normal[i][k] : 0);
		atom = gem_within(&f->atoms, at, GEM_NEAR_CHARGE);
		o->near += atom && m->atom[atom->index].q != 0 &&
		           !gem_within(&f->atoms, at, GEM_TOUCH);
		o->in_atoms += out && gem_any_within(&f->balls, at, -GEM_TOUCH);
	}
}

int gem_place(struct gem_places *o, const struct gem_points *p, const struct gem_marks *marks,
              const struct gem_molecule *m, const struct clopt_potential_options *options,
              struct fault *e)
{
	int rc;

	memset(o, 0, sizeof *o);
	if (gem_is_alpb(options) && !p->normal)
		rc = apart(o, p, marks, m, options);
	else
		rc = together(o, &o->batch[region(options, options->projection + p->offset)], p,
		              marks, m, options);
	if (rc) {
		gem_places_free(o);
		return fail(e, "out of memory for %zu points", p->n);
	}
	look(o, p, marks, m, options);
	return 0;
}
