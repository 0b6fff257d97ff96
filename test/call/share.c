/* SPDX-License-Identifier: MIT */
/*
 * share.c - how results are dealt out to the members of a context.
 */
#include "base/traits.h"
#include "several/several.h"
#include "suites.h"

/* Sizes, speeds, and what each gets. */
static const struct {
	size_t all, grain;
	double weight[3];
	size_t count[3];
} deals[] = {
	{ 1024, 64, { 1, 1, 0 }, { 512, 512, 0 } },
	/* The slow one is not the last that gets the rest. */
	{ 1024, 64, { 100, 1, 0 }, { 1024, 0, 0 } },
	{ 1000, 64, { 50, 1, 50 }, { 512, 0, 488 } },
	{ 1024, 64, { 10, 1, 0 }, { 960, 64, 0 } },
	{ 7, 1, { 1, 1, 1 }, { 3, 2, 2 } },
	{ 2, 64, { 1, 3, 0 }, { 0, 2, 0 } },
	{ 0, 64, { 1, 3, 0 }, { 0, 0, 0 } },
};

START_TEST(dealt)
{
	static struct clopt ctx;
	const struct partition box = { .dim = { deals[_i].all, 1 },
		                       .grain = { deals[_i].grain, 1 },
		                       .fixed = 1 };
	const size_t most[2] = { deals[_i].all, 1 };
	struct share *share;
	struct region r;
	unsigned i;
	int none;

	CHECK_OK(&ctx, clopt__share_open(&ctx, &box, deals[_i].weight, 3, &share));
	for (i = 0; i < 3; i++) {
		CHECK_OK(&ctx, clopt__share_take(&ctx, share, i, most, 0, 1, &r, &none));
		ck_assert_msg((none ? 0 : r.count[0]) == deals[_i].count[i], "deal %d, %u: %zu", _i,
		              i, r.count[0]);
	}
	clopt__share_close(share);
}
END_TEST

/* Rows of the first block of one of two GPUs of 100 units: 16 groups a unit of a sum over pairs, 4
 * of a product, whose groups lie along its columns too; and all that it has, if that is less. */
static const struct {
	size_t rows, columns, grain, block;
} firsts[] = {
	{ 1 << 22, 0, 256, 16 * 100 * 256 },
	{ 1 << 19, 0, 256, 1 << 18 },
	{ 1 << 14, 1 << 14, 128, 3 * 128 },
};

START_TEST(first_block)
{
	static struct clopt ctx;
	const size_t columns = firsts[_i].columns ? firsts[_i].columns : 1;
	const double weights[] = { 1, 1 };
	const struct partition box = { .dim = { firsts[_i].rows, columns },
		                       .grain = { firsts[_i].grain,
		                                  columns > 1 ? firsts[_i].grain : 1 },
		                       .alike = 1 };
	struct share *share;
	struct region r;
	int none;

	ctx.device.traits = T_GPU;
	ctx.device.info.compute_units = 100;
	CHECK_OK(&ctx, clopt__share_open(&ctx, &box, weights, 2, &share));
	CHECK_OK(&ctx, clopt__share_take(&ctx, share, 0, box.dim, 0, 2, &r, &none));
	ck_assert(!none);
	ck_assert_uint_eq(r.count[0], firsts[_i].block);
	clopt__share_close(share);
}
END_TEST

/* Of two alike members one takes its strip in no time; then it steals from the other's, unless it
 * had to fetch an input for that, which takes much longer. */
START_TEST(fetching)
{
	static struct clopt ctx;
	const struct partition p = { .dim = { 4096, 4096 }, .grain = { 64, 64 }, .alike = 1 };
	const size_t most[2] = { 256, 4096 };
	const double weights[] = { 1, 1 };
	struct share *share;
	struct region r;
	int i, none = 0;

	ctx.device.info.compute_units = 1;
	CHECK_OK(&ctx, clopt__share_open(&ctx, &p, weights, 2, &share));
	for (i = 0; !none && i < 10000; i++)
		CHECK_OK(&ctx, clopt__share_take(&ctx, share, 0, most, _i ? 1e6 : 0, 3, &r, &none));
	ck_assert(none);
	if (_i)
		ck_assert_double_eq(clopt__share_done(share), 0.5);
	else
		ck_assert_double_ge(clopt__share_done(share), 0.6);
	clopt__share_close(share);
}
END_TEST

SUITE(share, quick)
{
	tcase_add_loop_test(c, dealt, 0, sizeof deals / sizeof *deals);
	tcase_add_loop_test(c, fetching, 0, 2);
	tcase_add_loop_test(c, first_block, 0, sizeof firsts / sizeof *firsts);
}
