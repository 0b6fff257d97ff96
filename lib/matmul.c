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

static int gemm(struct clopt *ctx, struct job *j, const void *a, size_t lda, const void *b,
                size_t ldb, void *c, size_t ldc)
{
	int rc = CLOPT_OK;

	/* 0 means no transpose where a problem is asked about, but not here. */
	if (!j->problem.transa || !j->problem.transb)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_%cgemm: transa %d, transb %d: they are "
		                   "CLOPT_NO_TRANS (%d) or CLOPT_TRANS (%d)",
		                   j->problem.elem_bytes == 8 ? 'd' : 's', j->problem.transa,
		                   j->problem.transb, CLOPT_NO_TRANS, CLOPT_TRANS);
	clopt__doing(&j->problem);
	rc = check_ld(ctx, &j->problem, 0, lda);
	rc = rc == CLOPT_OK ? check_ld(ctx, &j->problem, 1, ldb) : rc;
	clopt__doing(NULL);
	if (rc != CLOPT_OK)
		return rc;
	/* BLAS: without a product A and B are not looked at, nor alpha. */
	if (j->problem.dim[2] == 0 || j->real[0] == 0.0) {
		j->problem.dim[2] = 0;
		j->real[0] = 0.0;
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
