/* SPDX-License-Identifier: MIT */
/*
 * problems.h - the problems on which tests try each row, with numbers and a verdict of
 * clopt_selfcheck.
 *
 * What that sees, test/verify/ tests; results that owe it nothing are in test/random/ and
 * test/pair/.
 */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <stdint.h>

#include "clopt_device.h"
#include "clopt_tune.h"

/* Problems that reach the rows of an operation, n of them; of rows that make trees or end steps
 * those of the calls that need them. */
const struct clopt_problem *test_problems(int op, size_t *n);
/* Problem i of them as one of the operation, for the row. */
struct clopt_problem test_problem(int op, size_t i);

/* Cheap enough for a simulated device. */
int test_is_small(const struct clopt_problem *p);
int test_is_empty(const struct clopt_problem *p);

struct outcome {
	int status; /* as in struct clopt_selfcheck_line */
	double error, allowed;
	const char *variant;
	char text[160], reason[384];
};
struct outcome test_run(struct clopt *ctx, const struct clopt_problem *p, uint64_t seed);
/* Fails unless that is right. */
void test_right(struct clopt *ctx, const struct clopt_problem *p, uint64_t seed);

/* IEEE binary16, of numbers that it holds or toward zero, and back. */
uint16_t test_to_half(double x);
double test_of_half(uint16_t half);

#endif
