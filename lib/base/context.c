/* SPDX-License-Identifier: MIT */
/*
 * context.c - who may use a context, and its lifetime.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* getpid, also under -std=c99 */
#endif
#include <stdlib.h>
#include <unistd.h>

#include "context.h"

int clopt__entered(const struct clopt *ctx)
{
	return clopt__open_here(ctx) && !clopt__is_outside(ctx);
}

int clopt__reachable(const struct clopt *ctx)
{
	if (!ctx)
		return clopt__fail(NULL, CLOPT_EINVAL, "ctx is NULL");
	if (clopt__freed(ctx))
		return clopt__fail(NULL, CLOPT_EINVAL, "the context is closed");
	if (clopt__forked(ctx))
		return clopt__fail(ctx, CLOPT_EFORK,
		                   "process %ld opened the context, and this is process %ld: open "
		                   "contexts after the fork",
		                   ctx->process, (long)getpid());
	if (clopt__flag(&ctx->shared->closed))
		return clopt__fail(NULL, CLOPT_EINVAL, "the context is closed");
	return CLOPT_OK;
}

int clopt__may_wait(const struct clopt *ctx)
{
	const int rc = clopt__reachable(ctx);

	return rc == CLOPT_OK ? clopt__is_callable(ctx) : rc;
}

static int check_lost(const struct clopt *ctx)
{
	return clopt__flag(&ctx->shared->lost) ?
	               clopt__fail(ctx, CLOPT_ELOST,
	                           "%s was lost in an earlier call: open another context",
	                           ctx->device.info.name) :
	               CLOPT_OK;
}

int clopt__usable(const struct clopt *ctx)
{
	const int rc = clopt__may_wait(ctx);

	return rc == CLOPT_OK ? check_lost(ctx) : rc;
}

int clopt__enter_host(struct clopt *ctx, struct sentence call)
{
	int rc = CLOPT_OK;

	clopt__caller_hold();
	clopt__doing(call);
	TRY(clopt__may_wait(ctx));
	pthread_mutex_lock(&ctx->lock);
	ctx->small_product = 0;
	rc = check_lost(ctx);
out:
	return rc;
}

int clopt__enter(struct clopt *ctx, struct sentence call)
{
	const int rc = clopt__enter_host(ctx, call);

	clopt__caller_drives();
	return rc;
}

int clopt__leave(struct clopt *ctx, int rc)
{
	clopt__done();
	if (rc == CLOPT_OK || clopt__entered(ctx)) {
		if (rc != CLOPT_OK && clopt__flag(&ctx->shared->lost))
			rc = CLOPT_ELOST;
		pthread_mutex_unlock(&ctx->lock);
	}
	clopt__caller_back();
	return rc;
}

void clopt__hold(struct clopt *ctx)
{
	pthread_mutex_lock(&ctx->shared->lock);
	ctx->shared->references++;
	pthread_mutex_unlock(&ctx->shared->lock);
}

void clopt__let_go(struct clopt *ctx)
{
	size_t left;

	pthread_mutex_lock(&ctx->shared->lock);
	left = --ctx->shared->references;
	pthread_mutex_unlock(&ctx->shared->lock);
	if (left)
		return;
	if (ctx->adopted)
		clReleaseDevice(ctx->device.id);
	if (ctx->context)
		clReleaseContext(ctx->context);
	pthread_mutex_destroy(&ctx->starting);
	pthread_mutex_destroy(&ctx->lock);
	pthread_mutex_destroy(&ctx->shared->lock);
	free(ctx->shared);
	ctx->self = NULL;
	free(ctx);
}
