/* SPDX-License-Identifier: MIT */
/*
 * cases_orbit.c - the reference for bodies that move, in long double.
 *
 * Hermite is as Makino and Aarseth write it: by the second and third derivative,
 * which the kernel has put into another form.
 */
#include <math.h>
#include <string.h>

#include "orbit.h"

double evolve_roundoff(int precision)
{
	/* Two floats have 48 bits, and their sums and products lose one or two. */
	return precision == CLOPT_PRECISION_DOUBLE        ? EPS_DOUBLE :
	       precision == CLOPT_PRECISION_DOUBLE_SINGLE ? 0x1p-47 :
	                                                    EPS_FLOAT;
}

void orbit_feel(const struct shape *s, const struct body *at, const struct body *from,
                struct feel *f)
{
	long double d[3], w[3], d2 = 0, dw = 0, r2, u;
	int k;

	for (k = 0; k < 3; k++) {
		d[k] = from->x[k] - at->x[k];
		w[k] = from->v[k] - at->v[k];
		d2 += d[k] * d[k];
		dw += d[k] * w[k];
	}
	if (d2 == 0)
		return;
	r2 = d2 + (long double)s->softening * s->softening;
	u = s->alpha * from->mass / (r2 * sqrtl(r2));
	for (k = 0; k < 3; k++) {
		f->a[k] += u * d[k];
		f->j[k] += u * (w[k] - 3 * dw / r2 * d[k]);
	}
	f->terms += (double)(u * sqrtl(d2));
	f->slope += 2.0 * (double)u;
}

void orbit_feel_all(const struct shape *s, const struct body *all, size_t n, struct feel *f)
{
	size_t i, j;

	memset(f, 0, n * sizeof *f);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			orbit_feel(s, &all[i], &all[j], &f[i]);
}

/* What one step of any of these adds.  sqrt(3) from a component to a vector, two
 * since both ends of a pair may be off, and again for the jerk's part. */
void orbit_widen(const struct shape *s, const struct feel *f, size_t n, struct bounds *b)
{
	const double e = evolve_roundoff(s->precision), h = fabs(s->dt);
	double terms = 0.0, slope = 0.0;
	size_t i;

	for (i = 0; i < n; i++) {
		terms = fmax(terms, f[i].terms);
		slope = fmax(slope, f[i].slope);
	}
	b->speed += 2.0 * h *
	            (e * (TERM_GRAVITY + 2.0 * sqrt((double)s->dim[0])) * terms +
	             4.0 * sqrt(3.0) * b->place * slope);
	b->speed += 4.0 * e * (s->scale + h * terms);
	b->place += h * b->speed + 4.0 * e * s->scale;
}

void orbit_leapfrog(const struct shape *s, struct body *b, struct feel *f, size_t n)
{
	const long double h = s->dt;
	size_t i;
	int half, d;

	for (half = 0; half < 2; half++) {
		orbit_feel_all(s, b, n, f);
		for (i = 0; i < n; i++)
			for (d = 0; d < 3; d++) {
				b[i].v[d] += h / 2 * f[i].a[d];
				b[i].x[d] += half == 0 ? h * b[i].v[d] : 0;
			}
	}
}

/* f: what they feel before, and, at the predicted places, after.  p: room. */
void orbit_hermite(const struct shape *s, struct body *b, struct body *p, struct feel *f,
                   struct feel *after, size_t n)
{
	const long double h = s->dt;
	size_t i;
	int d;

	memcpy(p, b, n * sizeof *p);
	for (i = 0; i < n; i++)
		for (d = 0; d < 3; d++) {
			p[i].x[d] += h * (b[i].v[d] + h / 2 * (f[i].a[d] + h / 3 * f[i].j[d]));
			p[i].v[d] += h * (f[i].a[d] + h / 2 * f[i].j[d]);
		}
	orbit_feel_all(s, p, n, after);
	for (i = 0; i < n; i++)
		for (d = 0; d < 3; d++) {
			const long double da = f[i].a[d] - after[i].a[d];
			const long double j0 = f[i].j[d], j1 = after[i].j[d];
			const long double a2 = (-6 * da - h * (4 * j0 + 2 * j1)) / (h * h);
			const long double a3 = (12 * da + 6 * h * (j0 + j1)) / (h * h * h);

			b[i].x[d] = p[i].x[d] + h * h * h * h / 24 * (a2 + h / 5 * a3);
			b[i].v[d] = p[i].v[d] + h * h * h / 6 * (a2 + h / 4 * a3);
		}
	memcpy(f, after, n * sizeof *f);
}
