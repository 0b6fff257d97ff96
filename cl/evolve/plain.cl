/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, LANES bodies; each other body is broadcast to all lanes.  With
 * one lane it runs anywhere; its arguments are those of all force kernels.  More lanes are
 * for CPUs, where a group is one work-item.
 */
#if OUT0 != WG0 * LANES
#error "one vector of bodies a work-item"
#endif

KERNEL void run(ulong n, ulong begin, NUMBER g, NUMBER softening2, __global const POINT *restrict state,
                __global POINT *restrict rates)
{
	const ulong i = begin + get_global_id(0) * LANES;
	const REAL soft = real(softening2);
	RATES total = rates_zero();
	BODY t;

#if LANES == 1 /* with more every group has a body, and the branch would cost 2 % */
	if (i >= n)
		return;
#endif
	t = bodies_at(state, n, i);
	for (ulong j0 = 0; j0 < n; j0 += SOURCES) {
		const ulong j1 = min(n, j0 + SOURCES);
		RATES p = rates_zero();

		for (ulong j = j0; j < j1; j++) {
			const BODY s = body_at(state, n, j);

			rates_add_pair(&p, &t, &s, soft);
		}
		rates_add(&total, p);
	}
	rates_store(total, real(g), rates, n, i);
}
