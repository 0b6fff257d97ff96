/* SPDX-License-Identifier: MIT */
/*
 * cases_orbit.h - the reference for bodies that move.
 */
#ifndef CASES_ORBIT_H
#define CASES_ORBIT_H

#include "op.h"

struct body {
	long double x[3], v[3];
	double mass;
};

struct feel {
	long double a[3], j[3];
	double terms; /* the sum of the magnitudes of what a is the sum of */
	double slope; /* bound on the change of a by a unit of distance */
};

/* Of any component of any place, and of any velocity. */
struct bounds {
	double place, speed;
};

/* What `from` adds to what `at` feels. */
void orbit_feel(const struct shape *s, const struct body *at, const struct body *from,
                struct feel *f);
/* What each of n feels. */
void orbit_feel_all(const struct shape *s, const struct body *all, size_t n, struct feel *f);

/* One step of n bodies.  f: room for what they feel; for Hermite what they feel
 * before the step, then after it.  p, after: room. */
void orbit_leapfrog(const struct shape *s, struct body *b, struct feel *f, size_t n);
void orbit_hermite(const struct shape *s, struct body *b, struct body *p, struct feel *f,
                   struct feel *after, size_t n);

/*
 * What one step adds to the bounds, given what n bodies feel: as for leapfrog in
 * float, but one pair of bounds for all, by the worst of them.
 */
void orbit_widen(const struct shape *s, const struct feel *f, size_t n, struct bounds *b);

#endif
