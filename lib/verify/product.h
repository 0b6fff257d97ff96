/* SPDX-License-Identifier: MIT */
/*
 * product.h - what the files share that check a call's product.
 */
#ifndef CLOPT_VERIFY_PRODUCT_H
#define CLOPT_VERIFY_PRODUCT_H

#include "check.h"

/* Elements that a part of a task is worth. */
#define GRAIN ((size_t)1 << 17)

/* ---- lines.c: matrices times vectors ------------------------------------ */

/* A matrix as it lies in the caller's memory. */
struct lines {
	const char *at;
	size_t count, length, pitch_bytes, elem_bytes;
};

struct line_sums {
	double sum, square;
};

/*
 * Lines first to first + count - 1 times v, and the root of the sum of their squares,
 * unless length is NULL; or those columns, v times the lines.  v is in double for
 * elements of 8 bytes, else in float.  Float products are added up in float over 1024 of
 * a line or 64 of a column, by lanes, and those sums in double: an error of HOST_UNITS of
 * float32's at the most, but for a chance as in verify.h, as a share of both lengths.
 */
#define HOST_UNITS 16
void clopt__along(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                  double *length);
void clopt__across(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                   double *length);

/* ---- One product ---------------------------------------------------------------- */

/*
 * A row of C with its elements' signs changed as x says: what it is, and what it is to be
 * by the operands; |alpha| |A_i| |B|, and |beta| times the length of the row as it was,
 * of which the bounds are shares.
 */
struct product {
	struct clopt *ctx;
	struct job job; /* not of a batch */
	const struct operand *old; /* C as it was; NULL: it is not part of the result */
	const void *x; /* n signs, in double for elements of 8 bytes and triangles, else in float */
	double *want, *size, *kept, *got; /* m of each */
	double *scratch; /* clopt__product_scratch of them */
	size_t changed; /* a row of C that is changed outside the triangle; m: none is */
};

/* product.c: want, size and kept; got. */
void clopt__product_want(struct product *p);
void clopt__product_got(struct product *p);
size_t clopt__product_scratch(const struct clopt_problem *problem);

/* The first elements of row i that are not finite: whether their terms may have left the
 * range, which ends at `most`. */
int clopt__product_may_leave(const struct product *p, size_t i, double most);

/* bound.c: what the bounds are shares of; by how much a row's sum may be off. */
struct limits {
	double share, kept; /* of |A_i| |B|, of the row as it was */
	double least; /* always */
	double most; /* no element whose terms' magnitudes add up to less leaves the range */
};
struct limits clopt__limits(const struct job *job, const struct variant *v);
double clopt__row_off(const struct limits *l, double size, double kept);

/* triangle.c: the same of a triangle; got: and changed. */
void clopt__triangle_want(struct product *p);
void clopt__triangle_got(struct product *p);
size_t clopt__triangle_scratch(const struct clopt_problem *problem);

#endif
