/* SPDX-License-Identifier: MIT */
/*
 * clopt-gem.c - the electrostatic potential of molecules, at their surfaces, at points or on grids.
 *
 * This file orders the steps; clopt-gem/ has one folder for each: read < options, surface < compute
 * < draw < write.  Each folder includes only earlier ones.
 */
#include <math.h>
#include <string.h>

#include "clopt-gem/write/write.h"
#include "common/film.h"
#include "common/outfile.h"
#include "common/progress.h"
#include "common/ranks.h"

static int surface(struct gem_points *p, const struct gem_work *w, struct fault *e)
{
	if (w->o.vertices)
		return gem_points_load_vert(p, w->o.vertices, e);
	return w->o.surface == GEM_EXCLUDED ?
	               gem_mesh(p, &w->m, w->o.probe, w->o.density, w->o.cavities, e) :
	               gem_dots(p, &w->m, w->o.probe, w->o.density, e);
}

/* Vertices to a square Angstrom: small molecules get more, so that they look as smooth. */
static double density(const struct gem_molecule *m)
{
	return 3 * fmin(fmax(pow(4000 / (double)m->n, 2. / 3), 1), 32);
}

/* Read or make the surface that places other points.  A probe needs no points of a surface. */
static int place_by(struct gem_work *w, struct fault *e)
{
	if (w->o.vertices)
		return surface(&w->surface, w, e);
	w->surface.rolled = 1;
	w->surface.probe = w->o.probe;
	return 0;
}

static int own_grid(struct gem_work *w, struct fault *e)
{
	const struct gem_settings *o = &w->o;
	struct gem_box box = { .margin = o->margin, .origin = o->origin.n ? o->origin.v : NULL };
	int k;

	for (k = 0; k < o->grid.n; k++)
		box.nodes[k] = (size_t)o->grid.v[k];
	for (k = 0; o->spacing.n && k < 3; k++)
		box.step[k] = o->spacing.v[k];
	return gem_grid(&w->grid, &w->p, &w->m, &box, e);
}

static int points(struct gem_work *w, struct fault *e)
{
	int rc;

	if (w->o.points)
		rc = gem_points_read(&w->p, GEM_LIST, NULL, w->o.points, e);
	else if (gem_own_grid(&w->o))
		rc = own_grid(w, e);
	else if (gem_on_grid(&w->o))
		rc = gem_map_read(&w->map, w->o.like ? w->o.like : w->o.difference, e) ||
		     gem_grid_like(&w->grid, &w->p, &w->m, &w->map, e) ||
		     (w->o.difference && gem_map_convert(&w->map, w->o.difference, &w->o, e));
	else
		return surface(&w->p, w, e);
	return rc == 0 && w->o.mode == CLOPT_LAW_ALPB ? place_by(w, e) : rc;
}

/* Write the output files. */
static int files(struct gem_work *w, struct fault *e)
{
	const double end = w->view && w->range.end != 0 ? w->range.end : w->o.range;
	int i;

	progress_say("writing");
	if ((w->o.out[GEM_PLY] || w->o.out[GEM_PNG] || w->o.film) &&
	    gem_range(&w->range, w->r.value, w->p.n, end, e))
		return -1;
	for (i = 0; i < GEM_OUTPUTS; i++)
		if (w->o.out[i] && gem_write(i, w->o.out[i], w, e))
			return -1;
	return 0;
}

/* Standard output, or standard error if data went to standard output. */
static FILE *summary_file(const struct gem_settings *o)
{
	FILE *f = o->table && outfile_is_stdout(o->table) ? stderr : stdout;
	size_t i;

	for (i = 0; i < GEM_OUTPUTS; i++)
		if (o->out[i] && outfile_is_stdout(o->out[i]))
			f = stderr;
	return f;
}

/* For several molecules: a list as JSON, or text with empty lines between. */
static int summary(const struct gem_work *w, size_t before, struct fault *e)
{
	FILE *f = summary_file(&w->o);

	progress_hide();
	if (w->o.json) {
		if (gem_several(&w->o))
			fputs(before ? ",\n" : "[\n", f);
		return gem_summary_json(w, f, e);
	}
	if (w->o.quiet)
		return 0;
	if (before)
		fputc('\n', f);
	return gem_summary_text(w, f, e);
}

/* What all molecules of a run share. */
struct all {
	struct gem_settings o;
	struct gem_work w; /* of one molecule */
	struct gem_view view;
	struct film film;
	struct outfile table;
	size_t done, failed; /* molecules */
};

static int add_to_film(struct all *a, struct fault *e)
{
	cairo_surface_t *s;
	int rc = 0;

	if (!a->film.path)
		rc = film_open(&a->film, a->o.film, a->o.size, a->o.size, e);
	s = rc ? NULL : gem_picture(&a->w, e);
	rc = s ? film_add(&a->film, s, e) : -1;
	cairo_surface_destroy(s);
	return rc;
}

/* Process the molecule in w, up to its files.  Then free all of w that the next one does not
 * use. */
static int molecule(struct all *a, size_t i, size_t model, struct fault *e)
{
	struct gem_work *w = &a->w;
	const double begun = seconds_now();
	int rc;

	if (w->m.lost_residues && a->o.json && !a->o.quiet) { /* text has it */
		progress_hide();
		fprintf(stderr, "clopt-gem: warning: %s: " GEM_LOST "\n", a->o.molecules[i],
		        w->m.lost_residues, w->m.lost);
	}
	progress_say("%.60s: the points", a->o.molecules[i]);
	rc = gem_settings_each(&w->o, &a->o, i, model, e);
	if (rc == 0 && !(w->o.density > 0))
		w->o.density = density(&w->m);
	rc = rc || gem_model(&w->model, &w->o, &w->m, e) || points(w, e) ||
	     gem_writable(&w->o, e) ||
	     (w->o.by >= 0 && gem_groups(&w->groups, &w->m, w->o.by, e)) || gem_run(w, e) ||
	     files(w, e) || (a->o.film && add_to_film(a, e)) || summary(w, a->done, e);
	if (rc == 0 && a->table.f)
		gem_table_row(a->table.f, w, seconds_now() - begun);
	gem_groups_free(&w->groups);
	gem_result_free(&w->r);
	gem_map_free(&w->map);
	gem_points_free(&w->surface);
	gem_points_free(&w->p);
	gem_molecule_free(&w->m);
	a->done += rc == 0;
	return rc;
}

/* Process a molecule in each frame of the trajectory, or each of --every. */
static int frames(struct all *a, const struct gem_molecule *m, struct fault *e)
{
	struct gem_frames f;
	int rc = gem_frames_open(&f, a->o.trajectory, m->n, e);

	while (rc == 0 && (rc = gem_frames_next(&a->w.m, &f, m, e)) > 0)
		if ((f.done - 1) % a->o.every)
			rc = 0, gem_molecule_free(&a->w.m);
		else
			rc = molecule(a, 0, f.done, e);
	gem_frames_close(&f);
	return rc;
}

/* Process the molecules of a file. */
static int file(struct all *a, size_t i, struct fault *e)
{
	const struct gem_force by = { gem_forcefields[a->o.forcefield], a->o.ph };
	struct gem_molecule m;
	struct gem_models models;
	size_t model = 0;
	int rc;

	progress_say("reading %.60s", a->o.molecules[i]);
	if (a->o.trajectory) {
		rc = gem_molecule_read(&m, NULL, a->o.molecules[i], &by, e) || frames(a, &m, e);
		gem_molecule_free(&m);
		return rc;
	}
	rc = gem_models_open(&models, NULL, a->o.molecules[i], &by, a->o.models, e);
	while (rc == 0 && (rc = gem_models_next(&a->w.m, &models, e)) > 0)
		rc = molecule(a, i, a->o.models ? ++model : 0, e);
	gem_models_close(&models);
	return rc;
}

static int open_table(struct all *a, struct fault *e)
{
	if (!a->o.table)
		return 0;
	if (outfile_open(&a->table, a->o.table, e))
		return -1;
	gem_table_head(a->table.f);
	return 0;
}

/* Name the film and the table, and close the JSON list. */
static int finish(struct all *a, struct fault *e)
{
	FILE *f = summary_file(&a->o);
	const size_t pictures = a->film.pictures;

	if (a->o.json && gem_several(&a->o))
		fputs(a->done ? "]\n" : "[]\n", f);
	if (a->done == 0) /* keep an earlier table */
		outfile_drop(&a->table);
	if (film_close(&a->film, e) || (a->table.f && outfile_commit(&a->table, e)))
		return -1;
	if (pictures && film_can() && !a->o.quiet && !a->o.json)
		fprintf(f, "\nfilm       %zu pictures in %s\n", pictures, a->o.film);
	/* A failed summary has been reported. */
	if (!(a->failed && ferror(f)) && flush_report(f, "the summary", e))
		return -1;
	return pictures ? film_made(a->o.film, pictures, pictures, e) : 0;
}

int main(int argc, char **argv)
{
	static struct all a;
	struct fault e = { "" };
	char text[400];
	size_t i;
	int rc;

	memset(&a, 0, sizeof a);
	program_begin();
	ranks_begin(argc, argv);
	rc = gem_settings_read(&a.o, argc, argv);
	if (rc >= 0)
		return rc;
	rc = ranks_serve(a.o.mpi, &a.o.device, &e);
	if (rc)
		return rc > 0 ? 0 : (fprintf(stderr, "clopt-gem: %s\n", e.text), EXIT_MISUSED);
	progress_begin(!a.o.quiet);
	a.w.view = a.o.models || a.o.trajectory || a.o.film ? &a.view : NULL;
	if (*film_warning(a.o.film, text, sizeof text) && !a.o.quiet)
		fprintf(stderr, "clopt-gem: warning: %s\n", text);
	rc = (a.o.film && film_can() && outfile_try(a.o.film, &e)) || open_table(&a, &e);
	if (rc)
		fprintf(stderr, "clopt-gem: %s\n", e.text);
	/* After a molecule that fails the others still get their results. */
	for (i = 0; i < a.o.count && !rc; i++)
		if (file(&a, i, &e)) {
			progress_hide();
			fprintf(stderr, "clopt-gem: %s\n", e.text);
			a.failed++;
		}
	progress_hide();
	if (!rc && finish(&a, &e)) {
		fprintf(stderr, "clopt-gem: %s\n", e.text);
		rc = -1;
	}
	film_drop(&a.film);
	outfile_drop(&a.table);
	ranks_close(a.w.c);
	return rc || a.failed ? EXIT_FAILED : 0;
}
