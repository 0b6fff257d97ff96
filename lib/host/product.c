/* SPDX-License-Identifier: MIT */
/*
 * product.c - a product of small matrices by the calling thread.
 *
 * Tiles of C, of up to two vectors and six rows, or one and eight, are summed in registers: with 12
 * sums, 2 vectors of B and an element of A these are the registers of AVX2.  A panel of op(B), as
 * wide, is read in place, or copied to the stack first.  Vectors are a C extension of GCC and
 * clang, so one source serves all processors.  On x86 it is compiled for three instruction sets,
 * and the best one is chosen at run time.  An element's bits do not depend on its tile.
 */
#include <string.h>

#include "host.h"
#include "turn.h"

#define MOST_ROWS 8 /* of a tile */
#define BYTES_IN_PLACE (16 << 10) /* of B; larger ones are copied, panel by panel */

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
#define TURN turn_float
#define TARGET WITH("avx512f")
#include "product_of.h"

#define REAL double
#define BYTES 64
#define NAME(x) x##_double_avx512
#define TURN turn_double
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
