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

/* Units of length, mass and time, cm, g and s; zero: not known. */
struct nb_units {
	double length, mass, time;
};

extern const struct nb_units nb_units_gadget; /* kpc, 1e10 solar masses, and km/s of velocity */
extern const struct nb_units nb_units_galactic; /* kpc, solar masses, Gyr */
double nb_units_g(const struct nb_units *u); /* the gravitational constant in them */

/* Named units in cm, g or s, the largest first; the last has no name. */
struct nb_unit {
	double size;
	const char *name;
};

extern const struct nb_unit nb_lengths[], nb_masses[], nb_times[];

/* The view and the colours of all pictures of a run, set by the first picture. */
struct nb_view {
	size_t size; /* pixels, width and height; set by the caller, as is the next */
	double width; /* a length; 0: as the bodies need it */
	double centre[2], half; /* half: half the width; 0: there was no picture yet */
	double blur; /* of a body, pixels */
	double faint, bright; /* densities, to a pixel, at which the colours begin and end */
};

/* How far a run has come that goes on later. */
struct nb_stage {
	size_t step, steps; /* steps 0: no run was under way */
	size_t bodies; /* that the checkpoint has, unless it was cut */
	size_t snapshots, pictures; /* numbered files so far, so that their numbers go on */
	double start; /* time of step 0; NaN: not known */
	double dt, tolerance, eta;
	char integrator[16], precision[16];
	struct nb_view view; /* half 0: there was no picture */
};

#define NB_TYPES 7 /* of particles: GADGET's six, and SWIFT's neutrinos */

/* What makes physical numbers of a snapshot's: powers of a and of h. */
struct nb_scale {
	double a, h; /* the scale factor; 0: no snapshot; HubbleParam, 0: none */
	double length[2], velocity[2], mass[2];
	int comoving; /* 1: of a cosmological run */
	int timed; /* 1: its time is a */
};

/* Bodies as clopt_nbody_evolve wants them; zero owns nothing. */
struct nb_system {
	double *body; /* x, y, z, m */
	double *velocity; /* vx, vy, vz, 0 */
	/* NULL, or with which the next of Hermite's steps begins, as in clopt.h; with --integrator
	 * blocks, the fourth numbers are a body's step as a part of dt. */
	double *rates;
	/* NULL, or GADGET's types of particles (enum nb_kind and others), their numbers, and three
	 * properties of gas (density, temperature, metals) and stars (metals, time of formation)
	 * that files keep. */
	unsigned char *kind;
	unsigned long long *id;
	float *traits;
	size_t n;
	double time;
	struct nb_units units;
	struct nb_stage stage;
	double softening; /* of all bodies; negative: not known */
	double g; /* the gravitational constant in their units; negative: not known */
	int mixed; /* 1: the file has a softening for each, and they differ */
	/* 1: the file has no units, but those of its kind are GADGET's; 2: nothing tells g, so it
	 * is 1. */
	int assumed;
	int sign; /* of IDs: -1 some are negative, 1 some are beyond those, 0 neither */
	struct nb_scale scale;
	char notes[4096]; /* warnings, each ends in a newline */
};

enum nb_kind {
	NB_GAS = 0,
	NB_DARK = 1,
	NB_STAR = 4
};

/* n bodies of zeros, at time 0, of no softening or g known. */
int nb_system_new(struct nb_system *s, size_t n, struct fault *e);
/* Room for kinds, numbers and traits, and for rates. */
int nb_system_kinds(struct nb_system *s, struct fault *e);
int nb_system_rates(struct nb_system *s, struct fault *e);
int nb_system_kind(const struct nb_system *s, size_t i); /* without kinds NB_DARK */
void nb_system_free(struct nb_system *s);

/* A warning about the file; what does not fit is left out. */
void nb_system_note(struct nb_system *s, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* Puts body i at x, y, z, vx, vy, vz, m; NULL, or the reason against it: numbers have to be finite
 * and masses not negative.  The library refuses numbers beyond the range of the precision. */
const char *nb_system_put(struct nb_system *s, size_t i, const double v[7]);

/* A softening's square has to stay within a float. */
#define NB_SOFTEST 1e18

/* The command line's softening and g if they are not negative, else those that came
 * with the bodies, else 0 and 1. */
void nb_system_settle(struct nb_system *s, double softening, double g);

/* The names of its units ("nbody" if g is 1), or numbers. */
void nb_units_text(const struct nb_system *s, char *text, size_t room);

/* Multiplies all but rates and traits; and from the units that it has to others. */
void nb_system_scale(struct nb_system *s, double length, double velocity, double mass, double time);
void nb_system_convert(struct nb_system *s, const struct nb_units *to);

/* A snapshot's numbers as physical ones, if that was asked for; else a note says what they are, and
 * those of a redshift are refused.  name is the file's. */
int nb_system_physical(struct nb_system *s, const char *name, int asked, struct fault *e);

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

/* --------------------- system.c, table.c, snapshot.c ---------- */

/* A table, a tipsy, an HDF5 or a GADGET file, whichever it is; f NULL: the file called name.  On
 * failure *s is empty. */
int nb_read(struct nb_system *s, FILE *f, const char *name, struct fault *e);

int nb_table_parse(struct nb_system *s, struct text *t, struct fault *e);
int nb_table_print(FILE *f, const void *system, struct fault *e);
/* The table with all that a run needs to go on with the same bits. */
int nb_checkpoint_print(FILE *f, const void *system, struct fault *e);

int nb_snapshot_is(const struct text *t); /* HDF5, GADGET's binary formats, or tipsy */
/* named: 1 if t->name is a file, beside which others are. */
int nb_snapshot_parse(struct nb_system *s, const struct text *t, int named, struct fault *e);
int nb_snapshot_try(const char *format, struct fault *e); /* 0, or why it cannot be written */
int nb_hdf5_print(FILE *f, const void *system, struct fault *e);
int nb_tipsy_print(FILE *f, const void *system, struct fault *e);

enum nb_format {
	NB_TABLE,
	NB_TIPSY,
	NB_HDF5
};

int nb_write(const char *path, const struct nb_system *s, int format, struct fault *e);

/* ----------------------------------------------------- draw.c ----------- */

/* The density seen along z, as a picture that cairo_surface_destroy frees (NULL after a failure),
 * and in a PNG file.  colour: an enum nb_colours. */
cairo_surface_t *nb_picture(struct nb_view *view, const struct nb_system *s, int colour,
                            struct fault *e);
int nb_draw(const char *path, struct nb_view *view, const struct nb_system *s, int colour,
            struct fault *e);

enum nb_colours {
	NB_BY_DENSITY,
	NB_BY_TYPE
};

/* ------------------------------------------------- options.c ------------ */

struct nb_settings {
	const struct nb_model *model; /* used if in is NULL */
	const char *in, *resume, *out, *snapshots, *checkpoint, *png, *frames, *film;
	const char *model_name;
	size_t n, steps, every, size, seed;
	double dt, softening, g; /* the last two negative: as the bodies have them */
	double until; /* NaN: by steps */
	double eta; /* accuracy of --integrator blocks */
	double tolerance; /* 0: all pairs */
	double width; /* of pictures, as in struct nb_view */
	/* enum nb_format; as in clopt.h, or NB_BLOCKS; as in clopt.h; enum nb_unit_names */
	int format, integrator, precision, units;
	int colour; /* enum nb_colours */
	int dt_given, steps_given;
	int json, quiet, mpi, physical;
	struct clopt_options device;
};

enum {
	NB_BLOCKS = 2 /* an integrator, behind those of clopt.h */
};

/* Returns -1 to go on; else the exit status, after all messages. */
int nb_settings_read(struct nb_settings *o, int argc, char **argv);
/* After the bodies are there: what a checkpoint says of the run, and the steps until a time. */
int nb_settings_finish(struct nb_settings *o, struct nb_system *s, struct fault *e);
const char *nb_integrator_name(int integrator);
const char *nb_precision_name(int precision);

/* ------------------------------------------------------------- run.c ---- */

/* The i-th file of --snapshots and --frames: PREFIX00042.png, or FOLDER/00042.png. */
int nb_snapshot_path(const struct nb_settings *o, size_t i, char *path, size_t room,
                     struct fault *e);
int nb_frame_path(const struct nb_settings *o, size_t i, char *path, size_t room, struct fault *e);

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
	size_t rows, frames, snapshots;
	struct nb_row first, last;
	double worst_energy; /* the largest |energy_drift| of all rows */
	double interactions, seconds; /* steps alone, without setting up and looking */
	double forces; /* on a body, that were computed */
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

/* -------------------------------------------------------- blocks.c ---- */

struct nb_blocks {
	struct clopt *ctx;
	double dt, eta;
	size_t steps, every;
	int precision, resume; /* resume: rates and steps are those of an earlier run */
	int (*each)(void *user, size_t step, const double *body, const double *velocity,
	            const struct clopt_conserved *sums); /* as clopt_nbody_evolve's */
	void (*tell)(void *user, double steps); /* after each block: how many are done */
	void *user;
};

struct nb_blocks_done {
	double forces; /* on a body, in all blocks */
	size_t blocks;
};

/* Move the bodies, which must have rates; a status of the library, whose context has the text. */
int nb_blocks(const struct nb_blocks *o, struct nb_system *s, struct nb_blocks_done *done);

/* ---------------------------------------------------------- report.c ---- */

struct json_t;

/* Where rows and the summary go; zero has nothing to free. */
struct nb_report {
	FILE *f; /* NULL: no report */
	struct json_t *rows; /* NULL: as text */
	int headed; /* the heads of the columns are there */
};

int nb_report_open(struct nb_report *p, const struct nb_settings *o, struct fault *e);
int nb_report_row(struct nb_report *p, const struct nb_row *row, struct fault *e);
int nb_report_end(struct nb_report *p, const struct nb_settings *o, const struct nb_system *s,
                  const struct nb_result *r, struct fault *e);
void nb_report_close(struct nb_report *p);

/* More steps than this, by the default length of a step, get a warning. */
#define NB_MANY_STEPS 1000000
/* Notes about the film, the steps and the bodies, and about their motion. */
void nb_warnings(const struct nb_settings *o, struct nb_system *s);
void nb_drift_warning(const struct nb_result *r, struct nb_system *s);

#endif
