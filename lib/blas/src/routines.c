/* SPDX-License-Identifier: MIT */
/*
 * routines.c - whether the arguments of a routine are valid, and the call of libclopt that serves
 * it.
 */
#include "blas.h"

static int is_layout(int layout)
{
	return layout == CLOPT_LAYOUT_ROW_MAJOR || layout == CLOPT_LAYOUT_COL_MAJOR;
}

static int is_trans(int trans)
{
	return trans >= CLOPT_TRANS_NO && trans <= CLOPT_TRANS_CONJ;
}

/* Whether ld is large enough for a line, a row or column of an array.  BLAS requires 1 at least. */
static int is_apart(int64_t ld, int64_t line)
{
	return ld >= 1 && ld >= line;
}

/* The leading dimension.  For a single line it does not matter. */
static size_t apart(size_t lines, size_t line, int64_t ld)
{
	return lines == 1 ? line : (size_t)ld;
}

/* The length of a line of op(X), rows x cols. */
static int64_t line(int layout, int trans, int64_t rows, int64_t cols)
{
	return (layout == CLOPT_LAYOUT_ROW_MAJOR) == (trans == CLOPT_TRANS_NO) ? cols : rows;
}

static int is_complex(int type)
{
	return type == CLOPT_TYPE_COMPLEX_FLOAT || type == CLOPT_TYPE_COMPLEX_DOUBLE;
}

/* The type of a complex number's parts. */
static int real_type(int type)
{
	return type == CLOPT_TYPE_COMPLEX_FLOAT  ? CLOPT_TYPE_FLOAT :
	       type == CLOPT_TYPE_COMPLEX_DOUBLE ? CLOPT_TYPE_DOUBLE :
	                                           type;
}

static int is_zero(struct number x)
{
	return x.re == 0 && x.im == 0;
}

struct product {
	const struct clopt_gemm_desc *g;
	const void *a, *b;
	void *c;
};

static int multiply(struct clopt *ctx, const void *what)
{
	const struct product *p = what;
	struct clopt_gemm_desc g = *p->g;

	g.math = clopt__blas_math;
	return clopt_gemm(ctx, &g, p->a, p->b, p->c);
}

static enum rest product(struct next *next, double work, struct clopt_gemm_desc *g,
                         struct number alpha, const void *a, const void *b, struct number beta,
                         void *c)
{
	const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
	const double elements = m * k + (g->triangle ? 0 : k * n) + m * n * (is_zero(beta) ? 1 : 2);
	const double bytes = (g->type & 0xff) * elements;
	const struct product p = { g, a, b, c };
	struct task task = { next, g->type, 0, 0, multiply, &p };
	enum outcome outcome;

	g->alpha = alpha.re, g->alpha_imag = alpha.im;
	g->beta = beta.re, g->beta_imag = beta.im;
	if (is_zero(alpha)) {
		work = 0;
		g->alpha = 1; /* in a description 0 means the default */
		g->k = 0;
	}
	task.work = work;
	task.flops_per_byte = 2 * work / bytes;
	outcome = clopt__blas_serve(&task);
	if (outcome == CHECKED && !clopt__blas_hold(g, a, b, c))
		outcome = FAILED;
	return clopt__blas_settle(next, outcome);
}

enum rest clopt__blas_gemm(struct next *next, double work, int type, int layout, int transa,
                           int transb, int64_t m, int64_t n, int64_t k, const void *alpha,
                           const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                           void *c, int64_t ldc)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	if (!is_layout(layout) || !is_trans(transa) || !is_trans(transb) || m < 0 || n < 0 ||
	    k < 0 || !is_apart(lda, line(layout, transa, m, k)) ||
	    !is_apart(ldb, line(layout, transb, k, n)) ||
	    !is_apart(ldc, line(layout, CLOPT_TRANS_NO, m, n)))
		return clopt__blas_settle(next, INVALID);
	g.type = type, g.layout = layout, g.transa = transa, g.transb = transb;
	g.m = (size_t)m, g.n = (size_t)n, g.k = (size_t)k;
	g.lda = (size_t)lda, g.ldb = (size_t)ldb, g.ldc = (size_t)ldc;
	return product(next, work, &g, clopt__blas_number(type, alpha), a, b,
	               clopt__blas_number(type, beta), c);
}

enum rest clopt__blas_rank_k(struct next *next, double work, int type, int hermitian, int layout,
                             int uplo, int trans, int64_t n, int64_t k, const void *alpha,
                             const void *a, int64_t lda, const void *beta, void *c, int64_t ldc)
{
	const int other = hermitian ? CLOPT_TRANS_CONJ : CLOPT_TRANS_YES;
	const int number = hermitian ? real_type(type) : type;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	if (trans == CLOPT_TRANS_CONJ && !is_complex(type))
		trans = other;
	if (!is_layout(layout) || (uplo != CLOPT_UPLO_UPPER && uplo != CLOPT_UPLO_LOWER) ||
	    (trans != CLOPT_TRANS_NO && trans != other) || n < 0 || k < 0 ||
	    !is_apart(lda, line(layout, trans, n, k)) || !is_apart(ldc, n))
		return clopt__blas_settle(next, INVALID);
	g.type = type, g.layout = layout, g.triangle = uplo, g.hermitian = hermitian;
	g.transa = trans, g.transb = trans == CLOPT_TRANS_NO ? other : CLOPT_TRANS_NO;
	g.m = g.n = (size_t)n, g.k = (size_t)k;
	g.lda = g.ldb = (size_t)lda, g.ldc = (size_t)ldc;
	return product(next, work, &g, clopt__blas_number(number, alpha), a, a,
	               clopt__blas_number(number, beta), c);
}

/* ---- Transposes ---------------------------------------------------------------------------- */

/* Whether libclopt has a routine for the copy. */
static int is_transpose(const struct matcopy *m, int in_place)
{
	const int moves = m->alpha.re == 1 && m->alpha.im == 0;

	if (!m->transposes || m->conjugates)
		return 0;
	if (in_place)
		return moves && (m->rows == m->cols ? m->lda == m->ldb :
		                                      m->lda == m->cols && m->ldb == m->rows);
	return moves || !is_complex(m->type);
}

struct transpose {
	const struct matcopy *m;
	const void *a;
	void *b;
};

static int transpose(struct clopt *ctx, const void *what)
{
	const struct transpose *t = what;
	const struct matcopy *m = t->m;
	const size_t elem_bytes = (size_t)m->type & 0xff;
	const void *a = t->a;
	void *b = t->b;

	if (a == b)
		return clopt_transpose_inplace(ctx, m->rows, m->cols, elem_bytes, b, m->lda);
	if (m->type == CLOPT_TYPE_FLOAT)
		return clopt_stranspose(ctx, m->rows, m->cols, (float)m->alpha.re, a, m->lda, b,
		                        m->ldb);
	if (m->type == CLOPT_TYPE_DOUBLE)
		return clopt_dtranspose(ctx, m->rows, m->cols, m->alpha.re, a, m->lda, b, m->ldb);
	return clopt_transpose(ctx, m->rows, m->cols, elem_bytes, a, m->lda, b, m->ldb);
}

enum rest clopt__blas_matcopy(struct next *next, double work, int type, int layout, int trans,
                              int64_t rows, int64_t cols, const void *alpha, const void *a,
                              int64_t lda, void *b, int64_t ldb)
{
	const int transposes = trans == CLOPT_TRANS_YES || trans == CLOPT_TRANS_CONJ;
	const int is_row_major = layout == CLOPT_LAYOUT_ROW_MAJOR;
	struct matcopy m = { type, transposes, 0, 0, 0, 0, 0, { 0, 0 } };
	const struct transpose t = { &m, a, b };
	struct task task = { next, 0, work, 0, transpose, &t };
	enum outcome outcome;

	if (!is_layout(layout) || trans < CLOPT_TRANS_NO || trans > BLAS_CONJUGATE || rows < 0 ||
	    cols < 0 || !is_apart(lda, is_row_major ? cols : rows) ||
	    !is_apart(ldb, is_row_major == transposes ? rows : cols))
		return clopt__blas_settle(next, INVALID);
	m.conjugates = is_complex(type) && trans >= CLOPT_TRANS_CONJ;
	m.alpha = clopt__blas_number(type, alpha);
	m.rows = (size_t)(is_row_major ? rows : cols);
	m.cols = (size_t)(is_row_major ? cols : rows);
	m.lda = apart(m.rows, m.cols, lda);
	m.ldb = transposes ? apart(m.cols, m.rows, ldb) : apart(m.rows, m.cols, ldb);

	task.type = is_transpose(&m, a == b) ? type : 0;
	outcome = clopt__blas_serve(&task);
	if (outcome != SERVED && !next->call && clopt__blas_host(&m, a, b) == CLOPT_OK)
		outcome = SERVED;
	return clopt__blas_settle(next, outcome);
}
