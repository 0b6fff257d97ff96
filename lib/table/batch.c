/* SPDX-License-Identifier: MIT */
/*
 * batch.c - many products of one shape, by one launch or one by one.
 *
 * One launch computes a batch.  On the device the matrices of an operand are the rows of one array,
 * gaps included.  So products run one by one where gaps must keep their values (in C), or are most
 * of the bytes.
 */
#include "table.h"

struct operand clopt__of_batch(struct operand o, size_t batch, size_t stride)
{
	if (batch > 1) {
		o.inner_ld = o.ld;
		o.ld = stride;
	}
	return o;
}

int clopt__batch_moves(const struct job *job)
{
	const unsigned last = clopt__ops[job->problem.op]->operands - 1;
	struct clopt_problem single = job->problem;
	unsigned i;

	single.batch = 1;
	for (i = 0; job->problem.batch > 1 && i <= last; i++) {
		const struct operand *o = &job->operand[i];
		struct operand matrix = *o;

		clopt__problem_operand(&single, i, &matrix);
		if (!o->use)
			continue;
		if (o->rows > 1 && o->ld < o->columns)
			return 0;
		if (i == last ? matrix.rows > 1 && o->inner_ld > matrix.columns :
		                o->columns > 2 * matrix.rows * matrix.columns)
			return 0;
	}
	return 1;
}

void clopt__batch_one(const struct job *job, size_t i, struct job *one)
{
	unsigned j;

	*one = *job;
	one->problem.batch = 1;
	one->problem.uneven = 0; /* its rows get their own pitch */
	for (j = 0; j < clopt__operands(job); j++) {
		struct operand *o = &one->operand[j];

		if (o->host && o->row_dim != NO_DIM)
			o->host = (char *)o->host + i * o->ld * o->elem_bytes;
		o->ld = o->inner_ld;
		o->inner_ld = 0;
		clopt__job_operand(one, j);
	}
}
