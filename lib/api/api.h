/* SPDX-License-Identifier: MIT */
/*
 * api.h - declarations that the files behind the public header share.
 */
#ifndef CLOPT_API_API_H
#define CLOPT_API_API_H

#include "../call/call.h"

/* matmul.c: one product as a structure; on the caller's arrays or on buffers. */
struct clopt_gemm clopt__gemm(int type, int layout, int transa, int transb, size_t m, size_t n,
                              size_t k, double alpha, size_t lda, size_t ldb, double beta,
                              size_t ldc);
int clopt__gemm_host(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
                     void *c, struct form form);
int clopt__gemm_buffers(struct clopt *ctx, const struct clopt_gemm *g, const struct clopt_buffer *a,
                        const struct clopt_buffer *b, const struct clopt_buffer *c,
                        const struct clopt_order *order);

/* plan.c: clopt_plan for a problem that has been read, with the context locked.  plan->dry is set;
 * the rest is zero. */
int clopt__plan(struct clopt *ctx, const struct clopt_problem *p, struct clopt_plan *plan);

#endif
