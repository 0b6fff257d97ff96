/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - C = alpha op(A) op(B) + beta C in all its forms.  A band is some rows of C and of
 * op(A).  All bands share B.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "../base/numbers.h"
#include "../host/host.h"
#include "../verify/verify.h"
#include "api.h"

/* An array as the caller stores it: lines of `length` elements. */
struct lines {
	const char *name;
	size_t count, length, ld, stride;
};

static struct lines lines(const char *name, const struct clopt_gemm_desc *g, int turned,
                          size_t rows, size_t columns, size_t ld, size_t stride)
{
	const int swap = (turned != CLOPT_TRANS_NO) ^ (g->layout == CLOPT_LAYOUT_COL_MAJOR);
	const struct lines l = { name, swap ? columns : rows, swap ? rows : columns, ld, stride };

	return l;
}

/* Check it here: an operand that is not read gets no shape later. */
static int check_ld(const struct clopt *ctx, const struct clopt_gemm_desc *g, const struct lines *l)
{
	return clopt__check_ld(ctx, l->name,
	                       g->layout == CLOPT_LAYOUT_COL_MAJOR ? "columns" : "rows", l->length,
	                       l->ld);
}

static int check_integer(const struct clopt *ctx, const char *name, double x)
{
	if (x >= -2147483648.0 && x < 2147483648.0 && x == floor(x))
		return CLOPT_OK;
	return clopt__fail(ctx, CLOPT_EINVAL,
	                   "%s is %.17g: of CLOPT_TYPE_INT8 it must be an integer from -2^31 to "
	                   "2^31 - 1",
	                   name, x);
}

/* Whether a field of the epilogue is set. */
static int has_epilogue(const struct clopt_gemm_desc *g)
{
	return g->result || g->scale_rows || g->scale_columns || g->bias || g->least != 0 ||
	       g->most != 0;
}

static int check_epilogue(const struct clopt *ctx, const struct clopt_gemm_desc *g,
                          const struct clopt_problem *p)
{
	const int whole = g->result == CLOPT_TYPE_INT8;
	struct clopt_problem all;
	int rc = CLOPT_OK;

	if (!has_epilogue(g))
		return CLOPT_OK;
	TRY(clopt__problem_read(ctx, p, &all)); /* numbers are told before pointers */
	if (!g->result)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "result is 0, least is %g and most is %g: with scale_rows, "
		                   "scale_columns, bias, least or most set result to "
		                   "CLOPT_TYPE_INT8 or CLOPT_TYPE_FLOAT",
		                   g->least, g->most);
	if (!whole && g->result != CLOPT_TYPE_FLOAT)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "result is 0x%x: use 0, CLOPT_TYPE_INT8 or CLOPT_TYPE_FLOAT",
		                   (unsigned)g->result);
	if (g->type != CLOPT_TYPE_INT8 || g->beta != 0 || g->triangle)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "result is 0x%x, type 0x%x, beta %g and triangle %d: with a "
		                   "result type must be CLOPT_TYPE_INT8, beta and triangle 0",
		                   (unsigned)g->result, (unsigned)g->type, g->beta, g->triangle);
	if (!(g->least <= g->most))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "least is %g and most is %g: least may not be more", g->least,
		                   g->most);
	if (whole && !(g->least >= -128 && g->most <= 127 && g->least == floor(g->least) &&
	               g->most == floor(g->most)))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "least is %g and most is %g: of CLOPT_TYPE_INT8 they must be "
		                   "integers from -128 to 127",
		                   g->least, g->most);
out:
	return rc;
}

static int check(const struct clopt *ctx, const struct clopt_gemm_desc *g,
                 const struct clopt_problem *p)
{
	const struct element_type *type = clopt__type(g->type);
	const struct lines a = lines("a", g, g->transa, g->m, g->k, g->lda, g->stride_a);
	const struct lines b = lines("b", g, g->transb, g->k, g->n, g->ldb, g->stride_b);
	const struct lines c = lines("c", g, CLOPT_TRANS_NO, g->m, g->n, g->ldc, g->stride_c);
	int rc = CLOPT_OK;

	/* 0 is a default in structs, but not here. */
	TRY(clopt__check_product(ctx, p));
	TRY(clopt__check_sizes(ctx, p));
	if (!type)
		return clopt__fail(ctx, CLOPT_EINVAL, "type is 0x%x: use one of enum clopt_type",
		                   (unsigned)g->type);
	if ((type->parts == 1 || g->hermitian) && (g->alpha_imag != 0 || g->beta_imag != 0))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "alpha_imag is %g and beta_imag is %g: for a %sproduct of %s "
		                   "they must be 0",
		                   g->alpha_imag, g->beta_imag, g->hermitian ? "Hermitian " : "",
		                   type->name);
	if (type->unit == 0) {
		TRY(check_integer(ctx, "alpha", g->alpha));
		TRY(check_integer(ctx, "beta", g->beta));
	}
	TRY(check_ld(ctx, g, &a));
	TRY(check_ld(ctx, g, &b));
	TRY(check_ld(ctx, g, &c));
	TRY(clopt__check_results(ctx, "stride_c", g->batch, c.count, c.length, c.ld, c.stride));
	rc = check_epilogue(ctx, g, p);
out:
	return rc;
}

/* A scale or bias of the caller. */
static struct operand line(struct form form, const char *name, const void *array)
{
	struct operand o = clopt__operand(form, array, 0, array ? OPERAND_IN : 0);

	o.name = name;
	return o;
}

static void describe_epilogue(const struct clopt_gemm_desc *g, struct form form, struct job *j)
{
	const int none = g->least == 0 && g->most == 0, whole = g->result == CLOPT_TYPE_INT8;

	j->epilogue = (struct epilogue){
		.result = g->result,
		.turned = g->layout == CLOPT_LAYOUT_COL_MAJOR,
		.least = !none ? clopt__as_float(g->least) :
		         whole ? -128 :
		                 -INFINITY,
		.most = !none ? clopt__as_float(g->most) :
		        whole ? 127 :
		                INFINITY,
	};
	j->operand[SCALE_ROWS] = line(form, "scale_rows", g->scale_rows);
	j->operand[SCALE_COLUMNS] = line(form, "scale_columns", g->scale_columns);
	j->operand[BIAS] = line(form, "bias", g->bias);
	j->operand[PRODUCT_SUMS].use = whole ? OPERAND_SCRATCH : 0;
}

static int describe(const struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                    const void *b, const void *c, struct form form, struct job *j)
{
	/* An empty batch is a product with no rows; a triangle has as many columns. */
	const int none = g->batch == 0, square = g->triangle && g->m == g->n;
	unsigned i, use = OPERAND_IN | OPERAND_OUT;
	int rc;

	*j = (struct job){
		.problem = { .size = sizeof j->problem,
		             .op = CLOPT_OP_MATMUL,
		             .dim = { none ? 0 : g->m, none && square ? 0 : g->n, g->k },
		             .type = g->type,
		             .elem_bytes = (size_t)g->type & 0xff,
		             .transa = g->transa,
		             .transb = g->transb,
		             .layout = g->layout,
		             .math = g->math,
		             .triangle = g->triangle,
		             .hermitian = g->hermitian,
		             .batch = g->batch },
		.real = { g->alpha, g->beta, g->alpha_imag, g->beta_imag },
	};
	clopt__doing(clopt__problem_sentence(&j->problem));
	rc = check(ctx, g, &j->problem);
	clopt__done();
	if (rc != CLOPT_OK)
		return rc;
	for (i = 0; i < 4 && clopt__type(g->type)->unit > 0x1p-53; i++)
		j->real[i] = clopt__as_float(j->real[i]); /* as kernels get them */
	/* As in BLAS: if k or alpha is 0, A and B are not read. */
	if (j->problem.dim[2] == 0 || (j->real[0] == 0.0 && j->real[2] == 0.0)) {
		j->problem.dim[2] = 0;
		j->real[0] = j->real[2] = 0.0;
	}
	/* The other triangle is copied up and back unchanged. */
	if (j->real[1] == 0.0 && j->real[3] == 0.0 && !g->triangle)
		use = OPERAND_OUT;
	j->operand[0] =
	        clopt__of_batch(clopt__operand(form, a, g->lda, OPERAND_IN), g->batch, g->stride_a);
	j->operand[1] =
	        clopt__of_batch(clopt__operand(form, b, g->ldb, OPERAND_IN), g->batch, g->stride_b);
	j->operand[2] =
	        clopt__of_batch(clopt__operand(form, c, g->ldc, use), g->batch, g->stride_c);
	if (g->result)
		describe_epilogue(g, form, j);
	return CLOPT_OK;
}

static int gemm(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a, const void *b,
                const void *c, struct form form)
{
	const int wide = g->type == CLOPT_TYPE_DOUBLE;
	struct host_product h = {
		.m = g->m,
		.n = g->n,
		.k = g->k,
		.a = a,
		.b = b,
		.c = (void *)(uintptr_t)c,
		.lda = g->lda,
		.ldb = g->ldb,
		.ldc = g->ldc,
		.turned_a = g->transa,
		.turned_b = g->transb,
		.alpha = wide ? g->alpha : clopt__as_float(g->alpha),
		.beta = wide ? g->beta : clopt__as_float(g->beta),
	};
	struct job j;
	int rc;

	if (!form.buffers && !form.routine && g->batch == 1 && !g->triangle && !g->hermitian &&
	    g->alpha_imag == 0 && g->beta_imag == 0 && !has_epilogue(g) &&
	    clopt__small_product(ctx, g->type, g->layout, g->math, &h, &rc))
		return rc;
	rc = describe(ctx, g, a, b, c, form, &j);
	return rc == CLOPT_OK ? clopt__submit(ctx, &j, form) : rc;
}

/* Replace zeros by defaults. */
static int read(const struct clopt *ctx, const struct clopt_gemm_desc *given,
                struct clopt_gemm_desc *g)
{
	const struct clopt_gemm_desc initial = CLOPT_GEMM_DESC_INIT;
	struct lines a, b, c;
	int rc = CLOPT_OK;

	*g = initial;
	if (!given)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_gemm: g is NULL");
	TRY(clopt__sized_read(ctx, "clopt_gemm_desc", given, g, sizeof *g));
	TRY(clopt__check_number(ctx, "clopt_gemm_desc.hermitian", g->hermitian, 0, 1));
	if (g->alpha == 0 && g->alpha_imag == 0 && g->k != 0)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_gemm: alpha is 0: set it (1 for a plain product), or set "
		                   "k to 0 for C = beta C");
	g->type = g->type ? g->type : CLOPT_TYPE_FLOAT;
	g->layout = g->layout ? g->layout : CLOPT_LAYOUT_ROW_MAJOR;
	g->transa = g->transa ? g->transa : CLOPT_TRANS_NO;
	g->transb = g->transb ? g->transb : CLOPT_TRANS_NO;
	g->batch = g->batch ? g->batch : 1;
	a = lines("a", g, g->transa, g->m, g->k, 0, 0);
	b = lines("b", g, g->transb, g->k, g->n, 0, 0);
	c = lines("c", g, CLOPT_TRANS_NO, g->m, g->n, 0, 0);
	g->lda = g->lda ? g->lda : a.length;
	g->ldb = g->ldb ? g->ldb : b.length;
	g->ldc = g->ldc ? g->ldc : c.length;
	if (g->stride_c == 0 && c.count <= SIZE_MAX / (g->ldc ? g->ldc : 1))
		g->stride_c = c.count * g->ldc;
out:
	return rc;
}

static int read_and_run(struct clopt *ctx, const struct clopt_gemm_desc *given, const void *a,
                        const void *b, const void *c, struct form form)
{
	struct clopt_gemm_desc g;
	const int rc = read(ctx, given, &g);

	return rc == CLOPT_OK ? gemm(ctx, &g, a, b, c, form) : rc;
}

int clopt_gemm(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a, const void *b,
               void *c)
{
	return read_and_run(ctx, g, a, b, c, clopt__at_once());
}

int clopt_gemm_start(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                     const void *b, void *c, struct clopt_call **call)
{
	return read_and_run(ctx, g, a, b, c, clopt__async(__func__, call));
}

int clopt_gemm_buffers(struct clopt *ctx, const struct clopt_gemm_desc *g,
                       const struct clopt_buffer *a, const struct clopt_buffer *b,
                       struct clopt_buffer *c, const struct clopt_order *order)
{
	return read_and_run(ctx, g, a, b, c, clopt__on_buffers(order));
}

/* ---- A product of another library ------------------------------------------- */

int clopt_gemm_check(const struct clopt_gemm_desc *given, const void *a, const void *b,
                     const void *before, void *c, int repair)
{
	struct clopt_gemm_desc g;
	struct wrong_element e;
	struct job described, job;
	int rc = CLOPT_OK, by_columns;

	TRY(read(NULL, given, &g));
	TRY(clopt__check_number(NULL, "clopt_gemm_check: repair", repair, 0, 1));
	TRY(clopt__check_number(NULL, "clopt_gemm_check: result", g.result, 0, 0));
	if (g.batch != 1)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_gemm_check: batch is %zu: it must be 1", g.batch);
	TRY(describe(NULL, &g, a, b, c, clopt__at_once(), &described));
	TRY(clopt__complete(NULL, &described, &job));
	/* Then all may be NaN, also with k = 0. */
	if (clopt__is_empty(&job) || !(fabs(g.alpha) + fabs(g.alpha_imag) <= DBL_MAX))
		return CLOPT_OK;
	if (!before && job.operand[2].use & OPERAND_IN)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_gemm_check: before is NULL: with beta or a triangle it "
		                   "must be C before the product");
	by_columns = g.layout == CLOPT_LAYOUT_COL_MAJOR;
	rc = clopt__product_check(&job, (char *)(uintptr_t)before, repair, &e);
	if (rc == CLOPT_ENOMEM)
		return clopt__fail(NULL, rc, "no memory to check the product");
	if (rc == CLOPT_EWRONG)
		clopt__fail(NULL, rc,
		            "row %zu, column %zu of c is %.9g%+.9gi, right is %.9g%+.9gi, give or "
		            "take %.2g; wrong elements seen: %zu",
		            by_columns ? e.column : e.row, by_columns ? e.row : e.column, e.is[0],
		            e.is[1], e.right[0], e.right[1], fmax(e.bound[0], e.bound[1]), e.count);
out:
	return rc;
}

/* ---- With the arguments of BLAS --------------------------------------------- */

static struct clopt_gemm_desc product(int type, int layout, int transa, int transb, size_t m,
                                      size_t n, size_t k, double alpha, size_t lda, size_t ldb,
                                      double beta, size_t ldc)
{
	/* clang-format off */
	/* All fields are given: then compilers clear no memory, which took a tenth of a small call. */
	return (struct clopt_gemm_desc){ sizeof(struct clopt_gemm_desc), type, layout, transa, transb,
		0, 0, 0, 0, m, n, k, alpha, beta, lda, ldb, ldc, 1, 0, 0, 0, 0, 0,
		NULL, NULL, NULL, 0, 0 };
	/* clang-format on */
}

int clopt_gemm_strided_batched(struct clopt *ctx, int type, int layout, int transa, int transb,
                               size_t m, size_t n, size_t k, double alpha, const void *a,
                               size_t lda, size_t stride_a, const void *b, size_t ldb,
                               size_t stride_b, double beta, void *c, size_t ldc, size_t stride_c,
                               size_t batch)
{
	struct clopt_gemm_desc g =
	        product(type, layout, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc);

	g.stride_a = stride_a;
	g.stride_b = stride_b;
	g.stride_c = stride_c;
	g.batch = batch;
	return gemm(ctx, &g, a, b, c, clopt__at_once());
}

/* The product of A and its transpose of this kind. */
static int rank_k(struct clopt *ctx, const char *name, int type, int layout, int uplo, int trans,
                  int transpose, size_t n, size_t k, double alpha, const void *a, size_t lda,
                  double beta, void *c, size_t ldc)
{
	const struct element_type *t = clopt__type(type);
	/* Of real types both transposes are the same. */
	const int alike =
	        t && t->parts == 1 && (trans == CLOPT_TRANS_YES || trans == CLOPT_TRANS_CONJ);
	const int turned = alike ? transpose : trans;
	const int other = turned == transpose ? CLOPT_TRANS_NO : transpose;
	struct clopt_gemm_desc g =
	        product(type, layout, turned, other, n, n, k, alpha, lda, lda, beta, ldc);
	char text[ENUM_SIZE], other_text[ENUM_SIZE];

	if (uplo != CLOPT_UPLO_LOWER && uplo != CLOPT_UPLO_UPPER)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: uplo is %d: use CLOPT_UPLO_UPPER or CLOPT_UPLO_LOWER", name,
		                   uplo);
	if (t && turned != CLOPT_TRANS_NO && turned != transpose)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s: trans is %s: for %s use CLOPT_TRANS_NO or %s", name,
		                   clopt__trans_text(text, trans), t->name,
		                   clopt__trans_text(other_text, transpose));
	g.triangle = uplo;
	g.hermitian = transpose == CLOPT_TRANS_CONJ;
	return gemm(ctx, &g, a, a, c, clopt__at_once());
}

int clopt_syrk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc)
{
	return rank_k(ctx, __func__, type, layout, uplo, trans, CLOPT_TRANS_YES, n, k, alpha, a,
	              lda, beta, c, ldc);
}

int clopt_herk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc)
{
	return rank_k(ctx, __func__, type, layout, uplo, trans, CLOPT_TRANS_CONJ, n, k, alpha, a,
	              lda, beta, c, ldc);
}

/* clopt_sgemm, clopt_dgemm and their like. */
static int xgemm(struct clopt *ctx, int type, int layout, int transa, int transb, size_t m,
                 size_t n, size_t k, double alpha, const void *a, size_t lda, const void *b,
                 size_t ldb, double beta, const void *c, size_t ldc, struct form form)
{
	const struct clopt_gemm_desc g =
	        product(type, layout, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc);

	return gemm(ctx, &g, a, b, c, form);
}

int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc)
{
	return xgemm(ctx, CLOPT_TYPE_FLOAT, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb,
	             beta, c, ldc, clopt__at_once());
}

int clopt_sgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                      float beta, float *c, size_t ldc, struct clopt_call **call)
{
	return xgemm(ctx, CLOPT_TYPE_FLOAT, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb,
	             beta, c, ldc, clopt__async(__func__, call));
}

int clopt_sgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, float alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, float beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	return xgemm(ctx, CLOPT_TYPE_FLOAT, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb,
	             beta, c, ldc, clopt__on_buffers(order));
}

int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc)
{
	return xgemm(ctx, CLOPT_TYPE_DOUBLE, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb,
	             beta, c, ldc, clopt__at_once());
}

int clopt_dgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, double alpha, const double *a, size_t lda, const double *b,
                      size_t ldb, double beta, double *c, size_t ldc, struct clopt_call **call)
{
	return xgemm(ctx, CLOPT_TYPE_DOUBLE, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb,
	             beta, c, ldc, clopt__async(__func__, call));
}

int clopt_dgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, double alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, double beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	return xgemm(ctx, CLOPT_TYPE_DOUBLE, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb,
	             beta, c, ldc, clopt__on_buffers(order));
}

/* clopt_cgemm, clopt_zgemm and their like. */
static int complex_gemm(struct clopt *ctx, const char *name, int type, int layout, int transa,
                        int transb, size_t m, size_t n, size_t k, const void *alpha, const void *a,
                        size_t lda, const void *b, size_t ldb, const void *beta, const void *c,
                        size_t ldc, struct form form)
{
	const int part = clopt__type(type)->part;
	struct clopt_gemm_desc g;

	if (!alpha || !beta)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s: %s is NULL", name,
		                   alpha ? "beta" : "alpha");
	g = product(type, layout, transa, transb, m, n, k, clopt__element(alpha, part), lda, ldb,
	            clopt__element(beta, part), ldc);
	g.alpha_imag = clopt__element((const char *)alpha + part, part);
	g.beta_imag = clopt__element((const char *)beta + part, part);
	return gemm(ctx, &g, a, b, c, form);
}

int clopt_cgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                const void *beta, void *c, size_t ldc)
{
	return complex_gemm(ctx, __func__, CLOPT_TYPE_COMPLEX_FLOAT, layout, transa, transb, m, n,
	                    k, alpha, a, lda, b, ldb, beta, c, ldc, clopt__at_once());
}

int clopt_cgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                      size_t ldb, const void *beta, void *c, size_t ldc, struct clopt_call **call)
{
	return complex_gemm(ctx, __func__, CLOPT_TYPE_COMPLEX_FLOAT, layout, transa, transb, m, n,
	                    k, alpha, a, lda, b, ldb, beta, c, ldc, clopt__async(__func__, call));
}

int clopt_cgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, const void *alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, const void *beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	return complex_gemm(ctx, __func__, CLOPT_TYPE_COMPLEX_FLOAT, layout, transa, transb, m, n,
	                    k, alpha, a, lda, b, ldb, beta, c, ldc, clopt__on_buffers(order));
}

int clopt_zgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                const void *beta, void *c, size_t ldc)
{
	return complex_gemm(ctx, __func__, CLOPT_TYPE_COMPLEX_DOUBLE, layout, transa, transb, m, n,
	                    k, alpha, a, lda, b, ldb, beta, c, ldc, clopt__at_once());
}

int clopt_zgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                      size_t ldb, const void *beta, void *c, size_t ldc, struct clopt_call **call)
{
	return complex_gemm(ctx, __func__, CLOPT_TYPE_COMPLEX_DOUBLE, layout, transa, transb, m, n,
	                    k, alpha, a, lda, b, ldb, beta, c, ldc, clopt__async(__func__, call));
}

int clopt_zgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, const void *alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, const void *beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	return complex_gemm(ctx, __func__, CLOPT_TYPE_COMPLEX_DOUBLE, layout, transa, transb, m, n,
	                    k, alpha, a, lda, b, ldb, beta, c, ldc, clopt__on_buffers(order));
}

int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c)
{
	return clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m, n, k,
	                   1.0f, a, k, b, n, 0.0f, c, n);
}

int clopt_matmul_start(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                       const float *b, float *c, struct clopt_call **call)
{
	return clopt_sgemm_start(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m, n,
	                         k, 1.0f, a, k, b, n, 0.0f, c, n, call);
}

int clopt_matmul_buffers(struct clopt *ctx, size_t m, size_t n, size_t k,
                         const struct clopt_buffer *a, const struct clopt_buffer *b,
                         struct clopt_buffer *c, const struct clopt_order *order)
{
	return clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m,
	                           n, k, 1.0f, a, k, b, n, 0.0f, c, n, order);
}
