/* SPDX-License-Identifier: MIT */
/*
 * run.c - the motion: one call of clopt_nbody_evolve, or of nb_blocks, which calls back for each
 * row of figures, picture, snapshot and checkpoint.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "../common/device.h"
#include "../common/progress.h"
#include "../common/tidy.h"
#include "nb.h"

struct run {
	const struct nb_settings *o;
	struct nb_result *r;
	struct nb_report *report;
	struct fault *e;
	struct nb_system *s;
	size_t n, first_step; /* of this run: that of a checkpoint */
	double start; /* time of step 0 */
	double momentum, angular; /* sums of m |v| and m |x| |v| in the first row with motion */
	double begun, looking; /* clock at the end of step 0's row; seconds in rows since */
	struct nb_view view;
	struct film film;
	int failed;
};

static double length(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double distance(const double a[3], const double b[3])
{
	const double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };

	return length(d);
}

/* The scale of a vector sum's drift is the sum of its parts' lengths, since the sum itself may be
 * 0. */
static void scales(struct run *p, const double *body, const double *velocity)
{
	double m;
	size_t i;

	for (i = 0; i < p->n; i++) {
		m = body[4 * i + 3] * length(velocity + 4 * i);
		p->momentum += m;
		p->angular += m * length(body + 4 * i);
	}
}

static double ratio(double a, double b)
{
	return b != 0 ? a / fabs(b) : a;
}

static void enter(struct run *p, struct nb_row *row)
{
	const struct clopt_conserved *s = &row->sums, *s0 = &p->r->first.sums;
	const double energy = s0->kinetic + s0->potential;

	row->energy_drift = ratio(s->kinetic + s->potential - energy, energy);
	row->momentum_drift = ratio(distance(s->momentum, s0->momentum), p->momentum);
	row->angular_drift = ratio(distance(s->angular_momentum, s0->angular_momentum), p->angular);
	p->r->last = *row;
	p->r->rows++;
	/* Not by fmax, which would lose a NaN. */
	if (!(fabs(row->energy_drift) <= p->r->worst_energy))
		p->r->worst_energy = fabs(row->energy_drift);
}

static int series_path(const char *prefix, size_t i, const char *end, char *path, size_t room,
                       struct fault *e)
{
	struct stat st;
	const size_t length = strlen(prefix);
	const int apart = length && prefix[length - 1] != '/' && stat(prefix, &st) == 0 &&
	                  S_ISDIR(st.st_mode);
	int n;

	n = snprintf(path, room, "%s%s%05zu.%s", prefix, apart ? "/" : "", i, end);
	if (n < 0 || (size_t)n >= room)
		return fail(e, "%.400s...: the name is too long", prefix);
	return 0;
}

int nb_frame_path(const struct nb_settings *o, size_t i, char *path, size_t room, struct fault *e)
{
	return series_path(o->frames, i, "png", path, room, e);
}

int nb_snapshot_path(const struct nb_settings *o, size_t i, char *path, size_t room,
                     struct fault *e)
{
	static const char *const ends[] = { "txt", "tipsy", "hdf5" };

	return series_path(o->snapshots, i, ends[o->format], path, room, e);
}

int nb_writable(const struct nb_settings *o, struct fault *e)
{
	const int pictures = o->film && !film_can();
	char snapshot[4096], picture[4096];
	const char *const files[] = { o->out,
		                      o->png,
		                      o->checkpoint,
		                      pictures ? NULL : o->film,
		                      o->snapshots ? snapshot : NULL,
		                      o->frames || pictures ? picture : NULL };
	size_t i;

	if ((o->snapshots && nb_snapshot_path(o, 0, snapshot, sizeof snapshot, e)) ||
	    (o->frames && nb_frame_path(o, 0, picture, sizeof picture, e)) ||
	    (pictures && film_picture(o->film, 0, picture, sizeof picture, e)))
		return -1;
	for (i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i] && outfile_try(files[i], e))
			return -1;
	return 0;
}

/* The first step of a run that goes on has its file already, if the run before wrote any. */
static int there(const struct run *p, size_t files)
{
	return p->o->resume && p->r->rows == 1 && files > 0;
}

static int frame(struct run *p, double time, const double *body)
{
	struct nb_system now = *p->s;
	size_t *number = &p->s->stage.pictures;
	cairo_surface_t *s;
	char path[4096];
	int rc;

	now.body = (double *)(uintptr_t)body; /* which is only read */
	now.time = time;
	if (p->o->film) {
		s = nb_picture(&p->view, &now, p->o->colour, p->e);
		rc = s ? film_add(&p->film, s, p->e) : -1;
		cairo_surface_destroy(s);
	} else {
		rc = nb_frame_path(p->o, *number, path, sizeof path, p->e) ||
		     nb_draw(path, &p->view, &now, p->o->colour, p->e);
	}
	p->r->frames += rc == 0;
	*number += rc == 0 && !*p->film.told;
	return rc;
}

/* The bodies of a step: a snapshot, and the checkpoint.  Over ranks they are not in the system
 * until the end. */
static int save(struct run *p, const struct nb_row *row, const double *body, const double *velocity)
{
	struct nb_system now = *p->s;
	size_t *number = &p->s->stage.snapshots;
	char path[4096];

	now.body = (double *)(uintptr_t)body; /* which is only read */
	now.velocity = (double *)(uintptr_t)velocity;
	now.time = row->time;
	now.stage.step = row->step;
	now.stage.view = p->view;
	if (p->o->snapshots && !there(p, *number)) {
		if (nb_snapshot_path(p->o, *number, path, sizeof path, p->e) ||
		    nb_write(path, &now, p->o->format, p->e))
			return -1;
		p->r->snapshots++;
		now.stage.snapshots = ++*number;
	}
	return p->o->checkpoint ? outfile_print(p->o->checkpoint, nb_checkpoint_print, &now, p->e) :
	                          0;
}

/* What a signal says that ends the program, once so many steps of the run are done.  The checkpoint
 * is that of the last row. */
static void tell_stopped(const struct run *p, size_t step)
{
	const char *file = p->o->checkpoint;

	const char *line = progress_shown() ? "\n" : "";

	if (p->o->quiet)
		return;
	if (file && p->r->rows && !outfile_is_stdout(file))
		tidy_say("%snbody: stopped at step %zu of %zu; --resume %s goes on from step %zu\n",
		         line, step, p->o->steps, file, p->r->last.step);
	else
		tidy_say("%snbody: stopped at step %zu of %zu\n", line, step, p->o->steps);
}

/* A line on the terminal: steps of this run that are done, and the time that the rest will take. */
static void tell_steps(void *user, double steps)
{
	const struct run *p = user;
	const double left = (double)(p->o->steps - p->first_step) - steps;

	tell_stopped(p, p->first_step + (size_t)steps);
	if (steps > 0 && p->r->rows)
		progress_say("step %.*f of %zu, %.0f s to go",
		             fabs(steps - round(steps)) < 0.005 ? 0 : 2,
		             (double)p->first_step + steps, p->o->steps,
		             (seconds_now() - p->begun) * left / steps);
	else
		progress_say("step %zu of %zu", p->first_step, p->o->steps);
}

/* Times count from step 0, so that a run that goes on has the bits of the whole.  Checkpoints of
 * older programs do not tell its time. */
static double start_of(const struct nb_settings *o, const struct nb_system *s)
{
	if (!o->resume)
		return s->time;
	return isfinite(s->stage.start) ? s->stage.start : s->time - (double)s->stage.step * o->dt;
}

/* The time behind so many steps of this run. */
static double time_of(const struct run *p, size_t steps)
{
	return p->start + (double)(p->first_step + steps) * p->o->dt;
}

/* One row, one picture and so on.  Also called for the last step if that was in the row
 * before. */
static int each(void *user, size_t step, const double *body, const double *velocity,
                const struct clopt_conserved *sums)
{
	struct run *p = user;
	const double now = seconds_now();
	struct nb_row row = { p->first_step + step, time_of(p, step), *sums, 0, 0, 0 };

	if (p->r->rows && row.step == p->r->last.step)
		return 0;
	if (p->r->rows == 0)
		p->r->first = row;
	else
		p->r->seconds = now - p->begun - p->looking;
	if (p->momentum == 0)
		scales(p, body, velocity);
	enter(p, &row);
	progress_hide();
	p->failed =
	        nb_report_row(p->report, &row, p->e) ||
	        ((p->o->frames || p->o->film) &&
	         (*p->film.told || !there(p, p->s->stage.pictures)) && frame(p, row.time, body)) ||
	        save(p, &row, body, velocity);
	if (p->r->rows == 1)
		p->begun = seconds_now();
	else
		p->looking += seconds_now() - now;
	tell_steps(p, (double)step);
	return p->failed;
}

/* The part of this run's steps that is done. */
static int tell(void *user, double done)
{
	const struct run *p = user;

	tell_steps(user, done * (double)(p->o->steps - p->first_step));
	return 0;
}

/* After the checks of the command line, the library can refuse only numbers. */
static int refused(const struct run *p, int rc, const char *why)
{
	if (rc != CLOPT_EINVAL)
		return fail(p->e, "%.600s", why);
	return fail(p->e, "%.450s; give the bodies in larger or smaller units, and --g in these%s",
	            why,
	            p->r->precision == CLOPT_PRECISION_DOUBLE ?
	                    "" :
	                    ", or --precision double where the device has it");
}

/* All that a checkpoint says of the run. */
static int set_stage(const struct run *p, struct nb_system *s)
{
	struct nb_stage *g = &s->stage;

	g->steps = p->o->steps;
	g->start = p->start;
	g->dt = p->o->dt;
	g->tolerance = p->o->tolerance;
	g->eta = p->o->eta;
	snprintf(g->integrator, sizeof g->integrator, "%s", nb_integrator_name(p->o->integrator));
	snprintf(g->precision, sizeof g->precision, "%s", nb_precision_name(p->o->precision));
	return p->o->integrator == CLOPT_INTEGRATOR_KICK_DRIFT_KICK ? 0 : nb_system_rates(s, p->e);
}

static int blocks(struct run *p, struct clopt *c, struct nb_system *s, size_t steps)
{
	const struct nb_blocks b = { c,
		                     p->o->dt,
		                     p->o->eta,
		                     steps,
		                     p->o->every,
		                     p->r->precision,
		                     p->o->resume != NULL,
		                     each,
		                     tell_steps,
		                     p };
	struct nb_blocks_done done;
	const int rc = nb_blocks(&b, s, &done);

	p->r->forces = done.forces;
	if (rc)
		return refused(p, rc, rc == CLOPT_ENOMEM ? "out of memory" : clopt_error(c));
	return p->failed ? -1 : 0;
}

static int evolve(struct run *p, struct clopt *c, struct nb_system *s)
{
	const size_t steps = p->o->steps - p->first_step;
	struct clopt_evolve_options eo = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	int rc;

	eo.g = s->g != 0 ? s->g : (double)FLT_MIN; /* 0 would be the default */
	eo.softening = s->softening;
	eo.integrator = p->o->integrator;
	eo.precision = p->o->precision;
	eo.tolerance = p->o->tolerance;
	eo.every = p->o->every;
	eo.each = each;
	eo.user = p;
	if (set_stage(p, s))
		return -1;
	if (p->o->integrator == CLOPT_INTEGRATOR_HERMITE && !p->o->mpi) {
		eo.rates = s->rates;
		eo.resume = p->o->resume && s->stage.step > 0; /* else there are no rates yet */
	}
	shares_begin(&p->r->shares, c);
	if (p->o->integrator == NB_BLOCKS) {
		if (blocks(p, c, s, steps))
			return -1;
	} else {
		p->r->forces = (double)steps * (double)s->n;
		rc = ranks_evolve(c, s->n, s->body, s->velocity, p->o->dt, steps, &eo);
		if (rc)
			return refused(p, rc, ranks_error(c));
	}
	if (p->failed)
		return -1;
	s->time = time_of(p, steps);
	if (clopt_last_report(c, &report))
		return fail(p->e, "%.600s", clopt_error(c));
	if (report.variant)
		snprintf(p->r->variant, sizeof p->r->variant, "%s", report.variant);
	p->r->tree_order = report.tree_order;
	p->r->error_99 = report.error_99;
	p->r->interactions =
	        p->r->forces *
	        (report.tree_order ? report.near_pairs + report.far_pairs : (double)s->n);
	shares_add(&p->r->shares, c, p->r->interactions);
	return 0;
}

/* Of steps, and of the conserved sums.  Those of a tree are compiled in the run. */
static void compile(const struct run *p, struct clopt *c)
{
	const int jerk = p->o->integrator == CLOPT_INTEGRATOR_HERMITE;
	const struct clopt_problem of = { .size = sizeof of,
		                          .dim = { p->n },
		                          .precision = p->o->precision };
	struct clopt_problem list[2] = { of, of };

	list[0].op = CLOPT_OP_EVOLVE_SUMS;
	if (of.precision == CLOPT_PRECISION_FLOAT) { /* sums of floats in the best precision */
		list[0].elem_bytes = sizeof(float);
		list[0].precision = CLOPT_PRECISION_BEST;
	}
	list[1].op = CLOPT_OP_EVOLVE_STEP;
	list[1].outputs = jerk;
	device_compile(c, list, p->o->integrator == NB_BLOCKS ? 1 : 2);
}

static int describe(struct nb_result *r, const struct clopt *c, int precision, struct fault *e)
{
	struct clopt_device_info info = { .size = sizeof info };

	if (clopt_device_get(c, &info))
		return fail(e, "%.600s", clopt_error(c));
	snprintf(r->device, sizeof r->device, "%s", info.name);
	r->precision = precision;
	if (precision == CLOPT_PRECISION_BEST)
		r->precision = info.fp64 ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_DOUBLE_SINGLE;
	return 0;
}

int nb_run(struct nb_result *r, const struct nb_settings *o, struct nb_system *s,
           struct nb_report *report, struct fault *e)
{
	struct run run = { .o = o,
		           .r = r,
		           .report = report,
		           .e = e,
		           .s = s,
		           .n = s->n,
		           .first_step = o->resume ? s->stage.step : 0,
		           .start = start_of(o, s) };
	struct clopt_options device = o->device;
	struct clopt *c;
	int rc;

	memset(r, 0, sizeof *r);
	if (s->stage.view.size == o->size && !(o->width > 0))
		run.view = s->stage.view;
	run.view.size = o->size;
	run.view.width = o->width;
	if (progress_shown() && !o->mpi && o->integrator != NB_BLOCKS) { /* whose calls are short */
		device.progress = tell;
		device.progress_user = &run;
	}
	/* Before drivers have handlers of their own. */
	if (!o->quiet)
		tidy_say("%snbody: stopped before step %zu\n", progress_shown() ? "\n" : "",
		         run.first_step);
	progress_say("opening the device");
	if (ranks_open(&c, &device))
		return device_refused(ranks_error(NULL), e);
	rc = describe(r, c, o->precision, e);
	if (rc == 0 && o->film)
		rc = film_open(&run.film, o->film, o->size, o->size, e);
	if (!*run.film.told) /* there is no ffmpeg, but numbered pictures */
		run.film.pictures = s->stage.pictures;
	if (rc == 0 && !o->mpi)
		compile(&run, c);
	progress_say("building the kernels");
	if (rc == 0)
		rc = evolve(&run, c, s);
	progress_say("closing");
	if (rc == 0 && o->film)
		rc = film_close(&run.film, e);
	film_drop(&run.film);
	ranks_close(c);
	return rc;
}
