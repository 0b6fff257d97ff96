/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - sources in tiles, OUT0 / WG0 targets a work-item in registers.
 *
 * With IN_LOCAL the tile goes through local memory.  With one target this is the tiled n-body
 * kernel of the lectures on OpenCL programming.  With more, each source read serves several pairs
 * (register preloading, Daga, Scogland, Feng).  Without IN_LOCAL all work-items read the same
 * source at a time, for devices with a fast path for uniform loads.  With PACKED neighbouring
 * targets are pairs in the lanes of vectors, for devices with instructions for two floats.
 */
#if !defined TILE || !defined UNROLL || !defined IN_LOCAL
#error "TILE, UNROLL (sources in one round of the loop) and IN_LOCAL come from the variant's row"
#endif
#if OUT0 % (WG0 * LANES) || TILE % WG0 || TILE % UNROLL
#error "whole targets a work-item, whole rounds a tile"
#endif
#define TARGETS (OUT0 / WG0 / LANES)
#define FIRST(u) (SLICE0 + ((u) * WG0 + x) * LANES)

#if IN_LOCAL
#define POINTS __local const BODY *
#define NUMBERS __local const float *
#else
#define POINTS __global const BODY *
#define NUMBERS __global const float *
#endif

/* By value: with pointers to private arrays PoCL 3.1 miscompiles the two loops between one pair of
 * barriers below. */
static inline SUM add_source(SUM sum, TARGET t, BODY source, float depth, REAL16 k,
                             const int check)
{
	sum_source(&sum, t, source, depth, k, check);
	return sum;
}

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	const uint x = get_local_id(0);
	TARGET t[TARGETS];
	SUM total[TARGETS];
#if IN_LOCAL
	__local BODY tile[TILE];
	__local float tile_depths[DEPTHS ? TILE : 1];
#endif

	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	#pragma unroll
	for (uint u = 0; u < TARGETS; u++) {
		const ulong i = min(ntargets - 1, FIRST(u));
#if PACKED
		const ulong j = min(ntargets - 1, i + 1);

		t[u] = target_pair(targets[i], targets[j], normals, i, j, k);
#else

		t[u] = target(targets[i], normals, i, k);
#endif
		total[u] = sum_begin(out, i, 0, k);
	}
	for (ulong j0 = 0; j0 < nsources; j0 += TILE) {
		const uint count = (uint)min((ulong)TILE, nsources - j0);
		SUM sum[TARGETS];
#if IN_LOCAL
		POINTS from = tile;
		NUMBERS from_depths = tile_depths;

		for (uint j = x; j < count; j += WG0) {
			tile[j] = sources[j0 + j];
			if (DEPTHS)
				tile_depths[j] = depths[j0 + j];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
#else
		POINTS from = sources + j0;
		NUMBERS from_depths = depths + (DEPTHS ? j0 : 0);
#endif
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum[u] = sum_zero();
		if (count == TILE) {
			#pragma unroll UNROLL
			for (uint j = 0; j < TILE; j++)
				#pragma unroll
				for (uint u = 0; u < TARGETS; u++)
					sum[u] = add_source(sum[u], t[u], from[j],
					                    DEPTHS ? from_depths[j] : 0, k,
					                    FIRST_PASS);
			/* One target at a time, for lack of registers. */
			#pragma unroll
			for (uint u = 0; u < TARGETS; u++)
				if (sum_not_finite(sum[u])) {
					SUM checked = sum_zero();

					for (uint j = 0; j < TILE; j++)
						checked = add_source(checked, t[u], from[j],
						                     DEPTHS ? from_depths[j] : 0, k,
						                     CHECKED_PASS);
					sum_choose(&sum[u], checked);
				}
		} else {
			for (uint j = 0; j < count; j++)
				#pragma unroll
				for (uint u = 0; u < TARGETS; u++)
					sum[u] = add_source(sum[u], t[u], from[j],
					                    DEPTHS ? from_depths[j] : 0, k,
					                    CHECKED_PASS);
		}
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_add(&total[u], sum[u]);
#if IN_LOCAL
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
	}
	#pragma unroll
	for (uint u = 0; u < TARGETS; u++)
		if (FIRST(u) < ntargets)
#if PACKED
			sum_store_pair(out, FIRST(u), FIRST(u) + 1 < ntargets, total[u], normals, k);
#else
			sum_store(out, FIRST(u), total[u], normals, k);
#endif
}
