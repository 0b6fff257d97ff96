/* SPDX-License-Identifier: MIT */
/*
 * gemv.cl - for CPUs: a matrix and a vector, at the speed of reading the matrix.
 *
 * Where lines of the matrix run along k, a result is the dot product of a line and the vector.
 * LINES lines are computed together, each with a vector register of partial sums.  Where lines run
 * across k, STEPS lines are added to all of a group's results at a time.  Either way the matrix is
 * read once and along its lines.  The vector is copied to local memory, KC elements at a time.
 *
 * The matrix is op(B) if C is a row.  Otherwise it is op(A), once for each column of C.
 */
#if !defined KC || OUT0 != OUT1 || OUT0 % VL
#error "KC comes from the variant's row; groups must be square and whole vectors wide"
#endif

#define LINES 4
#define STEPS 8

/* Copies `depth` elements of the vector, `step` apart, to x. */
INLINE void load_vector(__local REAL *x, __global const ELEM *from, uint depth, ulong step)
{
	uint p = 0;

	for (; step == 1 && p + VL <= depth; p += VL)
		VSTORE(ELOAD(from + p), x + p);
	for (; p < depth; p++)
		x[p] = LOAD(from + p * step);
}

/* y += the products of x and `lines` lines that run along k. */
INLINE void dot_lines(__local REAL *y, __local const REAL *x, __global const ELEM *line, uint lines,
                      uint depth, ulong ld)
{
	V sum[LINES];
	uint p = 0;

	#pragma unroll
	for (uint l = 0; l < lines; l++)
		sum[l] = 0;
	for (; p + VL <= depth; p += VL)
		#pragma unroll
		for (uint l = 0; l < lines; l++) {
			FETCH(line + (lines + l) * ld + p);
			sum[l] = fma(ELOAD(line + l * ld + p), VLOAD(x + p), sum[l]);
		}
	#pragma unroll
	for (uint l = 0; l < lines; l++)
		y[l] += sum_lanes(sum[l]);
	for (; p < depth; p++)
		#pragma unroll
		for (uint l = 0; l < lines; l++)
			y[l] = fma(LOAD(line + l * ld + p), x[p], y[l]);
}

INLINE void lines_along_k(__local REAL *y, __local const REAL *x, __global const ELEM *matrix,
                          uint count, uint depth, ulong ld)
{
	uint i = 0;

	for (; i + LINES <= count; i += LINES)
		dot_lines(y + i, x, matrix + i * ld, LINES, depth, ld);
	for (; i < count; i++)
		dot_lines(y + i, x, matrix + i * ld, 1, depth, ld);
}

/* y += x[0] times the first line, which runs across k, x[1] times the next and so on. */
INLINE void add_lines(__local REAL *y, __local const REAL *x, __global const ELEM *line, uint count,
                      uint steps, ulong ld)
{
	uint i = 0;

	for (; i + VL <= count; i += VL) {
		V sum = VLOAD(y + i);

		#pragma unroll
		for (uint s = 0; s < steps; s++) {
			FETCH(line + (steps + s) * ld + i);
			sum = fma((V)x[s], ELOAD(line + s * ld + i), sum);
		}
		VSTORE(sum, y + i);
	}
	for (; i < count; i++)
		#pragma unroll
		for (uint s = 0; s < steps; s++)
			y[i] = fma(x[s], LOAD(line + s * ld + i), y[i]);
}

INLINE void lines_across_k(__local REAL *y, __local const REAL *x, __global const ELEM *matrix,
                           uint count, uint depth, ulong ld)
{
	uint p = 0;

	for (; p + STEPS <= depth; p += STEPS)
		add_lines(y, x + p, matrix + p * ld, count, STEPS, ld);
	for (; p < depth; p++)
		add_lines(y, x + p, matrix + p * ld, count, 1, ld);
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global RESULT *restrict c, ulong8 offset)
{
	__local REAL y[OUT0] __attribute__((aligned(64)));
	__local REAL x[KC] __attribute__((aligned(64)));
	const int row = (offset.s7 & RESULT_IS_ROW) != 0;
	const ulong height = share(m, 1, VL), width = share(n, 0, VL);
	const ulong i0 = get_group_id(1) * height, j0 = get_group_id(0) * width;
	const ulong i1 = min(m, i0 + height), j1 = min(n, j0 + width);
	const uint count = row ? j1 - j0 : i1 - i0;

	if (i0 >= m || j0 >= n)
		return;
	BATCH(a, b, c);
	for (ulong j = j0; j < (row ? j0 + 1 : j1); j++) {
		for (uint i = 0; i < count; i++)
			y[i] = SUM_BEGIN(row ? 0 : i0 + i, row ? j0 + i : j);
		for (ulong p0 = 0; p0 < k; p0 += KC) {
			const uint depth = (uint)min((ulong)KC, k - p0);

			load_vector(x, row ? a + at_a(0, p0, lda) : b + at_b(p0, j, ldb), depth,
			            row ? at_a(0, 1, lda) : at_b(1, 0, ldb));
			if (row && TB)
				lines_along_k(y, x, b + at_b(p0, j0, ldb), count, depth, ldb);
			else if (row)
				lines_across_k(y, x, b + at_b(p0, j0, ldb), count, depth, ldb);
			else if (TA)
				lines_across_k(y, x, a + at_a(i0, p0, lda), count, depth, lda);
			else
				lines_along_k(y, x, a + at_a(i0, p0, lda), count, depth, lda);
		}
		for (uint i = 0; i < count; i++)
			store_element(c, row ? 0 : i0 + i, row ? j0 + i : j, ldc, lower, y[i],
			              alpha, beta);
	}
}
