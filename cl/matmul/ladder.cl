/* SPDX-License-Identifier: MIT */
/*
 * ladder.cl - sections 3.2.2.2 and 3.2.2.3 of NVIDIA's OpenCL Best Practices Guide (2011), step by
 * step.  It exists to be measured (examples/bench/ladders.py), and is never picked.
 *
 *	TILE_A   0: elements of A come from global memory, each once for every element of C in its
 *	         row; 1: from a tile in local memory, read once for each group
 *	TILE_B   the same for B
 *	PAD      unused columns of a tile, against bank conflicts
 *
 * One work-item per element of C.  A transposed array is read along its rows, and so written to
 * columns of the tile: with PAD 0 all items of a row write to one bank.
 */
#if !defined TILE_A || !defined TILE_B || !defined PAD
#error "TILE_A, TILE_B and PAD come from the variant's row"
#endif
#if WG0 != WG1 || WG0 != OUT0 || WG1 != OUT1
#error "one element a work-item, square tiles"
#endif
#define T WG0

#if TILE_A || TILE_B
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#else
#define BARRIER
#endif

/* The last element replaces those beyond the edges, whose products are not used. */
static inline REAL get_a(__global const ELEM *a, ulong i, ulong p, ulong m, ulong k, ulong lda)
{
	return LOAD(a + at_a(min(i, m - 1), min(p, k - 1), lda));
}

static inline REAL get_b(__global const ELEM *b, ulong p, ulong j, ulong k, ulong n, ulong ldb)
{
	return LOAD(b + at_b(min(p, k - 1), min(j, n - 1), ldb));
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
#if TILE_A
	__local REAL ta[T][T + PAD];
#endif
#if TILE_B
	__local REAL tb[T][T + PAD];
#endif
	const uint x = get_local_id(0), y = get_local_id(1);
	const ulong i = GROUP1 + y, j = GROUP0 + x;
	REAL sum = SUM_BEGIN(i, j);

	if (!any_in_triangle(GROUP1, T, GROUP0, T, lower))
		return;
	BATCH(a, b, c);
	for (ulong p0 = 0; p0 < k; p0 += T) {
		const uint depth = (uint)min((ulong)T, k - p0);

#if TILE_A
		ta[TA ? x : y][TA ? y : x] =
			get_a(a, GROUP1 + (TA ? x : y), p0 + (TA ? y : x), m, k, lda);
#endif
#if TILE_B
		tb[TB ? x : y][TB ? y : x] =
			get_b(b, p0 + (TB ? x : y), GROUP0 + (TB ? y : x), k, n, ldb);
#endif
		/* The guide omits this barrier where a row of the tile belongs to one warp. */
		BARRIER;
		for (uint p = 0; p < depth; p++) {
#if TILE_A
			const REAL ea = ta[y][p];
#else
			const REAL ea = get_a(a, i, p0 + p, m, k, lda);
#endif
#if TILE_B
			const REAL eb = tb[p][x];
#else
			const REAL eb = get_b(b, p0 + p, j, k, n, ldb);
#endif
			sum += ea * eb;
		}
		BARRIER;
	}
	if (i < m && j < n)
		store_element(c, i, j, ldc, lower, sum, alpha, beta);
}
