/* SPDX-License-Identifier: MIT */
/*
 * result.c - CLOPT_CHECK_ALWAYS: the result of a call on arrays is checked before the call returns.
 * If the result is wrong, the row is struck out and the result's array restored.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define WORTH ((size_t)1 << 19) /* bytes whose copying is worth a thread */

static const struct operand *result(const struct job *job)
{
	return &job->operand[clopt__ops[job->problem.op]->operands - 1];
}

/* Rows of the result's array, from the caller's memory or back to it. */
struct copying {
	const struct operand *o;
	char *copy;
	int back;
};

static void copy_rows(void *what, unsigned part, size_t first, size_t count)
{
	const struct copying *c = what;
	const struct operand *o = c->o;
	const size_t row_bytes = o->columns * o->elem_bytes, pitch = o->ld * o->elem_bytes;
	char *host = o->host;
	size_t i;

	(void)part;
	for (i = first; i < first + count; i++)
		if (c->back)
			memcpy(host + i * pitch, c->copy + i * row_bytes, row_bytes);
		else
			memcpy(c->copy + i * row_bytes, host + i * pitch, row_bytes);
}

static void copy_result(const struct job *job, char *copy, int back)
{
	const struct operand *o = result(job);
	struct copying c = { o, copy, back };

	clopt__in_parts(o->rows, WORTH / (o->columns * o->elem_bytes) + 1, copy_rows, &c);
}

int clopt__guard_open(struct clopt *ctx, const struct job *job, struct guard *g)
{
	const struct operand *o = result(job);
	const size_t bytes = clopt__operand_bytes(o);
	size_t (*const room_bytes)(const struct clopt_problem *) =
	        clopt__checkers[job->problem.op]->room_bytes;

	memset(g, 0, sizeof *g);
	g->seed = (uint64_t)(clopt__now() * 1e9);
	if (o->use & OPERAND_IN) {
		g->copy = malloc(bytes ? bytes : 1);
		if (!g->copy)
			return clopt__fail(
			        ctx, CLOPT_ENOMEM,
			        "no memory for a copy of %s, %zu bytes, to check its result by",
			        o->name, bytes);
		copy_result(job, g->copy, 0);
	}
	if (room_bytes) {
		g->room = malloc(room_bytes(&job->problem));
		if (!g->room)
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check the result");
	}
	return CLOPT_OK;
}

void clopt__guard_close(struct guard *g)
{
	free(g->room);
	free(g->copy);
	memset(g, 0, sizeof *g);
}

int clopt__guard_check(struct clopt *ctx, const struct job *job, struct guard *g,
                       const struct variant *v, cl_kernel kernel)
{
	char why[WHY_SIZE];
	int rc = clopt__checkers[job->problem.op]->result(job, g, v, why);

	if (rc == CLOPT_EWRONG) {
		if (g->copy)
			copy_result(job, g->copy, 1);
		rc = clopt__reject(ctx, kernel, why);
	}
	return rc;
}
