/* SPDX-License-Identifier: MIT */
/*
 * mfma.cl - products by the matrix instructions of CDNA 2 and 3 in float64 and float32.
 *
 * Tiles of op(A) and op(B) go through two buffers of local memory as in lds.cl.  A group computes
 * OUT1 x OUT0 elements of C, a wave of it WM x WN.  An instruction's 16 rows and 16 columns may be
 * any, if loads and stores agree: here they are VN apart.  So a lane reads V for VN instructions,
 * and its sums of VN neighbouring columns are V of C.
 *
 * With WM = WN = 64 a wave reads from local memory, for 4 terms, 2 V of float32 a lane (4 of
 * float64).  For the four waves of four SIMDs that takes 64 (128) clocks.  Their 16 instructions
 * keep the SIMDs busy for 512.
 */
#if !defined WM || !defined WN
#error "WM and WN, the part of a wave, come from the variant's row"
#endif
#define WAVES0 (OUT0 / WN)
#if WG0 != WAVE * WAVES0 * (OUT1 / WM) || WG1 != 1 || OUT0 % WN || OUT1 % WM
#error "one wave for each WM x WN elements"
#endif
#if WM % (MATRIX * VN) || WN % (MATRIX * VN) || TK % MATRIX_K
#error "a lane reads whole vectors of op(A) and op(B), for a whole instruction"
#endif
#define BLOCK (MATRIX * VN)
#define ROWS (WM / MATRIX)
#define COLS (WN / MATRIX)
#define MATRICES (ROWS + COLS)

/* The row of a wave's part that is row i of instruction r. */
#define ROW_OF(r, i) ((r) / VN * BLOCK + VN * (i) + (r) % VN)

MATRIX_KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local REAL ta[2][TK * LDA] __attribute__((aligned(16)));
	__local REAL tb[2][TK * LDB] __attribute__((aligned(16)));
	MATRIX_ROOM(room);
	const uint item = get_local_id(0), g = item % WAVE / MATRIX, l = item % MATRIX;
	const uint w1 = item / WAVE / WAVES0 * WM, w0 = item / WAVE % WAVES0 * WN;
	const ulong i0 = GROUP1 + w1, j0 = GROUP0 + w0 + VN * l;
	const int whole_a = (lda | stride_a | offset.s0) % VN == 0 && GROUP1 + OUT1 <= m;
	const int whole_b = (ldb | stride_b | offset.s1) % VN == 0 && GROUP0 + OUT0 <= n;
	const int aligned_c = (ldc | stride_c | offset.s2) % VN == 0;
	const ulong tiles = k / TK + (k % TK != 0);
	V next_a[LOADS_A], next_b[LOADS_B], va[ROWS / VN], vb[COLS / VN];
	REAL4 acc[ROWS][COLS];

	if (!any_in_triangle(GROUP1, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS; s++) {
			const ulong j = j0 + s / VN * BLOCK + s % VN;

			acc[r][s] = (REAL4)(SUM_BEGIN(i0 + ROW_OF(r, MATRIX_ROW(g, 0)), j),
			                    SUM_BEGIN(i0 + ROW_OF(r, MATRIX_ROW(g, 1)), j),
			                    SUM_BEGIN(i0 + ROW_OF(r, MATRIX_ROW(g, 2)), j),
			                    SUM_BEGIN(i0 + ROW_OF(r, MATRIX_ROW(g, 3)), j));
		}
	/* Tile t is loaded while the previous tile is multiplied.  Compared for equality, numbers
	 * of 64 bits stay in scalar registers. */
	for (ulong t = 0; t != tiles + 1; t++) {
		const uint buffer = t & 1;

		if (t)
			store_tiles(ta[buffer], tb[buffer], item, next_a, next_b);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t != tiles)
			fetch_tiles(next_a, next_b, item, a, b, t * TK, m, n, k, lda, ldb, whole_a,
			            whole_b, t != k / TK);
		if (!t)
			continue;
		#pragma unroll
		for (uint p = 0; p < TK; p += MATRIX_K) {
			__local const REAL *pa = ta[buffer] + (p + g) * LDA + w1 + VN * l;
			__local const REAL *pb = tb[buffer] + (p + g) * LDB + w0 + VN * l;

			#pragma unroll
			for (uint r = 0; r < ROWS / VN; r++)
				va[r] = *(__local const V *)(pa + r * BLOCK);
			#pragma unroll
			for (uint s = 0; s < COLS / VN; s++)
				vb[s] = *(__local const V *)(pb + s * BLOCK);
			MATRIX_WAIT();
			#pragma unroll
			for (uint r = 0; r < ROWS; r++)
				MATRIX_GIVE(room, r, component(va[r / VN], r % VN));
			#pragma unroll
			for (uint s = 0; s < COLS; s++)
				MATRIX_GIVE(room, ROWS + s, component(vb[s / VN], s % VN));
			MATRIX_WAIT();
			#pragma unroll
			for (uint r = 0; r < ROWS; r++)
				#pragma unroll
				for (uint s = 0; s < COLS; s++)
					MATRIX_ADD(room, r, component(va[r / VN], r % VN), ROWS + s,
					           component(vb[s / VN], s % VN), acc[r][s]);
		}
	}
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint e = 0; e < 4; e++) {
			const ulong i = i0 + ROW_OF(r, MATRIX_ROW(g, e));

			#pragma unroll
			for (uint s = 0; s < COLS; s += VN) {
				const ulong j = j0 + s / VN * BLOCK;
				V sum;

				sum.x = sum_of(acc[r][s], e);
				sum.y = sum_of(acc[r][s + 1], e);
#if VN == 4
				sum.z = sum_of(acc[r][s + 2], e);
				sum.w = sum_of(acc[r][s + 3], e);
#endif
				if (i < m && j < n)
					store_row(c, i, j, n, ldc, aligned_c, lower, sum, alpha,
					          beta);
			}
		}
	/* Without this barrier the return of groups outside the triangle and the branches of the
	 * last store end in one block.  There PoCL 3.1 takes the lanes' branches for the group's,
	 * so that all lanes store as lane 0 does. */
	MATRIX_WAIT();
}
