/* SPDX-License-Identifier: MIT */
/*
 * int8.cl - products of residues anywhere (int8.clh): a group makes 64 rows x 32 columns mod one p,
 * or modulo 2^32 (int8_sums.clh).
 */
struct words {
	ulong word[15]; /* of a tensor map, not used here */
};

#if MODULI > 1
/* The sum mod p, if it is below 2^29; or p instead of 0. */
static inline uint reduced(int4 sum, uint l)
{
	const int x = sum.x + sum.y + sum.z + sum.w;

	return (uint)x - (uint)(mul_hi(x, OVER[l]) >> 6) * MODULUS[l];
}
#else
static inline uint whole(int4 sum)
{
	const uint4 s = as_uint4(sum);

	return s.x + s.y + s.z + s.w;
}
#endif

static inline uint word_or_zero(__global const uchar *at, int there)
{
	return there ? *(__global const uint *)at : 0;
}

KERNEL void products(ulong16 sizes, __global const uchar *a, struct words words_a,
                     __global const uchar *b, struct words words_b, __global uchar *made)
{
	const ulong m = sizes.s0, n = sizes.s1, k = sizes.s2;
	__local uint of_a[64][33], of_b[32][33];
	const uint item = (uint)get_local_id(0), l = (uint)get_group_id(0) % MODULI;
	const ulong matrix = get_group_id(2), parts0 = (n + 31) / 32, parts1 = (m + 63) / 64;
	const ulong i0 = get_group_id(1) * 64, j0 = get_group_id(0) / MODULI * 32;
	const uint i = item / 32 * 16 + item % 32 / 4, j = item % 4 * 2;
	int4 sum[16] = { 0 };

	if (!any_in_triangle(i0, 64, j0, 32, (long)sizes.s3))
		return;
	a += ((sizes.s4 > 1 ? matrix : 0) * MODULI + l) * m * k + i0 * k;
	b += sizes.s7 + ((sizes.s5 > 1 ? matrix : 0) * MODULI + l) * n * k + j0 * k;
	made += sizes.s8 + item * 16 +
	        (((matrix * MODULI + l) * parts1 + i0 / 64) * parts0 + j0 / 32) * PART_BYTES;
	for (ulong p = 0; p < k; p += 128) {
		const ulong at = p + item % 32 * 4;

		for (uint y = item / 32; y < 64; y += 4)
			of_a[y][item % 32] = word_or_zero(a + y * k + at, i0 + y < m);
		for (uint y = item / 32; y < 32; y += 4)
			of_b[y][item % 32] = word_or_zero(b + y * k + at, j0 + y < n);
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
		const int4 *s = &sum[4 * q];

#if MODULI > 1
		((__global uint *)made)[q] =
		        pack(reduced(s[0], l), reduced(s[1], l), reduced(s[2], l),
		             reduced(s[3], l));
#else
		*(__global uint4 *)(made + q * 2048) =
		        (uint4)(whole(s[0]), whole(s[1]), whole(s[2]), whole(s[3]));
#endif
	}
}
