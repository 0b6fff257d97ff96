/* SPDX-License-Identifier: MIT */
/*
 * bound.c - by how much the sum of a row of a right product may be off.
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

	return (sum + 3 * HOST_UNITS) * (elem_bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT) +
	       8 * ((elem_bytes == 2) + (v->math ? 4 : 0)) * ROUND_HALF;
}

/* The host's own two sums over n terms of random signs, of what is to be and of what is:
 * each addition errs by a unit of the sum so far, which is about the row's length. */
static double host_share(size_t n)
{
	return 8 * sqrt(2 * (double)n) * ROUND_DOUBLE;
}

struct limits clopt__limits(const struct job *job, const struct variant *v)
{
	const size_t bytes = job->problem.elem_bytes;
	const double host = host_share(job->problem.dim[1]);
	const double least = bytes == 8 ? DBL_MIN : bytes == 4 ? FLT_MIN : 0x1p-24;

	return (struct limits){
		.share = share(v, job->problem.dim[2], bytes) + host,
		.kept = host +
		        (8 * 4 + 2 * HOST_UNITS) * (bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT) +
		        (bytes == 2 ? 8 * 2 * ROUND_HALF : 0),
		.least = 8 * (double)job->problem.dim[1] * least * (1 + fabs(job->real[0])),
		.most = bytes == 8 ? DBL_MAX / 4 :
		        bytes == 4 ? FLT_MAX / 4 :
		                     65440,
	};
}

double clopt__row_off(const struct limits *l, double size, double kept)
{
	return l->share * size + l->kept * kept + l->least;
}
