/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - sums over few pairs by the calling thread.
 *
 * The lanes of a vector are targets.  Sources follow one after the other, a tile at a time, and the
 * sums of tiles are added, as in cl/pair/sum.clh.  The root is Newton's, since C has no root of
 * vectors.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "clopt.h"
#include "host.h"

#define TILE ((size_t)64) /* sources */

#define REAL float
#define BITS int32_t
#define LEAST FLT_MIN
#define MOST FLT_MAX
#define FIRST_ROOT 0x5f3759df
#define STEPS 3

#define BYTES 16
#define NAME(x) x##_float
#define TARGET PLAIN
#include "pairs_of.h"

#ifdef __x86_64__
#define BYTES 32
#define NAME(x) x##_float_avx2
#define TARGET WITH("avx2,fma")
#include "pairs_of.h"

#define BYTES 64
#define NAME(x) x##_float_avx512
#define TARGET WITH("avx512f")
#include "pairs_of.h"
#endif

#undef REAL
#undef BITS
#undef LEAST
#undef MOST
#undef FIRST_ROOT
#undef STEPS

#define REAL double
#define BITS int64_t
#define LEAST DBL_MIN
#define MOST DBL_MAX
#define FIRST_ROOT 0x5fe6eb50c7b537a9
#define STEPS 4

#define BYTES 16
#define NAME(x) x##_double
#define TARGET PLAIN
#include "pairs_of.h"

#ifdef __x86_64__
#define BYTES 32
#define NAME(x) x##_double_avx2
#define TARGET WITH("avx2,fma")
#include "pairs_of.h"

#define BYTES 64
#define NAME(x) x##_double_avx512
#define TARGET WITH("avx512f")
#include "pairs_of.h"

#endif

void clopt__host_pairs_float(const struct host_pairs *p)
{
	static void (*const kernels[])(const struct host_pairs *) = BY_VECTORS(pairs_float);

	kernels[clopt__host_vectors()](p);
}

void clopt__host_pairs_double(const struct host_pairs *p)
{
	static void (*const kernels[])(const struct host_pairs *) = BY_VECTORS(pairs_double);

	kernels[clopt__host_vectors()](p);
}
