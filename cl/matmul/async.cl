/* SPDX-License-Identifier: MIT */
/*
 * async.cl - register-blocked scalar kernel for NVIDIA with asynchronous copies (async.clh).
 *
 * A group computes OUT1 x OUT0 elements of C, a warp of LANES1 x LANES0 work-items a block of them,
 * a work-item ROWS x COLS elements.  Tiles of op(A) and op(B), TK deep, rotate through STAGES
 * buffers, with k as the outer dimension.  Lines that run along k in memory are transposed by
 * copying element by element.
 *
 * The operands of the next k are read from local memory before this k is computed, also from one
 * tile to the next.  The barrier between tiles precedes the last k, so that no work-item waits for
 * local memory after it.
 *
 * SPLIT, 0 or 1: whole tiles have a separate loop without bounds checks.  Without branches the
 * compiler interleaves copies and arithmetic.  Where B is transposed that loop is slower, and
 * omitted.
 */
#if !defined TK || !defined STAGES || !defined ROWS || !defined COLS || !defined LANES0 || \
        !defined SPLIT
#error "TK, STAGES, ROWS, COLS, LANES0 and SPLIT come from the variant's row"
#endif
#define LANES1 (32 / LANES0)
#define WM (LANES1 * ROWS)
#define WN (LANES0 * COLS)
#define WARPS0 (OUT0 / WN)
#if WG0 != 32 * WARPS0 * (OUT1 / WM) || WG1 != 1 || TK % 4 || ROWS % 4 || COLS % 4
#error "one warp for each block, and blocks of four"
#endif

/* Elements of a line in a buffer.  Transposed lines have four more, so that elements copied
 * together do not conflict on a bank. */
#define LINE(wide, by_k) ((wide) + ((by_k) ? 4 : 0))

/* Chunks are single elements where lines run along k, since these are transposed. */
#define CHUNK_A (TA ? CHUNK : 1)
#define CHUNK_B (TB ? 1 : CHUNK)
#if !SHARED_EVENLY(OUT1, CHUNK_A) || !SHARED_EVENLY(OUT0, CHUNK_B)
#error "the chunks of a tile must divide evenly among the work-items"
#endif

static inline uint buffer_offset(uint2 at, uint wide, int by_k)
{
	return by_k ? at.y * LINE(wide, 1) + at.x : at.x * wide + at.y;
}

/* Loads four neighbours. */
static inline void load_four(__local const float *from, float *to)
{
	const float4 v = *(__local const float4 *)from;

	to[0] = v.x;
	to[1] = v.y;
	to[2] = v.z;
	to[3] = v.w;
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c, ulong8 offset)
{
	__local float ta[STAGES][TK * LINE(OUT1, !TA)] __attribute__((aligned(16)));
	__local float tb[STAGES][TK * LINE(OUT0, TB)] __attribute__((aligned(16)));
	const uint item = get_local_id(0), x = item % LANES0, y = item % 32 / LANES0;
	const uint w1 = item / 32 / WARPS0 * WM, w0 = item / 32 % WARPS0 * WN;
	const ulong2 block = block_of_group();
	const ulong i0 = block.y * OUT1, j0 = block.x * OUT0;
	const int whole = m - i0 >= OUT1 && n - j0 >= OUT0;
	const int aligned_a = is_aligned(a, lda | stride_a | offset.s0),
	          aligned_b = is_aligned(b, ldb | stride_b | offset.s1);
	REAL acc[ROWS][COLS], fa[2][ROWS], fb[2][COLS];
	__global const ELEM *from_a[CHUNKS(OUT1, CHUNK_A)], *from_b[CHUNKS(OUT0, CHUNK_B)];
	uint to_a[CHUNKS(OUT1, CHUNK_A)], to_b[CHUNKS(OUT0, CHUNK_B)];
	uint n_a[CHUNKS(OUT1, CHUNK_A)], n_b[CHUNKS(OUT0, CHUNK_B)];
	ulong left = k, steps = (k + TK - 1) / TK;
	uint s = 0;

	if (!any_in_triangle(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	a += at_a(i0, 0, lda);
	b += at_b(0, j0, ldb);
	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS; s++)
			acc[r][s] = SUM_BEGIN(i0 + w1 + 4 * y + 4 * LANES1 * (r / 4) + r % 4,
			                      j0 + w0 + 4 * x + 4 * LANES0 * (s / 4) + s % 4);

	copies_begin(from_a, n_a, OUT1, !TA, CHUNK_A, a, lda, m - i0, item);
	copies_begin(from_b, n_b, OUT0, TB, CHUNK_B, b, ldb, n - j0, item);
	#pragma unroll
	for (uint q = 0; q < CHUNKS(OUT1, CHUNK_A); q++) {
		const uint2 at = chunk_at(q, item, OUT1, !TA, CHUNK_A);

		to_a[q] = LOCAL_ADDRESS(ta) + buffer_offset(at, OUT1, !TA) * ELEM_BYTES;
	}
	#pragma unroll
	for (uint q = 0; q < CHUNKS(OUT0, CHUNK_B); q++) {
		const uint2 at = chunk_at(q, item, OUT0, TB, CHUNK_B);

		to_b[q] = LOCAL_ADDRESS(tb) + buffer_offset(at, OUT0, TB) * ELEM_BYTES;
	}

#define COPY_AS(slot, whole, aligned_a, aligned_b) \
	do { \
		copies_next(from_a, to_a, n_a, OUT1, !TA, CHUNK_A, (slot) * (uint)sizeof ta[0], \
		            TA ? TK * lda : TK, whole, aligned_a, left, item); \
		copies_next(from_b, to_b, n_b, OUT0, TB, CHUNK_B, (slot) * (uint)sizeof tb[0], \
		            TB ? TK : TK * ldb, whole, aligned_b, left, item); \
	} while (0)
#define COPY_WHOLE(slot) \
	do { \
		COPY_AS(slot, 1, 1, 1); \
		COPIES_END(); \
	} while (0)
#define COPY_NEXT(slot) \
	do { \
		if (whole && left >= TK && aligned_a && aligned_b) \
			COPY_AS(slot, 1, 1, 1); \
		else if (left) \
			COPY_AS(slot, 0, aligned_a, aligned_b); \
		left = left > TK ? left - TK : 0; \
		COPIES_END(); \
	} while (0)

	#pragma unroll
	for (uint u = 0; u < STAGES - 1; u++)
		COPY_NEXT(u);
/* Loads the operands of the p-th k of a tile. */
#define FRAGMENTS(slot, p, to) \
	do { \
		_Pragma("unroll") for (uint r = 0; r < ROWS; r += 4) \
			load_four(&ta[slot][(p) * LINE(OUT1, !TA) + w1 + 4 * y + LANES1 * r], \
			          &fa[to][r]); \
		_Pragma("unroll") for (uint q = 0; q < COLS; q += 4) \
			load_four(&tb[slot][(p) * LINE(OUT0, TB) + w0 + 4 * x + LANES0 * q], \
			          &fb[to][q]); \
	} while (0)

/* Computes a tile whose first operands are loaded, and starts the copies of the tile STAGES - 1
 * later. */
#define STEP(copy) \
	do { \
		const uint next = s + 1 == STAGES ? 0 : s + 1; \
\
		_Pragma("unroll") for (uint p = 0; p < TK; p++) \
		{ \
			if (p == 0) \
				copy(s == 0 ? STAGES - 1 : s - 1); \
			if (p == TK - 1) { \
				COPIES_WAIT(STAGES - 2); \
				barrier(CLK_LOCAL_MEM_FENCE); \
				FRAGMENTS(next, 0, (p + 1) % 2); \
			} else { \
				FRAGMENTS(s, p + 1, (p + 1) % 2); \
			} \
			_Pragma("unroll") for (uint r = 0; r < ROWS; r++) \
				_Pragma("unroll") for (uint q = 0; q < COLS; q++) \
					acc[r][q] = fma(fa[p % 2][r], fb[p % 2][q], acc[r][q]); \
		} \
		s = next; \
	} while (0)

	COPIES_WAIT(STAGES - 2);
	barrier(CLK_LOCAL_MEM_FENCE);
	FRAGMENTS(0, 0, 0);
#if SPLIT && !TB
	const ulong whole_steps = whole && aligned_a && aligned_b ? left / TK : 0;

	steps -= whole_steps;
	left -= TK * whole_steps;
	for (ulong done = 0; done < whole_steps; done++)
		STEP(COPY_WHOLE);
#endif
	for (; steps; steps--)
		STEP(COPY_NEXT);
	COPIES_WAIT(0);
	#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
		const ulong i = i0 + w1 + 4 * y + 4 * LANES1 * (r / 4) + r % 4;

		#pragma unroll
		for (uint q = 0; q < COLS; q++) {
			const ulong j = j0 + w0 + 4 * x + 4 * LANES0 * (q / 4) + q % 4;

			if (i < m && j < n)
				store_element(c, i, j, ldc, lower, acc[r][q], alpha, beta);
		}
	}
}
