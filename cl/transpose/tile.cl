/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - square tiles through local memory, so that reads and writes both run
 * along rows.  The extra column keeps a tile's columns off one bank.  The
 * transpose of the AMD and Northeastern lectures on OpenCL optimization.
 */
#if OUT0 != OUT1 || OUT0 != WG0
#error "square tiles, a row of work-items as wide as one"
#endif

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out)
{
	__local T tile[OUT1][OUT0 + 1];
	const uint x = get_local_id(0), y = get_local_id(1);

	BATCH(in, out);
	for (uint r = y; r < OUT1; r += WG1)
		if (GROUP1 + r < rows && GROUP0 + x < cols)
			tile[r][x] = in[(GROUP1 + r) * ld_in + GROUP0 + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint r = y; r < OUT0; r += WG1)
		if (GROUP0 + r < cols && GROUP1 + x < rows)
			out[(GROUP0 + r) * ld_out + GROUP1 + x] = scaled(tile[x][r], alpha);
}
