/* SPDX-License-Identifier: MIT */
/*
 * devices.c - nbody and clopt-gem on two devices: the files of one, and who did how much.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples.h"
#include "folder.h"

static char folder[FOLDER_SIZE], one[FOLDER_SIZE + 16], two[FOLDER_SIZE + 16],
        said[FOLDER_SIZE + 16];

static void enter(void)
{
	folder_make(folder);
	snprintf(one, sizeof one, "%s/one", folder);
	snprintf(two, sizeof two, "%s/two", folder);
	snprintf(said, sizeof said, "%s/said", folder);
}

static void leave(void)
{
	folder_remove(folder);
}

/* Runs with the standard output in `said'. */
static int talking(int (*with)(int argc, char **argv), const char *const args[])
{
	int rc, keep;

	fflush(stdout);
	keep = dup(STDOUT_FILENO);
	ck_assert_ptr_nonnull(freopen(said, "w", stdout));
	rc = example_run(with, args);
	dup2(keep, STDOUT_FILENO);
	close(keep);
	return rc;
}
#define TALK(name, ...) talking(example_##name, (const char *const[]){ __VA_ARGS__, NULL })

static size_t text(const char *path, char *to, size_t room)
{
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(to, 1, room - 1, f);
	fclose(f);
	to[n] = '\0';
	return n;
}

static void expect_same_files(void)
{
	static char a[1 << 20], b[1 << 20];
	const size_t n = text(one, a, sizeof a);

	ck_assert(n > 1000 && n < sizeof a - 1);
	ck_assert_uint_eq(n, text(two, b, sizeof b));
	ck_assert_mem_eq(a, b, n);
}

/* `said' is JSON whose `devices' are so many, with parts of a whole. */
static void expect_devices(size_t n)
{
	json_error_t error;
	json_t *json = json_load_file(said, 0, &error), *list, *share;
	double all = 0;
	size_t i;

	ck_assert_msg(json != NULL, "%s", error.text);
	list = json_object_get(json, "devices");
	ck_assert_uint_eq(json_array_size(list), n);
	for (i = 0; i < n; i++) {
		ck_assert(json_is_string(json_object_get(json_array_get(list, i), "device")));
		share = json_object_get(json_array_get(list, i), "share");
		ck_assert(json_is_number(share));
		all += json_number_value(share);
	}
	ck_assert_double_eq_tol(all, 1, 1e-9);
	json_decref(json);
}

START_TEST(bodies)
{
	static char out[4096];

	if (!test_two_devices("bodies"))
		return;
	ck_assert_int_eq(TALK(nbody, "--n", "1000", "--steps", "3", "--device", CLOPT_TEST_ONE,
	                      "--json", "--out", one),
	                 0);
	expect_devices(1);
	ck_assert_int_eq(TALK(nbody, "--n", "1000", "--steps", "3", "--device", CLOPT_TEST_TWO,
	                      "--json", "--out", two),
	                 0);
	expect_devices(2);
	expect_same_files();
	ck_assert_int_eq(TALK(nbody, "--n", "1000", "--steps", "1", "--device", CLOPT_TEST_TWO), 0);
	text(said, out, sizeof out);
	ck_assert_msg(strstr(out, "\ndevices    2, ") != NULL, "%s", out);
}
END_TEST

START_TEST(protein)
{
	static char out[4096];

	if (!test_two_devices("protein"))
		return;
	ck_assert_int_eq(TALK(clopt_gem, "--density", "0.2", "--device", CLOPT_TEST_ONE, "--json",
	                      "--csv", one, "examples/data/1a0q.pqr"),
	                 0);
	expect_devices(1);
	ck_assert_int_eq(TALK(clopt_gem, "--density", "0.2", "--device", CLOPT_TEST_TWO, "--json",
	                      "--csv", two, "examples/data/1a0q.pqr"),
	                 0);
	expect_devices(2);
	expect_same_files();
	ck_assert_int_eq(TALK(clopt_gem, "--density", "0.2", "--device", CLOPT_TEST_TWO,
	                      "examples/data/1a0q.pqr"),
	                 0);
	text(said, out, sizeof out);
	ck_assert_msg(strstr(out, "\ndevices    2, ") != NULL, "%s", out);
}
END_TEST

SUITE(devices, long)
{
	tcase_add_checked_fixture(c, enter, leave);
	tcase_add_test(c, bodies);
	tcase_add_test(c, protein);
}
