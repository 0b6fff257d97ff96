/* SPDX-License-Identifier: MIT */
/*
 * trace.c - records the commands of each device over several calls, and writes them as JSON.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "api.h"

static int is_profiled(struct clopt *ctx)
{
	return ctx->profile ? CLOPT_OK :
	                      clopt__fail(ctx, CLOPT_EINVAL,
	                                  "clopt_options.profile is 0: open the context with 1 to "
	                                  "record a trace");
}

/* clopt__enter, for a context that must have been opened with profile. */
static int enter(struct clopt *ctx, const char *routine)
{
	const int rc = clopt__enter(ctx, clopt__words(routine));

	return rc == CLOPT_OK ? is_profiled(ctx) : rc;
}

static int start(struct clopt *ctx)
{
	struct log *log = &ctx->log;

	log->traced = 0;
	/* Allocate all memory now, so that no later call fails for lack of it. */
	if (!log->trace)
		log->trace = malloc(MOST_TRACED * sizeof *log->trace);
	if (!log->trace)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a trace");
	log->tracing = 1;
	return clopt__log_clock(ctx);
}

static int stop(struct clopt *ctx)
{
	ctx->log.tracing = 0;
	return CLOPT_OK;
}

/* Act on ctx, which is entered, and on the other members, up to the first failure. */
static int each_member(struct clopt *ctx, const char *routine, int (*act)(struct clopt *member))
{
	const size_t count = clopt_members(ctx);
	char text[512];
	size_t i;
	int rc = act(ctx);

	for (i = 1; i < count && rc == CLOPT_OK; i++) {
		struct clopt *member = clopt_member(ctx, i);

		rc = clopt__enter(member, clopt__words(routine));
		rc = clopt__leave(member, rc == CLOPT_OK ? act(member) : rc);
		clopt__doing(clopt__words(routine));
		if (rc == CLOPT_OK)
			continue;
		snprintf(text, sizeof text, "%s", clopt_error(member));
		clopt__fail(ctx, rc, "device %zu of %zu: %s", i, count, text);
	}
	return rc;
}

int clopt_trace_start(struct clopt *ctx)
{
	int rc;

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	TRY(each_member(ctx, __func__, is_profiled));
	rc = each_member(ctx, __func__, start);
	if (rc != CLOPT_OK)
		each_member(ctx, __func__, stop);
out:
	return clopt__leave(ctx, rc);
}

int clopt_trace_stop(struct clopt *ctx)
{
	const int rc = enter(ctx, __func__);

	return clopt__leave(ctx, rc == CLOPT_OK ? each_member(ctx, __func__, stop) : rc);
}

/* Lock or unlock the other members: they may run other calls. */
static void lock_others(struct clopt *ctx, int (*act)(pthread_mutex_t *lock))
{
	size_t i;

	for (i = 1; i < clopt_members(ctx); i++)
		act(&clopt_member(ctx, i)->lock);
}

/* first: the host's time at 0 of the trace. */
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

/* Write the names of a device and its queues. */
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

/* Write Chrome's trace event format: a process is a device, a thread a queue.  "X" is an event with
 * a duration, "M" a name. */
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
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "no trace was started: call clopt_trace_start first"));
	lock_others(ctx, pthread_mutex_lock);
	rc = clopt__file(ctx, path, write_json);
	lock_others(ctx, pthread_mutex_unlock);
out:
	return clopt__leave(ctx, rc);
}
