/* SPDX-License-Identifier: MIT */
/*
 * refuse.c - options that do not go together.
 *
 * What would fail only after the computing, or would do something else than was
 * meant, is refused before it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gem.h"

#define IN(mode) (1u << (mode))

/* An option that a mode does not look at is a misunderstanding. */
static int modes(const struct gem_settings *o)
{
	static const unsigned salt = IN(CLOPT_DEBYE) | IN(CLOPT_ALPB);
	const struct {
		const char *option;
		unsigned modes;
	} only[] = {
		{ "part", IN(CLOPT_ALPB) },
		{ "eps", IN(CLOPT_COULOMB) | salt },
		{ "eps-in", IN(CLOPT_COULOMB) | salt },
		{ "eps-out", salt },
		{ "ionic", salt },
		{ "kappa", salt },
		{ "radius", IN(CLOPT_ALPB) },
		{ "ion-radius", IN(CLOPT_ALPB) },
		{ "alpha", IN(CLOPT_ALPB) },
		{ "gem-compat", IN(CLOPT_ALPB) },
	};
	size_t i;

	for (i = 0; i < sizeof only / sizeof *only; i++)
		if (gem_given(o, only[i].option) && !(only[i].modes & IN(o->mode)))
			return gem_misused("--%s means nothing in mode %s", only[i].option,
			                   gem_mode_name(o->mode));
	return 0;
}

static int salt(const struct gem_settings *o)
{
	int ionic = gem_given(o, "ionic"), kappa = gem_given(o, "kappa");

	if (ionic && kappa)
		return gem_misused("--ionic and --kappa exclude each other");
	if (o->mode == CLOPT_DEBYE && !ionic && !kappa)
		return gem_misused("--mode debye wants --ionic or --kappa");
	if (gem_given(o, "temperature")) {
		if (o->constants == GEM_ROUNDED)
			return gem_misused("--constants gem are those of one temperature, so "
			                   "--temperature means nothing");
		if (!ionic && strcmp(gem_unit_name(o->unit), "kT") != 0)
			return gem_misused("--temperature means nothing without --ionic or "
			                   "--units kT");
	}
	return 0;
}

static int points(const struct gem_settings *o)
{
	if (o->points && o->grid)
		return gem_misused("--points and --grid exclude each other");
	if (!o->points && !o->grid)
		return 0;
	if (o->vertices && o->mode != CLOPT_ALPB)
		return gem_misused("--vertices and --%s exclude each other except in mode alpb",
		                   o->points ? "points" : "grid");
	if (gem_given(o, "projection"))
		return gem_misused("--projection moves points of a surface along its normals, and "
		                   "--%s has none",
		                   o->points ? "points" : "grid");
	return 0;
}

static int wants(const struct gem_settings *o, const char *option, int there, const char *what)
{
	if (!gem_given(o, option) || there)
		return 0;
	return gem_misused("--%s means nothing without --%s", option, what);
}

static int lost(const char *input, const char *path)
{
	struct stat st;

	return input && stat(input, &st) == 0 && S_ISREG(st.st_mode) && outfile_same(input, path);
}

/* What is read would be gone. */
static int inputs(const struct gem_settings *o, const char *option, const char *path)
{
	char *faces = NULL;
	int rc;

	if (o->vertices && gem_faces_name(o->vertices, &faces))
		return gem_misused("out of memory");
	rc = lost(o->molecule, path) || lost(o->vertices, path) || lost(o->points, path) ||
	     lost(faces, path);
	free(faces);
	return rc ? gem_misused("%s would replace %s, which is read", option, path) : 0;
}

/* Each a file of its own. */
static int outputs(const struct gem_settings *o)
{
	const struct {
		const char *option, *path;
	} out[] = {
		{ "--csv", o->csv }, { "--dx", o->dx },         { "--ply", o->ply },
		{ "--png", o->png }, { "--by-csv", o->by_csv },
	};
	size_t i, j;

	if (o->grid && (o->ply || o->png))
		return gem_misused("--%s draws a surface, and --grid has none",
		                   o->ply ? "ply" : "png");
	for (i = 0; i < sizeof out / sizeof *out; i++) {
		if (!out[i].path)
			continue;
		if (strcmp(out[i].path, "-") == 0)
			return gem_misused("%s -: the standard output is called /dev/stdout, and "
			                   "a file of that name ./-",
			                   out[i].option);
		if (inputs(o, out[i].option, out[i].path))
			return GEM_MISUSED;
		for (j = 0; j < i; j++)
			if (out[j].path && outfile_same(out[j].path, out[i].path))
				return gem_misused("%s and %s would both write %s", out[j].option,
				                   out[i].option, out[i].path);
	}
	return 0;
}

/* A variant of another operation could be forced too, and nothing would come of
 * it. */
static int variant(const char *name)
{
	char known[400] = "";
	size_t i, used = 0;

	for (i = 0; clopt_variant_name(i); i++) {
		if (clopt_variant_op(i) != CLOPT_POTENTIAL)
			continue;
		if (strcmp(clopt_variant_name(i), name) == 0)
			return 0;
		if (used < sizeof known)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
			                         used ? ", " : "", clopt_variant_name(i));
	}
	return gem_misused("--variant %s is no kernel of the potential, which has %s", name, known);
}

int gem_settings_refuse(const struct gem_settings *o)
{
	if (modes(o) || salt(o) || points(o) || outputs(o) ||
	    wants(o, "margin", o->grid != 0, "grid") || wants(o, "dx", o->grid != 0, "grid") ||
	    wants(o, "by-csv", o->by >= 0, "by"))
		return GEM_MISUSED;
	return o->device.variants ? variant(o->device.variants) : 0;
}
