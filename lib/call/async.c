/* SPDX-License-Identifier: MIT */
/*
 * async.c - asynchronous calls, in a thread of the context.
 *
 * The thread is made at the first start.  It takes calls in the order of their start and runs for
 * each the function that a call at once runs.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/threads.h"
#include "call.h"

struct clopt_call {
	struct clopt *ctx;
	struct job job;
	struct clopt_report report;
	int rc, finished;
	char *text; /* why it failed */
	struct clopt_call *next;
};

struct async {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a call came or ended, or the thread is to end */
	struct clopt_call *first, **last;
	int quit;
};

/* A copy of this thread's text for another thread; NULL without memory. */
static char *copy_of(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

static void *run(void *argument)
{
	struct clopt *ctx = argument;
	struct async *s = ctx->async;
	struct clopt_call *c;
	int rc;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		c = s->first;
		if (!c && s->quit)
			break;
		if (!c) {
			pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		rc = clopt__call(ctx, &c->job, &c->report);
		c->text = rc == CLOPT_OK ? NULL : copy_of(clopt_error(ctx));
		pthread_mutex_lock(&s->lock);
		/* From here on the call may be collected. */
		s->first = c->next;
		s->last = s->first ? s->last : &s->first;
		c->rc = rc;
		c->finished = 1;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static int open_thread(struct clopt *ctx)
{
	struct async *s = calloc(1, sizeof *s);

	if (!s)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to start a call");
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->last = &s->first;
	ctx->async = s;
	if (clopt__thread(&s->thread, run, ctx)) {
		ctx->async = NULL;
		pthread_cond_destroy(&s->changed);
		pthread_mutex_destroy(&s->lock);
		free(s);
		return clopt__fail(ctx, CLOPT_ENOMEM, "no thread to start a call in");
	}
	return CLOPT_OK;
}

void clopt__async_free(struct clopt *ctx)
{
	struct async *s = ctx->async;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->quit = 1;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	ctx->async = NULL;
}

int clopt__async_start(struct clopt *ctx, const struct job *described, struct clopt_call **call)
{
	struct clopt_call *c = NULL;
	int rc = CLOPT_OK;

	if (!ctx)
		return clopt__fail(NULL, CLOPT_EINVAL, "ctx is NULL");
	c = calloc(1, sizeof *c);
	if (!c)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to start a call");
	c->ctx = ctx;
	c->job = *described;
	/* A lock of its own, since the context's is held as long as a call runs. */
	pthread_mutex_lock(&ctx->starting);
	if (!ctx->async)
		rc = open_thread(ctx);
	if (rc == CLOPT_OK) {
		pthread_mutex_lock(&ctx->async->lock);
		*ctx->async->last = c;
		ctx->async->last = &c->next;
		pthread_cond_broadcast(&ctx->async->changed);
		pthread_mutex_unlock(&ctx->async->lock);
	}
	pthread_mutex_unlock(&ctx->starting);
	if (rc == CLOPT_OK)
		*call = c;
	else
		free(c);
	return rc;
}

int clopt_call_done(const struct clopt_call *call)
{
	struct async *s;
	int finished;

	if (!call)
		return 1;
	s = call->ctx->async;
	pthread_mutex_lock(&s->lock);
	finished = call->finished;
	pthread_mutex_unlock(&s->lock);
	return finished;
}

int clopt_call_wait(struct clopt_call *call, struct clopt_report *report)
{
	struct async *s;
	struct clopt *ctx;
	int given = CLOPT_OK, rc;

	if (!call)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_call_wait: call is NULL");
	ctx = call->ctx;
	s = ctx->async;
	pthread_mutex_lock(&s->lock);
	while (!call->finished)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	if (report)
		given = clopt__sized_give(ctx, "clopt_report", report, &call->report,
		                          sizeof *report);
	rc = call->rc == CLOPT_OK ? given : call->rc;
	/* The call's own failure is set last, so its text stays. */
	if (call->rc != CLOPT_OK)
		clopt__fail(ctx, rc, "%s", call->text ? call->text : "no memory to say why");
	free(call->text);
	free(call);
	return rc;
}
