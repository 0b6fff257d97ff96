/* SPDX-License-Identifier: MIT */
/*
 * gemv_tree.cl - for GPUs: a matrix and a vector; work-items share a sum over k.
 *
 * A group has OUT0 results.  Where the matrix's lines run along k, a team of LANES work-items reads
 * a line together.  Where they run across k, OUT0 work-items walk down neighbouring columns.
 * Either way neighbouring items read neighbouring elements, and each has several reads in flight.
 * The partial sums go through local memory to the work-item that adds up the result.
 *
 * The matrix is op(B) if C is a row.  Otherwise it is op(A), once for each column of C.
 */
#ifndef LANES
#error "LANES comes from the variant's row"
#endif
#define TEAMS (WG0 / LANES)
#define LINES (OUT0 / TEAMS) /* per team */
#define SHARES (WG0 / OUT0) /* partitions of k, where lines run across it */
#define AHEAD 8 /* reads in flight per work-item */
/* With IN_PARTS the sum of each lane is stored between launches. */
#if IN_PARTS
#define SUM_OF(lane) (lane)
#define SUM_STAYS(row, column, lane) (*sum_at(c, row, (column) * LANES + (lane), ldc))
#else
#define SUM_OF(lane) 0
#endif
#if WG1 != 1 || OUT0 != OUT1 || OUT0 % TEAMS || WG0 % OUT0 || SHARES > LANES || AHEAD % LINES
#error "whole lines for a team, and no more parts than lanes"
#endif

/* Each item of a team sums every LANES-th product of the team's lines.  The last line replaces
 * lines that the matrix does not have. */
static inline void lines_along_k(__local REAL (*part)[LANES + 1], __global const ELEM *matrix,
                                 ulong ld, __global const ELEM *x, ulong step, uint count, ulong k)
{
	const uint lane = get_local_id(0) % LANES, first = get_local_id(0) / LANES * LINES;
	const ulong whole = k / (LANES * (AHEAD / LINES)) * (LANES * (AHEAD / LINES));
	REAL sum[LINES];
	ulong p = lane;

	for (uint l = 0; l < LINES; l++)
		sum[l] = SUM_OF(part[first + l][lane]);
	for (; p < whole; p += LANES * (AHEAD / LINES))
		for (uint s = 0; s < AHEAD / LINES; s++) {
			const ulong q = p + s * LANES;
			const REAL factor = LOAD(x + q * step);

			for (uint l = 0; l < LINES; l++)
				sum[l] = fma(LOAD(matrix + min(first + l, count - 1) * ld + q),
				             factor, sum[l]);
		}
	for (; p < k; p += LANES)
		for (uint l = 0; l < LINES; l++)
			sum[l] = fma(LOAD(matrix + min(first + l, count - 1) * ld + p),
			             LOAD(x + p * step), sum[l]);
	for (uint l = 0; l < LINES; l++)
		part[first + l][lane] = sum[l];
}

/* Each item sums every SHARES-th product of its column. */
static inline void lines_across_k(__local REAL (*part)[LANES + 1], __global const ELEM *matrix,
                                  ulong ld, __global const ELEM *x, ulong step, uint count, ulong k)
{
	const uint i = get_local_id(0) % OUT0, slice = get_local_id(0) / OUT0;
	const ulong whole = k / (SHARES * AHEAD) * (SHARES * AHEAD);
	ulong p = slice;
	REAL sum = SUM_OF(part[i][slice]);

	matrix += min(i, count - 1);
	for (; p < whole; p += SHARES * AHEAD)
		for (uint s = 0; s < AHEAD; s++) {
			const ulong q = p + s * SHARES;

			sum = fma(LOAD(matrix + q * ld), LOAD(x + q * step), sum);
		}
	for (; p < k; p += SHARES)
		sum = fma(LOAD(matrix + p * ld), LOAD(x + p * step), sum);
	part[i][slice] = sum;
}

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global const ELEM *restrict a, __global const ELEM *restrict b,
                __global RESULT *restrict c, ulong8 offset)
{
	__local REAL part[OUT0][LANES + 1];
	const int row = offset.s7 & RESULT_IS_ROW, along_k = row ? TB : !TA;
	const ulong i0 = GROUP1, j0 = GROUP0, j1 = row ? j0 + 1 : min(n, j0 + OUT0);
	const uint count = (uint)min((ulong)OUT0, row ? n - j0 : m - i0);
	const uint id = get_local_id(0);

	BATCH(a, b, c);
	for (ulong j = j0; j < j1; j++) {
		__global const ELEM *matrix = row ? b + at_b(0, j0, ldb) : a + at_a(i0, 0, lda);
		__global const ELEM *x = row ? a : b + at_b(0, j, ldb);
		const ulong ld = row ? ldb : lda, step = row ? at_a(0, 1, lda) : at_b(1, 0, ldb);
		REAL sum = 0;

#if IN_PARTS
		for (uint e = id; e < OUT0 * LANES; e += WG0) {
			const uint i = e / LANES, lane = e % LANES;

			part[i][lane] = offset.s7 & SUM_GOES_ON && i < count ?
			                        SUM_STAYS(row ? 0 : i0 + i, row ? j0 + i : j, lane) :
			                        0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
		if (along_k)
			lines_along_k(part, matrix, ld, x, step, count, k);
		else
			lines_across_k(part, matrix, ld, x, step, count, k);
		barrier(CLK_LOCAL_MEM_FENCE);
#if IN_PARTS
		if (sums_stay(alpha, beta)) {
			for (uint e = id; e < count * LANES; e += WG0)
				SUM_STAYS(row ? 0 : i0 + e / LANES, row ? j0 + e / LANES : j,
				          e % LANES) = part[e / LANES][e % LANES];
			barrier(CLK_LOCAL_MEM_FENCE);
			continue;
		}
#endif
		for (uint s = 0; id < count && s < (along_k ? LANES : SHARES); s++)
			sum += part[id][s];
		if (id < count)
			store_element(c, row ? 0 : i0 + id, row ? j0 + id : j, ldc, lower, sum,
			              alpha, beta);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
