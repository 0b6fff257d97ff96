/* SPDX-License-Identifier: MIT */
/*
 * check.h - declarations that the files of this room share.
 *
 * first_use.c decides when a kernel is checked and keeps the verdict; trial.c runs the kernel on a
 * small problem; the file of each operation makes up these problems, and judges their results and
 * those of calls (result.c).
 *
 * Rounding: with u the unit roundoff, a sum of n terms in any order is off by n u times
 * the sum of their magnitudes at most.  If the errors are independent, it is off by more than
 * 8 sqrt(n) u times that sum with a probability of 2 exp(-32) at most.  In trials they are; with
 * the caller's numbers they need not be.
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

/* Bound of the error of a sum of n terms, in units of u times the sum of their magnitudes. */
double clopt__sum_units(size_t n);

/* ---- Trials of a kernel at its first use ------------------------------------------ */

/*
 * An operand of a trial, laid out on the host as on the device: rows of pitch_bytes, the matrices
 * of a batch one behind the other, and then, except in images, one more row.  In that row and in
 * the gaps all bits are set before the launch (NaN) and compared afterwards.
 */
struct trial_array {
	size_t rows, columns, elem_bytes, pitch_bytes; /* rows: of one matrix */
	size_t bytes; /* of the whole array; 0: the problem has no such array */
	char *sent, *got; /* before the kernel, and after it */
	struct array device;
};

struct trial {
	unsigned number; /* 0, 1, ... */
	const struct variant *v;
	struct clopt_problem problem; /* of the size that `describe` sets */
	size_t steps; /* launches of the kernel */
	size_t part_bytes; /* not 0: sums go on from launch to launch; as in struct workload */
	double real[3][MAX_REALS]; /* for the launches; the last ones are alike */
	ptrdiff_t lower; /* as in struct launch */
	uint64_t random;
	struct trial_array array[MAX_OPERANDS];
	char why[WHY_SIZE]; /* the kernel is wrong */
};

/* The checks of an operation: of its kernels at their first use, and of the results of calls. */
struct checker {
	/* Sets sizes and numbers of the trial; 0: there are no more trials. */
	int (*describe)(struct trial *t);
	/* Fills the arrays. */
	void (*fill)(struct trial *t);
	/* CLOPT_EWRONG, with the reason in t->why; CLOPT_ENOMEM. */
	int (*judge)(struct trial *t);
	unsigned results; /* operands that the kernel writes, one bit each */
	/* The result of a call on arrays by row v, or a part of it: CLOPT_EWRONG with why,
	 * WHY_SIZE.  A part is judged by the numbers that are drawn for all of it, so that what is
	 * wrong in it was seen to be wrong in all of it.  Of a batch size 0 is the matrices, and no
	 * other size is looked at.  NULL: calls on arrays do not run this operation by itself. */
	int (*result)(const struct guard *g, const struct block *part, const struct variant *v,
	              char *why);
	size_t (*room_bytes)(const struct clopt_problem *p); /* of the guard; NULL: none */
};
extern const struct checker clopt__check_matmul, clopt__check_transpose, clopt__check_pair,
        clopt__check_leapfrog, clopt__check_force, clopt__check_step, clopt__check_sums,
        clopt__check_tree_keys, clopt__check_tree_sort, clopt__check_tree_cells,
        clopt__check_tree_sums;
extern const struct checker *const clopt__checkers[CLOPT_OPS]; /* first_use.c */

/* trial.c: CLOPT_EWRONG, with t->why, or another failure.  q is for trials alone, so that they do
 * not wait for the caller's commands. */
int clopt__trial_run(struct clopt *ctx, const struct checker *c, struct trial *t, cl_kernel kernel,
                     cl_command_queue q);
/* An element of matrix b before the launches, and after them. */
char *clopt__sent(const struct trial_array *p, size_t b, size_t row, size_t column);
const char *clopt__got(const struct trial_array *p, size_t b, size_t row, size_t column);
/* Whether |got - want| <= bound; if not, t->why says so of element name(i, j). */
int clopt__near(struct trial *t, const char *name, size_t i, size_t j, double got, double want,
                double bound);
/* Such a sentence into why, WHY_SIZE. */
void clopt__say_wrong(const struct clopt_problem *p, const char *name, size_t i, size_t j,
                      double got, double want, double bound, char *why);

/* Strike the kernel out; with `verbose`, print the reason. */
int clopt__reject(struct clopt *ctx, cl_kernel kernel, const char *why);

/* ---- Results of calls --------------------------------------------------------- */

/* trial.c: judges 0 to n - 1 in parts as clopt__in_parts runs them.  `judge` says why its part is
 * wrong, or leaves the text empty; CLOPT_EWRONG with the first of these texts, WHY_SIZE. */
int clopt__judge_in_parts(size_t n, size_t grain,
                          void (*judge)(const void *what, size_t first, size_t count, char *why),
                          const void *what, char *why);

/* law.c: a target's sum over pairs in double, from the numbers that kernels get. */
struct pair_values {
	double value[8]; /* as the kernel writes them */
	double bound[8]; /* of their errors; infinite: the value cannot be judged */
	unsigned count;
};
/* A source that counts by its multipoles about a place; local 1 or 2: by a polynomial about that
 * middle of targets too, up to TREE_MOST_LOCAL in all. */
struct expanded {
	double place[3], from[3], weight; /* from the place to the source */
	unsigned local;
};
struct pair_sum {
	const struct clopt_problem *problem;
	const double *real;
	size_t n;
	const void *sources; /* points as clopt__point_precision says */
	const float *depths; /* NULL without */
	const struct expanded *far; /* up to the degree problem->dim[2] */
	size_t nfar;
	double middle[2][3]; /* of targets that share a polynomial */
	double by_tree; /* share of the terms' magnitudes that a tree may be off by */
};
void clopt__pair_values(const struct pair_sum *p, const void *target, const float *normal,
                        struct pair_values *r);

/* tree.c: the rows of a cell's moments in length units of h, packed. */
void clopt__cell_moments(const struct clopt_problem *p, const double *place, double h,
                         const struct expanded *source, size_t n, char *rows);

/* freivalds.c: the product of two vectors; whether a job's products are right. */
double clopt__dot(const double *x, const double *y, size_t n);
size_t clopt__freivalds_bytes(const struct clopt_problem *p);
int clopt__freivalds(const struct guard *g, const struct block *part, const struct variant *v,
                     char *why);

#endif
