/* SPDX-License-Identifier: MIT */
/*
 * staging.c - transfers of ordinary memory at nearly the rate of pinned memory.
 *
 * Two teams of threads serve the two directions.  A staged transfer, one part of an array, is cut
 * into slices of at most a chunk.  A thread takes the next slice of the oldest transfer.  Up: the
 * thread copies the slice into one of its pinned chunks, queues the transfer from the chunk, and
 * fills its second chunk meanwhile.  Down: the thread queues the transfer into its chunk, waits,
 * and copies the chunk out.  So copies of some threads overlap transfers of others, and no slice
 * waits for another thread.
 *
 * A small transfer is cut into more slices than chunks it fills, so that more threads take part.
 * As many threads wake as there are slices.
 *
 * The driver copies ordinary memory with one thread (H200: 9 GB/s up; eight threads reach 37).
 *
 * The devices of a context share the processors: each has an equal number of threads, near the
 * device.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdlib.h>

#include "../base/near.h"
#include "../base/threads.h"
#include "move.h"

#define CHUNKS 2 /* of a thread */
/* Results of at least STREAMED bytes, in rows of at least STREAMED_ROW, are written past the
 * caches.  Shorter rows have too many partial lines at their ends: there memcpy is up to 2.5 times
 * as fast (Zen 3). */
#define STREAMED ((size_t)8 << 20)
#define STREAMED_ROW 4096
#define LEAST_SLICE ((size_t)256 << 10) /* reaches 55 % of the rate of PCIe 5 */

struct worker {
	struct staging *staging;
	pthread_t thread;
	char *chunk[CHUNKS];
	cl_event busy[CHUNKS]; /* the transfer that reads the chunk */
	unsigned down, index, started;
	int moved; /* bound near the device, if there are such processors */
};

struct staging {
	struct clopt *ctx;
	pthread_mutex_t lock;
	/* A team has a slice; more threads may take slices; a transfer has progressed. */
	pthread_cond_t work[2], tuned, progress;
	struct staged *first[2], *last[2]; /* of each team: transfers with slices left to take */
	struct worker worker[2][STAGING_THREADS];
	char *chunks; /* of all workers, in one block */
	unsigned threads, active; /* of a team; threads that take slices */
	size_t room, chunk_bytes; /* size of a chunk; bytes of it in use */
	int quit;
};

/* Slice i of a transfer: whole rows, or a piece of one row. */
static struct transfer slice(const struct staged *b, size_t i)
{
	struct transfer t = b->transfer;
	const size_t pieces = clopt__groups(t.row_bytes, b->chunk_bytes);
	size_t row = i * b->rows, at = 0, left;

	if (pieces > 1) {
		row = i / pieces;
		at = i % pieces * b->chunk_bytes;
	}
	left = t.rows - row;
	t.host += row * t.host_pitch_bytes + at;
	t.offset_bytes += row * t.pitch_bytes + at;
	t.rows = pieces > 1 ? 1 : left < b->rows ? left : b->rows;
	t.row_bytes =
	        pieces > 1 && t.row_bytes - at > b->chunk_bytes ? b->chunk_bytes : t.row_bytes - at;
	return t;
}

static cl_int release_when_done(cl_event *event)
{
	cl_int code = CL_SUCCESS;

	if (*event) {
		code = clWaitForEvents(1, event);
		clReleaseEvent(*event);
	}
	*event = NULL;
	return code;
}

struct result {
	cl_int code;
	const char *call;
	int status; /* of the log */
};

/* Queue a transfer from or into the chunk; the caller releases the event. */
static void enqueue(struct worker *w, const struct staged *b, const struct transfer *t, char *chunk,
                    cl_event *event, struct result *r)
{
	struct clopt *ctx = w->staging->ctx;
	struct transfer through = *t;

	through.host = chunk;
	through.host_pitch_bytes = t->row_bytes;
	*event = NULL;
	r->code = clopt__copy(b->q, &through, CL_FALSE, (struct waits){ b->waits, b->wait }, event,
	                      &r->call);
	if (r->code != CL_SUCCESS) {
		*event = NULL;
		return;
	}
	if (b->logged && (r->code = clRetainEvent(*event)) == CL_SUCCESS)
		r->status = clopt__log_add(ctx, t->down ? COMMAND_DOWN : COMMAND_UP, b->queue,
		                           t->rows * t->row_bytes, "", *event);
	r->call = "clFlush";
	if (r->code == CL_SUCCESS)
		r->code = clFlush(b->q);
}

static void note_result(struct worker *w, struct staged *b, const struct result *r, int queued,
                        int done)
{
	pthread_mutex_lock(&w->staging->lock);
	if (b->code == CL_SUCCESS && b->status == CLOPT_OK) {
		b->code = r->code;
		b->call = r->call;
		b->status = r->status;
	}
	b->queued += (size_t)queued;
	b->done += (size_t)done;
	if (b->queued == b->slices)
		pthread_cond_broadcast(&w->staging->progress);
	pthread_mutex_unlock(&w->staging->lock);
}

static void slice_up(struct worker *w, struct staged *b, const struct transfer *t, unsigned chunk)
{
	struct result r = { CL_SUCCESS, "clWaitForEvents", CLOPT_OK };

	r.code = release_when_done(&w->busy[chunk]);
	/* The owner of that transfer reports its failure. */
	if (r.code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		r.code = CL_SUCCESS;
	if (r.code == CL_SUCCESS) {
		clopt__copy_memory(w->chunk[chunk], t->row_bytes, t->host, t->host_pitch_bytes,
		                   t->rows, t->row_bytes, 0);
		enqueue(w, b, t, w->chunk[chunk], &w->busy[chunk], &r);
	}
	note_result(w, b, &r, 1, 1);
}

static void slice_down(struct worker *w, struct staged *b, const struct transfer *t)
{
	struct result r = { CL_SUCCESS, NULL, CLOPT_OK };
	/* A small result stays in the caches for its reader. */
	const int stream = b->transfer.rows * b->transfer.row_bytes >= STREAMED &&
	                   b->transfer.row_bytes >= STREAMED_ROW;
	cl_event event;

	enqueue(w, b, t, w->chunk[0], &event, &r);
	note_result(w, b, &r, 1, 0);
	if (event) {
		cl_int code = release_when_done(&event);

		/* Data that did not arrive must not overwrite the caller's array. */
		if (code == CL_SUCCESS && r.code == CL_SUCCESS)
			clopt__copy_memory(t->host, t->host_pitch_bytes, w->chunk[0], t->row_bytes,
			                   t->rows, t->row_bytes, stream);
		if (r.code == CL_SUCCESS) {
			r.code = code;
			r.call = "clWaitForEvents";
		}
	}
	note_result(w, b, &r, 0, 1);
}

/* Bind the thread near the device.  A single device uses all processors, however far. */
static void move_near(struct worker *w)
{
	const struct clopt *ctx = w->staging->ctx;

	if (!w->moved && ctx->sharers > 1) {
		clopt__move_near(PCI_DEVICES, ctx->device.info.pci);
		w->moved = 1;
	}
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct staging *s = w->staging;
	unsigned chunk = 0;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct staged *b = s->first[w->down];
		struct transfer t;
		int failed;

		if (!b || w->index >= s->active) {
			if (s->quit)
				break;
			pthread_cond_wait(w->index < s->active ? &s->work[w->down] : &s->tuned,
			                  &s->lock);
			continue;
		}
		t = slice(b, b->next++);
		if (b->status == CLOPT_OK && clopt__is_cancelled(s->ctx))
			b->status = CLOPT_ECANCELED;
		failed = b->code != CL_SUCCESS || b->status != CLOPT_OK;
		if (b->next == b->slices)
			s->first[w->down] = b->link;
		pthread_mutex_unlock(&s->lock);
		move_near(w);
		if (failed) {
			const struct result none = { CL_SUCCESS, NULL, CLOPT_OK };

			note_result(w, b, &none, 1, 1);
		} else if (w->down) {
			slice_down(w, b, &t);
		} else {
			slice_up(w, b, &t, chunk);
			chunk = (chunk + 1) % CHUNKS;
		}
		pthread_mutex_lock(&s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void wake_all(struct staging *s)
{
	pthread_cond_broadcast(&s->work[0]);
	pthread_cond_broadcast(&s->work[1]);
	pthread_cond_broadcast(&s->tuned);
}

void clopt__staging_free(struct clopt *ctx)
{
	struct staging *s = ctx->staging;
	unsigned i, c;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->quit = 1;
	wake_all(s);
	pthread_mutex_unlock(&s->lock);
	for (i = 0; i < 2 * STAGING_THREADS; i++) {
		struct worker *w = &s->worker[i % 2][i / 2];

		if (w->started)
			pthread_join(w->thread, NULL);
		for (c = 0; c < CHUNKS; c++)
			release_when_done(&w->busy[c]);
	}
	if (s->chunks)
		clopt__pinned_give(ctx, s->chunks);
	pthread_cond_destroy(&s->progress);
	pthread_cond_destroy(&s->tuned);
	pthread_cond_destroy(&s->work[1]);
	pthread_cond_destroy(&s->work[0]);
	pthread_mutex_destroy(&s->lock);
	free(s);
	ctx->staging = NULL;
}

size_t clopt__staging_bytes(const struct clopt *ctx)
{
	const struct staging *s = ctx->staging;

	return s ? (CHUNKS + 1) * (size_t)s->threads * s->room : 0;
}

/* The chunks of all workers are one block: CHUNKS per worker for up, one for down. */
static int start_workers(struct clopt *ctx, struct staging *s)
{
	unsigned i, c, kind;
	char *at;
	int got;

	s->chunks = clopt__pinned_take(ctx, clopt__staging_bytes(ctx), &got);
	if (!s->chunks)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to stage transfers: %zu bytes",
		                   clopt__staging_bytes(ctx));
	at = s->chunks;
	for (kind = 0; kind < 2; kind++)
		for (i = 0; i < s->threads; i++) {
			struct worker *w = &s->worker[kind][i];

			w->staging = s;
			w->down = kind;
			w->index = i;
			for (c = 0; c < (kind ? 1u : CHUNKS); c++, at += s->room)
				w->chunk[c] = at;
			if (clopt__thread(&w->thread, work, w))
				return clopt__fail(ctx, CLOPT_ENOMEM,
				                   "no thread to stage transfers with");
			w->started = 1;
		}
	return CLOPT_OK;
}

int clopt__staging_open(struct clopt *ctx, unsigned threads, size_t chunk_bytes)
{
	struct staging *s;
	int rc;

	clopt__staging_free(ctx);
	s = calloc(1, sizeof *s);
	if (!s)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to stage transfers");
	s->ctx = ctx;
	s->threads = s->active = threads;
	s->room = s->chunk_bytes = chunk_bytes;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work[0], NULL);
	pthread_cond_init(&s->work[1], NULL);
	pthread_cond_init(&s->tuned, NULL);
	pthread_cond_init(&s->progress, NULL);
	ctx->staging = s;
	rc = start_workers(ctx, s);
	if (rc != CLOPT_OK)
		clopt__staging_free(ctx);
	return rc;
}

void clopt__staging_tune(struct clopt *ctx, unsigned active, size_t chunk_bytes)
{
	struct staging *s = ctx->staging;

	pthread_mutex_lock(&s->lock);
	s->active = active < s->threads ? active : s->threads;
	s->chunk_bytes = chunk_bytes < s->room ? chunk_bytes : s->room;
	wake_all(s); /* a thread may wait for work, or until it becomes active */
	pthread_mutex_unlock(&s->lock);
}

void clopt__staged_begin(struct clopt *ctx, struct staged *b)
{
	struct staging *s = ctx->staging;
	struct transfer *t = &b->transfer;
	size_t i;

	if (t->pitch_bytes == t->row_bytes && t->host_pitch_bytes == t->row_bytes) {
		t->row_bytes *= t->rows;
		t->pitch_bytes = t->host_pitch_bytes = t->row_bytes;
		t->rows = 1;
	}
	b->next = b->queued = b->done = 0;
	b->code = CL_SUCCESS;
	b->status = CLOPT_OK;
	b->link = NULL;
	pthread_mutex_lock(&s->lock);
	/* An equal share per thread, but not below LEAST_SLICE. */
	b->chunk_bytes = clopt__smaller(
	        clopt__larger(t->rows * t->row_bytes / s->active, LEAST_SLICE), s->chunk_bytes);
	b->rows = t->row_bytes < b->chunk_bytes ? b->chunk_bytes / t->row_bytes : 1;
	b->slices = t->row_bytes > b->chunk_bytes ?
	                    t->rows * clopt__groups(t->row_bytes, b->chunk_bytes) :
	                    clopt__groups(t->rows, b->rows);
	if (s->first[t->down])
		s->last[t->down]->link = b;
	else
		s->first[t->down] = b;
	s->last[t->down] = b;
	for (i = 0; i < b->slices && i < s->active; i++)
		pthread_cond_signal(&s->work[t->down]);
	pthread_mutex_unlock(&s->lock);
}

int clopt__staged_wait(struct clopt *ctx, struct staged *b, enum staged_wait until)
{
	struct staging *s = ctx->staging;
	cl_int code;
	int status;

	pthread_mutex_lock(&s->lock);
	if (until == STAGED_CANCEL && b->status == CLOPT_OK)
		b->status = CLOPT_EDEVICE;
	while ((until == STAGED_QUEUED ? b->queued : b->done) < b->slices)
		pthread_cond_wait(&s->progress, &s->lock);
	code = b->code;
	status = b->status;
	pthread_mutex_unlock(&s->lock);
	if (until == STAGED_CANCEL)
		return CLOPT_OK; /* earlier failures are reported */
	if (code != CL_SUCCESS)
		return clopt__fail_cl(ctx, code, b->call);
	if (status == CLOPT_ECANCELED)
		return clopt__go_on(ctx, 0);
	return status == CLOPT_OK ? CLOPT_OK :
	                            clopt__fail(ctx, status, "no memory to keep a command");
}
