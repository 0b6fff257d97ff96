/* SPDX-License-Identifier: MIT */
/*
 * check.c - CLOPT_BLAS_CHECK: checks the products of the next BLAS, by clopt_gemm_check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "clopt_tune.h"

/* A product that the next BLAS computes, and C before it, without gaps between lines. */
struct held {
	struct held *outer; /* the next BLAS may call BLAS */
	struct clopt_gemm_desc g;
	const void *a, *b;
	void *c;
	size_t bytes; /* room in before */
	char before[];
};

static __thread struct held *held ONE_THREADS;
/* One that is not in use: to get new pages for each call may take longer than to check it. */
static struct held *spare;

static struct held *take(size_t bytes)
{
	struct held *h = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);

	if (h && h->bytes >= bytes)
		return h;
	free(h);
	h = malloc(sizeof *h + bytes);
	if (h)
		h->bytes = bytes;
	return h;
}

int clopt__blas_hold(const struct clopt_gemm_desc *g, const void *a, const void *b, void *c)
{
	const int by_columns = g->layout == CLOPT_LAYOUT_COL_MAJOR;
	const int reads = g->triangle || g->beta != 0 || g->beta_imag != 0;
	const size_t lines = by_columns ? g->n : g->m, length = by_columns ? g->m : g->n;
	const size_t elem_bytes = (size_t)g->type & 0xff, bytes = length * elem_bytes;
	struct held *h = take(reads ? lines * bytes : 0);
	size_t i;

	if (!h)
		return 0;
	h->outer = held, h->g = *g;
	h->a = a, h->b = b, h->c = c;
	for (i = 0; reads && i < lines; i++)
		memcpy(h->before + i * bytes, (char *)c + i * g->ldc * elem_bytes, bytes);
	held = h;
	return 1;
}

/* No more lines than this; the last line of all counts the products. */
#define MOST_LINES 20

static void say(const struct next *next, const struct clopt_gemm_desc *g, int repair)
{
	static const char letters[] = "?NTC";
	static int lines;
	char blas[1024];

	if (__atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) >= MOST_LINES)
		return;
	clopt__blas_about(next, blas, sizeof blas);
	fprintf(stderr,
	        "clopt-blas: %s is wrong: %s%s; by %s, %c%c%s, m %zu, n %zu, k %zu, alpha %g%+gi, "
	        "beta %g%+gi, lda %zu, ldb %zu, ldc %zu; %s\n",
	        next->name, clopt_error(NULL), repair ? "; repaired" : "",
	        g->layout == CLOPT_LAYOUT_COL_MAJOR ? "columns" : "rows",
	        letters[g->transa - CLOPT_TRANS_NO + 1], letters[g->transb - CLOPT_TRANS_NO + 1],
	        !g->triangle                    ? "" :
	        g->triangle == CLOPT_UPLO_UPPER ? ", upper" :
	                                          ", lower",
	        g->m, g->n, g->k, g->alpha, g->alpha_imag, g->beta, g->beta_imag, g->lda, g->ldb,
	        g->ldc, blas);
}

struct held *clopt__blas_held(void)
{
	struct held *h = held;

	held = h->outer;
	return h;
}

enum outcome clopt__blas_judge(const struct next *next, const struct held *h, int repair)
{
	const int status = clopt_gemm_check(&h->g, h->a, h->b, h->before, h->c, repair);

	if (status == CLOPT_EWRONG)
		say(next, &h->g, repair);
	return status == CLOPT_OK ? CHECKED : status == CLOPT_EWRONG ? WRONG : FAILED;
}

void clopt__blas_drop(struct held *h)
{
	free(__atomic_exchange_n(&spare, h, __ATOMIC_ACQ_REL));
}
