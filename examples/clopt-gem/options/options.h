/* SPDX-License-Identifier: MIT */
/*
 * options.h - the command line of clopt-gem.
 */
#ifndef GEM_OPTIONS_H
#define GEM_OPTIONS_H

#include <limits.h>

#include "../../common/options.h"
#include "../read/read.h"
#include "clopt_device.h"

/* --------------------------------------------------------- options.c ---- */

enum gem_constants {
	GEM_EXACT, /* CODATA 2018 */
	GEM_ROUNDED /* those of GEM's program */
};

enum gem_made {
	GEM_EXCLUDED, /* the solvent-excluded surface, a mesh */
	GEM_ACCESSIBLE /* the solvent-accessible surface, dots */
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
	GEM_CUBE,
	GEM_MRC,
	GEM_PDB,
	GEM_OUTPUTS
};

struct gem_settings {
	char **molecules; /* all of the command line */
	size_t count;
	int forcefield; /* its index in gem_forcefields */
	double ph; /* < 0: none */
	int models; /* 1: each model of a file is a molecule */
	const char *trajectory; /* whose frames the models are, instead of those of the file */
	size_t every; /* of the frames, each of this number */
	const char *molecule; /* this one; of all settings the first */
	size_t model; /* its number in the file, from 1; 0: the first alone is read */
	char name[256]; /* its name in the names of files */
	char made[GEM_OUTPUTS][PATH_MAX]; /* out, of one molecule */
	const char *vertices, *points;
	const char *out[GEM_OUTPUTS]; /* NULL: is not asked for.  Of all settings with %s in them */
	const char *film, *table; /* of all molecules */
	/* One number of nodes is that along the longest side. */
	struct option_triple grid, spacing, origin;
	const char *like, *difference; /* maps: whose nodes are taken, and what is subtracted */
	double margin, probe, density; /* density 0: by the size of the molecule */
	int surface, cavities; /* surface: an enum gem_made */
	int mode, part; /* as in clopt.h */
	int unit, constants, by; /* by -1: no groups */
	double eps_in, eps_out, ionic, kappa, temperature; /* kappa < 0: from the ionic strength */
	double projection, radius, ion_radius, alpha; /* radius 0: from the atoms */
	int gem_compat, field, energy;
	double tolerance; /* 0: all pairs */
	double range; /* 0: from the values */
	struct option_triple view; /* n 0: from the molecule's shape */
	int views, transparent;
	size_t size;
	int json, quiet, mpi;
	struct clopt_options device;
	unsigned long long given; /* options that were there, by their row */
};

/* Returns -1 to go on; else the exit status, after all messages. */
int gem_settings_read(struct gem_settings *o, int argc, char **argv);

/* 1 if one run makes several results, with a file for each. */
int gem_several(const struct gem_settings *o);

/* 1 if the points are the nodes of a grid; of one that the options place, and no map does. */
int gem_own_grid(const struct gem_settings *o);
int gem_on_grid(const struct gem_settings *o);

/* 1 if the option was on the command line. */
int gem_given(const struct gem_settings *o, const char *option);

/* "coulomb", "distance4", ...; "total", "reaction", ...; "kcal", ... */
extern const char *const gem_forcefields[];
extern const char *const gem_modes[], *const gem_parts[], *const gem_units[], *const gem_surfaces[];

/* ------------------------------------------------------------ each.c ---- */

/* The settings for the i-th molecule, and its model (0: there are none): each %s in the names of
 * files is replaced by the molecule's name. */
int gem_settings_each(struct gem_settings *one, const struct gem_settings *all, size_t i,
                      size_t model, struct fault *e);

/* The name of a molecule's file without folder and end, as .pqr or .pdb.gz: *n bytes. */
const char *gem_base(const char *path, size_t *n);

/* ---------------------------------------------------------- refuse.c ---- */

/* 0, or EXIT_MISUSED after a message about options that do not go together. */
int gem_settings_refuse(const struct gem_settings *o);

/* Would all the requested files open?  Nothing is written yet. */
int gem_writable(const struct gem_settings *o, struct fault *e);

#endif
