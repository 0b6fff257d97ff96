/* SPDX-License-Identifier: MIT */
/*
 * share.c - how results are dealt out to the members of a context.
 */
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

SUITE(share, quick)
{
	tcase_add_loop_test(c, dealt, 0, sizeof deals / sizeof *deals);
}
