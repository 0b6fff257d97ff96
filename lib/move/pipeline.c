/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c - runs a workload, block after block, over several in-order queues.
 *
 * Block i uses queue i % lanes: up, kernel, down.  Each operand has a ring of slots.  A block that
 * needs another part of the operand takes the next slot, and its transfer up waits for the last
 * users of the slot.  A command waits for the events of commands in other queues; within a queue
 * the order suffices.  Block i + 1 starts its transfers up before the kernel of block i is queued,
 * so that staging threads have time.
 *
 * If several contexts share the workload, each runs this over the blocks that it claims.
 *
 * Success and failure end in the same code, and nothing is copied after it.
 */
#include <stdlib.h>
#include <string.h>

#include "move.h"

/* Most commands in flight, counted by events or by blocks of a few commands: drivers keep about a
 * kilobyte for each. */
#define MOST_COMMANDS 4096
#define MOST_BLOCKS (MOST_COMMANDS / 4)

/* A device array, the part of the operand in it, and the commands that used it. */
struct slot {
	struct array array;
	struct extent holds;
	cl_event written; /* of the last transfer up or kernel, on queue `writer` */
	unsigned writer;
	cl_event used[MAX_QUEUES]; /* of the last command of each queue that reads the array */
	struct staged up, down; /* transfers by staging threads */
	int going_up, going_down; /* begun, and not ended */
};

struct ring {
	struct slot *slot; /* as many as there are slots */
	unsigned slots, now; /* the slot of the latest block */
	int filled;
};

struct stream {
	struct clopt *ctx;
	const struct workload *w;
	struct cut p;
	struct ring ring[MAX_ARRAYS];
	struct through through; /* small arrays, if there is a single block */
	int single; /* a single block, and no other context */
	int events; /* whether commands have events */
	unsigned staged, in_place; /* operands, one bit each */
	struct block block[2]; /* this block and the next */
	struct slot *use[2][MAX_ARRAYS]; /* their slots */
	size_t bands; /* number of blocks so far; parts of a sum count as one */
	double part; /* fraction of the workload in them */
	cl_event ended[MAX_QUEUES]; /* kernels of the last blocks; owned by the log */
};

/* Add the events that a command on queue q waits for before it reads or writes the slot. */
static void add_waits(const struct slot *t, unsigned q, int writes, cl_event *list, cl_uint *n)
{
	unsigned i;

	if (t->written && t->writer != q)
		list[(*n)++] = t->written;
	for (i = 0; writes && i < MAX_QUEUES; i++)
		if (t->used[i] && i != q)
			list[(*n)++] = t->used[i];
}

static void was_written(struct slot *t, unsigned q, cl_event event)
{
	t->written = event;
	t->writer = q;
	memset(t->used, 0, sizeof t->used);
}

/* An event after the commands that staging threads have queued. */
static int marker(struct stream *s, unsigned q, cl_event *event)
{
	int rc = CLOPT_OK;

	*event = NULL;
	if (s->p.lanes > 1) {
		TRY_CL(s->ctx, clEnqueueMarkerWithWaitList(s->ctx->queue[q], 0, NULL, event));
		TRY(clopt__log_add(s->ctx, COMMAND_MARK, q, 0, "", *event));
	}
out:
	return rc;
}

/* Flush the queue.  A single block does without: the end of the call flushes. */
static int send(const struct stream *s, unsigned q)
{
	return s->single ? CLOPT_OK : clopt__code(s->ctx, clFlush(s->ctx->queue[q]), "clFlush");
}

/* Queue one transfer of the slot in queue q. */
static int queue_transfer(struct stream *s, struct slot *t, const struct transfer *move,
                          size_t bytes, unsigned q, struct waits wait)
{
	struct clopt *ctx = s->ctx;
	const char *call;
	cl_event event = NULL;
	cl_int code;
	int rc = CLOPT_OK;

	code = clopt__copy(ctx->queue[q], move, CL_FALSE, wait, s->events ? &event : NULL, &call);
	TRY_CODE(ctx, code, call);
	TRY(clopt__log_add(ctx, move->down ? COMMAND_DOWN : COMMAND_UP, q, bytes, "", event));
	if (move->down)
		t->used[q] = event;
	else
		was_written(t, q, event);
out:
	return rc;
}

/* The same through pinned memory: the device begins while the rest is copied. */
static int queue_through(struct stream *s, unsigned i, struct slot *t, const struct transfer *whole,
                         size_t bytes, unsigned q)
{
	struct transfer line;
	size_t done = 0, sent;
	int rc = CLOPT_OK;

	while ((sent = clopt__through(&s->through, i, whole, &done, &line))) {
		bytes -= sent;
		TRY(queue_transfer(s, t, &line, sent, q, (struct waits){ 0, NULL }));
		if (bytes)
			TRY_CL(s->ctx, clFlush(s->ctx->queue[q]));
	}
out:
	return rc;
}

/* Start the transfer of the slot's part of operand i, by threads or by commands. */
static int begin_transfer(struct stream *s, unsigned i, struct slot *t, int down, unsigned q)
{
	struct clopt *ctx = s->ctx;
	struct staged *b = down ? &t->down : &t->up;
	size_t bytes;
	int rc = CLOPT_OK;

	b->transfer = clopt__array_transfer(&t->array, &s->w->operand[i], &t->holds, down);
	if (!b->transfer.rows)
		return CLOPT_OK;
	b->waits = 0;
	add_waits(t, q, !down, b->wait, &b->waits);
	bytes = b->transfer.rows * b->transfer.row_bytes;
	*(down ? &ctx->report.down_bytes : &ctx->report.up_bytes) += bytes;
	if (!down)
		t->going_up = 1;
	if (s->staged >> i & 1) {
		b->q = ctx->queue[q];
		b->queue = q;
		b->logged = s->events;
		clopt__staged_begin(ctx, b);
		t->going_down = down;
		ctx->report.staged_bytes += bytes;
		return CLOPT_OK;
	}
	if (s->through.at[i])
		TRY(queue_through(s, i, t, &b->transfer, bytes, q));
	else
		TRY(queue_transfer(s, t, &b->transfer, bytes, q,
		                   (struct waits){ b->waits, b->wait }));
	TRY(send(s, q));
out:
	return rc;
}

/* Complete the transfer up in queue q, images included. */
static int end_up(struct stream *s, unsigned i, struct slot *t, unsigned q)
{
	struct clopt *ctx = s->ctx;
	cl_event event = NULL;
	int rc = CLOPT_OK;

	if (!t->going_up)
		return CLOPT_OK;
	if (s->staged >> i & 1) {
		TRY(clopt__staged_wait(ctx, &t->up, STAGED_QUEUED));
		TRY(marker(s, q, &event));
		was_written(t, q, event);
	}
	t->going_up = 0;
	event = NULL;
	TRY(clopt__array_fill(ctx, ctx->queue[q], &t->array, t->holds.count[0],
	                      s->events ? &event : NULL));
	if (event) { /* without events nothing waits for it */
		TRY(clopt__log_add(ctx, COMMAND_COPY, q, 0, "", event));
		was_written(t, q, event);
	}
out:
	return rc;
}

/* Wait until threads have copied the slot into the caller's memory. */
static int end_down(struct stream *s, struct slot *t)
{
	const int going = t->going_down;

	t->going_down = 0;
	return going ? clopt__staged_wait(s->ctx, &t->down, STAGED_DONE) : CLOPT_OK;
}

static size_t blocks(const struct stream *s)
{
	return s->p.blocks[0] * s->p.blocks[1] * s->p.blocks[2];
}

/* Set the block's part along size d, from `first` on. */
static void set_part(const struct stream *s, unsigned d, size_t first, struct block *b)
{
	const size_t step = s->p.step[d], less = d == s->w->sum && !first ? s->w->rest : 0;

	b->first[d] = first;
	b->count[d] = step < s->w->dim[d] ? clopt__smaller(s->w->dim[d] - first, step - less) :
	                                    s->w->dim[d];
}

/* Whether the block after this one adds to the same results. */
static int next_block_adds(const struct stream *s, const struct block *b)
{
	const unsigned d = s->w->sum;

	return d != NO_DIM && b->first[d] + b->count[d] < s->w->dim[d];
}

/* Fill in block `index`, which follows s->block[(index - 1) % 2].  The order: the parts of a sum,
 * then bands, then strips.  *none: there is no such block. */
static int next_block(struct stream *s, size_t index, int *none)
{
	const struct workload *w = s->w;
	const struct block *before = &s->block[(index + 1) % 2];
	struct block *b = &s->block[index % 2];
	const size_t *n = s->p.blocks;
	size_t band = s->bands;
	double part = 1;
	unsigned i;
	int rc = CLOPT_OK;

	*none = 0;
	if (index && next_block_adds(s, before)) {
		*b = *before;
		set_part(s, w->sum, before->first[w->sum] + before->count[w->sum], b);
		return CLOPT_OK;
	}
	*b = (struct block){ { 0, 0, 0 }, { w->dim[0], w->dim[1], w->dim[2] } };
	if (w->sum != NO_DIM)
		set_part(s, w->sum, 0, b);
	if (w->sharers) {
		TRY(w->sharers->take(s->ctx, w, &s->p, b, none));
	} else if (w->sum == NO_DIM ? band == blocks(s) : band == blocks(s) / n[w->sum]) {
		*none = 1;
	} else {
		for (i = 0; i < 2 && w->cut[i] != NO_DIM; i++) {
			set_part(s, w->cut[i], band % n[w->cut[i]] * s->p.step[w->cut[i]], b);
			band /= n[w->cut[i]];
		}
	}
	for (i = 0; i < 2 && w->cut[i] != NO_DIM && !*none; i++)
		part *= (double)b->count[w->cut[i]] / (double)clopt__larger(w->dim[w->cut[i]], 1);
	s->part += *none ? 0 : part;
	s->bands += !*none;
out:
	return rc;
}

static int same(const struct extent *a, const struct extent *b)
{
	return !memcmp(a, b, sizeof *a);
}

/* Choose the slots of block `index`, and start its transfers up. */
static int prepare(struct stream *s, size_t index)
{
	const struct block b = s->block[index % 2];
	const unsigned q = (unsigned)(index % s->p.lanes);
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < s->w->operands; i++) {
		struct ring *r = &s->ring[i];
		const struct extent e = clopt__extent(&s->w->operand[i], &b);
		struct slot *t = &r->slot[r->now];

		if (!r->filled || !same(&t->holds, &e)) {
			r->now = r->filled ? (r->now + 1) % r->slots : 0;
			r->filled = 1;
			t = &r->slot[r->now];
			TRY(end_down(s, t));
			t->holds = e;
			if ((s->w->operand[i].use & OPERAND_IN) && !(s->in_place >> i & 1))
				TRY(begin_transfer(s, i, t, 0, q));
		}
		s->use[index % 2][i] = t;
	}
out:
	return rc;
}

/* Number of blocks in flight before a wait for the first of them.  A cancelled call ends after
 * them. */
static unsigned ahead(const struct stream *s)
{
	return s->p.lanes > 1 ? s->p.lanes : 2;
}

/* Before block `index': wait for an earlier one, call progress, and fail if the call is
 * cancelled. */
static int go_on(struct stream *s, size_t index)
{
	cl_event *before = &s->ended[index % ahead(s)];
	int rc = CLOPT_OK;

	if (*before)
		TRY_CL(s->ctx, clWaitForEvents(1, before));
	*before = NULL;
	if (s->w->sharers && s->w->sharers->stopped(s->w->share))
		TRY(clopt__fail(s->ctx, CLOPT_ECANCELED, "the call was cancelled"));
	TRY(clopt__go_on(s->ctx, s->w->sharers ? s->w->sharers->done(s->w->share) :
	                                         (double)index / (double)blocks(s)));
out:
	return rc;
}

static int compute(struct stream *s, size_t index)
{
	const struct block b = s->block[index % 2];
	const unsigned q = (unsigned)(index % s->p.lanes);
	const struct array *arrays[MAX_ARRAYS];
	struct array part[MAX_ARRAYS]; /* of arrays in place */
	struct slot **use = s->use[index % 2];
	cl_event list[MAX_ARRAYS * (MAX_QUEUES + 1)], event = NULL;
	struct waits wait = { 0, list };
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < s->w->operands; i++) {
		TRY(end_up(s, i, use[i], q));
		add_waits(use[i], q, s->w->operand[i].use != OPERAND_IN, list, &wait.count);
		arrays[i] = &use[i]->array;
		if (s->in_place >> i & 1) {
			part[i] = use[i]->array;
			part[i].offset_bytes +=
			        use[i]->holds.first[0] * part[i].pitch_bytes +
			        use[i]->holds.first[1] * s->w->operand[i].elem_bytes;
			arrays[i] = &part[i];
		}
	}
	TRY(s->w->launch(s->ctx, s->ctx->queue[q], s->w, &b, arrays, wait,
	                 s->events ? &event : NULL));
	TRY(clopt__log_add(s->ctx, COMMAND_KERNEL, q, 0, s->w->name, event));
	for (i = 0; i < s->w->operands; i++)
		if (s->w->operand[i].use & OPERAND_OUT)
			was_written(use[i], q, event);
		else
			use[i]->used[q] = event;
	s->ended[index % ahead(s)] = event;
	TRY(send(s, q));
out:
	return rc;
}

static int bring_back(struct stream *s, size_t index)
{
	const unsigned q = (unsigned)(index % s->p.lanes);
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < s->w->operands; i++)
		if ((s->w->operand[i].use & OPERAND_OUT) && !(s->in_place >> i & 1) &&
		    !next_block_adds(s, &s->block[index % 2]))
			TRY(begin_transfer(s, i, s->use[index % 2][i], 1, q));
out:
	return rc;
}

/* Make results in place visible to the caller.  One queue computed them. */
static int show_in_place(struct stream *s)
{
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < s->w->operands && !s->w->unmapped; i++)
		if ((s->w->operand[i].use & OPERAND_OUT) && (s->in_place >> i & 1))
			TRY(clopt__array_sync(s->ctx, s->ctx->queue[0], &s->ring[i].slot[0].array));
out:
	return rc;
}

/* Wait for all commands, log their times, release their events.  rc: an earlier failure; then
 * threads skip slices that they have not begun. */
static int drain(struct stream *s, int rc)
{
	const int failed = rc != CLOPT_OK;
	unsigned i, j;

	for (i = 0; i < s->w->operands; i++)
		for (j = 0; j < s->ring[i].slots; j++) {
			struct slot *t = &s->ring[i].slot[j];
			int code = CLOPT_OK;

			if (t->going_up && (s->staged >> i & 1))
				code = clopt__staged_wait(s->ctx, &t->up,
				                          failed ? STAGED_CANCEL : STAGED_DONE);
			rc = rc == CLOPT_OK ? code : rc;
			if (t->going_down)
				code = clopt__staged_wait(s->ctx, &t->down,
				                          rc != CLOPT_OK ? STAGED_CANCEL :
				                                           STAGED_DONE);
			rc = rc == CLOPT_OK ? code : rc;
			t->going_down = 0;
			t->written = NULL;
			memset(t->used, 0, sizeof t->used);
		}
	memset(s->ended, 0, sizeof s->ended);
	for (i = 0; i < s->p.lanes; i++)
		rc = clopt__finish(s->ctx, s->ctx->queue[i], rc);
	return clopt__log_settle(s->ctx, rc);
}

unsigned clopt__staged_operands(struct clopt *ctx, const struct workload *w, const struct cut *p)
{
	unsigned i, staged = 0;

	for (i = 0; i < w->operands && !p->in_place; i++) {
		const struct operand *o = &w->operand[i];

		if (o->rows && o->columns && (o->use & OPERAND_MOVED) &&
		    !clopt__is_pinned(ctx, o->host, clopt__operand_span(o)) &&
		    clopt__stages(ctx, clopt__operand_bytes(o), !(o->use & OPERAND_IN), !w->dry))
			staged |= 1u << i;
	}
	return staged;
}

static int open_ring(struct stream *s, unsigned i)
{
	const struct operand *o = &s->w->operand[i];
	const size_t *step = s->p.step;
	struct ring *r = &s->ring[i];
	const unsigned slots = o->use ? clopt__cut_ring(s->w, &s->p, i) : 1;
	int rc = CLOPT_OK;

	if (!(r->slot = calloc(slots, sizeof *r->slot)))
		return clopt__fail(s->ctx, CLOPT_ENOMEM, "no memory for a pipeline");
	if (!o->use) { /* the problem lacks this array; the kernel gets NULL */
		r->slots = 1;
		return CLOPT_OK;
	}
	if (s->p.in_place && clopt__cut_in_place(s->ctx, s->w, i)) {
		s->in_place |= 1u << i;
		s->ctx->report.in_place_bytes += clopt__operand_bytes(o);
		r->slots = 1;
		return clopt__array_in_place(s->ctx, o, clopt__layout(s->w, i), &r->slot[0].array);
	}
	while (r->slots < slots) {
		r->slots++;
		TRY(clopt__array_take(s->ctx, o->row_dim == NO_DIM ? o->rows : step[o->row_dim],
		                      clopt__row_bytes(s->w, &s->p, i), clopt__layout(s->w, i),
		                      &r->slot[r->slots - 1].array));
	}
out:
	return rc;
}

/* Whether the arrays of block `index` have slots that the block before does not use.  A cut array
 * has.  An array of a shared workload that is not cut may change with the strip. */
static int has_slots(const struct stream *s, size_t index)
{
	unsigned i;

	for (i = 0; i < s->w->operands; i++) {
		const struct ring *r = &s->ring[i];
		const struct extent e = clopt__extent(&s->w->operand[i], &s->block[index % 2]);

		if (r->slots == 1 && r->filled && !same(&r->slot[0].holds, &e))
			return 0;
	}
	return 1;
}

static int run_blocks(struct stream *s)
{
	/* Blocks of other contexts are not counted. */
	const size_t n = s->w->sharers ? 0 : blocks(s);
	const int next = s->p.lanes > 1;
	struct stretch call;
	size_t i;
	int none, prepared = 0, rc = CLOPT_OK;

	TRY(next_block(s, 0, &none));
	for (i = 0; !none; i++) {
		if (!prepared)
			TRY(prepare(s, i));
		prepared = 0;
		if (next) {
			TRY(next_block(s, i + 1, &none));
			prepared = !none && has_slots(s, i + 1);
			if (prepared)
				TRY(prepare(s, i + 1));
		}
		TRY(go_on(s, i));
		call = clopt__part(s->ctx, i, n);
		rc = compute(s, i);
		clopt__whole(s->ctx, call);
		TRY(rc);
		TRY(bring_back(s, i));
		if (!next)
			TRY(next_block(s, i + 1, &none));
		if (clopt__log_count(s->ctx) > MOST_COMMANDS || (i + 1) % MOST_BLOCKS == 0)
			TRY(drain(s, CLOPT_OK));
		/* All claimed blocks are done: there may be more to steal. */
		if (none && s->w->sharers) {
			TRY(drain(s, CLOPT_OK));
			s->w->sharers->idle(s->w->share, s->w->member);
			TRY(next_block(s, i + 1, &none));
		}
	}
	TRY(show_in_place(s));
out:
	return rc;
}

/* A call that is smaller by this factor is not measured: launches take most of its time. */
#define SHORTER 4

/* Measure the kernel's throughput in this call, for the next cut.  Without events, only a call that
 * took much longer than its transfers shows it. */
static void learn_throughput(struct stream *s, double seconds)
{
	const struct clopt_report *r = &s->ctx->report;
	const struct rates *rates = &s->ctx->rates;
	const double units = s->w->units * s->part;
	struct throughput *throughput = s->w->throughput;
	const double moved = (double)r->up_bytes + (double)r->down_bytes;
	double moving = 0;

	if (!throughput || units == 0 || SHORTER * units < throughput->units)
		return;
	if (r->kernel_seconds > 0) {
		*throughput = (struct throughput){ r->kernel_seconds / units, units, 0 };
		return;
	}
	if (moved > 0 && !rates->ordinary_known && !rates->pinned_known)
		return; /* no rate is known */
	if (moved > 0)
		moving = moved / clopt__rate(s->ctx, 0, !rates->ordinary_known, 0);
	if (seconds > 2 * moving)
		*throughput = (struct throughput){ (seconds - moving) / units, units, 0 };
}

/* Copy small results of a single block to the caller's memory. */
static void bring_home(struct stream *s)
{
	unsigned i;

	for (i = 0; i < s->w->operands; i++)
		if (s->through.at[i] && (s->w->operand[i].use & OPERAND_OUT)) {
			const struct slot *t = &s->ring[i].slot[0];
			const struct transfer whole =
			        clopt__array_transfer(&t->array, &s->w->operand[i], &t->holds, 1);

			clopt__copy_memory(whole.host, whole.host_pitch_bytes, s->through.at[i],
			                   whole.pitch_bytes, whole.rows, whole.row_bytes, 0);
		}
}

/* Close or keep the arrays.  After a failure a command may still run, so none is left to later
 * calls. */
static void close_rings(struct stream *s, int rc)
{
	unsigned i, j;

	for (i = 0; i < s->w->operands; i++) {
		for (j = 0; j < s->ring[i].slots; j++)
			if (rc == CLOPT_OK)
				clopt__array_give(s->ctx, &s->ring[i].slot[j].array);
			else
				clopt__array_close(&s->ring[i].slot[j].array);
		free(s->ring[i].slot);
	}
	if (rc != CLOPT_OK)
		clopt__idle_free(s->ctx);
}

int clopt__run(struct clopt *ctx, const struct workload *w)
{
	struct stream *s = calloc(1, sizeof *s);
	double seconds = 0;
	unsigned i;
	int rc = CLOPT_OK;

	if (!s)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a pipeline");
	s->ctx = ctx;
	s->w = w;
	TRY(clopt__cut(ctx, w, &s->p));
	s->single = blocks(s) == 1 && !w->sharers;
	s->events = ctx->profile || !s->single;
	/* Before arrays exist, since measuring rates takes device memory. */
	s->staged = clopt__staged_operands(ctx, w, &s->p);
	if (clopt__plus(s->p.bytes, clopt__idle_bytes(ctx)) > clopt__memory(ctx))
		clopt__idle_free(ctx);
	if (s->single)
		clopt__through_open(ctx, w, s->staged, &s->through);
	for (i = 0; i < w->operands; i++)
		TRY(open_ring(s, i));
	ctx->report.variant = w->name, ctx->report.math = w->math;
	ctx->report.queues = s->p.lanes;
	ctx->report.sum_parts = w->sum == NO_DIM ? 1 : s->p.blocks[w->sum];
	seconds = -clopt__now();
	TRY(run_blocks(s));
out:
	rc = drain(s, rc);
	ctx->report.bands = w->sharers ? s->bands : blocks(s);
	if (rc == CLOPT_OK) {
		bring_home(s);
		learn_throughput(s, seconds + clopt__now());
	}
	close_rings(s, rc);
	clopt__through_close(ctx, &s->through);
	free(s);
	return rc;
}
