/* SPDX-License-Identifier: MIT */
/*
 * shared.c - a workload that the members of a context share as share.c deals it.  The blocks of a
 * member that fails are dealt again to the others.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "several.h"

/* Further arrays of clopt_map are staged. */
#define MOST_PINNED 16

/* Common to all members. */
struct shared {
	const struct clopt *ctx; /* the first member */
	struct workload *first; /* the first member's workload */
	workload_maker *make;
	const void *what;
	struct share *share;
	struct lent pinned[MOST_PINNED]; /* the caller's arrays */
	unsigned pinneds;
};

/* ---- The pipeline's blocks ------------------------------------------------------------------ */

/* Whether the operand is an input that depends on size d alone, not on `other`. */
static int is_input(const struct operand *o, unsigned d, unsigned other)
{
	return (o->use & OPERAND_IN) && d != NO_DIM && (o->row_dim == d || o->column_dim == d) &&
	       o->row_dim != other && o->column_dim != other;
}

static double input_bytes(const struct workload *w, unsigned d, unsigned other)
{
	double bytes = 0;
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (is_input(&w->operand[i], d, other))
			bytes += (double)clopt__operand_bytes(&w->operand[i]);
	return bytes;
}

/* Seconds to fetch the inputs of one column, which a block needs before it begins. */
static double column_seconds(struct clopt *ctx, const struct workload *w)
{
	double seconds = 0;
	unsigned i;

	for (i = 0; i < w->operands; i++) {
		const struct operand *o = &w->operand[i];

		if (is_input(o, w->cut[1], w->cut[0]))
			seconds +=
			        (double)clopt__operand_bytes(o) /
			        clopt__rate(ctx, 0,
			                    clopt__is_pinned(ctx, o->host, clopt__operand_span(o)),
			                    0);
	}
	return w->cut[1] == NO_DIM ? 0 : seconds / (double)w->dim[w->cut[1]];
}

static void set_block(const struct workload *w, const struct region *r, struct block *b)
{
	unsigned i;

	for (i = 0; i < 2; i++)
		if (w->cut[i] != NO_DIM) {
			b->first[w->cut[i]] = r->first[i];
			b->count[w->cut[i]] = r->count[i];
		}
}

static int take(struct clopt *ctx, const struct workload *w, const struct cut *p, struct block *b,
                int *none)
{
	const size_t most[2] = { p->step[w->cut[0]], w->cut[1] == NO_DIM ? 1 : p->step[w->cut[1]] };
	struct region r;
	int rc = CLOPT_OK;

	TRY(clopt__share_take(ctx, w->share, w->member, most, column_seconds(ctx, w),
	                      p->lanes > 1 ? p->lanes + 1 : 2, &r, none));
	if (!*none)
		set_block(w, &r, b);
out:
	return rc;
}

static const struct sharers sharers = { take, clopt__share_idle, clopt__share_stopped,
	                                clopt__share_done };

/* A strip of rows needs all inputs that depend on columns before its first block.  A strip of
 * columns needs all inputs of rows, which are uploaded while kernels run. */
static int open_share(struct clopt *ctx, const struct workload *w, const double *weight,
                      struct share **share)
{
	const double rows = input_bytes(w, w->cut[0], w->cut[1]);
	struct partition box = { .alike = clopt__members_alike(ctx),
		                 .fixed = ctx->share == CLOPT_SHARE_FIXED,
		                 .by_columns = rows < 2 * input_bytes(w, w->cut[1], w->cut[0]) };
	unsigned i;

	for (i = 0; i < 2; i++) {
		box.dim[i] = w->cut[i] == NO_DIM ? 1 : w->dim[w->cut[i]];
		box.grain[i] = w->cut[i] == NO_DIM ? 1 : w->grain[w->cut[i]];
	}
	return clopt__share_open(ctx, &box, weight, (unsigned)clopt_members(ctx), share);
}

/* ---- Rounds ------------------------------------------------------------------------------- */

static int run_part(struct clopt *member, unsigned index, void *what)
{
	const struct shared *call = what;
	struct workload w;
	int rc = CLOPT_OK;

	if (!index)
		return clopt__run(member, call->first);
	TRY(call->make(member, call->what, call->first, clopt__member_alike(call->ctx, index), &w));
	w.sharers = &sharers;
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

/* Assumed bytes per second to a device without a measured rate. */
#define ASSUMED_RATE 50e9

double clopt__alone_seconds(const struct clopt *ctx, const struct workload *w)
{
	double seconds = clopt__units_seconds(ctx, w->throughput, w->units);
	unsigned i;

	for (i = 0; i < w->operands; i++)
		seconds += (double)clopt__operand_bytes(&w->operand[i]) / ASSUMED_RATE;
	return seconds;
}

/* Whether an output is also an input: then blocks begun by a failed member cannot be computed
 * again. */
static int reads_outputs(const struct workload *w)
{
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use == (OPERAND_IN | OPERAND_OUT))
			return 1;
	return 0;
}

/* Rounds until nothing is left, or a round computes nothing. */
static int run_rounds(struct clopt *ctx, struct shared *call, double *weight)
{
	int again, began = 0, rc = CLOPT_OK;
	double done;
	unsigned i;

	do {
		done = clopt__share_done(call->share);
		TRY(clopt__members_round(ctx, call->share, weight, run_part, call, 1, &began));
		for (i = again = 0; i < clopt_members(ctx); i++)
			again |= weight[i] > 0;
		again &= clopt__share_left(call->share) && !clopt__share_stopped(call->share) &&
		         !(began && reads_outputs(call->first)) &&
		         (began || clopt__share_done(call->share) > done);
	} while (again);
out:
	return rc;
}

/* A result that is wrong again: if some members' parts are right, the others' devices are at
 * fault. */
static int judge(struct clopt *ctx, const struct shared *call, struct guard *guard)
{
	const struct variant *v = call->first->v;
	const unsigned count = (unsigned)clopt_members(ctx);
	char why[WHY_SIZE], first_why[WHY_SIZE];
	unsigned i, right = 0, first_wrong = count;

	if (guard->suspect != v || clopt__guard_judge(guard, v) != CLOPT_EWRONG)
		return CLOPT_OK;
	for (i = 0; i < count; i++) {
		struct block part = { .count = { call->first->dim[0], call->first->dim[1],
			                         call->first->dim[2] } };
		struct region r;
		int wrong = 0;
		size_t k;

		for (k = 0; !wrong && clopt__share_part(call->share, i, k, &r); k++) {
			set_block(call->first, &r, &part);
			wrong = clopt__guard_judge_part(guard, v, &part, why) == CLOPT_EWRONG;
		}
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
	TRY(open_share(ctx, w, weight, &call.share));
	clopt__members_begin(ctx);
	w->sharers = &sharers;
	w->share = call.share;
	w->member = 0;
	note_pinned(ctx, w, &call);
	TRY(run_rounds(ctx, &call, weight));
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
