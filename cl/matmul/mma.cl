/* SPDX-License-Identifier: MIT */
/*
 * mma.cl - float32 from tensor cores by mma.sync, sm_80 and later: three tf32 products
 * for one (tensor.clh), or with PRODUCTS=1 the first alone.
 *
 * A wave makes WAVE1 x WAVE0 elements of C out of 16 x 8 ones.  Tiles of op(A) and op(B),
 * TK deep, go through local memory, split once when they are stored.  A tile lies there
 * as its array does: where k runs along the lines, ldmatrix hands out 8 lines of 4 terms;
 * where it does not, items read their words one by one.  The paddings keep both off one
 * bank.  Each sum over 8 terms is added to C's in float.
 */
#if !defined WAVE0 || !defined WAVE1 || !defined PRODUCTS
#error "WAVE0, WAVE1 and PRODUCTS come from the variant's row"
#endif
#define TK 16
#define ROWS (WAVE1 / 16) /* blocks of 16 x 8 in a wave's part */
#define COLS (WAVE0 / 8)
#define LD_A (TA ? OUT1 + 8 : TK + 4) /* row lengths in local memory */
#define LD_B (TB ? TK + 4 : OUT0 + 8)
#define PLANE_A (TA ? TK * LD_A : OUT1 * LD_A)
#define PLANE_B (TB ? OUT0 * LD_B : TK * LD_B)
#define FOURS_A (OUT1 * TK / 4 / WG0) /* fours of a tile that an item fetches */
#define FOURS_B (OUT0 * TK / 4 / WG0)
#define PLANES (PRODUCTS == 3 ? 2 : 1)
#if OUT0 / WAVE0 * (OUT1 / WAVE1) * 32 != WG0 || WG1 != 1 || OUT1 * TK % (4 * WG0) || \
        OUT0 * TK % (4 * WG0)
#error "whole waves, and whole fours for each item"
#endif

/* sum += a b, sums of 8 terms for 16 x 8 elements. */
#define MMA(sum, a, b) \
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, " \
	             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
	             : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3]) \
	             : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), \
	               "r"((b)[1]))

/* Four blocks of 8 lines of 16 bytes; each item gives the address of one line. */
static inline void four_blocks(uint *r, __local const uint *line)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
	             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
	             : "r"((uint)(ulong)line)
	             : "memory");
}

/*
 * Four neighbours of an array's line; `line` and `at` are where in the tile, `lines` and
 * `length` what there is of it.  Beyond the sum's end there are zeros; beyond the other
 * edge the last line, or zeros, which nobody looks at.
 */
static inline float4 fetch(__global const float *from, ulong ld, uint line, uint at, ulong lines,
                           ulong length, int by_k, int whole)
{
	float4 v = 0;

	if (line >= lines) {
		if (!by_k)
			return v;
		line = (uint)lines - 1;
	}
	from += line * ld + at;
	if (whole && at + 3 < length)
		return *(__global const float4 *)from;
	v.x = at < length ? from[0] : 0;
	v.y = at + 1 < length ? from[1] : 0;
	v.z = at + 2 < length ? from[2] : 0;
	v.w = at + 3 < length ? from[3] : 0;
	return v;
}

static inline void store(__local uint *to, uint plane, float4 v)
{
	const uint4 h = (uint4)(high(v.x), high(v.y), high(v.z), high(v.w));

	*(__local uint4 *)to = h;
	if (PRODUCTS == 3)
		*(__local uint4 *)(to + plane) =
		        (uint4)(low(v.x, h.x), low(v.y, h.y), low(v.z, h.z), low(v.w, h.w));
}

/* A block of op(A), 16 rows from `row`, 8 terms from p. */
static inline void operand_a(uint *r, __local const uint *tile, uint row, uint p, uint lane)
{
	if (TA) {
		tile += (p + lane % 4) * LD_A + row + lane / 4;
		r[0] = tile[0];
		r[1] = tile[8];
		r[2] = tile[4 * LD_A];
		r[3] = tile[4 * LD_A + 8];
	} else {
		four_blocks(r, tile + (row + lane % 16) * LD_A + p + lane / 16 * 4);
	}
}

/* Two blocks of op(B), 8 columns each from `column`, 8 terms from p. */
static inline void operand_b(uint *r, __local const uint *tile, uint column, uint p, uint lane)
{
	if (TB) {
		four_blocks(r, tile + (column + lane % 8 + lane / 16 * 8) * LD_B + p +
		                       lane / 8 % 2 * 4);
	} else {
		tile += (p + lane % 4) * LD_B + column + lane / 4;
		r[0] = tile[0];
		r[1] = tile[4 * LD_B];
		r[2] = tile[8];
		r[3] = tile[4 * LD_B + 8];
	}
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, REAL alpha, REAL beta,
                __global const REAL *restrict a, __global const REAL *restrict b,
                __global REAL *restrict c)
{
	__local uint ta[PLANES][PLANE_A] __attribute__((aligned(16)));
	__local uint tb[PLANES][PLANE_B] __attribute__((aligned(16)));
	const uint item = get_local_id(0), lane = item % 32, wave = item / 32;
	const uint row = wave / (OUT0 / WAVE0) * WAVE1, column = wave % (OUT0 / WAVE0) * WAVE0;
	const ulong i0 = first_row(), j0 = first_column();
	const int whole_a = lda % 4 == 0, whole_b = ldb % 4 == 0;
	float acc[ROWS][COLS][4];
	float4 va[FOURS_A], vb[FOURS_B];

	#pragma unroll
	for (uint e = 0; e < ROWS * COLS * 4; e++)
		acc[e / 4 / COLS][e / 4 % COLS][e % 4] = 0;
	a += at_a(i0, 0, lda);
	b += at_b(0, j0, ldb);

#define FETCH(left) \
	_Pragma("unroll") for (uint q = 0; q < FOURS_A; q++) \
	{ \
		const uint four = item + q * WG0; \
		va[q] = fetch(a, lda, four / (TA ? OUT1 / 4 : TK / 4), \
		              four % (TA ? OUT1 / 4 : TK / 4) * 4, TA ? (left) : m - i0, \
		              TA ? m - i0 : (left), !TA, whole_a); \
	} \
	_Pragma("unroll") for (uint q = 0; q < FOURS_B; q++) \
	{ \
		const uint four = item + q * WG0; \
		vb[q] = fetch(b, ldb, four / (TB ? TK / 4 : OUT0 / 4), \
		              four % (TB ? TK / 4 : OUT0 / 4) * 4, TB ? n - j0 : (left), \
		              TB ? (left) : n - j0, TB, whole_b); \
	} \
	a += at_a(0, TK, lda); \
	b += at_b(TK, 0, ldb);

	if (k) {
		FETCH(k)
	}
	for (ulong p0 = 0; p0 < k; p0 += TK) {
		if (p0)
			barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (uint q = 0; q < FOURS_A; q++) {
			const uint four = item + q * WG0, across = TA ? OUT1 / 4 : TK / 4;

			store(&ta[0][four / across * LD_A + four % across * 4], PLANE_A, va[q]);
		}
		#pragma unroll
		for (uint q = 0; q < FOURS_B; q++) {
			const uint four = item + q * WG0, across = TB ? TK / 4 : OUT0 / 4;

			store(&tb[0][four / across * LD_B + four % across * 4], PLANE_B, vb[q]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (p0 + TK < k) {
			FETCH(k - p0 - TK)
		}
		#pragma unroll
		for (uint p = 0; p < TK; p += 8) {
			uint ah[ROWS][4], al[ROWS][4], bh[COLS / 2][4], bl[COLS / 2][4];

			#pragma unroll
			for (uint r = 0; r < ROWS; r++) {
				operand_a(ah[r], ta[0], row + 16 * r, p, lane);
				if (PRODUCTS == 3)
					operand_a(al[r], ta[PLANES - 1], row + 16 * r, p, lane);
			}
			#pragma unroll
			for (uint s = 0; s < COLS / 2; s++) {
				operand_b(bh[s], tb[0], column + 16 * s, p, lane);
				if (PRODUCTS == 3)
					operand_b(bl[s], tb[PLANES - 1], column + 16 * s, p, lane);
			}
			#pragma unroll
			for (uint e = 0; e < ROWS * COLS; e++) {
				const uint r = e / COLS, s = e % COLS;
				const uint *h = bh[s / 2] + s % 2 * 2, *l = bl[s / 2] + s % 2 * 2;
				float sum[4] = { 0, 0, 0, 0 };

				if (PRODUCTS == 3) {
					MMA(sum, al[r], h);
					MMA(sum, ah[r], l);
				}
				MMA(sum, ah[r], h);
				#pragma unroll
				for (uint x = 0; x < 4; x++)
					acc[r][s][x] += sum[x];
			}
		}
	}
	#pragma unroll
	for (uint e = 0; e < ROWS * COLS * 4; e++) {
		const uint r = e / 4 / COLS, s = e / 4 % COLS, x = e % 4;
		const ulong i = i0 + row + 16 * r + lane / 4 + x / 2 * 8;
		const ulong j = j0 + column + 8 * s + lane % 4 * 2 + x % 2;

		if (i < m && j < n)
			put(c + i * ldc + j, acc[r][s][x], alpha, beta);
	}
}
