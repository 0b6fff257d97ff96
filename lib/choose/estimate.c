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
#define GROWTH 16

/* No run begins after this total time. */
#define MOST_SECONDS 0.1

#define MOST_BYTES ((size_t)32 << 20) /* of each array */

#define FIRST_UNITS 0x1p18

static int is_small(const struct clopt *ctx, const struct clopt_problem *p)
{
	unsigned i;

	for (i = 0; i < clopt__ops[p->op]->operands; i++) {
		struct operand o = { .ld = 1 };

		clopt__problem_operand(p, i, &o);
		if (clopt__times(clopt__times(o.rows, o.columns), o.elem_bytes) > MOST_BYTES)
			return 0;
	}
	return clopt__whole_fits(ctx, p) == CLOPT_OK;
}

int clopt__measure_throughput(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                              const struct clopt_problem *problem)
{
	struct throughput *throughput = clopt__throughput(ctx, kernel), before = { 0, 0, 0 };
	struct clopt_problem p = clopt__reduced(problem, FIRST_UNITS);
	double seconds, begin = 0, units;
	int rc = CLOPT_OK;

	while (!is_small(ctx, &p) && clopt__units(&p) > 1)
		p = clopt__reduced(&p, clopt__units(&p) / 2);
	while (is_small(ctx, &p)) {
		TRY(clopt__time_row(ctx, v, &p, ENOUGH_SECONDS, &seconds));
		units = clopt__units(&p);
		*throughput = (struct throughput){ seconds / units, units, 1 };
		/* The clock starts after the first run, which may include compiling. */
		begin = begin > 0 ? begin : clopt__now();
		if ((seconds > ENOUGH_SECONDS && before.seconds > 0 &&
		     throughput->seconds >= before.seconds / 2) ||
		    clopt__now() - begin > MOST_SECONDS)
			break;
		before = *throughput;
		p = clopt__reduced(problem, GROWTH * units);
		if (!(clopt__units(&p) > units))
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
