/* SPDX-License-Identifier: MIT */
/*
 * options.c - the command line of nbody.
 *
 * An option that would fail only after the computing, or that would have no effect, is refused here.
 */
#include <math.h>
#include <string.h>

#include "nb.h"

static const char *const integrators[] = { "leapfrog", "hermite", NULL }; /* as in clopt.h */
static const char *const precisions[] = { "float", "double-single", "double", "best", NULL };
static const char *const formats[] = { "table", "tipsy", NULL };
static const int precision_of[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
	                            CLOPT_PRECISION_DOUBLE, CLOPT_PRECISION_BEST };

#define AT(field) offsetof(struct nb_settings, field)

/* clang-format off */
static const struct option_row rows[] = {
	HEAD("Bodies"),
	TEXT("model", "NAME", model_name, "plummer (the default), galaxies, figure-eight or two"),
	NUMBER("n", "N", COUNT, n, 1, 1e8, "number of bodies: plummer 4096, galaxies 8192"),
	NUMBER("seed", "S", COUNT, seed, 0, 9007199254740992.0, "for other bodies of the same kind "
	       "(1)"),
	FILE_FROM("in", in, "instead of a model, - for the standard input: lines x y z vx vy vz m, where # starts a "
	     "comment, or a tipsy file, big or little endian"),
	HEAD("Motion (without these, what suits the model; with --in 100 steps of 0.01)"),
	NUMBER("steps", "N", COUNT, steps, 0, 1e12, "number of steps"),
	NUMBER("dt", "T", FROM, dt, -1e18, 1e18, "length of a step; negative goes back in time"),
	NUMBER("softening", "E", FROM, softening, 0, NB_SOFTEST, "Plummer's, a length; 0: none.  "
	       "With --in the file's, or 0: tables written here have \"# softening E\", tipsy files "
	       "one for each body (with a warning, and 0, if they differ)"),
	NUMBER("g", "G", FROM, g, 0, 1e30, "the gravitational constant in the units of --in; else "
	       "the table's \"# g G\", or 1"),
	WORD("integrator", integrator, integrators, "leapfrog (the default) or hermite"),
	WORD("precision", precision, precisions, "float, double-single, double or best (the "
	     "default)"),
	NUMBER("tolerance", "T", FROM, tolerance, 0, 0.99, "forces by a tree: 99 of 100 are off by at "
	       "most T of their size (0: all pairs are summed)"),
	HEAD("Output (-, the standard output: the report goes to stderr)"),
	FILE_TO("out", out, "the bodies after the last step"),
	WORD("format", format, formats, "of that file: table (the default) or tipsy"),
	NUMBER("every", "K", COUNT, every, 1, 1e12, "print the conserved sums each K steps (a tenth "
	       "of the steps)"),
	FILE_TO("png", png, "a picture of the bodies after the last step"),
	TEXT("frames", "PREFIX", frames, "pictures PREFIX00000.png, ... each K steps, or a folder "
	     "for them"),
	TEXT("film", "FILE", film, "a film, as film.mp4, of a picture each K steps, 25 a second, by "
	     "the program ffmpeg; without it pictures FILE-00000.png, ..."),
	NUMBER("size", "N", COUNT, size, 16, 8192, "width and height of a picture, pixels (900)"),
	FLAG("json", json, "print everything at the end, as JSON"),
	FLAG("quiet", quiet, "print nothing but errors"),
	HEAD("Device"),
	TEXT("device", "SPEC", device.device, "an index, a word, or vendor:type:name (the fastest); "
	     "'gpu*' or 0+1: all of them at once"),
	FLAG("mpi", mpi, RANKS_OPTION),
};
/* clang-format on */

static const struct options options = {
	"nbody",
	NULL,
	"Bodies that move under their own gravity.\v"
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.",
	rows,
	sizeof rows / sizeof *rows,
};

#define misused(...) options_misused("nbody", __VA_ARGS__)

const char *nb_integrator_name(int integrator)
{
	return integrators[integrator];
}

const char *nb_precision_name(int precision)
{
	size_t i = 0;

	while (precisions[i] && precision_of[i] != precision)
		i++;
	return precisions[i] ? precisions[i] : "?";
}

static int given(const struct options_line *line, const char *name)
{
	return options_given(&options, line->given, name);
}

/* Options that exclude another option, or mean nothing without it. */
static int together(const struct nb_settings *o, const struct options_line *line)
{
	if (o->in && o->model_name)
		return misused("--in and --model exclude each other");
	if (o->in && given(line, "n"))
		return misused("--n is for models; all bodies of --in are taken");
	if (o->in && given(line, "seed"))
		return misused("--seed is for models, not for --in");
	if (!o->in && given(line, "g"))
		return misused("--g is for --in; models are in units where it is 1");
	if (o->tolerance > 0 && o->integrator == CLOPT_INTEGRATOR_HERMITE)
		return misused("--tolerance is for --integrator leapfrog");
	if (o->tolerance > 0 && o->precision == CLOPT_PRECISION_DOUBLE_SINGLE)
		return misused("--tolerance is for --precision float or double");
	if (o->tolerance > 0 && o->mpi)
		return misused("--tolerance and --mpi exclude each other");
	if ((o->png != NULL) + (o->frames != NULL) + (o->film != NULL) > 1)
		return misused("--png, --frames and --film exclude each other");
	if (o->film && !film_named(o->film))
		return misused("--film %s: no end, as .mp4, says what kind of film", o->film);
	if (o->out && o->film && outfile_same(o->out, o->film))
		return misused("--out and --film would both write %s", o->out);
	if (given(line, "format") && !o->out)
		return misused("--format is that of --out");
	if (o->out && o->png && outfile_same(o->out, o->png))
		return misused("--out and --png would both write %s", o->out);
	return 0;
}

/* The model, and its values for the options that were not given. */
static int model(struct nb_settings *o, const struct options_line *line)
{
	const struct nb_model *m = nb_model(o->model_name ? o->model_name : "plummer");

	if (!m)
		return misused("--model is one of plummer, galaxies, figure-eight, two, not '%s'",
		               o->model_name);
	o->model = m;
	if (!given(line, "n"))
		o->n = m->n;
	if (m->fixed && o->n != m->n)
		return misused("--model %s has %zu bodies, not %zu", m->name, m->n, o->n);
	if (!given(line, "dt"))
		o->dt = m->dt;
	if (!given(line, "steps"))
		o->steps = m->steps;
	if (!given(line, "softening"))
		o->softening = m->softening / cbrt((double)o->n);
	return 0;
}

int nb_settings_read(struct nb_settings *o, int argc, char **argv)
{
	struct options_line line = { 0 };
	int rc;

	*o = (struct nb_settings){ .dt = 0.01,
		                   .steps = 100,
		                   .seed = 1,
		                   .size = 900,
		                   .softening = -1,
		                   .g = -1,
		                   .precision = 3, /* in precisions */
		                   .device = CLOPT_OPTIONS_INIT };
	rc = options_read(&options, o, &line, argc, argv);
	if (rc >= 0)
		return rc;
	if (line.args)
		return misused("what is %s? A file of bodies goes with --in", line.arg[0]);
	o->precision = precision_of[o->precision];
	rc = together(o, &line);
	if (!rc && !o->in)
		rc = model(o, &line);
	if (rc)
		return rc;
	if (!given(&line, "every"))
		o->every = o->steps / 10 + (o->steps < 10);
	return o->dt == 0 && o->steps ? misused("--dt 0 moves nothing") : -1;
}
