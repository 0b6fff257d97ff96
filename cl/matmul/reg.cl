/* SPDX-License-Identifier: MIT */
/*
 * reg.cl - register-blocked scalar kernel for devices whose lanes are scalar.
 *
 * A group makes OUT1 x OUT0 elements of C, a work-item (OUT1/WG1) x (OUT0/WG0)
 * of them in registers.  Tiles of op(A) and op(B), TK deep, go through local
 * memory with k as the outer dimension, so that a work-item reads four neighbours at a time.
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
#if OUT0 % BLOCK0 || OUT1 % BLOCK1 || TK % 4
#error "a tile must be whole blocks of four"
#endif

/*
 * Loads a tile of op(A) or op(B), TK deep and `wide` elements across, to rows of local
 * memory.  The array has `lines` lines of `length` elements of the operand from
 * `from` on; by_k: lines run along k.  Each item loads four neighbours of a line, in
 * one access where the four exist and are aligned; beyond the edges, zeros.  aligned:
 * all lines are.
 */
static inline void load(__local REAL *to, uint wide, uint by_k, __global const REAL *from,
                        ulong ld, int aligned, ulong lines, ulong length, uint item)
{
	const uint across = (by_k ? TK : wide) / 4; /* groups of four on a line */
	const int whole = aligned && length >= 4 * across && lines >= (by_k ? wide : TK);

	#pragma unroll
	for (uint q = 0; q < wide * TK / 4; q += ITEMS) {
		const uint e = q + item, line = e / across, at = e % across * 4;
		__global const REAL *source = from + line * ld + at;
		REAL4 v = 0;

		if (wide * TK / 4 % ITEMS && e >= wide * TK / 4)
			break;
		if (whole) {
			v = *(__global const REAL4 *)source;
		} else if (line < lines) {
			v.x = at < length ? source[0] : 0;
			v.y = at + 1 < length ? source[1] : 0;
			v.z = at + 2 < length ? source[2] : 0;
			v.w = at + 3 < length ? source[3] : 0;
		}
		if (by_k) {
			to[at * (wide + 4) + line] = v.x;
			to[(at + 1) * (wide + 4) + line] = v.y;
			to[(at + 2) * (wide + 4) + line] = v.z;
			to[(at + 3) * (wide + 4) + line] = v.w;
		} else {
			*(__local REAL4 *)(to + line * (wide + 4) + at) = v;
		}
	}
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
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
	if (!any_in_triangle(GROUP1, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	a += at_a(GROUP1, 0, lda);
	b += at_b(0, GROUP0, ldb);
	for (ulong p0 = 0; p0 < k; p0 += TK) {
		load(&ta[0][0], OUT1, !TA, a, lda, (lda | stride_a | offset.s0) % 4 == 0,
		     TA ? k - p0 : m - GROUP1, TA ? m - GROUP1 : k - p0, y * WG0 + x);
		load(&tb[0][0], OUT0, TB, b, ldb, (ldb | stride_b | offset.s1) % 4 == 0,
		     TB ? n - GROUP0 : k - p0, TB ? k - p0 : n - GROUP0, y * WG0 + x);
		a += at_a(0, TK, lda);
		b += at_b(TK, 0, ldb);
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

			if (i < m && j < n)
				store_element(c, i, j, ldc, lower, acc[r][s].x, alpha, beta);
			if (i < m && j + 1 < n)
				store_element(c, i, j + 1, ldc, lower, acc[r][s].y, alpha, beta);
			if (i < m && j + 2 < n)
				store_element(c, i, j + 2, ldc, lower, acc[r][s].z, alpha, beta);
			if (i < m && j + 3 < n)
				store_element(c, i, j + 3, ldc, lower, acc[r][s].w, alpha, beta);
		}
	}
}
