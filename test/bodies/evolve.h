/* SPDX-License-Identifier: MIT */
/*
 * evolve.h - bodies for the tests of clopt_nbody_evolve.
 */
#ifndef EVOLVE_H
#define EVOLVE_H

#include <check.h>
#include <stddef.h>

#include "clopt_device.h"
#include "clopt_tune.h"

enum {
	MOST_BODIES = 4096
};

/* Initial bodies; static arrays, a copy for each process. */
struct bodies {
	size_t n;
	double x[4 * MOST_BODIES], v[4 * MOST_BODIES];
};

/* Three bodies of mass 1 that chase each other along an eight (Chenciner, Montgomery, Ann.  Math.
 * 152, 881 (2000)); the numbers are Simo's. */
#define EIGHT_PERIOD 6.32591398
void bodies_eight(struct bodies *b);
/* Two in orbit, with a period of 2 pi. */
void bodies_pair(struct bodies *b, double eccentricity);
/* n bodies of Plummer's model in N-body units, drawn as by Aarseth, Henon, Wielen, Astron.
 * Astrophys. 37, 183 (1974). */
void bodies_plummer(struct bodies *b, size_t n);
/* The largest distance between a body and the same body of the other set. */
double bodies_apart(const struct bodies *a, const struct bodies *b);

struct clopt_evolve_options evolve_options(int precision, int integrator, double softening);

void evolve_calls(TCase *c); /* evolve_calls.c: callbacks, arguments, failures */

#endif
