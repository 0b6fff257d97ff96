/* SPDX-License-Identifier: MIT */
/*
 * keys.cl - positions of points along a Hilbert curve through their box.
 *
 * OUTPUTS 0: the box of each group's points.  OUTPUTS 1: the box of all, from these boxes, and the
 * points' keys: 21 bits of each coordinate.  Points with NaN get any key.
 *
 * The box's longest side fills three quarters of the curve's cube.  A hash of this side's length
 * places the box in the cube.  So its place differs at each step of moving bodies, unless the
 * outermost ones rest.  Cells, and with them the errors of a sum by a tree, then differ from step
 * to step, and do not add up.
 *
 * Source: Skilling, AIP Conf. Proc. 707, 381 (2004), for the curve.
 */
#define BITS 21
#define BOX (3 << (BITS - 2)) /* steps of the curve along the box's longest side */
#define SHIFT_BITS (BITS - 2)

/* Reduces the boxes of a group's work-items to one box, at index 0. */
static inline void share_box(__local float4 *low, __local float4 *high, float4 own_low, float4 own_high)
{
	const uint x = get_local_id(0);

	low[x] = own_low;
	high[x] = own_high;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint half_ = WG0 / 2; half_ > 0; half_ /= 2) {
		if (x < half_) {
			low[x] = fmin(low[x], low[x + half_]);
			high[x] = fmax(high[x], high[x + half_]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

/* Spreads BITS bits to every third bit of a key. */
static inline ulong spread(ulong x)
{
	x = (x | x << 32) & 0x1f00000000ffffUL;
	x = (x | x << 16) & 0x1f0000ff0000ffUL;
	x = (x | x << 8) & 0x100f00f00f00f00fUL;
	x = (x | x << 4) & 0x10c30c30c30c30c3UL;
	return (x | x << 2) & 0x1249249249249249UL;
}

static inline ulong hilbert(uint x, uint y, uint z)
{
	uint t = 0;

	/* From the coarsest cube down, rotate or mirror the finer bits. */
	for (uint bit = 1u << (BITS - 1); bit > 1; bit >>= 1) {
		const uint finer = bit - 1;
		uint swap;

		x ^= x & bit ? finer : 0;
		swap = y & bit ? 0 : (x ^ y) & finer;
		x ^= y & bit ? finer : swap;
		y ^= swap;
		swap = z & bit ? 0 : (x ^ z) & finer;
		x ^= z & bit ? finer : swap;
		z ^= swap;
	}
	/* The Gray code's inverse. */
	y ^= x;
	z ^= y;
	for (uint bit = 1u << (BITS - 1); bit > 1; bit >>= 1)
		t ^= z & bit ? bit - 1 : 0;
	return spread(x ^ t) << 2 | spread(y ^ t) << 1 | spread(z ^ t);
}

KERNEL void run(ulong n, ulong groups, __global const POINT *restrict points,
                __global float4 *restrict boxes, __global ulong *restrict keys, ulong8 offset)
{
	__local float4 lows[WG0], highs[WG0];
	const uint x = get_local_id(0);
	const ulong end = min(n, GROUP0 + OUT0);
	float4 low = (float4)INFINITY, high = (float4)-INFINITY;

	points += offset.s0;
	boxes += 2 * offset.s1;
	keys += offset.s2;
#if OUTPUTS == 0
	for (ulong i = GROUP0 + x; i < end; i += WG0) {
		const float4 p = AT(points[i]);

		low = fmin(low, p);
		high = fmax(high, p);
	}
	share_box(lows, highs, low, high);
	if (x == 0) {
		boxes[2 * get_group_id(0) + BOX_LOW] = lows[0];
		boxes[2 * get_group_id(0) + BOX_HIGH] = highs[0];
	}
#else
	float4 scale;
	ulong shift;

	for (ulong g = x; g < groups; g += WG0) {
		low = fmin(low, boxes[2 * g + BOX_LOW]);
		high = fmax(high, boxes[2 * g + BOX_HIGH]);
	}
	share_box(lows, highs, low, high);
	low = lows[0];
	/* One scale for all axes.  Halved first, so that the difference cannot be infinite. */
	scale.x = fmax(0.5f * highs[0].x - 0.5f * low.x,
	               fmax(0.5f * highs[0].y - 0.5f * low.y, 0.5f * highs[0].z - 0.5f * low.z));
	shift = as_uint(scale.x) * 0x9e3779b97f4a7c15UL;
	scale.x = scale.x > 0 ? (float)(BOX / 2) / scale.x : 0;
	for (ulong i = GROUP0 + x; i < end; i += WG0) {
		const float4 at = (AT(points[i]) - low) * scale.x;
		const float most = (float)(BOX - 1);
		const uint mask = (1 << SHIFT_BITS) - 1;

		keys[i] = hilbert((uint)fmin(fmax(at.x, 0.0f), most) + (uint)(shift >> (64 - SHIFT_BITS)),
		                  (uint)fmin(fmax(at.y, 0.0f), most) + ((uint)(shift >> (64 - 2 * SHIFT_BITS)) & mask),
		                  (uint)fmin(fmax(at.z, 0.0f), most) + ((uint)(shift >> (64 - 3 * SHIFT_BITS)) & mask));
	}
#endif
}
