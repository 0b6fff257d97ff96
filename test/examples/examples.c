/* SPDX-License-Identifier: MIT */
/*
 * examples.c - the programs of examples/ run, find their own results right, and leave nothing.
 *
 * Each is linked in as a function: the main of examples/NAME.c is example_NAME here.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "examples.h"
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
	const char *args[3];
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

int example_run(int (*with)(int argc, char **argv), const char *const args[])
{
	static char words[2000];
	char *argv[24] = { "example" };
	size_t used = 0;
	int argc = 1, rc;

	for (; args[argc - 1]; argc++) {
		argv[argc] = words + used;
		used += strlen(args[argc - 1]) + 1;
		ck_assert(argc < 23 && used <= sizeof words);
		strcpy(argv[argc], args[argc - 1]);
	}
	optind = 1; /* of getopt, which may have run before */
	rc = with(argc, argv);
	fflush(stdout);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
	ck_assert_msg(wrap_fences() == 0, "a kernel wrote outside its buffers");
	return rc;
}

static int has_fp64(void)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	test_close(ctx);
	return info.fp64 != 0;
}

static const struct example *now;

static int alone(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return now->alone();
}

START_TEST(right)
{
	now = &examples[_i];
	if (!now->fp64 || has_fp64())
		ck_assert_int_eq(example_run(now->with ? now->with : alone, now->args), 0);
}
END_TEST

SUITE(examples, long)
{
	test_add_rows(c, right, 0, (int)(sizeof examples / sizeof *examples));
}
