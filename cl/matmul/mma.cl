/* SPDX-License-Identifier: MIT */
/*
 * mma.cl - float32 from the tensor cores of sm_80 and later: three tf32 products for each float
 * product, or with PRODUCTS=1 only the first (tensor.clh).
 *
 * A wave computes WAVE1 x WAVE0 elements of C in blocks of 16 x 8.  Tiles of op(A) and op(B), DEPTH
 * terms deep, lie in one or two BUFFERS of local memory, with a line for each row and column.  They
 * are split when they are stored. ldmatrix distributes blocks of 8 lines by 16 bytes, and four
 * words between lines prevent bank conflicts.  Each sum over 8 terms is added to C's in float.
 *
 * A complex product is a real one: the lines of op(B)'s tile are columns of B' (tensor.clh).  An
 * item loads two elements of a column of op(B) for two of these lines.
 */
#if !defined WAVE0 || !defined WAVE1 || !defined DEPTH || !defined BUFFERS || !defined PART
#error "WAVE0, WAVE1, DEPTH, BUFFERS and PART come from the variant's row"
#endif
#define AHEAD 64 /* numbers of a line between prefetch and load */
#define ROWS (WAVE1 / 16) /* blocks in a wave's part */
#define COLUMNS (WAVE0 / 8)
#define LINE (DEPTH + 4)
#define PLANE ((WIDE + OUT1) * LINE) /* op(A)'s lines, then op(B)'s */
#define PLANES (PRODUCTS == 3 ? 2 : 1)
#define FOURS1 (OUT1 * DEPTH / 4 / WG0) /* vectors of four of op(A) that an item loads */
#define FOURS0 (OUT0 * DEPTH / 4 / WG0)
#if WIDE / WAVE0 * (OUT1 / WAVE1) * 32 != WG0 || WG0 != 256 || WG1 != 1 || COLUMNS % 2
#error "256 items in whole waves, and pairs of blocks"
#endif

/* sum += a b for a block, over 8 terms. */
#define MMA(sum, a, b) \
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, " \
	             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
	             : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]), "+f"((sum)[3]) \
	             : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), \
	               "r"((b)[1]))

/* Loads four blocks of 8 lines by 4 words.  Each item addresses one line. */
static inline void load_blocks(uint *r, __local const uint *line)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
	             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
	             : "r"((uint)(ulong)line)
	             : "memory");
}

/* The line and the first term of an item's q-th vector of four.  Neighbouring items read
 * along the array. */
static inline uint line_of(uint q, uint lines, int by_terms)
{
	const uint four = get_local_id(0) + q * WG0;

	return by_terms ? four / (DEPTH / 4) : four % lines;
}

static inline uint first_of(uint q, uint lines, int by_terms)
{
	const uint four = get_local_id(0) + q * WG0;

	return 4 * (by_terms ? four % (DEPTH / 4) : four / lines);
}

static inline void store(__local uint *to, float4 v)
{
	*(__local uint4 *)to = high4(v);
	if (PRODUCTS == 3)
		*(__local uint4 *)(to + PLANE) = low4(v);
}

static inline void store_b(__local uint *tile, uint column, uint first, float4 v)
{
#if COMPLEX
	__local uint *to = tile + (OUT1 + column / 8 * 16 + column % 8) * LINE + first;
	const float2 re[2] = { (float2)(EXPAND_RE(v.x, v.y)), (float2)(EXPAND_RE(v.z, v.w)) };
	const float2 im[2] = { (float2)(EXPAND_IM(v.x, v.y)), (float2)(EXPAND_IM(v.z, v.w)) };

	store(to, (float4)(re[0].x, im[0].x, re[1].x, im[1].x));
	store(to + 8 * LINE, (float4)(re[0].y, im[0].y, re[1].y, im[1].y));
#else
	store(tile + (OUT1 + column) * LINE + first, v);
#endif
}

static inline void store_tiles(__local uint *tile, const float4 *va, const float4 *vb)
{
	#pragma unroll
	for (uint q = 0; q < FOURS1; q++)
		store(tile + line_of(q, OUT1, !TA) * LINE + first_of(q, OUT1, !TA), va[q]);
	#pragma unroll
	for (uint q = 0; q < FOURS0; q++)
		store_b(tile, line_of(q, OUT0, TB), first_of(q, OUT0, TB), vb[q]);
}

/* acc += the product of the tiles, for the wave's part from line `row` of op(A) and line `column`
 * of op(B) on. */
static inline void multiply(float *acc, __local const uint *tile, uint row, uint column)
{
	const uint lane = get_local_id(0) % 32;
	__local const uint *a = tile + (row + lane % 16) * LINE + lane / 16 * 4;
	__local const uint *b =
	        tile + (OUT1 + column + lane % 8 + lane / 16 * 8) * LINE + lane / 8 % 2 * 4;

	#pragma unroll
	for (uint p = 0; p < DEPTH; p += 8) {
		uint ah[ROWS][4], al[ROWS][4], bh[COLUMNS][2], bl[COLUMNS][2];

		#pragma unroll
		for (uint r = 0; r < ROWS; r++) {
			load_blocks(ah[r], a + 16 * r * LINE + p);
			if (PRODUCTS == 3)
				load_blocks(al[r], a + PLANE + 16 * r * LINE + p);
		}
		#pragma unroll
		for (uint s = 0; s < COLUMNS; s += 2) {
			load_blocks(bh[s], b + 8 * s * LINE + p);
			if (PRODUCTS == 3)
				load_blocks(bl[s], b + PLANE + 8 * s * LINE + p);
		}
		#pragma unroll
		for (uint e = 0; e < ROWS * COLUMNS; e++) {
			const uint r = e / COLUMNS, s = e % COLUMNS;
			float sum[4] = { 0, 0, 0, 0 };

			if (PRODUCTS == 3) {
				MMA(sum, al[r], bh[s]);
				MMA(sum, ah[r], bl[s]);
			}
			MMA(sum, ah[r], bh[s]);
			#pragma unroll
			for (uint x = 0; x < 4; x++)
				acc[4 * e + x] += sum[x];
		}
	}
}

static inline uint row_of_sum(uint e)
{
	return e / 4 / COLUMNS * 16 + get_local_id(0) % 32 / 4 + e / 2 % 2 * 8;
}

static inline uint column_of_sum(uint e)
{
	return e / 4 % COLUMNS / PARTS * 8 + get_local_id(0) % 4 * 2 + e % 2;
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local uint tiles[BUFFERS][PLANES * PLANE] __attribute__((aligned(16)));
	const uint wave = get_local_id(0) / 32;
	const uint row = wave / (WIDE / WAVE0) * WAVE1, column = wave % (WIDE / WAVE0) * WAVE0;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0, i = i0 + row,
	            j = j0 + column / PARTS;
	const int whole_a = (lda | k | offset.s0 | get_group_id(2) * stride_a) % (4 / PARTS) == 0;
	const int whole_b = (ldb | k | offset.s1 | get_group_id(2) * stride_b) % (4 / PARTS) == 0;

	if (!any_in_triangle(i0, OUT1, PARTS * j0, WIDE, lower))
		return;
	BATCH(a, b, c);
	/* At least one iteration, for beta C. */
	for (ulong p0 = 0; p0 == 0 || p0 < k; p0 += PART) {
		const uint terms = (uint)min((ulong)PART, k - p0);
		const uint steps = (PARTS * terms + DEPTH - 1) / DEPTH;
		const uint skip = terms ? steps * DEPTH - PARTS * terms : DEPTH;
		__global const float *la[FOURS1], *lb[FOURS0];
		float4 va[FOURS1], vb[FOURS0];
		float acc[RESULTS];

		/* The last line replaces lines beyond the edge; their sums are not stored. */
		#pragma unroll
		for (uint q = 0; q < FOURS1; q++)
			la[q] = a + PARTS * at_a(min(i0 + line_of(q, OUT1, !TA), m - 1), p0, lda);
		#pragma unroll
		for (uint q = 0; q < FOURS0; q++)
			lb[q] = b + PARTS * at_b(p0, min(j0 + line_of(q, OUT0, TB), n - 1), ldb);
		#pragma unroll
		for (uint e = 0; e < RESULTS; e++)
			acc[e] = 0;
#define FETCH(skip, whole) \
	do { \
		_Pragma("unroll") for (uint q = 0; q < FOURS1; q++) \
		{ \
			va[q] = load_four(la[q], first_of(q, OUT1, !TA), TA ? lda : 1, skip, \
			                  TA ? 0 : whole && whole_a); \
			la[q] += (TA ? lda : 1) * (DEPTH - (skip)); \
		} \
		_Pragma("unroll") for (uint q = 0; q < FOURS0; q++) \
		{ \
			vb[q] = load_four(lb[q], first_of(q, OUT0, TB), TB ? 1 : ldb, skip, \
			                  TB ? whole && whole_b : 0); \
			lb[q] += (TB ? 1 : ldb) * (DEPTH - (skip)); \
		} \
	} while (0)
		FETCH(skip, 0);
		store_tiles(tiles[0], va, vb);
		if (1 < steps)
			FETCH(0, 1);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint s = 0; s < steps; s++) {
			if (s * DEPTH % 32 == 0)
				prefetch_lines(a, b, i0, j0, p0 + (s * DEPTH + AHEAD) / PARTS, m, n,
				               k, lda, ldb);
			multiply(acc, tiles[s % BUFFERS], row, column);
			if (BUFFERS == 1)
				barrier(CLK_LOCAL_MEM_FENCE);
			store_tiles(tiles[(s + 1) % BUFFERS], va, vb);
			if (s + 2 < steps)
				FETCH(0, 1);
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		/* Without this statement the compiler computes addresses of C before the loop and
		 * keeps them. */
		asm volatile("" : "+l"(ldc), "+l"(m), "+l"(n));
		if (is_whole(i0, j0, m, n, lower) && all_finite(acc))
			store_all(acc, (__global SCALAR *)c + i * ldc + j, ldc, alpha,
			          p0 ? ONE : beta);
		else
			store_each(acc, i, j, p0, terms, m, n, lda, ldb, ldc, lower, alpha,
			           p0 ? ONE : beta, a, b, c);
	}
}
