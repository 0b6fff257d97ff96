/* SPDX-License-Identifier: MIT */
/*
 * verify.h - checks of kernels and of results.
 */
#ifndef CLOPT_VERIFY_VERIFY_H
#define CLOPT_VERIFY_VERIFY_H

#include "../table/table.h"

/* first_use.c: clopt__kernel, then the check of the kernel's first use unless it is off or done.
 * CLOPT_EWRONG: the kernel is struck out now. */
int clopt__ready(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                 cl_kernel *kernel);

/* epilogue.c: the same for the kernel of the job's epilogue, if it has one.  No other row serves:
 * CLOPT_EWRONG. */
int clopt__epilogue_ready(struct clopt *ctx, const struct job *job);

/* first_use.c: why a kernel was wrong, by an entry of the store; NULL: the entry is not about a
 * wrong kernel. */
const char *clopt__found_wrong(const char *kind, const char *content);

#define WHY_SIZE 384

/* trial.c: uniform from -1 to 1, equal on every machine. */
double clopt__random(uint64_t *state);

/* Errors of the results of this thread's calls on arrays.  The caller initializes the lock. */
struct audit {
	pthread_mutex_t lock; /* several threads may judge one result */
	size_t judged; /* number of results */
	double error, allowed; /* of the number nearest to its bound, or farthest beyond */
	char why[WHY_SIZE]; /* why the first wrong result is wrong, or "" */
};
/* audit.c: start an audit of this thread's calls; NULL: end it. */
void clopt__audit(struct audit *a);
/* trial.c: note the error of a number. a NULL: no audit. */
void clopt__audit_note(struct audit *a, double error, double allowed);

/* State of the check of a call on arrays; zero is valid. */
struct guard {
	const struct job *job;
	char *copy; /* the result's array before the call, rows packed; NULL: it is not an input */
	double *room; /* memory for the checker */
	uint64_t seed;
	struct kept own; /* the copy, unless the job owns it */
	const struct variant *suspect; /* the row that was wrong in the last run */
	struct audit *audit; /* gets the errors; NULL: no audit */
	double *off; /* gets each row's error by its likely bound; NULL: wrong rows are told */
	int judged, verdict; /* judged: the last run is judged, with this verdict */
	char why[WHY_SIZE]; /* why the result is wrong */
};
/* result.c: before and after the call. */
int clopt__guard_open(struct clopt *ctx, const struct job *job, struct guard *g);
void clopt__guard_close(struct guard *g);
/* After a run: CLOPT_EWRONG with g->why, or CLOPT_OK.  Repeated calls return one verdict. */
int clopt__guard_judge(struct guard *g, const struct variant *v);
/* Whether a part of a wrong result is wrong, in the numbers that the check of the whole has looked
 * at. why: WHY_SIZE. */
int clopt__guard_judge_part(const struct guard *g, const struct variant *v,
                            const struct block *part, char *why);
/* End a run: judge it.  On CLOPT_EWRONG, restore the result's array if it is an input, and strike
 * the row out unless it has to run *again. */
int clopt__guard_check(struct clopt *ctx, struct guard *g, const struct variant *v,
                       cl_kernel kernel, int *again);

/* audit.c: whether calls of this thread are audited. */
int clopt__audits(void);

/* A wrong element of a product of another library. */
struct wrong_element {
	size_t row, column, count; /* count: of wrong elements seen */
	double is[2], right[2], bound[2]; /* real and imaginary part */
};
/* freivalds.c: check C, one product on host arrays. before: C before the call, rows packed; NULL if
 * it is not read. repair: set wrong elements right.  CLOPT_EWRONG: *worst is the element farthest
 * off.  CLOPT_ENOMEM. */
int clopt__product_check(const struct job *job, char *before, int repair,
                         struct wrong_element *worst);

/* audit.c: before and after a call on arrays. rc: its status.  A zero guard is not open. */
int clopt__audit_begin(struct clopt *ctx, const struct job *job, struct guard *g);
int clopt__audit_end(struct clopt *ctx, struct guard *g, int rc);

/* audit.c: judge bodies by their state before and after one step, or judge their sums.  Four
 * numbers for each body and velocity. */
struct stepped {
	size_t n;
	double dt, g, softening;
	int precision, hermite;
	const double *x, *v, *new_x, *new_v;
};
int clopt__audit_step(struct audit *a, const struct stepped *b);
int clopt__audit_sums(struct audit *a, const struct stepped *b, const struct clopt_conserved *sums);

#endif
