/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, one element of C.  Runs anywhere; states the
 * arguments that all its siblings take.
 */
KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global ELEM *restrict c)
{
	const ulong i = get_global_id(1), j = get_global_id(0);
	REAL sum = 0;

	if (i >= m || j >= n || !wanted(i, j, lower))
		return;
	BATCH(a, b, c);
	for (ulong p = 0; p < k; p++)
		sum += GET(a + at_a(i, p, lda)) * GET(b + at_b(p, j, ldb));
	put(c, i, j, ldc, lower, sum, alpha, beta);
}
