/* SPDX-License-Identifier: MIT */
/*
 * cases.h - the room of problems: those that are benched, in words, the work in them, and calls of
 * them on random numbers.  It includes no other room.
 *
 * Whether a result is right, clopt_selfcheck knows.
 */
#ifndef CASES_H
#define CASES_H

#include <stddef.h>

#include "clopt_device.h"
#include "clopt_tune.h"

/* Types of a product's elements. */
enum {
	CASE_TYPES = 7
};
extern const struct case_type {
	const char *name;
	int type; /* enum clopt_type */
} case_types[CASE_TYPES];

/* "float32" and so on; of a transpose "4-byte" and so on. */
const char *case_element(const struct clopt_problem *p);

/* "129x257x300 float64 TN" into text. */
void case_describe(const struct clopt_problem *p, char *text, size_t size);

/* The operation that sums up the law. */
int case_law_op(int law);
/* Gives the problem a law, and what that needs. */
void case_set_law(struct clopt_problem *p, int law);

/* Sizes that the problems of an operation have. */
size_t case_sizes(int op);

/* The kind of the device, which problems are for. */
enum case_extent {
	CASE_SMALL,
	CASE_CPU,
	CASE_GPU
};

/* The i-th problem to time an operation on; all its sizes are `size' unless that is 0.  0 past the
 * last one, else 1. */
int case_bench(int op, size_t i, enum case_extent extent, size_t size, struct clopt_problem *p);

struct case_work {
	double flops, bytes, pairs; /* pairs: 0 but for pair operations */
};

void case_work(const struct clopt_problem *p, struct case_work *work);

/* The work in `seconds' as people quote it: 1e9 a second of case_unit(). */
double case_rate(const struct clopt_problem *p, double seconds);
const char *case_unit(int op);

/* Arrays of random numbers, and the routine on them, nothing else.  NULL: memory is short. */
struct case_job;
struct case_job *case_open(const struct clopt_problem *p);
int case_call(struct clopt *ctx, struct case_job *job);
void case_close(struct case_job *job);

#endif
