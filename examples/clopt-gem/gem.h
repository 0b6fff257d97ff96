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

#include "clopt.h"

/* Lengths are in Angstrom and charges in e throughout.  Input larger than this
 * is refused: its square would come near what a float can hold. */
#define GEM_LARGEST 1e9

struct gem_error {
	char text[640];
};

/* Writes the text and returns -1, so that "return gem_fail(...)" is enough. */
int gem_fail(struct gem_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --------------------------------------------------------- options.c ---- */

/* Exit statuses. */
#define GEM_FAILED 1
#define GEM_MISUSED 2

struct gem_settings {
	const char *molecule, *vertices, *points;
	const char *csv, *ply, *png;
	const struct gem_unit *unit;
	double probe, density, eps, range; /* range 0: from the values */
	size_t size;
	int json, quiet;
	struct clopt_options device;
};

/* Returns -1 to go on; else the exit status, and what there was to say has been
 * said. */
int gem_settings_read(struct gem_settings *o, int argc, char **argv);

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

struct gem_molecule {
	struct gem_atom *atom;
	size_t n; /* at least 1 after reading */
	double charge; /* the sum of all q */
	double centre[3]; /* the mean of the positions */
};

/* name is what messages call the file.  On failure *m is empty. */
int gem_molecule_read(struct gem_molecule *m, FILE *f, const char *name, struct gem_error *e);
int gem_molecule_load(struct gem_molecule *m, const char *path, struct gem_error *e);
void gem_molecule_free(struct gem_molecule *m);

/* ---------------------------------------------------------- points.c ---- */

struct gem_points {
	double (*at)[3];
	float (*normal)[3]; /* of length 1; NULL if the points have none */
	size_t n, room;
};

/* Append one point; normal is NULL for all points of a set or for none. */
int gem_points_add(struct gem_points *p, const double at[3], const double *normal,
                   struct gem_error *e);
int gem_points_read_vert(struct gem_points *p, FILE *f, const char *name, struct gem_error *e);
int gem_points_read_list(struct gem_points *p, FILE *f, const char *name, struct gem_error *e);
void gem_points_free(struct gem_points *p);

/* --------------------------------------------------------- surface.c ---- */

/* The solvent-accessible surface: dots (density of them to a square Angstrom)
 * on the atoms' spheres grown by probe, less those inside another. */
int gem_surface(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
                struct gem_error *e);

/* ------------------------------------------------------------- run.c ---- */

struct gem_unit {
	const char *name; /* on the command line */
	const char *label; /* in print */
	double factor; /* of one kcal/mol/e */
};

/* NULL for a name that is none. */
const struct gem_unit *gem_unit(const char *name);

struct gem_result {
	float *value; /* one for each point */
	size_t n;
	double min, max, rms;
	double pairs, seconds;
	double setup_seconds; /* opening the device and building the kernel */
	char device[128];
	char variant[64];
};

/* The potential of m at p, in the unit, divided by eps.  progress: 1 shows how
 * far it is on stderr. */
int gem_run(struct gem_result *r, const struct clopt_options *options, const struct gem_molecule *m,
            const struct gem_points *p, const struct gem_unit *unit, double eps, int progress,
            struct gem_error *e);
void gem_result_free(struct gem_result *r);
double gem_seconds(void);

/* ------------------------------------------------------------ file.c ---- */

/* A file on its way: it gets its name when it is complete. */
struct gem_file {
	FILE *f;
	char *path, *temp; /* temp NULL: written in place, a device or a pipe */
};

int gem_file_open(struct gem_file *o, const char *path, struct gem_error *e);
int gem_file_commit(struct gem_file *o, struct gem_error *e);
void gem_file_drop(struct gem_file *o); /* nothing is left; does nothing after a commit */

/* 1 if what is written to path comes out at the standard output. */
int gem_file_is_stdout(const char *path);

/* 1 if one of them would undo the other when both were written. */
int gem_file_same(const char *a, const char *b);

/* ----------------------------------------------------------- table.c ---- */

int gem_write_csv(const char *path, const struct gem_points *p, const float *value,
                  struct gem_error *e);
int gem_write_ply(const char *path, const struct gem_points *p, const float *value, double range,
                  const struct gem_unit *unit, struct gem_error *e);

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

/* --------------------------------------------------- axes.c, splat.c ---- */

/* Principal axes of the points as rows, longest first, right-handed. */
void gem_axes(const struct gem_points *p, double centre[3], double axis[3][3]);

struct gem_canvas {
	unsigned char *rgb; /* from the upper left corner */
	size_t w, h;
};

/* Draw the points into the left w columns of the canvas. */
int gem_splat(struct gem_canvas *c, size_t w, const struct gem_points *p, const float *value,
              double range, struct gem_error *e);

/* ---------------------------------------------------------- stroke.c ---- */

/* Write text with its left edge at x and its middle at y; height in pixels.
 * Returns its width; c NULL only measures. */
double gem_stroke(struct gem_canvas *c, double x, double y, double height, const char *text);

/* --------------------------------------------------- picture.c, png.c ---- */

struct gem_picture {
	const char *title; /* the molecule's file */
	const struct gem_unit *unit;
	struct gem_range range;
	size_t size; /* pixels, width and height */
};

int gem_write_png(const char *path, const struct gem_points *p, const float *value,
                  const struct gem_picture *o, struct gem_error *e);
int gem_png(FILE *f, const struct gem_canvas *c, const struct gem_picture *o, struct gem_error *e);

/* --------------------------------------------------------- summary.c ---- */

struct gem_summary {
	const char *molecule, *points; /* file names; points NULL: made here */
	int vertices; /* the points came with normals, from --vertices */
	double probe, density, eps;
	const struct gem_molecule *m;
	const struct gem_result *r;
	const struct gem_unit *unit;
	struct gem_range range;
	const char *file[3]; /* written */
	size_t files;
};

int gem_summary_text(const struct gem_summary *s, FILE *f, struct gem_error *e);
int gem_summary_json(const struct gem_summary *s, FILE *f, struct gem_error *e);

#endif
