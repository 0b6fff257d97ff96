/* SPDX-License-Identifier: MIT */
/*
 * select.c - which row of the table serves a problem, and why.  The choice and its explanation are
 * one walk, so they cannot disagree.  The walk measures and stores nothing, so that calls,
 * questions and timing can use it.  A forced row comes first, then the row on record for the
 * problem's class.  Else it is the first row that can run here and whose likes the device has.  It
 * also has to fit memory, build, and not be known as wrong.
 */
#include <stdio.h>
#include <string.h>

#include "../device/device.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "../base/text.h"
#include "choose.h"

/* Whether images fit.  A texel has 16 bytes.  Only operands that stay whole have to fit an
 * image. */
static int images_fit(const struct clopt *ctx, const struct variant *v,
                      const struct clopt_problem *p, struct text *why)
{
	const struct clopt_device_info *d = &ctx->device.info;
	struct operand o = { 0 };
	unsigned i;

	for (i = 0; i < clopt__ops[p->op]->operands; i++) {
		const int texels = v->texels >> i & 1;
		size_t width, height, most_w, most_h;

		if (!((v->images | v->texels) >> i & 1))
			continue;
		clopt__problem_operand(p, i, &o);
		width = texels ? o.rows : o.columns / (16 / o.elem_bytes) + 1;
		height = texels ? 1 : o.rows;
		most_w = texels ? d->image_buffer : d->image2d_width;
		most_h = texels ? 1 : d->image2d_height;
		if (width > most_w || height > most_h) {
			clopt__say(
			        why,
			        "%s needs an image of %zu x %zu texels, the device has %zu x %zu",
			        clopt__ops[p->op]->operand[i], width, height, most_w, most_h);
			return 0;
		}
	}
	return 1;
}

/* Missing traits that every row needs for this problem.  An unscaled transpose only moves bits. */
static unsigned lacks(const struct clopt *ctx, const struct clopt_problem *p)
{
	const struct element_type *type = p ? clopt__type(p->type) : NULL;
	const int wide =
	        p && ((type && type->part == CLOPT_TYPE_DOUBLE) ||
	              (p->scaled && p->elem_bytes == 8) || p->precision == CLOPT_PRECISION_DOUBLE);
	const unsigned needs = wide ? T_FP64 : 0u;

	return needs & ~ctx->device.traits;
}

/* The first line of a log that names an error, or its first line. */
static const char *error_in(const char *log)
{
	const char *line = strstr(log, "error");

	while (line && line > log && line[-1] != '\n')
		line--;
	return line ? line : log;
}

int clopt__can_serve(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p, int resident, struct text *why)
{
	const unsigned missing = (v->needs & ~ctx->device.traits) | lacks(ctx, p);
	const struct quirk *q = clopt__quirk_against(&ctx->device, missing, v->name);
	const struct element_type *type = p ? clopt__type(p->type) : NULL;
	const char *log;
	char words[256];

	if (q)
		clopt__say(why, "disabled by quirk %s: %s", q->name, q->reason);
	else if (missing)
		clopt__say(why, "needs %s, which the device lacks",
		           why ? clopt__traits_text(missing, words, sizeof words) : "");
	else if (p && v->precisions && !(v->precisions >> p->precision & 1))
		clopt__say(why, "does not compute %s", clopt__precision_name(p->precision));
	else if (p && v->laws && !(v->laws >> p->law & 1))
		clopt__say(why, "does not compute %s", clopt__laws[p->law].name);
	else if (type && !((v->types ? v->types : 4u | 8u) & type->bit))
		clopt__say(why, "does not compute %s", type->name);
	else if (p && !type && !((v->types ? v->types : 4u | 8u) & (unsigned)p->elem_bytes))
		clopt__say(why, "does not take elements of %zu bytes", p->elem_bytes);
	else if (p && v->math && v->math != p->math &&
	         !(v->math == CLOPT_MATH_TF32 && p->math == CLOPT_MATH_HALF))
		clopt__say(why, "%s%s",
		           v->moduli ? "only where the problem's math is CLOPT_MATH_INT8" :
		                       "rounds operands, which the problem's math does not allow",
		           v->math == CLOPT_MATH_INT8_FINE ? "_FINE" : "");
	else if (v->host && resident)
		clopt__say(why, "only for arrays in host memory");
	else if (p && v->host && v->shallow && p->dim[clopt__ops[p->op]->sum] > v->shallow)
		clopt__say(why, "only for sums of up to %u terms", v->shallow);
	else if (p && p->batch > 1 && (v->images || v->texels || v->host))
		clopt__say(why, "does not compute batches");
	else if (p && !((v->outputs ? v->outputs : ~(1u << CLOPT_OUTPUTS_JERK)) >> p->outputs & 1))
		clopt__say(why, "does not compute %s", clopt__outputs_name(p->outputs));
	else if (v->wg[0] * v->wg[1] > ctx->device.info.max_group)
		clopt__say(why, "needs work-groups of %zu; the device allows %zu",
		           v->wg[0] * v->wg[1], ctx->device.info.max_group);
	else if ((log = clopt__struck_out(ctx, v, p)))
		clopt__say(why, "%s%.*s",
		           clopt__is_wrong(ctx, v, p) ? "" : "cannot be built here: ",
		           (int)strcspn(error_in(log), "\n"), error_in(log));
	else /* these say why not */
		return !p || ((!v->maps || clopt__workspace_fits(ctx, v, p, resident, why)) &&
		              (!v->moduli || clopt__int8_fit(ctx, v, p, resident, why)) &&
		              (!resident || images_fit(ctx, v, p, why)));
	return 0;
}

/* Build the row's kernel, unless none is wanted. */
static int ready(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                 const struct selection *how, cl_kernel *kernel)
{
	int rc = CLOPT_OK;

	*kernel = NULL;
	if (!how->unbuilt)
		rc = clopt__ready(ctx, v, p, kernel);
	ctx->chosen.unsure |= rc != CLOPT_OK;
	return rc;
}

/* Choose the row on record, if it can still serve. */
static int on_record(struct clopt *ctx, const struct clopt_problem *p, const struct selection *how,
                     const struct variant **chosen, cl_kernel *kernel)
{
	struct text *lines = how->lines;
	const char *where;
	const struct variant *v = clopt__record(ctx, p, &where);
	char why[256];
	struct text t = { why, sizeof why };
	double free_seconds = 0;
	size_t least;

	if (!v)
		return 0;
	if (!clopt__can_serve(ctx, v, p, how->resident, &t) ||
	    !clopt__matches_closely(v, p, how->resident, &t)) {
		clopt__say(lines, "  %s: on record in %s, but %s\n", v->name, where, why);
		return 0;
	}
	if ((!how->resident && clopt__fits_memory(ctx, v, p, &free_seconds, &least) != CLOPT_OK) ||
	    ready(ctx, v, p, how, kernel) != CLOPT_OK) {
		clopt__say(lines, "  %s: on record in %s, but %s\n", v->name, where,
		           clopt_error(ctx));
		return 0;
	}
	clopt__say(lines, "  %s: chosen, the fastest by %s\n", v->name, where);
	*chosen = v;
	return 1;
}

int clopt__select(struct clopt *ctx, const struct clopt_problem *p, const struct selection *how,
                  const struct variant **chosen, cl_kernel *kernel)
{
	const struct variant *v, *forced = ctx->forced[p->op];
	char why[256], words[256];
	const struct variant *too_large = NULL;
	struct text *lines = how->lines;
	const int resident = how->resident;
	int rc, wrong = 0, recorded = forced || how->by_table;
	double free_seconds = 0; /* of the first row that would serve */
	double host_seconds = 0; /* of the first row on the host */
	size_t least, least_of_all = SIZE_MAX;

	if (!clopt__law_has(p->law, p->precision)) {
		clopt__say(lines, "  none: %s is not computed in double-single\n",
		           clopt__laws[p->law].name);
		return clopt__fail(ctx, CLOPT_EUNSUPPORTED,
		                   "precision is CLOPT_PRECISION_DOUBLE_SINGLE: %s is not computed "
		                   "in it; use another",
		                   clopt__law_text(words, p->law));
	}
	if (lacks(ctx, p)) {
		clopt__traits_text(lacks(ctx, p), words, sizeof words);
		clopt__say(lines, "  none: the device has no %s\n", words);
		return clopt__fail(ctx, CLOPT_EUNSUPPORTED, "%s has no %s", ctx->device.info.name,
		                   words);
	}
	/* A forced row is the only candidate: it serves, or the call fails. */
	for (v = forced ? forced : clopt__ops[p->op]->rows; v->name; v++) {
		struct text t = { why, sizeof why }, *told = lines || forced ? &t : NULL;

		/* Tuning compares kernels, and devices share only the work of one kernel. */
		if (v->host && (how->by_table || ctx->joined) && !forced)
			continue;
		if (!v->host && !recorded) {
			if (on_record(ctx, p, how, chosen, kernel))
				return CLOPT_OK;
			recorded = 1;
		}
		if (!clopt__can_serve(ctx, v, p, resident, told)) {
			wrong |= clopt__is_wrong(ctx, v, p);
			clopt__say(lines, "  %s: %s\n", v->name, why);
			if (forced)
				return clopt__fail(ctx, wrong ? CLOPT_EWRONG : CLOPT_ENOVARIANT,
				                   "%s is forced, but %s", v->name, why);
			continue;
		}
		if (v->likes & T_STUDY && !forced)
			continue; /* rows of T_STUDY need no explanation */
		if (!forced && !clopt__matches(ctx, v, p, resident, told)) {
			clopt__say(lines, "  %s: %s\n", v->name, why);
			continue;
		}
		rc = resident ? CLOPT_OK :
		                clopt__fits_memory(ctx, v, p,
		                                   v->host ? &host_seconds : &free_seconds, &least);
		if (rc != CLOPT_OK) {
			clopt__say(lines, "  %s: %s\n", v->name, clopt_error(ctx));
			if (!too_large || least < least_of_all) {
				*chosen = too_large = v;
				ctx->least_bytes = least_of_all = least;
			}
			if (forced)
				return rc;
			continue;
		}
		rc = ready(ctx, v, p, how, kernel);
		if (rc == CLOPT_OK) {
			*chosen = v;
			clopt__say(lines, "  %s: chosen, %s\n", v->name,
			           forced ? "forced by clopt_force_variants, "
			                    "clopt_options.variants or CLOPT_VARIANT" :
			                    "the first suitable variant of the table");
			return rc;
		}
		clopt__say(lines, "  %s: %s\n", v->name, clopt_error(ctx));
		wrong |= rc == CLOPT_EWRONG;
		if (forced || (rc != CLOPT_EBUILD && rc != CLOPT_EWRONG))
			return rc;
	}
	if (too_large) /* fails, and sets the message */
		return clopt__fits_memory(ctx, too_large, p, &free_seconds, &least);
	return clopt__fail(ctx, wrong ? CLOPT_EWRONG : CLOPT_ENOVARIANT,
	                   "no kernel variant can compute this on %s%s", ctx->device.info.name,
	                   wrong ? ": the variants that could are wrong (see clopt_explain)" : "");
}

/* Whether the last choice holds.  Kernels may be struck out since, which clopt__ready tells, and
 * records clear it; the rest of what a choice depends on never changes. */
static int is_chosen(const struct clopt *ctx, const struct clopt_problem *p, int resident)
{
	return ctx->chosen.v && ctx->chosen.forced == ctx->forced[p->op] &&
	       ctx->chosen.resident == resident &&
	       ctx->chosen.small_on_device == ctx->small_on_device &&
	       ctx->chosen.joined == ctx->joined && ctx->chosen.sharers == ctx->sharers &&
	       !memcmp(&ctx->chosen.problem, p, sizeof *p);
}

int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, int resident,
                  const struct variant **v, cl_kernel *kernel)
{
	const struct selection how = { .resident = resident };
	int rc = CLOPT_OK;

	if (is_chosen(ctx, problem, resident) &&
	    clopt__ready(ctx, ctx->chosen.v, problem, kernel) == CLOPT_OK) {
		*v = ctx->chosen.v;
	} else {
		ctx->chosen.unsure = 0;
		TRY(clopt__select(ctx, problem, &how, v, kernel));
		ctx->chosen.v = ctx->chosen.unsure ? NULL : *v;
		ctx->chosen.forced = ctx->forced[problem->op];
		ctx->chosen.problem = *problem;
		ctx->chosen.resident = resident;
		ctx->chosen.small_on_device = ctx->small_on_device;
		ctx->chosen.joined = ctx->joined;
		ctx->chosen.sharers = ctx->sharers;
	}
	clopt__kernel_keep(ctx, *kernel);
out:
	return rc;
}

/* ---- Forced rows ---- */

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
			return clopt__fail(who, CLOPT_EINVAL,
			                   "%s: %s and %s are both variants of %s: give one",
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

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	TRY(clopt__force(ctx, ctx, "names", names, forced));
	memcpy(ctx->forced, forced, sizeof forced);
out:
	return clopt__leave(ctx, rc);
}
