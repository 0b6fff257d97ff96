/* SPDX-License-Identifier: MIT */
/*
 * dmma.cl - double on NVIDIA's matrix units, compute capability 9.0 and later:
 * mma.m16n8k8, which multiplies 16 x 8 by 8 x 8 over the 32 lanes of a warp.
 *
 * A group makes OUT1 x OUT0 elements of C, a warp WM x WN of them.  Tiles of op(A)
 * and op(B), TK = 8 deep, go round in STAGES buffers.
 *
 * Which k and which row or column an operand's slot stands for is free as long as
 * A, B and C agree.  So that each work-item reads 16 bytes at a time without two
 * meeting in a bank: slots of k stand for neighbours along k, and where the array
 * runs along m or n, the slots of two fragments stand for neighbours there.
 */
#if !defined WM || !defined WN || !defined STAGES || TK != 8 || ELEM_BYTES != 8
#error "WM, WN, STAGES and TK, 8, come from the variant's row, which is for doubles"
#endif
#define WARPS0 (OUT0 / WN)
#define WARPS (WARPS0 * (OUT1 / WM))
#define MI (WM / 16)
#define NJ (WN / 8)
#if WG0 != 32 * WARPS || WG1 != 1 || WM % 16 || WN % 16
#error "a warp for each WM x WN"
#endif
#define LINES_A (OUT1 * TK) /* elements of a buffer */
#define LINES_B (OUT0 * TK)

/* The chunks of a line along m or n are stored in an order that depends on k. */
#define SWIZZLE(k) ((k) & 6)

/* Where a chunk is kept in its buffer. */
static inline uint place(uint2 at, uint wide, int by_k)
{
	const uint chunk = at.y / CHUNK;

	return by_k ? at.x * (TK / CHUNK) + chunk :
	              at.x * (wide / CHUNK) + (chunk ^ SWIZZLE(at.x));
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	__local REAL ta[STAGES][LINES_A] __attribute__((aligned(128)));
	__local REAL tb[STAGES][LINES_B] __attribute__((aligned(128)));
	const uint item = get_local_id(0), lane = item % 32, g = lane / 4, t = lane % 4;
	const uint w1 = item / 32 / WARPS0 * WM, w0 = item / 32 % WARPS0 * WN;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const int aligned_a = (((ulong)a | (lda | stride_a) * ELEM_BYTES) & 15) == 0;
	const int aligned_b = (((ulong)b | (ldb | stride_b) * ELEM_BYTES) & 15) == 0;
	REAL acc[MI][NJ][4];
	__global const ELEM *from_a[CHUNKS(OUT1)], *from_b[CHUNKS(OUT0)];
	uint to_a[CHUNKS(OUT1)], to_b[CHUNKS(OUT0)], n_a[CHUNKS(OUT1)], n_b[CHUNKS(OUT0)];
	ulong left = k, steps = (k + TK - 1) / TK;
	uint s = 0;

	if (!any_wanted(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	a += at_a(i0, 0, lda);
	b += at_b(0, j0, ldb);
	#pragma unroll
	for (uint i = 0; i < MI; i++)
		#pragma unroll
		for (uint j = 0; j < NJ; j++)
			#pragma unroll
			for (uint e = 0; e < 4; e++)
				acc[i][j][e] = 0;

	#pragma unroll
	for (uint q = 0; q < CHUNKS(OUT1); q++) {
		const uint2 at = chunk_at(q, item, OUT1, !TA);

		n_a[q] = TA ? there(at, TK, m - i0) : there(at, m - i0, TK);
		from_a[q] = a + (n_a[q] ? at.x * lda + at.y : 0);
		to_a[q] = LOCAL_ADDRESS(ta) + place(at, OUT1, !TA) * 16;
	}
	#pragma unroll
	for (uint q = 0; q < CHUNKS(OUT0); q++) {
		const uint2 at = chunk_at(q, item, OUT0, TB);

		n_b[q] = TB ? there(at, n - j0, TK) : there(at, TK, n - j0);
		from_b[q] = b + (n_b[q] ? at.x * ldb + at.y : 0);
		to_b[q] = LOCAL_ADDRESS(tb) + place(at, OUT0, TB) * 16;
	}

/* Start copying the next tile of A or B, of `left` that are left of k. */
#define COPY(array, wide, by_k, aligned, advance, slot, left) \
	do { \
		if ((left) < TK) { \
			_Pragma("unroll") for (uint q = 0; q < CHUNKS(wide); q++) \
			{ \
				const uint2 at_ = chunk_at(q, item, wide, by_k); \
				n_##array[q] = n_##array[q] ? \
				                       min(n_##array[q], by_k ? there(at_, wide, left) : \
				                                                there(at_, left, wide)) : \
				                       0; \
			} \
		} \
		_Pragma("unroll") for (uint q = 0; q < CHUNKS(wide); q++) \
		{ \
			const uint to_ = to_##array[q] + (slot) * ((wide) * TK * ELEM_BYTES); \
			if (aligned) \
				copy_chunk(to_, from_##array[q], n_##array[q]); \
			else \
				copy_elements(to_, 1, from_##array[q], n_##array[q]); \
			from_##array[q] += (advance); \
		} \
	} while (0)
#define COPY_NEXT(slot) \
	do { \
		if (left) { \
			COPY(a, OUT1, !TA, aligned_a, TA ? TK * lda : TK, slot, left); \
			COPY(b, OUT0, TB, aligned_b, TB ? TK : TK * ldb, slot, left); \
			left = left > TK ? left - TK : 0; \
		} \
		COPIES_END(); \
	} while (0)

	#pragma unroll
	for (uint u = 0; u < STAGES - 1; u++)
		COPY_NEXT(u);
	for (; steps; steps--) {
		REAL fa[MI][4], fb[NJ][2];

		COPIES_WAIT(STAGES - 2);
		barrier(CLK_LOCAL_MEM_FENCE);
		COPY_NEXT(s == 0 ? STAGES - 1 : s - 1);
		#pragma unroll
		for (uint i = 0; i < MI; i++) {
#if TA
			const __local double2 *x =
			        (const __local double2 *)&ta[s][2 * t * OUT1] +
			        ((w1 / 2 + 8 * i + g) ^ SWIZZLE(2 * t));
			const double2 even = x[0], odd = x[OUT1 / 2];

			fa[i][0] = even.x;
			fa[i][1] = even.y;
			fa[i][2] = odd.x;
			fa[i][3] = odd.y;
#else
			const __local double2 *x =
			        (const __local double2 *)&ta[s][(w1 + 16 * i + g) * TK] + t;
			const double2 upper = x[0], under = x[8 * TK / 2];

			fa[i][0] = upper.x;
			fa[i][1] = under.x;
			fa[i][2] = upper.y;
			fa[i][3] = under.y;
#endif
		}
		#pragma unroll
		for (uint j = 0; j < NJ; j += 2) {
#if TB
			const __local double2 *x =
			        (const __local double2 *)&tb[s][(w0 + 8 * j + g) * TK] + t;
			const double2 left = x[0], right = x[8 * TK / 2];

			fb[j][0] = left.x;
			fb[j][1] = left.y;
			fb[j + 1][0] = right.x;
			fb[j + 1][1] = right.y;
#else
			const __local double2 *x =
			        (const __local double2 *)&tb[s][2 * t * OUT0] +
			        ((w0 / 2 + 4 * j + g) ^ SWIZZLE(2 * t));
			const double2 even = x[0], odd = x[OUT0 / 2];

			fb[j][0] = even.x;
			fb[j][1] = odd.x;
			fb[j + 1][0] = even.y;
			fb[j + 1][1] = odd.y;
#endif
		}
		#pragma unroll
		for (uint i = 0; i < MI; i++)
			#pragma unroll
			for (uint j = 0; j < NJ; j++)
				__asm volatile(
				        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
				        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
				        "{%0, %1, %2, %3};"
				        : "+d"(acc[i][j][0]), "+d"(acc[i][j][1]),
				          "+d"(acc[i][j][2]), "+d"(acc[i][j][3])
				        : "d"(fa[i][0]), "d"(fa[i][1]), "d"(fa[i][2]),
				          "d"(fa[i][3]), "d"(fb[j][0]), "d"(fb[j][1]));
		s = s + 1 == STAGES ? 0 : s + 1;
	}
	COPIES_WAIT(0);
	#pragma unroll
	for (uint i = 0; i < MI; i++)
		#pragma unroll
		for (uint j = 0; j < NJ; j++)
			#pragma unroll
			for (uint e = 0; e < 4; e++) {
				const ulong row = i0 + w1 + 16 * i +
				                  (TA ? 2 * g + e / 2 : g + e / 2 * 8);
				const ulong column =
				        j0 + w0 +
				        (TB ? 8 * j + 2 * t + e % 2 :
				              8 * (j & ~1u) + 4 * t + 2 * (e % 2) + j % 2);

				if (row < m && column < n)
					put(c, row, column, ldc, lower, acc[i][j][e], alpha, beta);
			}
}
