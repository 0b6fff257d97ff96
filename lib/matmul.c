/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - C = alpha op(A) op(B) + beta C.
 *
 * A band is some rows of C and of op(A); B is shared by all bands.
 */
#include "internal.h"

/* Checked here, since an operand that is not read has no shape later on. */
static int check_ld(const struct clopt *ctx, const struct clopt_problem *p, unsigned i, size_t ld)
{
	struct operand o = { .ld = ld };

	clopt__problem_operand(p, i, &o);
	return clopt__check_operand(ctx, i ? "b" : "a", &o, 1);
}

/* One product, whatever its precision and the form of the call. */
struct gemm {
	int transa, transb;
	size_t m, n, k, elem_bytes;
	double alpha, beta;
};

static int gemm(struct clopt *ctx, const struct gemm *g, struct operand a, struct operand b,
                struct operand c, struct form form)
{
	struct job j = {
		.problem = { .size = sizeof j.problem,
		             .op = CLOPT_MATMUL,
		             .dim = { g->m, g->n, g->k },
		             .elem_bytes = g->elem_bytes,
		             .transa = g->transa,
		             .transb = g->transb },
		.real = { g->alpha, g->beta },
		.operand = { a, b, c },
	};
	char text[160];
	int rc = CLOPT_OK;

	/* 0 means no transpose where a problem is asked about, but not here. */
	if (!g->transa || !g->transb)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_%cgemm: transa %d, transb %d: they are "
		                   "CLOPT_NO_TRANS (%d) or CLOPT_TRANS (%d)",
		                   g->elem_bytes == 8 ? 'd' : 's', g->transa, g->transb,
		                   CLOPT_NO_TRANS, CLOPT_TRANS);
	clopt__problem_text(&j.problem, text, sizeof text);
	clopt__doing(text);
	rc = check_ld(ctx, &j.problem, 0, a.ld);
	rc = rc == CLOPT_OK ? check_ld(ctx, &j.problem, 1, b.ld) : rc;
	clopt__doing(NULL);
	if (rc != CLOPT_OK)
		return rc;
	/* BLAS: without a product A and B are not looked at, nor alpha. */
	if (j.problem.dim[2] == 0 || j.real[0] == 0.0) {
		j.problem.dim[2] = 0;
		j.real[0] = 0.0;
	}
	j.operand[0].use = j.operand[1].use = OPERAND_IN;
	j.operand[2].use = g->beta == 0.0 ? OPERAND_OUT : OPERAND_IN | OPERAND_OUT;
	return clopt__submit(ctx, &j, &form);
}

int clopt_sgemm(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc)
{
	const struct gemm g = { transa, transb, m, n, k, sizeof *c, alpha, beta };

	return gemm(ctx, &g, clopt__host_operand(a, lda, 0), clopt__host_operand(b, ldb, 0),
	            clopt__host_operand(c, ldc, 0), clopt__at_once());
}

int clopt_dgemm(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc)
{
	const struct gemm g = { transa, transb, m, n, k, sizeof *c, alpha, beta };

	return gemm(ctx, &g, clopt__host_operand(a, lda, 0), clopt__host_operand(b, ldb, 0),
	            clopt__host_operand(c, ldc, 0), clopt__at_once());
}

int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c)
{
	return clopt_sgemm(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k, 1.0f, a, k, b, n, 0.0f, c,
	                   n);
}

int clopt_sgemm_start(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                      float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                      float beta, float *c, size_t ldc, struct clopt_call **call)
{
	const struct gemm g = { transa, transb, m, n, k, sizeof *c, alpha, beta };

	if (!call)
		return clopt__no_call(ctx, "clopt_sgemm_start");
	return gemm(ctx, &g, clopt__host_operand(a, lda, 0), clopt__host_operand(b, ldb, 0),
	            clopt__host_operand(c, ldc, 0), clopt__started(call));
}

int clopt_dgemm_start(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                      double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                      double beta, double *c, size_t ldc, struct clopt_call **call)
{
	const struct gemm g = { transa, transb, m, n, k, sizeof *c, alpha, beta };

	if (!call)
		return clopt__no_call(ctx, "clopt_dgemm_start");
	return gemm(ctx, &g, clopt__host_operand(a, lda, 0), clopt__host_operand(b, ldb, 0),
	            clopt__host_operand(c, ldc, 0), clopt__started(call));
}

int clopt_matmul_start(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                       const float *b, float *c, struct clopt_call **call)
{
	return clopt_sgemm_start(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k, 1.0f, a, k, b, n,
	                         0.0f, c, n, call);
}

int clopt_sgemm_buffers(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                        float alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, float beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	const struct gemm g = { transa, transb, m, n, k, sizeof(float), alpha, beta };

	return gemm(ctx, &g, clopt__buffer_operand(a, lda, 0), clopt__buffer_operand(b, ldb, 0),
	            clopt__buffer_operand(c, ldc, 0), clopt__on_buffers(order));
}

int clopt_dgemm_buffers(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                        double alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, double beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order)
{
	const struct gemm g = { transa, transb, m, n, k, sizeof(double), alpha, beta };

	return gemm(ctx, &g, clopt__buffer_operand(a, lda, 0), clopt__buffer_operand(b, ldb, 0),
	            clopt__buffer_operand(c, ldc, 0), clopt__on_buffers(order));
}

int clopt_matmul_buffers(struct clopt *ctx, size_t m, size_t n, size_t k,
                         const struct clopt_buffer *a, const struct clopt_buffer *b,
                         struct clopt_buffer *c, const struct clopt_order *order)
{
	return clopt_sgemm_buffers(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k, 1.0f, a, k, b, n,
	                           0.0f, c, n, order);
}
