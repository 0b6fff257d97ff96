/* SPDX-License-Identifier: MIT */
/*
 * blas.h - the drop-in for BLAS: large calls go to the device, all others to the next BLAS of the
 * process.  docs/blas.md says what goes where.
 *
 *	names.c     each routine under each of its names: its work, and the call that is passed on
 *	routines.c  whether its arguments are valid, and the call of libclopt that does its work
 *	serve.c     whether a valid call above the limit below is served; the context and the counters
 *	next.c      finds the next BLAS
 *	check.c     checks products of the next BLAS
 *	host.c      copies and transposes in plain C, which a BLAS may lack
 */
#ifndef BLAS_H
#define BLAS_H

#include <stddef.h>
#include <stdint.h>

#include "clopt.h"

/* Only names.c and clopt_blas_calls are seen from outside. */
#pragma GCC visibility push(hidden)

/* How a call ended; only the first is served here. */
enum outcome {
	SERVED,
	SMALL, /* too little work */
	INVALID, /* arguments about which the next BLAS has to complain */
	UNSUITED, /* double on a device without it, or a transpose that libclopt lacks */
	NO_DEVICE, /* no device, or one that is no faster than the next BLAS */
	CHILD, /* after fork() the device belongs to the parent */
	INSIDE, /* a call from inside libclopt */
	FAILED,
	CHECKED, /* passed on, and its product is right; until then: has to be checked */
	WRONG,
	OUTCOMES
};

/* What the routine has to do. */
enum rest {
	PASS_ON, /* to next->call */
	DONE,
	PASS_ON_AND_CHECK /* then call clopt__blas_check */
};

#define ONE_THREADS __attribute__((tls_model("initial-exec")))

/* Unit of the least work. */
enum work {
	PRODUCT, /* multiply-adds of real numbers */
	TRANSPOSE, /* bytes of the matrix */
	WORKS
};

/* A routine of the next BLAS, by one name. */
struct next {
	const char *name;
	enum work kind;
	int sought;
	void (*call)(void); /* NULL: not found, or not sought yet */
};

/* Least work of a served call; 0 until the settings are read. */
extern double clopt__blas_least[WORKS];

void clopt__blas_count(enum outcome outcome);

static inline double clopt__blas_least_of(const struct next *next)
{
	double least;

	__atomic_load(&clopt__blas_least[next->kind], &least, __ATOMIC_RELAXED);
	return least;
}

/* Inline and short: each small product of a program calls it. */
static inline int clopt__blas_is_small(const struct next *next, double work)
{
	if (work >= clopt__blas_least_of(next) || !__atomic_load_n(&next->call, __ATOMIC_ACQUIRE))
		return 0;
	clopt__blas_count(SMALL);
	return 1;
}

enum {
	BLAS_CONJUGATE = 114
}; /* CBLAS: conjugated, not transposed */

/* ---- routines.c: as clopt__blas_settle */

enum rest clopt__blas_gemm(struct next *next, double work, int type, int layout, int transa,
                           int transb, int64_t m, int64_t n, int64_t k, const void *alpha,
                           const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
                           void *c, int64_t ldc);
/* syrk, and herk if hermitian is 1; then alpha and beta are real. */
enum rest clopt__blas_rank_k(struct next *next, double work, int type, int hermitian, int layout,
                             int uplo, int trans, int64_t n, int64_t k, const void *alpha,
                             const void *a, int64_t lda, const void *beta, void *c, int64_t ldc);
/* omatcopy, and imatcopy if b is a. */
enum rest clopt__blas_matcopy(struct next *next, double work, int type, int layout, int trans,
                              int64_t rows, int64_t cols, const void *alpha, const void *a,
                              int64_t lda, void *b, int64_t ldb);

/* ---- serve.c ------------------------------------------------------------------------------- */

/* A call that libclopt may serve. */
struct task {
	struct next *next;
	int type; /* 0: libclopt has no call for it */
	double work, flops_per_byte; /* per byte that the device receives or returns */
	int (*call)(struct clopt *ctx, const void *what);
	const void *what;
};
/* Serve the call, or return why not. */
enum outcome clopt__blas_serve(const struct task *task);
/* Count the call, unless it has to be checked.  Without a next BLAS the process ends, since a
 * routine of BLAS cannot report a failure. */
enum rest clopt__blas_settle(struct next *next, enum outcome outcome);
/* Check the product, and count the call. */
void clopt__blas_check(const struct next *next);

/* ---- check.c ------------------------------------------------------------------------------- */

/* Keep what a product is checked by.  0: no memory. */
int clopt__blas_hold(const struct clopt_gemm_desc *g, const void *a, const void *b, void *c);
/* The product that this thread has held last, which it then no longer holds. */
struct held *clopt__blas_held(void);
/* Check it.  A wrong one is told on stderr. */
enum outcome clopt__blas_judge(const struct next *next, const struct held *h, int repair);
void clopt__blas_drop(struct held *h);

/* ---- next.c -------------------------------------------------------------------------------- */

/* Use the file that CLOPT_BLAS_NEXT names.  If it cannot be loaded, print a line to stderr. */
void clopt__blas_next_file(const char *file);
void clopt__blas_find(struct next *next);
/* The file of the routine, and its version if it has one of the known functions for it. */
void clopt__blas_about(const struct next *next, char *text, size_t size);

/* ---- host.c -------------------------------------------------------------------------------- */

/* A number of any type. */
struct number {
	double re, im;
};
struct number clopt__blas_number(int type, const void *p);

/* B = alpha op(A), row by row.  A has rows x cols; op may transpose and conjugate. */
struct matcopy {
	int type, transposes, conjugates;
	size_t rows, cols, lda, ldb;
	struct number alpha;
};
/* CLOPT_OK, or CLOPT_ENOMEM if b is a and there is no memory for a copy. */
int clopt__blas_host(const struct matcopy *m, const void *a, void *b);

#pragma GCC visibility pop

/* Numbers of calls served and passed on so far.  Either pointer may be NULL. */
extern void clopt_blas_calls(size_t *served, size_t *passed);

#endif
