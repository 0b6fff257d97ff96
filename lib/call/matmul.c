/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - small products that a row on the host computes, without a job: to describe and check
 * one would take several times as long as the product.
 */
#include <stdint.h>

#include "../base/numbers.h"
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

static int is_turned(int trans)
{
	return trans == CLOPT_TRANS_YES || trans == CLOPT_TRANS_CONJ;
}

/* Whether all arguments are right, and the product is a small one of reals, without a batch or
 * triangle.  Then h and p are the product and its problem, read. */
static int describe(const struct clopt_gemm_desc *g, const void *a, const void *b, void *c,
                    struct host_product *h, struct clopt_problem *p)
{
	const int flips = g->layout == CLOPT_LAYOUT_COL_MAJOR; /* C^T = op(B)^T op(A)^T */
	const size_t bytes = (size_t)g->type & 0xff;
	const int turned[] = { is_turned(g->transa), is_turned(g->transb) };
	const uintptr_t c0 = (uintptr_t)c;
	uintptr_t a1, b1, c1;

	if ((g->type != CLOPT_TYPE_FLOAT && g->type != CLOPT_TYPE_DOUBLE) || g->batch != 1 ||
	    (!flips && g->layout != CLOPT_LAYOUT_ROW_MAJOR) || g->triangle || g->hermitian ||
	    (!turned[0] && g->transa != CLOPT_TRANS_NO) ||
	    (!turned[1] && g->transb != CLOPT_TRANS_NO) || g->math < CLOPT_MATH_EXACT ||
	    g->math > CLOPT_MATH_HALF || g->m - 1 >= HOST_MOST_TERMS ||
	    g->n - 1 >= HOST_MOST_TERMS || g->k - 1 >= HOST_MOST_TERMS || g->alpha_imag != 0 ||
	    g->beta_imag != 0)
		return 0;
	*h = (struct host_product){
		.m = flips ? g->n : g->m,
		.n = flips ? g->m : g->n,
		.k = g->k,
		.a = flips ? b : a,
		.b = flips ? a : b,
		.c = c,
		.lda = flips ? g->ldb : g->lda,
		.ldb = flips ? g->lda : g->ldb,
		.ldc = g->ldc,
		.turned_a = turned[flips],
		.turned_b = turned[!flips],
		.triangle = 0,
		.alpha = bytes == sizeof(float) ? clopt__as_float(g->alpha) : g->alpha,
		.beta = bytes == sizeof(float) ? clopt__as_float(g->beta) : g->beta,
	};
	/* clang-format off */
	/* All fields, too, so that no memory is cleared. */
	*p = (struct clopt_problem){ sizeof *p, CLOPT_OP_MATMUL, g->type,
		h->turned_a ? CLOPT_TRANS_YES : CLOPT_TRANS_NO,
		h->turned_b ? CLOPT_TRANS_YES : CLOPT_TRANS_NO,
		0, 0, 0, 0, 0, CLOPT_LAYOUT_ROW_MAJOR, g->math, 0, 0, 0, 0, 0,
		{ h->m, h->n, h->k }, bytes, 1, 0 };
	/* clang-format on */
	a1 = end(h->a, h->turned_a ? h->k : h->m, h->turned_a ? h->m : h->k, h->lda, bytes);
	b1 = end(h->b, h->turned_b ? h->n : h->k, h->turned_b ? h->k : h->n, h->ldb, bytes);
	c1 = end(c, h->m, h->n, h->ldc, bytes);
	return h->alpha != 0 && a1 && b1 && c1 && (c1 <= (uintptr_t)h->a || a1 <= c0) &&
	       (c1 <= (uintptr_t)h->b || b1 <= c0);
}

/* The product as the caller gave it. */
static void say(const void *what, char *text, size_t size)
{
	const struct clopt_gemm_desc *g = what;
	const struct clopt_problem p = {
		.op = CLOPT_OP_MATMUL,
		.dim = { g->m, g->n, g->k },
		.type = g->type,
		.transa = g->transa,
		.transb = g->transb,
		.layout = g->layout,
	};

	clopt__problem_text(&p, text, size);
}

/* Whether a call is more than a product: results are checked, or devices share them. */
static int does_more(const struct clopt *ctx)
{
	return ctx->members || ctx->check == CLOPT_CHECK_ALWAYS || clopt__audits();
}

int clopt__small_product(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                         const void *b, void *c, int *status)
{
	struct host_product h;
	struct clopt_problem p;
	const struct variant *v;
	cl_kernel kernel;
	int rc = CLOPT_OK;

	if (!describe(g, a, b, c, &h, &p))
		return 0;
	TRY(clopt__begin(ctx, (struct sentence){ say, g }));
	if (does_more(ctx))
		goto other;
	TRY(clopt__choose(ctx, &p, 0, &v, &kernel));
	if (!v->host)
		goto other;
	TRY(clopt__go_on(ctx, 0));
	(p.type == CLOPT_TYPE_FLOAT ? clopt__host_sgemm : clopt__host_dgemm)(&h);
	clopt__by_host(ctx, v);
out:
	*status = clopt__end(ctx, rc, NULL);
	return 1;
other:
	clopt__running_end(ctx);
	clopt__leave(ctx, CLOPT_OK);
	return 0;
}
