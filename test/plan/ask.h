/* SPDX-License-Identifier: MIT */
/*
 * ask.h - what is asked of clopt_plan, and the call that it is asked about.
 */
#ifndef FORECAST_ASK_H
#define FORECAST_ASK_H

#include "clopt_device.h"
#include "clopt_tune.h"

/* A problem, the device it is asked of, and what has to be seen for it to be worth
 * asking. */
struct ask {
	struct clopt_problem p; /* its size is set when it is asked */
	size_t limit_bytes;
	int discrete, transfer, queues;
	size_t bands, sum_parts; /* at the least */
	const char *variants;
};

/* A context for it, on a device as it says. */
struct clopt *forecast_open(const struct ask *a);
/* The routine that the problem is of, on arrays as malloc gives them. */
int forecast_call(struct clopt *ctx, const struct clopt_problem *p);

#endif
