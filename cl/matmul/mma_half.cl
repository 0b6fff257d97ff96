/* SPDX-License-Identifier: MIT */
/*
 * mma_half.cl - products of halves or bfloat16 on the tensor cores of sm_80 and later, with sums in
 * float.
 *
 * A wave computes WAVE1 x WAVE0 elements of C in blocks of 16 x 8.  Tiles of op(A) and op(B), DEPTH
 * terms deep, go through two buffers of local memory in their arrays' layout. ldmatrix transposes
 * the blocks where terms do not run along the lines.  Eight halves between lines prevent bank
 * conflicts of its reads.
 *
 * The product of two elements is exact in float.  Sums over DEPTH terms are added to C's outside
 * the tensor cores, which truncate.
 */
#if !defined WAVE0 || !defined WAVE1
#error "WAVE0 and WAVE1 come from the variant's row"
#endif
#define DEPTH 32
#define ROWS (WAVE1 / 16) /* blocks in a wave's part */
#define COLUMNS (WAVE0 / 8)
#define LINE_A ((TA ? OUT1 : DEPTH) + 8)
#define LINE_B ((TB ? DEPTH : OUT0) + 8)
#define TILE_A ((TA ? DEPTH : OUT1) * LINE_A)
#define TILE_B ((TB ? OUT0 : DEPTH) * LINE_B)
#define EIGHTS1 (OUT1 * DEPTH / 8 / WG0) /* vectors of eight of op(A) that an item loads */
#define EIGHTS0 (OUT0 * DEPTH / 8 / WG0)
#if OUT0 / WAVE0 * (OUT1 / WAVE1) * 32 != WG0 || WG1 != 1 || COLUMNS % 2
#error "whole waves, and pairs of blocks"
#endif

#if BFLOAT16
#define NARROW "bf16"
#else
#define NARROW "f16"
#endif
/* sum += a b for a block, over 16 terms. */
#define MMA(sum, a, b) \
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." NARROW "." NARROW ".f32 {%0,%1,%2,%3}, " \
	             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
	             : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3]) \
	             : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), \
	               "r"((b)[1]))
/* Loads four blocks of 8 lines by 8 halves.  Each item addresses one line. */
#define LOAD_BLOCKS(trans, r, line) \
	asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0,%1,%2,%3}, [%4];" \
	             : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) \
	             : "r"((uint)(ulong)(line)) \
	             : "memory")

/* An operand's array, as bits. */
struct source {
	__global const ushort *from; /* the tile's first line and term */
	ulong ld, last; /* the operand's last row or column, relative to the tile's first */
	int whole; /* one aligned access can load eight neighbours */
};

/* Eight neighbours of a tile's line; the first `skip` terms do not exist. */
static inline uint4 fetch(const struct source *s, uint line, uint at, int by_terms, uint skip)
{
	union {
		ushort x[8];
		uint4 all;
	} v;

	if (by_terms) {
		__global const ushort *from = s->from + min((ulong)line, s->last) * s->ld;

		if (s->whole && !skip)
			return *(__global const uint4 *)(from + at);
		#pragma unroll
		for (uint e = 0; e < 8; e++)
			v.x[e] = at + e < skip ? 0 : from[at + e - skip];
	} else {
		__global const ushort *from = s->from + (line - skip) * s->ld;

		if (line < skip)
			return 0;
		if (s->whole && at + 7 <= s->last)
			return *(__global const uint4 *)(from + at);
		#pragma unroll
		for (uint e = 0; e < 8; e++)
			v.x[e] = from[min((ulong)(at + e), s->last)];
	}
	return v.all;
}

/* Loads a block of op(A): 16 lines from `row` on, 16 terms from p on. */
static inline void operand_a(uint *r, __local const ushort *tile, uint row, uint p)
{
	const uint lane = get_local_id(0) % 32;

#if TA
	LOAD_BLOCKS(".trans", r,
	            tile + (p + lane / 16 * 8 + lane % 8) * LINE_A + row + lane / 8 % 2 * 8);
#else
	LOAD_BLOCKS("", r, tile + (row + lane % 16) * LINE_A + p + lane / 16 * 8);
#endif
}

/* Loads two blocks of op(B): 8 columns each from `column` on, 16 terms from p on. */
static inline void operand_b(uint *r, __local const ushort *tile, uint column, uint p)
{
	const uint lane = get_local_id(0) % 32;

#if TB
	LOAD_BLOCKS("", r,
	            tile + (column + lane / 16 * 8 + lane % 8) * LINE_B + p + lane / 8 % 2 * 8);
#else
	LOAD_BLOCKS(".trans", r, tile + (p + lane % 16) * LINE_B + column + lane / 16 * 8);
#endif
}

static inline void multiply(float *acc, __local const ushort *a, __local const ushort *b,
                            uint row, uint column)
{
	float sum[ROWS * COLUMNS][4];

	#pragma unroll
	for (uint e = 0; e < ROWS * COLUMNS * 4; e++)
		sum[e / 4][e % 4] = 0;
	#pragma unroll
	for (uint p = 0; p < DEPTH; p += 16) {
		uint fa[ROWS][4], fb[COLUMNS / 2][4];

		#pragma unroll
		for (uint r = 0; r < ROWS; r++)
			operand_a(fa[r], a, row + 16 * r, p);
		#pragma unroll
		for (uint s = 0; s < COLUMNS / 2; s++)
			operand_b(fb[s], b, column + 16 * s, p);
		#pragma unroll
		for (uint e = 0; e < ROWS * COLUMNS; e++)
			MMA(sum[e], fa[e / COLUMNS], fb[e % COLUMNS / 2] + e % 2 * 2);
	}
	#pragma unroll
	for (uint e = 0; e < ROWS * COLUMNS * 4; e++)
		acc[e] += sum[e / 4][e % 4];
}

/* The row and the column of an item's e-th sum. */
#define ROW_OF(e) (GROUP1 + row + (e) / 4 / COLUMNS * 16 + lane / 4 + (e) / 2 % 2 * 8)
#define COLUMN_OF(e) (GROUP0 + column + (e) / 4 % COLUMNS * 8 + lane % 4 * 2 + (e) % 2)

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local ushort ta[2][TILE_A] __attribute__((aligned(16)));
	__local ushort tb[2][TILE_B] __attribute__((aligned(16)));
	const uint item = get_local_id(0), lane = item % 32, wave = item / 32;
	const uint row = wave / (OUT0 / WAVE0) * WAVE1, column = wave % (OUT0 / WAVE0) * WAVE0;
	const uint across_a = (TA ? OUT1 : DEPTH) / 8, across_b = (TB ? DEPTH : OUT0) / 8;
	const uint steps = (uint)((k + DEPTH - 1) / DEPTH);
	const uint skip = (uint)(steps * (ulong)DEPTH - k); /* missing terms come first */
	struct source sa, sb;
	uint4 va[EIGHTS1], vb[EIGHTS0];
	float acc[ROWS * COLUMNS * 4];

	if (!any_in_triangle(GROUP1, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	sa.from = (__global const ushort *)a + at_a(GROUP1, 0, lda);
	sa.ld = lda;
	sa.last = m - 1 - GROUP1;
	sa.whole = (lda | (TA ? 0 : k) | offset.s0 | get_group_id(2) * stride_a) % 8 == 0;
	sb.from = (__global const ushort *)b + at_b(0, GROUP0, ldb);
	sb.ld = ldb;
	sb.last = n - 1 - GROUP0;
	sb.whole = (ldb | (TB ? k : 0) | offset.s1 | get_group_id(2) * stride_b) % 8 == 0;
	#pragma unroll
	for (uint e = 0; e < ROWS * COLUMNS * 4; e++)
		acc[e] = SUM_BEGIN(ROW_OF(e), COLUMN_OF(e));

#define FETCH(skip) \
	do { \
		_Pragma("unroll") for (uint q = 0; q < EIGHTS1; q++) \
			va[q] = fetch(&sa, (item + q * WG0) / across_a, \
			              (item + q * WG0) % across_a * 8, !TA, skip); \
		_Pragma("unroll") for (uint q = 0; q < EIGHTS0; q++) \
			vb[q] = fetch(&sb, (item + q * WG0) / across_b, \
			              (item + q * WG0) % across_b * 8, TB, skip); \
		sa.from += (TA ? lda : 1) * (DEPTH - (skip)); \
		sb.from += (TB ? 1 : ldb) * (DEPTH - (skip)); \
	} while (0)
#define STORE(buffer) \
	do { \
		_Pragma("unroll") for (uint q = 0; q < EIGHTS1; q++) \
			*(__local uint4 *)&ta[buffer][(item + q * WG0) / across_a * LINE_A + \
			                              (item + q * WG0) % across_a * 8] = va[q]; \
		_Pragma("unroll") for (uint q = 0; q < EIGHTS0; q++) \
			*(__local uint4 *)&tb[buffer][(item + q * WG0) / across_b * LINE_B + \
			                              (item + q * WG0) % across_b * 8] = vb[q]; \
	} while (0)
	if (steps) {
		FETCH(skip);
		STORE(0);
		if (1 < steps)
			FETCH(0);
	}
	for (uint s = 0; s < steps; s++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (s + 1 < steps)
			STORE((s + 1) % 2);
		if (s + 2 < steps)
			FETCH(0);
		multiply(acc, ta[s % 2], tb[s % 2], row, column);
	}
	#pragma unroll
	for (uint e = 0; e < ROWS * COLUMNS * 4; e++) {
		const ulong i = ROW_OF(e), j = COLUMN_OF(e);

		if (i < m && j < n)
			store_element(c, i, j, ldc, lower, acc[e], alpha, beta);
	}
}
