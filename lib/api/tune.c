/* SPDX-License-Identifier: MIT */
/*
 * tune.c - clopt_tune.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "api.h"

#define BUDGET 20.0

static int read_options(const struct clopt *ctx, const struct clopt_tune_options *given,
                        struct clopt_tune_options *o)
{
	static const struct clopt_tune_options initial = CLOPT_TUNE_OPTIONS_INIT;
	int rc = CLOPT_OK;

	*o = initial;
	if (given) {
		TRY(clopt__check_options(ctx, "clopt_tune_options", given->size, sizeof *given));
		memcpy(o, given, given->size);
	}
	if (o->budget_seconds == 0)
		o->budget_seconds = BUDGET;
	if (!(o->budget_seconds > 0 && o->budget_seconds <= 1e6))
		rc = clopt__fail(ctx, CLOPT_EINVAL, "budget_seconds is %g: from 0 to 1e6",
		                 o->budget_seconds);
out:
	return rc;
}

static int check(const struct clopt *ctx, const struct clopt_problem *p)
{
	if (!clopt__is_tuned(p))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is not tuned", clopt_op_name(p->op));
	if (clopt__units(p) == 0)
		return clopt__fail(ctx, CLOPT_EINVAL, "there is nothing to compute");
	if (ctx->forced[p->op])
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is forced, so there is no choice",
		                   ctx->forced[p->op]->name);
	return CLOPT_OK;
}

int clopt_tune(struct clopt *ctx, const struct clopt_problem *problem,
               const struct clopt_tune_options *options, char *record, size_t size)
{
	const struct candidate *choice = NULL;
	struct clopt_problem whole;
	struct search *s = NULL;
	int rc = clopt__begin_text(ctx, "tuning");

	if (record && size)
		record[0] = '\0';
	if (rc != CLOPT_OK)
		return rc;
	ctx->tuning = 2;
	if (!(s = calloc(1, sizeof *s))) {
		rc = clopt__fail(ctx, CLOPT_ENOMEM, "no memory to tune with");
		goto out;
	}
	s->ctx = ctx;
	TRY(read_options(ctx, options, &s->o));
	TRY(clopt__problem_read(ctx, problem, &whole));
	TRY(check(ctx, &whole));
	if (!s->o.dry)
		TRY(clopt__records_writable(ctx));
	s->p = whole;
	TRY(clopt__search_begin(s));
	TRY(clopt__search(s, &choice));
	if (choice)
		TRY(clopt__record_add(ctx, &whole, choice->v, clopt__units(&s->p) / choice->seconds,
		                      !s->o.dry, record, size));
out:
	ctx->tuning = 0;
	free(s);
	return clopt__end_text(ctx, "tuning", rc, NULL);
}
