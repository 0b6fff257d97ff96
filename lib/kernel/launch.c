/* SPDX-License-Identifier: MIT */
/*
 * launch.c - arguments and geometry of one launch, both from the table.
 *
 * A sum over pairs may be cut into slices: launches of some groups each, one after the other.
 * Systems stop kernels that keep a display's device busy for seconds.
 */
#include <math.h>
#include <string.h>

#include "../device/device.h"
#include "program.h"

static int set_vector(struct clopt *ctx, cl_kernel kernel, cl_uint n, int wide, const double *real)
{
	cl_double16 d;
	cl_float16 f;
	unsigned i;

	for (i = 0; i < MAX_REALS; i++) {
		d.s[i] = real[i];
		f.s[i] = (cl_float)real[i];
	}
	return clopt__argument(ctx, kernel, n, wide ? sizeof d : sizeof f,
	                       wide ? (const void *)&d : &f);
}

/* Set a number of a complex product as a vector of two. */
static int set_complex(struct clopt *ctx, cl_kernel kernel, cl_uint n, int part, double re,
                       double im)
{
	const cl_double2 d = { { re, im } };
	const cl_float2 f = { { (cl_float)re, (cl_float)im } };
	const int wide = part == CLOPT_TYPE_DOUBLE;

	return clopt__argument(ctx, kernel, n, wide ? sizeof d : sizeof f,
	                       wide ? (const void *)&d : &f);
}

/* Set a number as two floats, a double, a float or an integer. */
static int set_number(struct clopt *ctx, cl_kernel kernel, cl_uint n,
                      const struct clopt_problem *problem, double x)
{
	const int two = problem->precision == CLOPT_PRECISION_DOUBLE_SINGLE;
	const int wide = problem->elem_bytes == 8 || problem->precision == CLOPT_PRECISION_DOUBLE;
	const cl_float f = (cl_float)x;
	const cl_float2 pair = { { f, (cl_float)(x - (double)f) } };
	const int integer = problem->type == CLOPT_TYPE_INT8;
	const cl_int whole = integer ? (cl_int)x : 0;

	return clopt__argument(ctx, kernel, n, two || wide ? 8 : 4,
	                       two     ? (const void *)&pair :
	                       wide    ? (const void *)&x :
	                       integer ? (const void *)&whole :
	                                 &f);
}

static int set_size(struct clopt *ctx, cl_kernel kernel, cl_uint n, cl_ulong size)
{
	return clopt__argument(ctx, kernel, n, sizeof size, &size);
}

/* The flags that cl/matmul/common.clh defines, and wgmma_mix.cl's. */
static cl_ulong product_bits(const struct launch *l)
{
	const size_t *dim = l->problem->dim;

	return (l->goes_on ? 1 : 0) | (dim[0] == 1 && dim[1] > 1 ? 2 : 0) |
	       (l->v->planes && clopt__planes_copied(l) ? 4 : 0);
}

static int set_maps(struct clopt *ctx, const struct launch *l, cl_uint n)
{
	cl_ulong word[16];
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < 2; i++) {
		clopt__tensor_map(l, i, word);
		TRY_CL(ctx, clSetKernelArg(l->kernel, n++, sizeof(cl_mem), &l->arrays[i]->mem));
		TRY_CL(ctx, clSetKernelArg(l->kernel, n++, 15 * sizeof *word, &word[1]));
	}
out:
	return rc;
}

/* *count: the number of arguments. */
static int set_arguments(struct clopt *ctx, const struct launch *l, cl_uint *count)
{
	const struct op *op = clopt__ops[l->v->op];
	const struct clopt_problem *problem = l->problem;
	const struct element_type *type = clopt__type(problem->type);
	const cl_kernel kernel = l->kernel;
	cl_ulong8 offset = { { 0 } };
	cl_uint n = 0;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < op->dims; i++)
		TRY(set_size(ctx, kernel, n++, l->dim[i]));
	for (i = 0; op->pitched && i < op->operands; i++)
		TRY(set_size(ctx, kernel, n++,
		             l->arrays[i]->pitch_bytes / clopt__elem_bytes(problem, i)));
	for (i = 0; op->batched && i < op->operands; i++)
		TRY(set_size(ctx, kernel, n++,
		             l->arrays[i]->stride_bytes / clopt__elem_bytes(problem, i)));
	if (op->triangular)
		TRY(set_size(ctx, kernel, n++, (cl_ulong)l->lower)); /* signed */
	if (op->reals == MAX_REALS)
		TRY(set_vector(ctx, kernel, n++, problem->precision == CLOPT_PRECISION_DOUBLE,
		               l->real));
	for (i = 0; op->reals < MAX_REALS && i < op->reals; i++)
		if (type && type->parts == 2)
			TRY(set_complex(ctx, kernel, n++, type->part, l->real[i],
			                l->real[op->reals + i]));
		else
			TRY(set_number(ctx, kernel, n++, problem, l->real[i]));
	for (i = 0; i < op->operands; i++) {
		const int image = (l->v->images | l->v->texels) >> i & 1;
		const struct array *a = l->arrays[i];

		if (a->offset_bytes)
			offset.s[i] =
			        a->offset_bytes /
			        (op->pitched ? clopt__elem_bytes(problem, i) : a->pitch_bytes);
		if (!l->v->maps || i + 1 == op->operands) /* inputs with maps come last */
			TRY_CL(ctx, clSetKernelArg(kernel, n++, sizeof(cl_mem),
			                           image ? &a->image : &a->mem));
	}
	if (l->v->op == CLOPT_OP_MATMUL)
		offset.s[7] = product_bits(l);
	if (op->views)
		TRY_CL(ctx, clSetKernelArg(kernel, n++, sizeof offset, &offset));
	if (l->v->maps) {
		TRY(set_maps(ctx, l, n));
		n += 4;
	}
	*count = n;
out:
	return rc;
}

/*
 * Choose how many groups share the results along x and y, for a row with `spread`.  A group takes a
 * unit of time per result, and READING units per row and column of its results.  Groups run in
 * rounds, one on each compute unit.
 */
#define READING 16
static void spread(const struct clopt *ctx, const struct launch *l, size_t *groups)
{
	const struct op *op = clopt__ops[l->v->op];
	const size_t *out = l->v->out, units = ctx->device.info.compute_units;
	const size_t n = l->dim[op->extent[0]], m = l->dim[op->extent[1]];
	const size_t least[2] = { (n + out[0] - 1) / out[0], (m + out[1] - 1) / out[1] };
	/* The groups of a triangle have unequal shares. */
	const size_t most_rounds = l->problem->triangle ? 6 : 3;
	double best = 0;
	size_t x, y, round;

	for (x = least[0]; x < least[0] + 2 * units; x++)
		for (round = 1; round <= most_rounds; round++) {
			const size_t fits = round * units / (x * l->batch);
			double rounds, rows, columns, time;

			y = fits > least[1] ? fits : least[1];
			rows = ceil((double)m / (double)y);
			columns = ceil((double)n / (double)x);
			rounds = ceil((double)(x * y * l->batch) / (double)units);
			time = rounds * (rows * columns + READING * (rows + columns));
			if (best == 0 || time < best) {
				best = time;
				groups[0] = x;
				groups[1] = y;
			}
		}
}

/* Pairs per second and compute unit that are assumed before a measurement.  Slow devices reach
 * more; on fast ones slices that are too short cost 1 %. */
#define LEAST_THROUGHPUT 1e8

/* Number of groups of a slice: at least one per compute unit, since fewer take as long. */
static size_t slice(struct clopt *ctx, const struct launch *l, size_t groups)
{
	const size_t units = ctx->device.info.compute_units;
	const struct throughput *throughput = clopt__throughput(ctx, l->kernel);
	double pair = 1 / (LEAST_THROUGHPUT * (double)units), fit;

	if (ctx->slice_seconds == 0 || !clopt__ops[l->v->op]->sliced)
		return groups;
	if (throughput && throughput->seconds > 0)
		pair = throughput->seconds;
	fit = ctx->slice_seconds / (pair * (double)l->v->out[0] * (double)l->dim[0]);
	if (fit >= (double)groups)
		return groups;
	return fit > (double)units ? (size_t)fit : units;
}

static int end_slice(struct clopt *ctx, cl_event *event)
{
	const cl_int code = clWaitForEvents(1, event);

	clReleaseEvent(*event);
	*event = NULL;
	return clopt__code(ctx, code, "clWaitForEvents");
}

/* Queue the slices in order; the last one signals `done`.  Each slice waits for `wait', since a
 * queue continues after a command whose wait has failed.  On the caller's arrays a slice is queued
 * when the last but one has ended, so that the call can be cancelled. */
static int enqueue(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                   const size_t *groups, struct waits wait, cl_event *done)
{
	const struct variant *v = l->v;
	const cl_uint axes = l->batch > 1 ? 3 : 2;
	const size_t local[3] = { v->wg[0], v->wg[1], 1 }, most = slice(ctx, l, groups[0]);
	const int logged = ctx->profile && l->logged;
	cl_event before[2] = { NULL, NULL }; /* the last two slices */
	size_t first, count, offset[3] = { 0, 0, 0 };
	size_t global[3] = { 1, groups[1] * v->wg[1], l->batch };
	unsigned i;
	int rc = CLOPT_OK;

	for (first = 0; first < groups[0]; first += count) {
		const int last = groups[0] - first <= most;

		if (before[0])
			TRY(end_slice(ctx, &before[0]));
		before[0] = before[1];
		before[1] = NULL;
		if (l->logged && first)
			TRY(clopt__go_on(ctx, (double)first / (double)groups[0]));
		count = last ? groups[0] - first : most;
		offset[0] = first * v->wg[0];
		global[0] = count * v->wg[0];
		TRY(clopt__enqueue_kernel(ctx, q, l->kernel, axes, first ? offset : NULL, global,
		                          local, wait,
		                          last      ? done :
		                          l->logged ? &before[1] :
		                                      NULL));
		if (before[1] && logged) {
			TRY_CL(ctx, clRetainEvent(before[1]));
			TRY(clopt__log_kernel(ctx, q, v->name, before[1]));
		}
	}
out:
	for (i = 0; i < 2; i++)
		if (before[i])
			clReleaseEvent(before[i]);
	return rc;
}

int clopt__launch(struct clopt *ctx, cl_command_queue q, const struct launch *asked,
                  struct waits wait, cl_event *done)
{
	struct launch copy = *asked, *const l = &copy;
	struct aligned own;
	const struct variant *v = l->v;
	const struct op *op = clopt__ops[v->op];
	struct first first = { NULL, { 0 }, { 0 } };
	size_t groups[2];
	cl_uint n = 0;
	unsigned i;
	int rc = CLOPT_OK;

	if (v->maps)
		TRY(clopt__align(ctx, q, l, &own, wait));
	TRY(set_arguments(ctx, l, &n));
	if (v->planes)
		TRY(clopt__planes_arguments(ctx, q, l, n, &first));
	if (first.kernel)
		TRY(clopt__enqueue_first(ctx, q, l, &first, wait));
	if (v->moduli)
		TRY(clopt__int8_first(ctx, q, l, n, wait));
	for (i = 0; i < 2; i++) {
		const size_t extent = op->extent[i] == NO_DIM ? 1 : l->dim[op->extent[i]];

		groups[i] =
		        (extent + clopt__out(v, l->problem, i) - 1) / clopt__out(v, l->problem, i);
	}
	if (v->spread)
		spread(ctx, l, groups);
	if (v->persists) {
		groups[0] = clopt__smaller(groups[0] * groups[1],
		                           clopt__larger((size_t)v->retarget, 1) *
		                                   ctx->device.info.compute_units);
		groups[1] = 1;
	}
	TRY(enqueue(ctx, q, l, groups, wait, done));
	clopt__launched(ctx, l->kernel);
out:
	return rc;
}
