/* SPDX-License-Identifier: MIT */
/*
 * clopt-gem.c - the Coulomb potential of a molecule, at its surface or at
 * points.
 *
 * This file says what happens in which order; the work is in clopt-gem/, one
 * file for each step.
 */
#include <string.h>
#include <unistd.h>

#include "clopt-gem/gem.h"

static int points(struct gem_points *p, const struct gem_settings *o, const struct gem_molecule *m,
                  struct gem_error *e)
{
	const char *path = o->vertices ? o->vertices : o->points;
	FILE *f;
	int rc;

	if (!path)
		return gem_surface(p, m, o->probe, o->density, e);
	f = gem_text_open(path, e);
	if (!f)
		return -1;
	if (o->vertices)
		rc = gem_points_read_vert(p, f, path, e);
	else
		rc = gem_points_read_list(p, f, path, e);
	fclose(f);
	return rc;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Write the files that are asked for and enter them in the summary. */
static int files(const struct gem_settings *o, const struct gem_points *p, const float *value,
                 struct gem_summary *s, struct gem_error *e)
{
	struct gem_picture picture = { .title = base(o->molecule),
		                       .unit = o->unit,
		                       .size = o->size };

	if (o->ply || o->png) {
		if (gem_range(&s->range, value, p->n, o->range, e))
			return -1;
		picture.range = s->range;
	}
	if (o->csv) {
		if (gem_write_csv(o->csv, p, value, e))
			return -1;
		s->file[s->files++] = o->csv;
	}
	if (o->ply) {
		if (gem_write_ply(o->ply, p, value, s->range.end, o->unit, e))
			return -1;
		s->file[s->files++] = o->ply;
	}
	if (o->png) {
		if (gem_write_png(o->png, p, value, &picture, e))
			return -1;
		s->file[s->files++] = o->png;
	}
	return 0;
}

/* On the standard output, unless data went there. */
static int summary(const struct gem_settings *o, const struct gem_summary *s, struct gem_error *e)
{
	FILE *f = stdout;
	size_t i;

	for (i = 0; i < s->files; i++)
		if (gem_file_is_stdout(s->file[i]))
			f = stderr;
	if (o->json)
		return gem_summary_json(s, f, e);
	return o->quiet ? 0 : gem_summary_text(s, f, e);
}

/* From file to file.  The molecule, the points and the result are the caller's
 * to free, whatever became of them. */
static int flow(const struct gem_settings *o, struct gem_molecule *m, struct gem_points *p,
                struct gem_result *r, struct gem_error *e)
{
	struct gem_summary s = {
		.molecule = o->molecule,
		.points = o->vertices ? o->vertices : o->points,
		.vertices = o->vertices != NULL,
		.probe = o->probe,
		.density = o->density,
		.eps = o->eps,
		.m = m,
		.r = r,
		.unit = o->unit,
	};
	int progress = !o->quiet && isatty(STDERR_FILENO);

	if (gem_molecule_load(m, o->molecule, e) || points(p, o, m, e) ||
	    gem_run(r, &o->device, m, p, o->unit, o->eps, progress, e) ||
	    files(o, p, r->value, &s, e))
		return -1;
	return summary(o, &s, e);
}

int main(int argc, char **argv)
{
	struct gem_settings o;
	struct gem_molecule m = { 0 };
	struct gem_points p = { 0 };
	struct gem_result r = { 0 };
	struct gem_error e = { "" };
	int rc;

	rc = gem_settings_read(&o, argc, argv);
	if (rc >= 0)
		return rc;
	rc = flow(&o, &m, &p, &r, &e);
	if (rc)
		fprintf(stderr, "clopt-gem: %s\n", e.text);
	gem_result_free(&r);
	gem_points_free(&p);
	gem_molecule_free(&m);
	return rc ? GEM_FAILED : 0;
}
