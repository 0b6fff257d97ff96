/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - a transpose of a small matrix by the calling thread.  The lines of a tile stay in
 * the nearest cache, so each is loaded and stored once.
 */
#include <stdint.h>

#include "turn.h"

/* Side of a tile; its rows are no longer than a cache line. */
#define TILE(type) (sizeof(type) > 4 ? 64 / sizeof(type) : 16)

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

/* value(x): the new value of an element.  turned: none, or a function by TURNED. */
#define TRANSPOSE(name, type, value, turned) \
	static void name##_tile(const struct host_transpose *t, size_t i0, size_t j0) \
	{ \
		const size_t i1 = smaller(i0 + TILE(type), t->rows), \
		             j1 = smaller(j0 + TILE(type), t->columns); \
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
		for (j = 0; j < t->columns; j += TILE(type)) \
			for (i = j + TILE(type) <= t->columns ? turned(t, j) : 0; i < t->rows; \
			     i += TILE(type)) \
				name##_tile(t, i, j); \
	}

/* Transposes whole tiles of a strip by blocks in registers.  Returns the first row that is left. */
#define TURNED(name, type, turn) \
	static WITH("avx") size_t name##_blocks(const struct host_transpose *t, size_t j0) \
	{ \
		const size_t columns = 16 / sizeof(type), rows = 2 * columns; /* of a block */ \
		const size_t ld_in = t->ld_in, ld_out = t->ld_out, end = t->rows; \
		const type *in = (const type *)t->in + j0; \
		type *out = (type *)t->out + j0 * ld_out; \
		size_t i0, i, j; \
\
		for (i0 = 0; i0 + TILE(type) <= end; i0 += TILE(type)) \
			for (j = 0; j < TILE(type); j += columns) \
				for (i = i0; i < i0 + TILE(type); i += rows) \
					turn(in + i * ld_in + j, ld_in, out + j * ld_out + i, \
					     ld_out); \
		return i0; \
	} \
\
	static size_t name(const struct host_transpose *t, size_t j) \
	{ \
		return clopt__host_vectors() >= HOST_AVX2 ? name##_blocks(t, j) : 0; \
	}

static size_t none(const struct host_transpose *t, size_t j)
{
	(void)t, (void)j;
	return 0;
}

#ifdef TURNS
TURNED(turned4, float, turn_float)
TURNED(turned8, double, turn_double)
#else
#define turned4 none
#define turned8 none
#endif

#define SAME(x) (x)
/* alpha 0 gives zeros, also for infinity and NaN. */
#define TIMES_FLOAT(x) (t->alpha == 0 ? 0 : (float)t->alpha * (x))
#define TIMES_DOUBLE(x) (t->alpha == 0 ? 0 : t->alpha * (x))

TRANSPOSE(transpose1, bytes1, SAME, none)
TRANSPOSE(transpose2, bytes2, SAME, none)
TRANSPOSE(transpose4, bytes4, SAME, turned4)
TRANSPOSE(transpose8, bytes8, SAME, turned8)
TRANSPOSE(transpose16, bytes16, SAME, none)
TRANSPOSE(transpose_float, any_float, TIMES_FLOAT, none)
TRANSPOSE(transpose_double, any_double, TIMES_DOUBLE, none)

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
