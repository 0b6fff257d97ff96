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
#if TILE < 16
#error "a cell's moments have to fit into a tile"
#endif
#define LIST (4 * WG0)  /* cells to be summed */
#define STACK (8 * WG0) /* cells to be classified */
#define MOST_LEVELS 28
#define INDEX_BITS 27 /* bits of a cell's index in the stack; its level is above them */
#define WORDS ((WG0 + 31) / 32)
#define LOCAL_LIST (16 * WG0)
#define TERMS_AT_ONCE 28 /* coefficients of the polynomial that work-items add up at a time */
enum { IS_SHORT = IS_OPEN + 1, KINDS };

#if LOCALS
#define HAS_ROOM (locals + WG0 <= LOCAL_LIST)
#else
#define HAS_ROOM 1
#endif

/* By value, for the reason given in pair/tile.cl. */
static inline SUM add_source(SUM sum, TARGET t, POINT source, REAL16 k, const int check)
{
	sum_source(&sum, t, source, 0, k, check);
	return sum;
}

/* Adds the tile's first `fill` points to the totals. */
static inline void add_tile(SUM *total, const TARGET *t, __local const POINT *tile, uint fill, REAL16 k)
{
	SUM sum[TARGETS];
	int check = 0;

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
}

#ifdef MULTIPOLES
/* In float the tile's moments become harmonic in place.  Other precisions keep them, since sums
 * have more digits than the tile's numbers. */
#if PRECISION == 0
#define SUM_CELL sum_harmonic
#else
#define SUM_CELL sum_moments
#endif

/* Adds cells' moments to the totals, made harmonic first in float. */
static inline void add_moments(SUM *total, const TARGET *t, TREE tree, __local POINT *tile, uint cells)
{
#if PRECISION == 0
	for (uint c = get_local_id(0); c < cells; c += WG0) {
		REAL4 m[MOST_ROWS];

		LOAD_MOMENTS(m, tile + c * tree.rows, tree.order);
		make_harmonic(m, tree.order);
		#pragma unroll
		for (uint r = 0; r < MOST_ROWS; r++)
			if (r < tree.rows)
				tile[c * tree.rows + r] = POINT_OF(m[r].x, m[r].y, m[r].z, m[r].w);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#endif
	for (uint pass = 0; pass < 2; pass++) {
		const int check = pass ? CHECKED_PASS : FIRST_PASS;
		SUM sum[TARGETS];
		int again = 0;

		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum[u] = sum_zero();
		for (uint c = 0; c < cells; c++) {
			REAL4 m[MOST_ROWS];

			LOAD_MOMENTS(m, tile + c * tree.rows, tree.order);
			#pragma unroll
			for (uint u = 0; u < TARGETS; u++)
				SUM_CELL(&sum[u], t[u], m, tree.order, check);
		}
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			again |= sum_not_finite(sum[u]);
		if (again && !pass)
			continue;
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_add(&total[u], sum[u]);
		break;
	}
}
#endif

#if LOCALS
/* Adds cells to the polynomial.  Each work-item takes some cells, and their sums are added in the
 * order of work-items. */
static inline void add_locals(__local REAL *series, __local REAL (*part)[WG0 + 1], __local const uint *list, uint cells,
                              TREE tree, __global const POINT *points, GROUP g, REAL16 k)
{
	const uint x = get_local_id(0);
	V sum[TERMS], own[TERMS];

	#pragma unroll
	for (uint i = 0; i < TERMS; i++)
		sum[i] = 0;
	for (uint j = x; j < cells; j += WG0) {
		__global const POINT *const rows = points + tree.sources + (ulong)list[j] * tree.rows;
		const REAL4 at = POSITION(rows[0]);
		const V3 R = { g.middle.x - at.x, g.middle.y - at.y, g.middle.z - at.z };
		V m[4 * (MOST_ROWS - 1)];

		load_moments(m, rows, tree.rows);
		add_local(sum, R, at.w, m, g.middle.w, k);
	}
	/* A copy, so that the sums above stay in registers although this loop is not unrolled. */
	#pragma unroll
	for (uint i = 0; i < TERMS; i++)
		own[i] = sum[i];
	#pragma unroll 1
	for (uint first = 0; first < TERMS; first += TERMS_AT_ONCE) {
		for (uint i = 0; i < TERMS_AT_ONCE; i++)
			part[i][x] = own[first + i];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = x; i < TERMS_AT_ONCE; i += WG0) {
			REAL all = 0;

			for (uint j = 0; j < WG0; j++)
				all += part[i][j];
			series[first + i] += all;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
#endif

/* The mean numbers of sources and proxies that targets were summed over. */
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
	__local uint stack[STACK], near[LIST], far[LIST], levels[MOST_LEVELS], kinds[2][KINDS][WORDS];
	TARGET t[TARGETS];
	SUM total[TARGETS];
	const uint missing = (uint)(tree.leaves * tree.leaf - nsources);
	int sparse;
	uint top = tree.leaves > 0, nears = 0, fars = 0, turn = 0;
	uint2 seen = 0;
	REAL4 low = (REAL4)INFINITY, high = (REAL4)-INFINITY;
	GROUP group;
#if LOCALS
	__local uint local_[LOCAL_LIST];
	__local REAL series[TERMS], part[TERMS_AT_ONCE][WG0 + 1];
	uint locals = 0;

	for (uint i = x; i < TERMS; i += WG0)
		series[i] = 0;
#endif

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
	if (x < KINDS * WORDS)
		kinds[0][x / WORDS][x % WORDS] = kinds[1][x / WORDS][x % WORDS] = 0;
	if (x == 0) {
		ulong cells = tree.leaves, first = 0;
		uint level = 0;

		for (; cells > 1; cells = (cells + 1) / 2) {
			levels[level++] = (uint)first;
			first += cells;
		}
		levels[level] = (uint)first;
		stack[0] = level << INDEX_BITS;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint j = 0; j < WG0; j++) {
		low = fmin(low, lows[j]);
		high = fmax(high, highs[j]);
	}
	group = group_of(low, high);
	sparse = is_sparse(tree, boxes, low, high, OUT0);
	if (sparse) {
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_alone(&total[u], &seen, t[u], tree, points, boxes, k);
		top = 0;
	}
	all[x] = seen;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (sparse)
		seen = mean_of(all);
	while (top > 0) {
		/* Each work-item classifies a cell; cells of a kind keep their order. */
		while (top > 0 && nears + WG0 <= LIST && fars + WG0 <= LIST && HAS_ROOM) {
			const uint batch = top + WG0 + MOST_LEVELS > STACK ? 1 : min(top, (uint)WG0);
			uint kind = KINDS, entry = 0, rank = 0, of_kind[KINDS] = { 0 };

			top -= batch;
			if (x < batch) {
				const uint level = stack[top + x] >> INDEX_BITS;
				const uint index = stack[top + x] & ((1u << INDEX_BITS) - 1);
				const uint cell_ = levels[level] + index;

				if (index <= (uint)(tree.leaves - 1) >> level) {
					kind = (uint)kind_of(tree, boxes, cell_, level, group, k);
					entry = kind == IS_NEAR ? index :
					        kind == IS_OPEN ? (level - 1) << INDEX_BITS | 2 * index :
					                          cell_;
					atomic_or(&kinds[turn][kind][x / 32], 1u << x % 32);
				}
				if (kind == IS_NEAR && index + 1 == tree.leaves)
					atomic_or(&kinds[turn][IS_SHORT][0], 1u);
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			for (uint i = 0; i < KINDS; i++)
				for (uint w = 0; w < WORDS; w++) {
					const uint bits = kinds[turn][i][w];

					of_kind[i] += popcount(bits);
					if (i == kind)
						rank += popcount(bits & (w < x / 32  ? ~0u :
						                         w == x / 32 ? (1u << x % 32) - 1 :
						                                       0));
				}
			if (kind == IS_NEAR)
				near[nears + rank] = entry;
			else if (kind == IS_FAR)
				far[fars + rank] = entry;
#if LOCALS
			else if (kind == IS_LOCAL)
				local_[locals + rank] = entry;
#endif
			else if (kind == IS_OPEN) {
				stack[top + 2 * rank] = entry;
				stack[top + 2 * rank + 1] = entry + 1;
			}
			nears += of_kind[IS_NEAR];
			fars += of_kind[IS_FAR];
#if LOCALS
			locals += of_kind[IS_LOCAL];
#endif
			top += 2 * of_kind[IS_OPEN];
			seen += (uint2)(of_kind[IS_NEAR] * tree.leaf - (of_kind[IS_SHORT] ? missing : 0),
			                (of_kind[IS_FAR] + of_kind[IS_LOCAL]) * (tree.multipoles ? 1 : tree.rows));
			turn ^= 1;
			if (x < KINDS * WORDS)
				kinds[turn][x / WORDS][x % WORDS] = 0;
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		for (uint is_far_ = 0; is_far_ < 2; is_far_++) {
			__local const uint *const list = is_far_ ? far : near;
			const ulong base = is_far_ ? nsources : 0;
			const uint each = is_far_ ? tree.rows : tree.leaf;
			const uint count = (is_far_ ? fars : nears) * each, step = TILE / each * each;

			for (uint begin = 0; begin < count; begin += step) {
				const uint fill = min(step, count - begin);

				for (uint j = x; j < fill; j += WG0) {
					const ulong at = (ulong)list[(begin + j) / each] * each + (begin + j) % each;

					tile[j] = points[base + (is_far_ ? at : min(at, nsources - 1))];
					/* Points after the last source have no weight. */
					if (!is_far_ && at >= nsources)
						tile[j].w = 0;
				}
				barrier(CLK_LOCAL_MEM_FENCE);
#ifdef MULTIPOLES
				if (is_far_ && tree.multipoles)
					add_moments(total, t, tree, tile, fill / each);
				else
#endif
					add_tile(total, t, tile, fill, k);
				barrier(CLK_LOCAL_MEM_FENCE);
			}
		}
		nears = fars = 0;
#if LOCALS
		while (locals > 0 && (top == 0 || !HAS_ROOM)) {
			add_locals(series, part, local_, locals, tree, points, group, k);
			locals = 0;
		}
#endif
	}
#if LOCALS
	if (group.radius <= REAL_MAX)
		#pragma unroll
		for (uint u = 0; u < TARGETS; u++)
			sum_local(&total[u], t[u], series, group.middle);
#endif
	if (x == 0)
		pairs[SLICE0 / OUT0] = seen;
	#pragma unroll
	for (uint u = 0; u < TARGETS; u++)
		if (SLICE0 + u * WG0 + x < ntargets)
			sum_store(out, order[SLICE0 + u * WG0 + x], total[u], normals, k);
}
