/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - C = alpha op(A) op(B) + beta C in all its forms.
 *
 * A band is some rows of C and of op(A); B is shared by all bands.
 */
#include <stdint.h>
#include <string.h>

#include "../base/numbers.h"
#include "api.h"

/* An array as the caller stores it: lines of `length` elements. */
struct lines {
	const char *name;
	size_t count, length, ld, stride;
};

static struct lines lines(const char *name, const struct clopt_gemm *g, int turned, size_t rows,
                          size_t columns, size_t ld, size_t stride)
{
	const int swap = (turned != CLOPT_NO_TRANS) ^ (g->layout == CLOPT_COL_MAJOR);
	const struct lines l = { name, swap ? columns : rows, swap ? rows : columns, ld, stride };

	return l;
}

/* Checked here, since an operand that is not read gets no shape later. */
static int check_ld(const struct clopt *ctx, const struct clopt_gemm *g, const struct lines *l)
{
	return clopt__check_ld(ctx, l->name, g->layout == CLOPT_COL_MAJOR ? "columns" : "rows",
	                       l->length, l->ld);
}

static int check(const struct clopt *ctx, const struct clopt_gemm *g)
{
	const struct element_type *type = clopt__type(g->type ? g->type : CLOPT_FLOAT);
	const struct lines a = lines("a", g, g->transa, g->m, g->k, g->lda, g->stride_a);
	const struct lines b = lines("b", g, g->transb, g->k, g->n, g->ldb, g->stride_b);
	const struct lines c = lines("c", g, CLOPT_NO_TRANS, g->m, g->n, g->ldc, g->stride_c);
	int rc = CLOPT_OK;

	/* 0 is a default in a question about a problem, but not here. */
	if (!g->transa || !g->transb)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "transa %d, transb %d: they are CLOPT_NO_TRANS (%d), "
		                   "CLOPT_TRANS (%d) or CLOPT_CONJ_TRANS (%d)",
		                   g->transa, g->transb, CLOPT_NO_TRANS, CLOPT_TRANS,
		                   CLOPT_CONJ_TRANS);
	if (!g->layout)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "layout 0: it is CLOPT_ROW_MAJOR (%d) or CLOPT_COL_MAJOR (%d)",
		                   CLOPT_ROW_MAJOR, CLOPT_COL_MAJOR);
	if (!type)
		return clopt__fail(ctx, CLOPT_EINVAL, "type 0x%x: not one of enum clopt_type",
		                   (unsigned)g->type);
	if ((type->parts == 1 || g->hermitian) && (g->alpha_imag != 0 || g->beta_imag != 0))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "alpha_imag %g, beta_imag %g: for a product of %s%s they are 0",
		                   g->alpha_imag, g->beta_imag, type->name,
		                   g->hermitian ? ", Hermitian" : "");
	TRY(check_ld(ctx, g, &a));
	TRY(check_ld(ctx, g, &b));
	TRY(check_ld(ctx, g, &c));
	TRY(clopt__check_results(ctx, "stride_c", g->batch, c.count, c.length, c.ld, c.stride));
out:
	return rc;
}

/* a, b, c with their leading dimensions, in any kind of memory. */
static int gemm(struct clopt *ctx, const struct clopt_gemm *g, struct operand a, struct operand b,
                struct operand c, struct form form)
{
	const int type = g->type ? g->type : CLOPT_FLOAT;
	/* An empty batch is a product with no rows; a triangle has as many columns. */
	const int none = g->batch == 0, square = g->triangle && g->m == g->n;
	struct job j = {
		.problem = { .size = sizeof j.problem,
		             .op = CLOPT_MATMUL,
		             .dim = { none ? 0 : g->m, none && square ? 0 : g->n, g->k },
		             .type = type,
		             .elem_bytes = (size_t)type & 0xff,
		             .transa = g->transa,
		             .transb = g->transb,
		             .layout = g->layout,
		             .math = g->math,
		             .triangle = g->triangle,
		             .hermitian = g->hermitian,
		             .batch = g->batch },
		.real = { g->alpha, g->beta, g->alpha_imag, g->beta_imag },
		.operand = { clopt__of_batch(a, g->batch, g->stride_a),
		             clopt__of_batch(b, g->batch, g->stride_b),
		             clopt__of_batch(c, g->batch, g->stride_c) },
	};
	unsigned i;
	int rc;

	clopt__doing(clopt__problem_sentence(&j.problem));
	rc = check(ctx, g);
	clopt__done();
	if (rc != CLOPT_OK)
		return rc;
	for (i = 0; i < 4 && clopt__type(type)->part != CLOPT_DOUBLE; i++) /* as kernels get them */
		j.real[i] = clopt__as_float(j.real[i]);
	/* As in BLAS: if k or alpha is 0, A and B are not read. */
	if (j.problem.dim[2] == 0 || (j.real[0] == 0.0 && j.real[2] == 0.0)) {
		j.problem.dim[2] = 0;
		j.real[0] = j.real[2] = 0.0;
	}
	j.operand[0].use = j.operand[1].use = OPERAND_IN;
	/* The other triangle goes up and comes back unchanged. */
	j.operand[2].use = j.real[1] == 0.0 && j.real[3] == 0.0 && !g->triangle ?
	                           OPERAND_OUT :
	                           OPERAND_IN | OPERAND_OUT;
	return clopt__submit(ctx, &j, &form);
}

int clopt__gemm_host(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
                     void *c, struct form form)
{
	return gemm(ctx, g, clopt__host_operand(a, g->lda, 0), clopt__host_operand(b, g->ldb, 0),
	            clopt__host_operand(c, g->ldc, 0), form);
}

int clopt__gemm_buffers(struct clopt *ctx, const struct clopt_gemm *g, const struct clopt_buffer *a,
                        const struct clopt_buffer *b, const struct clopt_buffer *c,
                        const struct clopt_order *order)
{
	return gemm(ctx, g, clopt__buffer_operand(a, g->lda, 0),
	            clopt__buffer_operand(b, g->ldb, 0), clopt__buffer_operand(c, g->ldc, 0),
	            clopt__on_buffers(order));
}

/* Fields that an older caller's structure lacks keep their defaults. */
static int read_gemm(const struct clopt *ctx, const struct clopt_gemm *g, struct clopt_gemm *now)
{
	int rc = CLOPT_OK;

	if (!g)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_gemm: g is NULL");
	TRY(clopt__check_options(ctx, "clopt_gemm", g->size, sizeof *g));
	memcpy(now, g, g->size);
out:
	return rc;
}

/* One product. */
struct clopt_gemm clopt__gemm(int type, int layout, int transa, int transb, size_t m, size_t n,
                              size_t k, double alpha, size_t lda, size_t ldb, double beta,
                              size_t ldc)
{
	struct clopt_gemm g = CLOPT_GEMM_INIT;

	g.type = type;
	g.layout = layout;
	g.transa = transa;
	g.transb = transb;
	g.m = m;
	g.n = n;
	g.k = k;
	g.alpha = alpha;
	g.beta = beta;
	g.lda = lda;
	g.ldb = ldb;
	g.ldc = ldc;
	return g;
}

int clopt_gemm(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b, void *c)
{
	struct clopt_gemm now = CLOPT_GEMM_INIT;
	int rc = read_gemm(ctx, g, &now);

	return rc == CLOPT_OK ? clopt__gemm_host(ctx, &now, a, b, c, clopt__at_once()) : rc;
}

int clopt_gemm_start(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
                     void *c, struct clopt_call **call)
{
	struct clopt_gemm now = CLOPT_GEMM_INIT;
	int rc;

	if (!call)
		return clopt__no_call(ctx, "clopt_gemm_start");
	*call = NULL;
	rc = read_gemm(ctx, g, &now);
	return rc == CLOPT_OK ? clopt__gemm_host(ctx, &now, a, b, c, clopt__async(call)) : rc;
}

int clopt_gemm_buffers(struct clopt *ctx, const struct clopt_gemm *g, const struct clopt_buffer *a,
                       const struct clopt_buffer *b, struct clopt_buffer *c,
                       const struct clopt_order *order)
{
	struct clopt_gemm now = CLOPT_GEMM_INIT;
	int rc = read_gemm(ctx, g, &now);

	return rc == CLOPT_OK ? clopt__gemm_buffers(ctx, &now, a, b, c, order) : rc;
}

int clopt_gemm_batched(struct clopt *ctx, int type, int layout, int transa, int transb, size_t m,
                       size_t n, size_t k, double alpha, const void *a, size_t lda, size_t stride_a,
                       const void *b, size_t ldb, size_t stride_b, double beta, void *c, size_t ldc,
                       size_t stride_c, size_t batch)
{
	struct clopt_gemm g =
	        clopt__gemm(type, layout, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc);

	g.stride_a = stride_a;
	g.stride_b = stride_b;
	g.stride_c = stride_c;
	g.batch = batch;
	return clopt__gemm_host(ctx, &g, a, b, c, clopt__at_once());
}

/* The product of A and its transpose of this kind. */
static int rank_k(struct clopt *ctx, const char *name, int type, int layout, int uplo, int trans,
                  int turned, size_t n, size_t k, double alpha, const void *a, size_t lda,
                  double beta, void *c, size_t ldc)
{
	const int other = trans == turned ? CLOPT_NO_TRANS : turned;
	struct clopt_gemm g =
	        clopt__gemm(type, layout, trans, other, n, n, k, alpha, lda, lda, beta, ldc);

	if (uplo != CLOPT_LOWER && uplo != CLOPT_UPPER)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: uplo %d: CLOPT_UPPER is %d, CLOPT_LOWER is %d", name, uplo,
		                   CLOPT_UPPER, CLOPT_LOWER);
	g.triangle = uplo;
	g.hermitian = turned == CLOPT_CONJ_TRANS;
	return clopt__gemm_host(ctx, &g, a, a, c, clopt__at_once());
}

static int is_complex(int type)
{
	const struct element_type *t = clopt__type(type);

	return t && t->parts == 2;
}

int clopt_syrk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc)
{
	if (trans == CLOPT_CONJ_TRANS) {
		if (is_complex(type))
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "clopt_syrk: CLOPT_CONJ_TRANS is for clopt_herk");
		trans = CLOPT_TRANS;
	}
	return rank_k(ctx, "clopt_syrk", type, layout, uplo, trans, CLOPT_TRANS, n, k, alpha, a,
	              lda, beta, c, ldc);
}

int clopt_herk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc)
{
	if (trans == CLOPT_TRANS) {
		if (is_complex(type))
			return clopt__fail(ctx, CLOPT_EINVAL,
			                   "clopt_herk: CLOPT_TRANS is for clopt_syrk");
		trans = CLOPT_CONJ_TRANS;
	}
	return rank_k(ctx, "clopt_herk", type, layout, uplo, trans, CLOPT_CONJ_TRANS, n, k, alpha,
	              a, lda, beta, c, ldc);
}
