/* SPDX-License-Identifier: MIT */
/*
 * launch.c - arguments and geometry of one enqueue, both from the table.
 */
#include "stream.h"

/* A number as the kernel takes it: two floats, a double or a float. */
static int set_number(struct clopt *ctx, cl_kernel kernel, cl_uint n,
                      const struct clopt_problem *problem, double x)
{
	const int two = problem->precision == CLOPT_PRECISION_DOUBLE_SINGLE;
	const cl_float f = (cl_float)x;
	const cl_float2 pair = { { f, (cl_float)(x - (double)f) } };
	const void *value = two                      ? (const void *)&pair :
	                    problem->elem_bytes == 8 ? (const void *)&x :
	                                               &f;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clSetKernelArg(kernel, n, two || problem->elem_bytes == 8 ? 8 : 4, value));
out:
	return rc;
}

static int set_arguments(struct clopt *ctx, const struct op *op, const struct variant *v,
                         cl_kernel kernel, const struct clopt_problem *problem, const size_t *dim,
                         const double *real, const struct array *const *arrays)
{
	cl_uint n = 0;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < op->dims; i++) {
		cl_ulong size = dim[i];

		TRY_CL(ctx, clSetKernelArg(kernel, n++, sizeof size, &size));
	}
	for (i = 0; op->pitched && i < op->operands; i++) {
		cl_ulong ld = arrays[i]->pitch_bytes / problem->elem_bytes;

		TRY_CL(ctx, clSetKernelArg(kernel, n++, sizeof ld, &ld));
	}
	for (i = 0; i < op->reals; i++)
		TRY(set_number(ctx, kernel, n++, problem, real[i]));
	for (i = 0; i < op->operands; i++) {
		const int image = (v->images | v->texels) >> i & 1;

		TRY_CL(ctx, clSetKernelArg(kernel, n++, sizeof(cl_mem),
		                           image ? &arrays[i]->image : &arrays[i]->mem));
	}
out:
	return rc;
}

int clopt__launch(struct clopt *ctx, cl_command_queue q, const struct variant *v, cl_kernel kernel,
                  const struct clopt_problem *problem, const size_t *dim, const double *real,
                  const struct array *const *arrays, struct wait wait, cl_event *done)
{
	const struct op *op = &clopt__ops[v->op];
	size_t global[2];
	unsigned i;
	int rc = CLOPT_OK;

	TRY(set_arguments(ctx, op, v, kernel, problem, dim, real, arrays));
	for (i = 0; i < 2; i++) {
		size_t extent = op->extent[i] == NO_DIM ? 1 : dim[op->extent[i]];

		global[i] = (extent + v->out[i] - 1) / v->out[i] * v->wg[i];
	}
	TRY_CL(ctx, clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, v->wg, wait.count,
	                                   wait.count ? wait.list : NULL, done));
	ctx->report.variant = v->name;
out:
	return rc;
}
