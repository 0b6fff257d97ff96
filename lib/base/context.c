/* SPDX-License-Identifier: MIT */
/*
 * context.c - who may use a context.
 */
#include "context.h"

int clopt__enter(struct clopt *ctx, struct sentence call)
{
	int rc = CLOPT_OK;

	clopt__doing(call);
	if (!ctx)
		return clopt__fail(NULL, CLOPT_EINVAL, "ctx is NULL");
	TRY(clopt__is_callable(ctx));
	pthread_mutex_lock(&ctx->lock);
out:
	return rc;
}

int clopt__leave(struct clopt *ctx, int rc)
{
	clopt__done();
	if (ctx && !clopt__is_outside(ctx))
		pthread_mutex_unlock(&ctx->lock);
	return rc;
}
