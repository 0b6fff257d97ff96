/* SPDX-License-Identifier: MIT */
/*
 * call.c - checks and runs a job that a routine describes, until its results are in place.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "call.h"

int clopt__is_empty(const struct job *job)
{
	const struct operand *out = &job->operand[clopt__ops[job->problem.op]->operands - 1];

	return job->idle || out->rows == 0 || out->columns == 0;
}

int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job)
{
	const struct op *op;
	unsigned operands, i, j;
	int rc = CLOPT_OK;

	*job = *described;
	TRY(clopt__problem_read(ctx, &described->problem, &job->problem));
	job->problem.reserved |= clopt__epilogue_form(job);
	op = clopt__ops[job->problem.op];
	operands = clopt__operands(job);
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
	for (i = 0; i < operands; i++)
		clopt__job_operand(job, i);
	for (i = 0; i < operands; i++)
		if (job->operand[i].use & OPERAND_MOVED) /* otherwise it is on the device only */
			TRY(clopt__check_operand(ctx, &job->operand[i], clopt__is_empty(job)));
	for (i = 0; i < operands; i++)
		for (j = 0; j < operands; j++)
			if (i != j && (job->operand[i].use & OPERAND_OUT))
				TRY(clopt__check_apart(ctx, &job->operand[i], &job->operand[j]));
out:
	return rc;
}

/* Copies of outputs that are also inputs: of the job, or of each matrix of a batch that runs one by
 * one. */
struct before {
	struct kept *kept;
	size_t count;
};

/* The part of the job that copy i belongs to. */
static const struct job *part_of(const struct job *job, const struct before *b, size_t i,
                                 struct job *one)
{
	if (b->count == 1)
		return job;
	clopt__batch_one(job, i, one);
	return one;
}

static int keep(struct clopt *ctx, const struct job *job, size_t count, struct before *b)
{
	const int checks = ctx->check == CLOPT_CHECK_ALWAYS && !job->run;
	const struct job *part;
	struct job one;
	size_t i;
	int rc = CLOPT_OK;

	if (!ctx->keep_output && !checks)
		return CLOPT_OK;
	b->count = count;
	b->kept = calloc(count, sizeof *b->kept);
	if (!b->kept)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for copies of %zu matrices",
		                   count);
	for (i = 0; i < count; i++) {
		part = part_of(job, b, i, &one);
		TRY(clopt__keep_open(ctx, part->operand, MAX_OPERANDS, &b->kept[i]));
	}
out:
	return rc;
}

/* End a call.  After a failure restore outputs that are also inputs, if that is asked for or if a
 * check found the result wrong. */
static void restore(const struct clopt *ctx, const struct job *job, const struct before *b, int rc)
{
	struct job one;
	size_t i;

	for (i = 0; b->kept && i < b->count; i++) {
		const struct job *part = part_of(job, b, i, &one);

		if (rc == CLOPT_EWRONG || (rc != CLOPT_OK && ctx->keep_output))
			clopt__keep_restore(part->operand, MAX_OPERANDS, b->kept[i].copy);
		clopt__keep_close(&b->kept[i]);
	}
	free(b->kept);
}

int clopt__run_one(struct clopt *ctx, const struct job *job)
{
	return (job->runners && job->runners->job ? job->runners->job : clopt__run_job)(ctx, job);
}

/* Run the matrices of a batch one by one, or the whole job. */
static int run_parts(struct clopt *ctx, struct job *job, const struct before *b, size_t count)
{
	struct stretch call;
	struct job matrix, *one = job;
	size_t i;
	int rc = CLOPT_OK;

	for (i = 0; i < count; i++) {
		if (count > 1) {
			clopt__batch_one(job, i, &matrix);
			one = &matrix;
		}
		one->kept = b->kept ? b->kept[i].copy : NULL;
		TRY(clopt__go_on(ctx, (double)i / (double)count));
		call = clopt__part(ctx, i, count);
		rc = clopt__run_one(ctx, one);
		clopt__whole(ctx, call);
		TRY(rc);
	}
out:
	return rc;
}

int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report)
{
	struct before before = { NULL, 0 };
	struct guard audit = { 0 };
	struct job job;
	size_t count;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, clopt__problem_sentence(&described->problem)));
	if (described->cancelled && __atomic_load_n(described->cancelled, __ATOMIC_SEQ_CST))
		clopt_cancel(ctx);
	TRY(clopt__complete(ctx, described, &job));
	TRY(clopt__go_on(ctx, 0));
	if (clopt__is_empty(&job))
		goto out;
	if (job.per_charge)
		clopt__law_charge(&job);
	TRY(clopt__audit_begin(ctx, &job, &audit));
	count = clopt__together(ctx, &job) ? 1 : job.problem.batch;
	rc = keep(ctx, &job, count, &before);
	if (rc == CLOPT_OK)
		rc = job.run ? job.run(ctx, &job, NULL) : run_parts(ctx, &job, &before, count);
	restore(ctx, &job, &before, rc);
	rc = clopt__audit_end(ctx, &audit, rc);
out:
	if (rc == CLOPT_OK)
		clopt__kernels_save(ctx, 0);
	return clopt__end(ctx, rc, report);
}
