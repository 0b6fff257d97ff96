/* SPDX-License-Identifier: MIT */
/*
 * options.c - the command line of nbody.
 *
 * An option that would fail only after the computing, or that would have no effect, is refused
 * here.
 */
#include <math.h>
#include <string.h>

#include "nb.h"

/* As in clopt.h, and NB_BLOCKS. */
static const char *const integrators[] = { "leapfrog", "hermite", "blocks", NULL };
static const char *const units[] = { "nbody", "galactic", NULL };
static const char *const precisions[] = { "float", "double-single", "double", "best", NULL };
static const char *const formats[] = { "table", "tipsy", "hdf5", NULL };
static const int precision_of[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
	                            CLOPT_PRECISION_DOUBLE, CLOPT_PRECISION_BEST };

#define AT(field) offsetof(struct nb_settings, field)

/* clang-format off */
static const struct option_row rows[] = {
	HEAD("Bodies"),
	TEXT("model", "NAME", model_name, "plummer (the default), binaries (plummer, a tenth "
	     "of it pairs), galaxies, figure-eight or two"),
	NUMBER("n", "N", COUNT, n, 1, 1e8, "number of bodies: plummer 4096, galaxies 8192"),
	NUMBER("seed", "S", COUNT, seed, 0, 9007199254740992.0, "for other bodies of the same kind "
	       "(1)"),
	FILE_FROM("in", in, "instead of a model, - for the standard input: lines x y z vx vy vz m, where # starts a "
	     "comment, a tipsy file, big or little endian, or HDF5 as GADGET and SWIFT write it"),
	FILE_FROM("resume", resume, "go on with a run from its --checkpoint, with the same bits "
	     "(but with --tolerance); the numbers of snapshots and pictures go on, a --film begins anew"),
	HEAD("Motion (without these, what suits the model; with --in 100 steps of 0.01)"),
	NUMBER("steps", "N", COUNT, steps, 0, 1e12, "number of steps; with --resume of the whole run"),
	NUMBER("until", "T", FROM, until, -1e18, 1e18, "go on to this time; the step is made shorter so "
	       "that it is reached"),
	NUMBER("dt", "T", FROM, dt, -1e18, 1e18, "length of a step; negative goes back in time"),
	NUMBER("softening", "E", FROM, softening, 0, NB_SOFTEST, "Plummer's, a length; 0: none.  "
	       "With --in the file's, or 0: tables written here have \"# softening E\", tipsy files "
	       "one for each body (with a warning, and 0, if they differ)"),
	NUMBER("g", "G", FROM, g, 0, 1e30, "the gravitational constant in the units of --in; else "
	       "that of its units, the table's \"# g G\", or 1"),
	WORD("integrator", integrator, integrators, "leapfrog (the default), hermite, or blocks: "
	     "Hermite's steps, each body with one of its own, --dt over a power of two"),
	NUMBER("eta", "E", ABOVE, eta, 0, 1, "accuracy of the steps of --integrator blocks (0.02)"),
	WORD("units", units, units, "of --in: nbody, where g is 1, or galactic: kpc, solar masses and "
	     "Gyr, to which a file with other units is converted.  Without it the file's, or none are "
	     "known; GADGET's in an HDF5 file without units and g"),
	WORD("precision", precision, precisions, "float, double-single, double or best (the "
	     "default)"),
	NUMBER("tolerance", "T", FROM, tolerance, 0, 0.99, "forces by a tree: 99 of 100 are off by at "
	       "most T of their size (0: all pairs are summed)"),
	HEAD("Output (-, the standard output: the report goes to stderr)"),
	FILE_TO("out", out, "the bodies after the last step"),
	TEXT("snapshots", "PREFIX", snapshots, "the bodies each K steps: PREFIX00000.txt, .tipsy or "
	     ".hdf5, or a folder for them"),
	WORD("format", format, formats, "of these files: table (the default), tipsy or hdf5"),
	FILE_TO("checkpoint", checkpoint, "all that --resume needs, each K steps, in place of the "
	     "one before"),
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

/* Each output is a file of its own. */
static int apart(const struct nb_settings *o)
{
	static const char *const names[] = { "out", "checkpoint", "png", "film" };
	const char *const files[] = { o->out, o->checkpoint, o->png, o->film };
	size_t i, j;

	for (i = 0; i < sizeof files / sizeof *files; i++)
		for (j = 0; j < i; j++)
			if (files[i] && files[j] && outfile_same(files[i], files[j]))
				return misused("--%s and --%s would both write %s", names[j],
				               names[i], files[i]);
	return 0;
}

/* Options that exclude another option, or mean nothing without it. */
static int together(const struct nb_settings *o, const struct options_line *line)
{
	static const char *const runs[] = { "dt",        "softening", "g",   "integrator",
		                            "precision", "tolerance", "eta", "units" };
	const int models = !o->in && !o->resume;
	size_t i;

	if ((o->in != NULL) + (o->resume != NULL) + (o->model_name != NULL) > 1)
		return misused("--in, --resume and --model exclude each other");
	if (!models && given(line, "n"))
		return misused("--n is for models; all bodies of a file are taken");
	if (!models && given(line, "seed"))
		return misused("--seed is for models, not for files");
	if (models && given(line, "g"))
		return misused("--g is for --in; models are in units where it is 1");
	if (models && given(line, "units"))
		return misused("--units is for --in; models are in units where g is 1");
	if (given(line, "g") && given(line, "units"))
		return misused("--g and --units exclude each other");
	for (i = 0; i < sizeof runs / sizeof *runs; i++)
		if (o->resume && given(line, runs[i]))
			return misused("--%s: a run goes on as it began; its checkpoint says how",
			               runs[i]);
	if (given(line, "steps") && given(line, "until"))
		return misused("--steps and --until exclude each other");
	if (o->resume && given(line, "until"))
		return misused("--until would change the step; --steps says how far a run goes on");
	if (given(line, "eta") && o->integrator != NB_BLOCKS)
		return misused("--eta is for --integrator blocks");
	if (o->mpi && o->integrator == NB_BLOCKS)
		return misused("--integrator blocks and --mpi exclude each other");
	if (o->mpi && (o->checkpoint || o->resume))
		return misused("--checkpoint and --resume are for one process, not for --mpi");
	if (o->tolerance > 0 && o->integrator != CLOPT_INTEGRATOR_KICK_DRIFT_KICK)
		return misused("--tolerance is for --integrator leapfrog");
	if (o->tolerance > 0 && o->precision == CLOPT_PRECISION_DOUBLE_SINGLE)
		return misused("--tolerance is for --precision float or double");
	if ((o->png != NULL) + (o->frames != NULL) + (o->film != NULL) > 1)
		return misused("--png, --frames and --film exclude each other");
	if (o->film && !film_named(o->film))
		return misused("--film %s: no end, as .mp4, says what kind of film", o->film);
	if (given(line, "format") && !o->out && !o->snapshots)
		return misused("--format is that of --out and --snapshots");
	if (o->format == NB_HDF5 && !nb_hdf5_can())
		return misused("--format hdf5: this program was built without libhdf5 (on Debian "
		               "libhdf5-dev)");
	return apart(o);
}

/* The model, and its values for the options that were not given. */
static int model(struct nb_settings *o, const struct options_line *line)
{
	const struct nb_model *m = nb_model(o->model_name ? o->model_name : "plummer");

	if (!m)
		return misused("--model is one of plummer, binaries, galaxies, figure-eight, two, "
		               "not '%s'",
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

static int word_of(const char *const *words, const char *word)
{
	int i;

	for (i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

/* The settings of a run that goes on. */
static int resume(struct nb_settings *o, const struct nb_system *s, struct fault *e)
{
	const struct nb_stage *g = &s->stage;
	const int precision = word_of(precisions, g->precision);

	o->integrator = word_of(integrators, g->integrator);
	if (g->steps == 0 || o->integrator < 0 || precision < 0)
		return fail(
		        e,
		        "%.400s: no checkpoint: no line tells of the run; --in takes bodies from "
		        "any file",
		        o->resume);
	if (o->integrator != CLOPT_INTEGRATOR_KICK_DRIFT_KICK && !s->rates)
		return fail(e, "%.400s: a checkpoint without rates, but %s needs them", o->resume,
		            g->integrator);
	o->precision = precision_of[precision];
	o->dt = g->dt;
	o->tolerance = g->tolerance;
	o->eta = g->eta;
	if (!o->steps_given)
		o->steps = g->steps;
	if (o->steps < g->step)
		return fail(e, "%.400s: step %zu of it is past --steps %zu", o->resume, g->step,
		            o->steps);
	return 0;
}

/* Steps to a time, none longer than dt. */
static int until(struct nb_settings *o, const struct nb_system *s, struct fault *e)
{
	const double way = o->until - s->time, steps = ceil(fabs(way / o->dt) * (1 - 1e-12));

	if (way * o->dt < 0)
		return fail(e, "--until %g: the bodies are at time %g, and --dt is %g", o->until,
		            s->time, o->dt);
	if (!(steps <= 1e12))
		return fail(e, "--until %g takes %g steps of %g", o->until, steps, o->dt);
	o->steps = (size_t)steps;
	if (o->steps)
		o->dt = way / steps;
	return 0;
}

/* Units of the command line.  Those that the file has are converted to them. */
static int units_of(struct nb_settings *o, struct nb_system *s, struct fault *e)
{
	const int known = s->units.length > 0 && !s->assumed;
	char names[100];

	if (o->units < 0) {
		/* Where another law of motion is wanted, the units are not what they were. */
		if (o->g >= 0 && s->units.length > 0 &&
		    fabs(o->g / nb_units_g(&s->units) - 1) > 1e-3) {
			s->units = (struct nb_units){ 0, 0, 0 };
			s->assumed = 0;
		}
		return 0;
	}
	s->assumed = 0;
	if (o->units && known) {
		nb_system_convert(s, &nb_units_galactic);
	} else if (known) {
		nb_units_text(&s->units, names, sizeof names);
		return fail(
		        e,
		        "%.400s: its units are %s, and --units nbody has no size to convert them "
		        "to; --g 1 takes the numbers as they are",
		        o->in, names);
	}
	s->units = o->units ? nb_units_galactic : (struct nb_units){ 0, 0, 0 };
	o->g = o->units ? nb_units_g(&nb_units_galactic) : 1;
	return 0;
}

int nb_settings_finish(struct nb_settings *o, struct nb_system *s, struct fault *e)
{
	if (!o->resume)
		s->stage = (struct nb_stage){ 0 };
	if (units_of(o, s, e) ||
	    (o->resume ? resume(o, s, e) : isfinite(o->until) && until(o, s, e)))
		return -1;
	if (!o->every)
		o->every = o->steps / 10 + (o->steps < 10);
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
		                   .until = (double)NAN,
		                   .eta = 0.02,
		                   .units = -1,
		                   .precision = 3, /* in precisions */
		                   .device = CLOPT_OPTIONS_INIT };
	rc = options_read(&options, o, &line, argc, argv);
	if (rc >= 0)
		return rc;
	if (line.args)
		return misused("what is %s? A file of bodies goes with --in", line.arg[0]);
	o->precision = precision_of[o->precision];
	rc = together(o, &line);
	if (!rc && !o->in && !o->resume)
		rc = model(o, &line);
	if (rc)
		return rc;
	o->steps_given = given(&line, "steps");
	return o->dt == 0 && o->steps ? misused("--dt 0 moves nothing") : -1;
}
