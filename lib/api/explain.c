/* SPDX-License-Identifier: MIT */
/*
 * explain.c - tells which row serves a problem and why, by the walk of a call.
 */
#include <stdio.h>
#include <string.h>

#include "../base/text.h"
#include "../choose/choose.h"
#include "../device/device.h"
#include "../kernel/kernel.h"
#include "api.h"

/* List the traits of the device that are not used because of a bug. */
static void say_taken(struct text *lines, const struct device *device)
{
	const struct quirk *q;
	char words[256];

	for (q = clopt__quirks; q->name; q++)
		if (q->takes && (device->quirks >> (q - clopt__quirks) & 1)) {
			clopt__traits_text(q->takes, words, sizeof words);
			clopt__say(lines, "  without %s, by quirk %s: %s\n", words, q->name,
			           q->reason);
		}
}

/* List the devices that share the call with the first, or why they do not. */
static void say_members(struct clopt *ctx, const struct clopt_problem *p, struct text *t)
{
	const char *variant;
	size_t i;

	for (i = 1; i < clopt_members(ctx); i++) {
		struct clopt *member = clopt_member(ctx, i);

		if (!clopt__member_works(ctx, (unsigned)i)) {
			clopt__say(t, "    not shared with %s: its device is lost\n",
			           member->device.info.name);
			continue;
		}
		variant = clopt__member_alike(ctx, (unsigned)i) ? "the same" :
		                                                  clopt_chosen_variant(member, p);
		clopt__say(t, "    shared with %s: %s\n", member->device.info.name,
		           variant ? variant : clopt_error(member));
	}
}

/* Describe the row's geometry and the course of a call, as far as is known without trying. */
static void describe(struct clopt *ctx, const struct clopt_problem *p, const struct variant *v,
                     struct text *t)
{
	struct clopt_plan_info plan = { .dry = 1 };

	if (v->host) {
		clopt__say(t, "    computed by the calling thread, in C\n");
		return;
	}
	clopt__say(t,
	           "    a work-group of %zu x %zu computes %zu x %zu results, from cl/%s %s %s\n",
	           v->wg[0], v->wg[1], clopt__out(v, p, 0), clopt__out(v, p, 1), v->file,
	           v->options, clopt__laws[p->law].options);
	if (p->op >= CLOPT_OP_EVOLVE_SUMS || clopt__plan(ctx, p, &plan) != CLOPT_OK || !plan.bands)
		return;
	if (plan.members > 1)
		say_members(ctx, p, t);
	if (!clopt__ops[p->op]->banded)
		return;
	clopt__say(t,
	           "    bands %zu, queues %zu, %zu bytes up, %zu down, %zu in place, %zu on the "
	           "device",
	           plan.bands, plan.queues, plan.up_bytes, plan.down_bytes, plan.in_place_bytes,
	           plan.device_bytes);
	if (plan.sum_parts > 1)
		clopt__say(t, ", sums in %zu parts", plan.sum_parts);
	clopt__say(t, "\n");
}

static int ask(struct clopt *ctx, const struct clopt_problem *problem, struct text *lines,
               int unbuilt, const struct variant **v)
{
	const struct selection how = { .lines = lines, .unbuilt = unbuilt };
	struct clopt_problem p;
	cl_kernel kernel;
	char words[160];
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, clopt__words(NULL)));
	TRY(clopt__problem_asked(ctx, problem, &p));
	clopt__doing(clopt__problem_sentence(&p));
	clopt__problem_text(&p, words, sizeof words);
	clopt__say(lines, "%s on %s (%s; %s)\n", words, ctx->device.info.name,
	           ctx->device.info.platform, ctx->device.info.traits);
	say_taken(lines, &ctx->device);
	TRY(clopt__select(ctx, &p, &how, v, &kernel));
	if (lines->left)
		describe(ctx, &p, *v, lines);
out:
	return clopt__leave(ctx, rc);
}

int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text, size_t size)
{
	struct text lines = { text, size };
	const struct variant *v;

	if (!text || !size)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_explain: text is NULL or size is 0");
	text[0] = '\0';
	return ask(ctx, problem, &lines, 0, &v);
}

static const char *name_of(struct clopt *ctx, const struct clopt_problem *problem, int unbuilt)
{
	struct text nowhere = { NULL, 0 };
	const struct variant *v;

	return ask(ctx, problem, &nowhere, unbuilt, &v) == CLOPT_OK ? v->name : NULL;
}

const char *clopt_chosen_variant(struct clopt *ctx, const struct clopt_problem *problem)
{
	return name_of(ctx, problem, 0);
}

const char *clopt_expected_variant(struct clopt *ctx, const struct clopt_problem *problem)
{
	return name_of(ctx, problem, 1);
}

int clopt_variant_runs(struct clopt *ctx, size_t i, const struct clopt_problem *problem, char *why,
                       size_t size)
{
	struct text t = { why, why ? size : 0 };
	struct clopt_problem p;
	double free_seconds = 0;
	size_t least;
	const int rc = clopt__enter(ctx, clopt__words(NULL));
	int yes = 0;

	if (t.left)
		why[0] = '\0';
	if (rc != CLOPT_OK || !clopt_variant_name(i))
		clopt__say(&t, "%s",
		           !ctx           ? "ctx is NULL" :
		           rc != CLOPT_OK ? clopt_strerror(rc) :
		                            "no variant has this number");
	else if (!problem)
		yes = clopt__can_serve(ctx, clopt__variant((size_t)i), NULL, 0, &t);
	else if (clopt__problem_asked(ctx, problem, &p) != CLOPT_OK)
		clopt__say(&t, "%s", clopt_error(ctx));
	else if (p.op != (int)clopt__variant((size_t)i)->op)
		clopt__say(&t, "is a variant of %s",
		           clopt_op_name((int)clopt__variant((size_t)i)->op));
	else if (clopt__can_serve(ctx, clopt__variant((size_t)i), &p, 0, &t)) {
		yes = clopt__fits_memory(ctx, clopt__variant((size_t)i), &p, &free_seconds,
		                         &least) == CLOPT_OK;
		if (!yes)
			clopt__say(&t, "%s", clopt_error(ctx));
	}
	clopt__leave(ctx, rc);
	return yes;
}
