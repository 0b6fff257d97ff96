/* SPDX-License-Identifier: MIT */
/*
 * wgmma.cl - float32 from Hopper's warpgroup instructions: three tf32 products for each float
 * product.
 *
 * A group is two warpgroups (of four warps); each computes 64 rows of C.  A step is DEPTH deep.  A
 * warpgroup holds its part of op(A) in registers. op(B) lies in local memory in the instructions'
 * layout: core matrices of 8 columns by 4 terms, 128 bytes each, with those of the same 8 columns
 * one after the other.  Both operands are split into high and low (tensor.clh).  With PRODUCTS=1
 * the low parts are omitted.
 *
 * While the tensor cores compute a step, the next step is split and stored.  The two later ones are
 * in flight to registers, and further lines are prefetched to the cache.  Tensor cores add up two
 * steps, so that they wait only after every second step, until their sums are added in float.  This
 * takes three buffers.
 *
 * A complex product is a real one: op(B)'s tiles hold B' (tensor.clh), of which an item loads
 * elements.  A step has DEPTH numbers of a line, so half as many elements.
 *
 * The instructions' registers are declared in PTX (wgmma.clh): a step's sums in x and y, op(A) in h
 * and l.
 */
#define DEPTH 16
#define INTERLEAVED (COMPLEX || !(TA && TB)) /* where not, the other order is 5 % faster */
#define AHEAD 64 /* numbers of a line between prefetch and load */
#define PLANE (WIDE * DEPTH)
#define PLANE_AT (PLANE * 4 / 16) /* in a descriptor's units */
#if !defined PRODUCTS || !defined PART
#error "PRODUCTS, 3 or 1, and PART come from the variant's row"
#endif
#if WG0 != 256 || WG1 != 1 || OUT1 != 128
#error "two warpgroups of 64 rows"
#endif

#if WIDE == 128
#define SUMS "m64n128k8.f32.tf32.tf32 {" LIST("x") "," LIST("y") "}, "
#elif WIDE == 64
#define SUMS "m64n64k8.f32.tf32.tf32 {" LIST("x") "}, "
#else
#error "64 or 128 columns of numbers"
#endif
#define MMA(a) "//@wgmma.mma_async.sync.aligned." SUMS a

/* Registers of op(A) for even and odd steps, for the two blocks of 8 terms. */
#define FOUR(s, i, j, k, l) "{" #s #i "," #s #j "," #s #k "," #s #l "}"
#define EVEN0(s) FOUR(s, 0, 1, 2, 3)
#define EVEN1(s) FOUR(s, 4, 5, 6, 7)
#define ODD0(s) FOUR(s, 8, 9, 10, 11)
#define ODD1(s) FOUR(s, 12, 13, 14, 15)

/* Starts a step, the small products first. at: op(B)'s descriptor. second: the second step of a
 * sum. */
#if PRODUCTS == 3
#define PRODUCTS_OF(q, r) \
	MMA(q(l) ", %0, more, 1, 1;\n") \
	MMA(q(h) ", %1, old, 1, 1;\n") \
	MMA(r(l) ", %2, old, 1, 1;\n") \
	MMA(r(h) ", %3, old, 1, 1;\n") \
	MMA(q(h) ", %0, old, 1, 1;\n") \
	MMA(r(h) ", %2, old, 1, 1;\n")
#else
#define PRODUCTS_OF(q, r) \
	MMA(q(h) ", %0, more, 1, 1;\n") \
	MMA(r(h) ", %2, old, 1, 1;\n")
#endif
#define START_STEP(q, r, at, second) \
	asm volatile("{ .reg .pred old, more; setp.ne.u32 old, 1, 0; setp.ne.u32 more, %4, 0;\n" \
	             "//@wgmma.fence.sync.aligned;\n" PRODUCTS_OF(q, r) \
	             "//@wgmma.commit_group.sync.aligned;\n}" \
	             : \
	             : "l"(at), "l"((at) + PLANE_AT), "l"((at) + 16), "l"((at) + PLANE_AT + 16), \
	               "n"(second) \
	             : "memory")
#if WIDE == 128
#define ADD_ALL(to) EACH32(ADD, x, to); EACH32(ADD, y, (to) + 32)
#else
#define ADD_ALL(to) EACH32(ADD, x, to)
#endif

/* Splits an element of op(A), or an item's elements of two rows, to registers. */
#define SPLIT(i, value) \
	asm volatile("mov.b32 h" #i ", %0; mov.b32 l" #i ", %1;" : : "r"(high(value)), \
	             "r"(low(value)))
#define SPLIT8(i, j, k, l, m, n, o, p, v) \
	SPLIT(i, v[0].x); SPLIT(j, v[1].x); SPLIT(k, v[0].y); SPLIT(l, v[1].y); \
	SPLIT(m, v[0].z); SPLIT(n, v[1].z); SPLIT(o, v[0].w); SPLIT(p, v[1].w)

/* Loads an item's terms of a row of op(A).  INTERLEAVED: core matrix c has terms c, c + 4, c + 8
 * and c + 12 of a step, so that these terms are neighbours in the array.  Otherwise it has terms 4
 * c to 4 c + 3, and an item's terms of a column of op(B) are neighbours. */
static inline float4 fetch_a(__global const float *row, ulong lda, uint skip, int whole)
{
	const uint t = get_local_id(0) % 4;

#if INTERLEAVED
	return load_four(row, 4 * t, TA ? lda : 1, skip, TA ? 0 : whole);
#else
	return load_terms(row, t, 4, TA ? lda : 1, skip, 0);
#endif
}

#if COMPLEX
/*
 * An item loads HELD elements of a column of op(B).  If the array's lines are op(B)'s columns,
 * these are neighbours, for all core matrices.  Otherwise they are every second element of one core
 * matrix.  That matrix has the rows of B' of either the real or the imaginary parts, so two items
 * load an element.  Neighbouring items read neighbouring columns.
 */
#define HELD (OUT0 * DEPTH / PARTS / WG0 * (TB ? 1 : 2))
#define LINES 1
typedef float2 PIECE;
#define ACROSS (OUT0 / 8) /* columns that 32 items read, if these are the array's lines */

static inline uint column_of(uint q)
{
	const uint item = get_local_id(0);

	return TB ? item % ACROSS + item / 32 * ACROSS : item % OUT0;
}

static inline uint core_of_item(void)
{
	return get_local_id(0) / OUT0 % 4;
}

/* The position of an element's first number in a step. */
static inline uint number_of(uint q)
{
	const uint item = get_local_id(0);

	return TB ? 2 * (item % 32 / ACROSS * HELD + q) :
	            4 * (item / OUT0 / 4 * HELD + q) + core_of_item() / 2 * 2;
}

static inline PIECE fetch_b(__global const float *column, uint q, ulong ldb, uint skip, int whole)
{
	const uint p = number_of(q);

	return p < skip ? (float2)0 : *(__global const float2 *)(column + (p - skip) * (TB ? 1 : ldb));
}

/* Stores HELD numbers of a row of a core matrix. */
static inline void store_numbers(__local uint *to, const float *v)
{
#if HELD == 4
	const float4 all = (float4)(v[0], v[1], v[2], v[3]);

	*(__local uint4 *)to = high4(all);
	*(__local uint4 *)(to + PLANE) = low4(all);
#else
	#pragma unroll
	for (uint q = 0; q < HELD; q++) {
		to[q] = high(v[q]);
		to[PLANE + q] = low(v[q]);
	}
#endif
}

#define CORE 32 /* numbers of a core matrix */
#define IM_AT (DEPTH * 8) /* distance from an element's real part to its imaginary part */
static inline void store_b(__local uint *tile, const PIECE *v)
{
	__local uint *to = tile + column_of(0) / 8 * (2 * IM_AT) + column_of(0) % 8 * 4;

#if TB
	#pragma unroll
	for (uint q = 0; q < HELD; q++) {
		const float2 re = (float2)(EXPAND_RE(v[q].x, v[q].y));
		const float2 im = (float2)(EXPAND_IM(v[q].x, v[q].y));
		const float block[4] = { re.x, re.y, im.x, im.y };

		#pragma unroll
		for (uint e = 0; e < 4; e++) {
			const uint p = number_of(q) + e / 2;
			__local uint *at = to + p % 4 * CORE + p / 4 + e % 2 * IM_AT;

			at[0] = high(block[e]);
			at[PLANE] = low(block[e]);
		}
	}
#else
	const int imaginary = core_of_item() % 2;
	float re[HELD], im[HELD];

	#pragma unroll
	for (uint q = 0; q < HELD; q++) {
		const float2 row = imaginary ? (float2)(EXPAND_IM(v[q].x, v[q].y)) :
		                               (float2)(EXPAND_RE(v[q].x, v[q].y));

		re[q] = row.x;
		im[q] = row.y;
	}
	to += core_of_item() * CORE + number_of(0) / 4;
	store_numbers(to, re);
	store_numbers(to + IM_AT, im);
#endif
}
#else
/* An item loads HELD vectors of four terms of op(B), from HELD lines. */
#define HELD (OUT0 * DEPTH / 4 / WG0)
#define LINES HELD
typedef float4 PIECE;

/* The columns and core matrices of op(B) that an item loads.  Neighbouring items read neighbouring
 * elements. */
static inline uint column_of(uint q)
{
	const uint item = get_local_id(0);

	return TB ? item % 8 + item / 32 * 8 + q * (WG0 / 4) : item % OUT0;
}

static inline uint core_of(uint q)
{
	const uint item = get_local_id(0);

	return TB ? item / 8 % 4 : item / OUT0 + q * (WG0 / OUT0);
}

/* Loads a core matrix's terms of a column.  If the array's lines are op(B)'s columns, loads four
 * neighbours instead, one for each core matrix. */
static inline PIECE fetch_b(__global const float *column, uint q, ulong ldb, uint skip, int whole)
{
	return load_terms(column, TB ? 4 * core_of(q) : core_of(q), TB ? 1 : 4, TB ? 1 : ldb, skip,
	                  TB ? whole : 0);
}

static inline void store_plane(__local uint *plane, uint4 v, uint column, uint core)
{
	__local uint *to = plane + column / 8 * (DEPTH * 8) + column % 8 * 4;

#if TB && INTERLEAVED
	to[core] = v.x;
	to[32 + core] = v.y;
	to[64 + core] = v.z;
	to[96 + core] = v.w;
#else
	*(__local uint4 *)(to + 32 * core) = v;
#endif
}

static inline void store_b(__local uint *tile, const PIECE *v)
{
	#pragma unroll
	for (uint q = 0; q < HELD; q++) {
		store_plane(tile, high4(v[q]), column_of(q), core_of(q));
		if (PRODUCTS == 3)
			store_plane(tile + PLANE, low4(v[q]), column_of(q), core_of(q));
	}
}
#endif

static inline uint row_of_sum(uint e)
{
	return e / 2 % 2 * 8;
}

static inline uint column_of_sum(uint e)
{
	return e / (4 * PARTS) * 8 + get_local_id(0) % 4 * 2 + e % 2;
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local uint tiles[3][2][PLANE] __attribute__((aligned(16)));
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const ulong i = i0 + get_local_id(0) / 32 * 16 + get_local_id(0) % 32 / 4;
	const int whole_a = (lda | k | offset.s0 | get_group_id(2) * stride_a) % (4 / PARTS) == 0;
	const int whole_b = (ldb | k | offset.s1 | get_group_id(2) * stride_b) % (4 / PARTS) == 0;
	const ulong tile = ((ulong)&tiles[0][0][0] & 0x3ffff) >> 4 | (ulong)(128 >> 4) << 16 |
	                   (ulong)(DEPTH * 32 >> 4) << 32;

	if (!any_in_triangle(i0, OUT1, PARTS * j0, WIDE, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>; .reg .b32 h<16>, l<16>;");

	/* At least one iteration, for beta C. */
	for (ulong p0 = 0; p0 == 0 || p0 < k; p0 += PART) {
		const uint terms = (uint)min((ulong)PART, k - p0);
		/* An even number of steps; missing numbers come first. */
		const uint steps = (PARTS * terms + 2 * DEPTH - 1) / (2 * DEPTH) * 2;
		const uint skip = terms ? steps * DEPTH - PARTS * terms : 2 * DEPTH;
		/* The last row and column replace those beyond the edges, whose sums are not
		 * stored. */
		__global const float *row[2] = { a + PARTS * at_a(min(i, m - 1), p0, lda),
			                         a + PARTS * at_a(min(i + 8, m - 1), p0, lda) };
		__global const float *column[LINES];
		float4 va[2][2]; /* of even and odd steps */
		PIECE vb[2][HELD];
		float acc[RESULTS];
		uint at = 2; /* the last buffer stored to */

		#pragma unroll
		for (uint q = 0; q < LINES; q++)
			column[q] = b + PARTS * at_b(p0, min(j0 + column_of(q), n - 1), ldb);
		#pragma unroll
		for (uint e = 0; e < RESULTS; e++)
			acc[e] = 0;

#define FETCH(odd, skip, whole) \
	do { \
		va[odd][0] = fetch_a(row[0], lda, skip, whole && whole_a); \
		va[odd][1] = fetch_a(row[1], lda, skip, whole && whole_a); \
		row[0] += (TA ? lda : 1) * (DEPTH - (skip)); \
		row[1] += (TA ? lda : 1) * (DEPTH - (skip)); \
		_Pragma("unroll") for (uint q = 0; q < HELD; q++) \
			vb[odd][q] = fetch_b(column[q % LINES], q, ldb, skip, whole && whole_b); \
		_Pragma("unroll") for (uint q = 0; q < LINES; q++) \
			column[q] += (TB ? 1 : ldb) * (DEPTH - (skip)); \
	} while (0)
#define STORE(odd) \
	do { \
		at = at == 2 ? 0 : at + 1; \
		store_b(tiles[at][0], vb[odd]); \
		PROXY_FENCE; \
	} while (0)
		FETCH(0, min(skip, (uint)DEPTH), 0);
		FETCH(1, (skip > DEPTH ? skip - DEPTH : 0), 0);
		STORE(0);
		SPLIT8(0, 1, 2, 3, 4, 5, 6, 7, va[0]);
		if (2 < steps)
			FETCH(0, 0, 1);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint s = 0; s < steps; s += 2) {
			prefetch_lines(a, b, i0, j0, p0 + (s * DEPTH + AHEAD) / PARTS, m, n, k, lda,
			               ldb);
			START_STEP(EVEN0, EVEN1, tile + at * 2 * PLANE_AT, 0);
			STORE(1);
			SPLIT8(8, 9, 10, 11, 12, 13, 14, 15, va[1]);
			if (s + 3 < steps)
				FETCH(1, 0, 1);
			barrier(CLK_LOCAL_MEM_FENCE);
			START_STEP(ODD0, ODD1, tile + at * 2 * PLANE_AT, 1);
			WGMMA_WAIT(1);
			STORE(0);
			SPLIT8(0, 1, 2, 3, 4, 5, 6, 7, va[0]);
			if (s + 4 < steps)
				FETCH(0, 0, 1);
			WGMMA_WAIT(0);
			ADD_ALL(acc);
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		if (is_whole(i0, j0, m, n, lower) && all_finite(acc))
			store_all(acc, (__global SCALAR *)c + i * ldc + j0, ldc, alpha,
			          p0 ? ONE : beta);
		else
			store_each(acc, i, j0, p0, terms, m, n, lda, ldb, ldc, lower, alpha,
			           p0 ? ONE : beta, a, b, c);
	}
}
