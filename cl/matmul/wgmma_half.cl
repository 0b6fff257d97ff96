/* SPDX-License-Identifier: MIT */
/*
 * wgmma_half.cl - products of halves by Hopper's warpgroup instructions, sums in float.
 *
 * A group is two warpgroups (of four warps); each makes 64 rows of C.  Tiles of op(A) and
 * op(B) go round in stages (stages.clh).  The instructions want cores of 8 lines by 16
 * bytes, 128 bytes each, and take arrays that run along k or across it: so the chunks of 16
 * bytes lie in the order in which work-items copy them, and no two meet in a bank.
 *
 * A step's 16 terms are added to the sums inside the tensor cores, which cut off: rows are
 * not picked for very long sums.
 */
#if TK != 16 || STAGES < 3
#error "TK=16, and STAGES, come from the variant's row"
#endif
#if WG0 != 256 || WG1 != 1 || OUT1 != 128
#error "two warpgroups of 64 rows"
#endif

#define EACH_SUM(f, to) \
	EACH32(f, x, to); \
	EACH32(f, y, (to) + 32)
#if OUT0 == 256
#define SHAPE "m64n256k16.f32.f16.f16 {" LIST("x") "," LIST("y") "," LIST("z") "," LIST("w") "}, "
#define EACH(f, to) \
	EACH_SUM(f, to); \
	EACH32(f, z, (to) + 64); \
	EACH32(f, w, (to) + 96)
#elif OUT0 == 128
#define SHAPE "m64n128k16.f32.f16.f16 {" LIST("x") "," LIST("y") "}, "
#define EACH(f, to) EACH_SUM(f, to)
#else
#error "128 or 256 columns"
#endif
/* Whether the lines of an operand's array run across k. */
#if TA
#define TURNED_A "1"
#else
#define TURNED_A "0"
#endif
#if TB
#define TURNED_B "0"
#else
#define TURNED_B "1"
#endif
/* Add a step to the sums; op(A)'s and op(B)'s descriptors. */
#define MMA(a, b) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
	             "//@wgmma.mma_async.sync.aligned." SHAPE "%0, %1, old, 1, 1, " TURNED_A \
	             ", " TURNED_B ";\n}" \
	             : \
	             : "l"(a), "l"(b) \
	             : "memory")

#define CHUNKS_A CHUNKS(OUT1, CHUNK)
#define CHUNKS_B CHUNKS(OUT0, CHUNK)
#define BYTES_A (OUT1 * TK * 2) /* of a tile */
#define BYTES_B (OUT0 * TK * 2)
/* Of a tile: cores that follow along k 128 bytes apart, those of other lines 256. */
#define DESCRIPTOR(address) ((address) >> 4 | (ulong)(128 >> 4) << 16 | (ulong)(TK * 16 >> 4) << 32)

/* Operands: op(A) is 0, op(B) 1. */
static inline uint2 chunk_of(int x, uint q)
{
	const uint e = q * WG0 + (uint)get_local_id(0), core = e / 8;

	return (x ? TB : !TA) ? (uint2)(core / 2 * 8 + e % 8, core % 2 * 8) :
	                        (uint2)(core % 2 * 8 + e % 8, core / 2 * 8);
}

/* Two neighbours. */
static inline uint two_halves(float left, float right)
{
	uint h;

	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(h) : "f"(right), "f"(left));
	return h;
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	__local ushort ta[STAGES][OUT1 * TK] __attribute__((aligned(128)));
	__local ushort tb[STAGES][OUT0 * TK] __attribute__((aligned(128)));
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const int whole = m - i0 >= OUT1 && n - j0 >= OUT0;
	const int aligned_a = is_aligned(a, lda | stride_a),
	          aligned_b = is_aligned(b, ldb | stride_b);
	const ulong step_a = TA ? TK * lda : TK, step_b = TB ? TK : TK * ldb;
	const ulong tile_a = DESCRIPTOR(LOCAL_ADDRESS(ta) + item / 128 * (BYTES_A / 2));
	const ulong tile_b = DESCRIPTOR(LOCAL_ADDRESS(tb));
	__global const BITS *from_a[CHUNKS_A], *from_b[CHUNKS_B];
	uint to_a[CHUNKS_A], to_b[CHUNKS_B];
	ulong left = k, steps = (k + TK - 1) / TK, fast;
	float sum[OUT0 / 2];
	uint s = 0, to;

	if (!any_wanted(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>, z<32>, w<32>;");
	EACH(CLEAR, sum);
	#pragma unroll
	for (uint q = 0; q < CHUNKS_A; q++) {
		const uint2 at = chunk_of(0, q);

		from_a[q] = (__global const BITS *)a + at_a(i0, 0, lda) + at.x * lda + at.y;
		to_a[q] = LOCAL_ADDRESS(ta) + (q * WG0 + item) * 16;
	}
	#pragma unroll
	for (uint q = 0; q < CHUNKS_B; q++) {
		const uint2 at = chunk_of(1, q);

		from_b[q] = (__global const BITS *)b + at_b(0, j0, ldb) + at.x * ldb + at.y;
		to_b[q] = LOCAL_ADDRESS(tb) + (q * WG0 + item) * 16;
	}

#define COPY_WHOLE \
	do { \
		copy_whole(from_a, to_a, CHUNKS_A, CHUNK, to * BYTES_A, step_a); \
		copy_whole(from_b, to_b, CHUNKS_B, CHUNK, to * BYTES_B, step_b); \
		COPIES_END(); \
	} while (0)
#define COPY_PART \
	do { \
		copy_part(0, from_a, to_a, CHUNKS_A, CHUNK, to * BYTES_A, step_a, !TA, m - i0, \
		          left, aligned_a); \
		copy_part(1, from_b, to_b, CHUNKS_B, CHUNK, to * BYTES_B, step_b, TB, n - j0, left, \
		          aligned_b); \
		left = left > TK ? left - TK : 0; \
		COPIES_END(); \
	} while (0)
#define STEP(copy) \
	do { \
		COPIES_WAIT(STAGES - 3); \
		FENCE; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		ARRIVE; \
		MMA(tile_a + s * (BYTES_A / 16), tile_b + s * (BYTES_B / 16)); \
		COMMIT; \
		copy; \
		END(1); \
		s = next_stage(s); \
		to = next_stage(to); \
	} while (0)
	for (to = 0; to < STAGES - 2; to++)
		COPY_PART;
	fast = whole && aligned_a && aligned_b ? left / TK : 0;
	steps -= fast;
	left -= fast * TK;
	for (; fast; fast--)
		STEP(COPY_WHOLE);
	for (; steps; steps--)
		STEP(COPY_PART);
	COPIES_WAIT(0);
	END(0);
	EACH(TAKE, sum);
	{
		const ulong i = i0 + item / 32 * 16 + lane / 4, j = j0 + lane % 4 * 2;
		__global uint *two = (__global uint *)(c + i * ldc + j);

		if (whole && beta == 0 && all_wanted(i0, OUT1, j0, OUT0, lower) &&
		    (((ulong)c | ldc * 2) & 3) == 0) {
			#pragma unroll
			for (uint e = 0; e < OUT0 / 2; e += 2)
				two[e / 4 * 4 + e / 2 % 2 * 4 * ldc] =
				        two_halves(alpha * sum[e], alpha * sum[e + 1]);
			return;
		}
		#pragma unroll
		for (uint e = 0; e < OUT0 / 2; e++) {
			const ulong row = i + e / 2 % 2 * 8, column = j + e / 4 * 8 + e % 2;

			if (row < m && column < n)
				put(c, row, column, ldc, lower, sum[e], alpha, beta);
		}
	}
}
