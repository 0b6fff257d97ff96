/* SPDX-License-Identifier: MIT */
/*
 * context.c - opening, devices, and the texts, choices and reasons of a context.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clopt_cl.h"
#include "base/context.h"
#include "device/device.h"
#include "suites.h"
#include "wrap.h"

static struct clopt *ctx;

static void setup(void)
{
	ctx = test_open(NULL);
}

static void teardown(void)
{
	test_close(ctx);
}

/* Bad settings are refused, whether from the environment or the options. */
START_TEST(bad_settings_are_refused)
{
	static const struct {
		const char *name, *value, *word;
		int status;
	} bad[] = {
		{ "CLOPT_DEVICE", "nonsense", "the devices are", CLOPT_ENODEVICE },
		{ "CLOPT_DEVICE", "999", "the devices are", CLOPT_ENODEVICE },
		{ "CLOPT_DEVICE", "99999999999999999999", "the devices are", CLOPT_ENODEVICE },
		{ "CLOPT_DEVICE", ":toaster:", "type is cpu", CLOPT_ENODEVICE },
		{ "CLOPT_VARIANT", "matmul/none", "matmul/none", CLOPT_EINVAL },
		{ "CLOPT_QUEUES", "0", "1 to 8", CLOPT_EINVAL },
		{ "CLOPT_QUEUES", "9", "1 to 8", CLOPT_EINVAL },
		{ "CLOPT_QUEUES", "two", "1 to 8", CLOPT_EINVAL },
		{ "CLOPT_MEM_LIMIT", "-1", "64M", CLOPT_EINVAL },
		{ "CLOPT_MEM_LIMIT", "1MB", "64M", CLOPT_EINVAL },
		{ "CLOPT_MEM_LIMIT", "99999999999G", "64M", CLOPT_EINVAL },
		{ "CLOPT_VERBOSE", "yes", "0 or 1", CLOPT_EINVAL },
		{ "CLOPT_SLICE", "100ms", "seconds", CLOPT_EINVAL },
		{ "CLOPT_SLICE", "1001", "seconds", CLOPT_EINVAL },
		{ "CLOPT_SLICE", "0.", "seconds", CLOPT_EINVAL },
		{ "CLOPT_SLICE", "-1", "seconds", CLOPT_EINVAL },
		{ "CLOPT_SLICE", "0,2", "seconds", CLOPT_EINVAL },
		{ "CLOPT_QUIRKS", "hoof", "use nvidia-in-place", CLOPT_EINVAL },
	};
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *c = (struct clopt *)&o;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		setenv(bad[i].name, bad[i].value, 1);
		expect_refused(clopt_open(&c, NULL), bad[i].status, NULL, bad[i].word);
		ck_assert_msg(strstr(clopt_error(NULL), bad[i].value) != NULL, "no \"%s\" in: %s",
		              bad[i].value, clopt_error(NULL));
		ck_assert_ptr_null(c);
		unsetenv(bad[i].name);
	}
	for (i = 0; i < 2; i++) {
		setenv("CLOPT_MEM_LIMIT", i ? "98k" : "100352", 1);
		CHECK_OK(NULL, clopt_open(&c, NULL));
		ck_assert_uint_eq(c->mem_limit_bytes, 100352);
		clopt_close(c);
	}
	unsetenv("CLOPT_MEM_LIMIT");
	o.device = "0";
	setenv("CLOPT_DEVICE", "nonsense", 1); /* the option wins */
	CHECK_OK(NULL, clopt_open(&c, &o));
	clopt_close(c);
}
END_TEST

/* Seconds of the environment and of the options: an option wins, a negative one switches off. */
START_TEST(seconds)
{
	static const struct {
		const char *text;
		double option, used;
	} said[] = {
		{ "", 0, 0 },       { "0", 0, 0 },    { "0.25", 0, 0.25 },  { "2", 0, 2 },
		{ "1000", 0, 1e3 }, { "0.25", 2, 2 }, { "0.25", -1, 0 },    { "0", 0.125, 0.125 },
		{ "0.0", 3, 3 },    { "", -0.5, 0 },  { "00.500", 0, 0.5 }, { "nonsense", 1, 1 },
	};
	struct settings s;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	size_t i;

	for (i = 0; i < sizeof said / sizeof *said; i++) {
		setenv("CLOPT_SLICE", said[i].text, 1);
		o.slice_seconds = said[i].option;
		CHECK_OK(NULL, clopt__settings(&o, &s));
		ck_assert_msg(s.options.slice_seconds == said[i].used, "\"%s\" and %g: %g",
		              said[i].text, said[i].option, s.options.slice_seconds);
	}
}
END_TEST

START_TEST(devices)
{
	struct clopt_device_info list[16], mine = { .size = sizeof mine };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *c;
	char spec[200];
	size_t i, j, n = 0;

	for (i = 0; i < 16; i++)
		list[i].size = sizeof list[i];
	CHECK_OK(NULL, clopt_device_list(list, 16, &n));
	ck_assert(n >= 1);
	for (i = 1; i < n && i < 16; i++)
		ck_assert(list[i].score <= list[i - 1].score);
	for (i = 0; i < n && i < 16; i++) {
		ck_assert(strlen(list[i].name) && list[i].global_bytes && list[i].max_group);
		/* A device by "vendor:type:name": the first match. */
		strcpy(spec, ":");
		strcat(spec, list[i].type);
		strcat(spec, ":");
		strncat(spec, list[i].name, 20);
		o.device = spec;
		CHECK_OK(NULL, clopt_open(&c, &o));
		CHECK_OK(c, clopt_device_get(c, &mine));
		/* Another driver's name for the same processor may have this one's in it. */
		for (j = 0; strcmp(list[j].type, list[i].type) != 0 ||
		            !strstr(list[j].name, strrchr(spec, ':') + 1);)
			j++;
		ck_assert_str_eq(mine.type, list[j].type);
		ck_assert_str_eq(mine.name, list[j].name);
		clopt_close(c);
	}
	CHECK_OK(NULL, clopt_device_list(NULL, 0, &i));
	ck_assert_int_eq(i, n);
}
END_TEST

static size_t list_devices(struct clopt_device_info list[8])
{
	size_t i, n = 0;

	for (i = 0; i < 8; i++)
		list[i].size = sizeof list[i];
	clopt_device_list(list, 8, &n);
	for (i = 0; i < n && i < 8; i++) {
		memset(list[i].pci, 0, sizeof list[i].pci);
		memset(list[i].uuid, 0, sizeof list[i].uuid);
		list[i].copy_engines = 0;
	}
	return n < 8 ? n : 8;
}

static int is_in(const struct clopt_device_info *info, const struct clopt_device_info *list,
                 size_t n)
{
	while (n && memcmp(info, &list[n - 1], sizeof *info) != 0)
		n--;
	return n != 0;
}

/* A device of which a property cannot be read is not opened as a device without it, but left out,
 * and named.  Its address, UUID and copy engines may be missing. */
START_TEST(properties_that_cannot_be_read)
{
	struct clopt_device_info all[8], list[8];
	struct clopt_skipped_driver skipped = { .size = sizeof skipped };
	const int code = _i ? CL_INVALID_VALUE : CL_OUT_OF_RESOURCES;
	const char *const name = _i ? "CL_INVALID_VALUE" : "CL_OUT_OF_RESOURCES";
	const size_t n = list_devices(all);
	size_t i, m, told = 0;
	long call = 0;
	int failed;

	do {
		wrap_fail(++call, code);
		m = list_devices(list);
		failed = wrap_failed();
		wrap_fail(call, code);
		skipped.reason[0] = '\0';
		clopt_skipped_list(&skipped, 1, &i); /* fails where an allocation does */
		wrap_fail(0, 0);
		for (i = 0; i < m; i++)
			ck_assert_msg(is_in(&list[i], all, n), "call %ld fails: %s has traits %s",
			              call, list[i].name, list[i].traits);
		if (m < n && strstr(skipped.reason, "of property 0x") &&
		    strstr(skipped.reason, name))
			told++;
	} while (failed);
	ck_assert_uint_eq(m, n);
	ck_assert_msg(told > 10, "%zu failures were told", told);
}
END_TEST

/* The caller's own OpenCL context is retained while open and released after. */
START_TEST(adopts_the_callers_context)
{
	struct clopt *c, *owner;
	cl_context context;
	cl_device_id device = clopt_cl_device(ctx);
	const struct timespec moment = { 0, 10000000 };
	cl_uint before = 0, during = 0, after = 0;
	int i;
	float a[4] = { 1, 2, 3, 4 }, b[4];

	wrap_unshared(1); /* what is built in the shared one keeps it */
	owner = test_open(NULL);
	wrap_unshared(0);
	context = clopt_cl_context(owner);
	clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof before, &before, NULL);
	CHECK_OK(NULL, clopt_open_cl(&c, context, device, NULL));
	clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof during, &during, NULL);
	ck_assert_ptr_eq(clopt_cl_context(c), context);
	CHECK_OK(c, clopt_transpose(c, 2, 2, 4, a, 2, b, 2));
	ck_assert(b[1] == 3 && b[2] == 2);
	clopt_close(c);
	/* PoCL's threads release a context a little after the end of the last command. */
	for (i = 0; i < 6000 && (i == 0 || after != before); i++) {
		nanosleep(&moment, NULL);
		clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof after, &after, NULL);
	}
	ck_assert_msg(during > before && after == before, "references %u, %u, %u", before, during,
	              after);

	wrap_strangers(1);
	expect_refused(clopt_open_cl(&c, context, device, NULL), CLOPT_EINVAL, NULL,
	               "is not one of");
	wrap_strangers(0);
	clopt_close(owner);
}
END_TEST

/* CLOPT_VERBOSE=1 prints one line a call on stderr, with the row; otherwise nothing. */
START_TEST(verbose_lines)
{
	const int saved = dup(STDERR_FILENO);
	char path[] = "/tmp/clopt-test-XXXXXX", text[4096] = "";
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	float a[4] = { 1, 2, 3, 4 }, c[4];
	struct clopt *c2;
	int fd = mkstemp(path), lines = 0, i;
	ssize_t n;

	ck_assert(fd >= 0 && saved >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	clopt_transpose(ctx, 2, 2, 4, a, 2, c, 2);
	clopt_transpose(ctx, 2, 2, 4, a, 1, c, 2);
	o.verbose = 1;
	o.variants = "transpose/plain";
	if (clopt_open(&c2, &o) == CLOPT_OK) {
		clopt_transpose(c2, 2, 2, 4, a, 2, c, 2);
		clopt_transpose(c2, 2, 2, 4, a, 1, c, 2);
		clopt_close(c2);
	}
	setenv("CLOPT_VERBOSE", "1", 1);
	o.verbose = -1; /* wins */
	if (clopt_open(&c2, &o) == CLOPT_OK) {
		clopt_transpose(c2, 2, 2, 4, a, 2, c, 2);
		clopt_close(c2);
	}
	dup2(saved, STDERR_FILENO);
	n = pread(fd, text, sizeof text - 1, 0);
	close(fd);
	close(saved);
	unlink(path);
	for (i = 0; i < n; i++)
		lines += text[i] == '\n';
	ck_assert_msg(lines == 2, "%d lines: %s", lines, text);
	/* "uneven" between them where the device works in the host's memory */
	ck_assert_ptr_nonnull(strstr(text, "transpose 2 x 2 of 4 bytes"));
	ck_assert_ptr_nonnull(strstr(text, ": transpose/plain on"));
	ck_assert_ptr_nonnull(strstr(text, "leading dimension"));
}
END_TEST

/* What should serve is told without building anything, and serves. */
START_TEST(expects_choices)
{
	const struct {
		int op;
		size_t dim[3];
	} asked[] = {
		{ CLOPT_OP_MATMUL, { 300, 300, 300 } },
		{ CLOPT_OP_TRANSPOSE, { 100, 200 } },
		{ CLOPT_OP_NBODY, { 2000, 2000 } },
	};
	struct clopt_problem p = { .size = sizeof p };
	const char *expected[3];
	size_t i;

	wrap_programs();
	for (i = 0; i < 3; i++) {
		p.op = asked[i].op;
		memcpy(p.dim, asked[i].dim, sizeof p.dim);
		expected[i] = clopt_expected_variant(ctx, &p);
		ck_assert_ptr_nonnull(expected[i]);
	}
	ck_assert_int_eq(wrap_programs(), 0);
	for (i = 0; i < 3; i++) {
		p.op = asked[i].op;
		memcpy(p.dim, asked[i].dim, sizeof p.dim);
		ck_assert_str_eq(clopt_chosen_variant(ctx, &p), expected[i]);
	}
	ck_assert_int_gt(wrap_programs(), 0);
	CHECK_OK(ctx, clopt_force_variants(ctx, "nbody/plain"));
	ck_assert_str_eq(clopt_expected_variant(ctx, &p), "nbody/plain");
	p.dim[0] = SIZE_MAX / 2;
	ck_assert_ptr_null(clopt_expected_variant(ctx, &p));
	ck_assert_ptr_null(clopt_expected_variant(NULL, &p));
}
END_TEST

START_TEST(explains_choices)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 100, 100, 100 } };
	char text[8192], tiny[10];
	int rc;

	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "matmul 100 x 100 x 100"));
	ck_assert_ptr_nonnull(strstr(text, clopt_chosen_variant(ctx, &p)));
	ck_assert_ptr_nonnull(strstr(text, ": chosen"));
	CHECK_OK(ctx, clopt_explain(ctx, &p, tiny, sizeof tiny));
	ck_assert_int_eq(strlen(tiny), sizeof tiny - 1);
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "matmul/plain: chosen, forced by"));
	/* Empty problems, and problems larger than memory, can be explained as well. */
	CHECK_OK(ctx, clopt_force_variants(ctx, NULL));
	for (p.op = 0; p.op < CLOPT_OPS; p.op++) {
		p.dim[0] = p.dim[1] = p.dim[2] = 0;
		CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
		p.dim[0] = p.dim[1] = p.dim[2] = (size_t)1 << 31;
		rc = clopt_explain(ctx, &p, text, sizeof text);
		ck_assert(rc == CLOPT_ENOMEM || (rc == CLOPT_OK && p.op != CLOPT_OP_MATMUL));
	}
}
END_TEST

/* Few targets, with which wide groups would leave processors idle, get narrow groups. */
START_TEST(few_targets_get_narrow_groups)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_NBODY, .dim = { 100, 0 } };
	struct clopt_device_info info = { .size = sizeof info };
	size_t all;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	all = (size_t)64 * info.compute_units;
	if (!strstr(info.traits, "simd-512") || info.compute_units < 2)
		return;
	for (p.op = CLOPT_OP_POTENTIAL; p.op <= CLOPT_OP_NBODY; p.op++) {
		p.dim[1] = all;
		ck_assert_ptr_nonnull(strstr(clopt_chosen_variant(ctx, &p), "/wide-16x4"));
		p.dim[1] = all / 2;
		ck_assert_ptr_nonnull(strstr(clopt_chosen_variant(ctx, &p), "/wide-16x2"));
	}
}
END_TEST

static int chosen_is(struct clopt *c, const struct clopt_problem *p, const char *end)
{
	const char *name = clopt_chosen_variant(c, p);

	return name && strstr(name, end);
}

/* Of sums by a tree a processor walks for each target alone, if the wide rows cannot serve; a
 * device whose work-items are lanes for 64 together, though it has no local memory of its own. */
START_TEST(trees_without_local_memory)
{
	struct clopt_problem p = { .size = sizeof p, .dim = { 1000, 1000, 2 } };

	ctx->device.quirks = 0; /* one may strike out all rows for processors */
	ctx->device.traits &= ~(unsigned)(T_GPU | T_LOCAL);
	for (p.op = CLOPT_OP_TREE_POTENTIAL; p.op <= CLOPT_OP_TREE_NBODY; p.op++) {
		ctx->device.traits |= T_CPU;
		p.precision = CLOPT_PRECISION_COMPENSATED;
		ck_assert(chosen_is(ctx, &p, "/walk-1"));
		ctx->device.traits &= ~(unsigned)T_CPU;
		ck_assert(chosen_is(ctx, &p, "/tile-64"));
		p.precision = CLOPT_PRECISION_FLOAT;
		ck_assert(chosen_is(ctx, &p, "/tile-64"));
	}
}
END_TEST

/* If a kernel does not build, the next row serves, and the compiler's log is in the text, at once
 * and later. */
START_TEST(replaces_a_kernel_that_does_not_build)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 2, 2, 2 } };
	float a[4] = { 1, 2, 3, 4 }, c[4];
	char first[64], text[8192];

	strcpy(first, clopt_chosen_variant(ctx, &p));
	clopt_close(ctx);
	ctx = test_open(NULL);
	wrap_spoil(1);
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "planted by the test"));
	ck_assert_str_ne(clopt_chosen_variant(ctx, &p), first);
	CHECK_OK(ctx, clopt_matmul(ctx, 2, 2, 2, a, a, c));
	ck_assert(c[0] == 7 && c[3] == 22);
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "cannot be built here"));
	ck_assert_ptr_nonnull(strstr(text, "planted by the test"));
	CHECK_OK(ctx, clopt_force_variants(ctx, first));
	expect_refused(clopt_matmul(ctx, 2, 2, 2, a, a, c), CLOPT_ENOVARIANT, ctx, "planted");
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	wrap_spoil(1);
	expect_refused(clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, CLOPT_TRANS_NO, 2,
	                           2, 2, 1, a, 2, a, 2, 0, c, 2),
	               CLOPT_EBUILD, ctx, "planted by the test");
	ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "-DTA=1"));
}
END_TEST

SUITE(context, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, bad_settings_are_refused);
	tcase_add_test(c, seconds);
	tcase_add_test(c, devices);
	tcase_add_loop_test(c, properties_that_cannot_be_read, 0, 2);
	tcase_add_test(c, adopts_the_callers_context);
	tcase_add_test(c, verbose_lines);
	tcase_add_test(c, expects_choices);
	tcase_add_test(c, explains_choices);
	tcase_add_test(c, few_targets_get_narrow_groups);
	tcase_add_test(c, trees_without_local_memory);
	tcase_add_test(c, replaces_a_kernel_that_does_not_build);
}
