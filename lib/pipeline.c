/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c - one job over a few in-order queues, band by band.
 *
 * A job has inputs that every band needs (WHOLE) and arrays that are cut alike
 * (BY_ROWS, BY_COLUMNS).  Band i goes whole through queue i % queues: up, run,
 * down.  The queue's own order is all the order a band needs, and lets the next
 * band on it reuse the arrays; the one event is for the WHOLE inputs, which the
 * first queue brings up and the others wait for.  There is one wait, at the
 * end, and it is there on failure too: when a call returns, nothing moves.
 */
#include <stdint.h>
#include <stdlib.h>

#include "internal.h"

/* Bands smaller than this spend more on commands than they hide: at 50 GB/s
 * 4 MiB take 80 us, a command takes 5. */
#define BAND_BYTES ((size_t)4 << 20)
#define MOST_BANDS 16

/* CUDA's limit along y, which some drivers pass on to OpenCL. */
#define MOST_GROUPS ((size_t)65535)

struct plan {
	size_t total, height, bands, queues; /* in units of the dim that is cut */
};

struct lane {
	struct array array[MAX_OPERANDS];
	const struct array *use[MAX_OPERANDS]; /* own or shared, as the kernel takes them */
};

size_t clopt__memory(const struct clopt *ctx)
{
	const uint64_t there = ctx->device.info.global_bytes / 10 * 9;
	const size_t bytes = there > SIZE_MAX ? SIZE_MAX : (size_t)there;

	return ctx->mem_limit_bytes && ctx->mem_limit_bytes < bytes ? ctx->mem_limit_bytes : bytes;
}

int clopt__memory_short(const struct clopt *ctx, size_t needed_bytes)
{
	const size_t limit = ctx->mem_limit_bytes;

	return clopt__fail(ctx, CLOPT_ENOMEM,
	                   "needs %zu bytes on the device at the least, %zu may be used (%s)",
	                   needed_bytes, clopt__memory(ctx),
	                   limit && limit == clopt__memory(ctx) ?
	                           "CLOPT_MEM_LIMIT or clopt_options.mem_limit_bytes" :
	                           "90 % of what it has");
}

/* Device bytes of operand i for `units` of the dim that is cut. */
static size_t device_bytes(const struct variant *v, const struct operand *o, unsigned i,
                           size_t units)
{
	const int image = v->images >> i & 1;

	return clopt__array_bytes(o->cut == BY_ROWS ? units : o->rows,
	                          (o->cut == BY_COLUMNS ? units : o->columns) * o->elem_bytes,
	                          image);
}

/* The tallest band of operand i that one allocation and one image can hold. */
static size_t tallest(const struct clopt *ctx, const struct variant *v, const struct operand *o,
                      unsigned i, size_t units)
{
	const struct clopt_device_info *d = &ctx->device.info;

	if (v->images >> i & 1) {
		size_t most = o->cut == BY_ROWS ? d->image2d_height :
		                                  d->image2d_width * 16 / o->elem_bytes;

		units = units < most ? units : most;
	}
	/* Rounding of rows makes bytes no exact multiple: halve until it fits. */
	while (units > 1 && device_bytes(v, o, i, units) > d->max_alloc_bytes)
		units -= units / 2;
	return units;
}

/* What bands of this height take in all; a single band needs one lane only. */
static size_t used_bytes(const struct job *job, const struct variant *v, const struct plan *p,
                         size_t height)
{
	const size_t lanes = height < p->total ? p->queues : 1;
	size_t bytes = 0;
	unsigned i;

	for (i = 0; i < clopt__ops[v->op].operands; i++)
		bytes += device_bytes(v, &job->operand[i], i, height) *
		         (v->images >> i & 1 ? 2 : 1) * (job->operand[i].cut == WHOLE ? 1 : lanes);
	return bytes;
}

/* Results of a group along the dim that is cut. */
static size_t tile(const struct variant *v)
{
	const struct op *op = &clopt__ops[v->op];

	return op->extent[0] == op->band ? v->out[0] : v->out[1];
}

/* Bands that hide transfers, where there are any to hide: some for each queue,
 * none smaller than a tile. */
static size_t hiding_height(const struct clopt *ctx, const struct variant *v, const struct plan *p,
                            size_t moved_bytes)
{
	size_t bands = moved_bytes / BAND_BYTES, height;

	if ((ctx->device.traits & T_UNIFIED) || bands <= p->queues)
		return p->total;
	bands = bands < MOST_BANDS ? bands : MOST_BANDS;
	height = (p->total + bands - 1) / bands;
	return height > tile(v) ? height : tile(v);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int plan(struct clopt *ctx, const struct job *job, const struct variant *v, struct plan *p)
{
	const struct op *op = &clopt__ops[v->op];
	const size_t memory = clopt__memory(ctx);
	size_t moved = 0;
	unsigned i;

	p->total = job->problem.dim[op->band];
	p->total = p->height = p->total ? p->total : 1; /* one may ask about none */
	p->queues = ctx->queues;
	for (i = 0; i < op->operands; i++) {
		const struct operand *o = &job->operand[i];

		if (o->cut != WHOLE) {
			p->height = tallest(ctx, v, o, i, p->height);
			moved += o->rows * o->columns * o->elem_bytes;
		} else if (device_bytes(v, o, i, 0) > ctx->device.info.max_alloc_bytes) {
			return clopt__fail(
			        ctx, CLOPT_ENOMEM,
			        "%s takes %zu bytes in one piece, the device allows %llu",
			        op->operand[i], device_bytes(v, o, i, 0),
			        (unsigned long long)ctx->device.info.max_alloc_bytes);
		}
	}
	if (op->extent[1] == op->band)
		p->height = smaller(p->height, MOST_GROUPS * v->out[1]);
	p->height = smaller(p->height, hiding_height(ctx, v, p, moved));
	/* Lower bands down to a tile, then fewer of them at a time, then any. */
	while (used_bytes(job, v, p, p->height) > memory) {
		if (p->height > tile(v) || (p->height > 1 && p->queues == 1))
			p->height -= p->height / 2;
		else if (p->queues > 1)
			p->queues--;
		else
			return clopt__memory_short(ctx, used_bytes(job, v, p, p->height));
	}
	if (p->height < p->total && p->height > tile(v))
		p->height = p->height / tile(v) * tile(v);
	p->bands = (p->total + p->height - 1) / p->height;
	p->queues = smaller(p->bands, p->queues);
	return CLOPT_OK;
}

int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem)
{
	struct job job = { .problem = *problem };
	struct operand *o = job.operand;
	struct plan p;
	unsigned i;

	for (i = 0; i < clopt__ops[v->op].operands; i++, o++) {
		clopt__problem_operand(problem, i, o);
		/* Arrays that exist are smaller; one may ask about any. */
		if ((double)o->rows * (double)o->columns * (double)o->elem_bytes >
		    (double)(SIZE_MAX >> 8))
			return clopt__fail(ctx, CLOPT_ENOMEM, "%s would be %g bytes",
			                   clopt__ops[v->op].operand[i],
			                   (double)o->rows * (double)o->columns *
			                           (double)o->elem_bytes);
	}
	return plan(ctx, &job, v, &p);
}

static int open_array(struct clopt *ctx, const struct variant *v, const struct operand *o,
                      unsigned i, size_t height, struct array *a)
{
	return clopt__array_open(ctx, v, i, o->cut == BY_ROWS ? height : o->rows,
	                         (o->cut == BY_COLUMNS ? height : o->columns) * o->elem_bytes, a);
}

/* Bring up what all bands share, on the first queue. */
static int share(struct clopt *ctx, const struct job *job, const struct variant *v,
                 struct array *shared, const struct plan *p, cl_event *up)
{
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < clopt__ops[v->op].operands; i++)
		if (job->operand[i].cut == WHOLE) {
			TRY(open_array(ctx, v, &job->operand[i], i, 0, &shared[i]));
			TRY(clopt__array_up(ctx, ctx->queue[0], &job->operand[i], 0, 0,
			                    &shared[i]));
		}
	if (p->queues > 1) {
		TRY_CL(ctx, clEnqueueMarkerWithWaitList(ctx->queue[0], 0, NULL, up));
		TRY_CL(ctx, clFlush(ctx->queue[0]));
	}
out:
	return rc;
}

static int open_lane(struct clopt *ctx, const struct job *job, const struct variant *v,
                     const struct array *shared, size_t height, struct lane *l)
{
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < clopt__ops[v->op].operands; i++) {
		l->use[i] = &shared[i];
		if (job->operand[i].cut == WHOLE)
			continue;
		TRY(open_array(ctx, v, &job->operand[i], i, height, &l->array[i]));
		l->use[i] = &l->array[i];
	}
out:
	return rc;
}

static int band(struct clopt *ctx, const struct job *job, const struct variant *v, cl_kernel kernel,
                cl_command_queue q, struct lane *l, size_t first, size_t count, cl_event wait,
                cl_event *done)
{
	const struct op *op = &clopt__ops[v->op];
	size_t dim[3] = { job->problem.dim[0], job->problem.dim[1], job->problem.dim[2] };
	unsigned i;
	int rc = CLOPT_OK;

	dim[op->band] = count;
	for (i = 0; i < op->operands; i++)
		if (job->operand[i].cut != WHOLE && (job->operand[i].use & OPERAND_IN))
			TRY(clopt__array_up(ctx, q, &job->operand[i], first, count, &l->array[i]));
	TRY(clopt__launch(ctx, q, v, kernel, &job->problem, dim, job->real, l->use, wait, done));
	for (i = 0; i < op->operands; i++)
		if (job->operand[i].use & OPERAND_OUT)
			TRY(clopt__array_down(ctx, q, &job->operand[i], first, count,
			                      &l->array[i]));
	TRY_CL(ctx, clFlush(q));
out:
	return rc;
}

int clopt__run(struct clopt *ctx, const struct job *job, const struct variant *v, cl_kernel kernel)
{
	struct array shared[MAX_OPERANDS] = { { 0 } };
	struct lane lane[MAX_QUEUES] = { { { { 0 } }, { NULL } } };
	struct plan p = { 0 };
	cl_event up = NULL, *done = NULL;
	size_t i, j;
	cl_int code;
	int rc = CLOPT_OK;

	TRY(plan(ctx, job, v, &p));
	if (ctx->profile && !(done = calloc(p.bands, sizeof *done))) {
		rc = clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu events", p.bands);
		goto out;
	}
	TRY(share(ctx, job, v, shared, &p, &up));
	for (i = 0; i < p.queues; i++)
		TRY(open_lane(ctx, job, v, shared, p.height, &lane[i]));
	for (i = 0; i < p.bands; i++) {
		const size_t first = i * p.height, left = p.total - first, l = i % p.queues;

		TRY(band(ctx, job, v, kernel, ctx->queue[l], &lane[l], first,
		         left < p.height ? left : p.height, i > 0 && i < p.queues ? up : NULL,
		         done ? &done[i] : NULL));
	}
	ctx->report.bands = p.bands;
	ctx->report.queues = p.queues;
out:
	for (i = 0; i < p.queues; i++) {
		code = clFinish(ctx->queue[i]);
		if (code != CL_SUCCESS && rc == CLOPT_OK)
			rc = clopt__fail_cl(ctx, code, "clFinish");
	}
	if (done) {
		rc = clopt__kernel_times(ctx, done, p.bands, rc);
		free(done);
	}
	if (up)
		clReleaseEvent(up);
	for (i = 0; i < p.queues; i++)
		for (j = 0; j < MAX_OPERANDS; j++)
			clopt__array_close(&lane[i].array[j]);
	for (j = 0; j < MAX_OPERANDS; j++)
		clopt__array_close(&shared[j]);
	return rc;
}
