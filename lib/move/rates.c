/* SPDX-License-Identifier: MIT */
/*
 * rates.c - transfer rates, measured once a call, or many calls together, move as many bytes as the
 * measurement: for fewer bytes it does not pay.
 *
 * Each rate is the best of a few transfers of a sample, by the host's clock.  Rates choose between
 * the driver's own path and staging, the threads and chunks of staging, and the bands of the
 * pipeline; they stay valid for the context.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/threads.h"
#include "move.h"

#define SAMPLE ((size_t)32 << 20)
#define WORTH (8 * SAMPLE) /* total bytes of smaller arrays that are worth a measurement */
#define LEAST_STAGED ((size_t)8 << 20) /* smaller arrays are not worth waking threads */
#define CHUNK ((size_t)2 << 20) /* reaches 96 % of the rate of PCIe 5 */
#define REPEATS 3

/* The data of a measurement. */
struct sample {
	/* Its own queue: those of the context may wait for events of the caller. */
	cl_command_queue q;
	cl_mem mem;
	char *host;
	size_t bytes;
};

/* Rate of moving the sample from or to `host`, staged or by the driver. */
static int rate(struct clopt *ctx, const struct sample *s, char *host, int down, int staged,
                double *bytes_per_second)
{
	const struct transfer t = { down, s->mem, 0, s->bytes, host, s->bytes, 1, s->bytes };
	struct staged b = { .transfer = t, .q = s->q };
	double best = 0, seconds;
	const char *call;
	cl_int code;
	int i, rc = CLOPT_OK;

	for (i = 0; i < REPEATS; i++) {
		seconds = -clopt__now();
		if (staged) {
			clopt__staged_begin(ctx, &b);
			TRY(clopt__staged_wait(ctx, &b, STAGED_DONE));
		} else {
			code = clopt__copy(s->q, &t, CL_FALSE, (struct wait){ 0, NULL }, NULL,
			                   &call);
			TRY_CODE(ctx, code, call);
		}
		TRY_CL(ctx, clFinish(s->q));
		seconds += clopt__now();
		if (seconds > 0 && (double)s->bytes / seconds > best)
			best = (double)s->bytes / seconds;
	}
	*bytes_per_second = best;
out:
	return rc;
}

static int open_sample(struct clopt *ctx, struct sample *s)
{
	const size_t memory = clopt__memory(ctx);
	cl_int code;
	int rc = CLOPT_OK;

	s->bytes = memory / 4 < SAMPLE ? memory / 4 : SAMPLE;
	s->mem = clCreateBuffer(ctx->context, CL_MEM_READ_WRITE, s->bytes, NULL, &code);
	if (code != CL_SUCCESS)
		s->mem = NULL;
	TRY_CODE(ctx, code, "clCreateBuffer");
	s->q = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
	if (code != CL_SUCCESS)
		s->q = NULL;
	TRY_CODE(ctx, code, "clCreateCommandQueue");
out:
	return rc;
}

static void close_sample(struct sample *s)
{
	if (s->q) {
		clFinish(s->q); /* its commands must end first */
		clReleaseCommandQueue(s->q);
	}
	if (s->mem)
		clReleaseMemObject(s->mem);
}

static int measure_pinned(struct clopt *ctx)
{
	struct sample s = { NULL, NULL, NULL, 0 };
	char *pinned = NULL;
	int kind, rc = CLOPT_OK;

	TRY(open_sample(ctx, &s));
	pinned = clopt__pinned_take(ctx, s.bytes, &kind);
	if (!pinned)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory to measure transfers with"));
	memset(pinned, 0, s.bytes);
	TRY(rate(ctx, &s, pinned, 0, 0, &ctx->rates.pinned[0]));
	TRY(rate(ctx, &s, pinned, 1, 0, &ctx->rates.pinned[1]));
out:
	if (pinned)
		clopt__pinned_give(ctx, pinned);
	close_sample(&s);
	return rc;
}

int clopt__staging_default(struct clopt *ctx)
{
	return clopt__staging_open(ctx, ctx->copy_threads ? ctx->copy_threads : clopt__processors(),
	                           ctx->chunk_bytes ? ctx->chunk_bytes : CHUNK);
}

/* Find the threads and chunk that bring an array up fastest, unless the options fix them. */
static int tune(struct clopt *ctx, const struct sample *s)
{
	const unsigned most = ctx->copy_threads ? ctx->copy_threads : clopt__processors();
	const size_t room = ctx->chunk_bytes ? ctx->chunk_bytes : CHUNK;
	unsigned threads = most, n;
	size_t chunk = room, bytes;
	double best = 0, now;
	int rc = CLOPT_OK;

	for (n = most; n && !(ctx->copy_threads && n < most); n /= 2) {
		clopt__staging_tune(ctx, n, chunk);
		TRY(rate(ctx, s, s->host, 0, 1, &now));
		if (now > best) {
			best = now;
			threads = n;
		}
	}
	for (bytes = room / 2; !ctx->chunk_bytes && bytes >= room / 4; bytes /= 2) {
		clopt__staging_tune(ctx, threads, bytes);
		TRY(rate(ctx, s, s->host, 0, 1, &now));
		if (now > best) {
			best = now;
			chunk = bytes;
		}
	}
	clopt__staging_tune(ctx, threads, chunk);
	ctx->rates.staged[0] = best;
	TRY(rate(ctx, s, s->host, 1, 1, &ctx->rates.staged[1]));
out:
	return rc;
}

static int may_stage(const struct clopt *ctx)
{
	return ctx->transfer == CLOPT_TRANSFER_STAGED ||
	       (ctx->transfer == CLOPT_TRANSFER_AUTO && !(ctx->device.traits & T_UNIFIED));
}

static int measure_ordinary(struct clopt *ctx)
{
	struct sample s = { NULL, NULL, NULL, 0 };
	int rc = CLOPT_OK;

	TRY(open_sample(ctx, &s));
	s.host = malloc(s.bytes);
	if (!s.host)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory to measure transfers with"));
	memset(s.host, 0, s.bytes);
	TRY(rate(ctx, &s, s.host, 0, 0, &ctx->rates.driver[0]));
	TRY(rate(ctx, &s, s.host, 1, 0, &ctx->rates.driver[1]));
	if (!may_stage(ctx))
		goto out;
	if (!ctx->staging)
		TRY(clopt__staging_default(ctx));
	TRY(tune(ctx, &s));
out:
	close_sample(&s);
	free(s.host);
	return rc;
}

/* A failed measurement leaves the driver's path, which needs no rates. */
static void find_ordinary(struct clopt *ctx)
{
	if (ctx->rates.ordinary_known)
		return;
	ctx->rates.ordinary_known = 1;
	if (measure_ordinary(ctx) != CLOPT_OK && ctx->transfer != CLOPT_TRANSFER_STAGED)
		clopt__staging_free(ctx);
}

static void find_pinned(struct clopt *ctx)
{
	if (ctx->rates.pinned_known)
		return;
	ctx->rates.pinned_known = 1;
	measure_pinned(ctx);
}

void clopt__rates_find(struct clopt *ctx)
{
	if (!(ctx->device.traits & T_UNIFIED)) /* else there is no pinned memory */
		find_pinned(ctx);
	find_ordinary(ctx);
}

double clopt__rate_found(const struct clopt *ctx, int down, int staged)
{
	return staged ? ctx->rates.staged[down] : ctx->rates.driver[down];
}

int clopt__stages(struct clopt *ctx, size_t bytes, int down, int measure)
{
	if (ctx->transfer == CLOPT_TRANSFER_STAGED)
		return bytes > 0;
	if (!may_stage(ctx) || bytes < LEAST_STAGED)
		return 0;
	if (!ctx->rates.ordinary_known && !measure)
		return 0;
	if (!ctx->rates.ordinary_known && bytes < SAMPLE) {
		ctx->rates.unmeasured += bytes;
		if (ctx->rates.unmeasured < WORTH)
			return 0;
	}
	find_ordinary(ctx);
	return ctx->staging && ctx->rates.staged[down] > ctx->rates.driver[down];
}

double clopt__rate(struct clopt *ctx, int down, int pinned, size_t bytes)
{
	double r;

	if (bytes >= SAMPLE) {
		if (pinned)
			find_pinned(ctx);
		else
			find_ordinary(ctx);
	}
	r = pinned ? ctx->rates.pinned[down] : ctx->rates.driver[down];
	if (!pinned && ctx->staging && ctx->rates.staged[down] > r)
		r = ctx->rates.staged[down];
	return r > 0 ? r : 1e10; /* unknown: assume a usual link */
}
