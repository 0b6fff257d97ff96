/* SPDX-License-Identifier: MIT */
/*
 * selfcheck.c - clopt_selfcheck: right kernels pass, and each routine's wrong kernels do not.
 */
#include <string.h>

#include "base/context.h"
#include "suites.h"
#include "right.h"
#include "wrap.h"

struct seen {
	size_t lines, right, wrong, beyond; /* beyond: an error above what is allowed */
	unsigned ops;
	size_t most; /* lines after which to stop; 0: none */
	struct clopt *ctx;
};

static int see(void *user, const struct clopt_selfcheck_line *l)
{
	struct seen *s = user;
	const struct clopt_problem p = *l->problem;

	ck_assert_uint_eq(l->size, sizeof *l);
	ck_assert_int_eq(strncmp(l->text, clopt_op_name(p.op), strlen(clopt_op_name(p.op))), 0);
	ck_assert_int_eq(l->status == CLOPT_OK, !*l->reason);
	s->lines++;
	s->ops |= 1u << p.op;
	s->right += l->status == CLOPT_OK;
	s->wrong += l->status == CLOPT_EWRONG;
	s->beyond += !(l->error <= l->allowed);
	/* Between two problems the context is the caller's. */
	if (p.op == CLOPT_OP_MATMUL)
		ck_assert_ptr_nonnull(clopt_chosen_variant(s->ctx, &p));
	return s->lines == s->most;
}

static struct seen run(int check, int all, unsigned ops, size_t n, int status)
{
	struct clopt_selfcheck_options o = CLOPT_SELFCHECK_OPTIONS_INIT;
	struct clopt_options opening = CLOPT_OPTIONS_INIT;
	struct seen s = { .lines = 0 };

	opening.check = check;
	opening.small = CLOPT_SMALL_DEVICE;
	s.ctx = test_open(&opening);
	o.all = all;
	o.ops = ops;
	o.n = n;
	o.line = see;
	o.user = &s;
	ck_assert_int_eq(clopt_selfcheck(s.ctx, &o), status);
	if (status != CLOPT_OK)
		ck_assert_ptr_nonnull(strstr(clopt_error(s.ctx), ": "));
	test_close(s.ctx);
	return s;
}

START_TEST(one_of_each)
{
	const struct seen s = run(CLOPT_CHECK_FIRST, 0, 0, 0, CLOPT_OK);

	ck_assert_uint_eq(s.lines, CLOPT_OP_EVOLVE_STEP + 1);
	ck_assert_uint_eq(s.right, s.lines);
	ck_assert_uint_eq(s.beyond, 0);
	ck_assert_uint_eq(s.ops, (2u << CLOPT_OP_EVOLVE_STEP) - 1);
}
END_TEST

/* Every type, law, precision, and sums by a tree. */
START_TEST(every_kind)
{
	const unsigned op = 1u << _i;
	const int alone = _i > CLOPT_OP_EVOLVE_SUMS && _i < CLOPT_OP_TREE_POTENTIAL;
	const struct seen s = run(CLOPT_CHECK_OFF, 1, op, 40, CLOPT_OK);

	ck_assert_uint_eq(s.right, s.lines);
	ck_assert_uint_eq(s.ops, alone ? 0 : op); /* parts of others */
}
END_TEST

/* Each routine, whose kernels lose a row, a target or a body. */
START_TEST(wrong)
{
	static const int ops[] = { CLOPT_OP_MATMUL,     CLOPT_OP_TRANSPOSE, CLOPT_OP_POTENTIAL,
		                   CLOPT_OP_NBODY,      CLOPT_OP_LEAPFROG,  CLOPT_OP_EVOLVE_STEP,
		                   CLOPT_OP_EVOLVE_SUMS };
	const int all = ops[_i] == CLOPT_OP_EVOLVE_SUMS;
	struct seen s;

	wrap_lose("none", _i == 1 || _i == 0, 1);
	s = run(CLOPT_CHECK_OFF, all, 1u << ops[_i], 0, CLOPT_EWRONG);
	ck_assert_uint_eq(s.wrong, s.lines);
	/* Of transposes the bits are compared. */
	ck_assert_uint_eq(s.beyond, ops[_i] == CLOPT_OP_TRANSPOSE ? 0 : s.lines);
	wrap_lose(NULL, 0, 0);
}
END_TEST

/* By problems of the caller, with a line that ends it; and arguments without meaning. */
START_TEST(problems)
{
	struct clopt_problem p[3] = { { SIZED, .op = CLOPT_OP_MATMUL, .dim = { 7, 9, 11 } },
		                      { SIZED, .op = CLOPT_OP_TRANSPOSE, .dim = { 0, 3 } },
		                      { SIZED, .op = CLOPT_OP_TRANSPOSE, .dim = { 3, 5 } } };
	struct clopt_selfcheck_options o = CLOPT_SELFCHECK_OPTIONS_INIT;
	struct seen s = { .most = 2 };
	struct clopt *ctx = s.ctx = test_open(NULL);

	o.problems = p;
	o.count = 3;
	o.line = see;
	o.user = &s;
	CHECK_OK(ctx, clopt_selfcheck(ctx, &o));
	ck_assert_uint_eq(s.lines, 2);
	o.line = NULL;
	CHECK_OK(ctx, clopt_selfcheck(ctx, &o));
	p[2].op = CLOPT_OP_TREE_SORT;
	expect_refused(clopt_selfcheck(ctx, &o), CLOPT_EINVAL, ctx, "no test of this tree-sort");
	p[2].op = CLOPT_OPS;
	expect_refused(clopt_selfcheck(ctx, &o), CLOPT_EINVAL, ctx, "enum clopt_op");
	/* The first says where the others are. */
	p[0].size = 0;
	o.line = see;
	expect_refused(clopt_selfcheck(ctx, &o), CLOPT_EINVAL, ctx, "clopt_problem");
	ck_assert_uint_eq(s.lines, 2);
	o.count = 0;
	expect_refused(clopt_selfcheck(ctx, &o), CLOPT_EINVAL, ctx, "count is 0");
	o.problems = NULL;
	o.ops = 1u << CLOPT_OPS;
	expect_refused(clopt_selfcheck(ctx, &o), CLOPT_EINVAL, ctx, "ops is 0x1000");
	ck_assert_int_eq(clopt_selfcheck(NULL, NULL), CLOPT_EINVAL);
	test_close(ctx);
}
END_TEST

SUITE(selfcheck, long)
{
	tcase_add_test(c, one_of_each);
	tcase_add_loop_test(c, every_kind, 0, test_all() ? CLOPT_OPS : CLOPT_OP_POTENTIAL);
	tcase_add_loop_test(c, wrong, 0, 7);
	tcase_add_test(c, problems);
}
