/* SPDX-License-Identifier: MIT */
/*
 * compute.h - the potential at points, by calls of the library.
 */
#ifndef GEM_COMPUTE_H
#define GEM_COMPUTE_H

#include "../../common/shares.h"
#include "../options/options.h"
#include "../surface/surface.h"

/* ----------------------------------------------------------- model.c ---- */

struct gem_unit {
	const char *label, *energy; /* in print: of a potential, and of a charge e in it */
	double factor; /* of one kcal/mol/e */
	double kt; /* kT/e in one of it */
};

/* The unit and the formula. */
struct gem_model {
	struct gem_unit unit;
	/* scale is in the unit; without normals, which come with the points */
	struct clopt_potential_options potential;
};

/* The values of a map, whose comment may name another unit, in that of the settings.  A map that
 * names none keeps its values. */
int gem_map_convert(struct gem_map *map, const char *name, const struct gem_settings *s,
                    struct fault *e);

int gem_model(struct gem_model *o, const struct gem_settings *s, const struct gem_molecule *m,
              struct fault *e);

/* ------------------------------------------------------------ stats.c ---- */

struct gem_stats {
	double min, max, mean, rms;
};

void gem_stats(struct gem_stats *s, const float *value, size_t n);

/* The colours end at -end and end; `below` and `above` count the values beyond. */
struct gem_range {
	double end; /* 0: there are no colours */
	size_t below, above;
};

/* end 0: the value that 98 % of |value| stay below; 1 where that is zero. */
int gem_range(struct gem_range *r, const float *value, size_t n, double end, struct fault *e);

/* Area of the faces, with normals that of the curved surface which they approximate, and the mean
 * over it of what is linear between vertices. */
void gem_area_mean(const struct gem_points *p, const float *value, double *area, double *mean);

/* ---------------------------------------------------------- by_atom.c ---- */

/* Of each atom the mean over its points of the surface, to be freed; NULL: no memory. */
float *gem_by_atom(const struct gem_molecule *m, const struct gem_points *p, const float *value);

/* ------------------------------------------------------------ groups.c ---- */

/* Atoms whose part of the potential is computed by itself. */
struct gem_group {
	const struct gem_atom *first; /* it names the group */
	size_t n;
	struct gem_charge charge;
	struct gem_stats stats; /* of the potential of its charges alone */
	double energy; /* its part of the solvation energy, if that is asked for */
};

struct gem_groups {
	int by;
	struct gem_group *group;
	size_t n;
	size_t *atom; /* indices, one group after the other */
	double seconds;
};

/* By chain: all atoms of one chain.  By residue: atoms one after the other of
 * equal chain, number, insertion code and residue name. */
int gem_groups(struct gem_groups *g, const struct gem_molecule *m, int by, struct fault *e);
void gem_groups_free(struct gem_groups *g);

/* ----------------------------------------------------------- place.c ---- */

/* Where a point lies: ALPB has a formula for each. */
enum gem_region {
	GEM_INSIDE,
	GEM_LAYER, /* at the surface or near it, where there are no ions */
	GEM_BEYOND,
	GEM_REGIONS
};

/* The batches: one for each region; for points inside that lie at atoms one, which leaves out their
 * Coulomb part, and one for this part. */
#define GEM_AT_ATOMS GEM_REGIONS
#define GEM_AT_ATOMS_COULOMB (GEM_REGIONS + 1)
#define GEM_BATCHES (GEM_REGIONS + 2)

/* Points that go through in one call; results of several batches for one point add up. */
struct gem_batch {
	float (*target)[4];
	float (*normal)[4]; /* NULL: the formula needs none */
	size_t *index; /* of the points; NULL: all of them, in order */
	size_t n, room;
	double projection;
};

/* In Angstrom: nearer to a charge, a potential is hardly more than that of the charge. */
#define GEM_NEAR_CHARGE 0.05

/* In Angstrom: nearer to an atom, the place of a point is taken exactly. */
#define GEM_NEAR_ATOM 0.1

struct gem_places {
	struct gem_batch batch[GEM_BATCHES];
	size_t touching; /* points at the very place of an atom */
	size_t near; /* points nearer than GEM_NEAR_CHARGE to a charge, but not touching */
	size_t in_atoms; /* points that were moved outward from a surface, into an atom */
	size_t deep; /* points deeper inside than the molecule's electrostatic radius */
};

/*
 * p as targets, relative to the molecule's centre.  With ALPB the marks have a surface, by which
 * points without normals are placed.
 */
int gem_place(struct gem_places *o, const struct gem_points *p, const struct gem_marks *marks,
              const struct gem_molecule *m, const struct clopt_potential_options *options,
              struct fault *e);
void gem_places_free(struct gem_places *o);

/* How deep each charge lies: in a ball of the molecule's electrostatic radius it would have its
 * Born radius there. */
int gem_depths(struct gem_marks *marks, const struct gem_molecule *m, double radius,
               struct fault *e);

/* 1 if regions matter: mode ALPB, unless only its Coulomb part is wanted. */
int gem_is_alpb(const struct clopt_potential_options *o);

/* Relative to the molecule's centre, with a weight behind. */
void gem_pack(float to[4], const double at[3], const double centre[3], double weight);

/* ------------------------------------------------------------- run.c ---- */

struct gem_result {
	float *value; /* one for each point */
	float (*field)[3]; /* NULL: not computed */
	float *by_atom; /* for the PDB file; NULL: not asked for */
	size_t n;
	struct gem_stats stats;
	double area, area_mean; /* area 0: there are no faces */
	size_t in[GEM_REGIONS]; /* ALPB: points in each */
	size_t deep;
	size_t at_atoms; /* points at or near atoms; they count as inside too */
	size_t touching; /* in every mode: points at the very place of an atom */
	size_t near, in_atoms; /* as in struct gem_places */
	double energy; /* of solvation, if that is asked for */
	size_t deep_atoms; /* of them, deeper inside than the formula reaches */
	double pairs, seconds;
	double setup_seconds; /* opening the device and building the kernel */
	char device[128];
	char variant[64];
	unsigned tree_order; /* 0: all pairs were summed */
	double error_99; /* with a tolerance: as in struct clopt_report, the largest */
	struct shares shares; /* of the pairs */
};

/* How the molecule lies in a picture. */
struct gem_view {
	int set; /* 1: by the first picture; the next ones have the same */
	double centre[3], axis[3][3]; /* right, up, to the eye */
	double low[3], high[3]; /* the bounds of the first one's points along the axes */
};

/* All that is made on the way from file to file. */
struct gem_work {
	struct gem_settings o;
	struct clopt *c; /* opened by the first gem_run, to be closed by the caller */
	struct gem_view *view; /* of all pictures; NULL: each has its own, and its own colours */
	struct gem_molecule m;
	struct gem_points p; /* where the potential is wanted */
	struct gem_points surface; /* by which they are placed, if they are none themselves */
	struct gem_grid grid; /* if asked for, as are the groups */
	struct gem_map map; /* whose nodes they are, or that is subtracted */
	struct gem_model model;
	struct gem_groups groups;
	struct gem_result r;
	struct gem_range range;
};

/* The result, and the stats of the groups.  On failure the result is empty. */
int gem_run(struct gem_work *w, struct fault *e);
void gem_result_free(struct gem_result *r);

/* The field along the i-th normal. */
double gem_normal_field(const struct gem_points *p, const struct gem_result *r, size_t i);

#endif
