/* SPDX-License-Identifier: MIT */
/*
 * async.c - started (asynchronous) calls, and clopt_call_wait.  A thread of the context runs them in the order of their start, by
 * the function that serves a synchronous call.  The first start makes the thread.
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
	int abandoned; /* freed before it was done */
	int cancelled; /* atomic */
	char *text; /* the failure's message */
	struct clopt_call *next;
};

struct async {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a call came or ended, or the thread has to end */
	struct clopt_call *first, **last;
	const struct clopt_call *now; /* the running call */
	int quit;
};

/* A copy of this thread's message for another thread; NULL without memory. */
static char *copy_of(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

static void let_go(struct clopt_call *c)
{
	clopt__let_go(c->ctx);
	free(c->text);
	free(c);
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
		/* The call begins when it has the context's lock.  Until then it may be
		 * cancelled. */
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_lock(&ctx->lock);
		pthread_mutex_lock(&s->lock);
		s->now = c = s->first;
		pthread_mutex_unlock(&s->lock);
		if (!c) {
			pthread_mutex_unlock(&ctx->lock);
			pthread_mutex_lock(&s->lock);
			continue;
		}
		rc = clopt__call(ctx, &c->job, &c->report);
		c->text = rc == CLOPT_OK ? NULL : copy_of(clopt_error(ctx));
		pthread_mutex_lock(&s->lock);
		s->now = NULL;
		pthread_mutex_unlock(&ctx->lock);
		/* From here on the caller may collect the call. */
		s->first = c->next;
		s->last = s->first ? s->last : &s->first;
		c->rc = rc;
		c->finished = 1;
		pthread_cond_broadcast(&s->changed);
		if (c->abandoned)
			let_go(c);
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

	clopt__caller_hold();
	TRY(clopt__usable(ctx));
	c = calloc(1, sizeof *c);
	if (!c)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory to start a call"));
	c->ctx = ctx;
	c->job = *described;
	c->job.cancelled = &c->cancelled;
	/* A lock of its own, since a running call holds the context's. */
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
	if (rc == CLOPT_OK) {
		clopt__hold(ctx);
		*call = c;
	} else {
		free(c);
	}
out:
	clopt__caller_back();
	return rc;
}

int clopt_call_done(const struct clopt_call *call)
{
	struct async *s;
	int finished;

	if (!call || !clopt__open_here(call->ctx)) /* clopt_close has waited for it */
		return 1;
	clopt__caller_hold();
	s = call->ctx->async;
	pthread_mutex_lock(&s->lock);
	finished = call->finished;
	pthread_mutex_unlock(&s->lock);
	clopt__caller_back();
	return finished;
}

void clopt_call_cancel(struct clopt_call *call)
{
	struct clopt_call **at;
	struct async *s;

	if (!call || !clopt__open_here(call->ctx))
		return;
	clopt__caller_hold();
	s = call->ctx->async;
	pthread_mutex_lock(&s->lock);
	if (call == s->now) {
		/* The call is about to begin, runs, or has just ended. */
		__atomic_store_n(&call->cancelled, 1, __ATOMIC_SEQ_CST);
		clopt_cancel(call->ctx);
	} else if (!call->finished) {
		for (at = &s->first; *at != call; at = &(*at)->next)
			;
		*at = call->next;
		if (!*at)
			s->last = at;
		call->rc = CLOPT_ECANCELED;
		call->text = copy_of("the call was cancelled before its turn");
		call->finished = 1;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	clopt__caller_back();
}

static void wait_for(struct clopt_call *call)
{
	struct async *s = call->ctx->async;

	pthread_mutex_lock(&s->lock);
	while (!call->finished)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

int clopt_call_wait(struct clopt_call *call, struct clopt_report *report)
{
	struct clopt *ctx;
	int rc = CLOPT_OK;

	if (!call)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_call_wait: call is NULL");
	ctx = call->ctx;
	clopt__caller_hold();
	TRY(clopt__may_wait(ctx));
	wait_for(call);
	if (report)
		rc = clopt__sized_give(ctx, "clopt_report", report, &call->report, sizeof *report);
	/* The call's own message is set last, so that it stays. */
	if (call->rc != CLOPT_OK)
		rc = clopt__fail(ctx, call->rc, "%s",
		                 call->text ? call->text : "no memory to say why");
out:
	clopt__caller_back();
	return rc;
}

/* A callback of a call on this context cannot wait for another call: the thread frees it. */
void clopt_call_free(struct clopt_call *call)
{
	struct async *s;
	int finished = 1;

	if (!call || clopt__forked(call->ctx))
		return;
	clopt__caller_hold();
	if (clopt__entered(call->ctx)) { /* otherwise clopt_close has waited for it */
		wait_for(call);
	} else if (clopt__is_outside(call->ctx)) {
		s = call->ctx->async;
		pthread_mutex_lock(&s->lock);
		finished = call->finished;
		call->abandoned = 1;
		pthread_mutex_unlock(&s->lock);
	}
	if (finished)
		let_go(call);
	clopt__caller_back();
}
