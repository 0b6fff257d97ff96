/* SPDX-License-Identifier: MIT */
/*
 * epilogue.c - a product of int8 whose sums become int8 or float results: two launches.  So all
 * rows serve it, and sums may be cut by memory.
 */
#include "program.h"

/* Rows of an item at a time.  Along the rows there are so many groups at most; they loop. */
#define ROWS ((size_t)4)
#define MOST_GROUPS ((size_t)256)

static cl_ulong place(const struct array *a)
{
	return a->offset_bytes / sizeof(cl_float);
}

int clopt__epilogue(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                    const struct job *job, const struct array *sums, struct waits wait,
                    cl_event *done)
{
	const struct variant *v = &clopt__epilogue_row;
	const struct array *const *a = l->arrays, *c = a[2];
	const size_t word = sizeof(cl_int), bytes = (size_t)job->epilogue.result & 0xff;
	const cl_ulong size[2] = { l->dim[0], l->dim[1] };
	const cl_ulong16 at = { { place(sums), sums->pitch_bytes / word, sums->stride_bytes / word,
		                  c->offset_bytes / bytes, c->pitch_bytes / bytes,
		                  c->stride_bytes / bytes, place(a[SCALE_ROWS]),
		                  place(a[SCALE_COLUMNS]), place(a[BIAS]) } };
	const cl_uint turned = (cl_uint)job->epilogue.turned;
	const cl_uint whole = job->epilogue.result == CLOPT_TYPE_INT8;
	const cl_float least = job->epilogue.least, most = job->epilogue.most;
	const struct {
		size_t bytes;
		const void *value;
	} argument[] = {
		{ sizeof *size, &size[0] },
		{ sizeof *size, &size[1] },
		{ sizeof at, &at },
		{ sizeof turned, &turned },
		{ sizeof whole, &whole },
		{ sizeof least, &least },
		{ sizeof most, &most },
		{ sizeof(cl_mem), &sums->mem },
		{ sizeof(cl_mem), &c->mem },
		{ sizeof(cl_mem), &a[SCALE_ROWS]->mem },
		{ sizeof(cl_mem), &a[SCALE_COLUMNS]->mem },
		{ sizeof(cl_mem), &a[BIAS]->mem },
	};
	const size_t global[3] = { (l->dim[1] + v->wg[0] - 1) / v->wg[0] * v->wg[0],
		                   clopt__smaller(clopt__groups(l->dim[0], ROWS), MOST_GROUPS),
		                   l->batch };
	const size_t local[3] = { v->wg[0], v->wg[1], 1 };
	cl_kernel kernel;
	cl_uint i;
	int rc = CLOPT_OK;

	TRY(clopt__kernel(ctx, v, &clopt__epilogue_problem, &kernel));
	for (i = 0; i < sizeof argument / sizeof *argument; i++)
		TRY(clopt__argument(ctx, kernel, i, argument[i].bytes, argument[i].value));
	TRY(clopt__enqueue_kernel(ctx, q, kernel, 3, NULL, global, local, wait, done));
	clopt__launched(ctx, kernel);
out:
	return rc;
}

int clopt__launch_to(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                     const struct job *job, int ends, struct waits wait, cl_event *done)
{
	const struct array *sums = l->arrays[job->operand[PRODUCT_SUMS].use ? PRODUCT_SUMS : 2];
	const struct array *const arrays[] = { l->arrays[0], l->arrays[1], sums };
	struct launch product = *l;
	cl_event made = NULL;
	int rc = CLOPT_OK;

	product.arrays = arrays;
	if (!ends)
		return clopt__launch(ctx, q, &product, wait, done);
	TRY(clopt__launch(ctx, q, &product, wait, ctx->profile && l->logged ? &made : NULL));
	if (made)
		TRY(clopt__log_kernel(ctx, q, l->v->name, made));
	TRY(clopt__epilogue(ctx, q, l, job, sums, wait, done));
out:
	return rc;
}
