/* SPDX-License-Identifier: MIT */
/*
 * frames.c - a molecule in the frames of a trajectory, which the Python package MDAnalysis reads
 * (Michaud-Agrawal et al., J. Comput. Chem. 32, 2319, 2011).
 *
 * A process of Python writes them to a pipe.
 */
#include <math.h>
#include <stdlib.h>

#include "read.h"

extern const char frames_py[];

int gem_frames_open(struct gem_frames *f, const char *name, size_t atoms, struct fault *e)
{
	char count[24];
	const char *const words[] = { name, count, NULL };

	*f = (struct gem_frames){ .name = name };
	snprintf(count, sizeof count, "%zu", atoms);
	return child_python(&f->python, frames_py, words, CHILD_OUT, name,
	                    "trajectories are read by MDAnalysis", e);
}

int gem_frames_next(struct gem_molecule *to, struct gem_frames *f, const struct gem_molecule *m,
                    struct fault *e)
{
	float(*at)[3] = malloc(m->n * sizeof *at);
	size_t i, got = at ? fread(at, sizeof *at, m->n, f->python.out) : 0;
	int k, rc = got == m->n;

	*to = *m;
	to->atom = malloc(m->n * sizeof *m->atom);
	if (!at || !to->atom)
		rc = fail(e, "out of memory for %zu atoms", m->n);
	else if (!rc && !(rc = child_python_end(&f->python, got ? -1 : 0, e)) && !f->done)
		rc = fail(e, "%.400s: the trajectory has no frames", f->name);
	f->done += rc > 0;
	for (i = 0; rc > 0 && i < 3 * m->n; i++) {
		const double x = (double)at[i / 3][k = (int)(i % 3)];

		if (!(fabs(x) <= GEM_LARGEST))
			rc = fail(e,
			          "%.400s: frame %zu: atom %zu: the coordinate %g is out of range",
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
