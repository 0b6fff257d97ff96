/* SPDX-License-Identifier: MIT */
/*
 * dmma.cl - double on NVIDIA's matrix units, compute capability 9.0 and later:
 * mma.m16n8k8, which multiplies 16 x 8 by 8 x 8 over the 32 lanes of a warp.
 *
 * A group makes OUT1 x OUT0 elements of C, a warp WM x WN of them.  Tiles of op(A)
 * and op(B), TK deep, go round in STAGES buffers.
 *
 * Which k, row or column an operand's slot stands for is free as long as A, B and C
 * agree.  So that a work-item reads 16 bytes at a time, no two meet in a bank, and
 * what is read lies in the registers as the instruction wants it, slots stand for
 * neighbours: of the left operand along its rows, of the right one along k.  So the
 * left operand, P, had better run across k in memory and the right one, Q, along it.
 * Where B runs across k, as it lies there by nature, the transpose of the product is
 * computed: P is op(B), Q is op(A).  What does not lie so costs moves of registers.
 */
#if !defined WM || !defined WN || !defined STAGES || TK != 8 || ELEM_BYTES != 8
#error "WM, WN, STAGES and TK, 8, come from the variant's row, which is for doubles"
#endif
#define WARPS0 (OUT0 / WN)
#define WARPS (WARPS0 * (OUT1 / WM))
#if WG0 != 32 * WARPS || WG1 != 1 || WM % 16 || WN % 16
#error "a warp for each WM x WN"
#endif

#define SWAP (!TB)
#define P_ALONG_K (SWAP ? TB : !TA)
#define Q_ALONG_K (SWAP ? !TA : TB)
#define P_WIDE (SWAP ? OUT0 : OUT1)
#define Q_WIDE (SWAP ? OUT1 : OUT0)
#define PI ((SWAP ? WN : WM) / 16) /* fragments of a warp */
#define QJ ((SWAP ? WM : WN) / 8)

/* The chunks of a line along m or n are stored in an order that depends on k. */
#define SWIZZLE(k) ((k) & 6)

/* P is turned where it lies along k; Q is as it lies there. */
#define UNIT_P (P_ALONG_K ? 1 : CHUNK)

static inline uint place_p(uint2 at)
{
	const uint k = P_ALONG_K ? at.y : at.x, p = P_ALONG_K ? at.x : at.y;

	return k * P_WIDE + (p ^ SWIZZLE(k) * CHUNK);
}

static inline uint place_q(uint2 at)
{
	return Q_ALONG_K ? at.x * TK + at.y : at.x * Q_WIDE + (at.y ^ SWIZZLE(at.x) * CHUNK);
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	__local REAL tp[STAGES][P_WIDE * TK] __attribute__((aligned(128)));
	__local REAL tq[STAGES][Q_WIDE * TK] __attribute__((aligned(128)));
	const uint item = get_local_id(0), lane = item % 32, g = lane / 4, t = lane % 4;
	const uint w1 = item / 32 / WARPS0 * WM, w0 = item / 32 % WARPS0 * WN;
	const uint wp = SWAP ? w0 : w1, wq = SWAP ? w1 : w0;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const ulong ldp = SWAP ? ldb : lda, ldq = SWAP ? lda : ldb;
	const ulong lines_p = SWAP ? n - j0 : m - i0, lines_q = SWAP ? m - i0 : n - j0;
	const int whole = m - i0 >= OUT1 && n - j0 >= OUT0;
	const int aligned = is_aligned(a, lda | stride_a) && is_aligned(b, ldb | stride_b);
	__global const ELEM *from_p[CHUNKS(P_WIDE, UNIT_P)], *from_q[CHUNKS(Q_WIDE, CHUNK)];
	uint to_p[CHUNKS(P_WIDE, UNIT_P)], to_q[CHUNKS(Q_WIDE, CHUNK)], n_p[CHUNKS(P_WIDE, UNIT_P)], n_q[CHUNKS(Q_WIDE, CHUNK)];
	ulong left = k, steps = (k + TK - 1) / TK;
	REAL acc[PI][QJ][4];
	uint s = 0;

	if (!any_wanted(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	a += at_a(i0, 0, lda);
	b += at_b(0, j0, ldb);
	#pragma unroll
	for (uint i = 0; i < PI; i++)
		#pragma unroll
		for (uint j = 0; j < QJ; j++)
			#pragma unroll
			for (uint e = 0; e < 4; e++)
				acc[i][j][e] = 0;
	copies_begin(from_p, n_p, P_WIDE, P_ALONG_K, UNIT_P, SWAP ? b : a, ldp, lines_p,
	             item);
	copies_begin(from_q, n_q, Q_WIDE, Q_ALONG_K, CHUNK, SWAP ? a : b, ldq, lines_q,
	             item);
	#pragma unroll
	for (uint q = 0; q < CHUNKS(P_WIDE, UNIT_P); q++) {
		const uint2 at = chunk_at(q, item, P_WIDE, P_ALONG_K, UNIT_P);

		to_p[q] = LOCAL_ADDRESS(tp) + place_p(at) * ELEM_BYTES;
	}
	#pragma unroll
	for (uint q = 0; q < CHUNKS(Q_WIDE, CHUNK); q++) {
		const uint2 at = chunk_at(q, item, Q_WIDE, Q_ALONG_K, CHUNK);

		to_q[q] = LOCAL_ADDRESS(tq) + place_q(at) * ELEM_BYTES;
	}

#define COPY_AS(slot, whole, aligned) \
	do { \
		copies_next(from_p, to_p, n_p, P_WIDE, P_ALONG_K, UNIT_P, (slot) * (uint)sizeof tp[0], \
		            P_ALONG_K ? TK : TK * ldp, whole, aligned, left, item); \
		copies_next(from_q, to_q, n_q, Q_WIDE, Q_ALONG_K, CHUNK, (slot) * (uint)sizeof tq[0], \
		            Q_ALONG_K ? TK : TK * ldq, whole, aligned, left, item); \
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
	for (; steps; steps--) {
		REAL fp[PI][4], fq[QJ][2];

		COPIES_WAIT(STAGES - 2);
		barrier(CLK_LOCAL_MEM_FENCE);
		COPY_NEXT(s == 0 ? STAGES - 1 : s - 1);
		#pragma unroll
		for (uint i = 0; i < PI; i++) {
			const __local double2 *x =
			        (const __local double2 *)&tp[s][2 * t * P_WIDE] +
			        ((wp / 2 + 8 * i + g) ^ SWIZZLE(2 * t));
			const double2 even = x[0], odd = x[P_WIDE / 2];

			fp[i][0] = even.x;
			fp[i][1] = even.y;
			fp[i][2] = odd.x;
			fp[i][3] = odd.y;
		}
		#pragma unroll
		for (uint j = 0; j < QJ; j += 2) {
#if Q_ALONG_K
			const __local double2 *x =
			        (const __local double2 *)&tq[s][(wq + 8 * j + g) * TK] + t;
			const double2 l = x[0], r = x[8 * TK / 2];

			fq[j][0] = l.x;
			fq[j][1] = l.y;
			fq[j + 1][0] = r.x;
			fq[j + 1][1] = r.y;
#else
			const __local double2 *x =
			        (const __local double2 *)&tq[s][2 * t * Q_WIDE] +
			        ((wq / 2 + 4 * j + g) ^ SWIZZLE(2 * t));
			const double2 even = x[0], odd = x[Q_WIDE / 2];

			fq[j][0] = even.x;
			fq[j][1] = odd.x;
			fq[j + 1][0] = even.y;
			fq[j + 1][1] = odd.y;
#endif
		}
		#pragma unroll
		for (uint i = 0; i < PI; i++)
			#pragma unroll
			for (uint j = 0; j < QJ; j++)
				__asm volatile(
				        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
				        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
				        "{%0, %1, %2, %3};"
				        : "+d"(acc[i][j][0]), "+d"(acc[i][j][1]),
				          "+d"(acc[i][j][2]), "+d"(acc[i][j][3])
				        : "d"(fp[i][0]), "d"(fp[i][1]), "d"(fp[i][2]),
				          "d"(fp[i][3]), "d"(fq[j][0]), "d"(fq[j][1]));
		s = s + 1 == STAGES ? 0 : s + 1;
	}
	#pragma unroll
	for (uint i = 0; i < PI; i++)
		#pragma unroll
		for (uint j = 0; j < QJ; j++)
			#pragma unroll
			for (uint e = 0; e < 4; e++) {
				const uint p = wp + 16 * i +
				               2 * g + e / 2;
				const uint q = wq + (Q_ALONG_K ? 8 * j + 2 * t + e % 2 :
				                                 8 * (j & ~1u) + 4 * t +
				                                         2 * (e % 2) + j % 2);
				const ulong row = i0 + (SWAP ? q : p), column = j0 + (SWAP ? p : q);

				if (row < m && column < n)
					put(c, row, column, ldc, lower, acc[i][j][e], alpha, beta);
			}
}
