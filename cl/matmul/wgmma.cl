/* SPDX-License-Identifier: MIT */
/*
 * wgmma.cl - float32 from Hopper's warpgroup instructions: three tf32 products for one.
 *
 * A group is two warpgroups (of four warps); each makes 64 rows of C.  A step is DEPTH
 * deep.  A warpgroup holds its part of op(A) in registers, split into high and low;
 * op(B) lies in local memory, split as well, as the instructions want it: cores of 8
 * columns by 4 terms of the sum, 128 bytes each, those of 8 columns one after the other.
 * The sums of a step are added to C's in float while the next are on their way.
 *
 * The instructions are comments to the OpenCL compiler and are made real afterwards:
 * retarget.c.  They are asynchronous, and the compiler would copy what it can see while
 * the tensor cores still use it, so their registers are PTX's own: sums x and y, op(A)
 * in h and l.  Volatile asm stays in order.
 */
#define DEPTH 16
#define SPAN 64 /* columns of an instruction */
#define HALVES (OUT0 / SPAN) /* 2: the sums of one are added while the other is at work */
#define BUFFERS (HALVES + 1)
#define QUADS (OUT0 * DEPTH / 4 / WG0) /* fours of op(B) that an item fetches */
#define PLANE (OUT0 * DEPTH)
#define PLANE_AT (PLANE * 4 / 16) /* in a descriptor's units */
#if WG0 != 256 || WG1 != 1 || OUT1 != 128 || OUT0 % SPAN || HALVES > 2
#error "two warpgroups of 64 rows, one or two instructions wide"
#endif

#define FOUR(s, i, j, k, l) "{" s #i "," s #j "," s #k "," s #l "}"
#define MMA(s, a) \
	"//@wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" s "0," s "1," s "2," s "3," s \
	"4," s "5," s "6," s "7," s "8," s "9," s "10," s "11," s "12," s "13," s "14," s "15," s \
	"16," s "17," s "18," s "19," s "20," s "21," s "22," s "23," s "24," s "25," s "26," s \
	"27," s "28," s "29," s "30," s "31}, " a

/* Begin the sums s of a step: its two blocks of 8 terms, the small products first.  q and
 * r: op(A)'s registers of each; at: op(B)'s descriptor. */
#define ISSUE(s, q, r, at) \
	asm volatile("{ .reg .pred old, new; setp.ne.u32 old, 1, 0; setp.eq.u32 new, 1, 0;\n" \
	             "//@wgmma.fence.sync.aligned;\n" \
	             MMA(s, q("l")) ", %0, new, 1, 1;\n" \
	             MMA(s, q("h")) ", %1, old, 1, 1;\n" \
	             MMA(s, r("l")) ", %2, old, 1, 1;\n" \
	             MMA(s, r("h")) ", %3, old, 1, 1;\n" \
	             MMA(s, q("h")) ", %0, old, 1, 1;\n" \
	             MMA(s, r("h")) ", %2, old, 1, 1;\n" \
	             "//@wgmma.commit_group.sync.aligned;\n}" \
	             : \
	             : "l"(at), "l"((at) + PLANE_AT), "l"((at) + 16), "l"((at) + PLANE_AT + 16) \
	             : "memory")
#define Q0(s) FOUR(s, 0, 1, 2, 3)
#define R0(s) FOUR(s, 4, 5, 6, 7)
#define Q1(s) FOUR(s, 8, 9, 10, 11)
#define R1(s) FOUR(s, 12, 13, 14, 15)

/* Wait for all but the last `left` that were begun, and add the sums s to acc. */
#define TAKE(left, s, acc) \
	do { \
		asm volatile("//@wgmma.wait_group.sync.aligned " #left ";" ::: "memory"); \
		ADD8(s, acc, 0, 1, 2, 3, 4, 5, 6, 7); \
		ADD8(s, acc, 8, 9, 10, 11, 12, 13, 14, 15); \
		ADD8(s, acc, 16, 17, 18, 19, 20, 21, 22, 23); \
		ADD8(s, acc, 24, 25, 26, 27, 28, 29, 30, 31); \
	} while (0)
#define ADD(s, acc, i) asm volatile("add.f32 %0, %0, " s #i ";" : "+f"(acc[i]))
#define ADD8(s, acc, i, j, k, l, m, n, o, p) \
	ADD(s, acc, i); ADD(s, acc, j); ADD(s, acc, k); ADD(s, acc, l); \
	ADD(s, acc, m); ADD(s, acc, n); ADD(s, acc, o); ADD(s, acc, p)

/* An element of op(A) to its registers. */
#define SPLIT(i, x) \
	asm volatile("mov.b32 h" #i ", %0; mov.b32 l" #i ", %1;" \
	             : \
	             : "r"(high(x)), "r"(low(x, high(x))))

/* Where in a step the term for place `at` of four of a core lies.  Where op(B)'s terms
 * are far apart the terms are dealt out so that an item's of op(A) are together. */
static inline uint term(uint core, uint at)
{
	return TB ? 4 * core + at : 4 * at + core;
}

/* Elements of op(A) at r0 and r1, as the instructions deal them out; the first
 * `skip` terms of the step are not there. */
static inline void fetch_a(float *v, __global const float *r0, __global const float *r1,
                           ulong lda, uint skip, int whole)
{
	const uint at = get_local_id(0) % 4;

	if (!TA && !TB && whole) {
		const float4 x = *(__global const float4 *)(r0 + 4 * at);
		const float4 y = *(__global const float4 *)(r1 + 4 * at);

		v[0] = x.x, v[1] = y.x, v[2] = x.y, v[3] = y.y;
		v[4] = x.z, v[5] = y.z, v[6] = x.w, v[7] = y.w;
		return;
	}
	#pragma unroll
	for (uint e = 0; e < 8; e++) {
		const uint p = term(e / 2, at);

		v[e] = p < skip ? 0 : (e % 2 ? r1 : r0)[(p - skip) * (TA ? lda : 1)];
	}
}

static inline void fetch_b(float *v, __global const float *b, uint core, ulong ldb, uint skip,
                           int whole)
{
	if (TB && whole) {
		const float4 x = *(__global const float4 *)(b + 4 * core);

		v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w;
		return;
	}
	#pragma unroll
	for (uint e = 0; e < 4; e++) {
		const uint p = term(core, e);

		v[e] = p < skip ? 0 : b[(p - skip) * (TB ? 1 : ldb)];
	}
}

static inline void store_b(__local uint *to, const float *v, uint column, uint core)
{
	const uint at = column / 8 * (DEPTH * 8) + core * 32 + column % 8 * 4;
	const uint4 h = (uint4)(high(v[0]), high(v[1]), high(v[2]), high(v[3]));

	*(__local uint4 *)(to + at) = h;
	*(__local uint4 *)(to + PLANE + at) =
	        (uint4)(low(v[0], h.x), low(v[1], h.y), low(v[2], h.z), low(v[3], h.w));
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, REAL alpha, REAL beta,
                __global const REAL *restrict a, __global const REAL *restrict b,
                __global REAL *restrict c)
{
	__local uint tiles[BUFFERS][2][PLANE] __attribute__((aligned(16)));
	const uint item = get_local_id(0);
	const ulong i = first_row() + item / 32 * 16 + item % 32 / 4, j = first_column();
	/* Rows and columns beyond the edges are the last ones again, and go nowhere. */
	__global const float *r0 = a + at_a(min(i, m - 1), 0, lda);
	__global const float *r1 = a + at_a(min(i + 8, m - 1), 0, lda);
	__global const float *from[QUADS];
	uint column[QUADS], core[QUADS], use = 0, fill = 1;
	float va[8], vb[QUADS][4], acc[HALVES][32];
	ulong bad = 0;
	/* Two at a time.  What they are more than k is skipped at the beginning. */
	const uint steps = (uint)((k + 2 * DEPTH - 1) / (2 * DEPTH) * 2);
	const uint skip = k ? (uint)(steps * (ulong)DEPTH - k) : 2 * DEPTH;
	const int whole_a = lda % 4 == 0 && k % 4 == 0, whole_b = ldb % 4 == 0 && k % 4 == 0;
	const ulong descriptor = ((ulong)&tiles[0][0][0] & 0x3ffff) >> 4 | (ulong)(128 >> 4) << 16 |
	                         (ulong)(DEPTH * 32 >> 4) << 32;

	#pragma unroll
	for (uint q = 0; q < QUADS; q++) {
		column[q] = TB ? item % 8 + item / 32 * 8 + q * (WG0 / 4) : item % OUT0;
		core[q] = TB ? item / 8 % 4 : item / OUT0 + q * (WG0 / OUT0);
		from[q] = b + at_b(0, min(j + column[q], n - 1), ldb);
	}
	#pragma unroll
	for (uint e = 0; e < HALVES * 32; e++)
		acc[e / 32][e % 32] = 0;

#define FETCH(skip, whole) \
	fetch_a(va, r0, r1, lda, skip, whole && whole_a); \
	r0 += (TA ? lda : 1) * (DEPTH - (skip)); \
	r1 += (TA ? lda : 1) * (DEPTH - (skip)); \
	_Pragma("unroll") for (uint q = 0; q < QUADS; q++) \
	{ \
		fetch_b(vb[q], from[q], core[q], ldb, skip, whole && whole_b); \
		from[q] += (TB ? 1 : ldb) * (DEPTH - (skip)); \
	}
#define STORE(buffer) \
	_Pragma("unroll") for (uint q = 0; q < QUADS; q++) \
		store_b(&tiles[buffer][0][0], vb[q], column[q], core[q]); \
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");

	asm volatile(".reg .f32 x<32>, y<32>; .reg .b32 h<16>, l<16>;");
	FETCH(min(skip, (uint)DEPTH), 0)
	STORE(0)
	SPLIT(0, va[0]); SPLIT(1, va[1]); SPLIT(2, va[2]); SPLIT(3, va[3]);
	SPLIT(4, va[4]); SPLIT(5, va[5]); SPLIT(6, va[6]); SPLIT(7, va[7]);
	FETCH((skip > DEPTH ? skip - DEPTH : 0), 0)
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 0; s < steps; s += 2) {
		#pragma unroll
		for (uint odd = 0; odd < 2; odd++) {
			const ulong at = descriptor + use * (2 * PLANE_AT);

			if (odd)
				ISSUE("x", Q1, R1, at);
			else
				ISSUE("x", Q0, R0, at);
#if HALVES == 2
			if (odd) {
				TAKE(1, "y", acc[1]);
				ISSUE("y", Q1, R1, at + SPAN * DEPTH * 4 / 16);
			} else {
				ISSUE("y", Q0, R0, at + SPAN * DEPTH * 4 / 16);
			}
#endif
			STORE(fill)
			if (odd) {
				SPLIT(0, va[0]); SPLIT(1, va[1]); SPLIT(2, va[2]); SPLIT(3, va[3]);
				SPLIT(4, va[4]); SPLIT(5, va[5]); SPLIT(6, va[6]); SPLIT(7, va[7]);
			} else {
				SPLIT(8, va[0]); SPLIT(9, va[1]); SPLIT(10, va[2]); SPLIT(11, va[3]);
				SPLIT(12, va[4]); SPLIT(13, va[5]); SPLIT(14, va[6]); SPLIT(15, va[7]);
			}
			if (s + odd + 2 < steps) {
				FETCH(0, 1)
			}
#if HALVES == 2
			TAKE(1, "x", acc[0]);
			if (odd)
				TAKE(0, "y", acc[1]);
#else
			TAKE(0, "x", acc[0]);
#endif
			barrier(CLK_LOCAL_MEM_FENCE);
			use = fill;
			fill = fill + 1 == BUFFERS ? 0 : fill + 1;
		}
	}
	#pragma unroll
	for (uint e = 0; e < HALVES * 32; e++) {
		const ulong row = i + e / 2 % 2 * 8, col = j + e / 4 * 8 + item % 4 * 2 + e % 2;

		if (row >= m || col >= n)
			continue;
		if (isfinite(acc[e / 32][e % 32]))
			put(c + row * ldc + col, acc[e / 32][e % 32], alpha, beta);
		else
			bad |= (ulong)1 << e;
	}
	for (; bad; bad &= bad - 1) {
		const uint e = 63 - clz(bad & -bad);
		const ulong row = i + e / 2 % 2 * 8, col = j + e / 4 * 8 + item % 4 * 2 + e % 2;

		put(c + row * ldc + col, dot_again(row, col, k, lda, ldb, a, b), alpha, beta);
	}
}
