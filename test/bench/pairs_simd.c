/* SPDX-License-Identifier: MIT */
/*
 * pairs_simd.c - the loops in intrinsics, for AVX-512 or AVX2.  The loops are in pairs_simd.h,
 * written once for both widths.
 */
#include "pairs.h"

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define NAME(name) name##_avx512
#define TARGET __attribute__((target("avx512f")))
#define LANES 16
#define V __m512
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define SET _mm512_set1_ps
#define ADD _mm512_add_ps
#define SUB _mm512_sub_ps
#define MUL _mm512_mul_ps
#define FMA _mm512_fmadd_ps
#define ESTIMATE _mm512_rsqrt14_ps
#define RECIPROCAL _mm512_rcp14_ps
#include "pairs_simd.h"

#define NAME(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define V __m256
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define SET _mm256_set1_ps
#define ADD _mm256_add_ps
#define SUB _mm256_sub_ps
#define MUL _mm256_mul_ps
#define FMA _mm256_fmadd_ps
#define ESTIMATE _mm256_rsqrt_ps
#define RECIPROCAL _mm256_rcp_ps
#include "pairs_simd.h"

pairs_loop *pairs_simd(const char **name)
{
	__builtin_cpu_init();
	*name = "AVX-512 intrinsics";
	if (__builtin_cpu_supports("avx512f"))
		return all_avx512;
	*name = "AVX2 intrinsics";
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return all_avx2;
	return NULL;
}
#else
pairs_loop *pairs_simd(const char **name)
{
	*name = "intrinsics";
	return NULL;
}
#endif
