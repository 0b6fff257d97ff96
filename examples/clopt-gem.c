/* SPDX-License-Identifier: MIT */
/*
 * clopt-gem.c - the electrostatic potential of a molecule, at its surface, at
 * points or on a grid.
 *
 * This file says what happens in which order; the work is in clopt-gem/, one folder for each step:
 * read < options, surface < compute < draw < write, and each includes only what stands before it.
 */
#include <string.h>
#include <unistd.h>

#include "clopt-gem/write/write.h"
#include "common/outfile.h"

/* All that is made on the way from file to file. */
struct workload {
	struct gem_molecule m;
	struct gem_points p; /* where the potential is wanted */
	struct gem_points surface; /* by which they are placed, if they are not one */
	struct gem_grid grid;
	struct gem_model model;
	struct gem_groups groups;
	struct gem_result r;
};

static int surface(struct gem_points *p, const struct gem_settings *o, const struct gem_molecule *m,
                   struct fault *e)
{
	if (o->vertices)
		return gem_points_load_vert(p, o->vertices, e);
	return gem_surface(p, m, o->probe, o->density, e);
}

static int points(struct workload *w, const struct gem_settings *o, struct fault *e)
{
	int rc;

	if (!o->points && !o->grid)
		return surface(&w->p, o, &w->m, e);
	if (o->points)
		rc = gem_points_load_list(&w->p, o->points, e);
	else
		rc = gem_grid(&w->grid, &w->p, &w->m, o->grid, o->margin, e);
	if (rc == 0 && o->mode == CLOPT_LAW_ALPB)
		rc = surface(&w->surface, o, &w->m, e);
	return rc;
}

static int compute(struct workload *w, const struct gem_settings *o, struct fault *e)
{
	const struct gem_job job = {
		.device = &o->device,
		.m = &w->m,
		.p = &w->p,
		.surface = w->surface.n ? &w->surface : NULL,
		.model = &w->model,
		.field = o->field,
		.groups = o->by >= 0 ? &w->groups : NULL,
		.progress = !o->quiet && isatty(STDERR_FILENO),
	};

	if (job.groups && gem_groups(&w->groups, &w->m, o->by, e))
		return -1;
	return gem_run(&w->r, &job, e);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Enter a file in the summary once it is written; rc is how that went. */
static int wrote(struct gem_summary *s, const char *path, int rc)
{
	if (rc == 0)
		s->file[s->files++] = path;
	return rc;
}

/* Write the files that are asked for. */
static int files(const struct gem_settings *o, const struct workload *w, struct gem_summary *s,
                 struct fault *e)
{
	const struct gem_unit *unit = &w->model.unit;
	const float *value = w->r.value;
	struct gem_picture picture = { .title = base(o->molecule), .unit = unit, .size = o->size };

	if (o->ply || o->png) {
		if (gem_range(&s->range, value, w->p.n, o->range, e))
			return -1;
		picture.range = s->range;
	}
	if (o->csv && wrote(s, o->csv, gem_write_csv(o->csv, &w->p, &w->r, e)))
		return -1;
	if (o->dx && wrote(s, o->dx, gem_write_dx(o->dx, &w->grid, value, unit, e)))
		return -1;
	if (o->ply && wrote(s, o->ply, gem_write_ply(o->ply, &w->p, &w->r, s->range.end, unit, e)))
		return -1;
	if (o->png && wrote(s, o->png, gem_write_png(o->png, &w->p, value, &picture, e)))
		return -1;
	if (o->by_csv && wrote(s, o->by_csv, gem_write_groups(o->by_csv, &w->groups, e)))
		return -1;
	return 0;
}

/* On the standard output, unless data went there. */
static int summary(const struct gem_settings *o, const struct gem_summary *s, struct fault *e)
{
	FILE *f = stdout;
	size_t i;

	for (i = 0; i < s->files; i++)
		if (outfile_is_stdout(s->file[i]))
			f = stderr;
	if (o->json)
		return gem_summary_json(s, f, e);
	return o->quiet ? 0 : gem_summary_text(s, f, e);
}

/* From file to file.  What is in w is the caller's to free, whatever became of
 * it. */
static int flow(const struct gem_settings *o, struct workload *w, struct fault *e)
{
	struct gem_summary s = {
		.o = o,
		.m = &w->m,
		.p = &w->p,
		.model = &w->model,
		.grid = o->grid ? &w->grid : NULL,
		.groups = o->by >= 0 ? &w->groups : NULL,
		.r = &w->r,
	};

	if (gem_molecule_load(&w->m, o->molecule, e) || gem_model(&w->model, o, &w->m, e) ||
	    points(w, o, e) || gem_writable(o, e) || compute(w, o, e) || files(o, w, &s, e))
		return -1;
	return summary(o, &s, e);
}

int main(int argc, char **argv)
{
	struct gem_settings o;
	struct workload w;
	struct fault e = { "" };
	int rc;

	rc = gem_settings_read(&o, argc, argv);
	if (rc >= 0)
		return rc;
	memset(&w, 0, sizeof w);
	rc = flow(&o, &w, &e);
	if (rc)
		fprintf(stderr, "clopt-gem: %s\n", e.text);
	gem_groups_free(&w.groups);
	gem_result_free(&w.r);
	gem_points_free(&w.surface);
	gem_points_free(&w.p);
	gem_molecule_free(&w.m);
	return rc ? EXIT_FAILED : 0;
}
