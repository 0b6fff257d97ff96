/* SPDX-License-Identifier: MIT */
/*
 * run.c - a job on host arrays: chosen, run, checked and, if the result was wrong, run again.
 */
#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "call.h"

static void make_workload(struct clopt *ctx, const struct job *job, const struct variant *v,
                          cl_kernel kernel, struct workload *w)
{
	clopt__workload(ctx, job, v, w);
	w->kernel = kernel;
	w->throughput = clopt__throughput(ctx, kernel);
	w->logged = 1;
}

/* Devices that are alike take the first one's row, so that results do not show who computed what. */
static int member_workload(struct clopt *ctx, const void *what, const struct workload *first,
                           int alike, struct workload *w)
{
	const struct job *job = what;
	const struct clopt_problem in_parts = clopt__problem_in_parts(&job->problem);
	const struct variant *v = first->v;
	cl_kernel kernel;
	int rc = CLOPT_OK;

	/* The first would have computed such a product in floats. */
	if (clopt__halves_too_deep(ctx, job))
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "sums of halves do not fit in one piece"));
	if (alike)
		TRY(clopt__ready(ctx, v, &job->problem, &kernel));
	else
		TRY(clopt__choose(ctx, &job->problem, 0, &v, &kernel));
	make_workload(ctx, job, v, kernel, w);
	if (clopt__cut_in_parts(ctx, w))
		TRY(clopt__ready(ctx, v, &in_parts, &w->kernel));
out:
	return rc;
}

/* *v and *kernel: the row that ran, and its kernel. */
static int run_once(struct clopt *ctx, const struct job *job, const struct variant **v,
                    cl_kernel *kernel)
{
	const struct clopt_problem in_parts = clopt__problem_in_parts(&job->problem);
	struct workload w;
	int rc = CLOPT_OK;

	TRY(clopt__choose(ctx, &job->problem, 0, v, kernel));
	make_workload(ctx, job, *v, *kernel, &w);
	/* Memory has the sum cut: the first row whose kernel goes on from part to part. */
	if (clopt__cut_in_parts(ctx, &w)) {
		TRY(clopt__choose(ctx, &in_parts, 0, v, kernel));
		make_workload(ctx, job, *v, *kernel, &w);
	}
	TRY(clopt__run_shared(ctx, &w, member_workload, job));
out:
	return rc;
}

int clopt__run_job(struct clopt *ctx, const struct job *job)
{
	const int always = ctx->check == CLOPT_CHECK_ALWAYS;
	const struct variant *v;
	struct guard guard = { 0 };
	cl_kernel kernel;
	int again, rc = CLOPT_OK;

	if (always)
		TRY(clopt__guard_open(ctx, job, &guard));
	do {
		again = 0;
		TRY(run_once(ctx, job, &v, &kernel));
		if (always) {
			rc = clopt__guard_check(ctx, job, &guard, v, kernel);
			again = rc == CLOPT_EWRONG &&
			        (clopt__members_distrust(ctx) || !ctx->forced[job->problem.op]);
		}
	} while (again);
out:
	clopt__guard_close(&guard);
	return rc;
}

/* Matrices of a batch that go together are not cut. */
static int too_large(struct clopt *ctx, const struct job *job)
{
	const struct selection how = { .resident = 0 };
	const struct variant *v;
	cl_kernel kernel;

	return job->problem.batch > 1 &&
	       clopt__select(ctx, &job->problem, &how, &v, &kernel) == CLOPT_ENOMEM;
}

int clopt__together(struct clopt *ctx, const struct job *job)
{
	return clopt__batch_moves(job) && !too_large(ctx, job);
}
