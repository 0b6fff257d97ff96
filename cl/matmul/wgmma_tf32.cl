/* SPDX-License-Identifier: MIT */
/*
 * wgmma_tf32.cl - products of floats as tf32 by Hopper's warpgroup instructions.
 *
 * As wgmma_half.cl; but the instructions take tf32 numbers from local memory only in lines
 * along k.  One operand they take from registers, and there it may have lain any way: P, on
 * the wider side of the tile, which is op(B) where that has more columns than rows.  So a
 * warpgroup has two blocks of 64 lines of P for 128 of the other, Q.  Where Q runs across k
 * it is turned on its way to local memory, an element at a time.
 *
 * P is rounded to tf32.  Of Q the tensor cores pass over the lower 13 bits: rounding it where
 * it lies, after it came and before it is fenced, would cost what the kernel gains.  A NaN
 * that only those bits tell from infinity, and what rounds up to infinity, make a sum
 * that is not finite; such sums are made again in float32 (tensor.clh).
 */
#if TK != 8 || STAGES < 3
#error "TK=8, and STAGES, come from the variant's row"
#endif
#if WG0 != 256 || WG1 != 1 || OUT0 * OUT1 != 256 * 128 || (OUT0 != 256 && OUT1 != 256)
#error "two warpgroups of two blocks of 64 lines, for 128 others"
#endif
#define SWAP (OUT0 == 256) /* P is op(B) */
#define P_BY_K (SWAP ? TB : !TA) /* its array's lines run along k */
#define Q_BY_K (SWAP ? !TA : TB)
#define P_WIDE 256
#define Q_WIDE 128
#define UNIT_Q (Q_BY_K ? CHUNK : 1) /* elements that are copied at a time */
#define CHUNKS_P CHUNKS(P_WIDE, CHUNK)
#define CHUNKS_Q CHUNKS(Q_WIDE, UNIT_Q)
#define BYTES_P (P_WIDE * TK * 4) /* of a tile */
#define BYTES_Q (Q_WIDE * TK * 4)

/* P's registers: of even steps and odd ones, for a warpgroup's two blocks. */
#define EVEN0 "{h0,h1,h2,h3}, "
#define EVEN1 "{h4,h5,h6,h7}, "
#define ODD0 "{h8,h9,h10,h11}, "
#define ODD1 "{h12,h13,h14,h15}, "
/* Add a step to the sums; q: Q's descriptor. */
#define MMA_OF(sums, p) \
	"//@wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " sums p "%0, old, 1, 1;\n"
#define MMA(odd, q) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
	             MMA_OF("{" LIST("x") "," LIST("y") "}, ", odd##0) \
	             MMA_OF("{" LIST("z") "," LIST("w") "}, ", odd##1) "}" \
	             : \
	             : "l"(q) \
	             : "memory")
#define SET(i, value) asm volatile("cvt.rna.tf32.f32 h" #i ", %0;" : : "f"(value))
#define SET4(i, j, k, l, v) \
	SET(i, (v).x); \
	SET(j, (v).y); \
	SET(k, (v).z); \
	SET(l, (v).w)
#define SET_EVEN(v) \
	SET4(0, 1, 2, 3, (v)[0]); \
	SET4(4, 5, 6, 7, (v)[1])
#define SET_ODD(v) \
	SET4(8, 9, 10, 11, (v)[0]); \
	SET4(12, 13, 14, 15, (v)[1])

/* Operands: P is 0, Q 1. */
static inline uint2 chunk_of(int x, uint q)
{
	const uint e = q * WG0 + (uint)get_local_id(0), core = e / 8;
	const uint across = (P_BY_K ? TK : P_WIDE) / CHUNK;

	if (x == 0)
		return (uint2)(e / across, e % across * CHUNK);
	return Q_BY_K ? (uint2)(core / 2 * 8 + e % 8, core % 2 * 4) :
	                (uint2)(core % TK, core / TK * 8 + e % 8);
}

/* Where chunks lie in a tile, in bytes.  P's lines lie as in memory, their chunks in an
 * order in which four lines along k, or eight across, do not meet in a bank. */
static inline uint place_p(uint2 at)
{
	return P_BY_K ? at.x * TK * 4 + (at.y ^ (at.x & 4)) * 4 :
	                at.x * P_WIDE * 4 + (at.y ^ (at.x & 3) * 8) * 4;
}

/* Q's are cores of 8 lines by 4 terms, 128 bytes each. */
static inline uint place_q(uint2 at)
{
	const uint line = Q_BY_K ? at.x : at.y, term = Q_BY_K ? at.y : at.x;

	return line / 8 * 256 + term / 4 * 128 + line % 8 * 16 + term % 4 * 4;
}

/* Which four numbers of P's a block's instruction takes from this item: terms t and t + 4
 * of two lines, 8 apart where they run along k, neighbours where across. */
static inline uint first_line(void)
{
	const uint item = (uint)get_local_id(0), g = item % 32 / 4;

	return item / 32 * 16 + (P_BY_K ? g : 2 * g);
}

static inline float4 fragment(__local const float *tile, uint block)
{
	const uint t = get_local_id(0) % 4, line = first_line() + block * (P_WIDE / 2);

	if (P_BY_K) {
		__local const float *near = tile + line * TK + (line & 4) + t;
		__local const float *far = tile + line * TK + (line & 4 ^ 4) + t;

		return (float4)(near[0], near[8 * TK], far[0], far[8 * TK]);
	} else {
		__local const float *near = tile + t * P_WIDE + (line ^ t * 8);

		return (float4)(*(__local const float2 *)near,
		                *(__local const float2 *)(near + 4 * P_WIDE));
	}
}

/* Where in C the e-th of 32 sums belongs, from this item's first line of P on. */
static inline uint of_p(uint e)
{
	return e / 2 % 2 * (P_BY_K ? 8 : 1);
}

static inline uint of_q(uint e)
{
	return e / 4 * 8 + get_local_id(0) % 4 * 2 + e % 2;
}

static inline uint down(uint e)
{
	return SWAP ? of_q(e) : of_p(e);
}

static inline uint right(uint e)
{
	return SWAP ? of_p(e) : of_q(e);
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	__local float tp[STAGES][P_WIDE * TK] __attribute__((aligned(128)));
	__local float tq[STAGES][Q_WIDE * TK] __attribute__((aligned(128)));
	const ulong i0 = first_row(), j0 = first_column();
	const ulong ldp = SWAP ? ldb : lda, ldq = SWAP ? lda : ldb;
	const ulong wide_p = SWAP ? n - j0 : m - i0, wide_q = SWAP ? m - i0 : n - j0;
	const ulong step_p = P_BY_K ? TK : TK * ldp, step_q = Q_BY_K ? TK : TK * ldq;
	const int aligned = is_aligned(a, lda | stride_a) && is_aligned(b, ldb | stride_b);
	const int whole = wide_p >= P_WIDE && wide_q >= Q_WIDE && aligned;
	const ulong tile_q =
	        LOCAL_ADDRESS(tq) >> 4 | (ulong)(128 >> 4) << 16 | (ulong)(TK * 32 >> 4) << 32;
	__global const BITS *from_p[CHUNKS_P], *from_q[CHUNKS_Q];
	uint to_p[CHUNKS_P], to_q[CHUNKS_Q];
	ulong left = k, steps = (k + TK - 1) / TK, fast;
	float sum[RESULTS];
	float4 v[2];
	uint s = 0, to;

	if (!any_wanted(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>, z<32>, w<32>; .reg .b32 h<16>;");
	EACH32(CLEAR, x, 0);
	EACH32(CLEAR, y, 0);
	EACH32(CLEAR, z, 0);
	EACH32(CLEAR, w, 0);
	#pragma unroll
	for (uint q = 0; q < CHUNKS_P; q++) {
		const uint2 at = chunk_of(0, q);

		from_p[q] = (__global const BITS *)(SWAP ? b + at_b(0, j0, ldb) :
		                                           a + at_a(i0, 0, lda)) +
		            at.x * ldp + at.y;
		to_p[q] = LOCAL_ADDRESS(tp) + place_p(at);
	}
	#pragma unroll
	for (uint q = 0; q < CHUNKS_Q; q++) {
		const uint2 at = chunk_of(1, q);

		from_q[q] = (__global const BITS *)(SWAP ? a + at_a(i0, 0, lda) :
		                                           b + at_b(0, j0, ldb)) +
		            at.x * ldq + at.y;
		to_q[q] = LOCAL_ADDRESS(tq) + place_q(at);
	}

#define COPY_WHOLE \
	do { \
		copy_whole(from_p, to_p, CHUNKS_P, CHUNK, to * BYTES_P, step_p); \
		copy_whole(from_q, to_q, CHUNKS_Q, UNIT_Q, to * BYTES_Q, step_q); \
		COPIES_END(); \
	} while (0)
#define COPY_PART \
	do { \
		copy_part(0, from_p, to_p, CHUNKS_P, CHUNK, to * BYTES_P, step_p, P_BY_K, wide_p, \
		          left, aligned); \
		copy_part(1, from_q, to_q, CHUNKS_Q, UNIT_Q, to * BYTES_Q, step_q, Q_BY_K, wide_q, \
		          left, aligned); \
		left = left > TK ? left - TK : 0; \
		COPIES_END(); \
	} while (0)
#define STEP(odd, copy) \
	do { \
		COPIES_WAIT(STAGES - 3); \
		FENCE; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		v[0] = fragment(tp[s], 0); \
		v[1] = fragment(tp[s], 1); \
		SET_##odd(v); \
		ARRIVE; \
		MMA(odd, tile_q + s * (BYTES_Q / 16)); \
		COMMIT; \
		copy; \
		END(1); \
		s = next_stage(s); \
		to = next_stage(to); \
	} while (0)
	for (to = 0; to < STAGES - 2; to++)
		COPY_PART;
	fast = whole ? left / (2 * TK) : 0;
	steps -= 2 * fast;
	left -= fast * 2 * TK;
	for (; fast; fast--) {
		STEP(EVEN, COPY_WHOLE);
		STEP(ODD, COPY_WHOLE);
	}
	while (steps) {
		STEP(EVEN, COPY_PART);
		if (!--steps)
			break;
		STEP(ODD, COPY_PART);
		steps--;
	}
	COPIES_WAIT(0);
	END(0);
	#pragma unroll 1
	for (uint part = 0; part < 4; part++) {
		const uint p = part / 2 * (P_WIDE / 2), q = part % 2 * (Q_WIDE / 2);

		switch (part) {
		case 0:
			EACH32(TAKE, x, sum);
			break;
		case 1:
			EACH32(TAKE, y, sum);
			break;
		case 2:
			EACH32(TAKE, z, sum);
			break;
		default:
			EACH32(TAKE, w, sum);
		}
		finish(sum, i0 + (SWAP ? q : first_line() + p), j0 + (SWAP ? first_line() + p : q),
		       0, k, m, n, lda, ldb, ldc, lower, alpha, beta, a, b, c);
	}
}
