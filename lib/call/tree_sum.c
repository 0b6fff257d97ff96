/* SPDX-License-Identifier: MIT */
/*
 * tree_sum.c - a sum over pairs with a tolerance: by a tree, if that pays, and with the error that was found.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "call.h"

/* ---- How: the order and theta of a tolerance, and what they cost ----------------------- */

/* About twice the 99th percentile of the error at theta 0.5 (docs/tree.md), since a sample has to show
 * that the tolerance is kept.  The error goes with theta^(order + 3), roughly. */
static const double error_at_half[] = {
	[2] = 7e-3, [3] = 2.2e-3, [4] = 7e-4, [5] = 3.5e-4, [6] = 1.8e-4
};
#define LEAST_THETA 0.15
#define MOST_THETA 0.8

static double theta_of(double tolerance, unsigned order)
{
	const double theta = 0.5 * pow(tolerance / error_at_half[order], 1.0 / (order + 3));

	return fmin(fmax(theta, LEAST_THETA), MOST_THETA);
}

/* Pairs that take as long as a cell's multipoles, by order; walking to the cell is in it. */
static const double multipole_pairs[] = { [2] = 9, [3] = 12, [4] = 18 };
/* How much longer a pair takes than one of a sum over all pairs, where cells have proxies and ranges are short;
 * pairs that take as long as a source in the building and the check. */
static const double slower[] = { [2] = 1.6, [3] = 1.4, [4] = 1.2, [5] = 1.15, [6] = 1.15 };
#define BUILDING 1500.0

/*
 * Pairs a target, roughly: a group is near to LEAVES (0.6 / theta)^2.5 leaves, and takes about as many cells
 * from each level above these.  Counted for Plummer's model and a ball.
 */
#define LEAVES 110.0
static double pairs_of(const struct clopt_problem *p, unsigned order, double theta)
{
	const int multipoles = clopt__tree_multipoles(p->law, order);
	const double n = (double)p->dim[0], leaf = (double)clopt__tree_leaf(order, multipoles);
	const double far = multipoles ? multipole_pairs[order] :
	                                slower[order] * (double)clopt__tree_proxies(order);
	const double near = LEAVES * pow(0.6 / theta, 2.5), leaves = ceil(n / leaf);
	const double levels = log2(leaves / near) - 1.2;

	if (leaves <= near)
		return n;
	return near * ((multipoles ? 1 : slower[order]) * leaf + (levels > 0 ? levels : 0) * far);
}

struct how {
	unsigned order; /* 0: all pairs */
	double theta;
};

/* Where charges of both signs cancel, errors are larger beside what is left. */
#define CANCELLING 10.0
#define MIXED 0.02

static double tolerance_of(const struct job *job)
{
	const struct operand *sources = &job->operand[0];
	const int precision = clopt__point_precision(&job->problem);
	double sum[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < sources->rows; i++) {
		const double w = clopt__number_at(precision, sources->host, i * sources->ld + 3);

		sum[w < 0] += fabs(w);
	}
	return job->tree.tolerance /
	       (fmin(sum[0], sum[1]) > MIXED * (sum[0] + sum[1]) ? CANCELLING : 1);
}

static struct how choose_how(const struct job *job)
{
	const size_t n = job->problem.dim[0];
	const double tolerance = tolerance_of(job);
	double least = (double)n * (double)job->problem.dim[1];
	struct how how = { 0, 0 };
	unsigned order;

	for (order = TREE_LEAST_ORDER; order <= TREE_MOST_ORDER; order++) {
		const double theta =
		        job->tree.theta > 0 ? job->tree.theta : theta_of(tolerance, order);
		const double pairs =
		        pairs_of(&job->problem, order, theta) * (double)job->problem.dim[1] +
		        BUILDING * (double)n;
		const int wanted = job->tree.order == order;

		if (wanted || (!job->tree.order && pairs < least)) {
			least = pairs;
			how.order = order;
			how.theta = theta;
		}
	}
	return how;
}

/* What a tree cannot do, all pairs can. */
static int can(const struct job *job)
{
	const struct clopt_problem *p = &job->problem;

	return !p->depths && p->outputs != CLOPT_OUTPUTS_JERK &&
	       p->precision != CLOPT_PRECISION_DOUBLE_SINGLE;
}

/* ---- The error of some targets --------------------------------------------------------- */

/* One of so many targets, within limits. */
#define EACH ((size_t)32)
#define FEWEST ((size_t)512)
#define MOST ((size_t)2048)

struct sample {
	size_t count, of; /* of the targets */
	char *targets;
	float *normals;
	char *right; /* results */
};

/* Target number i of the sample: one of each equal stretch, at a place that looks random. */
static size_t target_of(const struct sample *s, size_t i)
{
	const uint64_t random = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
	const double at = s->count == s->of ? 0 : (double)(random >> 11) * 0x1p-53;

	return clopt__smaller((size_t)(((double)i + at) * (double)s->of / (double)s->count),
	                      s->of - 1);
}

static size_t row_bytes(const struct operand *o)
{
	return o->columns * o->elem_bytes;
}

static const char *row_of(const struct operand *o, size_t i)
{
	return (const char *)o->host + i * o->ld * o->elem_bytes;
}

/* Sum the sample's targets over all sources. */
static int sum_sample(struct clopt *ctx, const struct job *job, struct sample *s)
{
	const struct operand *o = job->operand;
	const size_t point = row_bytes(&o[2]), result = row_bytes(&o[4]);
	struct job all = *job;
	size_t i;
	int rc = CLOPT_OK;

	s->of = job->problem.dim[1];
	s->count = clopt__smaller(s->of, clopt__larger(clopt__smaller(s->of / EACH, MOST), FEWEST));
	s->targets = malloc(s->count * point);
	s->right = malloc(s->count * result);
	s->normals = malloc(s->count * 4 * sizeof *s->normals);
	if (!s->targets || !s->right || !s->normals)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu targets", s->count);
	for (i = 0; i < s->count; i++) {
		memcpy(s->targets + i * point, row_of(&o[2], target_of(s, i)), point);
		if (job->problem.normals)
			memcpy(s->normals + 4 * i, row_of(&o[3], target_of(s, i)),
			       4 * sizeof *s->normals);
	}
	memset(&all.tree, 0, sizeof all.tree);
	all.problem.dim[1] = s->count;
	all.operand[2].host = s->targets;
	all.operand[3].host = s->normals;
	all.operand[4].host = s->right;
	all.operand[4].use = OPERAND_OUT;
	for (i = 2; i < 5; i++) {
		clopt__problem_operand(&all.problem, (unsigned)i, &all.operand[i]);
		all.operand[i].ld = all.operand[i].columns ? all.operand[i].columns : 1;
	}
	TRY(clopt__run_job(ctx, &all));
out:
	return rc;
}

static void sample_close(struct sample *s)
{
	free(s->targets);
	free(s->right);
	free(s->normals);
}

/* The numbers of a result that are one: a potential, or a field. */
struct quantity {
	size_t first, count;
};

/* What results consist of, by enum clopt_outputs. */
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

static double length(const double *x, size_t n)
{
	double square = 0;
	size_t i;

	for (i = 0; i < n; i++)
		square += x[i] * x[i];
	return sqrt(square);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The difference of two numbers; infinite if one alone is a number. */
static double difference(double got, double right)
{
	const double off = got - right;

	if (got == right || (isnan(got) && isnan(right)))
		return 0;
	return isnan(off) ? (double)INFINITY : off;
}

/* The largest error of each target of the sample, sorted, in the terms of the tolerance. */
static void errors_of(const struct job *job, const struct sample *s, double *error)
{
	const int precision = clopt__point_precision(&job->problem);
	struct quantity q[3];
	const unsigned kinds = quantities(job->problem.outputs, q);
	unsigned kind;
	size_t i, c;

	memset(error, 0, s->count * sizeof *error);
	for (kind = 0; kind < kinds; kind++) {
		double square = 0;

		for (i = 0; i < s->count; i++) {
			const double x = clopt__number_at(
			        precision, s->right + i * row_bytes(&job->operand[4]),
			        q[kind].first);

			square += isfinite(x) ? x * x : 0;
		}
		for (i = 0; i < s->count; i++) {
			const char *want = s->right + i * row_bytes(&job->operand[4]);
			const char *got = row_of(&job->operand[4], target_of(s, i));
			double right[3], off[3], size, far;

			for (c = 0; c < q[kind].count; c++) {
				right[c] = clopt__number_at(precision, want, q[kind].first + c);
				off[c] = difference(
				        clopt__number_at(precision, got, q[kind].first + c),
				        right[c]);
			}
			size = q[kind].count == 1 ? sqrt(square / (double)s->count) :
			                            length(right, q[kind].count);
			far = length(off, q[kind].count);
			if (far != 0)
				error[i] = fmax(error[i], isinf(far) ? far : far / size);
		}
	}
	qsort(error, s->count, sizeof *error, ascending);
}

/* If 1 of 100 targets were off by more, a sample would show fewer than so many of these with a chance of 5 %. */
static size_t most_off(size_t count)
{
	const double expected = 0.01 * (double)count;

	return (size_t)(expected - 1.65 * sqrt(expected));
}

/* Returns an error which, if it is within the tolerance, shows that the tolerance is kept. */
static double tell_errors(struct clopt *ctx, const struct job *job, const struct sample *s)
{
	struct clopt_report *r = &ctx->report;
	double error[MOST];

	errors_of(job, s, error);
	r->error_targets = s->count;
	r->error_median = error[s->count / 2];
	r->error_99 = error[(s->count * 99 + 99) / 100 - 1];
	return s->count == s->of ? r->error_99 : error[s->count - 1 - most_off(s->count)];
}

/* ---- The sum ---------------------------------------------------------------------------- */

struct sum {
	const struct job *job;
	struct stepper s; /* its queue */
	struct tree tree;
	struct array array[5]; /* of the operands */
	const struct array *arrays[5];
	double near, far; /* pairs of all targets */
};

static int is_same(const struct operand *a, const struct operand *b)
{
	return a->host == b->host && a->ld == b->ld;
}

static int bring(struct clopt *ctx, struct sum *sum, unsigned i, int down)
{
	const struct operand *o = &sum->job->operand[i];

	return clopt__stepper_move(ctx, &sum->s, &sum->array[i], 0, o->host, o->rows, row_bytes(o),
	                           down);
}

static int open_sum(struct clopt *ctx, struct sum *sum, unsigned order)
{
	const struct job *job = sum->job;
	const struct operand *o = job->operand;
	const int own = !is_same(&o[0], &o[2]) || job->problem.dim[0] != job->problem.dim[1];
	size_t bytes = 0;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < 5; i++)
		bytes += o[i].rows * row_bytes(&o[i]);
	TRY(clopt__tree_open(ctx, &sum->s, &job->problem, order, own, bytes, &sum->tree));
	for (i = 0; i < 5; i++) {
		sum->arrays[i] = &sum->array[i];
		if (i == 1 || !o[i].columns)
			continue;
		if (i == 2 && !own) {
			sum->arrays[2] = &sum->array[0];
			continue;
		}
		TRY(clopt__array_open(ctx, o[i].rows, row_bytes(&o[i]), (struct layout){ 0, 0, 1 },
		                      &sum->array[i]));
		if (i < 4)
			TRY(bring(ctx, sum, i, 0));
	}
out:
	return rc;
}

/* Bands of targets, so that a long call can be cancelled, each about SECONDS at least. */
#define SECONDS 0.05
static int sum_bands(struct clopt *ctx, struct sum *sum, double theta)
{
	const size_t n = sum->job->problem.dim[1], grain = clopt__tree_grain(&sum->tree);
	size_t band = 8 * grain * ctx->device.info.compute_units, first, count;
	int rc = CLOPT_OK;

	for (first = 0; first < n; first += count) {
		const double begin = clopt__now();

		count = clopt__smaller(band, n - first);
		TRY(clopt__tree_sum(ctx, &sum->s, &sum->tree, sum->job->real, theta, sum->arrays,
		                    first, count));
		TRY(clopt__stepper_settle(ctx, &sum->s, CLOPT_OK));
		TRY(clopt__go_on(ctx, (double)(first + count) / (double)n));
		if (clopt__now() - begin < SECONDS)
			band *= 2;
	}
out:
	return rc;
}

/* What targets were summed over, on average. */
static int tell_pairs(struct clopt *ctx, struct sum *sum)
{
	const size_t n = sum->job->problem.dim[1], grain = clopt__tree_grain(&sum->tree);
	const size_t groups = (n + grain - 1) / grain;
	cl_uint(*pairs)[2] = malloc(groups * sizeof *pairs);
	double near = 0, far = 0;
	size_t i;
	int rc = CLOPT_OK;

	if (!pairs)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the pairs of %zu groups",
		                   groups);
	TRY(clopt__stepper_move(ctx, &sum->s, &sum->tree.pairs, 0, pairs, groups, sizeof *pairs,
	                        1));
	TRY(clopt__stepper_settle(ctx, &sum->s, CLOPT_OK));
	for (i = 0; i < groups; i++) {
		const double targets = (double)clopt__smaller(grain, n - i * grain);

		near += targets * pairs[i][0];
		far += targets * pairs[i][1];
	}
	ctx->report.near_pairs = near / (double)n;
	ctx->report.far_pairs = far / (double)n;
out:
	free(pairs);
	return rc;
}

/* Whether the result is within the tolerance; if not, a smaller theta that may do. */
#define TRIES 3
static int is_within(double error, const struct job *job, struct how *how)
{
	const double tolerance = job->tree.tolerance;
	const double by = pow(0.7 * tolerance / error, 1.0 / (how->order + 3));

	if (!(tolerance > 0) || error <= tolerance)
		return 1;
	how->theta *= by > 0.5 && by < 0.9 ? by : by <= 0.5 ? 0.5 : 0.9;
	return 0;
}

static int run_tree(struct clopt *ctx, struct sum *sum, struct how how)
{
	const struct job *job = sum->job;
	struct sample sample = { 0 };
	struct clopt_report *r = &ctx->report;
	const double begin = clopt__now();
	int tries, within = 0, rc = CLOPT_OK;

	TRY(clopt__tree_build(ctx, &sum->s, &sum->tree, sum->arrays[0], sum->arrays[2]));
	TRY(clopt__stepper_settle(ctx, &sum->s, CLOPT_OK));
	r->tree_seconds = clopt__now() - begin;
	for (tries = 0; tries < TRIES && !within; tries++) {
		r->tree_order = how.order;
		r->tree_theta = how.theta;
		TRY(sum_bands(ctx, sum, how.theta));
		TRY(tell_pairs(ctx, sum));
		TRY(bring(ctx, sum, 4, 1));
		TRY(clopt__stepper_settle(ctx, &sum->s, CLOPT_OK));
		if (!tries)
			TRY(sum_sample(ctx, job, &sample));
		within = is_within(tell_errors(ctx, job, &sample), job, &how);
	}
	/* In doubt that is what the sample says. */
	if (!within && r->error_99 > job->tree.tolerance)
		rc = clopt__fail(
		        ctx, CLOPT_EWRONG,
		        "the tolerance %g was not reached: with theta %.3g and order %u the 99th "
		        "percentile of the error of %zu targets is %.2g",
		        job->tree.tolerance, r->tree_theta, r->tree_order, r->error_targets,
		        r->error_99);
out:
	sample_close(&sample);
	return rc;
}

static int all_pairs(struct clopt *ctx, const struct job *job)
{
	struct job all = *job;

	/* What a tree that failed has told. */
	ctx->report.tree_order = 0;
	ctx->report.tree_theta = ctx->report.tree_seconds = 0;
	ctx->report.near_pairs = ctx->report.far_pairs = 0;
	ctx->report.error_targets = 0;
	ctx->report.error_median = ctx->report.error_99 = 0;
	memset(&all.tree, 0, sizeof all.tree);
	return clopt__run_job(ctx, &all);
}

int clopt__run_within(struct clopt *ctx, const struct job *job)
{
	struct sum sum = { .job = job, .s = { .q = ctx->queue[0] } };
	const int asked = job->tree.tolerance > 0 || job->tree.order;
	const struct how how = asked && can(job) ? choose_how(job) : (struct how){ 0, 0 };
	unsigned i;
	int rc = CLOPT_OK;

	if (!how.order)
		return all_pairs(ctx, job);
	rc = open_sum(ctx, &sum, how.order);
	if (rc == CLOPT_OK)
		rc = run_tree(ctx, &sum, how);
	if (rc != CLOPT_OK)
		rc = clopt__stepper_settle(ctx, &sum.s, rc);
	else
		ctx->report.variant = sum.tree.sum.row->name;
	clopt__tree_close(&sum.tree);
	for (i = 0; i < 5; i++)
		clopt__array_close(&sum.array[i]);
	/* Sources that do not fit at once go in parts. */
	return rc == CLOPT_ENOMEM ? all_pairs(ctx, job) : rc;
}
