/* SPDX-License-Identifier: MIT */
/*
 * exact.cl - Coulomb's law and gravity in double-single: each number is the sum of two floats, hi
 * and lo, with |lo| at most half a unit in the last place of hi.
 *
 * A work-item has LANES targets.  With more than one, for CPUs, a group is one work-item, and lanes
 * beyond the last target repeat it and are not stored.  For few targets PARTS work-items share one:
 * each takes every PARTS-th source, and a tree in local memory adds up their sums.
 *
 * Error-free sums must not be contracted or reordered.  Products whose rounding matters are fma(a,
 * b, 0), so that no compiler can contract them.  None contracts to a slow fma.
 *
 * Source: Dekker, Numer. Math. 18, 224 (1971); Knuth, TAOCP 2, 4.2.2.
 */
#pragma OPENCL FP_CONTRACT OFF
#define PARTS (WG0 * LANES / OUT0)
#if PRECISION != 2 || WG0 * LANES % OUT0 || PARTS & (PARTS - 1) || (LANES != 1 && (LANES < 8 || PARTS > 1))
#error "double-single; a power of two of work-items for a target, or whole vectors of targets"
#endif

/* Whether a condition holds in any lane.  PoCL's any() tests one lane after the other, and Oclgrind
 * 21.10 takes __builtin_reduce_or() for 0. */
static inline int some(VI lanes)
{
#if LANES == 16
	const int8 eight = lanes.lo | lanes.hi;
#elif LANES == 8
	const int8 eight = lanes;
#endif
#if LANES == 1
	return lanes;
#else
	const int4 four = eight.lo | eight.hi;
	const int2 two = four.lo | four.hi;

	return two.x | two.y;
#endif
}

typedef struct {
	V hi, lo;
} DS;

static inline DS ds(V hi, V lo)
{
	DS x;

	x.hi = hi;
	x.lo = lo;
	return x;
}

/* a + b and its rounding error: two_sum for any a and b, quick_sum for |a| >= |b|. */
static inline DS two_sum(V a, V b)
{
	const V s = a + b, part = s - a;

	return ds(s, (a - (s - part)) + (b - part));
}

static inline DS quick_sum(V a, V b)
{
	const V s = a + b;

	return ds(s, b - (s - a));
}

static inline V rounded(V a, V b)
{
	return SLOW_FMA ? a * b : fma(a, b, (V)0);
}

static inline DS two_product(V a, V b)
{
	const V p = rounded(a, b);

	return ds(p, fma(a, b, -p));
}

/* The error is relative to the larger term. */
static inline DS ds_add(DS a, DS b)
{
	const DS s = two_sum(a.hi, b.hi);

	return quick_sum(s.hi, s.lo + (a.lo + b.lo));
}

static inline DS ds_minus(DS a, DS b)
{
	return ds_add(a, ds(-b.hi, -b.lo));
}

/* A product whose lo may be a few units of hi: for sums and other products. */
static inline DS ds_term(DS a, DS b)
{
	const DS p = two_product(a.hi, b.hi);

	return ds(p.hi, fma_or_mad(a.hi, b.lo, fma_or_mad(a.lo, b.hi, p.lo)));
}

static inline DS ds_multiply(DS a, DS b)
{
	const DS p = ds_term(a, b);

	return quick_sum(p.hi, p.lo);
}

static inline DS ds_dot(DS ax, DS ay, DS az, DS bx, DS by, DS bz)
{
	return ds_add(ds_term(ax, bx), ds_add(ds_term(ay, by), ds_term(az, bz)));
}

/* The float's inverse root y and, with r = 1 - a y^2, two terms of the series, y (1 + r / 2 + 3 r^2
 * / 8). lo may be a unit in the last place of hi. */
static inline DS ds_inverse_root(DS a)
{
	const V y = INVERSE_ROOT(a.hi);
	const DS square = two_product(y, y);
	const V r = fma_or_mad(-a.lo, square.hi, fma_or_mad(-a.hi, square.lo, fma(-a.hi, square.hi, (V)1)));

	return ds(y, rounded(y * r, fma_or_mad((V)0.375f, r, (V)0.5f)));
}

static inline DS ds_select(VI first, DS a, DS b)
{
	return ds(first ? a.hi : b.hi, first ? a.lo : b.lo);
}

/* The plain sum if the exact one is NaN, which subtracts infinities from each other. */
static inline DS or_plain(DS exact, V plain)
{
	return ds_select(exact.hi == exact.hi, exact, ds(plain, (V)0));
}

/* One float each of targets i to i + LANES, `step` apart. */
static inline V floats_at(__global const float *first, ulong step, ulong i, ulong ntargets)
{
	float lane[LANES] __attribute__((aligned(64)));

	#pragma unroll
	for (uint l = 0; l < LANES; l++)
		lane[l] = first[min(ntargets - 1, i + l) * step];
	return *(const V *)lane;
}

static inline DS pairs_at(__global const float *first, ulong step, ulong i, ulong ntargets)
{
	return ds(floats_at(first, step, i, ntargets), floats_at(first + 1, step, i, ntargets));
}

/* Number j of the caller's targets. */
static inline DS number_at(__global const BODY *targets, uint j, ulong i, ulong ntargets)
{
	__global const float *const first = (__global const float *)targets;
	const ulong step = sizeof(BODY) / sizeof(float);

#if WIDE_PAIRS
	return pairs_at(first + 2 * j, step, i, ntargets);
#else
	return ds(floats_at(first + j, step, i, ntargets), (V)0);
#endif
}

/* Numbers of a source, in all lanes. */
#if WIDE_PAIRS
#define NUMBER_OF(p, hi, lo, single) ds((V)((p).hi), (V)((p).lo))
#else
#define NUMBER_OF(p, hi, lo, single) ds((V)((p).single), (V)0)
#endif
#define X(p) NUMBER_OF(p, s0, s1, s0)
#define Y(p) NUMBER_OF(p, s2, s3, s1)
#define Z(p) NUMBER_OF(p, s4, s5, s2)
#define W(p) NUMBER_OF(p, s6, s7, s3)
#define SPEED_X(p) NUMBER_OF(p, s8, s9, s4)
#define SPEED_Y(p) NUMBER_OF(p, sa, sb, s5)
#define SPEED_Z(p) NUMBER_OF(p, sc, sd, s6)

/* The sums of a target, and its results before they are scaled. */
enum { SUM_PHI, SUM_X, SUM_Y, SUM_Z, SUM_JX, SUM_JY, SUM_JZ, SUMS };
typedef char SUMS_FIT[2 * sizeof(float) * SUMS <= SHARER_BYTES ? 1 : -1];

/* The sums of this work-item for target i, between launches. */
#define KEPT_AT(type, i) ((__global type *)(PART_AT(uchar, i) + part * SHARER_BYTES))

/* Stores numbers of `count` targets as pairs of floats.  Targets are `step` pairs apart. */
static inline void store_pairs(__global float2 *first, ulong step, uint count, const DS *number,
                               uint numbers)
{
	float hi[8][LANES] __attribute__((aligned(64))), lo[8][LANES] __attribute__((aligned(64)));

	#pragma unroll
	for (uint j = 0; j < numbers; j++) {
		*(V *)hi[j] = number[j].hi;
		*(V *)lo[j] = number[j].lo;
	}
	for (uint l = 0; l < count; l++) {
		#pragma unroll
		for (uint j = 0; j < numbers; j++)
			first[l * step + j] = (float2)(hi[j][l], lo[j][l]);
	}
}

#if NORMALS
/* The normals of LANES targets. */
typedef struct {
	V x, y, z, distance;
} NORMAL;

static inline NORMAL normal_at(__global const float4 *normals, ulong i, ulong ntargets)
{
	__global const float *const first = (__global const float *)normals;
	NORMAL n;

	n.x = floats_at(first, 4, i, ntargets);
	n.y = floats_at(first + 1, 4, i, ntargets);
	n.z = floats_at(first + 2, 4, i, ntargets);
	n.distance = floats_at(first + 3, 4, i, ntargets);
	return n;
}

/* The factor that scales the normal to length 1, as unit_normal does.  By a pointer, since Oclgrind
 * 21.10 stops at what inlining a returned struct may leave. */
static inline void inverse_length(NORMAL n, DS *factor)
{
	const DS square = ds_add(two_product(n.x, n.x),
	                         ds_add(two_product(n.y, n.y), two_product(n.z, n.z)));
	/* If the square of the length overflows a float, the products above are NaN. */
	const VI none = !(n.x * n.x + n.y * n.y + n.z * n.z <= FLT_MAX) || square.hi == 0;
	const VI unit = fabs(square.hi - 1) <= 1e-6f;

	*factor = ds_select(none, ds((V)0, (V)0),
	                    ds_select(unit, ds((V)1, (V)0), ds_inverse_root(square)));
}
#endif

#if WIDE_PAIRS
/* Stores results as result_store does, for all lanes. f: scaled sums. */
static inline void lanes_store(__global RESULT *out, ulong i, uint count, const DS *f,
                               __global const float4 *normals, REAL16 k)
{
	const ulong step = (KEEP == 0 ? sizeof(RESULT) : PART_BYTES) / sizeof(float2);
	DS r[8], phi, x = f[SUM_X], y = f[SUM_Y], z = f[SUM_Z];
	float shift[LANES] __attribute__((aligned(64))), along[LANES] __attribute__((aligned(64)));
#if NORMALS
	const NORMAL n = normal_at(normals, i, i + count);
	DS length, nx, ny, nz;

	inverse_length(n, &length);
	nx = ds_multiply(length, ds(n.x, (V)0));
	ny = ds_multiply(length, ds(n.y, (V)0));
	nz = ds_multiply(length, ds(n.z, (V)0));
#endif
	for (uint l = 0; l < LANES; l++) {
		const float2 more = constants(
		        NORMALS ? unit_normal(normals[i + min(l, count - 1)]) : (float4)0, k);

		shift[l] = more.x;
		along[l] = more.y;
	}
	phi = ds_add(f[SUM_PHI], ds(*(V *)shift, (V)0));
#if NORMALS
	{
		const DS by = ds(*(V *)along, (V)0);

		x = ds_add(x, ds_multiply(by, nx));
		y = ds_add(y, ds_multiply(by, ny));
		z = ds_add(z, ds_multiply(by, nz));
	}
#endif
#if OUTPUTS < 2
	r[0] = phi;
#if OUTPUTS == 1
	r[1] = ds_dot(x, y, z, nx, ny, nz);
#endif
#else
	r[0] = x;
	r[1] = y;
	r[2] = z;
	r[3] = PHI ? phi : ds((V)0, (V)0);
#if JERK
	r[4] = f[SUM_JX];
	r[5] = f[SUM_JY];
	r[6] = f[SUM_JZ];
	r[7] = ds((V)0, (V)0);
#endif
#endif
	store_pairs((__global float2 *)RESULT_AT(i), step, count, r,
	            sizeof(RESULT) / sizeof(float2));
}
#else
static inline void lanes_store(__global RESULT *out, ulong i, uint count, const DS *f,
                               __global const float4 *normals, REAL16 k)
{
	float r[SUMS][LANES] __attribute__((aligned(64)));

	#pragma unroll
	for (uint j = 0; j < SUMS; j++)
		*(V *)r[j] = f[j].hi + f[j].lo;
	/* With one lane the count is a constant, so that r stays in registers. */
	for (uint l = 0; l < (LANES > 1 ? count : 1); l++)
		result_store(out, i + l, (float4)(r[SUM_X][l], r[SUM_Y][l], r[SUM_Z][l], r[SUM_PHI][l]),
		             1, (float4)(r[SUM_JX][l], r[SUM_JY][l], r[SUM_JZ][l], 0), 0, normals, k);
}
#endif

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	const uint item = get_local_id(0), part = PARTS > 1 ? item / OUT0 : 0;
	const ulong i = SLICE0 + (PARTS > 1 ? item % OUT0 : item * LANES);
	const uint count = i < ntargets ? (uint)min((ulong)LANES, ntargets - i) : 0;
	const DS zero = ds((V)0, (V)0);
	DS total[SUMS], sum[SUMS], tx, ty, tz, scale, back;
	DS softening2 = ds((V)SOFTENING2, (V)SOFTENING2_LOW);
	V soft = (V)SOFTENING2;
#if JERK
	DS vx, vy, vz;
#endif
#if PARTS > 1
	__local DS others[SUMS][WG0 / 2];
#else

	if (!count)
		return;
#endif
	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	#pragma unroll
	for (uint j = 0; j < SUMS; j++)
		total[j] = GOES_ON ? pairs_at(KEPT_AT(const float, 0) + 2 * j,
		                              PART_BYTES / sizeof(float), i, ntargets) :
		                     zero;
	tx = number_at(targets, 0, i, ntargets);
	ty = number_at(targets, 1, i, ntargets);
	tz = number_at(targets, 2, i, ntargets);
#if JERK
	vx = number_at(targets, 4, i, ntargets);
	vy = number_at(targets, 5, i, ntargets);
	vz = number_at(targets, 6, i, ntargets);
#endif
#if NORMALS
	{
		const NORMAL n = normal_at(normals, i, ntargets);
		const V far = PROJECTION + n.distance;
		DS p;

		inverse_length(n, &p);
		p = ds_multiply(ds_add(ds((V)PROJECTION, (V)PROJECTION_LOW), ds(n.distance, (V)0)), p);
		tx = or_plain(ds_add(tx, ds_multiply(p, ds(n.x, (V)0))), tx.hi + far * n.x);
		ty = or_plain(ds_add(ty, ds_multiply(p, ds(n.y, (V)0))), ty.hi + far * n.y);
		tz = or_plain(ds_add(tz, ds_multiply(p, ds(n.z, (V)0))), tz.hi + far * n.z);
	}
#endif
#if OWN
	{
		const DS own = number_at(targets, 3, i, ntargets);

		softening2 = ds_add(softening2, ds_multiply(own, own));
		soft = fma(own.hi, own.hi, soft);
	}
#endif
	for (ulong j0 = part; j0 < nsources; j0 += PARTS * SOURCES) {
		const ulong j1 = min(nsources, j0 + PARTS * SOURCES);

		#pragma unroll
		for (uint j = 0; j < SUMS; j++)
			sum[j] = zero;
		for (ulong j = j0; j < j1; j += PARTS) {
			const BODY s = sources[j];
			DS dx = ds_minus(X(s), tx), dy = ds_minus(Y(s), ty);
			DS dz = ds_minus(Z(s), tz), weight = W(s), root, term;
			const V bare = fma_or_mad(dx.hi, dx.hi, fma_or_mad(dy.hi, dy.hi, dz.hi * dz.hi));
			const DS xy = ds_add(ds_term(dx, dx), ds_term(dy, dy)), zz = ds_term(dz, dz);
			DS d2 = ds_add(xy, SOFTENED ? ds_add(zz, softening2) : zz);
#if JERK
			DS ux = ds_minus(SPEED_X(s), vx), uy = ds_minus(SPEED_Y(s), vy);
			DS uz = ds_minus(SPEED_Z(s), vz);
#endif

			if (some(!(bare >= FLT_MIN && d2.hi <= FLT_MAX))) {
				/* In plain float and scaled.  The numbers above are NaN for infinite
				 * coordinates, for points too far apart for a float, and if a square
				 * overflows. */
				const V x = (X(s).hi - tx.hi) * 1e-10f, y = (Y(s).hi - ty.hi) * 1e-10f;
				const V z = (Z(s).hi - tz.hi) * 1e-10f;
				const V square = x * x + y * y + z * z + soft * 1e-20f;
				/* A NaN must reach the result, even if only the softening has it. */
				const VI nothing = square > FLT_MAX * 1e-20f ||
				                   (bare < FLT_MIN && square == square);

				dx = ds_select(nothing, zero, dx);
				dy = ds_select(nothing, zero, dy);
				dz = ds_select(nothing, zero, dz);
				weight = ds_select(nothing, zero, weight);
				d2 = ds_select(nothing, ds((V)1, (V)0), d2);
#if JERK
				ux = ds_select(nothing, zero, ux);
				uy = ds_select(nothing, zero, uy);
				uz = ds_select(nothing, zero, uz);
#endif
			}
			root = ds_inverse_root(d2);
			term = ds_term(root, weight);
#if PHI
			sum[SUM_PHI] = ds_add(sum[SUM_PHI], term);
#endif
#if FIELD
			term = ds_term(term, ds_term(root, root));
			sum[SUM_X] = ds_add(sum[SUM_X], ds_term(term, dx));
			sum[SUM_Y] = ds_add(sum[SUM_Y], ds_term(term, dy));
			sum[SUM_Z] = ds_add(sum[SUM_Z], ds_term(term, dz));
#endif
#if JERK
			{
				const DS along = ds_dot(dx, dy, dz, ux, uy, uz);
				const DS c = ds_term(ds_term(along, ds((V)-3, (V)0)), ds_term(root, root));

				sum[SUM_JX] = ds_add(sum[SUM_JX], ds_term(term, ds_add(ux, ds_term(c, dx))));
				sum[SUM_JY] = ds_add(sum[SUM_JY], ds_term(term, ds_add(uy, ds_term(c, dy))));
				sum[SUM_JZ] = ds_add(sum[SUM_JZ], ds_term(term, ds_add(uz, ds_term(c, dz))));
			}
#endif
		}
		#pragma unroll
		for (uint j = 0; j < SUMS; j++)
			total[j] = ds_add(total[j], sum[j]);
	}
	if (!ENDS) {
		store_pairs(KEPT_AT(float2, i), PART_BYTES / sizeof(float2), count, total, SUMS);
		return;
	}
#if PARTS > 1
	for (uint apart = WG0 / 2; apart >= OUT0; apart /= 2) {
		if (item >= apart && item < 2 * apart) {
			#pragma unroll
			for (uint j = 0; j < SUMS; j++)
				others[j][item - apart] = total[j];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (item < apart) {
			#pragma unroll
			for (uint j = 0; j < SUMS; j++)
				total[j] = ds_add(total[j], others[j][item]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (part || !count)
		return;
#endif
	scale = ds((V)SCALE, (V)SCALE_LOW);
	back = ds((V)-SCALE, (V)-SCALE_LOW);
	#pragma unroll
	for (uint j = 0; j < SUMS; j++)
		total[j] = ds_multiply(total[j], j == SUM_PHI ? scale : back);
	lanes_store(out, i, count, total, normals, k);
}
