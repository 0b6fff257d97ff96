/* SPDX-License-Identifier: MIT */
/*
 * trial.c - runs a kernel on a small problem: makes the arrays, launches, and finds stray writes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "check.h"

double clopt__sum_units(size_t n)
{
	return n < 64 ? (double)n : 8 * sqrt((double)n);
}

double clopt__body_unit(int precision)
{
	return precision == CLOPT_PRECISION_FLOAT         ? ROUND_FLOAT :
	       precision == CLOPT_PRECISION_DOUBLE_SINGLE ? 0x1p-44 :
	                                                    ROUND_DOUBLE;
}

/* Knuth's multiplier: the high bits are good. */
double clopt__random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(int64_t)*state * 0x1p-63;
}

/* The error's share of the allowed one; -1: nothing is noted. */
static double share(double error, double allowed)
{
	if (error <= 0)
		return allowed > 0 ? 0 : -1;
	return isfinite(error) && allowed > 0 ? error / allowed : INFINITY;
}

void clopt__audit_note(struct audit *a, double error, double allowed)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	/* NaN, and any error where none is allowed, count as farthest. */
	if (allowed < INFINITY && !(share(error, allowed) <= share(a->error, a->allowed))) {
		a->error = error;
		a->allowed = allowed;
	}
	pthread_mutex_unlock(&a->lock);
}

struct parts {
	void (*judge)(const void *what, size_t first, size_t count, char *why);
	const void *what;
	char why[MOST_PARTS][WHY_SIZE];
};

static void judge_part(void *what, unsigned part, size_t first, size_t count)
{
	struct parts *p = what;

	p->judge(p->what, first, count, p->why[part]);
}

int clopt__judge_in_parts(size_t n, size_t grain,
                          void (*judge)(const void *what, size_t first, size_t count, char *why),
                          const void *what, char *why)
{
	struct parts p = { .judge = judge, .what = what };
	unsigned i;

	clopt__in_parts(n, grain, judge_part, &p);
	for (i = 0; i < MOST_PARTS; i++)
		if (*p.why[i]) {
			memcpy(why, p.why[i], WHY_SIZE);
			return CLOPT_EWRONG;
		}
	return CLOPT_OK;
}

static size_t offset(const struct trial_array *p, size_t b, size_t row, size_t column)
{
	return (b * p->rows + row) * p->pitch_bytes + column * p->elem_bytes;
}

char *clopt__sent(const struct trial_array *p, size_t b, size_t row, size_t column)
{
	return p->sent + offset(p, b, row, column);
}

const char *clopt__got(const struct trial_array *p, size_t b, size_t row, size_t column)
{
	return p->got + offset(p, b, row, column);
}

void clopt__trial_point(const struct trial *t, const char *array, size_t i, double *x)
{
	size_t c;

	for (c = 0; c < 4; c++)
		x[c] = clopt__number_at(clopt__point_precision(&t->problem), array, 4 * i + c);
}

void clopt__trial_put(const struct trial *t, char *array, size_t i, const double *x)
{
	const int precision = clopt__point_precision(&t->problem);

	clopt__numbers_pack(precision, 1, x, array + 4 * i * clopt__number_bytes(precision));
}

void clopt__trial_points(struct trial *t, unsigned operand, size_t n, double x, double weight)
{
	double point[4];
	size_t i;
	int c;

	for (i = 0; i < n; i++) {
		for (c = 0; c < 4; c++)
			point[c] = clopt__random(&t->random) + (c == 0 ? x : c == 3 ? weight : 0);
		clopt__trial_put(t, t->array[operand].sent, i, point);
	}
}

void clopt__say_wrong(const struct clopt_problem *p, const char *name, size_t i, size_t j,
                      double got, double want, double bound, char *why)
{
	char problem[128];

	clopt__problem_text(p, problem, sizeof problem);
	snprintf(
	        why, WHY_SIZE,
	        "gave a wrong result: %s(%zu, %zu) of %s is %.9g, right is %.9g, give or take %.2g",
	        name, i, j, problem, got, want, bound);
}

int clopt__near(struct trial *t, const char *name, size_t i, size_t j, double got, double want,
                double bound)
{
	if (fabs(got - want) <= bound)
		return 1;
	clopt__say_wrong(&t->problem, name, i, j, got, want, bound, t->why);
	return 0;
}

/* Rows have gaps unless kernels need packed rows.  In the first trial the gaps are as in device
 * arrays; later they have three elements, so that rows have any alignment. */
static size_t pitch(const struct trial *t, const struct trial_array *p, struct layout l)
{
	const size_t row_bytes = p->columns * p->elem_bytes;

	if (l.image || l.texels || l.packed)
		return clopt__array_pitch(row_bytes, l);
	return t->number == 0 ? clopt__array_pitch(row_bytes + 32, l) :
	                        row_bytes + 3 * p->elem_bytes;
}

static int no_memory(const struct clopt *ctx, const struct trial *t)
{
	return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check %s", t->v->name);
}

static int open_array(struct clopt *ctx, struct trial *t, unsigned i)
{
	struct trial_array *p = &t->array[i];
	const struct layout as_is = { 0, 0, 1 };
	struct layout l = { t->v->images >> i & 1, t->v->texels >> i & 1,
		            !clopt__ops[t->v->op]->pitched };
	struct operand o = { 0 };
	struct clopt_problem single = t->problem;
	size_t rows;
	int rc = CLOPT_OK;

	single.batch = 1;
	clopt__problem_operand(&single, i, &o);
	if (!o.rows || !o.columns)
		return CLOPT_OK;
	p->rows = o.rows;
	p->columns = o.columns;
	p->elem_bytes = o.elem_bytes;
	p->pitch_bytes = pitch(t, p, l);
	/* Rows that hold sums of parts are packed. */
	if (t->part_bytes && i + 1 == clopt__ops[t->v->op]->operands) {
		o.columns = o.column_dim == NO_DIM ? 1 : o.columns;
		p->pitch_bytes = clopt__array_pitch(o.columns * t->part_bytes, l);
		p->columns = p->pitch_bytes / o.elem_bytes;
	}
	/* An image ends with its data: beyond it kernels read zeros. */
	rows = t->problem.batch * o.rows + (l.image ? 0 : 1);
	p->bytes = rows * p->pitch_bytes;
	p->sent = malloc(p->bytes);
	p->got = malloc(p->bytes);
	if (!p->sent || !p->got)
		return no_memory(ctx, t);
	memset(p->sent, 0xff, p->bytes);
	memset(p->got, 0xff, p->bytes); /* NaN, in case nothing is copied back */
	TRY(clopt__array_open(ctx, rows, p->pitch_bytes, l.image || l.texels ? l : as_is,
	                      &p->device));
	p->device.stride_bytes = o.rows * p->pitch_bytes;
out:
	return rc;
}

static void close_arrays(struct trial *t)
{
	unsigned i;

	for (i = 0; i < MAX_OPERANDS; i++) {
		clopt__array_close(&t->array[i].device);
		free(t->array[i].sent);
		free(t->array[i].got);
	}
}

/* Copy the whole array up or down without blocking, as calls do. */
static int move(struct clopt *ctx, cl_command_queue q, struct trial_array *p, int down,
                cl_event *event)
{
	const struct transfer t = { .down = down,
		                    .mem = p->device.mem,
		                    .pitch_bytes = p->bytes,
		                    .host = down ? p->got : p->sent,
		                    .host_pitch_bytes = p->bytes,
		                    .rows = 1,
		                    .row_bytes = p->bytes };
	const char *call;
	cl_int code = clopt__copy(q, &t, CL_FALSE, (struct waits){ 0, NULL }, event, &call);
	int rc = CLOPT_OK;

	TRY_CODE(ctx, code, call);
	if (!down)
		TRY(clopt__array_fill(ctx, q, &p->device, p->device.rows, NULL));
out:
	return rc;
}

static int launch(struct clopt *ctx, struct trial *t, cl_kernel kernel, cl_command_queue q)
{
	const struct array *arrays[MAX_OPERANDS];
	struct launch l = { .v = t->v,
		            .kernel = kernel,
		            .problem = &t->problem,
		            .dim = t->problem.dim,
		            .batch = t->problem.batch,
		            .lower = t->lower,
		            .arrays = arrays };
	size_t step;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < MAX_OPERANDS; i++)
		arrays[i] = &t->array[i].device;
	for (step = 0; step < t->steps; step++) {
		l.real = t->real[step < 2 ? step : 2];
		l.goes_on = t->part_bytes && step > 0;
		TRY(clopt__launch(ctx, q, &l, (struct waits){ 0, NULL }, NULL));
	}
out:
	return rc;
}

/* Whether the gaps are unchanged, and all bytes of an input. */
static int untouched(struct trial *t, const struct checker *c, unsigned i)
{
	const struct trial_array *p = &t->array[i];
	const size_t row_bytes = p->columns * p->elem_bytes;
	size_t row, begin, end;
	char problem[128];

	for (row = 0; row * p->pitch_bytes < p->bytes; row++) {
		const int last = (row + 1) * p->pitch_bytes == p->bytes;

		begin = row * p->pitch_bytes + (c->results >> i & 1 && !last ? row_bytes : 0);
		end = (row + 1) * p->pitch_bytes;
		if (!memcmp(p->sent + begin, p->got + begin, end - begin))
			continue;
		clopt__problem_text(&t->problem, problem, sizeof problem);
		snprintf(t->why, sizeof t->why,
		         "gave a wrong result: it wrote to %s outside of the result, in row %zu, "
		         "in %s",
		         clopt__ops[t->v->op]->operand[i], row, problem);
		return 0;
	}
	return 1;
}

/* Copy all arrays back as a call does, by clFlush and clFinish.  *back: the event of the last
 * transfer, which may be in flight if the driver's clFinish does not wait. */
static int bring_back(struct clopt *ctx, struct trial *t, cl_command_queue q, cl_event *back)
{
	cl_event event;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < MAX_OPERANDS; i++) {
		if (!t->array[i].bytes)
			continue;
		TRY(move(ctx, q, &t->array[i], 1, &event));
		if (*back)
			clReleaseEvent(*back);
		*back = event;
	}
	TRY_CL(ctx, clFlush(q));
	TRY(clopt__finish(ctx, q, CLOPT_OK));
out:
	return rc;
}

int clopt__trial_run(struct clopt *ctx, const struct checker *c, struct trial *t, cl_kernel kernel,
                     cl_command_queue q)
{
	const unsigned operands = clopt__ops[t->v->op]->operands;
	cl_event back = NULL;
	int right = 1, rc = CLOPT_OK;
	unsigned i;

	for (i = 0; i < operands; i++)
		TRY(open_array(ctx, t, i));
	c->fill(t);
	for (i = 0; i < operands; i++)
		if (t->array[i].bytes)
			TRY(move(ctx, q, &t->array[i], 0, NULL));
	TRY(launch(ctx, t, kernel, q));
	TRY(bring_back(ctx, t, q, &back));
	for (i = 0; right && i < operands; i++)
		right = !t->array[i].bytes || untouched(t, c, i);
	rc = right ? c->judge(t) : CLOPT_EWRONG;
	if (rc == CLOPT_ENOMEM)
		no_memory(ctx, t);
out:
	/* Wait also for commands that were queued before a failure. */
	if (!back || clWaitForEvents(1, &back) != CL_SUCCESS)
		rc = clopt__finish(ctx, q, rc);
	if (back)
		clReleaseEvent(back);
	close_arrays(t);
	return rc;
}
