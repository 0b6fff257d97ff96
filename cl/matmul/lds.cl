/* SPDX-License-Identifier: MIT */
/*
 * lds.cl - register blocking over two buffers of local memory, for AMD's GPUs
 * with scalar lanes (GCN, CDNA, RDNA).
 *
 * A group makes OUT1 x OUT0 elements of C, a work-item (OUT1/WG1) x (OUT0/WG0)
 * of them in registers.  While tile t of op(A) and op(B) is multiplied from one
 * buffer, tile t + 1 is loaded from global memory to registers, and stored to the
 * other buffer at the next step: one barrier a tile, and the products hide the latency
 * of global memory.
 *
 * All accesses are of 16 bytes, V: four floats or two doubles, the most that a
 * lane can move in one ds_read_b128 or global_load_dwordx4.  A tile is TK_BYTES of
 * k deep, with k as the outer dimension in local memory.  An
 * item's elements of C lie in blocks of V, BLOCK1 rows and BLOCK0 columns apart:
 * the lanes of a wave then read neighbouring words of op(B)'s tile, which fall on
 * all banks, and few words of op(A)'s, which are broadcast.
 *
 * The table's rows give an item 8 x 8 elements.  Then a wave of 64 takes 32 clocks of
 * local memory, at 128 bytes a clock, for 64 multiply-adds, which keep its SIMD busy for
 * 256; four SIMDs share the memory, so it is half busy.  With 4 x 4 elements local memory
 * would be the limit.
 */
#ifndef TK_BYTES
#error "TK_BYTES, the depth of a tile, comes from the variant's row"
#endif

#if ELEM_BYTES == 8
typedef double2 V;
#define VN 2
#define V_BEGIN SUM_BEGIN2
#else
typedef float4 V;
#define VN 4
#define V_BEGIN SUM_BEGIN4
#endif
/* V from and to global memory, at a multiple of its size. */
#if BFLOAT16
#define VLOAD(p) as_float4(convert_uint4(*(__global const ushort4 *)(p)) << 16)
#define VSTORE(v, p) (*(__global ushort4 *)(p) = to_bfloat16_4(v))
#elif ELEM_BYTES == 2
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
/* One V more than a row needs, so that storing a tile transposed does not conflict on a
 * bank. */
#define LDA (OUT1 + VN)
#define LDB (OUT0 + VN)
/* Loads of V of an item for each tile. */
#define LOADS_A (OUT1 * TK / VN / ITEMS)
#define LOADS_B (OUT0 * TK / VN / ITEMS)
#if OUT0 % BLOCK0 || OUT1 % BLOCK1 || TK % VN || OUT1 * TK / VN % ITEMS || OUT0 * TK / VN % ITEMS
#error "an item must have whole blocks of V, of C and of each tile"
#endif

/* Element i of v; i is a constant once the loops round it are unrolled. */
static inline REAL component(V v, uint i)
{
#if VN == 4
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
#else
	return i == 0 ? v.x : v.y;
#endif
}

/* V from element `at` of a line on, with zeros beyond the array.  whole: all its elements
 * exist and it is aligned. */
static inline V fetch(__global const ELEM *from, ulong line, ulong at, ulong ld, int whole,
                      ulong lines, ulong length)
{
	V v = 0;

	from += line * ld + at;
	if (whole)
		return VLOAD(from);
	if (line >= lines || at >= length)
		return v;
	v.x = LOAD(from);
	v.y = at + 1 < length ? LOAD(from + 1) : 0;
#if VN == 4
	v.z = at + 2 < length ? LOAD(from + 2) : 0;
	v.w = at + 3 < length ? LOAD(from + 3) : 0;
#endif
	return v;
}

/* The position in a tile of load e, counted along lines of the array: along k, and across
 * it. */
static inline uint2 tile_position(uint e, uint wide, int by_k)
{
	const uint across = (by_k ? TK : wide) / VN;

	return by_k ? (uint2)(e % across * VN, e / across) : (uint2)(e / across, e % across * VN);
}

/* Stores v to a tile with rows of ld, from position `at` on along the array's lines. */
static inline void store_tile(__local REAL *to, uint ld, int by_k, uint2 at, V v)
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

/* Stores V to row i of C from column j on. */
static inline void store_row(__global ELEM *c, ulong i, ulong j, ulong n, ulong ldc, int aligned,
                             long lower, V sum, REAL alpha, REAL beta)
{
	__global ELEM *to = c + i * ldc + j;

	if (!IN_PARTS && aligned && j + VN <= n && all_in_triangle(i, 1, j, VN, lower)) {
		VSTORE(beta == 0 ? alpha * sum : fma((V)alpha, sum, beta * VLOAD(to)), to);
		return;
	}
	#pragma unroll
	for (uint q = 0; q < VN; q++)
		if (j + q < n)
			store_element(c, i, j + q, ldc, lower, component(sum, q), alpha, beta);
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local REAL ta[2][TK * LDA] __attribute__((aligned(16)));
	__local REAL tb[2][TK * LDB] __attribute__((aligned(16)));
	const uint x = get_local_id(0), y = get_local_id(1), item = y * WG0 + x;
	/* All of this group's rows or columns exist, at multiples of V. */
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
	/* The tile at p0 is loaded while the tile before is multiplied. */
	for (ulong p0 = 0; p0 < k + TK; p0 += TK) {
		const uint buffer = p0 / TK & 1;

		if (p0) {
			#pragma unroll
			for (uint q = 0; q < LOADS_A; q++)
				store_tile(ta[buffer], LDA, !TA,
				           tile_position(q * ITEMS + item, OUT1, !TA), next_a[q]);
			#pragma unroll
			for (uint q = 0; q < LOADS_B; q++)
				store_tile(tb[buffer], LDB, TB,
				           tile_position(q * ITEMS + item, OUT0, TB), next_b[q]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (p0 < k) {
			const int whole_k = p0 + TK <= k;

			#pragma unroll
			for (uint q = 0; q < LOADS_A; q++) {
				const uint2 at = tile_position(q * ITEMS + item, OUT1, !TA);
				const ulong p = p0 + at.x, i = GROUP1 + at.y;

				next_a[q] = fetch(a, TA ? p : i, TA ? i : p, lda,
				                  whole_a && whole_k, TA ? k : m, TA ? m : k);
			}
			#pragma unroll
			for (uint q = 0; q < LOADS_B; q++) {
				const uint2 at = tile_position(q * ITEMS + item, OUT0, TB);
				const ulong p = p0 + at.x, j = GROUP0 + at.y;

				next_b[q] = fetch(b, TB ? j : p, TB ? p : j, ldb,
				                  whole_b && whole_k, TB ? n : k, TB ? k : n);
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
