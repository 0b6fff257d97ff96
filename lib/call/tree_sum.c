/* SPDX-License-Identifier: MIT */
/*
 * tree_sum.c - a sum over pairs with a tolerance: by a tree, if that pays, and with the error that was found.
 */
#include <stdlib.h>
#include <string.h>

#include "call.h"

static int has_own_targets(const struct job *job)
{
	const struct operand *a = &job->operand[0], *b = &job->operand[2];

	return a->host != b->host || a->buffer != b->buffer || a->ld != b->ld ||
	       job->problem.dim[0] != job->problem.dim[1];
}

/* Targets that go together by a tree: sources are in order already. */
static size_t band_of(const struct job *job)
{
	const size_t n = job->problem.dim[1];

	return has_own_targets(job) ? clopt__smaller(n, TREE_BAND) : n;
}

/* Over all pairs the arrays of targets and results are as large as there is room. */
#define LEAST_BAND ((size_t)256)
static size_t band_of_pairs(struct clopt *ctx, const struct job *job)
{
	const size_t memory = clopt__memory(ctx), sources = clopt__operand_bytes(&job->operand[0]);
	size_t row = 0;
	unsigned i;

	for (i = 2; i < 5; i++)
		row += job->operand[i].buffer ? 0 : clopt__operand_row_bytes(&job->operand[i]);
	return clopt__smaller(
	        job->problem.dim[1],
	        clopt__larger(LEAST_BAND,
	                      clopt__smaller(TREE_BAND, memory > sources && row ?
	                                                        (memory - sources) / row :
	                                                        LEAST_BAND)));
}

/* Rows of an operand in host memory, to its array or back. */
static int bring(struct clopt *ctx, const struct tree_sum *sum, unsigned i, size_t first,
                 size_t rows, int down)
{
	const struct operand *o = &sum->job->operand[i];
	const size_t row_bytes = clopt__operand_row_bytes(o);

	return clopt__stepper_move(ctx, sum->s, sum->array[i], 0,
	                           (char *)o->host + first * row_bytes, rows, row_bytes, down);
}

/* What targets were summed over. */
static int count_pairs(struct clopt *ctx, struct tree_sum *sum, size_t targets)
{
	const size_t grain = clopt__tree_grain(sum->tree), groups = (targets + grain - 1) / grain;
	cl_uint(*pairs)[2] = NULL;
	char *rows = NULL;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__stepper_fetch(ctx, sum->s, &sum->tree->pairs, groups, sizeof *pairs, &rows));
	pairs = (cl_uint(*)[2])(void *)rows;
	for (i = 0; i < groups; i++) {
		const double in_group = (double)clopt__smaller(grain, targets - i * grain);

		sum->near += in_group * pairs[i][0];
		sum->far += in_group * pairs[i][1];
	}
out:
	free(rows);
	return rc;
}

static int make_ready(struct clopt *ctx, struct tree_sum *sum, const struct array *targets,
                      size_t count)
{
	const double begin = clopt__now();
	int rc = CLOPT_OK;

	if (!sum->tree->built)
		TRY(clopt__tree_build(ctx, sum->s, sum->tree, sum->array[0]));
	if (sum->tree->own_targets)
		TRY(clopt__tree_sort_targets(ctx, sum->s, sum->tree, targets, count));
	if (!sum->s->placed)
		TRY(clopt__stepper_settle(ctx, sum->s, CLOPT_OK));
	ctx->report.tree_seconds += clopt__now() - begin;
out:
	return rc;
}

/* Pieces of a band, so that a long call can be cancelled, each about SECONDS at least. */
#define SECONDS 0.05
#define PIECE 512 /* targets for each compute unit at first */
static int sum_band(struct clopt *ctx, const struct tree_sum *sum, const struct array *array,
                    size_t before, size_t count)
{
	const size_t all = sum->job->problem.dim[1];
	const int waits = !sum->s->placed;
	size_t piece = waits ? PIECE * ctx->device.info.compute_units : count, first, next;
	unsigned i;
	int rc = CLOPT_OK;

	for (first = 0; first < count; first += next) {
		const struct array *whole[5], *of_piece[5];
		struct array from[5];
		const double begin = clopt__now();

		next = clopt__smaller(piece, count - first);
		for (i = 0; i < 5; i++) {
			from[i] = i < 2 ? array[i] : clopt__array_from(&array[i], first);
			whole[i] = &array[i];
			of_piece[i] = &from[i];
		}
		if (sum->how.order)
			TRY(clopt__tree_sum(ctx, sum->s, sum->tree, sum->job->real, sum->how.theta,
			                    whole, first, next, before + first + next == all));
		else
			TRY(clopt__pairs_on_device(ctx, sum->s, sum->job, of_piece, next));
		if (!waits)
			continue;
		TRY(clopt__stepper_settle(ctx, sum->s, CLOPT_OK));
		TRY(clopt__go_on(ctx, (double)(before + first + next) / (double)all));
		if (clopt__now() - begin < SECONDS)
			piece *= 2;
	}
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
				TRY(bring(ctx, sum, i, first, count, 0));
		if (sum->how.order)
			TRY(make_ready(ctx, sum, &part[2], count));
		TRY(sum_band(ctx, sum, part, first, count));
		if (sum->how.order && !sum->s->placed)
			TRY(count_pairs(ctx, sum, count));
		if (sum->brought >> 4 & 1)
			TRY(bring(ctx, sum, 4, first, count, 1));
	}
	if (!sum->s->placed)
		TRY(clopt__stepper_settle(ctx, sum->s, CLOPT_OK));
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
		within = clopt__tree_is_within(sum->error, job, &sum->how);
	}
	r->variant = sum->tree->sum.row->name;
	/* In doubt that is what the sample says. */
	if (!within && r->error_99 > job->tree.tolerance)
		rc = clopt__fail(
		        ctx, CLOPT_EWRONG,
		        "the tolerance %g was not reached: with theta %.3g and order %u the 99th "
		        "percentile of the error of %zu targets is %.2g",
		        job->tree.tolerance, r->tree_theta, r->tree_order, r->error_targets,
		        r->error_99);
out:
	clopt__sample_close(&sample);
	return rc;
}

int clopt__tree_room(struct clopt *ctx, struct tree_sum *sum)
{
	const struct job *job = sum->job;
	const int own = has_own_targets(job);
	size_t bytes = 0, rows;
	unsigned i;

	sum->band = sum->how.order ? band_of(job) : band_of_pairs(ctx, job);
	if (!sum->how.order)
		return CLOPT_OK;
	for (i = 0; i < 5; i++) {
		rows = i < 2 ? job->operand[i].rows : i == 2 && !own ? 0 : sum->band;
		bytes += rows * clopt__operand_row_bytes(&job->operand[i]);
	}
	return clopt__tree_open(ctx, &job->problem, sum->how.order, own, bytes, sum->tree);
}

int clopt__tree_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array)
{
	const struct operand *o = sum->job->operand;
	const int own = has_own_targets(sum->job);
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < 5; i++) {
		if (!sum->array[i])
			sum->array[i] = i == 2 && !own ? sum->array[0] : &array[i];
		if (sum->array[i] != &array[i] || array[i].mem || !o[i].host || !o[i].columns)
			continue;
		TRY(clopt__array_open(ctx, i < 2 ? o[i].rows : sum->band,
		                      clopt__operand_row_bytes(&o[i]), (struct layout){ 0, 0, 1 },
		                      &array[i]));
		if (i)
			sum->brought |= 1u << i;
		else
			TRY(bring(ctx, sum, 0, 0, o[0].rows, 0));
	}
out:
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

static int all_pairs(struct clopt *ctx, const struct job *job)
{
	struct job all = *job;

	clopt__tree_forget(ctx);
	memset(&all.tree, 0, sizeof all.tree);
	return clopt__run_job(ctx, &all);
}

/* For the targets of all processes, so that all of them sum alike. */
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

int clopt__run_within(struct clopt *ctx, const struct job *described)
{
	struct job arrived = *described;
	const struct job *const job = &arrived;
	const struct stepper s = { .q = ctx->queue[0] };
	struct tree tree = { 0 };
	struct tree_sum sum = { .job = job, .s = &s, .tree = &tree };
	struct array array[5] = { { 0 } };
	unsigned i;
	int rc = CLOPT_OK;

	if (!(job->tree.tolerance > 0) && !job->tree.order)
		return clopt__run_job(ctx, job);
	TRY(clopt__await(ctx, &arrived));
	sum.how = how_of(ctx, job);
	if (!sum.how.order)
		return all_pairs(ctx, job);
	rc = clopt__tree_on_arrays(ctx, &sum, array);
out:
	if (rc != CLOPT_OK)
		rc = clopt__stepper_settle(ctx, &s, rc);
	clopt__tree_close(&tree);
	for (i = 0; i < 5; i++)
		clopt__array_close(&array[i]);
	/* Sources that do not fit at once go in parts. */
	return rc == CLOPT_ENOMEM ? all_pairs(ctx, job) : rc;
}
