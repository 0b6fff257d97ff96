/* SPDX-License-Identifier: MIT */
/*
 * lds.cl - register blocking over two buffers of local memory, for AMD's GPUs
 * with scalar lanes (GCN, CDNA, RDNA).
 *
 * A group makes OUT1 x OUT0 elements of C, a work-item (OUT1/WG1) x (OUT0/WG0)
 * of them in registers.  While tile t of op(A) and op(B) is multiplied from one
 * buffer, tile t + 1 is on its way from global memory into registers, and goes
 * to the other buffer at the next step: one barrier a tile, and the latency of
 * global memory lies behind the products.
 *
 * All accesses are of 16 bytes, V: four floats or two doubles, which is what a
 * lane can move in one ds_read_b128 or global_load_dwordx4.  A tile is TK_BYTES of
 * the sum's dimension deep, with that dimension outermost in local memory.  An
 * item's elements of C lie in blocks of V, BLOCK1 rows and BLOCK0 columns apart:
 * the lanes of a wave then read neighbouring words of op(B)'s tile, which fall on
 * all banks, and few words of op(A)'s, which are broadcast.
 *
 * The rows give an item 8 x 8 elements.  Then a wave of 64 takes 32 clocks of local
 * memory, at 128 bytes a clock, for 64 multiply-adds, which keep its SIMD busy for
 * 256; four SIMDs share the memory, so it is half busy.  With 4 x 4 elements it
 * would be the limit.
 */
#ifndef TK_BYTES
#error "TK_BYTES, the depth of a tile, comes from the variant's row"
#endif

#if ELEM_BYTES == 8
typedef double2 V;
#define VN 2
#else
typedef float4 V;
#define VN 4
#endif
/* V from and to global memory, where it lies on a multiple of itself. */
#if ELEM_BYTES == 2
#define VLOAD(p) vload_half4(0, p)
#define VSTORE(v, p) vstore_half4(v, 0, p)
#else
#define VLOAD(p) (*(__global const V *)(p))
#define VSTORE(v, p) (*(__global V *)(p) = (v))
#endif

#define TK (TK_BYTES / 16 * VN)
#define ITEMS (WG0 * WG1)
#define ROWS (OUT1 / WG1)
#define COLS (OUT0 / WG0)
#define BLOCK1 (WG1 * VN)
#define BLOCK0 (WG0 * VN)
/* One V more than a row needs, so that a tile that is turned on its way in does
 * not fall on one bank. */
#define LDA (OUT1 + VN)
#define LDB (OUT0 + VN)
/* What an item loads of each tile, in V. */
#define LOADS_A (OUT1 * TK / VN / ITEMS)
#define LOADS_B (OUT0 * TK / VN / ITEMS)
#if OUT0 % BLOCK0 || OUT1 % BLOCK1 || TK % VN || OUT1 * TK / VN % ITEMS || OUT0 * TK / VN % ITEMS
#error "items take whole blocks of V, of C and of each tile"
#endif

/* Element i of v; i is known when the loops round it are unrolled. */
static inline REAL part(V v, uint i)
{
#if VN == 4
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
#else
	return i == 0 ? v.x : v.y;
#endif
}

/* V from element `at` of a line on, with zeros beyond the array.  whole: it is all
 * there and aligned. */
static inline V fetch(__global const ELEM *from, ulong line, ulong at, ulong ld, int whole,
                      ulong lines, ulong length)
{
	V v = 0;

	from += line * ld + at;
	if (whole)
		return VLOAD(from);
	if (line >= lines || at >= length)
		return v;
	v.x = GET(from);
	v.y = at + 1 < length ? GET(from + 1) : 0;
#if VN == 4
	v.z = at + 2 < length ? GET(from + 2) : 0;
	v.w = at + 3 < length ? GET(from + 3) : 0;
#endif
	return v;
}

/* Where in a tile an item's load e lies, counted along lines of the array: the
 * element of the sum's dimension, and the one across. */
static inline uint2 place(uint e, uint wide, int by_k)
{
	const uint across = (by_k ? TK : wide) / VN;

	return by_k ? (uint2)(e % across * VN, e / across) : (uint2)(e / across, e % across * VN);
}

/* v into a tile in local memory with rows of ld, from (p, i) on along the array's lines. */
static inline void stash(__local REAL *to, uint ld, int by_k, uint2 at, V v)
{
	to += at.x * ld + at.y;
	if (!by_k) {
		*(__local V *)to = v;
		return;
	}
	to[0] = v.x;
	to[ld] = v.y;
#if VN == 4
	to[2 * ld] = v.z;
	to[3 * ld] = v.w;
#endif
}

/* V of row i of C from column j on. */
static inline void put_row(__global ELEM *c, ulong i, ulong j, ulong n, ulong ldc, int aligned,
                           long lower, V sum, REAL alpha, REAL beta)
{
	__global ELEM *to = c + i * ldc + j;

	if (aligned && j + VN <= n && all_wanted(i, 1, j, VN, lower)) {
		VSTORE(beta == 0 ? alpha * sum : fma((V)alpha, sum, beta * VLOAD(to)), to);
		return;
	}
	#pragma unroll
	for (uint q = 0; q < VN; q++)
		if (j + q < n)
			put(c, i, j + q, ldc, lower, part(sum, q), alpha, beta);
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	__local REAL ta[2][TK * LDA] __attribute__((aligned(16)));
	__local REAL tb[2][TK * LDB] __attribute__((aligned(16)));
	const uint x = get_local_id(0), y = get_local_id(1), item = y * WG0 + x;
	/* All of this group's rows and columns are there, on multiples of V. */
	const int whole_a = (lda | stride_a) % VN == 0 && GROUP1 + OUT1 <= m;
	const int whole_b = (ldb | stride_b) % VN == 0 && GROUP0 + OUT0 <= n;
	const int aligned_c = (ldc | stride_c) % VN == 0;
	V acc[ROWS][COLS / VN], next_a[LOADS_A], next_b[LOADS_B];

	if (!any_wanted(GROUP1, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS / VN; s++)
			acc[r][s] = 0;
	/* p0 is the tile that is loaded; the one before is multiplied. */
	for (ulong p0 = 0; p0 < k + TK; p0 += TK) {
		const uint buffer = p0 / TK & 1;

		if (p0) {
			#pragma unroll
			for (uint q = 0; q < LOADS_A; q++)
				stash(ta[buffer], LDA, !TA, place(q * ITEMS + item, OUT1, !TA),
				      next_a[q]);
			#pragma unroll
			for (uint q = 0; q < LOADS_B; q++)
				stash(tb[buffer], LDB, TB, place(q * ITEMS + item, OUT0, TB),
				      next_b[q]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (p0 < k) {
			const int deep = p0 + TK <= k;

			#pragma unroll
			for (uint q = 0; q < LOADS_A; q++) {
				const uint2 at = place(q * ITEMS + item, OUT1, !TA);
				const ulong p = p0 + at.x, i = GROUP1 + at.y;

				next_a[q] = fetch(a, TA ? p : i, TA ? i : p, lda, whole_a && deep,
				                  TA ? k : m, TA ? m : k);
			}
			#pragma unroll
			for (uint q = 0; q < LOADS_B; q++) {
				const uint2 at = place(q * ITEMS + item, OUT0, TB);
				const ulong p = p0 + at.x, j = GROUP0 + at.y;

				next_b[q] = fetch(b, TB ? j : p, TB ? p : j, ldb, whole_b && deep,
				                  TB ? n : k, TB ? k : n);
			}
		}
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
					acc[r][s] += part(va, r % VN) * vb[s];
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
				put_row(c, i, j, n, ldc, aligned_c, lower, acc[r][s], alpha, beta);
		}
	}
}
