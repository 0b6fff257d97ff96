/* SPDX-License-Identifier: MIT */
/*
 * kept.c - struct clopt_tree: sources that stay on the device, with their tree, between sums.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "tree.h"

#define POINT_BYTES (4 * sizeof(cl_float))

/* ---- Sources --------------------------------------------------------------------------- */

/* Moved sources that keep their old order cost pairs.  They are sorted anew when a target has
 * MOST_PAIRS times the pairs of a fresh order, or after MOST_MOVES moves. */
#define MOST_PAIRS 1.25
#define MOST_MOVES 16

static void moved(struct clopt_tree *t)
{
	t->tree.built = 0;
	if (++t->moves >= MOST_MOVES)
		t->tree.sorted = 0;
}

static void look_at_weights(struct clopt_tree *t, const float *sources)
{
	const int before = t->mixed;
	size_t i;

	t->charge = 0;
	for (i = 0; i < t->n; i++)
		t->charge += (double)sources[4 * i + 3];
	t->mixed = clopt__tree_mixed(CLOPT_PRECISION_FLOAT, sources, t->n);
	if (t->mixed != before)
		t->how.order = 0;
}

/* One queue runs its commands in order.  Commands of another queue wait for them. */
static int follow(struct clopt *ctx, struct clopt_tree *t, cl_command_queue q)
{
	cl_event done = NULL;
	int rc = CLOPT_OK;

	if (t->q == q)
		return CLOPT_OK;
	if (t->q) {
		TRY_CL(ctx, clEnqueueMarkerWithWaitList(t->q, 0, NULL, &done));
		TRY_CL(ctx, clEnqueueBarrierWithWaitList(q, 1, &done, NULL));
		TRY_CL(ctx, clFlush(t->q));
	}
	TRY_CL(ctx, clRetainCommandQueue(q));
	if (t->q)
		clReleaseCommandQueue(t->q);
	t->q = q;
out:
	if (done)
		clReleaseEvent(done);
	return rc;
}

static int bring(struct clopt_tree *t, const float *sources)
{
	int rc = clopt_buffer_write(t->sources, 0, t->n * POINT_BYTES, sources, NULL);

	/* From here on the pinned memory is the caller's. */
	if (rc == CLOPT_OK)
		rc = clopt_queue_finish(t->ctx, NULL);
	return rc;
}

/* Otherwise a message would name the first call on a buffer. */
static int reachable(const struct clopt *ctx, const char *name)
{
	int rc;

	clopt__doing(clopt__words(name));
	rc = clopt__reachable(ctx);
	clopt__done();
	return rc;
}

int clopt_tree_new(struct clopt *ctx, size_t n, const float *sources, struct clopt_tree **tree)
{
	struct clopt_tree *t;
	int rc;

	if (tree)
		*tree = NULL;
	rc = reachable(ctx, __func__);
	if (rc != CLOPT_OK)
		return rc;
	if (!tree || (n && !sources))
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_tree_new: %s is NULL",
		                   tree ? "sources" : "tree");
	t = calloc(1, sizeof *t);
	if (!t)
		return clopt__fail(ctx, CLOPT_ENOMEM, "clopt_tree_new: no memory for a tree");
	t->ctx = ctx;
	t->n = n;
	rc = clopt_buffer_new(ctx, clopt__times(n, POINT_BYTES), &t->sources);
	if (rc == CLOPT_OK)
		rc = bring(t, sources);
	if (rc != CLOPT_OK) {
		clopt_buffer_free(t->sources);
		free(t);
		return rc;
	}
	look_at_weights(t, sources);
	*tree = t;
	return CLOPT_OK;
}

int clopt_tree_new_buffers(struct clopt *ctx, size_t n, const struct clopt_buffer *sources,
                           const struct clopt_order *order, struct clopt_tree **tree)
{
	const size_t bytes = clopt__times(n, POINT_BYTES);
	struct clopt_event **event = clopt__no_event(order);
	float *host;
	int rc;

	if (tree)
		*tree = NULL;
	rc = reachable(ctx, __func__);
	if (rc != CLOPT_OK)
		return rc;
	if (!tree)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_tree_new_buffers: tree is NULL");
	if (!sources || sources->ctx != ctx || sources->bytes < bytes)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_tree_new_buffers: %zu sources take %zu bytes, their "
		                   "buffer %s",
		                   n, bytes,
		                   !sources            ? "is NULL" :
		                   sources->ctx != ctx ? "belongs to another context" :
		                                         "has fewer");
	host = malloc(bytes ? bytes : 1);
	if (!host)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a copy of %zu sources", n);
	rc = clopt_buffer_read(sources, 0, bytes, host, order);
	if (rc == CLOPT_OK) {
		rc = clopt_tree_new(ctx, n, host, tree);
		/* After a failure there is no event to return. */
		if (rc != CLOPT_OK && event) {
			clopt_event_free(*event);
			*event = NULL;
		}
	}
	free(host);
	return rc;
}

void clopt_tree_free(struct clopt_tree *t)
{
	if (!t || clopt__forked(t->ctx))
		return;
	clopt__caller_hold();
	clopt__caller_drives();
	if (t->q) {
		clopt__finish(t->ctx, t->q, CLOPT_OK);
		clReleaseCommandQueue(t->q);
	}
	clopt__tree_close(&t->tree);
	clopt_buffer_free(t->sources);
	free(t);
	clopt__caller_back();
}

int clopt_tree_move(struct clopt_tree *t, const float *sources)
{
	int rc;

	if (!t || (t->n && !sources))
		return clopt__fail(t ? t->ctx : NULL, CLOPT_EINVAL, "clopt_tree_move: %s is NULL",
		                   t ? "sources" : "tree");
	rc = t->q ? clopt__finish(t->ctx, t->q, CLOPT_OK) : CLOPT_OK;
	if (rc != CLOPT_OK)
		return rc;
	moved(t);
	rc = bring(t, sources);
	if (rc == CLOPT_OK)
		look_at_weights(t, sources);
	return rc;
}

/* The copy follows earlier sums.  A refusal has to come here, or the tree would belong to another
 * queue. */
static int before_copy(struct clopt *ctx, struct clopt_tree *t, const struct clopt_buffer *sources,
                       const struct clopt_order *order)
{
	const size_t bytes = t->n * POINT_BYTES;
	struct clopt_order o = CLOPT_ORDER_INIT;
	int rc;

	TRY(clopt__enter(ctx, clopt__words("clopt_tree_move_buffers")));
	TRY(clopt__sized_read(ctx, "clopt_order", order, &o, sizeof o));
	if (o.queue && o.queue->ctx != ctx)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "order.queue belongs to another context"));
	if (sources->ctx != ctx || sources->bytes < bytes)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%zu sources take %zu bytes, their buffer %s",
		                t->n, bytes,
		                sources->ctx != ctx ? "belongs to another context" : "has fewer"));
	TRY(follow(ctx, t, o.queue ? o.queue->q : ctx->queue[0]));
out:
	return clopt__leave(ctx, rc);
}

int clopt_tree_move_buffers(struct clopt_tree *t, const struct clopt_buffer *sources,
                            const struct clopt_order *order)
{
	int rc;

	clopt__no_event(order);
	if (!t || !sources)
		return clopt__fail(t ? t->ctx : NULL, CLOPT_EINVAL,
		                   "clopt_tree_move_buffers: %s is NULL", t ? "sources" : "tree");
	rc = before_copy(t->ctx, t, sources, order);
	if (rc != CLOPT_OK)
		return rc;
	moved(t);
	return clopt_buffer_copy(sources, 0, t->sources, 0, t->n * POINT_BYTES, order);
}

/* ---- Sums ------------------------------------------------------------------------------ */

static int is_proved(const struct clopt_tree *t, const struct job *job)
{
	const struct clopt_problem *a = &t->proved, *b = &job->problem;
	const struct tolerance *c = &t->proved_for, *d = &job->tree;
	unsigned i;

	for (i = 0; i < MAX_REALS; i++)
		if (t->proved_real[i] < job->real[i] || t->proved_real[i] > job->real[i])
			return 0;
	return t->how.order && a->op == b->op && a->law == b->law && a->outputs == b->outputs &&
	       a->precision == b->precision && a->normals == b->normals && c->order == d->order &&
	       !(c->theta < d->theta || c->theta > d->theta) &&
	       !(c->tolerance < d->tolerance || c->tolerance > d->tolerance);
}

/* shows: the sum measures its own error. */
static struct how how_of(const struct clopt *ctx, const struct clopt_tree *t, const struct job *job,
                         int shows)
{
	struct how how = { 0 };

	if (!(job->tree.tolerance > 0) && !job->tree.order)
		return how;
	how = clopt__tree_how(ctx, job, t->mixed);
	if (!how.order || !is_proved(t, job))
		return how;
	return shows ? t->next : t->how;
}

/* first: how the sum began.  Its theta is smaller at the end if the first one missed the
 * tolerance. */
static void learn(struct clopt_tree *t, const struct tree_sum *sum, const struct how *first)
{
	const struct how before = is_proved(t, sum->job) ? t->how : sum->how;
	const double pairs = (sum->near + sum->far) / (double)sum->job->problem.dim[1];

	t->widest = sum->how.theta < first->theta || (is_proved(t, sum->job) && t->widest);
	t->proved = sum->job->problem;
	t->proved_for = sum->job->tree;
	memcpy(t->proved_real, sum->job->real, sizeof t->proved_real);
	t->how = t->next = sum->how;
	/* The larger theta missed the tolerance; the one before it did not. */
	if (before.theta < first->theta && before.theta > sum->how.theta)
		t->how = t->next = before;
	if (!t->widest)
		t->next.theta = clopt__tree_wider(sum->error, sum->job, &sum->how);
	if (!t->moves)
		t->fresh_pairs = pairs;
	else if (t->fresh_pairs > 0 && pairs > MOST_PAIRS * t->fresh_pairs)
		t->moves = MOST_MOVES - 1;
}

/* Open the arrays of operands that are buffers. own: those of the tree's copies. */
static int open_buffers(struct clopt *ctx, struct tree_sum *sum, struct placed *placed,
                        struct array *array, int *own)
{
	const struct operand *o = sum->job->operand;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < 5; i++) {
		sum->array[i] = i == 2 && o[2].buffer == o[0].buffer ? sum->array[0] : NULL;
		if (sum->array[i] || !o[i].buffer)
			continue;
		TRY(clopt__buffer_array(ctx, placed, &o[i], (struct layout){ 0, 0, 1 }, &array[i],
		                        &own[i]));
		sum->array[i] = &array[i];
	}
out:
	return rc;
}

static int run_on_buffers(struct clopt *ctx, struct tree_sum *sum, struct placed *placed,
                          struct array *array, const int *own)
{
	const struct operand *o = sum->job->operand;
	struct clopt_report *r = &ctx->report;
	int rc = CLOPT_OK;

	if (own[2] || own[3] || own[4])
		placed->wanted = &placed->event;
	TRY(clopt__tree_once(ctx, sum));
	if (own[4])
		TRY(clopt__buffer_array_back(ctx, placed, &o[4], &array[4], &placed->event));
	r->tree_order = sum->how.order;
	r->tree_theta = sum->how.theta;
	r->bands = r->queues = r->sum_parts = 1;
	r->tree_seconds = 0; /* nobody waited for it */
	r->variant = sum->tree->sum.row->name;
out:
	return rc;
}

/* Make the cells before waiting for the caller's events: if one of them failed, the sum is lost but
 * the tree is whole. */
static int wait_first(struct clopt *ctx, struct placed *p)
{
	int rc = CLOPT_OK;

	if (p->wait.count)
		TRY_CL(ctx, clEnqueueBarrierWithWaitList(p->q, p->wait.count, p->wait.list,
		                                         clopt__placed_first(p)));
	p->wait.count = 0;
out:
	return rc;
}

/* On host arrays.  Over all pairs where the tree does not fit. */
static int run_on_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array)
{
	const int rc = clopt__tree_on_arrays(ctx, sum, array);
	unsigned i;

	if (rc != CLOPT_ENOMEM || !sum->how.order)
		return rc;
	clopt__tree_left(ctx);
	clopt__lane_settle(ctx, sum->lane, rc);
	clopt__tree_close(sum->tree);
	sum->how.order = 0;
	for (i = 2; i < 5; i++)
		if (sum->brought >> i & 1)
			clopt__array_close(&array[i]);
	return clopt__tree_on_arrays(ctx, sum, array);
}

int clopt__run_kept(struct clopt *ctx, const struct job *job, struct placed *placed)
{
	struct clopt_tree *t = (struct clopt_tree *)job->what;
	const struct lane lane = { .q = placed ? placed->q : ctx->queue[0], .placed = placed };
	struct tree_sum sum = {
		.job = job, .lane = &lane, .tree = &t->tree, .how = how_of(ctx, t, job, !placed)
	};
	const struct how first = sum.how;
	struct array array[5] = { { 0 } };
	int own[5] = { 0 }, rc = CLOPT_OK;
	unsigned i;

	TRY(follow(ctx, t, lane.q));
	if (placed && sum.how.order) {
		rc = clopt__tree_room(ctx, &sum);
		if (rc == CLOPT_ENOMEM) {
			clopt__tree_left(ctx);
			clopt__tree_close(&t->tree);
			sum.how.order = 0;
			rc = CLOPT_OK;
		}
		TRY(rc);
	}
	if (placed && !sum.how.order) {
		TRY(clopt__enqueue_job(ctx, job, placed));
		return rc;
	}
	TRY(open_buffers(ctx, &sum, placed, array, own));
	if (placed) {
		TRY(clopt__tree_arrays(ctx, &sum, array));
		if (!t->tree.built)
			TRY(wait_first(ctx, placed));
	}
	rc = placed ? run_on_buffers(ctx, &sum, placed, array, own) :
	              run_on_arrays(ctx, &sum, array);
	if (t->sorts != t->tree.sorts) {
		t->sorts = t->tree.sorts;
		t->moves = 0;
	}
	if (!placed && sum.how.order && (rc == CLOPT_OK || rc == CLOPT_EWRONG))
		learn(t, &sum, &first);
out:
	if (rc != CLOPT_OK && rc != CLOPT_EWRONG)
		t->tree.built = t->tree.sorted = 0;
	if (rc != CLOPT_OK)
		rc = clopt__lane_settle(ctx, &lane, rc);
	for (i = 0; i < 5; i++) {
		if (own[i])
			clopt__keep(ctx, lane.q, placed->event, &array[i]);
		else if (!job->operand[i].buffer)
			clopt__array_close(&array[i]);
	}
	return rc;
}
