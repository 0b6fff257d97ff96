/* SPDX-License-Identifier: MIT */
/*
 * options.c - the command line of clopt-gem.
 *
 * What would fail only after the computing, or would do something else than was
 * meant, is refused here.
 */
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "gem.h"

/* clang-format off */
static const char help[] =
	"usage: clopt-gem [options] molecule.pqr\n"
	"The Coulomb potential of a molecule at its surface or at points.\n"
	"\n"
	"Points (without either: the solvent-accessible surface, made here)\n"
	"  --vertices FILE   points and normals of an MSMS .vert file\n"
	"  --points FILE     lines x,y,z with commas or blanks; # starts a comment.  A charge\n"
	"                    at exactly a point adds nothing there\n"
	"  --probe R         radius of the probe, A (1.5)\n"
	"  --density D       dots to a square A (3.0)\n"
	"Potential\n"
	"  --units NAME      kcal (kcal/mol/e, the default), kT (kT/e at 298.15 K) or mV\n"
	"  --eps E           dielectric constant to divide by (1)\n"
	"Output (to /dev/stdout: the summary goes to stderr)\n"
	"  --csv FILE        lines x,y,z,value\n"
	"  --ply FILE        points, normals, potential and colours as ASCII PLY\n"
	"  --png FILE        a picture of the surface, red below zero and blue above\n"
	"  --range V         the colours end at -V and V (the 98th percentile of |value|)\n"
	"  --size N          width and height of the picture, pixels (900)\n"
	"  --json            print the summary as JSON\n"
	"  --quiet           print nothing but errors\n"
	"Device\n"
	"  --device SPEC     an index, a word, or vendor:type:name (the fastest)\n"
	"  --variant NAME    force a kernel, such as potential/plain; clopt list has them\n"
	"  --help, --version\n"
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.\n";
/* clang-format on */

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

static int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int misused(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "clopt-gem: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'clopt-gem --help'.\n");
	return GEM_MISUSED;
}

/* Where an option that is a text is kept; NULL for another option. */
static const char **text(struct gem_settings *o, int c)
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
	return misused("--%s takes a number %s %g, at most %g, not '%s'", name,
	               open ? "above" : "from", low, high, arg);
}

/* Returns 0, or GEM_MISUSED after a message. */
static int option(struct gem_settings *o, int c, const char *name, const char *arg)
{
	const char **keep = text(o, c);
	double v;

	if (keep) {
		/* An empty device means the fastest, as in the environment. */
		if (!*arg && c != 'D')
			return misused("--%s takes a name, not ''", name);
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
		return number(&o->probe, name, arg, 0, 0, 1000);
	case 'd':
		return number(&o->density, name, arg, 0, 1, 1e6);
	case 'e':
		return number(&o->eps, name, arg, 0, 1, 1e9);
	case 'r':
		return number(&o->range, name, arg, 0, 1, 1e30);
	case 's':
		if (number(&v, name, arg, 16, 0, 8192))
			return GEM_MISUSED;
		o->size = (size_t)v;
		return 0;
	default:
		o->unit = gem_unit(arg);
		return o->unit ? 0 : misused("--units takes kcal, kT or mV, not '%s'", arg);
	}
}

/* Each a file of its own. */
static int outputs(const struct gem_settings *o)
{
	const struct {
		const char *option, *path;
	} out[] = { { "--csv", o->csv }, { "--ply", o->ply }, { "--png", o->png } };
	size_t i, j;

	for (i = 0; i < sizeof out / sizeof *out; i++) {
		if (!out[i].path)
			continue;
		if (strcmp(out[i].path, "-") == 0)
			return misused("%s -: the standard output is called /dev/stdout, and a "
			               "file of that name ./-",
			               out[i].option);
		for (j = 0; j < i; j++)
			if (out[j].path && gem_file_same(out[j].path, out[i].path))
				return misused("%s and %s would both write %s", out[j].option,
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
	return misused("--variant %s is no kernel of the potential, which has %s", name, known);
}

int gem_settings_read(struct gem_settings *o, int argc, char **argv)
{
	const struct gem_settings none = {
		.probe = 1.5, .density = 3, .eps = 1, .size = 900, .device = CLOPT_OPTIONS_INIT
	};
	int c, rc, which = 0;

	*o = none;
	o->unit = gem_unit("kcal");
	while ((c = getopt_long(argc, argv, "", longs, &which)) != -1) {
		if (c == 'h' || c == 'n') {
			if (c == 'h')
				fputs(help, stdout);
			else
				printf("clopt-gem %s\n", clopt_version());
			return fflush(stdout) ? GEM_FAILED : 0;
		}
		if (c == '?') {
			/* getopt_long has said what is wrong. */
			fprintf(stderr, "Try 'clopt-gem --help'.\n");
			return GEM_MISUSED;
		}
		rc = option(o, c, longs[which].name, optarg);
		if (rc)
			return rc;
	}
	if (o->vertices && o->points)
		return misused("--vertices and --points exclude each other");
	if (optind == argc)
		return misused("which molecule?");
	if (optind + 1 < argc)
		return misused("one molecule at a time, not also %s", argv[optind + 1]);
	o->molecule = argv[optind];
	rc = outputs(o);
	if (!rc && o->device.variants)
		rc = variant(o->device.variants);
	return rc ? rc : -1;
}
