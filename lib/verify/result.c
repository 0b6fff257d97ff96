/* SPDX-License-Identifier: MIT */
/*
 * result.c - CLOPT_CHECK_ALWAYS: checks the result of a call on arrays before the call returns.  If
 * the result is wrong, its array is restored and the row runs once more: the error may be the
 * machine's, such as a flipped bit.  If the row is wrong again, it is struck out.  If several
 * devices have computed it, several/shared.c judges the part of each, to name the wrong one.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const struct operand *result(const struct job *job)
{
	return &job->operand[clopt__ops[job->problem.op]->operands - 1];
}

int clopt__guard_open(struct clopt *ctx, const struct job *job, struct guard *g)
{
	size_t (*const room_bytes)(const struct clopt_problem *) =
	        clopt__checkers[job->problem.op]->room_bytes;
	int rc = CLOPT_OK;

	memset(g, 0, sizeof *g);
	g->job = job;
	g->seed = (uint64_t)(clopt__now() * 1e9);
	if (!job->kept)
		TRY(clopt__keep_open(ctx, result(job), 1, &g->own));
	g->copy = job->kept ? job->kept : g->own.copy;
	if (room_bytes) {
		g->room = malloc(room_bytes(&job->problem));
		if (!g->room)
			rc = clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check the result");
	}
out:
	return rc;
}

void clopt__guard_close(struct guard *g)
{
	free(g->room);
	clopt__keep_close(&g->own);
	memset(g, 0, sizeof *g);
}

int clopt__guard_judge_part(const struct guard *g, const struct variant *v,
                            const struct block *part, char *why)
{
	return clopt__checkers[g->job->problem.op]->result(g, part, v, why);
}

int clopt__guard_judge(struct guard *g, const struct variant *v)
{
	const struct clopt_problem *p = &g->job->problem;
	const struct block all = { .count = { p->batch > 1 ? p->batch : p->dim[0], p->dim[1],
		                              p->dim[2] } };

	if (!g->judged)
		g->verdict = clopt__guard_judge_part(g, v, &all, g->why);
	g->judged = 1;
	return g->verdict;
}

int clopt__guard_check(struct clopt *ctx, struct guard *g, const struct variant *v,
                       cl_kernel kernel, int *again)
{
	int rc = clopt__guard_judge(g, v);

	g->judged = 0;
	*again = rc == CLOPT_EWRONG && g->suspect != v;
	if (rc == CLOPT_EWRONG)
		clopt__keep_restore(result(g->job), 1, g->copy);
	if (*again) {
		g->suspect = v;
		if (ctx->verbose)
			clopt__notice(ctx, "%s: %s; the call is repeated once", v->name, g->why);
	} else if (rc == CLOPT_EWRONG) {
		rc = kernel ? clopt__reject(ctx, kernel, g->why) :
		              clopt__fail(ctx, CLOPT_EWRONG, "%s: %s", v->name, g->why);
	}
	return rc;
}
