/* SPDX-License-Identifier: MIT */
/*
 * split.cl - for few targets: a group's work-items share OUT0 targets.  Each takes every (WG0 /
 * OUT0)-th source, and a tree in local memory adds up their sums.
 */
#define PARTS (WG0 / OUT0)
#if WG0 % OUT0 || PARTS & (PARTS - 1)
#error "the work-items of a target must be a power of two"
#endif

/* Jerks and doubles take more words of a source.  Where eight targets or more share them, sources
 * come through local memory, a tile of WG0 at a time, in the same order. */
#if OUT0 >= 8 && (JERK || PRECISION == 3)
#define STAGED 1
#define ADD_TILE(n) \
	for (uint e = slice; e < (n); e += PARTS) \
	sum_source(&sum, t, tile[e], DEPTHS ? depths[first + e] : 0, k, FIRST_PASS)
#define ADD_ALL \
	for (ulong first = j0; first < j1; first += WG0) { \
		barrier(CLK_LOCAL_MEM_FENCE); \
		tile[x] = sources[min(j1 - 1, first + x)]; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		if (j1 - first >= WG0) { \
			_Pragma("unroll 8") ADD_TILE(WG0); \
		} else { \
			ADD_TILE((uint)(j1 - first)); \
		} \
	}
#else
#define STAGED 0
#define ADD_ALL \
	for (ulong j = j0 + slice; j < j1; j += PARTS) \
	sum_source(&sum, t, sources[j], DEPTHS ? depths[j] : 0, k, FIRST_PASS)
#endif

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	__local SUM parts[WG0];
#if STAGED
	__local BODY tile[WG0];
#endif
	const uint x = get_local_id(0), slice = x / OUT0;
	const ulong i = min(ntargets - 1, SLICE0 + x % OUT0);
	SUM total;
	TARGET t;

	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	/* Assigned after its declaration, since Oclgrind 21.10 stops at an initializer. */
	t = target(targets[i], normals, i, k);
	total = sum_begin(out, i, slice, k);
	for (ulong j0 = 0; j0 < nsources; j0 += (ulong)PARTS * SOURCES) {
		const ulong j1 = min(nsources, j0 + (ulong)PARTS * SOURCES);
		SUM sum = sum_zero();

		ADD_ALL;
		if (sum_not_finite(sum)) {
			sum = sum_zero();
			for (ulong j = j0 + slice; j < j1; j += PARTS)
				sum_source(&sum, t, sources[j], DEPTHS ? depths[j] : 0, k,
				           CHECKED_PASS);
		}
		sum_add(&total, sum);
	}
	if (SLICE0 + x % OUT0 < ntargets) /* other work-items repeat the last target */
		sum_keep(out, i, slice, total, k);
	parts[x] = total;
	for (uint apart = WG0 / 2; apart >= OUT0; apart /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (x < apart) {
			sum_add(&total, parts[x + apart]);
			parts[x] = total;
		}
	}
	if (ENDS && slice == 0 && SLICE0 + x < ntargets)
		sum_store(out, SLICE0 + x, total, normals, k);
}
