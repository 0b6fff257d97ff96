/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - sums over pairs by a tree: one work-item per target, which walks alone.  Runs
 * anywhere.  All sums by a tree have its arguments.
 *
 * points: the sources in the tree's order, then all cells' proxies. order: the targets in their
 * order along the curve; they need not be the sources.  A group has OUT0 of them. pairs: the
 * numbers of sources and proxies that each target of a group was summed over.
 */
#if WG0 != 1 || OUT0 != 1
#error "a target for each work-item"
#endif

KERNEL void run(ulong nsources, ulong ntargets, ulong degree, REAL16 k, __global const POINT *restrict points,
                __global const float4 *restrict boxes, __global const POINT *restrict targets,
                __global const float4 *restrict normals, __global const uint *restrict order,
                __global uint2 *restrict pairs, __global RESULT *restrict out, ulong8 offset)
{
	const TREE tree = tree_of(nsources, (uint)degree);
	uint2 seen = 0;
	SUM total = sum_zero();
	ulong i;

	BEGIN_SUM(points, boxes, targets, normals, order, pairs, out);
	i = order[SLICE0];
	sum_alone(&total, &seen, target(targets[i], normals, i, k), tree, points, boxes, k);
	pairs[SLICE0] = seen;
	sum_store(out, i, total, normals, k);
}
