/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - float4 accesses and arithmetic, no local memory: blocks of 4 x 4 elements of C a
 * work-item, four deep.
 *
 * For devices with vector lanes (AMD's TeraScale) or with fast caches for vectors (Adreno).  With
 * IMAGES the operands are images, which have a separate cache there.  An item's blocks lie a
 * group's width apart, so that neighbours read neighbouring texels.  Sources: Daga, Scogland, Feng,
 * sections on vector loads and image memory; Nakasato, "A Fast GEMM Implementation on a Cypress
 * GPU" (2010), where the texture cache was faster than local memory.
 *
 * Four elements along a row are one access if the row is aligned and does not end within them.
 * Otherwise they are read one by one, with zeros beyond the end.
 */
#ifndef IMAGES
#error "IMAGES, 0 or 1, comes from the variant's row"
#endif
#define APART0 (4 * WG0) /* distance of an item's blocks */
#define APART1 (4 * WG1)
#define ACROSS (OUT0 / APART0) /* blocks */
#define DOWN (OUT1 / APART1)
#if OUT0 % APART0 || OUT1 % APART1
#error "whole blocks of 4 x 4 elements a work-item"
#endif

#if IMAGES
/* A typedef hides from PoCL that the argument is an image. */
#define SOURCE __read_only image2d_t

__constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

/* The four elements from column j of row i.  The last texel of a row may have elements that are not
 * data; load4 replaces these by zeros. */
static inline REAL4 texels4(SOURCE from, ulong i, ulong j)
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
	/* An image may be taller than a part of the operand: it then has rows of an earlier
	 * part. */
	const REAL4 v = i < rows ? texels4(from, i, j) : (REAL4)(0);

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

/* Loads 4 x 4 elements of op(A) or op(B) from (i, j) on. transposed: the array holds the
 * transpose. */
static inline void load_block(SOURCE from, int transposed, ulong i, ulong j, ulong ld, int aligned,
                              ulong rows, ulong columns, REAL4 *v)
{
	if (!transposed) {
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
                SOURCE b, __global ELEM *restrict c, ulong8 offset)
{
	const ulong i0 = GROUP1 + 4 * get_local_id(1), j0 = GROUP0 + 4 * get_local_id(0);
	const int aligned_a = (lda | stride_a | offset.s0) % 4 == 0;
	const int aligned_b = (ldb | stride_b | offset.s1) % 4 == 0;
	REAL4 acc[4 * DOWN][ACROSS], va[4 * DOWN], vb[4 * ACROSS];

	if (i0 >= m || j0 >= n || !any_in_triangle(i0, OUT1, j0, OUT0, lower))
		return;
#if IMAGES
	c += offset.s2;
#else
	BATCH(a, b, c);
#endif
	#pragma unroll
	for (uint r = 0; r < 4 * DOWN; r++)
		#pragma unroll
		for (uint s = 0; s < ACROSS; s++)
			acc[r][s] = SUM_BEGIN4(i0 + r / 4 * APART1 + r % 4, j0 + s * APART0);
	for (ulong p = 0; p < k; p += 4) {
		#pragma unroll
		for (uint r = 0; r < DOWN; r++)
			load_block(a, TA, i0 + r * APART1, p, lda, aligned_a, m, k, va + 4 * r);
		#pragma unroll
		for (uint s = 0; s < ACROSS; s++)
			load_block(b, TB, p, j0 + s * APART0, ldb, aligned_b, k, n, vb + 4 * s);
		#pragma unroll
		for (uint r = 0; r < 4 * DOWN; r++)
			#pragma unroll
			for (uint s = 0; s < ACROSS; s++)
				acc[r][s] += va[r].x * vb[4 * s] + va[r].y * vb[4 * s + 1] +
				             va[r].z * vb[4 * s + 2] + va[r].w * vb[4 * s + 3];
	}
	#pragma unroll
	for (uint r = 0; r < 4 * DOWN; r++) {
		const ulong i = i0 + r / 4 * APART1 + r % 4;

		#pragma unroll
		for (uint s = 0; s < ACROSS; s++) {
			const ulong j = j0 + s * APART0;

			if (i < m && j < n)
				store_element(c, i, j, ldc, lower, acc[r][s].x, alpha, beta);
			if (i < m && j + 1 < n)
				store_element(c, i, j + 1, ldc, lower, acc[r][s].y, alpha, beta);
			if (i < m && j + 2 < n)
				store_element(c, i, j + 2, ldc, lower, acc[r][s].z, alpha, beta);
			if (i < m && j + 3 < n)
				store_element(c, i, j + 3, ldc, lower, acc[r][s].w, alpha, beta);
		}
	}
}
