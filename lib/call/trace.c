/* SPDX-License-Identifier: MIT */
/*
 * trace.c - keeps commands over several calls, of each device, and writes them as JSON.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "call.h"

/* clopt__enter, for a context that must profile. */
static int enter(struct clopt *ctx, const char *routine)
{
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, clopt__words(routine)));
	if (!ctx->profile)
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "the context was opened without clopt_options.profile");
out:
	return rc;
}

static int start(struct clopt *ctx)
{
	struct log *log = &ctx->log;

	log->traced = 0;
	/* Allocate all room now, so that no later call fails for lack of memory. */
	if (!log->trace)
		log->trace = malloc(MOST_TRACED * sizeof *log->trace);
	if (!log->trace)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a time line");
	log->tracing = 1;
	return clopt_members(ctx) > 1 || ctx->joined ? clopt__log_clock(ctx) : CLOPT_OK;
}

static int stop(struct clopt *ctx)
{
	ctx->log.tracing = 0;
	return CLOPT_OK;
}

/* On ctx, then on the other members. */
static int each_member(struct clopt *ctx, const char *routine, int (*act)(struct clopt *member))
{
	const size_t count = clopt_members(ctx);
	size_t i;
	int rc = CLOPT_OK;

	for (i = 0; i < count && rc == CLOPT_OK; i++) {
		struct clopt *member = clopt_member(ctx, i);

		rc = enter(member, routine);
		if (rc == CLOPT_OK)
			rc = act(member);
		rc = clopt__leave(member, rc);
		if (rc != CLOPT_OK && i)
			rc = clopt__fail(ctx, rc, "device %zu of %zu: %s", i, count,
			                 clopt_error(member));
	}
	return count ? rc : clopt__leave(NULL, enter(NULL, routine));
}

int clopt_trace_start(struct clopt *ctx)
{
	return each_member(ctx, __func__, start);
}

int clopt_trace_stop(struct clopt *ctx)
{
	return each_member(ctx, __func__, stop);
}

/* first: the host's time that stands for 0. */
static void json_command(FILE *f, const struct clopt *ctx, size_t member, const struct command *c,
                         double first)
{
	char start[NUMBER_SIZE], took[NUMBER_SIZE], queued[NUMBER_SIZE], speed[NUMBER_SIZE];
	char name[8 * sizeof c->label];
	static const char *const kinds[COMMAND_KINDS] = { "up", "kernel", "down", "copy" };
	const char *kind = kinds[c->kind];
	const double zero = ctx->log.host - first;

	fprintf(f,
	        ",\n{\"ph\":\"X\",\"pid\":%zu,\"tid\":%u,\"ts\":%s,\"dur\":%s,\"cat\":\"%s\","
	        "\"name\":\"%s\",\"args\":{\"call\":%zu,\"queued_us\":%s",
	        member + 1, c->queue, clopt__number(start, 1e6 * (c->start + zero), 3),
	        clopt__number(took, 1e6 * (c->end - c->start), 3), kind,
	        c->label[0] ? clopt__quoted(name, sizeof name, c->label) : kind, c->call,
	        clopt__number(queued, 1e6 * (c->queued + zero), 3));
	if (c->bytes)
		fprintf(f, ",\"bytes\":%zu", c->bytes);
	if (c->bytes && c->end > c->start)
		fprintf(f, ",\"GB/s\":%s",
		        clopt__number(speed, 1e-9 * (double)c->bytes / (c->end - c->start), 3));
	fprintf(f, "}}");
}

/* The names of a device and its queues. */
static void json_device(FILE *f, const struct clopt *ctx, size_t member)
{
	char name[8 * sizeof ctx->device.info.name];
	unsigned q, queues = 0;
	size_t i;

	for (i = 0; i < ctx->log.traced; i++)
		if (queues <= ctx->log.trace[i].queue)
			queues = ctx->log.trace[i].queue + 1;
	fprintf(f,
	        "%s{\"ph\":\"M\",\"pid\":%zu,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
	        member ? ",\n" : "", member + 1,
	        clopt__quoted(name, sizeof name, ctx->device.info.name));
	for (q = 0; q < queues; q++)
		fprintf(f,
		        ",\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":%u,\"name\":\"thread_name\","
		        "\"args\":{\"name\":\"queue %u\"}}",
		        member + 1, q, q);
}

/* Chrome's trace event format: a process is a device, a thread a queue; "X" is an event with a
 * duration, "M" a name. */
static void write_json(const struct clopt *ctx, FILE *f)
{
	struct clopt *const first = (struct clopt *)ctx;
	const size_t members = clopt_members(ctx);
	double zero = HUGE_VAL;
	size_t i, j;

	fprintf(f,
	        "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"clopt\":\"%s\","
	        "\"copy_engines\":%u},\n"
	        "\"traceEvents\":[\n",
	        clopt_version(), ctx->device.info.copy_engines);
	for (i = 0; i < members; i++) {
		const struct log *log = &clopt_member(first, i)->log;

		json_device(f, clopt_member(first, i), i);
		for (j = 0; j < log->traced; j++)
			zero = fmin(zero, log->host + log->trace[j].start);
	}
	for (i = 0; i < members; i++) {
		const struct clopt *member = clopt_member(first, i);

		for (j = 0; j < member->log.traced; j++)
			json_command(f, member, i, &member->log.trace[j], zero);
	}
	fprintf(f, "\n]}\n");
}

int clopt_trace_json(struct clopt *ctx, const char *path)
{
	int rc = CLOPT_OK;

	TRY(enter(ctx, __func__));
	if (!path)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "path is NULL"));
	if (!ctx->log.trace)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "there was no clopt_trace_start"));
	rc = clopt__file(ctx, path, write_json);
out:
	return clopt__leave(ctx, rc);
}
