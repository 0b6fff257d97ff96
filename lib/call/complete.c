/* SPDX-License-Identifier: MIT */
/*
 * complete.c - checks the arguments of a job that a routine describes, and fills in what follows.
 */
#include "call.h"

/* Whether the job has no results, so that no array is read or written. */
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
		if (job->operand[i].use) /* otherwise it is on the device only */
			TRY(clopt__check_operand(ctx, &job->operand[i], clopt__is_empty(job)));
	for (i = 0; i < op->operands; i++)
		for (j = 0; j < op->operands; j++)
			if (i != j && (job->operand[i].use & OPERAND_OUT))
				TRY(clopt__check_apart(ctx, &job->operand[i], &job->operand[j]));
out:
	return rc;
}
