/* SPDX-License-Identifier: MIT */
/*
 * warm.c - clopt_prepare: makes kernels ready before a call needs them.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "../choose/choose.h"
#include "../device/device.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "api.h"

/* A small problem makes the driver compile.  Its size along the grid's first axis is the caller's,
 * up to this limit: PoCL compiles one kernel for up to 65535 work-items and another for more. */
#define FIRST_AXIS ((size_t)1 << 18)
#define OTHER_DIMS ((size_t)16)

/* Run the kernel on a small problem: the driver compiles again when a kernel first runs. */
static int run_small(struct clopt *ctx, const struct clopt_problem *p, const struct variant *v)
{
	struct clopt_problem small = *p;
	double seconds;
	unsigned i;

	small.batch = 1;
	for (i = 0; i < 3; i++)
		small.dim[i] =
		        clopt__smaller(p->dim[i] ? p->dim[i] : 1,
		                       i == clopt__ops[p->op]->extent[0] ? FIRST_AXIS : OTHER_DIMS);
	return clopt__time_row(ctx, v, &small, 0, &seconds);
}

/* A kernel that a call needs. */
struct need {
	struct clopt_problem problem;
	int resident; /* as the problem's routine chooses */
	const struct variant *v; /* chosen by the first member */
};

struct needs {
	struct clopt *ctx; /* the first member */
	struct need list[2];
	unsigned count;
};

static int warm(struct clopt *ctx, struct need *need, int first)
{
	const struct clopt_problem *p = &need->problem, in_parts = clopt__problem_in_parts(p);
	const struct variant *v = need->v;
	struct workload w;
	struct job job;
	cl_kernel kernel;
	int rc = CLOPT_OK;

	if (v)
		TRY(clopt__ready(ctx, v, p, &kernel));
	else
		TRY(clopt__choose(ctx, p, need->resident, &v, &kernel));
	/* Other operations keep their state on the device.  A driver compiles their kernels again
	 * when they run. */
	if (kernel && clopt__ops[p->op]->banded && clopt__works_around(ctx, SAVES_AFTER_RUN))
		TRY(run_small(ctx, p, v));
	if (!need->resident) {
		TRY(clopt__job_of_problem(ctx, p, &job));
		clopt__workload(ctx, &job, v, &w);
		if (clopt__cut_in_parts(ctx, &w))
			TRY(need->v ? clopt__ready(ctx, v, &in_parts, &kernel) :
			              clopt__choose(ctx, &in_parts, 0, &v, &kernel));
	}
	ctx->report.variant = v->name;
	clopt__kernels_save(ctx, 0);
	need->v = first ? v : NULL;
out:
	return rc;
}

static int warm_member(struct clopt *member, unsigned index, void *what)
{
	struct needs needs = *(const struct needs *)what;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < needs.count; i++) {
		if (!clopt__member_alike(needs.ctx, index))
			needs.list[i].v = NULL;
		TRY(warm(member, &needs.list[i], 0));
	}
out:
	return rc;
}

/* Warm the other members.  A member that fails here fails in calls too, and others do its part. */
static int warm_others(struct clopt *ctx, struct needs *needs)
{
	const unsigned count = (unsigned)clopt_members(ctx);
	double *works;
	unsigned i;
	int rc;

	if (count < 2)
		return CLOPT_OK;
	works = calloc(count, sizeof *works);
	if (!works)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %u devices", count);
	for (i = 1; i < count; i++)
		works[i] = clopt__member_works(ctx, i);
	clopt__members_start(ctx, works, warm_member, needs);
	rc = clopt__members_wait(ctx, NULL, NULL, 0, NULL);
	free(works);
	return rc;
}

/* Outputs of the gravity of moving bodies (enum clopt_outputs). */
static int outputs_of(const struct clopt_problem *p)
{
	return p->op == CLOPT_OP_EVOLVE_SUMS ? CLOPT_OUTPUTS_FIELD_PHI :
	       p->outputs & JERK             ? CLOPT_OUTPUTS_JERK :
	                                       CLOPT_OUTPUTS_FIELD;
}

int clopt_prepare(struct clopt *ctx, const struct clopt_problem *problem)
{
	struct needs needs = { .ctx = ctx };
	struct clopt_problem p;
	unsigned i;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, clopt__words("clopt_prepare")));
	TRY(clopt__problem_asked(ctx, problem, &p));
	if (p.op >= CLOPT_OP_LEAPFROG && p.op <= CLOPT_OP_EVOLVE_SUMS)
		needs.list[needs.count++] =
		        (struct need){ clopt__gravity_of(&p, outputs_of(&p)), 1, NULL };
	needs.list[needs.count++] = (struct need){ p, !clopt__ops[p.op]->banded, NULL };
	for (i = 0; i < needs.count; i++) {
		TRY(warm(ctx, &needs.list[i], 1));
		TRY(clopt__go_on(ctx, 0.5 * (i + 1) / needs.count));
	}
	TRY(warm_others(ctx, &needs));
	TRY(clopt__go_on(ctx, 1));
out:
	return clopt__end(ctx, rc, NULL);
}
