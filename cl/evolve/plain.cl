/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - LANES bodies a work-item; each other body is broadcast to all lanes.
 *
 * With one lane it runs anywhere.  All force kernels have its arguments.  Many lanes are for CPUs,
 * where a group is one work-item.  Two are for AMD's GPUs, which have instructions for two floats.
 *
 * PARTS work-items share their bodies: each takes a range of the sources.  Where a part is whole
 * waves, a builtin makes the index of the source uniform for AMD's compiler, so that scalar
 * registers hold the source.
 */
#ifndef UNROLL
#error "UNROLL, sources in one round of the loop, comes from the variant's row"
#endif
#if LANES == 1 && PARTS > 1
#error "with one lane a part would read bodies beyond the last"
#endif
/* In double-single RDNA's compiler pairs fewer instructions with two sources an iteration than with
 * one. */
#define ROUND (DOUBLE_SINGLE ? 1 : UNROLL)
#ifdef __AMDGCN__
#if __has_builtin(__builtin_amdgcn_wavefrontsize) /* LLVM 9 and later */
#define UNIFORM(x) \
	(ITEMS % __builtin_amdgcn_wavefrontsize() ? (x) : (uint)__builtin_amdgcn_readfirstlane((int)(x)))
#endif
#endif
#ifndef UNIFORM
#define UNIFORM(x) (x)
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
#if PARTS > 1
	__local RATES part[WG0 / 2];
#endif
	const uint x = get_local_id(0);
	const ulong i = begin + SLICE0 + x % ITEMS * LANES;
	const ulong stretch = (n + PARTS - 1) / PARTS, first = UNIFORM(x / ITEMS) * stretch;
	const ulong end = min(n, first + stretch);
	const REAL soft = real(softening2);
	RATES total = rates_zero();
	BODY t;

#if LANES == 1 && PARTS == 1 /* with more, every group has a body, and the branch would cost 2 % */
	if (i >= n)
		return;
#endif
	t = bodies_at(state, n, i);
	for (ulong j0 = first; j0 < end; j0 += SOURCES) {
		const uint count = (uint)min((ulong)SOURCES, end - j0);
		RATES p = rates_zero();
		uint j = 0;

#if UNROLL > 1 /* AMD's compiler does not unroll a loop that may end within a round */
		for (; j + ROUND <= count; j += ROUND)
			#pragma unroll
			for (uint u = 0; u < ROUND; u++)
				add_body(&p, &t, state, n, j0 + j + u, soft);
#endif
		for (; j < count; j++)
			add_body(&p, &t, state, n, j0 + j, soft);
		rates_add(&total, p);
	}
#if PARTS > 1
	rates_join(&total, part);
	if (x < ITEMS && i < n)
#endif
		rates_store(total, real(g), rates, n, i);
}
