/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - tiles in units of sixteen bytes (unit.clh), both from rows and to rows that
 * begin at units.  Where they do not, elements go one by one; shift.cl is for that.
 */

static inline uint4 get(__global const T *from, ulong there, int even, int more)
{
	(void)more;
	if (even && there >= PER)
		return *(__global const uint4 *)from;
	return load_some(from, there);
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out)
{
	__local uint4 tile[OUT0 * UNITS1];
	const uint item = get_local_id(1) * WG0 + get_local_id(0);
	const uint2 at = place();
	const ulong i0 = (ulong)at.y * OUT1, j0 = (ulong)at.x * OUT0;
	const int even_in = (ld_in | stride_in) % PER == 0;
	const int even_out = (ld_out | stride_out) % PER == 0;

	BATCH(in, out);
	read_tile(tile, in, i0, j0, rows, cols, ld_in, even_in);
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint round = 0; round < WRITES; round++) {
		const uint e = round * ITEMS + item, c = e / UNITS1, k = e % UNITS1;
		const ulong i = i0 + k * PER, j = j0 + c;

		if (i < rows && j < cols)
			put(out + j * ld_out + i, scaled_unit(tile[c * UNITS1 + (k ^ TURN(c))], alpha),
			    rows - i, even_out);
	}
}
