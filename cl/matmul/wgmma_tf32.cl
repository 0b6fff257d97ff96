/* SPDX-License-Identifier: MIT */
/*
 * wgmma_tf32.cl - products of floats as tf32 by Hopper's warpgroup instructions.
 *
 * Only if op(A)'s lines run across k and op(B)'s do not, so do Q's (wgmma_p.clh).  Then A is
 * transposed first (aligned.clh).
 *
 * Rounding a NaN may give infinity, and a large number may round up to infinity.  Then the sum is
 * not finite, and is computed again in float32 (tensor.clh).  Of several parts of k (common.clh)
 * these are the part where it happens and the later ones.
 */
#define STAGE ((OUT0 + OUT1) * 128)
#define P_AT (FLIPPED ? 0 : OUT1 * 128)
#define Q_AT (FLIPPED ? OUT1 * 128 : 0)

/* Begins a step with P in the registers s: h for even steps, l for odd ones. */
#define MMA(four, at) SUMS("8", "tf32") four at ", old, 1, 1;\n"
#define START(s, at) \
	do { \
		WGMMA_FENCE; \
		asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
		             MMA(FOUR(s, 0, 1, 2, 3), "%0") MMA(FOUR(s, 4, 5, 6, 7), "%1") \
		             MMA(FOUR(s, 8, 9, 10, 11), "%2") MMA(FOUR(s, 12, 13, 14, 15), "%3") "}" \
		             : \
		             : "l"(at), "l"((at) + 2), "l"((at) + 4), "l"((at) + 6) \
		             : "memory"); \
		WGMMA_COMMIT; \
	} while (0)
#define SET(s, i, v) asm volatile("mov.b32 " #s #i ", %0;" : : "f"(v))
#define SET4(s, i, j, k, l, v) \
	SET(s, i, (v).x); SET(s, j, (v).y); SET(s, k, (v).z); SET(s, l, (v).w)

/* One step: reads P's numbers while the previous step is computed. */
#define STEP(r, later) \
	do { \
		const uint tile = LOCAL_ADDRESS(tiles) + turn.s * STAGE; \
		const ulong at = DESCRIPTOR(tile + Q_AT); \
		float4 v[4]; \
\
		barrier_wait(full + 8 * turn.s, turn.phase); \
		_Pragma("unroll") for (uint p = 0; p < 4; p++) v[p] = fragment(tile + P_AT, p); \
		SET4(r, 0, 1, 2, 3, v[0]); \
		SET4(r, 4, 5, 6, 7, v[1]); \
		SET4(r, 8, 9, 10, 11, v[2]); \
		SET4(r, 12, 13, 14, 15, v[3]); \
		START(r, at); \
		WGMMA_WAIT(1); /* its P was in registers */ \
		if (lane == 0 && (later)) \
			barrier_arrive(empty + 8 * before); \
		before = turn.s; \
		turn = next_turn(turn, STAGES); \
	} while (0)
#if IN_PARTS
#define BEGIN(s, line) \
	do { \
		begin_sums(sum, FIRST_ROW(line), FIRST_COLUMN(line), m, n, ldc, \
		           (offset.s7 & SUM_GOES_ON) != 0, c); \
		EACH32(SET_SUM, s, sum); \
	} while (0)
#else
#define BEGIN(s, line) EACH32(CLEAR, s, 0)
#endif
#define GET_SUMS(s, line) EACH32(READ, s, sum)
#define SUMS_OF(line) sum

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global ELEM *restrict c, ulong8 offset, MAPPED(a, b))
{
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint full = LOCAL_ADDRESS(bars), empty = full + 8 * STAGES;
	/* An even number: tiles beyond the edges are zeros. */
	const ulong steps = (k + 2 * TK - 1) / (2 * TK) * 2;
	ulong map_a, map_b;
	float sum[RESULTS];
	struct turn turn = { 0, item >= CONSUMERS };
	uint before = 0;

	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>, z<32>, w<32>; .reg .b32 h<16>, l<16>;");
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

			turn = fetch_all(&from_a, &from_b, LOCAL_ADDRESS(tiles), full, STAGES, steps * TK,
			                 turn);
		}
		return;
	}
	REGISTERS_COMPUTE;
	EACH_BLOCK (m, n, OUT0, lower) {
		EACH(BEGIN);
		for (ulong step = 0; step < steps; step += 2) {
			STEP(h, step);
			STEP(l, 1);
		}
		WGMMA_WAIT(0);
		if (lane == 0 && steps)
			barrier_arrive(empty + 8 * before);
		STORE_BLOCK;
	}
}
