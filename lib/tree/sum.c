/* SPDX-License-Identifier: MIT */
/*
 * sum.c - a sum over pairs within a tolerance.  By a tree if that pays; with a smaller theta while
 * the measured error is too large; CLOPT_EWRONG if no theta keeps the tolerance.
 */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

static int make_ready(struct clopt *ctx, struct tree_sum *sum, const struct array *targets,
                      size_t count)
{
	const double begin = clopt__now();
	int rc = CLOPT_OK;

	if (!sum->tree->built)
		TRY(clopt__tree_build(ctx, sum->lane, sum->tree, sum->array[0]));
	if (sum->tree->own_targets)
		TRY(clopt__tree_order(ctx, sum->lane, sum->tree, targets, count,
		                      &sum->tree->target_order));
	if (!sum->lane->placed)
		TRY(clopt__lane_settle(ctx, sum->lane, CLOPT_OK));
	ctx->report.tree_seconds += clopt__now() - begin;
out:
	return rc;
}

int clopt__tree_once(struct clopt *ctx, struct tree_sum *sum)
{
	const size_t n = sum->job->problem.dim[1];
	size_t first, count;
	unsigned i;
	int rc = CLOPT_OK;

	sum->near = sum->far = 0;
	for (first = 0; first < n; first += count) {
		struct array part[5];

		count = clopt__smaller(sum->band, n - first);
		for (i = 0; i < 5; i++)
			part[i] = i < 2 || sum->brought >> i & 1 ?
			                  *sum->array[i] :
			                  clopt__array_from(sum->array[i], first);
		for (i = 2; i < 4; i++)
			if (sum->brought >> i & 1)
				TRY(clopt__tree_bring(ctx, sum, i, first, count, 0));
		if (sum->how.order)
			TRY(make_ready(ctx, sum, &part[2], count));
		if (sum->team) {
			TRY(sum->team->band(ctx, sum, part, first, count));
		} else {
			TRY(clopt__tree_band(ctx, sum, part, first, count));
			if (sum->how.order && !sum->lane->placed)
				TRY(clopt__tree_count(ctx, sum, count));
		}
		if (sum->brought >> 4 & 1)
			TRY(clopt__tree_bring(ctx, sum, 4, first, count, 1));
		if (sum->team)
			TRY(sum->team->merge(ctx, sum));
	}
	if (!sum->lane->placed)
		TRY(clopt__lane_settle(ctx, sum->lane, CLOPT_OK));
out:
	return rc;
}

#define TRIES 3
int clopt__tree_run(struct clopt *ctx, struct tree_sum *sum)
{
	const struct job *job = sum->job;
	const double n = (double)job->problem.dim[1];
	struct sample sample = { 0 };
	struct clopt_report *r = &ctx->report;
	int tries, within = 0, rc = CLOPT_OK;

	for (tries = 0; tries < TRIES && !within; tries++) {
		TRY(clopt__tree_once(ctx, sum));
		if (!sum->how.order)
			return rc;
		r->tree_order = sum->how.order;
		r->tree_theta = sum->how.theta;
		r->near_pairs = sum->near / n;
		r->far_pairs = sum->far / n;
		if (!tries)
			TRY(clopt__sample_sum(ctx, sum, &sample));
		TRY(clopt__sample_error(ctx, sum, &sample, &sum->error));
		if (!tries)
			sum->how.wider = 0; /* of bodies elsewhere, in a step before */
		within = clopt__tree_is_within(sum->error, job, &sum->how);
	}
	r->variant = sum->tree->sum.row->name;
	/* In doubt the sample's error decides. */
	if (!within && r->error_99 > job->tree.tolerance)
		rc = clopt__fail(ctx, CLOPT_EWRONG,
		                 "tolerance %g was not reached: with theta %.3g and order %u the "
		                 "99th percentile of the errors of %zu targets is %.2g",
		                 job->tree.tolerance, r->tree_theta, r->tree_order,
		                 r->error_targets, r->error_99);
out:
	free(sample.right);
	return rc;
}

int clopt__tree_on_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array)
{
	int rc = CLOPT_OK;

	TRY(clopt__tree_room(ctx, sum));
	TRY(clopt__tree_arrays(ctx, sum, array));
	TRY(clopt__tree_run(ctx, sum));
out:
	return rc;
}

void clopt__tree_forget(struct clopt *ctx)
{
	ctx->report.tree_order = 0;
	ctx->report.tree_theta = ctx->report.tree_seconds = 0;
	ctx->report.near_pairs = ctx->report.far_pairs = 0;
	ctx->report.error_targets = 0;
	ctx->report.error_median = ctx->report.error_99 = 0;
}

void clopt__tree_left(const struct clopt *ctx)
{
	if (ctx->verbose)
		clopt__notice(ctx, "%s: all pairs are summed instead", clopt_error(ctx));
}

static int all_pairs(struct clopt *ctx, const struct job *job)
{
	struct job all = *job;

	clopt__tree_forget(ctx);
	memset(&all.tree, 0, sizeof all.tree);
	return clopt__run_job(ctx, &all);
}

/* For the targets of all processes, so that each chooses the same tree. */
static struct how how_of(struct clopt *ctx, const struct job *job)
{
	const struct operand *o = &job->operand[0];
	struct job all = *job;
	int mixed = 0;

	if (job->group.all_targets)
		all.problem.dim[1] = job->group.all_targets;
	if (job->tree.tolerance > 0)
		mixed = clopt__tree_mixed(clopt__point_precision(&job->problem), o->host, o->rows);
	return clopt__tree_how(ctx, &all, mixed);
}

int clopt__run_within(struct clopt *ctx, const struct job *job)
{
	const struct tree_team *team = job->runners->team;
	const struct lane lane = { .q = ctx->queue[0] };
	struct tree tree = { 0 };
	struct tree_sum sum = { .job = job, .lane = &lane, .tree = &tree };
	struct array array[5] = { { 0 } };
	unsigned i;
	int rc = CLOPT_OK;

	if (!(job->tree.tolerance > 0) && !job->tree.order)
		return clopt__run_job(ctx, job);
	sum.how = how_of(ctx, job);
	if (!sum.how.order)
		return all_pairs(ctx, job);
	TRY(clopt__tree_room(ctx, &sum));
	if (team)
		TRY(team->open(ctx, &sum));
	TRY(clopt__tree_arrays(ctx, &sum, array));
	TRY(clopt__tree_run(ctx, &sum));
out:
	if (rc != CLOPT_OK)
		rc = clopt__lane_settle(ctx, &lane, rc);
	if (sum.team)
		sum.team->close(ctx, &sum, rc);
	clopt__tree_close(&tree);
	for (i = 0; i < 5; i++)
		clopt__array_close(&array[i]);
	if (rc != CLOPT_ENOMEM)
		return rc;
	/* Sources that do not fit at once are summed in chunks, without a tree. */
	clopt__tree_left(ctx);
	return all_pairs(ctx, job);
}
