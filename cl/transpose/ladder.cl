/* SPDX-License-Identifier: MIT */
/*
 * ladder.cl - the transpose of the lectures on OpenCL optimization, step by step:
 * which work-item takes which element.
 *
 *   MAPPING 0   neighbours read along a row: reads coalesce, writes do not
 *   MAPPING 1   neighbours write along a row: writes coalesce, reads do not
 *   MAPPING 2   through local memory, where each item writes a different element than it reads:
 *               both coalesce
 *
 * PAD 1 adds an unused column to the tile, against bank conflicts along its columns.
 */
#if OUT0 != WG0 || OUT1 != WG1 || WG0 != WG1
#error "one element a work-item, square groups"
#endif

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out, ulong8 offset)
{
	const uint x = get_local_id(0), y = get_local_id(1);

	BATCH(in, out);
#if MAPPING == 2
	__local T tile[OUT1][OUT0 + PAD];

	if (GROUP1 + y < rows && GROUP0 + x < cols)
		tile[y][x] = in[(GROUP1 + y) * ld_in + GROUP0 + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (GROUP0 + y < cols && GROUP1 + x < rows)
		out[(GROUP0 + y) * ld_out + GROUP1 + x] = scaled(tile[x][y], alpha);
#else
	const ulong i = GROUP1 + (MAPPING == 0 ? y : x), j = GROUP0 + (MAPPING == 0 ? x : y);

	if (i < rows && j < cols)
		out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
#endif
}
