/* SPDX-License-Identifier: MIT */
/*
 * packed.cl - for CPUs: packed panels and a register-blocked vector kernel.
 *
 * A group is one work-item.  The groups divide C evenly, each at most OUT1 x OUT0 elements of it.
 * They compute blocks of ROWS x COLUMNS, and walk k in steps of KC.  A group copies its block of
 * op(A) and STRIPS strips of op(B), NV vectors wide and KC deep, to local memory.  On a CPU that is
 * a buffer that stays in the core's second-level cache.  Then the inner kernel runs, MR rows by NV
 * vectors in registers.
 *
 * Between steps of k the block's sums stay in C.  They stay in local memory if C's old elements are
 * needed or have fewer digits. alpha comes last.  After Goto and van de Geijn, ACM TOMS 34 (2008),
 * article 12.
 *
 * Packed A keeps its lines along k, since the inner kernel reads single elements.  Lines across k
 * are cut into panels of MR rows, in which the inner kernel steps from line to line.  At the
 * distance of whole lines each step would need a cache line, and B's strip would leave the first
 * level.  Lines and panels are a vector longer than needed, so that they do not share one cache
 * set.  Lines of B along k are transposed in registers.
 *
 * A complex product is a real one (common.clh): n, k and the row's parameters count real numbers,
 * and op(B) is expanded while it is packed.
 *
 * Of int8 a packed number is two terms, as shorts in the halves of a word, and k counts words.  With
 * an odd number of terms the last word of A has a zero.
 */
#if !defined MR || !defined NV || !defined KC || !defined STRIPS || !defined ROWS || \
        !defined LOCAL_KB
#error "MR, NV, KC, STRIPS, ROWS and LOCAL_KB come from the variant's row"
#endif
#if ROWS % MR
#error "whole blocks of MR rows"
#endif

#define NR (NV * VL) /* columns of a strip */
#define UNROLL 4 /* steps of k per iteration of the inner loop */
#define AHEAD 8 /* lines of op(B) to prefetch; no hardware prefetcher finds them */
#if TA
#define A_BLOCK (KC * MR + VL) /* distance of blocks of MR rows, ... */
#define A_ROW 1 /* of rows, ... */
#define A_STEP MR /* and of steps along k */
#else
#define A_LD (KC + VL)
#define A_BLOCK (MR * A_LD)
#define A_ROW A_LD
#define A_STEP 1
#endif
#define A_ELEMENTS (ROWS / MR * A_BLOCK)
/* Columns of a block: as many STRIPS as fit into LOCAL_KB with packed A and B. */
#define REAL_BYTES (ELEM_BYTES == 8 ? 8 : 4)
#define ROOM (LOCAL_KB * 1024 / REAL_BYTES - A_ELEMENTS - STRIPS * KC * NR)
#define COLUMNS (ROOM / ROWS / (STRIPS * NR) * (STRIPS * NR))
#if COLUMNS <= 0
#error "a block must have room for STRIPS"
#endif

/* Packed numbers from address p of an input: one; VL of them along k; VL across k.  ld: from term to
 * term; whole: whether there are two terms. */
#if INT8
#define TERMS 2
#define NUMBER(p, ld, whole) ((LOAD(p) & 0xffff) | ((whole) ? LOAD((p) + (ld)) << 16 : 0))
#define EIGHT_ALONG(p) as_uint8(convert_short16(vload16(0, p)))
#if VL == 16
#define ALONG(p) (V)(EIGHT_ALONG(p), EIGHT_ALONG((p) + 16))
#else
#define ALONG(p) EIGHT_ALONG(p)
#endif
#define ACROSS(p, ld) ((ELOAD(p) & 0xffff) | ELOAD((p) + (ld)) << 16)
#else
#define TERMS 1
#define NUMBER(p, ld, whole) LOAD(p)
#define ALONG(p) ELOAD(p)
#define ACROSS(p, ld) ELOAD(p)
#endif

/* sum + x y. */
#if INT8 && VL == 16 && defined __AVX512BW__
typedef short SHORTS __attribute__((ext_vector_type(32)));
#define MULTIPLY_ADD(x, y, sum) \
	((sum) + __builtin_astype(__builtin_ia32_pmaddwd512(__builtin_astype(x, SHORTS), \
	                                                    __builtin_astype(y, SHORTS)), V))
#elif INT8 && VL == 8 && defined __AVX2__
#define MULTIPLY_ADD(x, y, sum) \
	((sum) + __builtin_astype(__builtin_ia32_pmaddwd256(__builtin_astype(x, short16), \
	                                                    __builtin_astype(y, short16)), V))
#elif INT8
#define LOW(x) ((x) << 16 >> 16)
#define SIGNED(x) JOIN(as_int, LANES)(x)
#define MULTIPLY_ADD(x, y, sum) \
	((sum) + JOIN(as_uint, LANES)(LOW(SIGNED(x)) * LOW(SIGNED(y)) + \
	                              (SIGNED(x) >> 16) * (SIGNED(y) >> 16)))
#else
#define MULTIPLY_ADD(x, y, sum) fma(x, y, sum)
#endif

/* Packs op(A)(i0 .. i0 + rows, p0 .. p0 + depth), with zeros for the missing rows of the last
 * block of MR.  whole: how many of the numbers have all terms. */
#if TA
/* Row q of packed A in step l of k. */
INLINE uint in_panel(uint q, uint l)
{
	return q / MR * A_BLOCK + l * MR + q % MR;
}

#if COMPLEX
/* The real or the imaginary parts, which alternate in memory. */
INLINE V load_part(__global const ELEM *a, uint part, ulong lda)
{
	const V x = ELOAD(a), y = ELOAD(a + VL);

	return part ? (V)(x.odd, y.odd) : (V)(x.even, y.even);
}
#else
#define load_part(a, part, lda) ACROSS(a, lda)
#endif

/* Whole vectors extend into the next step of k, which is packed later, or past the panel. */
INLINE void pack_a(__local REAL *to, __global const ELEM *a, ulong i0, ulong p0, uint rows,
                   uint depth, uint whole, ulong lda)
{
	a += begin_a(i0, TERMS * p0, lda);
	for (uint l = 0; l < depth; l += PARTS, a += PARTS * TERMS * lda) {
		uint q = 0;

		for (; l < whole && q + (MR + VL - 1) / VL * VL <= rows; q += MR)
			#pragma unroll
			for (uint part = 0; part < PARTS; part++)
				#pragma unroll
				for (uint h = 0; h < MR; h += VL) {
					FETCH(a + PARTS * (lda + q + h) + part * VL);
					VSTORE(load_part(a + PARTS * (q + h), part, lda),
					       to + in_panel(q, l + part) + h);
				}
		/* One loop: with a separate one for the zeros, Intel's compiler loses the last
		 * rows. */
		for (; q < rows || q % MR; q++)
			for (uint part = 0; part < PARTS; part++)
				to[in_panel(q, l + part)] =
				        q < rows ? NUMBER(a + PARTS * q + part, lda, l < whole) :
				                   (REAL)0;
	}
}
#else
INLINE void pack_a(__local REAL *to, __global const ELEM *a, ulong i0, ulong p0, uint rows,
                   uint depth, uint whole, ulong lda)
{
	a += begin_a(i0, TERMS * p0, lda);
	for (uint r = 0; r < rows; r++, to += A_LD, a += PARTS * lda) {
		uint q = 0;

		for (; q + VL <= whole; q += VL) {
			FETCH(a + PARTS * lda + TERMS * q);
			*(__local V *)(to + q) = ALONG(a + TERMS * q);
		}
		for (; q < depth; q++)
			to[q] = NUMBER(a + TERMS * q, 1, q < whole);
	}
	for (uint r = rows; r % MR; r++, to += A_LD)
		for (uint q = 0; q < depth; q++)
			to[q] = 0;
}
#endif

#if TB && !COMPLEX
/* Transposes VL lines of VL elements in log2(VL) rounds.  Each round interleaves the first half of
 * the lines with the second. */
INLINE void transpose(V *v)
{
	V u[VL];

	#pragma unroll
	for (uint round = VL; round > 1; round /= 2) {
		#pragma unroll
		for (uint i = 0; i < VL / 2; i++) {
			u[2 * i].even = v[i].lo;
			u[2 * i].odd = v[i + VL / 2].lo;
			u[2 * i + 1].even = v[i].hi;
			u[2 * i + 1].odd = v[i + VL / 2].hi;
		}
		#pragma unroll
		for (uint i = 0; i < VL; i++)
			v[i] = u[i];
	}
}
#endif

#if COMPLEX
#if VL == 16
#define PAIRS(a, b) (V)(a.s01, b.s01, a.s23, b.s23, a.s45, b.s45, a.s67, b.s67)
#elif VL == 8
#define PAIRS(a, b) (V)(a.lo, b.lo, a.hi, b.hi)
#else
#define PAIRS(a, b) (V)(a, b)
#endif

/* Transposes VL / 2 lines of complex elements, likewise. */
INLINE void transpose_pairs(V *v)
{
	V u[VL / 2];

	#pragma unroll
	for (uint round = VL / 2; round > 1; round /= 2) {
		#pragma unroll
		for (uint i = 0; i < VL / 4; i++) {
			u[2 * i] = PAIRS(v[i].lo, v[i + VL / 4].lo);
			u[2 * i + 1] = PAIRS(v[i].hi, v[i + VL / 4].hi);
		}
		#pragma unroll
		for (uint i = 0; i < VL / 2; i++)
			v[i] = u[i];
	}
}

/* Stores the two rows of B' of a row of op(B). */
INLINE void store_b(V v, __local REAL *to)
{
	V re, im;

	re.even = v.even;
	re.odd = TB == 2 ? -v.odd : v.odd;
	im.even = (TA == 2) == (TB == 2) ? -v.odd : v.odd;
	im.odd = TA == 2 ? -v.even : v.even;
	VSTORE(re, to);
	VSTORE(im, to + NR);
}

/* Packs op(B)(p0 .. p0 + depth, j0 .. j0 + NR), with zeros from column n on. */
INLINE void pack_strip(__local REAL *to, __global const ELEM *b, ulong p0, ulong j0, uint depth,
                       uint whole, ulong n, ulong ldb)
{
	uint p = 0;

	b += begin_b(p0, j0, ldb);
#if TB
	for (; j0 + NR <= n && p + VL <= depth; p += VL)
		for (uint h = 0; h < NR; h += VL) {
			V v[VL / 2];

			#pragma unroll
			for (uint i = 0; i < VL / 2; i++)
				v[i] = ELOAD(b + (h + 2 * i) * ldb + p);
			transpose_pairs(v);
			#pragma unroll
			for (uint i = 0; i < VL / 2; i++)
				store_b(v[i], to + (p + 2 * i) * NR + h);
		}
#endif
	for (; p < depth; p += 2)
		for (uint j = 0; j < NR; j += 2) {
			const REAL2 x = j0 + j < n ? element(b + begin_b(p, j, ldb), 0) : (REAL2)0;
			const REAL four[4] = { EXPAND_RE(x.x, x.y), EXPAND_IM(x.x, x.y) };

			to[p * NR + j] = four[0];
			to[p * NR + j + 1] = four[1];
			to[(p + 1) * NR + j] = four[2];
			to[(p + 1) * NR + j + 1] = four[3];
		}
}
#else
INLINE void store_b(V v, __local REAL *to)
{
	*(__local V *)to = v;
}

INLINE void pack_strip(__local REAL *to, __global const ELEM *b, ulong p0, ulong j0, uint depth,
                       uint whole, ulong n, ulong ldb)
{
	uint p = 0;

	b += begin_b(TERMS * p0, j0, ldb);
#if TB
	for (; j0 + NR <= n && p + VL <= whole; p += VL)
		for (uint h = 0; h < NR; h += VL) {
			V v[VL];

			#pragma unroll
			for (uint i = 0; i < VL; i++)
				v[i] = ALONG(b + (h + i) * ldb + TERMS * p);
			transpose(v);
			#pragma unroll
			for (uint i = 0; i < VL; i++)
				store_b(v[i], to + (p + i) * NR + h);
		}
#endif
	for (; p < depth; p++)
		for (uint j = 0; j < NR; j++)
			to[p * NR + j] = j0 + j < n ? NUMBER(b + at_b(TERMS * p, j, ldb),
			                                     at_b(1, 0, ldb), p < whole) :
			                              (REAL)0;
}
#endif

/* Packs `strips` strips from column j0 on.  Lines along the strips are read whole, so that each
 * page is looked up once for all strips. */
INLINE void pack_strips(__local REAL *to, __global const ELEM *b, ulong p0, ulong j0, uint depth,
                        uint whole, uint strips, ulong n, ulong ldb)
{
	uint s = 0;

#if !TB
	__global const ELEM *line = b + begin_b(TERMS * p0, j0, ldb);
	const uint all = min(strips, (uint)((n - j0) / NR));

	/* Any second term does in a last word: A's is zero. */
	for (uint p = 0; p < depth; p += PARTS, line += PARTS * TERMS * ldb)
		for (s = 0; s < all; s++)
			#pragma unroll
			for (uint h = 0; h < NR; h += VL) {
				FETCH(line + AHEAD * ldb + s * NR + h);
				store_b(ACROSS(line + s * NR + h, p < whole ? ldb : 0),
				        to + (s * KC + p) * NR + h);
			}
	s = all;
#endif
	for (; s < strips; s++)
		pack_strip(to + s * KC * NR, b, p0, j0 + s * NR, depth, whole, n, ldb);
}

/* alpha sum + beta C, rounded as by store_element(). */
INLINE V update(V sum, __global const RESULT *c, SCALAR alpha, SCALAR beta)
{
#if COMPLEX
	V x = alpha.x * sum, turned;

	if (alpha.y != 0) {
		turned.even = -sum.odd;
		turned.odd = sum.even;
		x = fma((V)alpha.y, turned, x);
	}
	if (beta.x != 0 || beta.y != 0) {
		const V old = RLOAD(c);

		x = fma((V)beta.x, old, x);
		turned.even = -old.odd;
		turned.odd = old.even;
		if (beta.y != 0)
			x = fma((V)beta.y, turned, x);
	}
	return x;
#else
	return beta == 0 ? alpha * sum : fma((V)alpha, sum, beta * RLOAD(c));
#endif
}

/* C's rows x columns block at (i, j) = alpha sum + beta C.  Uses vectors if all of the block exists
 * and lies in the triangle. */
INLINE void store_block(V (*acc)[NV], __global RESULT *c, ulong i, ulong j, ulong ldc, long lower,
                        SCALAR alpha, SCALAR beta, uint rows, uint columns)
{
	REAL edge[MR * NR];

	if (!IN_PARTS && rows == MR && columns == NR && all_in_triangle(i, MR, j, NR, lower)) {
		#pragma unroll
		for (uint r = 0; r < MR; r++)
			#pragma unroll
			for (uint s = 0; s < NV; s++) {
				__global RESULT *to = c + PARTS * (i + r) * ldc + j + s * VL;
				const V x = update(acc[r][s], to, alpha, beta);

				ESTORE(x, to);
			}
		return;
	}
	#pragma unroll
	for (uint r = 0; r < MR; r++)
		#pragma unroll
		for (uint s = 0; s < NV; s++)
			VSTORE(acc[r][s], edge + r * NR + s * VL);
	for (uint r = 0; r < rows; r++)
		for (uint s = 0; s < columns; s += 2)
			store_two(c, i + r, j + s, j + columns, ldc, lower, edge[r * NR + s],
			          edge[r * NR + s + 1], alpha, beta);
}

#if ELEM_BYTES != 2
/* acc += C's rows x columns block at (i, j). */
INLINE void add_block(V (*acc)[NV], __global const RESULT *c, ulong i, ulong j, ulong ldc, uint rows,
                      uint columns)
{
	REAL edge[MR * NR];

	c += PARTS * i * ldc + j;
	if (rows == MR && columns == NR) {
		#pragma unroll
		for (uint r = 0; r < MR; r++)
			#pragma unroll
			for (uint s = 0; s < NV; s++)
				acc[r][s] += RLOAD(c + PARTS * r * ldc + s * VL);
		return;
	}
	for (uint q = 0; q < MR * NR; q++)
		edge[q] = q / NR < rows && q % NR < columns ? c[PARTS * (q / NR) * ldc + q % NR] :
		                                              0;
	#pragma unroll
	for (uint r = 0; r < MR; r++)
		#pragma unroll
		for (uint s = 0; s < NV; s++)
			acc[r][s] += VLOAD(edge + r * NR + s * VL);
}
#endif

/* acc += one column of A times one row of B. */
INLINE void multiply_add(V (*acc)[NV], __local const REAL *pa, __local const REAL *pb)
{
	V b[NV];

	#pragma unroll
	for (uint s = 0; s < NV; s++)
		b[s] = VLOAD(pb + s * VL);
	#pragma unroll
	for (uint r = 0; r < MR; r++) {
		const V va = pa[r * A_ROW];

		#pragma unroll
		for (uint s = 0; s < NV; s++)
			acc[r][s] = MULTIPLY_ADD(va, b[s], acc[r][s]);
	}
}

/* The inner kernel.  It adds the sums of earlier steps of k.  Before the last step it stores the
 * sums to `sums` or, if that is NULL, to C. */
INLINE void inner(__local const REAL *pa, __local const REAL *pb, uint depth, int first, int last,
                  __local REAL *sums, __global RESULT *c, ulong i, ulong j, ulong ldc, long lower,
                  SCALAR alpha, SCALAR beta, uint rows, uint columns)
{
	V acc[MR][NV];

	#pragma unroll
	for (uint r = 0; r < MR; r++)
		#pragma unroll
		for (uint s = 0; s < NV; s++)
			acc[r][s] = 0;
	if (last || !sums)
		#pragma unroll
		for (uint r = 0; r < MR; r++)
			#pragma unroll
			for (uint s = 0; s < NV; s++)
				FETCH_OUT(c + PARTS * min(i + r, i + rows - 1) * ldc + j + s * VL);
	for (; depth >= UNROLL; depth -= UNROLL, pa += UNROLL * A_STEP, pb += UNROLL * NR)
		#pragma unroll
		for (uint q = 0; q < UNROLL; q++)
			multiply_add(acc, pa + q * A_STEP, pb + q * NR);
	for (; depth > 0; depth--, pa += A_STEP, pb += NR)
		multiply_add(acc, pa, pb);
	if (!first && sums)
		#pragma unroll
		for (uint r = 0; r < MR; r++)
			#pragma unroll
			for (uint s = 0; s < NV; s++)
				acc[r][s] += VLOAD(sums + r * NR + s * VL);
#if ELEM_BYTES != 2
	if (!first && !sums)
		add_block(acc, c, i, j, ldc, rows, columns);
#endif
	if (last || !sums) {
		store_block(acc, c, i, j, ldc, lower, last ? alpha : ONE, beta, rows, columns);
		return;
	}
	#pragma unroll
	for (uint r = 0; r < MR; r++)
		#pragma unroll
		for (uint s = 0; s < NV; s++)
			VSTORE(acc[r][s], sums + r * NR + s * VL);
}

/* Computes C's rows i0 to i1, columns j0 to j1.  odd: the last of k numbers has one term of two. */
INLINE void block(__local REAL *pa, __local REAL *pb, __local REAL *sums, ulong i0, ulong i1,
                  ulong j0, ulong j1, ulong n, ulong k, int odd, ulong lda, ulong ldb, ulong ldc,
                  long lower, SCALAR alpha, SCALAR beta, __global const ELEM *a,
                  __global const ELEM *b, __global RESULT *c)
{
	const uint rows = (uint)(i1 - i0);

	if (!any_in_triangle(i0, rows, j0, j1 - j0, lower))
		return;
	/* Runs at least once, so that k = 0 gives alpha * 0 + beta C. */
	for (ulong p0 = 0; p0 == 0 || p0 < k; p0 += KC) {
		const uint depth = (uint)min((ulong)KC, k - p0);
		const int last = p0 + depth == k;
		const uint whole = depth - (last && odd);

		pack_a(pa, a, i0, p0, rows, depth, whole, lda);
		for (ulong jb = j0; jb < j1; jb += STRIPS * NR) {
			const uint strips = (uint)min((ulong)STRIPS, (j1 - jb + NR - 1) / NR);

			pack_strips(pb, b, p0, jb, depth, whole, strips, n, ldb);
			for (uint s = 0; s < strips; s++)
				for (uint r = 0; r < rows; r += MR) {
					const ulong j = jb + s * NR;
					__local REAL *sum =
					        sums ? sums + (j - j0) * ROWS + r * NR : 0;

					if (any_in_triangle(i0 + r, MR, j, NR, lower))
						inner(pa + r / MR * A_BLOCK, pb + s * KC * NR, depth,
						      !IN_PARTS && p0 == 0, last, sum, c, i0 + r, j,
						      ldc, lower, alpha, beta,
						      min((uint)MR, rows - r),
						      (uint)min((ulong)NR, n - j));
				}
		}
	}
}

#if IN_PARTS
/* Begin a block with the sums of the previous launch, or with -0, to which any sum may be added. */
INLINE void begin_sums(__local REAL *sums, ulong i0, ulong i1, ulong j0, ulong j1, ulong ldc,
                       int goes_on, __global RESULT *c)
{
	for (ulong j = j0; j < j1; j++)
		for (ulong i = i0; i < i1; i++)
			sums[(j - j0) / NR * NR * ROWS + (i - i0) * NR + (j - j0) % NR] =
			        goes_on ? *sum_at(c, i, j, ldc) : (REAL)-0.0f;
}
#endif

KERNEL void run(ulong m, ulong elements, ulong terms, ulong lda, ulong ldb, ulong ldc,
                ulong stride_a, ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global RESULT *restrict c, ulong8 offset)
{
	__local REAL pa[A_ELEMENTS] __attribute__((aligned(64)));
	__local REAL pb[STRIPS * KC * NR] __attribute__((aligned(64)));
	__local REAL sums[ROWS * COLUMNS] __attribute__((aligned(64)));
	const ulong n = PARTS * elements, k = INT8 ? (terms + 1) / 2 : PARTS * terms;
	const ulong height = share(m, 1, MR), width = share(n, 0, NR);
	const ulong i0 = get_group_id(1) * height, j0 = get_group_id(0) * width;
	const ulong i1 = min(m, i0 + height), j1 = min(n, j0 + width);
	/* Without sums in local memory a block has all columns of its group. */
	const int kept = IN_PARTS ? 1 : ELEM_BYTES == 2 || !IS_ZERO(beta) ? k > KC : 0;
	const ulong columns = kept ? COLUMNS : width;

	if (i0 >= m || j0 >= n)
		return;
	BATCH(a, b, c);
	for (ulong i = i0; i < i1; i += ROWS)
		for (ulong j = j0; j < j1; j += columns) {
#if IN_PARTS
			begin_sums(sums, i, min(i1, i + ROWS), j, min(j1, j + columns), ldc,
			           (offset.s7 & SUM_GOES_ON) != 0, c);
#endif
			block(pa, pb, kept ? sums : 0, i, min(i1, i + ROWS), j, min(j1, j + columns), n, k,
			      INT8 && terms % 2, lda, ldb, ldc, lower, alpha, beta, a, b, c);
		}
}
