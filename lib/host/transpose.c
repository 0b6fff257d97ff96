/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - a transpose of a small matrix by the calling thread.  The lines of a tile stay in
 * the nearest cache, so each is loaded and stored once.
 */
#include <stdint.h>

#include "host.h"

#define TILE 16

/* Elements without alignment. */
typedef uint8_t bytes1 __attribute__((may_alias, aligned(1)));
typedef uint16_t bytes2 __attribute__((may_alias, aligned(1)));
typedef uint32_t bytes4 __attribute__((may_alias, aligned(1)));
typedef uint64_t bytes8 __attribute__((may_alias, aligned(1)));
typedef struct {
	bytes8 half[2];
} __attribute__((may_alias)) bytes16;
typedef float any_float __attribute__((may_alias, aligned(1)));
typedef double any_double __attribute__((may_alias, aligned(1)));

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* value(x): the new value of an element. */
#define TRANSPOSE(name, type, value) \
	static void name##_tile(const struct host_transpose *t, size_t i0, size_t j0) \
	{ \
		const size_t i1 = smaller(i0 + TILE, t->rows), \
		             j1 = smaller(j0 + TILE, t->columns); \
		const type *in = t->in; \
		type *out = t->out; \
		size_t i, j; \
\
		for (j = j0; j < j1; j++) \
			for (i = i0; i < i1; i++) \
				out[j * t->ld_out + i] = value(in[i * t->ld_in + j]); \
	} \
\
	static void name(const struct host_transpose *t) \
	{ \
		size_t i, j; \
\
		for (j = 0; j < t->columns; j += TILE) \
			for (i = 0; i < t->rows; i += TILE) \
				name##_tile(t, i, j); \
	}

#define SAME(x) (x)
/* alpha 0 gives zeros, also for infinity and NaN. */
#define TIMES_FLOAT(x) (t->alpha == 0 ? 0 : (float)t->alpha * (x))
#define TIMES_DOUBLE(x) (t->alpha == 0 ? 0 : t->alpha * (x))

TRANSPOSE(transpose1, bytes1, SAME)
TRANSPOSE(transpose2, bytes2, SAME)
TRANSPOSE(transpose4, bytes4, SAME)
TRANSPOSE(transpose8, bytes8, SAME)
TRANSPOSE(transpose16, bytes16, SAME)
TRANSPOSE(transpose_float, any_float, TIMES_FLOAT)
TRANSPOSE(transpose_double, any_double, TIMES_DOUBLE)

void clopt__host_transpose(const struct host_transpose *t)
{
	switch (t->elem_bytes) {
	case 1:
		transpose1(t);
		break;
	case 2:
		transpose2(t);
		break;
	case 4:
		(t->scaled ? transpose_float : transpose4)(t);
		break;
	case 8:
		(t->scaled ? transpose_double : transpose8)(t);
		break;
	default:
		transpose16(t);
	}
}
