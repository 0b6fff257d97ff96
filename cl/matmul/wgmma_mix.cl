/* SPDX-License-Identifier: MIT */
/*
 * wgmma_mix.cl - products of floats by Hopper's warpgroup instructions: for each float product one
 * of tf32 and two of bfloat16.
 *
 *	a b = a_high b_high (tf32) + a_low b + a_high b_low (bfloat16)
 *
 * A float is high + low (tensor.clh).  The products with a low part are about 2^-12 of the first,
 * so that 8 bits of their factors suffice: an error up to 2^-17 of |a b|, typically 2^-21.  From
 * 3840 terms on float32 sums err more, also where exponents spread over 30 powers of two (the rows'
 * .deep).  Bfloat16 takes half the time of tf32.
 *
 * P (wgmma_p.clh) is split in registers.  Q's planes come from the kernel `planes`, which runs
 * first: for 32 numbers of a line 128 bytes, the numbers in bfloat16, then their low parts.  The
 * tensor cores read Q's high parts from Q as it lies, or, where the accelerator cannot load that in
 * lines along k, from copies that `planes` makes too.
 *
 * Tensor cores truncate.  So they add up two steps, and these sums are added in float.
 *
 * A complex product is a real one (common.clh): P is B', expanded in registers.
 */
/* With this bit of offset.s7, Q is copied by `planes`. */
#define Q_COPIED 4
#define MAP_PLANES "18"
#define MAP_Q "20"
/* Q and its planes have STAGES buffers, P has P_STAGES, since it is read a step earlier. */
#define STAGE (2 * WIDE_Q * 128)
#define PLANES_AT (WIDE_Q * 128)
#define P_STAGE (LINES_P * 128)

#define TF32(four, at) SUMS("8", "tf32") four at ", old, 1, 1;\n"
#define BF16(four, at, more) SUMS("16", "bf16") four at ", " more ", 1, 1, 0;\n"
/* Starts a step with P's high parts in the registers h, and in l its low and high parts as
 * bfloat16.  The small products come first.  second: the second step of a sum. */
#define START(h, l, q, second) \
	do { \
		const ulong planes_ = (q) + PLANES_AT / 16; \
		WGMMA_FENCE; \
		asm volatile("{ .reg .pred old, more; setp.ne.u32 old, 1, 0; setp.ne.u32 more, %8, 0;\n" \
		             BF16(FOUR(l, 0, 1, 2, 3), "%4", "more") \
		             BF16(FOUR(l, 8, 9, 10, 11), "%6", "old") \
		             BF16(FOUR(l, 4, 5, 6, 7), "%5", "old") \
		             BF16(FOUR(l, 12, 13, 14, 15), "%7", "old") \
		             TF32(FOUR(h, 0, 1, 2, 3), "%0") TF32(FOUR(h, 4, 5, 6, 7), "%1") \
		             TF32(FOUR(h, 8, 9, 10, 11), "%2") TF32(FOUR(h, 12, 13, 14, 15), "%3") "}" \
		             : \
		             : "l"(q), "l"((q) + 2), "l"((q) + 4), "l"((q) + 6), "l"(planes_), \
		               "l"(planes_ + 2), "l"(planes_ + 4), "l"(planes_ + 6), "n"(second) \
		             : "memory"); \
		WGMMA_COMMIT; \
	} while (0)

/* Splits numbers of terms t and t + 4 of a line: high parts to registers h i and h j, bfloat16 of
 * the low parts to l m, of the high parts to l n. */
#define SPLIT(h, l, i, j, m, n, near, far) \
	asm volatile("{ .reg .f32 f, g; mov.b32 f, %0; mov.b32 g, %1; mov.b32 " #h #i ", %0;\n" \
	             "mov.b32 " #h #j ", %1; cvt.rn.bf16x2.f32 " #l #n ", g, f;\n" \
	             "cvt.rn.bf16x2.f32 " #l #m ", %3, %2; }" \
	             : \
	             : "r"(high(near)), "r"(high(far)), "f"(as_float(low(near))), \
	               "f"(as_float(low(far))))

/* Rounds to tf32 as the accelerator does: to nearest, ties to even. */
static inline uint high_of_q(float x)
{
	return (as_uint(x) + 0xfff + (as_uint(x) >> 13 & 1)) & 0xffffe000;
}

/* Two numbers as bfloat16. */
static inline uint two_bf16(float left, float right)
{
	uint h;

	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(h) : "f"(right), "f"(left));
	return h;
}

static inline uint4 eight_bf16(const float *v)
{
	/* In the order of P's terms: t and t + 4 are neighbours. */
	return (uint4)(two_bf16(v[0], v[4]), two_bf16(v[1], v[5]), two_bf16(v[2], v[6]),
	               two_bf16(v[3], v[7]));
}

/* Makes planes of `lines` lines of `k` numbers each, and with `copied` high parts after them.
 * Items have eight numbers.  Neighbouring items have neighbours in the array, Q's. */
__kernel void planes(ulong lines, ulong k, ulong ld, ulong stride, ulong offset, uint copied,
                     __global const float *array, __global uint4 *made)
{
	const ulong blocks = (k + TK - 1) / TK, eights = blocks * 4;
	const ulong all = get_num_groups(2) * lines * blocks * 8; /* of uint4 */
	const ulong x = get_global_id(0);
	float v[8], rest[8];
	uint bits[8];

	array += PARTS * (offset + get_global_id(2) * stride);
	made += get_global_id(2) * lines * blocks * 8;
	if (x >= (TA ? lines : eights))
		return;
	for (ulong y = get_global_id(1); y < (TA ? eights : lines); y += get_global_size(1)) {
		const ulong line = TA ? x : y, u = TA ? y : x;
		__global const float *from = array + PARTS * line * (TA ? 1 : ld);
		__global uint4 *to = made + (line * blocks + u / 4) * 8;

		if (!TA && 8 * u + 8 <= k && ((ulong)from & 15) == 0) {
			const float4 left = *(__global const float4 *)(from + 8 * u);
			const float4 right = *(__global const float4 *)(from + 8 * u + 4);

			v[0] = left.x, v[1] = left.y, v[2] = left.z, v[3] = left.w;
			v[4] = right.x, v[5] = right.y, v[6] = right.z, v[7] = right.w;
		} else {
			#pragma unroll
			for (uint e = 0; e < 8; e++) {
				const ulong p = 8 * u + e;

				v[e] = p >= k ? 0 : from[TA ? p / PARTS * PARTS * ld + p % PARTS : p];
			}
		}
		#pragma unroll
		for (uint e = 0; e < 8; e++) {
			bits[e] = high_of_q(v[e]);
			rest[e] = v[e] - as_float(bits[e]);
		}
		to[u % 4] = eight_bf16(v);
		to[u % 4 + 4] = eight_bf16(rest);
		if (copied) {
			to[all + u % 4 * 2] = (uint4)(bits[0], bits[1], bits[2], bits[3]);
			to[all + u % 4 * 2 + 1] = (uint4)(bits[4], bits[5], bits[6], bits[7]);
		}
	}
}

/* Starts a step when its Q is there. */
#define STEP(h, l, second) \
	do { \
		barrier_wait(full + 8 * turn.s, turn.phase); \
		START(h, l, DESCRIPTOR(LOCAL_ADDRESS(tiles) + turn.s * STAGE), second); \
		turn = next_turn(turn, STAGES); \
	} while (0)
KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global ELEM *restrict c, ulong8 offset, MAPPED(a, b), MAPPED(made, q))
{
	__local uchar tiles[STAGES * STAGE + P_STAGES * P_STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES + 2 * P_STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint full = LOCAL_ADDRESS(bars), p_full = full + 16 * STAGES;
	const uint p_tiles = LOCAL_ADDRESS(tiles) + STAGES * STAGE;
	/* An even number: tiles beyond the edges are zeros. */
	const ulong steps = (PARTS * k + 2 * TK - 1) / (2 * TK) * 2;
	ulong map_p, map_q, map_planes;
	float sum[WIDE_Q / 2];
	float4 v[4];
	struct turn turn = { 0, item >= CONSUMERS }, p = turn;
	uint ended = 0, p_ended = 0;

	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>; .reg .b32 h<16>, l<16>, hh<16>, ll<16>;");
	MAP_ADDRESS(map_p, MAP_B);
	MAP_ADDRESS(map_q, MAP_Q);
	MAP_ADDRESS(map_planes, MAP_PLANES);
	if (item == 0) {
		barriers_begin(full, STAGES);
		barriers_begin(p_full, P_STAGES);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item >= CONSUMERS) {
		const uint matrix = stride_a ? (uint)get_group_id(2) : 0;
		const uint away = offset.s0 || offset.s7 & Q_COPIED;

		struct source from_q = { .map = map_q, .matrix = matrix, .away = away,
			                 .wide = WIDE_Q, .by_k = 1 };
		struct source from_planes = { .map = map_planes, .matrix = matrix, .wide = WIDE_Q,
			                      .by_k = 1 };

		REGISTERS_FETCH;
		if (item > CONSUMERS)
			return;
		EACH_BLOCK (m, n, WIDE, lower) {
			const struct source from_p = source_b(j0, stride_b, offset.s1, map_p);

			from_q.first = from_planes.first = i0;
			for (ulong term = 0; term < steps * TK; term += TK) {
				p = load_stage(&from_p, NULL, p_tiles, p_full, P_STAGES, term, p);
				turn = load_stage(&from_q, &from_planes, LOCAL_ADDRESS(tiles), full,
				                  STAGES, term, turn);
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
