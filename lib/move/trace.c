/* SPDX-License-Identifier: MIT */
/*
 * trace.c - keeps commands over several calls and writes them as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "move.h"

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

int clopt_trace_start(struct clopt *ctx)
{
	struct log *log;
	int rc = CLOPT_OK;

	TRY(enter(ctx, __func__));
	log = &ctx->log;
	log->traced = 0;
	/* Allocate all room now, so that no later call fails for lack of memory. */
	if (!log->trace)
		log->trace = malloc(MOST_TRACED * sizeof *log->trace);
	if (!log->trace)
		rc = clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a time line");
	log->tracing = log->trace != NULL;
out:
	return clopt__leave(ctx, rc);
}

int clopt_trace_stop(struct clopt *ctx)
{
	const int rc = enter(ctx, __func__);

	if (rc == CLOPT_OK)
		ctx->log.tracing = 0;
	return clopt__leave(ctx, rc);
}

static void json_command(FILE *f, const struct command *c, double first)
{
	char start[NUMBER_SIZE], took[NUMBER_SIZE], queued[NUMBER_SIZE], speed[NUMBER_SIZE];
	char name[8 * sizeof c->label];
	static const char *const kinds[COMMAND_KINDS] = { "up", "kernel", "down", "copy" };
	const char *kind = kinds[c->kind];

	fprintf(f,
	        "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%s,\"dur\":%s,\"cat\":\"%s\","
	        "\"name\":\"%s\",\"args\":{\"call\":%zu,\"queued_us\":%s",
	        c->queue, clopt__number(start, 1e6 * (c->start - first), 3),
	        clopt__number(took, 1e6 * (c->end - c->start), 3), kind,
	        c->label[0] ? clopt__quoted(name, sizeof name, c->label) : kind, c->call,
	        clopt__number(queued, 1e6 * (c->queued - first), 3));
	if (c->bytes)
		fprintf(f, ",\"bytes\":%zu", c->bytes);
	if (c->bytes && c->end > c->start)
		fprintf(f, ",\"GB/s\":%s",
		        clopt__number(speed, 1e-9 * (double)c->bytes / (c->end - c->start), 3));
	fprintf(f, "}}");
}

/* Chrome's trace event format: "X" is an event with a duration, "M" a name. */
static void write_json(const struct clopt *ctx, FILE *f)
{
	const struct command *list = ctx->log.trace;
	const size_t count = ctx->log.traced;
	char name[8 * sizeof ctx->device.info.name];
	double first = count ? list->start : 0;
	unsigned q, queues = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		first = list[i].start < first ? list[i].start : first;
		queues = list[i].queue < queues ? queues : list[i].queue + 1;
	}
	fprintf(f,
	        "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"clopt\":\"%s\","
	        "\"copy_engines\":%u},\n"
	        "\"traceEvents\":[\n"
	        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
	        clopt_version(), ctx->device.info.copy_engines,
	        clopt__quoted(name, sizeof name, ctx->device.info.name));
	for (q = 0; q < queues; q++)
		fprintf(f,
		        ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\","
		        "\"args\":{\"name\":\"queue %u\"}}",
		        q, q);
	for (i = 0; i < count; i++) {
		fprintf(f, ",\n");
		json_command(f, &list[i], first);
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
