/* SPDX-License-Identifier: MIT */
/*
 * begin.c - begins and ends each call that has a report.
 */
#include <string.h>

#include "call.h"

int clopt__begin(struct clopt *ctx, struct sentence call)
{
	const int rc = clopt__enter_host(ctx, call);
	struct clopt_report *r;

	if (rc != CLOPT_OK && !clopt__entered(ctx))
		return rc;
	clopt__running_begin(ctx);
	r = &ctx->report;
	memset(r, 0, r->size); /* 0 in a new context, whose report is empty */
	r->size = sizeof *r;
	r->seconds = -clopt__now();
	/* Wraps below zero; clopt__end adds the final counts. */
	r->kernels_loaded = -ctx->built.loaded;
	r->kernels_compiled = -ctx->built.compiled;
	r->kernels_saved = -ctx->built.saved;
	return rc;
}

int clopt__end(struct clopt *ctx, int rc, struct clopt_report *report)
{
	struct clopt_report *r;
	char text[160];

	if (rc != CLOPT_OK && !clopt__entered(ctx))
		goto out;
	clopt__running_end(ctx);
	r = &ctx->report;
	r->seconds += clopt__now();
	r->kernels_loaded += ctx->built.loaded;
	r->kernels_compiled += ctx->built.compiled;
	r->kernels_saved += ctx->built.saved;
	clopt__report_close(ctx);
	if (ctx->verbose) {
		clopt__say_doing(text, sizeof text);
		clopt__verbose(ctx, text, rc);
	}
	if (report)
		*report = *r;
out:
	return clopt__leave(ctx, rc);
}

int clopt_last_report(struct clopt *ctx, struct clopt_report *report)
{
	int rc;

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!report)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "report is NULL"));
	rc = clopt__sized_give(ctx, "clopt_report", report, &ctx->report, sizeof *report);
out:
	return clopt__leave(ctx, rc);
}
