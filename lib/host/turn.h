/* SPDX-License-Identifier: MIT */
/*
 * turn.h - small blocks of a matrix, transposed in registers.
 */
#ifndef CLOPT_HOST_TURN_H
#define CLOPT_HOST_TURN_H

#include "host.h"

/* For Windows gcc cannot align its stack to 32 bytes. */
#if defined __x86_64__ && (defined __clang__ || (__GNUC__ >= 12 && !defined _WIN32))

#define TURNS 1
#define SHUFFLE __builtin_shufflevector

/* 16 and 32 bytes, at any address. */
typedef float floats4 __attribute__((vector_size(16), may_alias, aligned(1)));
typedef float floats8 __attribute__((vector_size(32), may_alias, aligned(1)));
typedef double doubles2 __attribute__((vector_size(16), may_alias, aligned(1)));
typedef double doubles4 __attribute__((vector_size(32), may_alias, aligned(1)));

/* From two rows or more to one vector; and elements of two vectors by turns. */
#define FLOATS(at, ld) \
	SHUFFLE(*(const floats4 *)(at), *(const floats4 *)((at) + 4 * (ld)), 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(x, y) SHUFFLE(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(x, y) SHUFFLE(x, y, 2, 10, 3, 11, 6, 14, 7, 15)

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
#endif

#endif
