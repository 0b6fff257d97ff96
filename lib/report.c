/* SPDX-License-Identifier: MIT */
/*
 * report.c - the line that CLOPT_VERBOSE asks for: the library's only output.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime, also under -std=c99 */
#endif
#include <stdio.h>
#include <time.h>

#include "internal.h"

double clopt__now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void clopt__verbose(const struct clopt *ctx, const struct clopt_problem *problem, int rc)
{
	const struct clopt_report *r = &ctx->report;
	char text[160];

	if (rc != CLOPT_OK) {
		fprintf(stderr, "clopt: %s: %s\n", clopt_strerror(rc), clopt_error(ctx));
		return;
	}
	clopt__problem_text(problem, text, sizeof text);
	fprintf(stderr,
	        "clopt: %s: %s on %s, bands %zu, queues %zu, %zu bytes up, %zu down, %.6f s\n",
	        text, r->variant ? r->variant : "nothing to run", ctx->device.info.name, r->bands,
	        r->queues, r->up_bytes, r->down_bytes, r->seconds);
}
