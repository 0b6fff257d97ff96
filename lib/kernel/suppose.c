/* SPDX-License-Identifier: MIT */
/*
 * suppose.c - a problem that is only asked about, as the job it would be.
 */
#include <stdint.h>

#include "kernel.h"

/* All arrays together are smaller, and the pages between them; one may ask about any. */
#define MOST_BYTES (SIZE_MAX / 16 * 15)

int clopt__suppose(const struct clopt *ctx, const struct clopt_problem *problem, struct job *job)
{
	const struct op *op = &clopt__ops[problem->op];
	double all = 0;
	unsigned i;

	*job = (struct job){ .problem = *problem };
	/* On the device rows are apart as suits it, but for those within a batch. */
	job->problem.uneven = problem->op == CLOPT_TRANSPOSE && problem->batch > 1 &&
	                      (problem->dim[0] | problem->dim[1]) * problem->elem_bytes % 16;
	for (i = 0; i < op->operands; i++) {
		struct operand *o = &job->operand[i];
		double bytes;

		o->ld = 1; /* of a batch, each has its own */
		clopt__problem_operand(problem, i, o);
		bytes = (double)o->rows * (double)o->columns * (double)o->elem_bytes;
		all += bytes;
		if (all > (double)MOST_BYTES)
			return clopt__fail(ctx, CLOPT_ENOMEM,
			                   "%s would be %g bytes, with the arrays before it %g",
			                   op->operand[i], bytes, all);
		o->ld = o->columns;
		if (i + 1 < op->operands)
			o->use = o->columns ? OPERAND_IN : 0;
		else /* of a triangle, the other one comes back as it went */
			o->use = problem->triangle ? OPERAND_IN | OPERAND_OUT : OPERAND_OUT;
	}
	return CLOPT_OK;
}

int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem)
{
	struct job job;
	struct work w;
	struct plan p;
	int rc = CLOPT_OK;

	TRY(clopt__suppose(ctx, problem, &job));
	clopt__work(&job, v, &w);
	w.dry = 1;
	TRY(clopt__plan(ctx, &w, &p));
out:
	return rc;
}
