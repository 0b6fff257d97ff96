/* SPDX-License-Identifier: MIT */
/*
 * int8.cl - products of residues (int8.clh), or of int8 (int8_sums.clh), anywhere: a group makes a
 * tile of 64 x 32.
 */
static inline uint word_or_zero(__global const uchar *at, int there)
{
	return there ? *(__global const uint *)at : 0;
}

KERNEL void products(ulong16 sizes, __global const uchar *a, struct words words_a,
                     __global const uchar *b, struct words words_b, __global uchar *made)
{
	const ulong m = sizes.s0, n = sizes.s1, k = sizes.s2;
	__local uint of_a[64][33], of_b[32][33];
	const uint item = (uint)get_local_id(0);
	const struct tile tile = tile_of_group(&sizes);
	const uint i = item / 32 * 16 + item % 32 / 4, j = item % 4 * 2;
	int4 sum[16] = { 0 };

	if (!any_in_triangle(tile.i0, 64, tile.j0, 32, (long)sizes.s3))
		return;
	a += tile.from_a;
	b += tile.from_b;
	made += sizes.s8 + part_at(m, n, tile.l, tile.i0, tile.j0);
	for (ulong p = 0; p < k; p += 128) {
		const ulong at = p + item % 32 * 4;

		for (uint y = item / 32; y < 64; y += 4)
			of_a[y][item % 32] = word_or_zero(a + y * k + at, tile.i0 + y < m);
		for (uint y = item / 32; y < 32; y += 4)
			of_b[y][item % 32] = word_or_zero(b + y * k + at, tile.j0 + y < n);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint t = 0; t < 32; t++) {
			const int4 near = convert_int4(as_char4(of_a[i][t]));
			const int4 far = convert_int4(as_char4(of_a[i + 8][t]));

			#pragma unroll
			for (uint q = 0; q < 8; q++) {
				const uint y = j + q / 2 * 8 + q % 2;
				const int4 v = convert_int4(as_char4(of_b[y][t]));

				sum[q / 2 * 4 + q % 2] += near * v;
				sum[q / 2 * 4 + q % 2 + 2] += far * v;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	#pragma unroll
	for (uint q = 0; q < 4; q++) {
		uint x[4];

		#pragma unroll
		for (uint e = 0; e < 4; e++) {
			const uint4 s = as_uint4(sum[4 * q + e]);

			x[e] = s.x + s.y + s.z + s.w;
		}
		store_four(x, made, item, q, tile.modulus);
	}
}
