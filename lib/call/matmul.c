/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - small products that a row on the host computes, without a job: to describe and check
 * one would take several times as long as the product.
 */
#include <stdint.h>

#include "../choose/choose.h"
#include "../host/host.h"
#include "../verify/verify.h"
#include "call.h"

#define MOST_LD ((size_t)1 << 20) /* so that no product of sizes overflows */

/* Where a matrix ends; 0 if something is wrong with it. */
static uintptr_t end(const void *at, size_t rows, size_t columns, size_t ld, size_t elem_bytes)
{
	const uintptr_t end = (uintptr_t)at + ((rows - 1) * ld + columns) * elem_bytes;

	return at && ld >= columns && ld <= MOST_LD && end > (uintptr_t)at ? end : 0;
}

/* Make h, which has the caller's arguments, a row-major product: C^T = op(B)^T op(A)^T. */
static void flip(struct host_product *h)
{
	const struct host_product g = *h;

	h->m = g.n, h->n = g.m;
	h->a = g.b, h->b = g.a;
	h->lda = g.ldb, h->ldb = g.lda;
	h->turned_a = g.turned_b, h->turned_b = g.turned_a;
}

/* Whether all arguments are right, and the product is a small one of reals.  Then h is read. */
static int read(int type, int layout, int math, struct host_product *h)
{
	const size_t bytes = (size_t)type & 0xff, most = HOST_MOST_TERMS;
	uintptr_t a0, a1, b0, b1, c0, c1;

	if ((type != CLOPT_TYPE_FLOAT && type != CLOPT_TYPE_DOUBLE) || h->m - 1 >= most ||
	    h->n - 1 >= most || h->k - 1 >= most || h->alpha == 0 || math < CLOPT_MATH_EXACT ||
	    math > CLOPT_MATH_HALF || h->turned_a < CLOPT_TRANS_NO ||
	    h->turned_a > CLOPT_TRANS_CONJ || h->turned_b < CLOPT_TRANS_NO ||
	    h->turned_b > CLOPT_TRANS_CONJ)
		return 0;
	h->turned_a = h->turned_a != CLOPT_TRANS_NO;
	h->turned_b = h->turned_b != CLOPT_TRANS_NO;
	if (layout == CLOPT_LAYOUT_COL_MAJOR)
		flip(h);
	else if (layout != CLOPT_LAYOUT_ROW_MAJOR)
		return 0;
	a0 = (uintptr_t)h->a, b0 = (uintptr_t)h->b, c0 = (uintptr_t)h->c;
	a1 = end(h->a, h->turned_a ? h->k : h->m, h->turned_a ? h->m : h->k, h->lda, bytes);
	b1 = end(h->b, h->turned_b ? h->n : h->k, h->turned_b ? h->k : h->n, h->ldb, bytes);
	c1 = end(h->c, h->m, h->n, h->ldc, bytes);
	return a1 && b1 && c1 && (c1 <= a0 || a1 <= c0) && (c1 <= b0 || b1 <= c0);
}

static struct clopt_problem problem(int type, int math, const struct host_product *h)
{
	return (struct clopt_problem){
		.size = sizeof(struct clopt_problem),
		.op = CLOPT_OP_MATMUL,
		.type = type,
		.transa = h->turned_a ? CLOPT_TRANS_YES : CLOPT_TRANS_NO,
		.transb = h->turned_b ? CLOPT_TRANS_YES : CLOPT_TRANS_NO,
		.layout = CLOPT_LAYOUT_ROW_MAJOR,
		.math = math,
		.dim = { h->m, h->n, h->k },
		.elem_bytes = (size_t)type & 0xff,
		.batch = 1,
	};
}

/* The problem as a number, other than 0. */
static size_t number(int type, int math, const struct host_product *h)
{
	return ((((h->m - 1) * HOST_MOST_TERMS + h->n - 1) * HOST_MOST_TERMS + h->k - 1) << 6) +
	       (size_t)(math << 4 | (type == CLOPT_TYPE_DOUBLE) << 3 | h->turned_a << 2 |
	                h->turned_b << 1 | 1);
}

static void compute(int type, const struct host_product *h)
{
	(type == CLOPT_TYPE_FLOAT ? clopt__host_sgemm : clopt__host_dgemm)(h);
}

/* Whether a call is more than a product: results are checked, or devices share them. */
static int does_more(const struct clopt *ctx)
{
	return ctx->members || ctx->check == CLOPT_CHECK_ALWAYS || clopt__audits();
}

/* Compute a product that is like the one before it, without a choice and a report: all calls that
 * change what these depend on clear the number.  0: nothing was done. */
static int repeat(struct clopt *ctx, int type, const struct host_product *h, size_t number)
{
	int alike = 0;

	if (!clopt__open_here(ctx) || clopt__audits())
		return 0;
	clopt__caller_hold();
	/* The thread may have it: a callback of a call on ctx is refused later. */
	if (pthread_mutex_trylock(&ctx->lock) == 0) {
		alike = ctx->small_product == number && !ctx->members &&
		        !clopt__flag(&ctx->shared->lost);
		if (alike)
			compute(type, h);
		pthread_mutex_unlock(&ctx->lock);
	}
	clopt__caller_back();
	return alike;
}

/* The first of like calls. */
static int choose_and_compute(struct clopt *ctx, int type, int layout, int math,
                              struct host_product *h, size_t number, int *status)
{
	const struct clopt_problem p = problem(type, math, h);
	struct clopt_problem given; /* of the caller */
	const struct variant *v;
	cl_kernel kernel;
	int rc = CLOPT_OK;

	if (layout == CLOPT_LAYOUT_COL_MAJOR)
		flip(h);
	given = problem(type, math, h);
	given.layout = layout;
	if (layout == CLOPT_LAYOUT_COL_MAJOR)
		flip(h);
	TRY(clopt__begin(ctx, clopt__problem_sentence(&given)));
	if (does_more(ctx))
		goto other;
	TRY(clopt__choose(ctx, &p, 0, &v, &kernel));
	if (!v->host)
		goto other;
	TRY(clopt__go_on(ctx, 0));
	compute(type, h);
	clopt__by_host(ctx, v);
	if (!ctx->verbose && !ctx->profile)
		ctx->small_product = number;
out:
	*status = clopt__end(ctx, rc, NULL);
	return 1;
other:
	clopt__running_end(ctx);
	clopt__leave(ctx, CLOPT_OK);
	return 0;
}

int clopt__small_product(struct clopt *ctx, int type, int layout, int math, struct host_product *h,
                         int *status)
{
	size_t n;

	if (!read(type, layout, math, h))
		return 0;
	n = number(type, math, h);
	if (!repeat(ctx, type, h, n))
		return choose_and_compute(ctx, type, layout, math, h, n, status);
	*status = CLOPT_OK;
	return 1;
}
