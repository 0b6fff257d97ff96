/* SPDX-License-Identifier: MIT */
/*
 * halves.c - a product of halves, or bfloat16, whose k does not fit the device, as products of floats whose sums
 * are added up in the host's memory.
 *
 * Kernels add up in float32 and round once.  If k were cut, each part's result would be rounded to
 * 16 bits.  k is cut only where one row of op(A) and one column of op(B) do not fit together, which
 * needs a limit on memory.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

/* Sides of a block of C, and terms of k at a time. */
#define SIDE ((size_t)512)
#define DEPTH ((size_t)8192)

struct halves {
	const struct job *job;
	float *a, *b, *c; /* of a block: of op(A) and op(B), and its sums */
};

static char *at(const struct operand *o, size_t i, size_t j)
{
	return (char *)o->host + (i * o->ld + j) * o->elem_bytes;
}

/* Copy rows and columns of an operand, or of its transpose, to floats. */
static void to_floats(const struct operand *o, int type, int turned, const size_t *first,
                      const size_t *count, float *to)
{
	size_t i, j;

	for (i = 0; i < count[0]; i++)
		for (j = 0; j < count[1]; j++)
			to[i * count[1] + j] =
			        (float)clopt__element(turned ? at(o, first[1] + j, first[0] + i) :
			                                       at(o, first[0] + i, first[1] + j),
			                              type);
}

/* The product of floats for a block and some terms of k; adds: to the sums of the terms before. */
static struct job part_of(const struct job *job, const size_t *count, int adds)
{
	const size_t ld[3] = { count[2], count[1], count[1] };
	struct job part = { .problem = job->problem, .real = { 1, adds } };
	unsigned i;

	part.problem.type = CLOPT_TYPE_FLOAT;
	part.problem.elem_bytes = sizeof(float);
	part.problem.transa = part.problem.transb = CLOPT_TRANS_NO;
	part.problem.triangle = 0;
	part.problem.math = CLOPT_MATH_EXACT;
	memcpy(part.problem.dim, count, sizeof part.problem.dim);
	for (i = 0; i < 3; i++) {
		part.operand[i].name = job->operand[i].name;
		part.operand[i].ld = ld[i];
		part.operand[i].use = i < 2 ? OPERAND_IN :
		                      adds  ? OPERAND_IN | OPERAND_OUT :
		                              OPERAND_OUT;
		clopt__problem_operand(&part.problem, i, &part.operand[i]);
	}
	return part;
}

/* Add some terms of k to all sums of a block. */
static int add_terms(struct clopt *ctx, const struct halves *h, const size_t *first,
                     const size_t *count)
{
	const struct operand *o = h->job->operand;
	const struct clopt_problem *p = &h->job->problem;
	const size_t in[2][2] = { { first[0], first[2] }, { first[2], first[1] } };
	const size_t of[2][2] = { { count[0], count[2] }, { count[2], count[1] } };
	struct job part = part_of(h->job, count, first[2] != 0);
	struct stretch call;
	int rc = CLOPT_OK;

	to_floats(&o[0], p->type, p->transa != CLOPT_TRANS_NO, in[0], of[0], h->a);
	to_floats(&o[1], p->type, p->transb != CLOPT_TRANS_NO, in[1], of[1], h->b);
	part.operand[0].host = h->a;
	part.operand[1].host = h->b;
	part.operand[2].host = h->c;
	TRY(clopt__go_on(ctx, (double)first[2] / (double)p->dim[2]));
	call = clopt__part(ctx, first[2] / DEPTH, (p->dim[2] + DEPTH - 1) / DEPTH);
	rc = clopt__run_job(ctx, &part);
	clopt__whole(ctx, call);
out:
	return rc;
}

static void write_block(const struct halves *h, const size_t *first, const size_t *count)
{
	const struct job *job = h->job;
	const double alpha = job->real[0], beta = job->real[1];
	const int type = job->problem.type;
	size_t i, j;

	for (i = first[0]; i < first[0] + count[0]; i++)
		for (j = first[1]; j < first[1] + count[1]; j++) {
			const float sum = h->c[(i - first[0]) * count[1] + j - first[1]];
			char *c = at(&job->operand[2], i, j);
			const double kept = beta == 0 ? 0 : beta * clopt__element(c, type);

			if (!job->problem.triangle ||
			    (job->problem.triangle == CLOPT_UPLO_LOWER ? j <= i : j >= i))
				clopt__element_put(c, type, alpha * (double)sum + kept);
		}
}

/* Compute the block of C that begins at `first`. */
static int run_block(struct clopt *ctx, const struct halves *h, size_t *first)
{
	const size_t *dim = h->job->problem.dim;
	size_t count[3] = { 0, 0, 0 }, parts = 0;
	unsigned i;
	int rc = CLOPT_OK;

	for (first[2] = 0; first[2] < dim[2]; first[2] += count[2], parts++) {
		for (i = 0; i < 3; i++) {
			const size_t most = i == 2 ? DEPTH : SIDE;

			count[i] = dim[i] - first[i] < most ? dim[i] - first[i] : most;
		}
		TRY(add_terms(ctx, h, first, count));
	}
	ctx->report.sum_parts *= parts;
	write_block(h, first, count);
out:
	return rc;
}

int clopt__halves(struct clopt *ctx, const struct job *job)
{
	struct halves h = { .job = job };
	const size_t *dim = job->problem.dim, across = (dim[1] + SIDE - 1) / SIDE;
	size_t first[3];
	struct stretch call;
	int rc = CLOPT_OK;

	h.a = malloc((2 * SIDE * DEPTH + SIDE * SIDE) * sizeof *h.a);
	if (!h.a)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for halves as floats");
	h.b = h.a + SIDE * DEPTH;
	h.c = h.b + SIDE * DEPTH;
	for (first[0] = 0; first[0] < dim[0]; first[0] += SIDE)
		for (first[1] = 0; first[1] < dim[1]; first[1] += SIDE) {
			call = clopt__part(ctx, first[0] / SIDE * across + first[1] / SIDE,
			                   (dim[0] + SIDE - 1) / SIDE * across);
			rc = run_block(ctx, &h, first);
			clopt__whole(ctx, call);
			TRY(rc);
		}
out:
	free(h.a);
	return rc;
}

void clopt__halves_jobs(const struct job *job, struct jobs *jobs)
{
	const size_t most[3] = { SIDE, SIDE, DEPTH }, *dim = job->problem.dim;
	size_t count[3][2], times[3][2]; /* whole pieces of a size, and the rest */
	unsigned i, j, k, adds, n = 0;

	for (i = 0; i < 3; i++) {
		count[i][0] = most[i];
		times[i][0] = dim[i] / most[i];
		count[i][1] = dim[i] % most[i];
		times[i][1] = count[i][1] > 0;
	}
	for (i = 0; i < 2; i++)
		for (j = 0; j < 2; j++)
			for (k = 0; k < 2; k++)
				for (adds = 0; adds < 2; adds++) {
					const size_t piece[3] = { count[0][i], count[1][j],
						                  count[2][k] };
					const size_t first = k == (times[2][0] == 0);
					const size_t of_k = adds ? times[2][k] - first : first;

					if (!times[0][i] || !times[1][j] || !of_k)
						continue;
					jobs->kind[n].job = part_of(job, piece, (int)adds);
					jobs->kind[n++].times = times[0][i] * times[1][j] * of_k;
				}
	jobs->kinds = n;
	jobs->sum_parts = times[2][0] + times[2][1];
}
