/* SPDX-License-Identifier: MIT */
/*
 * band.c - a band of the targets of a tree's sum: room, transfers and launches, chunk by chunk.
 */
#include <math.h>
#include <stdlib.h>

#include "tree.h"

static int has_own_targets(const struct job *job)
{
	const struct operand *a = &job->operand[0], *b = &job->operand[2];

	return a->host != b->host || a->buffer != b->buffer || a->ld != b->ld ||
	       job->problem.dim[0] != job->problem.dim[1];
}

/* Smallest band.  Over all pairs a band is as large as memory allows. */
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

int clopt__tree_bring(struct clopt *ctx, const struct tree_sum *sum, unsigned i, size_t first,
                      size_t rows, int down)
{
	const struct operand *o = &sum->job->operand[i];
	const size_t row_bytes = clopt__operand_row_bytes(o);

	return clopt__lane_move(ctx, sum->lane, sum->array[i], 0,
	                        (char *)o->host + first * row_bytes, rows, row_bytes, down);
}

int clopt__tree_count(struct clopt *ctx, struct tree_sum *sum, size_t targets)
{
	const size_t grain = clopt__tree_grain(sum->tree), groups = clopt__groups(targets, grain);
	cl_uint(*pairs)[2] = NULL;
	char *rows = NULL;
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__lane_fetch(ctx, sum->lane, &sum->tree->pairs, groups, sizeof *pairs, &rows));
	pairs = (cl_uint(*)[2])(void *)rows;
	for (i = 0; i < groups; i++) {
		const double in_group = (double)clopt__smaller(grain, targets - i * grain);

		if (sum->team && !sum->team->took(sum, i * grain))
			continue;
		sum->near += in_group * pairs[i][0];
		sum->far += in_group * pairs[i][1];
	}
out:
	free(rows);
	return rc;
}

/* Take the next chunk. *count == 0: nothing is left. */
static int take(const struct tree_sum *sum, size_t all, size_t want, size_t *first, size_t *count)
{
	if (sum->team)
		return sum->team->take(sum, want, first, count);
	*first += *count;
	*count = clopt__smaller(want, all - *first);
	return CLOPT_OK;
}

/* A band is cut into chunks of whole groups, so that a long call can be cancelled.  Each chunk ends
 * with a wait and idle compute units, so it should take at least SECONDS. */
#define SECONDS 0.05
#define PIECE 512 /* least number of targets of a chunk for each compute unit */
#define GROUPS 4 /* least number of groups of a chunk for each compute unit */
static size_t first_piece(const struct clopt *ctx, const struct tree_sum *sum, size_t all)
{
	const size_t grain = sum->how.order ? clopt__tree_grain(sum->tree) : 1;
	const size_t least = clopt__larger(PIECE, GROUPS * grain) * ctx->device.info.compute_units;
	const double seconds =
	        sum->how.order ? clopt__tree_seconds(ctx, sum->job, &sum->how) : (double)INFINITY;
	const size_t piece =
	        seconds < SECONDS ? all :
	                            clopt__larger(least, (size_t)((double)all * SECONDS / seconds));

	return clopt__groups(piece, grain) * grain;
}

int clopt__tree_band(struct clopt *ctx, const struct tree_sum *sum, const struct array *array,
                     size_t before, size_t count)
{
	const size_t all = sum->job->problem.dim[1];
	const int waits = !sum->lane->placed;
	size_t piece = waits ? first_piece(ctx, sum, all) : count, first = 0, next = 0;
	unsigned i;
	int rc = CLOPT_OK;

	for (;;) {
		const struct array *whole[5], *of_piece[5];
		struct array from[5];
		const double begin = clopt__now();

		TRY(take(sum, count, piece, &first, &next));
		if (!next)
			break;
		for (i = 0; i < 5; i++) {
			from[i] = i < 2 ? array[i] : clopt__array_from(&array[i], first);
			whole[i] = &array[i];
			of_piece[i] = &from[i];
		}
		if (sum->how.order)
			TRY(clopt__tree_sum(ctx, sum->lane, sum->tree, sum->job->real,
			                    sum->how.theta, whole, first, next,
			                    before + first + next == all));
		else
			TRY(clopt__pairs_on_device(ctx, sum->lane, sum->job, of_piece, next));
		if (!waits)
			continue;
		TRY(clopt__lane_settle(ctx, sum->lane, CLOPT_OK));
		TRY(clopt__go_on(ctx, (double)(before + first + next) / (double)all));
		if (clopt__now() - begin < SECONDS)
			piece *= 2;
	}
out:
	return rc;
}

int clopt__tree_room(struct clopt *ctx, struct tree_sum *sum)
{
	const struct job *job = sum->job;
	const int own = has_own_targets(job);
	size_t bytes = 0, rows;
	unsigned i;

	if (!sum->how.order) {
		sum->band = band_of_pairs(ctx, job);
		return CLOPT_OK;
	}
	/* The sources are already in order. */
	sum->band = own ? clopt__smaller(job->problem.dim[1], TREE_BAND) : job->problem.dim[1];
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
			TRY(clopt__tree_bring(ctx, sum, 0, 0, o[0].rows, 0));
	}
out:
	return rc;
}
