/* SPDX-License-Identifier: MIT */
/*
 * pair.c - sums over pairs at a kernel's first use, and the results of calls.
 *
 * There are more targets than a group takes and more sources than a tile, but only PLACES different
 * targets, so all results can be compared for the price of a few.  Some targets are at the places of
 * sources, which then add nothing.  The kernel runs twice and the second launch adds to the results,
 * as where sources are cut.  Sums of more precision than float32 pass on partial sums there, so they
 * have two trials: one with a single launch, one with partial sums.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

#define PLACES 61u /* a prime: no tile or vector has a multiple of it */
#define MOST_TARGETS ((size_t)1024)
#define SOURCES ((size_t)531)
#define RADIUS 10.0

/* The numbers of a law, from options that lead to it. */
static int potential_numbers(const struct clopt_problem *p, double *real)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_problem scratch = *p;

	scratch.normals = 1;
	o.scale = 1.3;
	o.eps_in = 4;
	o.radius = RADIUS;
	o.kappa = p->law == CLOPT_LAW_ALPB_INSIDE ? 0 : 0.125;
	o.law = p->law <= CLOPT_LAW_DEBYE ? p->law : CLOPT_LAW_ALPB;
	o.projection = p->law == CLOPT_LAW_ALPB_SALT ? 1 :
	               p->law == CLOPT_LAW_ALPB_FAR  ? 3 :
	               o.law == CLOPT_LAW_ALPB       ? -0.5 :
	                                               0;
	clopt__potential_defaults(&o);
	return clopt__law_reals(NULL, &o, 0.7, &scratch, real);
}

static void gravity_numbers(const struct clopt_problem *p, double *real)
{
	real[REAL_SCALE] = -1.3;
	real[REAL_SOFTENING2] = 0.01;
	real[REAL_LAW] = p->law;
	clopt__law_low_parts(p->law, real);
}

static int describe(struct trial *t)
{
	const size_t tile = t->v->out[0] < MOST_TARGETS ? t->v->out[0] : MOST_TARGETS;
	const int parts = t->problem.precision != CLOPT_PRECISION_FLOAT;
	int rc = CLOPT_OK;

	t->problem.dim[0] = SOURCES;
	t->problem.dim[1] = tile + 63;
	t->steps = parts && t->number == 0 ? 1 : 2;
	t->part_bytes = parts && t->number == 1 ? clopt__ops[t->v->op]->part_bytes : 0;
	if (t->problem.op == CLOPT_OP_NBODY)
		gravity_numbers(&t->problem, t->real[0]);
	else
		rc = potential_numbers(&t->problem, t->real[0]);
	memcpy(t->real[1], t->real[0], sizeof t->real[1]);
	t->real[0][REAL_KEEP] = t->part_bytes ? 2 : 0;
	t->real[1][REAL_KEEP] = 1;
	return t->number <= (unsigned)parts && rc == CLOPT_OK;
}

static void put(char *at, double x, double y, double z, double w)
{
	const float point[4] = { (float)x, (float)y, (float)z, (float)w };

	memcpy(at, point, sizeof point);
}

/* A random point between the inner and the outer radius. */
static void put_random(struct trial *t, char *at, double inner, double outer, double w)
{
	double x[3], size = 0;
	int i;

	do {
		for (i = 0; i < 3; i++)
			x[i] = outer * clopt__random(&t->random);
		size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
	} while (size < inner || size > outer);
	put(at, x[0], x[1], x[2], w);
}

static void fill_targets(struct trial *t)
{
	const struct trial_array *sources = &t->array[0], *targets = &t->array[2];
	const struct trial_array *normals = &t->array[3];
	const int alpb = t->real[0][REAL_RADIUS] > 0;
	size_t i;

	for (i = 0; i < targets->rows; i++) {
		char *const at = clopt__sent(targets, 0, i, 0);

		if (i >= PLACES)
			memcpy(at, clopt__sent(targets, 0, i % PLACES, 0), 16);
		else if (i % 8 == 3 && !alpb)
			memcpy(at, clopt__sent(sources, 0, SOURCES - 1 - 7 * i, 0), 16);
		else
			put_random(t, at, alpb ? RADIUS - 0.01 : 0, RADIUS, 0.3);
		if (normals->bytes && i < PLACES)
			put_random(t, clopt__sent(normals, 0, i, 0), 0.5, 1, alpb ? 0 : 0.2);
		else if (normals->bytes)
			memcpy(clopt__sent(normals, 0, i, 0),
			       clopt__sent(normals, 0, i % PLACES, 0), 16);
	}
}

static void fill(struct trial *t)
{
	const struct trial_array *sources = &t->array[0], *depths = &t->array[1];
	size_t i;

	for (i = 0; i < SOURCES; i++) {
		const float depth = (float)(2 + clopt__random(&t->random));
		const double w = 1.5 + clopt__random(&t->random);

		put_random(t, clopt__sent(sources, 0, i, 0), 0, 0.8 * RADIUS,
		           t->problem.op == CLOPT_OP_NBODY || i % 3 ? w : -w);
		if (depths->bytes)
			memcpy(clopt__sent(depths, 0, i, 0), &depth, sizeof depth);
	}
	fill_targets(t);
}

static const float *points(const struct trial_array *p, size_t i)
{
	return p->bytes ? (const float *)(const void *)clopt__sent(p, 0, i, 0) : NULL;
}

/* Each launch adds the sum once; the constants are added once in all. */
static void expect(const struct trial *t, struct pair_values *right)
{
	double real[MAX_REALS];
	const struct pair_sum p = { &t->problem, real, SOURCES, points(&t->array[0], 0),
		                    points(&t->array[1], 0) };
	size_t i;

	memcpy(real, t->real[0], sizeof real);
	real[REAL_SCALE] *= (double)t->steps;
	for (i = 0; i < PLACES; i++)
		clopt__pair_values(&p, points(&t->array[2], i), points(&t->array[3], i), &right[i]);
}

static int judge(struct trial *t)
{
	struct pair_values right[PLACES];
	const struct trial_array *out = &t->array[4];
	size_t i, j;

	expect(t, right);
	for (i = 0; i < out->rows; i++) {
		const struct pair_values *r = &right[i % PLACES];

		for (j = 0; j < r->count; j++) {
			const double got = clopt__element(clopt__got(out, 0, i, j), 4);

			if (!clopt__near(t, clopt__ops[t->v->op]->operand[4], i, j, got,
			                 r->value[j], r->bound[j]))
				return CLOPT_EWRONG;
		}
	}
	return CLOPT_OK;
}

/* ---- The result of a call: some targets ------------------------------------------ */

/* About PAIRS pairs are computed again, but those of TARGETS targets at least. */
#define PAIRS ((size_t)1 << 16)
#define TARGETS ((size_t)8)

static void judge_target(const struct job *job, size_t i, char *why)
{
	const struct operand *o = job->operand;
	const struct pair_sum p = { &job->problem, job->real, job->problem.dim[0], o[0].host,
		                    o[1].host };
	const float *out = (const float *)o[4].host + i * o[4].ld;
	const float *normals = o[3].host;
	struct pair_values r;
	size_t j;

	clopt__pair_values(&p, (const float *)o[2].host + 4 * i, normals ? normals + 4 * i : NULL,
	                   &r);
	for (j = 0; j < r.count; j++)
		if (r.bound[j] <= DBL_MAX && !(fabs((double)out[j] - r.value[j]) <= r.bound[j])) {
			clopt__say_wrong(&job->problem, o[4].name, i, j, (double)out[j], r.value[j],
			                 r.bound[j], why);
			return;
		}
}

struct targets {
	const struct job *job;
	size_t count; /* that are judged */
	uint64_t seed;
};

/* All targets; or the first, the last, and a random one of each equal stretch between them. */
static size_t target_of(const struct targets *t, size_t i)
{
	const size_t n = t->job->problem.dim[1];
	uint64_t seed = t->seed + i;

	if (i == 0 || t->count == n)
		return i;
	if (i == t->count - 1)
		return n - 1;
	return (size_t)(((double)i + (clopt__random(&seed) + 1) / 2) / (double)t->count *
	                (double)n);
}

static void judge_targets(const void *what, size_t first, size_t count, char *why)
{
	const struct targets *t = what;
	size_t i;

	for (i = first; i < first + count && !*why; i++)
		judge_target(t->job, target_of(t, i), why);
}

static int judge_result(const struct job *job, const struct guard *g, const struct variant *v,
                        char *why)
{
	const size_t sources = job->problem.dim[0] ? job->problem.dim[0] : 1;
	const size_t n = job->problem.dim[1];
	struct targets t = { job, PAIRS / sources > TARGETS ? PAIRS / sources : TARGETS, g->seed };

	(void)v;
	t.count = t.count < n ? t.count : n;
	return clopt__judge_in_parts(t.count, PAIRS / 4 / sources + 1, judge_targets, &t, why);
}

const struct checker clopt__check_pair = { .describe = describe,
	                                   .fill = fill,
	                                   .judge = judge,
	                                   .results = 1u << 4,
	                                   .result = judge_result };
