/* SPDX-License-Identifier: MIT */
/*
 * run.c - the motion: one call of clopt_nbody_evolve, which calls back for each row
 * of figures and each picture.
 */
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "../common/opening.h"
#include "../common/progress.h"
#include "nb.h"

struct run {
	const struct nb_settings *o;
	struct nb_result *r;
	struct nb_report *report;
	struct fault *e;
	size_t n;
	double start; /* time of step 0 */
	double momentum, angular; /* sums of m |v| and m |x| |v| at step 0 */
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

/* The scale of a vector sum's drift is the sum of its parts' lengths, since the sum itself may be 0. */
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

/* The i-th picture of --frames: PREFIX00042.png, or FOLDER/00042.png. */
static int frame_path(const struct nb_settings *o, size_t i, char *path, size_t room,
                      struct fault *e)
{
	struct stat st;
	int folder = stat(o->frames, &st) == 0 && S_ISDIR(st.st_mode), n;

	n = snprintf(path, room, "%s%s%05zu.png", o->frames, folder ? "/" : "", i);
	if (n < 0 || (size_t)n >= room)
		return fail(e, "%.400s...: the name is too long", o->frames);
	return 0;
}

int nb_writable(const struct nb_settings *o, struct fault *e)
{
	char first[4096];

	if (o->out && outfile_try(o->out, e->text, sizeof e->text))
		return -1;
	if (o->png && outfile_try(o->png, e->text, sizeof e->text))
		return -1;
	if (o->frames && frame_path(o, 0, first, sizeof first, e))
		return -1;
	if (o->film && (film_can() ? outfile_try(o->film, e->text, sizeof e->text) :
	                             film_picture(o->film, 0, first, sizeof first, e)))
		return -1;
	return o->frames || (o->film && !film_can()) ? outfile_try(first, e->text, sizeof e->text) :
	                                               0;
}

static int frame(struct run *p, const double *body)
{
	cairo_surface_t *s;
	char path[4096];
	int rc;

	if (p->o->film) {
		s = nb_picture(&p->view, body, p->n, p->e);
		rc = s ? film_add(&p->film, s, p->e) : -1;
		cairo_surface_destroy(s);
	} else {
		rc = frame_path(p->o, p->r->frames, path, sizeof path, p->e) ||
		     nb_draw(path, &p->view, body, p->n, p->e);
	}
	p->r->frames += rc == 0;
	return rc;
}

/* One row, and one picture.  Also called for the last step if that was in the row
 * before. */
static int each(void *user, size_t step, const double *body, const double *velocity,
                const struct clopt_conserved *sums)
{
	struct run *p = user;
	const double now = seconds_now();
	struct nb_row row = { step, p->start + (double)step * p->o->dt, *sums, 0, 0, 0 };

	if (p->r->rows && step == p->r->last.step)
		return 0;
	if (p->r->rows == 0) {
		p->r->first = row;
		scales(p, body, velocity);
	} else {
		p->r->seconds = now - p->begun - p->looking;
	}
	enter(p, &row);
	progress_hide();
	p->failed = nb_report_row(p->report, &row, p->e) ||
	            ((p->o->frames || p->o->film) && frame(p, body));
	if (p->r->rows == 1)
		p->begun = seconds_now();
	else
		p->looking += seconds_now() - now;
	progress_say("step %zu of %zu", step, p->o->steps);
	return p->failed;
}

/* The part of all steps that is done. */
static int tell(void *user, double done)
{
	const struct nb_settings *o = user;

	progress_say("step %.2f of %zu", done * (double)o->steps, o->steps);
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

static int evolve(struct run *p, struct clopt *c, struct nb_system *s)
{
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
	shares_begin(&p->r->shares, c);
	rc = ranks_evolve(c, s->n, s->body, s->velocity, p->o->dt, p->o->steps, &eo);
	if (rc)
		return refused(p, rc, ranks_error(c));
	if (p->failed)
		return -1;
	s->time += (double)p->o->steps * p->o->dt;
	if (clopt_last_report(c, &report))
		return fail(p->e, "%.600s", clopt_error(c));
	if (report.variant)
		snprintf(p->r->variant, sizeof p->r->variant, "%s", report.variant);
	p->r->tree_order = report.tree_order;
	p->r->error_99 = report.error_99;
	p->r->interactions =
	        (double)p->o->steps * (double)s->n *
	        (report.tree_order ? report.near_pairs + report.far_pairs : (double)s->n);
	shares_add(&p->r->shares, c, p->r->interactions);
	return 0;
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
	struct run run = { .o = o, .r = r, .report = report, .e = e, .n = s->n, .start = s->time };
	struct clopt_options device = o->device;
	struct clopt *c;
	int rc;

	memset(r, 0, sizeof *r);
	run.view.size = o->size;
	if (progress_shown() && !o->mpi) {
		device.progress = tell;
		device.progress_user = (void *)(size_t)o;
	}
	progress_say("opening the device");
	if (ranks_open(&c, &device)) {
		opening_reason(ranks_error(NULL), e->text, sizeof e->text);
		return -1;
	}
	rc = describe(r, c, o->precision, e);
	if (rc == 0 && o->film)
		rc = film_open(&run.film, o->film, o->size, o->size, e);
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
