/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - tiles in chunks of sixteen bytes (chunk.clh), for rows of input and output that begin
 * at chunks.  Other rows are moved element by element; shift.cl is faster there.
 */

static inline uint4 load_chunk(__global const T *from, ulong present, int aligned, int row_follows)
{
	(void)row_follows;
	if (aligned && present >= CHUNK)
		return *(__global const uint4 *)from;
	return load_part(from, present);
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out, ulong8 offset)
{
	__local uint4 tile[OUT0 * CHUNKS1];
	const uint item = get_local_id(1) * WG0 + get_local_id(0);
	const uint2 at = tile_of_group();
	const ulong i0 = (ulong)at.y * OUT1, j0 = (ulong)at.x * OUT0;
	const int aligned_in = (ld_in | stride_in | offset.s0) % CHUNK == 0;
	const int aligned_out = (ld_out | stride_out | offset.s1) % CHUNK == 0;

	BATCH(in, out);
	read_tile(tile, in, i0, j0, rows, cols, ld_in, aligned_in);
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint round = 0; round < WRITES; round++) {
		const uint e = round * ITEMS + item, c = e / CHUNKS1, k = e % CHUNKS1;
		const ulong i = i0 + k * CHUNK, j = j0 + c;

		if (i < rows && j < cols)
			store_chunk(out + j * ld_out + i,
			            scaled_chunk(tile[c * CHUNKS1 + (k ^ SWIZZLE(c))], alpha),
			            rows - i, aligned_out);
	}
}
