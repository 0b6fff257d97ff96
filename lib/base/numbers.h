/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers in the formats of kernels: rounded, of 2 to 8 bytes, or as two floats.
 */
#ifndef CLOPT_BASE_NUMBERS_H
#define CLOPT_BASE_NUMBERS_H

#include "status.h"

/* x rounded to float. */
double clopt__as_float(double x);

size_t clopt__number_bytes(int precision);
/* Convert n points of four numbers each. */
void clopt__numbers_pack(int precision, size_t n, const double *from, void *to);
/* Convert the first `columns` numbers of each point; the others keep their values. */
void clopt__numbers_unpack(int precision, size_t n, const void *from, unsigned columns, double *to);
/* The power of two that scales the largest mass of n bodies into [1, 2). */
double clopt__mass_unit(size_t n, const double *bodies);
/* Number i of an array. */
double clopt__number_at(int precision, const void *from, size_t i);

/* ---- Elements of matrices: enum clopt_type; real types up to 8 bytes are sizes */

/* Results of CLOPT_TYPE_INT8: int32_t.  Not a type of a product. */
#define TYPE_INT32 0x304

struct element_type {
	int type;
	const char *name; /* name in tuning records */
	int part, result; /* type of the real parts: of the inputs; of the result */
	unsigned parts; /* number of parts */
	unsigned bit; /* bit in struct variant.types; the size for plain real types */
	double unit; /* roundoff of sums; 0: they are integers modulo 2^32 */
	double stored; /* roundoff of results beyond that of sums; 0: none */
	double least, most; /* smallest normal result (of half, smallest result); largest */
};
/* NULL: no such type. */
const struct element_type *clopt__type(int type);

/* A real element of a matrix, or a part of a complex one. */
double clopt__element(const char *at, int type);
/* Round x to nearest, ties to even, into *at.  Integers take x modulo 2^8 or 2^32; |x| < 2^63. */
void clopt__element_put(char *at, int type, double x);
/* For numbers from -1 to 1: 1, or what makes integers of all sizes of them. */
double clopt__element_range(int type);
/* x y modulo 2^32, from -2^31 on.  x and y: whole numbers below 2^63. */
double clopt__product_mod(double x, double y);

/* a * b and a + b, or SIZE_MAX on overflow. */
size_t clopt__times(size_t a, size_t b);
size_t clopt__plus(size_t a, size_t b);
/* Number of groups of so many items; the last may have fewer. */
size_t clopt__groups(size_t items, size_t of_group);
size_t clopt__smaller(size_t a, size_t b);
size_t clopt__larger(size_t a, size_t b);

/* Make room in the list for one more element.  room: capacity in elements.  NULL: no memory; the
 * list stays. */
void *clopt__room(void *list, size_t count, size_t *room, size_t elem_bytes);

#endif
