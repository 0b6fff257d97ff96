/* SPDX-License-Identifier: MIT */
/*
 * pair.h - random sums over pairs: what calls with adjacent floats (pair.c) and with points as
 * programs keep them (points.c) share, which is the options and the judgement.
 */
#ifndef RANDOM_PAIR_H
#define RANDOM_PAIR_H

#include "../pair/physics_reference.h"
#include "random.h"

/* The results of a target, in struct pair's `got' and as bits of `wanted'. */
enum {
	PAIR_FIELD, /* x, y, z */
	PAIR_PHI = 3,
	PAIR_JERK, /* x, y, z */
	PAIR_NORMAL = 7,
	PAIR_RESULTS
};

struct pair {
	struct call *c;
	int gravity, alpb, special, one; /* one: targets are sources */
	size_t n, m;
	int outputs, precision; /* what is computed; precision: neither DEFAULT nor BEST */
	int wide; /* points and sums' results have the digits of DOUBLE or DOUBLE_SINGLE */
	int narrow; /* and are rounded to floats afterwards */
	double length, charge;
	double origin[3]; /* from which the library measures positions */
	struct clopt_potential_options o;
	struct clopt_nbody_options g;
	struct host depths, normals;
	double *from, *to; /* sources and targets, REFERENCE_POINT numbers each */
	double *kept; /* the sources that add to a target */
	float *kept_depths;
	double *got; /* PAIR_RESULTS numbers for each target, */
	unsigned wanted; /* of which these were asked for */
};

/* Room for n sources and m targets. */
void pair_open(struct pair *p);
void pair_close(struct pair *p);
/* Which sum, and sizes of about so many pairs at most, for which a limit on memory has `unit'
 * bytes. */
void pair_draw_sizes(struct pair *p, double most, double unit);
/* Options, into o or g and what follows from them, but for `precision'. */
void pair_draw_options(struct pair *p);
/* What CLOPT_PRECISION_BEST is, with these options. */
int pair_best(const struct pair *p);
/* Normals, depths and the charge, after the sources. */
void pair_fill_others(struct pair *p);
/* The problem that the library solves. */
struct clopt_problem pair_problem(const struct pair *p);
void pair_say(const struct pair *p);
/* Judges `got'. */
void pair_judge(struct pair *p);
/* `got' has the bits of what it was. */
void pair_same(struct pair *p, const double *was, const char *way);

#endif
