/* SPDX-License-Identifier: MIT */
/*
 * verify_product.h - matrices times vectors, for the check of a call's product.
 */
#ifndef CLOPT_VERIFY_PRODUCT_H
#define CLOPT_VERIFY_PRODUCT_H

#include "verify.h"

/* A matrix as it lies in the caller's memory. */
struct lines {
	const char *at;
	size_t count, length, pitch_bytes, elem_bytes;
};

struct line_sums {
	double sum, square;
};

/*
 * Lines first to first + count - 1 times v, and the root of the sum of their squares;
 * or those columns, v times the lines.  v is in double for elements of 8 bytes, else in
 * float.  Float products are added up in float over 1024 of a line or 64 of a column, by
 * lanes, and those sums in double: an error of HOST_UNITS of float32's at the most, but
 * for a chance as in verify.h, as a share of both lengths.
 */
#define HOST_UNITS 16
void clopt__along(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                  double *length);
void clopt__across(const struct lines *m, size_t first, size_t count, const void *v, double *sum,
                   double *length);

/* verify_product.c: a row of C with its elements' signs changed as x says, and what it
 * is to be; |alpha| |A_i| |B|, and |beta| times the length of the row as it was. */
struct row {
	double got, want, size, kept;
};
int clopt__row_right(const struct job *job, const struct variant *v, size_t i, const struct row *r,
                     char *why);

#endif
