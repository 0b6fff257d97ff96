/* SPDX-License-Identifier: MIT */
/*
 * check.h - shared by the files of this room. first_use.c decides when a kernel is checked, and
 * stores the verdict. trial.c runs the kernel on a small problem.  The file of each operation makes
 * these problems, and judges their results and those of calls (result.c).  Rounding: let u be the
 * unit roundoff.  A sum of n terms in any order is off by at most n u times the sum of their
 * magnitudes.  If the errors are independent, it is off by more than 8 sqrt(n) u times that sum
 * with a probability of at most 2 exp(-32).  They are independent in trials; with the caller's
 * numbers they need not be.  Sources: Higham, "Accuracy and Stability of Numerical Algorithms"
 * (2002), section 3.1; Higham, Mary, SIAM J. Sci. Comput. 41, A2815 (2019).
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
/* The unit roundoff of arithmetic on bodies. */
double clopt__body_unit(int precision);

/* ---- Trials of a kernel at its first use ------------------------------------------ */

/*
 * An operand of a trial, laid out on the host as on the device: rows of pitch_bytes, the matrices
 * of a batch one after another.  One more row follows, except in images.  That row and the gaps are
 * filled with 1 bits (NaN) before the launch and compared afterwards.
 */
struct trial_array {
	size_t rows, columns, elem_bytes, pitch_bytes; /* rows: of one matrix */
	size_t bytes; /* of the whole array; 0: the problem lacks the array */
	char *sent, *got; /* before the launches, and after them */
	struct array device;
};

struct trial {
	unsigned number; /* 0, 1, ... */
	const struct variant *v;
	struct clopt_problem problem; /* with the sizes that `describe` sets */
	size_t steps; /* launches of the kernel */
	size_t part_bytes; /* not 0: each launch continues the sums; as in struct workload */
	double real[3][MAX_REALS]; /* of launch 0, of launch 1, and of all later ones */
	ptrdiff_t lower; /* as in struct launch */
	uint64_t random;
	struct trial_array array[MAX_OPERANDS];
	char why[WHY_SIZE]; /* why the kernel is wrong, or "" */
};

/* The checks of an operation: of kernels at their first use, and of results of calls. */
struct checker {
	/* Set sizes and numbers of the trial; 0: no trials are left. */
	int (*describe)(struct trial *t);
	/* Fill the arrays. */
	void (*fill)(struct trial *t);
	/* CLOPT_EWRONG, with the reason in t->why; CLOPT_ENOMEM. */
	int (*judge)(struct trial *t);
	unsigned results; /* operands that the kernel writes, one bit each */
	/* Judge the result of a call on arrays by row v, or a part of it: CLOPT_EWRONG with why,
	 * WHY_SIZE. A part is judged with the numbers drawn for the whole, so the whole shows every
	 * error of a part.  Of a batch, dimension 0 of the part counts matrices; the others are
	 * ignored.  NULL: no call on arrays runs this operation directly. */
	int (*result)(const struct guard *g, const struct block *part, const struct variant *v,
	              char *why);
	size_t (*room_bytes)(const struct clopt_problem *p); /* of struct guard; NULL: 0 */
};
extern const struct checker clopt__check_matmul, clopt__check_transpose, clopt__check_pair,
        clopt__check_leapfrog, clopt__check_step, clopt__check_sums, clopt__check_tree_keys,
        clopt__check_tree_sort, clopt__check_tree_cells, clopt__check_tree_sums;
extern const struct checker *const clopt__checkers[CLOPT_OPS]; /* first_use.c */

/* trial.c: CLOPT_EWRONG with t->why, or another failure. */
int clopt__trial_run(struct clopt *ctx, const struct checker *c, struct trial *t, cl_kernel kernel,
                     cl_command_queue q);
/* An element of matrix b before the launches, and after them. */
char *clopt__sent(const struct trial_array *p, size_t b, size_t row, size_t column);
const char *clopt__got(const struct trial_array *p, size_t b, size_t row, size_t column);
/* Point i of an array without gaps: four numbers in the problem's precision. */
void clopt__trial_point(const struct trial *t, const char *array, size_t i, double *x);
void clopt__trial_put(const struct trial *t, char *array, size_t i, const double *x);
/* Fill the first n points of an operand: numbers within 1 of 0, of x, and of the weight. */
void clopt__trial_points(struct trial *t, unsigned operand, size_t n, double x, double weight);
/* Whether |got - want| <= bound; if not, t->why names element name(i, j). */
int clopt__near(struct trial *t, const char *name, size_t i, size_t j, double got, double want,
                double bound);
/* Write that message to why, WHY_SIZE. */
void clopt__say_wrong(const struct clopt_problem *p, const char *name, size_t i, size_t j,
                      double got, double want, double bound, char *why);

/* Trials of a kernel.  Each round draws other numbers.  CLOPT_EWRONG with why, WHY_SIZE. */
typedef int (*clopt__trials)(struct clopt *ctx, cl_kernel kernel, cl_command_queue q,
                             const void *what, unsigned round, char *why);
/* first_use.c: the check of the kernel's first use unless it is off or done. */
int clopt__first_use(struct clopt *ctx, cl_kernel kernel, clopt__trials trials, const void *what);
/* Strike the kernel out.  With `verbose`, print the reason. */
int clopt__reject(struct clopt *ctx, cl_kernel kernel, const char *why);

/* ---- Results of calls --------------------------------------------------------- */

/* trial.c: judge items 0 to n - 1 by threads, as clopt__in_parts runs them. judge: writes why its
 * items are wrong, or leaves the text empty.  CLOPT_EWRONG with the first such text, WHY_SIZE. */
int clopt__judge_in_parts(size_t n, size_t grain,
                          void (*judge)(const void *what, size_t first, size_t count, char *why),
                          const void *what, char *why);

/* law.c: a target's sum over pairs in double, from the inputs that kernels get. */
struct pair_values {
	double value[8]; /* in the kernel's order */
	double bound[8]; /* of the errors of values; infinite: not judged */
	unsigned count;
};
/* A source in a cell's multipoles about a place. local 1 or 2: also in the polynomial about
 * middle[local - 1] of the targets, of a total degree up to TREE_MOST_LOCAL. */
struct expanded {
	double place[3], from[3], weight; /* from: from the place to the source */
	unsigned local;
};
struct pair_sum {
	const struct clopt_problem *problem;
	const double *real;
	size_t n;
	const void *sources; /* points in clopt__point_precision */
	const float *depths; /* or NULL */
	const struct expanded *far; /* expanded up to degree problem->dim[2] */
	size_t nfar;
	double middle[2][3]; /* middles of targets that share a polynomial */
	double by_tree; /* error allowed to a tree, relative to the terms' magnitudes */
};
void clopt__pair_values(const struct pair_sum *p, const void *target, const float *normal,
                        struct pair_values *r);

/* tree.c: write the rows of a cell's moments, in length units of h, packed. */
void clopt__cell_moments(const struct clopt_problem *p, const double *place, double h,
                         const struct expanded *source, size_t n, char *rows);

/* freivalds.c: a dot product; whether a job's matrix products are right. */
double clopt__dot(const double *x, const double *y, size_t n);
size_t clopt__freivalds_bytes(const struct clopt_problem *p);
int clopt__freivalds(const struct guard *g, const struct block *part, const struct variant *v,
                     char *why);

#endif
