/* SPDX-License-Identifier: MIT */
/*
 * reg.cl - register-blocked scalar kernel for devices whose lanes are scalar.
 *
 * A group makes OUT1 x OUT0 elements of C, a work-item (OUT1/WG1) x (OUT0/WG0)
 * of them in registers.  Tiles of op(A) and op(B), TK deep, go through local
 * memory with k outermost, so that a work-item reads four neighbours at a time.
 * The arrays are declared aligned and read through REAL4 pointers: vload4 from
 * local memory is four scalar loads on NVIDIA (26 against 43 TFLOP/s, H200).
 * Its elements of C lie in blocks of four, BLOCK1 rows and BLOCK0 columns
 * apart, so that neighbours in a wave read neighbouring local words.
 */
#ifndef TK
#error "TK, the depth of a tile, comes from the variant's row"
#endif
#define ITEMS (WG0 * WG1)
#define ROWS (OUT1 / WG1)
#define COLS (OUT0 / WG0)
#define BLOCK1 (WG1 * 4)
#define BLOCK0 (WG0 * 4)
#if OUT0 % BLOCK0 || OUT1 % BLOCK1 || OUT0 * TK % ITEMS || OUT1 * TK % ITEMS
#error "a tile must divide among the work-items in blocks of four"
#endif

/* Bring op(A)(i0.., p0..) and op(B)(p0.., j0..) in, zeros beyond the edges.
 * Neighbouring items take neighbours in memory, whichever way the array lies. */
static inline void load(__local REAL (*ta)[OUT1 + 4], __local REAL (*tb)[OUT0 + 4], uint item,
                        ulong i0, ulong j0, ulong p0, ulong m, ulong n, ulong k, ulong lda,
                        ulong ldb, __global const REAL *a,
                        __global const REAL *b)
{
	#pragma unroll
	for (uint e = item; e < OUT1 * TK; e += ITEMS) {
		const uint i = TA ? e % OUT1 : e / TK, p = TA ? e / OUT1 : e % TK;

		ta[p][i] = i0 + i < m && p0 + p < k ? a[at_a(i0 + i, p0 + p, lda)] : (REAL)0;
	}
	#pragma unroll
	for (uint e = item; e < OUT0 * TK; e += ITEMS) {
		const uint j = TB ? e / TK : e % OUT0, p = TB ? e % TK : e / OUT0;

		tb[p][j] = j0 + j < n && p0 + p < k ? b[at_b(p0 + p, j0 + j, ldb)] : (REAL)0;
	}
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, REAL alpha, REAL beta,
                __global const REAL *restrict a, __global const REAL *restrict b,
                __global REAL *restrict c)
{
	__local REAL ta[TK][OUT1 + 4] __attribute__((aligned(32)));
	__local REAL tb[TK][OUT0 + 4] __attribute__((aligned(32)));
	const uint x = get_local_id(0), y = get_local_id(1);
	REAL4 acc[ROWS][COLS / 4];

	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS / 4; s++)
			acc[r][s] = 0;
	for (ulong p0 = 0; p0 < k; p0 += TK) {
		load(ta, tb, y * WG0 + x, GROUP1, GROUP0, p0, m, n, k, lda, ldb, a, b);
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (uint p = 0; p < TK; p++) {
			REAL4 vb[COLS / 4];

			#pragma unroll
			for (uint s = 0; s < COLS / 4; s++)
				vb[s] = *(__local const REAL4 *)&tb[p][s * BLOCK0 + 4 * x];
			#pragma unroll
			for (uint r = 0; r < ROWS; r += 4) {
				const REAL4 va =
				        *(__local const REAL4 *)&ta[p][r / 4 * BLOCK1 + 4 * y];

				#pragma unroll
				for (uint s = 0; s < COLS / 4; s++) {
					acc[r][s] += va.x * vb[s];
					acc[r + 1][s] += va.y * vb[s];
					acc[r + 2][s] += va.z * vb[s];
					acc[r + 3][s] += va.w * vb[s];
				}
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
		const ulong i = GROUP1 + r / 4 * BLOCK1 + 4 * y + r % 4;

		#pragma unroll
		for (uint s = 0; s < COLS / 4; s++) {
			const ulong j = GROUP0 + s * BLOCK0 + 4 * x;
			__global REAL *to = c + i * ldc + j;

			if (i < m && j < n)
				put(to, acc[r][s].x, alpha, beta);
			if (i < m && j + 1 < n)
				put(to + 1, acc[r][s].y, alpha, beta);
			if (i < m && j + 2 < n)
				put(to + 2, acc[r][s].z, alpha, beta);
			if (i < m && j + 3 < n)
				put(to + 3, acc[r][s].w, alpha, beta);
		}
	}
}
