/* SPDX-License-Identifier: MIT */
/*
 * trace.c - time lines: the commands kept, and the file.
 */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "suites.h"
#include "base/context.h"
#include "base/text.h"
#include "move/move.h"
#include "wrap.h"

#define BYTES 4096

static struct clopt *ctx;
static char folder[64], path[96];

static void setup(void)
{
	const struct clopt_options options = { .size = sizeof options, .profile = 1 };

	ctx = test_open(&options);
	strcpy(folder, "/tmp/clopt-trace-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/file", folder);
}

/* Only the file may be in the folder. */
static void teardown(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while ((e = readdir(d)))
		ck_assert_msg(!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		                      !strcmp(e->d_name, "file"),
		              "%s was left", e->d_name);
	closedir(d);
	unlink(path);
	rmdir(folder);
	test_close(ctx);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

START_TEST(numbers)
{
	static const struct {
		double value;
		unsigned decimals;
		const char *text;
	} cases[] = {
		{ 0, 0, "0" },
		{ 0, 3, "0.000" },
		{ 1.0005, 3, "1.001" },
		{ -1.5, 1, "-1.5" },
		{ -0.0001, 2, "0.00" },
		{ 0.999, 2, "1.00" },
		{ 123456.7, 0, "123457" },
		{ 0.0 / 0.0, 2, "0.00" },
		{ 1e300, 1, "0.0" },
	};
	char text[NUMBER_SIZE];
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		ck_assert_str_eq(clopt__number(text, cases[i].value, cases[i].decimals),
		                 cases[i].text);
}
END_TEST

/* Two calls, each in two bands on two queues; started long before now. */
static void fill_trace(void)
{
	struct command c = { .bytes = BYTES, .start = 1000, .queued = 999.5 };
	const char *label = "a<b>&\"c\" \\ \351";

	CHECK_OK(ctx, clopt_trace_start(ctx));
	for (c.call = 0; c.call < 2; c.call++)
		for (c.queue = 0; c.queue < 2; c.queue++)
			for (c.kind = COMMAND_UP; c.kind <= COMMAND_DOWN; c.kind++) {
				c.label[0] = '\0';
				if (c.kind == COMMAND_KERNEL)
					strcpy(c.label, label);
				c.end = c.start + 0.0015;
				clopt__trace_keep(&ctx->log, &c, 1);
				c.start = c.queue == 0 ? c.start + 0.001 : c.end;
			}
	CHECK_OK(ctx, clopt_trace_stop(ctx));
	snprintf(ctx->device.info.name, sizeof ctx->device.info.name, "A & B's <\"\\\351\"> GPU\n");
}

static char *content(void)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_msg(f != NULL, "%s is not there", path);
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void check_json(void)
{
	json_error_t error;
	json_t *file, *e;
	size_t i, names = 0, commands = 0;

	CHECK_OK(ctx, clopt_trace_json(ctx, path));
	file = json_load_file(path, 0, &error);
	ck_assert_msg(file != NULL, "line %d: %s", error.line, error.text);
	json_array_foreach(json_object_get(file, "traceEvents"), i, e)
	{
		const char *ph = json_string_value(json_object_get(e, "ph"));
		json_t *args = json_object_get(e, "args");
		const char *name = json_string_value(json_object_get(e, "name"));

		ck_assert_int_eq(json_integer_value(json_object_get(e, "pid")), 1);
		if (!strcmp(ph, "M")) {
			names += !strcmp(name, "thread_name");
			continue;
		}
		ck_assert_str_eq(ph, "X");
		ck_assert(json_is_real(json_object_get(e, "ts")));
		ck_assert(json_real_value(json_object_get(e, "ts")) >= 0);
		ck_assert(json_real_value(json_object_get(e, "dur")) > 0);
		ck_assert(json_integer_value(json_object_get(e, "tid")) < 2);
		ck_assert_int_eq(json_integer_value(json_object_get(args, "bytes")), BYTES);
		ck_assert_int_eq(json_integer_value(json_object_get(args, "call")),
		                 (int)commands / 6);
		ck_assert(json_real_value(json_object_get(args, "GB/s")) > 0);
		if (!strcmp(json_string_value(json_object_get(e, "cat")), "kernel"))
			ck_assert_str_eq(name, "a<b>&\"c\" \\ ?");
		commands++;
	}
	ck_assert_uint_eq(names, 2);
	ck_assert_uint_eq(commands, 12);
	json_decref(file);
}

/* Also where numbers have a comma. */
START_TEST(files)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" };
	char text[NUMBER_SIZE];
	size_t i;

	for (i = 0; _i && i < COUNT(names) && !setlocale(LC_NUMERIC, names[i]); i++)
		;
	fill_trace();
	check_json();
	ck_assert_str_eq(clopt__number(text, 1.5, 1), "1.5");
	setlocale(LC_NUMERIC, "C");
}
END_TEST

START_TEST(empty_trace)
{
	json_t *file;

	CHECK_OK(ctx, clopt_trace_start(ctx));
	CHECK_OK(ctx, clopt_trace_json(ctx, path));
	file = json_load_file(path, 0, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(file, "traceEvents")), 1);
	json_decref(file);
}
END_TEST

/* More commands than are kept. */
START_TEST(many_commands)
{
	struct command c = { .label = "k" };
	json_t *file, *e;
	size_t i, commands = 0;

	CHECK_OK(ctx, clopt_trace_start(ctx));
	for (i = 0; i < MOST_TRACED + 10; i++) {
		c.kind = (enum command_kind)(i / 2 % 3);
		c.queue = i % 2 ? 5 : 0;
		c.start = 1e-5 * (double)i;
		c.end = c.start + 1.5e-5;
		clopt__trace_keep(&ctx->log, &c, 1);
	}
	ck_assert_uint_eq(ctx->log.traced, MOST_TRACED);
	CHECK_OK(ctx, clopt_trace_json(ctx, path));
	file = json_load_file(path, 0, NULL);
	json_array_foreach(json_object_get(file, "traceEvents"), i, e)
	{
		commands += !strcmp(json_string_value(json_object_get(e, "ph")), "X");
	}
	ck_assert_uint_eq(commands, MOST_TRACED);
	json_decref(file);
}
END_TEST

START_TEST(unwritable)
{
	struct rlimit limit = { 100, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	int rc;

	fill_trace();
	expect_refused(clopt_trace_json(ctx, "/nowhere/at/all"), CLOPT_EIO, ctx,
	               "/nowhere/at/all cannot be written: No such file");
	expect_refused(clopt_trace_json(ctx, folder), CLOPT_EIO, ctx, "cannot be written");
	if (access("/dev/full", W_OK) == 0)
		expect_refused(clopt_trace_json(ctx, "/dev/full"), CLOPT_EIO, ctx,
		               strerror(ENOSPC));
	CHECK_OK(ctx, clopt_trace_json(ctx, "/dev/null"));
	ck_assert_int_ne(access(path, F_OK), 0);
	/* A disk that fills up meanwhile keeps the old file. */
	CHECK_OK(ctx, clopt_trace_json(ctx, path));
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	rc = clopt_trace_json(ctx, path);
	setrlimit(RLIMIT_FSIZE, &none);
	expect_refused(rc, CLOPT_EIO, ctx, strerror(EFBIG));
	ck_assert_ptr_nonnull(strstr(content(), "traceEvents"));
}
END_TEST

START_TEST(trace_arguments)
{
	struct clopt *plain = test_open(NULL);
	const struct command c = { .end = 1 };
	int rc;

	expect_refused(clopt_trace_start(plain), CLOPT_EINVAL, plain, "clopt_options.profile");
	expect_refused(clopt_trace_stop(plain), CLOPT_EINVAL, plain, "clopt_options.profile");
	clopt_close(plain);
	expect_refused(clopt_trace_start(NULL), CLOPT_EINVAL, NULL, "ctx is NULL");
	expect_refused(clopt_trace_stop(NULL), CLOPT_EINVAL, NULL, "ctx is NULL");
	expect_refused(clopt_trace_json(NULL, path), CLOPT_EINVAL, NULL, "ctx is NULL");
	expect_refused(clopt_trace_json(ctx, path), CLOPT_EINVAL, ctx, "clopt_trace_start");
	wrap_fail(1, CL_OUT_OF_RESOURCES);
	rc = clopt_trace_start(ctx);
	wrap_fail(0, 0);
	expect_refused(rc, CLOPT_ENOMEM, ctx, "no memory for a trace");
	clopt__trace_keep(&ctx->log, &c, 1); /* nothing is kept, and no call fails */
	CHECK_OK(ctx, clopt_trace_start(ctx));
	CHECK_OK(ctx, clopt_trace_stop(ctx));
	expect_refused(clopt_trace_json(ctx, NULL), CLOPT_EINVAL, ctx, "path is NULL");
	wrap_fail(1, CL_OUT_OF_RESOURCES);
	rc = clopt_trace_json(ctx, path);
	wrap_fail(0, 0);
	expect_refused(rc, CLOPT_ENOMEM, ctx, "no memory");
	clopt__trace_keep(&ctx->log, &c, 1);
	ck_assert_uint_eq(ctx->log.traced, 0);
}
END_TEST

SUITE(trace, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, numbers);
	tcase_add_loop_test(c, files, 0, 2);
	tcase_add_test(c, empty_trace);
	tcase_add_test(c, many_commands);
	tcase_add_test(c, unwritable);
	tcase_add_test(c, trace_arguments);
}
