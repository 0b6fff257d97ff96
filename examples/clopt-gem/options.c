/* SPDX-License-Identifier: MIT */
/*
 * options.c - the command line of clopt-gem, by a table: an option is one row.
 */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "gem.h"

enum kind {
	TEXT,
	FROM, /* a number from low to high */
	ABOVE, /* ... that is not low */
	COUNT,
	WORD, /* the index of one of the words */
	FLAG,
	HELP,
	VERSION
};

struct row {
	const char *name;
	int kind;
	size_t at; /* in struct gem_settings */
	double low, high;
	const char *const *words;
};

static const char *const modes[] = { "coulomb", "distance4", "debye", "alpb", NULL };
static const char *const parts[] = { "total", "reaction", "coulomb", NULL };
static const char *const units[] = { "kcal", "kT", "mV", NULL };
static const char *const constants[] = { "exact", "gem", NULL };
static const char *const approx[] = { "none", NULL };
static const char *const by[] = { "chain", "residue", NULL };

#define AT(field) offsetof(struct gem_settings, field)

/* clang-format off */
static const struct row rows[] = {
	{ "vertices", TEXT, AT(vertices), 0, 0, NULL },
	{ "points", TEXT, AT(points), 0, 0, NULL },
	{ "grid", COUNT, AT(grid), 2, 4096, NULL },
	{ "margin", FROM, AT(margin), 0, 1000, NULL },
	{ "probe", FROM, AT(probe), 0, 1000, NULL },
	{ "density", ABOVE, AT(density), 0, 1e6, NULL },
	{ "mode", WORD, AT(mode), 0, 0, modes },
	{ "part", WORD, AT(part), 0, 0, parts },
	{ "eps", ABOVE, AT(eps_in), 0, 1e9, NULL },
	{ "eps-in", ABOVE, AT(eps_in), 0, 1e9, NULL },
	{ "eps-out", ABOVE, AT(eps_out), 0, 1e9, NULL },
	{ "ionic", FROM, AT(ionic), 0, 100, NULL },
	{ "kappa", FROM, AT(kappa), 0, 1000, NULL },
	{ "temperature", ABOVE, AT(temperature), 0, 1e5, NULL },
	{ "projection", FROM, AT(projection), -1000, 1000, NULL },
	{ "radius", ABOVE, AT(radius), 0, 1e6, NULL },
	{ "ion-radius", FROM, AT(ion_radius), 0, 1000, NULL },
	{ "alpha", FROM, AT(alpha), 0, 100, NULL },
	{ "units", WORD, AT(unit), 0, 0, units },
	{ "field", FLAG, AT(field), 0, 0, NULL },
	{ "constants", WORD, AT(constants), 0, 0, constants },
	{ "gem-compat", FLAG, AT(gem_compat), 0, 0, NULL },
	{ "approx", WORD, AT(approx), 0, 0, approx },
	{ "by", WORD, AT(by), 0, 0, by },
	{ "csv", TEXT, AT(csv), 0, 0, NULL },
	{ "dx", TEXT, AT(dx), 0, 0, NULL },
	{ "ply", TEXT, AT(ply), 0, 0, NULL },
	{ "png", TEXT, AT(png), 0, 0, NULL },
	{ "by-csv", TEXT, AT(by_csv), 0, 0, NULL },
	{ "range", ABOVE, AT(range), 0, 1e30, NULL },
	{ "size", COUNT, AT(size), 16, 8192, NULL },
	{ "json", FLAG, AT(json), 0, 0, NULL },
	{ "quiet", FLAG, AT(quiet), 0, 0, NULL },
	{ "device", TEXT, AT(device.device), 0, 0, NULL },
	{ "variant", TEXT, AT(device.variants), 0, 0, NULL },
	{ "help", HELP, 0, 0, 0, NULL },
	{ "version", VERSION, 0, 0, 0, NULL },
};
/* clang-format on */

#define ROWS (sizeof rows / sizeof *rows)

int gem_misused(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "clopt-gem: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'clopt-gem --help'.\n");
	return GEM_MISUSED;
}

int gem_given(const struct gem_settings *o, const char *option)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, option) == 0)
			return (o->given >> i & 1) != 0;
	return 0;
}

static const char *word(const char *const *words, int i)
{
	for (; *words; words++, i--)
		if (i == 0)
			return *words;
	return NULL;
}

const char *gem_mode_name(int mode)
{
	return word(modes, mode);
}

const char *gem_part_name(int part)
{
	return word(parts, part);
}

const char *gem_unit_name(int unit)
{
	return word(units, unit);
}

static int number(double *v, const struct row *r, const char *arg)
{
	if (gem_number(arg, strlen(arg), v) && *v >= r->low && *v <= r->high &&
	    !(r->kind == ABOVE && *v == r->low) && !(r->kind == COUNT && *v != floor(*v)))
		return 0;
	return gem_misused("--%s takes a%s number %s %g, at most %g, not '%s'", r->name,
	                   r->kind == COUNT ? " whole" : "", r->kind == ABOVE ? "above" : "from",
	                   r->low, r->high, arg);
}

static int choice(int *at, const struct row *r, const char *arg)
{
	char known[100] = "";
	size_t used = 0;
	int i;

	for (i = 0; r->words[i]; i++) {
		if (strcmp(r->words[i], arg) == 0) {
			*at = i;
			return 0;
		}
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
		                         used ? ", " : "", r->words[i]);
	}
	return gem_misused("--%s takes %s, not '%s'", r->name, known, arg);
}

/* Returns 0, or GEM_MISUSED after a message. */
static int option(struct gem_settings *o, const struct row *r, const char *arg)
{
	void *at = (char *)o + r->at;
	double v;

	switch (r->kind) {
	case TEXT:
		/* An empty device means the fastest, as in the environment. */
		if (!*arg && strcmp(r->name, "device") != 0)
			return gem_misused("--%s takes a name, not ''", r->name);
		*(const char **)at = arg;
		return 0;
	case FLAG:
		*(int *)at = 1;
		return 0;
	case WORD:
		return choice(at, r, arg);
	case COUNT:
		if (number(&v, r, arg))
			return GEM_MISUSED;
		*(size_t *)at = (size_t)v;
		return 0;
	default:
		return number(at, r, arg);
	}
}

/* -1 to go on, or the exit status. */
static int line(struct gem_settings *o, int argc, char **argv)
{
	struct option longs[ROWS + 1] = { { NULL, 0, NULL, 0 } };
	int c, rc, which = 0;
	size_t i;

	for (i = 0; i < ROWS; i++) {
		longs[i].name = rows[i].name;
		longs[i].has_arg = rows[i].kind < FLAG ? required_argument : no_argument;
		longs[i].val = rows[i].kind; /* not looked at: no short options are taken */
	}
	argv[0] = (char *)"clopt-gem"; /* as getopt_long's messages begin, without the path */
	optind = 1;
	while ((c = getopt_long(argc, argv, "", longs, &which)) != -1) {
		if (c == '?') {
			/* getopt_long has said what is wrong. */
			fprintf(stderr, "Try 'clopt-gem --help'.\n");
			return GEM_MISUSED;
		}
		if (c == HELP || c == VERSION) {
			if (c == HELP)
				gem_help(stdout);
			else
				printf("clopt-gem %s\n", clopt_version());
			return fflush(stdout) ? GEM_FAILED : 0;
		}
		rc = option(o, &rows[which], optarg);
		if (rc)
			return rc;
		o->given |= 1ull << which;
	}
	return -1;
}

int gem_settings_read(struct gem_settings *o, int argc, char **argv)
{
	const struct clopt_potential_options usual = CLOPT_POTENTIAL_OPTIONS_INIT;
	const struct gem_settings none = {
		.margin = 10,
		.probe = 1.5,
		.density = 3,
		.by = -1,
		.eps_in = usual.eps_in,
		.eps_out = usual.eps_out,
		.kappa = -1,
		.temperature = 298.15,
		.ion_radius = usual.ion_radius,
		.alpha = usual.alpha,
		.size = 900,
		.device = CLOPT_OPTIONS_INIT,
	};
	int rc;

	*o = none;
	rc = line(o, argc, argv);
	if (rc >= 0)
		return rc;
	if (optind == argc)
		return gem_misused("which molecule?");
	if (optind + 1 < argc)
		return gem_misused("one molecule at a time, not also %s", argv[optind + 1]);
	o->molecule = argv[optind];
	/* With --json the groups are part of that. */
	if (o->by >= 0 && !o->by_csv && !o->json)
		o->by_csv = "/dev/stdout";
	rc = gem_settings_refuse(o);
	return rc ? rc : -1;
}
