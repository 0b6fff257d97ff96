/* SPDX-License-Identifier: MIT */
/*
 * force.c - variants that the caller forces, whatever select.c would choose.
 */
#include <string.h>

#include "choose.h"

int clopt__force(struct clopt *ctx, const struct clopt *who, const char *source, const char *names,
                 const struct variant **forced)
{
	const struct variant *v;
	char why[256];
	size_t n;

	memset(forced, 0, CLOPT_OPS * sizeof *forced);
	while (names && *(names += strspn(names, ", "))) {
		n = strcspn(names, ", ");
		v = clopt__named(ctx, names, n, why, sizeof why);
		if (!v)
			return clopt__fail(who, CLOPT_EINVAL, "%s: %s", source, why);
		if (forced[v->op])
			return clopt__fail(who, CLOPT_EINVAL, "%s: both %s and %s, for one %s",
			                   source, forced[v->op]->name, v->name,
			                   clopt__ops[v->op]->name);
		forced[v->op] = v;
		names += n;
	}
	return CLOPT_OK;
}

int clopt_force_variants(struct clopt *ctx, const char *names)
{
	const struct variant *forced[CLOPT_OPS];
	int rc;

	if (!ctx)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_force_variants: ctx is NULL");
	pthread_mutex_lock(&ctx->lock);
	rc = clopt__force(ctx, ctx, "clopt_force_variants", names, forced);
	if (rc == CLOPT_OK)
		memcpy(ctx->forced, forced, sizeof forced);
	pthread_mutex_unlock(&ctx->lock);
	return rc;
}
