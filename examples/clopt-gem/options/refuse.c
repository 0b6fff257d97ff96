/* SPDX-License-Identifier: MIT */
/*
 * refuse.c - options that do not go together.
 *
 * An option that would fail only after the computing, or that would have no effect, is refused
 * before.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/outfile.h"
#include "clopt_tune.h"
#include "options.h"

#define OUTPUTS 5
#define misused(...) options_misused("clopt-gem", __VA_ARGS__)

#define IN(mode) (1u << (mode))
#define IN_ALPB_COULOMB (1u << 8) /* --part coulomb, which is a sum of q/d */

/* An option that the mode ignores is a misunderstanding. */
static int modes(const struct gem_settings *o)
{
	static const unsigned salt = IN(CLOPT_LAW_DEBYE) | IN(CLOPT_LAW_ALPB);
	static const unsigned alpb = IN(CLOPT_LAW_ALPB) | IN_ALPB_COULOMB;
	const int lone = o->mode == CLOPT_LAW_ALPB && o->part == CLOPT_PART_COULOMB;
	const unsigned here = lone ? IN_ALPB_COULOMB : IN(o->mode);
	const struct {
		const char *option;
		unsigned modes;
	} only[] = {
		{ "part", alpb },
		{ "eps", IN(CLOPT_LAW_COULOMB) | IN(CLOPT_LAW_DEBYE) | alpb },
		{ "eps-in", IN(CLOPT_LAW_COULOMB) | IN(CLOPT_LAW_DEBYE) | alpb },
		{ "eps-out", salt },
		{ "ionic", salt },
		{ "kappa", salt },
		{ "radius", alpb },
		{ "ion-radius", IN(CLOPT_LAW_ALPB) },
		{ "alpha", IN(CLOPT_LAW_ALPB) },
		{ "gem-compat", IN(CLOPT_LAW_ALPB) },
	};
	size_t i;

	for (i = 0; i < sizeof only / sizeof *only; i++)
		if (gem_given(o, only[i].option) && !(only[i].modes & here))
			return misused("--%s means nothing %s %s", only[i].option,
			               lone ? "with --part" : "in mode",
			               lone ? gem_parts[o->part] : gem_modes[o->mode]);
	return 0;
}

/* Dielectric constants given twice, or without effect. */
static int dielectric(const struct gem_settings *o)
{
	if (gem_given(o, "eps") && gem_given(o, "eps-in"))
		return misused("--eps and --eps-in are the same");
	if (o->mode == CLOPT_LAW_DEBYE && gem_given(o, "eps-out") && gem_given(o, "kappa") &&
	    (gem_given(o, "eps") || gem_given(o, "eps-in")))
		return misused("--eps-out means nothing in mode debye with --kappa and --eps");
	return 0;
}

static int salt(const struct gem_settings *o)
{
	int ionic = gem_given(o, "ionic"), kappa = gem_given(o, "kappa");

	if (ionic && kappa)
		return misused("--ionic and --kappa exclude each other");
	if (o->mode == CLOPT_LAW_DEBYE && !ionic && !kappa)
		return misused("--mode debye wants --ionic or --kappa");
	if (gem_given(o, "temperature")) {
		if (o->constants == GEM_ROUNDED)
			return misused("--constants gem are those of one temperature, so "
			               "--temperature means nothing");
		if (!ionic && strcmp(gem_units[o->unit], "kT") != 0)
			return misused("--temperature means nothing without --ionic or "
			               "--units kT");
	}
	return 0;
}

static int points(const struct gem_settings *o)
{
	if (o->points && o->grid)
		return misused("--points and --grid exclude each other");
	if (!o->points && !o->grid)
		return 0;
	if (o->vertices && o->mode != CLOPT_LAW_ALPB)
		return misused("--vertices and --%s exclude each other except in mode alpb",
		               o->points ? "points" : "grid");
	if (gem_given(o, "projection"))
		return misused("--projection moves points of a surface along its normals, and "
		               "--%s has none",
		               o->points ? "points" : "grid");
	return 0;
}

/* Options without effect. */
static int idle(const struct gem_settings *o)
{
	const int placed = !o->points && !o->grid; /* at a surface */
	const int dots = !o->vertices && (placed || o->mode == CLOPT_LAW_ALPB);
	const char *no_dots = o->vertices ? "with --vertices" :
	                      o->grid     ? "with --grid except in mode alpb" :
	                                    "with --points except in mode alpb";
	const struct {
		const char *option;
		int there;
		const char *without;
	} wants[] = {
		{ "margin", o->grid != 0, "without --grid" },
		{ "dx", o->grid != 0, "without --grid" },
		{ "by-csv", o->by >= 0, "without --by" },
		{ "size", o->png != NULL, "without --png" },
		{ "range", o->png || o->ply, "without --png or --ply" },
		{ "field", o->csv || o->ply, "without --csv or --ply" },
		{ "probe", dots, no_dots },
		{ "density", dots, no_dots },
	};
	size_t i;

	for (i = 0; i < sizeof wants / sizeof *wants; i++)
		if (gem_given(o, wants[i].option) && !wants[i].there)
			return misused("--%s means nothing %s", wants[i].option, wants[i].without);
	return 0;
}

static int lost(const char *input, const char *path)
{
	struct stat st;

	return input && stat(input, &st) == 0 && S_ISREG(st.st_mode) && outfile_same(input, path);
}

/* The output would replace an input file. */
static int inputs(const struct gem_settings *o, const char *option, const char *path)
{
	char *faces = NULL;
	int rc;

	if (o->vertices && gem_faces_name(o->vertices, &faces))
		return misused("out of memory");
	rc = lost(o->molecule, path) || lost(o->vertices, path) || lost(o->points, path) ||
	     lost(faces, path);
	free(faces);
	return rc ? misused("%s would replace %s, which is read", option, path) : 0;
}

struct output {
	const char *option, *path; /* path NULL: is not asked for */
};

static struct output output(const struct gem_settings *o, size_t i)
{
	const struct output out[OUTPUTS] = {
		{ "--csv", o->csv }, { "--dx", o->dx },         { "--ply", o->ply },
		{ "--png", o->png }, { "--by-csv", o->by_csv },
	};

	return out[i];
}

int gem_writable(const struct gem_settings *o, struct fault *e)
{
	size_t i;

	for (i = 0; i < OUTPUTS; i++) {
		const char *path = output(o, i).path;

		if (path && outfile_try(path, e->text, sizeof e->text))
			return -1;
	}
	return 0;
}

/* Each a file of its own. */
static int outputs(const struct gem_settings *o)
{
	struct output out[OUTPUTS];
	size_t i, j;

	for (i = 0; i < OUTPUTS; i++)
		out[i] = output(o, i);

	if (o->grid && (o->ply || o->png))
		return misused("--%s draws a surface, and --grid has none", o->ply ? "ply" : "png");
	for (i = 0; i < OUTPUTS; i++) {
		if (!out[i].path)
			continue;
		if (strcmp(out[i].path, "-") == 0)
			return misused("%s -: the standard output is called /dev/stdout, and "
			               "a file of that name ./-",
			               out[i].option);
		if (inputs(o, out[i].option, out[i].path))
			return EXIT_MISUSED;
		for (j = 0; j < i; j++)
			if (out[j].path && outfile_same(out[j].path, out[i].path))
				return misused("%s and %s would both write %s", out[j].option,
				               out[i].option, out[i].path);
	}
	return 0;
}

/* A variant of another operation would have no effect. */
static int variant(const char *name)
{
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		if (clopt_variant_op(i) == CLOPT_OP_POTENTIAL &&
		    strcmp(clopt_variant_name(i), name) == 0)
			return 0;
	return misused("--variant %s is no kernel of the potential; 'clopt list potential' "
	               "has them",
	               name);
}

int gem_settings_refuse(const struct gem_settings *o)
{
	if (modes(o) || dielectric(o) || salt(o) || points(o) || outputs(o) || idle(o))
		return EXIT_MISUSED;
	return o->device.variants ? variant(o->device.variants) : 0;
}
