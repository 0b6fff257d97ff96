/* SPDX-License-Identifier: MIT */
/*
 * verify_bound.c - by how much the sum of a row of a right product may be off.
 *
 * An element of row i that is wrong by d makes that row's sum wrong by d.  Rounding makes
 * it wrong by the root of the sum of squares of the elements' errors, times 8 with a
 * chance of 2 exp(-32), and those by what verify.h says of |A_i| |B_j|: together a share of
 * |A_i| |B|.
 */
#include <float.h>
#include <math.h>

#include "product.h"

/* Of |A_i| |B|, for one row.  Matrix units cut off, and three products of parts lose a
 * few units more.  Terms that are all alike make errors that are all alike: up to k / 4
 * units for each element of a sum that runs on, and the host's sums run on too; with
 * random signs they are 8 times their mean at most. */
static double share(const struct variant *v, size_t k, size_t elem_bytes)
{
	const int matrix_unit = (v->needs & T_PTX) != 0;
	const double sum = 4 * (double)k + 8 * sqrt((double)k) * (matrix_unit ? 2 : 1) +
	                   8 * (matrix_unit ? 16 : 4);
	const double halves = elem_bytes == 2 ? 1 + clopt__half_roundings(k) : 0;

	return (sum + 3 * HOST_UNITS) * (elem_bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT) +
	       8 * (halves + (v->math ? 4 : 0)) * ROUND_HALF;
}

struct limits clopt__limits(const struct job *job, const struct variant *v)
{
	const size_t bytes = job->problem.elem_bytes;
	const double least = bytes == 8 ? DBL_MIN : bytes == 4 ? FLT_MIN : 0x1p-24;

	return (struct limits){
		.share = share(v, job->problem.dim[2], bytes),
		.kept = 8 * (bytes == 8 ? 4 * ROUND_DOUBLE :
		             bytes == 4 ? 4 * ROUND_FLOAT :
		                          2 * ROUND_HALF),
		.least = 8 * (double)job->problem.dim[1] * least * (1 + fabs(job->real[0])),
		.most = (bytes == 8 ? DBL_MAX :
		         bytes == 4 ? FLT_MAX :
		                      65504) /
		        4,
	};
}

double clopt__row_off(const struct limits *l, double size, double kept)
{
	return size + kept < l->most ? l->share * size + l->kept * kept + l->least :
	                               (double)INFINITY;
}
