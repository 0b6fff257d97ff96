/* SPDX-License-Identifier: MIT */
/*
 * cases_pull.c - gravity on one target in double, as a reference.
 *
 * Besides the sums it keeps what their tolerance is made of: the magnitudes of
 * the terms, whose sum is what rounding errors are a share of.
 */
#include <math.h>
#include <string.h>

#include "op.h"

double pair_tolerance(double term, size_t n)
{
	return EPS_FLOAT * (term + 2.0 * sqrt((double)n));
}

void pair_pull(const double *t, const double *sources, size_t n, double g, double softening,
               struct pull *p)
{
	size_t j;

	memset(p, 0, sizeof *p);
	for (j = 0; j < n; j++) {
		const double *s = sources + 4 * j;
		double x = s[0] - t[0], y = s[1] - t[1], z = s[2] - t[2];
		double d2 = x * x + y * y + z * z, r2 = d2 + softening * softening, r, w;

		if (d2 == 0.0)
			continue;
		r = sqrt(r2);
		w = g * s[3] / (r2 * r);
		p->acc[0] += w * x;
		p->acc[1] += w * y;
		p->acc[2] += w * z;
		p->phi -= g * s[3] / r;
		p->acc_terms += fabs(w) * sqrt(d2);
		p->phi_terms += fabs(g * s[3] / r);
		/* No component of the gradient of x / r^3 exceeds 2 / r^3. */
		p->slope += 2.0 * fabs(w);
	}
}

void pair_widen(const struct field *f, double *to)
{
	size_t i, d;
	float p[4];

	for (i = 0; i < f->rows; i++) {
		memcpy(p, f->data + i * sizeof p, sizeof p);
		for (d = 0; d < 4; d++)
			to[4 * i + d] = (double)p[d];
	}
}
