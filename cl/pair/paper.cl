/* SPDX-License-Identifier: MIT */
/*
 * paper.cl - GEM's kernel before and after each optimization of Daga, Scogland, Feng,
 * "Architecture-Aware Optimization on a 1600-core Graphics Processor".  It exists to be measured
 * (examples/bench/ladders.py), and is never picked.
 *
 * The basic kernel: a work-item has one vertex.  For each charge it reads all numbers of both from
 * memory one by one, and branches on the potential and the region.  It takes roots, divides, and
 * adds to its result in memory.  Options, each 0 unless the row names it:
 *
 *	KS     kernel splitting: potential and region are compile-time constants
 *	RA     register accumulator: the result is written once
 *	RP     register preloading: the vertex is read once
 *	LM     local memory: charges go through tiles that a group shares
 *	IM     image memory: charges are texels
 *	LU     loop unrolling, by 2 or 4
 *	VASM   vectorized access, scalar math: points are read as float2 or float4
 *	LANES  2 or 4: vectorized access and math (VAVM) over as many charges
 *
 * MT, the most threads, is the row's work-group size.  As in the paper, no pointer is `restrict`,
 * so that the compiler cannot do the work of an option by itself.
 */
#if OUTPUTS != 0 || PRECISION != 0
#error "the potential in float32"
#endif
#ifndef LU
#define LU 1
#endif
#ifndef FAR
#define FAR 0
#endif

/* The j-th point of the floats p in an address space. */
#if VASM == 4 || LANES == 4
#define POINT(space, p, j) (((space const float4 *)(p))[j])
#elif VASM == 2 || LANES == 2
#define POINT(space, p, j) \
	(float4)(((space const float2 *)(p))[2 * (j)], ((space const float2 *)(p))[2 * (j) + 1])
#else
#define POINT(space, p, j) \
	(float4)((p)[4 * (j)], (p)[4 * (j) + 1], (p)[4 * (j) + 2], (p)[4 * (j) + 3])
#endif

#if IM
#define CHARGES __read_only image1d_buffer_t
#define STORED(j) as_float4(read_imageui(charges, (int)(j)))
#else
#define CHARGES __global const float *
#define STORED(j) POINT(__global, charges, j)
#endif

#if LM
#define TILE (ulong)WG0
#define CHARGE(j) POINT(__local, tile, j)
#else
#define TILE ncharges
#define CHARGE(j) STORED(j)
#endif

/* Numbers of enum clopt_law. */
enum { COULOMB = 1, ALPB_SALT = 5, ALPB_FAR, ALPB_INSIDE, ALPB_INSIDE_SALT };

#if KS
#define WITH_FOOT FOOT
#define IS_INSIDE INSIDE
#define IS_FAR FAR
#else
#define WITH_FOOT (law != COULOMB && law != ALPB_INSIDE)
#define IS_INSIDE (law == ALPB_INSIDE || law == ALPB_INSIDE_SALT)
#define IS_FAR (law == ALPB_FAR)
#endif

typedef struct {
	float x, y, z; /* a point of the surface */
	float nx, ny, nz;
	float p; /* distance from the surface along the normal */
} VERTEX;

/* By pointer: Oclgrind 21.10 stops at functions that return such structs. */
static inline void vertex(VERTEX *v, __global const float *targets, __global const float *normals,
                          ulong i, REAL16 k)
{
	const float4 t = POINT(__global, targets, i);
#if NORMALS
	const float4 n = unit_normal(POINT(__global, normals, i));
#else
	const float4 n = (float4)0;
#endif

	v->x = t.x;
	v->y = t.y;
	v->z = t.z;
	v->nx = n.x;
	v->ny = n.y;
	v->nz = n.z;
	v->p = PROJECTION + n.w;
}

/* The contribution to a vertex of LANES charges q at (x, y, z), by the formulas of clopt.h.  A
 * charge at the vertex, or too far away, adds nothing. */
static inline V pair(VERTEX v, V x, V y, V z, V q, V depth, int law, REAL16 k)
{
	const V dx = v.x + v.p * v.nx - x, dy = v.y + v.p * v.ny - y, dz = v.z + v.p * v.nz - z;
	const V square = dx * dx + dy * dy + dz * dz;
	const VI counts = (square >= FLT_MIN && square <= FLT_MAX) || square != square;
	const V charge = SCALE * (counts ? q : (V)0), d = sqrt(counts ? square : (V)1);
	V phi, foot = 0;

	if (WITH_FOOT) {
		const V fx = v.x + REACH * v.nx - x, fy = v.y + REACH * v.ny - y;
		const V fz = v.z + REACH * v.nz - z;

		foot = sqrt(fx * fx + fy * fy + fz * fz);
	}
	if (IS_INSIDE) {
		const float h = -v.p * (2 * RADIUS + v.p) / (RADIUS * RADIUS);
		const V inner = DEPTHS ? depth * (2 * RADIUS - depth) : (V)INNER;

		phi = LAW_A / d - LAW_B / sqrt(d * d + inner * h);
		if (WITH_FOOT)
			phi -= LAW_C / (LAMBDA + foot);
	} else if (IS_FAR) {
		phi = exp(LAW_B * (foot - d)) / (d * (LAMBDA + foot)) + LAW_A / d;
	} else if (WITH_FOOT) {
		phi = LAW_A / d - 1 / (LAMBDA + foot);
	} else {
		phi = 1 / d;
	}
	return charge * phi;
}

/* One charge's part of the terms that do not depend on charges: GEM's program adds a part with each
 * charge. */
static inline float share(VERTEX v, ulong ncharges, REAL16 k)
{
	const float r = RADIUS + v.p;
	float all = CONSTANT;

	if (KEEP != 0)
		return 0; /* an earlier part has added all of it */
	if (KAPPA_R != 0)
		all += OVER_R * exp(-KAPPA_R * (r - (RADIUS + REACH))) / r;
	else if (OVER_R != 0)
		all += OVER_R / r;
	return all / ncharges;
}

#if RP
#define LOAD_VERTEX
#define HERE preloaded
#else
#define LOAD_VERTEX \
	VERTEX here; \
\
	vertex(&here, points, normals, i, k);
#define HERE here
#endif

#if RA
#define ADD(phi, n) (sum += (phi), shares += (n) * share(HERE, ncharges, k))
#else
#define ADD(phi, n) (out[i] += sum_lanes(phi) + (n) * share(HERE, ncharges, k))
#endif

#define DEPTH(j) (DEPTHS ? depths[j0 + (j)] : 0)

/* Adds LANES charges from the j-th of the tile on. */
#if LANES == 4
#define LANES_AT(j) \
	do { \
		const float4 a = CHARGE(j), b = CHARGE((j) + 1); \
		LOAD_VERTEX \
		const float4 c = CHARGE((j) + 2), d = CHARGE((j) + 3); \
		const V depth = (V)(DEPTH(j), DEPTH((j) + 1), DEPTH((j) + 2), DEPTH((j) + 3)); \
		ADD(pair(HERE, (V)(a.x, b.x, c.x, d.x), (V)(a.y, b.y, c.y, d.y), \
		         (V)(a.z, b.z, c.z, d.z), (V)(a.w, b.w, c.w, d.w), depth, law, k), \
		    4); \
	} while (0)
#elif LANES == 2
#define LANES_AT(j) \
	do { \
		const float4 a = CHARGE(j), b = CHARGE((j) + 1); \
		LOAD_VERTEX \
		ADD(pair(HERE, (V)(a.x, b.x), (V)(a.y, b.y), (V)(a.z, b.z), (V)(a.w, b.w), \
		         (V)(DEPTH(j), DEPTH((j) + 1)), law, k), \
		    2); \
	} while (0)
#else
#define LANES_AT(j) ONE_AT(j)
#endif

/* Adds one charge, in the first lane. */
#if LANES == 1
#define ONE(w) (w)
#elif LANES == 2
#define ONE(w) (V)(w, 0)
#else
#define ONE(w) (V)(w, 0, 0, 0)
#endif
#define ONE_AT(j) \
	do { \
		const float4 a = CHARGE(j); \
		LOAD_VERTEX \
		ADD(pair(HERE, (V)(a.x), (V)(a.y), (V)(a.z), ONE(a.w), (V)(DEPTH(j)), law, k), 1); \
	} while (0)

KERNEL void run(ulong ncharges, ulong ntargets, REAL16 k, CHARGES charges,
                __global const float *depths, __global const float *points,
                __global const float *normals, __global RESULT *out, ulong8 offset)
{
	const ulong i = get_global_id(0);
	const int law = (int)LAW_NUMBER;
#if LM
	__local float tile[4 * WG0] __attribute__((aligned(16)));
	const uint x = get_local_id(0);
#endif
#if RP
	VERTEX preloaded;
#endif

#if !IM
	charges += 4 * offset.s0;
#endif
	BEGIN(depths, points, normals, out);
	points += 3 * offset.s2; /* each has four numbers, and BEGIN counts one */
	normals += 3 * offset.s3;
#if RP
	vertex(&preloaded, points, normals, min(i, ntargets - 1), k);
#endif
#if RA
	V sum = 0;
	float shares = 0;
#else
	if (i < ntargets && KEEP == 0)
		out[i] = 0;
#endif
	for (ulong j0 = 0; j0 < ncharges; j0 += TILE) {
		const ulong count = min(TILE, ncharges - j0), end = i < ntargets ? count : 0;
		ulong j = 0;
#if LM
		if (x < count) {
			const float4 s = STORED(j0 + x);

			tile[4 * x] = s.x;
			tile[4 * x + 1] = s.y;
			tile[4 * x + 2] = s.z;
			tile[4 * x + 3] = s.w;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
		for (; j + LU * LANES <= end; j += LU * LANES) {
			LANES_AT(j);
#if LU >= 2
			LANES_AT(j + LANES);
#endif
#if LU == 4
			LANES_AT(j + 2 * LANES);
			LANES_AT(j + 3 * LANES);
#endif
		}
		for (; j < end; j++)
			ONE_AT(j);
#if LM
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
	}
#if RA
	if (i < ntargets)
		out[i] = sum_lanes(sum) + shares + (KEEP == 0 ? 0 : out[i]);
#endif
}
