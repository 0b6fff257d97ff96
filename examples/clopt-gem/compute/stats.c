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

void gem_area_mean(const struct gem_points *p, const float *value, double *all, double *mean)
{
	double part, sum = 0;
	size_t i;

	*all = 0;
	for (i = 0; i < p->faces; i++) {
		const unsigned *f = p->face[i];

		part = area(p->at[f[0]], p->at[f[1]], p->at[f[2]]);
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
