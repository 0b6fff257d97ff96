/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - the others in tiles of WG0 through local memory, OUT0 bodies a group.
 *
 * WG0 / OUT0 work-items share a body: each takes its part of every tile, and their
 * sums are added up at the end, two and two.  So some thousand bodies are enough for a large
 * device.  With parts of a wave or more all lanes of it read the same source.
 *
 * Bodies beyond the end lie at the origin and have no mass.
 */
#ifndef UNROLL
#error "UNROLL, sources in one round of the loop, comes from the variant's row"
#endif
#define PARTS (WG0 / OUT0)
#if WG0 % OUT0 || PARTS & (PARTS - 1)
#error "as many work-items for each body, a power of two"
#endif

KERNEL void run(ulong n, NUMBER g, NUMBER softening2, __global const POINT *restrict state,
                __global POINT *restrict rates)
{
	__local POINT place[WG0];
#if JERK
	__local POINT velocity[WG0];
#endif
#if PARTS > 1
	__local PULL part[WG0];
#endif
	const uint x = get_local_id(0), first = x / OUT0 * OUT0;
	const ulong i = SLICE0 + x % OUT0;
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
		for (uint j = 0; j < OUT0; j++) {
#if JERK
			const BODY s = body(place[first + j], velocity[first + j]);
#else
			const BODY s = body(place[first + j], place[first + j]);
#endif

			pull_pair(&p, &t, &s, soft);
		}
		pull_add(&total, p);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#if PARTS > 1
	part[x] = total;
	for (uint apart = WG0 / 2; apart >= OUT0; apart /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (x < apart) {
			pull_add(&total, part[x + apart]);
			part[x] = total;
		}
	}
#endif
	if (x < OUT0 && i < n)
		pull_put(total, real(g), rates, n, i);
}
