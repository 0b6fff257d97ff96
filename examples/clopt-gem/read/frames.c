/* SPDX-License-Identifier: MIT */
/*
 * frames.c - a molecule in the frames of a trajectory, which the Python package MDAnalysis reads
 * (Michaud-Agrawal et al., J. Comput. Chem. 32, 2319, 2011).
 *
 * A process of Python writes them to a pipe.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

extern const char frames_py[];

int gem_frames_open(struct gem_frames *f, const char *name, size_t atoms, struct fault *e)
{
	char count[24];
	const char *const argv[] = { "python3", "-c", frames_py, name, count, NULL };
	int rc;

	*f = (struct gem_frames){ .name = name };
	snprintf(count, sizeof count, "%zu", atoms);
	rc = child_start(&f->python, argv, CHILD_OURS, CHILD_PIPE);
	return rc ? fail(e,
	                 "%.400s: trajectories are read by MDAnalysis in python3, which cannot be "
	                 "started: %s",
	                 name, strerror(rc)) :
	            0;
}

int gem_frames_next(struct gem_molecule *to, struct gem_frames *f, const struct gem_molecule *m,
                    struct fault *e)
{
	float(*at)[3] = malloc(m->n * sizeof *at);
	char reason[300] = "";
	size_t i, len;
	int k, mark = at ? getc(f->python.pipe) : 0, rc = 1;

	*to = *m;
	to->atom = malloc(m->n * sizeof *m->atom);
	f->done += mark == '+';
	if (!at || !to->atom) {
		rc = fail(e, "out of memory for %zu atoms", m->n);
	} else if (mark != '+') {
		len = mark == '-' ? fread(reason, 1, sizeof reason - 1, f->python.pipe) : 0;
		rc = mark != '-' ? fail(e, "%.400s: python3 failed", f->name) :
		     len         ? fail(e, "%.400s: %s", f->name, reason) :
		     !f->done    ? fail(e, "%.400s: the trajectory has no frames", f->name) :
		                   0;
	} else if (fread(at, sizeof *at, m->n, f->python.pipe) < m->n) {
		rc = fail(e, "%.400s: python3 failed in frame %zu", f->name, f->done);
	}
	for (i = 0; rc > 0 && i < 3 * m->n; i++) {
		const double x = (double)at[i / 3][k = (int)(i % 3)];

		if (!(fabs(x) <= GEM_LARGEST))
			rc = fail(e,
			          "%.400s: frame %zu: atom %zu: the coordinate %g is out of "
			          "range",
			          f->name, f->done, i / 3 + 1, x);
		if (k == 0)
			to->atom[i / 3] = m->atom[i / 3];
		to->atom[i / 3].at[k] = x;
	}
	free(at);
	if (rc > 0 && gem_molecule_sums(to, f->name, e))
		rc = -1;
	if (f->done > 1)
		to->lost_residues = to->added_to = 0; /* they have been told */
	if (rc <= 0)
		gem_molecule_free(to);
	return rc;
}

void gem_frames_close(struct gem_frames *f)
{
	child_free(&f->python); /* perhaps before all frames were read */
	*f = (struct gem_frames){ .name = NULL };
}
