/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - OUT0 bodies a group, LANES of them a work-item; the other bodies pass through local
 * memory in tiles of WG0.
 *
 * PARTS work-items share their bodies: each takes its part of every tile, ITEMS sources, so that
 * some thousand bodies fill a large device.  If a part is a wave or more, all its lanes read the
 * same source.
 *
 * Bodies beyond the end lie at the origin and have no mass.
 */
#ifndef UNROLL
#error "UNROLL, sources in one round of the loop, comes from the variant's row"
#endif

KERNEL void run(ulong n, ulong begin, NUMBER g, NUMBER softening2, __global const POINT *restrict state,
                __global POINT *restrict rates)
{
	__local POINT position[WG0];
#if JERK
	__local POINT velocity[WG0];
#endif
#if PARTS > 1
	__local RATES part[WG0 / 2];
#endif
	const uint x = get_local_id(0), first = x / ITEMS * ITEMS;
	const ulong i = begin + SLICE0 + x % ITEMS * LANES;
	const REAL soft = real(softening2);
	const BODY t = bodies_at(state, n, min(n - 1, i));
	RATES total = rates_zero();

	for (ulong j0 = 0; j0 < n; j0 += WG0) {
		RATES p = rates_zero();

		position[x] = j0 + x < n ? state[j0 + x] : (POINT)(0);
#if JERK
		velocity[x] = j0 + x < n ? state[n + j0 + x] : (POINT)(0);
#endif
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll UNROLL
		for (uint j = 0; j < ITEMS; j++) {
#if JERK
			const BODY s = body(position[first + j], velocity[first + j]);
#else
			const BODY s = body(position[first + j], position[first + j]);
#endif

			rates_add_pair(&p, &t, &s, soft);
		}
		rates_add(&total, p);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#if PARTS > 1
	rates_join(&total, part);
#endif
	if (x < ITEMS && i < n)
		rates_store(total, real(g), rates, n, i);
}
