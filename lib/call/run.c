/* SPDX-License-Identifier: MIT */
/*
 * run.c - runs a job on host arrays: chooses a row, computes, checks, and computes again if the
 * result was wrong.
 */
#include <stdlib.h>

#include "../choose/choose.h"
#include "../host/host.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "call.h"

/* The epilogue's kernel, too, is ready then. */
static int make_workload(struct clopt *ctx, const struct job *job, const struct variant *v,
                         cl_kernel kernel, struct workload *w)
{
	clopt__workload(ctx, job, v, w);
	w->kernel = kernel;
	w->throughput = clopt__throughput(ctx, kernel);
	w->logged = 1;
	return clopt__epilogue_ready(ctx, job);
}

/* Equal devices take the first one's row, so that results do not depend on the partition.  Other
 * devices may have another layout. */
static int member_workload(struct clopt *ctx, const void *what, const struct workload *first,
                           int alike, struct workload *w)
{
	const struct job *job = what;
	const struct clopt_problem in_parts = clopt__problem_in_parts(&job->problem);
	struct clopt_problem laid = job->problem, own;
	const struct variant *v = first->v;
	cl_kernel kernel;
	int rc = CLOPT_OK;

	if (alike) {
		TRY(clopt__ready(ctx, v, &job->problem, &kernel));
	} else {
		if (clopt__ops[laid.op]->fields & FIELD_UNEVEN)
			laid.uneven = clopt__job_uneven(ctx, job);
		laid.reserved = 0;
		TRY(clopt__problem_read(ctx, &laid, &own));
		own.reserved = job->problem.reserved;
		TRY(clopt__choose(ctx, &own, 0, &v, &kernel));
	}
	TRY(make_workload(ctx, job, v, kernel, w));
	if (clopt__cut_in_parts(ctx, w))
		TRY(clopt__ready(ctx, v, &in_parts, &w->kernel));
out:
	return rc;
}

void clopt__by_host(struct clopt *ctx, const struct variant *v)
{
	struct clopt_report *r = &ctx->report;

	r->variant = v->name;
	r->bands = r->queues = r->sum_parts = 1;
}

static int run_on_host(struct clopt *ctx, const struct job *job, const struct variant *v)
{
	const int rc = clopt__go_on(ctx, 0);

	if (rc == CLOPT_OK) {
		v->host(job);
		clopt__by_host(ctx, v);
	}
	return rc;
}

/* *v and *kernel: the row that ran, and its kernel. */
static int run_once(struct clopt *ctx, const struct job *job, struct guard *guard,
                    const struct variant **v, cl_kernel *kernel)
{
	struct clopt_problem whole = job->problem, in_parts;
	const struct variant *other;
	struct workload w;
	cl_kernel others;
	int rc = CLOPT_OK;

	if (job->group.all_targets)
		whole.dim[1] = job->group.all_targets;
	in_parts = clopt__problem_in_parts(&whole);
	TRY(clopt__choose(ctx, &whole, 0, v, kernel));
	if ((*v)->host)
		return run_on_host(ctx, job, *v);
	TRY(make_workload(ctx, job, *v, *kernel, &w));
	/* Memory cuts the sum: take the first row whose kernel continues a sum. */
	if (clopt__cut_in_parts(ctx, &w)) {
		TRY(clopt__choose(ctx, &in_parts, 0, &other, &others));
		TRY(make_workload(ctx, job, other, others, &w));
		if (clopt__cut_in_parts(ctx, &w)) {
			*v = other;
			*kernel = others;
		} else {
			TRY(make_workload(ctx, job, *v, *kernel, &w));
		}
	}
	if (job->runners && job->runners->workload)
		TRY(job->runners->workload(ctx, &w, member_workload, job, guard));
	else
		TRY(clopt__run(ctx, &w));
out:
	return rc;
}

/* Run a product with an epilogue so that its result can be checked: the sums go to memory here, and
 * the host makes results of them, with the same bits. */
static int run_apart(struct clopt *ctx, const struct job *job)
{
	const struct epilogue *p = &job->epilogue;
	const struct operand *c = &job->operand[2];
	const int batch = job->problem.batch > 1;
	struct host_epilogue e = {
		.m = job->problem.dim[0],
		.n = job->problem.dim[1],
		.ld_sums = job->problem.dim[1],
		.ld = batch ? c->inner_ld : c->ld,
		.scale_rows = job->operand[SCALE_ROWS].host,
		.scale_columns = job->operand[SCALE_COLUMNS].host,
		.bias = job->operand[BIAS].host,
		.least = p->least,
		.most = p->most,
		.whole = p->result == CLOPT_TYPE_INT8,
		.turned = p->turned,
	};
	struct job plain = *job;
	struct operand *sums = &plain.operand[2];
	size_t i;
	int rc = CLOPT_OK;

	plain.epilogue.result = plain.problem.reserved = 0;
	*sums = job->operand[PRODUCT_SUMS];
	sums->name = c->name;
	sums->use = OPERAND_OUT;
	sums->host = malloc(clopt__operand_bytes(sums));
	if (!sums->host)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu bytes of sums to check",
		                   clopt__operand_bytes(sums));
	TRY(clopt__run_job(ctx, &plain));
	for (i = 0; i < job->problem.batch; i++) {
		e.sums = (const int32_t *)sums->host + i * e.m * e.n;
		e.results = (char *)c->host + (batch ? i * c->ld * c->elem_bytes : 0);
		clopt__host_epilogue(&e);
	}
out:
	free(sums->host);
	return rc;
}

int clopt__run_job(struct clopt *ctx, const struct job *job)
{
	const int always = ctx->check == CLOPT_CHECK_ALWAYS;
	const struct variant *v;
	struct guard guard;
	cl_kernel kernel;
	int again, rc = CLOPT_OK;

	if (always && job->epilogue.result)
		return run_apart(ctx, job);
	if (always)
		TRY(clopt__guard_open(ctx, job, &guard));
	do {
		again = 0;
		TRY(run_once(ctx, job, always ? &guard : NULL, &v, &kernel));
		if (always) {
			rc = clopt__guard_check(ctx, &guard, v, kernel, &again);
			if (rc == CLOPT_EWRONG && !again && !kernel)
				ctx->small_on_device = 1;
			again |= rc == CLOPT_EWRONG && !ctx->forced[job->problem.op];
		}
	} while (again);
out:
	if (always)
		clopt__guard_close(&guard);
	return rc;
}

/* Matrices of a batch that one launch computes are not cut. */
static int too_large(struct clopt *ctx, const struct job *job)
{
	const struct selection how = { .resident = 0 };
	const struct variant *v;
	cl_kernel kernel;

	return job->problem.batch > 1 &&
	       clopt__select(ctx, &job->problem, &how, &v, &kernel) == CLOPT_ENOMEM;
}

int clopt__together(struct clopt *ctx, const struct job *job)
{
	return clopt__batch_moves(job) && !too_large(ctx, job);
}
