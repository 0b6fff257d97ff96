/* SPDX-License-Identifier: MIT */
/*
 * timing.c - times a row's kernel for a problem on device memory, or a row on the host on host
 * memory.  Operands hold random numbers from a half to one: some devices draw more power for such
 * numbers than for zeros, and clock lower.
 */
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "choose.h"

#define CHUNK ((size_t)1 << 20)
#define MOST_SAMPLES 32
#define LEAST_SECONDS 1e-3 /* of a sample, so that the host's clock is exact enough */

struct timed {
	/* A separate queue: the context's may wait for a later action of the caller. */
	cl_command_queue q;
	struct job job;
	struct workload w;
	struct block whole;
	struct array array[MAX_OPERANDS];
	const struct array *arrays[MAX_OPERANDS];
};

/* Fill a chunk with random numbers of the type (enum clopt_type, or a size), or with random
 * bytes. */
static void fill(unsigned char *chunk, int type)
{
	uint64_t x = 88172645463325252u;
	size_t i;

	for (i = 0; i < CHUNK; i += 8) {
		uint64_t bits;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		bits = x;
		if (type == CLOPT_TYPE_DOUBLE)
			bits = (x >> 12) | (uint64_t)0x3fe << 52;
		else if (type == CLOPT_TYPE_FLOAT)
			bits = (x & 0x007fffff007fffffu) | 0x3f0000003f000000u;
		else if (type == CLOPT_TYPE_HALF)
			bits = (x & 0x03ff03ff03ff03ffu) | 0x3800380038003800u;
		else if (type == CLOPT_TYPE_BFLOAT16)
			bits = (x & 0x007f007f007f007fu) | 0x3f003f003f003f00u;
		memcpy(chunk + i, &bits, sizeof bits);
	}
}

static int fill_array(struct clopt *ctx, cl_command_queue q, const struct array *a,
                      const unsigned char *chunk)
{
	size_t at, n;
	int rc = CLOPT_OK;

	for (at = 0; at < a->bytes; at += n) {
		n = a->bytes - at < CHUNK ? a->bytes - at : CHUNK;
		TRY_CL(ctx, clEnqueueWriteBuffer(q, a->mem, CL_FALSE, at, n, chunk, 0, NULL, NULL));
	}
	TRY(clopt__array_fill(ctx, q, a, a->rows, NULL));
	TRY(clopt__finish(ctx, q, CLOPT_OK));
out:
	return rc;
}

/* Allocate and fill an operand for a row on the host. */
static int fill_host(struct clopt *ctx, struct operand *o, const unsigned char *chunk)
{
	const size_t bytes = clopt__operand_bytes(o);
	size_t at;

	o->host = malloc(bytes + 1);
	if (!o->host)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to time %s with", o->name);
	for (at = 0; at < bytes; at += CHUNK)
		memcpy((char *)o->host + at, chunk, clopt__smaller(CHUNK, bytes - at));
	return CLOPT_OK;
}

static int open_arrays(struct clopt *ctx, struct timed *t)
{
	const struct clopt_problem *p = &t->job.problem;
	const struct element_type *type = clopt__type(p->type);
	unsigned char *chunk = malloc(CHUNK);
	unsigned i;
	int rc = CLOPT_OK;

	if (!chunk)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to time kernels with");
	/* A double-single is two floats.  Both are filled as floats, so that neither is a NaN. */
	fill(chunk, type                                          ? type->part :
	            p->precision == CLOPT_PRECISION_DOUBLE_SINGLE ? CLOPT_TYPE_FLOAT :
	                                                            (int)p->elem_bytes);
	for (i = 0; i < t->w.operands; i++) {
		struct operand *o = &t->job.operand[i];

		t->arrays[i] = &t->array[i];
		if (!o->rows || !o->columns)
			continue; /* the problem lacks this array */
		if (t->w.v->host) {
			TRY(fill_host(ctx, o, chunk));
			continue;
		}
		TRY(clopt__array_open(ctx, o->rows, o->columns * o->elem_bytes,
		                      clopt__layout(&t->w, i), &t->array[i]));
		TRY(fill_array(ctx, t->q, &t->array[i], chunk));
	}
out:
	free(chunk);
	return rc;
}

/* Elements from row to row; packed unless the rows are uneven. */
static size_t row_length(size_t columns, size_t elem_bytes, int uneven)
{
	size_t length = columns;

	if (uneven & UNEVEN_ROWS)
		length |= 1;
	if (uneven & UNEVEN_RESULT && length * elem_bytes % 64 == 0)
		length += 16 / elem_bytes;
	return length;
}

static void describe(const struct clopt *ctx, struct timed *t, const struct variant *v,
                     const struct clopt_problem *p)
{
	unsigned i;

	t->job.problem = *p;
	for (i = 0; i < MAX_REALS; i++)
		t->job.real[i] = 1;
	if (clopt__ops[p->op]->sum != NO_DIM)
		t->job.real[clopt__ops[p->op]->keep] = 0; /* old results are not read */
	if (p->type)
		t->job.real[3] = 0; /* the imaginary part of beta */
	for (i = 0; i < clopt__ops[v->op]->operands; i++) {
		struct operand *o = &t->job.operand[i];

		o->ld = 1; /* not 0: matrices of a batch have separate operands */
		if (p->uneven)
			o->inner_ld = row_length(p->dim[1 - i], clopt__elem_bytes(p, i), p->uneven);
		clopt__problem_operand(p, i, o);
		o->columns = row_length(o->columns, o->elem_bytes, p->uneven);
		o->ld = o->columns;
		o->use = i + 1 < clopt__ops[v->op]->operands ? OPERAND_IN : OPERAND_OUT;
	}
	clopt__workload(ctx, &t->job, v, &t->w);
	/* Uneven rows are not padded to another pitch. */
	t->w.packed |= p->uneven != 0;
	memcpy(t->whole.count, t->w.dim, sizeof t->whole.count);
}

int clopt__whole_fits(const struct clopt *ctx, const struct clopt_problem *p)
{
	const double memory = (double)clopt__memory(ctx);
	double all = 0, most = 0;
	unsigned i;

	for (i = 0; i < clopt__ops[p->op]->operands; i++) {
		struct operand o = { .ld = 1 };
		double bytes;

		clopt__problem_operand(p, i, &o);
		bytes = (double)o.rows * (double)o.columns * (double)o.elem_bytes;
		all += bytes;
		most = bytes > most ? bytes : most;
	}
	if (all > memory || most > (double)ctx->device.info.max_alloc_bytes)
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "the arrays take %.3g bytes, the largest %.3g: the device has "
		                   "%.3g, and allows %.3g in one buffer",
		                   all, most, memory, (double)ctx->device.info.max_alloc_bytes);
	return CLOPT_OK;
}

/* Time of n launches, one after another. */
static int launches(struct clopt *ctx, const struct timed *t, unsigned n, double *seconds)
{
	const struct waits none = { 0, NULL };
	int rc = CLOPT_OK;

	*seconds = -clopt__now();
	for (; n && t->w.v->host; n--)
		t->w.v->host(&t->job);
	while (n--)
		TRY(t->w.launch(ctx, t->q, &t->w, &t->whole, t->arrays, none, NULL));
	TRY(clopt__finish(ctx, t->q, CLOPT_OK));
	*seconds += clopt__now();
out:
	return rc;
}

int clopt__ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sample the time.  The first launch does not count: it may compile more of the kernel. */
static int sample(struct clopt *ctx, const struct timed *t, double window, double *seconds)
{
	double all[MOST_SAMPLES], one, end = clopt__now() + window;
	unsigned n = 0, at_a_time;
	int rc = CLOPT_OK;

	TRY(launches(ctx, t, 1, &one));
	if (one < window / 4) /* otherwise one launch is long enough */
		TRY(launches(ctx, t, 1, &one));
	at_a_time = one < LEAST_SECONDS ? (unsigned)(LEAST_SECONDS / (one + 1e-7)) + 1 : 1;
	do {
		TRY(launches(ctx, t, at_a_time, &all[n]));
		all[n++] /= at_a_time;
	} while (n < MOST_SAMPLES && clopt__now() < end && !clopt__is_cancelled(ctx));
	qsort(all, n, sizeof *all, clopt__ascending);
	*seconds = n % 2 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
out:
	return rc;
}

int clopt__time_row(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                    double window, double *seconds)
{
	struct timed t = { .job = { .steps = 0 } };
	cl_int code;
	unsigned i;
	int rc;

	describe(ctx, &t, v, p);
	TRY(clopt__ready(ctx, v, p, &t.w.kernel));
	t.q = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
	if (code != CL_SUCCESS)
		t.q = NULL; /* some drivers set it despite the failure */
	TRY_CODE(ctx, code, "clCreateCommandQueue");
	TRY(open_arrays(ctx, &t));
	TRY(sample(ctx, &t, window, seconds));
out:
	if (t.q) {
		rc = clopt__finish(ctx, t.q, rc); /* after that nothing uses the arrays */
		clopt__workspace_free(ctx, t.q);
		clReleaseCommandQueue(t.q);
	}
	for (i = 0; i < MAX_OPERANDS; i++) {
		clopt__array_close(&t.array[i]);
		free(t.job.operand[i].host);
	}
	return rc;
}
