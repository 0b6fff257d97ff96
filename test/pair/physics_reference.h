/* SPDX-License-Identifier: MIT */
/*
 * physics_reference.h - clopt_potential and clopt_nbody in plain double precision, and the jerk.
 *
 * Source: Fenley, Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008).
 */
#ifndef PHYSICS_REFERENCE_H
#define PHYSICS_REFERENCE_H

#include "clopt_device.h"
#include "clopt_tune.h"

/* Unit roundoff of float32. */
#define EPS_FLOAT 0x1p-24

struct reference {
	double phi, field[3];
	double along; /* the field along the normal */
	double jerk[3];
	/* The error if each float32 step had a relative error of 1: the magnitudes of all terms,
	 * more where the rounding of a position or an exponent weighs more. */
	double phi_terms, field_terms, jerk_terms;
};

/* The reference at one target; normal (4 floats) may be NULL where no distance along it is used.
 * Reads depths and charge of the options, on the host. */
void reference_potential(const struct clopt_potential_options *given, size_t n,
                         const float *sources, const float *target, const float *normal,
                         struct reference *r);

/* The same for points of doubles: x, y, z, the weight, and the velocity, which gravity reads. */
enum {
	REFERENCE_POINT = 7
};
void reference_potential_doubles(const struct clopt_potential_options *given, size_t n,
                                 const double *sources, const double *target, const float *normal,
                                 struct reference *r);
void reference_gravity_doubles(const struct clopt_nbody_options *o, size_t n, const double *sources,
                               const double *target, struct reference *r);

/* The numbers that the library writes for these outputs, and their error bounds; returns how
 * many. */
size_t reference_outputs(const struct reference *r, int outputs, int precision, size_t n,
                         double *want, double *tolerance);

#endif
