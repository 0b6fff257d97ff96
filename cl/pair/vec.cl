/* SPDX-License-Identifier: MIT */
/*
 * vec.cl - one target a work-item, LANES sources at a time in vector arithmetic ("vectorised
 * access, vector math" of Daga, Scogland, Feng).  With IMAGES the sources are texels of an image of
 * their buffer, as the paper's kernels read atoms from image memory.
 */
#ifndef IMAGES
#error "IMAGES, 0 or 1, comes from the variant's row"
#endif

#if IMAGES
/* A typedef hides from PoCL that the argument is an image. */
#define POINTS __read_only image1d_buffer_t

static inline REAL4 point(POINTS p, ulong j)
{
	return TO_REAL4(as_float4(read_imageui(p, (int)j)));
}
#else
#define POINTS __global const BODY *

static inline REAL4 point(POINTS p, ulong j)
{
	return POSITION(p[j]);
}
#endif

static inline void add_sources(SUM *sum, TARGET t, POINTS p, __global const float *depths, ulong j,
                               REAL16 k, const int check)
{
	const REAL4 a = point(p, j), b = point(p, j + 1);
#if LANES == 4
	const REAL4 c = point(p, j + 2), d = point(p, j + 3);
	const V depth = DEPTHS ? (V)(depths[j], depths[j + 1], depths[j + 2], depths[j + 3]) : (V)0;

	sum_pair(sum, t, (V)(a.x, b.x, c.x, d.x), (V)(a.y, b.y, c.y, d.y), (V)(a.z, b.z, c.z, d.z),
	         (V)(a.w, b.w, c.w, d.w), depth, k, check);
#elif LANES == 2
	const V depth = DEPTHS ? (V)(depths[j], depths[j + 1]) : (V)0;

	sum_pair(sum, t, (V)(a.x, b.x), (V)(a.y, b.y), (V)(a.z, b.z), (V)(a.w, b.w), depth, k,
	         check);
#else
#error "two or four sources at a time"
#endif
}

/* Adds one source in all lanes.  Only the first lane has its weight. */
static inline void add_single(SUM *sum, TARGET t, POINTS p, __global const float *depths, ulong j,
                              REAL16 k)
{
	const REAL4 a = point(p, j);
	V weight = 0;

	weight.x = a.w;
	sum_pair(sum, t, a.x, a.y, a.z, weight, (V)(DEPTHS ? depths[j] : 0), k, CHECKED_PASS);
}

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, POINTS sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	const ulong i = get_global_id(0), whole = nsources / LANES * LANES;
	SUM total;
	TARGET t;

	if (i >= ntargets)
		return;
#if !IMAGES
	sources += offset.s0;
#endif
	BEGIN(depths, targets, normals, out);
	t = target(targets[i], normals, i, k);
	total = sum_begin(out, i, 0, k);
	for (ulong j0 = 0; j0 < whole; j0 += SOURCES) {
		const ulong j1 = min(whole, j0 + SOURCES);
		SUM sum = sum_zero();

		for (ulong j = j0; j < j1; j += LANES)
			add_sources(&sum, t, sources, depths, j, k, FIRST_PASS);
		if (sum_not_finite(sum)) {
			sum = sum_zero();
			for (ulong j = j0; j < j1; j += LANES)
				add_sources(&sum, t, sources, depths, j, k, CHECKED_PASS);
		}
		sum_add(&total, sum);
	}
	if (whole < nsources) { /* otherwise none: a sum of nothing would change compensated sums */
		SUM rest = sum_zero();

		for (ulong j = whole; j < nsources; j++)
			add_single(&rest, t, sources, depths, j, k);
		sum_add(&total, rest);
	}
	sum_store(out, i, total, normals, k);
}
