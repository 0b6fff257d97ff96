/* SPDX-License-Identifier: MIT */
/*
 * tree.c - the targets of a sum by a tree, shared by the members of a context.
 *
 * Each member has all sources and makes the cells, which takes little time.  The order is the first one's, since
 * keys are rounded differently on devices that are unlike.  Members take pieces of it until none is left,
 * whole groups of targets each, so results do not show who computed what.  The results of a piece lie anywhere among
 * those of the band: a member reads all, and copies its own to the caller's array.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "several.h"

/* Targets that are still to be taken, as they are in order. */
struct strip {
	size_t next, end;
};

/* A member's part; of the first there is its sum alone. */
struct helper {
	struct tree_share *share;
	unsigned index;
	struct lane lane;
	struct tree tree;
	struct tree_sum sum;
	struct array array[5];
	char *results; /* of the band */
	double targets; /* so far */
};

struct tree_share {
	struct clopt *ctx; /* the first member */
	const struct tree_sum *sum; /* its */
	double *weight; /* 0: takes no part any more */
	size_t grain; /* targets of a whole group of any member */
	int fixed; /* each member has a strip; else there is one for all */
	pthread_mutex_t lock; /* of what follows */
	unsigned char *owner; /* of each grain of the band */
	struct strip *strip;
	int stopped, opening;
	char *source_order,
	        *target_order; /* as the first has them; NULL: not yet, or as the sources */
	size_t before, targets; /* of the band */
	unsigned members;
	struct helper list[];
};

/* ---- Pieces ------------------------------------------------------------------------------ */

static struct tree_share *share_of(const struct tree_sum *sum)
{
	return ((const struct helper *)sum->share)->share;
}

static int has(const struct tree_share *s, unsigned member, size_t target)
{
	return s->owner[target / s->grain] == member;
}

static int took(const struct tree_sum *sum, size_t target)
{
	const struct helper *h = sum->share;
	int mine;

	pthread_mutex_lock(&h->share->lock);
	mine = has(h->share, h->index, target);
	pthread_mutex_unlock(&h->share->lock);
	return mine;
}

/* Pieces get smaller, so that all members end at about one time. */
static int take(const struct tree_sum *sum, size_t want, size_t *first, size_t *count)
{
	const struct helper *h = sum->share;
	struct tree_share *s = h->share;
	struct strip *strip = &s->strip[s->fixed ? h->index : 0];
	size_t piece, i;

	pthread_mutex_lock(&s->lock);
	piece = s->fixed ? want :
	                   clopt__smaller(want, (strip->end - strip->next) / (2 * s->members));
	piece = clopt__larger(piece / s->grain, 1) * s->grain;
	*first = strip->next;
	*count = s->stopped ? 0 : clopt__smaller(piece, strip->end - strip->next);
	for (i = *first; i < *first + *count; i += s->grain)
		s->owner[i / s->grain] = (unsigned char)h->index;
	strip->next += *count;
	pthread_mutex_unlock(&s->lock);
	return *count > 0;
}

static void deal(struct tree_share *s, struct portion *part)
{
	size_t first = 0;
	unsigned i;

	memset(s->owner, UCHAR_MAX, s->targets); /* nobody's: indices are less */
	s->strip[0] = (struct strip){ 0, s->targets };
	if (!s->fixed)
		return;
	for (i = 0; i < s->members; i++)
		part[i].weight = s->weight[i];
	clopt__share_deal(s->targets, s->grain, part, s->members);
	for (i = 0; i < s->members; i++) {
		s->strip[i] = (struct strip){ first, first + part[i].count };
		first += part[i].count;
	}
}

static void stop(struct tree_share *s)
{
	pthread_mutex_lock(&s->lock);
	s->stopped = 1;
	pthread_mutex_unlock(&s->lock);
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
	const struct operand *out = &sum->job->operand[4];
	struct array array[5];
	unsigned i;
	int rc = CLOPT_OK;

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
	                      clopt__operand_row_bytes(out), &h->results));
	member->report.bands = 1;
out:
	return clopt__lane_settle(member, &h->lane, rc);
}

/* Results of this member to the caller's array. */
static int copy_results(struct clopt *member, unsigned index, void *what)
{
	struct tree_share *share = what;
	struct helper *h = &share->list[index];
	const struct operand *out = &h->sum.job->operand[4];
	const size_t row = clopt__operand_row_bytes(out);
	char *to = (char *)out->host + share->before * row;
	const cl_uint *order = (const cl_uint *)(void *)(share->target_order ? share->target_order :
	                                                                       share->source_order);
	size_t i;

	(void)member;
	for (i = 0; i < share->targets; i++) {
		if (!has(share, index, i))
			continue;
		memcpy(to + order[i] * row, h->results + order[i] * row, row);
		h->targets++;
	}
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
	pthread_mutex_destroy(&s->lock);
	free(s->source_order);
	free(s->target_order);
	free(s->weight);
	free(s->strip);
	free(s->owner);
	free(s);
}

static const struct tree_team team;

/* Seconds for each target by which results of others come late. */
#define MERGING 20e-9

static int open_share(struct clopt *ctx, struct tree_sum *sum)
{
	const double targets = (double)sum->job->problem.dim[1];
	const unsigned members = (unsigned)clopt_members(ctx);
	struct tree_share *s;
	unsigned i;

	/* Without sources there is no order to bring. */
	if (members < 2 || members > UCHAR_MAX || !sum->job->operand[0].rows)
		return CLOPT_OK;
	s = calloc(1, sizeof *s + members * sizeof *s->list);
	if (!s || pthread_mutex_init(&s->lock, NULL)) {
		free(s);
		return CLOPT_OK;
	}
	s->ctx = ctx;
	s->sum = sum;
	s->members = members;
	s->fixed = ctx->share == CLOPT_SHARE_FIXED;
	s->strip = calloc(members, sizeof *s->strip);
	s->owner = malloc(sum->band);
	s->weight = clopt__members_gather(ctx, sum->tree->sum.problem.op,
	                                  clopt__tree_seconds(ctx, sum->job, &sum->how) -
	                                          MERGING * targets);
	if (!s->weight || !s->strip || !s->owner) { /* ctx works alone */
		release(s);
		return CLOPT_OK;
	}
	for (i = 0; i < members; i++) {
		s->list[i].share = s;
		s->list[i].index = i;
	}
	sum->team = &team;
	sum->share = &s->list[0];
	clopt__members_begin(ctx);
	clopt__members_start(ctx, s->weight, open_helper, s);
	s->opening = 1;
	return CLOPT_OK;
}

/* Those that could not open take no part.  The grains of rows are powers of two. */
static int end_opening(struct clopt *ctx, struct tree_share *s)
{
	unsigned i;
	int rc;

	if (!s->opening)
		return CLOPT_OK;
	s->opening = 0;
	s->grain = clopt__tree_grain(s->sum->tree);
	rc = clopt__members_wait(ctx, NULL);
	for (i = 1; i < s->members; i++)
		if (clopt__member_status(ctx, i) != CLOPT_OK)
			s->weight[i] = 0;
		else if (s->weight[i] > 0)
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

/* The first one sums what failed members have taken, or would have. */
static int sum_rest(struct clopt *ctx, struct tree_share *s, const struct array *array)
{
	size_t begin = 0, end;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 1; s->fixed && i < s->members; i++) {
		s->strip[0] = s->strip[i];
		TRY(clopt__tree_band(ctx, s->sum, array, s->before, s->targets));
	}
	for (; begin < s->targets; begin = end) {
		const unsigned owner = s->owner[begin / s->grain];

		for (end = begin; end < s->targets && s->owner[end / s->grain] == owner;)
			end += s->grain;
		end = clopt__smaller(end, s->targets);
		if (!owner || s->weight[owner] > 0)
			continue;
		s->strip[0] = (struct strip){ begin, end };
		TRY(clopt__tree_band(ctx, s->sum, array, s->before, s->targets));
	}
out:
	return rc;
}

static int sum_band(struct clopt *ctx, struct tree_sum *sum, const struct array *array,
                    size_t before, size_t count)
{
	struct tree_share *s = share_of(sum);
	const struct clopt_report report = ctx->report;
	const double begin = clopt__now();
	struct portion *part = calloc(s->members, sizeof *part);
	double seconds;
	unsigned i;
	int code, rc = part ? CLOPT_OK : clopt__fail(ctx, CLOPT_ENOMEM, "no memory to share a sum");

	TRY(rc);
	TRY(end_opening(ctx, s));
	s->before = before;
	s->targets = count;
	TRY(fetch_orders(ctx, s));
	deal(s, part);
	clopt__members_start(ctx, s->weight, sum_pieces, s);
	rc = clopt__tree_band(ctx, sum, array, before, count);
	seconds = clopt__now() - begin;
	if (rc != CLOPT_OK)
		stop(s);
	code = clopt__members_wait(ctx, NULL);
	rc = rc == CLOPT_OK ? code : rc;
	for (i = 1; i < s->members; i++) {
		if (!(s->weight[i] > 0))
			continue;
		if (clopt__member_status(ctx, i) != CLOPT_OK)
			s->weight[i] = 0;
		sum->near += s->weight[i] > 0 ? s->list[i].sum.near : 0;
		sum->far += s->weight[i] > 0 ? s->list[i].sum.far : 0;
	}
	if (rc == CLOPT_OK)
		rc = sum_rest(ctx, s, array);
	ctx->report.bands = 1;
	clopt__members_did(ctx, &report, seconds, rc);
	TRY(rc);
	TRY(clopt__tree_count(ctx, sum, count));
out:
	free(part);
	return rc;
}

static int merge(struct clopt *ctx, const struct tree_sum *sum)
{
	struct tree_share *s = share_of(sum);
	size_t i;
	int rc;

	TRY(clopt__lane_settle(ctx, sum->lane, CLOPT_OK));
	for (i = 0; i < s->targets; i += s->grain)
		if (has(s, 0, i))
			s->list[0].targets += (double)clopt__smaller(s->grain, s->targets - i);
	clopt__members_start(ctx, s->weight, copy_results, s);
	rc = clopt__members_wait(ctx, NULL);
	/* One whose context is of no use any more has its results here, too. */
	for (i = 1; i < s->members; i++)
		if (s->weight[i] > 0 && clopt__member_status(ctx, (unsigned)i) != CLOPT_OK)
			copy_results(ctx, (unsigned)i, s);
out:
	return rc;
}

static void close_share(struct clopt *ctx, struct tree_sum *sum, int rc)
{
	struct tree_share *s = share_of(sum);
	double all = 0;
	unsigned i;

	if (s->opening)
		clopt__members_wait(ctx, NULL);
	for (i = 0; i < s->members; i++)
		all += s->list[i].targets;
	for (i = 0; all > 0 && i < s->members; i++)
		s->weight[i] = s->list[i].targets / all;
	if (all > 0 && rc == CLOPT_OK)
		clopt__members_sum_up(ctx, sum->tree->sum.problem.op, all, s->weight);
	release(s);
}

static const struct tree_team team = { open_share, sum_band, merge, close_share, take, took };

int clopt__run_shared_within(struct clopt *ctx, const struct job *job)
{
	return clopt__sum_within(ctx, job, &team);
}
