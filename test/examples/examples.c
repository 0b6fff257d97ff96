/* SPDX-License-Identifier: MIT */
/*
 * examples.c - the programs of examples/ run, find their own results right, and leave nothing.
 *
 * Each is linked in as a function: the main of examples/NAME.c is example_NAME here.
 */
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

#include "suites.h"
#include "wrap.h"

int example_adopted(void);
int example_batch(void);
int example_buffers(void);
int example_lu(int argc, char **argv);
int example_matmul(void);
int example_overlap(int argc, char **argv);
int example_routines(void);
int example_started(void);
int example_threads(void);

static const struct example {
	int (*alone)(void);
	int (*with)(int argc, char **argv);
	const char *args[2];
	int fp64; /* 1: only where the device has double */
} examples[] = {
	{ .alone = example_matmul },
	{ .alone = example_buffers },
	{ .alone = example_adopted },
	{ .alone = example_started }, /* the one of each run */
	{ .alone = example_batch },
	{ .alone = example_threads },
	{ .alone = example_routines },
	{ .with = example_overlap, .args = { "--mib", "1" } },
	/* Fewer columns than a panel, a panel, and several. */
	{ .with = example_lu, .args = { "1" }, .fp64 = 1 },
	{ .with = example_lu, .args = { "63" }, .fp64 = 1 },
	{ .with = example_lu, .args = { "64" }, .fp64 = 1 },
	{ .with = example_lu, .args = { "65" }, .fp64 = 1 },
	{ .with = example_lu, .args = { "150" }, .fp64 = 1 },
};

static int has_fp64(void)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	test_close(ctx);
	return info.fp64 != 0;
}

START_TEST(right)
{
	const struct example *o = &examples[_i];
	char *argv[] = { "example", (char *)(uintptr_t)o->args[0], (char *)(uintptr_t)o->args[1],
		         NULL };
	const int argc = 1 + (o->args[0] != NULL) + (o->args[0] && o->args[1]);

	if (o->fp64 && !has_fp64())
		return;
	optind = 1; /* of getopt, which may have run before */
	ck_assert_int_eq(o->with ? o->with(argc, argv) : o->alone(), 0);
	fflush(stdout);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
	ck_assert_msg(wrap_fences() == 0, "a kernel wrote outside its buffers");
}
END_TEST

SUITE(examples, long)
{
	test_add_rows(c, right, 0, (int)(sizeof examples / sizeof *examples));
}
