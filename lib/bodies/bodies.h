/* SPDX-License-Identifier: MIT */
/*
 * bodies.h - moving bodies, which stay on the device over all steps.
 */
#ifndef CLOPT_BODIES_BODIES_H
#define CLOPT_BODIES_BODIES_H

#include "../buffers/buffers.h"

/* An integrator: how an evaluation of gravity ends one step and begins the next.  Each has a file,
 * and an entry in the list of evolve.c. */
struct integrator {
	int id; /* enum clopt_integrator */
	const char *name; /* that of id, after CLOPT_INTEGRATOR_ */
	unsigned outputs; /* outputs of its kernels: JERK, or 0 */
	unsigned rate_rows; /* for each body; more than 1: a run can resume with those that an
	                       earlier run left */
	/* due: show the bodies to the caller, who may set *stop to end the run. */
	int (*advance)(struct clopt *ctx, struct stepper *s, size_t step, int due, int *stop);
};
extern const struct integrator clopt__leapfrog_integrator, clopt__hermite_integrator;
/* The integrators, with NULL at the end. */
extern const struct integrator *const clopt__integrators[];

/* A run of steps, or sums alone.  The device supports the precision. */
struct evolution {
	size_t n, steps;
	double *bodies, *velocities; /* the caller's arrays (evolve.c); sums alone only read them */
	double dt;
	struct clopt_evolve_options options;
	const struct integrator *integrator;
	struct clopt_group group; /* other processes; exchange NULL: no group */
	struct tolerance tree;
	const struct runners *runners;
};

/* How the rates of all bodies are computed, unless one launch does it.  Embedded in a larger struct
 * of an upper room. */
struct gravity {
	/* Compute the rates by p: s->force or s->phi. */
	int (*rates)(struct clopt *ctx, struct stepper *s, struct gravity *g, const struct part *p);
	/* rc: the status of the call. */
	void (*close)(struct clopt *ctx, struct stepper *s, struct gravity *g, int rc);
	const struct variant *row; /* the row that sums; NULL: that of the part */
	int waits; /* rates() returns when the rates are complete */
};

struct stepper {
	struct evolution e;
	struct lane lane;
	int jerk; /* JERK for Hermite's steps, 0 for leapfrog */
	struct part force, phi, step, sum; /* force, phi: sums over pairs, phi with the potential */
	struct array state, velocities, next, rates, sums;
	struct gravity *gravity; /* NULL: one launch over all pairs */
	int own_state, own_velocities; /* 0: the array is the caller's buffer */
	int resume; /* the rates for the first step are given */
	size_t point_bytes, points, largest; /* point_bytes of a body; points of a body in all
	                                        arrays, and in the largest */
	/* The rest is for evolve.c.  Show the bodies to the caller, who may set *stop to end the
	 * run. */
	int (*show)(struct clopt *ctx, const struct stepper *s, size_t step, int *stop);
	void *raw; /* malloc'ed: the bodies in the device's format */
	size_t groups; /* number of groups of sums */
};

/* ---- stepper.c */
/* Check that the arrays fit.  *bytes: their size on the device, as in struct cut. */
int clopt__stepper_fits(struct clopt *ctx, const struct stepper *s, size_t *bytes);
int clopt__stepper_run(struct clopt *ctx, struct stepper *s);
/* rc: the status so far.  After success on host arrays nothing is in flight and nothing may fail:
 * the caller's arrays are written. */
int clopt__stepper_close(struct clopt *ctx, struct stepper *s, int rc);
/* Set s->gravity by the runners; NULL: they set none. */
int clopt__stepper_gravity(struct clopt *ctx, struct stepper *s);
/* Compute the rates of all bodies by p: s->force or s->phi. */
int clopt__stepper_rates(struct clopt *ctx, struct stepper *s, const struct part *p);
/* Between two steps: end step `step` - 1, begin step `step`, or both. */
int clopt__stepper_step(struct clopt *ctx, struct stepper *s, size_t step, int end, int begin);
/* Seconds that ctx alone needs for the rates over all pairs. */
double clopt__stepper_seconds(struct clopt *ctx, const struct stepper *s);
/* Whether the caller is to see the bodies at this step. */
int clopt__is_due(const struct evolution *e, size_t step);

/* The sum over pairs that gives the gravity of these bodies; outputs: enum clopt_outputs. */
struct clopt_problem clopt__gravity_of(const struct clopt_problem *step, int outputs);
/* Set its problem, numbers and kernel in p. */
int clopt__gravity_choose(struct clopt *ctx, const struct clopt_problem *step, int outputs,
                          double g, double softening2, struct part *p);
/* The layout of bodies, which its rows may read as texels. */
struct layout clopt__gravity_layout(const struct stepper *s);
void clopt__gravity_arrays(const struct array *bodies, const struct array *rates, struct part *p);
/* Bytes of a body in the arrays of p: s->force or s->phi. */
size_t clopt__gravity_bytes(const struct stepper *s, const struct part *p);

/* ---- floats.c, evolve.c: choose sizes and kernels for a zeroed stepper.  Nothing has to be closed
 * afterwards. sums: sums will be computed. */
int clopt__leapfrog_choose(struct clopt *ctx, const struct job *job, struct stepper *s);
int clopt__evolve_choose(struct clopt *ctx, const struct evolution *e, int sums, struct stepper *s);

int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *placed);
int clopt__evolve(struct clopt *ctx, const struct evolution *e);
int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums);

#endif
