/* SPDX-License-Identifier: MIT */
/*
 * verify.c - a kernel's first use: before it gets the caller's data it solves small
 * problems of ours, and one that is wrong is struck out.
 *
 * It is the very kernel, with its transposes, types and law, that is tried, once for a
 * context.  The queue is one for this alone: in the caller's there may be commands that
 * wait for what he does next.
 */
#include <stdio.h>
#include <string.h>

#include "verify.h"

static const struct checker *const checkers[CLOPT_OPS] = {
	[CLOPT_MATMUL] = &clopt__check_matmul,     [CLOPT_TRANSPOSE] = &clopt__check_transpose,
	[CLOPT_POTENTIAL] = &clopt__check_pair,    [CLOPT_NBODY] = &clopt__check_pair,
	[CLOPT_LEAPFROG] = &clopt__check_leapfrog, [CLOPT_EVOLVE_FORCE] = &clopt__check_force,
	[CLOPT_EVOLVE_STEP] = &clopt__check_step,  [CLOPT_EVOLVE_SUMS] = &clopt__check_sums,
};

/* All trials of a kernel, up to the first that it fails. */
static int run_trials(struct clopt *ctx, const struct variant *v,
                      const struct clopt_problem *problem, cl_kernel kernel, char *why)
{
	const struct checker *c = checkers[v->op];
	struct trial t;
	cl_command_queue q;
	cl_int code;
	unsigned i;
	int rc = CLOPT_OK;

	q = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
	if (code != CL_SUCCESS)
		return clopt__fail_cl(ctx, code, "clCreateCommandQueue");
	for (i = 0; rc == CLOPT_OK; i++) {
		memset(&t, 0, sizeof t);
		t.number = i;
		t.v = v;
		t.problem = *problem;
		t.problem.batch = 1;
		t.steps = 1;
		t.random = 0x9e3779b97f4a7c15u + i;
		if (!c->describe(ctx, &t))
			break;
		rc = clopt__trial_run(ctx, c, &t, kernel, q);
	}
	clReleaseCommandQueue(q);
	if (rc == CLOPT_EWRONG)
		memcpy(why, t.why, sizeof t.why);
	return rc;
}

int clopt__verify(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel kernel)
{
	const char *const variant = ctx->report.variant; /* what runs here is no call */
	int *checked = clopt__checked(ctx, kernel);
	char why[WHY_SIZE];
	int rc;

	if (ctx->check == CLOPT_CHECK_OFF || !checked || *checked)
		return CLOPT_OK;
	rc = run_trials(ctx, v, problem, kernel, why);
	ctx->report.variant = variant;
	*checked = rc == CLOPT_OK;
	return rc == CLOPT_EWRONG ? clopt__condemn(ctx, kernel, why) : rc;
}

int clopt__condemn(struct clopt *ctx, cl_kernel kernel, const char *why)
{
	const int rc = clopt__wrong(ctx, kernel, why);

	clopt__notice(ctx, clopt_error(ctx));
	return rc;
}
