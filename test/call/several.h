/* SPDX-License-Identifier: MIT */
/*
 * several.h - calls that several devices can share, for the tests of such contexts.
 */
#ifndef SEVERAL_H
#define SEVERAL_H

#include "suites.h"

enum {
	N = 150,
	MEMBERS = 4, /* at most */
	TASKS = 14
};

/* Inputs, results, and what these should be. */
extern double a[N * N], b[N * N], got[N * N], wanted[N * N];
extern float fa[4 * N * N], fb[4 * N * N], fgot[4 * N * N], fwanted[4 * N * N];

/* A routine that leaves a result of so many floats, or doubles. */
extern const struct task {
	int (*run)(struct clopt *ctx, void *result);
	int floats, reads; /* reads: the result is also an input */
	double rounding; /* between kernels, beside 1 and the result */
	int tree; /* by a tree, or over all pairs where a failure leaves no room for it */
} tasks[TASKS];
int product(struct clopt *ctx, void *c);
int added(struct clopt *ctx, void *c);
int triangle(struct clopt *ctx, void *c);
int hermite(struct clopt *ctx, void *c);

/* Inputs; results before a call. */
void fill(void);
void prepare(void);
/* Where the task's result goes, or the wanted one. */
void *result(const struct task *t, int right);
/* All bits are the wanted ones. */
int is_right(void);

/* A context of n members, the first on these options. */
struct clopt *joined(size_t n, const struct clopt_options *given);
/* How many members did something in the last call, and whether their parts are the whole. */
size_t workers(struct clopt *ctx, struct clopt_member_share *share);
/* Each task so many times by one device and by several: the same bits, and two or more of them have
 * done something in a call. */
void expect_same(struct clopt *one, struct clopt *ctx, int rounds);

#endif
