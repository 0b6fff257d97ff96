/* SPDX-License-Identifier: MIT */
/*
 * tile.cl - sources in tiles through local memory, OUT0 / WG0 targets a
 * work-item in registers.  One target is the tiled n-body kernel of the
 * lectures on OpenCL programming; more let each source that is read from local
 * memory serve several pairs (register preloading, Daga, Scogland, Feng).
 *
 * Sources beyond the end have no weight and are far away, since a copy of a
 * target would carry its NaN to the others.
 */
#ifndef UNROLL
#error "UNROLL, sources in one round of the loop, comes from the variant's row"
#endif
#if OUT0 % WG0
#error "whole targets a work-item"
#endif
#define TARGETS (OUT0 / WG0)

KERNEL void run(ulong nsources, ulong ntargets, float scale, float softening2, float keep,
                __global const float4 *restrict sources, __global const float4 *restrict targets,
                __global RESULT *restrict out)
{
	__local float4 tile[WG0];
	const uint x = get_local_id(0);
	float4 t[TARGETS];
	SUM total[TARGETS];

	#pragma unroll
	for (uint u = 0; u < TARGETS; u++) {
		t[u] = targets[min(ntargets - 1, GROUP0 + u * WG0 + x)];
		total[u] = sum_zero();
	}
	for (ulong j0 = 0; j0 < nsources; j0 += WG0) {
		SUM sum[TARGETS];

		tile[x] = j0 + x < nsources ? sources[j0 + x] : (float4)(FAR, FAR, FAR, 0);
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum[u] = sum_zero();
		#pragma unroll UNROLL
		for (uint j = 0; j < WG0; j++) {
			const float4 s = tile[j];

			#pragma unroll
			for (uint u = 0; u < TARGETS; u++)
				sum_pair(&sum[u], s.x - t[u].x, s.y - t[u].y, s.z - t[u].z, s.w,
				         softening2);
		}
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_add(&total[u], sum[u]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	#pragma unroll
	for (uint u = 0; u < TARGETS; u++)
		if (GROUP0 + u * WG0 + x < ntargets)
			sum_put(out + GROUP0 + u * WG0 + x, sum_result(total[u], scale), keep);
}
