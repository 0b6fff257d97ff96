/* SPDX-License-Identifier: MIT */
/*
 * options.c - the command line of nbody.
 *
 * What would fail only after the computing, or would do something else than was
 * meant, is refused here.
 */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "nb.h"

/* The letters are only names here: no short options are taken. */
static const struct option longs[] = {
	{ "model", required_argument, NULL, 'm' },
	{ "n", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 'S' },
	{ "in", required_argument, NULL, 'i' },
	{ "out", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	{ "steps", required_argument, NULL, 's' },
	{ "dt", required_argument, NULL, 't' },
	{ "integrator", required_argument, NULL, 'I' },
	{ "precision", required_argument, NULL, 'P' },
	{ "softening", required_argument, NULL, 'e' },
	{ "g", required_argument, NULL, 'G' },
	{ "every", required_argument, NULL, 'k' },
	{ "png", required_argument, NULL, 'g' },
	{ "frames", required_argument, NULL, 'F' },
	{ "size", required_argument, NULL, 'z' },
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "device", required_argument, NULL, 'D' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

/* What a word stands for. */
struct word {
	const char *name;
	int value;
};

static const struct word integrators[] = {
	{ "leapfrog", CLOPT_KICK_DRIFT_KICK },
	{ "hermite", CLOPT_HERMITE },
	{ NULL, 0 },
};

static const struct word precisions[] = {
	{ "float", CLOPT_PRECISION_FLOAT },
	{ "double-single", CLOPT_PRECISION_DOUBLE_SINGLE },
	{ "double", CLOPT_PRECISION_DOUBLE },
	{ "best", CLOPT_PRECISION_BEST },
	{ NULL, 0 },
};

static const struct word formats[] = {
	{ "table", NB_TABLE },
	{ "tipsy", NB_TIPSY },
	{ NULL, 0 },
};

static const char *name_of(const struct word *w, int value)
{
	while (w->name && w->value != value)
		w++;
	return w->name ? w->name : "?";
}

const char *nb_integrator_name(int integrator)
{
	return name_of(integrators, integrator);
}

const char *nb_precision_name(int precision)
{
	return name_of(precisions, precision);
}

static int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int misused(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "nbody: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'nbody --help'.\n");
	return NB_MISUSED;
}

/* What the command line says, before what it leaves open is filled in. */
struct given {
	const char *model, *format;
	double number[128]; /* by option; NAN: not given */
};

/* The number of an option and what it may be. */
static const struct limit {
	int option;
	double low, high;
	int whole;
} limits[] = {
	{ 'n', 1, 1e8, 1 },  { 'S', 0, 9007199254740992.0, 1 },
	{ 's', 0, 1e12, 1 }, { 't', -1e18, 1e18, 0 },
	{ 'e', 0, 1e18, 0 }, { 'G', 0, 1e30, 0 },
	{ 'k', 1, 1e12, 1 }, { 'z', 16, 8192, 1 },
};

/* 1 if it was one of them, and then *rc is 0 or NB_MISUSED. */
static int number(struct given *g, int c, const char *name, const char *arg, int *rc)
{
	const struct limit *l = limits, *end = limits + sizeof limits / sizeof *limits;
	double v;

	while (l < end && l->option != c)
		l++;
	if (l == end)
		return 0;
	*rc = 0;
	if (nb_number(arg, strlen(arg), &v) && v >= l->low && v <= l->high &&
	    (!l->whole || v == floor(v)))
		g->number[c] = v;
	else
		*rc = misused("--%s takes a%s number from %g to %g, not '%s'", name,
		              l->whole ? " whole" : "", l->low, l->high, arg);
	return 1;
}

/* Where an option that is a text is kept; NULL for another option. */
static const char **text(struct nb_settings *o, struct given *g, int c)
{
	switch (c) {
	case 'm':
		return &g->model;
	case 'f':
		return &g->format;
	case 'i':
		return &o->in;
	case 'o':
		return &o->out;
	case 'g':
		return &o->png;
	case 'F':
		return &o->frames;
	case 'D':
		return &o->device.device;
	default:
		return NULL;
	}
}

static int word(int *value, const struct word *w, const char *option, const char *arg)
{
	char known[80] = "";
	size_t used = 0;

	for (; w->name; w++) {
		if (strcmp(w->name, arg) == 0) {
			*value = w->value;
			return 0;
		}
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
		                         used ? ", " : "", w->name);
	}
	return misused("--%s is one of %s, not '%s'", option, known, arg);
}

/* Returns 0, or NB_MISUSED after a message. */
static int option(struct nb_settings *o, struct given *g, int c, const char *name, const char *arg)
{
	const char **keep = text(o, g, c);
	int rc;

	if (keep) {
		/* An empty device means the fastest, as in the environment. */
		if (!*arg && c != 'D')
			return misused("--%s takes a name, not ''", name);
		*keep = arg;
		return 0;
	}
	if (number(g, c, name, arg, &rc))
		return rc;
	switch (c) {
	case 'j':
		o->json = 1;
		return 0;
	case 'q':
		o->quiet = 1;
		return 0;
	case 'I':
		return word(&o->integrator, integrators, name, arg);
	default:
		return word(&o->precision, precisions, name, arg);
	}
}

/* What excludes, or is nothing without, another option. */
static int together(const struct nb_settings *o, const struct given *g)
{
	if (o->in && g->model)
		return misused("--in and --model exclude each other");
	if (o->in && !isnan(g->number['n']))
		return misused("--n is for models; all bodies of --in are taken");
	if (o->in && !isnan(g->number['S']))
		return misused("--seed is for models, not for --in");
	if (!o->in && !isnan(g->number['G']))
		return misused("--g is for --in; models are in units where it is 1");
	if (o->png && o->frames)
		return misused("--png and --frames exclude each other");
	if (g->format && !o->out)
		return misused("--format is that of --out");
	if (o->out && o->png && outfile_same(o->out, o->png))
		return misused("--out and --png would both write %s", o->out);
	if ((o->out && strcmp(o->out, "-") == 0) || (o->png && strcmp(o->png, "-") == 0))
		return misused("-: the standard output is called /dev/stdout, and a file of "
		               "that name ./-");
	return 0;
}

static double or_else(double given, double otherwise)
{
	return isnan(given) ? otherwise : given;
}

static int model(struct nb_settings *o, const struct given *g)
{
	const struct nb_model *m = nb_model(g->model ? g->model : "plummer");

	if (!m)
		return misused("--model is one of plummer, galaxies, figure-eight, two, not '%s'",
		               g->model);
	o->model = m;
	o->n = (size_t)or_else(g->number['n'], (double)m->n);
	if (m->fixed && o->n != m->n)
		return misused("--model %s has %zu bodies, not %zu", m->name, m->n, o->n);
	o->seed = (uint64_t)or_else(g->number['S'], 1);
	o->dt = m->dt;
	o->steps = m->steps;
	o->softening = m->softening / cbrt((double)o->n);
	return 0;
}

static int complete(struct nb_settings *o, const struct given *g)
{
	int rc = together(o, g), format = NB_TABLE;

	if (!rc && !o->in)
		rc = model(o, g);
	if (!rc && g->format)
		rc = word(&format, formats, "format", g->format);
	if (rc)
		return rc;
	o->format = (enum nb_format)format;
	o->dt = or_else(g->number['t'], o->dt);
	o->softening = or_else(g->number['e'], o->softening);
	o->g = or_else(g->number['G'], o->g);
	o->size = (size_t)or_else(g->number['z'], 900);
	o->steps = (size_t)or_else(g->number['s'], (double)o->steps);
	o->every = (size_t)or_else(g->number['k'], (double)(o->steps / 10 + (o->steps < 10)));
	return o->dt == 0 && o->steps ? misused("--dt 0 moves nothing") : -1;
}

int nb_settings_read(struct nb_settings *o, int argc, char **argv)
{
	const struct nb_settings none = { .dt = 0.01,
		                          .steps = 100,
		                          .softening = -1,
		                          .g = -1,
		                          .integrator = CLOPT_KICK_DRIFT_KICK,
		                          .precision = CLOPT_PRECISION_BEST,
		                          .device = CLOPT_OPTIONS_INIT };
	struct given g = { NULL, NULL, { 0 } };
	int c, rc, which = 0;
	size_t i;

	*o = none;
	for (i = 0; i < sizeof g.number / sizeof *g.number; i++)
		g.number[i] = (double)NAN;
	argv[0] = (char *)"nbody"; /* as getopt_long's messages begin, without the path */
	while ((c = getopt_long(argc, argv, "", longs, &which)) != -1) {
		if (c == 'h' || c == 'v') {
			if (c == 'h')
				fputs(nb_help, stdout);
			else
				printf("nbody %s\n", clopt_version());
			return fflush(stdout) ? NB_FAILED : 0;
		}
		if (c == '?') {
			/* getopt_long has said what is wrong. */
			fprintf(stderr, "Try 'nbody --help'.\n");
			return NB_MISUSED;
		}
		rc = option(o, &g, c, longs[which].name, optarg);
		if (rc)
			return rc;
	}
	if (optind < argc)
		return misused("what is %s? A file of bodies goes with --in", argv[optind]);
	return complete(o, &g);
}
