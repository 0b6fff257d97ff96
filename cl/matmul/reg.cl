/* SPDX-License-Identifier: MIT */
/*
 * reg.cl - register-blocked scalar kernel for devices whose lanes are scalar.
 *
 * A group computes OUT1 x OUT0 elements of C; a work-item has (OUT1/WG1) x (OUT0/WG0) of them in
 * registers.  Tiles of op(A) and op(B), TK deep, go through local memory with k as the outer
 * dimension.  So a work-item reads four neighbours at a time.  The arrays are declared aligned and
 * read through REAL4 pointers: vload4 from local memory is four scalar loads on NVIDIA (26 against
 * 43 TFLOP/s, H200).
 *
 * A work-item's elements of C lie in blocks of four, BLOCK1 rows and BLOCK0 columns apart.  So
 * neighbours in a wave read neighbouring local words.
 *
 * Complex matrices are treated as real ones, so that a group computes OUT1 x WIDE real numbers.
 * Of int8 a number of a tile is a word of four terms, so that a tile is 4 TK terms deep.
 */
#ifndef TK
#error "TK, the depth of a tile, comes from the variant's row"
#endif
#define ITEMS (WG0 * WG1)
#define WIDE (PARTS * OUT0)
#define ROWS (OUT1 / WG1)
#define COLS (WIDE / WG0)
#define BLOCK1 (WG1 * 4)
#define BLOCK0 (WG0 * 4)
#if WIDE % BLOCK0 || OUT1 % BLOCK1 || TK % 4
#error "a tile must be whole blocks of four"
#endif

/* sum + one * four.  Of int8: by the instruction for four products of bytes, where there is one. */
#if INT8
#define TERMS 4
static inline uint add_dot(uint x, uint y, uint sum)
{
#if defined __NV_CL_C_VERSION
	uint r;

	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
	return r;
#elif defined __opencl_c_integer_dot_product_input_4x8bit_packed
	return sum + (uint)dot_4x8packed_ss_int(x, y);
#else
	const int4 v = convert_int4(as_char4(x)) * convert_int4(as_char4(y));

	return sum + (uint)(v.x + v.y + v.z + v.w);
#endif
}
#define MULTIPLY_ADD(one, four, sum) \
	(REAL4)(add_dot(one, (four).x, (sum).x), add_dot(one, (four).y, (sum).y), \
	        add_dot(one, (four).z, (sum).z), add_dot(one, (four).w, (sum).w))
#else
#define TERMS 1
#define MULTIPLY_ADD(one, four, sum) ((sum) + (one) * (four))
#endif

/* How elements of an array go to the tile: unchanged ... */
#define AS_IT_LIES 0
/* ... or, of complex arrays: split into two rows (op(A) across k); expanded to B' (op(B)). */
#define APART 1
#define EXPANDED 2
#define KIND_A (COMPLEX && TA ? APART : AS_IT_LIES)
#define KIND_B (COMPLEX ? EXPANDED : AS_IT_LIES)

/* The block of B' of an element of op(B). */
static inline void expand(__local REAL *to, uint ld, REAL re, REAL im)
{
	*(__local REAL2 *)to = (REAL2)(EXPAND_RE(re, im));
	*(__local REAL2 *)(to + ld) = (REAL2)(EXPAND_IM(re, im));
}

/* Stores four neighbours of a line, from number `at` on, to the tile. */
static inline void stash(__local REAL *to, uint ld, uint by_k, uint kind, uint line, uint at,
                         REAL4 v)
{
	if (kind == EXPANDED) {
		to += by_k ? at * ld + 2 * line : 2 * line * ld + at;
		expand(to, ld, v.x, v.y);
		expand(to + (by_k ? 2 * ld : 2), ld, v.z, v.w);
	} else if (kind == APART) {
		to += 2 * line * ld + at / 2;
		*(__local REAL2 *)to = v.even;
		*(__local REAL2 *)(to + ld) = v.odd;
	} else if (by_k) {
		to[at * ld + line] = v.x;
		to[(at + 1) * ld + line] = v.y;
		to[(at + 2) * ld + line] = v.z;
		to[(at + 3) * ld + line] = v.w;
	} else {
		*(__local REAL4 *)(to + line * ld + at) = v;
	}
}

#if INT8
/* Four terms, `step` bytes apart, of which `count` exist; the others are zero. */
static inline REAL word(__global const ELEM *from, ulong step, long count)
{
	REAL w = 0;

	for (uint i = 0; i < 4; i++)
		w |= i < count ? (REAL)(uchar)from[i * step] << 8 * i : 0;
	return w;
}

/* Four neighbouring words of a line of words, from number `at` on, by chars: of one line, or of four
 * lines, whose bytes are turned. */
static inline REAL4 fetch(__global const ELEM *from, ulong ld, uint by_k, uint line, uint at,
                          int whole, ulong lines, ulong length)
{
	__global const ELEM *source = from + (by_k ? line * ld + 4 * at : 4 * line * ld + at);
	const long left = by_k ? (long)(length - 4 * at) : (long)(lines - 4 * line);
	const long columns = by_k ? (line < lines ? 4 : 0) : (long)(length - at);
	const ulong step = by_k ? 1 : ld, next = by_k ? 4 : 1;
	REAL4 v = 0;

	if (whole && by_k)
		return *(__global const REAL4 *)source;
	if (whole) {
		v.x = *(__global const REAL *)source;
		v.y = *(__global const REAL *)(source + ld);
		v.z = *(__global const REAL *)(source + 2 * ld);
		v.w = *(__global const REAL *)(source + 3 * ld);
		return as_uint4((uchar16)(as_uchar16(v).s048c, as_uchar16(v).s159d,
		                          as_uchar16(v).s26ae, as_uchar16(v).s37bf));
	}
	v.x = columns > 0 ? word(source, step, left) : 0;
	v.y = columns > 1 ? word(source + next, step, by_k ? left - 4 : left) : 0;
	v.z = columns > 2 ? word(source + 2 * next, step, by_k ? left - 8 : left) : 0;
	v.w = columns > 3 ? word(source + 3 * next, step, by_k ? left - 12 : left) : 0;
	return v;
}
#else
/* Four neighbours of a line, from number `at` on. */
static inline REAL4 fetch(__global const REAL *from, ulong ld, uint by_k, uint line, uint at,
                          int whole, ulong lines, ulong length)
{
	__global const REAL *source = from + line * ld + at;
	REAL4 v = 0;

	if (whole) {
		v = *(__global const REAL4 *)source;
	} else if (line < lines) {
		v.x = at < length ? source[0] : 0;
		v.y = at + 1 < length ? source[1] : 0;
		v.z = at + 2 < length ? source[2] : 0;
		v.w = at + 3 < length ? source[3] : 0;
	}
	return v;
}
#endif

/*
 * Loads a tile of op(A) or op(B), TK deep and `wide` numbers across, to rows of local memory.  From
 * `from` on, the array has `lines` lines of `length` numbers of the operand. by_k: lines run along
 * k.  Each item loads four neighbours of a line, in one access if the four exist and are aligned.
 * Beyond the edges it stores zeros. aligned: all lines are.
 */
static inline void load(__local REAL *to, uint wide, uint by_k, uint kind,
                        __global const ELEM *from, ulong ld, int aligned, ulong lines,
                        ulong length, uint item)
{
	const uint across = (by_k ? TK : kind == APART ? 2 * wide : wide) / 4; /* fours per line */
	const uint all = wide * TK / (kind == EXPANDED ? 2 : 1) / 4;
	const int whole = aligned && length >= 4 * across * (by_k ? TERMS : 1) &&
	                  lines >= all / across * (by_k ? 1 : TERMS);

	#pragma unroll
	for (uint q = 0; q < all; q += ITEMS) {
		const uint e = q + item, line = e / across, at = e % across * 4;

		if (all % ITEMS && e >= all)
			break;
		stash(to, wide + 4, by_k, kind, line, at,
		      fetch(from, ld, by_k, line, at, whole, lines, length));
	}
}

KERNEL void run(ulong m, ulong elements, ulong terms, ulong lda, ulong ldb, ulong ldc,
                ulong stride_a, ulong stride_b, ulong stride_c, long lower, SCALAR alpha,
                SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global RESULT *restrict c, ulong8 offset)
{
	__local REAL ta[TK][OUT1 + 4] __attribute__((aligned(32)));
	__local REAL tb[TK][WIDE + 4] __attribute__((aligned(32)));
	const uint x = get_local_id(0), y = get_local_id(1);
	const ulong n = PARTS * elements, k = PARTS * terms, j0 = PARTS * GROUP0;
	REAL4 acc[ROWS][COLS / 4];

	#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		#pragma unroll
		for (uint s = 0; s < COLS / 4; s++)
			acc[r][s] = SUM_BEGIN4(GROUP1 + r / 4 * BLOCK1 + 4 * y + r % 4,
			                       j0 + s * BLOCK0 + 4 * x);
	if (!any_in_triangle(GROUP1, OUT1, j0, WIDE, lower))
		return;
	BATCH(a, b, c);
	a += begin_a(GROUP1, 0, lda);
	b += begin_b(0, j0, ldb);
	for (ulong p0 = 0; p0 < k; p0 += TERMS * TK) {
		load(&ta[0][0], OUT1, !TA, KIND_A, a, PARTS * lda,
		     PARTS * (lda | stride_a | offset.s0) % (4 * TERMS) == 0,
		     TA ? (k - p0) / PARTS : m - GROUP1, TA ? PARTS * (m - GROUP1) : k - p0,
		     y * WG0 + x);
		load(&tb[0][0], WIDE, TB != 0, KIND_B, b, PARTS * ldb,
		     PARTS * (ldb | stride_b | offset.s1) % (4 * TERMS) == 0,
		     TB ? (n - j0) / PARTS : (k - p0) / PARTS, TB ? k - p0 : n - j0, y * WG0 + x);
		a += begin_a(0, TERMS * TK, lda);
		b += begin_b(TERMS * TK, 0, ldb);
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (uint p = 0; p < TK; p++) {
			REAL4 vb[COLS / 4];

			#pragma unroll
			for (uint s = 0; s < COLS / 4; s++)
				vb[s] = *(__local const REAL4 *)&tb[p][s * BLOCK0 + 4 * x];
			#pragma unroll
			for (uint r = 0; r < ROWS; r += 4) {
				const REAL4 va =
				        *(__local const REAL4 *)&ta[p][r / 4 * BLOCK1 + 4 * y];

				#pragma unroll
				for (uint s = 0; s < COLS / 4; s++) {
					acc[r][s] = MULTIPLY_ADD(va.x, vb[s], acc[r][s]);
					acc[r + 1][s] = MULTIPLY_ADD(va.y, vb[s], acc[r + 1][s]);
					acc[r + 2][s] = MULTIPLY_ADD(va.z, vb[s], acc[r + 2][s]);
					acc[r + 3][s] = MULTIPLY_ADD(va.w, vb[s], acc[r + 3][s]);
				}
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
		const ulong i = GROUP1 + r / 4 * BLOCK1 + 4 * y + r % 4;

		#pragma unroll
		for (uint s = 0; s < COLS / 4; s++) {
			const ulong j = j0 + s * BLOCK0 + 4 * x;

			if (i >= m)
				continue;
			store_two(c, i, j, n, ldc, lower, acc[r][s].x, acc[r][s].y, alpha, beta);
			store_two(c, i, j + 2, n, ldc, lower, acc[r][s].z, acc[r][s].w, alpha, beta);
		}
	}
}
