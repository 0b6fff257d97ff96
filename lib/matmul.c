/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - C = alpha op(A) op(B) + beta C.
 *
 * A band is some rows of C and of op(A); B is shared by all bands.
 */
#include "internal.h"

static int gemm(struct clopt *ctx, struct job *j, const void *a, size_t lda, const void *b,
                size_t ldb, void *c, size_t ldc)
{
	/* BLAS: with alpha = 0 the product is not formed, and A, B not looked at. */
	if (j->real[0] == 0.0)
		j->problem.dim[2] = 0;
	if (j->problem.dim[2] == 0) {
		lda = lda > j->problem.dim[0] ? lda : j->problem.dim[0];
		ldb = ldb > j->problem.dim[1] ? ldb : j->problem.dim[1];
	}
	j->operand[0] =
	        (struct operand){ .host = (void *)(uintptr_t)a, .ld = lda, .use = OPERAND_IN };
	j->operand[1] =
	        (struct operand){ .host = (void *)(uintptr_t)b, .ld = ldb, .use = OPERAND_IN };
	j->operand[2] = (struct operand){
		.host = c,
		.ld = ldc,
		.use = j->real[1] == 0.0 ? OPERAND_OUT : OPERAND_IN | OPERAND_OUT,
	};
	return clopt__call(ctx, j);
}

int clopt_sgemm(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc)
{
	struct job j = {
		.problem = { sizeof j.problem,
		             CLOPT_MATMUL,
		             { m, n, k },
		             sizeof *c,
		             transa,
		             transb },
		.real = { alpha, beta },
	};

	return gemm(ctx, &j, a, lda, b, ldb, c, ldc);
}

int clopt_dgemm(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc)
{
	struct job j = {
		.problem = { sizeof j.problem,
		             CLOPT_MATMUL,
		             { m, n, k },
		             sizeof *c,
		             transa,
		             transb },
		.real = { alpha, beta },
	};

	return gemm(ctx, &j, a, lda, b, ldb, c, ldc);
}

int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c)
{
	return clopt_sgemm(ctx, CLOPT_NO_TRANS, CLOPT_NO_TRANS, m, n, k, 1.0f, a, k, b, n, 0.0f, c,
	                   n);
}
