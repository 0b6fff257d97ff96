/* SPDX-License-Identifier: MIT */
/*
 * result.c - CLOPT_CHECK_ALWAYS: the result of a call on arrays is checked before the caller
 * gets it, and if it is wrong the row is struck out, and what the call reads and writes is as
 * it was before.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Targets that are computed again: so many pairs of them, and 8 at the least. */
#define PAIRS ((size_t)1 << 16)
#define TARGETS ((size_t)8)
#define WORTH ((size_t)1 << 19) /* bytes to copy that are worth a thread */

static const struct operand *result(const struct job *job)
{
	return &job->operand[clopt__ops[job->problem.op]->operands - 1];
}

/* Rows of the result's array, from the caller's memory or back to it. */
struct copying {
	const struct operand *o;
	char *copy;
	int back;
};

static void copy_rows(void *what, unsigned part, size_t first, size_t count)
{
	const struct copying *c = what;
	const struct operand *o = c->o;
	const size_t row_bytes = o->columns * o->elem_bytes, pitch = o->ld * o->elem_bytes;
	char *host = o->host;
	size_t i;

	(void)part;
	for (i = first; i < first + count; i++)
		if (c->back)
			memcpy(host + i * pitch, c->copy + i * row_bytes, row_bytes);
		else
			memcpy(c->copy + i * row_bytes, host + i * pitch, row_bytes);
}

static void copy_result(const struct job *job, char *copy, int back)
{
	const struct operand *o = result(job);
	struct copying c = { o, copy, back };

	clopt__in_parts(o->rows, WORTH / (o->columns * o->elem_bytes) + 1, copy_rows, &c);
}

int clopt__guard_open(struct clopt *ctx, const struct job *job, struct guard *g)
{
	const struct operand *o = result(job);
	const size_t bytes = o->rows * o->columns * o->elem_bytes;

	memset(g, 0, sizeof *g);
	g->seed = (uint64_t)(clopt__now() * 1e9);
	if (o->use & OPERAND_IN) {
		g->copy = malloc(bytes ? bytes : 1);
		if (!g->copy)
			return clopt__fail(
			        ctx, CLOPT_ENOMEM,
			        "no memory for a copy of %s, %zu bytes, to check its result by",
			        o->name, bytes);
		copy_result(job, g->copy, 0);
	}
	if (job->problem.op == CLOPT_MATMUL) {
		g->room = malloc(clopt__freivalds_bytes(&job->problem));
		if (!g->room)
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check the result");
	}
	return CLOPT_OK;
}

void clopt__guard_close(struct guard *g)
{
	free(g->room);
	free(g->copy);
	memset(g, 0, sizeof *g);
}

/* ---- Transposes: several rows at a time ---------------------------------------- */

struct turning {
	struct turned matrix;
	char why[MOST_PARTS][WHY_SIZE];
};

static void turn_part(void *what, unsigned part, size_t first, size_t count)
{
	struct turning *t = what;
	size_t i, j;

	if (!clopt__turned(&t->matrix, first, count, &i, &j))
		clopt__turned_text(&t->matrix, i, j, t->why[part]);
}

static int judge_transpose(const struct job *job, char *why)
{
	const struct operand *in = &job->operand[0], *out = &job->operand[1];
	struct turning t = { .matrix = { .in = in->host,
		                         .out = out->host,
		                         .rows = in->rows,
		                         .cols = in->columns,
		                         .elem_bytes = in->elem_bytes,
		                         .in_pitch = in->ld * in->elem_bytes,
		                         .out_pitch = out->ld * out->elem_bytes,
		                         .scaled = job->problem.scaled,
		                         .alpha = job->real[0] } };
	unsigned i;

	clopt__in_parts(in->rows, ((size_t)1 << 17) / in->columns + 1, turn_part, &t);
	for (i = 0; i < MOST_PARTS; i++)
		if (*t.why[i]) {
			memcpy(why, t.why[i], WHY_SIZE);
			return CLOPT_EWRONG;
		}
	return CLOPT_OK;
}

static int judge_transposes(const struct job *job, char *why)
{
	struct job one;
	size_t i;
	int rc = CLOPT_OK;

	if (job->problem.batch == 1)
		return judge_transpose(job, why);
	for (i = 0; rc == CLOPT_OK && i < job->problem.batch; i++) {
		clopt__batch_one(job, i, &one);
		rc = judge_transpose(&one, why);
	}
	return rc;
}

/* ---- Sums over pairs ------------------------------------------------------------- */

static int judge_target(const struct job *job, size_t i, char *why)
{
	const struct operand *o = job->operand;
	const struct pulling p = { &job->problem, job->real, job->problem.dim[0], o[0].host,
		                   o[1].host };
	const float *out = (const float *)o[4].host + i * o[4].ld;
	const float *normals = o[3].host;
	struct pulled r;
	size_t j;

	clopt__pull(&p, (const float *)o[2].host + 4 * i, normals ? normals + 4 * i : NULL, &r);
	for (j = 0; j < r.count; j++)
		if (r.bound[j] <= DBL_MAX && !(fabs((double)out[j] - r.value[j]) <= r.bound[j])) {
			snprintf(why, WHY_SIZE,
			         "gave a wrong result: %s(%zu, %zu) of %zu sources and %zu targets "
			         "is %.9g, right is %.9g, give or take %.2g",
			         o[4].name, i, j, job->problem.dim[0], job->problem.dim[1],
			         (double)out[j], r.value[j], r.bound[j]);
			return 0;
		}
	return 1;
}

struct judging {
	const struct job *job;
	size_t targets; /* that are judged */
	uint64_t seed;
	char why[MOST_PARTS][WHY_SIZE];
	int wrong[MOST_PARTS];
};

/* All; or the first, the last, and one from each stretch between them. */
static size_t target_of(const struct judging *g, size_t i)
{
	const size_t n = g->job->problem.dim[1];
	uint64_t seed = g->seed + i;

	if (i == 0 || g->targets == n)
		return i;
	if (i == g->targets - 1)
		return n - 1;
	return (size_t)(((double)i + (clopt__random(&seed) + 1) / 2) / (double)g->targets *
	                (double)n);
}

static void judge_part(void *what, unsigned part, size_t first, size_t count)
{
	struct judging *g = what;
	size_t i;

	for (i = first; i < first + count && !g->wrong[part]; i++)
		g->wrong[part] = !judge_target(g->job, target_of(g, i), g->why[part]);
}

int clopt__judge_targets(const struct job *job, uint64_t seed, char *why)
{
	const size_t sources = job->problem.dim[0] ? job->problem.dim[0] : 1;
	const size_t n = job->problem.dim[1];
	struct judging g = { .job = job, .seed = seed };
	unsigned i;

	g.targets = PAIRS / sources > TARGETS ? PAIRS / sources : TARGETS;
	g.targets = g.targets < n ? g.targets : n;
	clopt__in_parts(g.targets, PAIRS / 4 / sources + 1, judge_part, &g);
	for (i = 0; i < MOST_PARTS; i++)
		if (g.wrong[i]) {
			memcpy(why, g.why[i], WHY_SIZE);
			return CLOPT_EWRONG;
		}
	return CLOPT_OK;
}

int clopt__guard_check(struct clopt *ctx, const struct job *job, struct guard *g,
                       const struct variant *v, cl_kernel kernel)
{
	char why[WHY_SIZE];
	int rc;

	switch (job->problem.op) {
	case CLOPT_MATMUL:
		rc = clopt__freivalds(job, g->copy, g->room, g->seed, v, why);
		break;
	case CLOPT_TRANSPOSE:
		rc = judge_transposes(job, why);
		break;
	default:
		rc = clopt__judge_targets(job, g->seed, why);
	}
	if (rc == CLOPT_EWRONG) {
		if (g->copy)
			copy_result(job, g->copy, 1);
		rc = clopt__reject(ctx, kernel, why);
	}
	return rc;
}
