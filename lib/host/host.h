/* SPDX-License-Identifier: MIT */
/*
 * host.h - kernels in C for problems on host arrays that take less time than a launch.
 * A row's `most' is the largest such size (choose/match.c).
 */
#ifndef CLOPT_HOST_HOST_H
#define CLOPT_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Vector instructions of this processor that the kernels use. */
enum host_vectors {
	HOST_PLAIN, /* of every processor of this architecture */
	HOST_AVX2, /* with fused multiply-adds */
	HOST_AVX512
};
enum host_vectors clopt__host_vectors(void);
/* A kernel for each of these, in that order. */
#ifdef __x86_64__
#define BY_VECTORS(kernel) \
	{ \
		kernel, kernel##_avx2, kernel##_avx512 \
	}
#else
#define BY_VECTORS(kernel) \
	{ \
		kernel \
	}
#endif
/* For HOST_PLAIN: under -std=c99 the scalars of x87 are long doubles, which GCC does not multiply
 * by vectors. */
#if defined __i386__ && !defined __clang__
#define PLAIN __attribute__((target("sse2,fpmath=sse")))
#else
#define PLAIN
#endif
/* For the others.  Functions begin on cache lines: their alignment was worth 5 % of a call for few
 * pairs. */
#define WITH(instructions) __attribute__((target(instructions), aligned(64)))

#define INLINE inline __attribute__((always_inline))
/* Before a loop whose sums are to stay in registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* C = alpha op(A) op(B) + beta C, all row-major. op is the transpose if `turned`. */
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

/* Results of the sums of an int8 product: sums times the scale of the row, times that of the
 * column, plus the bias of the column, clamped.  Each may be NULL. */
struct host_epilogue {
	size_t m, n, ld_sums, ld;
	const int32_t *sums;
	void *results; /* int8_t, rounded, if `whole`; else float */
	const float *scale_rows, *scale_columns, *bias;
	float least, most;
	int whole, turned; /* turned: scale_rows has one for each column, the others for each row */
};

/* epilogue.c */
void clopt__host_epilogue(const struct host_epilogue *e);

/* out, columns x rows, is the transpose of `in`, times alpha if scaled. */
struct host_transpose {
	size_t rows, columns,
	        elem_bytes; /* elem_bytes: 1, 2, 4, 8, 16; scaled: 4 or 8, floats or doubles */
	const void *in;
	void *out;
	size_t ld_in, ld_out;
	int scaled;
	double alpha;
};

/* transpose.c */
void clopt__host_transpose(const struct host_transpose *t);

/* Sums of w / d and w D / d^3 over sources, as in cl/pair/; d is softened. */
struct host_pairs {
	size_t nsources, ntargets;
	const void *sources, *targets; /* x, y, z, weight: floats, or doubles */
	int doubles; /* points and results are doubles */
	const float *normals; /* x, y, z, distance of each target; or NULL */
	void *results;
	int outputs; /* enum clopt_outputs, without the jerk */
	int own; /* 1: a target's weight is its softening length */
	/* Reals by enum pair_real. */
	double scale, softening2, constant, over_r, kappa_r, projection, reach, radius;
};

/* pairs.c: sums in float, of floats; and in double. */
void clopt__host_pairs_float(const struct host_pairs *p);
void clopt__host_pairs_double(const struct host_pairs *p);

#endif
