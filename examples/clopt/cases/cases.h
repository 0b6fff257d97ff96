/* SPDX-License-Identifier: MIT */
/*
 * cases.h - the room of problems: inputs, right answers and tolerances of each operation.  It
 * includes no other room.
 *
 * For each operation: the problems worth trying, their inputs, the right
 * answer, and how far from it a result may be.  `clopt bench`, `clopt list`
 * and the tests walk the same tables, so that no kernel is timed on a problem
 * that nobody checks.  Everything goes through the public API, in ordinary
 * memory; nothing here prints.
 *
 *	for (i = 0; i < n; i++)                 shapes = case_shapes(op, &n)
 *		case_run(ctx, op, &shapes[i], seed, &result);
 *
 * checks all elements.  Where that takes too long:
 *
 *	case_open(&job, op, &shape, seed);      inputs, once
 *	case_call(ctx, job);                    the routine, nothing else
 *	case_check(job, 64, &result);           64 elements drawn at random
 *	case_reset(job);                        before a call to be checked again
 *	case_close(job);
 *
 * An output element counts as right if its error is at most 1 in units of its
 * tolerance; the file of each operation derives that.
 */
#ifndef CASES_H
#define CASES_H

#include <stddef.h>
#include <stdint.h>

#include "clopt_device.h"
#include "clopt_tune.h"

/* Where the points of a pair operation lie; `scale' is their box's size.  Matmul: SHARED only. */
enum case_family {
	CASE_UNIFORM, /* all over the box */
	CASE_OFFSET, /* a cluster 1000 boxes away from the origin */
	CASE_CLUSTERS, /* two small ones in the box, and one ten boxes away */
	CASE_COINCIDENT, /* targets on sources, and sources on one another */
	CASE_SHARED /* one array is both the sources and the targets, or A and B */
};

struct shape {
	size_t dim[3]; /* as in struct clopt_problem */
	size_t elem_bytes; /* 4 or 8; matmul also 2, or as its type; transpose 1 to 16 */
	int type; /* matmul: enum clopt_type; 0: the real type of elem_bytes */
	int transa, transb; /* matmul, and as in struct clopt_gemm_desc ... */
	int layout, triangle; /* ... these, 0 for row-major and all of it, */
	int math; /* ... how operands may be rounded */
	size_t batch; /* ... 0 for 1, */
	int shared_b; /* ... 1: one B for all of the batch */

	/* matmul: as in its formula.  alpha is also a transpose's factor, the k of the
	 * potential and g of gravity.  Arrays that by beta == 0 or alpha == 0
	 * are not to be read hold NaN. */
	double alpha, beta;

	/* Elements by which the leading dimensions exceed the row: A, B, C for matmul;
	 * in, out for transpose. */
	size_t pad[3];

	int law; /* enum clopt_law; CLOPT_OP_POTENTIAL, CLOPT_OP_NBODY */
	int family;
	double scale; /* magnitude of the inputs */
	double softening, dt;
	size_t steps;
	int precision, integrator; /* as in struct clopt_evolve_options */
	int small; /* 1: cheap enough for a simulated device */
};

/* The problems of an operation, *n of them. */
const struct shape *case_shapes(int op, size_t *n);

/* The problem as clopt_explain and clopt_variant_runs take it. */
void case_problem(int op, const struct shape *shape, struct clopt_problem *problem);

/* The operation that sums it up. */
int case_law_op(int law);

/* 0 if the answer needs no kernel, since a size or alpha is zero. */
int case_needs_kernel(int op, const struct shape *shape);

/* "129x257x300 float64 TN alpha=-0.5 ..." into text. */
void case_describe(int op, const struct shape *shape, char *text, size_t size);

/* Types of a product's elements. */
enum {
	CASE_TYPES = 6
};
extern const struct case_type {
	const char *name;
	int type; /* enum clopt_type */
} case_types[CASE_TYPES];

/* "float32" and so on; of a transpose "4-byte" and so on. */
const char *case_element(int op, const struct shape *shape);

/* ------------------------------------------------ run and compare ------ */

struct case_result {
	int status; /* of the routine; after a failure the rest is zero */
	double error; /* the worst, in units of its tolerance */
	size_t at; /* the index of the worst, as if the output were packed */
	double got, want; /* there */
	size_t checked; /* numbers compared */
	size_t stray; /* elements written outside the output */
	int inputs_changed;
};

struct case_job;

/* CLOPT_ENOMEM, or CLOPT_OK whatever the routine did. */
int case_run(struct clopt *ctx, int op, const struct shape *shape, uint64_t seed,
             struct case_result *result);

/* 1 if the routine succeeded and nothing was wrong. */
int case_passed(const struct case_result *result);

/* The error, or "ok", in one line. */
void case_explain(const struct case_result *result, char *text, size_t size);

int case_open(struct case_job **job, int op, const struct shape *shape, uint64_t seed);
void case_reset(struct case_job *job);
int case_call(struct clopt *ctx, struct case_job *job);
int case_check(struct case_job *job, size_t samples, struct case_result *result);
void case_close(struct case_job *job);

/* ------------------------------------------------------------ bench ---- */

enum case_extent {
	CASE_SMALL,
	CASE_CPU,
	CASE_GPU
};

/* The i-th problem to time an operation on, on a device of this kind; all its
 * dimensions are `size' unless that is 0.  0 past the last one, else 1. */
int case_bench(int op, size_t i, enum case_extent extent, size_t size, struct shape *shape);

struct case_work {
	double flops, bytes, pairs; /* pairs: 0 but for pair operations */
};

void case_work(int op, const struct shape *shape, struct case_work *work);

/* The work in `seconds' as people quote it: 1e9 a second of case_unit(). */
double case_rate(int op, const struct shape *shape, double seconds);
const char *case_unit(int op);

#endif
