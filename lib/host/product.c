/* SPDX-License-Identifier: MIT */
/*
 * product.c - a product of small matrices by the calling thread.
 *
 * Tiles of C are summed in registers.  The widest have six rows of two vectors or, with AVX-512,
 * four: these sums, a row of B and an element of A are the registers of both.  Narrower ones have
 * more rows.  A panel of op(B), as wide, is read in place, or copied to the stack first.  Vectors
 * are a C extension of GCC and clang, so one source serves all processors.  On x86 it is compiled
 * for three instruction sets, and the best one is chosen at run time.  An element's bits do not
 * depend on its tile.
 */
#include <string.h>

#include "host.h"
#include "turn.h"

#define MOST_ROWS 16 /* of a tile */
/* A larger B is copied, panel by panel.  Wide tiles read B less often. */
#define BYTES_IN_PLACE(bytes) ((bytes) == 64 ? 128 << 10 : 16 << 10)

/* Before beta c is added to x, which is alpha s: clang would fuse either product. */
#if defined __clang__ && defined __x86_64__
#define ROUND(x) __asm__("" : "+v"(x))
#elif defined __clang__ && defined __aarch64__
#define ROUND(x) __asm__("" : "+w"(x))
#else
#define ROUND(x) (void)0
#endif

#define REAL float
#define BYTES 16
#define NAME(x) x##_float
#define TARGET PLAIN
#include "product_of.h"

#define REAL double
#define BYTES 16
#define NAME(x) x##_double
#define TARGET PLAIN
#include "product_of.h"

#ifdef __x86_64__

#define REAL float
#define BYTES 32
#define NAME(x) x##_float_avx2
#define TURN turn_float
#define TARGET WITH("avx2,fma")
#include "product_of.h"

#define REAL double
#define BYTES 32
#define NAME(x) x##_double_avx2
#define TURN turn_double
#define TARGET WITH("avx2,fma")
#include "product_of.h"

#define REAL float
#define BYTES 64
#define NAME(x) x##_float_avx512
#ifdef TURNS
#define LOAD_SOME(at, n) _mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), at)
#define STORE_SOME(at, n, v) _mm512_mask_storeu_ps(at, (__mmask16)((1u << (n)) - 1), v)
#endif
#define TURN turn_float_wide
#define TARGET WITH("avx512f")
#include "product_of.h"

#define REAL double
#define BYTES 64
#define NAME(x) x##_double_avx512
#ifdef TURNS
#define LOAD_SOME(at, n) _mm512_maskz_loadu_pd((__mmask8)((1u << (n)) - 1), at)
#define STORE_SOME(at, n, v) _mm512_mask_storeu_pd(at, (__mmask8)((1u << (n)) - 1), v)
#endif
#define TURN turn_double_wide
#define TARGET WITH("avx512f")
#include "product_of.h"

#endif

void clopt__host_sgemm(const struct host_product *p)
{
	static void (*const kernels[])(const struct host_product *) = BY_VECTORS(product_float);

	kernels[clopt__host_vectors()](p);
}

void clopt__host_dgemm(const struct host_product *p)
{
	static void (*const kernels[])(const struct host_product *) = BY_VECTORS(product_double);

	kernels[clopt__host_vectors()](p);
}
