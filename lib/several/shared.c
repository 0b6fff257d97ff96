/* SPDX-License-Identifier: MIT */
/*
 * shared.c - a workload that the members of a context share, as move/share.c deals it out.  What a
 * member that fails has taken goes back, and the others take it.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "several.h"

/* Further arrays of clopt_map are staged. */
#define MOST_PINNED 16

/* The same for all members. */
struct shared {
	const struct clopt *ctx; /* the first member */
	const struct workload *first; /* its workload */
	workload_maker *make;
	const void *what;
	struct share *share;
	struct lent pinned[MOST_PINNED]; /* of the caller's arrays */
	unsigned pinneds;
};

static int run_part(struct clopt *member, unsigned index, void *what)
{
	const struct shared *call = what;
	struct workload w;
	int rc = CLOPT_OK;

	TRY(call->make(member, call->what, call->first, clopt__member_alike(call->ctx, index), &w));
	w.share = call->share;
	w.member = index;
	clopt__borrow(member, call->pinned, call->pinneds);
	TRY(clopt__run(member, &w));
	clopt__kernels_save(member, 0);
out:
	clopt__borrow(member, NULL, 0);
	return rc;
}

static void note_pinned(const struct clopt *ctx, const struct workload *w, struct shared *call)
{
	unsigned i;

	for (i = 0; i < w->operands && call->pinneds < MOST_PINNED; i++) {
		const struct operand *o = &w->operand[i];
		const size_t bytes = clopt__operand_span(o);

		if (o->use && bytes && clopt__is_pinned(ctx, o->host, bytes))
			call->pinned[call->pinneds++] = (struct lent){ o->host, bytes };
	}
}

/* Bytes a second to a device that has shown none. */
#define ASSUMED_RATE 50e9

double clopt__alone_seconds(const struct clopt *ctx, const struct workload *w)
{
	double seconds = clopt__units_seconds(ctx, w->throughput, w->units);
	unsigned i;

	for (i = 0; i < w->operands; i++)
		seconds += (double)clopt__operand_bytes(&w->operand[i]) / ASSUMED_RATE;
	return seconds;
}

/* One round: each member works that has not failed until nothing is left for it; 0 in weight: it takes
 * no part any more.  *began: one that failed may have written parts of results. */
static int run_round(struct clopt *ctx, struct shared *call, struct workload *w, double *weight,
                     int *began)
{
	const struct clopt_report before = ctx->report;
	double seconds;
	unsigned i;
	int rc, code;

	clopt__members_start(ctx, weight, run_part, call);
	if (weight[0] > 0) {
		seconds = -clopt__now();
		rc = clopt__run(ctx, w);
		clopt__members_did(ctx, &before, seconds + clopt__now(), rc);
		if (rc == CLOPT_ECANCELED)
			clopt__share_stop(call->share);
	}
	code = clopt__members_wait(ctx, call->share);
	for (i = 0; i < clopt_members(ctx); i++) {
		if (weight[i] == 0)
			continue;
		if (clopt__member_status(ctx, i) != CLOPT_OK)
			weight[i] = 0;
		rc = clopt__share_end(ctx, call->share, i, weight[i] == 0, began);
		code = code == CLOPT_OK ? rc : code;
	}
	return code;
}

/* Whether an output is read: parts that a failed member has begun are not to be had again. */
static int reads_outputs(const struct workload *w)
{
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use == (OPERAND_IN | OPERAND_OUT))
			return 1;
	return 0;
}

/* Rounds until nothing is left, or nobody gets on. */
static int run_rounds(struct clopt *ctx, struct shared *call, struct workload *w, double *weight)
{
	int again, began = 0, rc = CLOPT_OK;
	double done;
	unsigned i;

	do {
		done = clopt__share_done(call->share);
		TRY(run_round(ctx, call, w, weight, &began));
		for (i = again = 0; i < clopt_members(ctx); i++)
			again |= weight[i] > 0;
		again &= clopt__share_left(call->share) && !clopt__share_stopped(call->share) &&
		         !(began && reads_outputs(w)) &&
		         (began || clopt__share_done(call->share) > done);
	} while (again);
out:
	return rc;
}

/* A result that is wrong for the second time, with parts of members that are right: those of others are not. */
static int judge(struct clopt *ctx, const struct shared *call, struct guard *guard)
{
	const struct variant *v = call->first->v;
	const unsigned count = (unsigned)clopt_members(ctx);
	char why[WHY_SIZE], first_why[WHY_SIZE];
	unsigned i, right = 0, first_wrong = count;

	if (guard->suspect != v || clopt__guard_judge(guard, v) != CLOPT_EWRONG)
		return CLOPT_OK;
	for (i = 0; i < count; i++) {
		struct block part;
		int wrong = 0;
		size_t k;

		for (k = 0; !wrong && clopt__share_part(call->share, call->first, i, k, &part); k++)
			wrong = clopt__guard_judge_part(guard, v, &part, why) == CLOPT_EWRONG;
		right += k && !wrong;
		if (wrong && first_wrong == count) {
			first_wrong = i;
			memcpy(first_why, why, sizeof why);
		}
	}
	return right && first_wrong < count ? clopt__member_wrong(ctx, first_wrong, first_why) :
	                                      CLOPT_OK;
}

int clopt__run_shared(struct clopt *ctx, struct workload *w, workload_maker *make, const void *what,
                      struct guard *guard)
{
	const unsigned op = w->op < CLOPT_OPS ? w->op : CLOPT_OPS,
	               count = (unsigned)clopt_members(ctx);
	struct shared call = { .ctx = ctx, .first = w, .make = make, .what = what };
	double *weight = clopt__members_gather(ctx, op, clopt__alone_seconds(ctx, w));
	int rc = CLOPT_OK;
	unsigned i;

	if (!weight)
		return clopt__run(ctx, w);
	TRY(clopt__share_open(ctx, w, weight, count, clopt__members_alike(ctx),
	                      ctx->share == CLOPT_SHARE_FIXED, &call.share));
	clopt__members_begin(ctx);
	w->share = call.share;
	w->member = 0;
	note_pinned(ctx, w, &call);
	TRY(run_rounds(ctx, &call, w, weight));
	for (i = 0; i < count; i++)
		weight[i] = clopt__share_of(call.share, i);
	clopt__members_sum_up(ctx, op, w->units, weight);
	if (clopt__share_left(call.share))
		rc = clopt__members_failed(ctx);
	else if (guard)
		rc = judge(ctx, &call, guard);
out:
	clopt__share_close(call.share);
	free(weight);
	return rc;
}
