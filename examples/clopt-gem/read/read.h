/* SPDX-License-Identifier: MIT */
/*
 * read.h - molecules and points from files.
 *
 * Lengths are in Angstrom and charges in e throughout.
 */
#ifndef GEM_READ_H
#define GEM_READ_H

#include <stddef.h>
#include <stdio.h>

#include "../../common/child.h"
#include "../../common/text.h"

/* Larger input is refused: its square would come near the end of a float's range. */
#define GEM_LARGEST 1e9

/* ---------------------------------------------------------- fields.c ---- */

struct gem_token {
	const char *s;
	size_t n;
};

/* The next field of *s, which moves behind it; 0: there is none. */
int gem_next(const char **s, struct gem_token *k);

/* Cuts s at blanks, and where numbers have run together at a minus sign.
 * Returns the number of fields; at most max of them are stored. */
size_t gem_tokens(const char *s, struct gem_token *token, size_t max);

/* The first `want` fields as numbers within range. */
int gem_numbers(const struct text *t, const struct gem_token *k, size_t want, double *v,
                struct fault *e);

/* ------------------------------------------------------------- pqr.c ---- */

struct gem_atom {
	double at[3], q, r; /* r >= 0 */
	int resnum;
	char ins; /* insertion code, 0: none */
	char chain[8]; /* "": none */
	char resname[12];
	char name[12];
	char element[3]; /* "": the record does not end with one */
};

/* 1: a is the atom of the line; 0: the line has no atom; -1: it cannot be read. */
int gem_record(struct text *t, struct gem_atom *a, struct fault *e);

/* The names of records of PDB and PQR files, each between blanks. */
extern const char gem_records[];
/* 1: the line is blank, a comment, or begins with such a name. */
int gem_is_record(const char *s);

int gem_is_water(const char *residue);

/* -------------------------------------------------------- molecule.c ---- */

#define GEM_NAMES 300 /* bytes of a list of residues in a message */

struct gem_molecule {
	struct gem_atom *atom;
	size_t n; /* at least 1 after reading */
	double charge; /* the sum of all q */
	double centre[3]; /* the mean of the positions */
	size_t left_out; /* atoms in models after the first */
	size_t doubled; /* atoms at the very place of an earlier atom */
	size_t unknown, unknown_line; /* lines of no known record; where the first is */
	char unknown_word[16]; /* its first word */
	size_t lost_residues; /* by the conversion */
	size_t added_to; /* residues that got heavy atoms by it */
	char added[GEM_NAMES]; /* their names */
	char lost[GEM_NAMES]; /* their names */
	int mended; /* it was made without hydrogens and residues that lack backbone atoms */
	size_t alternates; /* atoms at alternate locations, which the conversion leaves out */
};

void gem_molecule_free(struct gem_molecule *m);

/* The atoms of a PQR file; next 1: up to the end of a model, from which another call goes on. */
int gem_molecule_atoms(struct gem_molecule *m, struct text *t, int next, struct fault *e);

/* Sets charge, centre and doubled.  -1: no memory, or all charges are 0. */
int gem_molecule_sums(struct gem_molecule *m, const char *name, struct fault *e);

/* A sum of charges, 0 where they cancel but for rounding. */
struct gem_charge {
	double sum, size; /* size: the sum of |q| */
};

void gem_charge_add(struct gem_charge *c, double q);
double gem_charge(const struct gem_charge *c);

/* --------------------------------------------------------- convert.c ---- */

/* 1 if the name is that of a PDB or mmCIF file, as x.pdb, x.ent, x.cif or x.cif.gz. */
int gem_converted(const char *name);

/* The length of the name without its end. */
size_t gem_stem(const char *name);

/* What pdb2pqr is told; NULL in its place: PARSE, without pH. */
struct gem_force {
	const char *field; /* a force field that it knows */
	double ph; /* < 0: residues are protonated as free ones in water */
};

/* A file that is being converted, model by model; zero owns nothing. */
struct gem_conversion {
	const char *name;
	char folder[1000]; /* for pdb2pqr's files; "": none */
	struct child python;
};

int gem_convert_open(struct gem_conversion *c, const char *name, const struct gem_force *by,
                     int all, struct fault *e);
int gem_convert_next(struct gem_molecule *m, struct gem_conversion *c, struct fault *e);
void gem_convert_close(struct gem_conversion *c);

/* -------------------------------------------------------- molecule.c ---- */

/* The models of a file, one after the other, or the first; zero owns nothing. */
struct gem_models {
	struct text t; /* of a PQR file */
	struct gem_conversion converted; /* of any other */
	int all;
	size_t done;
};

/* f NULL: the file called name. */
int gem_models_open(struct gem_models *o, FILE *f, const char *name, const struct gem_force *by,
                    int all, struct fault *e);
/* 1 with a molecule; 0: there are no more; -1. */
int gem_models_next(struct gem_molecule *m, struct gem_models *o, struct fault *e);
void gem_models_close(struct gem_models *o);

/* The first.  A molecule without any charge is refused, as one without atoms is.  On failure *m is
 * empty. */
int gem_molecule_read(struct gem_molecule *m, FILE *f, const char *name, const struct gem_force *by,
                      struct fault *e);

/* ---------------------------------------------------------- frames.c ---- */

/* A trajectory that is being read; zero owns nothing. */
struct gem_frames {
	const char *name;
	struct child python;
	size_t done;
};

int gem_frames_open(struct gem_frames *f, const char *name, size_t atoms, struct fault *e);

/* *to: m with the coordinates of the next frame, to be freed.  1; 0: there are no more; -1. */
int gem_frames_next(struct gem_molecule *to, struct gem_frames *f, const struct gem_molecule *m,
                    struct fault *e);
void gem_frames_close(struct gem_frames *f);

/* ------------------------------------------------------------- map.c ---- */

/* Values at the nodes of a grid, z fastest, x slowest. */
struct gem_map {
	double origin[3], step[3];
	size_t n[3];
	float *value;
	char unit[24]; /* of the values, if a comment names it */
	char mode[120]; /* by which clopt-gem computed them */
};

/* The OpenDX file called name.  On failure *m is empty. */
int gem_map_read(struct gem_map *m, const char *name, struct fault *e);
void gem_map_free(struct gem_map *m);

/* ---------------------------------------------------------- points.c ---- */

struct gem_points {
	double (*at)[3];
	float (*normal)[3]; /* of length 1; NULL if the points have none */
	size_t n, room;
	unsigned (*face)[3]; /* triangles of points; NULL: there are none */
	size_t faces;
	/* With normals: the distance of the points from the molecule's surface. */
	double offset;
	int rolled; /* 1: that is the surface of a probe that rolls over the atoms */
	double probe; /* its radius */
};

/* Appends one point; normal is NULL for all points of a set or for none. */
int gem_points_add(struct gem_points *p, const double at[3], const double *normal, struct fault *e);
void gem_points_free(struct gem_points *p);

enum gem_rows {
	GEM_VERTICES, /* of an MSMS .vert file */
	GEM_FACES, /* of an MSMS .face file: triangles of the points that *p has */
	GEM_LIST /* of points */
};

/* f NULL: the file called name.  On failure *p is empty. */
int gem_points_read(struct gem_points *p, enum gem_rows kind, FILE *f, const char *name,
                    struct fault *e);

/* The name of the .face file beside F.vert; "" where the path is no F.vert, or too long. */
const char *gem_faces_name(const char *path, char name[4096]);

/* F.vert with the faces of F.face, if there is such a file. */
int gem_points_load_vert(struct gem_points *p, const char *path, struct fault *e);

#endif
