/* SPDX-License-Identifier: MIT */
/*
 * ply.c - points, their values and colours, and faces as PLY.
 */
#include "../../common/outfile.h"
#include "write.h"

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
                  double range, const struct gem_unit *unit, struct fault *e)
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
