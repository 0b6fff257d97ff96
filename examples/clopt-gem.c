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

static int surface(struct gem_points *p, const struct gem_work *w, struct fault *e)
{
	if (w->o.vertices)
		return gem_points_load_vert(p, w->o.vertices, e);
	return gem_surface(p, &w->m, w->o.probe, w->o.density, e);
}

static int points(struct gem_work *w, struct fault *e)
{
	int rc;

	if (w->o.points)
		rc = gem_points_read(&w->p, GEM_LIST, NULL, w->o.points, e);
	else if (w->o.grid)
		rc = gem_grid(&w->grid, &w->p, &w->m, w->o.grid, w->o.margin, e);
	else
		return surface(&w->p, w, e);
	return rc == 0 && w->o.mode == CLOPT_LAW_ALPB ? surface(&w->surface, w, e) : rc;
}

/* Write the files that are asked for. */
static int files(struct gem_work *w, struct fault *e)
{
	int i;

	if ((w->o.out[GEM_PLY] || w->o.out[GEM_PNG]) &&
	    gem_range(&w->range, w->r.value, w->p.n, w->o.range, e))
		return -1;
	for (i = 0; i < GEM_OUTPUTS; i++)
		if (w->o.out[i] && gem_write(i, w->o.out[i], w, e))
			return -1;
	return 0;
}

/* On the standard output, unless data went there. */
static int summary(const struct gem_work *w, struct fault *e)
{
	FILE *f = stdout;
	size_t i;

	for (i = 0; i < GEM_OUTPUTS; i++)
		if (w->o.out[i] && outfile_is_stdout(w->o.out[i]))
			f = stderr;
	if (w->o.json)
		return gem_summary_json(w, f, e);
	return w->o.quiet ? 0 : gem_summary_text(w, f, e);
}

int main(int argc, char **argv)
{
	struct gem_work w;
	struct fault e = { "" };
	int rc;

	memset(&w, 0, sizeof w);
	rc = gem_settings_read(&w.o, argc, argv);
	if (rc >= 0)
		return rc;
	w.progress = !w.o.quiet && isatty(STDERR_FILENO);
	rc = gem_molecule_read(&w.m, NULL, w.o.molecule, &e) ||
	     gem_model(&w.model, &w.o, &w.m, &e) || points(&w, &e) || gem_writable(&w.o, &e) ||
	     (w.o.by >= 0 && gem_groups(&w.groups, &w.m, w.o.by, &e)) || gem_run(&w, &e) ||
	     files(&w, &e) || summary(&w, &e);
	if (rc)
		fprintf(stderr, "clopt-gem: %s\n", e.text);
	gem_groups_free(&w.groups);
	gem_result_free(&w.r);
	gem_points_free(&w.surface);
	gem_points_free(&w.p);
	gem_molecule_free(&w.m);
	return rc ? EXIT_FAILED : 0;
}
