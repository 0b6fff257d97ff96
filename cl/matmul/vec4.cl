/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - float4 accesses and arithmetic, no local memory: 4 x 4 elements of C
 * a work-item, four deep.  For devices whose caches feed vectors well (AMD,
 * Adreno); with IMAGES the operands are images, which have a cache of their own
 * there.  Daga, Scogland, Feng, sections on vector loads and image memory.
 *
 * Four elements along a row come in one access where the row is aligned and
 * does not end within them; else one by one, zeros beyond the end.
 */
#ifndef IMAGES
#error "IMAGES, 0 or 1, comes from the variant's row"
#endif
#if OUT0 != 4 * WG0 || OUT1 != 4 * WG1
#error "4 x 4 elements a work-item"
#endif

#if IMAGES
/* A typedef would hide from PoCL that the argument is an image. */
#define SOURCE __read_only image2d_t

__constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

/* The four elements from column j of row i.  Beyond the image are zeros; the
 * rest of a row's last texel is not data, and is cut off by load4. */
static inline REAL4 raw4(SOURCE from, ulong i, ulong j)
{
#if ELEM_BYTES == 8
	const int2 at = (int2)((int)(j / 2), (int)i);

	return (REAL4)(as_double2(read_imageui(from, texels, at)),
	               as_double2(read_imageui(from, texels, at + (int2)(1, 0))));
#else
	return as_float4(read_imageui(from, texels, (int2)((int)(j / 4), (int)i)));
#endif
}

static inline REAL4 load4(SOURCE from, ulong i, ulong j, ulong ld, int aligned, ulong rows,
                          ulong columns)
{
	const REAL4 v = raw4(from, i, j);

	return (REAL4)(j < columns ? v.x : 0, j + 1 < columns ? v.y : 0, j + 2 < columns ? v.z : 0,
	               j + 3 < columns ? v.w : 0);
}
#else
#define SOURCE __global const ELEM *

static inline REAL4 load4(SOURCE from, ulong i, ulong j, ulong ld, int aligned, ulong rows,
                          ulong columns)
{
	REAL4 v = 0;

	if (i >= rows || j >= columns)
		return v;
	from += i * ld + j;
	if (aligned && j + 3 < columns)
		return *(__global const REAL4 *)from;
	v.x = from[0];
	v.y = j + 1 < columns ? from[1] : 0;
	v.z = j + 2 < columns ? from[2] : 0;
	v.w = j + 3 < columns ? from[3] : 0;
	return v;
}
#endif

/* Four rows of op(A) or op(B) from (i, j) in an array that may hold the transpose. */
static inline void block(SOURCE from, int turned, ulong i, ulong j, ulong ld, int aligned,
                         ulong rows, ulong columns, REAL4 *v)
{
	if (!turned) {
		v[0] = load4(from, i, j, ld, aligned, rows, columns);
		v[1] = load4(from, i + 1, j, ld, aligned, rows, columns);
		v[2] = load4(from, i + 2, j, ld, aligned, rows, columns);
		v[3] = load4(from, i + 3, j, ld, aligned, rows, columns);
	} else {
		const REAL4 r = load4(from, j, i, ld, aligned, columns, rows);
		const REAL4 s = load4(from, j + 1, i, ld, aligned, columns, rows);
		const REAL4 t = load4(from, j + 2, i, ld, aligned, columns, rows);
		const REAL4 u = load4(from, j + 3, i, ld, aligned, columns, rows);

		v[0] = (REAL4)(r.x, s.x, t.x, u.x);
		v[1] = (REAL4)(r.y, s.y, t.y, u.y);
		v[2] = (REAL4)(r.z, s.z, t.z, u.z);
		v[3] = (REAL4)(r.w, s.w, t.w, u.w);
	}
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta, SOURCE a,
                SOURCE b, __global ELEM *restrict c)
{
	const ulong i = 4 * get_global_id(1), j = 4 * get_global_id(0);
	const int aligned_a = (lda | stride_a) % 4 == 0, aligned_b = (ldb | stride_b) % 4 == 0;
	REAL4 acc[4] = { 0, 0, 0, 0 }, va[4], vb[4];

	if (i >= m || j >= n || !any_wanted(i, 4, j, 4, lower))
		return;
#if !IMAGES
	BATCH(a, b, c);
#endif
	for (ulong p = 0; p < k; p += 4) {
		block(a, TA, i, p, lda, aligned_a, m, k, va);
		block(b, TB, p, j, ldb, aligned_b, k, n, vb);
		#pragma unroll
		for (uint r = 0; r < 4; r++)
			acc[r] += va[r].x * vb[0] + va[r].y * vb[1] + va[r].z * vb[2] +
			          va[r].w * vb[3];
	}
	#pragma unroll
	for (uint r = 0; r < 4; r++) {
		if (i + r >= m)
			break;
		put(c, i + r, j, ldc, lower, acc[r].x, alpha, beta);
		if (j + 1 < n)
			put(c, i + r, j + 1, ldc, lower, acc[r].y, alpha, beta);
		if (j + 2 < n)
			put(c, i + r, j + 2, ldc, lower, acc[r].z, alpha, beta);
		if (j + 3 < n)
			put(c, i + r, j + 3, ldc, lower, acc[r].w, alpha, beta);
	}
}
