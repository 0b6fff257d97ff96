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

/* trial.c: uniform from -1 to 1, the same on every machine. */
double clopt__random(uint64_t *state);

/* Of the results that this thread's calls on arrays gave; valid with a lock. */
struct audit {
	pthread_mutex_t lock; /* threads judge a result together */
	size_t judged; /* results */
	double error,
	        allowed; /* of the number that is nearest to its bound, or farthest beyond it */
	char why[WHY_SIZE]; /* the first result that is wrong; "" */
};
/* audit.c: from now on; NULL: no longer. */
void clopt__audit(struct audit *a);
/* trial.c: a number is off by so much; a NULL: nobody asks. */
void clopt__audit_note(struct audit *a, double error, double allowed);

/* The state of the check of a call on arrays; valid when zero. */
struct guard {
	const struct job *job;
	char *copy; /* the result's array before the call, rows packed; NULL: it is not read */
	double *room; /* memory for the checker */
	uint64_t seed;
	struct kept own; /* the copy, unless the job has it */
	const struct variant *suspect; /* the row that was wrong in the last run */
	struct audit *audit; /* gets the errors; NULL: nobody asks */
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
/* The end of each run: as clopt__guard_judge.  CLOPT_EWRONG: the result's array, if it is read, is
 * as it was before, and the row is struck out unless it is to run *again. */
int clopt__guard_check(struct clopt *ctx, struct guard *g, const struct variant *v,
                       cl_kernel kernel, int *again);

/* audit.c: around a call on arrays; rc: how it went.  A guard that is zero is not open. */
int clopt__audit_begin(struct clopt *ctx, const struct job *job, struct guard *g);
int clopt__audit_end(struct clopt *ctx, struct guard *g, int rc);

/* audit.c: bodies before and after one step, or their sums: four numbers of each body and
 * velocity. */
struct stepped {
	size_t n;
	double dt, g, softening;
	int precision, hermite;
	const double *x, *v, *new_x, *new_v;
};
int clopt__audit_step(struct audit *a, const struct stepped *b);
int clopt__audit_sums(struct audit *a, const struct stepped *b, const struct clopt_conserved *sums);

#endif
