/* SPDX-License-Identifier: MIT */
/*
 * call.c - from a routine's description of its job to the result in place.
 */
#include <string.h>

#include "physics.h"
#include "verify.h"

int clopt__begin_text(struct clopt *ctx, const char *text)
{
	int rc;

	clopt__doing(text);
	if (!ctx) {
		rc = clopt__fail(NULL, CLOPT_EINVAL, "ctx is NULL");
		clopt__doing(NULL);
		return rc;
	}
	pthread_mutex_lock(&ctx->lock);
	memset(&ctx->report, 0, sizeof ctx->report);
	ctx->report.size = sizeof ctx->report;
	ctx->report.seconds = -clopt__now();
	return CLOPT_OK;
}

int clopt__end_text(struct clopt *ctx, const char *text, int rc, struct clopt_report *report)
{
	ctx->report.seconds += clopt__now();
	clopt__report_close(ctx);
	if (ctx->verbose)
		clopt__verbose(ctx, text, rc);
	if (report)
		*report = ctx->report;
	clopt__doing(NULL);
	pthread_mutex_unlock(&ctx->lock);
	return rc;
}

int clopt__begin(struct clopt *ctx, const struct clopt_problem *problem)
{
	char text[160];

	clopt__problem_text(problem, text, sizeof text);
	return clopt__begin_text(ctx, text);
}

int clopt__end(struct clopt *ctx, const struct clopt_problem *problem, int rc,
               struct clopt_report *report)
{
	char text[160];

	clopt__problem_text(problem, text, sizeof text);
	return clopt__end_text(ctx, text, rc, report);
}

/* Nothing is to be computed, so nothing will be looked at. */
int clopt__is_empty(const struct job *job)
{
	const struct operand *out = &job->operand[clopt__ops[job->problem.op].operands - 1];

	return out->rows == 0 || out->columns == 0 ||
	       (job->problem.op == CLOPT_LEAPFROG && job->steps == 0);
}

int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job)
{
	const struct op *op;
	unsigned i, j;
	int rc = CLOPT_OK;

	*job = *described;
	TRY(clopt__problem_read(ctx, &described->problem, &job->problem));
	op = &clopt__ops[job->problem.op];
	for (i = 0; i < op->operands; i++)
		if (!job->operand[i].name)
			job->operand[i].name = op->operand[i];
	/* The transpose of the product, which is the product of the transposes. */
	if (described->problem.layout == CLOPT_COL_MAJOR) {
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

static int run_fitting(struct clopt *ctx, const struct job *job)
{
	return clopt__halves_apart(ctx, job) ? clopt__halves(ctx, job) : clopt__run_job(ctx, job);
}

/* A matrix of a batch is not cut while they are together. */
static int too_large(struct clopt *ctx, const struct job *job)
{
	const struct variant *v;
	cl_kernel kernel;

	return job->problem.batch > 1 &&
	       clopt__choose(ctx, &job->problem, 0, &v, &kernel) == CLOPT_ENOMEM;
}

int clopt__together(struct clopt *ctx, const struct job *job)
{
	return clopt__batch_moves(job) && !too_large(ctx, job);
}

int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report)
{
	struct job job, one;
	size_t i;
	int rc = clopt__begin(ctx, &described->problem);

	if (rc != CLOPT_OK)
		return rc;
	TRY(clopt__complete(ctx, described, &job));
	if (clopt__is_empty(&job))
		goto out;
	if (job.per_charge)
		clopt__physics_charge(&job);
	if (job.problem.op == CLOPT_LEAPFROG) {
		TRY(clopt__leapfrog(ctx, &job, NULL));
		goto out;
	}
	if (job.in_place) {
		TRY(clopt__in_place(ctx, &job));
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
	return clopt__end(ctx, &described->problem, rc, report);
}

struct form clopt__at_once(void)
{
	return (struct form){ NULL, 0, NULL };
}

struct form clopt__started(struct clopt_call **call)
{
	if (call)
		*call = NULL;
	return (struct form){ call, 0, NULL };
}

struct form clopt__on_buffers(const struct clopt_order *order)
{
	return (struct form){ NULL, 1, order };
}

int clopt__submit(struct clopt *ctx, const struct job *described, const struct form *form)
{
	if (form->call)
		return clopt__start(ctx, described, form->call);
	return form->buffers ? clopt__enqueue(ctx, described, form->order) :
	                       clopt__call(ctx, described, NULL);
}

int clopt_last_report(struct clopt *ctx, struct clopt_report *report)
{
	size_t size;
	int rc = CLOPT_OK;

	if (!ctx || !report)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_last_report: %s is NULL",
		                   ctx ? "report" : "ctx");
	size = report->size;
	TRY(clopt__check_options(ctx, "clopt_report", size, sizeof *report));
	pthread_mutex_lock(&ctx->lock);
	memcpy(report, &ctx->report, size);
	pthread_mutex_unlock(&ctx->lock);
	report->size = size;
out:
	return rc;
}
