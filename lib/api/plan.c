/* SPDX-License-Identifier: MIT */
/*
 * plan.c - clopt_plan: what a call would need.  The row, the cut and the transfers come from the
 * functions of a call, with made-up addresses of arrays.  Times are bytes by measured rates and
 * units of work by the kernel's throughput, combined as the pipeline overlaps them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "api.h"

/* A throughput is reliable from a run of this time, or from a problem of at least half the size. */
#define RELIABLE_SECONDS 1e-3

static void does_not_fit(const struct clopt *ctx, size_t needed_bytes, struct clopt_plan_info *plan)
{
	plan->fits = 0;
	plan->needed_bytes = needed_bytes;
	snprintf(plan->reason, sizeof plan->reason, "%s", clopt_error(ctx));
}

static int is_reliable(const struct throughput *throughput, double units)
{
	return throughput->seconds > 0 &&
	       (throughput->seconds * throughput->units >= RELIABLE_SECONDS ||
	        2 * throughput->units >= units);
}

static int plan_kernel(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                       const struct clopt_problem *p, struct clopt_plan_info *plan)
{
	const struct throughput *throughput = clopt__throughput(ctx, kernel);
	const double units = clopt__units(p);
	int rc = CLOPT_OK;

	if (!plan->dry && units > 0 && !is_reliable(throughput, units))
		TRY(clopt__measure_throughput(ctx, v, kernel, p));
	plan->kernel_seconds = throughput->seconds * units;
	plan->throughput_source = throughput->seconds > 0 ? throughput->trial ?
	                                                    CLOPT_THROUGHPUT_SOURCE_TRIAL :
	                                                    CLOPT_THROUGHPUT_SOURCE_CALL :
	                                                    CLOPT_THROUGHPUT_SOURCE_UNKNOWN;
out:
	return rc;
}

/* Seconds to move bytes.  *known: set to 0 if the rate is unknown. */
static double transfer_seconds(const struct clopt *ctx, size_t bytes, int down, int staged,
                               int *known)
{
	const double rate = (staged ? ctx->rates.staged : ctx->rates.driver)[down];

	if (!bytes)
		return 0;
	*known &= rate > 0;
	return rate > 0 ? (double)bytes / rate : 0;
}

/* Bytes of the caller's arrays of a job.  The sum does not overflow. */
static size_t array_bytes(const struct job *job)
{
	size_t bytes = 0;
	unsigned i;

	for (i = 0; i < clopt__ops[job->problem.op]->operands; i++) {
		const struct operand *o = &job->operand[i];

		if (o->use)
			bytes += clopt__operand_bytes(o);
	}
	return bytes;
}

/* Make up addresses, apart from one another and aligned as malloc aligns large arrays: 16 bytes
 * after a page. */
static void place_arrays(struct job *job)
{
	const uintptr_t page = 4096, offset = 16;
	uintptr_t at = page;
	unsigned i;

	for (i = 0; i < clopt__ops[job->problem.op]->operands; i++) {
		struct operand *o = &job->operand[i];
		const size_t bytes = clopt__operand_bytes(o);

		if (!o->use)
			continue;
		o->host = (void *)(at + offset);
		at += (bytes / page + 2) * page;
	}
}

/* Add the transfers of a job.  Returns whether all their rates are known. */
static int add_transfers(struct clopt *ctx, const struct workload *w, const struct cut *p,
                         struct clopt_plan_info *plan)
{
	const unsigned staged = clopt__staged_operands(ctx, w, p);
	int down, known = 1;
	unsigned i;

	for (i = 0; i < w->operands; i++) {
		const struct operand *o = &w->operand[i];
		const size_t bytes = clopt__cut_moved(ctx, w, p, i);
		const int by_threads = staged >> i & 1;

		if (p->in_place && clopt__cut_in_place(ctx, w, i))
			plan->in_place_bytes += clopt__operand_bytes(o);
		for (down = 0; down < 2; down++) {
			size_t *const sum = down ? &plan->down_bytes : &plan->up_bytes;

			if (!(o->use & (down ? OPERAND_OUT : OPERAND_IN)))
				continue;
			*sum = clopt__plus(*sum, bytes);
			if (by_threads)
				plan->staged_bytes = clopt__plus(plan->staged_bytes, bytes);
			*(down ? &plan->down_seconds : &plan->up_seconds) +=
			        transfer_seconds(ctx, bytes, down, by_threads, &known);
		}
	}
	plan->pinned_bytes = staged ? clopt__staging_bytes(ctx) : 0;
	return known;
}

static int moves(const struct clopt *ctx, const struct workload *w, const struct cut *p)
{
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use && clopt__cut_moved(ctx, w, p, i))
			return 1;
	return 0;
}

static int plan_job(struct clopt *ctx, struct job *job, struct clopt_plan_info *plan);

/* Seconds that a member unlike the first takes for the whole job; 0: unknown. */
static double others_seconds(struct clopt *member, const struct job *job, int dry)
{
	const struct sentence doing = clopt__doing(clopt__words(NULL));
	struct clopt_plan_info plan = { .dry = dry };
	struct job same = *job;
	int rc = CLOPT_OK;

	TRY(clopt__enter(member, doing));
	TRY(plan_job(member, &same, &plan));
out:
	clopt__leave(member, rc);
	clopt__doing(doing);
	return rc == CLOPT_OK ? plan.seconds : 0;
}

/* Members that share a job end together, so their speeds add up. */
static void share(struct clopt *ctx, const struct job *job, const struct workload *w,
                  struct clopt_plan_info *plan)
{
	const unsigned count = (unsigned)clopt_members(ctx);
	double parts = 0, seconds;
	unsigned i;

	plan->members = (int)clopt__members_working(ctx, clopt__alone_seconds(ctx, w));
	if (plan->members < 2 || plan->seconds == 0)
		return;
	for (i = 0; i < count; i++) {
		if (!clopt__member_works(ctx, i))
			continue;
		seconds = clopt__member_alike(ctx, i) ?
		                  plan->seconds :
		                  others_seconds(clopt_member(ctx, i), job, plan->dry);
		parts += seconds > 0 ? 1 / seconds : 0;
	}
	plan->seconds = 1 / parts;
}

static int on_host(struct clopt *ctx, const struct job *job, const struct variant *v,
                   struct clopt_plan_info *plan)
{
	int rc = CLOPT_OK;

	if (!plan->dry && clopt__units(&job->problem) > 0) {
		TRY(clopt__time_row(ctx, v, &job->problem, RELIABLE_SECONDS,
		                    &plan->kernel_seconds));
		plan->throughput_source = CLOPT_THROUGHPUT_SOURCE_TRIAL;
	}
	plan->seconds = plan->kernel_seconds;
	plan->bands = plan->queues = plan->sum_parts = 1;
out:
	return rc;
}

static int with_row(struct clopt *ctx, struct job *job, const struct variant *v, cl_kernel kernel,
                    struct clopt_plan_info *plan)
{
	struct workload w;
	struct cut p;
	int known, rc = CLOPT_OK;

	place_arrays(job);
	clopt__workload(ctx, job, v, &w);
	w.kernel = kernel;
	w.throughput = clopt__throughput(ctx, kernel);
	w.dry = plan->dry;
	TRY(clopt__cut(ctx, &w, &p));
	if (!plan->dry && moves(ctx, &w, &p))
		clopt__rates_find(ctx);
	TRY(plan_kernel(ctx, v, kernel, &job->problem, plan));
	/* Measured rates may change the cut, as in the call. */
	TRY(clopt__cut(ctx, &w, &p));
	known = add_transfers(ctx, &w, &p, plan);
	plan->bands = p.blocks[0] * p.blocks[1] * p.blocks[2];
	plan->queues = p.lanes;
	plan->sum_parts = w.sum == NO_DIM ? 1 : p.blocks[w.sum];
	plan->device_bytes = p.bytes;
	if (known && plan->kernel_seconds > 0)
		plan->seconds = clopt__cut_seconds(ctx, &p, plan->up_seconds, plan->kernel_seconds,
		                                   plan->down_seconds);
	share(ctx, job, &w, plan);
out:
	return rc;
}

static int plan_job(struct clopt *ctx, struct job *job, struct clopt_plan_info *plan)
{
	const struct selection how = { .resident = 0 };
	const struct variant *v = NULL;
	cl_kernel kernel;
	const int rc = plan->dry ? clopt__select(ctx, &job->problem, &how, &v, &kernel) :
	                           clopt__choose(ctx, &job->problem, 0, &v, &kernel);

	if (v)
		plan->variant = v->name;
	if (rc == CLOPT_OK && v->host)
		return on_host(ctx, job, v, plan);
	if (rc == CLOPT_OK)
		return with_row(ctx, job, v, kernel, plan);
	if (rc != CLOPT_ENOMEM || !v)
		return rc;
	does_not_fit(ctx, ctx->least_bytes, plan);
	return CLOPT_OK;
}

/* Extend the plan of one job to `times` jobs, one after another. */
static void repeat(struct clopt_plan_info *plan, size_t times)
{
	double *const seconds[] = { &plan->seconds, &plan->up_seconds, &plan->kernel_seconds,
		                    &plan->down_seconds };
	size_t *const bytes[] = { &plan->up_bytes, &plan->down_bytes, &plan->staged_bytes,
		                  &plan->in_place_bytes };
	unsigned i;

	for (i = 0; i < 4; i++) {
		*seconds[i] *= (double)times;
		*bytes[i] = clopt__times(*bytes[i], times);
	}
}

static int plan_jobs(struct clopt *ctx, const struct clopt_problem *problem,
                     struct clopt_plan_info *plan)
{
	struct job job, one;
	int together, rc = CLOPT_OK;

	if (clopt__job_of_problem(ctx, problem, &job) != CLOPT_OK) {
		does_not_fit(ctx, SIZE_MAX, plan);
		return CLOPT_OK;
	}
	plan->array_bytes = array_bytes(&job);
	if (clopt__is_empty(&job))
		return CLOPT_OK;
	together = clopt__together(ctx, &job);
	if (!together)
		clopt__batch_one(&job, 0, &one);
	TRY(plan_job(ctx, together ? &job : &one, plan));
	repeat(plan, together ? 1 : job.problem.batch);
out:
	return rc;
}

/* ---- Moving bodies: one transfer up, all steps on the device, one transfer down ------------- */

static int choose_bodies(struct clopt *ctx, const struct clopt_problem *p, struct stepper *s)
{
	const struct job job = { .problem = *p };
	struct evolution e = { .n = p->dim[0], .steps = 1 };

	if (p->op == CLOPT_OP_LEAPFROG)
		return clopt__leapfrog_choose(ctx, &job, s);
	clopt_evolve_options_init(&e.options, sizeof e.options);
	e.options.precision = p->precision;
	e.integrator = p->outputs & JERK ? &clopt__hermite_integrator : &clopt__leapfrog_integrator;
	return clopt__evolve_choose(ctx, &e, 0, s);
}

/* array_bytes: size of one transferred array. */
static void add_times(struct clopt *ctx, size_t array_bytes, size_t steps,
                      struct clopt_plan_info *plan)
{
	const int staged[2] = { clopt__stages(ctx, array_bytes, 0, !plan->dry),
		                clopt__stages(ctx, array_bytes, 1, !plan->dry) };
	int known = 1;

	plan->up_seconds = transfer_seconds(ctx, plan->up_bytes, 0, staged[0], &known);
	plan->down_seconds = transfer_seconds(ctx, plan->down_bytes, 1, staged[1], &known);
	plan->pinned_bytes = staged[0] || staged[1] ? clopt__staging_bytes(ctx) : 0;
	/* The first kick needs gravity too. */
	plan->kernel_seconds *= (double)steps + 1;
	if (known && plan->kernel_seconds > 0)
		plan->seconds = plan->up_seconds + plan->kernel_seconds / plan->members +
		                plan->down_seconds;
}

static int plan_bodies(struct clopt *ctx, const struct clopt_problem *p,
                       struct clopt_plan_info *plan)
{
	struct stepper s = { .own_state = 1 };
	size_t bytes;
	unsigned i;
	int rc = CLOPT_OK;

	if (p->op >= CLOPT_OP_TREE_KEYS)
		return clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                   "%s is a part of sums by a tree: only potential and nbody can "
		                   "be planned, over all pairs",
		                   clopt_op_name(p->op));
	if (p->op == CLOPT_OP_EVOLVE_SUMS)
		return clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                   "%s is a part of clopt_nbody_evolve: only %s can be planned",
		                   clopt_op_name(p->op), clopt_op_name(CLOPT_OP_EVOLVE_STEP));
	if (p->dim[0] == 0)
		return CLOPT_OK;
	TRY(choose_bodies(ctx, p, &s));
	plan->variant = s.force.row->name;
	plan->array_bytes = clopt__times(2, clopt__times(s.e.n, s.point_bytes));
	if (clopt__stepper_fits(ctx, &s, &bytes) != CLOPT_OK) {
		does_not_fit(ctx, bytes, plan);
		return CLOPT_OK;
	}
	plan->bands = plan->queues = plan->sum_parts = 1;
	plan->members = (int)clopt__members_working(ctx, clopt__stepper_seconds(ctx, &s));
	plan->device_bytes = bytes;
	plan->up_bytes = plan->down_bytes = plan->array_bytes;
	if (!plan->dry)
		clopt__rates_find(ctx);
	TRY(plan_kernel(ctx, s.force.row, s.force.kernel, &s.force.problem, plan));
	/* Leapfrog moves positions and velocities in two transfers. */
	add_times(ctx, plan->array_bytes / (p->op == CLOPT_OP_LEAPFROG ? 2 : 1),
	          p->steps ? p->steps : 1, plan);
	for (i = 0; plan->members > 1 && i < clopt_members(ctx); i++)
		if (!clopt__member_alike(ctx, i))
			plan->seconds = 0;
out:
	return rc;
}

/* ---- All ----------------------------------------------------------------------- */

int clopt__plan(struct clopt *ctx, const struct clopt_problem *p, struct clopt_plan_info *plan)
{
	const int resident = !clopt__ops[p->op]->banded;

	plan->fits = plan->members = 1;
	plan->host_bytes = clopt__host_memory();
	return resident ? plan_bodies(ctx, p, plan) : plan_jobs(ctx, p, plan);
}

int clopt_plan(struct clopt *ctx, const struct clopt_problem *problem, struct clopt_plan_info *plan)
{
	struct clopt_plan_info made = { .size = 0 };
	struct clopt_problem p;
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!plan)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "plan is NULL"));
	TRY(clopt__sized_read(ctx, "clopt_plan_info", plan, &made, sizeof made));
	made = (struct clopt_plan_info){ .dry = made.dry };
	TRY(clopt__problem_asked(ctx, problem, &p));
	clopt__doing(clopt__problem_sentence(&p));
	TRY(clopt__plan(ctx, &p, &made));
	TRY(clopt__sized_give(ctx, "clopt_plan_info", plan, &made, sizeof made));
out:
	return clopt__leave(ctx, rc);
}
