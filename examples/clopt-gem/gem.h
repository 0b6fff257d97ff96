/* SPDX-License-Identifier: MIT */
/*
 * gem.h - what the files of clopt-gem share.
 *
 * The program is a straight line: read a molecule, read or make points, have
 * the potential computed at them, write files.  One struct stands between each
 * two of these steps.  Every function that can fail returns 0 or -1 and then
 * leaves one line in a struct gem_error; nothing here prints but the command
 * line's part, gem_run's progress line and the two summaries, and nothing exits.
 */
#ifndef GEM_H
#define GEM_H

#include <stddef.h>
#include <stdio.h>

#include "../common/opening.h"
#include "../common/outfile.h"
#include "clopt.h"
#include "place.h"
#include "read.h"
#include "settings.h"

/* --------------------------------------------------- surface.c, grid.c ---- */

/* The solvent-accessible surface: dots (density of them to a square Angstrom)
 * on the atoms' spheres grown by probe, less those inside another. */
int gem_surface(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
                struct gem_error *e);

/* Nodes at equal steps, z fastest, x slowest. */
struct gem_grid {
	double origin[3], step;
	size_t n[3];
	size_t in_atoms; /* nodes nearer to an atom than its radius */
};

/* nodes along the longest side of the box that leaves margin round the atoms;
 * along the others as many as it takes. */
int gem_grid(struct gem_grid *g, struct gem_points *p, const struct gem_molecule *m, size_t nodes,
             double margin, struct gem_error *e);

/* ----------------------------------------------------------- model.c ---- */

struct gem_unit {
	const char *label; /* in print */
	double factor; /* of one kcal/mol/e */
};

/* What is computed. */
struct gem_model {
	struct gem_unit unit;
	/* scale is in the unit; without normals, which come with the points */
	struct clopt_potential_options potential;
};

int gem_model(struct gem_model *o, const struct gem_settings *s, const struct gem_molecule *m,
              struct gem_error *e);

/* --------------------------------------------------- groups.c, stats.c ---- */

struct gem_stats {
	double min, max, mean, rms;
};

void gem_stats(struct gem_stats *s, const float *value, size_t n);

/* Area of the faces, and the mean over it of what is linear between vertices. */
void gem_area_mean(const struct gem_points *p, const float *value, double *area, double *mean);

/* Atoms whose part of the potential is wanted by itself. */
struct gem_group {
	const struct gem_atom *first; /* it names the group */
	size_t n;
	struct gem_charge charge;
	struct gem_stats stats; /* of the potential of its charges alone */
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
int gem_groups(struct gem_groups *g, const struct gem_molecule *m, int by, struct gem_error *e);
void gem_groups_free(struct gem_groups *g);
int gem_write_groups(const char *path, const struct gem_groups *g, struct gem_error *e);

/* ------------------------------------------------------------- run.c ---- */

struct gem_job {
	const struct clopt_options *device;
	const struct gem_molecule *m;
	const struct gem_points *p;
	const struct gem_points *surface; /* see gem_place; NULL: p is one itself */
	const struct gem_model *model;
	int field; /* 1: it is wanted too */
	struct gem_groups *groups; /* NULL: none; their stats are filled in */
	int progress; /* 1: show on stderr how far it is */
};

struct gem_result {
	float *value; /* one for each point */
	float (*field)[3]; /* NULL: was not asked for */
	size_t n;
	struct gem_stats stats;
	double area, area_mean; /* area 0: there are no faces */
	size_t in[GEM_REGIONS]; /* ALPB: points in each */
	size_t deep;
	size_t at_atoms; /* ... at atoms, or nearly; they count as inside too */
	size_t touching; /* in every mode: points at the very place of an atom */
	double pairs, seconds;
	double setup_seconds; /* opening the device and building the kernel */
	char device[128];
	char variant[64];
};

int gem_run(struct gem_result *r, const struct gem_job *job, struct gem_error *e);
void gem_result_free(struct gem_result *r);
double gem_seconds(void);

/* ----------------------------------------------------- table.c, dx.c ---- */

/* x,y,z,value as APBS's multivalue has it, and with the field Ex,Ey,Ez and,
 * where there are normals, En. */
int gem_write_csv(const char *path, const struct gem_points *p, const struct gem_result *r,
                  struct gem_error *e);
int gem_write_ply(const char *path, const struct gem_points *p, const struct gem_result *r,
                  double range, const struct gem_unit *unit, struct gem_error *e);
int gem_write_dx(const char *path, const struct gem_grid *g, const float *value,
                 const struct gem_unit *unit, struct gem_error *e);

/* The field along the i-th normal. */
double gem_normal_field(const struct gem_points *p, const struct gem_result *r, size_t i);

/* ---------------------------------------------------------- colour.c ---- */

/* The colours end at -end and end; how many values lie beyond. */
struct gem_range {
	double end; /* 0: there are no colours */
	size_t below, above;
};

/* end 0: the value that 98 % of |value| stay below; 1 where that is zero. */
int gem_range(struct gem_range *r, const float *value, size_t n, double end, struct gem_error *e);

/* t from -1, red, over 0, white, to 1, blue; what lies outside is cut.  rgb is
 * 0 to 1. */
void gem_colour(double t, float rgb[3]);

/* --------------------------------------------------------- picture.c ---- */

struct gem_picture {
	const char *title; /* the molecule's file */
	const struct gem_unit *unit;
	struct gem_range range;
	size_t size; /* pixels, width and height */
};

int gem_write_png(const char *path, const struct gem_points *p, const float *value,
                  const struct gem_picture *o, struct gem_error *e);

/* ------------------------------------------------- summary.c, json.c ---- */

#define GEM_FILES 5

struct gem_summary {
	const struct gem_settings *o;
	const struct gem_molecule *m;
	const struct gem_points *p;
	const struct gem_model *model;
	const struct gem_grid *grid; /* NULL: none */
	const struct gem_groups *groups; /* NULL: none */
	const struct gem_result *r;
	struct gem_range range;
	const char *file[GEM_FILES]; /* written */
	size_t files;
};

/* The i-th thing about the input that a user should look at; 0 after the last. */
int gem_warning(const struct gem_summary *s, size_t i, char *text, size_t size);

int gem_summary_text(const struct gem_summary *s, FILE *f, struct gem_error *e);
int gem_summary_json(const struct gem_summary *s, FILE *f, struct gem_error *e);

/* 0, or -1 if what was printed to f did not get there. */
int gem_flush(FILE *f, struct gem_error *e);

#endif
