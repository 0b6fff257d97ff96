/* SPDX-License-Identifier: MIT */
/*
 * log.c - the commands of the current call, and the times and failures from their events.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

static void release(struct log *log)
{
	size_t i;

	for (i = 0; i < log->count; i++)
		clReleaseEvent(log->list[i].event);
	log->count = 0;
}

void clopt__log_close(struct log *log)
{
	release(log);
	free(log->list);
	free(log->trace);
	pthread_mutex_destroy(&log->lock);
}

int clopt__log_add(struct clopt *ctx, enum command_kind kind, unsigned queue, size_t bytes,
                   const char *label, cl_event event)
{
	struct log *log = &ctx->log;
	struct command *c;
	int rc = CLOPT_OK;

	if (!event)
		return CLOPT_OK;
	pthread_mutex_lock(&log->lock);
	if (!(c = clopt__room(log->list, log->count, &log->room, sizeof *c)))
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the times of %zu commands",
		                log->count + 1));
	log->list = c;
	c += log->count++;
	memset(c, 0, sizeof *c);
	c->kind = kind;
	c->queue = queue;
	c->bytes = bytes;
	c->call = log->call;
	c->event = event;
	strncat(c->label, label, sizeof c->label - 1);
out:
	pthread_mutex_unlock(&log->lock);
	if (rc != CLOPT_OK)
		clReleaseEvent(event);
	return rc;
}

size_t clopt__log_count(struct clopt *ctx)
{
	size_t count;

	pthread_mutex_lock(&ctx->log.lock);
	count = ctx->log.count;
	pthread_mutex_unlock(&ctx->log.lock);
	return count;
}

/* Times start at the first command.  Some clocks count nanoseconds from 1970, which a double rounds
 * to hundreds of nanoseconds. */
static double seconds_since(cl_ulong zero, cl_ulong t)
{
	return t < zero ? -1e-9 * (double)(zero - t) : 1e-9 * (double)(t - zero);
}

int clopt__log_clock(struct clopt *ctx)
{
	struct log *log = &ctx->log;
	cl_command_queue q; /* a new one: the context's queues may wait for the caller's events */
	cl_event event = NULL;
	cl_ulong end;
	double now;
	cl_int code;
	int rc = CLOPT_OK;

	log->host = 0;
	q = clCreateCommandQueue(ctx->context, ctx->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
	if (code != CL_SUCCESS)
		return clopt__fail_cl(ctx, code, "clCreateCommandQueue");
	TRY_CL(ctx, clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
	TRY_CL(ctx, clWaitForEvents(1, &event));
	now = clopt__now();
	if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
	    CL_SUCCESS)
		goto out;
	log->zero = log->zero ? log->zero : end;
	log->host = now - seconds_since(log->zero, end);
out:
	if (event)
		clReleaseEvent(event);
	clReleaseCommandQueue(q);
	return rc;
}

static int read_times(struct clopt *ctx, struct command *c)
{
	static const cl_profiling_info what[3] = { CL_PROFILING_COMMAND_QUEUED,
		                                   CL_PROFILING_COMMAND_START,
		                                   CL_PROFILING_COMMAND_END };
	cl_ulong t[3];
	int i, rc = CLOPT_OK;

	for (i = 0; i < 3; i++)
		TRY_CL(ctx, clGetEventProfilingInfo(c->event, what[i], sizeof t[i], &t[i], NULL));
	if (!ctx->log.zero)
		ctx->log.zero = t[1];
	c->queued = seconds_since(ctx->log.zero, t[0]);
	c->start = seconds_since(ctx->log.zero, t[1]);
	c->end = t[2] < t[1] ? c->start : seconds_since(ctx->log.zero, t[2]);
out:
	return rc;
}

static int by_start(const void *a, const void *b)
{
	const double x = ((const struct command *)a)->start;
	const double y = ((const struct command *)b)->start;

	return (x > y) - (x < y);
}

void clopt__sums_add(struct sums *s, const struct command *c, size_t count)
{
	/* The time up to which each kind of work, and transfers both ways at once, are counted. */
	double until[3], counted = 0, busy = 0;
	double *const sum[3] = { &s->up, &s->kernel, &s->down };
	size_t i;

	if (count && !s->commands)
		s->first = s->last = c->start;
	if (count)
		until[0] = until[1] = until[2] = counted = busy = c->start;
	for (i = 0; i < count; i++, c++) {
		const int kind = c->kind == COMMAND_UP ? 0 : c->kind == COMMAND_DOWN ? 2 : 1;
		double both;

		s->first = fmin(s->first, c->start);
		s->last = fmax(s->last, c->end);
		/* Kernels that overlap share the device: their time counts once. */
		*sum[kind] += fmax(c->end - fmax(c->start, until[kind]), 0);
		until[kind] = fmax(until[kind], c->end);
		s->busy += fmax(c->end - fmax(c->start, busy), 0);
		busy = fmax(busy, c->end);
		/* Up to here, both an earlier transfer up and one down are running. */
		both = fmin(until[0], until[2]);
		if (both > fmax(c->start, counted)) {
			s->both += both - fmax(c->start, counted);
			counted = both;
		}
	}
	s->commands += count;
}

/* Drop the marks, which have no times. */
static void drop_marks(struct log *log)
{
	size_t i, kept = 0;

	for (i = 0; i < log->count; i++)
		if (log->list[i].kind == COMMAND_MARK)
			clReleaseEvent(log->list[i].event);
		else
			log->list[kept++] = log->list[i];
	log->count = kept;
}

/* clFinish may hide that a command failed; its event does not. */
static int failed(struct clopt *ctx, const struct command *c)
{
	cl_int status = CL_COMPLETE;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetEventInfo(c->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
	                           &status, NULL));
	if (status < 0)
		rc = clopt__fail_cl(ctx, status,
		                    c->kind == COMMAND_KERNEL ? "a kernel" : "a transfer");
out:
	return rc;
}

void clopt__trace_keep(struct log *log, const struct command *list, size_t count)
{
	const size_t left = MOST_TRACED - log->traced;

	if (!log->tracing)
		return;
	count = count < left ? count : left;
	memcpy(log->trace + log->traced, list, count * sizeof *list);
	log->traced += count;
}

int clopt__log_settle(struct clopt *ctx, int rc)
{
	struct log *log = &ctx->log;
	size_t i;

	pthread_mutex_lock(&log->lock);
	for (i = 0; i < log->count && rc == CLOPT_OK; i++)
		rc = failed(ctx, &log->list[i]);
	drop_marks(log);
	if (!ctx->profile || rc != CLOPT_OK || !log->count)
		goto out;
	for (i = 0; i < log->count; i++)
		TRY(read_times(ctx, &log->list[i]));
	qsort(log->list, log->count, sizeof *log->list, by_start);
	clopt__sums_add(&log->sums, log->list, log->count);
	clopt__trace_keep(log, log->list, log->count);
	ctx->report.up_seconds = log->sums.up;
	ctx->report.kernel_seconds = log->sums.kernel;
	ctx->report.down_seconds = log->sums.down;
	ctx->report.device_seconds = log->sums.last - log->sums.first;
out:
	release(log);
	pthread_mutex_unlock(&log->lock);
	return rc;
}
