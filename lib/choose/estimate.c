/* SPDX-License-Identifier: MIT */
/*
 * estimate.c - how fast a kernel is, before any call has told.
 *
 * It is timed on problems of the kind that grow towards the one that is asked about,
 * until a run takes long enough to see past the cost of a launch.
 */

#include "../kernel/kernel.h"
#include "choose.h"

/* A run of so many seconds tells enough, if it took as much longer than the one before
 * as it had more to do: else it is still the cost of a launch, which on a busy host may
 * be tens of milliseconds. */
#define ENOUGH_SECONDS 4e-3
#define LAUNCH_GROWTH 16

/* All of them together end soon after that. */
#define MOST_SECONDS 0.1

#define MOST_BYTES ((size_t)32 << 20) /* of an array */

/* All sizes begin here. */
#define LEAST 64

/* Whether it can be run at once, in little memory. */
static int is_small(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p)
{
	struct job job;
	struct workload w;
	struct cut cut;
	unsigned i;

	if (clopt__job_of_problem(ctx, p, &job) != CLOPT_OK)
		return 0;
	clopt__workload(&job, v, &w);
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

/* Twice as large as often as it takes, always along what is the smallest part of
 * what is asked about.  0: it is that already. */
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

/* How many times larger the next run should be, given that of now and the one before;
 * 0: this one tells. */
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
		/* The first may have had to be compiled. */
		begin = begin > 0 ? begin : clopt__now();
		if (times == 0 || clopt__now() - begin > MOST_SECONDS || !grow(problem, &p, times))
			break;
	}
out:
	return rc;
}
