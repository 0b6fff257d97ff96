/* SPDX-License-Identifier: MIT */
/*
 * physics.h - from the options of clopt_potential to a law and its numbers.
 */
#ifndef CLOPT_PHYSICS_H
#define CLOPT_PHYSICS_H

#include "internal.h"

/* The numbers of a pair kernel; cl/pair/target.clh says what they are. */
enum pair_real {
	REAL_SCALE,
	REAL_SOFTENING2,
	REAL_KEEP, /* work.c's */
	REAL_CONSTANT,
	REAL_OVER_R,
	REAL_KAPPA_R,
	REAL_PROJECTION,
	REAL_REACH,
	REAL_RADIUS,
	REAL_A,
	REAL_B,
	REAL_C,
	REAL_LAMBDA,
	REAL_KAPPA2,
	REAL_INNER,
	REAL_LAW, /* its number, for kernels that ask at run time */
	PAIR_REALS,
	REAL_UNIT = REAL_SOFTENING2 /* laws with salt, which know no softening */
};

/* Checks the options; `charge` is their sum. */
int clopt__physics(const struct clopt *ctx, const struct clopt_potential_options *o, double charge,
                   struct clopt_problem *problem, double *real);
/* What float32 loses of the scale and the softening, where double-single wants it. */
void clopt__low_parts(int law, double *real);
/* Adds up the job's sources, which are checked, on the host: its numbers were made
 * for a charge of 1, and what the charge is in grows with it. */
void clopt__physics_charge(struct job *job);
/* Whether the charge matters. */
int clopt__physics_charged(const struct clopt_potential_options *o);

#endif
