/* SPDX-License-Identifier: MIT */
/*
 * sums.cl - conserved sums over OUT0 bodies, for each group:
 *
 *	0      mass
 *	1, 2   kinetic and potential energy
 *	3-5    momentum
 *	6-8    angular momentum about the origin
 *	9-11   mass times position
 *
 * Bodies may be in float (ELEM_BYTES 4) while the sums have more digits.  `rates` are
 * accelerations and the potential.  Masses are multiplied by `mass_scale`, since in SI units
 * their products leave the range of double-single.
 */
#define SUMS 12
#if OUT0 % WG0
#error "as many bodies for each work-item"
#endif

#if ELEM_BYTES == 4
typedef float4 BODIES;
#define PART(p, i) real_float((p).s##i)
#else
typedef POINT BODIES;
#define PART(p, i) PART_##i(p)
#define PART_0 X_OF
#define PART_1 Y_OF
#define PART_2 Z_OF
#define PART_3 W_OF
#endif

static inline void add_body(REAL *sum, REAL mass_scale, BODIES p, BODIES w, BODIES rates)
{
	const REAL x = PART(p, 0), y = PART(p, 1), z = PART(p, 2);
	const REAL m = real_mul(PART(p, 3), mass_scale);
	const REAL vx = PART(w, 0), vy = PART(w, 1), vz = PART(w, 2), half_m = real_divide(m, 2);
	const REAL px = real_mul(m, vx), py = real_mul(m, vy), pz = real_mul(m, vz);
	const REAL v2 = real_fma(vx, vx, real_fma(vy, vy, real_mul(vz, vz)));

	sum[0] = real_add(sum[0], m);
	sum[1] = real_fma(half_m, v2, sum[1]);
	sum[2] = real_fma(half_m, PART(rates, 3), sum[2]);
	sum[3] = real_add(sum[3], px);
	sum[4] = real_add(sum[4], py);
	sum[5] = real_add(sum[5], pz);
	sum[6] = real_add(sum[6], real_sub(real_mul(y, pz), real_mul(z, py)));
	sum[7] = real_add(sum[7], real_sub(real_mul(z, px), real_mul(x, pz)));
	sum[8] = real_add(sum[8], real_sub(real_mul(x, py), real_mul(y, px)));
	sum[9] = real_fma(m, x, sum[9]);
	sum[10] = real_fma(m, y, sum[10]);
	sum[11] = real_fma(m, z, sum[11]);
}

KERNEL void run(ulong n, REAL mass_scale, __global const BODIES *restrict state,
                __global const BODIES *restrict rates, __global REAL *restrict sums)
{
	__local REAL part[SUMS][WG0];
	const uint x = get_local_id(0);
	const ulong end = min(n, GROUP0 + OUT0);
	REAL sum[SUMS];

	for (uint k = 0; k < SUMS; k++)
		sum[k] = real_float(0);
	for (ulong i = GROUP0 + x; i < end; i += WG0)
		add_body(sum, mass_scale, state[i], state[n + i], rates[i]);
	for (uint k = 0; k < SUMS; k++)
		part[k][x] = sum[k];
	for (uint half_way = WG0 / 2; half_way > 0; half_way /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (x < half_way)
			for (uint k = 0; k < SUMS; k++)
				part[k][x] = real_add(part[k][x], part[k][x + half_way]);
	}
	if (x == 0)
		for (uint k = 0; k < SUMS; k++)
			sums[get_group_id(0) * SUMS + k] = part[k][0];
}
