/* SPDX-License-Identifier: MIT */
/*
 * cells.cl - a level of the tree: the boxes of its cells, and the approximation of their sources
 * for far targets.
 *
 * OUTPUTS 0, 1: proxies at fixed points of a cell's box, one for each product x^a y^b z^c with a +
 * b + c <= order.  Their weights make sum(weight x^a y^b z^c) over proxies equal to that over the
 * cell's sources, for each product.  So for a law that is smooth over the box both sums agree,
 * except for terms of higher degree.  `matrix` has a row for each proxy: its position in the box
 * from -1 to 1, then the contribution of each sum to its weight, in the order of the loops below.
 *
 * OUTPUTS 2, 3: moments, the sums over x^a y^b z^c themselves, for laws with multipoles
 * (multipole.clh).  Lengths are relative to the middle of the box, in units of half its largest
 * extent, which keeps the sums within the range of numbers.  If all sources coincide the unit is so
 * small that (unit / distance)^4 cannot overflow.
 *
 * Sources of leaves (OUTPUTS 0, 2) are read in the order of `order` and written to `sorted`.
 * Sources of other cells are the proxies or moments of their two cells.  One group makes a cell.
 */
#if OUT0 != 1
#error "a cell for each group"
#endif
#define OF_LEAVES (OUTPUTS % 2 == 0)
#define MOMENTS (OUTPUTS >= 2)
#define MOST PROXIES(MOST_ORDER)
#define MATRIX_ROW (3 + MOST)
#define ENTRY(m) ((REAL)(m).x + (REAL)(m).y) /* the sum of two floats */

#if MOMENTS
#define POWERS (MOST_MULTIPOLE + 1) /* powers 0 to MOST_MULTIPOLE */

/* The exponents of moment s. */
static inline uint4 exponents(uint s)
{
	uint degree = 0, rest = 0;

	while (s >= (degree + 1) * (degree + 2) / 2) {
		s -= (degree + 1) * (degree + 2) / 2;
		degree++;
	}
	while (s >= rest + 1) {
		s -= rest + 1;
		rest++;
	}
	return (uint4)(degree - rest, rest - s, s, 0);
}

#if !OF_LEAVES
/* The index of a moment in the order of exponents(). */
static inline uint place_of(uint a, uint b, uint c)
{
	const uint rest = b + c, degree = a + rest;

	return degree * (degree + 1) * (degree + 2) / 6 + rest * (rest + 1) / 2 + c;
}

__constant uchar binomial[5][5] = { { 1 }, { 1, 1 }, { 1, 2, 1 }, { 1, 3, 3, 1 }, { 1, 4, 6, 4, 1 } };
#endif
#endif

#if OF_LEAVES
/* p rounded to float towards limit, so that boxes enclose sources in double too.  Mesa's llvmpipe
 * rounds to nearest in conversions that ask for a direction. */
static inline float4 rounded_to(REAL4 p, float limit)
{
	const float4 near = convert_float4(p);
#if PRECISION == 3
	const double4 back = convert_double4(near);

	return select(near, nextafter(near, (float4)limit), convert_int4(limit < 0 ? back > p : back < p));
#else
	return near;
#endif
}
#endif

KERNEL void run(ulong cells, ulong n, ulong order_, __global const POINT *restrict sources,
                __global const uint *restrict order, __global const float2 *restrict matrix,
                __global const float4 *restrict inner, __global float4 *restrict boxes,
                __global POINT *restrict sorted, __global POINT *restrict proxies, ulong8 offset)
{
	const uint x = get_local_id(0), degree = (uint)order_, count = PROXIES(degree);
	const uint rows = MOMENTS ? MOMENT_ROWS(degree) : count;
	const uint each = !OF_LEAVES ? 2 * rows : MOMENTS ? MULTIPOLE_LEAF : LEAF(degree);
	const ulong cell = get_group_id(0), first = cell * each;
	const uint here = (uint)min((ulong)each, n - first);
	float4 low, high;
	REAL4 middle, half_;
#if MOMENTS && OF_LEAVES
	__local REAL power[MULTIPOLE_LEAF][3][POWERS];
	__local REAL weight[MULTIPOLE_LEAF];
#elif MOMENTS
	/* The contribution of power i of a lower cell to power a. */
	__local REAL shift[2][3][POWERS][POWERS];
#else
	__local REAL sum[MOST];
	REAL4 scale;
#endif

	sources += offset.s0;
	order += offset.s1;
	inner += 2 * offset.s3;
	boxes += 2 * offset.s4;
	sorted += offset.s5;
	proxies += offset.s6;
#if OF_LEAVES
	low = (float4)INFINITY;
	high = (float4)-INFINITY;
	for (uint j = 0; j < here; j++) {
		const POINT p = sources[order[first + j]];

		low = fmin(low, rounded_to(POSITION(p), -INFINITY));
		high = fmax(high, rounded_to(POSITION(p), INFINITY));
		if (j % WG0 == x)
			sorted[first + j] = p;
	}
#else
	low = inner[4 * cell + BOX_LOW];
	high = inner[4 * cell + BOX_HIGH];
	if (here > rows) {
		low = fmin(low, inner[4 * cell + 2 + BOX_LOW]);
		high = fmax(high, inner[4 * cell + 2 + BOX_HIGH]);
	}
#endif
	if (x == 0) {
		boxes[2 * cell + BOX_LOW] = low;
		boxes[2 * cell + BOX_HIGH] = high;
	}
	middle = (REAL)0.5f * TO_REAL4(low) + (REAL)0.5f * TO_REAL4(high);
	half_ = (REAL)0.5f * TO_REAL4(high) - (REAL)0.5f * TO_REAL4(low);
#if MOMENTS
	/* As stored, so that moments refer exactly to the stored middle and unit. */
	half_.w = fmax(half_.x, fmax(half_.y, half_.z));
	middle = POSITION(POINT_OF(middle.x, middle.y, middle.z, fmax(half_.w, (REAL)FLT_MIN)));
	proxies += cell * rows;
	if (x == 0)
		proxies[0] = POINT_OF(middle.x, middle.y, middle.z, middle.w);
#if OF_LEAVES
	for (uint j = x; j < here; j += WG0) {
		const REAL4 p = POSITION(sources[order[first + j]]);
		const REAL at[3] = { (p.x - middle.x) / middle.w, (p.y - middle.y) / middle.w,
			             (p.z - middle.z) / middle.w };

		weight[j] = p.w;
		for (uint c = 0; c < 3; c++) {
			power[j][c][0] = 1;
			for (uint i = 1; i < POWERS; i++)
				power[j][c][i] = power[j][c][i - 1] * at[c];
		}
	}
#else
	sources += first;
	for (uint j = x; j < 6 * POWERS; j += WG0) {
		const uint below = j / (3 * POWERS), c = j / POWERS % 3, a = j % POWERS;
		const REAL4 p = POSITION(sources[below * rows < here ? below * rows : 0]);
		const REAL by = p.w / middle.w;
		const REAL at[3] = { (p.x - middle.x) / middle.w, (p.y - middle.y) / middle.w,
			             (p.z - middle.z) / middle.w };
		REAL of_below = 1;

		for (uint i = 0; i <= a; i++, of_below *= by) {
			REAL between = 1;

			for (uint k = i; k < a; k++)
				between *= at[c];
			shift[below][c][a][i] = (REAL)binomial[a][i] * between * of_below;
		}
	}
#endif
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = x; s < 4 * (rows - 1); s += WG0) {
		__global NUMBER *const to = (__global NUMBER *)(proxies + 1);
		const uint4 e = exponents(s);
		REAL total = 0;

#if OF_LEAVES
		for (uint j = 0; s < count && j < here; j++)
			total += weight[j] * power[j][0][e.x] * power[j][1][e.y] * power[j][2][e.z];
#else
		for (uint below = 0; s < count && below * rows < here; below++) {
			__global const NUMBER *const from =
			        (__global const NUMBER *)(sources + below * rows + 1);

			for (uint a = 0; a <= e.x; a++)
				for (uint b = 0; b <= e.y; b++)
					for (uint c = 0; c <= e.z; c++)
						total += shift[below][0][e.x][a] * shift[below][1][e.y][b] *
						         shift[below][2][e.z][c] *
						         (REAL)from[place_of(a, b, c)];
		}
#endif
		to[s] = (NUMBER)total;
	}
#else
	/* Along an axis without extent, or with one whose inverse overflows, all sources are at
	 * 0. */
	scale.x = half_.x >= REAL_MIN ? 1 / half_.x : 0;
	scale.y = half_.y >= REAL_MIN ? 1 / half_.y : 0;
	scale.z = half_.z >= REAL_MIN ? 1 / half_.z : 0;
	for (uint s = x; s < count; s += WG0)
		sum[s] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
#if WG0 == 1
	for (uint j = 0; j < here; j++) {
		const REAL4 p = POSITION(OF_LEAVES ? sources[order[first + j]] : sources[first + j]);
		const REAL4 at = (p - middle) * scale;
		REAL u = p.w;
		uint s = 0;

		for (uint a = 0; a <= degree; a++, u *= at.x) {
			REAL v = u;

			for (uint b = 0; a + b <= degree; b++, v *= at.y) {
				REAL w = v;

				for (uint c = 0; a + b + c <= degree; c++, w *= at.z)
					sum[s++] += w;
			}
		}
	}
#else
	for (uint s = x; s < count; s += WG0) {
		uint a = 0, b = 0, c = s;
		REAL total = 0;

		/* The exponents of sum s. */
		while (c > degree - a - b) {
			c -= degree - a - b + 1;
			b++;
			if (b > degree - a) {
				b = 0;
				a++;
			}
		}
		for (uint j = 0; j < here; j++) {
			const REAL4 p = POSITION(OF_LEAVES ? sources[order[first + j]] : sources[first + j]);
			const REAL4 at = (p - middle) * scale;
			REAL w = p.w;

			for (uint i = 0; i < a; i++)
				w *= at.x;
			for (uint i = 0; i < b; i++)
				w *= at.y;
			for (uint i = 0; i < c; i++)
				w *= at.z;
			total += w;
		}
		sum[s] = total;
	}
#endif
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = x; i < count; i += WG0) {
		__global const float2 *row = matrix + i * MATRIX_ROW;
		REAL weight = 0;

		for (uint s = 0; s < count; s++)
			weight = fma(ENTRY(row[3 + s]), sum[s], weight);
		proxies[cell * count + i] = POINT_OF(fma(half_.x, ENTRY(row[0]), middle.x),
		                                     fma(half_.y, ENTRY(row[1]), middle.y),
		                                     fma(half_.z, ENTRY(row[2]), middle.z), weight);
	}
#endif
}
