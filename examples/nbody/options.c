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
static const char *const colours[] = { "density", "type", NULL };
static const char *const formats[] = { "table", "tipsy", "hdf5", NULL };
static const int precision_of[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
	                            CLOPT_PRECISION_DOUBLE, CLOPT_PRECISION_BEST };

#define AT(field) offsetof(struct nb_settings, field)

/* clang-format off */
static const struct option_row rows[] = {
	HEAD("Bodies"),
	TEXT("model", "NAME", model_name, "plummer (the default), binaries (a tenth of them pairs), galaxies, "
	     "figure-eight or two"),
	NUMBER("n", "N", COUNT, n, 1, 1e8, "number of bodies of a model (4096; galaxies 8192)"),
	NUMBER("seed", "S", COUNT, seed, 0, 9007199254740992.0, "another number gives other bodies of the same "
	       "model (1)"),
	FILE_FROM("in", in, "bodies of a file: table, tipsy, GADGET or HDF5 (GADGET, SWIFT, EAGLE); - is the standard "
		  "input"),
	FILE_FROM("resume", resume, "go on with the run of this --checkpoint"),
	HEAD("Motion (models have defaults of their own; --in has --steps 100 --dt 0.01)"),
	NUMBER("steps", "N", COUNT, steps, 0, 1e12, "number of steps, or --until; with --resume that of the whole run"),
	NUMBER("until", "T", FROM, until, -1e18, 1e18, "end at this time, in place of --steps; --dt is shortened to fit"),
	NUMBER("dt", "T", FROM, dt, -1e18, 1e18, "length of a step, in the bodies' unit of time; negative goes back in time"),
	NUMBER("softening", "E", FROM, softening, 0, NB_SOFTEST, "Plummer's softening, a length; 0: none (the "
	       "model's or the file's)"),
	NUMBER("g", "G", FROM, g, 0, 1e30, "gravitational constant for --in (the file's, else 1)"),
	WORD("integrator", integrator, integrators, "leapfrog (the default), hermite, or blocks (hermite, each "
	     "body with its own step)"),
	NUMBER("eta", "E", ABOVE, eta, 0, 1, "accuracy of the steps of --integrator blocks (0.02)"),
	WORD("units", units, units, "for --in: nbody (g is 1), or galactic: kpc, solar masses, Gyr (the file's)"),
	FLAG("physical", physical, "for --in: convert a snapshot with its scale factor a and its h"),
	WORD("precision", precision, precisions, "float, double-single, double, or best (the default): double, else "
	     "double-single"),
	NUMBER("tolerance", "T", FROM, tolerance, 0, 0.99, "forces by a tree: 99 of 100 are off by at most T of "
	       "their size (0: all pairs)"),
	HEAD("Output (- is the standard output; the report then goes to stderr)"),
	FILE_TO("out", out, "the bodies after the last step"),
	TEXT("snapshots", "PREFIX", snapshots, "the bodies every K steps (--every): PREFIX00000.txt, ..., or a folder for "
	     "them"),
	WORD("format", format, formats, "of --out and --snapshots: table, tipsy or hdf5 (by the end of --out, else table)"),
	FILE_TO("checkpoint", checkpoint, "all that --resume needs, written every K steps (--every)"),
	NUMBER("every", "K", COUNT, every, 1, 1e12, "print the conserved sums every K steps (a tenth of the steps)"),
	FILE_TO("png", png, "a picture of the bodies after the last step"),
	TEXT("frames", "PREFIX", frames, "a picture every K steps (--every): PREFIX00000.png, ..., or a folder for them"),
	TEXT("film", "FILE", film, "a film of a picture every K steps (--every), as film.mp4, 25 a second, by ffmpeg"),
	NUMBER("size", "N", COUNT, size, 16, 8192, "width and height of a picture, pixels (900)"),
	NUMBER("width", "L", ABOVE, width, 0, 1e18, "width of what a picture shows, a length (98 % of the bodies)"),
	WORD("colour", colour, colours, "of pictures: density (the default), or type: gas, dark matter, stars"),
	FLAG("json", json, "print everything at the end, as JSON"),
	FLAG("quiet", quiet, "print nothing but errors"),
	HEAD("Device"),
	TEXT("device", "SPEC", device.device, "an index, a word or vendor:type:name (the fastest); 'gpu*' or "
	     "0+1: all of them"),
	FLAG("mpi", mpi, RANKS_OPTION),
};
/* clang-format on */

static const struct options options = {
	"nbody",
	NULL,
	"Examples:\n"
	"  nbody --n 10000 --steps 1000\n"
	"  nbody --model galaxies --tolerance 1e-3 --film galaxies.mp4\n"
	"  nbody --in planets.txt --dt 0.01 --until 12 --out end.txt\n\n"
	"Moves bodies under their own gravity, and reports the energy, momentum and angular "
	"momentum that should stay.  Values in parentheses are defaults.\v"
	"Files: a table has lines x y z vx vy vz m; lines that begin with # are comments.  Before "
	"the first body \"# units 1 AU 1 Msun 1 year\", \"# g G\" and \"# softening E\" set "
	"these.  Tipsy files may be big or little endian; their softening is taken if all bodies "
	"have the same.  Any file of a snapshot leads to its others, which stand beside it.  "
	"Snapshots without units have GADGET's, unless --units nbody or --g is given.\n\n"
	"--resume goes on with the same bits, except with --tolerance.  The numbers of snapshots "
	"and pictures go on; a --film begins anew.  A step of --integrator blocks is --dt over a "
	"power of two.  Without ffmpeg, --film leaves pictures FILE-00000.png, ..., and the exit "
	"status is 1.\n\n"
	"The file of the examples is in examples/data.  "
	"Exit status: 0, 1 after a failure, 2 after a wrong command line, 130 after Ctrl-C.",
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

/* The format that a name ends in. */
static int format_of(const char *name)
{
	static const struct {
		const char *end;
		enum nb_format format;
	} known[] = {
		{ "hdf5", NB_HDF5 }, { "h5", NB_HDF5 }, { "tipsy", NB_TIPSY }, { "std", NB_TIPSY }
	};
	const char *end = strrchr(name, '.');
	size_t i;

	for (i = 0; end && i < sizeof known / sizeof *known; i++)
		if (strcmp(end + 1, known[i].end) == 0)
			return known[i].format;
	return NB_TABLE;
}

/* Options that exclude another option, or mean nothing without it. */
static int together(const struct nb_settings *o, const struct options_line *line)
{
	static const char *const runs[] = { "dt",         "softening", "g",
		                            "integrator", "precision", "tolerance",
		                            "eta",        "units",     "physical" };
	const int models = !o->in && !o->resume, pictures = !!o->png + !!o->frames + !!o->film;
	const struct {
		int bad;
		const char *why;
	} rules[] = {
		{ !!o->in + !!o->resume + !!o->model_name > 1,
		  "--in, --resume and --model exclude each other: give one" },
		{ !models && given(line, "n"),
		  "--n needs a model: all bodies of a file are taken" },
		{ !models && given(line, "seed"),
		  "--seed needs a model: a file has its own bodies" },
		{ models && given(line, "g"), "--g needs --in: in the units of models it is 1" },
		{ models && o->units >= 0,
		  "--units needs --in: models have units in which g is 1" },
		{ models && o->physical,
		  "--physical needs --in: only snapshots have a scale factor and h" },
		{ given(line, "g") && o->units >= 0,
		  "--g and --units exclude each other: give one" },
		{ given(line, "steps") && given(line, "until"),
		  "--steps and --until exclude each other: give one" },
		{ o->resume && given(line, "until"),
		  "--until would change the step of the run: with --resume give --steps" },
		{ given(line, "eta") && o->integrator != NB_BLOCKS,
		  "--eta needs --integrator blocks" },
		{ o->mpi && o->integrator == NB_BLOCKS,
		  "--integrator blocks and --mpi exclude each other" },
		{ o->mpi && (o->checkpoint || o->resume),
		  "--checkpoint and --resume exclude --mpi: they need one process" },
		{ o->tolerance > 0 && o->integrator != CLOPT_INTEGRATOR_KICK_DRIFT_KICK,
		  "--tolerance needs --integrator leapfrog" },
		{ o->tolerance > 0 && o->precision == CLOPT_PRECISION_DOUBLE_SINGLE,
		  "--tolerance needs --precision float or double" },
		{ pictures > 1, "--png, --frames and --film exclude each other: give one" },
		{ given(line, "colour") && !pictures, "--colour needs --png, --frames or --film" },
		{ given(line, "width") && !pictures, "--width needs --png, --frames or --film" },
		{ given(line, "format") && !o->out && !o->snapshots,
		  "--format needs --out or --snapshots" },
	};
	struct fault e;
	size_t i;

	for (i = 0; i < sizeof runs / sizeof *runs; i++)
		if (o->resume && given(line, runs[i]))
			return misused("--%s has no effect with --resume: the checkpoint has it",
			               runs[i]);
	for (i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].bad)
			return misused("%s", rules[i].why);
	if (o->film && !film_named(o->film))
		return misused("--film %s: the name must end in the kind of film, as .mp4",
		               o->film);
	if (o->format != NB_TABLE && nb_snapshot_try(formats[o->format], &e))
		return misused("%s", e.text);
	return apart(o);
}

/* The model, and its values for the options that were not given. */
static int model(struct nb_settings *o, const struct options_line *line)
{
	const struct nb_model *m = nb_model(o->model_name ? o->model_name : "plummer");

	if (!m)
		return misused(
		        "--model %s: it must be plummer, binaries, galaxies, figure-eight or two",
		        o->model_name);
	o->model = m;
	o->g = 1;
	if (!given(line, "n"))
		o->n = m->n;
	if (m->fixed && o->n != m->n)
		return misused("--n %zu: --model %s has %zu bodies", o->n, m->name, m->n);
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
	if (!g->integrator[0] || o->integrator < 0 || precision < 0)
		return fail(e,
		            "%.400s: this is not a checkpoint: it has no line \"# run\"; --in "
		            "takes bodies from any file",
		            o->resume);
	if (o->integrator != CLOPT_INTEGRATOR_KICK_DRIFT_KICK && !s->rates)
		return fail(e, "%.400s: the checkpoint has no rates: --integrator %s needs them",
		            o->resume, g->integrator);
	o->precision = precision_of[precision];
	o->dt = g->dt;
	o->tolerance = g->tolerance;
	o->eta = g->eta;
	if (!o->steps_given)
		o->steps = g->steps;
	if (o->steps < g->step)
		return fail(e, "--steps %zu: %.400s is already at step %zu", o->steps, o->resume,
		            g->step);
	return 0;
}

/* Steps to a time, none longer than dt. */
static int until(struct nb_settings *o, const struct nb_system *s, struct fault *e)
{
	const double way = o->until - s->time, steps = ceil(fabs(way / o->dt) * (1 - 1e-12));

	if (way * o->dt < 0)
		return fail(e, "--until %g: steps of %g do not lead there from time %g", o->until,
		            o->dt, s->time);
	if (!(steps <= 1e12))
		return fail(e, "--until %g: it takes %g steps of %g, more than 1e12", o->until,
		            steps, o->dt);
	o->steps = (size_t)steps;
	if (o->steps)
		o->dt = way / steps;
	return 0;
}

/* Units of the command line.  Those that the file has are converted to them. */
static int units_of(struct nb_settings *o, struct nb_system *s, struct fault *e)
{
	const int known = s->units.length > 0;
	char names[100];

	nb_units_text(s, names, sizeof names);
	if (o->units < 0) {
		/* Where another law of motion is wanted, the units are not what they were. */
		if (o->g >= 0 && s->units.length > 0 &&
		    fabs(o->g / nb_units_g(&s->units) - 1) > 1e-3) {
			s->units = (struct nb_units){ 0, 0, 0 };
			s->assumed = 0;
		}
		return 0;
	}
	if (o->units && known && s->assumed)
		nb_system_note(s, "%.300s: it has no units: it is converted from GADGET's (%s)",
		               o->in, names);
	if (o->units && known) {
		nb_system_convert(s, &nb_units_galactic);
	} else if (known && !s->assumed) {
		return fail(e,
		            "%.400s: its units are %s: they cannot be converted to --units nbody; "
		            "--g 1 takes the numbers as they are",
		            o->in, names);
	}
	s->assumed = 0;
	s->units = o->units ? nb_units_galactic : (struct nb_units){ 0, 0, 0 };
	o->g = o->units ? nb_units_g(&nb_units_galactic) : 1;
	return 0;
}

int nb_settings_finish(struct nb_settings *o, struct nb_system *s, struct fault *e)
{
	if (!o->resume)
		s->stage = (struct nb_stage){ 0 };
	if (o->colour == NB_BY_TYPE && !s->kind)
		return fail(
		        e,
		        "--colour type: the bodies have no types; those of tipsy, GADGET and HDF5 "
		        "files and of --model galaxies have");
	if ((o->in && nb_system_physical(s, o->in, o->physical, e)) || units_of(o, s, e) ||
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
		return misused("unexpected word: %s; give a file of bodies by --in", line.arg[0]);
	o->precision = precision_of[o->precision];
	if (!given(&line, "format") && o->out)
		o->format = format_of(o->out);
	rc = together(o, &line);
	if (!rc && !o->in && !o->resume)
		rc = model(o, &line);
	if (rc)
		return rc;
	o->steps_given = given(&line, "steps");
	o->dt_given = given(&line, "dt");
	return o->dt == 0 && o->steps ? misused("--dt 0: it must not be 0") : -1;
}
