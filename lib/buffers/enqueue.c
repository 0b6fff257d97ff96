/* SPDX-License-Identifier: MIT */
/*
 * enqueue.c - a routine on device buffers: chooses a row and queues its launch.  The kernel gets
 * the buffers' memory, the offsets of the arrays, and the caller's leading dimensions.  Operands
 * read as images are first copied on the device.  Images need rows of whole texels, and not every
 * driver makes them from parts of buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../device/device.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "buffers.h"

static int fits_grid(struct clopt *ctx, const struct workload *w)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		if (w->dim[i] > w->most[i])
			return clopt__fail(
			        ctx, CLOPT_EUNSUPPORTED,
			        "a size is %zu: on buffers %s computes up to %zu; split the call",
			        w->dim[i], w->name, w->most[i]);
	return CLOPT_OK;
}

/* Alignment of the input arrays, for struct selection. */
static int resident(const struct job *job)
{
	const unsigned inputs = clopt__ops[job->problem.op]->operands - 1;
	size_t all = 0;
	unsigned i;

	for (i = 0; i < inputs; i++) {
		const struct operand *o = &job->operand[i];

		all |= (o->ld | o->inner_ld) * o->elem_bytes;
		all |= o->buffer ? o->buffer->offset_bytes : 0;
	}
	return all % ROW_CHUNK ? RESIDENT_ODD : 1;
}

int clopt__enqueue_job(struct clopt *ctx, const struct job *job, struct placed *p)
{
	struct array array[MAX_OPERANDS] = { { 0 } };
	const struct array *arrays[MAX_OPERANDS];
	int own[MAX_OPERANDS] = { 0 }; /* whether the array is a copy made here */
	const struct variant *v;
	struct block whole = { { 0, 0, 0 }, { 0, 0, 0 } };
	struct workload w;
	cl_kernel kernel;
	cl_event event = NULL;
	unsigned i;
	int owns = 0, rc = CLOPT_OK;

	TRY(clopt__choose(ctx, &job->problem, resident(job), &v, &kernel));
	TRY(clopt__epilogue_ready(ctx, job));
	clopt__workload(ctx, job, v, &w);
	w.kernel = kernel;
	TRY(fits_grid(ctx, &w));
	for (i = 0; i < w.operands; i++) {
		TRY(clopt__buffer_array(ctx, p, &job->operand[i], clopt__layout(&w, i), &array[i],
		                        &own[i]));
		arrays[i] = &array[i];
		owns |= own[i];
	}
	memcpy(whole.count, w.dim, sizeof whole.count);
	TRY(w.launch(ctx, p->q, &w, &whole, arrays, p->wait, p->wanted || owns ? &event : NULL));
	for (i = 0; i < w.operands; i++)
		if (own[i] && job->operand[i].use & OPERAND_OUT)
			TRY(clopt__buffer_array_back(ctx, p, &job->operand[i], &array[i], &event));
	ctx->report.variant = v->name, ctx->report.math = v->math;
	ctx->report.bands = ctx->report.queues = ctx->report.sum_parts = 1;
out:
	for (i = 0; i < MAX_OPERANDS; i++)
		if (own[i])
			clopt__keep(ctx, p->q, event, &array[i]);
	if (p->wanted)
		*p->wanted = event;
	else if (event)
		clReleaseEvent(event);
	return rc;
}

int clopt__enqueue(struct clopt *ctx, const struct job *described, const struct clopt_order *order)
{
	struct placed p = { 0 };
	struct job job;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, clopt__problem_sentence(&described->problem)));
	clopt__kept_free(ctx, 0);
	TRY(clopt__place(ctx, order, &p));
	TRY(clopt__complete(ctx, described, &job));
	if (clopt__is_empty(&job)) {
		TRY_CL(ctx,
		       clEnqueueMarkerWithWaitList(p.q, p.wait.count,
		                                   p.wait.count ? p.wait.list : NULL, p.wanted));
		goto out;
	}
	TRY((job.run ? job.run : clopt__enqueue_job)(ctx, &job, &p));
	clopt__kernels_queued(ctx);
out:
	rc = clopt__placed(ctx, &p, rc);
	return clopt__end(ctx, rc, NULL);
}
