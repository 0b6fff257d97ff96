/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: a group is one work-item, its lanes are targets.
 *
 * OUT0 targets are held as OUT0 / LANES vectors of x, of y and of z; each source
 * is broadcast to them.  Lanes beyond the last target repeat it and are not
 * stored.
 */
#if WG0 != 1 || OUT0 % LANES
#error "one work-item a group, whole vectors of targets"
#endif
#define VECTORS (OUT0 / LANES)

KERNEL void run(ulong nsources, ulong ntargets, float scale, float softening2, float keep,
                __global const float4 *restrict sources, __global const float4 *restrict targets,
                __global RESULT *restrict out)
{
	float lane[3][OUT0] __attribute__((aligned(64)));
	V x[VECTORS], y[VECTORS], z[VECTORS];
	SUM total[VECTORS];

	for (uint i = 0; i < OUT0; i++) {
		const float4 t = targets[min(ntargets - 1, GROUP0 + i)];

		lane[0][i] = t.x;
		lane[1][i] = t.y;
		lane[2][i] = t.z;
	}
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
		x[v] = *(V *)(lane[0] + v * LANES);
		y[v] = *(V *)(lane[1] + v * LANES);
		z[v] = *(V *)(lane[2] + v * LANES);
		total[v] = sum_zero();
	}
	for (ulong j0 = 0; j0 < nsources; j0 += SOURCES) {
		const ulong j1 = min(nsources, j0 + SOURCES);
		SUM sum[VECTORS];

		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sum[v] = sum_zero();
		for (ulong j = j0; j < j1; j++) {
			const float4 s = sources[j];

			#pragma unroll
			for (uint v = 0; v < VECTORS; v++)
				sum_pair(&sum[v], s.x - x[v], s.y - y[v], s.z - z[v], (V)s.w,
				         softening2);
		}
		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sum_add(&total[v], sum[v]);
	}
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
		const ulong i = GROUP0 + v * LANES;

		if (i < ntargets)
			sum_store(total[v], scale, keep, out + i, (uint)min((ulong)LANES, ntargets - i));
	}
}
