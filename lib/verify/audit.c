/* SPDX-License-Identifier: MIT */
/*
 * audit.c - measures the errors of calls for clopt_selfcheck, as the caller gets the results.
 * Calls on arrays are judged as by CLOPT_CHECK_ALWAYS (result.c), but nothing is computed again.
 * Bodies are judged after one step.  Each acceleration is summed in double at the positions before
 * the step and, for leapfrog, after it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* One audit per thread: calls of other threads on the context are not audited. */
static __thread struct audit *asked;

void clopt__audit(struct audit *a)
{
	asked = a;
}

int clopt__audits(void)
{
	return asked != NULL;
}

int clopt__audit_begin(struct clopt *ctx, const struct job *job, struct guard *g)
{
	int rc;

	if (!asked || !clopt__checkers[job->problem.op]->result || !job->operand[0].host)
		return CLOPT_OK;
	rc = clopt__guard_open(ctx, job, g);
	if (rc != CLOPT_OK)
		clopt__guard_close(g);
	else
		g->audit = asked;
	return rc;
}

int clopt__audit_end(struct clopt *ctx, struct guard *g, int rc)
{
	const char *name = ctx->report.variant;
	const struct variant *v;
	char why[WHY_SIZE];

	if (!g->audit)
		return rc;
	if (rc == CLOPT_OK && name &&
	    (v = clopt__named(ctx, name, strlen(name), why, sizeof why))) {
		if (clopt__guard_judge(g, v) == CLOPT_EWRONG && !*g->audit->why)
			memcpy(g->audit->why, g->why, sizeof g->why);
		g->audit->judged++;
	}
	clopt__guard_close(g);
	return rc;
}

/* ---- Bodies ---------------------------------------------------------------------------- */

/* About PAIRS pairs are summed, and at least those of LEAST_BODIES bodies. */
#define PAIRS ((size_t)1 << 20)
#define LEAST_BODIES ((size_t)32)

/* Accelerations and jerks of bodies, summed like the rows of nbody. */
struct summed {
	struct clopt_problem problem;
	struct pair_sum sum;
	double real[MAX_REALS];
	size_t point_bytes;
	char *points;
};

static int open_rates(const struct stepped *b, struct summed *r)
{
	const int doubles = b->precision != CLOPT_PRECISION_FLOAT;

	memset(r, 0, sizeof *r);
	r->problem.op = CLOPT_OP_NBODY;
	r->problem.law = CLOPT_LAW_GRAVITY;
	r->problem.dim[0] = r->problem.dim[1] = b->n;
	r->problem.precision = b->precision;
	r->problem.elem_bytes = doubles ? 8 : 4;
	r->problem.outputs = CLOPT_OUTPUTS_JERK;
	r->real[REAL_SCALE] = -b->g;
	r->real[REAL_SOFTENING2] = b->softening * b->softening;
	r->real[REAL_LAW] = CLOPT_LAW_GRAVITY;
	r->point_bytes = 8 * clopt__number_bytes(b->precision);
	r->points = malloc(b->n * r->point_bytes + 1);
	r->sum = (struct pair_sum){
		.problem = &r->problem, .real = r->real, .n = b->n, .sources = r->points
	};
	return r->points ? CLOPT_OK : CLOPT_ENOMEM;
}

static void place(struct summed *r, size_t i, const double *x, const double *v)
{
	double point[8] = { x[0], x[1], x[2], x[3], v[0], v[1], v[2], 0 };

	clopt__numbers_pack(r->problem.precision, 2, point, r->points + i * r->point_bytes);
}

static void rates_of(const struct summed *r, size_t i, struct pair_values *values)
{
	clopt__pair_values(&r->sum, r->points + i * r->point_bytes, NULL, values);
}

static void judge(struct audit *a, const char *what, size_t i, double got, double want,
                  double allowed)
{
	clopt__audit_note(a, fabs(got - want), allowed);
	if (!(fabs(got - want) <= allowed) && !*a->why)
		snprintf(a->why, sizeof a->why,
		         "gave a wrong result: %s %zu is %.9g, right is %.9g, give or take %.2g",
		         what, i, got, want, allowed);
}

/* Judge body i after a step: kick, drift, kick, or Hermite's. r0: rates at the first positions; r1:
 * at the last ones, or the predicted ones, which are off by a few roundings. slope: bounds the
 * change of r1 by that. */
static void judge_body(struct audit *a, const struct stepped *b, size_t i,
                       const struct pair_values *r0, const struct pair_values *r1, double slope)
{
	const double h = b->dt, u = 16 * clopt__body_unit(b->precision);
	size_t c;

	for (c = 0; c < 3; c++) {
		const double x = b->x[4 * i + c], v = b->v[4 * i + c];
		const double a0 = r0->value[c], a1 = r1->value[c];
		const double j0 = r0->value[4 + c], j1 = r1->value[4 + c];
		double moved = h * (v + h / 2 * a0), speed = v + h / 2 * (a0 + a1);
		double off = (r0->bound[c] + r1->bound[c]) / 2;
		double x_off = h * h / 2 * r0->bound[c] + u * (fabs(x) + fabs(moved));

		if (b->hermite) {
			moved = h * v + h * h / 60 * (21 * a0 + 9 * a1) +
			        h * h * h / 60 * (3 * j0 - 2 * j1);
			speed += h * h / 12 * (j0 - j1);
			off = r0->bound[c] + r1->bound[c] + u * slope +
			      h * (r0->bound[4 + c] + r1->bound[4 + c]);
			x_off = h * h * off + u * (fabs(x) + fabs(h * v));
		}
		judge(a, "a coordinate of body", i, b->new_x[4 * i + c], x + moved, x_off);
		judge(a, "a velocity of body", i, b->new_v[4 * i + c], speed,
		      h * off + u * (fabs(v) + fabs(speed)));
	}
	judge(a, "the mass of body", i, b->new_x[4 * i + 3], b->x[4 * i + 3], 0);
}

/* Replace positions and velocities by those that Hermite's step predicts. before: the rates there,
 * which are found first. */
static void predict(const struct stepped *b, struct summed *r, struct pair_values *before)
{
	const double h = b->dt;
	double x[4], v[4];
	size_t i;
	int c;

	for (i = 0; i < b->n; i++)
		rates_of(r, i, &before[i]);
	for (i = 0; i < b->n; i++) {
		const double *a = before[i].value, *j = a + 4;

		memcpy(x, b->x + 4 * i, sizeof x);
		memcpy(v, b->v + 4 * i, sizeof v);
		for (c = 0; c < 3; c++) {
			x[c] += h * (v[c] + h / 2 * (a[c] + h / 3 * j[c]));
			v[c] += h * (a[c] + h / 2 * j[c]);
		}
		place(r, i, x, v);
	}
}

int clopt__audit_step(struct audit *a, const struct stepped *b)
{
	const size_t some = PAIRS / (b->n + 1) > LEAST_BODIES ? PAIRS / (b->n + 1) : LEAST_BODIES;
	const size_t step = b->hermite || b->n <= some ? 1 : b->n / some;
	struct pair_values *before = malloc(b->n * sizeof *before + 1);
	struct summed r;
	double mass = 0, slope;
	size_t i;
	int rc = open_rates(b, &r);

	if (rc != CLOPT_OK || !before) {
		rc = CLOPT_ENOMEM;
		goto out;
	}
	for (i = 0; i < b->n; i++) {
		place(&r, i, b->x + 4 * i, b->v + 4 * i);
		mass += fabs(b->x[4 * i + 3]);
	}
	slope = 8 * b->g * mass / (b->softening * b->softening * b->softening);
	if (b->hermite)
		predict(b, &r, before);
	for (i = 0; !b->hermite && i < b->n; i += step)
		rates_of(&r, i, &before[i]);
	for (i = 0; !b->hermite && i < b->n; i++)
		place(&r, i, b->new_x + 4 * i, b->new_v + 4 * i);
	for (i = 0; i < b->n; i += step) {
		struct pair_values after;

		rates_of(&r, i, &after);
		judge_body(a, b, i, &before[i], &after, slope);
	}
	a->judged++;
out:
	free(r.points);
	free(before);
	return rc;
}

/* ---- Conserved sums ---------------------------------------------------------------------- */

/* Sums by index: mass, kinetic energy, potential; from 3, 6 and 9 on momentum, angular momentum and
 * centre. */
int clopt__audit_sums(struct audit *a, const struct stepped *b, const struct clopt_conserved *sums)
{
	static const char *const names[] = { "mass",     "kinetic energy",   "potential energy",
		                             "momentum", "angular momentum", "centre" };
	const double share = clopt__body_unit(b->precision) * (64 + 2 * clopt__sum_units(b->n));
	double sum[SUMS] = { 0 }, size[SUMS] = { 0 }, got[SUMS];
	struct pair_values value;
	struct summed r;
	size_t i;
	int c, rc = open_rates(b, &r);

	if (rc != CLOPT_OK)
		return rc;
	for (i = 0; i < b->n; i++)
		place(&r, i, b->x + 4 * i, b->v + 4 * i);
	for (i = 0; i < b->n; i++) {
		const double *x = b->x + 4 * i, *v = b->v + 4 * i, m = x[3];

		rates_of(&r, i, &value);
		sum[2] += m / 2 * value.value[3];
		size[2] += m / 2 * (value.bound[3] / share + fabs(value.value[3]));
		sum[0] += m;
		for (c = 0; c < 3; c++) {
			const int d = (c + 1) % 3, e = (c + 2) % 3;

			sum[1] += m / 2 * v[c] * v[c];
			sum[3 + c] += m * v[c];
			size[3 + c] += m * fabs(v[c]);
			sum[6 + c] += m * (x[d] * v[e] - x[e] * v[d]);
			size[6 + c] += m * (fabs(x[d] * v[e]) + fabs(x[e] * v[d]));
			sum[9 + c] += m * x[c];
			size[9 + c] += m * fabs(x[c]);
		}
	}
	free(r.points);
	size[0] = sum[0];
	size[1] = sum[1];
	memcpy(got, sums, sizeof got);
	for (c = 0; c < (int)SUMS; c++) {
		const double by = c < 9 || !(sum[0] > 0) ? 1 : sum[0];

		judge(a, names[c < 3 ? c : 2 + c / 3], (size_t)(c % 3), got[c], sum[c] / by,
		      share * size[c] / by);
	}
	a->judged++;
	return CLOPT_OK;
}
