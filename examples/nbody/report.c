/* SPDX-License-Identifier: MIT */
/*
 * report.c - rows and the summary, as text or as one JSON object.
 */
#include <math.h>
#include <string.h>

#include "../common/json_text.h"
#include "nb.h"

/* Places in float, which are too coarse for the softening. */
static void float_warning(const struct nb_settings *o, struct nb_system *s)
{
	double far = 0, rounding;
	size_t i;
	int k;

	if (o->precision != CLOPT_PRECISION_FLOAT || !(s->softening > 0))
		return;
	for (i = 0; i < s->n; i++)
		for (k = 0; k < 3; k++)
			far = fmax(far, fabs(s->body[4 * i + (size_t)k]));
	rounding = far * 0x1p-24;
	if (rounding > s->softening * (o->tolerance > 0 ? o->tolerance : 1e-3))
		nb_system_note(
		        s,
		        "--precision float rounds places by up to %.2g, and the softening is "
		        "%.2g: forces between neighbours are off by about %.1g of "
		        "themselves%s; --precision double avoids it",
		        rounding, s->softening, rounding / s->softening,
		        o->tolerance > 0 ? ", which --tolerance does not measure" : "");
}

void nb_warnings(const struct nb_settings *o, struct nb_system *s)
{
	char film[400], names[100];

	if (*film_warning(o->film, film, sizeof film))
		nb_system_note(s, "%s", film);
	if (isfinite(o->until) && !o->dt_given && o->steps > NB_MANY_STEPS)
		nb_system_note(
		        s,
		        "--until %g takes %zu steps of %g, the default length: give a longer "
		        "one by --dt",
		        o->until, o->steps, o->dt);
	float_warning(o, s);
	if (o->in && s->mixed && o->softening < 0)
		nb_system_note(s,
		               "%.300s: its bodies have different softenings: 0 is taken for all; "
		               "give one by --softening",
		               o->in);
	nb_units_text(s, names, sizeof names);
	if (s->assumed == 1 && o->g < 0)
		nb_system_note(
		        s,
		        "%.300s: it has no units of length, mass and time: GADGET's are "
		        "assumed (%s), where g is %.6g; give others by --g, or --units nbody",
		        o->in, names, s->g);
}

void nb_drift_warning(const struct nb_result *r, struct nb_system *s)
{
	if (!(r->worst_energy <= 0.1))
		nb_system_note(
		        s,
		        "the energy changed by %.3g times its size: the motion is wrong; give "
		        "a smaller --dt or a larger --softening",
		        r->worst_energy);
}

/* On the standard output, unless data goes there. */
int nb_report_open(struct nb_report *p, const struct nb_settings *o, struct fault *e)
{
	memset(p, 0, sizeof *p);
	if (o->quiet && !o->json)
		return 0;
	p->f = stdout;
	if ((o->out && outfile_is_stdout(o->out)) || (o->png && outfile_is_stdout(o->png)) ||
	    (o->checkpoint && outfile_is_stdout(o->checkpoint)))
		p->f = stderr;
	if (o->json && !(p->rows = json_array()))
		return fail(e, "out of memory");
	return 0;
}

static int json_row(struct nb_report *p, const struct nb_row *row, struct fault *e)
{
	const struct clopt_conserved *s = &row->sums;
	struct sheet o = sheet_new(), all = { NULL, 0 };

	sheet_count(&o, "step", (double)row->step);
	sheet_number(&o, "time", row->time);
	sheet_number(&o, "kinetic", s->kinetic);
	sheet_number(&o, "potential", s->potential);
	sheet_vector(&o, "momentum", s->momentum);
	sheet_vector(&o, "angular_momentum", s->angular_momentum);
	sheet_vector(&o, "centre", s->centre);
	sheet_number(&o, "energy_drift", row->energy_drift);
	sheet_number(&o, "momentum_drift", row->momentum_drift);
	sheet_number(&o, "angular_drift", row->angular_drift);
	sheet_append(&all, p->rows, &o);
	return all.bad ? fail(e, "out of memory for the report") : 0;
}

int nb_report_row(struct nb_report *p, const struct nb_row *row, struct fault *e)
{
	const struct clopt_conserved *s = &row->sums;

	if (p->rows)
		return json_row(p, row, e);
	if (!p->f)
		return 0;
	if (!p->headed++)
		fprintf(p->f,
		        "d: changes since step %zu, divided by its |energy|, sum m |v| and "
		        "sum m |x| |v|\n%12s %12s %12s %10s %10s %10s  %s\n",
		        row->step, "time", "kinetic", "potential", "d energy", "d momentum",
		        "d angular", "centre of mass");
	fprintf(p->f, "%12.6g %12.6g %12.6g %10.2e %10.2e %10.2e  %.6g %.6g %.6g\n", row->time,
	        s->kinetic, s->potential, row->energy_drift, row->momentum_drift,
	        row->angular_drift, s->centre[0], s->centre[1], s->centre[2]);
	return flush_report(p->f, "the report", e);
}

/* The names of the files of this run, of which the last has the number end - 1. */
static void series(FILE *f, const char *what,
                   int (*path)(const struct nb_settings *, size_t, char *, size_t, struct fault *),
                   const struct nb_settings *o, size_t n, size_t end)
{
	char name[4096];
	struct fault e;

	fprintf(f, "wrote      %zu %s", n, what);
	if (n && path(o, end - n, name, sizeof name, &e) == 0)
		fprintf(f, ", %s", name);
	if (n > 1 && path(o, end - 1, name, sizeof name, &e) == 0)
		fprintf(f, " to %s", name);
	fputc('\n', f);
}

static void text(FILE *f, const struct nb_settings *o, const struct nb_system *s,
                 const struct nb_result *r)
{
	const double steps = (double)(o->steps - s->stage.step); /* of this run */
	char devices[1024], units[100];

	fprintf(f, "bodies     %zu %s %s, mass %.6g\n", s->n, o->model ? "of the model" : "from",
	        o->model ? o->model->name :
	        o->in    ? o->in :
	                   o->resume,
	        r->last.sums.mass);
	fprintf(f, "motion     %zu steps of %g, %s, %s, softening %g, g %g\n", o->steps, o->dt,
	        nb_integrator_name(o->integrator), nb_precision_name(r->precision), s->softening,
	        s->g);
	nb_units_text(s, units, sizeof units);
	fprintf(f, "units      %s%s\n", units, s->assumed ? ", assumed" : "");
	fprintf(f, "device     %s\n", r->device);
	if (r->shares.members > 1) {
		shares_text(&r->shares, devices, sizeof devices);
		fprintf(f, "devices    %s\n", devices);
	}
	if (*r->variant)
		fprintf(f, "variant    %s\n", r->variant);
	if (r->tree_order)
		fprintf(f,
		        "tree       order %u; 99 of 100 forces that were checked are off by at "
		        "most %.2g; energies are by the tree too\n",
		        r->tree_order, r->error_99);
	else if (o->tolerance > 0)
		fprintf(f, "tree       none: all pairs were summed\n");
	fprintf(f, "energy     worst relative drift of the rows %.3g\n", r->worst_energy);
	if (o->integrator == NB_BLOCKS)
		fprintf(f, "forces     %.4g on single bodies, %.3g for each body in a step\n",
		        r->forces, steps > 0 ? r->forces / steps / (double)s->n : 0);
	fprintf(f, "speed      %.4g interactions in %.4g s", r->interactions, r->seconds);
	if (r->seconds > 0)
		fprintf(f, ", %.3g interactions/s", r->interactions / r->seconds);
	fputc('\n', f);
	if (o->out)
		fprintf(f, "wrote      %s\n", o->out);
	if (o->snapshots)
		series(f, "snapshots", nb_snapshot_path, o, r->snapshots, s->stage.snapshots);
	if (o->checkpoint)
		fprintf(f, "wrote      %s\n", o->checkpoint);
	if (o->png)
		fprintf(f, "wrote      %s\n", o->png);
	if (o->frames)
		series(f, "pictures", nb_frame_path, o, r->frames, s->stage.pictures);
	if (o->film && film_can())
		fprintf(f, "wrote      %zu pictures in %s\n", r->frames, o->film);
}

static int json_end(struct nb_report *p, const struct nb_settings *set, const struct nb_system *s,
                    const struct nb_result *r, struct fault *e)
{
	json_t *warnings = json_array(), *files = json_array();
	const char *const made[] = { set->out, set->checkpoint, set->png,
		                     set->film && film_can() ? set->film : NULL };
	struct sheet o = sheet_new();
	const char *note;
	char text[640];
	size_t i;

	for (note = s->notes; *note; note = strchr(note, '\n') + 1) {
		snprintf(text, sizeof text, "%.*s", (int)strcspn(note, "\n"), note);
		o.bad |= json_array_append_new(warnings, json_text(text));
	}
	if (set->in) {
		sheet_text(&o, "in", set->in);
	} else if (set->resume) {
		sheet_text(&o, "resume", set->resume);
	} else {
		sheet_text(&o, "model", set->model->name);
		sheet_count(&o, "seed", (double)set->seed);
	}
	sheet_count(&o, "bodies", (double)s->n);
	sheet_number(&o, "mass", r->last.sums.mass);
	sheet_number(&o, "g", s->g);
	nb_units_text(s, text, sizeof text);
	sheet_text(&o, "units", text);
	sheet_put(&o, "units_assumed", json_boolean(s->assumed));
	sheet_number(&o, "softening", s->softening);
	sheet_put(&o, "warnings", warnings);
	sheet_count(&o, "steps", (double)set->steps);
	sheet_number(&o, "dt", set->dt);
	sheet_text(&o, "integrator", nb_integrator_name(set->integrator));
	sheet_text(&o, "precision", nb_precision_name(r->precision));
	sheet_text(&o, "device", r->device);
	sheet_put(&o, "devices", shares_json(&r->shares));
	sheet_put(&o, "variant", *r->variant ? json_text(r->variant) : json_null());
	sheet_count(&o, "tree_order", (double)r->tree_order);
	sheet_number(&o, "error_99", r->error_99);
	sheet_number(&o, "worst_energy_drift", r->worst_energy);
	sheet_number(&o, "forces", r->forces);
	sheet_number(&o, "interactions", r->interactions);
	sheet_number(&o, "seconds", r->seconds);
	sheet_number(&o, "interactions_per_second",
	             r->seconds > 0 ? r->interactions / r->seconds : 0);
	sheet_put(&o, "rows", json_incref(p->rows));
	for (i = 0; i < sizeof made / sizeof *made; i++)
		if (made[i])
			o.bad |= json_array_append_new(files, json_text(made[i]));
	sheet_put(&o, "files", files);
	if (set->snapshots)
		sheet_count(&o, "snapshots", (double)r->snapshots);
	if (set->frames || set->film)
		sheet_count(&o, "frames", (double)r->frames);
	return sheet_print(&o, p->f, 17) ? fail(e, "the report could not be written") : 0;
}

int nb_report_end(struct nb_report *p, const struct nb_settings *o, const struct nb_system *s,
                  const struct nb_result *r, struct fault *e)
{
	if (!p->f)
		return 0;
	if (!p->rows)
		text(p->f, o, s, r);
	else if (json_end(p, o, s, r, e))
		return -1;
	return flush_report(p->f, "the report", e);
}

void nb_report_close(struct nb_report *p)
{
	json_decref(p->rows);
	memset(p, 0, sizeof *p);
}
