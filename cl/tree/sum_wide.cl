/* SPDX-License-Identifier: MIT */
/*
 * sum_wide.cl - sums over pairs by a tree, for CPUs: pair/wide.cl, with the sources that a walk finds.  Its
 * arguments are those of plain.cl.
 */
#if WG0 != 1 || OUT0 % LANES
#error "one work-item a group, whole vectors of targets"
#endif
#define VECTORS (OUT0 / LANES)

/* The coordinates of the group's targets and of their normals. */
enum { POINT_X, POINT_Y, POINT_Z, POINT_W, NORMAL_X, NORMAL_Y, NORMAL_Z, NORMAL_W, COORDINATES };

/* Ranges that are summed, and then looked at, together: of so many sources at least, where there are as
 * many. */
#define TOGETHER 256
#define MOST_RANGES (TOGETHER / 4)

static inline void add_ranges(SUM *sum, const TARGET *t, TREE tree, __global const POINT *points,
                              const RANGE *range, uint ranges, REAL16 k, const int check)
{
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++)
		sum[v] = sum_zero();
	for (uint r = 0; r < ranges; r++) {
		__global const POINT *const from = points + range[r].first;
		const uint count = range[r].count;

#ifdef MULTIPOLES
		if (range[r].kind == IS_FAR && tree.multipoles) {
			REAL4 m[MOST_ROWS];

			LOAD_MOMENTS(m, from, tree.order);
			#pragma unroll
			for (uint v = 0; v < VECTORS; v++)
				sum_moments(&sum[v], t[v], m, tree.order, check);
			continue;
		}
#endif
		for (uint j = 0; j < count; j++)
			#pragma unroll
			for (uint v = 0; v < VECTORS; v++)
				sum_source(&sum[v], t[v], from[j], 0, k, check);
	}
}

#if LOCALS
#define MOST_CELLS 64 /* local ones that are added together */

/* Adds cells, one in each lane; behind the last the first again, without its moments. */
static inline void add_cells(V *sum, __global const POINT *const *cell, uint cells, TREE tree, GROUP g,
                             REAL16 k)
{
	REAL lane[4 * MOST_ROWS][LANES] __attribute__((aligned(128)));
	V m[MOST_MOMENTS];

	for (uint l = 0; l < LANES; l++)
		for (uint r = 0; r < MOST_ROWS; r++) {
			const int has = r < tree.rows && (l < cells || r == 0);
			const REAL4 row = has ? POSITION(cell[l < cells ? l : 0][r]) : (REAL4)0;

			lane[4 * r][l] = row.x;
			lane[4 * r + 1][l] = row.y;
			lane[4 * r + 2][l] = row.z;
			lane[4 * r + 3][l] = row.w;
		}
	#pragma unroll
	for (uint a = 0; a < MOST_MOMENTS; a++)
		m[a] = *(V *)lane[4 + a];
	{
		const V3 R = { g.middle.x - *(V *)lane[0], g.middle.y - *(V *)lane[1], g.middle.z - *(V *)lane[2] };

		add_local(sum, R, *(V *)lane[3], m, g.middle.w, k);
	}
}
#endif

KERNEL void run(ulong nsources, ulong ntargets, ulong degree, REAL16 k, __global const POINT *restrict points,
                __global const float4 *restrict boxes, __global const POINT *restrict targets,
                __global const float4 *restrict normals, __global const uint *restrict order,
                __global uint2 *restrict pairs, __global RESULT *restrict out, ulong8 offset)
{
	const TREE tree = tree_of(nsources, (uint)degree);
	REAL lane[COORDINATES][OUT0] __attribute__((aligned(128)));
	TARGET t[VECTORS];
	SUM total[VECTORS], sum[VECTORS];
	CELL cell = tree_top(tree.leaves);
	uint2 seen = 0;
	REAL4 low = (REAL4)INFINITY, high = (REAL4)-INFINITY;
	GROUP group;
#if LOCALS
	__global const POINT *local_[MOST_CELLS];
	uint locals = 0;
	V lanes[TERMS];

	for (uint i = 0; i < TERMS; i++)
		lanes[i] = 0;
#endif

	BEGIN_SUM(points, boxes, targets, normals, order, pairs, out);
	for (uint i = 0; i < OUT0; i++) {
		const ulong at = order[min(ntargets - 1, SLICE0 + i)];
		const REAL4 p = POSITION(targets[at]);
		const REAL4 n = NORMALS ? unit_normal(normals[at]) : (REAL4)0;

		lane[POINT_X][i] = p.x;
		lane[POINT_Y][i] = p.y;
		lane[POINT_Z][i] = p.z;
		lane[POINT_W][i] = p.w;
		lane[NORMAL_X][i] = n.x;
		lane[NORMAL_Y][i] = n.y;
		lane[NORMAL_Z][i] = n.z;
		lane[NORMAL_W][i] = n.w;
	}
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
#define LANE(c) *(V *)(lane[c] + v * LANES)
		t[v] = target_at(LANE(POINT_X), LANE(POINT_Y), LANE(POINT_Z), LANE(POINT_W),
		                 LANE(NORMAL_X), LANE(NORMAL_Y), LANE(NORMAL_Z), LANE(NORMAL_W), k);
		total[v] = sum_zero();
		BOX_ADD(t[v], &low, &high);
	}
	group = group_of(low, high);
	while (cell.cells) {
		RANGE range[MOST_RANGES];
		uint ranges = 0, count = 0;
		int not_finite = 0;

		do {
			const RANGE r = walk(&cell, tree, boxes, group, k);

			seen += seen_in(tree, r);
#if LOCALS
			if (r.kind == IS_LOCAL) {
				local_[locals++] = points + r.first;
				if (locals == MOST_CELLS)
					break;
				continue;
			}
#endif
			count += r.count;
			range[ranges++] = r;
		} while (ranges < MOST_RANGES && count < TOGETHER && cell.cells);
		add_ranges(sum, t, tree, points, range, ranges, k, FIRST_PASS);
		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			not_finite |= sum_not_finite(sum[v]);
		if (not_finite)
			add_ranges(sum, t, tree, points, range, ranges, k, CHECKED_PASS);
		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sum_add(&total[v], sum[v]);
#if LOCALS
		if (locals == MOST_CELLS || !cell.cells) {
			for (uint i = 0; i < locals; i += LANES)
				add_cells(lanes, local_ + i, locals - i, tree, group, k);
			locals = 0;
		}
#endif
	}
#if LOCALS
	if (group.radius <= REAL_MAX) {
		REAL series[TERMS];

		for (uint i = 0; i < TERMS; i++) {
			REAL lane_[LANES] __attribute__((aligned(128)));

			*(V *)lane_ = lanes[i];
			series[i] = 0;
			for (uint l = 0; l < LANES; l++)
				series[i] += lane_[l];
		}
		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sum_local(&total[v], t[v], series, group.middle);
	}
#endif
	pairs[SLICE0 / OUT0] = seen;
	for (uint v = 0; v < VECTORS; v++) {
		REAL part[8][LANES] __attribute__((aligned(128)));

		lanes_of(total[v], part);
		for (uint l = 0; l < LANES; l++) {
			const ulong i = SLICE0 + v * LANES + l;
			const REAL sums[] = { part[0][l], part[1][l], part[2][l], part[3][l],
				              part[4][l], part[5][l], part[6][l], part[7][l] };

			if (i < ntargets)
				target_store(out, order[i], sums, normals, k);
		}
	}
}
