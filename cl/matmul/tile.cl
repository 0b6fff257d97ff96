/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - square tiles of op(A) and op(B) in local memory, one work-item per element of C.  Each
 * element is read from global memory once a tile instead of once a product: section 3.2.2 of
 * NVIDIA's OpenCL Best Practices Guide (2011).
 *
 * A transposed array is read along its rows and transposed on the way into local memory, so that
 * reads stay coalesced.  The extra column of each tile prevents bank conflicts of the transposed
 * writes.
 */
#if WG0 != WG1 || WG0 != OUT0 || WG1 != OUT1
#error "one element a work-item, square tiles"
#endif
#define T WG0

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global RESULT *restrict c, ulong8 offset)
{
	__local SCALAR ta[T][T + 1], tb[T][T + 1];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint ai = TA ? x : y, ap = TA ? y : x; /* the element of op(A) that this item loads */
	const uint bp = TB ? x : y, bj = TB ? y : x;
	SCALAR sum = ELEMENT_BEGIN(GROUP1 + y, GROUP0 + x);

	if (!any_in_triangle(GROUP1, T, PARTS * GROUP0, PARTS * T, lower))
		return;
	BATCH(a, b, c);
	for (ulong p0 = 0; p0 < k; p0 += T) {
		const ulong i = GROUP1 + ai, j = GROUP0 + bj;

		ta[ai][ap] = i < m && p0 + ap < k ? element_a(a, i, p0 + ap, lda) : (SCALAR)0;
		tb[bp][bj] = j < n && p0 + bp < k ? element_b(b, p0 + bp, j, ldb) : (SCALAR)0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < T; p++)
			sum = add_product(sum, ta[y][p], tb[p][x]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (GROUP1 + y < m && GROUP0 + x < n)
		store_element(c, GROUP1 + y, GROUP0 + x, ldc, lower, sum, alpha, beta);
}
