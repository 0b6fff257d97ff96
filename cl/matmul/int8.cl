/* SPDX-License-Identifier: MIT */
/*
 * int8.cl - products of residues anywhere (int8.clh): a group makes 64 rows x 32 columns mod one p.
 */
struct words {
	ulong word[15]; /* of a tensor map, not used here */
};

static inline int add_dot_signed(uint a, uint b, int c)
{
	const int4 p = convert_int4(as_char4(a)) * convert_int4(as_char4(b));

	return c + (p.x + p.y + p.z + p.w);
}

/* x mod p for |x| < 2^29; or p instead of 0. */
static inline uint reduced(int x, uint l)
{
	return (uint)x - (uint)(mul_hi(x, OVER[l]) >> 6) * MODULUS[l];
}

KERNEL void products(__global const uchar *a, struct words words_a, __global const uchar *b,
                     struct words words_b, ulong m, ulong n, ulong k, long lower, ulong all_a,
                     ulong all_b, ulong all, ulong b_at, ulong products_at, __global uchar *made)
{
	__local uint of_a[64][33], of_b[32][33];
	const uint item = (uint)get_local_id(0), l = (uint)get_group_id(0) % MODULI;
	const ulong matrix = get_group_id(2), tiles0 = (n + TILE0 - 1) / TILE0;
	const ulong i0 = get_group_id(1) * 64, j0 = get_group_id(0) / MODULI * 32;
	const ulong tile = i0 / TILE1 * tiles0 + j0 / TILE0;
	const uint i = item / 32 * 16 + item % 32 / 4, j = item % 4 * 2;
	int sum[16] = { 0 };

	if (!any_in_triangle(i0, 64, j0, 32, lower))
		return;
	a += ((all_a > 1 ? matrix : 0) * MODULI + l) * m * k + i0 * k;
	b += b_at + ((all_b > 1 ? matrix : 0) * MODULI + l) * n * k + j0 * k;
	made += products_at + (matrix * MODULI + l) * ((m + TILE1 - 1) / TILE1 * tiles0 * TILE_BYTES) +
	        ((tile * 2 + i0 / 64 % 2) * 8 + j0 / 32 % 8) * PART_BYTES + item * 16;
	for (ulong p = 0; p < k; p += 128) {
		for (uint y = item / 32; y < 64; y += 4)
			of_a[y][item % 32] =
			        i0 + y < m ? *(__global const uint *)(a + y * k + p + item % 32 * 4) : 0;
		for (uint y = item / 32; y < 32; y += 4)
			of_b[y][item % 32] =
			        j0 + y < n ? *(__global const uint *)(b + y * k + p + item % 32 * 4) : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint t = 0; t < 32; t++)
			#pragma unroll
			for (uint e = 0; e < 16; e++)
				sum[e] = add_dot_signed(of_a[i + e / 2 % 2 * 8][t],
				                        of_b[j + e / 4 * 8 + e % 2][t], sum[e]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	#pragma unroll
	for (uint q = 0; q < 4; q++)
		((__global uint *)made)[q] = pack(reduced(sum[4 * q], l), reduced(sum[4 * q + 1], l),
		                                  reduced(sum[4 * q + 2], l), reduced(sum[4 * q + 3], l));
}
