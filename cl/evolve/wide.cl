/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: a group is one work-item, its lanes are bodies, and each
 * of the others is broadcast to them.  Lanes beyond the last body repeat it and
 * are not stored.
 */
#if WG0 != 1 || OUT0 != LANES
#error "one work-item a group, one vector of bodies"
#endif

#define NUMBERS (sizeof(POINT) / sizeof(BASE)) /* 4, or 8 for two floats each */

/* From bodies as they lie in memory to a vector of each coordinate, and back. */
typedef struct {
	BASE part[NUMBERS][LANES] __attribute__((aligned(64)));
} LANE;

static inline REAL lanes(const LANE *l, uint k)
{
#if DOUBLE_SINGLE
	return real_pair(*(const V *)l->part[2 * k], *(const V *)l->part[2 * k + 1]);
#else
	return *(const V *)l->part[k];
#endif
}

static inline void set_lanes(LANE *l, uint k, REAL r)
{
#if DOUBLE_SINGLE
	*(V *)l->part[2 * k] = r.hi;
	*(V *)l->part[2 * k + 1] = r.lo;
#else
	*(V *)l->part[k] = r;
#endif
}

static inline void gather(LANE *l, __global const POINT *points, ulong first, ulong n)
{
	for (uint i = 0; i < LANES; i++) {
		__global const BASE *p = (__global const BASE *)(points + min(n - 1, first + i));

		for (uint k = 0; k < NUMBERS; k++)
			l->part[k][i] = p[k];
	}
}

static inline void scatter(const LANE *l, __global POINT *points, ulong first, ulong n)
{
	for (uint i = 0; i < LANES && first + i < n; i++) {
		__global BASE *p = (__global BASE *)(points + first + i);

		for (uint k = 0; k < NUMBERS; k++)
			p[k] = l->part[k][i];
	}
}

static inline BODY targets(__global const POINT *state, ulong first, ulong n)
{
	LANE l;
	BODY b;

	gather(&l, state, first, n);
	b.x = lanes(&l, 0);
	b.y = lanes(&l, 1);
	b.z = lanes(&l, 2);
	b.mass = lanes(&l, 3);
#if JERK
	gather(&l, state + n, first, n);
	b.vx = lanes(&l, 0);
	b.vy = lanes(&l, 1);
	b.vz = lanes(&l, 2);
#endif
	return b;
}

static inline void put(PULL p, REAL g, __global POINT *rates, ulong first, ulong n)
{
	LANE l;

	set_lanes(&l, 0, real_mul(g, p.x));
	set_lanes(&l, 1, real_mul(g, p.y));
	set_lanes(&l, 2, real_mul(g, p.z));
	set_lanes(&l, 3, real_mul(g, p.phi));
	scatter(&l, rates, first, n);
#if JERK
	set_lanes(&l, 0, real_mul(g, p.jx));
	set_lanes(&l, 1, real_mul(g, p.jy));
	set_lanes(&l, 2, real_mul(g, p.jz));
	set_lanes(&l, 3, real_float(0));
	scatter(&l, rates + n, first, n);
#endif
}

KERNEL void run(ulong n, NUMBER g, NUMBER softening2, __global const POINT *restrict state,
                __global POINT *restrict rates)
{
	const BODY t = targets(state, SLICE0, n);
	const REAL soft = real(softening2);
	PULL total = pull_zero();

	for (ulong j0 = 0; j0 < n; j0 += SOURCES) {
		const ulong j1 = min(n, j0 + SOURCES);
		PULL p = pull_zero();

		for (ulong j = j0; j < j1; j++) {
#if JERK
			const BODY s = body(state[j], state[n + j]);
#else
			const BODY s = body(state[j], state[j]);
#endif

			pull_pair(&p, &t, &s, soft);
		}
		pull_add(&total, p);
	}
	put(total, real(g), rates, SLICE0, n);
}
