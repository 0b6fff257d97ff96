/* SPDX-License-Identifier: MIT */
/*
 * dmma.cl - double on NVIDIA's tensor cores, compute capability 9.0 and later: mma.m16n8k8, which
 * multiplies 16 x 8 by 8 x 8 over the 32 lanes of a warp.
 *
 * A group computes OUT1 x OUT0 elements of C, a warp WM x WN of them.  Tiles of op(A) and op(B), TK
 * deep, rotate through STAGES buffers.
 *
 * Lines are copied in their direction in memory, along k or across it.  Any k, row or column may be
 * assigned to a slot of an operand's fragment, if A, B and C agree.  Here slots are assigned to
 * neighbours: along k, or across k for the left operand, P, if its lines run that way.  Then a
 * work-item reads 16 bytes at a time, without bank conflicts, and they are in the registers in the
 * instruction's order.  Only the right operand, Q, is read 8 bytes at a time if its lines run
 * across k.  Lines of B without a transpose do.  There the transpose of the product is computed: P
 * is op(B), Q is op(A).
 *
 * The operands of the next tile are read from local memory before this tile is computed.  So no
 * work-item waits for local memory after the barrier.
 *
 * A complex product is a real one (common.clh), with TK / 2 elements in TK.  P is op(B) in either
 * layout: the 16 bytes of an element hold a work-item's part of a fragment, its block of four.  So
 * op(B) is expanded after the copy.
 */
#if !defined WM || !defined WN || !defined STAGES || TK != 8 || ELEM_BYTES != 8
#error "WM, WN, STAGES and TK=8 come from the variant's row, which is for doubles"
#endif
#define WIDE (PARTS * OUT0)
#define WARPS0 (WIDE / WN)
#define WARPS (WARPS0 * (OUT1 / WM))
#if WG0 != 32 * WARPS || WG1 != 1 || WM % 16 || WN % 16
#error "one warp for each WM x WN elements"
#endif

#define SWAP (COMPLEX || !TB)
#define P_ALONG_K (SWAP ? TB != 0 : !TA)
#define Q_ALONG_K (SWAP ? !TA : TB != 0)
#define P_WIDE (SWAP ? WIDE : OUT1)
#define Q_WIDE (SWAP ? OUT1 : WIDE)
/* P_WIDE and Q_WIDE in the arrays: lines along k, or numbers of a line across k. */
#define P_LIES (P_ALONG_K ? P_WIDE / PARTS : P_WIDE)
#define Q_LIES (Q_ALONG_K ? Q_WIDE : PARTS * Q_WIDE)
#define P_TILE (P_WIDE * TK / PARTS)
#define P_NEIGHBOURS (COMPLEX || !P_ALONG_K) /* a work-item's two lines of P are neighbours */
#define PI ((SWAP ? WN : WM) / 16) /* fragments per warp */
#define QJ ((SWAP ? WM : WN) / 8)
#if P_TILE % (CHUNK * WG0) || !SHARED_EVENLY(Q_WIDE, CHUNK)
#error "the chunks of a tile must divide evenly among the work-items"
#endif

/* Chunks of a line along m or n are stored in an order that depends on k. */
#define SWIZZLE(k) ((k) & 6)
#define SWIZZLE_LINE(l) SWIZZLE(PARTS * (l))

static inline uint buffer_offset(uint2 at, uint wide, int by_k)
{
	return by_k ? at.x * TK + at.y : at.x * wide + (at.y ^ SWIZZLE_LINE(at.x) * CHUNK);
}

/*
 * Lane 4 g + t of a warp holds two of 16 lines of P with two k each, and one of 8 lines of Q with
 * two k.  The k are 2 t and 2 t + 1; the line of Q is g.  The lines of P are g and g + 8 where they
 * run along k, otherwise 2 g and 2 g + 1.  P_AT and Q_AT are their addresses.  Of complex matrices
 * the lines of P are 2 g and 2 g + 1, and both k are of element t.
 */
#if COMPLEX && P_ALONG_K
#define P_AT(slot, i) ((__local const double2 *)&tp[slot][(wp / 2 + 8 * (i) + g) * TK] + t)
#elif COMPLEX
#define P_AT(slot, i) \
	((__local const double2 *)&tp[slot][t * P_WIDE] + ((wp / 2 + 8 * (i) + g) ^ SWIZZLE_LINE(t)))
#elif P_ALONG_K
#define P_AT(slot, i) ((__local const double2 *)&tp[slot][(wp + 16 * (i) + g) * TK] + t)
#else
#define P_AT(slot, i) \
	((__local const double2 *)&tp[slot][2 * t * P_WIDE] + \
	 ((wp / 2 + 8 * (i) + g) ^ SWIZZLE(2 * t)))
#endif

static inline void fragment_p(__local const double2 *from, REAL *to)
{
#if COMPLEX
	const double2 re = (double2)(EXPAND_RE(from->x, from->y));
	const double2 im = (double2)(EXPAND_IM(from->x, from->y));

	to[0] = re.x;
	to[1] = re.y;
	to[2] = im.x;
	to[3] = im.y;
#else
	const double2 first = from[0], second = from[P_ALONG_K ? 8 * TK / 2 : P_WIDE / 2];

	to[0] = first.x;
	to[1] = P_ALONG_K ? second.x : first.y;
	to[2] = P_ALONG_K ? first.y : second.x;
	to[3] = second.y;
#endif
}

#if Q_ALONG_K || COMPLEX
#if Q_ALONG_K
#define Q_AT(slot, j) ((__local const double2 *)&tq[slot][(wq + 8 * (j) + g) * TK] + t)
#else
#define Q_AT(slot, j) \
	((__local const double2 *)&tq[slot][t * Q_LIES] + ((wq + 8 * (j) + g) ^ SWIZZLE_LINE(t)))
#endif

static inline void fragment_q(__local const double2 *from, REAL *to)
{
	const double2 both = *from;

	to[0] = both.x;
	to[1] = both.y;
}
#else
#define Q_AT(slot, j) \
	(&tq[slot][2 * t * Q_WIDE] + ((wq + 8 * (j) + g) ^ SWIZZLE(2 * t) * CHUNK))

static inline void fragment_q(__local const REAL *from, REAL *to)
{
	to[0] = from[0];
	to[1] = from[Q_WIDE];
}
#endif

/* The lines of P and Q of an item's sum e of fragments i and j.  Then the two of its four sums that
 * are neighbours in C, of a line of Q or of P. */
#define LINE_P(i, e) (wp + 16 * (i) + (P_NEIGHBOURS ? 2 * g + (e) / 2 : g + (e) / 2 * 8))
#define LINE_Q(j, e) (wq + 8 * (j) + 2 * t + (e) % 2)
#define ROW_OF(i, j, e) (i0 + (SWAP ? LINE_Q(j, e) : LINE_P(i, e)))
#define COLUMN_OF(i, j, e) (j0 + (SWAP ? LINE_P(i, e) : LINE_Q(j, e)))
#define FIRST_OF(e) (SWAP ? (e) : 2 * (e))
#define SECOND_OF(e) (SWAP ? (e) + 2 : 2 * (e) + 1)

/* sum += p q for a fragment. */
#define MMA(sum, p, q) \
	__asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, " \
	               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
	               : "+d"((sum)[0]), "+d"((sum)[1]), "+d"((sum)[2]), "+d"((sum)[3]) \
	               : "d"((p)[0]), "d"((p)[1]), "d"((p)[2]), "d"((p)[3]), "d"((q)[0]), \
	                 "d"((q)[1]))

KERNEL void run(ulong m, ulong elements, ulong terms, ulong lda, ulong ldb, ulong ldc,
                ulong stride_a, ulong stride_b, ulong stride_c, long lower, SCALAR alpha,
                SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local REAL tp[STAGES][P_TILE] __attribute__((aligned(128)));
	__local REAL tq[STAGES][Q_WIDE * TK] __attribute__((aligned(128)));
	const uint item = get_local_id(0), lane = item % 32, g = lane / 4, t = lane % 4;
	const uint w1 = item / 32 / WARPS0 * WM, w0 = item / 32 % WARPS0 * WN;
	const uint wp = SWAP ? w0 : w1, wq = SWAP ? w1 : w0;
	const ulong2 block = block_of_group();
	const ulong n = PARTS * elements, k = PARTS * terms;
	const ulong i0 = block.y * OUT1, j0 = block.x * WIDE;
	const ulong ldp = PARTS * (SWAP ? ldb : lda), ldq = PARTS * (SWAP ? lda : ldb);
	const ulong left_p = SWAP ? n - j0 : m - i0, left_q = SWAP ? m - i0 : n - j0;
	const ulong lines_p = P_ALONG_K ? left_p / PARTS : left_p;
	const ulong lines_q = Q_ALONG_K ? left_q : PARTS * left_q;
	const int whole = m - i0 >= OUT1 && n - j0 >= WIDE;
	const int aligned = is_aligned(a, PARTS * (lda | stride_a | offset.s0)) &&
	                    is_aligned(b, PARTS * (ldb | stride_b | offset.s1));
	__global const ELEM *from_p[CHUNKS_OF(P_LIES, P_ALONG_K, CHUNK)], *from_q[CHUNKS_OF(Q_LIES, Q_ALONG_K, CHUNK)];
	uint to_p[CHUNKS_OF(P_LIES, P_ALONG_K, CHUNK)], to_q[CHUNKS_OF(Q_LIES, Q_ALONG_K, CHUNK)];
	uint n_p[CHUNKS_OF(P_LIES, P_ALONG_K, CHUNK)], n_q[CHUNKS_OF(Q_LIES, Q_ALONG_K, CHUNK)];
	ulong left = k, steps = (k + TK - 1) / TK, pairs;
	REAL acc[PI][QJ][4], fp[2][PI][4], fq[2][QJ][2];
	uint s = 0;

	if (!any_in_triangle(i0, OUT1, j0, WIDE, lower))
		return;
	BATCH(a, b, c);
	a += begin_a(i0, 0, lda);
	b += begin_b(0, j0, ldb);
	#pragma unroll
	for (uint i = 0; i < PI; i++)
		#pragma unroll
		for (uint j = 0; j < QJ; j++)
			#pragma unroll
			for (uint e = 0; e < 4; e++)
				acc[i][j][e] = SUM_BEGIN(ROW_OF(i, j, e), COLUMN_OF(i, j, e));
	copies_begin(from_p, n_p, P_LIES, P_ALONG_K, CHUNK, SWAP ? b : a, ldp, lines_p, item);
	copies_begin(from_q, n_q, Q_LIES, Q_ALONG_K, CHUNK, SWAP ? a : b, ldq, lines_q, item);
	#pragma unroll
	for (uint q = 0; q < CHUNKS_OF(P_LIES, P_ALONG_K, CHUNK); q++) {
		const uint2 at = chunk_at(q, item, P_LIES, P_ALONG_K, CHUNK);

		to_p[q] = LOCAL_ADDRESS(tp) + buffer_offset(at, P_LIES, P_ALONG_K) * ELEM_BYTES;
	}
	#pragma unroll
	for (uint q = 0; q < CHUNKS_OF(Q_LIES, Q_ALONG_K, CHUNK); q++) {
		const uint2 at = chunk_at(q, item, Q_LIES, Q_ALONG_K, CHUNK);

		to_q[q] = LOCAL_ADDRESS(tq) + buffer_offset(at, Q_LIES, Q_ALONG_K) * ELEM_BYTES;
	}

#define COPY_AS(slot, whole, aligned) \
	do { \
		copies_next(from_p, to_p, n_p, P_LIES, P_ALONG_K, CHUNK, \
		            (slot) * (uint)sizeof tp[0], P_ALONG_K ? TK : LINES_ACROSS * ldp, whole, \
		            aligned, left, item); \
		copies_next(from_q, to_q, n_q, Q_LIES, Q_ALONG_K, CHUNK, \
		            (slot) * (uint)sizeof tq[0], Q_ALONG_K ? TK : LINES_ACROSS * ldq, whole, \
		            aligned, left, item); \
	} while (0)
#define COPY_WHOLE(slot) \
	do { \
		COPY_AS(slot, 1, 1); \
		COPIES_END(); \
	} while (0)
#define COPY_NEXT(slot) \
	do { \
		if (whole && left >= TK && aligned) \
			COPY_AS(slot, 1, 1); \
		else if (left) \
			COPY_AS(slot, 0, aligned); \
		left = left > TK ? left - TK : 0; \
		COPIES_END(); \
	} while (0)

	#pragma unroll
	for (uint u = 0; u < STAGES - 1; u++)
		COPY_NEXT(u);
/* Loads a warp's part of a tile to fp[to], fq[to]. */
#define FRAGMENTS(slot, to) \
	do { \
		_Pragma("unroll") for (uint i = 0; i < PI; i++) \
			fragment_p(P_AT(slot, i), fp[to][i]); \
		_Pragma("unroll") for (uint j = 0; j < QJ; j++) \
			fragment_q(Q_AT(slot, j), fq[to][j]); \
	} while (0)
/* Computes the tile whose part is in fp[odd], fq[odd].  Starts the copies of the tile STAGES - 1
 * later, and loads the next tile's part. */
#define STEP(odd, copy) \
	do { \
		copy(s == 0 ? STAGES - 1 : s - 1); \
		COPIES_WAIT(STAGES - 2); \
		barrier(CLK_LOCAL_MEM_FENCE); \
		s = s + 1 == STAGES ? 0 : s + 1; \
		FRAGMENTS(s, !(odd)); \
		_Pragma("unroll") for (uint i = 0; i < PI; i++) \
			_Pragma("unroll") for (uint j = 0; j < QJ; j++) \
				MMA(acc[i][j], fp[odd][i], fq[odd][j]); \
	} while (0)

	COPIES_WAIT(STAGES - 2);
	barrier(CLK_LOCAL_MEM_FENCE);
	FRAGMENTS(0, 0);
	/* Whole tiles have a separate loop without bounds checks: without branches the compiler
	 * interleaves copies and arithmetic. */
	pairs = whole && aligned ? left / (2 * TK) : 0;
	steps -= 2 * pairs;
	left -= 2 * TK * pairs;
	for (; pairs; pairs--) {
		STEP(0, COPY_WHOLE);
		STEP(1, COPY_WHOLE);
	}
	while (steps) {
		STEP(0, COPY_NEXT);
		if (!--steps)
			break;
		STEP(1, COPY_NEXT);
		steps--;
	}
	COPIES_WAIT(0);
	#pragma unroll
	for (uint i = 0; i < PI; i++)
		#pragma unroll
		for (uint j = 0; j < QJ; j++)
			#pragma unroll
			for (uint e = 0; e < 2; e++) {
				const ulong row = ROW_OF(i, j, FIRST_OF(e));

				if (row < m)
					store_two(c, row, COLUMN_OF(i, j, FIRST_OF(e)), n, ldc, lower,
					          acc[i][j][FIRST_OF(e)], acc[i][j][SECOND_OF(e)], alpha,
					          beta);
			}
}
