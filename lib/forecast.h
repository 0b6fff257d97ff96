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

/* pace.c: run the kernel on smaller problems of the kind for some milliseconds, and
 * keep its pace. */
int clopt__pace_try(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                    const struct clopt_problem *problem);

/* forecast.c: clopt_plan for a problem that has been read, with the context locked;
 * plan->dry is set, the rest is zero. */
int clopt__forecast(struct clopt *ctx, const struct clopt_problem *p, struct clopt_plan *plan);

/* steps.c: what leapfrog takes on host arrays: the gravity it evaluates, and bytes on the device, as
 * struct plan has them. */
int clopt__leapfrog_needs(struct clopt *ctx, const struct clopt_problem *problem,
                          struct clopt_problem *gravity, size_t *bytes);

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
