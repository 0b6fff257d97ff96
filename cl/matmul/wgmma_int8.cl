/* SPDX-License-Identifier: MIT */
/*
 * wgmma_int8.cl - products of int8 by Hopper's warpgroup instructions, with sums in int32.
 *
 * Both operands are read along k; arrays that lie across it are transposed first (aligned.clh).
 * Persistent groups make one block after the other: two warpgroups 64 rows each, a third one loads
 * (tma.clh).
 */
#if OUT1 != 128 || CONSUMERS != 256 || TA || !TB || !INT8 || IN_PARTS
#error "two warpgroups of 64 rows, and lines along k"
#endif
#if OUT0 == 256
#define COLUMNS "256"
#define SUMS LIST("x") "," LIST("y") "," LIST("z") "," LIST("w")
#define EACH(f) f(x, 0); f(y, 64); f(z, 128); f(w, 192)
#elif OUT0 == 64
#define COLUMNS "64"
#define SUMS LIST("x")
#define EACH(f) f(x, 0)
#else
#error "64 or 256 columns"
#endif
#define STAGE ((OUT0 + OUT1) * 128)
#define DESCRIPTOR(address) \
	((ulong)(address) >> 4 | (ulong)1 << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62)
/* Adds 32 terms to the sums; old 0: to 0. */
#define MMA(a, b, old) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, %2, 0;\n" \
	             "//@wgmma.mma_async.sync.aligned.m64n" COLUMNS "k32.s32.s8.s8 {" SUMS \
	             "}, %0, %1, old;\n}" \
	             : \
	             : "l"(a), "l"(b), "r"(old) \
	             : "memory")

#define CLEAR_SUMS(s, column) EACH32(CLEAR, s, 0)
#define READ_SUM(s, i, x) asm volatile("mov.b32 %0, " #s #i ";" : "=r"((x)[i]))
/* Stores a list's sums: 64 columns of an item's two rows, two neighbours of every eight. */
#define STORE_SUMS(s, column) \
	do { \
		EACH32(READ_SUM, s, sum); \
		_Pragma("unroll") for (uint e = 0; e < 32; e += 2) \
		{ \
			const ulong i = i1 + e / 2 % 2 * 8, j = j1 + (column) + e / 4 * 8; \
\
			if (by_pairs) \
				*(__global uint2 *)(c + i * ldc + j) = \
				        alpha * (uint2)(sum[e], sum[e + 1]); \
			else if (i < m) \
				store_two(c, i, j, n, ldc, lower, sum[e], sum[e + 1], alpha, beta); \
		} \
	} while (0)

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global RESULT *restrict c, ulong8 offset, MAPPED(a, b))
{
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint full = LOCAL_ADDRESS(bars), empty = full + 8 * STAGES;
	const ulong tile_a = DESCRIPTOR(LOCAL_ADDRESS(tiles) + item / 128 * 8192);
	const ulong tile_b = DESCRIPTOR(LOCAL_ADDRESS(tiles) + OUT1 * 128);
	const uint steps = (uint)((k + TK - 1) / TK);
	struct turn turn = { 0, item >= CONSUMERS };
	ulong map_a, map_b;
	uint sum[32];

	BATCH(a, b, c);
	asm volatile(".reg .b32 x<32>, y<32>, z<32>, w<32>;");
	MAP_ADDRESS(map_a, MAP_A);
	MAP_ADDRESS(map_b, MAP_B);
	if (item == 0)
		barriers_begin(full, STAGES);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item >= CONSUMERS) {
		REGISTERS_FETCH;
		EACH_BLOCK (m, n, OUT0, lower) {
			const struct source from_a = source_a(i0, stride_a, offset.s0, map_a);
			const struct source from_b = source_b(j0, stride_b, offset.s1, map_b);

			turn = fetch_all(&from_a, &from_b, LOCAL_ADDRESS(tiles), full, STAGES, k, turn);
		}
		return;
	}
	REGISTERS_COMPUTE;
	EACH_BLOCK (m, n, OUT0, lower) {
		const ulong i1 = i0 + item / 32 * 16 + lane / 4, j1 = j0 + lane % 4 * 2;
		const int by_pairs = beta == 0 && m - i0 >= OUT1 && n - j0 >= OUT0 &&
		                     (((ulong)c | ldc * 4) & 7) == 0 &&
		                     all_in_triangle(i0, OUT1, j0, OUT0, lower);

		if (!steps) {
			EACH(CLEAR_SUMS);
		}
		for (uint step = 0; step < steps; step++) {
			const ulong from_a = tile_a + turn.s * (STAGE / 16);
			const ulong from_b = tile_b + turn.s * (STAGE / 16);

			barrier_wait(full + 8 * turn.s, turn.phase);
			WGMMA_FENCE;
			MMA(from_a, from_b, step);
			MMA(from_a + 2, from_b + 2, 1);
			MMA(from_a + 4, from_b + 4, 1);
			MMA(from_a + 6, from_b + 6, 1);
			WGMMA_COMMIT;
			WGMMA_WAIT(1); /* the previous step has ended */
			if (step && lane == 0)
				barrier_arrive(empty + 8 * ((turn.s + STAGES - 1) % STAGES));
			turn = next_turn(turn, STAGES);
		}
		WGMMA_WAIT(0);
		if (steps && lane == 0)
			barrier_arrive(empty + 8 * ((turn.s + STAGES - 1) % STAGES));
		EACH(STORE_SUMS);
	}
}
