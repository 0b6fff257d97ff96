/* SPDX-License-Identifier: MIT */
/*
 * matrix_half.cl - products of halves or bfloat16 by the matrix instructions of AMD's GPUs.  Sums
 * are in float32, where the product of two elements is exact.
 *
 * A group computes OUT1 x OUT0 elements of C, a wave of it WM x WN.  Tiles of op(A) and op(B), TK
 * terms deep, go through local memory unconverted, with terms as the inner dimension; the next
 * tiles wait in registers.  An item moves blocks of 4 x 4 elements.  It transposes a block if terms
 * do not run along the array's lines.
 *
 * Of 64 rows or columns every fourth belongs to the same instruction.  So a lane's sums of four
 * instructions are neighbours in C, and blocks are stored without bank conflicts.
 *
 * Where the instructions flush denormals to zero, a mask records which steps of 16 terms of a tile
 * have denormals; these steps are computed without the instructions.  Where the instructions
 * truncate, the sums of a tile are added to C's outside of them.
 */
#if !defined WM || !defined WN
#error "WM and WN, the part of a wave, come from the variant's row"
#endif
#define BLOCK (4 * MATRIX)
#define WAVES0 (OUT0 / WN)
#if WG0 != WAVE * WAVES0 * (OUT1 / WM) || WG1 != 1 || OUT0 % WN || OUT1 % WM
#error "one wave for each WM x WN elements"
#endif
#if WM % MATRIX || WN % BLOCK || OUT1 % BLOCK || TK % MATRIX || VN != 4
#error "a wave has whole instructions, and a lane of it four neighbouring columns"
#endif
#if OUT1 * TK / 16 % ITEMS || OUT0 * TK / 16 % ITEMS
#error "an item must have whole blocks of each tile"
#endif
#define BLOCKS_A (OUT1 * TK / 16 / ITEMS)
#define BLOCKS_B (OUT0 * TK / 16 / ITEMS)
#define ROWS (WM / MATRIX)
#define COLS (WN / MATRIX)
#define MATRICES (ROWS + COLS)
/* Numbers in a line of a tile: a few more than TK, so that lanes read from all banks. */
#define LINE (TK + (HALVES == 4 ? 4 : 8))

/* The row or column of a group's part that is line i of factor q, i.e. of MATRIX lines of its tile;
 * and the line of the tile that has row or column j.  With the line alone NVIDIA's compiler finds
 * wrong rows (driver 580.159). */
#define LINE_TO_C(q, i) ((q) / 4 * BLOCK + 4 * (i) + (q) % 4)
#define C_TO_LINE(j) ((j) / BLOCK * BLOCK + (j) % 4 * MATRIX + (j) % BLOCK / 4)

/* Four numbers of a line of the array, with zeros beyond it. whole: all four exist and are
 * aligned. */
static inline ushort4 fetch_four(__global const ushort *from, ulong line, ulong at, ulong ld,
                                 int whole, ulong lines, ulong length)
{
	ushort4 x = 0;

	from += line * ld + at;
	if (whole)
		return *(__global const ushort4 *)from;
	if (line >= lines || at >= length)
		return x;
	x.x = from[0];
	x.y = at + 1 < length ? from[1] : 0;
	x.z = at + 2 < length ? from[2] : 0;
	x.w = at + 3 < length ? from[3] : 0;
	return x;
}

/* Term and row or column of block e of a tile.  Blocks are counted along the array's lines. */
static inline uint2 block_at(uint e, uint wide, int by_k)
{
	return 4 * (by_k ? (uint2)(e % (TK / 4), e / (TK / 4)) :
	                   (uint2)(e / (wide / 4), e % (wide / 4)));
}

/* Loads the item's blocks of a tile. k0 is the tile's first term, line0 its first row or column. */
static inline void fetch_blocks(ushort4 (*next)[4], uint blocks, uint item,
                                __global const ushort *from, ulong k0, ulong line0, ulong k,
                                ulong lines, ulong ld, uint wide, int by_k, int whole)
{
	#pragma unroll
	for (uint q = 0; q < blocks; q++) {
		const uint2 at = block_at(q * ITEMS + item, wide, by_k);
		const ulong p = k0 + at.x, i = line0 + at.y;

		#pragma unroll
		for (uint e = 0; e < 4; e++)
			next[q][e] = by_k ? fetch_four(from, i + e, p, ld, whole, lines, k) :
			                    fetch_four(from, p + e, i, ld, whole, k, lines);
	}
}

/* Stores these blocks.  Returns a bit for each step of 16 terms that has denormals. */
static inline uint store_blocks(__local ushort *tile, ushort4 (*next)[4], uint blocks, uint item,
                                uint wide, int by_k)
{
	uint odd = 0;

	#pragma unroll
	for (uint q = 0; q < blocks; q++) {
		const uint2 at = block_at(q * ITEMS + item, wide, by_k);
		const ushort4 a = next[q][0], b = next[q][1], c = next[q][2], d = next[q][3];
		const ushort4 x[4] = {
			by_k ? a : (ushort4)(a.x, b.x, c.x, d.x),
			by_k ? b : (ushort4)(a.y, b.y, c.y, d.y),
			by_k ? c : (ushort4)(a.z, b.z, c.z, d.z),
			by_k ? d : (ushort4)(a.w, b.w, c.w, d.w),
		};

		#pragma unroll
		for (uint e = 0; e < 4; e++)
			*(__local ushort4 *)(tile + C_TO_LINE(at.y + e) * LINE + at.x) = x[e];
		if (MATRIX_FLUSHES)
			odd |= (uint)any_denormal(a, b, c, d) << at.x / MATRIX;
	}
	return odd;
}

MATRIX_KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local ushort ta[OUT1 * LINE] __attribute__((aligned(16)));
	__local ushort tb[OUT0 * LINE] __attribute__((aligned(16)));
	__local uint odd[2]; /* steps with denormals, of this tile and of the next */
	MATRIX_ROOM(room);
	const uint item = get_local_id(0), g = item % WAVE / MATRIX, l = item % MATRIX;
	const uint w1 = item / WAVE / WAVES0 * WM, w0 = item / WAVE % WAVES0 * WN;
	const ulong j0 = GROUP0 + w0 + 4 * l;
	const int whole_a = (lda | stride_a | offset.s0) % 4 == 0 && GROUP1 + OUT1 <= m;
	const int whole_b = (ldb | stride_b | offset.s1) % 4 == 0 && GROUP0 + OUT0 <= n;
	const int aligned_c = (ldc | stride_c | offset.s2) % 4 == 0;
	const ulong tiles = k / TK + (k % TK != 0);
	ushort4 next_a[BLOCKS_A][4], next_b[BLOCKS_B][4];
	FACTORS va[ROWS], vb[COLS];
	SUMS acc[ROWS][COLS];
#if MATRIX_TRUNCATES
	SUMS part[ROWS][COLS]; /* sums of a tile */
#else
#define part acc
#endif

	if (!any_in_triangle(GROUP1, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS; s++)
			#pragma unroll
			for (uint e = 0; e < SUMS_OF_LANE; e++)
				((float *)&acc[r][s])[e] =
				        SUM_BEGIN(GROUP1 + LINE_TO_C(w1 / MATRIX + r, MATRIX_ROW(g, e)),
				                  j0 + s / 4 * BLOCK + s % 4);
	if (item < 2)
		odd[item] = 0;
	/* Tile t is loaded while the previous tile is multiplied.  Compared for equality, numbers
	 * of 64 bits stay in scalar registers. */
	for (ulong t = 0; t != tiles + 1; t++) {
		uint steps = 0;

		if (t)
			steps = store_blocks(ta, next_a, BLOCKS_A, item, OUT1, !TA) |
			        store_blocks(tb, next_b, BLOCKS_B, item, OUT0, TB);
		if (steps)
			atomic_or(&odd[t % 2], steps);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t != tiles) {
			const int whole_k = t != k / TK;

			fetch_blocks(next_a, BLOCKS_A, item, (__global const ushort *)a, t * TK,
			             GROUP1, k, m, lda, OUT1, !TA, whole_a && whole_k);
			fetch_blocks(next_b, BLOCKS_B, item, (__global const ushort *)b, t * TK,
			             GROUP0, k, n, ldb, OUT0, TB, whole_b && whole_k);
		}
		if (!t)
			continue;
		steps = MATRIX_UNIFORM(odd[t % 2]);
		if (item == 0)
			odd[1 - t % 2] = 0;
#if MATRIX_TRUNCATES
		#pragma unroll
		for (uint r = 0; r < ROWS; r++)
			#pragma unroll
			for (uint s = 0; s < COLS; s++)
				part[r][s] = 0;
#endif
		#pragma unroll
		for (uint p = 0; p < TK; p += MATRIX) {
			__local const ushort *pa = ta + w1 * LINE + p, *pb = tb + w0 * LINE + p;

			#pragma unroll
			for (uint r = 0; r < ROWS; r++)
				va[r] = factors(pa + (r * MATRIX + l) * LINE + MATRIX_FIRST(g));
			#pragma unroll
			for (uint s = 0; s < COLS; s++)
				vb[s] = factors(pb + (s * MATRIX + l) * LINE + MATRIX_FIRST(g));
			if (MATRIX_FLUSHES && steps >> p / MATRIX & 1) {
#ifdef MATRIX_MULTIPLY_FLOATS
				/* Number q of all lanes at once. */
				#pragma unroll
				for (uint q = 0; q < HALVES; q++)
					#pragma unroll
					for (uint r = 0; r < ROWS; r++)
						#pragma unroll
						for (uint s = 0; s < COLS; s++)
							part[r][s] = MATRIX_MULTIPLY_FLOATS(
							        number_of(((const ushort *)&va[r])[q]),
							        number_of(((const ushort *)&vb[s])[q]),
							        part[r][s]);
#else
				#pragma unroll 1
				for (uint q = 0; q < MATRIX; q++)
					#pragma unroll
					for (uint r = 0; r < ROWS; r++) {
						const SUMS x = column_of(pa + r * MATRIX * LINE + q, LINE, g);

						#pragma unroll
						for (uint s = 0; s < COLS; s++)
							part[r][s] += x * number_of(pb[(s * MATRIX + l) * LINE + q]);
					}
#endif
				/* Leave only zeros to the instructions. */
				#pragma unroll
				for (uint r = 0; r < ROWS; r++)
					va[r] = 0;
				#pragma unroll
				for (uint s = 0; s < COLS; s++)
					vb[s] = 0;
			}
			MATRIX_WAIT();
			#pragma unroll
			for (uint r = 0; r < ROWS; r++)
				MATRIX_GIVE(room, r, va[r]);
			#pragma unroll
			for (uint s = 0; s < COLS; s++)
				MATRIX_GIVE(room, ROWS + s, vb[s]);
			MATRIX_WAIT();
			#pragma unroll
			for (uint r = 0; r < ROWS; r++)
				#pragma unroll
				for (uint s = 0; s < COLS; s++)
					MATRIX_ADD(room, r, va[r], ROWS + s, vb[s], part[r][s]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
#if MATRIX_TRUNCATES
		#pragma unroll
		for (uint r = 0; r < ROWS; r++)
			#pragma unroll
			for (uint s = 0; s < COLS; s++)
				acc[r][s] += part[r][s];
#endif
	}
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint e = 0; e < SUMS_OF_LANE; e++) {
			const ulong i = GROUP1 + LINE_TO_C(w1 / MATRIX + r, MATRIX_ROW(g, e));

			#pragma unroll
			for (uint s = 0; s < COLS; s += 4) {
				const ulong j = j0 + s / 4 * BLOCK;
				const V sum = { ((float *)&acc[r][s])[e],
					        ((float *)&acc[r][s + 1])[e],
					        ((float *)&acc[r][s + 2])[e],
					        ((float *)&acc[r][s + 3])[e] };

				if (i < m && j < n)
					store_row(c, i, j, n, ldc, aligned_c, lower, sum, alpha,
					          beta);
			}
		}
	/* For PoCL 3.1, as in mfma.cl. */
	MATRIX_WAIT();
}
