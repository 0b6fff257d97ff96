/* SPDX-License-Identifier: MIT */
/*
 * host.h - kernels in C, for problems on host arrays that take less time than a launch.
 */
#ifndef CLOPT_HOST_HOST_H
#define CLOPT_HOST_HOST_H

#include <stddef.h>

/* C = alpha op(A) op(B) + beta C, all in row-major order; op is the transpose if `turned`. */
struct host_product {
	size_t m, n, k; /* k at most HOST_MOST_TERMS */
	const void *a, *b;
	void *c; /* not read if beta is 0 */
	size_t lda, ldb, ldc;
	int turned_a, turned_b;
	int triangle; /* not 0: only on and above (1) or below (-1) the diagonal */
	double alpha, beta;
};
#define HOST_MOST_TERMS 256

/* product.c: sums in the type of the arrays. */
void clopt__host_sgemm(const struct host_product *p);
void clopt__host_dgemm(const struct host_product *p);

#endif
