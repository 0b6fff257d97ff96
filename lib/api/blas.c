/* SPDX-License-Identifier: MIT */
/*
 * blas.c - the products with the arguments of BLAS.
 */
#include "../base/numbers.h"
#include "api.h"

int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc)
{
	const struct clopt_gemm g = clopt__gemm(CLOPT_FLOAT, layout, transa, transb, m, n, k, alpha,
	                                        lda, ldb, beta, ldc);

	return clopt__gemm_host(ctx, &g, a, b, c, clopt__at_once());
}

int clopt_sgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                      float beta, float *c, size_t ldc, struct clopt_call **call)
{
	const struct clopt_gemm g = clopt__gemm(CLOPT_FLOAT, layout, transa, transb, m, n, k, alpha,
	                                        lda, ldb, beta, ldc);

	if (!call)
		return clopt__no_call(ctx, "clopt_sgemm_start");
	return clopt__gemm_host(ctx, &g, a, b, c, clopt__async(call));
}

int clopt_sgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, float alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, float beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	const struct clopt_gemm g = clopt__gemm(CLOPT_FLOAT, layout, transa, transb, m, n, k, alpha,
	                                        lda, ldb, beta, ldc);

	return clopt__gemm_buffers(ctx, &g, a, b, c, order);
}

int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc)
{
	const struct clopt_gemm g = clopt__gemm(CLOPT_DOUBLE, layout, transa, transb, m, n, k,
	                                        alpha, lda, ldb, beta, ldc);

	return clopt__gemm_host(ctx, &g, a, b, c, clopt__at_once());
}

int clopt_dgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, double alpha, const double *a, size_t lda, const double *b,
                      size_t ldb, double beta, double *c, size_t ldc, struct clopt_call **call)
{
	const struct clopt_gemm g = clopt__gemm(CLOPT_DOUBLE, layout, transa, transb, m, n, k,
	                                        alpha, lda, ldb, beta, ldc);

	if (!call)
		return clopt__no_call(ctx, "clopt_dgemm_start");
	return clopt__gemm_host(ctx, &g, a, b, c, clopt__async(call));
}

int clopt_dgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, double alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, double beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	const struct clopt_gemm g = clopt__gemm(CLOPT_DOUBLE, layout, transa, transb, m, n, k,
	                                        alpha, lda, ldb, beta, ldc);

	return clopt__gemm_buffers(ctx, &g, a, b, c, order);
}

/* alpha and beta of complex routines, which may not be NULL. */
static int complex_gemm(const struct clopt *ctx, const char *name, int type, int layout, int transa,
                        int transb, size_t m, size_t n, size_t k, const void *alpha, size_t lda,
                        size_t ldb, const void *beta, size_t ldc, struct clopt_gemm *g)
{
	const int part = clopt__type(type)->part;

	if (!alpha || !beta)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s: %s is NULL", name,
		                   alpha ? "beta" : "alpha");
	*g = clopt__gemm(type, layout, transa, transb, m, n, k, clopt__element(alpha, part), lda,
	                 ldb, clopt__element(beta, part), ldc);
	g->alpha_imag = clopt__element((const char *)alpha + part, part);
	g->beta_imag = clopt__element((const char *)beta + part, part);
	return CLOPT_OK;
}

int clopt_cgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                const void *beta, void *c, size_t ldc)
{
	struct clopt_gemm g;
	int rc = CLOPT_OK;

	TRY(complex_gemm(ctx, "clopt_cgemm", CLOPT_TYPE_COMPLEX_FLOAT, layout, transa, transb, m, n,
	                 k, alpha, lda, ldb, beta, ldc, &g));
	rc = clopt__gemm_host(ctx, &g, a, b, c, clopt__at_once());
out:
	return rc;
}

int clopt_cgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                      size_t ldb, const void *beta, void *c, size_t ldc, struct clopt_call **call)
{
	struct clopt_gemm g;
	int rc = CLOPT_OK;

	if (!call)
		return clopt__no_call(ctx, "clopt_cgemm_start");
	*call = NULL;
	TRY(complex_gemm(ctx, "clopt_cgemm_start", CLOPT_TYPE_COMPLEX_FLOAT, layout, transa, transb,
	                 m, n, k, alpha, lda, ldb, beta, ldc, &g));
	rc = clopt__gemm_host(ctx, &g, a, b, c, clopt__async(call));
out:
	return rc;
}

int clopt_cgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, const void *alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, const void *beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	struct clopt_gemm g;
	int rc = CLOPT_OK;

	TRY(complex_gemm(ctx, "clopt_cgemm_buffers", CLOPT_TYPE_COMPLEX_FLOAT, layout, transa,
	                 transb, m, n, k, alpha, lda, ldb, beta, ldc, &g));
	rc = clopt__gemm_buffers(ctx, &g, a, b, c, order);
out:
	return rc;
}

int clopt_zgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                const void *beta, void *c, size_t ldc)
{
	struct clopt_gemm g;
	int rc = CLOPT_OK;

	TRY(complex_gemm(ctx, "clopt_zgemm", CLOPT_TYPE_COMPLEX_DOUBLE, layout, transa, transb, m,
	                 n, k, alpha, lda, ldb, beta, ldc, &g));
	rc = clopt__gemm_host(ctx, &g, a, b, c, clopt__at_once());
out:
	return rc;
}

int clopt_zgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                      size_t ldb, const void *beta, void *c, size_t ldc, struct clopt_call **call)
{
	struct clopt_gemm g;
	int rc = CLOPT_OK;

	if (!call)
		return clopt__no_call(ctx, "clopt_zgemm_start");
	*call = NULL;
	TRY(complex_gemm(ctx, "clopt_zgemm_start", CLOPT_TYPE_COMPLEX_DOUBLE, layout, transa,
	                 transb, m, n, k, alpha, lda, ldb, beta, ldc, &g));
	rc = clopt__gemm_host(ctx, &g, a, b, c, clopt__async(call));
out:
	return rc;
}

int clopt_zgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, const void *alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, const void *beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	struct clopt_gemm g;
	int rc = CLOPT_OK;

	TRY(complex_gemm(ctx, "clopt_zgemm_buffers", CLOPT_TYPE_COMPLEX_DOUBLE, layout, transa,
	                 transb, m, n, k, alpha, lda, ldb, beta, ldc, &g));
	rc = clopt__gemm_buffers(ctx, &g, a, b, c, order);
out:
	return rc;
}

int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c)
{
	return clopt_sgemm(ctx, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k, 1.0f, a,
	                   k, b, n, 0.0f, c, n);
}

int clopt_matmul_start(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                       const float *b, float *c, struct clopt_call **call)
{
	return clopt_sgemm_start(ctx, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k,
	                         1.0f, a, k, b, n, 0.0f, c, n, call);
}

int clopt_matmul_buffers(struct clopt *ctx, size_t m, size_t n, size_t k,
                         const struct clopt_buffer *a, const struct clopt_buffer *b,
                         struct clopt_buffer *c, const struct clopt_order *order)
{
	return clopt_sgemm_buffers(ctx, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k,
	                           1.0f, a, k, b, n, 0.0f, c, n, order);
}
