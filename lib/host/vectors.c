/* SPDX-License-Identifier: MIT */
/*
 * vectors.c - which vector instructions this processor has.
 */
#include "host.h"

enum host_vectors clopt__host_vectors(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f"))
		return HOST_AVX512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return HOST_AVX2;
#endif
	return HOST_PLAIN;
}
