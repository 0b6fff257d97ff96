/* SPDX-License-Identifier: MIT */
/*
 * pdb.c - the atoms as a PDB file, with the potential of the surface in the column of the B
 * factors, by which viewers colour.
 */
#include <math.h>
#include <string.h>

#include "../../common/outfile.h"
#include "write.h"

/* What six columns with two digits behind the point hold. */
#define LEAST -99.99
#define MOST 999.99

/* In kT/e, since a PDB file has no place for a unit. */
static double factor(const struct gem_work *w, size_t i)
{
	return (double)w->r.by_atom[i] * w->model.unit.kt;
}

size_t gem_beyond_pdb(const struct gem_work *w)
{
	size_t i, n = 0;

	for (i = 0; w->r.by_atom && i < w->m.n; i++)
		n += factor(w, i) < LEAST || factor(w, i) > MOST;
	return n;
}

static int print(FILE *f, const void *what, struct fault *e)
{
	const struct gem_work *w = what;
	size_t i;
	int k;

	fprintf(f, "REMARK   1 CLOPT-GEM %s: B FACTORS ARE POTENTIALS OF THE SURFACE IN KT/E\n",
	        clopt_version());
	for (i = 0; i < w->m.n; i++) {
		const struct gem_atom *a = &w->m.atom[i];

		for (k = 0; k < 3; k++)
			if (!(a->at[k] > -999.9995 && a->at[k] < 9999.9995))
				return fail(e,
				            "atom %zu is at %g %g %g: in a PDB file coordinates "
				            "must be from -999.999 to 9999.999",
				            i + 1, a->at[0], a->at[1], a->at[2]);
		/* The first column of a name is for elements of two letters, and for names of
		 * four. */
		fprintf(f, "ATOM  %5zu %s%-*.4s %-4.4s%1.1s%4d%c   %8.3f%8.3f%8.3f%6.2f%6.2f\n",
		        (i + 1) % 100000, strlen(a->name) > 3 ? "" : " ",
		        strlen(a->name) > 3 ? 4 : 3, a->name, a->resname, a->chain,
		        a->resnum % (a->resnum < 0 ? 1000 : 10000), a->ins ? a->ins : ' ', a->at[0],
		        a->at[1], a->at[2], 1., fmin(fmax(factor(w, i), LEAST), MOST));
	}
	fprintf(f, "END\n");
	return 0;
}

int gem_write_pdb(const char *path, const struct gem_work *w, struct fault *e)
{
	return outfile_print(path, print, w, e);
}
