/* SPDX-License-Identifier: MIT */
/*
 * share.c - how results are dealt out to the members of a context.
 */
#include "base/traits.h"
#include "move/move.h"
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
	struct portion part[3];
	size_t i;

	for (i = 0; i < 3; i++)
		part[i].weight = deals[_i].weight[i];
	clopt__share_deal(deals[_i].all, deals[_i].grain, part, 3);
	for (i = 0; i < 3; i++)
		ck_assert_msg(part[i].count == deals[_i].count[i], "deal %d, %zu: %zu", _i, i,
		              part[i].count);
}
END_TEST

/* Rows of the first block of one of two GPUs of 100 units: 16 groups a unit of a sum over pairs, 4 of a product, whose
 * groups lie along its columns too; and all that it has, if that is less. */
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
	const size_t columns = firsts[_i].columns;
	const double weights[] = { 1, 1 };
	struct workload w = { .dim = { firsts[_i].rows, columns },
		              .grain = { firsts[_i].grain, firsts[_i].grain },
		              .cut = { 0, columns ? 1 : NO_DIM } };
	const struct cut cut = { .step = { firsts[_i].rows, columns }, .lanes = 1 };
	struct block b = { { 0 }, { 0 } };
	int none;

	ctx.device.traits = T_GPU;
	ctx.device.info.compute_units = 100;
	CHECK_OK(&ctx, clopt__share_open(&ctx, &w, weights, 2, 1, 0, &w.share));
	CHECK_OK(&ctx, clopt__share_take(&ctx, &w, &cut, &b, &none));
	ck_assert(!none);
	ck_assert_uint_eq(b.count[0], firsts[_i].block);
	clopt__share_close(w.share);
}
END_TEST

SUITE(share, quick)
{
	tcase_add_loop_test(c, dealt, 0, sizeof deals / sizeof *deals);
	tcase_add_loop_test(c, first_block, 0, sizeof firsts / sizeof *firsts);
}
