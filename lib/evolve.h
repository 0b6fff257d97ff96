/* SPDX-License-Identifier: MIT */
/*
 * evolve.h - what the files behind clopt_nbody_evolve share.
 *
 * evolve.c checks and describes; orbits.c makes the steps; motion.c has the state
 * on the device; numbers.c turns the caller's doubles into what it computes with.
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

/* orbits.c */
int clopt__evolve(struct clopt *ctx, const struct evolution *e);
int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums);

#define SUMS 12 /* of a group, as in cl/evolve/sums.cl */

enum {
	JERK = 1, /* outputs of a problem, as kernels take them */
	PHI = 2
};

struct part {
	struct clopt_problem problem;
	const struct variant *row;
	cl_kernel kernel;
};

struct motion {
	const struct evolution *e;
	cl_command_queue q;
	int jerk;
	struct part force, phi, step, sum; /* phi: force with the potential too */
	struct array state, next, rates, sums;
	void *raw; /* the bodies as the device has them, in host memory */
	size_t point_bytes, groups;
	double mass_unit; /* what masses are multiplied by before they are added up */
};

/* motion.c */
/* The first part of opening: sizes and kernels.  Nothing has to be closed. */
int clopt__motion_choose(struct clopt *ctx, const struct evolution *e, int sums, struct motion *m);
/* And whether it fits; *bytes on the device as struct plan has them. */
int clopt__motion_fits(struct clopt *ctx, const struct motion *m, size_t *bytes);
/* sums: whether any will be asked for.  Close it after failure too; rc is how it
 * all went. */
int clopt__motion_open(struct clopt *ctx, const struct evolution *e, int sums, struct motion *m);
int clopt__motion_close(struct clopt *ctx, struct motion *m, int rc);
int clopt__motion_launch(struct clopt *ctx, const struct motion *m, const struct part *p,
                         double first, double second, const struct array *a, const struct array *b,
                         const struct array *c);
/* rows of row_bytes between host memory and the beginning of an array. */
int clopt__motion_move(struct clopt *ctx, const struct motion *m, const struct array *a, void *host,
                       size_t rows, size_t row_bytes, int down);
/* Wait, and take the times of what has run.  rc: what has failed already. */
int clopt__motion_settle(struct clopt *ctx, const struct motion *m, int rc);
/* The bodies to the caller's arrays, all of them or nothing. */
int clopt__motion_back(struct clopt *ctx, struct motion *m);

/* numbers.c */
size_t clopt__number_bytes(int precision);
/* n points of four numbers each. */
void clopt__numbers_pack(int precision, size_t n, const double *from, void *to);
/* The first `columns` of each point; the others are left as they are. */
void clopt__numbers_unpack(int precision, size_t n, const void *from, unsigned columns, double *to);
/* A power of two by which the largest mass of n bodies becomes 1 to 2. */
double clopt__mass_unit(size_t n, const double *bodies);
/* One of them. */
double clopt__number_at(int precision, const void *from, size_t i);

#endif
