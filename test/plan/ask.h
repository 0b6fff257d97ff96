/* SPDX-License-Identifier: MIT */
/*
 * ask.h - questions to clopt_plan, and the calls that they are about.
 */
#ifndef FORECAST_ASK_H
#define FORECAST_ASK_H

#include "clopt_device.h"
#include "clopt_tune.h"

/* A problem, its device, and the features of the plan that make it worth asking. */
struct ask {
	struct clopt_problem p; /* its size field is set when it is asked */
	size_t limit_bytes;
	int discrete, transfer, queues;
	int is_small; /* a device of one compute unit, which few groups fill: else it may be one
	                 band */
	size_t bands, sum_parts; /* at least */
	const char *variants;
};

/* A context for it, on such a device. */
struct clopt *forecast_open(const struct ask *a);
/* Calls the problem's routine, on arrays from malloc. */
int forecast_call(struct clopt *ctx, const struct clopt_problem *p);

#endif
