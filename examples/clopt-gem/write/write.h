/* SPDX-License-Identifier: MIT */
/*
 * write.h - results as files and as summaries.
 */
#ifndef GEM_WRITE_H
#define GEM_WRITE_H

#include <jansson.h>

#include "../draw/draw.h"

/* ------------------------------------------------------------ files.c ---- */

/* The CSV has x,y,z,value as APBS's multivalue writes them, and with the field Ex,Ey,Ez and, where
 * there are normals, En. */
int gem_write(enum gem_output what, const char *path, const struct gem_work *w, struct fault *e);

/* What the values of a grid are, and in which unit: "potential in kT/e, mode alpb, ...", or a
 * difference from a map. */
const char *gem_title(char *to, size_t room, const struct gem_work *w);

/* By the element at the end of the record, or by the names of the atom and its residue where these
 * are plain; else 0. */
int gem_atomic_number(const struct gem_atom *a);

/* A line for each molecule, as CSV; seconds: all that it took. */
void gem_table_head(FILE *f);
void gem_table_row(FILE *f, const struct gem_work *w, double seconds);

/* -------------------------------------------------------------- pdb.c ---- */

int gem_write_pdb(const char *path, const struct gem_work *w, struct fault *e);

/* How many atoms have a potential beyond what a PDB file holds; 0 without such a file. */
size_t gem_beyond_pdb(const struct gem_work *w);

/* -------------------------------------------------- summary.c, json.c ---- */

#define GEM_LOST \
	"pdb2pqr left out %zu residues, or atoms of them, for lack of parameters or of atoms: %s"

/* The mode and its parameters but the molecule's radius: "alpb, dielectric constants 1 and 80". */
const char *gem_mode(char *to, size_t room, const struct gem_work *w);

/* A list of texts about the input; NULL: no memory. */
json_t *gem_warnings(const struct gem_work *w);

int gem_summary_text(const struct gem_work *w, FILE *f, struct fault *e);
int gem_summary_json(const struct gem_work *w, FILE *f, struct fault *e);

#endif
