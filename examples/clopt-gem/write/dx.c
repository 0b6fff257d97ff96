/* SPDX-License-Identifier: MIT */
/*
 * dx.c - a grid as OpenDX, for VMD, PyMOL, ChimeraX and APBS's tools.
 *
 * These programs accept less than the format allows: comments only before the first
 * object, numbers of the grid with exponents, the type double.
 */
#include "../../common/outfile.h"
#include "write.h"

static void head(FILE *f, const struct gem_grid *g, const struct gem_unit *unit)
{
	const size_t *n = g->n;
	int i;

	fprintf(f, "# clopt-gem %s, potential in %s\n", clopt_version(), unit->label);
	fprintf(f, "object 1 class gridpositions counts %zu %zu %zu\n", n[0], n[1], n[2]);
	fprintf(f, "origin %.6e %.6e %.6e\n", g->origin[0], g->origin[1], g->origin[2]);
	for (i = 0; i < 3; i++)
		fprintf(f, "delta %.6e %.6e %.6e\n", i == 0 ? g->step : 0, i == 1 ? g->step : 0,
		        i == 2 ? g->step : 0);
	fprintf(f, "object 2 class gridconnections counts %zu %zu %zu\n", n[0], n[1], n[2]);
	fprintf(f, "object 3 class array type double rank 0 items %zu data follows\n",
	        n[0] * n[1] * n[2]);
}

int gem_write_dx(const char *path, const struct gem_grid *g, const float *value,
                 const struct gem_unit *unit, struct fault *e)
{
	size_t i, n = g->n[0] * g->n[1] * g->n[2];
	struct outfile o;

	if (outfile_open(&o, path, e->text, sizeof e->text))
		return -1;
	head(o.f, g, unit);
	for (i = 0; i < n; i++)
		fprintf(o.f, "%.6e%s", (double)value[i], i % 3 == 2 || i + 1 == n ? "\n" : " ");
	fprintf(o.f, "attribute \"dep\" string \"positions\"\n"
	             "object \"regular positions regular connections\" class field\n"
	             "component \"positions\" value 1\n"
	             "component \"connections\" value 2\n"
	             "component \"data\" value 3\n");
	return outfile_commit(&o, e->text, sizeof e->text);
}
