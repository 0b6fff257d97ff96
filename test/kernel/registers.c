/* SPDX-License-Identifier: MIT */
/*
 * registers.c - the number of registers of a kernel: compilers' output, drivers that report it and
 * drivers that do not, and `clopt occupancy'.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "suites.h"
#include "ask/ask.h"
#include "wrap.h"
#include "written.h"

/* The output of versions of ptxas since 2009, with other kernels around. */
#define ENTRY(name) "ptxas info    : Compiling entry function '" name "' for 'sm_90'\n"
#define PROPERTIES \
	"ptxas info    : Function properties for run\n" \
	"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
#define LOG \
	"\nptxas info    : 0 bytes gmem\n" ENTRY("runs") PROPERTIES \
	        "ptxas info    : Used 7 registers, 344 bytes cmem[0]\n" ENTRY("run") PROPERTIES \
	        "ptxas info    : Used 40 registers, used 1 barriers, 16384 bytes smem, 400 bytes " \
	        "cmem[0]\n" ENTRY("walk") "ptxas info    : Used 9 registers\n"

START_TEST(compilers_log)
{
	static const struct {
		const char *log;
		unsigned run, walk;
	} logs[] = {
		{ LOG, 40, 9 },
		{ ENTRY("run") "ptxas info    : Used 255 registers", 255, 0 },
		{ ": Considering profile 'compute_20' for gpu='sm_21'\n" ENTRY(
		          "run") "ptxas info : Used 12+8 registers, 56+16 bytes smem\n",
		  12, 0 },
		{ "", 0, 0 },
		{ "ptxas info    : Used 40 registers\n", 0, 0 }, /* of an unnamed kernel */
		{ ENTRY("run"), 0, 0 },
		{ ENTRY("run") ENTRY("walk") "ptxas info    : Used 9 registers\n", 0, 9 },
		{ ENTRY("run") "ptxas info    : Used many registers\n", 0, 0 },
		{ "ptxas info    : Compiling entry function 'run", 0, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof logs / sizeof *logs; i++) {
		ck_assert_uint_eq(clopt__log_registers(logs[i].log, "run"), logs[i].run);
		ck_assert_uint_eq(clopt__log_registers(logs[i].log, "walk"), logs[i].walk);
	}
}
END_TEST

/* The notes of a code object: 44 scalar registers and 300 vector registers. */
#define NOTES \
	"\177ELF: \xa5.name\xa3run\xab.sgpr_count,\xb1.sgpr_spill_count\x01\xab.vgpr_count" \
	"\xcd\x01\x2c\xaf.wavefront_size@"

START_TEST(notes_of_binaries)
{
	static const char eight[] = "\xab.vgpr_count\xcc\xc8";
	unsigned n = 5;
	char *part;
	size_t size;

	ck_assert(clopt__note_number(NOTES, sizeof NOTES - 1, ".vgpr_count", &n));
	ck_assert_uint_eq(n, 300);
	ck_assert(clopt__note_number(NOTES, sizeof NOTES - 1, ".sgpr_count", &n));
	ck_assert_uint_eq(n, 44);
	ck_assert(clopt__note_number(NOTES, sizeof NOTES - 1, ".wavefront_size", &n));
	ck_assert_uint_eq(n, 64); /* the last byte */
	ck_assert(clopt__note_number(NOTES, sizeof NOTES - 1, ".name", &n) == 0); /* a text */
	ck_assert(clopt__note_number(eight, sizeof eight - 1, ".vgpr_count", &n));
	ck_assert_uint_eq(n, 200);
	/* Notes that are cut anywhere have no number, and nothing beyond the end is read. */
	for (size = 0; size < sizeof eight - 1; size++) {
		ck_assert_ptr_nonnull(part = malloc(size + !size));
		memcpy(part, eight, size);
		ck_assert(clopt__note_number(part, size, ".vgpr_count", &n) == 0);
		free(part);
	}
	ck_assert_uint_eq(n, 200);
}
END_TEST

static const struct wrap_gpu amd = {
	.name = "gfx90a:sramecc+:xnack-",
	.vendor = "Advanced Micro Devices, Inc.",
	.vector_width = 1,
	.wave = 64,
	.max_group = 256,
	.images = 1,
	.local_bytes = 65536,
};
static const struct wrap_gpu nvidia = {
	.name = "NVIDIA H200",
	.vendor = "NVIDIA Corporation",
	.vector_width = 1,
	.wave = 32,
	.max_group = 1024,
	.images = 1,
	.local_bytes = 49152,
	.capability = 90,
};

static const struct driver {
	const struct wrap_gpu *gpu;
	const char *binary, *log;
	const char *arch;
	unsigned registers, scalars, waves; /* 0: it does not report it */
} drivers[] = {
	{ &amd, NOTES, NULL, "gfx90a", 300, 44, 4 },
	{ &amd, "no notes", NULL, "gfx90a", 0, 0, 0 },
	{ &nvidia, NULL, LOG, "sm_90", 40, 0, 48 }, /* compiles the source again */
	{ &nvidia, ".version 8.0", LOG, "sm_90", 40, 0, 48 }, /* ... the PTX */
	{ &nvidia, NULL, "nothing", "sm_90", 0, 0, 0 },
};

static struct clopt *open_with(const struct driver *d)
{
	struct clopt *ctx;

	wrap_pretend(d->gpu);
	wrap_binary(d->binary);
	wrap_log(d->log);
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	return ctx;
}

static void close_with(struct clopt *ctx)
{
	wrap_binary(NULL);
	wrap_log(NULL);
	wrap_pretend(NULL);
	test_close(ctx);
}

static const struct clopt_problem problem = { .size = sizeof problem,
	                                      .op = CLOPT_OP_MATMUL,
	                                      .dim = { 64, 64, 64 } };

/* Compiled here, for a CPU, it has 64 work-items and no local memory. */
START_TEST(drivers_report_registers)
{
	const struct driver *d = &drivers[_i];
	struct clopt_resources use = { .size = sizeof use };
	struct clopt_occupancy_info o = { .size = sizeof o };
	struct clopt *ctx = open_with(d);

	if (!d->registers) {
		expect_refused(clopt_occupancy_of(ctx, &problem, &use, &o), CLOPT_EUNSUPPORTED, ctx,
		               "the registers of matmul/plain");
		ck_assert_uint_eq(use.registers, 0);
		close_with(ctx);
		return;
	}
	CHECK_OK(ctx, clopt_occupancy_of(ctx, &problem, &use, &o));
	ck_assert_str_eq(o.arch, d->arch);
	ck_assert_uint_eq(use.registers, d->registers);
	ck_assert_uint_eq(use.scalar_registers, d->scalars);
	ck_assert_uint_eq(use.group, 64);
	ck_assert_uint_eq(o.waves, d->waves);
	CHECK_OK(ctx, clopt_occupancy_of(ctx, &problem, NULL, &o));
	expect_refused(clopt_occupancy_of(ctx, &problem, &use, NULL), CLOPT_EINVAL, ctx, "result");
	expect_refused(clopt_occupancy_of(ctx, NULL, &use, &o), CLOPT_EINVAL, ctx, "problem");
	use.size = 1;
	expect_refused(clopt_occupancy_of(ctx, &problem, &use, &o), CLOPT_EINVAL, ctx, "size");
	close_with(ctx);
}
END_TEST

START_TEST(devices_without_registers)
{
	static const struct wrap_gpu stranger = { "gfx9999", "AMD", 1, 64, 256, 1, 65536, 0, NULL };
	static const struct wrap_gpu intels = { "Arc", "Intel", 1, 16, 256, 1, 65536, 0, NULL };
	static const struct driver d = { &stranger, NULL, NULL, NULL, 0, 0, 0 },
	                           other = { &intels, NULL, NULL, NULL, 0, 0, 0 };
	struct clopt_occupancy_info o = { .size = sizeof o };
	struct clopt *ctx = test_open(NULL);

	if (ctx->device.traits & T_CPU)
		expect_refused(clopt_occupancy_of(ctx, &problem, NULL, &o), CLOPT_EUNSUPPORTED, ctx,
		               "is not a GPU");
	ck_assert_int_eq(clopt_occupancy_of(NULL, &problem, NULL, &o), CLOPT_EINVAL);
	test_close(ctx);
	ctx = open_with(&other);
	expect_refused(clopt_occupancy_of(ctx, &problem, NULL, &o), CLOPT_EUNSUPPORTED, ctx,
	               "is not a GPU");
	close_with(ctx);
	ctx = open_with(&d);
	expect_refused(clopt_occupancy_of(ctx, &problem, NULL, &o), CLOPT_EUNSUPPORTED, ctx,
	               "\"gfx9999\" is not known");
	close_with(ctx);
}
END_TEST

/* NVIDIA's driver keeps compiled programs, but not the compiler's log: it is told again, of a
 * program made of source, and of one made of a kept binary. */
START_TEST(told_again)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_occupancy_info o = { .size = sizeof o };
	unsigned registers = 0;
	struct clopt *ctx;
	int i, is_nvidia;

	for (i = 0; i < 4; i++) {
		struct clopt_resources use = { .size = sizeof use };

		options.cache_dir = i < 2 ? "0" : written.folder;
		ctx = test_open(&options);
		is_nvidia = (ctx->device.traits & T_NVIDIA) != 0;
		if (is_nvidia)
			CHECK_OK(ctx, clopt_occupancy_of(ctx, &problem, &use, &o));
		test_close(ctx);
		if (!is_nvidia) {
			printf("told_again: skipped, since this is no driver of NVIDIA's\n");
			return;
		}
		ck_assert_uint_gt(use.registers, 0);
		ck_assert(!registers || use.registers == registers);
		registers = use.registers;
	}
	CHECK_OK(NULL, clopt_cache_clear(&options));
}
END_TEST

/* Any call may fail: then there is a status, no object is left, and the next call works. */
START_TEST(calls_that_fail)
{
	const struct driver *d = &drivers[_i];
	struct clopt_occupancy_info o = { .size = sizeof o };
	struct clopt *ctx;
	int failed = 1, rc;
	long n;

	for (n = 1; failed && d->registers; n++) {
		ctx = open_with(d);
		wrap_fail(n, -6);
		rc = clopt_occupancy_of(ctx, &problem, NULL, &o);
		failed = wrap_failed();
		wrap_fail(0, 0);
		ck_assert(!failed == (rc == CLOPT_OK));
		ck_assert(!failed || strlen(clopt_error(ctx)) > 10);
		CHECK_OK(ctx, clopt_occupancy_of(ctx, &problem, NULL, &o));
		close_with(ctx);
		ck_assert_msg(n < 60, "it takes more than 60 calls");
	}
	ck_assert(!d->registers || n > 8);
}
END_TEST

static int run(const struct tool_args *args)
{
	int rc;

	fflush(stdout);
	ck_assert_ptr_nonnull(freopen(written.out, "w", stdout));
	rc = tool_occupancy(args);
	fflush(stdout);
	return rc;
}

START_TEST(program)
{
	struct tool_args args = {
		.op = -1, .arch = "sm_90", .registers = 40, .local_bytes = 16384, .group = 256
	};
	json_t *all, *others, *one;
	double occupancy;

	ck_assert_int_eq(run(&args), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out),
	                             "sm_90: a compute unit holds 6 groups of 256 work-items, 48 "
	                             "of at most 64 waves (75 %); limited by registers\n"
	                             "  registers 40 a work-item; up to 40 keep this number"));
	ck_assert_ptr_nonnull(
	        strstr(written_text(written.out), "\n   32      13     13  20  local"));
	args.json = 1;
	ck_assert_int_eq(run(&args), 0);
	ck_assert_ptr_nonnull(all = json_load_file(written.out, 0, NULL));
	ck_assert_int_eq(json_integer_value(json_object_get(all, "waves")), 48);
	ck_assert_str_eq(json_string_value(json_object_get(all, "limit")), "registers");
	others = json_object_get(all, "by_group");
	ck_assert_uint_eq(json_array_size(others), 6); /* 32 to 1024 */
	one = json_array_get(others, 3);
	occupancy = json_real_value(json_object_get(one, "occupancy"));
	ck_assert_int_eq(json_integer_value(json_object_get(one, "group")), 256);
	ck_assert_double_eq_tol(occupancy, 0.75, 1e-12);
	json_decref(all);
	args.json = 0;
	args.registers = 255;
	args.group = 512;
	ck_assert_int_eq(run(&args), 0);
	ck_assert_ptr_nonnull(
	        strstr(written_text(written.out),
	               "cannot hold one group of 512 work-items; limited by registers\n"
	               "  registers 255 a work-item; a group fits with up to 128"));
	args.registers = sizeof(size_t) > 4 ? (size_t)UINT_MAX + 1 : SIZE_MAX;
	ck_assert_int_eq(run(&args), 1);
}
END_TEST

/* Drivers report a kernel's local memory once it is compiled: too much strikes its row out.
 * NVIDIA's device has more than OpenCL tells, which only its own driver's compiler knows. */
START_TEST(local_memory)
{
	static const struct {
		const struct wrap_gpu *gpu;
		unsigned long long told;
		unsigned workarounds;
		int fits;
	} rows[] = {
		{ &amd, 65536, 0, 1 },
		{ &amd, 65537, 0, 0 },
		{ &nvidia, 49153, 0, 0 },
		{ &nvidia, 231424, BUILDS_FIT, 1 },
	};
	char text[2048], told[32];
	struct clopt *ctx;
	int rc;

	wrap_pretend(rows[_i].gpu);
	ctx = test_open(NULL);
	ctx->device.workarounds |= rows[_i].workarounds;
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	wrap_local(rows[_i].told);
	rc = clopt_explain(ctx, &problem, text, sizeof text);
	wrap_local(0);
	wrap_pretend(NULL);
	if (rows[_i].fits) {
		ck_assert_msg(rc == CLOPT_OK, "%s", clopt_error(ctx));
	} else {
		snprintf(told, sizeof told, "takes %llu bytes", rows[_i].told);
		expect_refused(rc, CLOPT_EBUILD, ctx, told);
	}
	test_close(ctx);
}
END_TEST

SUITE(registers, long)
{
	const int count = (int)(sizeof drivers / sizeof *drivers);

	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, compilers_log);
	tcase_add_test(c, notes_of_binaries);
	tcase_add_loop_test(c, drivers_report_registers, 0, count);
	tcase_add_test(c, devices_without_registers);
	tcase_add_test(c, told_again);
	tcase_add_loop_test(c, local_memory, 0, 4);
	tcase_add_loop_test(c, calls_that_fail, 0, count);
	tcase_add_test(c, program);
}
