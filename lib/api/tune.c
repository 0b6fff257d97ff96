/* SPDX-License-Identifier: MIT */
/*
 * tune.c - clopt_tune, clopt_time_variant and clopt_tuning_merge.
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
	TRY(clopt__sized_read(ctx, "clopt_tune_options", given, o, sizeof *o));
	if (o->budget_seconds == 0)
		o->budget_seconds = BUDGET;
	if (!(o->budget_seconds > 0 && o->budget_seconds <= 1e6))
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "budget_seconds is %g: it must be from 0 (the default) to 1e6",
		                o->budget_seconds));
	TRY(clopt__check_number(ctx, "rows_only", o->rows_only, 0, 1));
	rc = clopt__check_number(ctx, "dry", o->dry, 0, 1);
out:
	return rc;
}

static int check_size(const struct clopt *ctx, const struct clopt_problem *p)
{
	if (!clopt__is_tuned(p))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s is not tuned: matmul, transpose, potential and nbody are",
		                   clopt_op_name(p->op));
	if (clopt__units(p) == 0)
		return clopt__fail(ctx, CLOPT_EINVAL, "a size is 0: there is nothing to compute");
	return CLOPT_OK;
}

int clopt_tune(struct clopt *ctx, const struct clopt_problem *problem,
               const struct clopt_tune_options *options, char *record, size_t size)
{
	const struct candidate *choice = NULL;
	struct clopt_problem whole;
	struct search *s = NULL;
	int rc = CLOPT_OK;

	if (record && size)
		record[0] = '\0';
	TRY(clopt__begin(ctx, clopt__words("tuning")));
	if (!(s = calloc(1, sizeof *s)))
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory to tune with"));
	s->ctx = ctx;
	TRY(read_options(ctx, options, &s->o));
	TRY(clopt__problem_asked(ctx, problem, &whole));
	TRY(check_size(ctx, &whole));
	if (ctx->forced[whole.op])
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "variant %s is forced: tuning would have no choice",
		                ctx->forced[whole.op]->name));
	if (!s->o.dry)
		TRY(clopt__records_writable(ctx));
	s->p = whole;
	TRY(clopt__search_begin(s));
	TRY(clopt__search(s, &choice));
	TRY(clopt__go_on(ctx, 1));
	if (choice)
		TRY(clopt__record_add(ctx, &whole, choice->v, clopt__units(&s->p) / choice->seconds,
		                      !s->o.dry, record, size));
out:
	free(s);
	return clopt__end(ctx, rc, NULL);
}

/* The named row, or the one that a call would choose. */
static int find(struct clopt *ctx, const struct clopt_problem *p, const char *variant,
                const struct variant **v)
{
	const struct selection how = { .resident = 0 };
	cl_kernel kernel;
	char why[256];
	struct text t = { why, sizeof why };

	if (!variant)
		return clopt__select(ctx, p, &how, v, &kernel);
	*v = clopt__named(ctx, variant, strlen(variant), why, sizeof why);
	if (!*v)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s", why);
	if ((int)(*v)->op != p->op)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is not a variant of %s", variant,
		                   clopt_op_name(p->op));
	if (!clopt__can_serve(ctx, *v, p, 0, &t))
		return clopt__fail(ctx, CLOPT_ENOVARIANT, "%s cannot compute this here: %s",
		                   variant, why);
	return CLOPT_OK;
}

int clopt_time_variant(struct clopt *ctx, const struct clopt_problem *problem, const char *variant,
                       double window, double *seconds)
{
	const struct variant *v;
	struct clopt_problem p;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, clopt__words("clopt_time_variant")));
	TRY(clopt__problem_asked(ctx, problem, &p));
	if (!seconds)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "seconds is NULL"));
	if (!(window >= 0 && window <= 1e6))
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "window is %g: it must be from 0 to 1e6 seconds",
		                window));
	TRY(check_size(ctx, &p));
	TRY(clopt__whole_fits(ctx, &p));
	TRY(find(ctx, &p, variant, &v));
	TRY(clopt__time_row(ctx, v, &p, window, seconds));
	TRY(clopt__go_on(ctx, 1));
out:
	return clopt__end(ctx, rc, NULL);
}

int clopt_tuning_merge(struct clopt *ctx, const char *text, size_t *added)
{
	size_t n = 0;
	int rc = CLOPT_OK;

	if (added)
		*added = 0;
	TRY(clopt__begin(ctx, clopt__words("clopt_tuning_merge")));
	if (!text)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "text is NULL"));
	rc = clopt__records_merge(ctx, text, &n);
	if (added)
		*added = n;
out:
	return clopt__end(ctx, rc, NULL);
}
