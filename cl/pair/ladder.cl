/* SPDX-License-Identifier: MIT */
/*
 * ladder.cl - the n-body example of the lectures on OpenCL programming, step by step.  It exists to
 * be measured (examples/bench/ladders.py), and is never picked.
 *
 *	TILE 0    each work-item reads every body from global memory, and adds up in
 *	          local memory
 *	TILE 1    a group reads a tile of bodies into local memory, and each work-item
 *	          adds up in registers
 *	UNROLL    bodies in one round of the innermost loop: 1, 2 or 4
 */
#if !defined TILE || !defined UNROLL
#error "TILE and UNROLL come from the variant's row"
#endif
#if OUTPUTS < 2 || PRECISION != 0 || LANES != 1
#error "accelerations in float32"
#endif

/* A body's contribution to an acceleration (x, y, z) and to the potential (the fourth number).  A
 * body at the same position, or too far away, adds nothing. */
static inline float4 interaction(float4 body, float4 at, REAL16 k)
{
	const float4 r = body - at;
	const float square = r.x * r.x + r.y * r.y + r.z * r.z, softened = square + SOFTENING2;
	const int counts = (square >= FLT_MIN && softened <= FLT_MAX) || square != square;
	const float inverse = 1.0f / sqrt(counts ? softened : 1.0f);
	const float phi = (counts ? body.w : 0.0f) * inverse;

	/* Zero times an infinite distance would be NaN. */
	return (float4)(phi * (inverse * inverse) * (counts ? r.xyz : (float3)(0)), phi);
}

KERNEL void run(ulong nbodies, ulong ntargets, REAL16 k, __global const float4 *bodies,
                __global const float *depths, __global const float4 *targets,
                __global const float4 *normals, __global RESULT *out, ulong8 offset)
{
	const ulong i = get_global_id(0), at = min(i, ntargets - 1);
	const uint x = get_local_id(0);
	float4 sum = 0;

	bodies += offset.s0;
	BEGIN(depths, targets, normals, out);
#if TILE
	__local float4 tile[WG0];
	const float4 target = targets[at];

	for (ulong j0 = 0; j0 < nbodies; j0 += WG0) {
		const uint count = (uint)min((ulong)WG0, nbodies - j0);
		uint j = 0;

		if (x < count)
			tile[x] = bodies[j0 + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (; j + UNROLL <= count; j += UNROLL) {
			sum += interaction(tile[j], target, k);
#if UNROLL >= 2
			sum += interaction(tile[j + 1], target, k);
#endif
#if UNROLL == 4
			sum += interaction(tile[j + 2], target, k);
			sum += interaction(tile[j + 3], target, k);
#endif
		}
		for (; j < count; j++)
			sum += interaction(tile[j], target, k);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#else
	__local float4 result[WG0];

	result[x] = 0;
	for (ulong j = 0; j < nbodies; j++)
		result[x] += interaction(bodies[j], targets[at], k);
	sum = result[x];
#endif
	/* The scale is -G: the law of charges, but like ones attract. */
	sum = (float4)(-SCALE * sum.xyz, PHI ? SCALE * sum.w : 0);
	if (i < ntargets)
		out[i] = KEEP == 0 ? sum : sum + out[i];
}
