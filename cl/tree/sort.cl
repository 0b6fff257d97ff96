/* SPDX-License-Identifier: MIT */
/*
 * sort.cl - one pass of a radix sort of keys by eight of their bits, from the lowest up.  A pass is
 * stable, so that eight passes sort all bits.
 *
 * OUTPUTS 0: counts(g, d) becomes the number of keys of group g with the digit d.  OUTPUTS 1:
 * counts(g, d) becomes the number of these keys in groups before g, and counts(groups, d) their
 * number in all groups.  OUTPUTS 2: keys and their numbers move to their sorted positions.  With
 * `fresh` the numbers are 0, 1, 2 and so on.
 */
#define WORDS ((WG0 + 31) / 32)
#define DIGIT(key) ((uint)((key) >> shift) & (DIGITS - 1))

KERNEL void run(ulong n, ulong groups, REAL by, REAL fresh, __global const ulong *restrict keys,
                __global const uint *restrict order, __global uint *restrict counts,
                __global ulong *restrict sorted_keys, __global uint *restrict sorted_order, ulong8 offset)
{
	const uint shift = (uint)by, x = get_local_id(0);
	const ulong group = get_group_id(0), begin = GROUP0, end = min(n, begin + OUT0);
#if OUTPUTS == 0
	__local uint count[DIGITS];

	for (uint d = x; d < DIGITS; d += WG0)
		count[d] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (ulong i = begin + x; i < end; i += WG0)
		atomic_inc(&count[DIGIT(keys[i])]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = x; d < DIGITS; d += WG0)
		counts[group * DIGITS + d] = count[d];
#elif OUTPUTS == 1
	/* A group has some digits, a work-item a range of the groups' counts. */
	__local uint sum[WG0];
	const ulong stretch = (groups + WG0 - 1) / WG0;
	const ulong first = min(groups, x * stretch), last = min(groups, first + stretch);

	for (ulong d = group; d < DIGITS; d += groups) {
		uint total = 0, before = 0;

		for (ulong g = first; g < last; g++)
			total += counts[g * DIGITS + d];
		sum[x] = total;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < x && i * stretch < groups; i++)
			before += sum[i];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (ulong g = first; g < last; g++) {
			const uint own = counts[g * DIGITS + d];

			counts[g * DIGITS + d] = before;
			before += own;
		}
		if (x == WG0 - 1)
			counts[groups * DIGITS + d] = before;
	}
#else
	/* with: the work-items that have a digit, as bits. */
	__local uint to[DIGITS], with[DIGITS][WORDS];

	for (uint d = x; d < DIGITS; d += WG0) {
		to[d] = counts[groups * DIGITS + d];
		for (uint w = 0; w < WORDS; w++)
			with[d][w] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (x == 0) {
		uint before = 0;

		for (uint d = 0; d < DIGITS; d++) {
			const uint own = to[d];

			to[d] = before;
			before += own;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = x; d < DIGITS; d += WG0)
		to[d] += counts[group * DIGITS + d];
	for (ulong i0 = begin; i0 < end; i0 += WG0) {
		const int here = i0 + x < end;
		const ulong key = here ? keys[i0 + x] : 0;
		const uint own = DIGIT(key), bit = 1u << x % 32;
		uint before = 0, all = 0;

		if (here)
			atomic_or(&with[own][x / 32], bit);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint w = 0; w < WORDS; w++) {
			const uint bits = with[own][w];

			all += popcount(bits);
			before += popcount(bits & (w < x / 32 ? ~0u : w == x / 32 ? bit - 1 : 0));
		}
		if (here) {
			sorted_keys[to[own] + before] = key;
			sorted_order[to[own] + before] = fresh != 0 ? (uint)(i0 + x) : order[i0 + x];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		/* The first item of its digit advances the digit's position. */
		if (here && before == 0) {
			to[own] += all;
			for (uint w = 0; w < WORDS; w++)
				with[own][w] = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#endif
}
