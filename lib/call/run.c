/* SPDX-License-Identifier: MIT */
/*
 * run.c - a job on host arrays: chosen, run, checked and, if it was wrong, run again.
 */
#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "call.h"

/* The row that ran, and its kernel, to *v and *kernel. */
static int run_once(struct clopt *ctx, const struct job *job, const struct guard *guard,
                    const struct variant **v, cl_kernel *kernel)
{
	struct work w;
	int rc = CLOPT_OK;

	TRY(clopt__choose(ctx, &job->problem, 0, v, kernel));
	clopt__work(job, *v, &w);
	w.kernel = *kernel;
	w.pace = clopt__pace(ctx, *kernel);
	w.logged = 1;
	clopt__guard_watch(guard, &w);
	TRY(clopt__run(ctx, &w));
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
		TRY(run_once(ctx, job, &guard, &v, &kernel));
		if (always) {
			rc = clopt__guard_check(ctx, job, &guard, v, kernel);
			again = rc == CLOPT_EWRONG && !ctx->forced[job->problem.op];
		}
	} while (again);
out:
	clopt__guard_close(&guard);
	return rc;
}

/* A matrix of a batch is not cut while they are together. */
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

int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report)
{
	struct job job, one;
	size_t i;
	const struct sentence sentence = clopt__problem_sentence(&described->problem);
	int rc = clopt__begin(ctx, sentence);

	if (rc != CLOPT_OK)
		return rc;
	TRY(clopt__complete(ctx, described, &job));
	if (clopt__is_empty(&job))
		goto out;
	if (job.per_charge)
		clopt__physics_charge(&job);
	if (job.run) {
		TRY(job.run(ctx, &job, NULL));
		goto out;
	}
	if (clopt__together(ctx, &job)) {
		TRY(clopt__run_job(ctx, &job));
		goto out;
	}
	for (i = 0; i < job.problem.batch; i++) {
		clopt__batch_one(&job, i, &one);
		TRY(clopt__run_job(ctx, &one));
	}
out:
	if (rc == CLOPT_OK)
		clopt__kernels_save(ctx, 0);
	return clopt__end(ctx, sentence, rc, report);
}
