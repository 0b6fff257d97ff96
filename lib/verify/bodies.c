/* SPDX-License-Identifier: MIT */
/*
 * bodies.c - checks the kernels of moving bodies at their first use: steps and conserved sums.
 * Each number is compared with the formulas in double, for few bodies.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int has_jerk(const struct trial *t)
{
	return (t->problem.outputs & JERK) != 0;
}

static void before(const struct trial *t, unsigned operand, size_t i, double *x)
{
	clopt__trial_point(t, t->array[operand].sent, i, x);
}

/* Whether three numbers are within the bound and the fourth is exact. */
static int is_point(struct trial *t, const char *name, unsigned operand, size_t i,
                    const double *want, double bound)
{
	double got[4];
	size_t c;

	clopt__trial_point(t, t->array[operand].got, i, got);
	for (c = 0; c < 4; c++)
		if (!clopt__near(t, name, i, c, got[c], want[c], c < 3 ? bound : 0))
			return 0;
	return 1;
}

/* ---- leapfrog: v += a kick, x += v drift ------------------------------------- */

#define KICK 0.375
#define DRIFT 0.8125

static void kick_drift(const struct trial *t, size_t i, double kick, double drift, double *x,
                       double *v)
{
	double a[4];
	int c;

	before(t, 2, i, a);
	for (c = 0; c < 3; c++) {
		v[c] += kick * a[c];
		x[c] += drift * v[c];
	}
}

static int describe_leapfrog(struct trial *t)
{
	t->problem.dim[0] = t->v->out[0] + 7;
	t->real[0][0] = KICK;
	t->real[0][1] = DRIFT;
	return t->number == 0;
}

static void fill_leapfrog(struct trial *t)
{
	unsigned operand;

	for (operand = 0; operand < 3; operand++)
		clopt__trial_points(t, operand, t->problem.dim[0], 0, 1.5);
}

static int judge_leapfrog(struct trial *t)
{
	size_t i;

	for (i = 0; i < t->problem.dim[0]; i++) {
		double x[4], v[4];

		before(t, 0, i, x);
		before(t, 1, i, v);
		kick_drift(t, i, KICK, DRIFT, x, v);
		/* Sums of numbers up to 1, with 4 roundings, some of them fused. */
		if (!is_point(t, "velocities", 1, i, v, 8 * ROUND_FLOAT) ||
		    !is_point(t, "bodies", 0, i, x, 8 * ROUND_FLOAT))
			return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_leapfrog = {
	.describe = describe_leapfrog, .fill = fill_leapfrog, .judge = judge_leapfrog, .results = 3
};

/* ---- evolve-step: cl/evolve/step.cl has the formulas ------------------------- */

#define BACK 0.5
#define AHEAD 0.25

static int describe_step(struct trial *t)
{
	t->problem.dim[0] = t->v->out[0] + 7;
	t->real[0][0] = t->number == 0 ? BACK : 0;
	t->real[0][1] = AHEAD;
	return t->number < 2;
}

static void fill_step(struct trial *t)
{
	const size_t n = t->problem.dim[0];

	clopt__trial_points(t, 0, 2 * n, 0, 1.5);
	clopt__trial_points(t, 2, has_jerk(t) ? 4 * n : n, 0, 1.5);
}

static void correct(const struct trial *t, size_t i, double *x, double *v)
{
	const size_t n = t->problem.dim[0];
	const double h = t->real[0][0];
	double a1[4], j1[4], a0[4], j0[4];
	int c;

	before(t, 2, 2 * i, a1);
	before(t, 2, 2 * i + 1, j1);
	before(t, 2, 2 * (n + i), a0);
	before(t, 2, 2 * (n + i) + 1, j0);
	for (c = 0; c < 3; c++) {
		x[c] += h * v[c] + h * h / 60 * (21 * a0[c] + 9 * a1[c]) +
		        h * h * h / 60 * (3 * j0[c] - 2 * j1[c]);
		v[c] += h / 2 * (a0[c] + a1[c]) + h * h / 12 * (j0[c] - j1[c]);
	}
}

static int judge_hermite(struct trial *t, size_t i, double *x, double *v, double bound)
{
	const size_t n = t->problem.dim[0];
	double a[4], j[4];
	int c;

	before(t, 2, 2 * i, a);
	before(t, 2, 2 * i + 1, j);
	if (!is_point(t, "rates", 2, 2 * (n + i), a, 0) ||
	    !is_point(t, "rates", 2, 2 * (n + i) + 1, j, 0))
		return 0;
	for (c = 0; c < 3; c++) {
		x[c] += AHEAD * (v[c] + AHEAD / 2 * (a[c] + AHEAD / 3 * j[c]));
		v[c] += AHEAD * (a[c] + AHEAD / 2 * j[c]);
	}
	return is_point(t, "next", 1, 2 * i, x, bound) &&
	       is_point(t, "next", 1, 2 * i + 1, v, bound);
}

static int judge_step(struct trial *t)
{
	const size_t n = t->problem.dim[0];
	/* Some dozens of operations on numbers up to 3. */
	const double bound = 100 * clopt__body_unit(t->problem.precision);
	double x[4], v[4];
	size_t i;

	for (i = 0; i < n; i++) {
		before(t, 0, i, x);
		before(t, 0, n + i, v);
		if (!has_jerk(t))
			kick_drift(t, i, (t->real[0][0] + AHEAD) / 2, AHEAD, x, v);
		else if (t->real[0][0] != 0)
			correct(t, i, x, v);
		if (!is_point(t, "state", 0, i, x, bound) ||
		    !is_point(t, "state", 0, n + i, v, bound) ||
		    (has_jerk(t) && !judge_hermite(t, i, x, v, bound)))
			return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_step = {
	.describe = describe_step, .fill = fill_step, .judge = judge_step, .results = 7
};

/* ---- evolve-sums --------------------------------------------------------------- */

#define MASS_UNIT 0.5

static int describe_sums(struct trial *t)
{
	t->problem.dim[0] = t->v->out[0] + 101;
	t->real[0][0] = MASS_UNIT;
	return t->number == 0;
}

static void fill_sums(struct trial *t)
{
	const size_t n = t->problem.dim[0];

	clopt__trial_points(t, 0, 2 * n, 0, 1.5);
	clopt__trial_points(t, 1, n, 0, 1.5);
}

/* Add the terms of one body, in the order of cl/evolve/sums.cl. */
static void tally(const struct trial *t, size_t i, double *sum)
{
	double x[4], v[4], r[4], m;
	int c;

	before(t, 0, i, x);
	before(t, 0, t->problem.dim[0] + i, v);
	before(t, 1, i, r);
	m = MASS_UNIT * x[3];
	sum[0] += m;
	sum[1] += m / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	sum[2] += m / 2 * r[3];
	for (c = 0; c < 3; c++) {
		const int d = (c + 1) % 3, e = (c + 2) % 3;

		sum[3 + c] += m * v[c];
		sum[6 + c] += m * (x[d] * v[e] - x[e] * v[d]);
		sum[9 + c] += m * x[c];
	}
}

static int judge_sums(struct trial *t)
{
	const size_t n = t->problem.dim[0], out = t->v->out[0], groups = clopt__groups(n, out);
	size_t group, i, c;

	for (group = 0; group < groups; group++) {
		const size_t first = group * out, end = first + out < n ? first + out : n;
		double sum[SUMS] = { 0 };

		for (i = first; i < end; i++)
			tally(t, i, sum);
		/* Terms are up to 4. */
		for (c = 0; c < SUMS; c++)
			if (!clopt__near(t, "sums", group, c,
			                 clopt__number_at(t->problem.precision, t->array[2].got,
			                                  group * SUMS + c),
			                 sum[c],
			                 4 * clopt__body_unit(t->problem.precision) * (double)out *
			                         (double)out))
				return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_sums = {
	.describe = describe_sums, .fill = fill_sums, .judge = judge_sums, .results = 4
};
