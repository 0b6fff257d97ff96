/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, one element of C.  Runs anywhere; states the
 * arguments that all its siblings take.
 */
KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, REAL alpha, REAL beta,
                __global const REAL *restrict a, __global const REAL *restrict b,
                __global REAL *restrict c)
{
	const ulong i = get_global_id(1), j = get_global_id(0);
	REAL sum = 0;

	if (i >= m || j >= n)
		return;
	for (ulong p = 0; p < k; p++)
		sum += a[at_a(i, p, lda)] * b[at_b(p, j, ldb)];
	put(c + i * ldc + j, sum, alpha, beta);
}
