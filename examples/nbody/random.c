/* SPDX-License-Identifier: MIT */
/*
 * random.c - random numbers, directions and bodies for initial conditions.
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

/*
 * The radius from the mass inside it, which is spread evenly; the speed, as a part
 * q of that of escape, from its density q^2 (1 - q^2)^(7/2), whose largest value is
 * 0.092, by rejection.
 *
 * Source: Aarseth, Henon, Wielen, Astron. Astrophys. 37, 183 (1974), appendix.
 */
void nb_plummer_body(struct nb_random *r, double part, double at[3], double velocity[3])
{
	double radius = 1 / sqrt(pow(part * nb_uniform(r), -2.0 / 3) - 1), q;

	nb_direction(r, radius, at);
	do
		q = nb_uniform(r);
	while (0.1 * nb_uniform(r) > q * q * pow(1 - q * q, 3.5));
	nb_direction(r, q * sqrt(2 / sqrt(1 + radius * radius)), velocity);
}
