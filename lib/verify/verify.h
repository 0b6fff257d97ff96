/* SPDX-License-Identifier: MIT */
/*
 * verify.h - whether a kernel, or a result, is right.
 */
#ifndef CLOPT_VERIFY_VERIFY_H
#define CLOPT_VERIFY_VERIFY_H

#include "../table/table.h"

/* first_use.c: clopt__kernel, and the check of a kernel's first use unless it is off or done.
 * CLOPT_EWRONG: the kernel is struck out now. */
int clopt__ready(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                 cl_kernel *kernel);

/* first_use.c: how a kernel was wrong, by an entry of the store; NULL: the entry is not about a
 * wrong kernel. */
const char *clopt__found_wrong(const char *kind, const char *content);

#define WHY_SIZE 384

/* The state of the check of a call on arrays; valid when zero. */
struct guard {
	const struct job *job;
	char *copy; /* the result's array before the call, rows packed; NULL: it is not read */
	double *room; /* memory for the checker */
	uint64_t seed;
	struct kept own; /* the copy, unless the job has it */
	const struct variant *suspect; /* the row that was wrong in the last run */
	int judged, verdict; /* of the last run, once it is judged */
	char why[WHY_SIZE]; /* it is wrong */
};
/* result.c: before the call, and at the end of it. */
int clopt__guard_open(struct clopt *ctx, const struct job *job, struct guard *g);
void clopt__guard_close(struct guard *g);
/* After a run: CLOPT_EWRONG with g->why, or CLOPT_OK; also when asked again. */
int clopt__guard_judge(struct guard *g, const struct variant *v);
/* Whether a part of a wrong result is wrong, in what the check of all of it has looked at; why:
 * WHY_SIZE. */
int clopt__guard_judge_part(const struct guard *g, const struct variant *v,
                            const struct block *part, char *why);
/* The end of each run: as clopt__guard_judge.  CLOPT_EWRONG: the result's array, if it is read, is as it
 * was before, and the row is struck out unless it is to run *again. */
int clopt__guard_check(struct clopt *ctx, struct guard *g, const struct variant *v,
                       cl_kernel kernel, int *again);

#endif
