/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: a group is one work-item, whose lanes are targets.
 *
 * OUT0 targets are OUT0 / LANES vectors of x, of y and of z.  Each source is broadcast to them.
 * Lanes beyond the last target repeat it and are not stored.
 */
#if WG0 != 1 || OUT0 % LANES
#error "one work-item a group, whole vectors of targets"
#endif
#define VECTORS (OUT0 / LANES)

/* The coordinates of the group's targets, of their normals and of their velocities. */
enum { POINT_X, POINT_Y, POINT_Z, POINT_W, NORMAL_X, NORMAL_Y, NORMAL_Z, NORMAL_W, SPEED_X, SPEED_Y, SPEED_Z, COORDINATES };

static inline void add_source(SUM *sum, const TARGET *t, BODY source, float d, REAL16 k,
                              const int check)
{
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++)
		sum_source(&sum[v], t[v], source, d, k, check);
}

static inline void clear_sums(SUM *sum)
{
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++)
		sum[v] = sum_zero();
}

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	REAL lane[COORDINATES][OUT0] __attribute__((aligned(128)));
	TARGET t[VECTORS];
	SUM total[VECTORS];

	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	for (uint i = 0; i < OUT0; i++) {
		const ulong at = min(ntargets - 1, SLICE0 + i);
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
#if JERK
		lane[SPEED_X][i] = VELOCITY(targets[at]).x;
		lane[SPEED_Y][i] = VELOCITY(targets[at]).y;
		lane[SPEED_Z][i] = VELOCITY(targets[at]).z;
#endif
	}
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
#define LANE(c) *(V *)(lane[c] + v * LANES)
		t[v] = target_at(LANE(POINT_X), LANE(POINT_Y), LANE(POINT_Z), LANE(POINT_W),
		                 LANE(NORMAL_X), LANE(NORMAL_Y), LANE(NORMAL_Z), LANE(NORMAL_W), k);
#if JERK
		t[v].vx = LANE(SPEED_X);
		t[v].vy = LANE(SPEED_Y);
		t[v].vz = LANE(SPEED_Z);
#endif
	}
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
		const ulong i = min(ntargets - 1, SLICE0 + v * LANES);

		total[v] = sum_begin(out, i, (uint)min((ulong)LANES, ntargets - i), k);
	}
	for (ulong j0 = 0; j0 < nsources; j0 += SOURCES) {
		const ulong j1 = min(nsources, j0 + SOURCES);
		int not_finite = 0;
		SUM sum[VECTORS];

		clear_sums(sum);
		for (ulong j = j0; j < j1; j++)
			add_source(sum, t, sources[j], DEPTHS ? depths[j] : 0, k, FIRST_PASS);
		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			not_finite |= sum_not_finite(sum[v]);
		if (not_finite) {
			SUM checked[VECTORS];

			clear_sums(checked);
			for (ulong j = j0; j < j1; j++)
				add_source(checked, t, sources[j], DEPTHS ? depths[j] : 0, k,
				           CHECKED_PASS);
			#pragma unroll
			for (uint v = 0; v < VECTORS; v++)
				sum_choose(&sum[v], checked[v]);
		}
		#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sum_add(&total[v], sum[v]);
	}
	#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
		const ulong i = SLICE0 + v * LANES;

		if (i < ntargets)
			sum_store(out, i, (uint)min((ulong)LANES, ntargets - i), total[v], normals,
			          k);
	}
}
