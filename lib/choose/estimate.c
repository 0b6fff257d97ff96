/* SPDX-License-Identifier: MIT */
/*
 * estimate.c - estimates a kernel's throughput before its first call.  The kernel is timed on
 * growing problems of the same kind, until a run takes much longer than a launch.
 */

#include "../kernel/kernel.h"
#include "choose.h"

/* A run of ENOUGH_SECONDS ends the estimate if its time grew with its work.  Otherwise the time is
 * still the cost of a launch, which may be tens of milliseconds on a busy host. */
#define ENOUGH_SECONDS 4e-3
#define LAUNCH_GROWTH 16

/* No run begins after this total time. */
#define MOST_SECONDS 0.1

#define MOST_BYTES ((size_t)32 << 20) /* of each array */

/* First value of every size. */
#define LEAST 64

/* Whether the problem runs as one block with small arrays. */
static int is_small(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p)
{
	struct job job;
	struct workload w;
	struct cut cut;
	unsigned i;

	if (clopt__job_of_problem(ctx, p, &job) != CLOPT_OK)
		return 0;
	clopt__workload(ctx, &job, v, &w);
	if (clopt__cut(ctx, &w, &cut) != CLOPT_OK ||
	    cut.blocks[0] * cut.blocks[1] * cut.blocks[2] > 1)
		return 0;
	for (i = 0; i < w.operands; i++)
		if (clopt__array_bytes(job.operand[i].rows,
		                       job.operand[i].columns * job.operand[i].elem_bytes,
		                       clopt__layout(&w, i)) > MOST_BYTES)
			return 0;
	return 1;
}

/* Grow the problem by up to `times`, by doublings.  Each doubles the size that is the smallest part
 * of its final value. 0: nothing is left to grow. */
static int grow(const struct clopt_problem *whole, struct clopt_problem *p, double times)
{
	const size_t most[4] = { whole->dim[0], whole->dim[1], whole->dim[2], whole->batch };
	size_t *const now[4] = { &p->dim[0], &p->dim[1], &p->dim[2], &p->batch };
	int i, d, grown = 0;

	for (; times >= 2; times /= 2) {
		for (i = d = 0; i < 4; i++)
			if (most[i] &&
			    (double)most[i] / (double)*now[i] > (double)most[d] / (double)*now[d])
				d = i;
		if (*now[d] >= most[d])
			break;
		*now[d] = *now[d] > most[d] / 2 ? most[d] : 2 * *now[d];
		grown = 1;
	}
	if (p->triangle)
		p->dim[0] = p->dim[1] = p->dim[0] > p->dim[1] ? p->dim[0] : p->dim[1];
	return grown;
}

/* Factor for the work of the next run, by the last two runs; 0: no run is needed. */
static double next(const struct throughput *before, const struct throughput *now)
{
	const double seconds = now->seconds * now->units;

	if (seconds < ENOUGH_SECONDS)
		return seconds > ENOUGH_SECONDS / 2 ? 2 : ENOUGH_SECONDS / seconds;
	return now->seconds >= before->seconds / 2 && before->seconds > 0 ? 0 : LAUNCH_GROWTH;
}

int clopt__measure_throughput(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                              const struct clopt_problem *problem)
{
	struct throughput *throughput = clopt__throughput(ctx, kernel), before = { 0, 0, 0 };
	struct clopt_problem p = *problem;
	double seconds, begin = 0, times;
	int i, rc = CLOPT_OK;

	for (i = 0; i < 3; i++)
		p.dim[i] = p.dim[i] < LEAST ? p.dim[i] : LEAST;
	p.batch = p.batch > 1 ? 2 : 1;
	while (is_small(ctx, v, &p)) {
		TRY(clopt__time_row(ctx, v, &p, ENOUGH_SECONDS, &seconds));
		*throughput =
		        (struct throughput){ seconds / clopt__units(&p), clopt__units(&p), 1 };
		times = next(&before, throughput);
		before = *throughput;
		/* The clock starts after the first run, which may include compiling. */
		begin = begin > 0 ? begin : clopt__now();
		if (times == 0 || clopt__now() - begin > MOST_SECONDS || !grow(problem, &p, times))
			break;
	}
out:
	return rc;
}

/* Assumed multiply-adds per second and compute unit. */
#define ASSUMED_THROUGHPUT 1e10

double clopt__units_seconds(const struct clopt *ctx, const struct throughput *known, double units)
{
	/* FIXED partitions do not depend on measured times. */
	const int measured = known && known->seconds > 0 && ctx->share != CLOPT_SHARE_FIXED;

	return units * (measured ? known->seconds :
	                           1 / (ASSUMED_THROUGHPUT * ctx->device.info.compute_units));
}
