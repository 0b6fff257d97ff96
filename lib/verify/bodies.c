/* SPDX-License-Identifier: MIT */
/*
 * verify_evolve.c - steps of bodies at a kernel's first use: leapfrog's, and those of
 * clopt_nbody_evolve, against the formulas in double.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

static int has_jerk(const struct trial *t)
{
	return (t->problem.outputs & JERK) != 0;
}

double clopt__body_unit(const struct trial *t)
{
	switch (t->problem.precision) {
	case CLOPT_PRECISION_FLOAT:
		return ROUND_FLOAT;
	case CLOPT_PRECISION_DOUBLE_SINGLE:
		return 0x1p-44;
	default:
		return ROUND_DOUBLE;
	}
}

/* What the arrays hold. */
static int stored(const struct trial *t)
{
	return t->problem.elem_bytes == 4 ? CLOPT_PRECISION_FLOAT : t->problem.precision;
}

void clopt__before(const struct trial *t, unsigned plate, size_t i, double *x)
{
	int c;

	for (c = 0; c < 4; c++)
		x[c] = clopt__number_at(stored(t), t->plate[plate].sent, 4 * i + (size_t)c);
}

void clopt__after(const struct trial *t, unsigned plate, size_t i, double *x)
{
	int c;

	for (c = 0; c < 4; c++)
		x[c] = clopt__number_at(stored(t), t->plate[plate].got, 4 * i + (size_t)c);
}

void clopt__fill_points(struct trial *t, unsigned plate, size_t first, size_t n)
{
	const size_t bytes = 4 * clopt__number_bytes(stored(t));
	double x[4];
	size_t i;
	int c;

	for (i = first; i < first + n; i++) {
		for (c = 0; c < 4; c++)
			x[c] = clopt__random(&t->random) + (c == 3 ? 1.5 : 0);
		clopt__numbers_pack(stored(t), 1, x, t->plate[plate].sent + i * bytes);
	}
}

/* Whether three numbers, and the fourth as it was, are there. */
static int is_point(struct trial *t, const char *name, unsigned plate, size_t i, const double *want,
                    double bound)
{
	double got[4];
	size_t c;

	clopt__after(t, plate, i, got);
	for (c = 0; c < 4; c++)
		if (!clopt__near(t, name, i, c, got[c], want[c], c < 3 ? bound : 0))
			return 0;
	return 1;
}

/* ---- leapfrog: v += a kick, x += v drift ------------------------------------- */

#define KICK 0.375
#define DRIFT 0.8125

static int describe_leapfrog(struct clopt *ctx, struct trial *t)
{
	(void)ctx;
	t->problem.dim[0] = t->v->out[0] + 7;
	t->real[0][0] = KICK;
	t->real[0][1] = DRIFT;
	return t->number == 0;
}

static void fill_leapfrog(struct trial *t)
{
	unsigned plate;

	for (plate = 0; plate < 3; plate++)
		clopt__fill_points(t, plate, 0, t->problem.dim[0]);
}

static int judge_leapfrog(struct clopt *ctx, struct trial *t)
{
	size_t i, c;

	(void)ctx;
	for (i = 0; i < t->problem.dim[0]; i++) {
		double x[4], v[4], a[4];

		clopt__before(t, 0, i, x);
		clopt__before(t, 1, i, v);
		clopt__before(t, 2, i, a);
		for (c = 0; c < 3; c++) {
			v[c] += KICK * a[c];
			x[c] += DRIFT * v[c];
		}
		/* Sums of numbers up to 1: 4 roundings, some of them fused. */
		if (!is_point(t, "velocities", 1, i, v, 8 * ROUND_FLOAT) ||
		    !is_point(t, "bodies", 0, i, x, 8 * ROUND_FLOAT))
			return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_leapfrog = { describe_leapfrog, fill_leapfrog, judge_leapfrog,
	                                       3 };

/* ---- evolve-step: cl/evolve/step.cl has the formulas ------------------------- */

#define BACK 0.5
#define AHEAD 0.25

static int describe_step(struct clopt *ctx, struct trial *t)
{
	(void)ctx;
	t->problem.dim[0] = t->v->out[0] + 7;
	t->real[0][0] = t->number == 0 ? BACK : 0;
	t->real[0][1] = AHEAD;
	return t->number < 2;
}

static void fill_step(struct trial *t)
{
	const size_t n = t->problem.dim[0];

	clopt__fill_points(t, 0, 0, 2 * n);
	clopt__fill_points(t, 2, 0, has_jerk(t) ? 4 * n : n);
}

/* Half a kick to end a step; half a kick and a drift. */
static void kick_drift(const struct trial *t, size_t i, double *x, double *v)
{
	double a[4];
	int c;

	clopt__before(t, 2, i, a);
	for (c = 0; c < 3; c++) {
		v[c] += (t->real[0][0] + AHEAD) / 2 * a[c];
		x[c] += AHEAD * v[c];
	}
}

/* Hermite's correction. */
static void correct(const struct trial *t, size_t i, double *x, double *v)
{
	const size_t n = t->problem.dim[0];
	const double h = t->real[0][0];
	double a1[4], j1[4], a0[4], j0[4];
	int c;

	clopt__before(t, 2, i, a1);
	clopt__before(t, 2, n + i, j1);
	clopt__before(t, 2, 2 * n + i, a0);
	clopt__before(t, 2, 3 * n + i, j0);
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

	clopt__before(t, 2, i, a);
	clopt__before(t, 2, n + i, j);
	if (!is_point(t, "rates", 2, 2 * n + i, a, 0) || !is_point(t, "rates", 2, 3 * n + i, j, 0))
		return 0;
	for (c = 0; c < 3; c++) {
		x[c] += AHEAD * (v[c] + AHEAD / 2 * (a[c] + AHEAD / 3 * j[c]));
		v[c] += AHEAD * (a[c] + AHEAD / 2 * j[c]);
	}
	return is_point(t, "next", 1, i, x, bound) && is_point(t, "next", 1, n + i, v, bound);
}

static int judge_step(struct clopt *ctx, struct trial *t)
{
	const size_t n = t->problem.dim[0];
	/* Some dozens of operations on numbers up to 3. */
	const double bound = 100 * clopt__body_unit(t);
	double x[4], v[4];
	size_t i;

	(void)ctx;
	for (i = 0; i < n; i++) {
		clopt__before(t, 0, i, x);
		clopt__before(t, 0, n + i, v);
		if (!has_jerk(t))
			kick_drift(t, i, x, v);
		else if (t->real[0][0] != 0)
			correct(t, i, x, v);
		if (!is_point(t, "state", 0, i, x, bound) ||
		    !is_point(t, "state", 0, n + i, v, bound) ||
		    (has_jerk(t) && !judge_hermite(t, i, x, v, bound)))
			return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_step = { describe_step, fill_step, judge_step, 7 };
