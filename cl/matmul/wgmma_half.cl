/* SPDX-License-Identifier: MIT */
/*
 * wgmma_half.cl - products of halves or bfloat16 by Hopper's warpgroup instructions, sums in float.
 *
 * A group's warpgroups (of four warps) compute 64 rows of C each.  Tiles of op(A) and op(B)
 * use STAGES buffers in turn (stages.clh), in chunks of 16 bytes and in lines as in memory:
 * of 64 bytes along k, or, for 64 rows or columns at a time, of 128 bytes across it.  The
 * order of a line's chunks depends on the line (the instructions' swizzles of 64 and 128
 * bytes), against bank conflicts.  Shorter lines, which memory delivers 32 bytes at a time,
 * take three times as long.
 *
 * A step's terms are added to the sums inside the tensor cores, which truncate: the rows of
 * this file are not picked for very long sums.
 */
#if TK != 32 || STAGES < 2
#error "TK=32, and STAGES, come from the variant's row"
#endif
#if WG0 != 2 * OUT1 || OUT1 % 64 || OUT0 != 128 || WG1 != 1
#error "warpgroups of 64 rows and 128 columns"
#endif

#if BFLOAT16
#define NARROW "bf16"
#else
#define NARROW "f16"
#endif
#define SHAPE "m64n128k16.f32." NARROW "." NARROW " {" LIST("x") "," LIST("y") "}, "
#define EACH(f, to) \
	EACH32(f, x, to); \
	EACH32(f, y, (to) + 32)
/* The instruction's transpose bits: the lines of an operand's array run across k. */
#if TA
#define TRANS_A "1"
#else
#define TRANS_A "0"
#endif
#if TB
#define TRANS_B "0"
#else
#define TRANS_B "1"
#endif
/* Adds 16 terms to the sums; a, b: op(A)'s and op(B)'s descriptors. */
#define MMA(a, b) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
	             "//@wgmma.mma_async.sync.aligned." SHAPE "%0, %1, old, 1, 1, " TRANS_A \
	             ", " TRANS_B ";\n}" \
	             : \
	             : "l"(a), "l"(b) \
	             : "memory")

#define CHUNKS_A CHUNKS(OUT1, CHUNK)
#define CHUNKS_B CHUNKS(OUT0, CHUNK)
#define BYTES_A (OUT1 * TK * 2) /* of a tile */
#define BYTES_B (OUT0 * TK * 2)
/* Distances between the chunks of a work-item: lines in the array, bytes in a tile. */
#define GAP_A LINES_AT(TA ? OUT1 : TK)
#define GAP_B LINES_AT(TB ? TK : OUT0)
#define APART_A (GAP_A * (TA ? 128 : TK * 2))
#define APART_B (GAP_B * (TB ? TK * 2 : 128))
/* A descriptor's distances and swizzle: for lines along k, from eight lines to the next; for
 * lines across k, to the next 64 rows or columns and to the next eight terms. */
#define ALONG_K ((ulong)1 << 16 | (ulong)(TK * 16 >> 4) << 32 | (ulong)2 << 62)
#define ACROSS_K ((ulong)(TK * 128 >> 4) << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62)
/* Bytes from 16 terms to the next. */
#define NEXT_A (TA ? 2048 : 32)
#define NEXT_B (TB ? 32 : 2048)

/* Operands: op(A) is 0, op(B) 1. */
static inline uint2 chunk_of(int x, uint q)
{
	return chunk_at(q, (uint)get_local_id(0), x ? OUT0 : OUT1, x ? TB : !TA, CHUNK);
}

/* The offset of a work-item's first chunk in a tile, in bytes. */
static inline uint buffer_offset(int x)
{
	const uint2 at = chunk_of(x, 0);
	const uint chunk = at.y / CHUNK;

	if (x ? TB : !TA)
		return at.x * (TK * 2) + (chunk ^ at.x / 2 % 4) * 16;
	return chunk / 8 * (TK * 128) + at.x * 128 + (chunk % 8 ^ at.x % 8) * 16;
}

/* Rounds two neighbours to the type of the elements and packs them. */
static inline uint two_elements(float left, float right)
{
	uint h;

	asm("cvt.rn." NARROW "x2.f32 %0, %1, %2;" : "=r"(h) : "f"(right), "f"(left));
	return h;
}

/* Lanes whose numbers differ by `bit` swap x of the one for y of the other. */
static inline void swap_words(uint *x, uint *y, uint bit)
{
	const int upper = (get_local_id(0) & bit) != 0;
	uint got;

	asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
	             : "=r"(got)
	             : "r"(upper ? *x : *y), "r"(bit));
	*x = upper ? got : *x;
	*y = upper ? *y : got;
}

/* Stores a whole block of an aligned C.  Of each eight columns of a row four lanes have two
 * neighbours each; they exchange them, so that each stores 16 bytes, and all four 64.  Stores of
 * parts of the memory's sectors, of 32 bytes, took a tenth of the kernel's time. */
static inline void store_whole(const float *sum, __global ELEM *c, ulong ldc, float alpha)
{
	#pragma unroll
	for (uint e = 0; e < OUT0 / 2; e += 16) { /* 32 columns */
		#pragma unroll
		for (uint down = 0; down < 2; down++) { /* of two rows */
			uint w[4];

			#pragma unroll
			for (uint q = 0; q < 4; q++)
				w[q] = two_elements(alpha * sum[e + 4 * q + 2 * down],
				                    alpha * sum[e + 4 * q + 2 * down + 1]);
			swap_words(w, w + 1, 1);
			swap_words(w + 2, w + 3, 1);
			swap_words(w, w + 2, 2);
			swap_words(w + 1, w + 3, 2);
			*(__global uint4 *)(c + e * 2 + down * 8 * ldc) =
			        (uint4)(w[0], w[1], w[2], w[3]);
		}
	}
}

/* The row and the column of an item's e-th sum. */
#define ROW_OF(e) (i0 + item / 32 * 16 + lane / 4 + (e) / 2 % 2 * 8)
#define COLUMN_OF(e) (j0 + lane % 4 * 2 + (e) / 4 * 8 + (e) % 2)

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local ushort ta[STAGES][OUT1 * TK] __attribute__((aligned(1024)));
	__local ushort tb[STAGES][OUT0 * TK] __attribute__((aligned(1024)));
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const int whole = m - i0 >= OUT1 && n - j0 >= OUT0;
	const int aligned_a = is_aligned(a, lda | stride_a | offset.s0),
	          aligned_b = is_aligned(b, ldb | stride_b | offset.s1);
	const ulong step_a = TA ? TK * lda : TK, step_b = TB ? TK : TK * ldb;
	const ulong tile_a = (LOCAL_ADDRESS(ta) + item / 128 * (64 * TK * 2)) >> 4 |
	                     (TA ? ACROSS_K : ALONG_K);
	const ulong tile_b = LOCAL_ADDRESS(tb) >> 4 | (TB ? ALONG_K : ACROSS_K);
	const uint to_a = LOCAL_ADDRESS(ta) + buffer_offset(0),
	           to_b = LOCAL_ADDRESS(tb) + buffer_offset(1);
	__global const BITS *from_a, *from_b;
	ulong left = k, steps = (k + TK - 1) / TK, whole_steps;
	float sum[OUT0 / 2];
	uint s = 0, to;
	int by_words; /* whether C's block is stored so, not an element at a time */

	if (!any_in_triangle(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>;");
#if IN_PARTS
	#pragma unroll
	for (uint e = 0; e < OUT0 / 2; e++)
		sum[e] = SUM_BEGIN(ROW_OF(e), COLUMN_OF(e));
	EACH(SET_SUM, sum);
#else
	EACH(CLEAR, sum);
#endif
	from_a = (__global const BITS *)a + at_a(i0, 0, lda) + chunk_of(0, 0).x * lda +
	         chunk_of(0, 0).y;
	from_b = (__global const BITS *)b + at_b(0, j0, ldb) + chunk_of(1, 0).x * ldb +
	         chunk_of(1, 0).y;

#define COPY_WHOLE \
	do { \
		copy_whole(from_a, to_a + to * BYTES_A, CHUNKS_A, CHUNK, GAP_A * lda, APART_A); \
		copy_whole(from_b, to_b + to * BYTES_B, CHUNKS_B, CHUNK, GAP_B * ldb, APART_B); \
		from_a += step_a; \
		from_b += step_b; \
		COPIES_END(); \
	} while (0)
#define COPY_PART \
	do { \
		copy_part(0, from_a, to_a + to * BYTES_A, CHUNKS_A, CHUNK, GAP_A * lda, APART_A, \
		          !TA, m - i0, left, aligned_a); \
		copy_part(1, from_b, to_b + to * BYTES_B, CHUNKS_B, CHUNK, GAP_B * ldb, APART_B, \
		          TB, n - j0, left, aligned_b); \
		from_a += step_a; \
		from_b += step_b; \
		left = left > TK ? left - TK : 0; \
		COPIES_END(); \
	} while (0)
#define STEP(copy) \
	do { \
		COPIES_WAIT(STAGES - 2); \
		PROXY_FENCE; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		WGMMA_FENCE; \
		_Pragma("unroll") for (uint p = 0; p < TK / 16; p++) \
			MMA(tile_a + (s * BYTES_A + p * NEXT_A) / 16, \
			    tile_b + (s * BYTES_B + p * NEXT_B) / 16); \
		WGMMA_COMMIT; \
		copy; \
		WGMMA_WAIT(0); \
		s = next_stage(s); \
		to = next_stage(to); \
	} while (0)
	for (to = 0; to < STAGES - 1; to++)
		COPY_PART;
	whole_steps = whole && aligned_a && aligned_b ? left / TK : 0;
	steps -= whole_steps;
	left -= whole_steps * TK;
	for (; whole_steps; whole_steps--)
		STEP(COPY_WHOLE);
	for (; steps; steps--)
		STEP(COPY_PART);
	COPIES_WAIT(0);
	EACH(READ, sum);
	by_words = !IN_PARTS && whole && beta == 0 && (((ulong)c | ldc * 2) & 3) == 0 &&
	           all_in_triangle(i0, OUT1, j0, OUT0, lower);
	if (by_words && is_aligned(c, ldc)) {
		store_whole(sum, c + ROW_OF(0) * ldc + j0 + lane % 4 * 8, ldc, alpha);
	} else if (by_words) {
		__global uint *two = (__global uint *)(c + ROW_OF(0) * ldc + COLUMN_OF(0));

		#pragma unroll
		for (uint e = 0; e < OUT0 / 2; e += 2)
			two[e / 4 * 4 + e / 2 % 2 * 4 * ldc] =
			        two_elements(alpha * sum[e], alpha * sum[e + 1]);
	} else {
		#pragma unroll
		for (uint e = 0; e < OUT0 / 2; e++) {
			const ulong row = ROW_OF(e), column = COLUMN_OF(e);

			if (row < m && column < n)
				store_element(c, row, column, ldc, lower, sum[e], alpha, beta);
		}
	}
}
