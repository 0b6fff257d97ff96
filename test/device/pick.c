/* SPDX-License-Identifier: MIT */
/*
 * pick.c - texts that name devices, and the addresses by which alike devices differ.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt/ask/ask.h"
#include "probe_drivers.h"
#include "base/context.h"
#include "device/device.h"
#include "suites.h"
#include "written.h"

#define UUID "8c1f2a90-00ff-4011-b207-0605deadbeef"

/* The letters of the cards that a text names, or the status and words of the failure. */
static int named(const char *spec, char *letters)
{
	static const struct clopt quiet;
	struct device *list;
	size_t n, i;
	const int rc = clopt__devices_pick(spec, "HERE", 0, &quiet, &list, &n);

	letters[0] = '\0';
	if (rc != CLOPT_OK) {
		ck_assert(!list && n == 0);
		return rc;
	}
	for (i = 0; i < n; i++)
		snprintf(letters + i, 2, "%c", list[i].info.name[5]);
	free(list);
	return rc;
}

START_TEST(addresses)
{
	static const char *const pci[] = { "0000:1b:00.0", "0001:3b:02.0", "0000:af:00.1" };
	struct clopt_device_info list[3];
	size_t i, n = 0;

	drivers_add("cards");
	for (i = 0; i < 3; i++)
		list[i].size = sizeof list[i];
	CHECK_OK(NULL, clopt_device_list(list, 3, &n));
	ck_assert_uint_eq(n, 3);
	for (i = 0; i < 3; i++) {
		ck_assert_str_eq(list[i].pci, pci[i]);
		ck_assert_str_eq(list[i].uuid, i == 0 ? UUID : "");
	}
}
END_TEST

/* A driver that says nothing of them. */
START_TEST(no_address)
{
	struct clopt_device_info info = { .size = sizeof info };
	size_t n = 0;

	drivers_add("gb10");
	CHECK_OK(NULL, clopt_device_list(&info, 1, &n));
	ck_assert_str_eq(info.pci, "");
	ck_assert_str_eq(info.uuid, "");
}
END_TEST

/* The device's vendor tells its family, whoever's platform it is. */
START_TEST(resold)
{
	struct clopt_device_info info = { .size = sizeof info };
	size_t n = 0;

	drivers_add("resold");
	CHECK_OK(NULL, clopt_device_list(&info, 1, &n));
	ck_assert_str_eq(info.family, "amd");
	ck_assert(strstr(info.traits, "amd") && !strstr(info.traits, "nvidia"));
}
END_TEST

/* A GPU that does not tell which it is would run slower rows. */
START_TEST(mute)
{
	size_t n = 0;

	drivers_add("mute");
	expect_refused(clopt_device_list(NULL, 0, &n), CLOPT_ENODEVICE, NULL, "0x4000");
	ck_assert_ptr_nonnull(strstr(drivers_skipped().reason, "of property 0x4000"));
}
END_TEST

START_TEST(texts)
{
	static const struct {
		const char *spec, *letters;
	} good[] = {
		{ NULL, "A" },
		{ "", "A" },
		{ "1", "B" },
		{ "gpu", "A" },
		{ "GPU*", "ABC" },
		{ "*", "ABC" },
		{ "fake*", "ABC" },
		{ "nvidia:gpu:*", "ABC" },
		{ "::card c*", "C" },
		{ "2*", "C" },
		{ "#2", "C" },
		{ "gpu#1", "B" },
		{ "nvidia:gpu:#0", "A" },
		{ "0+1", "AB" },
		{ "2+gpu*+0+2", "CAB" },
		{ "gpu#2+gpu#0", "CA" },
		{ "*+1", "ABC" },
		{ "0000:1b:00.0", "A" },
		{ "1B:00.0", "A" },
		{ "00000000:1B:00.0", "A" }, /* as nvidia-smi writes it */
		{ "0001:3b:02.0", "B" },
		{ "af:00.1+1b:00.0*", "CA" },
		{ UUID, "A" },
		{ "8C1F2A90-00FF-4011-B207-0605DEADBEEF+2", "AC" },
		{ "GPU-" UUID, "A" },
		/* Names with the signs in them. */
		{ "Card B+ #1", "B" },
		{ "b+ #1", "B" },
		{ "b+*", "B" },
		{ "b+#0", "B" },
	};
	char letters[8];
	size_t i;

	drivers_add("cards");
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		CHECK_OK(NULL, named(good[i].spec, letters));
		ck_assert_msg(!strcmp(letters, good[i].letters), "\"%s\" means %s, not %s",
		              good[i].spec, letters, good[i].letters);
	}
}
END_TEST

START_TEST(bad_texts)
{
	static const struct {
		const char *spec;
		int status;
		const char *words;
	} bad[] = {
		{ "none", CLOPT_ENODEVICE,
		  "matches HERE=\"none\"; the devices are 0: Card A (gpu, Fa" },
		{ "none*", CLOPT_ENODEVICE, "matches HERE=\"none*\"; the devices" },
		{ "3", CLOPT_ENODEVICE, "the devices are 0" },
		{ "3*", CLOPT_ENODEVICE, "the devices are 0" },
		{ "none#0", CLOPT_ENODEVICE, "matches HERE=\"none#0\"; the devices" },
		{ "0+none*+1", CLOPT_ENODEVICE,
		  "matches \"none*\" of HERE=\"0+none*+1\"; the devices" },
		{ "gpu#3", CLOPT_ENODEVICE,
		  "number 3 of the devices that match \"gpu\": there are 3" },
		{ "0+:gpu:card c#1", CLOPT_ENODEVICE, "match \":gpu:card c\": there are 1" },
		{ "gpu#99999999999999999999", CLOPT_ENODEVICE, "there are 3" },
		{ "gpu#two", CLOPT_ENODEVICE, "(a number or rank follows #)" },
		{ "gpu#", CLOPT_ENODEVICE, "(a number or rank follows #)" },
		{ ":toaster:*", CLOPT_ENODEVICE, "(type is cpu, gpu or accelerator)" },
		{ "0+:toaster", CLOPT_ENODEVICE, "\":toaster\" (type is cpu" },
		{ ":cpu*", CLOPT_ENODEVICE, "matches HERE=\":cpu*\"; the devices" },
		{ "3b:02.0", CLOPT_ENODEVICE, "HERE=\"3b:02.0\"; the devices" }, /* in domain 1 */
		{ "1b:00.1", CLOPT_ENODEVICE, "Card A (gpu, Fake, 0000:1b:00.0); 1: " },
		{ "00ff-4011", CLOPT_ENODEVICE, "the devices are 0" }, /* a part of a UUID */
		{ "0+", CLOPT_EINVAL, "HERE=\"0+\": a device is missing" },
		{ "+0", CLOPT_EINVAL, "a device is missing" },
		{ "0++1", CLOPT_EINVAL, "a device is missing" },
		{ "+", CLOPT_EINVAL, "a device is missing" },
	};
	char letters[8];
	size_t i;

	drivers_add("cards");
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		expect_refused(named(bad[i].spec, letters), bad[i].status, NULL, bad[i].words);
}
END_TEST

/* A GPU that two platforms have counts once, unless both are named. */
START_TEST(two_drivers)
{
	char letters[8];
	size_t n = 0;

	drivers_add("cards");
	drivers_add("double");
	CHECK_OK(NULL, clopt_device_list(NULL, 0, &n));
	ck_assert_uint_eq(n, 4);
	CHECK_OK(NULL, named("*", letters));
	ck_assert_msg(strlen(letters) == 3 && strchr(letters, 'A') && strchr(letters, 'B') &&
	                      strchr(letters, 'C'),
	              "%s", letters);
	expect_refused(named("gpu#3", letters), CLOPT_ENODEVICE, NULL, "there are 3");
	CHECK_OK(NULL, named("double*+fake*", letters));
	ck_assert_str_eq(letters, "AABC");
	CHECK_OK(NULL, named("0+1+2+3", letters));
	ck_assert_uint_eq(strlen(letters), 4);
}
END_TEST

/* A vendor's own platform comes before others on its hardware, as Intel's before PoCL on an Intel
 * processor. */
START_TEST(own_platform)
{
	static const struct {
		const char *spec, *letters;
	} good[] = {
		{ "nvidia", "G" },        { "nvidia:gpu:", "G" }, { "nvidia#0", "G" },
		{ "nvidia#1", "A" },      { "nvidia*", "GABC" },  { "nvidia::card", "A" },
		{ "fake::card*", "ABC" },
	};
	struct clopt_device_info list[4];
	char letters[8];
	size_t i, n;

	drivers_add("cards"); /* its devices' vendor is NVIDIA */
	drivers_add("resold"); /* and its platform */
	for (i = 0; i < 4; i++)
		list[i].size = sizeof list[i];
	CHECK_OK(NULL, clopt_device_list(list, 4, &n));
	ck_assert_str_eq(list[3].platform, "NVIDIA CUDA"); /* no better device */
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		CHECK_OK(NULL, named(good[i].spec, letters));
		ck_assert_msg(!strcmp(letters, good[i].letters), "\"%s\" means %s, not %s",
		              good[i].spec, letters, good[i].letters);
	}
}
END_TEST

/* ---- What is left out is told ---------------------------------------------------------------- */

START_TEST(left_out)
{
	char letters[8];

	drivers_add("cards");
	drivers_add("clover");
	expect_refused(named("clover", letters), CLOPT_ENODEVICE, NULL,
	               "; Clover is left out: quirk clover: ");
}
END_TEST

static char lines[2048];

static void collect(void *user, const char *line)
{
	strncat(lines, line, sizeof lines - strlen(lines) - 1);
}

/* Files that name no driver: their words come where there is no platform, in the list, and in
 * lines. */
START_TEST(no_drivers)
{
	static const char *const words[] = {
		"a.icd is left out: it names no library", "b.icd is left out: it names no library",
		"c.icd is left out: /nowhere/libnone.so: ", "is no OpenCL driver"
	};
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	Dl_info libc;
	size_t i, n;

	ck_assert(dladdr((void *)(uintptr_t)getenv, &libc));
	drivers_icd("a", "");
	drivers_icd("b", " ");
	drivers_icd("c", "/nowhere/libnone.so");
	drivers_icd("d", libc.dli_fname);
	if (_i)
		drivers_add("wary");
	o.verbose = 1;
	o.log = collect;
	o.device = "none";
	ck_assert_int_eq(clopt_open(&ctx, &o), CLOPT_ENODEVICE);
	for (i = 0; i < 4; i++)
		ck_assert_msg(strstr(clopt_error(NULL), words[i]) && strstr(lines, words[i]),
		              "%s: %s: %s", words[i], clopt_error(NULL), lines);
	ck_assert_int_eq(strstr(clopt_error(NULL), "no OpenCL platform") == NULL, _i);
	CHECK_OK(NULL, clopt_skipped_list(NULL, 0, &n));
	ck_assert_uint_eq(n, 4);
	drivers_expect_clean();
}
END_TEST

/* What launchers set; first those that win over the others. */
static const char *const ranks[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"MPI_LOCALRANKID",
	"MV2_COMM_WORLD_LOCAL_RANK",
	"PMI_LOCAL_RANK",
	"PALS_LOCAL_RANKID",
	"FLUX_TASK_LOCAL_ID",
	"SLURM_LOCALID",
};
#define RANKS (sizeof ranks / sizeof *ranks)

START_TEST(local_rank)
{
	char letters[8];
	size_t i;

	drivers_add("cards");
	for (i = 0; i < RANKS; i++)
		unsetenv(ranks[i]);
	for (i = 0; i < RANKS; i++)
		expect_refused(named("gpu#rank", letters), CLOPT_EINVAL, NULL, ranks[i]);
	expect_refused(named("none#rank", letters), CLOPT_ENODEVICE, NULL, "\"none#rank\"");
	for (i = RANKS; i-- > 0;) {
		setenv(ranks[i], "two", 1);
		expect_refused(named("gpu#rank", letters), CLOPT_EINVAL, NULL, ranks[i]);
		snprintf(letters, sizeof letters, "%zu", i + 3);
		setenv(ranks[i], letters, 1);
		CHECK_OK(NULL, named("gpu#rank", letters));
		ck_assert_int_eq(letters[0], "ABC"[i % 3]);
	}
	setenv(ranks[0], "", 1); /* as if not set */
	CHECK_OK(NULL, named("#rank+gpu*", letters));
	ck_assert_str_eq(letters, "BAC");
	setenv(ranks[0], "5", 1);
	CHECK_OK(NULL, named("0001:3b:02.0#rank", letters));
	ck_assert_str_eq(letters, "B");
}
END_TEST

/* A context on one of two devices that are alike. */
START_TEST(contexts)
{
	static const struct clopt quiet;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx = NULL;
	struct device *list;
	size_t n;

	drivers_add("pocl");
	drivers_add("cards");
	setenv("POCL_DEVICES", "pthread pthread", 1);
	CHECK_OK(NULL, clopt__devices_pick("pocl*", "HERE", 0, &quiet, &list, &n));
	ck_assert_uint_eq(n, 2);
	o.device = "pocl#1";
	ctx = test_open(&o);
	ck_assert(clopt_cl_device(ctx) == list[1].id && list[0].id != list[1].id);
	test_close(ctx);
	free(list);
	o.device = "pocl*";
	ctx = test_open(&o);
	ck_assert_uint_eq(clopt_members(ctx), 2);
	ck_assert(clopt_cl_device(clopt_member(ctx, 1)) != clopt_cl_device(ctx));
	test_close(ctx);
	CHECK_OK(NULL, clopt__devices_pick("pocl*+gpu*", "HERE", 0, &quiet, &list, &n));
	ck_assert_uint_eq(n, 5);
	free(list);
	o.device = "pocl+0"; /* the same twice */
	ctx = test_open(&o);
	test_close(ctx);
	o.device = NULL;
	setenv("CLOPT_DEVICE", "pocl#2", 1);
	expect_refused(clopt_open(&ctx, &o), CLOPT_ENODEVICE, NULL, "CLOPT_DEVICE=\"pocl#2\"");
}
END_TEST

/* `clopt info' prints them, before it finds that these devices give no context. */
START_TEST(shown)
{
	const struct tool_args args = { .op = -1 };

	drivers_add("cards");
	written_open();
	ck_assert_int_eq(written_run(tool_info, &args), 1);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "  PCI address    0001:3b:02.0\n"));
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "  UUID           " UUID "\n"));
	written_close();
}
END_TEST

SUITE(pick, quick)
{
	tcase_add_checked_fixture(c, drivers_setup, drivers_teardown);
	tcase_add_test(c, addresses);
	tcase_add_test(c, no_address);
	tcase_add_test(c, resold);
	tcase_add_test(c, mute);
	tcase_add_test(c, texts);
	tcase_add_test(c, bad_texts);
	tcase_add_test(c, two_drivers);
	tcase_add_test(c, own_platform);
	tcase_add_test(c, left_out);
	tcase_add_loop_test(c, no_drivers, 0, 2);
	tcase_add_test(c, local_rank);
	tcase_add_test(c, contexts);
	tcase_add_test(c, shown);
}
