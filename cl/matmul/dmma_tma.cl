/* SPDX-License-Identifier: MIT */
/*
 * dmma_tma.cl - double on Hopper's tensor cores by mma.m16n8k16, from tiles that the tensor memory
 * accelerator loads (tma.clh).
 *
 * A warp computes WP x WQ elements, from WP lines of the left operand, P, and WQ lines of the right
 * one, Q.  P is op(A), Q op(B).  Where B is not transposed, the transpose of the product is
 * computed, and they change places.  So two of a work-item's sums are always neighbours in a row of
 * C.
 *
 * In a tile the lines of P or Q run along k or across it, as in memory.  Any k, row or column may
 * be assigned to a slot of an operand's fragment, if P, Q and C agree.  The assignment here lets a
 * warp read either kind without bank conflicts, and into the instruction's registers.
 */
#if TK != 16 || ELEM_BYTES != 8 || COMPLEX
#error "real doubles, 16 terms at a time"
#endif
#define SWAP (!TB)
#define P_ALONG_K (TB && !TA)
#define Q_ALONG_K (TB || !TA)
#define P_WIDE (SWAP ? OUT0 : OUT1)
#define Q_WIDE (SWAP ? OUT1 : OUT0)
#if P_WIDE % WP || Q_WIDE % WQ || CONSUMERS != P_WIDE / WP * (Q_WIDE / WQ) * 32
#error "one warp for each WP x WQ elements"
#endif
#if WP % 16 || WQ % 16
#error "boxes of 16 lines"
#endif
#define STAGE ((OUT0 + OUT1) * 128)
#define PI (WP / 16) /* fragments per warp */
#define QJ (WQ / 8)

/*
 * Lane 4 g + t of a warp holds two of 16 lines of P and one of 8 lines of Q, with four of 16 terms
 * each.  The terms are 4 t to 4 t + 3, in an order that depends on t, so that lanes read different
 * banks.  The line of Q is g.  The lines of P are g and g + 8 where they run along k, otherwise 2 g
 * and 2 g + 1.  Then P is read 16 bytes at a time, as is Q along k: these are neighbours in the
 * instruction's registers.
 */
#define BYTES_P (P_ALONG_K ? 8 : 16)
#define BYTES_Q (Q_ALONG_K && !P_ALONG_K ? 16 : 8)

/* The place of the lane's first number in a tile whose lines begin at 0. */
static inline uint first_at(int along_k, uint bytes)
{
	const uint lane = (uint)get_local_id(0) % 32, g = lane / 4, t = lane % 4;
	const uint y = along_k ? g : 4 * t + t / 2 * 2;
	const uint x = !along_k ? g * bytes : (2 * t + t / 2) * 16 + (bytes == 8 ? t % 2 * 8 : 0);

	return y * 128 + (x ^ y % 8 * 16);
}

/* The place of one of four terms. */
static inline uint slot_at(uint first, uint slot, int along_k)
{
	return first ^ slot / 2 * (along_k ? 16 : 256 + 32) ^ slot % 2 * (along_k ? 8 : 128 + 16);
}

static inline void read_one(uint at, REAL *x)
{
	asm volatile("ld.shared.f64 %0, [%1];" : "=d"(*x) : "r"(at) : "memory");
}

static inline void read_two(uint at, REAL *x)
{
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
	             : "=d"(x[0]), "=d"(x[1])
	             : "r"(at)
	             : "memory");
}

/* Read a fragment: of P, and of Q from `line` on, a multiple of 8. */
static inline void read_p(uint first, REAL *v)
{
	#pragma unroll
	for (uint slot = 0; slot < 4; slot++) {
		const uint at = slot_at(first, slot, P_ALONG_K);

		if (BYTES_P == 16) {
			read_two(at, v + 2 * slot);
		} else {
			read_one(at, v + 2 * slot);
			read_one(at + 8 * 128, v + 2 * slot + 1);
		}
	}
}

static inline void read_q(uint first, uint line, REAL *v)
{
	#pragma unroll
	for (uint slot = 0; slot < 4; slot += BYTES_Q / 8) {
		const uint at = slot_at(first, slot, Q_ALONG_K);

		if (BYTES_Q == 16)
			read_two(at + line * 128, v + slot);
		else
			read_one(Q_ALONG_K ? at + line * 128 :
			                     (at ^ line % 16 * 8) + line / 16 * 16 * 128,
			         v + slot);
	}
}

/* sum += p q for a fragment. */
#define MMA(sum, p, q) \
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, " \
	             "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, " \
	             "{%0, %1, %2, %3};" \
	             : "+d"((sum)[0]), "+d"((sum)[1]), "+d"((sum)[2]), "+d"((sum)[3]) \
	             : "d"((p)[0]), "d"((p)[1]), "d"((p)[2]), "d"((p)[3]), "d"((p)[4]), \
	               "d"((p)[5]), "d"((p)[6]), "d"((p)[7]), "d"((q)[0]), "d"((q)[1]), \
	               "d"((q)[2]), "d"((q)[3]))

/* The lines of P and Q of an item's sum e of fragments i and j.  Then the two of its four sums that
 * are neighbours in a row of C. */
#define LINE_P(i, e) (wp + 16 * (i) + (P_ALONG_K ? g + (e) / 2 * 8 : 2 * g + (e) / 2))
#define LINE_Q(j, e) (wq + 8 * (j) + 2 * t + (e) % 2)
#define ROW_OF(i, j, e) (i0 + (SWAP ? LINE_Q(j, e) : LINE_P(i, e)))
#define COLUMN_OF(i, j, e) (j0 + (SWAP ? LINE_P(i, e) : LINE_Q(j, e)))
#define FIRST_OF(e) (SWAP ? (e) : 2 * (e))
#define SECOND_OF(e) (SWAP ? (e) + 2 : 2 * (e) + 1)

/* Stores an item's sums of fragments i of a whole block, two at a time.  All loads come first, so
 * that none waits for another. */
#define STORE_WHOLE(i) \
	do { \
		__global double2 *to[QJ][2]; \
		double2 old[QJ][2]; \
\
		_Pragma("unroll") for (uint j = 0; j < QJ; j++) \
			_Pragma("unroll") for (uint e = 0; e < 2; e++) { \
			to[j][e] = (__global double2 *)(c + ROW_OF(i, j, FIRST_OF(e)) * ldc + \
			                                COLUMN_OF(i, j, FIRST_OF(e))); \
			old[j][e] = beta == 0 ? (double2)0 : *to[j][e]; \
		} \
		_Pragma("unroll") for (uint j = 0; j < QJ; j++) \
			_Pragma("unroll") for (uint e = 0; e < 2; e++) *to[j][e] = (double2)( \
			        scaled(sum[i][j][FIRST_OF(e)], alpha, beta, old[j][e].x), \
			        scaled(sum[i][j][SECOND_OF(e)], alpha, beta, old[j][e].y)); \
	} while (0)

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global ELEM *restrict c, ulong8 offset, MAPPED(a, b))
{
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32, g = lane / 4, t = lane % 4;
	const uint wp = item / 32 % (P_WIDE / WP) * WP, wq = item / 32 / (P_WIDE / WP) * WQ;
	const uint full = LOCAL_ADDRESS(bars), empty = full + 8 * STAGES;
	const uint steps = (uint)((k + TK - 1) / TK);
	const uint at_p = LOCAL_ADDRESS(tiles) + (SWAP ? OUT1 * 128 : 0) + wp * 128 +
	                  first_at(P_ALONG_K, BYTES_P);
	const uint at_q = LOCAL_ADDRESS(tiles) + (SWAP ? 0 : OUT1 * 128) + wq * 128 +
	                  first_at(Q_ALONG_K, BYTES_Q);
	REAL sum[PI][QJ][4], p[8], q[QJ][4];
	struct turn turn = { 0, item >= CONSUMERS };
	ulong map_a, map_b;

	BATCH(a, b, c);
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
		#pragma unroll
		for (uint i = 0; i < PI; i++)
			#pragma unroll
			for (uint j = 0; j < QJ; j++)
				#pragma unroll
				for (uint e = 0; e < 4; e++)
					sum[i][j][e] = SUM_BEGIN(ROW_OF(i, j, e), COLUMN_OF(i, j, e));
		for (uint step = 0; step < steps; step++) {
			barrier_wait(full + 8 * turn.s, turn.phase);
			#pragma unroll
			for (uint j = 0; j < QJ; j++)
				read_q(at_q + turn.s * STAGE, 8 * j, q[j]);
			#pragma unroll
			for (uint i = 0; i < PI; i++) {
				read_p(at_p + turn.s * STAGE + 16 * i * 128, p);
				#pragma unroll
				for (uint j = 0; j < QJ; j++)
					MMA(sum[i][j], p, q[j]);
			}
			PROXY_WARP;
			if (lane == 0)
				barrier_arrive(empty + 8 * turn.s);
			turn = next_turn(turn, STAGES);
		}
#if !IN_PARTS
		if (m - i0 >= OUT1 && n - j0 >= OUT0 && is_aligned(c, ldc) &&
		    all_in_triangle(i0, OUT1, j0, OUT0, lower)) {
			#pragma unroll
			for (uint i = 0; i < PI; i++)
				STORE_WHOLE(i);
			continue;
		}
#endif
		#pragma unroll
		for (uint i = 0; i < PI; i++)
			#pragma unroll
			for (uint j = 0; j < QJ; j++)
				#pragma unroll
				for (uint e = 0; e < 2; e++) {
					const ulong row = ROW_OF(i, j, FIRST_OF(e));

					if (row < m)
						store_two(c, row, COLUMN_OF(i, j, FIRST_OF(e)), n, ldc,
						          lower, sum[i][j][FIRST_OF(e)],
						          sum[i][j][SECOND_OF(e)], alpha, beta);
				}
	}
}
