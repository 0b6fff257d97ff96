/* SPDX-License-Identifier: MIT */
/*
 * cells.cl - a level of the tree: the boxes of its cells, and their proxies.
 *
 * Proxies stand at fixed points of a cell's box, as many as there are products x^a y^b z^c with
 * a + b + c <= order; their weights are such that sum(weight x^a y^b z^c) over them is that over the cell's
 * sources, for each product.  So a law that is smooth over the box sees the same sum but for
 * terms of higher degree.  `matrix` has a row for each proxy: its place in the box from -1 to 1, and then what
 * each sum adds to its weight, in the order in which the loops below have them.
 *
 * OUTPUTS 0: leaves; sources become those of `order', and are written to `sorted'.  OUTPUTS 1: cells of two
 * cells; the sources are the proxies of these.  One group makes a cell.
 */
#if OUT0 != 1
#error "a cell for each group"
#endif
#define MOST PROXIES(MOST_ORDER)
#define MATRIX_ROW (3 + MOST)
#define ENTRY(m) ((REAL)(m).x + (REAL)(m).y) /* of two floats */

KERNEL void run(ulong cells, ulong n, ulong order_, __global const POINT *restrict sources,
                __global const uint *restrict order, __global const float2 *restrict matrix,
                __global const float4 *restrict inner, __global float4 *restrict boxes,
                __global POINT *restrict sorted, __global POINT *restrict proxies, ulong8 offset)
{
	const uint x = get_local_id(0), degree = (uint)order_, count = PROXIES(degree);
	const uint each = OUTPUTS == 0 ? LEAF(degree) : 2 * count;
	const ulong cell = get_group_id(0), first = cell * each;
	const uint here = (uint)min((ulong)each, n - first);
	__local REAL sum[MOST];
	float4 low, high;
	REAL4 middle, scale, half_;

	sources += offset.s0;
	order += offset.s1;
	inner += 2 * offset.s3;
	boxes += 2 * offset.s4;
	sorted += offset.s5;
	proxies += offset.s6;
#if OUTPUTS == 0
	low = (float4)INFINITY;
	high = (float4)-INFINITY;
	for (uint j = 0; j < here; j++) {
		const POINT p = sources[order[first + j]];

		low = fmin(low, AT(p));
		high = fmax(high, AT(p));
		if (j % WG0 == x)
			sorted[first + j] = p;
	}
#else
	low = inner[4 * cell + BOX_LOW];
	high = inner[4 * cell + BOX_HIGH];
	if (here > count) {
		low = fmin(low, inner[4 * cell + 2 + BOX_LOW]);
		high = fmax(high, inner[4 * cell + 2 + BOX_HIGH]);
	}
#endif
	if (x == 0) {
		boxes[2 * cell + BOX_LOW] = low;
		boxes[2 * cell + BOX_HIGH] = high;
	}
	middle = (REAL)0.5f * TO_REAL4(low) + (REAL)0.5f * TO_REAL4(high);
	half_ = (REAL)0.5f * TO_REAL4(high) - (REAL)0.5f * TO_REAL4(low);
	/* Along an axis without extent all are at 0. */
	scale.x = half_.x > 0 ? 1 / half_.x : 0;
	scale.y = half_.y > 0 ? 1 / half_.y : 0;
	scale.z = half_.z > 0 ? 1 / half_.z : 0;
	for (uint s = x; s < count; s += WG0)
		sum[s] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
#if WG0 == 1
	for (uint j = 0; j < here; j++) {
		const REAL4 p = POSITION(OUTPUTS == 0 ? sources[order[first + j]] : sources[first + j]);
		const REAL4 at = (p - middle) * scale;
		REAL u = p.w;
		uint s = 0;

		for (uint a = 0; a <= degree; a++, u *= at.x) {
			REAL v = u;

			for (uint b = 0; a + b <= degree; b++, v *= at.y) {
				REAL w = v;

				for (uint c = 0; a + b + c <= degree; c++, w *= at.z)
					sum[s++] += w;
			}
		}
	}
#else
	for (uint s = x; s < count; s += WG0) {
		uint a = 0, b = 0, c = s;
		REAL total = 0;

		/* The powers of sum s. */
		while (c > degree - a - b) {
			c -= degree - a - b + 1;
			b++;
			if (b > degree - a) {
				b = 0;
				a++;
			}
		}
		for (uint j = 0; j < here; j++) {
			const REAL4 p = POSITION(OUTPUTS == 0 ? sources[order[first + j]] : sources[first + j]);
			const REAL4 at = (p - middle) * scale;
			REAL w = p.w;

			for (uint i = 0; i < a; i++)
				w *= at.x;
			for (uint i = 0; i < b; i++)
				w *= at.y;
			for (uint i = 0; i < c; i++)
				w *= at.z;
			total += w;
		}
		sum[s] = total;
	}
#endif
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = x; i < count; i += WG0) {
		__global const float2 *row = matrix + i * MATRIX_ROW;
		REAL weight = 0;

		for (uint s = 0; s < count; s++)
			weight = fma(ENTRY(row[3 + s]), sum[s], weight);
		proxies[cell * count + i] = POINT_OF(fma(half_.x, ENTRY(row[0]), middle.x),
		                                     fma(half_.y, ENTRY(row[1]), middle.y),
		                                     fma(half_.z, ENTRY(row[2]), middle.z), weight);
	}
}
