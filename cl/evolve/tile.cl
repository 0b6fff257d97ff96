/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - one work-item, one body; the others in tiles through local memory.
 *
 * Bodies beyond the end lie at the origin and have no mass.
 */
#ifndef UNROLL
#error "UNROLL, sources in one round of the loop, comes from the variant's row"
#endif
#if OUT0 != WG0
#error "one body a work-item"
#endif

KERNEL void run(ulong n, NUMBER g, NUMBER softening2, __global const POINT *restrict state,
                __global POINT *restrict rates)
{
	__local POINT place[WG0];
#if JERK
	__local POINT velocity[WG0];
#endif
	const uint x = get_local_id(0);
	const ulong i = get_global_id(0);
	const REAL soft = real(softening2);
	const BODY t = body_at(state, n, min(n - 1, i));
	PULL total = pull_zero();

	for (ulong j0 = 0; j0 < n; j0 += WG0) {
		PULL p = pull_zero();

		place[x] = j0 + x < n ? state[j0 + x] : (POINT)(0);
#if JERK
		velocity[x] = j0 + x < n ? state[n + j0 + x] : (POINT)(0);
#endif
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll UNROLL
		for (uint j = 0; j < WG0; j++) {
#if JERK
			const BODY s = body(place[j], velocity[j]);
#else
			const BODY s = body(place[j], place[j]);
#endif

			pull_pair(&p, &t, &s, soft);
		}
		pull_add(&total, p);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (i < n)
		pull_put(total, real(g), rates, n, i);
}
