/* SPDX-License-Identifier: MIT */
/*
 * quirks.c - the quirks in force for described devices, and their effects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_drivers.h"
#include "base/context.h"
#include "device/device.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

static struct clopt_device_info described(const char *platform, const char *vendor,
                                          const char *name, const char *driver)
{
	struct clopt_device_info d = { .size = sizeof d };

	strcpy(d.platform, platform);
	strcpy(d.vendor, vendor);
	strcpy(d.name, name);
	strcpy(d.driver, driver);
	return d;
}

/* Words match anywhere, whatever their case; all that a row names must be present. */
START_TEST(words)
{
	const struct quirk q = { .name = "q", .platform = "run", .vendor = "ACME", .device = "x1" };
	struct clopt_device_info d = described("The Runtime", "Acme Inc.", "ACME X100", "");

	ck_assert(clopt__quirk_holds(&q, &d));
	d = described("The Runtime", "Acme Inc.", "ACME X200", "");
	ck_assert(!clopt__quirk_holds(&q, &d));
	d = described("The Runtime", "Other", "ACME X100", "");
	ck_assert(!clopt__quirk_holds(&q, &d));
	d = described("", "Acme Inc.", "ACME X100", "");
	ck_assert(!clopt__quirk_holds(&q, &d));
}
END_TEST

START_TEST(versions)
{
	static const struct {
		const char *driver, *behind, *from, *before;
		int holds;
	} cases[] = {
		{ "19.34.13959", NULL, "18.45", "19.35", 1 },
		{ "19.34.13959", NULL, "19.34.13959", NULL, 1 },
		{ "19.34.13959", NULL, "19.34.13960", NULL, 0 },
		{ "19.34.13959", NULL, NULL, "19.34.13959", 0 },
		{ "9.9", NULL, "10", NULL, 0 }, /* by number, not by letter */
		{ "26.3", NULL, NULL, "26.3", 0 },
		{ "26.3.0", NULL, NULL, "26.3", 0 },
		{ "26.2.9-devel", NULL, NULL, "26.3", 1 },
		{ "26", NULL, NULL, "26.0.1", 1 },
		{ "3212.0 (HSA1.1,LC)", NULL, "3212", "3213", 1 },
		{ "OpenCL 1.2 pocl 1.8", "pocl ", NULL, "1.9", 1 },
		{ "OpenCL 1.2 pocl 1.9", "pocl ", NULL, "1.9", 0 },
		{ "OpenCL 1.2 other 1.8", "pocl ", NULL, "1.9", 0 },
		{ "no number", NULL, NULL, "1.9", 0 }, /* the version is unknown */
		{ "", NULL, "1", NULL, 0 },
		{ "", NULL, NULL, NULL, 1 }, /* and no version is asked for */
		{ "build: 0676.77.1 Compiler E031.41.03.64", "Compiler E", "31.41", "31.42", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct quirk q = { .name = "q",
			                 .behind = cases[i].behind,
			                 .from = cases[i].from,
			                 .before = cases[i].before };
		const struct clopt_device_info d = described("", "", "", cases[i].driver);

		ck_assert_msg(clopt__quirk_holds(&q, &d) == cases[i].holds,
		              "\"%s\" from %s before %s", cases[i].driver,
		              cases[i].from ? cases[i].from : "any",
		              cases[i].before ? cases[i].before : "any");
	}
}
END_TEST

#define NVIDIA (LIMITS_GROUPS | BUILDS_FIT)

/* Descriptions of devices by their drivers, and the quirks and traits in force. */
static const struct {
	const char *platform, *vendor, *name, *driver;
	unsigned traits, left;
	const char *quirks;
	unsigned workarounds;
} devices[] = {
	{ "NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA GB10", "580.95.05", T_UNIFIED | T_FP64,
	  T_FP64, "nvidia-in-place,nvidia-groups,nvidia-fits", NVIDIA },
	{ "NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA H200", "570.86", T_LOCAL, T_LOCAL,
	  "nvidia-groups,nvidia-fits", NVIDIA },
	{ "rusticl", "NVIDIA", "NVIDIA GeForce RTX 2080 (NVK TU104)", "26.2.2", T_LOCAL, T_LOCAL,
	  "nvidia-groups,rusticl-groups", LIMITS_GROUPS },
	{ "ARM Platform", "ARM", "Mali-G610 r0p0", "3.0", T_UNIFIED | T_IMAGES, T_IMAGES,
	  "mali-in-place", 0 },
	{ "rusticl", "Qualcomm", "FD618", "26.2.2", T_IMAGES | T_UNIFIED, T_UNIFIED,
	  "rusticl-adreno-images,rusticl-groups", LIMITS_GROUPS },
	{ "rusticl", "Qualcomm", "FD618", "26.3.0", T_IMAGES, T_IMAGES, "rusticl-groups",
	  LIMITS_GROUPS },
	{ "rusticl", "AMD", "AMD Radeon RX 6600", "26.2.2", T_IMAGES, T_IMAGES, "rusticl-groups",
	  LIMITS_GROUPS },
	{ "rusticl", "Mesa", "llvmpipe (LLVM 19.1.7, 256 bits)", "25.0.7-2+deb13u1",
	  T_IMAGES | T_UNIFIED | T_CPU, T_UNIFIED,
	  "rusticl-groups,llvmpipe-images,llvmpipe-lanes,llvmpipe-fma,llvmpipe-sums",
	  LIMITS_GROUPS | AVOIDS_FMA },
	{ "AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.", "gfx90a", "3625.0",
	  T_AMD, T_AMD, "amd-groups", LIMITS_GROUPS },
	{ "QUALCOMM Snapdragon(TM)", "QUALCOMM", "QUALCOMM Adreno(TM) 730",
	  "OpenCL 3.0 QUALCOMM build: 0 Compiler E031.38.11.14", T_IMAGES, T_IMAGES,
	  "adreno-image-products", 0 },
	{ "QUALCOMM Snapdragon(TM)", "QUALCOMM", "QUALCOMM Adreno(TM) 619",
	  "OpenCL 3.0 QUALCOMM build: 0 Compiler E031.45.02", T_IMAGES, T_IMAGES, "", 0 },
	{ "Portable Computing Language", "GenuineIntel", "pthread-skylake-avx512", "3.1", T_UNIFIED,
	  T_UNIFIED, "pocl-late,pocl-files,pocl-maps,pocl-handles",
	  SAVES_AFTER_RUN | NEEDS_FILES | SKIPS_MAPS | KEEPS_APART },
	{ "Portable Computing Language", "GenuineIntel", "cpu-skylake-avx512-Intel(R) Xeon(R)",
	  "5.0-debian", T_UNIFIED, T_UNIFIED, "pocl-late,pocl-files,pocl-maps,pocl-handles",
	  SAVES_AFTER_RUN | NEEDS_FILES | SKIPS_MAPS | KEEPS_APART },
	{ "Portable Computing Language", "GenuineIntel", "cpu-skylake-avx512-Intel(R) Xeon(R)",
	  "6.0", T_UNIFIED, T_UNIFIED, "pocl-late,pocl-files,pocl-maps",
	  SAVES_AFTER_RUN | NEEDS_FILES | SKIPS_MAPS },
	{ "Intel(R) OpenCL", "Intel(R) Corporation", "Intel(R) Xeon(R)", "2024.17", T_UNIFIED,
	  T_UNIFIED, "intel-cpu-tiles", 0 },
};

START_TEST(descriptions)
{
	struct device d;
	size_t i;

	for (i = 0; i < sizeof devices / sizeof *devices; i++) {
		memset(&d, 0, sizeof d);
		d.info = described(devices[i].platform, devices[i].vendor, devices[i].name,
		                   devices[i].driver);
		d.traits = devices[i].traits;
		clopt__quirks_apply(&d, 0);
		ck_assert_str_eq(d.info.quirks, devices[i].quirks);
		ck_assert_uint_eq(d.traits, devices[i].left);
		ck_assert_uint_eq(d.workarounds, devices[i].workarounds);
		d.traits = devices[i].traits;
		d.info.quirks[0] = '\0';
		d.workarounds = 0;
		clopt__quirks_apply(&d, ~0u);
		ck_assert(d.info.quirks[0] == '\0' && d.traits == devices[i].traits &&
		          !d.workarounds);
	}
}
END_TEST

/* Only PoCL's own processors compute in the caller's memory; those behind another driver or a
 * network say the same of themselves. */
START_TEST(elsewhere)
{
	static const struct {
		const char *version;
		unsigned workarounds;
	} cases[] = {
		{ "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-haswell", SKIPS_MAPS },
		{ "OpenCL 3.0 PoCL HSTR: cpu-x86_64-pc-linux-gnu-haswell", SKIPS_MAPS },
		{ "OpenCL 3.0 PoCL HSTR: pocl-remote: cpu-haswell-AMD EPYC", 0 },
		{ "OpenCL 3.0 PoCL HSTR: pocl-proxy: Intel(R) Xeon(R)", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct device d = { .traits = T_UNIFIED };

		d.info = described("Portable Computing Language", "AMD", "cpu-haswell-AMD EPYC",
		                   "6.0");
		strcpy(d.info.version, cases[i].version);
		clopt__quirks_apply(&d, 0);
		ck_assert_msg((d.workarounds & SKIPS_MAPS) == cases[i].workarounds, "%s",
		              cases[i].version);
	}
}
END_TEST

START_TEST(platforms)
{
	struct clopt_device_info p =
	        described("Intel Gen OCL Driver", "Intel", "", "OpenCL 1.2 beignet 1.3");
	unsigned lifted;

	ck_assert_str_eq(clopt__quirk_skips(&p, SKIPS_PLATFORM, 0)->name, "beignet");
	CHECK_OK(NULL, clopt__quirks_read("here", "beignet", &lifted));
	ck_assert_ptr_null(clopt__quirk_skips(&p, SKIPS_PLATFORM, lifted));
	CHECK_OK(NULL, clopt__quirks_read("here", "clover", &lifted));
	ck_assert_ptr_nonnull(clopt__quirk_skips(&p, SKIPS_PLATFORM, lifted));
	p = described("Intel(R) OpenCL HD Graphics", "Intel", "", "OpenCL 3.0");
	ck_assert_ptr_null(clopt__quirk_skips(&p, SKIPS_PLATFORM, 0));
}
END_TEST

/* A device is left out by its driver's version, which may differ from its platform's. */
START_TEST(left_out)
{
	struct clopt_device_info d =
	        described("rusticl", "Mesa/X.org", "llvmpipe (LLVM 15.0.6)", "22.3.6");

	ck_assert_str_eq(clopt__quirk_skips(&d, SKIPS_DEVICE, 0)->name, "rusticl-finish");
	ck_assert_ptr_null(clopt__quirk_skips(&d, SKIPS_DEVICE, ~0u));
	ck_assert_ptr_null(clopt__quirk_skips(&d, SKIPS_PLATFORM, 0));
	d = described("rusticl", "Mesa/X.org", "llvmpipe (LLVM 15.0.7)", "23.2.1");
	ck_assert_ptr_null(clopt__quirk_skips(&d, SKIPS_DEVICE, 0));
	d = described("rusticl", "Mesa", "llvmpipe (LLVM 19.1.7, 256 bits)", "26.1.6-1~bpo13+1");
	ck_assert_str_eq(clopt__quirk_skips(&d, SKIPS_DEVICE, 0)->name, "llvmpipe-loops");
	d = described("rusticl", "AMD", "AMD Radeon RX 6600", "26.1.6");
	ck_assert_ptr_null(clopt__quirk_skips(&d, SKIPS_DEVICE, 0));
}
END_TEST

/* Each row has devices, an effect, a reason, and a source. */
START_TEST(table)
{
	struct clopt_quirk list[32], *q;
	size_t i, n = 0;

	for (i = 0; i < 32; i++)
		list[i].size = sizeof list[i];
	CHECK_OK(NULL, clopt_quirk_list(list, 32, &n));
	ck_assert_msg(n >= 5 && n < 32, "%zu rows; a set of them is the bits of an unsigned", n);
	for (i = 0; i < n; i++) {
		q = &list[i];
		ck_assert(q->platform || q->vendor || q->device);
		ck_assert(*q->effect && strlen(q->reason) > 20);
		ck_assert_msg(!q->link || !strncmp(q->link, "https://", 8), "%s: %s", q->name,
		              q->link);
		ck_assert_msg(!strpbrk(q->name, " ,"), "%s", q->name);
	}
	CHECK_OK(NULL, clopt_quirk_list(NULL, 0, &i));
	ck_assert_uint_eq(i, n);
}
END_TEST

/* Each row does something, and each workaround has a row. */
START_TEST(rows)
{
	struct device d = { .traits = ~0u };
	unsigned all = 0;
	const struct quirk *q;

	for (q = clopt__quirks; q->name; q++) {
		ck_assert_msg(q->takes || q->rows || q->workarounds, "%s", q->name);
		all |= q->workarounds;
		ck_assert(q - clopt__quirks < 32); /* bits of a mask */
		if (strstr(q->name, "nvidia"))
			d.quirks |= 1u << (q - clopt__quirks);
	}
	ck_assert_uint_eq(all, SKIPS_PLATFORM | SKIPS_DEVICE | NVIDIA | SAVES_AFTER_RUN |
	                               SKIPS_MAPS | KEEPS_APART | AVOIDS_FMA | NEEDS_FILES);
	ck_assert_ptr_nonnull(clopt__quirk_against(&d, T_UNIFIED, "matmul/plain"));
	ck_assert_ptr_null(clopt__quirk_against(&d, T_IMAGES, "matmul/plain"));
}
END_TEST

/* A quirk strikes out variants by words in their names. */
START_TEST(rows_by_name)
{
	struct device d = { 0 };

	d.info = described("rusticl", "Mesa", "llvmpipe (LLVM 19.1.7, 256 bits)", "25.0.7");
	clopt__quirks_apply(&d, 0);
	ck_assert_str_eq(clopt__quirk_against(&d, 0, "potential/wide-8x4")->name, "llvmpipe-sums");
	ck_assert_str_eq(clopt__quirk_against(&d, 0, "tree-nbody/wide-8x8")->name, "llvmpipe-sums");
	ck_assert_ptr_null(clopt__quirk_against(&d, 0, "potential/plain"));
	ck_assert_ptr_null(clopt__quirk_against(&d, 0, "transpose/wide-256"));
	ck_assert_ptr_null(clopt__quirk_against(&d, 0, "tree-nbody/plain-1"));
	/* Intel's runtime for processors, and not the one for its GPUs. */
	memset(&d, 0, sizeof d);
	d.info = described("Intel(R) OpenCL", "Intel(R) Corporation", "AMD EPYC", "2026.22");
	strcpy(d.info.version, "OpenCL 3.1 (Build 0)");
	clopt__quirks_apply(&d, 0);
	ck_assert_str_eq(clopt__quirk_against(&d, 0, "nbody/exact-split-32x8")->name,
	                 "intel-cpu-tiles");
	ck_assert_ptr_null(clopt__quirk_against(&d, 0, "nbody/exact"));
	memset(&d, 0, sizeof d);
	d.info = described("Intel(R) OpenCL Graphics", "Intel(R) Corporation", "Arc", "24.1");
	strcpy(d.info.version, "OpenCL 3.0 NEO ");
	clopt__quirks_apply(&d, 0);
	ck_assert_ptr_null(clopt__quirk_against(&d, 0, "nbody/exact-split-32x8"));
}
END_TEST

/* A row that is struck out says so, and can still be forced. */
START_TEST(struck_out)
{
	static const struct wrap_gpu adreno = {
		"QUALCOMM Adreno(TM) 730",
		"QUALCOMM",
		4,
		64,
		256,
		1,
		32 << 10,
		0,
		"OpenCL 3.0 QUALCOMM build: 0 Compiler E031.38.11.14"
	};
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx;
	const size_t i = test_row("matmul/image-4x4");
	char why[256];

	drivers_add("pocl");
	wrap_pretend(&adreno);
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	ck_assert_str_eq(info.quirks,
	                 "adreno-image-products,pocl-late,pocl-files,pocl-maps,pocl-handles");
	ck_assert(!clopt_variant_runs(ctx, i, NULL, why, sizeof why));
	ck_assert_msg(strstr(why, "disabled by quirk adreno-image-products: ") == why, "%s", why);
	test_close(ctx);
	o.quirks = "adreno-image-products";
	ctx = test_open(&o);
	ck_assert(clopt_variant_runs(ctx, i, NULL, why, sizeof why));
	test_close(ctx);
}
END_TEST

static int programs, rounding;

static void look_for_fma(const char *const *lines, size_t count, const char *options)
{
	programs++;
	rounding += strstr(options, "-DSLOW_FMA=1 ") != NULL;
}

/* Kernels are told where fma is slow, and only there. */
START_TEST(slow_fma)
{
	struct clopt *ctx;
	float x[4] = { 0, 0, 0, 1 }, a[4];

	drivers_add("pocl");
	ctx = test_open(NULL);
	ctx->device.workarounds |= AVOIDS_FMA;
	wrap_builds(look_for_fma);
	expect_refused(clopt_nbody(ctx, 1, x, 1, x, a, NULL), CLOPT_ENOVARIANT, ctx, "nbody");
	ck_assert_int_gt(programs, 0);
	ck_assert_int_eq(rounding, programs);
	wrap_builds(NULL);
	test_close(ctx);
	ctx = test_open(NULL);
	wrap_builds(look_for_fma);
	programs = rounding = 0;
	expect_refused(clopt_nbody(ctx, 1, x, 1, x, a, NULL), CLOPT_ENOVARIANT, ctx, "nbody");
	ck_assert_int_gt(programs, 0);
	ck_assert_int_eq(rounding, 0);
	wrap_builds(NULL);
	test_close(ctx);
}
END_TEST

/* Commands of a product whose arrays are used in place. */
static long commands_in_place(const char *ignored)
{
	static float a[4096] __attribute__((aligned(4096))), b[4096] __attribute__((aligned(4096))),
	        c[4096] __attribute__((aligned(4096)));
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_report r = CLOPT_REPORT_INIT;
	struct clopt *ctx;
	size_t i;
	long n;

	o.quirks = ignored;
	o.small = CLOPT_SMALL_DEVICE;
	ctx = test_open(&o);
	for (i = 0; i < 4096; i++)
		a[i] = b[i] = 1;
	CHECK_OK(ctx, clopt_matmul(ctx, 64, 64, 64, a, b, c)); /* compiles and judges the kernel */
	memset(c, 0, sizeof c);
	wrap_commands();
	CHECK_OK(ctx, clopt_matmul(ctx, 64, 64, 64, a, b, c));
	n = wrap_commands();
	for (i = 0; i < 4096; i++)
		ck_assert_float_eq(c[i], 64);
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_uint_eq(r.in_place_bytes, sizeof a + sizeof b + sizeof c);
	test_close(ctx);
	return n;
}

/* Results in place are mapped only if the quirk is ignored. */
START_TEST(maps)
{
	drivers_add("pocl");
	ck_assert_int_eq(commands_in_place(NULL), 1);
	ck_assert_int_eq(commands_in_place("pocl-maps"), 2); /* and the unmap */
}
END_TEST

/* A trait that is taken away says so. */
START_TEST(taken)
{
	static const struct wrap_gpu fd618 = { "FD618", "Qualcomm", 4, 64,           256,
		                               1,       32 << 10,   0, "Mesa 26.2.2" };
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 9, 9 } };
	struct device d;
	struct clopt *ctx;
	char text[8192];

	drivers_add("pocl");
	wrap_pretend(&fd618);
	ctx = test_open(NULL);
	/* Its platform is PoCL's, which has no such quirk. */
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_null(strstr(text, "quirk"));
	d = ctx->device;
	strcpy(d.info.platform, "rusticl");
	clopt__quirks_apply(&d, 0);
	ctx->device = d;
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_msg(strstr(text, "without images, by quirk rusticl-adreno-images: "), "%s", text);
	ck_assert_msg(strstr(text, "transpose/image: disabled by quirk rusticl-adreno-images: "),
	              "%s", text);
	test_close(ctx);
}
END_TEST

static size_t named(struct clopt_device_info *list, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			break;
	ck_assert_msg(i < n, "%s is not listed", name);
	return i;
}

/* Drivers with quirks, beside PoCL, in clopt_device_list and clopt_skipped_list. */
START_TEST(drivers)
{
	struct clopt_device_info list[16];
	struct clopt_skipped_driver s = { .size = sizeof s };
	size_t i, n = 0, seen; /* PoCL may have several devices */

	drivers_add("clover");
	drivers_add("gb10");
	drivers_add("pocl");
	for (i = 0; i < 16; i++)
		list[i].size = sizeof list[i];
	CHECK_OK(NULL, clopt_device_list(list, 16, &seen));
	ck_assert(seen >= 2 && seen < 16);
	i = named(list, seen, "Fake GB10");
	/* The platform is not NVIDIA's. */
	ck_assert_str_eq(list[i].quirks, "nvidia-in-place,nvidia-groups");
	ck_assert_ptr_null(strstr(list[i].traits, "unified-memory"));
	s = drivers_skipped();
	ck_assert_str_eq(s.name, "Clover");
	ck_assert_ptr_nonnull(strstr(s.reason, "quirk clover: "));

	setenv("CLOPT_QUIRKS", "0", 1);
	CHECK_OK(NULL, clopt_device_list(list, 16, &n));
	ck_assert_uint_eq(n, seen + 1);
	i = named(list, n, "Fake GB10");
	ck_assert_str_eq(list[i].quirks, "");
	ck_assert_ptr_nonnull(strstr(list[i].traits, "unified-memory"));
	CHECK_OK(NULL, clopt_skipped_list(&s, 1, &n));
	ck_assert_uint_eq(n, 0);
}
END_TEST

SUITE(quirks, long)
{
	tcase_add_checked_fixture(c, drivers_setup, drivers_teardown);
	tcase_add_test(c, words);
	tcase_add_test(c, versions);
	tcase_add_test(c, descriptions);
	tcase_add_test(c, elsewhere);
	tcase_add_test(c, platforms);
	tcase_add_test(c, left_out);
	tcase_add_test(c, table);
	tcase_add_test(c, rows);
	tcase_add_test(c, rows_by_name);
	tcase_add_test(c, struck_out);
	tcase_add_test(c, slow_fma);
	tcase_add_test(c, maps);
	tcase_add_test(c, taken);
	tcase_add_test(c, drivers);
}
