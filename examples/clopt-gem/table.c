/* SPDX-License-Identifier: MIT */
/*
 * table.c - the result as CSV and as PLY.
 *
 * Nine digits are what a float needs to read back as the same float.
 */
#include "gem.h"

int gem_write_csv(const char *path, const struct gem_points *p, const float *value,
                  struct gem_error *e)
{
	struct gem_file o;
	size_t i;

	if (gem_file_open(&o, path, e))
		return -1;
	for (i = 0; i < p->n; i++)
		fprintf(o.f, "%.9g,%.9g,%.9g,%.9g\n", p->at[i][0], p->at[i][1], p->at[i][2],
		        (double)value[i]);
	return gem_file_commit(&o, e);
}

static void head(FILE *f, const struct gem_points *p, const struct gem_unit *unit)
{
	fprintf(f, "ply\nformat ascii 1.0\ncomment clopt-gem %s, potential in %s\n",
	        clopt_version(), unit->label);
	fprintf(f, "element vertex %zu\n", p->n);
	fprintf(f, "property float x\nproperty float y\nproperty float z\n");
	if (p->normal)
		fprintf(f, "property float nx\nproperty float ny\nproperty float nz\n");
	fprintf(f, "property float potential\n");
	fprintf(f, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
	fprintf(f, "end_header\n");
}

int gem_write_ply(const char *path, const struct gem_points *p, const float *value, double range,
                  const struct gem_unit *unit, struct gem_error *e)
{
	struct gem_file o;
	float rgb[3];
	size_t i;

	if (gem_file_open(&o, path, e))
		return -1;
	head(o.f, p, unit);
	for (i = 0; i < p->n; i++) {
		fprintf(o.f, "%.9g %.9g %.9g ", p->at[i][0], p->at[i][1], p->at[i][2]);
		if (p->normal)
			fprintf(o.f, "%.6g %.6g %.6g ", (double)p->normal[i][0],
			        (double)p->normal[i][1], (double)p->normal[i][2]);
		gem_colour((double)value[i] / range, rgb);
		fprintf(o.f, "%.9g %d %d %d\n", (double)value[i], (int)(255 * rgb[0] + 0.5f),
		        (int)(255 * rgb[1] + 0.5f), (int)(255 * rgb[2] + 0.5f));
	}
	return gem_file_commit(&o, e);
}
