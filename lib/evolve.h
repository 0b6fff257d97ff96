/* SPDX-License-Identifier: MIT */
/*
 * evolve.h - what the files behind clopt_nbody_evolve share.
 *
 * evolve.c checks and describes; motion.c has the state on the device and the
 * steps; numbers.c turns the caller's doubles into what the device computes with.
 */
#ifndef CLOPT_EVOLVE_H
#define CLOPT_EVOLVE_H

#include "stream.h"

/* What is asked for.  The precision is one that the device has. */
struct evolution {
	size_t n, steps;
	double *bodies, *velocities; /* the caller's; not written to for sums alone */
	double dt;
	struct clopt_evolve_options options;
};

/* motion.c */
int clopt__evolve(struct clopt *ctx, const struct evolution *e);
int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums);

/* numbers.c */
size_t clopt__number_bytes(int precision);
/* n points of four numbers each; from has what C's double has. */
void clopt__numbers_pack(int precision, size_t n, const double *from, void *to);
/* The first `columns` of each point; the others are left as they are. */
void clopt__numbers_unpack(int precision, size_t n, const void *from, unsigned columns, double *to);
/* One of them. */
double clopt__number_at(int precision, const void *from, size_t i);

#endif
