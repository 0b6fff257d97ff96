/* SPDX-License-Identifier: MIT */
/*
 * sum_wide.cl - sums over pairs by a tree, for CPUs: lanes are targets of a part.  Its arguments are those of
 * plain.cl.
 *
 * A group of targets, one work-item, is halved SIZES - 1 times.  The whole walks the tree down to cells no larger than
 * itself; those that are too near for its polynomial are left to its halves, and so on.  A half's polynomial
 * begins as that of the whole, about another middle (shift.clh).  The smallest parts sum over what is left.
 * So most of what a walk decides, and most cells, are for many targets at once (Dehnen, J. Comput. Phys. 179,
 * 27 (2002)).
 */
#if !defined SIZES
#error "SIZES (sizes of parts) comes from the variant's row"
#endif
#define PARTS (1 << (SIZES - 1)) /* smallest ones */
#define PART_OUT (OUT0 / PARTS)
#if WG0 != 1 || PART_OUT % LANES
#error "one work-item a group, whole vectors of targets"
#endif
#define VECTORS (PART_OUT / LANES)

/* The coordinates of the targets and of their normals. */
enum { POINT_X, POINT_Y, POINT_Z, POINT_W, NORMAL_X, NORMAL_Y, NORMAL_Z, NORMAL_W, COORDINATES };

/* Ranges that are summed, and then looked at, together: of so many sources at least, where there are as
 * many. */
#define TOGETHER 256
#define MOST_RANGES (TOGETHER / 4)
#define MOST_CELLS 64 /* that are added to a polynomial together */
/* Cells that are left to the halves of a part, as their level above INDEX_BITS bits of their place in it.  If there
 * would be more, some are not opened yet. */
#define MOST_LEFT 1024
#define INDEX_BITS 27
#define MOST_LEVELS 28

/* What a cell is for a part: as in walk.clh, and one that is left to the smaller ones. */
enum { IS_LEFT = IS_OPEN + 1 };

static inline void load_targets(TARGET *t, ulong first, ulong ntargets, __global const POINT *targets,
                                __global const float4 *normals, __global const uint *order, REAL16 k)
{
	REAL lane[COORDINATES][PART_OUT] __attribute__((aligned(128)));

	for (uint i = 0; i < PART_OUT; i++) {
		const ulong at = order[min(ntargets - 1, first + i)];
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
	}
}

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
/* One of the four numbers of each of LANES rows, of which a quarter fills a vector. */
#if LANES == 16
#define X_OF_4 s048c
#define Y_OF_4 s159d
#define Z_OF_4 s26ae
#define W_OF_4 s37bf
#else
#define X_OF_4 s04
#define Y_OF_4 s15
#define Z_OF_4 s26
#define W_OF_4 s37
#endif
#define NUMBERS(quarter, which) (V)((quarter)[0].which, (quarter)[1].which, (quarter)[2].which, (quarter)[3].which)

/* Adds cells, one in each lane; behind the last the first again, without its moments. */
static inline void add_cells(V *sum, __global const POINT *const *cell, uint cells, TREE tree, GROUP g,
                             REAL16 k)
{
	V m[4 * (MOST_ROWS - 1)];
	V3 R;
	V h;

	for (uint r = 0; r < MOST_ROWS; r++) {
		REAL4 row[LANES] __attribute__((aligned(128)));
		const V *const quarter = (const V *)row;

		for (uint l = 0; l < LANES; l++)
			row[l] = r < tree.rows && (l < cells || r == 0) ? POSITION(cell[l < cells ? l : 0][r]) : (REAL4)0;
		if (r == 0) {
			R.x = g.middle.x - NUMBERS(quarter, X_OF_4);
			R.y = g.middle.y - NUMBERS(quarter, Y_OF_4);
			R.z = g.middle.z - NUMBERS(quarter, Z_OF_4);
			h = NUMBERS(quarter, W_OF_4);
		} else {
			m[4 * r - 4] = NUMBERS(quarter, X_OF_4);
			m[4 * r - 3] = NUMBERS(quarter, Y_OF_4);
			m[4 * r - 2] = NUMBERS(quarter, Z_OF_4);
			m[4 * r - 1] = NUMBERS(quarter, W_OF_4);
		}
	}
	add_local(sum, R, h, m, g.middle.w, k);
}
#endif

static inline void store_totals(__global RESULT *out, const SUM *total, ulong first, ulong ntargets,
                                __global const float4 *normals, __global const uint *order, REAL16 k)
{
	for (uint v = 0; v < VECTORS; v++) {
		REAL part[8][LANES] __attribute__((aligned(128)));

		lanes_of(total[v], part);
		for (uint l = 0; l < LANES; l++) {
			const ulong i = first + v * LANES + l;
			const REAL sums[] = { part[0][l], part[1][l], part[2][l], part[3][l],
				              part[4][l], part[5][l], part[6][l], part[7][l] };

			if (i < ntargets)
				target_store(out, order[i], sums, normals, k);
		}
	}
}

/*
 * A cell is left to smaller parts where it is too near for the polynomial of this one, and no larger: then the part is halved,
 * else the cell.  Without polynomials a far cell is left as it is.
 */
static inline int kind_for(TREE t, __global const float4 *boxes, CELL cell, GROUP g, int is_smallest, REAL16 k)
{
	const ulong at = cell.first + cell.index;
	const REAL4 from = TO_REAL4(boxes[2 * at + BOX_LOW]), to = TO_REAL4(boxes[2 * at + BOX_HIGH]);
	const REAL4 middle = (REAL)0.5f * from + (REAL)0.5f * to, half_ = (REAL)0.5f * to - (REAL)0.5f * from;
	const REAL4 away = fmax(fmax(g.low - middle, middle - g.high), (REAL4)0);
	const REAL r2 = half_.x * half_.x + half_.y * half_.y + half_.z * half_.z;
	const REAL d2 = away.x * away.x + away.y * away.y + away.z * away.z;
	const int far = d2 * THETA2 > r2;
#if LOCALS
	const REAL4 R = g.middle - middle;
	const REAL R2 = R.x * R.x + R.y * R.y + R.z * R.z, both = ASIDE * g.radius + sqrt(r2);

	if (far && t.multipoles && R2 >= REAL_MIN && R2 <= REAL_MAX / 2 && both * both < WIDER * WIDER * THETA2 * R2)
		return IS_LOCAL;
#endif
	if (is_smallest)
		return far ? IS_FAR : cell.level > 0 ? IS_OPEN : IS_NEAR;
#if LOCALS
	if (t.multipoles)
		return cell.level > 0 && r2 > g.radius * g.radius ? IS_OPEN : IS_LEFT;
#endif
	return cell.level > 0 && r2 > g.radius * g.radius && !far ? IS_OPEN : IS_LEFT;
}

/* A walk over the cells that a list has, and those below them. */
typedef struct {
	const uint *list;
	uint count, next; /* of the list */
	uint outer; /* the level of the list's cell in which it stands */
	int inside;
	CELL at;
} WALK;

/* Whether the walk stands at a cell, perhaps the list's next. */
static inline int walk_stands(WALK *w, TREE tree, const uint *levels)
{
	if (!w->inside && w->next < w->count) {
		const uint entry = w->list[w->next++], level = entry >> INDEX_BITS;

		w->at = (CELL){ level, entry & ((1u << INDEX_BITS) - 1), ((tree.leaves - 1) >> level) + 1, levels[level] };
		w->outer = level;
		w->inside = 1;
	}
	return w->inside;
}

static inline void walk_on(WALK *w)
{
	w->at = tree_next(w->at);
	w->inside = w->at.cells && w->at.level < w->outer;
}

KERNEL void run(ulong nsources, ulong ntargets, ulong degree, REAL16 k, __global const POINT *restrict points,
                __global const float4 *restrict boxes, __global const POINT *restrict targets,
                __global const float4 *restrict normals, __global const uint *restrict order,
                __global uint2 *restrict pairs, __global RESULT *restrict out, ulong8 offset)
{
	const TREE tree = tree_of(nsources, (uint)degree);
	const uint here = (uint)min((ulong)OUT0, ntargets - SLICE0);
	/* By part: the halves of part p are 2 p and 2 p + 1. */
	REAL4 low[2 * PARTS], high[2 * PARTS];
	uint left[SIZES][MOST_LEFT], lefts[SIZES], levels[MOST_LEVELS], top;
	ulong near = 0, far = 0;
#if LOCALS
	V series[SIZES][TERMS];
#endif

	BEGIN_SUM(points, boxes, targets, normals, order, pairs, out);
	for (uint part = 2 * PARTS - 1; part > 0; part--) {
		low[part] = (REAL4)INFINITY;
		high[part] = (REAL4)-INFINITY;
		if (part < PARTS) {
			low[part] = fmin(low[2 * part], low[2 * part + 1]);
			high[part] = fmax(high[2 * part], high[2 * part + 1]);
		} else if ((part - PARTS) * PART_OUT < here) {
			TARGET t[VECTORS];

			load_targets(t, SLICE0 + (part - PARTS) * PART_OUT, ntargets, targets, normals, order, k);
			#pragma unroll
			for (uint v = 0; v < VECTORS; v++) {
				BOX_ADD(t[v], &low[part], &high[part]);
			}
		}
	}
	{
		const CELL root = tree_top(tree.leaves);
		uint first = 0;

		for (uint level = 0; level <= root.level; level++) {
			levels[level] = first;
			first += (uint)((tree.leaves - 1) >> level) + 1;
		}
		top = root.level << INDEX_BITS;
	}
	/* Each smallest part, behind those around it that begin with it. */
	for (uint smallest = 0; smallest * PART_OUT < here; smallest++)
		for (uint depth = smallest ? SIZES - 1 - popcount((smallest & -smallest) - 1) : 0; depth < SIZES; depth++) {
			const uint halvings = SIZES - 1 - depth, part = (PARTS + smallest) >> halvings;
			const uint begin = (smallest >> halvings << halvings) * PART_OUT;
			const uint in_part = min((uint)(OUT0 >> depth), here - begin);
			const GROUP group = group_of(low[part], high[part]);
			WALK w = { depth ? left[depth - 1] : &top, depth ? lefts[depth - 1] : tree.leaves > 0, 0, 0, 0 };
			uint room = MOST_LEFT - w.count;
			TARGET t[VECTORS];
			SUM total[VECTORS];
#if LOCALS
			const GROUP around = group_of(low[part > 1 ? part / 2 : 1], high[part > 1 ? part / 2 : 1]);

			if (depth && around.radius <= REAL_MAX)
				shift_series(series[depth], series[depth - 1], group.middle, around.middle);
			else
				for (uint i = 0; i < TERMS; i++)
					series[depth][i] = 0;
#endif
			lefts[depth] = 0;
			if (!halvings) {
				load_targets(t, SLICE0 + begin, ntargets, targets, normals, order, k);
				#pragma unroll
				for (uint v = 0; v < VECTORS; v++)
					total[v] = sum_zero();
			}
			while (walk_stands(&w, tree, levels)) {
				RANGE range[MOST_RANGES];
				__global const POINT *cell[MOST_CELLS];
				uint ranges = 0, cells = 0, count = 0;

				while (ranges < MOST_RANGES && count < TOGETHER && cells < MOST_CELLS &&
				       walk_stands(&w, tree, levels)) {
					const CELL at = w.at;
					const ulong row = tree.sources + (at.first + at.index) * tree.rows;
					const int kind = kind_for(tree, boxes, at, group, !halvings, k);

					if (kind == IS_OPEN && (!halvings || room > 0)) {
						room -= halvings > 0;
						w.at = tree_down(at, tree.leaves);
						continue;
					}
					if (kind == IS_OPEN || kind == IS_LEFT) {
						left[depth][lefts[depth]++] = at.level << INDEX_BITS | (uint)at.index;
					} else if (kind == IS_LOCAL) {
						cell[cells++] = points + row;
						far += in_part;
					} else {
						const ulong first = at.index * tree.leaf;
						const RANGE near_by = { first, (uint)min((ulong)tree.leaf, tree.sources - first), kind };
						const RANGE far_away = { row, tree.rows, kind };
						const RANGE r = kind == IS_NEAR ? near_by : far_away;

						near += (ulong)seen_in(tree, r).x * in_part;
						far += (ulong)seen_in(tree, r).y * in_part;
						count += r.count;
						range[ranges++] = r;
					}
					walk_on(&w);
				}
				if (ranges) {
					SUM sum[VECTORS];
					int not_finite = 0;

					add_ranges(sum, t, tree, points, range, ranges, k, FIRST_PASS);
					#pragma unroll
					for (uint v = 0; v < VECTORS; v++)
						not_finite |= sum_not_finite(sum[v]);
					if (not_finite)
						add_ranges(sum, t, tree, points, range, ranges, k, CHECKED_PASS);
					#pragma unroll
					for (uint v = 0; v < VECTORS; v++)
						sum_add(&total[v], sum[v]);
				}
#if LOCALS
				for (uint i = 0; i < cells; i += LANES)
					add_cells(series[depth], cell + i, cells - i, tree, group, k);
#endif
			}
			if (halvings)
				continue;
#if LOCALS
			if (group.radius <= REAL_MAX) {
				REAL all[TERMS];

				for (uint i = 0; i < TERMS; i++) {
					REAL lane[LANES] __attribute__((aligned(128)));

					*(V *)lane = series[depth][i];
					all[i] = 0;
					for (uint l = 0; l < LANES; l++)
						all[i] += lane[l];
				}
				#pragma unroll
				for (uint v = 0; v < VECTORS; v++)
					sum_local(&total[v], t[v], all, group.middle);
			}
#endif
			store_totals(out, total, SLICE0 + begin, ntargets, normals, order, k);
		}
	pairs[SLICE0 / OUT0] = (uint2)((uint)(near / here), (uint)(far / here));
}
