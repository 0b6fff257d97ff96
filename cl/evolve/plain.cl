/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, LANES bodies; each other body is broadcast to all lanes.  With
 * one lane it runs anywhere; its arguments are those of all force kernels.  Many lanes are
 * for CPUs, where a group is one work-item; two are for AMD's GPUs, which have instructions for
 * two floats.
 */
#ifndef UNROLL
#error "UNROLL, sources in one round of the loop, comes from the variant's row"
#endif
#if OUT0 != WG0 * LANES
#error "one vector of bodies a work-item"
#endif

static inline void add_body(RATES *p, const BODY *t, __global const POINT *state, ulong n, ulong j,
                            REAL soft)
{
	const BODY s = body_at(state, n, j);

	rates_add_pair(p, t, &s, soft);
}

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
		const uint count = (uint)min((ulong)SOURCES, n - j0);
		RATES p = rates_zero();
		uint j = 0;

#if UNROLL > 1 /* whole rounds first: AMD's compiler does not unroll a loop that may end within a round */
		for (; j + UNROLL <= count; j += UNROLL)
			#pragma unroll
			for (uint u = 0; u < UNROLL; u++)
				add_body(&p, &t, state, n, j0 + j + u, soft);
#endif
		for (; j < count; j++)
			add_body(&p, &t, state, n, j0 + j, soft);
		rates_add(&total, p);
	}
	rates_store(total, real(g), rates, n, i);
}
