/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - one target a work-item, four sources at a time in float4 arithmetic
 * ("vectorised access, vector math" of Daga, Scogland, Feng).  With IMAGES the
 * sources are texels of an image made of their buffer, as the paper's kernels
 * read atoms from image memory.
 *
 * Sources beyond the end have no weight and are far away.
 */
#ifndef IMAGES
#error "IMAGES, 0 or 1, comes from the variant's row"
#endif
#if LANES != 4
#error "four sources at a time"
#endif

#if IMAGES
/* A typedef would hide from PoCL that the argument is an image. */
#define POINTS __read_only image1d_buffer_t

static inline float4 point(POINTS p, ulong j)
{
	return as_float4(read_imageui(p, (int)j));
}
#else
#define POINTS __global const float4 *

static inline float4 point(POINTS p, ulong j)
{
	return p[j];
}
#endif

static inline void four(SUM *sum, float4 t, float4 a, float4 b, float4 c, float4 d,
                        float softening2)
{
	sum_pair(sum, (float4)(a.x, b.x, c.x, d.x) - t.x, (float4)(a.y, b.y, c.y, d.y) - t.y,
	         (float4)(a.z, b.z, c.z, d.z) - t.z, (float4)(a.w, b.w, c.w, d.w), softening2);
}

KERNEL void run(ulong nsources, ulong ntargets, float scale, float softening2, float keep,
                POINTS sources,
                __global const float4 *restrict targets, __global RESULT *restrict out)
{
	const ulong i = get_global_id(0), whole = nsources / 4 * 4;
	SUM total = sum_zero();
	const float4 none = (float4)(FAR, FAR, FAR, 0);
	float4 t;

	if (i >= ntargets)
		return;
	t = targets[i];
	for (ulong j0 = 0; j0 < whole; j0 += SOURCES) {
		const ulong j1 = min(whole, j0 + SOURCES);
		SUM sum = sum_zero();

		for (ulong j = j0; j < j1; j += 4)
			four(&sum, t, point(sources, j), point(sources, j + 1),
			     point(sources, j + 2), point(sources, j + 3), softening2);
		sum_add(&total, sum);
	}
	if (whole < nsources) {
		const float4 b = whole + 1 < nsources ? point(sources, whole + 1) : none;
		const float4 c = whole + 2 < nsources ? point(sources, whole + 2) : none;

		four(&total, t, point(sources, whole), b, c, none, softening2);
	}
	sum_put(out + i, sum_result(total, scale), keep);
}
