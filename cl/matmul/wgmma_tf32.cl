/* SPDX-License-Identifier: MIT */
/*
 * wgmma_tf32.cl - products of floats as tf32 by Hopper's warpgroup instructions.
 *
 * As wgmma_half.cl, but the instructions read tf32 numbers from local memory only in lines
 * along k.  One operand comes from registers and may lie either way: P, which is op(B) where
 * op(B)'s lines run across k.  Where the lines of the other operand, Q, run across k, it is
 * transposed on its way to local memory, an element at a time.
 *
 * P is rounded to tf32.  The tensor cores ignore the lower 13 bits of Q: rounding it in local
 * memory, between its arrival and the fence, would cost a third of the speed.  A NaN that only
 * those bits distinguish from infinity, or a number that rounds up to infinity, gives a sum
 * that is not finite; such sums are computed again in float32 (tensor.clh): of several parts of k
 * (common.clh) the one where that shows, and those behind it.
 */
#if TK != 16 || STAGES < 2
#error "TK=16, and STAGES, come from the variant's row"
#endif
#if WG0 != 256 || WG1 != 1 || OUT0 != 128 || OUT1 != 128
#error "two warpgroups of 64 lines of P, for 128 lines of Q"
#endif
#define SWAP (!TB) /* P is op(B) */
#define P_BY_K (SWAP ? TB : !TA) /* its array's lines run along k */
#define Q_BY_K (SWAP ? !TA : TB)
#define CHUNK_Q (Q_BY_K ? CHUNK : 1) /* elements in one copy */
#define CHUNKS_P CHUNKS(WIDE, CHUNK)
#define CHUNKS_Q CHUNKS(WIDE, CHUNK_Q)
#define BYTES (WIDE * TK * 4) /* of a tile */

/* P's registers for the first eight terms of a step and for the others. */
#define FIRST "{h0,h1,h2,h3}, "
#define SECOND "{h4,h5,h6,h7}, "
/* Adds eight terms to the sums; q: Q's descriptor. */
#define MMA(p, q) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
	             "//@wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" LIST("x") "," \
	             LIST("y") "}, " p "%0, old, 1, 1;\n}" \
	             : \
	             : "l"(q) \
	             : "memory")
#define SET(i, value) asm volatile("cvt.rna.tf32.f32 h" #i ", %0;" : : "f"(value))
#define SET4(i, j, k, l, v) \
	SET(i, (v).x); \
	SET(j, (v).y); \
	SET(k, (v).z); \
	SET(l, (v).w)

/* Operands: P is 0, Q 1.  With chunks of one element a warp copies eight lines by four terms,
 * which do not conflict on a bank. */
static inline uint2 chunk_of(int x, uint q)
{
	const uint item = (uint)get_local_id(0), e = q * WG0 + item;

#if !Q_BY_K
	if (x)
		return (uint2)(e / 8 % TK, e / (8 * TK) * 8 + e % 8);
#endif
	return chunk_at(q, item, WIDE, x ? Q_BY_K : P_BY_K, CHUNK);
}

/* Offsets of chunks in a tile, in bytes.  The order of chunks in lines along k depends on the
 * line (the instructions' swizzle of 64 bytes); the order in P's lines across k is such that
 * four lines do not conflict on a bank. */
static inline uint along_k(uint line, uint term)
{
	return line * 64 + (term / 4 ^ line / 2 % 4) * 16 + term % 4 * 4;
}

static inline uint offset_p(void)
{
	const uint2 at = chunk_of(0, 0);

	return P_BY_K ? along_k(at.x, at.y) : at.x * WIDE * 4 + (at.y ^ (at.x & 3) * 8) * 4;
}

static inline uint offset_q(void)
{
	const uint2 at = chunk_of(1, 0);

	return Q_BY_K ? along_k(at.x, at.y) : along_k(at.y, at.x);
}

/* Distances between the chunks of a work-item: lines in the array, bytes in a tile. */
#define GAP_P LINES_AT(P_BY_K ? TK : WIDE)
#define GAP_Q LINES_AT(TK)
#define APART_P (GAP_P * (P_BY_K ? 64 : WIDE * 4))
#define APART_Q (CHUNK_Q == 1 ? 2 * 8 * 64 : GAP_Q * 64)

/* The four numbers of P that an instruction takes from this item: terms t and t + 4 of two
 * lines, 8 apart where they run along k, neighbours where across.  part: of the terms, 0 or 1. */
static inline uint first_line(void)
{
	const uint item = (uint)get_local_id(0), g = item % 32 / 4;

	return item / 32 * 16 + (P_BY_K ? g : 2 * g);
}

static inline float4 fragment(__local const float *tile, uint part)
{
	const uint t = get_local_id(0) % 4, line = first_line();

	if (P_BY_K) {
		__local const float *near = tile + along_k(line, 8 * part + t) / 4;
		__local const float *far = tile + along_k(line, 8 * part + t + 4) / 4;

		return (float4)(near[0], near[8 * TK], far[0], far[8 * TK]);
	} else {
		__local const float *near = tile + (8 * part + t) * WIDE + (line ^ t * 8);

		return (float4)(*(__local const float2 *)near,
		                *(__local const float2 *)(near + 4 * WIDE));
	}
}

/* The position in C of the e-th sum, from this item's first line of P on. */
static inline uint p_of_sum(uint e)
{
	return e / 2 % 2 * (P_BY_K ? 8 : 1);
}

static inline uint q_of_sum(uint e)
{
	return e / 4 * 8 + get_local_id(0) % 4 * 2 + e % 2;
}

static inline uint row_of_sum(uint e)
{
	return SWAP ? q_of_sum(e) : p_of_sum(e);
}

static inline uint column_of_sum(uint e)
{
	return SWAP ? p_of_sum(e) : q_of_sum(e);
}

/* Of an item's first sum. */
#define FIRST_ROW (i0 + (SWAP ? 0 : first_line()))
#define FIRST_COLUMN (j0 + (SWAP ? first_line() : 0))

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local float tp[STAGES][WIDE * TK] __attribute__((aligned(1024)));
	__local float tq[STAGES][WIDE * TK] __attribute__((aligned(1024)));
	const ulong i0 = first_row(), j0 = first_column();
	const ulong ldp = SWAP ? ldb : lda, ldq = SWAP ? lda : ldb;
	const ulong wide_p = SWAP ? n - j0 : m - i0, wide_q = SWAP ? m - i0 : n - j0;
	const ulong step_p = P_BY_K ? TK : TK * ldp, step_q = Q_BY_K ? TK : TK * ldq;
	const int aligned = is_aligned(a, lda | stride_a | offset.s0) &&
	                    is_aligned(b, ldb | stride_b | offset.s1);
	const int whole = wide_p >= WIDE && wide_q >= WIDE && aligned;
	const ulong tile_q = LOCAL_ADDRESS(tq) >> 4 | (ulong)1 << 16 | (ulong)(512 >> 4) << 32 |
	                     (ulong)2 << 62;
	const ulong gap_p = GAP_P * ldp, gap_q = CHUNK_Q == 1 ? 2 * 8 : GAP_Q * ldq;
	const uint to_p = LOCAL_ADDRESS(tp) + offset_p(), to_q = LOCAL_ADDRESS(tq) + offset_q();
	__global const BITS *from_p, *from_q;
	ulong left = k, steps = (k + TK - 1) / TK, whole_steps;
	float sum[RESULTS];
	float4 v;
	uint s = 0, to;

	if (!any_in_triangle(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>; .reg .b32 h<8>;");
#if IN_PARTS
	begin_sums(sum, FIRST_ROW, FIRST_COLUMN, m, n, ldc, (offset.s7 & SUM_GOES_ON) != 0, c);
	EACH32(SET_SUM, x, sum);
	EACH32(SET_SUM, y, sum + 32);
#else
	EACH32(CLEAR, x, 0);
	EACH32(CLEAR, y, 0);
#endif
	from_p = (__global const BITS *)(SWAP ? b + at_b(0, j0, ldb) : a + at_a(i0, 0, lda)) +
	         chunk_of(0, 0).x * ldp + chunk_of(0, 0).y;
	from_q = (__global const BITS *)(SWAP ? a + at_a(i0, 0, lda) : b + at_b(0, j0, ldb)) +
	         chunk_of(1, 0).x * ldq + chunk_of(1, 0).y;

#define COPY_WHOLE \
	do { \
		copy_whole(from_p, to_p + to * BYTES, CHUNKS_P, CHUNK, gap_p, APART_P); \
		copy_whole(from_q, to_q + to * BYTES, CHUNKS_Q, CHUNK_Q, gap_q, APART_Q); \
		from_p += step_p; \
		from_q += step_q; \
		COPIES_END(); \
	} while (0)
#define COPY_PART \
	do { \
		copy_part(0, from_p, to_p + to * BYTES, CHUNKS_P, CHUNK, gap_p, APART_P, P_BY_K, \
		          wide_p, left, aligned); \
		copy_part(1, from_q, to_q + to * BYTES, CHUNKS_Q, CHUNK_Q, gap_q, APART_Q, Q_BY_K, \
		          wide_q, left, aligned); \
		from_p += step_p; \
		from_q += step_q; \
		left = left > TK ? left - TK : 0; \
		COPIES_END(); \
	} while (0)
#define STEP(copy) \
	do { \
		COPIES_WAIT(STAGES - 2); \
		PROXY_FENCE; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		v = fragment(tp[s], 0); \
		SET4(0, 1, 2, 3, v); \
		WGMMA_FENCE; \
		MMA(FIRST, tile_q + s * (BYTES / 16)); \
		WGMMA_COMMIT; \
		v = fragment(tp[s], 1); \
		SET4(4, 5, 6, 7, v); \
		WGMMA_FENCE; \
		MMA(SECOND, tile_q + s * (BYTES / 16) + 2); \
		WGMMA_COMMIT; \
		copy; \
		WGMMA_WAIT(0); \
		s = next_stage(s); \
		to = next_stage(to); \
	} while (0)
	for (to = 0; to < STAGES - 1; to++)
		COPY_PART;
	whole_steps = whole ? left / TK : 0;
	steps -= whole_steps;
	left -= whole_steps * TK;
	for (; whole_steps; whole_steps--)
		STEP(COPY_WHOLE);
	for (; steps; steps--)
		STEP(COPY_PART);
	COPIES_WAIT(0);
	EACH32(READ, x, sum);
	EACH32(READ, y, sum + 32);
	store_sums(sum, FIRST_ROW, FIRST_COLUMN, 0, k, m, n, lda, ldb, ldc, lower, alpha, beta, a, b,
	           c);
}
