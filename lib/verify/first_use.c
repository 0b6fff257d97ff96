/* SPDX-License-Identifier: MIT */
/*
 * first_use.c - checks a kernel at its first use.  Before the kernel gets the caller's data it
 * solves small problems with known results, and a wrong kernel is struck out.  The compiled kernel
 * is tried with its transposes, types and law, once per driver.  The verdict is stored beside the
 * compiled program, under the same key.  A verdict on the result of a call is not stored, since the
 * error may be the machine's.  For the same reason a kernel found wrong is tried again, in more
 * rounds.  Trials use a separate queue: the caller's may hold commands that wait for an action of
 * the caller.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "check.h"

/* clang-format off */
const struct checker *const clopt__checkers[CLOPT_OPS] = {
	[CLOPT_OP_MATMUL] = &clopt__check_matmul,
	[CLOPT_OP_TRANSPOSE] = &clopt__check_transpose,
	[CLOPT_OP_POTENTIAL] = &clopt__check_pair,
	[CLOPT_OP_NBODY] = &clopt__check_pair,
	[CLOPT_OP_LEAPFROG] = &clopt__check_leapfrog,
	[CLOPT_OP_EVOLVE_STEP] = &clopt__check_step,
	[CLOPT_OP_EVOLVE_SUMS] = &clopt__check_sums,
	[CLOPT_OP_TREE_KEYS] = &clopt__check_tree_keys,
	[CLOPT_OP_TREE_SORT] = &clopt__check_tree_sort,
	[CLOPT_OP_TREE_CELLS] = &clopt__check_tree_cells,
	[CLOPT_OP_TREE_POTENTIAL] = &clopt__check_tree_sums,
	[CLOPT_OP_TREE_NBODY] = &clopt__check_tree_sums,
};
/* clang-format on */

/* A kernel of an operation's row. */
struct of_row {
	const struct variant *v;
	const struct clopt_problem *problem;
};

/* Run all trials of a kernel, up to the first failure. */
static int run_trials(struct clopt *ctx, cl_kernel kernel, cl_command_queue q, const void *what,
                      unsigned round, char *why)
{
	const struct of_row *of = what;
	const struct checker *c = clopt__checkers[of->v->op];
	struct trial t;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; rc == CLOPT_OK; i++) {
		memset(&t, 0, sizeof t);
		t.number = i;
		t.v = of->v;
		t.problem = *of->problem;
		t.problem.batch = 1;
		t.steps = 1;
		t.random = 0x9e3779b97f4a7c15u + i + 64 * round;
		if (!c->describe(&t))
			break;
		rc = clopt__trial_run(ctx, c, &t, kernel, q);
	}
	if (rc == CLOPT_EWRONG)
		memcpy(why, t.why, sizeof t.why);
	return rc;
}

static int in_own_queue(struct clopt *ctx, cl_kernel kernel, clopt__trials trials, const void *what,
                        unsigned round, char *why)
{
	cl_int code;
	cl_command_queue q = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
	int rc;

	if (code != CL_SUCCESS)
		return clopt__fail_cl(ctx, code, "clCreateCommandQueue");
	rc = trials(ctx, kernel, q, what, round, why);
	clopt__workspace_free(ctx, q);
	clReleaseCommandQueue(q);
	return rc;
}

static const char kind[] = "verdict", right[] = "right";

const char *clopt__found_wrong(const char *entry_kind, const char *content)
{
	return !strcmp(entry_kind, kind) && strcmp(content, right) ? content : NULL;
}

/* The verdict that this or another process stored for this driver: 1: right; -1: wrong, with why;
 * 0: no verdict. */
static int recall(const struct clopt *ctx, const char *key, char *why)
{
	void *data;
	size_t size;
	int found;

	if (!key || !clopt__store_get(&ctx->store, kind, key, &data, &size))
		return 0;
	found = !strcmp(data, right) ? 1 : -1;
	snprintf(why, WHY_SIZE, "%s", (const char *)data);
	free(data);
	return found;
}

/* Rounds for a kernel that was found wrong. */
#define ROUNDS_AGAIN 3u

int clopt__first_use(struct clopt *ctx, cl_kernel kernel, clopt__trials trials, const void *what)
{
	const char *key = NULL, *verdict;
	int *checked = clopt__checked(ctx, kernel, &key), found, rc = CLOPT_OK;
	unsigned round, rounds;
	char why[WHY_SIZE];

	if (ctx->check == CLOPT_CHECK_OFF || !checked || *checked)
		return CLOPT_OK;
	found = recall(ctx, key, why);
	rounds = found > 0 ? 0 : found < 0 ? ROUNDS_AGAIN : 1;
	for (round = 0; round < rounds && rc == CLOPT_OK; round++)
		rc = in_own_queue(ctx, kernel, trials, what, round, why);
	verdict = rc == CLOPT_OK ? right : why;
	if (key && rounds && (rc == CLOPT_OK || rc == CLOPT_EWRONG))
		clopt__store_put(&ctx->store, kind, key, verdict, strlen(verdict));
	*checked = rc == CLOPT_OK;
	/* Without memory for a trial the kernel is tried at its next use.  Until then an old
	 * verdict of wrong holds. */
	return rc == CLOPT_EWRONG || (rc != CLOPT_OK && found < 0) ?
	               clopt__reject(ctx, kernel, why) :
	               CLOPT_OK;
}

int clopt__ready(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                 cl_kernel *kernel)
{
	const struct of_row of = { v, problem };
	int rc = CLOPT_OK;

	*kernel = NULL;
	if (v->host)
		return CLOPT_OK;
	rc = clopt__kernel(ctx, v, problem, kernel);
	return rc == CLOPT_OK ? clopt__first_use(ctx, *kernel, run_trials, &of) : rc;
}

int clopt__reject(struct clopt *ctx, cl_kernel kernel, const char *why)
{
	const int rc = clopt__wrong(ctx, kernel, why);

	if (ctx->verbose)
		clopt__notice(ctx, "%s", clopt_error(ctx));
	return rc;
}
