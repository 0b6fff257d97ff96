/* SPDX-License-Identifier: MIT */
/*
 * check.h - what the files of this room share.
 *
 * first_use.c says when a kernel is checked and what comes of it; trial.c runs it on a small
 * problem; a file of each operation's name makes such problems up and judges the results, its
 * own and, in part, those of calls (result.c, freivalds.c).
 *
 * Rounding: with u the unit roundoff, a sum of n terms in any order is off by n u times
 * the sum of their magnitudes at the most, and by more than 8 sqrt(n) u times it with a
 * chance of 2 exp(-32) if their errors are independent, as those of our own problems are;
 * callers' numbers need not be.
 *
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms" (2002), section 3.1;
 * Higham, Mary, SIAM J. Sci. Comput. 41, A2815 (2019).
 */
#ifndef CLOPT_VERIFY_CHECK_H
#define CLOPT_VERIFY_CHECK_H

#include "../base/numbers.h"
#include "../base/threads.h"
#include "verify.h"

#define ROUND_HALF 0x1p-11
#define ROUND_FLOAT 0x1p-24
#define ROUND_DOUBLE 0x1p-53

/* Units by which a sum of n terms may be off, as a share of their magnitudes. */
double clopt__sum_units(size_t n);

/* ---- Trials: a kernel's first use ------------------------------------------ */

/*
 * An operand of a trial, on the host as on the device: rows of pitch_bytes, those of all
 * matrices of a batch one behind the other, and, but for images, one row more.  What is no
 * element, that row among it, has all bits set before: NaN, and looked at afterwards.
 */
struct trial_array {
	size_t rows, columns, elem_bytes, pitch_bytes; /* rows: of one matrix */
	size_t bytes; /* in all; 0: the problem has no such array */
	char *sent, *got; /* before the kernel, and after it */
	struct array array;
};

#define WHY_SIZE 384

struct trial {
	unsigned number; /* 0, 1, ... */
	const struct variant *v;
	struct clopt_problem problem; /* of a size of ours */
	size_t steps; /* times that the kernel is run */
	size_t part_bytes; /* not 0: of a row of the result, all of it the kernel's to write */
	double real[2][MAX_REALS]; /* for the first of them, and the others */
	ptrdiff_t lower; /* as in struct launch */
	uint64_t random;
	struct trial_array plate[MAX_OPERANDS];
	char why[WHY_SIZE]; /* it is wrong */
};

/* The checks of an operation: of its kernels at their first use, and of the results of calls. */
struct checker {
	/* Sizes and numbers of the trial; 0: there are no more. */
	int (*describe)(struct clopt *ctx, struct trial *t);
	/* Values, once there are plates. */
	void (*fill)(struct trial *t);
	/* CLOPT_EWRONG, with the reason in t->why; CLOPT_ENOMEM. */
	int (*judge)(struct clopt *ctx, struct trial *t);
	unsigned results; /* operands that the kernel writes, one bit each */
	/* The result of a call on arrays by row v: CLOPT_EWRONG with why, WHY_SIZE.  NULL: calls on
	 * arrays do not run this operation by itself. */
	int (*result)(const struct job *job, const struct guard *g, const struct variant *v,
	              char *why);
	size_t (*room_bytes)(const struct clopt_problem *p); /* of the guard; NULL: none */
};
extern const struct checker clopt__check_matmul, clopt__check_transpose, clopt__check_pair,
        clopt__check_leapfrog, clopt__check_force, clopt__check_step, clopt__check_sums;
extern const struct checker *const clopt__checkers[CLOPT_OPS]; /* first_use.c */

/* trial.c: CLOPT_EWRONG, with t->why, or another failure.  q: for this alone, so
 * that it waits for nothing of the caller's. */
int clopt__trial_run(struct clopt *ctx, const struct checker *c, struct trial *t, cl_kernel kernel,
                     cl_command_queue q);
/* Evenly from -1 to 1, the same on every machine. */
double clopt__random(uint64_t *state);
/* An element of matrix b: in what was sent, or in what came back. */
char *clopt__sent(const struct trial_array *p, size_t b, size_t row, size_t column);
const char *clopt__got(const struct trial_array *p, size_t b, size_t row, size_t column);
/* Whether |got - want| <= bound; else it says so of what is called name(i, j). */
int clopt__near(struct trial *t, const char *name, size_t i, size_t j, double got, double want,
                double bound);

/* Strike the kernel out, and tell it those who asked for lines. */
int clopt__reject(struct clopt *ctx, cl_kernel kernel, const char *why);

/* ---- Results of calls --------------------------------------------------------- */

/* trial.c: judges 0 to n - 1 in parts as clopt__in_parts runs them.  `judge` says why its part is
 * wrong, or leaves the text empty; CLOPT_EWRONG with the first of these texts, WHY_SIZE. */
int clopt__judge_in_parts(size_t n, size_t grain,
                          void (*judge)(const void *what, size_t first, size_t count, char *why),
                          const void *what, char *why);

/* law.c: a target's sum over pairs in double, from the numbers that kernels get. */
struct pulled {
	double value[4]; /* as the kernel writes them */
	double bound[4]; /* by how much it may be off; infinite: it is not to be judged */
	unsigned count;
};
struct pulling {
	const struct clopt_problem *problem;
	const double *real;
	size_t n;
	const float *sources, *depths; /* depths: NULL without */
};
void clopt__pull(const struct pulling *p, const float *target, const float *normal,
                 struct pulled *r);

/* freivalds.c: whether a job's products are right; the guard's copy: C as it was, rows packed, or
 * NULL if that was not read. */
size_t clopt__freivalds_bytes(const struct clopt_problem *p);
int clopt__freivalds(const struct job *job, const struct guard *g, const struct variant *v,
                     char *why);

#endif
