/* SPDX-License-Identifier: MIT */
/*
 * quirks.c - bugs of drivers that the library avoids, as rows of a table.
 *
 * A row stands for a bug or a limit that OpenCL has no query for.  Other files ask for the
 * workaround, never for the driver.  A bug needs no row if a kernel fails to build (the next
 * variant serves), or if code that avoids it is as good on all drivers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "device.h"

/* clang-format off */
const struct quirk clopt__quirks[] = {
	{ "nvidia-in-place", .vendor = "nvidia", .takes = T_UNIFIED,
	  .reason = "kernels read an old copy of host memory that is used in place",
	  .link = "https://github.com/ProjectPhysX/FluidX3D/issues/351" },
	{ "mali-in-place", .vendor = "arm", .device = "mali", .takes = T_UNIFIED,
	  .reason = "results do not reach host memory that is used in place",
	  .link = "https://github.com/ProjectPhysX/OpenCL-Wrapper/issues/18" },
	{ "rusticl-finish", .platform = "rusticl", .before = "23.2",
	  .workarounds = SKIPS_DEVICE,
	  .reason = "clFinish does not wait for flushed commands, so results are read before they are written",
	  .link = "https://gitlab.freedesktop.org/mesa/mesa/-/merge_requests/23612" },
	{ "rusticl-adreno-images", .platform = "rusticl", .vendor = "qualcomm", .before = "26.3",
	  .takes = T_IMAGES,
	  .reason = "a kernel may read an image before the kernel that writes it has ended",
	  .link = "https://github.com/qualcomm-linux/meta-qcom/pull/3192" },
	{ "adreno-image-products", .vendor = "qualcomm", .behind = "Compiler E",
	  .from = "31.38", .before = "31.39", .rows = "matmul/image",
	  .reason = "its compiler makes matrix products from images wrong",
	  .link = "https://github.com/mybigday/llama.rn/issues/386" },
	{ "beignet", .platform = "Intel Gen OCL Driver", .workarounds = SKIPS_PLATFORM,
	  .reason = "its compiler aborts the process; use Intel's later drivers",
	  .link = "https://github.com/hashcat/hashcat/issues/3" },
	{ "clover", .platform = "Clover", .workarounds = SKIPS_PLATFORM,
	  .reason = "kernels crash the GPU; use Mesa's Rusticl",
	  .link = "https://github.com/ggml-org/llama.cpp/pull/1435" },
	{ "nvidia-groups", .vendor = "nvidia", .workarounds = LIMITS_GROUPS,
	  .reason = "a launch has at most 65535 groups along y and z, as in CUDA",
	  .link = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities" },
	{ "amd-groups", .platform = "AMD Accelerated", .workarounds = LIMITS_GROUPS,
	  .reason = "a launch may have at most 65535 groups along y and z",
	  .link = "https://github.com/SC-SGS/PLSSVM/pull/64" },
	{ "rusticl-groups", .platform = "rusticl", .workarounds = LIMITS_GROUPS,
	  .reason = "Mesa's drivers may refuse launches of more than 65535 groups along an axis",
	  .link = "https://github.com/CNugteren/CLBlast/issues/387" },
	{ "nvidia-fits", .platform = "nvidia", .vendor = "nvidia", .workarounds = BUILDS_FIT,
	  .reason = "the driver reports less local memory and smaller work-groups than kernels may use" }, /* Mesa and PoCL report true limits */
	/* Mesa 26.1.6 has this bug and 25.0.7 does not; versions between were not tried. */
	{ "llvmpipe-loops", .platform = "rusticl", .device = "llvmpipe", .from = "25.1",
	  .workarounds = SKIPS_DEVICE,
	  .reason = "kernels read one iteration beyond the end of a loop, which may end the process" },
	{ "llvmpipe-images", .platform = "rusticl", .device = "llvmpipe", .takes = T_IMAGES,
	  .reason = "compiling sums over an image ends the process; products from images are wrong" },
	{ "llvmpipe-lanes", .platform = "rusticl", .device = "llvmpipe", .takes = T_CPU,
	  .reason = "its vectors run work-items of one work-group, so that a group of one leaves lanes idle" },
	{ "llvmpipe-fma", .platform = "rusticl", .device = "llvmpipe", .workarounds = AVOIDS_FMA,
	  .reason = "fma() of floats is emulated, and sums over pairs take three to seven times as long with it" },
	{ "llvmpipe-sums", .platform = "rusticl", .device = "llvmpipe", .before = "25.1",
	  .rows = "potential/wide nbody/wide potential/strict nbody/strict potential/exact- "
	          "nbody/exact-",
	  .reason = "results of all work-groups but the first of each thread are wrong" },
	/* Right with -cl-opt-disable, in float and in double; wrong also without vectors. */
	{ "intel-cpu-tiles", .platform = "Intel(R) OpenCL", .vendor = "intel", .unless = "NEO",
	  .rows = "nbody/exact-split",
	  .reason = "double-single numbers that work-items keep across a barrier are lost" },
	{ "pocl-late", .platform = "Portable Computing Language", .workarounds = SAVES_AFTER_RUN,
	  .reason = "kernels are compiled at their first launch; a binary read earlier lacks them",
	  .link = "https://github.com/pocl/pocl/pull/299" },
	{ "pocl-files", .platform = "Portable Computing Language", .workarounds = NEEDS_FILES,
	  .reason = "its compiler ends the process if it cannot write a file",
	  .link = "https://github.com/llvm/llvm-project/blob/main/llvm/lib/Support/raw_ostream.cpp" },
	/* PoCL's drivers pocl-remote and pocl-proxy report the properties of a remote processor. */
	{ "pocl-maps", .platform = "Portable Computing Language", .unless = "HSTR: pocl-",
	  .workarounds = SKIPS_MAPS,
	  .reason = "mapping host memory that is used in place wakes threads in vain",
	  .link = "https://github.com/pocl/pocl/blob/main/lib/CL/devices/common_driver.c" },
	{ "pocl-handles", .platform = "Portable Computing Language", .before = "6.0",
	  .workarounds = KEEPS_APART,
	  .reason = "concurrent launches of one kernel with different sizes may end the process by an assertion",
	  .link = "https://github.com/pocl/pocl/commit/c9ac4c0c3f1635c6e00a9cc304ddce87bb7744a2" },
	{ .name = NULL }
};
/* clang-format on */

/* What a workaround makes the library not use. */
static const struct {
	enum workaround of;
	const char *words;
} effects[] = {
	{ SKIPS_PLATFORM, "the platform" },
	{ SKIPS_DEVICE, "the device" },
	{ LIMITS_GROUPS, "more than 65535 groups along y and z" },
	{ BUILDS_FIT, "the driver's limits of work-groups and local memory" },
	{ SAVES_AFTER_RUN, "binaries of kernels that have not run yet" },
	{ SKIPS_MAPS, "maps of results in place on a CPU" },
	{ KEEPS_APART, "concurrent launches of one kernel with different sizes" },
	{ AVOIDS_FMA, "fma() of floats where a rounded product is enough" },
	{ NEEDS_FILES, "the compiler if file sizes are limited (ulimit -f)" },
};

static int has(const char *text, const char *word)
{
	return !word || clopt__within(text, word, strlen(word));
}

/* The sign of a - b, comparing the numbers between dots; a missing number is 0. */
static int compare(const char *a, const char *b)
{
	unsigned long x, y;
	char *end;

	do {
		x = strtoul(a, &end, 10);
		a = end + (*end == '.');
		y = strtoul(b, &end, 10);
		b = end + (*end == '.');
	} while (x == y && (strspn(a, "0123456789") || strspn(b, "0123456789")));
	return (x > y) - (x < y);
}

static int has_version(const char *driver, const struct quirk *q)
{
	const char *at = q->behind ? strstr(driver, q->behind) : driver;

	if (!q->from && !q->before)
		return 1;
	if (!at)
		return 0;
	at += strcspn(at, "0123456789");
	return *at && (!q->from || compare(at, q->from) >= 0) &&
	       (!q->before || compare(at, q->before) < 0);
}

int clopt__quirk_holds(const struct quirk *q, const struct clopt_device_info *d)
{
	return has(d->platform, q->platform) && has(d->vendor, q->vendor) &&
	       has(d->name, q->device) && has_version(d->driver, q) &&
	       !(q->unless && strstr(d->version, q->unless));
}

const struct quirk *clopt__quirk_skips(const struct clopt_device_info *d, enum workaround skips,
                                       unsigned lifted)
{
	const struct quirk *q;

	for (q = clopt__quirks; q->name; q++)
		if ((q->workarounds & skips) && !(lifted >> (q - clopt__quirks) & 1) &&
		    clopt__quirk_holds(q, d))
			return q;
	return NULL;
}

void clopt__quirks_apply(struct device *device, unsigned lifted)
{
	struct clopt_device_info *d = &device->info;
	struct text t = { d->quirks, sizeof d->quirks };
	const struct quirk *q;

	for (q = clopt__quirks; q->name; q++) {
		const unsigned bit = 1u << (q - clopt__quirks);

		/* A quirk that takes only traits that the device lacks does not apply. */
		if ((lifted & bit) || (q->workarounds & (SKIPS_PLATFORM | SKIPS_DEVICE)) ||
		    (q->takes && !(q->takes & device->traits)) || !clopt__quirk_holds(q, d))
			continue;
		device->quirks |= bit;
		device->traits &= ~q->takes;
		device->workarounds |= q->workarounds;
		clopt__say(&t, "%s%s", *d->quirks ? "," : "", q->name);
	}
}

int clopt__works_around(const struct clopt *ctx, enum workaround what)
{
	return (ctx->device.workarounds & what) != 0;
}

/* Whether a row's name contains one of the words, which are separated by blanks. */
static int is_named(const char *row, const char *words)
{
	size_t n;

	for (; words && *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (clopt__within(row, words, n))
			return 1;
	}
	return 0;
}

const struct quirk *clopt__quirk_against(const struct device *device, unsigned traits,
                                         const char *row)
{
	const struct quirk *q;

	for (q = clopt__quirks; q->name && device->quirks >> (q - clopt__quirks); q++)
		if ((device->quirks >> (q - clopt__quirks) & 1) &&
		    ((q->takes & traits) || is_named(row, q->rows)))
			return q;
	return NULL;
}

static int unknown(const char *source, const char *name, size_t n)
{
	char there[512];
	struct text t = { there, sizeof there };
	const struct quirk *q;

	for (q = clopt__quirks; q->name; q++)
		clopt__say(&t, " %s", q->name);
	return clopt__fail(NULL, CLOPT_EINVAL, "%s: quirk \"%.*s\" does not exist: use%s", source,
	                   (int)n, name, there);
}

int clopt__quirks_read(const char *source, const char *names, unsigned *lifted)
{
	const struct quirk *q;
	size_t n;

	*lifted = 0;
	if (names && !strcmp(names, "0")) {
		*lifted = ~0u;
		return CLOPT_OK;
	}
	while (names && *(names += strspn(names, ", "))) {
		n = strcspn(names, ", ");
		for (q = clopt__quirks; q->name; q++)
			if (strlen(q->name) == n && !strncmp(q->name, names, n))
				break;
		if (!q->name)
			return unknown(source, names, n);
		*lifted |= 1u << (q - clopt__quirks);
		names += n;
	}
	return CLOPT_OK;
}

static struct clopt_quirk describe(const struct quirk *q)
{
	struct clopt_quirk all = { .size = sizeof all };
	struct text t;
	unsigned i;

	all.name = q->name;
	all.platform = q->platform;
	all.vendor = q->vendor;
	all.device = q->device;
	all.from = q->from;
	all.before = q->before;
	all.reason = q->reason;
	all.link = q->link;
	clopt__traits_text(q->takes, all.effect, sizeof all.effect);
	t.at = all.effect + strlen(all.effect);
	t.left = sizeof all.effect - strlen(all.effect);
	if (q->rows)
		clopt__say(&t, "%skernels %s...", *all.effect ? ", " : "", q->rows);
	for (i = 0; i < sizeof effects / sizeof *effects; i++)
		if (q->workarounds & effects[i].of)
			clopt__say(&t, "%s%s", *all.effect ? ", " : "", effects[i].words);
	return all;
}

int clopt_quirk_list(struct clopt_quirk *list, size_t max, size_t *count)
{
	size_t i;
	int rc = CLOPT_OK;

	TRY(clopt__list_begin(__func__, "clopt_quirk", list, max, count));
	for (i = 0; clopt__quirks[i].name; i++) {
		const struct clopt_quirk quirk = describe(&clopt__quirks[i]);

		if (i < max)
			clopt__sized_entry(list, i, &quirk, sizeof quirk);
	}
	*count = i;
out:
	return rc;
}
