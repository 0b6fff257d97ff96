/* SPDX-License-Identifier: MIT */
/*
 * wgmma_f32.cl - products of floats by Hopper's warpgroup instructions: for each float product
 * three of tf32 (tensor.clh).
 *
 * P (wgmma_p.clh) is split in registers.  Q comes to local memory as it lies in the array.  There
 * the splitters, the fetchers' warps but one, make a tile of its low parts and, where its lines run
 * across k, one of its numbers, in lines along k.  Then the buffer is `ready`.  Q's high parts are
 * cut off, not rounded, which takes no store: an error up to 2^-20 of |a b|, typically 2^-23.
 *
 * A complex product is a real one (common.clh).
 */
#define SPLITTERS (FETCHERS - 32)
#define P_STAGES 4
#define P_STAGE (LINES_P * 128)
#define STAGE (WIDE_Q * 128)
/* As many buffers of Q as local memory has.  Each has tiles of Q as it was loaded, of its low parts
 * and, where lines run across k, of its numbers in lines along k. */
#define TILES (Q_ACROSS ? 3 : 2)
#define STAGES ((229376 - P_STAGES * P_STAGE) / (TILES * STAGE))
#define LOW_AT(s) ((STAGES + (s)) * STAGE)
#define HIGH_AT(s) (((Q_ACROSS ? 2 * STAGES : 0) + (s)) * STAGE)

#define TF32(four, at, more) SUMS("8", "tf32") four at ", " more ", 1, 1;\n"
/* Starts a step with P's high parts in the registers h, its low parts in l.  The small products
 * come first.  second: the second step of a sum. */
#define START(h, l, q, low, second) \
	do { \
		WGMMA_FENCE; \
		asm volatile("{ .reg .pred old, more; setp.ne.u32 old, 1, 0; setp.ne.u32 more, %8, 0;\n" \
		             TF32(FOUR(l, 0, 1, 2, 3), "%0", "more") \
		             TF32(FOUR(h, 0, 1, 2, 3), "%4", "old") \
		             TF32(FOUR(l, 4, 5, 6, 7), "%1", "old") \
		             TF32(FOUR(h, 4, 5, 6, 7), "%5", "old") \
		             TF32(FOUR(l, 8, 9, 10, 11), "%2", "old") \
		             TF32(FOUR(h, 8, 9, 10, 11), "%6", "old") \
		             TF32(FOUR(l, 12, 13, 14, 15), "%3", "old") \
		             TF32(FOUR(h, 12, 13, 14, 15), "%7", "old") \
		             TF32(FOUR(h, 0, 1, 2, 3), "%0", "old") \
		             TF32(FOUR(h, 4, 5, 6, 7), "%1", "old") \
		             TF32(FOUR(h, 8, 9, 10, 11), "%2", "old") \
		             TF32(FOUR(h, 12, 13, 14, 15), "%3", "old") "}" \
		             : \
		             : "l"(q), "l"((q) + 2), "l"((q) + 4), "l"((q) + 6), "l"(low), \
		               "l"((low) + 2), "l"((low) + 4), "l"((low) + 6), "n"(second) \
		             : "memory"); \
		WGMMA_COMMIT; \
	} while (0)

/* Splits numbers of terms t and t + 4 of a line to the registers i and j of h and l. */
#define SPLIT(h, l, i, j, m, n, near, far) \
	asm volatile("mov.b32 " #h #i ", %0; mov.b32 " #h #j ", %1;\n" \
	             "mov.b32 " #l #i ", %2; mov.b32 " #l #j ", %3;" \
	             : \
	             : "r"(high(near)), "r"(high(far)), "r"(low(near)), "r"(low(far)))

/* The low parts of four numbers of Q, rounded to tf32.  Its high parts are what the tensor cores
 * read of the numbers, which is cut off.  If a number is infinity or NaN, this part may be any. */
static inline uint4 rest_of(float4 v)
{
	return as_uint4(v - as_float4(as_uint4(v) & 0xffffe000)) + 0x1000;
}

/* Splits Q of buffer s.  Loads come before stores, so that none waits for another. */
#if Q_ACROSS
/* An item transposes 4 numbers of 4 lines.  Of eight neighbouring items two have neighbours in a
 * line of the array, four in a line along k, so that few read, and none write, the same banks. */
#define BOX (TK / PARTS) /* lines of a box as it was loaded: terms.  It has as many lines of Q */
static inline void split(__local uchar *tiles, uint s)
{
	const uint item = (uint)get_local_id(0) - CONSUMERS - 32;

	for (uint at = item; at < WIDE_Q / 4 * (TK / 4); at += SPLITTERS) {
		const uint i = (at / 8 % (WIDE_Q / 8) * 2 + at % 2) * 4;
		const uint t = (at / (WIDE_Q / 8 * 8) * 4 + at / 2 % 4) * 4;
		float v[4][4];

		#pragma unroll
		for (uint e = 0; e < 4; e++) {
			const uint y = t / PARTS + e / PARTS;
			const uint x = i % BOX * PARTS / 4 + e % PARTS;

			vstore4(*(__local float4 *)(tiles + s * STAGE + (i / BOX * BOX + y) * 128 +
			                            (x ^ y % 8) * 16),
			        0, v[e]);
		}
		#pragma unroll
		for (uint e = 0; e < 4; e++) { /* line i + e, terms t to t + 3 */
			const uint to = (i + e) * 128 + (t / 4 ^ (i + e) % 8) * 16;
			float4 w;

			if (PARTS == 1)
				w = (float4)(v[0][e], v[1][e], v[2][e], v[3][e]);
			else
				w = (float4)(v[e / 2][e % 2 * 2], v[e / 2][e % 2 * 2 + 1],
				             v[2 + e / 2][e % 2 * 2], v[2 + e / 2][e % 2 * 2 + 1]);
			*(__local float4 *)(tiles + HIGH_AT(s) + to) = w;
			*(__local uint4 *)(tiles + LOW_AT(s) + to) = rest_of(w);
		}
	}
}
#else
#define PART ((WIDE_Q * 8 - 1) / SPLITTERS + 1) /* of four numbers for an item, in any order */
static inline void split(__local uchar *tiles, uint s)
{
	__local const float4 *q = (__local float4 *)(tiles + HIGH_AT(s));
	__local uint4 *rest = (__local uint4 *)(tiles + LOW_AT(s));

	for (uint at = (uint)get_local_id(0) - CONSUMERS - 32; at < WIDE_Q * 8;
	     at += PART * SPLITTERS) {
		float4 v[PART];

		#pragma unroll
		for (uint e = 0; e < PART; e++)
			if (at + e * SPLITTERS < WIDE_Q * 8)
				v[e] = q[at + e * SPLITTERS];
		#pragma unroll
		for (uint e = 0; e < PART; e++)
			if (at + e * SPLITTERS < WIDE_Q * 8)
				rest[at + e * SPLITTERS] = rest_of(v[e]);
	}
}
#endif

/* Starts a step when its Q is ready. */
#define STEP(h, l, second) \
	do { \
		const ulong q_ = DESCRIPTOR(LOCAL_ADDRESS(tiles) + HIGH_AT(turn.s)); \
		const ulong low_ = DESCRIPTOR(LOCAL_ADDRESS(tiles) + LOW_AT(turn.s)); \
\
		barrier_wait(ready + 8 * turn.s, turn.phase); \
		START(h, l, q_, low_, second); \
		turn = next_turn(turn, STAGES); \
	} while (0)

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global ELEM *restrict c, ulong8 offset, MAPPED(a, b))
{
	__local uchar tiles[TILES * STAGES * STAGE + P_STAGES * P_STAGE]
	        __attribute__((aligned(1024)));
	__local ulong bars[3 * STAGES + 2 * P_STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint full = LOCAL_ADDRESS(bars), ready = full + 16 * STAGES;
	const uint p_full = ready + 8 * STAGES;
	const uint p_tiles = LOCAL_ADDRESS(tiles) + TILES * STAGES * STAGE;
	/* An even number: tiles beyond the edges are zeros. */
	const ulong steps = (PARTS * k + 2 * TK - 1) / (2 * TK) * 2;
	ulong map_a, map_b;
	float sum[WIDE_Q / 2];
	float4 v[4];
	struct turn turn = { 0, item >= CONSUMERS }, p = turn, whole = { 0, 0 };
	uint ended = 0, p_ended = 0;

	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>; .reg .b32 h<16>, l<16>, hh<16>, ll<16>;");
	MAP_ADDRESS(map_a, MAP_A);
	MAP_ADDRESS(map_b, MAP_B);
	if (item == 0) {
		barriers_begin(p_full, P_STAGES);
		barriers_begin(full, STAGES);
		for (uint i = 0; i < STAGES; i++)
			barrier_begin(ready + 8 * i, SPLITTERS / 32);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item >= CONSUMERS) {
		REGISTERS_FETCH;
		if (item >= CONSUMERS + 32) {
			EACH_BLOCK (m, n, WIDE, lower)
				for (ulong step = 0; step < steps; step++) {
					barrier_wait(full + 8 * whole.s, whole.phase);
					split(tiles, whole.s);
					PROXY_WARP;
					if (lane == 0)
						barrier_arrive(ready + 8 * whole.s);
					whole = next_turn(whole, STAGES);
				}
		} else if (item == CONSUMERS) {
			EACH_BLOCK (m, n, WIDE, lower) {
				const struct source from_q = source_a(i0, stride_a, offset.s0, map_a);
				const struct source from_p = source_b(j0, stride_b, offset.s1, map_b);

				for (ulong term = 0; term < steps * TK; term += TK) {
					p = load_stage(&from_p, NULL, p_tiles, p_full, P_STAGES, term, p);
					turn = load_stage(&from_q, NULL, LOCAL_ADDRESS(tiles), full, STAGES,
					                  term, turn);
				}
			}
		}
		return;
	}
	REGISTERS_COMPUTE;
	EACH_BLOCK (m, n, WIDE, lower) {
		SUM_BLOCK;
		STORE_BLOCK;
	}
}
