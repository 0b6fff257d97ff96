/* SPDX-License-Identifier: MIT */
/*
 * split.cl - for few targets: a group's work-items share OUT0 targets, EACH a work-item; those of the same
 * targets take every PARTS-th source, and a tree in local memory adds up their sums.  With more
 * targets a work-item each source that is read serves several pairs.
 */
#ifndef EACH
#define EACH 1
#endif
#define COLUMNS (OUT0 / EACH)
#define PARTS (WG0 / COLUMNS)
#if OUT0 % EACH || WG0 % COLUMNS || PARTS & (PARTS - 1)
#error "the work-items of a target must be a power of two"
#endif
#define FIRST(u) (SLICE0 + (u) * COLUMNS + x % COLUMNS)

static inline void add_sources(SUM *sum, const TARGET *t, __global const BODY *sources, __global const float *depths,
                               ulong first, ulong last, REAL16 k, const int check)
{
	#pragma unroll
	for (uint u = 0; u < EACH; u++)
		sum[u] = sum_zero();
	for (ulong j = first; j < last; j += PARTS)
		#pragma unroll
		for (uint u = 0; u < EACH; u++)
			sum_source(&sum[u], t[u], sources[j], DEPTHS ? depths[j] : 0, k, check);
}

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	__local SUM parts[WG0];
	const uint x = get_local_id(0), slice = x / COLUMNS;
	SUM total[EACH];
	TARGET t[EACH];

	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	#pragma unroll
	for (uint u = 0; u < EACH; u++) {
		const ulong i = min(ntargets - 1, FIRST(u));

		/* Assigned apart from its declaration: Oclgrind 21.10 stops at an initializer. */
		t[u] = target(targets[i], normals, i, k);
		total[u] = sum_begin(out, i, slice, k);
	}
	for (ulong j0 = slice; j0 < nsources; j0 += (ulong)PARTS * SOURCES) {
		const ulong j1 = min(nsources, j0 + (ulong)PARTS * SOURCES);
		SUM sum[EACH];
		int check = 0;

		add_sources(sum, t, sources, depths, j0, j1, k, FIRST_PASS);
		#pragma unroll
		for (uint u = 0; u < EACH; u++)
			check |= sum_not_finite(sum[u]);
		if (check)
			add_sources(sum, t, sources, depths, j0, j1, k, CHECKED_PASS);
		#pragma unroll
		for (uint u = 0; u < EACH; u++)
			sum_add(&total[u], sum[u]);
	}
	#pragma unroll
	for (uint u = 0; u < EACH; u++) {
		const ulong i = FIRST(u);

		if (i < ntargets) /* the others repeat the last target */
			sum_keep(out, i, slice, total[u], k);
		parts[x] = total[u];
		for (uint apart = WG0 / 2; apart >= COLUMNS; apart /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			if (x < apart) {
				sum_add(&total[u], parts[x + apart]);
				parts[x] = total[u];
			}
		}
		if (ENDS && slice == 0 && i < ntargets)
			sum_store(out, i, total[u], normals, k);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
