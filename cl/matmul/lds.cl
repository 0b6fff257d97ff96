/* SPDX-License-Identifier: MIT */
/*
 * lds.cl - register blocking over two buffers of local memory, for AMD's GPUs with scalar lanes
 * (GCN, CDNA, RDNA).
 *
 * A group computes OUT1 x OUT0 elements of C; a work-item has (OUT1/WG1) x (OUT0/WG0) of them in
 * registers.  While tile t of op(A) and op(B) is multiplied from one buffer, tile t + 1 is loaded
 * from global memory to registers.  The next step stores it to the other buffer: one barrier a
 * tile, and the products hide the latency of global memory.
 *
 * An item's elements of C lie in blocks of V, BLOCK1 rows and BLOCK0 columns apart.  The lanes of a
 * wave then read neighbouring words of op(B)'s tile, which use all banks.  They read few words of
 * op(A)'s tile, which are broadcast.
 *
 * The table's rows give an item 8 x 8 elements.  Then a wave of 64 takes 32 clocks of local memory,
 * at 128 bytes a clock, for 64 multiply-adds.  These keep its SIMD busy for 256 clocks; four SIMDs
 * share the memory, so it is half busy.  With 4 x 4 elements local memory would be the limit.
 */
#define ROWS (OUT1 / WG1)
#define COLS (OUT0 / WG0)
#define BLOCK1 (WG1 * VN)
#define BLOCK0 (WG0 * VN)
#if OUT0 % BLOCK0 || OUT1 % BLOCK1
#error "an item must have whole blocks of V of C"
#endif

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local REAL ta[2][TK * LDA] __attribute__((aligned(16)));
	__local REAL tb[2][TK * LDB] __attribute__((aligned(16)));
	const uint x = get_local_id(0), y = get_local_id(1), item = y * WG0 + x;
	const int whole_a = (lda | stride_a | offset.s0) % VN == 0 && GROUP1 + OUT1 <= m;
	const int whole_b = (ldb | stride_b | offset.s1) % VN == 0 && GROUP0 + OUT0 <= n;
	const int aligned_c = (ldc | stride_c | offset.s2) % VN == 0;
	V acc[ROWS][COLS / VN], next_a[LOADS_A], next_b[LOADS_B];

	if (!any_in_triangle(GROUP1, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS / VN; s++)
			acc[r][s] = V_BEGIN(GROUP1 + r / VN * BLOCK1 + VN * y + r % VN,
			                    GROUP0 + s * BLOCK0 + VN * x);
	/* The tile at p0 is loaded while the previous tile is multiplied. */
	for (ulong p0 = 0; p0 < k + TK; p0 += TK) {
		const uint buffer = p0 / TK & 1;

		if (p0)
			store_tiles(ta[buffer], tb[buffer], item, next_a, next_b);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (p0 < k)
			fetch_tiles(next_a, next_b, item, a, b, p0, m, n, k, lda, ldb, whole_a,
			            whole_b, p0 + TK <= k);
		if (!p0)
			continue;
		#pragma unroll
		for (uint p = 0; p < TK; p++) {
			__local const REAL *pa = ta[buffer] + p * LDA + VN * y;
			__local const REAL *pb = tb[buffer] + p * LDB + VN * x;
			V vb[COLS / VN];

			#pragma unroll
			for (uint s = 0; s < COLS / VN; s++)
				vb[s] = *(__local const V *)(pb + s * BLOCK0);
			#pragma unroll
			for (uint r = 0; r < ROWS; r++) {
				const V va = *(__local const V *)(pa + r / VN * BLOCK1);

				#pragma unroll
				for (uint s = 0; s < COLS / VN; s++)
					acc[r][s] += component(va, r % VN) * vb[s];
			}
		}
	}
	#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
		const ulong i = GROUP1 + r / VN * BLOCK1 + VN * y + r % VN;

		#pragma unroll
		for (uint s = 0; s < COLS / VN; s++) {
			const ulong j = GROUP0 + s * BLOCK0 + VN * x;

			if (i < m && j < n)
				store_row(c, i, j, n, ldc, aligned_c, lower, acc[r][s], alpha,
				          beta);
		}
	}
}
