/* SPDX-License-Identifier: MIT */
/*
 * matmul/epilogue.cl - float or int8 results of the sums of an int8 product.  In floats: times the
 * scale of the row, times that of the column, plus the bias, clamped; of int8 then to the nearest
 * even.  Float results may replace the sums.  A scale or the bias may be NULL.  lib/host/epilogue.c
 * gives the same bits.
 *
 * at: offset, row length and distance of matrices of the sums and of the results, then the offsets
 * of the scales and the bias, all in elements.  turned: C's rows are columns here.
 */
#pragma OPENCL FP_CONTRACT OFF

/* A rounded product that no compiler contracts with the bias: cl/evolve/real.clh. */
static inline float rounded(float x, float y)
{
	return SLOW_FMA ? x * y + 0.0f : fma(x, y, 0.0f);
}

KERNEL void run(ulong m, ulong n, ulong16 at, uint turned, uint whole, float least, float most,
                __global const int *sums, __global char *results, __global const float *scale_rows,
                __global const float *scale_columns, __global const float *bias)
{
	const ulong j = get_global_id(0), z = get_group_id(2);

	/* Items load four sums before they store: a store may change what a later load reads. */
	for (ulong i = 4 * get_group_id(1); j < n && i < m; i += 4 * get_num_groups(1)) {
		const uint count = (uint)min(m - i, (ulong)4);
		int sum[4];

		#pragma unroll
		for (uint down = 0; down < 4; down++)
			sum[down] = down < count ? sums[at.s0 + z * at.s2 + (i + down) * at.s1 + j] : 0;
		#pragma unroll
		for (uint down = 0; down < 4; down++) {
			const ulong row = turned ? j : i + down, column = turned ? i + down : j;
			const ulong to = at.s3 + z * at.s5 + (i + down) * at.s4 + j;
			float x = convert_float_rte(sum[down]);

			if (down >= count)
				break;
			if (scale_rows)
				x = rounded(x, scale_rows[at.s6 + row]);
			if (scale_columns)
				x = rounded(x, scale_columns[at.s7 + column]);
			if (bias)
				x += bias[at.s8 + column];
			x = x < least ? least : x > most ? most : x; /* NaN stays */
			if (whole)
				results[to] = x == x ? (char)rint(x) : 0;
			else
				((__global float *)results)[to] = x;
		}
	}
}
