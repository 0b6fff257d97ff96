/* SPDX-License-Identifier: MIT */
/*
 * forecast.h - what the files behind clopt_plan share.
 *
 * forecast.c plans calls that go through the pipeline; forecast_motion.c those of
 * bodies that stay on the device.  Both ask the functions that the calls use.
 */
#ifndef CLOPT_FORECAST_H
#define CLOPT_FORECAST_H

#include "stream.h"

int clopt__forecast_motion(struct clopt *ctx, const struct clopt_problem *p,
                           struct clopt_plan *plan);

/* It does not fit: that is the plan. */
void clopt__forecast_short(const struct clopt *ctx, size_t needed_bytes, struct clopt_plan *plan);
/* The kernel's seconds for so many units of the problem, tried first if nothing is
 * known and the plan is not dry. */
int clopt__forecast_kernel(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                           const struct clopt_problem *p, struct clopt_plan *plan);
/* Seconds for so many bytes of ordinary memory; *known becomes 0 if nobody knows. */
double clopt__forecast_transfer(const struct clopt *ctx, size_t bytes, int down, int staged,
                                int *known);

#endif
