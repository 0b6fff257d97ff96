/* SPDX-License-Identifier: MIT */
/*
 * options.h - the command line of clopt-gem.
 */
#ifndef GEM_OPTIONS_H
#define GEM_OPTIONS_H

#include "../../common/options.h"
#include "../read/read.h"
#include "clopt_device.h"

/* --------------------------------------------------------- options.c ---- */

enum gem_constants {
	GEM_EXACT, /* CODATA 2018 */
	GEM_ROUNDED /* those of GEM's program */
};

enum gem_by {
	GEM_BY_CHAIN,
	GEM_BY_RESIDUE
};

/* The files that are written, in this order. */
enum gem_output {
	GEM_CSV,
	GEM_DX,
	GEM_PLY,
	GEM_PNG,
	GEM_BY_CSV,
	GEM_OUTPUTS
};

struct gem_settings {
	const char *molecule, *vertices, *points;
	const char *out[GEM_OUTPUTS]; /* NULL: is not asked for */
	size_t grid; /* nodes along the longest side; 0: no grid */
	double margin, probe, density;
	int mode, part; /* as in clopt.h */
	int unit, constants, approx, by; /* by -1: no groups */
	double eps_in, eps_out, ionic, kappa, temperature; /* kappa < 0: from the ionic strength */
	double projection, radius, ion_radius, alpha; /* radius 0: from the atoms */
	int gem_compat, field;
	double range; /* 0: from the values */
	size_t size;
	int json, quiet;
	struct clopt_options device;
	unsigned long long given; /* options that were there, by their row */
};

/* Returns -1 to go on; else the exit status, after all messages. */
int gem_settings_read(struct gem_settings *o, int argc, char **argv);

/* 1 if the option was on the command line. */
int gem_given(const struct gem_settings *o, const char *option);

/* "coulomb", "distance4", ...; "total", "reaction", ...; "kcal", ... */
extern const char *const gem_modes[], *const gem_parts[], *const gem_units[];

/* ---------------------------------------------------------- refuse.c ---- */

/* 0, or EXIT_MISUSED after a message about options that do not go together. */
int gem_settings_refuse(const struct gem_settings *o);

/* Would all the requested files open?  Nothing is written yet. */
int gem_writable(const struct gem_settings *o, struct fault *e);

#endif
