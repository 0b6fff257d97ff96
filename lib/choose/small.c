/* SPDX-License-Identifier: MIT */
/*
 * small.c - up to what size a row on the host takes less time than a call on the device.
 *
 * What is compared are the row, on a problem of the kind, and a call on the device that computes nothing: an
 * array up and down, and a copy in place of the kernel.  So no kernel is built.  A kernel on the same
 * processor takes what the row takes, by all its cores; that of another device counts nothing.
 *
 * Two runs of a program are to give the same bits.  So the limit is timed only where a cache keeps it for later
 * processes; otherwise, and for problems that are far from it, the table has it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/host.h"
#include "../kernel/kernel.h"
#include "choose.h"

static const char kind_of_entry[] = "small";

#define RANGE 64 /* a timed limit is at least so small a part of the table's ... */
#define MORE 4 /* ... and at most so many times */
#define BYTES 4096 /* of an array of the call that computes nothing */
#define ROUNDS 31
#define ROW_ROUNDS 4 /* of a millisecond, of which the best counts: others may use the processor */

/* Problems that the row computes at the same rate. */
static uint64_t kind(const struct clopt_problem *p)
{
	return (uint64_t)p->elem_bytes | (uint64_t)p->type << 8 | (uint64_t)p->law << 16 |
	       (uint64_t)p->outputs << 24 | (uint64_t)p->precision << 32 |
	       (uint64_t)(p->scaled != 0) << 40;
}

double clopt__work(const struct clopt_problem *p)
{
	return clopt__units(p) + (double)clopt__results(p);
}

static int is_far(const struct variant *v, const struct clopt_problem *p)
{
	const double work = clopt__work(p);

	return work <= v->most / RANGE || work > v->most * MORE;
}

static const double *known(const struct clopt *ctx, const struct variant *v,
                           const struct clopt_problem *p)
{
	const struct host_limits *h = &ctx->host_limits;
	unsigned i;

	for (i = 0; i < h->count; i++)
		if (h->list[i].v == v && h->list[i].kind == kind(p))
			return &h->list[i].most;
	return NULL;
}

/* A problem of the kind, of about the work that the table's limit has. */
static struct clopt_problem example(const struct variant *v, const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[p->op];
	struct clopt_problem e = *p;
	unsigned i;

	e.batch = 1;
	e.triangle = e.transa = e.transb = e.uneven = 0;
	for (i = 0; i < op->dims; i++)
		e.dim[i] = (size_t)pow(v->most / 4, 1.0 / op->dims);
	return e;
}

/* The median of some rounds. */
static int time_device(struct clopt *ctx, double *seconds)
{
	static const char zeros[BYTES];
	char out[BYTES];
	cl_command_queue q =
	        NULL; /* of its own: those of the context may wait for events of the caller */
	cl_mem mem[2] = { NULL, NULL };
	double all[ROUNDS];
	cl_int code;
	int i, rc = CLOPT_OK;

	q = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
	if (code != CL_SUCCESS)
		q = NULL; /* some drivers leave a value there */
	TRY_CODE(ctx, code, "clCreateCommandQueue");
	for (i = 0; i < 2; i++) {
		code = clopt__create_buffer(ctx, CL_MEM_READ_WRITE, BYTES, NULL, &mem[i]);
		TRY_CODE(ctx, code, "clCreateBuffer");
	}
	for (i = 0; i < ROUNDS; i++) {
		all[i] = -clopt__now();
		TRY_CL(ctx,
		       clEnqueueWriteBuffer(q, mem[0], CL_FALSE, 0, BYTES, zeros, 0, NULL, NULL));
		TRY_CL(ctx, clEnqueueCopyBuffer(q, mem[0], mem[1], 0, 0, BYTES, 0, NULL, NULL));
		TRY_CL(ctx, clEnqueueReadBuffer(q, mem[1], CL_FALSE, 0, BYTES, out, 0, NULL, NULL));
		TRY(clopt__finish(ctx, q, CLOPT_OK));
		all[i] += clopt__now();
	}
	qsort(all, ROUNDS, sizeof *all, clopt__ascending);
	*seconds = all[ROUNDS / 2];
out:
	if (q) {
		rc = clopt__finish(ctx, q, rc); /* then nothing uses the arrays */
		clReleaseCommandQueue(q);
	}
	for (i = 0; i < 2; i++)
		if (mem[i])
			clReleaseMemObject(mem[i]);
	return rc;
}

/* *most: a power of two, since the last digits are noise. */
static int time_limit(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                      double *most)
{
	const struct clopt_problem e = example(v, p);
	const double cores = ctx->device.info.compute_units;
	double seconds, least = INFINITY;
	int i, rc = CLOPT_OK;

	if (ctx->host_limits.device_seconds == 0)
		TRY(time_device(ctx, &ctx->host_limits.device_seconds));
	for (i = 0; i < ROW_ROUNDS; i++) {
		TRY(clopt__time_row(ctx, v, &e, 0, &seconds));
		least = fmin(least, seconds);
	}
	if (ctx->device.traits & T_CPU)
		least *= 1 - 1 / cores;
	*most = exp2(round(log2(ctx->host_limits.device_seconds * clopt__work(&e) / least)));
	*most = fmin(fmax(*most, v->most / RANGE), v->most * MORE);
out:
	return rc;
}

static int recall(const struct clopt *ctx, const char *key, double *most)
{
	void *data;
	size_t size;

	if (!clopt__store_get(&ctx->store, kind_of_entry, key, &data, &size))
		return 0;
	*most = strtod(data, NULL);
	free(data);
	return *most > 0;
}

/* A limit of another process that timed it meanwhile counts. */
static int find(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                double *most)
{
	char text[128], value[32], *key;
	int found;

	snprintf(text, sizeof text, "%s %llx vectors %d", v->name, (unsigned long long)kind(p),
	         (int)clopt__host_vectors());
	key = clopt__device_key(ctx, text);
	if (!key)
		return 0;
	found = recall(ctx, key, most);
	if (!found && time_limit(ctx, v, p, most) == CLOPT_OK && !recall(ctx, key, most)) {
		snprintf(value, sizeof value, "%.0f", *most);
		clopt__store_put(&ctx->store, kind_of_entry, key, value, strlen(value));
		found = recall(ctx, key, most);
	}
	free(key);
	return found;
}

void clopt__host_find(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p)
{
	struct host_limits *h = &ctx->host_limits;
	double most = v->most;

	if (ctx->small_on_device || is_far(v, p) || known(ctx, v, p) || h->count == MOST_HOST_KINDS)
		return;
	if (ctx->store.folder && !find(ctx, v, p, &most))
		most = v->most;
	h->list[h->count].v = v;
	h->list[h->count].kind = kind(p);
	h->list[h->count++].most = most;
}

double clopt__host_most(const struct clopt *ctx, const struct variant *v,
                        const struct clopt_problem *p)
{
	const double *most = known(ctx, v, p);

	if (is_far(v, p))
		return clopt__work(p) > v->most ? v->most * MORE : v->most;
	return most ? *most : v->most;
}
