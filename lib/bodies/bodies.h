/* SPDX-License-Identifier: MIT */
/*
 * bodies.h - bodies that move and stay on the device over all steps.
 */
#ifndef CLOPT_BODIES_BODIES_H
#define CLOPT_BODIES_BODIES_H

#include "../buffers/buffers.h"

/* How an evaluation of gravity ends one step and begins the next: a file and a struct for each
 * integrator, in the list of evolve.c. */
struct integrator {
	int id; /* enum clopt_integrator */
	const char *name; /* of id, behind CLOPT_INTEGRATOR_ */
	unsigned outputs; /* of its kernels: JERK, or none */
	unsigned rate_rows; /* for each body; more than 1: a run can resume with those that an
	                       earlier run left */
	/* due: the caller is to see the bodies; *stop: and ends the run. */
	int (*advance)(struct clopt *ctx, struct stepper *s, size_t step, int due, int *stop);
};
extern const struct integrator clopt__leapfrog_integrator, clopt__hermite_integrator;
/* The integrators, up to NULL. */
extern const struct integrator *const clopt__integrators[];

/* Steps, or sums alone.  The device has the precision. */
struct evolution {
	size_t n, steps;
	double *bodies, *velocities; /* evolve.c: the caller's; not written for sums alone */
	double dt;
	struct clopt_evolve_options options;
	const struct integrator *integrator;
	struct clopt_group group; /* other processes; no exchange: none */
	struct tolerance tree;
	const struct runners *runners;
};

/* How the rates of all bodies are computed, where not by one launch; a part of what an upper room
 * has. */
struct gravity {
	/* By s->force or s->phi. */
	int (*rates)(struct clopt *ctx, struct stepper *s, struct gravity *g, const struct part *p);
	/* rc: the status of the call. */
	void (*close)(struct clopt *ctx, struct stepper *s, struct gravity *g, int rc);
	const struct variant *row; /* that sums; NULL: the part's */
	int waits; /* rates() returns when they are there */
};

struct stepper {
	struct evolution e;
	struct lane lane;
	int jerk; /* JERK with Hermite's steps, 0 with leapfrog's */
	struct part force, phi, step, sum; /* phi: force with the potential too */
	struct array state, velocities, next, rates, sums;
	struct gravity *gravity; /* NULL: by one launch over all pairs */
	int own_state, own_velocities; /* 0: the array is the caller's buffer */
	int resume; /* the rates for the first step are there */
	size_t point_bytes, points, largest; /* of a body: in all arrays and in the largest */
	/* The rest is for evolve.c.  Show the bodies to the caller; *stop: end the run. */
	int (*show)(struct clopt *ctx, const struct stepper *s, size_t step, int *stop);
	void *raw; /* malloc'ed: the bodies as the device has them */
	size_t groups; /* of sums */
};

/* ---- stepper.c */
/* Whether the arrays fit; *bytes on the device, as in struct cut. */
int clopt__stepper_fits(struct clopt *ctx, const struct stepper *s, size_t *bytes);
int clopt__stepper_run(struct clopt *ctx, struct stepper *s);
/* rc: the status so far.  After success on host arrays nothing is left to wait for, and nothing may
 * fail, since the caller's arrays are written. */
int clopt__stepper_close(struct clopt *ctx, struct stepper *s, int rc);
/* Have s->gravity, or NULL, as the runners say. */
int clopt__stepper_gravity(struct clopt *ctx, struct stepper *s);
/* The rates of all bodies, by s->force or s->phi. */
int clopt__stepper_rates(struct clopt *ctx, struct stepper *s, const struct part *p);
/* At a step: end the one before, begin the next, or both. */
int clopt__stepper_step(struct clopt *ctx, struct stepper *s, size_t step, int end, int begin);
/* Seconds that ctx alone takes for them over all pairs. */
double clopt__stepper_seconds(struct clopt *ctx, const struct stepper *s);
/* Whether the caller is to see the bodies at this step. */
int clopt__is_due(const struct evolution *e, size_t step);

/* ---- floats.c, evolve.c: choose sizes and kernels for a zeroed stepper.  Nothing has to be closed
 * afterwards.  sums: whether sums will be computed. */
int clopt__leapfrog_choose(struct clopt *ctx, const struct job *job, struct stepper *s);
int clopt__evolve_choose(struct clopt *ctx, const struct evolution *e, int sums, struct stepper *s);

struct clopt_problem clopt__leapfrog_gravity(const struct clopt_problem *step);
int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *placed);
int clopt__evolve(struct clopt *ctx, const struct evolution *e);
int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums);

#endif
