/* SPDX-License-Identifier: MIT */
/*
 * colour.c - the colour of a potential: red below 0, white at 0, blue above 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

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
