/* SPDX-License-Identifier: MIT */
/*
 * wrap_trial.c - trials of kernels, whose judges are tried too.
 */
#include <check.h>

#include "kernel/kernel.h"
#include "verify/check.h"
#include "wrap_internal.h"

static int spoiling;
static long spoiled;
static const struct checker *checker;

long wrap_spoil_trials(int yes)
{
	const long n = spoiled;

	spoiling = yes;
	spoiled = 0;
	return n;
}

static size_t number_bytes(const struct trial *t, size_t elem_bytes)
{
	switch (t->v->op) {
	case CLOPT_OP_MATMUL:
		return (size_t)clopt__type(t->problem.type)->part & 0xff;
	case CLOPT_OP_TRANSPOSE:
		return elem_bytes;
	case CLOPT_OP_TREE_KEYS:
	case CLOPT_OP_TREE_SORT:
	case CLOPT_OP_TREE_CELLS:
		return elem_bytes;
	default:
		return clopt__number_bytes(clopt__point_precision(&t->problem));
	}
}

/* A change of sign and size. */
static void invert(char *number, size_t bytes)
{
	while (bytes--)
		number[bytes] = (char)~number[bytes];
}

/* Whether anybody reads the number.  Kernels that sort and make keys write some of their operands;
 * a cell's box has a fourth number in each corner, and its last row of moments may end early. */
static int is_read(const struct trial *t, size_t column)
{
	return t->v->op <= CLOPT_OP_LEAPFROG ||
	       (t->v->op == CLOPT_OP_TREE_CELLS && column % 4 != 3);
}

static void spoil_element(struct trial *t, struct trial_array *p, size_t b, size_t row,
                          size_t column)
{
	const size_t bytes = number_bytes(t, p->elem_bytes);
	char *const at = p->got + (clopt__got(p, b, row, column) - p->got);
	size_t i;

	for (i = 0; i < p->elem_bytes; i += bytes) {
		int wrong;

		invert(at + i, bytes);
		wrong = checker->judge(t) == CLOPT_EWRONG;
		ck_assert_msg(
		        wrong || !is_read(t, column),
		        "%s: trial %u passes with a wrong (%zu, %zu), byte %zu, of matrix %zu",
		        t->v->name, t->number, row, column, i, b);
		invert(at + i, bytes);
		*t->why = '\0'; /* else a judge may stop at the last one's verdict */
		spoiled += wrong;
	}
}

/* Each matrix of an operand has numbers for the kernel to compute with; without, it is all bits
 * set. */
static void expect_filled(const struct trial *t, const struct trial_array *p, size_t b)
{
	const char *const at = clopt__sent(p, b, 0, 0);
	size_t i;

	for (i = 0; i < p->elem_bytes && at[i] == (char)0xff; i++)
		;
	ck_assert_msg(i < p->elem_bytes, "%s: trial %u has no numbers in matrix %zu of operand %td",
	              t->v->name, t->number, b, p - t->array);
}

/* An allocation of the judge fails, each once. */
static int judge_without_memory(struct trial *t)
{
	int n, failed, rc;

	for (n = 1;; n++) {
		wrap_fail(n, -6); /* out of host memory */
		rc = checker->judge(t);
		failed = wrap_failed();
		wrap_fail(0, 0);
		if (!failed)
			return rc;
		ck_assert_msg(rc == CLOPT_ENOMEM, "%s: trial %u ends with %d without memory",
		              t->v->name, t->number, rc);
	}
}

static int judge(struct trial *t)
{
	const long before = spoiled;
	unsigned i, place;
	size_t b;

	for (i = 0; i < MAX_OPERANDS; i++)
		for (b = 0; t->array[i].bytes && b < t->problem.batch; b++) {
			if (!(checker->results >> i & 1)) {
				expect_filled(t, &t->array[i], b);
				continue;
			}
			for (place = 0; place < 5; place++) {
				struct trial_array *p = &t->array[i];
				const size_t row = p->rows - 1, column = p->columns - 1;

				if (place == 4)
					spoil_element(t, p, b, row / 2, column / 2);
				else
					spoil_element(t, p, b, place / 2 * row, place % 2 * column);
			}
		}
	ck_assert_msg(spoiled > before, "%s: trial %u passes with any wrong number", t->v->name,
	              t->number);
	return judge_without_memory(t);
}

int __real_clopt__trial_run(struct clopt *ctx, const struct checker *c, struct trial *t,
                            cl_kernel kernel, cl_command_queue q);
int __wrap_clopt__trial_run(struct clopt *ctx, const struct checker *c, struct trial *t,
                            cl_kernel kernel, cl_command_queue q)
{
	struct checker tried = *c;
	int rc;

	checker = c;
	/* Judges of sums by a tree are those of sums over pairs, and slow. */
	if (spoiling)
		tried.judge = t->v->op <= CLOPT_OP_TREE_CELLS ? judge : judge_without_memory;
	wrap_plant_trial(1);
	rc = __real_clopt__trial_run(ctx, &tried, t, kernel, q);
	wrap_plant_trial(0);
	return rc;
}
