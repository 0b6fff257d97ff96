/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item per element of C.  Runs anywhere.  All matmul kernels have its
 * arguments.
 */
KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global RESULT *restrict c, ulong8 offset)
{
	const ulong i = get_global_id(1), j = get_global_id(0);
	SCALAR sum = ELEMENT_BEGIN(i, j);

	if (i >= m || j >= n || !in_triangle(i, PARTS * j, lower))
		return;
	BATCH(a, b, c);
	for (ulong p = 0; p < k; p++)
		sum = add_product(sum, element_a(a, i, p, lda), element_b(b, p, j, ldb));
	store_element(c, i, j, ldc, lower, sum, alpha, beta);
}
