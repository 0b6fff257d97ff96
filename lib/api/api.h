/* SPDX-License-Identifier: MIT */
/*
 * api.h - the routines of the public header: they check arguments, describe jobs, answer questions.
 */
#ifndef CLOPT_API_API_H
#define CLOPT_API_API_H

#include "../call/call.h"

/* plan.c: clopt_plan for a problem that has been read, with the context locked.  plan->dry is set;
 * the rest is zero. */
int clopt__plan(struct clopt *ctx, const struct clopt_problem *p, struct clopt_plan_info *plan);

#endif
