/* SPDX-License-Identifier: MIT */
/*
 * verify_force.c - what bodies feel, and their conserved sums, at a kernel's first use:
 * each number against the formulas in double.  There are few enough bodies for that, so
 * the momentum, which forces between them leave alone, would tell nothing more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- evolve-force ------------------------------------------------------------- */

#define G 1.25
#define SOFTENING2 0.0625

static int describe_force(struct clopt *ctx, struct trial *t)
{
	(void)ctx;
	t->problem.dim[0] = 256 + t->v->out[0] + 7; /* more than a tile of sources */
	t->real[0][0] = G;
	t->real[0][1] = SOFTENING2;
	return t->number == 0;
}

static void fill_force(struct trial *t)
{
	clopt__fill_points(t, 0, 0, 2 * t->problem.dim[0]);
}

/* Accelerations and the potential, and the jerk; the magnitudes of their terms. */
struct pulls {
	double acc[4], jerk[3], size[3];
};

/* x and y: a place and a mass, and then the velocity. */
static void pull(const double *x, const double *y, struct pulls *r)
{
	double d[3], u[3], d2 = 0, du = 0, u2 = 0, root, m;
	int c;

	for (c = 0; c < 3; c++) {
		d[c] = y[c] - x[c];
		u[c] = y[4 + c] - x[4 + c];
		d2 += d[c] * d[c];
		du += d[c] * u[c];
		u2 += u[c] * u[c];
	}
	if (d2 == 0)
		return;
	root = 1 / sqrt(d2 + SOFTENING2);
	m = G * y[3] * root * root * root;
	r->acc[3] -= G * y[3] * root;
	r->size[0] += m * sqrt(d2);
	r->size[1] += m * 4 * sqrt(u2);
	r->size[2] += G * y[3] * root;
	for (c = 0; c < 3; c++) {
		r->acc[c] += m * d[c];
		r->jerk[c] += m * (u[c] - 3 * du * root * root * d[c]);
	}
}

/* Each number of one body's rates. */
static int judge_body(struct trial *t, size_t i, const struct pulls *r)
{
	const size_t n = t->problem.dim[0];
	/* Of a term: differences, a root and products, each a few roundings, in places up to
	 * 1 that the softening keeps a quarter apart. */
	const double share = clopt__body_unit(t) * (64 + 2 * clopt__sum_units(n));
	double got[4];
	size_t c;

	clopt__after(t, 1, i, got);
	for (c = 0; c < 3; c++)
		if (!clopt__near(t, "rates", i, c, got[c], r->acc[c], share * r->size[0]))
			return 0;
	if ((t->problem.outputs & PHI) &&
	    !clopt__near(t, "rates", i, 3, got[3], r->acc[3], share * r->size[2]))
		return 0;
	if (!(t->problem.outputs & JERK))
		return 1;
	clopt__after(t, 1, n + i, got);
	for (c = 0; c < 3; c++)
		if (!clopt__near(t, "rates", n + i, c, got[c], r->jerk[c], share * r->size[1]))
			return 0;
	return 1;
}

static int judge_force(struct clopt *ctx, struct trial *t)
{
	const size_t n = t->problem.dim[0];
	double *body = malloc(8 * n * sizeof *body);
	struct pulls r;
	size_t i, j;
	int right = 1;

	if (!body)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check %s", t->v->name);
	for (i = 0; i < n; i++) {
		clopt__before(t, 0, i, body + 8 * i);
		clopt__before(t, 0, n + i, body + 8 * i + 4);
	}
	for (i = 0; right && i < n; i++) {
		memset(&r, 0, sizeof r);
		for (j = 0; j < n; j++)
			pull(body + 8 * i, body + 8 * j, &r);
		right = judge_body(t, i, &r);
	}
	free(body);
	return right ? CLOPT_OK : CLOPT_EWRONG;
}

const struct checker clopt__check_force = { describe_force, fill_force, judge_force, 2 };

/* ---- evolve-sums --------------------------------------------------------------- */

#define MASS_UNIT 0.5

static int describe_sums(struct clopt *ctx, struct trial *t)
{
	(void)ctx;
	t->problem.dim[0] = t->v->out[0] + 101;
	t->real[0][0] = MASS_UNIT;
	return t->number == 0;
}

static void fill_sums(struct trial *t)
{
	const size_t n = t->problem.dim[0];

	clopt__fill_points(t, 0, 0, 2 * n);
	clopt__fill_points(t, 1, 0, n);
}

/* What one body adds; cl/evolve/sums.cl has the order. */
static void tally(const struct trial *t, size_t i, double *sum)
{
	double x[4], v[4], r[4], m;
	int c;

	clopt__before(t, 0, i, x);
	clopt__before(t, 0, t->problem.dim[0] + i, v);
	clopt__before(t, 1, i, r);
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

static int judge_sums(struct clopt *ctx, struct trial *t)
{
	const size_t n = t->problem.dim[0], out = t->v->out[0], groups = (n + out - 1) / out;
	size_t group, i, c;

	(void)ctx;
	for (group = 0; group < groups; group++) {
		const size_t first = group * out, end = first + out < n ? first + out : n;
		double sum[SUMS] = { 0 };

		for (i = first; i < end; i++)
			tally(t, i, sum);
		/* Terms are up to 4. */
		for (c = 0; c < SUMS; c++)
			if (!clopt__near(t, "sums", group, c,
			                 clopt__number_at(t->problem.precision, t->plate[2].got,
			                                  group * SUMS + c),
			                 sum[c],
			                 4 * clopt__body_unit(t) * (double)out * (double)out))
				return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_sums = { describe_sums, fill_sums, judge_sums, 4 };
