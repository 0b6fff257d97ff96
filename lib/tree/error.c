/* SPDX-License-Identifier: MIT */
/*
 * error.c - the error of a sum by a tree, found by summing a sample of its targets over all pairs.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "../base/threads.h"
#include "../choose/choose.h"
#include "tree.h"

int clopt__pairs_on_device(struct clopt *ctx, const struct lane *lane, const struct job *job,
                           const struct array *const *array, size_t targets)
{
	struct clopt_buffer buffer[5];
	struct placed p = { .q = lane->q };
	struct job all = *job;
	unsigned i;

	memset(&all.tree, 0, sizeof all.tree);
	all.problem.dim[1] = targets;
	for (i = 0; i < 5; i++) {
		struct operand *o = &all.operand[i];

		buffer[i] = (struct clopt_buffer){ .ctx = ctx,
			                           .mem = array[i]->mem,
			                           .root = array[i]->mem,
			                           .offset_bytes = array[i]->offset_bytes };
		*o = clopt__buffer_operand(o->columns ? &buffer[i] : NULL, o->columns,
		                           i == 4 ? OPERAND_OUT : OPERAND_IN);
		clopt__problem_operand(&all.problem, i, o);
	}
	return clopt__enqueue_job(ctx, &all, &p);
}

/* One of EACH targets is in the sample, within limits. */
#define EACH ((size_t)32)
#define FEWEST ((size_t)512)
#define MOST ((size_t)1024)

size_t clopt__place_in_stretch(size_t i, size_t count, size_t n)
{
	const uint64_t random = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
	const double at = count == n ? 0 : (double)(random >> 11) * 0x1p-53;

	return clopt__smaller((size_t)(((double)i + at) * (double)n / (double)count), n - 1);
}

static size_t target_of(const struct sample *s, size_t i)
{
	return clopt__place_in_stretch(i, s->count, s->of);
}

/* The sample's rows of an operand, malloc'ed. */
static int gather(struct clopt *ctx, const struct tree_sum *sum, unsigned operand,
                  const struct sample *s, char **rows)
{
	const struct operand *o = &sum->job->operand[operand];
	const size_t row = clopt__operand_row_bytes(o);
	const char *from = o->host;
	char *all = NULL;
	size_t i;
	int rc = CLOPT_OK;

	*rows = malloc(s->count * row);
	if (!*rows)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu targets", s->count);
	if (!from) {
		TRY(clopt__lane_fetch(ctx, sum->lane, sum->array[operand], s->of, row, &all));
		from = all;
	}
	for (i = 0; i < s->count; i++)
		memcpy(*rows + i * row, from + target_of(s, i) * row, row);
out:
	free(all);
	return rc;
}

int clopt__sample_sum(struct clopt *ctx, const struct tree_sum *sum, struct sample *s)
{
	const struct operand *o = sum->job->operand;
	struct array part[5] = { { 0 } };
	const struct array *const array[] = { sum->array[0], &part[1], &part[2], &part[3],
		                              &part[4] };
	char *rows[5] = { NULL };
	unsigned i;
	int rc = CLOPT_OK;

	s->of = sum->job->problem.dim[1];
	s->count = clopt__smaller(s->of, clopt__larger(clopt__smaller(s->of / EACH, MOST), FEWEST));
	for (i = 2; i < 5; i++) {
		const size_t row = clopt__operand_row_bytes(&o[i]);

		if (!row)
			continue;
		TRY(clopt__array_open(ctx, s->count, row, (struct layout){ 0, 0, 1 }, &part[i]));
		if (i == 4)
			continue;
		TRY(gather(ctx, sum, i, s, &rows[i]));
		TRY(clopt__lane_move(ctx, sum->lane, &part[i], 0, rows[i], s->count, row, 0));
	}
	TRY(clopt__pairs_on_device(ctx, sum->lane, sum->job, array, s->count));
	TRY(clopt__lane_fetch(ctx, sum->lane, &part[4], s->count, clopt__operand_row_bytes(&o[4]),
	                      &s->right));
out:
	if (rc != CLOPT_OK)
		rc = clopt__lane_settle(ctx, sum->lane, rc);
	for (i = 0; i < 5; i++) {
		clopt__array_close(&part[i]);
		free(rows[i]);
	}
	return rc;
}

/* A scalar or vector of a result: a potential or a field. */
struct quantity {
	size_t first, count;
};

/* The quantities of a result, by enum clopt_outputs. */
static unsigned quantities(int outputs, struct quantity *q)
{
	const int phi = outputs == CLOPT_OUTPUTS_FIELD_PHI ? 3 : 0;
	unsigned n = 0;

	if (outputs == CLOPT_OUTPUTS_FIELD_PHI || outputs == CLOPT_OUTPUTS_FIELD)
		q[n++] = (struct quantity){ 0, 3 };
	if (outputs != CLOPT_OUTPUTS_FIELD)
		q[n++] = (struct quantity){ (size_t)phi, 1 };
	if (outputs == CLOPT_OUTPUTS_PHI_NORMAL)
		q[n++] = (struct quantity){ 1, 1 };
	return n;
}

/* hypot() does not overflow where squares of doubles would. */
static double length(const double *x, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum = hypot(sum, x[i]);
	return sum;
}

/* The largest component, and the sum of the squares of all x times `unit`. */
struct squares {
	const char *rows;
	size_t columns, column;
	int precision;
	double unit, most[MOST_PARTS], sum[MOST_PARTS];
};

static void add_squares(void *what, unsigned part, size_t first, size_t count)
{
	struct squares *s = what;
	double most = 0, sum = 0;
	size_t i;

	for (i = first; i < first + count; i++) {
		const double x =
		        clopt__number_at(s->precision, s->rows, i * s->columns + s->column);

		if (!isfinite(x))
			continue;
		most = fmax(most, fabs(x));
		sum += x * s->unit * (x * s->unit);
	}
	s->most[part] = most;
	s->sum[part] = sum;
}

#define GRAIN ((size_t)1 << 16)

/* Doubles whose squares are out of range are scaled in a second pass. */
static double root_mean_square(struct squares *s, size_t n)
{
	double most, sum;
	unsigned part, round;

	for (s->unit = 1, round = 0;; s->unit = most > 1 ? 0x1p-600 : 0x1p600, round++) {
		memset(s->most, 0, sizeof s->most);
		memset(s->sum, 0, sizeof s->sum);
		clopt__in_parts(n, GRAIN, add_squares, s);
		for (most = sum = 0, part = 0; part < MOST_PARTS; part++) {
			most = fmax(most, s->most[part]);
			sum += s->sum[part];
		}
		if (round || most == 0 || (most > 1e-140 && most < 1e140))
			return sqrt(sum / (double)n) / s->unit;
	}
}

/* The difference of two numbers.  Infinite if exactly one is NaN. */
static double difference(double got, double right)
{
	const double off = got - right;

	if (got == right || (isnan(got) && isnan(right)))
		return 0;
	return isnan(off) ? (double)INFINITY : off;
}

/* Error of a quantity of the sample's target i. *size: its length in the exact sum. results: of all
 * targets. */
static double far_off(const struct job *job, const struct sample *s, const struct quantity *q,
                      const char *results, size_t i, double *size)
{
	const int precision = clopt__point_precision(&job->problem);
	const size_t row = clopt__operand_row_bytes(&job->operand[4]);
	const char *want = s->right + i * row, *got = results + target_of(s, i) * row;
	double right[3], off[3];
	size_t c;

	for (c = 0; c < q->count; c++) {
		right[c] = clopt__number_at(precision, want, q->first + c);
		off[c] = difference(clopt__number_at(precision, got, q->first + c), right[c]);
	}
	*size = length(right, q->count);
	return length(off, q->count);
}

/* Root mean square of the exact results of all targets, estimated from below: that of all results
 * less the sample's errors.  That of the sample alone is far too large if the sample has one of a
 * few large results. */
static double common_size(const struct job *job, const struct sample *s, const struct quantity *q,
                          const char *results)
{
	struct squares squares = { .rows = results,
		                   .columns = job->operand[4].columns,
		                   .column = q->first,
		                   .precision = clopt__point_precision(&job->problem) };
	double off = 0, size;
	size_t i;

	for (i = 0; i < s->count; i++) {
		const double far = far_off(job, s, q, results, i, &size);

		off = isfinite(far) ? hypot(off, far) : off;
	}
	return fmax(0, root_mean_square(&squares, s->of) - off / sqrt((double)s->count));
}

/* The largest error of each target of the sample, sorted, relative to what the tolerance is
 * relative to. results: of all targets. */
static void errors_of(const struct job *job, const struct sample *s, const char *results,
                      double *error)
{
	struct quantity q[3];
	const unsigned kinds = quantities(job->problem.outputs, q);
	unsigned kind;
	size_t i;

	memset(error, 0, s->count * sizeof *error);
	for (kind = 0; kind < kinds; kind++) {
		const int alone = q[kind].count > 1;
		const double all = alone ? 0 : common_size(job, s, &q[kind], results);

		for (i = 0; i < s->count; i++) {
			double size;
			const double far = far_off(job, s, &q[kind], results, i, &size);

			if (far != 0)
				error[i] = fmax(error[i],
				                isinf(far) ? far : far / (alone ? size : all));
		}
	}
	qsort(error, s->count, sizeof *error, clopt__ascending);
}

/* Bad targets that a sample of this size may show when at most 1 % of all targets are bad, with 95
 * % confidence: from the binomial distribution, for FEWEST to MOST. */
static size_t most_off(size_t count)
{
	const double expected = 0.01 * (double)count;

	return (size_t)(expected - 1.72 * sqrt(expected));
}

/* Where errors differ little, a sample just within the tolerance may stand for targets just outside
 * it. */
#define NEARLY 0.8

int clopt__sample_error(struct clopt *ctx, const struct tree_sum *sum, const struct sample *s,
                        double *shown)
{
	struct clopt_report *r = &ctx->report;
	const struct operand *o = &sum->job->operand[4];
	char *fetched = NULL;
	double error[MOST];
	int rc = CLOPT_OK;

	if (!o->host)
		TRY(clopt__lane_fetch(ctx, sum->lane, sum->array[4], s->of,
		                      clopt__operand_row_bytes(o), &fetched));
	errors_of(sum->job, s, o->host ? o->host : fetched, error);
	r->error_targets = s->count;
	r->error_median = error[s->count / 2];
	r->error_99 = error[(s->count * 99 + 99) / 100 - 1];
	*shown = s->count == s->of ?
	                 r->error_99 :
	                 fmax(error[s->count - 1 - most_off(s->count)], r->error_99 / NEARLY);
out:
	free(fetched);
	return rc;
}
