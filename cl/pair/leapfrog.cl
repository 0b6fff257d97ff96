/* SPDX-License-Identifier: MIT */
/*
 * leapfrog.cl - a step of clopt_nbody_leapfrog (clopt_nbody_evolve has evolve/step.cl): kick and
 * drift, v += a * kick, then x += v * drift.  The fourth floats, masses and
 * the caller's numbers after velocities, do not change.
 */
KERNEL void run(ulong n, float kick, float drift, __global float4 *restrict bodies,
                __global float4 *restrict velocities, __global const float4 *restrict acc,
                ulong8 offset)
{
	const ulong i = get_global_id(0);
	float4 x, v;

	if (i >= n)
		return;
	bodies += offset.s0;
	velocities += offset.s1;
	acc += offset.s2;
	x = bodies[i];
	v = velocities[i];
	v.xyz += acc[i].xyz * kick;
	x.xyz += v.xyz * drift;
	bodies[i] = x;
	velocities[i] = v;
}
