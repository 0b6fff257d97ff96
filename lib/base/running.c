/* SPDX-License-Identifier: MIT */
/*
 * running.c - cancelling a call, its progress, and callbacks.
 *
 * One atomic number tells which call runs and whether it is cancelled.  So clopt_cancel is safe in
 * a signal handler and never cancels a later call.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context.h"

#define EVERY 0.2 /* seconds between two calls of progress */

static __thread char self; /* its address identifies the thread */

void clopt__running_begin(struct clopt *ctx)
{
	struct running *r = &ctx->running;

	r->first = r->done = 0;
	r->share = 1;
	r->told = r->progress ? clopt__now() : 0;
	__atomic_store_n(&r->call, 2 * ++r->count, __ATOMIC_SEQ_CST);
}

void clopt__running_end(struct clopt *ctx)
{
	__atomic_store_n(&ctx->running.call, 0, __ATOMIC_SEQ_CST);
}

int clopt__is_cancelled(const struct clopt *ctx)
{
	return (int)(__atomic_load_n(&ctx->running.call, __ATOMIC_SEQ_CST) & 1);
}

void clopt_cancel(struct clopt *ctx)
{
	size_t call = ctx && !clopt__freed(ctx) ?
	                      __atomic_load_n(&ctx->running.call, __ATOMIC_SEQ_CST) :
	                      0;

	/* A failure means that the call has ended, or is cancelled already. */
	if (call && !(call & 1))
		__atomic_compare_exchange_n(&ctx->running.call, &call, call | 1, 0,
		                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

int clopt__go_on(struct clopt *ctx, double done)
{
	struct running *r = &ctx->running;
	const double part = r->first + r->share * done;
	struct outside o;

	r->done = part > r->done ? part : r->done;
	if (r->progress && clopt__now() - r->told >= EVERY && !clopt__is_cancelled(ctx)) {
		r->told = clopt__now();
		clopt__outside(ctx, &o);
		if (r->progress(r->progress_user, r->done < 1 ? r->done : 1))
			clopt_cancel(ctx);
		clopt__back(&o);
	}
	return clopt__is_cancelled(ctx) ?
	               clopt__fail(ctx, CLOPT_ECANCELED, "the call was cancelled") :
	               CLOPT_OK;
}

struct stretch clopt__part(struct clopt *ctx, size_t i, size_t n)
{
	struct running *r = &ctx->running;
	const struct stretch now = { r->first, r->share };

	r->first += n ? r->share * (double)i / (double)n : 0;
	r->share = n ? r->share / (double)n : 0;
	return now;
}

void clopt__whole(struct clopt *ctx, struct stretch before)
{
	ctx->running.first = before.first;
	ctx->running.share = before.share;
}

static void mark(const struct clopt *ctx, const void *thread)
{
	__atomic_store_n(&ctx->shared->outside, thread, __ATOMIC_SEQ_CST);
}

/* The mark is in the context, so it stays valid if the callback never returns. */
void clopt__outside(const struct clopt *ctx, struct outside *o)
{
	o->ctx = ctx;
	o->doing = clopt__doing(clopt__words(NULL));
	mark(ctx, &self);
}

void clopt__back(const struct outside *o)
{
	mark(o->ctx, NULL);
	clopt__doing(o->doing);
}

int clopt__is_outside(const struct clopt *ctx)
{
	return __atomic_load_n(&ctx->shared->outside, __ATOMIC_SEQ_CST) == &self;
}

int clopt__is_callable(const struct clopt *ctx)
{
	return clopt__is_outside(ctx) ?
	               clopt__fail(ctx, CLOPT_EINVAL,
	                           "a callback of the context called a function on it: only "
	                           "clopt_cancel is allowed, and the callback must return") :
	               CLOPT_OK;
}

void clopt__notice(const struct clopt *ctx, const char *format, ...)
{
	const struct running *r = &ctx->running;
	char text[8448] = "clopt: ", *line = text, *end;
	const size_t n = strlen(text);
	struct outside o;
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, sizeof text - n, format, args);
	va_end(args);
	if (!r->log) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	clopt__outside(ctx, &o);
	do {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		if (*line)
			r->log(r->log_user, line);
		line = end ? end + 1 : NULL;
	} while (line);
	clopt__back(&o);
}
