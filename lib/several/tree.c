/* SPDX-License-Identifier: MIT */
/*
 * tree.c - the targets of a sum by a tree, shared by the members of a context.  Each member has all
 * sources and makes all cells, which takes little time.  All use the first member's order, since
 * keys are rounded differently on other devices.  Members take chunks of whole groups until none is
 * left, so results do not depend on the partition.  The results of a chunk lie anywhere in the
 * band: a member reads the whole band and copies its own results to the caller's array.
 */
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "several.h"

/* A member's part; the first member has its sum alone. */
struct helper {
	struct tree_share *team;
	struct clopt *ctx;
	unsigned index;
	struct lane lane;
	struct tree tree;
	struct tree_sum sum;
	struct array array[5];
	char *results; /* of the band */
	double targets; /* computed so far */
};

struct tree_share {
	struct clopt *ctx; /* the first member */
	const struct tree_sum *sum; /* the first member's */
	double *weight; /* 0: takes no part any more */
	size_t grain; /* a multiple of each member's group */
	struct share *share; /* partition of the band's sorted targets */
	const struct array *array; /* of the band */
	int opening;
	char *source_order, *target_order; /* the first member's order; NULL: not yet known, or the
	                                      sources' order */
	size_t before, targets; /* of the band */
	unsigned members;
	struct helper list[];
};

/* ---- Pieces ------------------------------------------------------------------------------ */

static struct tree_share *team_of(const struct tree_sum *sum)
{
	return ((const struct helper *)sum->share)->team;
}

static int took(const struct tree_sum *sum, size_t target)
{
	const struct helper *h = sum->share;
	struct region r;
	size_t i;

	for (i = 0; clopt__share_part(h->team->share, h->index, i, &r); i++)
		if (target >= r.first[0] && target - r.first[0] < r.count[0])
			return 1;
	return 0;
}

static int take(const struct tree_sum *sum, size_t want, size_t *first, size_t *count)
{
	const struct helper *h = sum->share;
	const size_t most[2] = { want, 1 };
	struct region r;
	int none, rc = CLOPT_OK;

	*count = 0;
	clopt__share_idle(h->team->share, h->index);
	TRY(clopt__share_take(h->ctx, h->team->share, h->index, most, 0, 1, &r, &none));
	if (!none) {
		*first = r.first[0];
		*count = r.count[0];
	}
out:
	return rc;
}

/* ---- A member's part ----------------------------------------------------------------------- */

static int open_helper(struct clopt *member, unsigned index, void *what)
{
	struct tree_share *share = what;
	struct helper *h = &share->list[index];
	const struct tree_sum *first = share->sum;
	int rc = CLOPT_OK;

	h->lane.q = member->queue[0];
	h->sum = (struct tree_sum){ .job = first->job,
		                    .lane = &h->lane,
		                    .tree = &h->tree,
		                    .how = first->how,
		                    .team = first->team,
		                    .share = h };
	if (clopt__member_alike(share->ctx, index))
		h->tree.like = first->tree;
	TRY(clopt__tree_room(member, &h->sum));
	TRY(clopt__tree_arrays(member, &h->sum, h->array));
	clopt__kernels_save(member, 0);
out:
	return clopt__lane_settle(member, &h->lane, rc);
}

static int bring_order(struct clopt *member, const struct helper *h, const struct array *to,
                       char *order, size_t rows)
{
	return clopt__lane_move(member, &h->lane, to, 0, order, rows, sizeof(cl_uint), 0);
}

static int sum_pieces(struct clopt *member, unsigned index, void *what)
{
	struct tree_share *share = what;
	struct helper *h = &share->list[index];
	struct tree_sum *sum = &h->sum;
	struct array array[5];
	unsigned i;
	int rc = CLOPT_OK;

	member->report.bands = 1;
	if (!index) {
		rc = clopt__tree_band(member, share->sum, share->array, share->before,
		                      share->targets);
		if (rc != CLOPT_OK) /* the call fails with it */
			clopt__share_stop(share->share);
		return rc;
	}
	sum->how = share->sum->how;
	sum->near = sum->far = 0;
	for (i = 0; i < 5; i++)
		array[i] = *sum->array[i];
	for (i = 2; i < 4; i++)
		if (sum->brought >> i & 1)
			TRY(clopt__tree_bring(member, sum, i, share->before, share->targets, 0));
	if (!h->tree.built) {
		TRY(bring_order(member, h, &h->tree.order, share->source_order, h->tree.shape.n));
		h->tree.sorted = 1;
		TRY(clopt__tree_build(member, &h->lane, &h->tree, sum->array[0]));
	}
	if (share->target_order)
		TRY(bring_order(member, h, &h->tree.target_order, share->target_order,
		                share->targets));
	TRY(clopt__tree_band(member, sum, array, share->before, share->targets));
	TRY(clopt__tree_count(member, sum, share->targets));
	free(h->results);
	h->results = NULL;
	TRY(clopt__lane_fetch(member, &h->lane, &h->array[4], share->targets,
	                      clopt__operand_row_bytes(&sum->job->operand[4]), &h->results));
out:
	return clopt__lane_settle(member, &h->lane, rc);
}

/* Copy this member's results to the caller's array. */
static int copy_results(struct clopt *member, unsigned index, void *what)
{
	struct tree_share *share = what;
	struct helper *h = &share->list[index];
	const struct operand *out = &h->sum.job->operand[4];
	const size_t row = clopt__operand_row_bytes(out);
	char *to = (char *)out->host + share->before * row;
	const cl_uint *order = (const cl_uint *)(void *)(share->target_order ? share->target_order :
	                                                                       share->source_order);
	struct region r;
	size_t i, k;

	(void)member;
	for (k = 0; clopt__share_part(share->share, index, k, &r); k++)
		for (i = r.first[0]; i < r.first[0] + r.count[0]; i++)
			memcpy(to + order[i] * row, h->results + order[i] * row, row);
	return CLOPT_OK;
}

/* ---- All members --------------------------------------------------------------------------- */

static void release(struct tree_share *s)
{
	unsigned i, o;

	for (i = 0; i < s->members; i++) {
		clopt__tree_close(&s->list[i].tree);
		for (o = 0; o < 5; o++)
			clopt__array_close(&s->list[i].array[o]);
		free(s->list[i].results);
	}
	clopt__share_close(s->share);
	free(s->source_order);
	free(s->target_order);
	free(s->weight);
	free(s);
}

/* Seconds per target for merging the results of other members. */
#define MERGING 20e-9

static int open_team(struct clopt *ctx, struct tree_sum *sum)
{
	const double targets = (double)sum->job->problem.dim[1];
	const unsigned members = (unsigned)clopt_members(ctx);
	struct tree_share *s;
	unsigned i;

	/* Without sources there is no order. */
	if (members < 2 || !sum->job->operand[0].rows)
		return CLOPT_OK;
	s = calloc(1, sizeof *s + members * sizeof *s->list);
	if (!s)
		return CLOPT_OK;
	s->ctx = ctx;
	s->sum = sum;
	s->members = members;
	s->weight = clopt__members_gather(ctx, sum->tree->sum.problem.op,
	                                  clopt__tree_seconds(ctx, sum->job, &sum->how) -
	                                          MERGING * targets);
	if (!s->weight) { /* ctx works alone */
		release(s);
		return CLOPT_OK;
	}
	for (i = 0; i < members; i++) {
		s->list[i].team = s;
		s->list[i].ctx = clopt_member(ctx, i);
		s->list[i].index = i;
	}
	sum->team = &clopt__shared_tree;
	sum->share = &s->list[0];
	clopt__members_begin(ctx);
	clopt__members_start(ctx, s->weight, open_helper, s);
	s->opening = 1;
	return CLOPT_OK;
}

/* A member that could not open takes no part.  Grains of rows are powers of two. */
static int end_opening(struct clopt *ctx, struct tree_share *s)
{
	unsigned i;
	int rc;

	if (!s->opening)
		return CLOPT_OK;
	s->opening = 0;
	s->grain = clopt__tree_grain(s->sum->tree);
	rc = clopt__members_wait(ctx, NULL, s->weight, 0, NULL);
	for (i = 1; i < s->members; i++)
		if (s->weight[i] > 0)
			s->grain = clopt__larger(s->grain, clopt__tree_grain(&s->list[i].tree));
	return rc;
}

static int fetch_orders(struct clopt *ctx, struct tree_share *s)
{
	const struct tree_sum *sum = s->sum;
	const struct tree *t = sum->tree;
	int rc = CLOPT_OK;

	if (!s->source_order)
		TRY(clopt__lane_fetch(ctx, sum->lane, &t->order, t->shape.n, sizeof(cl_uint),
		                      &s->source_order));
	free(s->target_order);
	s->target_order = NULL;
	if (t->own_targets)
		TRY(clopt__lane_fetch(ctx, sum->lane, &t->target_order, s->targets, sizeof(cl_uint),
		                      &s->target_order));
out:
	return rc;
}

static int open_band(struct clopt *ctx, struct tree_share *s, size_t before, size_t count)
{
	const struct partition box = { .dim = { count, 1 },
		                       .grain = { s->grain, 1 },
		                       .alike = clopt__members_alike(ctx),
		                       .fixed = ctx->share == CLOPT_SHARE_FIXED };

	s->before = before;
	s->targets = count;
	clopt__share_close(s->share);
	s->share = NULL;
	return clopt__share_open(ctx, &box, s->weight, s->members, &s->share);
}

static int sum_band(struct clopt *ctx, struct tree_sum *sum, const struct array *array,
                    size_t before, size_t count)
{
	struct tree_share *s = team_of(sum);
	unsigned i;
	int began = 0, rc = CLOPT_OK;

	TRY(end_opening(ctx, s));
	TRY(open_band(ctx, s, before, count));
	TRY(fetch_orders(ctx, s));
	s->array = array;
	TRY(clopt__members_round(ctx, s->share, s->weight, sum_pieces, s, 0, &began));
	TRY(clopt__member_status(ctx, 0));
	for (i = 1; i < s->members; i++) {
		sum->near += s->weight[i] > 0 ? s->list[i].sum.near : 0;
		sum->far += s->weight[i] > 0 ? s->list[i].sum.far : 0;
	}
	/* The first member computes the results of failed ones. */
	if (clopt__share_left(s->share))
		TRY(clopt__tree_band(ctx, sum, array, before, count));
	TRY(clopt__tree_count(ctx, sum, count));
	for (i = 0; i < s->members; i++)
		s->list[i].targets += clopt__share_of(s->share, i) * (double)count;
out:
	return rc;
}

static int merge(struct clopt *ctx, const struct tree_sum *sum)
{
	struct tree_share *s = team_of(sum);
	unsigned i;
	int rc;

	TRY(clopt__lane_settle(ctx, sum->lane, CLOPT_OK));
	clopt__members_start(ctx, s->weight, copy_results, s);
	rc = clopt__members_wait(ctx, NULL, NULL, 0, NULL);
	/* A member whose context is lost has its results on the host, too. */
	for (i = 1; i < s->members; i++)
		if (s->weight[i] > 0 && clopt__member_status(ctx, i) != CLOPT_OK)
			copy_results(ctx, i, s);
out:
	return rc;
}

static void close_team(struct clopt *ctx, struct tree_sum *sum, int rc)
{
	struct tree_share *s = team_of(sum);
	double all = 0;
	unsigned i;

	if (s->opening)
		clopt__members_wait(ctx, NULL, NULL, 0, NULL);
	for (i = 0; i < s->members; i++)
		all += s->list[i].targets;
	for (i = 0; all > 0 && i < s->members; i++)
		s->weight[i] = s->list[i].targets / all;
	if (all > 0 && rc == CLOPT_OK)
		clopt__members_sum_up(ctx, sum->tree->sum.problem.op, all, s->weight);
	release(s);
}

const struct tree_team clopt__shared_tree = { open_team, sum_band, merge, close_team, take, took };
