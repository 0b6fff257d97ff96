/* SPDX-License-Identifier: MIT */
/*
 * evolve_bodies.c - initial bodies.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "evolve.h"

#define PI 3.14159265358979323846

static void put(struct bodies *b, size_t i, double mass, const double *x, const double *v)
{
	memcpy(b->x + 4 * i, x, 3 * sizeof *x);
	memcpy(b->v + 4 * i, v, 3 * sizeof *v);
	b->x[4 * i + 3] = mass;
	b->v[4 * i + 3] = (double)i; /* is kept */
}

void bodies_eight(struct bodies *b)
{
	const double x[3] = { 0.97000436, -0.24308753, 0 }, minus_x[3] = { -x[0], -x[1], 0 };
	const double v[3] = { 0.466203685, 0.43236573, 0 };
	const double last_v[3] = { -0.93240737, -0.86473146, 0 }, zero[3] = { 0, 0, 0 };

	b->n = 3;
	put(b, 0, 1, x, v);
	put(b, 1, 1, minus_x, v);
	put(b, 2, 1, zero, last_v);
}

void bodies_pair(struct bodies *b, double eccentricity)
{
	const double r = 1 - eccentricity, speed = sqrt((1 + eccentricity) / r);
	const double x[2][3] = { { 0.25 * r, 0, 0 }, { -0.75 * r, 0, 0 } };
	const double v[2][3] = { { 0, 0.25 * speed, 0 }, { 0, -0.75 * speed, 0 } };

	b->n = 2;
	put(b, 0, 0.75, x[0], v[0]);
	put(b, 1, 0.25, x[1], v[1]);
}

/* In [0, 1); Steele, Lea, Flood's splitmix64. */
static double uniform(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A vector of this length in a random direction. */
static void direction(double length, uint64_t *state, double *to)
{
	const double z = 1 - 2 * uniform(state), angle = 2 * PI * uniform(state);

	to[0] = length * sqrt(1 - z * z) * cos(angle);
	to[1] = length * sqrt(1 - z * z) * sin(angle);
	to[2] = length * z;
}

void bodies_plummer(struct bodies *b, size_t n)
{
	const double scale = 3 * PI / 16;
	uint64_t state = 1974;
	double x[3], v[3];
	size_t i;

	b->n = n;
	for (i = 0; i < n; i++) {
		/* All but the outermost thousandth, which would be far out. */
		const double inside = 0.999 * uniform(&state) + 1e-12;
		const double r = 1 / sqrt(pow(inside, -2.0 / 3) - 1);
		double q, y;

		do {
			q = uniform(&state);
			y = 0.1 * uniform(&state);
		} while (y > q * q * pow(1 - q * q, 3.5));
		direction(scale * r, &state, x);
		direction(q * sqrt(2) * pow(1 + r * r, -0.25) / sqrt(scale), &state, v);
		put(b, i, 1 / (double)n, x, v);
	}
}

double bodies_apart(const struct bodies *a, const struct bodies *b)
{
	double most = 0;
	size_t i;

	for (i = 0; i < 4 * a->n; i++)
		if (!(fabs(a->x[i] - b->x[i]) <= most))
			most = fabs(a->x[i] - b->x[i]);
	return most;
}

struct clopt_evolve_options evolve_options(int precision, int integrator, double softening)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;

	o.precision = precision;
	o.integrator = integrator;
	o.softening = softening;
	return o;
}
