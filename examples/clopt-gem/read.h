/* SPDX-License-Identifier: MIT */
/*
 * read.h - what files have in them, and how a failure is told.
 */
#ifndef GEM_READ_H
#define GEM_READ_H

#include <stddef.h>
#include <stdio.h>

/* Lengths are in Angstrom and charges in e throughout.  Input larger than this
 * is refused: its square would come near what a float can hold. */
#define GEM_LARGEST 1e9

struct gem_error {
	char text[640];
};

/* Writes the text and returns -1, so that "return gem_fail(...)" is enough. */
int gem_fail(struct gem_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------ text.c ---- */

/* One text file, read line by line.  buf is the line without its end. */
struct gem_text {
	FILE *f;
	const char *name; /* for messages */
	size_t line; /* number of the line in buf, from 1 */
	size_t len;
	char buf[1024];
};

struct gem_token {
	const char *s;
	size_t n;
};

FILE *gem_text_open(const char *path, struct gem_error *e);

/* 1: buf has the next line; 0: the file ended; -1: it is no text, or a line is
 * too long, or reading failed. */
int gem_text_next(struct gem_text *t, struct gem_error *e);

/* "file:line: reason: 'the line'"; returns -1. */
int gem_text_fail(const struct gem_text *t, struct gem_error *e, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Cut s at blanks, and where numbers have run together at a minus sign.
 * Returns how many there are; at most max of them are stored. */
size_t gem_tokens(const char *s, struct gem_token *token, size_t max);

/* 1 and the value if all of the n characters are one finite decimal number. */
int gem_number(const char *s, size_t n, double *value);

/* ------------------------------------------------------------- pqr.c ---- */

struct gem_atom {
	double x, y, z, q, r; /* r >= 0 */
	int resnum;
	char ins; /* insertion code, 0: none */
	char chain[8]; /* "": none */
	char resname[12];
	char name[12];
};

/* 1: a is the atom of the line; 0: the line has none; -1: it cannot be read. */
int gem_record(const struct gem_text *t, struct gem_atom *a, struct gem_error *e);

/* -------------------------------------------------------- molecule.c ---- */

struct gem_molecule {
	struct gem_atom *atom;
	size_t n; /* at least 1 after reading */
	double charge; /* the sum of all q */
	double centre[3]; /* the mean of the positions */
	size_t left_out; /* atoms in models after the first */
	size_t doubled; /* atoms at the very place of one before */
};

/* name is what messages call the file.  On failure *m is empty. */
int gem_molecule_read(struct gem_molecule *m, FILE *f, const char *name, struct gem_error *e);
int gem_molecule_load(struct gem_molecule *m, const char *path, struct gem_error *e);
void gem_molecule_free(struct gem_molecule *m);

/* A sum of charges, 0 where they cancel but for rounding. */
struct gem_charge {
	double sum, size; /* size: the sum of |q| */
};

void gem_charge_add(struct gem_charge *c, double q);
double gem_charge(const struct gem_charge *c);

/* ------------------------------------------------- points.c, faces.c ---- */

struct gem_points {
	double (*at)[3];
	float (*normal)[3]; /* of length 1; NULL if the points have none */
	size_t n, room;
	unsigned (*face)[3]; /* triangles of points; NULL: there are none */
	size_t faces;
	/* With normals: how far from the molecule's surface the points lie. */
	double offset;
	int dots; /* 1: they lie on the atoms' balls, grown by offset */
};

/* Append one point; normal is NULL for all points of a set or for none. */
int gem_points_add(struct gem_points *p, const double at[3], const double *normal,
                   struct gem_error *e);
int gem_points_read_vert(struct gem_points *p, FILE *f, const char *name, struct gem_error *e);
int gem_points_read_list(struct gem_points *p, FILE *f, const char *name, struct gem_error *e);
void gem_points_free(struct gem_points *p);

/* The first want fields as numbers within range. */
int gem_numbers(const struct gem_text *t, const struct gem_token *k, size_t want, double *v,
                struct gem_error *e);

/* Triangles of p's points, from an MSMS .face file. */
int gem_faces_read(struct gem_points *p, FILE *f, const char *name, struct gem_error *e);

/* The name that the .face file of F.vert would have, to be freed; NULL where the path
 * is no F.vert.  -1: no memory. */
int gem_faces_name(const char *path, char **name);

/* F.vert with the faces of F.face, if there is such a file. */
int gem_points_load_vert(struct gem_points *p, const char *path, struct gem_error *e);
int gem_points_load_list(struct gem_points *p, const char *path, struct gem_error *e);

#endif
