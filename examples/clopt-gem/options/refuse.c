/* SPDX-License-Identifier: MIT */
/*
 * refuse.c - options that do not go together.
 *
 * An option that would fail only after the computing, or that would have no effect, is refused
 * before.
 */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/film.h"
#include "../../common/outfile.h"
#include "clopt_tune.h"
#include "options.h"

#define misused(...) options_misused("clopt-gem", __VA_ARGS__)

static int any_converted(const struct gem_settings *o)
{
	size_t i;

	for (i = 0; i < o->count && !gem_converted(o->molecules[i]); i++)
		;
	return i < o->count;
}

/* Options without effect: in the mode, without another option, or beside it. */
static int idle(const struct gem_settings *o)
{
	const int alpb = o->mode == CLOPT_LAW_ALPB;
	const int lone = alpb && o->part == CLOPT_PART_COULOMB; /* a sum of q/d */
	const int salt = o->mode == CLOPT_LAW_DEBYE || (alpb && !lone);
	const int placed = !o->points && !gem_on_grid(o); /* at a surface */
	const int made = !o->vertices && placed;
	const int dots = !o->vertices && (placed || alpb);
	const char *no_dots = o->vertices    ? "with --vertices" :
	                      gem_on_grid(o) ? "with --grid, except with --mode alpb" :
	                                       "with --points, except with --mode alpb";
	const char *const *out = o->out;
	const int converted = any_converted(o);
	const char *no_alpb = lone ? "with --part coulomb" : "without --mode alpb";
	const char *no_salt = lone ? no_alpb : "without --mode alpb or debye";
	const struct {
		const char *option;
		int there;
		const char *without;
	} wants[] = {
		{ "forcefield", converted, "with PQR files" },
		{ "ph", converted, "with PQR files" },
		{ "part", alpb, no_alpb },
		{ "eps", o->mode != CLOPT_LAW_DISTANCE4, "with --mode distance4" },
		{ "eps-in", o->mode != CLOPT_LAW_DISTANCE4, "with --mode distance4" },
		{ "eps-out", salt, no_salt },
		{ "ionic", salt, no_salt },
		{ "kappa", salt, no_salt },
		{ "radius", alpb, no_alpb },
		{ "ion-radius", alpb && !lone, no_alpb },
		{ "alpha", alpb && !lone, no_alpb },
		{ "gem-compat", alpb && !lone, no_alpb },
		{ "energy", alpb && !lone && !o->gem_compat,
		  o->gem_compat ? "with --gem-compat" : no_alpb },
		{ "origin", o->spacing.n != 0, "without --spacing" },
		{ "margin", gem_own_grid(o) && o->grid.n != 3,
		  o->grid.n == 3 ? "with --grid NX,NY,NZ" : "without --grid or --spacing" },
		{ "dx", gem_on_grid(o), "without --grid, --grid-like or --difference" },
		{ "cube", gem_on_grid(o), "without --grid, --grid-like or --difference" },
		{ "mrc", gem_on_grid(o), "without --grid, --grid-like or --difference" },
		{ "bfactor", placed, o->points ? "with --points" : "with a grid" },
		{ "by-csv", o->by >= 0, "without --by" },
		{ "size", out[GEM_PNG] || o->film, "without --png or --film" },
		{ "view", out[GEM_PNG] || o->film, "without --png or --film" },
		{ "views", out[GEM_PNG] || o->film, "without --png or --film" },
		{ "transparent", out[GEM_PNG] != NULL, "without --png" },
		{ "range", out[GEM_PNG] || out[GEM_PLY] || o->film,
		  "without --png, --ply or --film" },
		{ "every", o->trajectory != NULL, "without --trajectory" },
		{ "film", gem_several(o),
		  "with one molecule, unless --models or --trajectory is given" },
		{ "field", out[GEM_CSV] || out[GEM_PLY], "without --csv or --ply" },
		{ "probe", dots, no_dots },
		{ "density", made, o->vertices ? "with --vertices" : "with --points or --grid" },
		{ "surface", made, o->vertices ? "with --vertices" : "with --points or --grid" },
		{ "cavities", made && o->surface == GEM_EXCLUDED,
		  made ? "with --surface sas" : "with --vertices, --points or --grid" },
	};
	size_t i;

	for (i = 0; i < sizeof wants / sizeof *wants; i++)
		if (gem_given(o, wants[i].option) && !wants[i].there)
			return misused("--%s has no effect %s", wants[i].option, wants[i].without);
	return 0;
}

/* Dielectric constants and salt: given twice, not at all, or without effect. */
static int solvent(const struct gem_settings *o)
{
	const int ionic = gem_given(o, "ionic"), kappa = gem_given(o, "kappa");
	const int eps = gem_given(o, "eps"), in = gem_given(o, "eps-in");

	if (eps && in)
		return misused("--eps and --eps-in are the same option: give one");
	if (o->mode == CLOPT_LAW_DEBYE && gem_given(o, "eps-out") && kappa && (eps || in))
		return misused("--eps-out has no effect with --mode debye, --kappa and --eps");
	if (ionic && kappa)
		return misused("--ionic and --kappa exclude each other: give one");
	if (o->mode == CLOPT_LAW_DEBYE && !ionic && !kappa)
		return misused("--mode debye needs --ionic or --kappa");
	if (!gem_given(o, "temperature"))
		return 0;
	if (o->constants == GEM_ROUNDED)
		return misused("--temperature has no effect with --constants gem, which are those "
		               "of one temperature");
	if (!ionic && !o->difference && strcmp(gem_units[o->unit], "kT") != 0)
		return misused(
		        "--temperature has no effect without --ionic, --difference or --units kT");
	return 0;
}

static int points(const struct gem_settings *o)
{
	const char *where = o->points ? "points" : "grid";
	int k;

	if (!o->points && !gem_on_grid(o))
		return 0;
	if (!!o->points + gem_own_grid(o) + !!o->like + !!o->difference > 1)
		return misused("--points, --grid, --grid-like and --difference exclude each other: "
		               "give one");
	for (k = 0; k < o->grid.n; k++)
		if (o->grid.v[k] != floor(o->grid.v[k]))
			return misused("--grid %g: it must be a whole number", o->grid.v[k]);
	if (o->grid.n && (o->grid.n == 3) != (o->spacing.n != 0))
		return misused(o->grid.n == 3 ? "--grid NX,NY,NZ needs --spacing" :
		                                "--grid N: with --spacing it must be NX,NY,NZ, the "
		                                "nodes along each axis");
	if (o->vertices && o->mode != CLOPT_LAW_ALPB)
		return misused("--vertices and --%s exclude each other, except with --mode alpb",
		               where);
	if (gem_given(o, "projection"))
		return misused(
		        "--projection moves points along the normals of a surface: --%s has none",
		        where);
	return 0;
}

static int lost(const char *input, const char *path)
{
	struct stat st;

	return input && stat(input, &st) == 0 && S_ISREG(st.st_mode) && outfile_same(input, path);
}

/* 1 after a message if the output would replace an input file. */
static int replaces(const struct gem_settings *o, const char *name, const char *path)
{
	struct stat st;
	char faces[4096];
	size_t i;
	int rc;

	if (!path || stat(path, &st)) /* the inputs are there */
		return 0;
	rc = lost(o->vertices, path) || lost(o->points, path) || lost(o->trajectory, path) ||
	     lost(o->like, path) || lost(o->difference, path) ||
	     (o->vertices && lost(gem_faces_name(o->vertices, faces), path));
	for (i = 0; i < o->count && !rc; i++)
		rc = lost(o->molecules[i], path);
	if (rc)
		misused("--%s %s: this file is read as an input", name, path);
	return rc;
}

int gem_writable(const struct gem_settings *o, struct fault *e)
{
	size_t i;

	for (i = 0; i < GEM_OUTPUTS; i++)
		if (o->out[i] && outfile_try(o->out[i], e))
			return -1;
	return 0;
}

static const char *const option[] = {
	"csv", "dx", "ply", "png", "by-csv", "cube", "mrc", "bfactor"
}; /* by enum gem_output */

/* One file for several molecules.  What is no regular file gets them one after the other. */
static int shared(const struct gem_settings *o, const char *path)
{
	struct stat st;

	return gem_several(o) && !strstr(path, "%s") && (stat(path, &st) || S_ISREG(st.st_mode));
}

/* Two molecules of one name would have the same files. */
static int alike(const struct gem_settings *o)
{
	size_t i, j, m, n;

	for (i = 0; i < o->count; i++) {
		const char *a = gem_base(o->molecules[i], &m);

		for (j = 0; j < i; j++) {
			const char *b = gem_base(o->molecules[j], &n);

			if (m == n && memcmp(a, b, n) == 0)
				return misused("%s and %s have the same name, and would write the "
				               "same files",
				               o->molecules[j], o->molecules[i]);
		}
	}
	return 0;
}

static int table(const struct gem_settings *o)
{
	size_t i;

	if (replaces(o, "table", o->table))
		return EXIT_MISUSED;
	for (i = 0; o->table && i < GEM_OUTPUTS; i++)
		if (o->out[i] && outfile_same(o->out[i], o->table))
			return misused("--%s and --table would both write %s", option[i], o->table);
	return 0;
}

static int film(const struct gem_settings *o)
{
	if (o->film && gem_on_grid(o))
		return misused("--film draws a surface: a grid has none");
	if (o->film && !film_named(o->film))
		return misused("--film %s: the name must end in the kind of film, as .mp4",
		               o->film);
	return replaces(o, "film", o->film) ? EXIT_MISUSED : 0;
}

/* Each a file of its own. */
static int outputs(const struct gem_settings *o)
{
	size_t i, j;

	if (o->view.n && (o->view.n < 3 || (!o->view.v[0] && !o->view.v[1] && !o->view.v[2])))
		return misused("--view: it must be X,Y,Z, a direction, not all 0");
	if (gem_on_grid(o) && (o->out[GEM_PLY] || o->out[GEM_PNG]))
		return misused("--%s needs a surface: a grid has none",
		               o->out[GEM_PLY] ? "ply" : "png");
	for (i = 0; i < GEM_OUTPUTS; i++) {
		const char *path = o->out[i];

		if (!path)
			continue;
		if (replaces(o, option[i], path))
			return EXIT_MISUSED;
		for (j = 0; j < i; j++)
			if (o->out[j] && outfile_same(o->out[j], path))
				return misused("--%s and --%s would both write %s", option[j],
				               option[i], path);
	}
	return 0;
}

/* The files of all molecules. */
static int several(const struct gem_settings *o)
{
	struct gem_settings one;
	struct fault e = { "" };
	int rc = 0, named = 0;
	size_t i;

	for (i = 0; i < GEM_OUTPUTS; i++) {
		if (o->out[i] && shared(o, o->out[i]))
			return misused("--%s %s: several molecules need a file each; put %%s, the "
			               "molecule's name, into the name",
			               option[i], o->out[i]);
		named |= o->out[i] && strstr(o->out[i], "%s");
	}
	if (named && alike(o))
		return EXIT_MISUSED;
	for (i = 0; i < o->count && !rc; i++) {
		if (gem_settings_each(&one, o, i, o->models || o->trajectory, &e))
			return misused("%s", e.text);
		rc = outputs(&one);
	}
	return rc;
}

/* A variant of another operation would have no effect. */
static int variant(const char *name)
{
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		if (clopt_variant_op(i) == CLOPT_OP_POTENTIAL &&
		    strcmp(clopt_variant_name(i), name) == 0)
			return 0;
	return misused("--variant %s: it must be a variant of potential; `clopt list potential' "
	               "prints them",
	               name);
}

/* The frames are those of one molecule, and have no charges. */
static int trajectory(const struct gem_settings *o)
{
	static const char *const ends[] = { ".dcd", ".xtc", ".trr", ".nc", ".ncdf" };
	size_t i, k, n;

	for (i = 0; i < o->count; i++)
		for (k = 0, n = strlen(o->molecules[i]); k < sizeof ends / sizeof *ends; k++)
			if (n > strlen(ends[k]) &&
			    strcmp(o->molecules[i] + n - strlen(ends[k]), ends[k]) == 0)
				return misused("%s: a trajectory has no charges: give it by "
				               "--trajectory, beside a PQR file of its atoms",
				               o->molecules[i]);
	if (o->trajectory && o->models)
		return misused("--models and --trajectory exclude each other: give one");
	if (o->trajectory && o->count > 1)
		return misused("--trajectory %s: there are %zu molecules: give one, with its atoms",
		               o->trajectory, o->count);
	return 0;
}

int gem_settings_refuse(const struct gem_settings *o)
{
	if (idle(o) || solvent(o) || points(o) || table(o) || trajectory(o) || film(o) ||
	    several(o))
		return EXIT_MISUSED;
	return o->device.variants ? variant(o->device.variants) : 0;
}
