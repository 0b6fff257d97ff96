/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, one target, all sources.  Runs anywhere; states the
 * arguments that all its siblings take.
 */
KERNEL void run(ulong nsources, ulong ntargets, float scale, float softening2, float keep,
                __global const float4 *restrict sources, __global const float4 *restrict targets,
                __global RESULT *restrict out)
{
	const ulong i = get_global_id(0);
	SUM total = sum_zero();
	float4 t;

	if (i >= ntargets)
		return;
	t = targets[i];
	for (ulong j0 = 0; j0 < nsources; j0 += SOURCES) {
		const ulong j1 = min(nsources, j0 + SOURCES);
		SUM sum = sum_zero();

		for (ulong j = j0; j < j1; j++) {
			const float4 s = sources[j];

			sum_pair(&sum, s.x - t.x, s.y - t.y, s.z - t.z, s.w, softening2);
		}
		sum_add(&total, sum);
	}
	sum_put(out + i, sum_result(total, scale), keep);
}
