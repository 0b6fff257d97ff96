/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item per target, over all sources.  Runs anywhere.  All pair kernels have its
 * arguments: points of three coordinates and a weight; a depth for each source and a normal for
 * each target, if the problem has them; the numbers that pair/target.clh names.
 */
KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	const ulong i = get_global_id(0);
	SUM total;
	TARGET t;

	if (i >= ntargets)
		return;
	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	t = target(targets[i], normals, i, k);
	total = sum_begin(out, i, 0, k);
	for (ulong j0 = 0; j0 < nsources; j0 += SOURCES) {
		const ulong j1 = min(nsources, j0 + SOURCES);
		SUM sum = sum_zero();

		for (ulong j = j0; j < j1; j++)
			sum_source(&sum, t, sources[j], DEPTHS ? depths[j] : 0, k, CHECKED_PASS);
		sum_add(&total, sum);
	}
	sum_store(out, i, total, normals, k);
}
