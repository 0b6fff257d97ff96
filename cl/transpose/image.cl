/* SPDX-License-Identifier: MIT */
/*
 * image.cl - the input as an image, sixteen bytes a texel: where images have a
 * cache of their own that is laid out in two dimensions, reads may go down a
 * column.  A work-item reads a column of texels PER rows high, turns it in
 * registers, and writes along the output's rows.
 */
#define PER (16 / ELEM_BYTES) /* elements in a texel */
#if OUT0 % PER || OUT1 % PER
#error "tiles of whole texels"
#endif
#define ITEMS (WG0 * WG1)
#define ACROSS (OUT0 / PER) /* blocks of PER x PER in a tile */
#define DOWN (OUT1 / PER)

__constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

typedef union {
	uint4 all;
	T one[PER];
} UNIT;

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __read_only image2d_t in, __global T *restrict out)
{
	const uint item = get_local_id(1) * WG0 + get_local_id(0);

	for (uint e = item; e < ACROSS * DOWN; e += ITEMS) {
		/* Neighbours go down the input, so that their writes are neighbours. */
		const ulong i = GROUP1 + e % DOWN * PER, j = GROUP0 + e / DOWN * PER;
		UNIT block[PER], turned;

		#pragma unroll
		for (uint r = 0; r < PER; r++)
			block[r].all = scaled_unit(
			        read_imageui(in, texels, (int2)((int)(j / PER), (int)(i + r))),
			        alpha);
		#pragma unroll
		for (uint s = 0; s < PER; s++) {
			__global T *to = out + (j + s) * ld_out + i;

			if (j + s >= cols)
				break;
			#pragma unroll
			for (uint r = 0; r < PER; r++)
				turned.one[r] = block[r].one[s];
			if (ld_out % PER == 0 && i + PER <= rows)
				*(__global uint4 *)to = turned.all;
			else
				for (uint r = 0; r < PER && i + r < rows; r++)
					to[r] = turned.one[r];
		}
	}
}
