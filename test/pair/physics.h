/* SPDX-License-Identifier: MIT */
/*
 * physics.h - the scene of charges and targets for tests of clopt_potential's physics.
 */
#ifndef PHYSICS_H
#define PHYSICS_H

#include "physics_reference.h"
#include "suites.h"

/* Coulomb's constant in kcal/mol, e and Angstrom. */
#define KCAL 332.06371

enum {
	SCENE_RADIUS = 15 /* of the ball of charges, less 2 */
};

/* Charges in a ball, and targets all over it with their normals.  The first six targets lie on the
 * axes, where positions at a distance are exact in float32. */
struct scene {
	size_t n, m;
	float *sources, *depths, *targets, *normals;
	float *out; /* m times 4 */
	double charge;
	struct clopt_potential_options o; /* options for ALPB in that ball, with the normals */
};

void scene_open(struct scene *s, size_t n, size_t m);
void scene_close(struct scene *s);

/* Numbers in [0, 1), the same in each run. */
double scene_number(void);

/* A law and its region; each takes a kernel of its own. */
struct setting {
	const char *name;
	int law, mode;
	double projection, kappa;
	int depths; /* 1: asked for */
};
extern const struct setting settings[];
enum {
	SETTINGS = 8
};
void scene_set(struct scene *s, const struct setting *setting);

/* Calls the library into s->out; fails the test if a number differs from the reference by more than
 * its bound; `what' is for the text. */
void scene_check(struct clopt *ctx, struct scene *s, const char *what);

#endif
