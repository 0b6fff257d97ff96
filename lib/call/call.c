/* SPDX-License-Identifier: MIT */
/*
 * call.c - from a routine's description of its job to the result in place.
 */
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "call.h"

int clopt__begin(struct clopt *ctx, struct sentence call)
{
	struct clopt_report *r;
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, call));
	r = &ctx->report;
	memset(r, 0, sizeof *r);
	r->size = sizeof *r;
	r->seconds = -clopt__now();
	/* Wraps round below zero; clopt__end adds the counts at the end. */
	r->kernels_loaded = -ctx->built.loaded;
	r->kernels_compiled = -ctx->built.compiled;
	r->kernels_saved = -ctx->built.saved;
out:
	return rc;
}

int clopt__end(struct clopt *ctx, int rc, struct clopt_report *report)
{
	struct clopt_report *r;
	char text[160];

	if (!ctx)
		goto out;
	r = &ctx->report;
	r->seconds += clopt__now();
	r->kernels_loaded += ctx->built.loaded;
	r->kernels_compiled += ctx->built.compiled;
	r->kernels_saved += ctx->built.saved;
	clopt__report_close(ctx);
	if (ctx->verbose) {
		clopt__say_doing(text, sizeof text);
		clopt__verbose(ctx, text, rc);
	}
	if (report)
		*report = *r;
out:
	return clopt__leave(ctx, rc);
}

/* Nothing is to be computed, so no array is read or written. */
int clopt__is_empty(const struct job *job)
{
	const struct operand *out = &job->operand[clopt__ops[job->problem.op]->operands - 1];

	return job->idle || out->rows == 0 || out->columns == 0;
}

int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job)
{
	const struct op *op;
	unsigned i, j;
	int rc = CLOPT_OK;

	*job = *described;
	TRY(clopt__problem_read(ctx, &described->problem, &job->problem));
	op = clopt__ops[job->problem.op];
	for (i = 0; i < op->operands; i++)
		if (!job->operand[i].name)
			job->operand[i].name = op->operand[i];
	/* The transpose of a product is the product of the transposes in reverse order. */
	if (described->problem.layout == CLOPT_LAYOUT_COL_MAJOR) {
		job->operand[0] = described->operand[1];
		job->operand[1] = described->operand[0];
		job->operand[0].name = op->operand[1];
		job->operand[1].name = op->operand[0];
	}
	for (i = 0; i < op->operands; i++)
		clopt__problem_operand(&job->problem, i, &job->operand[i]);
	for (i = 0; i < op->operands; i++)
		if (job->operand[i].use) /* else it is on the device only */
			TRY(clopt__check_operand(ctx, &job->operand[i], clopt__is_empty(job)));
	for (i = 0; i < op->operands; i++)
		for (j = 0; j < op->operands; j++)
			if (i != j && (job->operand[i].use & OPERAND_OUT))
				TRY(clopt__check_apart(ctx, &job->operand[i], &job->operand[j]));
out:
	return rc;
}

static int run_fitting(struct clopt *ctx, const struct job *job)
{
	return clopt__halves_too_deep(ctx, job) ? clopt__halves(ctx, job) :
	                                          clopt__run_job(ctx, job);
}

void clopt__jobs(struct clopt *ctx, const struct job *job, struct jobs *jobs)
{
	struct job one = *job;
	size_t times = 1;
	unsigned i;

	if (!clopt__together(ctx, job)) {
		clopt__batch_one(job, 0, &one);
		times = job->problem.batch;
	}
	jobs->kinds = 1;
	jobs->sum_parts = 1;
	jobs->kind[0].job = one;
	jobs->kind[0].times = 1;
	if (clopt__halves_too_deep(ctx, &one))
		clopt__halves_jobs(&one, jobs);
	for (i = 0; i < jobs->kinds; i++)
		jobs->kind[i].times *= times;
}

int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report)
{
	struct job job, one;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, clopt__problem_sentence(&described->problem)));
	TRY(clopt__complete(ctx, described, &job));
	if (clopt__is_empty(&job))
		goto out;
	if (job.per_charge)
		clopt__law_charge(&job);
	if (job.run) {
		TRY(job.run(ctx, &job, NULL));
		goto out;
	}
	if (clopt__together(ctx, &job)) {
		TRY(run_fitting(ctx, &job));
		goto out;
	}
	for (i = 0; i < job.problem.batch; i++) {
		clopt__batch_one(&job, i, &one);
		TRY(run_fitting(ctx, &one));
	}
out:
	if (rc == CLOPT_OK)
		clopt__kernels_save(ctx, 0);
	return clopt__end(ctx, rc, report);
}

int clopt_last_report(struct clopt *ctx, struct clopt_report *report)
{
	int rc;

	if (!ctx || !report)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_last_report: %s is NULL",
		                   ctx ? "report" : "ctx");
	pthread_mutex_lock(&ctx->lock);
	rc = clopt__sized_give(ctx, "clopt_report", report, &ctx->report, sizeof *report);
	pthread_mutex_unlock(&ctx->lock);
	return rc;
}
