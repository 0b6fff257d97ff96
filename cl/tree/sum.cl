/* SPDX-License-Identifier: MIT */
/*
 * sum.cl - sums over pairs by a tree: pair/tile.cl, with tiles that a walk fills.
 * Its arguments are those of plain.cl.
 */
#if !defined TILE || !defined UNROLL
#error "TILE and UNROLL (sources in one round of the loop) come from the variant's row"
#endif
#if OUT0 % WG0
#error "whole targets a work-item"
#endif
#define TARGETS (OUT0 / WG0)
#define MOST 128 /* LEAF of the largest order */
#if TILE < MOST
#error "a leaf has to fit into a tile"
#endif

/* By value, as in pair/tile.cl. */
static inline SUM add_source(SUM sum, TARGET t, POINT source, REAL16 k, const int check)
{
	sum_source(&sum, t, source, 0, k, check);
	return sum;
}

/* What targets were summed over, on average. */
static inline uint2 mean_of(__local const uint2 *all)
{
	ulong near = 0, far = 0;

	for (uint j = 0; j < WG0; j++) {
		near += all[j].x;
		far += all[j].y;
	}
	return (uint2)((uint)(near / OUT0), (uint)(far / OUT0));
}

KERNEL void run(ulong nsources, ulong ntargets, ulong degree, REAL16 k, __global const POINT *restrict points,
                __global const float4 *restrict boxes, __global const POINT *restrict targets,
                __global const float4 *restrict normals, __global const uint *restrict order,
                __global uint2 *restrict pairs, __global RESULT *restrict out, ulong8 offset)
{
	const uint x = get_local_id(0);
	const TREE tree = tree_of(nsources, (uint)degree);
	__local POINT tile[TILE];
	__local REAL4 lows[WG0], highs[WG0];
	__local uint2 all[WG0];
	TARGET t[TARGETS];
	SUM total[TARGETS];
	CELL cell = tree_top(tree.leaves);
	uint2 seen = 0;
	REAL4 low = (REAL4)INFINITY, high = (REAL4)-INFINITY;

	BEGIN_SUM(points, boxes, targets, normals, order, pairs, out);
	#pragma unroll
	for (uint u = 0; u < TARGETS; u++) {
		const ulong i = order[min(ntargets - 1, SLICE0 + u * WG0 + x)];

		t[u] = target(targets[i], normals, i, k);
		total[u] = sum_zero();
		BOX_ADD(t[u], &low, &high);
	}
	lows[x] = low;
	highs[x] = high;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint j = 0; j < WG0; j++) {
		low = fmin(low, lows[j]);
		high = fmax(high, highs[j]);
	}
	if (is_sparse(tree, boxes, low, high, OUT0)) {
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_alone(&total[u], &seen, t[u], tree, points, boxes, k);
		all[x] = seen;
		barrier(CLK_LOCAL_MEM_FENCE);
		seen = mean_of(all);
		cell.cells = 0;
	}
	while (cell.cells) {
		uint fill = 0;
		int check = 0;
		SUM sum[TARGETS];

		while (cell.cells && fill + MOST <= TILE) {
			const RANGE r = walk(&cell, tree, boxes, low, high, THETA2);

			for (uint j = x; j < r.count; j += WG0)
				tile[fill + j] = points[r.first + j];
			fill += r.count;
			seen += r.proxies ? (uint2)(0, r.count) : (uint2)(r.count, 0);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum[u] = sum_zero();
		#pragma unroll UNROLL
		for (uint j = 0; j < fill; j++)
			#pragma unroll
			for (uint u = 0; u < TARGETS; u++)
				sum[u] = add_source(sum[u], t[u], tile[j], k, FIRST_PASS);
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			check |= sum_not_finite(sum[u]);
		if (check) {
			#pragma unroll
			for (uint u = 0; u < TARGETS; u++)
				sum[u] = sum_zero();
			for (uint j = 0; j < fill; j++)
				#pragma unroll
				for (uint u = 0; u < TARGETS; u++)
					sum[u] = add_source(sum[u], t[u], tile[j], k, CHECKED_PASS);
		}
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_add(&total[u], sum[u]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (x == 0)
		pairs[SLICE0 / OUT0] = seen;
	#pragma unroll
	for (uint u = 0; u < TARGETS; u++)
		if (SLICE0 + u * WG0 + x < ntargets)
			sum_store(out, order[SLICE0 + u * WG0 + x], total[u], normals, k);
}
