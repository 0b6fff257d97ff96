/* SPDX-License-Identifier: MIT */
/*
 * clopt-gem.c - the Coulomb potential of a molecule, at its surface or at
 * points.
 *
 * This file reads the command line and says what happens in which order; the
 * work is in clopt-gem/, one file for each step.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clopt-gem/gem.h"

#define FAILED 1
#define MISUSED 2

/* clang-format off */
static const char help[] =
	"usage: clopt-gem [options] molecule.pqr\n"
	"The Coulomb potential of a molecule at its surface or at points.\n"
	"\n"
	"Points (without either: the solvent-accessible surface, made here)\n"
	"  --vertices FILE   points and normals of an MSMS .vert file\n"
	"  --points FILE     lines x,y,z with commas or blanks; # starts a comment\n"
	"  --probe R         radius of the probe, A (1.5)\n"
	"  --density D       dots to a square A (3.0)\n"
	"Potential\n"
	"  --units NAME      kcal (kcal/mol/e, the default), kT (kT/e at 298.15 K) or mV\n"
	"  --eps E           dielectric constant to divide by (1)\n"
	"Output\n"
	"  --csv FILE        lines x,y,z,value\n"
	"  --ply FILE        points, normals, potential and colours as ASCII PLY\n"
	"  --png FILE        a picture of the surface, red below zero and blue above\n"
	"  --range V         the colours end at -V and V (the 98th percentile of |value|)\n"
	"  --size N          width and height of the picture, pixels (900)\n"
	"  --json            print the summary as JSON\n"
	"  --quiet           print nothing but errors\n"
	"Device\n"
	"  --device SPEC     an index, a word, or vendor:type:name (the fastest)\n"
	"  --variant NAME    force a kernel, such as potential/plain\n"
	"  --help, --version\n"
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.\n";
/* clang-format on */

struct settings {
	const char *molecule, *vertices, *points;
	const char *csv, *ply, *png;
	const struct gem_unit *unit;
	double probe, density, eps, range; /* range 0: from the values */
	size_t size;
	int json, quiet;
	struct clopt_options device;
};

/* The letters are only names here: no short options are taken. */
static const struct option longs[] = {
	{ "vertices", required_argument, NULL, 'v' }, { "points", required_argument, NULL, 'p' },
	{ "probe", required_argument, NULL, 'b' },    { "density", required_argument, NULL, 'd' },
	{ "units", required_argument, NULL, 'u' },    { "eps", required_argument, NULL, 'e' },
	{ "csv", required_argument, NULL, 'c' },      { "ply", required_argument, NULL, 'l' },
	{ "png", required_argument, NULL, 'g' },      { "range", required_argument, NULL, 'r' },
	{ "size", required_argument, NULL, 's' },     { "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },          { "device", required_argument, NULL, 'D' },
	{ "variant", required_argument, NULL, 'V' },  { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'n' },        { NULL, 0, NULL, 0 },
};

static int misused(const char *why, const char *what)
{
	if (why)
		fprintf(stderr, "clopt-gem: %s%s\n", why, what);
	fprintf(stderr, "Try 'clopt-gem --help'.\n");
	return MISUSED;
}

/* Where an option that is a text is kept; NULL for another option. */
static const char **text(struct settings *o, int c)
{
	switch (c) {
	case 'v':
		return &o->vertices;
	case 'p':
		return &o->points;
	case 'c':
		return &o->csv;
	case 'l':
		return &o->ply;
	case 'g':
		return &o->png;
	case 'D':
		return &o->device.device;
	case 'V':
		return &o->device.variants;
	default:
		return NULL;
	}
}

/* A number from low, or above low if open, to high. */
static int number(double *v, const char *name, const char *arg, double low, int open, double high)
{
	if (gem_number(arg, strlen(arg), v) && *v >= low && !(open && *v == low) && *v <= high)
		return 0;
	fprintf(stderr, "clopt-gem: --%s takes a number %s %g, at most %g, not '%s'\n", name,
	        open ? "above" : "from", low, high, arg);
	return MISUSED;
}

/* Returns 0, or MISUSED after a message. */
static int option(struct settings *o, int c, const char *arg)
{
	const char **keep = text(o, c);
	double v;

	if (keep) {
		*keep = arg;
		return 0;
	}
	switch (c) {
	case 'j':
		o->json = 1;
		return 0;
	case 'q':
		o->quiet = 1;
		return 0;
	case 'b':
		return number(&o->probe, "probe", arg, 0, 0, 1000);
	case 'd':
		return number(&o->density, "density", arg, 0, 1, 1e6);
	case 'e':
		return number(&o->eps, "eps", arg, 0, 1, 1e9);
	case 'r':
		return number(&o->range, "range", arg, 0, 1, 1e30);
	case 's':
		if (number(&v, "size", arg, 16, 0, 8192))
			return MISUSED;
		o->size = (size_t)v;
		return 0;
	case 'u':
		o->unit = gem_unit(arg);
		return o->unit ? 0 : misused("--units takes kcal, kT or mV, not ", arg);
	default:
		/* getopt_long has said what is wrong. */
		return misused(NULL, NULL);
	}
}

/* Returns -1 to go on, else the exit status. */
static int arguments(struct settings *o, int argc, char **argv)
{
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'h' || c == 'n') {
			if (c == 'h')
				fputs(help, stdout);
			else
				printf("clopt-gem %s\n", clopt_version());
			return fflush(stdout) ? FAILED : 0;
		}
		rc = option(o, c, optarg);
		if (rc)
			return rc;
	}
	if (o->vertices && o->points)
		return misused("--vertices and --points exclude each other", "");
	if (optind == argc)
		return misused("which molecule?", "");
	if (optind + 1 < argc)
		return misused("one molecule at a time, not also ", argv[optind + 1]);
	o->molecule = argv[optind];
	return -1;
}

static int points(struct gem_points *p, const struct settings *o, const struct gem_molecule *m,
                  struct gem_error *e)
{
	const char *path = o->vertices ? o->vertices : o->points;
	FILE *f;
	int rc;

	if (!path)
		return gem_surface(p, m, o->probe, o->density, e);
	f = gem_text_open(path, e);
	if (!f)
		return -1;
	if (o->vertices)
		rc = gem_points_read_vert(p, f, path, e);
	else
		rc = gem_points_read_list(p, f, path, e);
	fclose(f);
	return rc;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Write the files that are asked for and enter them in the summary. */
static int files(const struct settings *o, const struct gem_points *p, const float *value,
                 struct gem_summary *s, struct gem_error *e)
{
	struct gem_picture picture = { base(o->molecule), o->unit, o->range, o->size };

	if (!o->range && (o->ply || o->png) && gem_range(value, p->n, &picture.range, e))
		return -1;
	if (o->csv) {
		if (gem_write_csv(o->csv, p, value, e))
			return -1;
		s->file[s->files++] = o->csv;
	}
	if (o->ply) {
		if (gem_write_ply(o->ply, p, value, picture.range, o->unit, e))
			return -1;
		s->file[s->files++] = o->ply;
	}
	if (o->png) {
		if (gem_write_png(o->png, p, value, &picture, e))
			return -1;
		s->file[s->files++] = o->png;
	}
	return 0;
}

static int summary(const struct settings *o, const struct gem_summary *s, struct gem_error *e)
{
	if (o->json)
		return gem_summary_json(s, stdout, e);
	return o->quiet ? 0 : gem_summary_text(s, stdout, e);
}

/* From file to file.  The molecule, the points and the result are the caller's
 * to free, whatever became of them. */
static int flow(const struct settings *o, struct gem_molecule *m, struct gem_points *p,
                struct gem_result *r, struct gem_error *e)
{
	struct gem_summary s = {
		.molecule = o->molecule,
		.points = o->vertices ? o->vertices : o->points,
		.vertices = o->vertices != NULL,
		.probe = o->probe,
		.density = o->density,
		.eps = o->eps,
		.m = m,
		.r = r,
		.unit = o->unit,
	};
	int progress = !o->quiet && isatty(STDERR_FILENO);

	if (gem_molecule_load(m, o->molecule, e) || points(p, o, m, e) ||
	    gem_run(r, &o->device, m, p, o->unit, o->eps, progress, e) ||
	    files(o, p, r->value, &s, e))
		return -1;
	return summary(o, &s, e);
}

int main(int argc, char **argv)
{
	struct settings o = {
		.probe = 1.5, .density = 3, .eps = 1, .size = 900, .device = CLOPT_OPTIONS_INIT
	};
	struct gem_molecule m = { 0 };
	struct gem_points p = { 0 };
	struct gem_result r = { 0 };
	struct gem_error e = { "" };
	int rc;

	o.unit = gem_unit("kcal");
	rc = arguments(&o, argc, argv);
	if (rc >= 0)
		return rc;
	rc = flow(&o, &m, &p, &r, &e);
	if (rc)
		fprintf(stderr, "clopt-gem: %s\n", e.text);
	gem_result_free(&r);
	gem_points_free(&p);
	gem_molecule_free(&m);
	return rc ? FAILED : 0;
}
