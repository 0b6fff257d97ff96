/* SPDX-License-Identifier: MIT */
/*
 * verify.h - whether a kernel, or a result, is right.
 */
#ifndef CLOPT_VERIFY_VERIFY_H
#define CLOPT_VERIFY_VERIFY_H

#include "../table/table.h"

/* first_use.c: clopt__kernel, and a check by problems of our own, if that is to be done and
 * was not done yet.  CLOPT_EWRONG: it is struck out now. */
int clopt__ready(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                 cl_kernel *kernel);

/* first_use.c: how a kernel was wrong, by an entry of the store; NULL: it tells of nothing
 * like that. */
const char *clopt__found_wrong(const char *kind, const char *content);

/* What stands round a call on arrays; valid when zero. */
struct guard {
	char *copy; /* of the result's array as it was, rows packed; NULL: it is not read */
	double *room; /* for the check of a product */
	uint64_t seed;
};
/* result.c: before the call; after each run of it (CLOPT_EWRONG: the row is struck out, and the
 * result's array, if it is read, as it was before); and at the end. */
int clopt__guard_open(struct clopt *ctx, const struct job *job, struct guard *g);
int clopt__guard_check(struct clopt *ctx, const struct job *job, struct guard *g,
                       const struct variant *v, cl_kernel kernel);
void clopt__guard_close(struct guard *g);

#endif
