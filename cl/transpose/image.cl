/* SPDX-License-Identifier: MIT */
/*
 * image.cl - reads the input as an image of texels of sixteen bytes.  Where images have a separate
 * two-dimensional cache, reading down a column is fast.  A work-item reads a column of PER_TEXEL
 * texels, transposes this block in registers, and writes along the output's rows.
 */
#define PER_TEXEL (16 / ELEM_BYTES) /* elements in a texel */
#if OUT0 % PER_TEXEL || OUT1 % PER_TEXEL
#error "a tile must be whole texels"
#endif
#define ITEMS (WG0 * WG1)
#define ACROSS (OUT0 / PER_TEXEL) /* blocks of PER_TEXEL x PER_TEXEL in a tile */
#define DOWN (OUT1 / PER_TEXEL)

__constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

typedef union {
	uint4 all;
	T one[PER_TEXEL];
} TEXEL;

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __read_only image2d_t in, __global T *restrict out,
                ulong8 offset)
{
	const uint item = get_local_id(1) * WG0 + get_local_id(0);

	out += offset.s1;
	for (uint e = item; e < ACROSS * DOWN; e += ITEMS) {
		/* Neighbouring items read down the input, so that their writes are neighbours. */
		const ulong i = GROUP1 + e % DOWN * PER_TEXEL, j = GROUP0 + e / DOWN * PER_TEXEL;
		TEXEL block[PER_TEXEL], column;

		#pragma unroll
		for (uint r = 0; r < PER_TEXEL; r++)
			block[r].all = scaled_chunk(
			        read_imageui(in, texels,
			                     (int2)((int)(j / PER_TEXEL), (int)(i + r))),
			        alpha);
		#pragma unroll
		for (uint s = 0; s < PER_TEXEL; s++) {
			__global T *to = out + (j + s) * ld_out + i;

			if (j + s >= cols)
				break;
			#pragma unroll
			for (uint r = 0; r < PER_TEXEL; r++)
				column.one[r] = block[r].one[s];
			if ((ld_out | offset.s1) % PER_TEXEL == 0 && i + PER_TEXEL <= rows)
				*(__global uint4 *)to = column.all;
			else
				for (uint r = 0; r < PER_TEXEL && i + r < rows; r++)
					to[r] = column.one[r];
		}
	}
}
