/* SPDX-License-Identifier: MIT */
/*
 * wgmma_half.cl - products of halves or bfloat16 by Hopper's warpgroup instructions, with sums in
 * float.
 *
 * A group's consumers are warpgroups (of four warps).  Each computes 64 rows of C from the tiles in
 * local memory (tma.clh).  A tile's lines run as in memory: along k, or, for 64 rows or columns at
 * a time, across it.
 *
 * Sums over all of k stay inside the tensor cores, which truncate.  So the rows of this file are
 * not picked for very long sums.
 */
#if CONSUMERS != 2 * OUT1 || OUT1 % 64 || TK != 64
#error "warpgroups of 64 rows"
#endif

#if BFLOAT16
#define NARROW "bf16"
#else
#define NARROW "f16"
#endif
#if OUT0 == 256
#define SHAPE \
	"m64n256k16.f32." NARROW "." NARROW " {" LIST("x") "," LIST("y") "," LIST("z") "," \
	LIST("w") "}, "
#define EACH(f, to) \
	EACH32(f, x, to); EACH32(f, y, (to) + 32); EACH32(f, z, (to) + 64); EACH32(f, w, (to) + 96)
#elif OUT0 == 128
#define SHAPE "m64n128k16.f32." NARROW "." NARROW " {" LIST("x") "," LIST("y") "}, "
#define EACH(f, to) EACH32(f, x, to); EACH32(f, y, (to) + 32)
#elif OUT0 == 64
#define SHAPE "m64n64k16.f32." NARROW "." NARROW " {" LIST("x") "}, "
#define EACH(f, to) EACH32(f, x, to)
#else
#error "64, 128 or 256 columns"
#endif
/* The instruction's transpose bits: set if the lines of an operand's array run across k. */
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
/* Adds 16 terms to the sums. a, b: op(A)'s and op(B)'s descriptors. */
#define MMA(a, b) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
	             "//@wgmma.mma_async.sync.aligned." SHAPE "%0, %1, old, 1, 1, " TRANS_A \
	             ", " TRANS_B ";\n}" \
	             : \
	             : "l"(a), "l"(b) \
	             : "memory")

#define STAGE ((OUT0 + OUT1) * 128)
/* A descriptor's swizzle and distances: from eight lines to the next eight and, where lines run
 * across k, from 64 rows or columns to the next 64. */
#define EIGHT_LINES ((ulong)(1024 >> 4) << 32 | (ulong)1 << 62)
#define DESCRIPTOR(across) (EIGHT_LINES | (ulong)((across) ? TK * 128 >> 4 : 1) << 16)
/* Distance from 16 terms to the next 16, in a descriptor's units. */
#define NEXT_A (TA ? 128 : 2)
#define NEXT_B (TB ? 2 : 128)

/* Rounds two neighbours to the type of the elements and packs them. */
static inline uint two_elements(float left, float right)
{
	uint h;

	asm("cvt.rn." NARROW "x2.f32 %0, %1, %2;" : "=r"(h) : "f"(right), "f"(left));
	return h;
}

/* Lanes whose numbers differ by `bit` exchange x of one for y of the other. */
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
 * neighbours each.  They exchange them, so that each stores 16 bytes, and all four 64.  Without the
 * exchange, stores of parts of the memory's sectors of 32 bytes took a tenth of the kernel's
 * time. */
static inline void store_whole(const float *sum, __global ELEM *c, ulong ldc, float alpha)
{
	#pragma unroll
	for (uint e = 0; e < OUT0 / 2; e += 16) { /* 32 columns */
		#pragma unroll
		for (uint down = 0; down < 2; down++) { /* the lane's two rows */
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
                __global ELEM *restrict c, ulong8 offset, MAPPED(a, b))
{
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint full = LOCAL_ADDRESS(bars), empty = full + 8 * STAGES;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const int whole = m - i0 >= OUT1 && n - j0 >= OUT0;
	const uint steps = (uint)((k + TK - 1) / TK);
	const ulong tile_a = (LOCAL_ADDRESS(tiles) + item / 128 * 8192) >> 4 | DESCRIPTOR(TA);
	const ulong tile_b = (LOCAL_ADDRESS(tiles) + OUT1 * 128) >> 4 | DESCRIPTOR(!TB);
	float sum[OUT0 / 2];
	struct turn turn = { 0, 0 };
	ulong map_a, map_b;
	int by_words; /* whether C's block is stored by words, not by elements */

	if (!any_in_triangle(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>, z<32>, w<32>;");
	MAP_ADDRESS(map_a, MAP_A);
	MAP_ADDRESS(map_b, MAP_B);
	if (item == 0)
		barriers_begin(full, STAGES);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item >= CONSUMERS) {
		const struct source from_a = source_a(i0, stride_a, offset.s0, map_a);
		const struct source from_b = source_b(j0, stride_b, offset.s1, map_b);

		fetch_all(&from_a, &from_b, LOCAL_ADDRESS(tiles), full, STAGES, k,
		          (struct turn){ 0, 1 });
		return;
	}
#if IN_PARTS
	#pragma unroll
	for (uint e = 0; e < OUT0 / 2; e++)
		sum[e] = SUM_BEGIN(ROW_OF(e), COLUMN_OF(e));
	EACH(SET_SUM, sum);
#else
	EACH(CLEAR, sum);
#endif
	for (uint step = 0; step < steps; step++) {
		const ulong from_a = tile_a + turn.s * (STAGE / 16);
		const ulong from_b = tile_b + turn.s * (STAGE / 16);

		barrier_wait(full + 8 * turn.s, turn.phase);
		WGMMA_FENCE;
		#pragma unroll
		for (uint p = 0; p < TK / 16; p++)
			MMA(from_a + p * NEXT_A, from_b + p * NEXT_B);
		WGMMA_COMMIT;
		if (step) { /* the previous step has ended */
			WGMMA_WAIT(1);
			if (lane == 0)
				barrier_arrive(empty + 8 * (turn.s ? turn.s - 1 : STAGES - 1));
		}
		turn = next_turn(turn, STAGES);
	}
	WGMMA_WAIT(0);
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
