/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - tiles of OUT1 x OUT0 through local memory, so that reads and writes both run along
 * rows.  WG0 neighbours read a row of the tile and write a row of its transpose.  The extra column
 * prevents bank conflicts along a tile's columns.
 *
 * The transpose of the AMD and Northeastern lectures on OpenCL optimization, with several elements
 * a work-item: all reads are in flight before the first element is stored to the tile.
 */
#if OUT0 % WG0 || OUT1 % WG0 || OUT0 % WG1 || OUT1 % WG1
#error "a tile must divide evenly among the work-items"
#endif

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out, ulong8 offset)
{
	__local T tile[OUT1][OUT0 + 1];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint2 at = tile_of_group();
	const ulong i0 = (ulong)at.y * OUT1, j0 = (ulong)at.x * OUT0;
	const int whole = rows - i0 >= OUT1 && cols - j0 >= OUT0;
	T v[OUT1 / WG1][OUT0 / WG0];

	BATCH(in, out);
	in += (i0 + y) * ld_in + j0 + x;
	out += (j0 + y) * ld_out + i0 + x;
	/* A whole tile is read without bounds checks; with them each load would wait. */
	if (whole)
		#pragma unroll
		for (uint r = 0; r < OUT1 / WG1; r++)
			#pragma unroll
			for (uint s = 0; s < OUT0 / WG0; s++)
				v[r][s] = in[r * WG1 * ld_in + s * WG0];
	else
		#pragma unroll
		for (uint r = 0; r < OUT1 / WG1; r++)
			#pragma unroll
			for (uint s = 0; s < OUT0 / WG0; s++)
				v[r][s] = i0 + y + r * WG1 < rows && j0 + x + s * WG0 < cols ?
				                  in[r * WG1 * ld_in + s * WG0] :
				                  (T)0;
	#pragma unroll
	for (uint r = 0; r < OUT1 / WG1; r++)
		#pragma unroll
		for (uint s = 0; s < OUT0 / WG0; s++)
			tile[y + r * WG1][x + s * WG0] = v[r][s];
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint r = 0; r < OUT0 / WG1; r++)
		#pragma unroll
		for (uint s = 0; s < OUT1 / WG0; s++)
			if (whole || (j0 + y + r * WG1 < cols && i0 + x + s * WG0 < rows))
				out[r * WG1 * ld_out + s * WG0] =
				        scaled(tile[x + s * WG0][y + r * WG1], alpha);
}
