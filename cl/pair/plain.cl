/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, one target, all sources.  Runs anywhere; its arguments are
 * those of all pair kernels: points of three coordinates and a weight, a depth for each
 * source and a normal for each target where the problem has them, and the numbers that
 * pair/target.clh names.
 */
KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const float4 *restrict sources,
                __global const float *restrict depths, __global const float4 *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out)
{
	const ulong i = get_global_id(0);
	SUM total = sum_zero();
	TARGET t;

	if (i >= ntargets)
		return;
	t = target(TO_REAL4(targets[i]), normals, i, k);
	for (ulong j0 = 0; j0 < nsources; j0 += SOURCES) {
		const ulong j1 = min(nsources, j0 + SOURCES);
		SUM sum = sum_zero();

		for (ulong j = j0; j < j1; j++) {
			const REAL4 s = TO_REAL4(sources[j]);

			sum_pair(&sum, t, s.x, s.y, s.z, s.w, DEPTHS ? depths[j] : 0, k,
			         CHECKED_PASS);
		}
		sum_add(&total, sum);
	}
	sum_store(out, i, total, normals, k);
}
