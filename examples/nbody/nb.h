/* SPDX-License-Identifier: MIT */
/*
 * nb.h - what the files of nbody share.
 *
 * Bodies are made or read, moved by the library, looked at now and then, and written.  A function
 * that can fail returns 0 or -1 and then leaves one line in a struct fault.  Only the command line
 * and the reports print, and nothing exits.
 */
#ifndef NB_H
#define NB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/film.h"
#include "../common/options.h"
#include "../common/outfile.h"
#include "../common/ranks.h"
#include "../common/shares.h"
#include "../common/text.h"
#include "clopt_device.h"

/* ---------------------------------------------------------- system.c ---- */

/* Bodies as clopt_nbody_evolve wants them; zero owns nothing. */
struct nb_system {
	double *body; /* x, y, z, m */
	double *velocity; /* vx, vy, vz, 0 */
	size_t n;
	double time;
	double softening; /* of all bodies; negative: not known */
	double g; /* the gravitational constant in their units; negative: not known */
	int mixed; /* 1: the file has a softening for each, and they differ */
};

/* n bodies of zeros, at time 0, of no softening or g known. */
int nb_system_new(struct nb_system *s, size_t n, struct fault *e);
void nb_system_free(struct nb_system *s);

/* Puts body i at x, y, z, vx, vy, vz, m; NULL, or the reason against it: numbers have to be finite
 * and masses not negative.  The library refuses numbers beyond the range of the precision. */
const char *nb_system_put(struct nb_system *s, size_t i, const double v[7]);

/* A softening's square has to stay within a float. */
#define NB_SOFTEST 1e18

/* The command line's softening and g if they are not negative, else those that came
 * with the bodies, else 0 and 1. */
void nb_system_settle(struct nb_system *s, double softening, double g);

/* Moves the centre of mass to the origin, at rest. */
void nb_system_centre(struct nb_system *s);

/* ---------------------------------------------------------- random.c ---- */

/* Numbers that follow from the seed alone, on any machine. */
struct nb_random {
	uint64_t state;
};

double nb_uniform(struct nb_random *r); /* above 0, below 1 */
double nb_normal(struct nb_random *r); /* mean 0, variance 1 */
void nb_direction(struct nb_random *r, double length, double out[3]);

/* One body of a Plummer sphere of mass 1 and scale length 1, out of the innermost
 * part (below 1) of its mass. */
void nb_plummer_body(struct nb_random *r, double part, double at[3], double velocity[3]);

/* ----------------------------------------------- model.c, galaxies.c ---- */

/* Initial conditions, in units in which the gravitational constant is 1. */
struct nb_model {
	const char *name;
	int (*make)(struct nb_system *s, size_t n, uint64_t seed, struct fault *e);
	size_t n; /* number of bodies without --n */
	int fixed; /* 1: it has n, and no other number of them */
	double dt; /* a suitable step */
	size_t steps;
	double softening; /* with the cube root of n: neighbours come closer in a crowd */
};

/* NULL for an unknown name, and past the end of the list. */
const struct nb_model *nb_model(const char *name);
const struct nb_model *nb_model_at(size_t i);

/* Two discs in haloes on their way to each other.  The first NB_FIRST(n) bodies
 * are the larger galaxy; of each galaxy the first half is its halo. */
int nb_galaxies(struct nb_system *s, size_t n, uint64_t seed, struct fault *e);
#define NB_FIRST(n) ((n)-NB_SECOND(n))
#define NB_SECOND(n) ((n) / 3)

/* --------------------------------------- system.c, table.c, tipsy.c ---- */

/* A table or a tipsy file, whichever it is; f NULL: the file called name.  On failure *s is empty. */
int nb_read(struct nb_system *s, FILE *f, const char *name, struct fault *e);

int nb_table_parse(struct nb_system *s, struct text *t, struct fault *e);
int nb_table_print(FILE *f, const void *system, struct fault *e);

/* 1 if the bytes begin as a tipsy file does; no text does. */
int nb_tipsy_is(const struct text *t);
int nb_tipsy_parse(struct nb_system *s, const struct text *t, struct fault *e);
int nb_tipsy_print(FILE *f, const void *system, struct fault *e);

enum nb_format {
	NB_TABLE,
	NB_TIPSY
};

int nb_write(const char *path, const struct nb_system *s, int format, struct fault *e);

/* ----------------------------------------------------- draw.c ----------- */

/* The view and the colours of all pictures of a run, set by the first picture. */
struct nb_view {
	size_t size; /* pixels, width and height; set by the caller */
	double centre[2], half; /* half: half the width; 0: there was no picture yet */
	double blur; /* of a body, pixels */
	double faint, bright; /* densities, to a pixel, at which the colours begin and end */
};

/* The density seen along z, as a picture that cairo_surface_destroy frees (NULL after a failure), and
 * in a PNG file. */
cairo_surface_t *nb_picture(struct nb_view *view, const double *body, size_t n, struct fault *e);
int nb_draw(const char *path, struct nb_view *view, const double *body, size_t n, struct fault *e);

/* ------------------------------------------------- options.c ------------ */

struct nb_settings {
	const struct nb_model *model; /* used if in is NULL */
	const char *in, *out, *png, *frames, *film;
	const char *model_name;
	size_t n, steps, every, size, seed;
	double dt, softening, g; /* the last two negative: as the bodies have them */
	double tolerance; /* 0: all pairs */
	int format, integrator, precision; /* enum nb_format; the others as in clopt.h */
	int json, quiet, mpi;
	struct clopt_options device;
};

/* Returns -1 to go on; else the exit status, after all messages. */
int nb_settings_read(struct nb_settings *o, int argc, char **argv);
const char *nb_integrator_name(int integrator);
const char *nb_precision_name(int precision);

/* ------------------------------------------------------------- run.c ---- */

/* Would the requested files open?  Asked before the first step. */
int nb_writable(const struct nb_settings *o, struct fault *e);

/* The conserved sums at a step, and their drifts since the first row. */
struct nb_row {
	size_t step;
	double time;
	struct clopt_conserved sums;
	double energy_drift; /* relative to the energy; absolute if that was 0 */
	double momentum_drift; /* ... to the sum of m |v| */
	double angular_drift; /* ... to the sum of m |x| |v| */
};

struct nb_result {
	size_t rows, frames;
	struct nb_row first, last;
	double worst_energy; /* the largest |energy_drift| of all rows */
	double interactions, seconds; /* steps alone, without setting up and looking */
	unsigned tree_order; /* these two as in struct clopt_report */
	double error_99;
	int precision; /* the precision that "best" chose */
	char device[128], variant[64];
	struct shares shares; /* of the interactions */
};

struct nb_report;

/* Move the bodies; each row goes to the report, and a picture to o->frames or o->film. */
int nb_run(struct nb_result *r, const struct nb_settings *o, struct nb_system *s,
           struct nb_report *report, struct fault *e);
/* ---------------------------------------------------------- report.c ---- */

struct json_t;

/* Where rows and the summary go; zero has nothing to free. */
struct nb_report {
	FILE *f; /* NULL: no report */
	struct json_t *rows; /* NULL: as text */
};

int nb_report_open(struct nb_report *p, const struct nb_settings *o, struct fault *e);
int nb_report_row(struct nb_report *p, const struct nb_row *row, struct fault *e);
int nb_report_end(struct nb_report *p, const struct nb_settings *o, const struct nb_system *s,
                  const struct nb_result *r, struct fault *e);
void nb_report_close(struct nb_report *p);

/* 1 and a text if there is a warning about the film, or about the bodies. */
int nb_film_warning(const struct nb_settings *o, char *text, size_t room);
int nb_warning(const struct nb_settings *o, const struct nb_system *s, char *text, size_t room);
/* The same about their motion. */
int nb_drift_warning(const struct nb_result *r, char *text, size_t room);

#endif
