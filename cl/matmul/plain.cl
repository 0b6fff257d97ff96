/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, one element of C.  Runs anywhere; states the
 * arguments that all its siblings take.
 */
KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, SCALAR alpha, SCALAR beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	const ulong i = get_global_id(1), j = get_global_id(0);
	SCALAR sum = 0;

	if (i >= m || j >= n || !wanted(i, PARTS * j, lower))
		return;
	BATCH(a, b, c);
	for (ulong p = 0; p < k; p++)
		sum = add_product(sum, element_a(a, i, p, lda), element_b(b, p, j, ldb));
	put(c, i, j, ldc, lower, sum, alpha, beta);
}
