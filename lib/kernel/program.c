/* SPDX-License-Identifier: MIT */
/*
 * program.c - the kernels of a context.  Each is built once (build.c).  A kernel that fails to
 * build, or that verify/ found wrong, is struck out here.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* strdup, also under -std=c99 */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "program.h"

/* 1: the array holds the transpose of its operand; 2: the conjugate transpose. */
static unsigned turned(int trans)
{
	return trans == CLOPT_TRANS_CONJ ? 2 : trans == CLOPT_TRANS_YES;
}

static struct kernel_form form_of(const struct clopt *ctx, const struct variant *v,
                                  const struct clopt_problem *p)
{
	const struct element_type *type = clopt__type(p->type);

	return (struct kernel_form){
		.elem_bytes = (unsigned)(type ? p->elem_bytes / type->parts : p->elem_bytes),
		.type = (unsigned)p->type,
		.ta = clopt__turns(v, p, 0) ? 0 : turned(p->transa),
		.tb = clopt__turns(v, p, 1) ? 1 : turned(p->transb),
		.uplo = p->triangle == CLOPT_UPLO_LOWER ? 1 :
		        p->triangle                     ? 2 :
		                                          0,
		.hermitian = p->hermitian != 0,
		.scaled = p->scaled != 0,
		.precision = (unsigned)(p->precision ? p->precision - CLOPT_PRECISION_FLOAT : 0),
		.outputs = (unsigned)p->outputs,
		.normals = p->normals != 0,
		.depths = p->depths != 0,
		.slices = ctx->slice_seconds > 0,
		.in_parts = (p->reserved & FORM_IN_PARTS) != 0,
		.checked = (p->reserved & FORM_CHECKED) != 0,
		.law = (unsigned)p->law,
		.slow_fma = clopt__works_around(ctx, AVOIDS_FMA),
	};
}

static void options_text(const struct variant *v, const struct kernel_form *f,
                         const struct clopt_problem *p, char *text, size_t size)
{
	snprintf(text, size,
	         "-cl-std=CL1.2 -DWG0=%zu -DWG1=%zu -DOUT0=%zu -DOUT1=%zu -DELEM_BYTES=%u "
	         "-DTYPE=%u -DTA=%u -DTB=%u -DUPLO=%u -DHERMITIAN=%u -DSCALED=%u -DPRECISION=%u "
	         "-DOUTPUTS=%u -DNORMALS=%u -DDEPTHS=%u -DSLICES=%u -DIN_PARTS=%u %s%s%s "
	         "%s",
	         v->wg[0], v->wg[1], clopt__out(v, p, 0), clopt__out(v, p, 1), f->elem_bytes,
	         f->type, f->ta, f->tb, f->uplo, f->hermitian, f->scaled, f->precision, f->outputs,
	         f->normals, f->depths, f->slices, f->in_parts, f->checked ? "-DCHECKED=1 " : "",
	         f->slow_fma ? "-DSLOW_FMA=1 " : "", clopt__laws[f->law].options, v->options);
}

/* form NULL: any. */
static struct kernel *find(const struct clopt *ctx, const struct variant *v,
                           const struct kernel_form *form)
{
	struct kernel *k;

	for (k = ctx->kernels; k; k = k->next)
		if (k->v == v && (!form || !memcmp(&k->form, form, sizeof *form)))
			break;
	return k;
}

/* problem NULL: any problem. */
static const struct kernel *made_for(const struct clopt *ctx, const struct variant *v,
                                     const struct clopt_problem *problem)
{
	struct kernel_form form;

	if (problem)
		form = form_of(ctx, v, problem);
	return find(ctx, v, problem ? &form : NULL);
}

const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem)
{
	const struct kernel *k = made_for(ctx, v, problem);

	return k ? k->log : NULL;
}

int clopt__is_wrong(const struct clopt *ctx, const struct variant *v,
                    const struct clopt_problem *problem)
{
	const struct kernel *k = made_for(ctx, v, problem);

	return k && k->wrong;
}

struct kernel *clopt__kernel_of(const struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k;

	for (k = kernel ? ctx->kernels : NULL; k && k->kernel != kernel; k = k->next)
		;
	return k;
}

struct throughput *clopt__throughput(struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k = clopt__kernel_of(ctx, kernel);

	return k ? &k->throughput : NULL;
}

int *clopt__checked(struct clopt *ctx, cl_kernel kernel, const char **key)
{
	struct kernel *k = clopt__kernel_of(ctx, kernel);

	if (!k || !k->v)
		return NULL;
	*key = k->key;
	return &k->checked;
}

int clopt__wrong(struct clopt *ctx, cl_kernel kernel, const char *why)
{
	struct kernel *k = clopt__kernel_of(ctx, kernel);
	const int rc = clopt__strike_out(ctx, k, "%s", why);

	k->wrong = rc != CLOPT_ENOMEM;
	return k->wrong ? CLOPT_EWRONG : rc;
}

static void close_kernel(struct kernel *k)
{
	if (!k)
		return;
	clopt__program_drop(k);
	free(k->source);
	free(k->name);
	free(k->key);
	free(k->log);
	free(k);
}

void clopt__kernels_free(struct clopt *ctx)
{
	struct kernel *k;

	while ((k = ctx->kernels)) {
		ctx->kernels = k->next;
		close_kernel(k);
	}
}

void clopt__launched(struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k = clopt__kernel_of(ctx, kernel);

	if (k)
		k->ran = ctx->log.call + 1;
}

/* Whether the current call launched k. */
static int is_of_call(const struct clopt *ctx, const struct kernel *k)
{
	return k->ran == ctx->log.call + 1;
}

void clopt__kernels_queued(struct clopt *ctx)
{
	struct kernel *k;

	for (k = ctx->kernels; k; k = k->next)
		if (k->key && is_of_call(ctx, k))
			k->queued = 1;
}

void clopt__kernels_save(struct clopt *ctx, int queued)
{
	struct kernel *k;

	for (k = ctx->kernels; k; k = k->next)
		if (k->key && !k->kept && (queued ? k->queued : is_of_call(ctx, k)))
			clopt__program_save(ctx, k);
}

void clopt__kernel_keep(struct clopt *ctx, cl_kernel kernel)
{
	struct kernel *k = clopt__kernel_of(ctx, kernel);

	if (k && k->key && !k->kept && !clopt__works_around(ctx, SAVES_AFTER_RUN))
		clopt__program_save(ctx, k);
}

/* Build k, or return the known result.  A verdict on the source is kept; other failures may
 * pass. */
static int finish(struct clopt *ctx, struct kernel *k, int is_new, cl_kernel *kernel)
{
	int rc = CLOPT_OK;

	clopt__caller_drives(); /* PoCL compiles when it builds and when it launches */
	if (is_new) {
		rc = clopt__program_build(ctx, k);
		if (rc != CLOPT_OK && !k->log) {
			close_kernel(k);
			*kernel = NULL;
			return rc;
		}
		k->next = ctx->kernels;
		ctx->kernels = k;
	} else if (k->log) {
		rc = clopt__fail(ctx, k->wrong ? CLOPT_EWRONG : CLOPT_EBUILD, "%s: %s",
		                 clopt__kernel_called(k), k->log);
	}
	*kernel = rc == CLOPT_OK ? k->kernel : NULL;
	return rc;
}

int clopt__kernel(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel *kernel)
{
	const struct kernel_form form = form_of(ctx, v, problem);
	struct kernel *k = find(ctx, v, &form), *made = NULL;

	*kernel = NULL;
	if (!k) {
		k = made = calloc(1, sizeof *k);
		if (!k)
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the kernel of %s",
			                   v->name);
		k->v = v;
		k->form = form;
		options_text(v, &form, problem, k->options, sizeof k->options);
	}
	return finish(ctx, k, made != NULL, kernel);
}

int clopt__kernel_from(struct clopt *ctx, const char *source, const char *name,
                       const char *build_options, cl_kernel *kernel)
{
	struct kernel *k, *made = NULL;

	build_options = build_options ? build_options : "";
	for (k = ctx->kernels; k; k = k->next)
		if (!k->v && !strcmp(k->name, name) && !strcmp(k->options, build_options) &&
		    !strcmp(k->source, source))
			break;
	if (!k) {
		k = made = calloc(1, sizeof *k);
		if (k && strlen(build_options) >= sizeof k->options) {
			free(k);
			return clopt__fail(
			        ctx, CLOPT_EINVAL,
			        "build_options has %zu characters: it may have at most %zu",
			        strlen(build_options), sizeof k->options - 1);
		}
		if (!k || !(k->source = strdup(source)) || !(k->name = strdup(name))) {
			close_kernel(k);
			return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the kernel %s", name);
		}
		strcpy(k->options, build_options);
	}
	return finish(ctx, k, made != NULL, kernel);
}
