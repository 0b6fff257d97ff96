/* SPDX-License-Identifier: MIT */
/*
 * retarget.c - PTX for sm_90 into PTX for sm_90a: text that is as expected, text that is
 * not, and a driver whose binaries are no PTX or that refuses what it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "kernel/kernel.h"
#include "kernel/program.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

#define HEAD ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n\n"
#define BEGIN ".entry run()\n{\n"
#define MARKED "\t//@wgmma.fence.sync.aligned;\n\tadd.f32 %f1, %f1, x0;\n"
#define TWICE MARKED "  //@wgmma.wait_group.sync.aligned 0;\r\n"
#define END "}\n"
#define GOOD HEAD BEGIN TWICE END

START_TEST(marks_become_instructions)
{
	static const char *const tails[] = { "", "\n\n", "// end of run\n", " // }\n" };
	const char *why;
	char *text, ptx[sizeof GOOD + 32];
	size_t i;

	for (i = 0; i < sizeof tails / sizeof *tails; i++) {
		snprintf(ptx, sizeof ptx, "%.*s%s", (int)strlen(GOOD) - (i > 1), GOOD, tails[i]);
		text = clopt__retarget(ptx, strlen(ptx) + i, 1, &why); /* with and without NULs */
		ck_assert_msg(text != NULL, "%s", why ? why : "no memory");
		ck_assert_uint_eq(strlen(text), strlen(ptx) + 1);
		ck_assert_ptr_nonnull(strstr(text, "\n.target sm_90a, texmode_independent\n"));
		ck_assert_ptr_nonnull(strstr(text, "\t   wgmma.fence.sync.aligned;\n\tadd.f32"));
		ck_assert_ptr_nonnull(strstr(text, "     wgmma.wait_group.sync.aligned 0;\r\n"));
		ck_assert_ptr_null(strstr(text, "//@"));
		free(text);
		memset(ptx, 0, sizeof ptx);
	}
}
END_TEST

/* The number of groups on a compute unit goes to the kernel's own directives, of which there is one
 * set. */
START_TEST(groups_that_fit)
{
	static const char kernel[] = ".entry run(\n.param .u64 a\n)\n.reqntid 256, 1, 1\n{\n";
	const char *why;
	char *text, ptx[1024];

	snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD, kernel, TWICE, END);
	text = clopt__retarget(ptx, strlen(ptx), 3, &why);
	ck_assert_msg(text != NULL, "%s", why ? why : "no memory");
	ck_assert_ptr_nonnull(strstr(text, "\n.target sm_90a,"));
	ck_assert_ptr_nonnull(strstr(text, "\n.reqntid 256, 1, 1\n.minnctapersm 3\n{\n"));
	free(text);
	text = clopt__retarget(ptx, strlen(ptx), 1, &why);
	ck_assert(text && strstr(text, "\n.minnctapersm 1\n"));
	free(text);
	ck_assert_ptr_null(clopt__retarget(GOOD, strlen(GOOD), 2, &why));
	ck_assert_ptr_nonnull(strstr(why, "size of its groups"));
	snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s%s", HEAD, kernel, TWICE, END, kernel, TWICE, END);
	ck_assert_ptr_null(clopt__retarget(ptx, strlen(ptx), 2, &why));
	ck_assert_ptr_nonnull(strstr(why, "size of its groups"));
}
END_TEST

static void refused(const char *ptx, size_t size, const char *word)
{
	const char *why;
	char *text = clopt__retarget(ptx, size, 1, &why);

	ck_assert_msg(!text && why && strstr(why, word), "%s: %s, not %s", ptx,
	              why ? why : "no reason", word);
}

START_TEST(other_text_is_refused)
{
	static const struct {
		const char *ptx, *word;
	} bad[] = {
		{ "", "function" },
		{ "\n\n", "function" },
		{ HEAD BEGIN TWICE, "function" },
		{ HEAD BEGIN END, "marked" },
		{ HEAD BEGIN "//@\n" END, "marked" },
		{ HEAD BEGIN "//@ wgmma.fence.sync.aligned;\n" END, "marked" },
		{ HEAD BEGIN MARKED "//@wgmma.wait_group.sync\n" END, "marked" },
		{ HEAD BEGIN MARKED "//@w}", "function" },
		{ HEAD BEGIN MARKED "}//@", "marked" },
		{ BEGIN TWICE END, "target" },
		{ ".target sm_90a\n" BEGIN TWICE END, "target" },
		{ ".target sm_900\n" BEGIN TWICE END, "target" },
		{ ".target sm_100\n" BEGIN TWICE END, "target" },
		{ "//.target sm_90\n" BEGIN TWICE END, "target" },
		{ HEAD ".target sm_90\n" BEGIN TWICE END, "target" },
		{ BEGIN TWICE "}.target sm_90", "target" },
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(bad[i].ptx, strlen(bad[i].ptx), bad[i].word);
	refused("\177ELF\2\0\0}", 8, "not PTX");
	refused(HEAD "\0" BEGIN TWICE END, sizeof HEAD BEGIN TWICE END, "not PTX");
}
END_TEST

/* Text that is cut anywhere is refused, or is whole but for blanks; nothing beyond its end is
 * read. */
START_TEST(cut_short)
{
	const char *why;
	char *part, *text;
	size_t n;

	for (n = 0; n < strlen(GOOD) - 1; n++) {
		ck_assert_ptr_nonnull(part = malloc(n + !n));
		memcpy(part, GOOD, n);
		text = clopt__retarget(part, n, 1, &why);
		ck_assert_msg(!text && why, "the first %zu characters are taken", n);
		free(part);
	}
}
END_TEST

/* An ordinary row whose binary is to be retargeted. */
static const struct variant row = {
	CLOPT_OP_MATMUL, "matmul/retargeted", "matmul/plain.cl", "", { 16, 4 }, { 16, 4 }, 0, 0,
	.align = 1,      .retarget = 1,
};

static void expect_struck_out(const char *binary, int refuse, const char *word)
{
	struct clopt_problem given = { .size = sizeof given, .op = CLOPT_OP_MATMUL }, p;
	struct clopt *ctx = test_open(NULL);
	cl_kernel kernel;
	int i;

	CHECK_OK(ctx, clopt__problem_read(ctx, &given, &p));
	wrap_binary(binary);
	wrap_refuse_binaries(refuse);
	for (i = 0; i < 2; i++) { /* the second time from the context */
		expect_refused(clopt__kernel(ctx, &row, &p, &kernel), CLOPT_EBUILD, ctx, word);
		ck_assert_ptr_null(kernel);
		ck_assert_ptr_nonnull(strstr(clopt__struck_out(ctx, &row, &p), word));
	}
	wrap_binary(NULL);
	wrap_refuse_binaries(0);
	test_close(ctx);
}

START_TEST(the_row_is_struck_out)
{
	expect_struck_out("no PTX", 0, "function");
	expect_struck_out(HEAD BEGIN END, 0, "marked");
	expect_struck_out(GOOD, 1, "CL_INVALID_BINARY");
}
END_TEST

/* Any call may fail: no object is left, and the row is not struck out for it.  The driver refuses
 * the PTX, or makes a kernel of it. */
START_TEST(calls_that_fail)
{
	struct clopt_problem given = { .size = sizeof given, .op = CLOPT_OP_MATMUL }, p;
	const int end = _i ? CLOPT_OK : CLOPT_EBUILD;
	struct clopt *ctx;
	cl_kernel kernel;
	long n;
	int rc = CLOPT_OK, failed = 1;

	wrap_binary(GOOD);
	wrap_refuse_binaries(_i == 0);
	wrap_log(_i ? "" : NULL);
	for (n = 1; failed; n++) {
		ctx = test_open(NULL);
		CHECK_OK(ctx, clopt__problem_read(ctx, &given, &p));
		wrap_fail(n, CL_OUT_OF_HOST_MEMORY);
		rc = clopt__kernel(ctx, &row, &p, &kernel);
		failed = wrap_failed();
		wrap_fail(0, 0);
		ck_assert(failed ? rc != CLOPT_OK && rc != CLOPT_EBUILD : rc == end);
		ck_assert(!clopt__struck_out(ctx, &row, &p) == (failed || end == CLOPT_OK));
		test_close(ctx);
		ck_assert_msg(n < 100, "it takes more than 100 calls");
	}
	ck_assert_int_gt(n, 6);
	wrap_log(NULL);
	wrap_refuse_binaries(0);
	wrap_binary(NULL);
}
END_TEST

SUITE(retarget, long)
{
	tcase_add_test(c, marks_become_instructions);
	tcase_add_test(c, groups_that_fit);
	tcase_add_test(c, other_text_is_refused);
	tcase_add_test(c, cut_short);
	tcase_add_test(c, the_row_is_struck_out);
	tcase_add_loop_test(c, calls_that_fail, 0, 2);
}
