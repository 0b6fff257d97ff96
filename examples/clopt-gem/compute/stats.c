/* SPDX-License-Identifier: MIT */
/*
 * stats.c - statistics of the values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

void gem_stats(struct gem_stats *s, const float *value, size_t n)
{
	double v, sum = 0, squares = 0;
	size_t i;

	memset(s, 0, sizeof *s);
	if (!n)
		return;
	s->min = s->max = (double)value[0];
	for (i = 0; i < n; i++) {
		v = (double)value[i];
		s->min = v < s->min ? v : s->min;
		s->max = v > s->max ? v : s->max;
		sum += v;
		squares += v * v;
	}
	s->mean = sum / (double)n;
	s->rms = sqrt(squares / (double)n);
}

/* Not the maximum: a charge near the surface would leave the rest white. */
static int percentile(double *end, const float *value, size_t n, struct fault *e)
{
	double *v = malloc((n ? n : 1) * sizeof *v);
	size_t i, m = 0;

	if (!v)
		return fail(e, "out of memory for %zu values", n);
	for (i = 0; i < n; i++)
		if (isfinite(value[i]))
			v[m++] = fabs((double)value[i]);
	*end = percentile98(v, m);
	if (*end == 0)
		*end = 1;
	free(v);
	return 0;
}

int gem_range(struct gem_range *r, const float *value, size_t n, double end, struct fault *e)
{
	size_t i;

	memset(r, 0, sizeof *r);
	r->end = end;
	if (end == 0 && percentile(&r->end, value, n, e))
		return -1;
	for (i = 0; i < n; i++) {
		r->below += (double)value[i] < -r->end;
		r->above += (double)value[i] > r->end;
	}
	return 0;
}

static double area(const double a[3], const double b[3], const double c[3])
{
	double u[3], v[3], x, y, z;
	int k;

	for (k = 0; k < 3; k++) {
		u[k] = b[k] - a[k];
		v[k] = c[k] - a[k];
	}
	x = u[1] * v[2] - u[2] * v[1];
	y = u[2] * v[0] - u[0] * v[2];
	z = u[0] * v[1] - u[1] * v[0];
	return sqrt(x * x + y * y + z * z) / 2;
}

/* Of a curved edge, with the normals at its ends: where its middle bulges to (Vlachos et al.
 * 2001). */
static void middle(double to[3], const double a[3], const double b[3], const float na[3],
                   const float nb[3])
{
	double up = 0, down = 0;
	int k;

	for (k = 0; k < 3; k++) {
		up += (b[k] - a[k]) * (double)na[k];
		down += (a[k] - b[k]) * (double)nb[k];
	}
	for (k = 0; k < 3; k++)
		to[k] = (a[k] + b[k]) / 2 - (up * (double)na[k] + down * (double)nb[k]) / 8;
}

/* The area of a face: of a triangle, or with normals that of the curved surface through its
 * corners, to which one triangle and four smaller ones converge. */
static double area_of(const struct gem_points *p, const unsigned f[3])
{
	const double flat = area(p->at[f[0]], p->at[f[1]], p->at[f[2]]);
	double m[3][3], parts;
	int i;

	if (!p->normal)
		return flat;
	for (i = 0; i < 3; i++) /* m[i] is opposite to corner i */
		middle(m[i], p->at[f[(i + 1) % 3]], p->at[f[(i + 2) % 3]],
		       p->normal[f[(i + 1) % 3]], p->normal[f[(i + 2) % 3]]);
	parts = area(m[0], m[1], m[2]);
	for (i = 0; i < 3; i++)
		parts += area(p->at[f[i]], m[(i + 1) % 3], m[(i + 2) % 3]);
	return (4 * parts - flat) / 3;
}

void gem_area_mean(const struct gem_points *p, const float *value, double *all, double *mean)
{
	double part, sum = 0;
	size_t i;

	*all = 0;
	for (i = 0; i < p->faces; i++) {
		const unsigned *f = p->face[i];

		part = area_of(p, f);
		*all += part;
		sum += part * ((double)value[f[0]] + (double)value[f[1]] + (double)value[f[2]]) / 3;
	}
	*mean = *all > 0 ? sum / *all : 0;
}

double gem_normal_field(const struct gem_points *p, const struct gem_result *r, size_t i)
{
	double sum = 0;
	int k;

	for (k = 0; k < 3; k++)
		sum += (double)r->field[i][k] * (double)p->normal[i][k];
	return sum;
}
