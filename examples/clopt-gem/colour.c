/* SPDX-License-Identifier: MIT */
/*
 * colour.c - from a potential to a colour: red below, white at, blue above 0.
 */
#include <math.h>
#include <stdlib.h>

#include "gem.h"

static int order(const void *a, const void *b)
{
	float p = *(const float *)a, q = *(const float *)b;

	return (p > q) - (p < q);
}

/* Not the maximum: one charge near the surface would leave the rest white. */
int gem_range(const float *value, size_t n, double *range, struct gem_error *e)
{
	float *v = malloc((n ? n : 1) * sizeof *v);
	size_t i, m = 0;

	if (!v)
		return gem_fail(e, "out of memory for %zu values", n);
	for (i = 0; i < n; i++)
		if (isfinite(value[i]))
			v[m++] = fabsf(value[i]);
	qsort(v, m, sizeof *v, order);
	*range = m ? (double)v[(m - 1) - (m - 1) / 50] : 0;
	if (*range == 0)
		*range = 1;
	free(v);
	return 0;
}

void gem_colour(double t, float rgb[3])
{
	static const float end[2][3] = { { 0.80f, 0.07f, 0.11f }, { 0.09f, 0.24f, 0.80f } };
	static const float white = 0.97f;
	const float *to = end[t > 0];
	float a = (float)fmin(fabs(t), 1); /* 1 also for what is no number */
	int i;

	for (i = 0; i < 3; i++)
		rgb[i] = white + (to[i] - white) * a;
}
