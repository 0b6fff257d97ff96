/* SPDX-License-Identifier: MIT */
/*
 * turn.h - small blocks of a matrix, transposed in registers.
 */
#ifndef CLOPT_HOST_TURN_H
#define CLOPT_HOST_TURN_H

#include "host.h"

/* For Windows gcc cannot align its stack to 32 bytes. */
#if defined __x86_64__ && (defined __clang__ || (__GNUC__ >= 12 && !defined _WIN32))

#include <immintrin.h>

#define TURNS 1
#define SHUFFLE __builtin_shufflevector

/* 16, 32 and 64 bytes, at any address. */
typedef float floats4 __attribute__((vector_size(16), may_alias, aligned(1)));
typedef float floats8 __attribute__((vector_size(32), may_alias, aligned(1)));
typedef double doubles2 __attribute__((vector_size(16), may_alias, aligned(1)));
typedef double doubles4 __attribute__((vector_size(32), may_alias, aligned(1)));
typedef float floats16 __attribute__((vector_size(64), may_alias, aligned(1)));
typedef double doubles8 __attribute__((vector_size(64), may_alias, aligned(1)));

/* From two rows to one vector; and elements of two vectors by turns. */
#define FLOATS(at, ld) \
	SHUFFLE(*(const floats4 *)(at), *(const floats4 *)((at) + 4 * (ld)), 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(x, y) SHUFFLE(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(x, y) SHUFFLE(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW16(x, y) SHUFFLE(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH16(x, y) SHUFFLE(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)

/* 8 rows of 4 floats. */
static WITH("avx") INLINE void turn_float(const float *in, size_t ld_in, float *out, size_t ld_out)
{
	const floats8 a = FLOATS(in, ld_in), b = FLOATS(in + ld_in, ld_in);
	const floats8 c = FLOATS(in + 2 * ld_in, ld_in), d = FLOATS(in + 3 * ld_in, ld_in);
	const floats8 ac = LOW(a, c), bd = LOW(b, d), ac2 = HIGH(a, c), bd2 = HIGH(b, d);

	*(floats8 *)out = LOW(ac, bd);
	*(floats8 *)(out + ld_out) = HIGH(ac, bd);
	*(floats8 *)(out + 2 * ld_out) = LOW(ac2, bd2);
	*(floats8 *)(out + 3 * ld_out) = HIGH(ac2, bd2);
}

/* 4 rows of 2 doubles. */
static WITH("avx") INLINE
        void turn_double(const double *in, size_t ld_in, double *out, size_t ld_out)
{
	const doubles4 a =
	        SHUFFLE(*(const doubles2 *)in, *(const doubles2 *)(in + 2 * ld_in), 0, 1, 2, 3);
	const doubles4 b = SHUFFLE(*(const doubles2 *)(in + ld_in),
	                           *(const doubles2 *)(in + 3 * ld_in), 0, 1, 2, 3);

	*(doubles4 *)out = SHUFFLE(a, b, 0, 4, 2, 6);
	*(doubles4 *)(out + ld_out) = SHUFFLE(a, b, 1, 5, 3, 7);
}

/* From four rows `step` bytes apart. */
static WITH("avx512f") INLINE floats16 quarters(const void *row, size_t step)
{
	const char *at = row;
	__m512 v = _mm512_castps128_ps512(_mm_loadu_ps(row));

	v = _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(at + step)), 1);
	v = _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(at + 2 * step)), 2);
	return (floats16)_mm512_insertf32x4(v, _mm_loadu_ps((const void *)(at + 3 * step)), 3);
}

/* 16 rows of 4 floats. */
static WITH("avx512f") INLINE
        void turn_float_wide(const float *in, size_t ld_in, float *out, size_t ld_out)
{
	const size_t step = 4 * ld_in * sizeof *in;
	const floats16 a = quarters(in, step), b = quarters(in + ld_in, step);
	const floats16 c = quarters(in + 2 * ld_in, step), d = quarters(in + 3 * ld_in, step);
	const floats16 ac = LOW16(a, c), bd = LOW16(b, d), ac2 = HIGH16(a, c), bd2 = HIGH16(b, d);

	*(floats16 *)out = LOW16(ac, bd);
	*(floats16 *)(out + ld_out) = HIGH16(ac, bd);
	*(floats16 *)(out + 2 * ld_out) = LOW16(ac2, bd2);
	*(floats16 *)(out + 3 * ld_out) = HIGH16(ac2, bd2);
}

/* 8 rows of 2 doubles. */
static WITH("avx512f") INLINE
        void turn_double_wide(const double *in, size_t ld_in, double *out, size_t ld_out)
{
	const size_t step = 2 * ld_in * sizeof *in;
	const doubles8 a = (doubles8)quarters(in, step), b = (doubles8)quarters(in + ld_in, step);

	*(doubles8 *)out = SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
	*(doubles8 *)(out + ld_out) = SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
#endif

#endif
