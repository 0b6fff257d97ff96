/* SPDX-License-Identifier: MIT */
/*
 * cut.c - how large blocks are, and what one member of a context takes from another: policies,
 * asked without computing anything.
 */
#include <string.h>

#include "base/context.h"
#include "move/move.h"
#include "suites.h"
#include "wrap.h"

#define SIZE 16384
#define UNITS 132

static struct clopt *ctx;
static char memory; /* of operands, which nothing reads */

/* A device with memory of its own; unknown rates count as 10 GB/s. */
static void setup(void)
{
	const struct clopt_options options = { .size = sizeof options, .queues = 3 };

	wrap_discrete(1);
	ctx = test_open(&options);
	ctx->device.info.compute_units = UNITS;
	ctx->device.info.max_alloc_bytes = (uint64_t)1 << 40;
	ctx->device.info.global_bytes = (uint64_t)1 << 40;
}

static void teardown(void)
{
	test_close(ctx);
	wrap_discrete(0);
}

static struct operand operand(unsigned use, size_t rows, size_t columns, unsigned row_dim,
                              unsigned column_dim)
{
	return (struct operand){ .host = &memory,
		                 .ld = columns,
		                 .use = use,
		                 .rows = rows,
		                 .columns = columns,
		                 .elem_bytes = 4,
		                 .row_dim = row_dim,
		                 .column_dim = column_dim };
}

/* Of size n x n, in tiles of 128 x 128. */
static struct workload workload(size_t n, const struct operand *operands, unsigned count)
{
	struct workload w = { .dim = { n, n, n },
		              .tile = { 128, 128, 1 },
		              .most = { SIZE_MAX, SIZE_MAX, SIZE_MAX },
		              .grain = { 128, 128, 1 },
		              .cut = { 0, 1 },
		              .sum = 2,
		              .operands = count,
		              .operand = operands,
		              .dry = 1 };
	unsigned i;

	for (i = 0; i < MAX_ARRAYS; i++)
		w.align_bytes[i] = 1;
	return w;
}

static void product(size_t n, struct operand o[3])
{
	o[0] = operand(OPERAND_IN, n, n, 0, 2);
	o[1] = operand(OPERAND_IN, n, n, 2, 1);
	o[2] = operand(OPERAND_OUT, n, n, 0, 1);
}

/* A kernel that takes a second: 124 groups for each compute unit in all.  With 8 in a block half a
 * group's time is lost in 8; the transfers that are not hidden ask for no more than some ten
 * blocks. */
START_TEST(busy_kernel)
{
	struct operand o[3];
	struct workload w;
	struct throughput known = { 1, 1, 0 };
	struct cut p;

	product(SIZE, o);
	w = workload(SIZE, o, 3);
	w.units = 1;
	w.throughput = &known;
	CHECK_OK(ctx, clopt__cut(ctx, &w, &p));
	ck_assert_msg(p.step[0] >= SIZE / 16 && p.step[0] <= SIZE / 4, "%zu rows", p.step[0]);
	/* A short one hides behind the transfers in any case: many blocks. */
	known.seconds = 1e-3;
	CHECK_OK(ctx, clopt__cut(ctx, &w, &p));
	ck_assert_msg(p.step[0] <= SIZE / 32, "%zu rows beside a short kernel", p.step[0]);
	ck_assert_uint_eq(p.step[1], SIZE); /* else A would go up again */
}
END_TEST

/* A transpose: rows of blocks are long both ways, but there are eight blocks, and large ones are
 * cut along both sizes. */
START_TEST(long_rows)
{
	static const size_t sizes[] = { 24 << 10, 4096 };
	const struct operand o[2] = { operand(OPERAND_IN, sizes[_i], sizes[_i], 0, 1),
		                      operand(OPERAND_OUT, sizes[_i], sizes[_i], 1, 0) };
	struct workload w = workload(sizes[_i], o, 2);
	struct cut p;

	w.sum = NO_DIM;
	w.units = 1;
	CHECK_OK(ctx, clopt__cut(ctx, &w, &p));
	ck_assert_msg(p.step[0] * 4 >= 8192 || p.step[0] == sizes[_i] / 8, "%zu columns of %zu",
	              p.step[0], sizes[_i]);
	ck_assert_uint_le(p.step[0], sizes[_i] / 8);
	ck_assert_msg(p.step[1] * 4 >= 16384 || p.step[1] == sizes[_i], "%zu rows of %zu",
	              p.step[1], sizes[_i]);
	ck_assert_uint_le(p.step[0] * p.step[1] * 8, (size_t)64 << 20);
}
END_TEST

/* No columns, or no rows: one block of nothing. */
START_TEST(empty)
{
	const size_t rows = _i ? 0 : SIZE, columns = _i ? SIZE : 0;
	const struct operand o[2] = { operand(OPERAND_IN, rows, columns, 0, 1),
		                      operand(OPERAND_OUT, columns, rows, 1, 0) };
	struct workload w = workload(SIZE, o, 2);
	struct cut p;

	w.dim[0] = rows;
	w.dim[1] = columns;
	w.sum = NO_DIM;
	CHECK_OK(ctx, clopt__cut(ctx, &w, &p));
	ck_assert_uint_eq(p.blocks[0] * p.blocks[1], 1);
}
END_TEST

SUITE(cut, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, busy_kernel);
	tcase_add_loop_test(c, long_rows, 0, 2);
	tcase_add_loop_test(c, empty, 0, 2);
}
