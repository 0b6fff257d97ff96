/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - declarations of the program test/bench/pairs.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>

enum pairs_kind {
	PAIRS_COULOMB, /* sum of q / d */
	PAIRS_SALT, /* sum of q (1 / d - 1 / (LAMBDA + d')), as ALPB has it at the surface */
	PAIRS_GRAVITY, /* sum of m D / (d^2 + eps^2)^(3/2) */
	PAIRS_KINDS
};

#define PAIRS_REACH 2.0f /* of d': distance from the surface along the normal */
#define PAIRS_LAMBDA 10.0f
#define PAIRS_SOFTENING2 1e-4f

/* The same points in two layouts: an array for each coordinate, and the library's. */
struct pairs {
	enum pairs_kind kind;
	size_t n; /* sources, and targets; a multiple of PAIRS_BLOCK */
	float *sources, *targets, *normals; /* x, y, z, weight */
	float *sx, *sy, *sz, *sw, *tx, *ty, *tz, *nx, *ny, *nz;
	float *out; /* 1 number a target, or with gravity x, y, z and one more */
};

enum {
	PAIRS_BLOCK = 64, /* targets at a time */
	PAIRS_TILE = 256 /* sources in a partial sum, as in the library */
};

/* Targets from first up to end. */
typedef void pairs_loop(const struct pairs *p, size_t first, size_t end);

pairs_loop pairs_plain; /* pairs_plain.c: plain C */
extern const char pairs_compiler[];

/* pairs_simd.c: intrinsics; NULL where the processor has neither AVX-512 nor AVX2. */
pairs_loop *pairs_simd(const char **name);

#endif
