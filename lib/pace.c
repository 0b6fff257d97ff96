/* SPDX-License-Identifier: MIT */
/*
 * pace.c - how fast a kernel is, before any call has told.
 *
 * It runs on problems of the kind that grow towards the one that is asked about,
 * until a run takes long enough to see past the cost of a launch.
 */
#include <stdlib.h>
#include <string.h>

#include "physics.h"
#include "stream.h"

/* A run of so many seconds tells enough, if it took as much longer than the one before
 * as it had more to do: else it is still the cost of a launch, which on a busy host may
 * be tens of milliseconds. */
#define ENOUGH_SECONDS 4e-3
#define LAUNCH_GROWTH 16

/* All of them together end soon after that. */
#define MOST_SECONDS 0.1

/* The shortest of so many counts: drivers may compile at the first, and others may
 * have work for the device too. */
#define RUNS 3

#define MOST_BYTES ((size_t)32 << 20) /* of an array */
#define SAMPLE_BYTES ((size_t)1 << 20) /* of what it is filled with, again and again */

/* All sizes begin here. */
#define LEAST 64

/* Numbers in [0.5, 1) as the arrays hold them: neither denormal nor NaN, and no two
 * points at one place. */
static void fill_sample(char *sample, const struct clopt_problem *p)
{
	const int two = p->precision == CLOPT_PRECISION_DOUBLE_SINGLE && p->elem_bytes == 8;
	uint32_t state = 1;
	size_t i;

	for (i = 0; i < SAMPLE_BYTES / 8; i++, sample += 8) {
		float f[2];
		double d;
		uint16_t h[4];
		int j;

		for (j = 0; j < 4; j++) {
			state = state * 1664525u + 1013904223u;
			h[j] = (uint16_t)(0x3800u | state >> 22);
			f[j / 2] = 0.5f + (float)(state >> 9) / (float)(1 << 24);
		}
		d = f[0];
		if (two)
			f[1] = 0;
		memcpy(sample,
		       p->elem_bytes == 2         ? (const void *)h :
		       p->elem_bytes == 8 && !two ? (const void *)&d :
		                                    f,
		       8);
	}
}

/* A problem that is run: its arrays. */
struct trial {
	struct job job;
	struct work w;
	struct array array[MAX_OPERANDS];
};

static void close_arrays(struct trial *t)
{
	unsigned i;

	for (i = 0; i < t->w.operands; i++)
		clopt__array_close(&t->array[i]);
}

/* Each array begins elsewhere in the sample, so that targets are not sources. */
static int fill(struct clopt *ctx, struct array *a, const char *sample, size_t from)
{
	size_t at, bytes;
	const char *call;
	int copied, rc = CLOPT_OK;

	for (at = 0; at < a->bytes; at += bytes, from = 0) {
		struct transfer t = { 0, a->mem, at, 0, NULL, 0, 1, 0 };

		bytes = SAMPLE_BYTES - from;
		bytes = bytes < a->bytes - at ? bytes : a->bytes - at;
		t.host = (char *)(uintptr_t)sample + from;
		t.pitch_bytes = t.host_pitch_bytes = t.row_bytes = bytes;
		TRY_CL(ctx, clopt__copy(ctx->queue[0], &t, CL_FALSE, (struct wait){ 0, NULL }, NULL,
		                        &call));
	}
	TRY(clopt__array_fill(ctx, ctx->queue[0], a, a->rows, NULL, &copied));
out:
	return rc;
}

static int open_arrays(struct clopt *ctx, struct trial *t, const char *sample)
{
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < t->w.operands; i++) {
		const struct operand *o = &t->job.operand[i];

		if (!o->use)
			continue;
		TRY(clopt__array_open(ctx, o->rows, o->columns * o->elem_bytes,
		                      clopt__layout(&t->w, i), &t->array[i]));
		if (o->use & OPERAND_IN)
			TRY(fill(ctx, &t->array[i], sample, i * SAMPLE_BYTES / MAX_OPERANDS));
	}
out:
	return rc;
}

static int time_kernel(struct clopt *ctx, struct trial *t, double *seconds)
{
	const struct array *arrays[MAX_OPERANDS];
	struct block all = { { 0, 0, 0 }, { 0, 0, 0 } };
	unsigned i;
	int rc = CLOPT_OK;

	memcpy(all.count, t->w.dim, sizeof all.count);
	for (i = 0; i < t->w.operands; i++)
		arrays[i] = &t->array[i];
	*seconds = 0;
	TRY_CL(ctx, clFinish(ctx->queue[0]));
	for (i = 0; i < RUNS; i++) {
		const double begin = clopt__now();
		double took;

		TRY(t->w.launch(ctx, ctx->queue[0], &t->w, &all, arrays, (struct wait){ 0, NULL },
		                NULL));
		TRY_CL(ctx, clFinish(ctx->queue[0]));
		took = clopt__now() - begin;
		*seconds = i && *seconds < took ? *seconds : took;
	}
out:
	return rc;
}

/* Whether it can be run at once, in little memory. */
static int is_small(struct clopt *ctx, struct trial *t)
{
	struct plan p;
	unsigned i;

	if (clopt__plan(ctx, &t->w, &p) != CLOPT_OK || p.blocks[0] * p.blocks[1] * p.blocks[2] > 1)
		return 0;
	for (i = 0; i < t->w.operands; i++)
		if (clopt__array_bytes(t->job.operand[i].rows,
		                       t->job.operand[i].columns * t->job.operand[i].elem_bytes,
		                       clopt__layout(&t->w, i)) > MOST_BYTES)
			return 0;
	return 1;
}

/* The kernel's numbers matter little to its speed, if none is infinite. */
static void set_numbers(struct job *job)
{
	const struct op *op = &clopt__ops[job->problem.op];
	unsigned i;

	for (i = 0; i < MAX_REALS; i++)
		job->real[i] = 1;
	job->real[op->keep] = op->sum == NO_DIM ? 1 : 0;
	if (op->reals == MAX_REALS) {
		clopt__low_parts(job->problem.law, job->real);
		job->real[REAL_LAW] = job->problem.law;
	}
}

/* *seconds 0: it is not small. */
static int run(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
               const struct clopt_problem *p, const char *sample, double *seconds)
{
	struct trial t;
	int rc = CLOPT_OK;

	memset(&t, 0, sizeof t);
	*seconds = 0;
	TRY(clopt__suppose(ctx, p, &t.job));
	set_numbers(&t.job);
	clopt__work(&t.job, v, &t.w);
	t.w.kernel = kernel;
	if (!is_small(ctx, &t))
		return CLOPT_OK;
	TRY(open_arrays(ctx, &t, sample));
	TRY(time_kernel(ctx, &t, seconds));
out:
	clFinish(ctx->queue[0]); /* nothing reads the sample any more */
	close_arrays(&t);
	return rc;
}

/* Twice as large as often as it takes, always along what is the smallest part of
 * what is asked about.  0: it is that already. */
static int grow(const struct clopt_problem *whole, struct clopt_problem *p, double times)
{
	const size_t most[4] = { whole->dim[0], whole->dim[1], whole->dim[2], whole->batch };
	size_t *const now[4] = { &p->dim[0], &p->dim[1], &p->dim[2], &p->batch };
	int i, d, grown = 0;

	for (; times >= 2; times /= 2) {
		for (i = d = 0; i < 4; i++)
			if (most[i] &&
			    (double)most[i] / (double)*now[i] > (double)most[d] / (double)*now[d])
				d = i;
		if (*now[d] >= most[d])
			break;
		*now[d] = *now[d] > most[d] / 2 ? most[d] : 2 * *now[d];
		grown = 1;
	}
	if (p->triangle)
		p->dim[0] = p->dim[1] = p->dim[0] > p->dim[1] ? p->dim[0] : p->dim[1];
	return grown;
}

/* How many times larger the next run should be, given that of now and the one before;
 * 0: this one tells. */
static double next(const struct pace *before, const struct pace *now)
{
	const double seconds = now->seconds * now->units;

	if (seconds < ENOUGH_SECONDS)
		return seconds > ENOUGH_SECONDS / 2 ? 2 : ENOUGH_SECONDS / seconds;
	return now->seconds >= before->seconds / 2 && before->seconds > 0 ? 0 : LAUNCH_GROWTH;
}

int clopt__pace_try(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                    const struct clopt_problem *problem)
{
	struct clopt_problem p = *problem;
	struct pace *pace = clopt__pace(ctx, kernel), before = { 0, 0, 0 };
	char *sample = malloc(SAMPLE_BYTES);
	double seconds, spent = 0, times;
	int i, rc = CLOPT_OK;

	if (!sample)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to try %s", v->name);
	fill_sample(sample, problem);
	for (i = 0; i < 3; i++)
		p.dim[i] = p.dim[i] < LEAST ? p.dim[i] : LEAST;
	p.batch = p.batch > 1 ? 2 : 1;
	do {
		TRY(run(ctx, v, kernel, &p, sample, &seconds));
		if (seconds == 0)
			break;
		*pace = (struct pace){ seconds / clopt__units(&p), clopt__units(&p), 1 };
		spent += RUNS * seconds;
		times = next(&before, pace);
		before = *pace;
	} while (times > 0 && spent < MOST_SECONDS && grow(problem, &p, times));
out:
	free(sample);
	return rc;
}
