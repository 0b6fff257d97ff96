/* SPDX-License-Identifier: MIT */
/*
 * random.c - random numbers for initial conditions.
 *
 * Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators,
 * OOPSLA 2014: splitmix64.
 */
#include <math.h>

#include "nb.h"

static const double pi = 3.14159265358979323846;

double nb_uniform(struct nb_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	/* The middle of one of 2^52 intervals: neither 0 nor 1. */
	return ((double)(z >> 12) + 0.5) * 0x1p-52;
}

double nb_normal(struct nb_random *r)
{
	double length = sqrt(-2 * log(nb_uniform(r)));

	return length * cos(2 * pi * nb_uniform(r));
}

void nb_direction(struct nb_random *r, double length, double out[3])
{
	double z = 2 * nb_uniform(r) - 1, angle = 2 * pi * nb_uniform(r), flat = sqrt(1 - z * z);

	out[0] = length * flat * cos(angle);
	out[1] = length * flat * sin(angle);
	out[2] = length * z;
}
