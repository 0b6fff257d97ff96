/* SPDX-License-Identifier: MIT */
/*
 * rates.c - transfer rates.  They are measured when one call, or many calls together, move as many
 * bytes as the measurement; for fewer it does not pay.
 *
 * Each rate is the best of several transfers of a sample, by the host's clock.  Rates choose
 * between the driver's path and staging, the threads and chunks of staging, and the bands of the
 * pipeline.  They stay valid for the context.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/threads.h"
#include "move.h"

#define SAMPLE ((size_t)32 << 20)
#define WORTH (8 * SAMPLE) /* total bytes of smaller arrays that are worth a measurement */
#define CHUNK ((size_t)2 << 20) /* reaches 96 % of the rate of PCIe 5 */
#define ROUNDS 5 /* transfers of a measurement; the best counts */
#define BEHIND 0.6 /* fraction of the best rate below which a candidate is dropped */
/* Fraction of the best rate that fewer threads must reach to be preferred: they wake sooner for a
 * small array. */
#define ALIKE 0.9

/* The data of a measurement. */
struct sample {
	/* A new one: the context's queues may wait for the caller's events. */
	cl_command_queue q;
	cl_mem mem;
	char *host;
	size_t bytes;
};

/* The best rate of `times' transfers of the sample, staged or by the driver. */
static int rate(struct clopt *ctx, const struct sample *s, int down, int staged, unsigned times,
                double *bytes_per_second)
{
	const struct transfer t = { down, s->mem, 0, s->bytes, s->host, s->bytes, 1, s->bytes };
	struct staged b = { .transfer = t, .q = s->q };
	double seconds;
	const char *call;
	cl_int code;
	int rc = CLOPT_OK;

	for (*bytes_per_second = 0; times--;) {
		seconds = -clopt__now();
		if (staged) {
			clopt__staged_begin(ctx, &b);
			TRY(clopt__staged_wait(ctx, &b, STAGED_DONE));
		} else {
			code = clopt__copy(s->q, &t, CL_FALSE, (struct waits){ 0, NULL }, NULL,
			                   &call);
			TRY_CODE(ctx, code, call);
		}
		TRY(clopt__finish(ctx, s->q, CLOPT_OK));
		seconds += clopt__now();
		if (seconds > 0)
			*bytes_per_second = fmax(*bytes_per_second, (double)s->bytes / seconds);
	}
out:
	return rc;
}

static int open_sample(struct clopt *ctx, int pinned, struct sample *s)
{
	cl_command_queue q; /* a driver may set it although it fails */
	cl_int code;
	int kind, rc = CLOPT_OK;

	s->bytes = clopt__smaller(clopt__memory(ctx) / 4, SAMPLE);
	clopt__idle_make_way(ctx);
	code = clopt__create_buffer(ctx, CL_MEM_READ_WRITE, s->bytes, NULL, &s->mem);
	TRY_CODE(ctx, code, "clCreateBuffer");
	q = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
	TRY_CODE(ctx, code, "clCreateCommandQueue");
	s->q = q;
	s->host = pinned ? clopt__pinned_take(ctx, s->bytes, &kind) : malloc(s->bytes);
	if (!s->host)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory to measure transfers with"));
	memset(s->host, 0, s->bytes);
out:
	return rc;
}

static void close_sample(struct clopt *ctx, int pinned, struct sample *s)
{
	if (s->q) {
		clopt__finish(ctx, s->q, CLOPT_OK); /* its commands must end first */
		clReleaseCommandQueue(s->q);
	}
	if (s->mem)
		clReleaseMemObject(s->mem);
	if (s->host && pinned)
		clopt__pinned_give(ctx, s->host);
	else
		free(s->host);
}

/* Number of copy threads.  Members that work at the same time share the processors. */
static unsigned copy_threads(const struct clopt *ctx)
{
	return ctx->copy_threads ? ctx->copy_threads : clopt__processors(ctx->sharers);
}

int clopt__staging_default(struct clopt *ctx)
{
	return clopt__staging_open(ctx, copy_threads(ctx),
	                           ctx->chunk_bytes ? ctx->chunk_bytes : CHUNK);
}

/* Threads and chunk of staging, and the best rate with them so far. */
struct candidate {
	unsigned threads;
	size_t chunk_bytes;
	double rate;
};

/* Measure the candidates.  They take turns, so that a short disturbance does not decide.  One far
 * below the best is dropped. */
static int compare(struct clopt *ctx, const struct sample *s, struct candidate *list, unsigned n,
                   struct candidate *best)
{
	double now, most;
	unsigned round, i;
	int rc = CLOPT_OK;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < n; i++) {
			if (round && list[i].rate < BEHIND * best->rate)
				continue;
			clopt__staging_tune(ctx, list[i].threads, list[i].chunk_bytes);
			TRY(rate(ctx, s, 0, 1, 1, &now));
			list[i].rate = fmax(list[i].rate, now);
			if (list[i].rate > best->rate)
				*best = list[i];
		}
	most = best->rate;
	for (i = 0; i < n; i++)
		if (list[i].threads < best->threads && list[i].rate >= ALIKE * most)
			*best = list[i];
out:
	return rc;
}

/* Find the threads and chunk that copy an array up fastest, unless the options fix them. */
static int tune(struct clopt *ctx, const struct sample *s)
{
	const size_t room = ctx->chunk_bytes ? ctx->chunk_bytes : CHUNK;
	const unsigned most = copy_threads(ctx);
	struct candidate list[8], best = { most, room, 0 };
	unsigned threads, n = 0;
	int rc = CLOPT_OK;

	for (threads = most; threads && !(ctx->copy_threads && threads < most); threads /= 2)
		list[n++] = (struct candidate){ threads, room, 0 };
	TRY(compare(ctx, s, list, n, &best));
	if (!ctx->chunk_bytes) {
		list[0] = best;
		list[1] = (struct candidate){ best.threads, room / 2, 0 };
		list[2] = (struct candidate){ best.threads, room / 4, 0 };
		TRY(compare(ctx, s, list, 3, &best));
	}
	clopt__staging_tune(ctx, best.threads, best.chunk_bytes);
	ctx->rates.staged[0] = best.rate;
	TRY(rate(ctx, s, 1, 1, ROUNDS, &ctx->rates.staged[1]));
out:
	return rc;
}

int clopt__may_stage(const struct clopt *ctx)
{
	return ctx->transfer == CLOPT_TRANSFER_STAGED ||
	       (ctx->transfer == CLOPT_TRANSFER_AUTO && !(ctx->device.traits & T_UNIFIED));
}

static int measure(struct clopt *ctx, int pinned)
{
	struct sample s = { NULL, NULL, NULL, 0 };
	double *const by_driver = pinned ? ctx->rates.pinned : ctx->rates.driver;
	int rc = CLOPT_OK;

	TRY(open_sample(ctx, pinned, &s));
	TRY(rate(ctx, &s, 0, 0, ROUNDS, &by_driver[0]));
	TRY(rate(ctx, &s, 1, 0, ROUNDS, &by_driver[1]));
	if (pinned || !clopt__may_stage(ctx))
		goto out;
	if (!ctx->staging)
		TRY(clopt__staging_default(ctx));
	TRY(tune(ctx, &s));
out:
	close_sample(ctx, pinned, &s);
	return rc;
}

/* Measure once.  After a failure the driver's path serves, which needs no rates. */
static void find(struct clopt *ctx, int pinned)
{
	int *const known = pinned ? &ctx->rates.pinned_known : &ctx->rates.ordinary_known;

	if (*known)
		return;
	*known = 1;
	if (measure(ctx, pinned) != CLOPT_OK && !pinned && ctx->transfer != CLOPT_TRANSFER_STAGED)
		clopt__staging_free(ctx);
}

void clopt__rates_find(struct clopt *ctx)
{
	if (!(ctx->device.traits & T_UNIFIED)) /* otherwise nothing is pinned */
		find(ctx, 1);
	find(ctx, 0);
}

/* Fraction of the rate of its own pinned memory that counts as equal: the rest is noise. */
#define AS_FAST 0.8

static int measure_lent(struct clopt *ctx, const struct lent *lent)
{
	struct sample s = { NULL, NULL, NULL, 0 };
	char *own = NULL;
	double now;
	int rc = CLOPT_OK;

	TRY(open_sample(ctx, 1, &s));
	own = s.host;
	s.host = (char *)lent->memory; /* only read */
	TRY(rate(ctx, &s, 0, 0, ROUNDS, &now));
	ctx->rates.lent_is_fast = ctx->rates.pinned[0] > 0 && now >= AS_FAST * ctx->rates.pinned[0];
out:
	s.host = own;
	close_sample(ctx, 1, &s);
	return rc;
}

void clopt__borrow(struct clopt *ctx, const struct lent *list, unsigned count)
{
	unsigned i;

	for (i = 0; i < count && !ctx->rates.lent_known; i++)
		if (!(ctx->device.traits & T_UNIFIED) && list[i].bytes >= SAMPLE) {
			find(ctx, 1);
			ctx->rates.lent_known = 1;
			measure_lent(ctx, &list[i]);
		}
	ctx->lent = list;
	ctx->lents = ctx->rates.lent_is_fast ? count : 0;
}

int clopt__stages(struct clopt *ctx, size_t bytes, int down, int measure)
{
	if (ctx->transfer == CLOPT_TRANSFER_STAGED)
		return bytes > 0;
	if (!clopt__may_stage(ctx) || bytes < LEAST_STAGED)
		return 0;
	if (!ctx->rates.ordinary_known && !measure)
		return 0;
	if (!ctx->rates.ordinary_known && bytes < SAMPLE) {
		ctx->rates.unmeasured += bytes;
		if (ctx->rates.unmeasured < WORTH)
			return 0;
	}
	find(ctx, 0);
	return ctx->staging && ctx->rates.staged[down] > ctx->rates.driver[down];
}

double clopt__rate(struct clopt *ctx, int down, int pinned, size_t bytes)
{
	double r;

	if (bytes >= SAMPLE)
		find(ctx, pinned);
	r = pinned ? ctx->rates.pinned[down] : ctx->rates.driver[down];
	if (!pinned && ctx->staging && ctx->rates.staged[down] > r)
		r = ctx->rates.staged[down];
	return r > 0 ? r : 1e10; /* unknown: assume a usual link */
}
