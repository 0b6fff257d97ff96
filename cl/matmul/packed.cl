/* SPDX-License-Identifier: MIT */
/*
 * packed.cl - for CPUs: packed panels and a register-blocked vector kernel.
 *
 * A group is one work-item.  It owns OUT1 x OUT0 elements of C and walks k in
 * steps of KC: it copies its block of op(A), row by row, and strips of op(B),
 * two vectors wide and KC deep, into local memory, which on a CPU is a buffer
 * that stays in this core's second-level cache; then it runs the inner kernel,
 * MR rows by two vectors held in registers.  Transposes are undone by the
 * copying.  A's rows are VL longer than KC, so that they do not fall on one
 * cache set.  After Goto and van de Geijn, ACM TOMS 34 (2008), article 12.
 *
 * Vectors go through vloadn, vstoren and fma: builtins on 512-bit vectors keep
 * LLVM from splitting them in two.
 */
#if !defined VBYTES || !defined MR || !defined KC
#error "VBYTES, MR and KC come from the variant's row"
#endif
#if WG0 != 1 || WG1 != 1 || OUT1 % MR
#error "one work-item a group, whole blocks of MR rows"
#endif

#define VL (VBYTES / ELEM_BYTES)
#if VL == 16
typedef float16 V;
#define VLOAD(p) vload16(0, p)
#define VSTORE(v, p) vstore16(v, 0, p)
#elif VL == 8 && ELEM_BYTES == 8
typedef double8 V;
#define VLOAD(p) vload8(0, p)
#define VSTORE(v, p) vstore8(v, 0, p)
#elif VL == 8
typedef float8 V;
#define VLOAD(p) vload8(0, p)
#define VSTORE(v, p) vstore8(v, 0, p)
#else
typedef double4 V;
#define VLOAD(p) vload4(0, p)
#define VSTORE(v, p) vstore4(v, 0, p)
#endif

#define NR (2 * VL) /* columns of a strip */
#define STRIPS 2 /* of op(B) that are packed together */
#define LDP (KC + VL) /* row length of the packed op(A) */

/* op(A)(i0 .. i0 + rows, p0 .. p0 + depth), then zeros up to whole blocks of MR. */
static inline void pack_a(__local REAL *to, __global const REAL *a, ulong i0,
                          ulong p0, uint rows, uint depth, ulong lda)
{
	for (uint i = 0; i < rows; i++, to += LDP) {
		uint p = 0;
#if !TA
		__global const REAL *from = a + (i0 + i) * lda + p0;

		for (; p + VL <= depth; p += VL)
			VSTORE(VLOAD(from + p), to + p);
#endif
		for (; p < depth; p++)
			to[p] = a[at_a(i0 + i, p0 + p, lda)];
	}
	for (; rows % MR; rows++, to += LDP)
		for (uint p = 0; p < depth; p++)
			to[p] = 0;
}

/* op(B)(p0 .. p0 + depth, j0 .. j0 + NR) with zeros from column n on. */
static inline void pack_strip(__local REAL *to, __global const REAL *b, ulong p0,
                              ulong j0, uint depth, ulong n, ulong ldb)
{
	for (uint p = 0; p < depth; p++, to += NR) {
#if !TB
		if (j0 + NR <= n) {
			__global const REAL *from = b + (p0 + p) * ldb + j0;

			VSTORE(VLOAD(from), to);
			VSTORE(VLOAD(from + VL), to + VL);
			continue;
		}
#endif
		for (uint j = 0; j < NR; j++)
			to[j] = j0 + j < n ? b[at_b(p0 + p, j0 + j, ldb)] : (REAL)0;
	}
}

/* C's rows x columns block at (i, j): alpha sum + beta C, in vectors where all of
 * it is there and wanted. */
static inline void store(V (*acc)[2], __global ELEM *c, ulong i, ulong j, ulong ldc, long lower,
                         REAL alpha, REAL beta, uint rows, uint columns)
{
	REAL edge[MR * NR];

	if (rows == MR && columns == NR && all_wanted(i, MR, j, NR, lower)) {
		#pragma unroll
		for (uint r = 0; r < MR; r++)
			#pragma unroll
			for (uint s = 0; s < 2; s++) {
				__global REAL *to = c + (i + r) * ldc + j + s * VL;

				VSTORE(beta == 0 ? alpha * acc[r][s] :
				                   fma((V)alpha, acc[r][s], beta * VLOAD(to)),
				       to);
			}
		return;
	}
	#pragma unroll
	for (uint r = 0; r < MR; r++) {
		VSTORE(acc[r][0], edge + r * NR);
		VSTORE(acc[r][1], edge + r * NR + VL);
	}
	for (uint r = 0; r < rows; r++)
		for (uint s = 0; s < columns; s++)
			put(c, i + r, j + s, ldc, lower, edge[r * NR + s], alpha, beta);
}

static inline void inner(__local const REAL *pa, __local const REAL *pb,
                         uint depth, __global ELEM *c, ulong i, ulong j, ulong ldc, long lower,
                         REAL alpha, REAL beta, uint rows, uint columns)
{
	V acc[MR][2];

	#pragma unroll
	for (uint r = 0; r < MR; r++)
		acc[r][0] = acc[r][1] = 0;
	for (uint p = 0; p < depth; p++, pb += NR) {
		const V b0 = VLOAD(pb), b1 = VLOAD(pb + VL);

		#pragma unroll
		for (uint r = 0; r < MR; r++) {
			const V va = pa[r * LDP + p];

			acc[r][0] = fma(va, b0, acc[r][0]);
			acc[r][1] = fma(va, b1, acc[r][1]);
		}
	}
	store(acc, c, i, j, ldc, lower, alpha, beta, rows, columns);
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	__local REAL pa[OUT1 * LDP] __attribute__((aligned(64)));
	__local REAL pb[STRIPS * KC * NR] __attribute__((aligned(64)));
	const ulong i0 = GROUP1, j1 = min(n, GROUP0 + OUT0);
	const uint rows = (uint)min((ulong)OUT1, m - i0);

	if (!any_wanted(i0, OUT1, GROUP0, OUT0, lower))
		return;
	BATCH(a, b, c);
	/* Once at least, so that k = 0 leaves alpha * 0 + beta C. */
	for (ulong p0 = 0; p0 == 0 || p0 < k; p0 += KC) {
		const uint depth = (uint)min((ulong)KC, k - p0);

		pack_a(pa, a, i0, p0, rows, depth, lda);
		for (ulong jb = GROUP0; jb < j1; jb += STRIPS * NR) {
			const uint strips = (uint)min((ulong)STRIPS, (j1 - jb + NR - 1) / NR);

			for (uint s = 0; s < strips; s++)
				pack_strip(pb + s * KC * NR, b, p0, jb + s * NR, depth, n, ldb);
			for (uint s = 0; s < strips; s++)
				for (uint r = 0; r < rows; r += MR) {
					const ulong j = jb + s * NR;

					if (any_wanted(i0 + r, MR, j, NR, lower))
						inner(pa + r * LDP, pb + s * KC * NR, depth, c,
						      i0 + r, j, ldc, lower, alpha,
						      p0 ? (REAL)1 : beta,
						      min((uint)MR, rows - r),
						      (uint)min((ulong)NR, n - j));
				}
		}
	}
}
