/* SPDX-License-Identifier: MIT */
/*
 * table.c - the result as CSV and as PLY.
 *
 * Nine digits are what a float needs to read back as the same float.
 */
#include "gem.h"

double gem_normal_field(const struct gem_points *p, const struct gem_result *r, size_t i)
{
	double sum = 0;
	int k;

	for (k = 0; k < 3; k++)
		sum += (double)r->field[i][k] * (double)p->normal[i][k];
	return sum;
}

int gem_write_csv(const char *path, const struct gem_points *p, const struct gem_result *r,
                  struct gem_error *e)
{
	struct outfile o;
	size_t i;

	if (outfile_open(&o, path, e->text, sizeof e->text))
		return -1;
	for (i = 0; i < p->n; i++) {
		fprintf(o.f, "%.8e,%.8e,%.8e,%.8e", p->at[i][0], p->at[i][1], p->at[i][2],
		        (double)r->value[i]);
		if (r->field)
			fprintf(o.f, ",%.8e,%.8e,%.8e", (double)r->field[i][0],
			        (double)r->field[i][1], (double)r->field[i][2]);
		if (r->field && p->normal)
			fprintf(o.f, ",%.8e", gem_normal_field(p, r, i));
		fputc('\n', o.f);
	}
	return outfile_commit(&o, e->text, sizeof e->text);
}

static void head(FILE *f, const struct gem_points *p, const struct gem_result *r,
                 const struct gem_unit *unit)
{
	fprintf(f, "ply\nformat ascii 1.0\ncomment clopt-gem %s, potential in %s\n",
	        clopt_version(), unit->label);
	fprintf(f, "element vertex %zu\n", p->n);
	fprintf(f, "property float x\nproperty float y\nproperty float z\n");
	if (p->normal)
		fprintf(f, "property float nx\nproperty float ny\nproperty float nz\n");
	fprintf(f, "property float potential\n");
	if (r->field)
		fprintf(f, "property float ex\nproperty float ey\nproperty float ez\n");
	if (r->field && p->normal)
		fprintf(f, "property float en\n");
	fprintf(f, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
	if (p->faces)
		fprintf(f, "element face %zu\nproperty list uchar int vertex_indices\n", p->faces);
	fprintf(f, "end_header\n");
}

static void vertex(FILE *f, const struct gem_points *p, const struct gem_result *r, size_t i,
                   double range)
{
	float rgb[3];

	fprintf(f, "%.9g %.9g %.9g ", p->at[i][0], p->at[i][1], p->at[i][2]);
	if (p->normal)
		fprintf(f, "%.6g %.6g %.6g ", (double)p->normal[i][0], (double)p->normal[i][1],
		        (double)p->normal[i][2]);
	fprintf(f, "%.9g ", (double)r->value[i]);
	if (r->field)
		fprintf(f, "%.9g %.9g %.9g ", (double)r->field[i][0], (double)r->field[i][1],
		        (double)r->field[i][2]);
	if (r->field && p->normal)
		fprintf(f, "%.9g ", gem_normal_field(p, r, i));
	gem_colour((double)r->value[i] / range, rgb);
	fprintf(f, "%d %d %d\n", (int)(255 * rgb[0] + 0.5f), (int)(255 * rgb[1] + 0.5f),
	        (int)(255 * rgb[2] + 0.5f));
}

int gem_write_ply(const char *path, const struct gem_points *p, const struct gem_result *r,
                  double range, const struct gem_unit *unit, struct gem_error *e)
{
	struct outfile o;
	size_t i;

	if (outfile_open(&o, path, e->text, sizeof e->text))
		return -1;
	head(o.f, p, r, unit);
	for (i = 0; i < p->n; i++)
		vertex(o.f, p, r, i, range);
	for (i = 0; i < p->faces; i++)
		fprintf(o.f, "3 %u %u %u\n", p->face[i][0], p->face[i][1], p->face[i][2]);
	return outfile_commit(&o, e->text, sizeof e->text);
}
