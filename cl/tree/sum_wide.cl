/* SPDX-License-Identifier: MIT */
/*
 * sum_wide.cl - sums over pairs by a tree, for CPUs: lanes are targets of a part.  Its arguments
 * are those of plain.cl.
 *
 * A group of targets, one work-item, is halved SIZES - 1 times.  The whole group walks the tree
 * down to cells no larger than itself.  It passes cells that are too near for its polynomial to its
 * halves, and so on.  A half's polynomial begins as that of the whole, about another middle
 * (shift.clh).  The smallest parts sum over the cells that remain.  So most decisions of a walk,
 * and most cells, serve many targets at once (Dehnen, J. Comput. Phys. 179, 27 (2002)).
 */
#if !defined SIZES
#error "SIZES (sizes of parts) comes from the variant's row"
#endif
#define PARTS (1 << (SIZES - 1)) /* number of smallest parts */
#define PART_OUT (OUT0 / PARTS)
#if WG0 != 1 || PART_OUT % LANES
#error "one work-item a group, whole vectors of targets"
#endif
#define VECTORS (PART_OUT / LANES)

/* The coordinates of the targets and of their normals. */
enum { POINT_X, POINT_Y, POINT_Z, POINT_W, NORMAL_X, NORMAL_Y, NORMAL_Z, NORMAL_W, COORDINATES };

/* Ranges are summed, and then checked, together once they have at least TOGETHER sources. */
#define TOGETHER 256
#define MOST_RANGES (TOGETHER / 4)
/* The largest number of cells that a part passes to its halves.  An entry is a cell's level above
 * INDEX_BITS bits of its index in the level.  Beyond this number cells are passed unopened. */
#define MOST_LEFT 1024
#define INDEX_BITS 27
#define MOST_LEVELS 28
/* The largest number of cells below opened ones that are yet to be classified.  The last LANES of
 * them are classified together, in order.  So none lies more than LANES entries after the cell that
 * was opened for it. */
#define MOST_BELOW (MOST_LEVELS * LANES)

/* The kinds of walk.clh, and IS_LEFT: cells that a part passes to its halves. */
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

/* Always inline, so that check is a constant and sums stay in registers. */
static inline __attribute__((always_inline)) void add_ranges(SUM *sum, const TARGET *t, TREE tree,
                                                             __global const POINT *points, const RANGE *range,
                                                             uint ranges, REAL16 k, const int check)
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

/* For the few ranges whose sum is not finite at first, such as the targets' leaf.  A separate
 * function compiles sooner. */
static __attribute__((noinline)) void add_checked(SUM *sum, const TARGET *t, TREE tree, __global const POINT *points,
                                                  const RANGE *range, uint ranges, REAL16 k)
{
	add_ranges(sum, t, tree, points, range, ranges, k, CHECKED_PASS);
}

/* The four numbers of each of LANES rows, transposed: x has the first ones.  A quarter of the rows
 * fills a vector. */
typedef struct {
	V x, y, z, w;
} V4;

#define INTS PASTE(int, LANES)
#define UINTS PASTE(uint, LANES)
#define TO_VI PASTE(convert_, VI)
#if LANES == 16
#define QUARTER(at, i) (V)(at(4 * (i)), at(4 * (i) + 1), at(4 * (i) + 2), at(4 * (i) + 3))
#define BY_NUMBER(a, b, c, d) \
	(V4){ (V)(a.s048c, b.s048c, c.s048c, d.s048c), (V)(a.s159d, b.s159d, c.s159d, d.s159d), \
	      (V)(a.s26ae, b.s26ae, c.s26ae, d.s26ae), (V)(a.s37bf, b.s37bf, c.s37bf, d.s37bf) }
#else
#define QUARTER(at, i) (V)(at(2 * (i)), at(2 * (i) + 1))
#define BY_NUMBER(a, b, c, d) \
	(V4){ (V)(a.s04, b.s04, c.s04, d.s04), (V)(a.s15, b.s15, c.s15, d.s15), \
	      (V)(a.s26, b.s26, c.s26, d.s26), (V)(a.s37, b.s37, c.s37, d.s37) }
#endif

#if LOCALS
/* Loads row r of LANES cells, one cell a lane. */
static inline void load_rows(V4 *row, __global const POINT *const *cell, uint r)
{
#define ROW(l) POSITION(cell[l][r])
	const V a = QUARTER(ROW, 0), b = QUARTER(ROW, 1), c = QUARTER(ROW, 2), d = QUARTER(ROW, 3);

	*row = BY_NUMBER(a, b, c, d);
}

/* Adds cells, one a lane, to a polynomial. */
static inline void add_cells(V *sum, __global const POINT **cell, uint cells, TREE tree, GROUP g, REAL16 k)
{
	REAL is_cell[LANES] __attribute__((aligned(128)));
	V m[4 * (MOST_ROWS - 1)], by;
	V4 at, row;
	V3 R;

	for (uint l = 0; l < LANES; l++) {
		is_cell[l] = l < cells;
		cell[l] = cell[l < cells ? l : 0];
	}
	by = *(V *)is_cell;
	load_rows(&at, cell, 0);
	R.x = g.middle.x - at.x;
	R.y = g.middle.y - at.y;
	R.z = g.middle.z - at.z;
	for (uint r = 1; r < MOST_ROWS; r++) {
		load_rows(&row, cell, min(r, tree.rows - 1));
		by = r < tree.rows ? by : (V)0;
		m[4 * r - 4] = by * row.x;
		m[4 * r - 3] = by * row.y;
		m[4 * r - 2] = by * row.z;
		m[4 * r - 1] = by * row.w;
	}
	add_local(sum, R, at.w, m, g.middle.w, k);
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

/* Level, index in the level and number of a cell of a list. */
static inline uint level_of(uint entry)
{
	return entry >> INDEX_BITS;
}

static inline uint index_of(uint entry)
{
	return entry & ((1u << INDEX_BITS) - 1);
}

static inline ulong cell_of(uint entry, const uint *levels)
{
	return (ulong)levels[level_of(entry)] + index_of(entry);
}

/*
 * Classifies cells, one a lane.  A cell that is too near for this part's polynomial is opened if it
 * is larger than the part, and otherwise passed to the halves.  Without polynomials a far cell is
 * passed unopened.
 */
static inline void kinds_for(int *kind, TREE t, __global const float4 *boxes, const uint *entry, const uint *levels, GROUP g,
                             int is_smallest, REAL16 k)
{
	V4 low, high, middle, half_, away;
	V r2, d2;
	VI is_far, is_leaf, what;

	{
#define LOW(l) TO_REAL4(boxes[2 * cell_of(entry[l], levels) + BOX_LOW])
		const V a = QUARTER(LOW, 0), b = QUARTER(LOW, 1), c = QUARTER(LOW, 2), d = QUARTER(LOW, 3);

		low = BY_NUMBER(a, b, c, d);
	}
	{
#define HIGH(l) TO_REAL4(boxes[2 * cell_of(entry[l], levels) + BOX_HIGH])
		const V a = QUARTER(HIGH, 0), b = QUARTER(HIGH, 1), c = QUARTER(HIGH, 2), d = QUARTER(HIGH, 3);

		high = BY_NUMBER(a, b, c, d);
	}
#define FOR_AXIS(x) \
	middle.x = (REAL)0.5f * low.x + (REAL)0.5f * high.x; \
	half_.x = (REAL)0.5f * high.x - (REAL)0.5f * low.x; \
	away.x = fmax(fmax(g.low.x - middle.x, middle.x - g.high.x), (V)0)
	FOR_AXIS(x);
	FOR_AXIS(y);
	FOR_AXIS(z);
	r2 = half_.x * half_.x + half_.y * half_.y + half_.z * half_.z;
	d2 = away.x * away.x + away.y * away.y + away.z * away.z;
	is_far = d2 * THETA2 > r2;
	is_leaf = TO_VI(*(const UINTS *)entry < 1u << INDEX_BITS);
	if (is_smallest) {
		what = is_far ? (VI)IS_FAR : is_leaf ? (VI)IS_NEAR : (VI)IS_OPEN;
	} else {
		const VI stays = is_leaf | (r2 <= g.radius * g.radius);

#if LOCALS
		what = stays | (t.multipoles ? (VI)0 : is_far) ? (VI)IS_LEFT : (VI)IS_OPEN;
#else
		what = stays | is_far ? (VI)IS_LEFT : (VI)IS_OPEN;
#endif
	}
#if LOCALS
	if (t.multipoles) {
		const V Rx = g.middle.x - middle.x, Ry = g.middle.y - middle.y, Rz = g.middle.z - middle.z;
		const V R2 = Rx * Rx + Ry * Ry + Rz * Rz, both = ASIDE * g.radius + sqrt(r2);

		const VI is_local = is_far & (R2 >= REAL_MIN) & (R2 <= REAL_MAX / 2) &
		                    (both * both < WIDER * WIDER * THETA2 * R2);

		what = is_local ? (VI)IS_LOCAL : what;
	}
#endif
	*(INTS *)kind = PASTE(convert_, INTS)(what);
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
	uint left[SIZES][MOST_LEFT], lefts[SIZES], levels[MOST_LEVELS], is_below[MOST_BELOW], top;
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
	/* Each smallest part, after the larger parts that begin with it. */
	for (uint smallest = 0; smallest * PART_OUT < here; smallest++)
		for (uint depth = smallest ? SIZES - 1 - popcount((smallest & -smallest) - 1) : 0; depth < SIZES; depth++) {
			const uint halvings = SIZES - 1 - depth, part = (PARTS + smallest) >> halvings;
			const uint begin = (smallest >> halvings << halvings) * PART_OUT;
			const uint in_part = min((uint)(OUT0 >> depth), here - begin);
			const GROUP group = group_of(low[part], high[part]);
			const uint *const list = depth ? left[depth - 1] : &top;
			const uint listed = depth ? lefts[depth - 1] : tree.leaves > 0;
			uint room = MOST_LEFT - listed, next = 0, below = 0;
			int is_done = !listed;
			TARGET t[VECTORS];
			SUM total[VECTORS];
#if LOCALS
			__global const POINT *cell[2 * LANES];
			uint cells = 0;
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
			while (!is_done) {
				RANGE range[MOST_RANGES];
				uint ranges = 0, count = 0;

				while (!is_done && ranges + LANES <= MOST_RANGES && count < TOGETHER) {
					uint entry[LANES] __attribute__((aligned(128)));
					int kind[LANES] __attribute__((aligned(128)));
					const uint of_below = min(below, (uint)LANES);
					const uint of_list = min(listed - next, LANES - of_below), looked = of_below + of_list;

					below -= of_below;
					for (uint l = 0; l < LANES; l++)
						entry[l] = l < of_below ? is_below[below + l] :
						                          list[l < looked ? next + l - of_below : 0];
					next += of_list;
					kinds_for(kind, tree, boxes, entry, levels, group, !halvings, k);
					for (uint l = 0; l < looked; l++) {
						const uint level = level_of(entry[l]), index = index_of(entry[l]);
						const ulong row = tree.sources + cell_of(entry[l], levels) * tree.rows;

						if (kind[l] == IS_OPEN && (!halvings || room > 0)) {
							const uint first = (level - 1) << INDEX_BITS | 2 * index;

							room -= halvings > 0;
							is_below[below++] = first;
							if (2 * index < (uint)((tree.leaves - 1) >> (level - 1)))
								is_below[below++] = first + 1;
						} else if (kind[l] == IS_OPEN || kind[l] == IS_LEFT) {
							left[depth][lefts[depth]++] = entry[l];
#if LOCALS
						} else if (kind[l] == IS_LOCAL) {
							cell[cells++] = points + row;
							far += in_part;
#endif
						} else {
							const ulong first = (ulong)index * tree.leaf;
							const RANGE near_by = { first, (uint)min((ulong)tree.leaf, tree.sources - first),
								                IS_NEAR };
							const RANGE far_away = { row, tree.rows, IS_FAR };
							/* Oclgrind 21.10 has another number for
							 * IS_FAR here, since it widens vectors of
							 * truths with their sign. */
							const RANGE r = kind[l] == IS_NEAR ? near_by : far_away;

							near += (ulong)seen_in(tree, r).x * in_part;
							far += (ulong)seen_in(tree, r).y * in_part;
							count += r.count;
							range[ranges++] = r;
						}
					}
					is_done = !below && next == listed;
#if LOCALS
					while (cells >= LANES || (is_done && cells)) {
						const uint added = min(cells, (uint)LANES);

						add_cells(series[depth], cell, added, tree, group, k);
						cells -= added;
						for (uint i = 0; i < cells; i++)
							cell[i] = cell[LANES + i];
					}
#endif
				}
				if (ranges) {
					SUM sum[VECTORS];
					int not_finite = 0;

					add_ranges(sum, t, tree, points, range, ranges, k, FIRST_PASS);
					#pragma unroll
					for (uint v = 0; v < VECTORS; v++)
						not_finite |= sum_not_finite(sum[v]);
					if (not_finite) {
						SUM checked[VECTORS];

						add_checked(checked, t, tree, points, range, ranges, k);
						#pragma unroll
						for (uint v = 0; v < VECTORS; v++)
							sum[v] = checked[v];
					}
					#pragma unroll
					for (uint v = 0; v < VECTORS; v++)
						sum_add(&total[v], sum[v]);
				}
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
