/* SPDX-License-Identifier: MIT */
/*
 * how.c - the order and theta of a tolerance, and whether a tree can serve a sum and pays.
 */
#include <math.h>

#include "../base/numbers.h"
#include "../base/threads.h"
#include "../choose/choose.h"
#include "tree.h"

/* Error at theta 0.5 by order, about twice the 99th percentile of docs/tolerance.md, since a sample
 * has to show that the tolerance is kept.  The error grows roughly with theta^(order + 3). */
static const double error_at_half[] = {
	[2] = 7e-3, [3] = 2.2e-3, [4] = 7e-4, [5] = 3.5e-4, [6] = 1.8e-4
};
#define LEAST_THETA 0.15
#define MOST_THETA 0.8

/* Kernels of CPUs sum far cells by several polynomials a group, for the law 1/r. */
static int has_parts(const struct clopt *ctx, const struct clopt_problem *p, unsigned order)
{
	return ctx->device.traits & T_CPU && clopt__tree_polynomials(p, order);
}

/* The same for these kernels: twice the error for a ball of 20,000 bodies. */
static const double parts_error_at_half[] = { [2] = 5.8e-3, [3] = 2.1e-3, [4] = 4.5e-4 };

static double theta_of(double tolerance, unsigned order, int parts)
{
	const double error = parts ? parts_error_at_half[order] : error_at_half[order];
	const double theta = 0.5 * pow(tolerance / error, 1.0 / (order + 3));

	return fmin(fmax(theta, LEAST_THETA), MOST_THETA);
}

/* Cost of a cell's multipole and of the walk to the cell, in pairs, by order. */
static const double multipole_pairs[] = { [2] = 9, [3] = 12, [4] = 18 };
/* Kernels with several polynomials: the cost, in pairs, of a near leaf beside its sources, and of
 * its cells of one level. */
#define PARTS_LEAF 32
#define PARTS_LEVEL 7
/* Cost of a pair relative to a pair of the sum over all pairs, by order: cells have proxies and
 * ranges are short.  Then the cost of building and checking, in pairs per source. */
static const double slower[] = { [2] = 1.6, [3] = 1.4, [4] = 1.2, [5] = 1.15, [6] = 1.15 };
#define BUILDING 1500.0

/*
 * Pairs per target, roughly: a group is near to LEAVES (0.6 / theta)^2.5 leaves, and takes about as
 * many cells of each level above.  Counted for Plummer's model and for a ball.
 */
#define LEAVES 110.0
static double pairs_of(const struct clopt *ctx, const struct clopt_problem *p, unsigned order,
                       double theta)
{
	const int parts = has_parts(ctx, p, order);
	const int multipoles = clopt__tree_multipoles(p->law, order);
	const double n = (double)p->dim[0], leaf = (double)clopt__tree_leaf(order, multipoles);
	const double far = parts      ? PARTS_LEVEL :
	                   multipoles ? multipole_pairs[order] :
	                                slower[order] * (double)clopt__tree_proxies(order);
	const double near = LEAVES * pow(0.6 / theta, 2.5), leaves = ceil(n / leaf);
	const double levels = log2(leaves / near) - 1.2;

	if (leaves <= near)
		return n;
	return near * ((multipoles ? 1 : slower[order]) * leaf + (parts ? PARTS_LEAF : 0) +
	               (levels > 0 ? levels : 0) * far);
}

/* Errors are relatively larger where charges of both signs cancel. */
#define CANCELLING 10.0
#define MIXED 0.02

struct weights {
	const cl_double *wide; /* of points in double precision; NULL: of floats */
	const cl_float *narrow;
	double sum[MOST_PARTS], all[MOST_PARTS];
};

static void add_weights(void *what, unsigned part, size_t first, size_t count)
{
	struct weights *w = what;
	double sum = 0, all = 0;
	size_t i;

	for (i = first; i < first + count; i++) {
		const double x = w->wide ? w->wide[4 * i + 3] : (double)w->narrow[4 * i + 3];

		sum += x;
		all += fabs(x);
	}
	w->sum[part] = sum;
	w->all[part] = all;
}

/* Least number of weights per thread. */
#define GRAIN ((size_t)1 << 16)

int clopt__tree_mixed(int precision, const void *points, size_t n)
{
	const int is_wide = precision == CLOPT_PRECISION_DOUBLE;
	struct weights w = { .wide = is_wide ? points : NULL, .narrow = is_wide ? NULL : points };
	double sum = 0, all = 0;
	unsigned part;

	clopt__in_parts(n, GRAIN, add_weights, &w);
	for (part = 0; part < MOST_PARTS; part++) {
		sum += w.sum[part];
		all += w.all[part];
	}
	return (all - fabs(sum)) / 2 > MIXED * all;
}

/* Whether a tree can serve the job.  All pairs always can. */
static int can(const struct job *job)
{
	const struct clopt_problem *p = &job->problem;

	return !p->depths && p->outputs != CLOPT_OUTPUTS_JERK &&
	       p->precision != CLOPT_PRECISION_DOUBLE_SINGLE;
}

/* Time of a tree's launches beside its work: the passes of the sort, one launch per level, a few
 * more, and the check of the results. */
#define LAUNCH_SECONDS 30e-6
static double launch_seconds(size_t n)
{
	return LAUNCH_SECONDS * (3 * TREE_PASSES + 4 + log2((double)n + 1));
}

/* By assumed rates: measured ones would not choose alike each time. */
static double seconds_of(const struct clopt *ctx, double pairs)
{
	return clopt__units_seconds(ctx, NULL, pairs);
}

double clopt__tree_seconds(const struct clopt *ctx, const struct job *job, const struct how *how)
{
	return seconds_of(ctx, pairs_of(ctx, &job->problem, how->order, how->theta) *
	                               (double)job->problem.dim[1]);
}

struct how clopt__tree_how(const struct clopt *ctx, const struct job *job, int mixed)
{
	const double n = (double)job->problem.dim[0], targets = (double)job->problem.dim[1];
	const int asked = job->tree.tolerance > 0 || job->tree.order;
	const double tolerance = job->tree.tolerance / (mixed ? CANCELLING : 1);
	double least = seconds_of(ctx, n * targets);
	struct how how = { 0 };
	unsigned order;

	for (order = TREE_LEAST_ORDER; asked && can(job) && order <= TREE_MOST_ORDER; order++) {
		const double theta =
		        job->tree.theta > 0 ?
		                job->tree.theta :
		                theta_of(tolerance, order, has_parts(ctx, &job->problem, order));
		const double seconds =
		        launch_seconds(job->problem.dim[0]) +
		        seconds_of(ctx, pairs_of(ctx, &job->problem, order, theta) * targets +
		                                BUILDING * n);

		if (job->tree.order ? job->tree.order == order : seconds < least) {
			least = seconds;
			how.order = order;
			how.theta = theta;
		}
	}
	return how;
}

double clopt__tree_wider(double error, const struct job *job, const struct how *how)
{
	const double tolerance = job->tree.tolerance;
	const double by = pow(0.6 * tolerance / error, 1.0 / (how->order + 3));

	if (!(tolerance > 0) || job->tree.theta > 0 || !(by > 1))
		return how->theta;
	return fmin(how->theta * fmin(by, 1.25), fmax(how->theta, MOST_THETA));
}

int clopt__tree_is_within(double error, const struct job *job, struct how *how)
{
	const double tolerance = job->tree.tolerance;
	double power = how->order + 3, by;

	if (!(tolerance > 0) || error <= tolerance)
		return 1;
	/* Where few sources have most of the weight the error falls more slowly with theta. */
	if (how->wider > how->theta)
		power = fmin(power,
		             fmax(1, log(how->error / error) / log(how->wider / how->theta)));
	by = pow(0.7 * tolerance / error, 1 / power);
	how->wider = how->theta;
	how->error = error;
	how->theta *= by > 0.5 && by < 0.9 ? by : by <= 0.5 ? 0.5 : 0.9;
	return 0;
}
